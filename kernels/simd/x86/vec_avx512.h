// The AVX-512 part of vec.h: mask registers serve the tails.
#pragma once
#include <immintrin.h>

namespace tc::kernels {
namespace {

template <class T>
struct Tail {
  using Bits = typename Mask<T>::register_type;
  Bits m;
  explicit TC_INLINE Tail(int n) : m(static_cast<Bits>((1u << n) - 1u)) {}
  TC_INLINE Mask<T> mask() const { return Mask<T>(m); }
};

TC_INLINE VecF load(const float* p, Tail<float> t) {
  return VecF(_mm512_maskz_loadu_ps(t.m, p));
}
TC_INLINE VecD load(const double* p, Tail<double> t) {
  return VecD(_mm512_maskz_loadu_pd(t.m, p));
}
TC_INLINE VecI load(const int32_t* p, Tail<int32_t> t) {
  return VecI(_mm512_maskz_loadu_epi32(t.m, p));
}
TC_INLINE VecL load(const int64_t* p, Tail<int64_t> t) {
  return VecL(_mm512_maskz_loadu_epi64(t.m, p));
}
TC_INLINE void store(float* p, VecF v, Tail<float> t) {
  _mm512_mask_storeu_ps(p, t.m, v);
}
TC_INLINE void store(double* p, VecD v, Tail<double> t) {
  _mm512_mask_storeu_pd(p, t.m, v);
}
TC_INLINE void store(int32_t* p, VecI v, Tail<int32_t> t) {
  _mm512_mask_storeu_epi32(p, t.m, v);
}
TC_INLINE void store(int64_t* p, VecL v, Tail<int64_t> t) {
  _mm512_mask_storeu_epi64(p, t.m, v);
}

template <int N>
TC_INLINE VecI shift_left(VecI a) {
  return VecI(_mm512_slli_epi32(a, N));
}
template <int N>
TC_INLINE VecL shift_left(VecL a) {
  return VecL(_mm512_slli_epi64(a, N));
}
template <int N>
TC_INLINE VecI shift_right(VecI a) {
  return VecI(_mm512_srli_epi32(a, N));
}
template <int N>
TC_INLINE VecL shift_right(VecL a) {
  return VecL(_mm512_srli_epi64(a, N));
}
template <int N>
TC_INLINE VecI shift_right_arith(VecI a) {
  return VecI(_mm512_srai_epi32(a, N));
}

TC_INLINE VecI to_i32(VecF a) {
  return VecI(_mm512_cvttps_epi32(a));
}
TC_INLINE VecI round_to_i32(VecF a) {
  return VecI(_mm512_cvtps_epi32(a));
}
TC_INLINE VecF to_float(VecI a) {
  return VecF(_mm512_cvtepi32_ps(a));
}
TC_INLINE VecL to_i64(VecD a) {
  return VecL(_mm512_cvttpd_epi64(a));
}
TC_INLINE VecD to_double(VecL a) {
  return VecD(_mm512_cvtepi64_pd(a));
}

TC_INLINE VecF load_f16(const uint16_t* p) {
  return VecF(_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))));
}
TC_INLINE VecF load_f16(const uint16_t* p, Tail<float> t) {
  return VecF(_mm512_cvtph_ps(_mm256_maskz_loadu_epi16(t.m, p)));
}
TC_INLINE void store_f16(uint16_t* p, VecF v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}
TC_INLINE void store_f16(uint16_t* p, VecF v, Tail<float> t) {
  _mm256_mask_storeu_epi16(p, t.m, _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}
TC_INLINE VecF load_bf16(const uint16_t* p) {
  return from_bits(
      VecI(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))), 16)));
}
TC_INLINE VecF load_bf16(const uint16_t* p, Tail<float> t) {
  return from_bits(VecI(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(t.m, p)), 16)));
}
TC_INLINE __m256i bf16_bits(VecF v) {
  const __m512i x = bits(v);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(x, 16), _mm512_set1_epi32(1));
  const __m512i rounded = _mm512_srli_epi32(_mm512_add_epi32(x, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff))), 16);
  const __m512i quiet = _mm512_or_si512(_mm512_srli_epi32(x, 16), _mm512_set1_epi32(0x40));
  return _mm512_cvtepi32_epi16(_mm512_mask_mov_epi32(rounded, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), quiet));
}
TC_INLINE void store_bf16(uint16_t* p, VecF v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), bf16_bits(v));
}
TC_INLINE void store_bf16(uint16_t* p, VecF v, Tail<float> t) {
  _mm256_mask_storeu_epi16(p, t.m, bf16_bits(v));
}

TC_INLINE VecI load_u8(const uint8_t* p) {
  return VecI(_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}
TC_INLINE VecI load_u8(const uint8_t* p, Tail<int32_t> t) {
  return VecI(_mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(t.m, p)));
}
TC_INLINE VecI load_i8(const int8_t* p) {
  return VecI(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
}
TC_INLINE VecI load_i8(const int8_t* p, Tail<int32_t> t) {
  return VecI(_mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(t.m, p)));
}

