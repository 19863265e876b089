// The product of blockwise.h by integers, over the byte vectors of the instruction set that the including file is
// compiled for.
#pragma once
#include <utility>

#include "tc/kernels/blockwise/blockwise.h"
#include "tc/kernels/gemm/micro_tier.h"
#include "tc/kernels/simd/bytes.h"
#include "tc/kernels/simd/dot4.h"

namespace tc::kernels {
namespace {

inline bool digits(const float* x, int64_t k, int64_t group, const BlockwiseDigits& to) {
  bool all_finite = true;
  // The largest number is one that its bytes can hold.
  const float top = to.count == 3 ? 127 * 65536 : 127 * 256;
  for (int64_t first = 0, g = 0; first < k; first += group, ++g) {
    const int64_t count = k - first < group ? k - first : group;
    VecF most(0.0f), odd(0.0f);
    for (int64_t i = 0; i < count; i += kVecFloats) {
      const VecF v =
          count - i >= kVecFloats ? load(x + first + i) : load(x + first + i, Tail<float>(static_cast<int>(count - i)));
      most = vmax(vmax(v, VecF(0.0f) - v), most);
      odd = odd + (v - v);  // NaN where v is not finite
    }
    const float largest = hmax(most), check = sum(odd);
    const bool finite = check == check;
    all_finite &= finite;
    // What is too small to be scaled counts as 0.
    const bool usable = finite && largest > 1e-33f;
    to.scale[g] = usable ? largest / top : 0.0f;
    const VecF factor(usable ? top / largest : 0.0f);
    VecI total(0);
    for (int64_t i = 0; i < group; i += kVecFloats) {
      const int64_t rest = count - i, room = group - i;
      VecI number(0);
      if (usable && rest > 0)
        number = round_to_i32(factor * (rest >= kVecFloats ? load(x + first + i)
                                                           : load(x + first + i, Tail<float>(static_cast<int>(rest)))));
      total = total + number;
      for (int d = to.count - 1; d >= 0; --d) {
        auto* bytes = reinterpret_cast<uint8_t*>(to.digit[d]) + first + i;
        room >= kVecFloats ? store_low_bytes(bytes, number) : store_low_bytes(bytes, number, room);
        number = shift_right_arith<8>(number + VecI(128));
      }
    }
    to.sum[g] = sum(total);
  }
  return all_finite;
}

// Each row and register of columns has an accumulator for each digit and one for the result, so tall pieces take half
// of the panel's width.
inline constexpr int kPieceRows = 4;

// Bytes of a panel that are fetched ahead.
inline constexpr int64_t kPanelAhead = 2048;

// What a piece of R rows and NV registers of columns from `vec` on has come to.
template <int R, int NV>
TC_INLINE void store_piece(const BlockwiseTile& t, int64_t row, int64_t vec, const VecF (&y)[R][NV]) {
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) {
      const int64_t col = (vec + v) * kQuads, left = t.cols - col;
      float* to = t.y + (row + r) * t.y_row + col;
      if (left >= kQuads)
        store(to, y[r][v]);
      else if (left > 0)
        store(to, y[r][v], Tail<float>(static_cast<int>(left)));
    }
  }
}

