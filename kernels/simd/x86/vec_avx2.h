// The AVX2 part of vec.h: vector masks serve the tails of 4- and 8-byte elements, copies of n bytes those of smaller
// ones.
#pragma once
#include <immintrin.h>

namespace tc::kernels {
namespace {

alignas(32) constexpr int32_t kTailMask[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

template <class T>
struct Tail {
  __m256i m;
  int n;
  explicit TC_INLINE Tail(int count)
      : m(_mm256_loadu_si256(
            reinterpret_cast<const __m256i*>(kTailMask + 8 - count * (static_cast<int>(sizeof(T)) / 4)))),
        n(count) {}
  TC_INLINE Mask<T> mask() const { return Mask<T>(xsimd::bitwise_cast<Vec<T>>(VecI(m))); }
};

TC_INLINE VecF load(const float* p, Tail<float> t) {
  return VecF(_mm256_maskload_ps(p, t.m));
}
TC_INLINE VecD load(const double* p, Tail<double> t) {
  return VecD(_mm256_maskload_pd(p, t.m));
}
TC_INLINE VecI load(const int32_t* p, Tail<int32_t> t) {
  return VecI(_mm256_maskload_epi32(p, t.m));
}
TC_INLINE VecL load(const int64_t* p, Tail<int64_t> t) {
  return VecL(_mm256_maskload_epi64(reinterpret_cast<const long long*>(p), t.m));
}
// By parts, not by a mask: AMD's processors up to Zen 3 take 12 cycles for a masked store, whatever its mask.
TC_INLINE void store_words(void* to, __m256i v, int words) {
  auto* p = static_cast<int32_t*>(to);
  if (words == 8) return _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v);
  __m128i rest = _mm256_castsi256_si128(v);
  if ((words & 4) != 0) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), rest);
    rest = _mm256_extracti128_si256(v, 1), p += 4;
  }
  if ((words & 2) != 0) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), rest);
    rest = _mm_unpackhi_epi64(rest, rest), p += 2;
  }
  if ((words & 1) != 0) _mm_storeu_si32(p, rest);
}
TC_INLINE void store(float* p, VecF v, Tail<float> t) {
  store_words(p, _mm256_castps_si256(v), t.n);
}
TC_INLINE void store(double* p, VecD v, Tail<double> t) {
  store_words(p, _mm256_castpd_si256(v), 2 * t.n);
}
TC_INLINE void store(int32_t* p, VecI v, Tail<int32_t> t) {
  store_words(p, v, t.n);
}
TC_INLINE void store(int64_t* p, VecL v, Tail<int64_t> t) {
  store_words(p, v, 2 * t.n);
}

template <int N>
TC_INLINE VecI shift_left(VecI a) {
  return VecI(_mm256_slli_epi32(a, N));
}
template <int N>
TC_INLINE VecL shift_left(VecL a) {
  return VecL(_mm256_slli_epi64(a, N));
}
template <int N>
TC_INLINE VecI shift_right(VecI a) {
  return VecI(_mm256_srli_epi32(a, N));
}
template <int N>
TC_INLINE VecL shift_right(VecL a) {
  return VecL(_mm256_srli_epi64(a, N));
}
template <int N>
TC_INLINE VecI shift_right_arith(VecI a) {
  return VecI(_mm256_srai_epi32(a, N));
}

TC_INLINE VecI to_i32(VecF a) {
  return VecI(_mm256_cvttps_epi32(a));
}
TC_INLINE VecI round_to_i32(VecF a) {
  return VecI(_mm256_cvtps_epi32(a));
}
TC_INLINE VecF to_float(VecI a) {
  return VecF(_mm256_cvtepi32_ps(a));
}
TC_INLINE VecL to_i64(VecD a) {
  alignas(32) double x[4];
  alignas(32) int64_t y[4];
  _mm256_store_pd(x, a);
  for (int i = 0; i < 4; ++i) y[i] = _mm_cvttsd_si64(_mm_load_sd(x + i));
  return VecL::load_aligned(y);
}
TC_INLINE VecD to_double(VecL a) {
  alignas(32) int64_t x[4];
  alignas(32) double y[4];
  a.store_aligned(x);
  for (int i = 0; i < 4; ++i) y[i] = static_cast<double>(x[i]);
  return VecD::load_aligned(y);
}

template <class U>
TC_INLINE __m128i load_bytes(const U* p, int count) {
  alignas(16) unsigned char buffer[16] = {};
  std::memcpy(buffer, p, static_cast<size_t>(count) * sizeof(U));
  return _mm_load_si128(reinterpret_cast<const __m128i*>(buffer));
}
template <class U>
TC_INLINE void store_bytes(U* p, __m128i v, int count) {
  alignas(16) unsigned char buffer[16];
  _mm_store_si128(reinterpret_cast<__m128i*>(buffer), v);
  std::memcpy(p, buffer, static_cast<size_t>(count) * sizeof(U));
}
TC_INLINE VecF load_f16(const uint16_t* p) {
  return VecF(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}
TC_INLINE VecF load_f16(const uint16_t* p, Tail<float> t) {
  return VecF(_mm256_cvtph_ps(load_bytes(p, t.n)));
}
TC_INLINE void store_f16(uint16_t* p, VecF v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}
TC_INLINE void store_f16(uint16_t* p, VecF v, Tail<float> t) {
  store_bytes(p, _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT), t.n);
}
TC_INLINE VecF load_bf16(const uint16_t* p) {
  return from_bits(
      VecI(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))), 16)));
}
TC_INLINE VecF load_bf16(const uint16_t* p, Tail<float> t) {
  return from_bits(VecI(_mm256_slli_epi32(_mm256_cvtepu16_epi32(load_bytes(p, t.n)), 16)));
}
TC_INLINE __m128i bf16_bits(VecF v) {
  const __m256i x = bits(v);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(x, 16), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(x, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff))), 16);
  const __m256i quiet = _mm256_or_si256(_mm256_srli_epi32(x, 16), _mm256_set1_epi32(0x40));
  const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
  const __m256i out = _mm256_blendv_epi8(rounded, quiet, nan);
  return _mm_packus_epi32(_mm256_castsi256_si128(out), _mm256_extracti128_si256(out, 1));
}
TC_INLINE void store_bf16(uint16_t* p, VecF v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), bf16_bits(v));
}
TC_INLINE void store_bf16(uint16_t* p, VecF v, Tail<float> t) {
  store_bytes(p, bf16_bits(v), t.n);
}

