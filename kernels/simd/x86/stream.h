// stream.h on x86.
#pragma once
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// To an address that is aligned to the register.
TC_INLINE void stream(float* p, VecF v) {
#if defined(__AVX512F__)
  _mm512_stream_ps(p, v);
#elif defined(__AVX2__)
  _mm256_stream_ps(p, v);
#else
  _mm_stream_ps(p, v);
#endif
}
TC_INLINE void stream(double* p, VecD v) {
#if defined(__AVX512F__)
  _mm512_stream_pd(p, v);
#elif defined(__AVX2__)
  _mm256_stream_pd(p, v);
#else
  _mm_stream_pd(p, v);
#endif
}
TC_INLINE bool can_stream(const void* p) {
  return reinterpret_cast<uintptr_t>(p) % sizeof(VecF) == 0;
}

inline void stream_copy(std::byte* to, const std::byte* from, size_t bytes) {
  const size_t head = (64 - reinterpret_cast<uintptr_t>(to) % 64) % 64;
  if (bytes < head + 64) {
    std::memcpy(to, from, bytes);
    return;
  }
  std::memcpy(to, from, head);
  size_t i = head;
  for (; i + 64 <= bytes; i += 64) {
#if defined(__AVX512F__)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_loadu_si512(from + i));
#else
    for (size_t part = i; part < i + 64; part += 16)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + part),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + part)));
#endif
  }
  std::memcpy(to + i, from + i, bytes - i);
}

// Orders streamed stores before what other threads are told afterwards.
TC_INLINE void stream_fence() {
  _mm_sfence();
}

}  // namespace
}  // namespace tc::kernels
