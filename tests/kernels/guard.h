// Buffers that end at inaccessible pages at both ends, and loops over the tiers of this machine.
//
// A kernel that reads or writes one byte outside its operands dies here, masked vector accesses included, which
// sanitizers do not see. An inaccessible page stands on one side only of a given byte, so every case runs twice:
// with the data pushed against the page behind it, and against the page before it.
#pragma once
#include <algorithm>

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "tc/kernels/cpu.h"

namespace tc::kernels::testing {

enum class Edge { kBack, kFront };
inline constexpr Edge kEdges[] = {Edge::kBack, Edge::kFront};

template <class T>
class GuardedBuffer {
 public:
  explicit GuardedBuffer(std::size_t count, Edge edge = Edge::kBack) : count_(count) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = count * sizeof(T);
    const std::size_t inside = (bytes + page - 1) / page * page;
    total_ = inside + 2 * page;
    base_ = static_cast<std::byte*>(mmap(nullptr, total_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED) std::abort();
    if (inside != 0 && mprotect(base_ + page, inside, PROT_READ | PROT_WRITE) != 0) std::abort();
    std::byte* first = edge == Edge::kBack ? base_ + page + inside - bytes : base_ + page;
    std::memset(base_ + page, 0xcd, inside);
    data_ = reinterpret_cast<T*>(first);
  }
  GuardedBuffer(const std::vector<T>& values, Edge edge = Edge::kBack) : GuardedBuffer(values.size(), edge) {
    if (!values.empty()) std::memcpy(static_cast<void*>(data_), values.data(), values.size() * sizeof(T));
  }
  GuardedBuffer(GuardedBuffer&& other) noexcept
      : base_(std::exchange(other.base_, nullptr)), total_(other.total_), data_(other.data_), count_(other.count_) {}
  GuardedBuffer& operator=(GuardedBuffer&&) = delete;
  ~GuardedBuffer() {
    if (base_ != nullptr) munmap(base_, total_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return count_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + count_; }
  std::span<const T> span() const { return {data_, count_}; }

 private:
  std::byte* base_ = nullptr;
  std::size_t total_ = 0;
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

// Tiers of this machine up to `last`, the lowest first. Only products have kernels of their own beyond AVX-512; with
// emulated tiles they are all that is tested.
inline std::vector<Tier> machine_tiers(Tier last = Tier::avx512) {
  std::vector<Tier> tiers;
#if defined(TC_EMULATED_TILES)
  if (last == Tier::amx && cpu_info().avx512_bf16 && cpu_info().avx512_vnni) return {Tier::amx};
#endif
  for (const Tier tier : usable_tiers())
    if (tier <= last) tiers.push_back(tier);
  return tiers;
}

// Small deterministic generator (SplitMix64), the same numbers everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed = 1) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1.0p-53);
  }
  std::int64_t integer(std::int64_t low, std::int64_t high) {  // both ends included
    return low + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(high - low + 1));
  }
  std::vector<float> floats(std::size_t count, double low = -1, double high = 1) {
    std::vector<float> out(count);
    for (float& x : out) x = static_cast<float>(uniform(low, high));
    return out;
  }

 private:
  std::uint64_t state_;
};

}  // namespace tc::kernels::testing
