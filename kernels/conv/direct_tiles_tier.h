// The register tiles of direct convolution: pixels x channel blocks, summed over a table of taps. Only *_tier.cc files
// include it.
#pragma once
#include <utility>

#include "tc/kernels/conv/conv.h"
#include "tc/kernels/gemm/micro_tier.h"
#include "tc/kernels/simd/transpose.h"

namespace tc::kernels {
namespace {

struct Tap {
  int64_t in, w;
};

// Weights that are read next, asked for a few cache lines at a time while there is arithmetic to hide their way behind:
// `streams` of `size` lines each, `stride` floats apart.
struct Ahead {
  const float* at = nullptr;
  int64_t streams = 0, stride = 0, size = 0;
  int64_t done = 0;   // lines of the first stream
  int64_t lines = 0;  // at a time

  TC_INLINE void touch() {
    for (int64_t i = 0; i < lines; ++i, at += kChannelBlock) __builtin_prefetch(at, 0, 2);
  }
  // Before that many touches. What they ask for beyond the end of a stream does no harm.
  TC_INLINE void next(int64_t touches) {
    if (lines == 0) return;
    if (done >= size) {
      at += stride - done * kChannelBlock;
      done = 0;
      if (--streams == 0) lines = 0;
    }
    done += lines * touches;
  }
};

// A part of the table of taps: `rows` of `cols`, each `line` after the other. Of flat ones, weights of a row lie side
// by side.
struct Taps {
  const Tap* first;
  int64_t line, rows, cols;
};

// What one tile of registers sums: blocks x taps x steps of K, or single steps at each of the taps (flat).
struct Sum {
  Taps taps;
  int64_t in_block;
  int64_t blocks;
  int64_t steps, last_steps;  // of K in a block, and in the last one: input channels
  int64_t pixel;              // floats between output columns' inputs
  int64_t a_cs;               // floats between steps
  int64_t out_pixel;          // floats between output columns
  const float* w;
  int64_t w_in_block, w_out_block;
};

constexpr int kBlockVecs = kChannelBlock / kVecFloats;
// Registers of half a block, which is all that tiles sum of a last block of no more channels; 0: a block is a register.
constexpr int kHalfVecs = kBlockVecs / 2;
// So many cache lines may be on their way at once without holding up what the arithmetic reads.
constexpr int64_t kLinesAtOnce = 32;
// Up to so many floats of weights stay in L2 from tile to tile.
constexpr int64_t kKeptWeights = 128 * 1024;

enum class Form : uint8_t {
  pointwise,  // dense, with one tap
  dense,      // blocked pixels, one after the other, in input and output: addresses need no registers
  spread,     // the same at any distance: strides, phases
  plain,      // plain inputs
  flat,       // plain inputs of few channels: a step to each tap
};

// `count` tiles of R pixels side by side.
template <int R, int NV, Form kForm>
void tiles(const Sum& s, const float* in, int64_t count, Ahead& ahead, const Epilogue& e, const TileOut& place) {
  TileOut out = place;
  constexpr bool kDense = kForm == Form::pointwise || kForm == Form::dense;
  const int64_t pixel = kDense ? kChannelBlock : s.pixel;
  out.row = out.residual_row = kDense ? kChannelBlock : s.out_pixel;
  const TileEnds<NV> ends(e, out);
  for (; count > 0; --count) {
    ahead.next(s.blocks * s.taps.rows * s.taps.cols);
    Tile<R, NV> t;
    ends.begin(t);
    const auto add_tap = [&](Tile<R, NV> & sum, const Tap& tap, const float* in_block, const float* w_block,
                             int64_t steps, bool touches) __attribute__((always_inline)) {
      const float* a = in_block + tap.in;
      const float* w = w_block + tap.w;
      if constexpr (kForm == Form::flat) return sum.step(a, pixel, w, s.w_out_block);
      if (touches) ahead.touch();
      if constexpr (kForm != Form::plain && kRunsSteps<R, NV>) return run_steps<1>(sum.v, a, pixel, w, steps);
      const int64_t a_cs = kForm == Form::plain ? s.a_cs : 1;
      // Loops that are known to run leave the accumulators where they are.
      do {
        sum.step(a, pixel, w, s.w_out_block);
        a += a_cs, w += kChannelBlock;
      } while (--steps > 0);
    };
    const auto add_blocks = [&](Tile<R, NV> & sum, bool touches) __attribute__((always_inline)) {
      int64_t blocks = s.blocks;
      if constexpr (kForm == Form::pointwise && kRunsSteps<R, NV>) {
        // Weights of all blocks lie side by side.
        const float *a = in + s.taps.first->in, *w = s.w + s.taps.first->w;
        const int64_t next_block = s.in_block - kChannelBlock;
        for (; blocks > 1; --blocks, a += next_block) {
          if (touches) ahead.touch();
          run_steps<1>(sum.v, a, pixel, w, kChannelBlock);
        }
        if (touches) ahead.touch();
        return run_steps<1>(sum.v, a, pixel, w, s.last_steps);
      }
      const float* w_block = s.w;
      const float* in_block = in;
      do {
        const int64_t steps = blocks == 1 ? s.last_steps : s.steps;
        if constexpr (kForm == Form::pointwise) {
          add_tap(sum, *s.taps.first, in_block, w_block, steps, touches);
        } else {
          const Tap* line = s.taps.first;
          int64_t rows = s.taps.rows;
          do {
            const Tap* tap = line;
            int64_t cols = s.taps.cols;
            if constexpr (kForm == Form::flat && kRunsSteps<R, NV>) {
              run_tap_steps(sum.v, in_block, pixel, w_block + tap->w, &tap->in, cols);
            } else {
              do add_tap(sum, *tap++, in_block, w_block, steps, touches);
              while (--cols > 0);
            }
            line += s.taps.line;
          } while (--rows > 0);
        }
        in_block += s.in_block, w_block += s.w_in_block;
      } while (--blocks > 0);
    };
    // In so short a loop even the question takes 1 to 4 %.
    if (s.taps.cols > 0 && kForm == Form::pointwise && ahead.lines == 0)
      add_blocks(t, false);
    else if (s.taps.cols > 0)
      add_blocks(t, true);
    ends.end(t, out);
    if constexpr (NV < kBlockVecs) {  // padding
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
        for (int j = NV; j < kBlockVecs; ++j) store(out.c + i * out.row + j * kVecFloats, VecF(0.0f));
      }
    }
    in += R * pixel;
    advance(out, R * out.row);
  }
}

// The same for a block of channels that each see themselves alone: lanes are channels.
template <int R>
void lane_tiles(const Sum& s, const float* in, int64_t count, Ahead&, const Epilogue& e, const TileOut& place) {
  TileOut out = place;
  out.row = out.residual_row = s.out_pixel;
  const TileEnds<kBlockVecs> ends(e, out);
  for (; count > 0; --count) {
    Tile<R, kBlockVecs> t;
    ends.begin(t);
    const Tap* line = s.taps.first;
    for (int64_t rows = s.taps.cols > 0 ? s.taps.rows : 0; rows > 0; --rows, line += s.taps.line) {
      for (const Tap* tap = line; tap < line + s.taps.cols; ++tap) {
        t.step_lanes(in + tap->in, s.pixel, s.w + tap->w);
      }
    }
    ends.end(t, out);
    in += R * s.pixel;
    advance(out, R * out.row);
  }
}

// Sums that a tile of few outputs has.
constexpr int kFewSums = kVecFloats < 8 ? 8 : kVecFloats;
constexpr int few_pixels(int outputs) {
  return kFewSums / outputs;
}

// The same for O outputs of all: lanes are input channels, which are added up at the end. In shares of what the tiles
// above reach, where 16 - O lanes are padding: 64 to 3 channels by 3x3 3.1, by 9x9 4.3, to 1 by 3x3 4.6; 256 to 4 by
// 1x1 2.1; 128 to 8 by 3x3 1.3, to 6 by 1x1 0.6.
template <int R, int O>
void few_tiles(const Sum& s, const float* in, int64_t count, Ahead&, const Epilogue& e, const TileOut& place) {
  TileOut out = place;
  const int64_t pixel = s.pixel;
  out.row = out.residual_row = s.out_pixel;
  for (; count > 0; --count) {
    Tile<R, O> t;
    t.zero();
    // What lies beyond the last channel may be anything.
    const auto add_block = [&](const float* in_block, const float* w_block, auto read) __attribute__((always_inline)) {
      const Tap* line = s.taps.first;
      int64_t rows = s.taps.rows;
      do {
        const Tap* tap = line;
        int64_t cols = s.taps.cols;
        do {
          const float *a = in_block + tap->in, *w = w_block + tap->w;
#pragma GCC unroll 4
          for (int lane = 0; lane < kChannelBlock; lane += kVecFloats) {
            VecF weights[O];
#pragma GCC unroll 8
            for (int o = 0; o < O; ++o) weights[o] = load(w + o * kChannelBlock + lane);
#pragma GCC unroll 16
            for (int i = 0; i < R; ++i) {
              const VecF x = held(read(a + i * pixel, lane));
#pragma GCC unroll 8
              for (int o = 0; o < O; ++o) t.v[i][o] = fma(x, weights[o], t.v[i][o]);
            }
          }
          ++tap;
        } while (--cols > 0);
        line += s.taps.line;
      } while (--rows > 0);
    };
    if (s.taps.cols > 0) {
      const bool ragged = s.last_steps < kChannelBlock;
      const float *in_block = in, *w_block = s.w;
      for (int64_t blocks = s.blocks - ragged; blocks > 0; --blocks) {
        add_block(in_block, w_block, [](const float* p, int lane) { return load(p + lane); });
        in_block += s.in_block, w_block += s.w_in_block;
      }
      if (ragged) {
        add_block(in_block, w_block, [&](const float* p, int lane) {
          const int64_t rest = s.last_steps - lane;
          return load(p + lane, Tail<float>(rest <= 0 ? 0 : rest < kVecFloats ? static_cast<int>(rest) : kVecFloats));
        });
      }
    }
    alignas(64) float sums[kFewSums + kChannelBlock];
#pragma GCC unroll 2
    for (int first = 0; first < R * O; first += kVecFloats) {
      VecF rows[kVecFloats];
#pragma GCC unroll 16
      for (int q = 0; q < kVecFloats; ++q)
        rows[q] = first + q < R * O ? t.v[(first + q) / O][(first + q) % O] : VecF(0.0f);
      store(sums + first, row_sums(rows));
    }
    Tile<R, kBlockVecs> result;
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < kBlockVecs; ++j) {
        constexpr auto within = [](int n) { return n < 0 ? 0 : n > kVecFloats ? kVecFloats : n; };
        result.v[i][j] = load(sums + i * O + j * kVecFloats, Tail<float>(within(O - j * kVecFloats)));
      }
    }
    result.finish(e, out);
    in += R * pixel;
    advance(out, R * out.row);
  }
}

