// The register tile that GEMM and convolution share: R rows of NV registers of accumulators, fed by broadcasts of the
// left operand and vectors of the right one.
#pragma once
#include <limits>

#include "tc/kernels/cpu.h"
#include "tc/kernels/gemm/epilogue.h"
#include "tc/kernels/gemm/tile.h"
#include "tc/kernels/simd/tile_steps.h"
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

inline constexpr int kVecFloats = kLanes<float>;

// A packed panel is kPanelVecs registers wide. kMaxRows[n] rows are the most that a tile of n registers has:
// accumulators, one row of the right operand and a broadcast fit the 32 or 16 registers. Measured GFLOP/s at K = 384:
// AVX-512 7x64 284, 12x32 283, 14x32 271; AVX2 6x16 137; SSE4.2 3x16 55, 6x8 49.
#if defined(__AVX512F__)
inline constexpr int kRegisters = 32;
inline constexpr int kPanelVecs = 4;
inline constexpr int kMaxRows[] = {0, 12, 12, 8, 7};
#define TC_TILE_NAME "7x64"
#elif defined(__AVX2__)
inline constexpr int kRegisters = 16;
inline constexpr int kPanelVecs = 2;
inline constexpr int kMaxRows[] = {0, 8, 6};
#define TC_TILE_NAME "6x16"
#elif defined(__wasm__)
// V8 has 15 registers to give, and spills tiles of twelve sums: GFLOP/s of 55 at K = 256, 2x16 44 to 51, 4x8 42 to 56,
// 3x16 26 to 28.
inline constexpr int kRegisters = 16;
inline constexpr int kPanelVecs = 4;
inline constexpr int kMaxRows[] = {0, 6, 4, 2, 2};
#define TC_TILE_NAME "2x16"
#elif defined(TC_NEON_VECTORS)
inline constexpr int kRegisters = 32;
inline constexpr int kPanelVecs = 4;
inline constexpr int kMaxRows[] = {0, 8, 8, 6, 4};
#define TC_TILE_NAME "4x16"
#else
inline constexpr int kRegisters = 16;
inline constexpr int kPanelVecs = 4;
inline constexpr int kMaxRows[] = {0, 6, 4, 3, 3};
#define TC_TILE_NAME "3x16"
#endif
inline constexpr int kPanel = kPanelVecs * kVecFloats;
// Whether the tile of full width has its steps in assembler, whose left operand lies step by step.
inline constexpr bool kPanelRunsSteps = kRunsSteps<kMaxRows[kPanelVecs], kPanelVecs>;
// Rows of A in packed strips, one strip per register tile: [k][kPackedRows].
inline constexpr int kPackedRows = kMaxRows[kPanelVecs] <= 4 ? 4 : 8;

// Rows of the full tiles that products are made of. One row more leaves a step's right operand no registers: it is
// loaded anew for every row, which Zen 5 does beside the arithmetic. A Xeon, GFLOP/s from L1, 7x64
// 208, 6x64 227; 512x512x512 1.79 and 1.66 ms, 128x768x3072 3.60 and 3.45, 1024x256x1024 3.59 and 3.36; densenet121
// 36.5 and 34.1, shufflenet_v2 2.63 and 2.53, 3x3 of 256 channels of 14 x 14 by Winograd's method 0.85 and 0.81.
inline int panel_rows() {
  return kVecFloats == 16 && !cpu_info().amd ? kMaxRows[kPanelVecs] - 1 : kMaxRows[kPanelVecs];
}
// The same of tiles of `vecs` registers that share `rows`. A third more tiles is the most that pays, for each reads
// the right operand: 3x3 of 512 channels of 7 x 7, rows of one tile or of two, 1.8 and 2.3 ms.
inline int tile_rows(int vecs, int64_t rows) {
  const int64_t most = kMaxRows[vecs], fewer = panel_rows();
  const bool pays = vecs == kPanelVecs && 3 * ((rows + fewer - 1) / fewer) <= 4 * ((rows + most - 1) / most);
  return static_cast<int>(pays ? fewer : most);
}

// What register j of a row has of its `cols` columns.
TC_INLINE Tail<float> tail_of(int cols, int j) {
  const int rest = cols - j * kVecFloats;
  return Tail<float>(rest < 0 ? 0 : rest > kVecFloats ? kVecFloats : rest);
}

