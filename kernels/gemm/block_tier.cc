#include "tc/kernels/gemm/block_tier.h"

namespace tc::kernels {
namespace {

template <int R, int NV>
void tile(int64_t k, const float* a, int64_t a_rs, int64_t a_cs, const float* b, int64_t b_rs, const Epilogue& e,
          const TileOut& out) {
  Tile<R, NV> t;
  t.zero();
  for (int64_t p = 0; p < k; ++p, a += a_cs, b += b_rs) t.step(a, a_rs, b, 16);
  finish_tile(t, e, out);
}

using TileFn = void (*)(int64_t, const float*, int64_t, int64_t, const float*, int64_t, const Epilogue&,
                        const TileOut&);

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
  // Rows split evenly: no thin last tile.
  const int64_t strips = (g.rows + kMaxRows[vecs] - 1) / kMaxRows[vecs];
  const int64_t height = g.rows / strips;
  const int64_t taller = g.rows % strips;
  TileOut out = g.out;
  const float* a = g.a;
  for (int64_t s = 0; s < strips; ++s) {
    const int rows = static_cast<int>(height + (s < taller ? 1 : 0));
    tile_of(vecs, rows)(g.k, a, g.a_rs, g.a_cs, g.b, g.b_rs, *g.epilogue, out);
    a += rows * g.a_rs;
    out.c += rows * out.row;
    if (out.residual != nullptr) out.residual += rows * out.residual_row;
    if (out.row_bias != nullptr) out.row_bias += rows;
  }
}

}  // namespace tc::kernels
