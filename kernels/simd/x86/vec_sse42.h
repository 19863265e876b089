// The SSE4.2 part of vec.h: the baseline has no masked accesses, so tails are copies of exactly n elements.
#pragma once
#include <nmmintrin.h>

namespace tc::kernels {
namespace {

alignas(16) constexpr int32_t kTailMask[8] = {-1, -1, -1, -1, 0, 0, 0, 0};

template <class T>
struct Tail {
  int n;
  explicit TC_INLINE Tail(int count) : n(count) {}
  TC_INLINE Mask<T> mask() const {
    const int32_t* p = kTailMask + 4 - n * (static_cast<int>(sizeof(T)) / 4);
    return Mask<T>(xsimd::bitwise_cast<Vec<T>>(VecI(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))));
  }
};

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
// 0 to 4 words of 32 bits, without a call. Running sums of 100 x 1000 x 7 i32 took 1.5 ms by calls, and take 0.23 so.
TC_INLINE __m128i load_words(const void* from, int words) {
  const auto* p = static_cast<const __m128i*>(from);
  int32_t last = 0;
  switch (words) {
    case 0:
      return _mm_setzero_si128();
    case 1:
      std::memcpy(&last, p, 4);
      return _mm_cvtsi32_si128(last);
    case 2:
      return _mm_loadl_epi64(p);
    case 3:
      std::memcpy(&last, static_cast<const char*>(from) + 8, 4);
      return _mm_unpacklo_epi64(_mm_loadl_epi64(p), _mm_cvtsi32_si128(last));
    default:
      return _mm_loadu_si128(p);
  }
}
TC_INLINE void store_words(void* to, __m128i v, int words) {
  auto* p = static_cast<__m128i*>(to);
  const auto word = [&](int32_t x, int at) { std::memcpy(static_cast<char*>(to) + at, &x, 4); };
  switch (words) {
    case 0:
      break;
    case 1:
      word(_mm_cvtsi128_si32(v), 0);
      break;
    case 2:
      _mm_storel_epi64(p, v);
      break;
    case 3:
      _mm_storel_epi64(p, v);
      word(_mm_extract_epi32(v, 2), 8);
      break;
    default:
      _mm_storeu_si128(p, v);
  }
}
TC_INLINE VecF load(const float* p, Tail<float> t) {
  return VecF(_mm_castsi128_ps(load_words(p, t.n)));
}
TC_INLINE VecI load(const int32_t* p, Tail<int32_t> t) {
  return VecI(load_words(p, t.n));
}
TC_INLINE VecL load(const int64_t* p, Tail<int64_t> t) {
  return VecL(load_words(p, 2 * t.n));
}
TC_INLINE VecD load(const double* p, Tail<double> t) {
  return VecD(_mm_castsi128_pd(load_words(p, 2 * t.n)));
}
TC_INLINE void store(float* p, VecF v, Tail<float> t) {
  store_words(p, _mm_castps_si128(v), t.n);
}
TC_INLINE void store(int32_t* p, VecI v, Tail<int32_t> t) {
  store_words(p, v, t.n);
}
TC_INLINE void store(int64_t* p, VecL v, Tail<int64_t> t) {
  store_words(p, v, 2 * t.n);
}
TC_INLINE void store(double* p, VecD v, Tail<double> t) {
  store_words(p, _mm_castpd_si128(v), 2 * t.n);
}

template <int N>
TC_INLINE VecI shift_left(VecI a) {
  return VecI(_mm_slli_epi32(a, N));
}
template <int N>
TC_INLINE VecL shift_left(VecL a) {
  return VecL(_mm_slli_epi64(a, N));
}
template <int N>
TC_INLINE VecI shift_right(VecI a) {
  return VecI(_mm_srli_epi32(a, N));
}
template <int N>
TC_INLINE VecL shift_right(VecL a) {
  return VecL(_mm_srli_epi64(a, N));
}
template <int N>
TC_INLINE VecI shift_right_arith(VecI a) {
  return VecI(_mm_srai_epi32(a, N));
}

TC_INLINE VecI to_i32(VecF a) {
  return VecI(_mm_cvttps_epi32(a));
}
TC_INLINE VecI round_to_i32(VecF a) {
  return VecI(_mm_cvtps_epi32(a));
}
TC_INLINE VecF to_float(VecI a) {
  return VecF(_mm_cvtepi32_ps(a));
}
TC_INLINE VecL to_i64(VecD a) {
  const __m128d x = a;
  return VecL(_mm_set_epi64x(_mm_cvttsd_si64(_mm_unpackhi_pd(x, x)), _mm_cvttsd_si64(x)));
}
TC_INLINE VecD to_double(VecL a) {
  const __m128i x = a;
  return VecD(_mm_set_pd(static_cast<double>(_mm_extract_epi64(x, 1)), static_cast<double>(_mm_cvtsi128_si64(x))));
}

// Half to float: the exponent is re-biased by a multiplication with 2^112, which also normalises subnormals.
TC_INLINE VecF half_to_float(__m128i h) {
  const __m128i magnitude = _mm_slli_epi32(_mm_and_si128(h, _mm_set1_epi32(0x7fff)), 13);
  const __m128i sign = _mm_slli_epi32(_mm_and_si128(h, _mm_set1_epi32(0x8000)), 16);
  const __m128 scaled = _mm_mul_ps(_mm_castsi128_ps(magnitude), _mm_castsi128_ps(_mm_set1_epi32((254 - 15) << 23)));
  const __m128i special = _mm_cmpgt_epi32(magnitude, _mm_set1_epi32((0x7c00 << 13) - 1));
  const __m128i exponent = _mm_and_si128(special, _mm_set1_epi32(0xff << 23));
  const __m128i quiet =
      _mm_and_si128(_mm_cmpgt_epi32(magnitude, _mm_set1_epi32(0x7c00 << 13)), _mm_set1_epi32(1 << 22));
  return VecF(_mm_or_ps(_mm_castsi128_ps(_mm_or_si128(_mm_or_si128(exponent, quiet), sign)), scaled));
}
// Float to half, to nearest even: normal results round in integers, subnormal ones by adding a power of two.
TC_INLINE __m128i float_to_half(VecF v) {
  const __m128i x = _mm_castps_si128(v);
  const __m128i sign = _mm_and_si128(x, _mm_set1_epi32(INT32_MIN));
  const __m128i a = _mm_xor_si128(x, sign);
  const __m128i odd = _mm_and_si128(_mm_srli_epi32(a, 13), _mm_set1_epi32(1));
  const __m128i bias = _mm_set1_epi32(((15 - 127) * (1 << 23)) + 0xfff);
  const __m128i normal = _mm_srli_epi32(_mm_add_epi32(_mm_add_epi32(a, bias), odd), 13);
  const __m128i magic = _mm_set1_epi32(((127 - 15) + (23 - 10) + 1) << 23);
  const __m128i tiny = _mm_sub_epi32(_mm_castps_si128(_mm_add_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(magic))), magic);
  const __m128i is_tiny = _mm_cmplt_epi32(a, _mm_set1_epi32((127 - 14) << 23));
  const __m128i is_big = _mm_cmpgt_epi32(a, _mm_set1_epi32(((127 + 16) << 23) - 1));
  const __m128i is_nan = _mm_cmpgt_epi32(a, _mm_set1_epi32(0xff << 23));
  const __m128i payload =
      _mm_or_si128(_mm_and_si128(_mm_srli_epi32(a, 13), _mm_set1_epi32(0x3ff)), _mm_set1_epi32(0x7e00));
  __m128i out = _mm_blendv_epi8(normal, tiny, is_tiny);
  out = _mm_blendv_epi8(out, _mm_set1_epi32(0x7c00), is_big);
  out = _mm_blendv_epi8(out, payload, is_nan);
  out = _mm_or_si128(out, _mm_srli_epi32(sign, 16));
  return _mm_packus_epi32(out, out);
}
TC_INLINE __m128i bf16_bits(VecF v) {
  const __m128i x = _mm_castps_si128(v);
  const __m128i odd = _mm_and_si128(_mm_srli_epi32(x, 16), _mm_set1_epi32(1));
  const __m128i rounded = _mm_srli_epi32(_mm_add_epi32(x, _mm_add_epi32(odd, _mm_set1_epi32(0x7fff))), 16);
  const __m128i quiet = _mm_or_si128(_mm_srli_epi32(x, 16), _mm_set1_epi32(0x40));
  const __m128i out = _mm_blendv_epi8(rounded, quiet, _mm_castps_si128(_mm_cmpunord_ps(v, v)));
  return _mm_packus_epi32(out, out);
}
TC_INLINE __m128i widen_u16(__m128i a) {
  return _mm_cvtepu16_epi32(a);
}
TC_INLINE VecF load_f16(const uint16_t* p) {
  return half_to_float(widen_u16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}
TC_INLINE VecF load_f16(const uint16_t* p, Tail<float> t) {
  return half_to_float(widen_u16(load_bytes(p, t.n)));
}
TC_INLINE void store_f16(uint16_t* p, VecF v) {
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), float_to_half(v));
}
TC_INLINE void store_f16(uint16_t* p, VecF v, Tail<float> t) {
  store_bytes(p, float_to_half(v), t.n);
}
TC_INLINE VecF load_bf16(const uint16_t* p) {
  return from_bits(VecI(_mm_slli_epi32(widen_u16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))), 16)));
}
TC_INLINE VecF load_bf16(const uint16_t* p, Tail<float> t) {
  return from_bits(VecI(_mm_slli_epi32(widen_u16(load_bytes(p, t.n)), 16)));
}
TC_INLINE void store_bf16(uint16_t* p, VecF v) {
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), bf16_bits(v));
}
TC_INLINE void store_bf16(uint16_t* p, VecF v, Tail<float> t) {
  store_bytes(p, bf16_bits(v), t.n);
}