// Rows of a block split evenly among as few tiles as can be: no thin last one.
struct Strips {
  int64_t count, height, taller;

  Strips(int64_t rows, int most) : count((rows + most - 1) / most), height(rows / count), taller(rows % count) {}
  int64_t begin(int64_t strip) const { return strip * height + (strip < taller ? strip : taller); }
  int rows(int64_t strip) const { return static_cast<int>(height + (strip < taller ? 1 : 0)); }
};

// On to what lies `floats` further.
TC_INLINE void advance(TileOut& out, int64_t floats) {
  out.c = forget(out.c + floats);
  if (out.residual != nullptr) out.residual = forget(out.residual + floats);
}

// Floats from a tile's first column to its register j.
TC_INLINE int64_t column_offset(int j, int64_t block) {
  return (j * kVecFloats / 16) * block + j * kVecFloats % 16;
}

// Of the vecs registers of a row of the right operand, those that stay in registers of their own beside the
// accumulators of `rows` rows and a broadcast.
constexpr int held_vecs(int rows, int vecs) {
  return rows * vecs + vecs + 1 > kRegisters ? vecs - 1 : vecs;
}

template <int R, int NV>
struct Tile {
  VecF v[R][NV];

  TC_INLINE void zero() { fill(VecF(0.0f)); }
  TC_INLINE void fill(VecF x) {
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < NV; ++j) v[i][j] = x;
    }
  }

  // One step of K. a: the left operand at row 0, rows `rs` floats apart; b: the right one, column x at
  // (x / 16) * block + x % 16.
  TC_INLINE void step(const float* a, int64_t rs, const float* b, int64_t block) {
    step_rows([&](int i) { return a + i * rs; }, b, block);
  }
  TC_INLINE void step(const float* a, int64_t rs, const VecF (&w)[NV]) {
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      const VecF x(a[i * rs]);
#pragma GCC unroll 4
      for (int j = 0; j < NV; ++j) v[i][j] = fma(x, w[j], v[i][j]);
    }
  }

  // The same by right(j), the right operand's register j.
  template <class Right>
  TC_INLINE void step_by(const float* a, int64_t rs, const Right& right) {
    VecF w[NV];
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) w[j] = right(j);
    step(a, rs, w);
  }

  // `count` steps that follow each other, by the rows of a packed panel of the tile's width.
  TC_INLINE void steps(const float* a, int64_t rs, const float* b, int64_t count) {
    if constexpr (kRunsSteps<R, NV>)
      run_steps<1>(v, a, rs, b, count);
    else
      for (int64_t p = 0; p < count; ++p, b += NV * kVecFloats) step(a + p, rs, b, 16);
  }

  // The same with a pointer to every fourth row, so that twelve rows need no twelve registers of offsets.
  TC_INLINE void step_by_fours(const float* const* a, int64_t rs, const float* b, int64_t block) {
    step_rows([&](int i) { return a[i / 4] + i % 4 * rs; }, b, block);
  }

  // Row i of the left operand at row(i). Where accumulators, a row of the right operand and a broadcast are one more
  // than there are registers, each row reads the last part of the right one anew: an accumulator on the stack would
  // wait for itself, step by step. 112 x 256 x 256 on Zen 5, 7x64: 93 to 98 % of the multiply-adds' rate.
  template <class Row>
  TC_INLINE void step_rows(const Row& row, const float* b, int64_t block) {
    constexpr int kHeld = held_vecs(R, NV);
    VecF w[NV];
#pragma GCC unroll 4
    for (int j = 0; j < kHeld; ++j) w[j] = load(b + column_offset(j, block));
    const float* last = b + column_offset(NV - 1, block);
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      const VecF x(*row(i));
#pragma GCC unroll 4
      for (int j = 0; j < kHeld; ++j) v[i][j] = fma(x, w[j], v[i][j]);
      if constexpr (kHeld < NV) {
        last = forget(last);
        v[i][kHeld] = fma(x, load(last), v[i][kHeld]);
      }
    }
  }

  // Where lanes are channels that each see themselves alone: row i of the left operand times one row of weights.
  TC_INLINE void step_lanes(const float* a, int64_t rs, const float* weights) {
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) {
      const VecF w = load(weights + j * kVecFloats);
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) v[i][j] = fma(load(a + i * rs + j * kVecFloats), w, v[i][j]);
    }
  }

  TC_INLINE void add(const Tile& other) {
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < NV; ++j) v[i][j] = v[i][j] + other.v[i][j];
    }
  }

  // What is left of it where out.simple(e).
  template <bool kRagged = false>
  TC_INLINE void finish_simple(const Epilogue& e, const TileOut& out) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) {
      const Tail<float> tail = tail_of(out.cols, j);
      float* const c = forget(out.c + column_offset(j, out.block));
      if (out.bias != nullptr) {
        const VecF bias = load(out.bias + j * kVecFloats, tail);
#pragma GCC unroll 16
        for (int i = 0; i < R; ++i) v[i][j] = v[i][j] + bias;
      }
      if (e.lo > -kInfinity) {
        const VecF lo(e.lo);
#pragma GCC unroll 16
        for (int i = 0; i < R; ++i) v[i][j] = vmax(lo, v[i][j]);
      }
      if (e.hi < kInfinity) {
        const VecF hi(e.hi);
#pragma GCC unroll 16
        for (int i = 0; i < R; ++i) v[i][j] = vmin(hi, v[i][j]);
      }
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) {
        if constexpr (kRagged)
          store(c + i * out.row, v[i][j], tail);
        else
          store(c + i * out.row, v[i][j]);
      }
    }
  }

  // Every column exists in c and in the residual; kRagged: the first out.cols do.
  template <bool kRagged = false>
  TC_INLINE void finish(const Epilogue& e, const TileOut& place) {
    // A copy: stores of vectors may alias anything, and would have every field loaded again.
    const TileOut out = place;
    if (out.simple(e)) return finish_simple<kRagged>(e, out);
    const bool clips = e.clips();
    const VecF lo(e.lo), hi(e.hi);
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) {
      const int at = j * kVecFloats;
      const Tail<float> tail = tail_of(out.cols, j);
      float* const c = forget(out.c + column_offset(j, out.block));
      const auto read = [&](const float* p) { return kRagged ? load(p, tail) : load(p); };
      if (e.alpha != 1.0f || out.scale != nullptr) {
        const VecF factor = out.scale != nullptr ? load(out.scale + at, tail) * VecF(e.alpha) : VecF(e.alpha);
#pragma GCC unroll 16
        for (int i = 0; i < R; ++i) v[i][j] = v[i][j] * factor;
      }
      if (out.first) {
        if (out.bias != nullptr) {
          const VecF bias = load(out.bias + at, tail);
#pragma GCC unroll 16
          for (int i = 0; i < R; ++i) v[i][j] = v[i][j] + bias;
        }
        if (out.row_bias != nullptr) {
#pragma GCC unroll 16
          for (int i = 0; i < R; ++i) v[i][j] = v[i][j] + VecF(out.row_bias[i]);
        }
        if (out.residual != nullptr) {
          const VecF beta(e.beta);
          const float* const r = forget(out.residual + column_offset(j, out.residual_block) * out.residual_step);
#pragma GCC unroll 16
          for (int i = 0; i < R; ++i) {
            const float* p = r + i * out.residual_row;
            v[i][j] = fma(beta, out.residual_step == 0 ? VecF(*p) : read(p), v[i][j]);
          }
        }
      } else {
#pragma GCC unroll 16
        for (int i = 0; i < R; ++i) v[i][j] = v[i][j] + read(c + i * out.row);
      }
      if (out.last) {
        if (e.slope != 1.0f) {
          const VecF zero(0.0f);
          const VecF slope(e.slope);
#pragma GCC unroll 16
          for (int i = 0; i < R; ++i) v[i][j] = fma(slope, vmin(zero, v[i][j]), vmax(zero, v[i][j]));
        }
        if (clips) {
#pragma GCC unroll 16
          for (int i = 0; i < R; ++i) v[i][j] = vmin(hi, vmax(lo, v[i][j]));
        }
      }
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) {
        if constexpr (kRagged)
          store(c + i * out.row, v[i][j], tail);
        else
          store(c + i * out.row, v[i][j]);
      }
    }
  }
};