template <int kBits, int kDigits, int R, int NV>
TC_INLINE void piece(const BlockwiseTile& t, int64_t row, int64_t vec) {
  constexpr int kParts = 8 / kBits;
  constexpr int64_t line = kPanel * 4;
  const int64_t groups = t.shape.groups(), length = groups * t.shape.group, steps = t.shape.group / (4 * kParts);
  const VecI mask(static_cast<int32_t>(((1U << kBits) - 1) * 0x01010101U));
  const auto* at = reinterpret_cast<const uint8_t*>(t.panel) + vec * static_cast<int64_t>(sizeof(Bytes));
  const uint8_t* digit[kDigits];
  for (int d = 0; d < kDigits; ++d) digit[d] = reinterpret_cast<const uint8_t*>(t.digits.digit[d]) + row * length;
  const float* scale = t.digits.scale + row * groups;
  const int32_t* sums = t.digits.sum + row * groups;
  const bool far = row == 0;
  VecF y[R][NV];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) y[r][v] = VecF(0.0f);
  for (int64_t g = 0; g < groups; ++g) {
    QuadSum<kBits, kParts> of[kDigits][R][NV];
    int64_t quad = 0;
    for (int64_t s = 0; s < steps; ++s, at += line) {
      if (far)
#pragma GCC unroll 4
        for (int64_t i = 0; i < NV * static_cast<int64_t>(sizeof(Bytes)); i += 64)
          __builtin_prefetch(at + kPanelAhead + i);
      VecI packed[NV];
#pragma GCC unroll 4
      for (int v = 0; v < NV; ++v) packed[v] = VecI(load_bytes(at + v * static_cast<int>(sizeof(Bytes))));
#pragma GCC unroll 4
      for (int part = 0; part < kParts; ++part, quad += 4) {
        Bytes w[NV];
#pragma GCC unroll 4
        for (int v = 0; v < NV; ++v) {
          w[v] = kBits == 8 ? packed[v] : packed[v] & mask;
          if (part + 1 < kParts) packed[v] = shift_right<kBits % 8>(packed[v]);
        }
#pragma GCC unroll 4
        for (int r = 0; r < R; ++r) {
#pragma GCC unroll 3
          for (int d = 0; d < kDigits; ++d) {
            const Bytes x = repeat_quad(digit[d] + r * length + quad);
#pragma GCC unroll 4
            for (int v = 0; v < NV; ++v) of[d][r][v].add(w[v], x);
          }
        }
      }
#pragma GCC unroll 3
      for (int d = 0; d < kDigits; ++d)
#pragma GCC unroll 4
        for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
          for (int v = 0; v < NV; ++v) of[d][r][v].finish();
    }
    for (int d = 0; d < kDigits; ++d) digit[d] += t.shape.group;
    // `at` has come to the scales.
    const auto* scales = reinterpret_cast<const float*>(at);
    const uint8_t* zeros = at - vec * static_cast<int64_t>(sizeof(Bytes)) + line + vec * kQuads;
    const auto zero_of = [&](int v) { return to_float(load_u8(zeros + v * kQuads)); };
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      const VecF x_scale(scale[r * groups + g]);
      const int32_t sum = sums[r * groups + g];
#pragma GCC unroll 4
      for (int v = 0; v < NV; ++v) {
        const VecI lower = shift_left<8>(VecI(of[kDigits - 2][r][v].sum)) + VecI(of[kDigits - 1][r][v].sum);
        VecF less;
        if constexpr (kDigits == 2) {
          less = t.shape.own_zeros ? to_float(lower) - zero_of(v) * VecF(static_cast<float>(sum))
                                   : to_float(lower - VecI(t.shape.zero * sum));
        } else {
          less =
              fma(to_float(VecI(of[0][r][v].sum)), VecF(65536.0f), to_float(lower)) -
              (t.shape.own_zeros ? zero_of(v) : VecF(static_cast<float>(t.shape.zero))) * VecF(static_cast<float>(sum));
        }
        y[r][v] = fma(less, load(scales + v * kQuads) * x_scale, y[r][v]);
      }
    }
    at += line + (t.shape.own_zeros ? kPanel : 0);
  }
  store_piece(t, row, vec, y);
}

template <int kBits, int kDigits, int R>
TC_INLINE void piece_rows(const BlockwiseTile& t, int64_t row) {
  constexpr int NV = kDigits * R <= 4 ? kPanelVecs : kPanelVecs / 2;
  for (int64_t vec = 0; vec * kQuads < t.cols; vec += NV) piece<kBits, kDigits, R, NV>(t, row, vec);
}

template <int kBits, int R>
void piece_rows(const BlockwiseTile& t, int64_t row) {
  if constexpr (R <= kBlockwiseFineRows) {
    if (t.digits.count == 3) return piece_rows<kBits, 3, R>(t, row);
  }
  piece_rows<kBits, 2, R>(t, row);
}

template <int kBits, int... kLess>
void panel_rows(const BlockwiseTile& t, std::integer_sequence<int, kLess...>) {
  static constexpr void (*kByRows[])(const BlockwiseTile&, int64_t) = {piece_rows<kBits, kLess + 1>...};
  for (int64_t row = 0, rows; row < t.rows; row += rows) {
    rows = t.rows - row < kPieceRows ? t.rows - row : kPieceRows;
    kByRows[rows - 1](t, row);
  }
}

inline void by_integers(const BlockwiseTile& t) {
  constexpr std::make_integer_sequence<int, kPieceRows> rows{};
  switch (t.shape.bits) {
    case 2:
      return panel_rows<2>(t, rows);
    case 4:
      return panel_rows<4>(t, rows);
    default:
      return panel_rows<8>(t, rows);
  }
}

}  // namespace
}  // namespace tc::kernels
