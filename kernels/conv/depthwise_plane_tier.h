// Depthwise convolution of plain planes from where they lie: K x K neighbouring taps, strides of S both ways. Only
// *_tier.cc files with AVX2 or AVX-512 include it.
#pragma once
#include <utility>

#include "tc/kernels/gemm/micro_tier.h"

namespace tc::kernels {
namespace {

// Columns of the input that the first taps of a piece of outputs see, which are so many registers; rows of outputs at a
// time, where so many are left. Taps of one sum wait for each other, which a Zen 3 hides better with four registers
// side by side than with two in four rows: 64 outputs out of L1 54 to 44 cycles.
#if defined(__AVX512F__)
inline constexpr int kPieceVecs = kPanelVecs;
constexpr int plane_rows(int /*vecs*/) {
  return 4;
}
#else
inline constexpr int kPieceVecs = 2 * kPanelVecs;
constexpr int plane_rows(int vecs) {
  return vecs > kPanelVecs ? 2 : 4;
}
#endif
inline constexpr int64_t kPieceColumns = kPieceVecs * kVecFloats;

// Floats of the input that are fetched ahead with strides, whose rows give little to do: on Zen 5 144 channels of 56 x
// 56 0.041 to 0.032 ms. Without strides it gains 2 % there, and cost a Zen 4 6 %.
constexpr int64_t kPlaneAhead = 2048;

#if defined(__AVX512F__)
// Whether the pieces below know where lines of the image end.
inline bool edges_fit(const ConvShape& /*s*/) {
  return true;
}

inline constexpr int kLineVecs = kPieceVecs + 1;

// The input of a piece of output columns.
struct PlanePiece {
  const float* line;  // the first row's first tap; not in the image where that is padding
  int64_t width;
  static constexpr int edges = 0;
  __mmask16 inside[kLineVecs];  // lanes that lie in the image

  // Of the output columns from `first` on.
  PlanePiece(const ConvShape& s, const float* image, int64_t first) : width(s.in[2]) {
    const int64_t x0 = first * s.stride[2] - s.pad[2];
    line = image + x0;
    for (int j = 0; j < kLineVecs; ++j) {
      const int64_t x = x0 + j * kVecFloats;
      const int64_t from = x < 0 ? -x : 0, to = width - x;
      const unsigned below = to >= kVecFloats ? 0xffff : to > 0 ? (1u << to) - 1 : 0;
      inside[j] = static_cast<__mmask16>(from >= kVecFloats ? 0 : below >> from << from);
    }
  }
};

// The lanes of two registers from the N-th on.
template <int N>
TC_INLINE VecF shifted(__m512 a, __m512 b) {
  if constexpr (N == 0)
    return VecF(a);
  else
    return VecF(_mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(b), _mm512_castps_si512(a), N)));
}

