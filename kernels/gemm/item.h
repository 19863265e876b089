// One item of a batch of products. Every file has functions of its own, compiled for its tier.
#pragma once
#include "tc/kernels/gemm/gemm.h"
#include "tc/kernels/gemm/tile.h"

namespace tc::kernels {
namespace {

struct Item {
  const float* a;
  const float* b;  // as it lies or packed
  float* c;
  const float* residual;
  int64_t row0;  // of the output seen as a matrix
};

// b: of the first item.
inline Item item_of(const GemmArgs& g, const float* b, int64_t batch) {
  const int64_t i = batch / g.batch[1];
  const int64_t j = batch % g.batch[1];
  Item out;
  out.a = g.a + i * g.a_batch[0] + j * g.a_batch[1];
  out.b = b + i * g.b_batch[0] + j * g.b_batch[1];
  out.c = g.c + i * g.c_batch[0] + j * g.c_batch[1];
  const float* residual = g.epilogue.residual;
  out.residual = residual == nullptr ? nullptr : residual + i * g.residual_batch[0] + j * g.residual_batch[1];
  out.row0 = batch * g.m;
  return out;
}

// Where the tile from (row, j) on, `cols` wide, goes, and what is added to it.
inline TileOut out_at(const GemmArgs& g, const Item& it, int64_t row, int64_t j, int64_t cols) {
  const Epilogue& e = g.epilogue;
  TileOut out;
  out.row = g.c_rs;
  out.residual_row = g.residual_rs;
  out.residual_step = g.residual_cs;
  out.cols = static_cast<int>(cols);
  out.c = it.c + row * g.c_rs + j;
  out.bias = e.bias == nullptr ? nullptr : e.bias + j;
  out.scale = e.scale == nullptr ? nullptr : e.scale + j;
  out.row_bias = e.row_bias == nullptr ? nullptr : e.row_bias + row;
  out.residual = it.residual == nullptr ? nullptr : it.residual + row * g.residual_rs + j * g.residual_cs;
  return out;
}

// What a tile of a phase after A's is: columns of an item's B, and the rows that they are multiplied by.
struct Place {
  bool packing;  // those columns are packed
  int64_t slot, batch, row_tile;
  int64_t n0, col0, col1;  // of the columns that are packed at a time the first one
};

inline Place place_of(const GemmArgs& g, const GemmPlan& p, int phase, int64_t tile) {
  const bool phases = p.source == GemmPlan::Source::phase;
  Place at;
  at.packing = phases && phase % 2 == 0;
  const int64_t row_tiles = at.packing ? 1 : p.row_tiles, in_slot = tile % (row_tiles * p.col_tiles);
  at.slot = tile / row_tiles / p.col_tiles;
  // Neighbouring tiles share what their worker has packed of A, or B.
  at.row_tile = p.own_a ? in_slot / p.col_tiles : in_slot % row_tiles;
  const int64_t col_tile = p.own_a ? in_slot % p.col_tiles : in_slot / row_tiles;
  const int64_t unit = at.slot + (phases ? phase / 2 * p.units_per_phase : 0);
  at.batch = unit / p.n_blocks;
  at.n0 = unit % p.n_blocks * p.n_block;
  at.col0 = at.n0 + col_tile * p.col_tile;
  const int64_t end = p.swapped ? g.m : g.n;
  at.col1 = end < at.n0 + p.n_block ? end : at.n0 + p.n_block;
  if (at.col0 + p.col_tile < at.col1) at.col1 = at.col0 + p.col_tile;
  return at;
}

// Hands results to the strip function, if there is one.
inline void strip(const GemmArgs& g, const Item& it, int64_t row, int64_t rows, int64_t col, int64_t cols) {
  const Epilogue& e = g.epilogue;
  if (e.strip != nullptr) e.strip(e.context, it.c + row * g.c_rs + col, rows, cols, g.c_rs, it.row0 + row, col);
}

}  // namespace
}  // namespace tc::kernels