// What tiles of the same columns, one after the other, begin and end with. Where that is but a bias and a clip they
// begin with the bias, and nothing is asked at each of them: a line of 3x3 depthwise 77 to 61 cycles a tile on Zen 3.
template <int NV>
struct TileEnds {
  const Epilogue& e;
  bool simple, clips;
  VecF lo, hi, bias[NV];

  TC_INLINE TileEnds(const Epilogue& epilogue, const TileOut& out)
      : e(epilogue), simple(out.simple(epilogue)), clips(epilogue.clips()), lo(epilogue.lo), hi(epilogue.hi) {
    for_columns(out);
  }
  // Those of other columns have another bias.
  TC_INLINE void for_columns(const TileOut& out) {
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) {
      bias[j] = simple && out.bias != nullptr ? load(out.bias + j * kVecFloats, tail_of(out.cols, j)) : VecF(0.0f);
    }
  }
  template <int R>
  TC_INLINE void begin(Tile<R, NV>& t) const {
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < NV; ++j) t.v[i][j] = bias[j];
    }
  }
  // Every column exists in c and in the residual; kRagged: the first out.cols do, of which the last register has some.
  template <bool kRagged = false, int R>
  TC_INLINE void end(Tile<R, NV>& t, const TileOut& out) const {
    if (!simple) return t.template finish<kRagged>(e, out);
    if (clips) {
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
        for (int j = 0; j < NV; ++j) t.v[i][j] = vmin(hi, vmax(lo, t.v[i][j]));
      }
    }
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) {
      float* const c = forget(out.c + column_offset(j, out.block));
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) {
        if (kRagged && j == NV - 1)
          store(c + i * out.row, t.v[i][j], tail_of(out.cols, j));
        else
          store(c + i * out.row, t.v[i][j]);
      }
    }
  }
};