// Adds up R rows x NV registers of outputs of one channel. [above, below): which of the input rows that they see,
// counted from `y0`, lie in the image; kInside: all do. Every row is read once, from where it lies; other columns are
// permutations of it. On a machine that loads 64 bytes in a cycle, against a copy of the region with its padding: 144
// channels of 56 x 56 0.19 to 0.14 ms, with strides of 2 0.108 to 0.056, by 5 x 5 0.36 to 0.30 and 0.19 to 0.117.
template <int K, int S, int kEdges, bool kInside, int R, int NV>
TC_INLINE void add_plane(Tile<R, NV>& t, const PlanePiece& from, int64_t y0, int64_t above, int64_t below,
                         const float* w) {
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  // Nine weights have room beside the sums, where those are few or see no more than two registers of a line at a time:
  // 255 to 198 cycles for 4 x 56 outputs, of which 144 are multiplications.
  constexpr bool kHeld = K == 3;
  VecF kept[kHeld ? K * K : 1];
  if constexpr (kHeld) {
#pragma GCC unroll 9
    for (int k = 0; k < K * K; ++k) kept[k] = held(VecF(w[k]));
  }
  constexpr int kReads = S * NV + 1;
  __mmask16 inside[kReads];
#pragma GCC unroll 5
  for (int j = 0; j < kReads; ++j) inside[j] = from.inside[j];
  const float* line = from.line + y0 * from.width;
#pragma GCC unroll 16
  for (int r = 0; r < (R - 1) * S + K; ++r, line += from.width) {
    if (!kInside && (r < above || r >= below)) continue;
    if constexpr (S == 2) {
#pragma GCC unroll 4
      for (int q = 0; q < S * NV; ++q) __builtin_prefetch(line + kPlaneAhead + q * kVecFloats, 0, 3);
    }
    const auto read = [&](int j) __attribute__((always_inline)) {
      return _mm512_maskz_loadu_ps(inside[j], line + j * kVecFloats);
    };
    if constexpr (kHeld && S == 1) {
      __m512 here = read(0);
#pragma GCC unroll 4
      for (int j = 0; j < NV; ++j) {
        const __m512 next = read(j + 1);
        const VecF column[] = {VecF(here), shifted<1>(here, next), shifted<2>(here, next)};
#pragma GCC unroll 3
        for (int kx = 0; kx < K; ++kx)
#pragma GCC unroll 4
          for (int i = 0; i < R; ++i)
            if (r >= i && r < i + K) t.v[i][j] = fma(column[kx], kept[(r - i) * K + kx], t.v[i][j]);
        here = next;
      }
      continue;
    }
    __m512 x[S][NV + 1];  // columns by their remainder
#pragma GCC unroll 5
    for (int j = 0; j <= NV; ++j) {
      const __m512 first = read(S * j);
      if constexpr (S == 1) {
        x[0][j] = first;
      } else {
        const __m512 second = j < NV ? read(S * j + 1) : first;
        x[0][j] = _mm512_permutex2var_ps(first, even, second);
        x[1][j] = _mm512_permutex2var_ps(first, odd, second);
      }
    }
    const float* const weights = forget(w);  // kept in registers, they would push out sums
    const auto tap = [&]<int kX>(std::integral_constant<int, kX>) __attribute__((always_inline)) {
      VecF column[NV];
#pragma GCC unroll 4
      for (int j = 0; j < NV; ++j) column[j] = shifted<kX / S>(x[kX % S][j], x[kX % S][j + 1]);
#pragma GCC unroll 4
      for (int i = 0; i < R; ++i) {
        const int ky = r - i * S;
        if (ky < 0 || ky >= K) continue;
        const VecF weight = kHeld ? kept[kHeld ? ky * K + kX : 0] : VecF(weights[ky * K + kX]);
#pragma GCC unroll 4
        for (int j = 0; j < NV; ++j) t.v[i][j] = fma(column[j], weight, t.v[i][j]);
      }
    };
    [&]<int... kX>(std::integer_sequence<int, kX...>) __attribute__((always_inline)) {
      (tap(std::integral_constant<int, kX>{}), ...);
    }
    (std::make_integer_sequence<int, K>{});
  }
}

#else
inline constexpr int kMostPlaneTaps = 7;

// Registers of a line, beside those that its last outputs begin with, that may lie outside of the image at its end.
template <int K>
inline constexpr int kEdge = K > 3 ? 2 : 1;
inline bool edges_fit(const ConvShape& s) {
  const int64_t end = (s.out[2] - 1) * s.stride[2] + s.kernel[2] - s.pad[2] - s.in[2];
  return s.pad[2] <= kVecFloats && end <= (s.kernel[2] > 3 ? kVecFloats : 1);
}

enum PlaneEdges : int { kLeft = 1, kRight = 2 };

// The input of a piece of output columns.
struct PlanePiece {
  const float* line;  // the first row's first tap; not in the image where that is padding
  int64_t width;
  int edges;  // kLeft, kRight: the registers there do not lie in the image with all lanes, but with those of `inside`,
              // from tap kx on
  __m256i inside[kMostPlaneTaps][kPieceVecs];

  // Of the output columns from `first` on.
  PlanePiece(const ConvShape& s, const float* image, int64_t first) : width(s.in[2]) {
    const int64_t x0 = first * s.stride[2] - s.pad[2];
    line = image + x0;
    edges = (x0 < 0 ? kLeft : 0) | (x0 + kPieceColumns + s.kernel[2] - 1 > width ? kRight : 0);
    if (edges == 0) return;
    for (int64_t kx = 0; kx < s.kernel[2]; ++kx)
      for (int j = 0; j < kPieceVecs; ++j) {
        const int64_t x = x0 + kx + j * kVecFloats;
        const auto first_lanes = [](int64_t n) {
          return Tail<float>(static_cast<int>(most(0, least(kVecFloats, n)))).m;
        };
        inside[kx][j] = _mm256_andnot_si256(first_lanes(-x), first_lanes(width - x));
      }
  }
};

