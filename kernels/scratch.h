// Scratch memory that callers give to kernels, cut into pieces.
#pragma once
#include <cstddef>
#include <cstdint>

#include "tc/kernels/worker_stride.h"

namespace tc::kernels {

// A piece for each worker.
template <class T>
struct PerWorker {
  T* first = nullptr;
  int64_t stride = 0;
  T* of(int worker) const { return first + worker * stride; }
};

// Takes pieces of scratch one after the other; with a null base it only counts.
class ScratchPieces {
 public:
  explicit ScratchPieces(std::byte* base) : base_(base) {}
  template <class T>
  T* take(int64_t count) {
    T* piece = base_ ? reinterpret_cast<T*>(base_ + used_) : nullptr;
    used_ += (static_cast<size_t>(count) * sizeof(T) + 63) / 64 * 64;
    return piece;
  }
  template <class T>
  PerWorker<T> take_each(int threads, int64_t count) {
    const int64_t stride = worker_stride<T>(count);
    return {take<T>(threads * stride), stride};
  }
  size_t used() const { return used_; }
  // Of one worker's pieces, to the next worker's.
  size_t used_apart() const { return static_cast<size_t>(worker_stride<std::byte>(static_cast<int64_t>(used_))); }

 private:
  std::byte* base_;
  size_t used_ = 0;
};

}  // namespace tc::kernels