using TilesFn = void (*)(const Sum&, const float*, int64_t, Ahead&, const Epilogue&, const TileOut&);

template <int O, int... R>
TilesFn few_tiles_of(int rows, std::integer_sequence<int, R...>) {
  static constexpr TilesFn kByRows[] = {few_tiles<R + 1, O>...};
  return kByRows[rows - 1];
}
template <int... O>
TilesFn few_tiles_of(int outputs, int rows, std::integer_sequence<int, O...>) {
  TilesFn found = nullptr;
  ((outputs == O + 1 ? void(found = few_tiles_of<O + 1>(rows, std::make_integer_sequence<int, few_pixels(O + 1)>{}))
                     : void()),
   ...);
  return found;
}
template <int... R>
TilesFn lane_tiles_of(int rows, std::integer_sequence<int, R...>) {
  static constexpr TilesFn kByRows[] = {lane_tiles<R + 1>...};
  return kByRows[rows - 1];
}
TilesFn lane_tiles_of(int rows) {
  return lane_tiles_of(rows, std::make_integer_sequence<int, kMaxRows[kBlockVecs]>{});
}
TilesFn few_tiles_of(int outputs, int rows) {
  return few_tiles_of(outputs, rows, std::make_integer_sequence<int, kFewOutputs>{});
}