TC_INLINE VecI load_u8(const uint8_t* p) {
  return VecI(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}
TC_INLINE VecI load_u8(const uint8_t* p, Tail<int32_t> t) {
  return VecI(_mm256_cvtepu8_epi32(load_bytes(p, t.n)));
}
TC_INLINE VecI load_i8(const int8_t* p) {
  return VecI(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}
TC_INLINE VecI load_i8(const int8_t* p, Tail<int32_t> t) {
  return VecI(_mm256_cvtepi8_epi32(load_bytes(p, t.n)));
}

TC_INLINE VecD low_f64(VecF a) {
  return VecD(_mm256_cvtps_pd(_mm256_castps256_ps128(a)));
}
TC_INLINE VecD high_f64(VecF a) {
  return VecD(_mm256_cvtps_pd(_mm256_extractf128_ps(a, 1)));
}
TC_INLINE VecF narrow(VecD low, VecD high) {
  return VecF(_mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(low)), _mm256_cvtpd_ps(high), 1));
}

TC_INLINE float sum(VecF a) {
  __m128 x = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  x = _mm_add_ps(x, _mm_movehl_ps(x, x));
  return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
}
TC_INLINE float hmax(VecF a) {
  __m128 x = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  x = _mm_max_ps(x, _mm_movehl_ps(x, x));
  return _mm_cvtss_f32(_mm_max_ss(x, _mm_movehdup_ps(x)));
}
TC_INLINE float hmin(VecF a) {
  __m128 x = _mm_min_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  x = _mm_min_ps(x, _mm_movehl_ps(x, x));
  return _mm_cvtss_f32(_mm_min_ss(x, _mm_movehdup_ps(x)));
}
TC_INLINE double sum(VecD a) {
  const __m128d x = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
  return _mm_cvtsd_f64(_mm_add_sd(x, _mm_unpackhi_pd(x, x)));
}
TC_INLINE double hmax(VecD a) {
  const __m128d x = _mm_max_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
  return _mm_cvtsd_f64(_mm_max_sd(x, _mm_unpackhi_pd(x, x)));
}
TC_INLINE double hmin(VecD a) {
  const __m128d x = _mm_min_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
  return _mm_cvtsd_f64(_mm_min_sd(x, _mm_unpackhi_pd(x, x)));
}
TC_INLINE int32_t sum(VecI a) {
  __m128i x = _mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
  x = _mm_add_epi32(x, _mm_unpackhi_epi64(x, x));
  return _mm_cvtsi128_si32(_mm_add_epi32(x, _mm_shuffle_epi32(x, 1)));
}
TC_INLINE int64_t sum(VecL a) {
  const __m128i x = _mm_add_epi64(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
  return _mm_cvtsi128_si64(_mm_add_epi64(x, _mm_unpackhi_epi64(x, x)));
}

template <class T>
TC_INLINE bool any(Mask<T> m) {
  return xsimd::any(m);
}
template <class T>
TC_INLINE bool all(Mask<T> m) {
  return xsimd::all(m);
}

TC_INLINE VecI permute(VecI x, VecI index) {
  return VecI(_mm256_permutevar8x32_epi32(x, index));
}

TC_INLINE VecF gather(const float* base, VecI index) {
  return VecF(_mm256_i32gather_ps(base, index, 4));
}
TC_INLINE VecI gather(const int32_t* base, VecI index) {
  return VecI(_mm256_i32gather_epi32(base, index, 4));
}

// near[lanes[i]], or that of `near` and `far` one after the other; kPicksLanes: by instructions.
inline constexpr bool kPicksLanes = true;
TC_INLINE VecF pick_lanes(VecF near, VecI lanes) {
  return VecF(_mm256_permutevar8x32_ps(near, lanes));
}
TC_INLINE VecF pick_lanes(VecF near, VecF far, VecI lanes) {
  const __m256 is_far = _mm256_castsi256_ps(_mm256_slli_epi32(lanes, 31 - 3));  // bit 3 of a lane's number
  return VecF(_mm256_blendv_ps(_mm256_permutevar8x32_ps(near, lanes), _mm256_permutevar8x32_ps(far, lanes), is_far));
}

TC_INLINE VecD load_real(const int32_t* p) {
  return VecD(_mm256_cvtepi32_pd(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}
TC_INLINE void store_whole(int32_t* p, VecD x) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvttpd_epi32(x));
}

// The value in a register: it is not read from memory anew by every operation that takes it.
TC_INLINE VecF held(VecF x) {
  asm("" : "+x"(x.data));
  return x;
}

}  // namespace
}  // namespace tc::kernels
