// What one block of register tiles computes, shared by GEMM and convolution. Plain data, the same for every tier.
#pragma once
#include <cstdint>

#include "tc/kernels/gemm/epilogue.h"

namespace tc::kernels {

// Where a tile goes. Column x of a row lies at (x / 16) * block + x % 16 floats from the row's start: a GEMM has block
// = 16, NCHW16c the distance between two channel blocks.
struct TileOut {
  float* c = nullptr;
  int64_t row = 0;  // floats between rows
  int64_t block = 16;
  const float* residual = nullptr;
  int64_t residual_row = 0;
  int64_t residual_block = 16;
  int64_t residual_step = 1;        // 0: one value per row
  const float* bias = nullptr;      // at the tile's first column
  const float* scale = nullptr;     // at the tile's first column
  const float* row_bias = nullptr;  // at the tile's first row
  int cols = 0;                     // columns that bias and scale have; with `ragged` also those to store
  bool ragged = true;               // c and residual end after `cols`, not after a full block
  bool first = true;                // of the blocks of K: adds bias and residual, overwrites c
  bool last = true;                 // of the blocks of K: applies slope and clip

  // Whether all there is to do is a bias and a clip.
  bool simple(const Epilogue& e) const {
    return first && last && e.alpha == 1 && e.slope == 1 && scale == nullptr && row_bias == nullptr &&
           residual == nullptr;
  }
};

// rows x (out.cols <= panel width) of C over k steps; b: a packed panel, its rows b_rs floats apart. Or the same for
// several panels side by side, full ones: then A is not packed, and nothing is asked for ahead.
struct GemmBlock {
  int64_t rows = 0, k = 0;
  const float* a = nullptr;
  int64_t a_rs = 0, a_cs = 1;
  int64_t a_strip = 0;  // A is packed by strips of rows (gemm/pack_tier.h), this many floats apart; 0: a_rs says it all
  const float* b = nullptr;
  int64_t b_rs = 0;
  int64_t panels = 1, b_panel = 0;  // their number, and floats between those of B
  const float* ahead = nullptr;     // k rows of a packed panel that are read next, to be asked for meanwhile; or null
  const Epilogue* epilogue = nullptr;
  TileOut out;
};

}  // namespace tc::kernels