// Output blocks of one pass.
constexpr int kGroup = kPanelVecs / kBlockVecs;

template <int NV, Form kForm, int... R>
TilesFn tiles_of(int rows, std::integer_sequence<int, R...>) {
  static constexpr TilesFn kByRows[] = {tiles<R + 1, NV, kForm>...};
  return kByRows[rows - 1];
}
template <int NV>
TilesFn tiles_of(int rows, Form form) {
  constexpr std::make_integer_sequence<int, kMaxRows[NV]> all;
  switch (form) {
    case Form::pointwise:
      return tiles_of<NV, Form::pointwise>(rows, all);
    case Form::dense:
      return tiles_of<NV, Form::dense>(rows, all);
    case Form::flat:
      return tiles_of<NV, Form::flat>(rows, all);
    case Form::spread:
      return tiles_of<NV, Form::spread>(rows, all);
    case Form::plain:
      break;
  }
  return tiles_of<NV, Form::plain>(rows, all);
}

TilesFn tiles_of(int vecs, int rows, Form form) {
#if defined(__AVX512F__)
  switch (vecs) {
    case 1:
      return tiles_of<1>(rows, form);
    case 2:
      return tiles_of<2>(rows, form);
    case 3:
      return tiles_of<3>(rows, form);
    default:
      return tiles_of<4>(rows, form);
  }
#else
  return vecs == kHalfVecs ? tiles_of<kHalfVecs>(rows, form) : tiles_of<kBlockVecs>(rows, form);
#endif
}

}  // namespace
}  // namespace tc::kernels
