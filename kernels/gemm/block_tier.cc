#include "tc/kernels/gemm/block_tier.h"

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

template <int R, int NV>
void tile(const GemmBlock& g, const float* a, Ahead& ahead, const TileOut& out) {
  Tile<R, NV> t;
  t.zero();
  const float* b = g.b;
  const int64_t a_rs = g.a_rs, a_cs = g.a_cs, b_rs = g.b_rs;
  fetch_outputs<R, NV>(out);
  for (int64_t left = g.k; left > 0; left -= kAheadSteps) {
    for (int64_t i = 0; i < ahead.lines; ++i, ahead.at += 16) __builtin_prefetch(ahead.at, 0, 2);
    const int64_t steps = left < kAheadSteps ? left : kAheadSteps;
    for (int64_t p = 0; p < steps; ++p, a += a_cs, b += b_rs) t.step(a, a_rs, b, 16);
  }
  finish_tile(t, *g.epilogue, out);
}

using TileFn = void (*)(const GemmBlock&, const float*, Ahead&, const TileOut&);

template <int NV>
TileFn tile_of(int rows) {
#define TC_ROWS(R)                   \
  case R:                            \
    if constexpr (R <= kMaxRows[NV]) \
      return tile<R, NV>;            \
    else                             \
      return nullptr;
  switch (rows) {
    TC_ROWS(1)
    TC_ROWS(2)
    TC_ROWS(3)
    TC_ROWS(4)
    TC_ROWS(5) TC_ROWS(6) TC_ROWS(7) TC_ROWS(8) TC_ROWS(9) TC_ROWS(10) TC_ROWS(11) TC_ROWS(12) default : return nullptr;
  }
#undef TC_ROWS
}

TileFn tile_of(int vecs, int rows) {
  switch (vecs) {
    case 1:
      return tile_of<1>(rows);
    case 2:
      return tile_of<2>(rows);
#if !defined(__AVX2__) || defined(__AVX512F__)
    case 3:
      return tile_of<3>(rows);
    case 4:
      return tile_of<4>(rows);
#endif
    default:
      return nullptr;
  }
}

}  // namespace

void TC_TIER_NAME(gemm_block)(const GemmBlock& g) {
  const int vecs = (g.out.cols + kVecFloats - 1) / kVecFloats;
  const Strips strips(g.rows, kMaxRows[g.a_strip != 0 ? kPanelVecs : vecs]);
  TileOut out = g.out;
  const float* a = g.a;
  Ahead ahead;
  if (g.ahead != nullptr) ahead = {g.ahead, (kAheadSteps * kPanel / 16 + strips.count - 1) / strips.count};
  for (int64_t s = 0; s < strips.count; ++s) {
    const int rows = strips.rows(s);
    tile_of(vecs, rows)(g, a, ahead, out);
    a += g.a_strip != 0 ? g.a_strip : rows * g.a_rs;
    out.c += rows * out.row;
    if (out.residual != nullptr) out.residual += rows * out.residual_row;
    if (out.row_bias != nullptr) out.row_bias += rows;
  }
}

}  // namespace tc::kernels
