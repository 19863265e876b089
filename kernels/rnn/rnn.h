// What recurrent networks do between their products: the gates of f32 LSTM and GRU cells with sigmoid and tanh.
// Products of inputs, states and weights are GEMM's.
#pragma once
#include <cstdint>

#include "tc/kernels/parallel.h"
#include "tc/kernels/tier.h"

namespace tc::kernels {

// Rows are sequences of a batch. Gates i, o, f, c of a row lie `hidden` floats apart from each other.
struct LstmArgs {
  int64_t rows = 0, hidden = 0;
  const float* gates = nullptr;     // [rows][4][hidden]
  const float* peephole = nullptr;  // [3][hidden], for i, o, f; null: none
  float* c = nullptr;               // [rows][hidden], updated
  float* h = nullptr;               // [rows][hidden], written
};

// Gates z, r, h.
struct GruArgs {
  int64_t rows = 0, hidden = 0;
  const float* gates = nullptr;  // [rows][3][hidden]
  const float* h = nullptr;      // [rows][hidden], the state before
  // Reset before the product: r * h, which `reset` writes. After it: the product with its bias, which `update` scales.
  float* reset = nullptr;          // [rows][hidden]
  const float* product = nullptr;  // [rows][hidden]; null: the product is in the gates already
  float* out = nullptr;            // [rows][hidden], the state after; may be h
};

struct RnnTable {
  // Rows [begin, end).
  Slot<void(const LstmArgs&, int64_t begin, int64_t end)> lstm;
  Slot<void(const GruArgs&, int64_t begin, int64_t end)> gru_reset;
  Slot<void(const GruArgs&, int64_t begin, int64_t end)> gru_update;
};

// Runs one of the slots on all rows.
template <class Args>
void rnn_cells(Team& team, const Slot<void(const Args&, int64_t, int64_t)>& slot, const Args& args) {
  const Tiling tiling = tile_by_cost(args.rows, args.hidden, 4096);
  parallel_for(team, tiling.count(), [&](int64_t tile, int) { slot.fn(args, tiling.begin(tile), tiling.end(tile)); });
}

}  // namespace tc::kernels
