// stream.h by the compiler's vectors, which have no stores past the caches: these are plain ones.
#pragma once
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// To an address that is aligned to the register.
TC_INLINE void stream(float* p, VecF v) {
  store(p, v);
}
TC_INLINE void stream(double* p, VecD v) {
  store(p, v);
}
TC_INLINE bool can_stream(const void* p) {
  return reinterpret_cast<uintptr_t>(p) % sizeof(VecF) == 0;
}
inline void stream_copy(std::byte* to, const std::byte* from, size_t bytes) {
  std::memcpy(to, from, bytes);
}
// Orders streamed stores before what other threads are told afterwards, as plain ones are by themselves.
TC_INLINE void stream_fence() {}

}  // namespace
}  // namespace tc::kernels
