// The vector types of x86: a thin face of xsimd, plus what it lacks (tails, split bf16, widening) in the header of each
// instruction set. vec.h includes it. Types of xsimd name the instruction set, so that no symbol of one tier can stand
// in for another tier's.
#pragma once
#include <xsimd/xsimd.hpp>

#include "tc/kernels/simd/base.h"

namespace tc::kernels {
namespace {

#if defined(__AVX512F__)
using Arch = xsimd::avx512bw;
#elif defined(__AVX2__)
using Arch = xsimd::fma3<xsimd::avx2>;
#else
using Arch = xsimd::sse4_2;
#endif

#if defined(__FMA__)
inline constexpr bool kFuses = true;
#else
inline constexpr bool kFuses = false;
#endif

template <class T>
using Mask = xsimd::batch_bool<T, Arch>;

// A register of lanes of T: float, double, int32_t or int64_t. Operators + - * / & | ^ ~ and comparisons are xsimd's.
template <class T>
using Vec = xsimd::batch<T, Arch>;

using VecF = Vec<float>;
using VecD = Vec<double>;
using VecI = Vec<int32_t>;
using VecL = Vec<int64_t>;

template <class T>
inline constexpr int kLanes = static_cast<int>(Vec<T>::size);

template <class T>
TC_INLINE Vec<T> broadcast(T x) {
  return Vec<T>(x);
}
template <class T>
TC_INLINE Vec<T> load(const T* p) {
  return Vec<T>::load_unaligned(p);
}
template <class T>
TC_INLINE void store(T* p, Vec<T> v) {
  v.store_unaligned(p);
}
template <class T>
TC_INLINE Vec<T> vmin(Vec<T> a, Vec<T> b) {
  return xsimd::min(a, b);
}
template <class T>
TC_INLINE Vec<T> vmax(Vec<T> a, Vec<T> b) {
  return xsimd::max(a, b);
}
template <class T>
TC_INLINE Vec<T> select(Mask<T> m, Vec<T> if_true, Vec<T> if_false) {
  return xsimd::select(m, if_true, if_false);
}
// fma(a, b, c) is a * b + c, fnma(a, b, c) is c - a * b. xsimd 8.1 has them as two operations on AVX-512.
#if defined(__AVX512F__)
TC_INLINE VecF fma(VecF a, VecF b, VecF c) {
  return VecF(_mm512_fmadd_ps(a, b, c));
}
TC_INLINE VecD fma(VecD a, VecD b, VecD c) {
  return VecD(_mm512_fmadd_pd(a, b, c));
}
TC_INLINE VecF fnma(VecF a, VecF b, VecF c) {
  return VecF(_mm512_fnmadd_ps(a, b, c));
}
TC_INLINE VecD fnma(VecD a, VecD b, VecD c) {
  return VecD(_mm512_fnmadd_pd(a, b, c));
}
#else
template <class T>
TC_INLINE Vec<T> fma(Vec<T> a, Vec<T> b, Vec<T> c) {
  return xsimd::fma(a, b, c);
}
template <class T>
TC_INLINE Vec<T> fnma(Vec<T> a, Vec<T> b, Vec<T> c) {
  return xsimd::fnma(a, b, c);
}
#endif
template <class T>
TC_INLINE Vec<T> vsqrt(Vec<T> a) {
  return xsimd::sqrt(a);
}
// To the nearest integer, split bf16 to even.
template <class T>
TC_INLINE Vec<T> vround(Vec<T> a) {
  return xsimd::nearbyint(a);
}
template <class T>
TC_INLINE Vec<T> vfloor(Vec<T> a) {
  return xsimd::floor(a);
}
template <class T>
TC_INLINE Vec<T> vceil(Vec<T> a) {
  return xsimd::ceil(a);
}
template <class T>
TC_INLINE Vec<T> vtrunc(Vec<T> a) {
  return xsimd::trunc(a);
}
// Comparisons that xsimd 8.1 gets wrong on some tiers: its != is false for NaN on AVX and AVX-512, and ^ of masks is
// broken on AVX-512.
template <class T>
TC_INLINE Mask<T> not_equal(Vec<T> a, Vec<T> b) {
  return ~(a == b);
}
template <class T>
TC_INLINE Mask<T> is_nan(Vec<T> a) {
  return not_equal(a, a);
}
template <class T>
TC_INLINE Mask<T> exclusive_or(Mask<T> a, Mask<T> b) {
  return (a & ~b) | (b & ~a);
}
TC_INLINE VecI bits(VecF a) {
  return xsimd::bitwise_cast<VecI>(a);
}
TC_INLINE VecL bits(VecD a) {
  return xsimd::bitwise_cast<VecL>(a);
}
TC_INLINE VecF from_bits(VecI a) {
  return xsimd::bitwise_cast<VecF>(a);
}
TC_INLINE VecD from_bits(VecL a) {
  return xsimd::bitwise_cast<VecD>(a);
}
template <class T>
TC_INLINE Vec<T> vabs(Vec<T> a) {
  return xsimd::abs(a);
}

}  // namespace
}  // namespace tc::kernels

#if defined(__AVX512F__)
#include "tc/kernels/simd/x86/vec_avx512.h"
#elif defined(__AVX2__)
#include "tc/kernels/simd/x86/vec_avx2.h"
#else
#include "tc/kernels/simd/x86/vec_sse42.h"
#endif