// Adds up R rows x NV registers of outputs of one channel. [above, below): which of the input rows that they see,
// counted from `y0`, lie in the image; kInside: all do. Every row is read from where it lies, once for each tap.
template <int K, int S, int kEdges, bool kInside, int R, int NV>
TC_INLINE void add_plane(Tile<R, NV>& t, const PlanePiece& from, int64_t y0, int64_t above, int64_t below,
                         const float* w) {
  // Every second column, within halves of registers: in the order of pairs, which the sums leave at the end.
  constexpr int kEven = _MM_SHUFFLE(2, 0, 2, 0), kOdd = _MM_SHUFFLE(3, 1, 3, 1), kPairs = _MM_SHUFFLE(3, 1, 2, 0);
  const float* line = from.line + y0 * from.width;
#pragma GCC unroll 16
  for (int r = 0; r < (R - 1) * S + K; ++r, line += from.width) {
    if (!kInside && (r < above || r >= below)) continue;
    const float* const weights = forget(w);  // kept in registers, they would push out sums
    const auto tap = [&](int kx, const VecF(&column)[NV]) __attribute__((always_inline)) {
#pragma GCC unroll 4
      for (int i = 0; i < R; ++i) {
        const int ky = r - i * S;
        if (ky < 0 || ky >= K) continue;
        const VecF weight(weights[ky * K + kx]);
#pragma GCC unroll 4
        for (int j = 0; j < NV; ++j) t.v[i][j] = fma(column[j], weight, t.v[i][j]);
      }
    };
#pragma GCC unroll 7
    for (int kx = 0; kx < K; kx += S) {
      const auto read = [&](int j) __attribute__((always_inline)) {
        const float* const at = line + kx + j * kVecFloats;
        const bool edge = (kEdges & kLeft && j == 0) || (kEdges & kRight && j >= S * (NV - 1) - kEdge<K> + 1);
        return held(edge ? VecF(_mm256_maskload_ps(at, from.inside[kx][j])) : load(at));
      };
      VecF column[NV], next[NV];
      if (S == 2 && kx == 0) __builtin_prefetch(line + kPlaneAhead, 0, 3);
#pragma GCC unroll 4
      for (int j = 0; j < NV; ++j) {
        if constexpr (S == 1) {
          column[j] = read(j);
        } else {
          const VecF first = read(2 * j), second = read(2 * j + 1);
          column[j] = VecF(_mm256_shuffle_ps(first, second, kEven));
          next[j] = VecF(_mm256_shuffle_ps(first, second, kOdd));
        }
      }
      tap(kx, column);
      if (S == 2 && kx + 1 < K) tap(kx + 1, next);
    }
  }
  if constexpr (S == 2) {
#pragma GCC unroll 4
    for (int i = 0; i < R; ++i)
#pragma GCC unroll 2
      for (int j = 0; j < NV; ++j)
        t.v[i][j] = VecF(_mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(t.v[i][j]), kPairs)));
  }
}
#endif

// `rows` rows of NV registers of outputs of one channel; y0: the first row of the input, of `height`, that they see.
// What there is to do after the sums, and whether all rows lie in the image, is not asked at every step: 64 outputs on
// Zen 3 87 to 60 cycles, of which 36 multiply.
template <int NV, int K, int S, int kEdges>
void depthwise_plane(const PlanePiece& from, int64_t y0, int64_t height, int64_t rows, const float* w, float bias,
                     const Epilogue& e, TileOut out) {
  const TileEnds<NV> ends(e, out);
  const auto add_rows = [&]<int R>(std::integral_constant<int, R>) __attribute__((always_inline)) {
    constexpr int kSeen = (R - 1) * S + K;
    const int64_t above = most(0, -y0), below = least(kSeen, height - y0);
    Tile<R, NV> t;
    t.fill(VecF(bias));
    if (K == 3 && above == 0 && below == kSeen)
      add_plane<K, S, kEdges, true>(t, from, y0, above, below, w);
    else
      add_plane<K, S, kEdges, false>(t, from, y0, above, below, w);
    if (out.cols < NV * kVecFloats)
      ends.template end<true>(t, out);
    else
      ends.end(t, out);
    y0 += R * S, rows -= R, out.c += R * out.row;
    if (out.residual != nullptr) out.residual += R * out.residual_row;
  };
  while (rows >= plane_rows(NV)) add_rows(std::integral_constant<int, plane_rows(NV)>{});
  while (rows > 0) add_rows(std::integral_constant<int, 1>{});
}

using DepthwisePlaneFn = void (*)(const PlanePiece&, int64_t, int64_t, int64_t, const float*, float, const Epilogue&,
                                  TileOut);

template <int K, int S, int kEdges, int... NV>
DepthwisePlaneFn depthwise_plane_of(int vecs, std::integer_sequence<int, NV...>) {
  static constexpr DepthwisePlaneFn kByVecs[] = {depthwise_plane<NV + 1, K, S, kEdges>...};
  return kByVecs[vecs - 1];
}
template <int K, int S>
DepthwisePlaneFn depthwise_plane_of(int vecs, [[maybe_unused]] const PlanePiece& piece) {
  constexpr auto kVecs = std::make_integer_sequence<int, kPieceVecs / S>{};
#if !defined(__AVX512F__)
  if (piece.edges == (kLeft | kRight)) return depthwise_plane_of<K, S, kLeft | kRight>(vecs, kVecs);
  if (piece.edges == kLeft) return depthwise_plane_of<K, S, kLeft>(vecs, kVecs);
  if (piece.edges == kRight) return depthwise_plane_of<K, S, kRight>(vecs, kVecs);
#endif
  return depthwise_plane_of<K, S, 0>(vecs, kVecs);
}

}  // namespace
}  // namespace tc::kernels
