// set_lanes.h on x86.
#pragma once
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

template <class T>
TC_INLINE uint32_t set_lanes(Mask<T> m) {
  const typename Mask<T>::register_type r = m;
#if defined(__AVX512F__)
  return static_cast<uint32_t>(r);
#elif defined(__AVX2__)
  if constexpr (std::is_same_v<T, float>)
    return static_cast<uint32_t>(_mm256_movemask_ps(r));
  else if constexpr (sizeof(T) == 4)
    return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(r)));
  else
    return static_cast<uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(r)));
#else
  if constexpr (std::is_same_v<T, float>)
    return static_cast<uint32_t>(_mm_movemask_ps(r));
  else if constexpr (sizeof(T) == 4)
    return static_cast<uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(r)));
  else
    return static_cast<uint32_t>(_mm_movemask_pd(_mm_castsi128_pd(r)));
#endif
}

}  // namespace
}  // namespace tc::kernels