TC_INLINE VecI load_u8(const uint8_t* p) {
  return VecI(_mm_cvtepu8_epi32(load_bytes(p, 4)));
}
TC_INLINE VecI load_u8(const uint8_t* p, Tail<int32_t> t) {
  return VecI(_mm_cvtepu8_epi32(load_bytes(p, t.n)));
}
TC_INLINE VecI load_i8(const int8_t* p) {
  return VecI(_mm_cvtepi8_epi32(load_bytes(p, 4)));
}
TC_INLINE VecI load_i8(const int8_t* p, Tail<int32_t> t) {
  return VecI(_mm_cvtepi8_epi32(load_bytes(p, t.n)));
}

TC_INLINE VecD low_f64(VecF a) {
  return VecD(_mm_cvtps_pd(a));
}
TC_INLINE VecD high_f64(VecF a) {
  return VecD(_mm_cvtps_pd(_mm_movehl_ps(a, a)));
}
TC_INLINE VecF narrow(VecD low, VecD high) {
  return VecF(_mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high)));
}

TC_INLINE float sum(VecF a) {
  const __m128 x = _mm_add_ps(a, _mm_movehl_ps(a, a));
  return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
}
TC_INLINE float hmax(VecF a) {
  const __m128 x = _mm_max_ps(a, _mm_movehl_ps(a, a));
  return _mm_cvtss_f32(_mm_max_ss(x, _mm_movehdup_ps(x)));
}
TC_INLINE float hmin(VecF a) {
  const __m128 x = _mm_min_ps(a, _mm_movehl_ps(a, a));
  return _mm_cvtss_f32(_mm_min_ss(x, _mm_movehdup_ps(x)));
}
TC_INLINE double sum(VecD a) {
  return _mm_cvtsd_f64(_mm_add_sd(a, _mm_unpackhi_pd(a, a)));
}
TC_INLINE double hmax(VecD a) {
  return _mm_cvtsd_f64(_mm_max_sd(a, _mm_unpackhi_pd(a, a)));
}
TC_INLINE double hmin(VecD a) {
  return _mm_cvtsd_f64(_mm_min_sd(a, _mm_unpackhi_pd(a, a)));
}
TC_INLINE int32_t sum(VecI a) {
  const __m128i x = _mm_add_epi32(a, _mm_unpackhi_epi64(a, a));
  return _mm_cvtsi128_si32(_mm_add_epi32(x, _mm_shuffle_epi32(x, 1)));
}
TC_INLINE int64_t sum(VecL a) {
  return _mm_cvtsi128_si64(_mm_add_epi64(a, _mm_unpackhi_epi64(a, a)));
}

