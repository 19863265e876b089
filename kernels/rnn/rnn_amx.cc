// Recurrent products of LSTM in split bf16. Compiled for AMX: of the tier that has it.
#include "tc/kernels/rnn/rnn_amx.h"

#include "tc/kernels/gemm/split_amx.h"

namespace tc::kernels {
namespace {

static_assert(kLstmGates == kPanel && kLstmGates == 2 * kStripCols);

// The table's own functions. Written once, with the tables.
RnnTable other;

TC_INLINE int64_t steps_of(int64_t hidden) {
  return ceil_div(hidden, kStep);
}

void split_weights(const float* packed, int64_t hidden, int64_t block, std::byte* to) {
  packed += block * kLstmGates * hidden;
  to += block * 2 * steps_of(hidden) * kStepBytes;
  for (int64_t col = 0; col < kLstmGates; col += kStripCols, to += steps_of(hidden) * kStepBytes)
    split_columns(packed + col, kPanel, 1, hidden, kStripCols, to);
}

// Bytes from the bf16 pairs of a state to those of a row's first step.
TC_INLINE int64_t row_at(int64_t row, int64_t hidden) {
  return row / kStripRows * steps_of(hidden) * kStepBytes + row % kStripRows * kRowBytes;
}

void split_state(const float* state, int64_t rows, int64_t hidden, std::byte* to) {
  for (int64_t row = 0; row < rows; ++row)
    split_row(state + row * hidden, 1, hidden, to + row_at(row, hidden), kStepBytes, 2 * kTileBytes);
}

// The same of the units of one block of `h`: half of a step, or the last one with what is beyond it. By each thread of
// what it has made, not by one of all: 64 steps of 16 rows and 256 units, two threads, 3.16 to 2.95 ms.
void split_units(const LstmArgs& a, int64_t block, int64_t begin, int64_t end) {
  static_assert(2 * kLstmUnits == kStep);
  const int64_t first = block * kLstmUnits;
  const __mmask16 units = lanes_below(a.hidden - first);
  const bool whole = block % 2 == 0 && block + 1 == lstm_blocks(a.hidden);
  const __mmask8 stored = whole ? 0xff : 0x0f;
  std::byte* to = a.h_split + block / 2 * kStepBytes + block % 2 * (kRowBytes / 2);
  for (int64_t row = begin; row < end; ++row) {
    const __m512 h = _mm512_maskz_loadu_ps(units, a.h + row * a.hidden + first);
    const Halves split_bf16 = split(h, _mm512_setzero_ps());
    std::byte* at = to + row_at(row, a.hidden);
    _mm512_mask_storeu_epi64(at, stored, split_bf16.high);
    _mm512_mask_storeu_epi64(at + 2 * kTileBytes, stored, split_bf16.low);
  }
}

void lstm_block(const LstmArgs& a, int64_t block, int64_t begin, int64_t end) {
  const int64_t steps = steps_of(a.hidden), row_floats = lstm_blocks(a.hidden) * kLstmGates;
  SplitSum sum = sum_of_strip();
  sum.blocks = steps;
  alignas(64) float gates[kLstmRows * kLstmGates], sums[kStripRows * kStripCols];
  {
    const TileScope tiles;
    for (int64_t row = begin; row < end; row += kStripRows) {
      const int64_t rows = least(kStripRows, end - row);
      sum.a = a.before_split + row_at(row, a.hidden);
      for (int64_t col = 0; col < kLstmGates; col += kStripCols) {
        sum.b = a.weight_split + (2 * block + col / kStripCols) * steps * kStepBytes;
        SplitAhead nothing;
        sum_split(rows, kStripCols, sum, nothing, sums);
        const float* x = a.gates + row * row_floats + block * kLstmGates + col;
        float* to = gates + (row - begin) * kLstmGates + col;
        for (int64_t i = 0; i < rows; ++i) {
          for (int64_t j = 0; j < kStripCols; j += kVecFloats)
            store(to + i * kLstmGates + j, load(sums + i * kStripCols + j) + load(x + i * row_floats + j));
        }
      }
    }
  }
  other.lstm_cells.fn(a, gates, block, begin, end);
  split_units(a, block, begin, end);
}

void lstm(const LstmArgs& a, int64_t first, int64_t last, int64_t begin, int64_t end) {
  if (a.weight_split == nullptr) return other.lstm.fn(a, first, last, begin, end);
  for (int64_t block = first; block < last; ++block) lstm_block(a, block, begin, end);
}

}  // namespace

void use_rnn_amx(RnnTable& table) {
  other = table;
  table.lstm = {lstm, "lstm_f32_split__amx"};
  table.split_weights = {split_weights, "lstm_f32_split_weights__amx"};
  table.split_state = {split_state, "lstm_f32_split_state__amx"};
}

}  // namespace tc::kernels
