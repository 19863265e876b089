// transpose.h by the compiler's vectors.
#pragma once
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

TC_INLINE void transpose(F32 (&m)[4]) {
  const F64 a = (F64)interleave<false>(m[0], m[1]), b = (F64)interleave<true>(m[0], m[1]);
  const F64 c = (F64)interleave<false>(m[2], m[3]), d = (F64)interleave<true>(m[2], m[3]);
  m[0] = (F32)interleave<false>(a, c);
  m[1] = (F32)interleave<true>(a, c);
  m[2] = (F32)interleave<false>(b, d);
  m[3] = (F32)interleave<true>(b, d);
}
TC_INLINE void transpose(VecF (&m)[4]) {
  F32 raw[4] = {m[0].data, m[1].data, m[2].data, m[3].data};
  transpose(raw);
  for (int i = 0; i < 4; ++i) m[i] = VecF(raw[i]);
}
TC_INLINE void transpose(VecD (&m)[2]) {
  const F64 low = interleave<false>(m[0].data, m[1].data);
  m[1] = VecD(interleave<true>(m[0].data, m[1].data));
  m[0] = VecD(low);
}

// Lane i: the sum of m[i]'s lanes.
TC_INLINE VecF row_sums(const VecF (&m)[4]) {
  F32 lane[4] = {m[0].data, m[1].data, m[2].data, m[3].data};
  transpose(lane);
  return VecF((lane[0] + lane[1]) + (lane[2] + lane[3]));
}

// A square of elements of 1, 2 or 8 bytes, as many to a side as 16 bytes hold: what is at from(0), from(1), ... goes to
// to(0), to(1), ... Rows that are half the square apart are interleaved, until every row has met every other.
template <int kSize, class From, class To>
TC_INLINE void transpose_square(From from, To to) {
  constexpr int kRows = 16 / kSize;
  using Row = std::conditional_t<kSize == 1, U8, std::conditional_t<kSize == 2, U16, U64>>;
  Row a[kRows], b[kRows];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) a[i] = load_raw<Row>(from(i));
#pragma GCC unroll 4
  for (int met = 1; met < kRows; met *= 2) {
#pragma GCC unroll 8
    for (int i = 0; i < kRows / 2; ++i) {
      b[2 * i] = interleave<false>(a[i], a[i + kRows / 2]);
      b[2 * i + 1] = interleave<true>(a[i], a[i + kRows / 2]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) a[i] = b[i];
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i) store_raw(to(i), a[i]);
}

// One step of kStepRows rows that are packed together: lanes are rows.
inline constexpr int kStepRows = 4;
using PackedStep = F32;
TC_INLINE PackedStep packed_step(const float* const* row, int64_t p) {
  return F32{row[0][p], row[1][p], row[2][p], row[3][p]};
}
// Four steps of contiguous rows.
TC_INLINE void packed_steps(const float* const* row, int64_t p, PackedStep (&x)[4]) {
  for (int i = 0; i < 4; ++i) x[i] = load_raw<F32>(row[i] + p);
  transpose(x);
}
TC_INLINE void store_step(float* to, PackedStep x) {
  store_raw(to, x);
}

}  // namespace
}  // namespace tc::kernels