TC_INLINE VecD low_f64(VecF a) {
  return VecD(_mm512_cvtps_pd(_mm512_castps512_ps256(a)));
}
TC_INLINE VecD high_f64(VecF a) {
  return VecD(_mm512_cvtps_pd(_mm512_extractf32x8_ps(a, 1)));
}
TC_INLINE VecF narrow(VecD low, VecD high) {
  return VecF(_mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(low)), _mm512_cvtpd_ps(high), 1));
}

TC_INLINE float sum(VecF a) {
  return _mm512_reduce_add_ps(a);
}
TC_INLINE double sum(VecD a) {
  return _mm512_reduce_add_pd(a);
}
TC_INLINE int32_t sum(VecI a) {
  return _mm512_reduce_add_epi32(a);
}
TC_INLINE int64_t sum(VecL a) {
  return _mm512_reduce_add_epi64(a);
}
TC_INLINE float hmax(VecF a) {
  return _mm512_reduce_max_ps(a);
}
TC_INLINE float hmin(VecF a) {
  return _mm512_reduce_min_ps(a);
}
TC_INLINE double hmax(VecD a) {
  return _mm512_reduce_max_pd(a);
}
TC_INLINE double hmin(VecD a) {
  return _mm512_reduce_min_pd(a);
}

template <class T>
TC_INLINE bool any(Mask<T> m) {
  return static_cast<typename Mask<T>::register_type>(m) != 0;
}
template <class T>
TC_INLINE bool all(Mask<T> m) {
  return static_cast<typename Mask<T>::register_type>(m) ==
         static_cast<typename Mask<T>::register_type>((1u << kLanes<T>)-1u);
}

TC_INLINE VecI permute(VecI x, VecI index) {
  return VecI(_mm512_permutexvar_epi32(index, x));
}

TC_INLINE VecF gather(const float* base, VecI index) {
  return VecF(_mm512_i32gather_ps(index, base, 4));
}
TC_INLINE VecI gather(const int32_t* base, VecI index) {
  return VecI(_mm512_i32gather_epi32(index, base, 4));
}

// Powers of two are scaled by one instruction: what vec.h has in other ways for the other targets.
#define TC_SCALES_BY_POWER

// x * 2^n, rounded once; the fraction of n is dropped.
TC_INLINE VecF scale_by_power(VecF x, VecF n) {
  return VecF(_mm512_scalef_ps(x, n));
}
TC_INLINE VecF scale_by_power_unless(Mask<float> gone, VecF x, VecF n) {
  return VecF(_mm512_maskz_scalef_ps(Mask<float>::register_type(~gone), x, n));
}
// 1 / x within 2^-14.
TC_INLINE VecF near_inverse(VecF x) {
  return VecF(_mm512_rcp14_ps(x));
}
// An estimate and a step of Newton's method keep a port busy for half as long as a division does.
TC_INLINE VecF inverse(VecF x) {
  const VecF one(1.0f), near = near_inverse(x);
  return fma(fnma(x, near, one), near, near);
}
TC_INLINE VecF inverse_of_sum(VecF a, VecF b) {
  const VecF one(1.0f), near = near_inverse(a + b);
  return fma(fnma(b, near, fnma(a, near, one)), near, near);
}

TC_INLINE VecF min_nan(VecF a, VecF b) {
  return VecF(_mm512_mask_min_ps(a, _mm512_cmp_ps_mask(a, a, _CMP_ORD_Q), a, b));
}
TC_INLINE VecD min_nan(VecD a, VecD b) {
  return VecD(_mm512_mask_min_pd(a, _mm512_cmp_pd_mask(a, a, _CMP_ORD_Q), a, b));
}
TC_INLINE VecF max_nan(VecF a, VecF b) {
  return VecF(_mm512_mask_max_ps(a, _mm512_cmp_ps_mask(a, a, _CMP_ORD_Q), a, b));
}
TC_INLINE VecD max_nan(VecD a, VecD b) {
  return VecD(_mm512_mask_max_pd(a, _mm512_cmp_pd_mask(a, a, _CMP_ORD_Q), a, b));
}

// x >> N in the lanes of `where`, else 0; x & y alike.
template <int N>
TC_INLINE VecI shift_right_where(Mask<float> where, VecI x) {
  return VecI(_mm512_maskz_srli_epi32(where.data, x, N));
}
TC_INLINE VecI and_where(Mask<float> where, VecI x, VecI y) {
  return VecI(_mm512_maskz_and_epi32(where.data, x, y));
}

// near[lanes[i]], or that of `near` and `far` one after the other; kPicksLanes: by instructions.
inline constexpr bool kPicksLanes = true;
TC_INLINE VecF pick_lanes(VecF near, VecI lanes) {
  return VecF(_mm512_permutexvar_ps(lanes, near));
}
TC_INLINE VecF pick_lanes(VecF near, VecF far, VecI lanes) {
  return VecF(_mm512_permutex2var_ps(near, lanes, far));
}

TC_INLINE VecD load_real(const int32_t* p) {
  return VecD(_mm512_cvtepi32_pd(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))));
}
TC_INLINE void store_whole(int32_t* p, VecD x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvttpd_epi32(x));
}

// The value in a register: it is not read from memory anew by every operation that takes it.
TC_INLINE VecF held(VecF x) {
  asm("" : "+v"(x.data));
  return x;
}

}  // namespace
}  // namespace tc::kernels
