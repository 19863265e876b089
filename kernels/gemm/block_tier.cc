#include "tc/kernels/gemm/block_tier.h"

#include <utility>

namespace tc::kernels {
namespace {

// Cache lines of what is read next, asked for a few at a time while there is arithmetic to hide their way behind.
// Without that the first rows of a block wait for every line of B that L2 does not hold. On a machine that reads 20
// GB/s from L3 and 8 from memory, in shares of the rate of a tile whose operands stay in L1: 128x3072x768 60 to 71 %,
// 128x768x3072 60 to 69 %, 1024x1024x1024 63 to 74 %, 512x512x512 66 to 71 %, 256x256x256 84 % both.
struct Ahead {
  const float* at = nullptr;
  int64_t lines = 0;  // with kAheadSteps steps
};
constexpr int64_t kAheadSteps = 16;

void down(TileOut& out, int64_t rows) {
  out.c += rows * out.row;
  if (out.residual != nullptr) out.residual += rows * out.residual_row;
  if (out.row_bias != nullptr) out.row_bias += rows;
}

// How the operands lie: A in packed strips, so that its addresses need no registers, or anyhow. Steps in assembler tell
// apart two forms more, in which A's follow each other: rows, with B in a packed panel, and direct, with B as it is.
enum class Form { strips, any, rows, direct };

// `count` strips of R rows.
template <int R, int NV, Form kForm>
void strips_of(const GemmBlock& g, const float* a, int64_t count, Ahead& ahead, TileOut out) {
  constexpr bool kPackedA = kForm == Form::strips;
  const int64_t a_rs = kPackedA ? 1 : g.a_rs, a_cs = kPackedA ? kPackedRows : g.a_cs, b_rs = g.b_rs;
  const TileEnds<NV> ends(*g.epilogue, out);
  const bool ragged = out.ragged && out.cols < NV * kVecFloats;
  for (; count > 0; --count) {
    Tile<R, NV> t;
    ends.begin(t);
    if (!out.first) fetch_outputs<R, NV>(out);
    // Loops that are known to run leave the accumulators where they are.
    if (int64_t left = g.k; left > 0) {
      constexpr int kFours = kPackedA ? 1 : (R + 3) / 4;
      const float *at[kFours], *b = g.b;
#pragma GCC unroll 4
      for (int q = 0; q < kFours; ++q) at[q] = forget(a + 4 * q * a_rs);
      do {
        for (int64_t i = 0; i < ahead.lines; ++i, ahead.at += 16) __builtin_prefetch(ahead.at, 0, 2);
        int64_t steps = left < kAheadSteps ? left : kAheadSteps;
        if constexpr (kForm != Form::any && kRunsSteps<R, NV>) {
          if constexpr (kForm == Form::direct)
            run_spread_steps(t.v, at[0], a_rs, b, b_rs, steps);
          else
            run_steps<kPackedA ? kPackedRows : 1>(t.v, at[0], a_rs, b, steps);
          left -= kAheadSteps;
          continue;
        }
        do {
          if constexpr (kPackedA)
            t.step(at[0], a_rs, b, 16);
          else
            t.step_by_fours(at, a_rs, b, 16);
#pragma GCC unroll 4
          for (int q = 0; q < kFours; ++q) at[q] += a_cs;
          b += b_rs;
        } while (--steps > 0);
        left -= kAheadSteps;
      } while (left > 0);
    }
    if (!ends.simple)
      finish_tile(t, *g.epilogue, out);
    else if (ragged)
      ends.template end<true>(t, out);
    else
      ends.end(t, out);
    a += kPackedA ? g.a_strip : R * a_rs;
    down(out, R);
  }
}

// The same over the panels of a block, strip by strip: each tile writes on where the last one ended in every row, which
// the machine sees and fetches ahead by itself. Asked for too, the lines come later: 1024x1x1024 0.057 ms, so 0.099.
// kRows: A's steps follow each other, and B is in packed panels.
template <int R, bool kRows>
void across(const GemmBlock& g, const float* a, int64_t count, Ahead&, TileOut out) {
  TileEnds<kPanelVecs> ends(*g.epilogue, out);
  for (; count > 0; --count, a += R * g.a_rs, down(out, R)) {
    const float* b = g.b;
    TileOut to = out;
    for (int64_t panels = g.panels; panels > 0; --panels, b += g.b_panel) {
      Tile<R, kPanelVecs> t;
      if (to.bias != nullptr) ends.for_columns(to);
      ends.begin(t);
      if constexpr (kRows) {
        t.steps(a, g.a_rs, b, g.k);
      } else if (int64_t steps = g.k; steps > 0) {
        const float *x = forget(a), *y = b;
        do {
          t.step(x, g.a_rs, y, 16);
          x += g.a_cs, y += g.b_rs;
        } while (--steps > 0);
      }
      ends.end(t, to);
      to.c += kPanel;
      if (to.residual != nullptr) to.residual += kPanel * to.residual_step;
      if (to.bias != nullptr) to.bias += kPanel;
      if (to.scale != nullptr) to.scale += kPanel;
    }
  }
}

using StripsFn = void (*)(const GemmBlock&, const float*, int64_t, Ahead&, TileOut);

template <Form kForm>
StripsFn strips_of(int vecs, int rows) {
  return tile_function<StripsFn, kPanelVecs>(vecs, rows,
                                             [](auto r, auto nv) { return StripsFn{strips_of<r, nv, kForm>}; });
}
template <bool kRows, int... R>
StripsFn across_of(int rows, std::integer_sequence<int, R...>) {
  static constexpr StripsFn kByRows[] = {across<R + 1, kRows>...};
  return kByRows[rows - 1];
}

}  // namespace

void TC_TIER_NAME(gemm_block)(const GemmBlock& g) {
  const int vecs = (g.out.cols + kVecFloats - 1) / kVecFloats;
  const bool packed_a = g.a_strip != 0, several = g.panels > 1;
  const Strips strips(g.rows, packed_a || several ? panel_rows() : tile_rows(vecs, g.rows));
  TileOut out = g.out;
  const float* a = g.a;
  Ahead ahead;
  if (g.ahead != nullptr) ahead = {g.ahead, (kAheadSteps * kPanel / 16 + strips.count - 1) / strips.count};
  const auto add = [&](int64_t count, int64_t tall) {
    const auto height = static_cast<int>(tall);
    constexpr std::make_integer_sequence<int, kMaxRows[kPanelVecs]> kRows;
    StripsFn run = several    ? across_of<false>(height, kRows)
                   : packed_a ? strips_of<Form::strips>(vecs, height)
                              : strips_of<Form::any>(vecs, height);
    if constexpr (kPanelRunsSteps) {
      const bool panel = g.b_rs == vecs * kVecFloats;
      if (several && panel && g.a_cs == 1) run = across_of<true>(height, kRows);
      if (!several && !packed_a && g.a_cs == 1)
        run = panel ? strips_of<Form::rows>(vecs, height) : strips_of<Form::direct>(vecs, height);
    }
    run(g, a, count, ahead, out);
    a += count * (packed_a ? g.a_strip : tall * g.a_rs);
    down(out, count * tall);
  };
  if (strips.taller > 0) add(strips.taller, strips.height + 1);
  add(strips.count - strips.taller, strips.height);
}

}  // namespace tc::kernels
