// Groups of channels by the moments of pieces. Only norm_tier.cc includes it.
#pragma once
#include "tc/kernels/norm/norm.h"
#include "tc/kernels/reduce/lanes.h"

namespace tc::kernels {
namespace {

// Registers of a block of 16 channels, and blocks that are summed apart, so that sums wait less for themselves.
constexpr int kBlockRegisters = 16 / kLanes<float>, kBlocksApart = kBlockRegisters < 4 ? 4 / kBlockRegisters : 1;

// Sums f(register, element) of `pixels` pixels.
template <class F>
TC_INLINE void sum_pixels(const float* in, int64_t pixels, VecF (&sum)[kBlockRegisters], F f) {
  VecF sums[kBlocksApart][kBlockRegisters];
#pragma GCC unroll 4
  for (int u = 0; u < kBlocksApart; ++u) {
#pragma GCC unroll 4
    for (int v = 0; v < kBlockRegisters; ++v) sums[u][v] = VecF(0.0f);
  }
  int64_t p = 0;
  for (; p + kBlocksApart <= pixels; p += kBlocksApart) {
#pragma GCC unroll 4
    for (int u = 0; u < kBlocksApart; ++u) {
#pragma GCC unroll 4
      for (int v = 0; v < kBlockRegisters; ++v)
        sums[u][v] = f(v, load(in + (p + u) * 16 + v * kLanes<float>), sums[u][v]);
    }
  }
  for (; p < pixels; ++p) {
#pragma GCC unroll 4
    for (int v = 0; v < kBlockRegisters; ++v) sums[0][v] = f(v, load(in + p * 16 + v * kLanes<float>), sums[0][v]);
  }
#pragma GCC unroll 4
  for (int v = 0; v < kBlockRegisters; ++v) {
    sum[v] = sums[0][v];
#pragma GCC unroll 4
    for (int u = 1; u < kBlocksApart; ++u) sum[v] = sum[v] + sums[u][v];
  }
}

// Where a piece lies: its first element, and how many pixels it has.
struct NormPiece {
  int64_t image, line, first, pixels;

  NormPiece(const GroupNormArgs& a, int64_t piece) {
    const int64_t pieces = a.pieces();
    first = piece % pieces * a.piece_pixels();
    line = piece / pieces % a.lines();
    image = piece / pieces / a.lines();
    pixels = a.pixels - first < a.piece_pixels() ? a.pixels - first : a.piece_pixels();
  }
  int64_t offset(const GroupNormArgs& a) const { return ((image * a.lines() + line) * a.pixels + first) * a.lanes(); }
};

void group_moments(const GroupNormArgs& a, int64_t begin, int64_t end) {
  for (int64_t piece = begin; piece < end; ++piece) {
    const NormPiece at(a, piece);
    const float* in = a.input + at.offset(a);
    float* to = a.moments_of(piece);
    const auto pixels = static_cast<float>(at.pixels);
    if (!a.blocked) {
      to[0] = reduce_row<SumStep<float>>(in, at.pixels, 0.0f) / pixels;
      to[1] = reduce_row<DeviationStep<float>>(in, at.pixels, to[0]);
      continue;
    }
    VecF mean[kBlockRegisters], squares[kBlockRegisters];
    sum_pixels(in, at.pixels, mean, [](int, VecF x, VecF sum) { return sum + x; });
#pragma GCC unroll 4
    for (int v = 0; v < kBlockRegisters; ++v) mean[v] = mean[v] / VecF(pixels);
    sum_pixels(in, at.pixels, squares, [&](int v, VecF x, VecF sum) {
      const VecF d = x - mean[v];
      return fma(d, d, sum);
    });
#pragma GCC unroll 4
    for (int v = 0; v < kBlockRegisters; ++v)
      store(to + v * kLanes<float>, mean[v]), store(to + 16 + v * kLanes<float>, squares[v]);
  }
}

void scale_groups(const GroupNormArgs& a, int64_t begin, int64_t end) {
  const int64_t padded = a.lines() * a.lanes();
  for (int64_t piece = begin; piece < end; ++piece) {
    const NormPiece at(a, piece);
    const float* in = a.input + at.offset(a);
    float* out = a.output + at.offset(a);
    const float* affine = a.affine_of(at.image) + at.line * a.lanes();
    if (!a.blocked) {
      const VecF mean(affine[0]), factor(affine[padded]), shift(affine[2 * padded]);
      for_registers(at.pixels, [&](int64_t i, Tail<float> tail) {
        store(out + i, fma(load(in + i, tail) - mean, factor, shift), tail);
      });
      continue;
    }
    VecF mean[kBlockRegisters], factor[kBlockRegisters], shift[kBlockRegisters];
#pragma GCC unroll 4
    for (int v = 0; v < kBlockRegisters; ++v) {
      const float* of = affine + v * kLanes<float>;
      mean[v] = load(of), factor[v] = load(of + padded), shift[v] = load(of + 2 * padded);
    }
    for (int64_t p = 0; p < at.pixels * 16; p += 16) {
#pragma GCC unroll 4
      for (int v = 0; v < kBlockRegisters; ++v) {
        const int64_t i = p + v * kLanes<float>;
        store(out + i, fma(load(in + i) - mean[v], factor[v], shift[v]));
      }
    }
  }
}

}  // namespace
}  // namespace tc::kernels