// Asks for the lines that a tile will store or add to, which have the whole sum's time to come. 1x1 convolutions of 64
// to 256 channels at 56 x 56: 61 to 67 % of the rate of a tile that stays in L1; 7x7 of 3 to 64 channels 68 to 75 %.
template <int R, int NV>
TC_INLINE void fetch_outputs(const TileOut& out) {
#pragma GCC unroll 4
  for (int j = 0; j < NV; ++j) {
    const float* c = forget(out.c + column_offset(j, out.block));
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) __builtin_prefetch(c + i * out.row, 1, 2);
  }
}

// Tile::finish for rows of a tile that lie in memory, `width` floats each, when c or the residual ends after out.cols
// columns.
__attribute__((noinline)) inline void finish_ragged(const float* tile, int rows, int width, const Epilogue& e,
                                                    const TileOut& out) {
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < out.cols; j += kVecFloats) {
      const int rest = out.cols - j;
      const Tail<float> tail(rest > kVecFloats ? kVecFloats : rest);
      VecF x = load(tile + i * width + j);
      if (out.scale != nullptr) {
        x = x * (load(out.scale + j, tail) * VecF(e.alpha));
      } else if (e.alpha != 1.0f) {
        x = x * VecF(e.alpha);
      }
      float* c = out.c + i * out.row + (j / 16) * out.block + j % 16;
      if (out.first) {
        if (out.bias != nullptr) x = x + load(out.bias + j, tail);
        if (out.row_bias != nullptr) x = x + VecF(out.row_bias[i]);
        if (out.residual != nullptr) {
          const float* r = out.residual + i * out.residual_row;
          r += ((j / 16) * out.residual_block + j % 16) * out.residual_step;
          x = fma(VecF(e.beta), out.residual_step == 0 ? VecF(*r) : load(r, tail), x);
        }
      } else {
        x = x + load(c, tail);
      }
      if (out.last) {
        if (e.slope != 1.0f) x = fma(VecF(e.slope), vmin(VecF(0.0f), x), vmax(VecF(0.0f), x));
        x = vmin(VecF(e.hi), vmax(VecF(e.lo), x));
      }
      store(c, x, tail);
    }
  }
}

template <int R, int NV>
TC_INLINE void finish_tile(Tile<R, NV>& t, const Epilogue& e, const TileOut& out) {
  if (out.ragged && out.cols < NV * kVecFloats && out.simple(e)) {
    t.template finish_simple<true>(e, out);
  } else if (out.ragged && out.cols < NV * kVecFloats) {
    alignas(64) float rows[R * NV * kVecFloats];
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < NV; ++j) store(rows + (i * NV + j) * kVecFloats, t.v[i][j]);
    }
    finish_ragged(rows, R, NV * kVecFloats, e, out);
  } else {
    t.finish(e, out);
  }
}

}  // namespace
}  // namespace tc::kernels