template <class T>
TC_INLINE bool any(Mask<T> m) {
  return xsimd::any(m);
}
template <class T>
TC_INLINE bool all(Mask<T> m) {
  return xsimd::all(m);
}

template <class T>
TC_INLINE Vec<T> gather_lanes(const T* base, VecI index) {
  alignas(16) int32_t at[4];
  index.store_aligned(at);
  alignas(16) T out[4];
  for (int i = 0; i < 4; ++i) out[i] = base[at[i]];
  return Vec<T>::load_aligned(out);
}
TC_INLINE VecI permute(VecI x, VecI index) {
  const __m128i bytes = _mm_mullo_epi32(index, _mm_set1_epi32(0x04040404));
  return VecI(_mm_shuffle_epi8(x, _mm_add_epi32(bytes, _mm_set1_epi32(0x03020100))));
}

TC_INLINE VecF gather(const float* base, VecI index) {
  return gather_lanes(base, index);
}
TC_INLINE VecI gather(const int32_t* base, VecI index) {
  return gather_lanes(base, index);
}

// near[lanes[i]], or that of `near` and `far` one after the other; kPicksLanes: by instructions.
inline constexpr bool kPicksLanes = false;
TC_INLINE VecF pick_lanes(VecF near, VecI lanes) {
  return from_bits(permute(bits(near), lanes));
}
TC_INLINE VecF pick_lanes(VecF near, VecF far, VecI lanes) {
  float both[2 * kLanes<float>];
  store(both, near), store(both + kLanes<float>, far);
  return gather(both, lanes);
}

TC_INLINE VecD load_real(const int32_t* p) {
  return VecD(_mm_cvtepi32_pd(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}
TC_INLINE void store_whole(int32_t* p, VecD x) {
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_cvttpd_epi32(x));
}

// The value in a register: it is not read from memory anew by every operation that takes it.
TC_INLINE VecF held(VecF x) {
  asm("" : "+x"(x.data));
  return x;
}

}  // namespace
}  // namespace tc::kernels
