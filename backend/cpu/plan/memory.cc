// Arena, tensor pool and packed weights.
#include <algorithm>
#include <cstdlib>

#include "tc/backend/cpu/run/frame.h"
#include "tc/ir/pages.h"
#include "tc/ir/tensor_budget.h"

namespace tc::cpu {
namespace {

constexpr size_t kLine = 64;
// What is mapped and not used costs nothing but where addresses have 32 bits, for these are used up.
constexpr size_t kFirstChunk = size_t{sizeof(void*) == 4 ? 16 : 128} << 10;
constexpr size_t kMostChunk = size_t{sizeof(void*) == 4 ? 1 : 64} << 20;

size_t round_up(size_t n, size_t to) {
  return (n + to - 1) / to * to;
}

}  // namespace

Arena::~Arena() {
  if (data_) unmap_pages(data_, capacity_);
}

void Arena::reserve(size_t bytes) {
  if (bytes <= capacity_) return;
  if (data_) unmap_pages(data_, capacity_);
  data_ = nullptr, capacity_ = 0;
  data_ = static_cast<std::byte*>(map_pages(bytes));
  capacity_ = bytes;
}

size_t PackedWeights::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

int PackedWeights::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

PackedWeights::~PackedWeights() {
  for (const Chunk& c : chunks_) unmap_pages(c.data, c.bytes);
}

// From the last chunk, or from a new one: as large as all before, so that few are mapped, and little beyond what is
// used.
void* PackedWeights::take(size_t bytes) {
  bytes = round_up(bytes, kLine);
  if (chunks_.empty() || bytes > chunks_.back().bytes - chunks_.back().used) {
    size_t size = std::max(bytes, std::clamp(bytes_, kFirstChunk, kMostChunk));
    auto* data = static_cast<std::byte*>(map_pages(size));
    chunks_.push_back({data, size, 0});
  }
  Chunk& c = chunks_.back();
  c.used += bytes;
  return c.data + c.used - bytes;
}

const void* PackedWeights::get(const Tensor& source, const std::string& key, size_t bytes,
                               const std::function<void(void*)>& fill) {
  const std::lock_guard lock(mutex_);
  const std::tuple id(source.data(), source.extents(), key);
  const auto it = blocks_.find(id);
  if (it != blocks_.end()) return it->second.data;
  const Block b{take(bytes), source};
  fill(b.data);
  bytes_ += bytes, ++count_;
  blocks_[id] = b;
  return b.data;
}

bool PackedWeights::release_source(const Tensor& source) {
  const std::lock_guard lock(mutex_);
  const auto is_form = [&](const auto& block) { return std::get<0>(block.first) == source.data(); };
  if (source.owner().use_count() != 1 + std::count_if(blocks_.begin(), blocks_.end(), is_form)) return false;
  std::erase_if(blocks_, is_form);
  return true;
}

TensorPool::Block TensorPool::allocate(size_t bytes) {
  Block b{nullptr, round_up(bytes, 64)};
  if (bytes >= kLeastMapped) {
    b.data = map_pages(b.bytes);
    return b;
  }
  b.data = std::aligned_alloc(64, b.bytes);
  if (!b.data) fail(ErrorCode::limit_memory, "out of memory: ", bytes, " bytes for a result");
  return b;
}

void TensorPool::release(Block b) {
  if (b.bytes >= kLeastMapped)
    unmap_pages(b.data, b.bytes);
  else
    std::free(b.data);
}

void TensorPool::drop(size_t i) {
  idle_bytes_ -= idle_[i].bytes;
  release(idle_[i]);
  idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(i));
}

// The idle block to let go of: one that nobody has wanted for long, or else the smallest. Large ones come as fresh
// pages, which cost more than what is done with them.
size_t TensorPool::least_missed() const {
  constexpr uint64_t kLong = 1000;
  if (idle_.front().idle_since + kLong < makes_) return 0;
  const auto smaller = [](const Block& x, const Block& y) { return x.bytes < y.bytes; };
  return static_cast<size_t>(std::min_element(idle_.begin(), idle_.end(), smaller) - idle_.begin());
}

Tensor TensorPool::make(DType dtype, Extents extents) {
  const auto needed = std::max<size_t>(static_cast<size_t>(element_count(extents)) * size_of(dtype), 1);
  Block block;
  const auto budget = Budget::shared();
  const uint64_t counted = needed + kTensorOverhead;
  if (budget) budget->take(counted);
  try {
    const std::lock_guard lock(mutex_);
    ++makes_;
    // The smallest block that is large enough, and not much larger.
    const size_t most_bytes = std::max(page_bytes(needed), needed + needed / 4 + 4 * kPage);
    size_t best = idle_.size();
    for (size_t i = 0; i < idle_.size(); ++i)
      if (idle_[i].bytes >= needed && idle_[i].bytes <= most_bytes &&
          (best == idle_.size() || idle_[i].bytes < idle_[best].bytes))
        best = i;
    if (best < idle_.size()) {
      block = idle_[best];
      idle_bytes_ -= block.bytes;
      idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(best));
    } else {
      const size_t most = most_live_ + most_live_ / 4;
      while (!idle_.empty() && live_ + idle_bytes_ + needed > most) drop(least_missed());
      block = allocate(needed);
    }
    live_ += block.bytes;
    most_live_ = std::max(most_live_, live_);
  } catch (...) {
    if (budget) budget->give_back(counted);
    throw;
  }
  std::shared_ptr<void> owner(block.data, [pool = weak_from_this(), block, budget, counted](void*) {
    if (budget) budget->give_back(counted);
    if (const auto p = pool.lock())
      p->give_back(block);
    else
      release(block);
  });
  return Tensor::borrow(dtype, std::move(extents), block.data, std::move(owner));
}

void TensorPool::give_back(Block b) {
  // Decoders give the keys and values of every layer back at once.
  constexpr size_t kMaxIdle = 128;
  const std::lock_guard lock(mutex_);
  live_ -= b.bytes;
  idle_bytes_ += b.bytes;
  b.idle_since = makes_;
  idle_.push_back(b);
  if (idle_.size() <= kMaxIdle) return;
  drop(least_missed());
}

size_t TensorPool::held_bytes() const {
  const std::lock_guard lock(mutex_);
  return live_ + idle_bytes_;
}

TensorPool::~TensorPool() {
  for (const Block& b : idle_) release(b);
}

}  // namespace tc::cpu
