// Scratch memory that callers give to kernels, cut into pieces.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tc::kernels {

// Takes pieces of scratch one after the other; with a null base it only counts.
class Pieces {
 public:
  explicit Pieces(std::byte* base) : base_(base) {}
  template <class T>
  T* take(int64_t count) {
    T* piece = base_ ? reinterpret_cast<T*>(base_ + used_) : nullptr;
    used_ += (static_cast<size_t>(count) * sizeof(T) + 63) / 64 * 64;
    return piece;
  }
  size_t used() const { return used_; }

 private:
  std::byte* base_;
  size_t used_ = 0;
};

}  // namespace tc::kernels
