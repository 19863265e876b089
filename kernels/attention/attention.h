// Attention of f32, blocked with a running softmax: the matrix of scores is never in memory as a whole. After T. Dao et
// al., "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness" (2022).
//
//   y = softmax(cap(scale * q k') + mask) v,  cap(x) = softcap * tanh(x / softcap), or x when softcap is 0
//
// Rows of which every score is -infinity or hidden are `hidden_rows`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tc/kernels/tier.h"

namespace tc::kernels {

class Team;

// Element (b, h, i, j) of an operand at data[b * batch + h * head + i * row + j].
template <class T>
struct HeadsView {
  T* data = nullptr;
  std::int64_t batch = 0, head = 0, row = 0;
};

// What is added to the scores; a zero stride broadcasts. Keys from `length` on are hidden.
struct AttentionMask {
  const float* bias = nullptr;                            // added, or
  const std::uint8_t* visible = nullptr;                  // 0: hidden
  std::int64_t batch = 0, head = 0, row = 0, column = 0;  // strides
  std::int64_t length = 0;
};

struct AttentionArgs {
  std::int64_t batch = 0, q_heads = 0, kv_heads = 0;  // q_heads is a multiple of kv_heads, and serves them in a row
  std::int64_t q_length = 0, kv_length = 0, head_size = 0, v_head_size = 0;
  HeadsView<const float> q, k, v;
  HeadsView<float> y;
  float scale = 1, softcap = 0;
  // Query i sees keys up to first + i; `first` is lengths[b] - q_length when there are lengths.
  bool causal = false;
  std::int64_t first = 0;
  const std::int64_t* lengths = nullptr;  // keys of each batch entry; those beyond are hidden
  AttentionMask mask;
  float hidden_rows = 0;
  float* scratch = nullptr;  // 64-byte aligned
};

// How the work is cut: a tile is a block of rows that share their keys, one head's queries or, when there is but one
// query, all heads of one key head.
struct AttentionPlan {
  bool grouped = false;
  bool split = false;          // in split bf16, on the tiles of AMX
  std::int64_t rows = 0;       // of a unit
  std::int64_t row_block = 1;  // rows of a tile
  std::int64_t key_block = 1;  // keys at a time
  std::int64_t units = 0;
  std::int64_t worker_floats = 0;

  std::int64_t blocks() const { return (rows + row_block - 1) / row_block; }
  std::int64_t tiles() const { return units * blocks(); }
};

struct AttentionTable {
  Slot<AttentionPlan(const AttentionArgs&)> plan;
  // One tile; worker < the number of threads that scratch was sized for.
  Slot<void(const AttentionArgs&, const AttentionPlan&, std::int64_t tile, int worker)> run;
};

std::size_t attention_scratch_bytes(const AttentionPlan& plan, int threads);
// args.scratch holds attention_scratch_bytes(plan, team.threads()).
void attention(Team& team, const AttentionTable& kernels, const AttentionArgs& args, const AttentionPlan& plan);

}  // namespace tc::kernels
