// Steps of f32 LSTM and GRU cells with sigmoid and tanh, and of plain ones. Products of the inputs, and those of all
// but the LSTM, are GEMM's.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tc/kernels/parallel.h"
#include "tc/kernels/simd/subnormals.h"
#include "tc/kernels/tier.h"

namespace tc::kernels {

// Rows are sequences of a batch. Units of an LSTM come in blocks of 16, whose gates i, o, f, c lie together:
// [blocks][4] [16], units beyond the last one zero.
inline constexpr int64_t kLstmUnits = 16, kLstmGates = 4 * kLstmUnits, kLstmRows = 64;

constexpr int64_t lstm_blocks(int64_t hidden) {
  return (hidden + kLstmUnits - 1) / kLstmUnits;
}

struct LstmArgs {
  int64_t rows = 0, hidden = 0;
  const float* gates = nullptr;   // of the inputs: [rows][blocks][4][16]
  const float* packed = nullptr;  // recurrent weights, hidden x blocks * 64, as gemm_pack leaves them
  // Or as whole numbers in the same order, which count byte_step each: a step of few rows takes as long as reading
  // them.
  const int8_t* packed_bytes = nullptr;
  float byte_step = 1;
  // Or as 22-bit integers (GemmForm::int22), for at most kMostFixedLstmRows. Sums of initial states above 1e25
  // overflow.
  const float* packed_fixed = nullptr;
  // Whether blocks come from the last one on. Every other step, of weights that a core's cache does not hold, finds
  // those that it has read last: a sequence of 64 steps, one row of 256 units, on Zen 5 0.62 to 0.54 ms. Not for steps
  // that threads share: each has blocks of its own, which its cache holds.
  bool downwards = false;
  const float* before = nullptr;    // [rows][hidden], the state before
  const float* peephole = nullptr;  // [3][hidden], for i, o, f; null: none
  float* c = nullptr;               // [rows][hidden], updated
  float* h = nullptr;               // [rows][hidden], the state after; not `before`
  // Where products go in split bf16 (gemm/split_amx.h): those of the weights, which split_weights writes, of `before`,
  // and of `h`, which the step writes; 64-byte aligned, lstm_split_bytes of each. Null: products go by whole factors.
  const std::byte *weight_split = nullptr, *before_split = nullptr;
  std::byte* h_split = nullptr;
};

// Of the bf16 pairs of `columns` x hidden numbers.
constexpr int64_t lstm_split_bytes(int64_t columns, int64_t hidden) {
  return (columns + 31) / 32 * 32 * ((hidden + 31) / 32 * 32) * 4;
}
// Fewer rows leave tiles empty, fewer steps do not make up for the conversion to split bf16.
inline constexpr int64_t kLeastSplitLstmRows = 12, kLeastSplitLstmSteps = 8;

// More would not read the weights in one go.
inline constexpr int64_t kMostFixedLstmRows = 3;

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

// A cell without gates, whose product with the state is done.
struct RnnArgs {
  int64_t rows = 0, hidden = 0;
  const float* sums = nullptr;  // [rows][hidden]
  float* out = nullptr;         // [rows][hidden], the state after
};

struct RnnTable {
  // Units of blocks [first, last) for rows [begin, end), at most kLstmRows.
  Slot<void(const LstmArgs&, int64_t first, int64_t last, int64_t begin, int64_t end)> lstm;
  // What follows the product: gates [rows][4][16].
  Slot<void(const LstmArgs&, const float* gates, int64_t block, int64_t begin, int64_t end)> lstm_cells;
  // Split bf16 of one block's packed weights, and of a state. Not every tier has them.
  Slot<void(const float* packed, int64_t hidden, int64_t block, std::byte* to)> split_weights;
  Slot<void(const float* state, int64_t rows, int64_t hidden, std::byte* to)> split_state;
  // Rows [begin, end).
  Slot<void(const GruArgs&, int64_t begin, int64_t end)> gru_reset;
  Slot<void(const GruArgs&, int64_t begin, int64_t end)> gru_update;
  Slot<void(const RnnArgs&, int64_t begin, int64_t end)> rnn_tanh;
  Slot<void(const RnnArgs&, int64_t begin, int64_t end)> rnn_relu;
};

// Runs a step, on this thread alone or on all of the team's.
inline void lstm_step(Team& team, const RnnTable& table, const LstmArgs& args, bool alone) {
  // A few microseconds of work to a tile; a few rows take as long as reading the weights does. A thread finds the
  // weights of its blocks in its own cache again.
  const int64_t cost = args.hidden * kLstmGates * std::max<int64_t>(args.rows, 4), count = lstm_blocks(args.hidden);
  const Tiling blocks = alone ? Tiling{count, count} : tile_by_cost(count, cost, 1 << 18), rows{args.rows, kLstmRows};
  parallel_for(team, blocks.count() * rows.count(), [&](int64_t tile, int) {
    const NoSubnormals flushed;
    const int64_t part = tile % rows.count(), first = tile / rows.count();
    table.lstm.fn(args, blocks.begin(first), blocks.end(first), rows.begin(part), rows.end(part));
  });
}

// Runs one of the GRU's or the plain cell's slots on all rows.
template <class Args>
void rnn_cells(Team& team, const Slot<void(const Args&, int64_t, int64_t)>& slot, const Args& args) {
  const Tiling tiling = tile_by_cost(args.rows, args.hidden, 4096);
  parallel_for(team, tiling.count(), [&](int64_t tile, int) { slot.fn(args, tiling.begin(tile), tiling.end(tile)); });
}

}  // namespace tc::kernels
