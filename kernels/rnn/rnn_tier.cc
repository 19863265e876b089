#include "tc/kernels/rnn/rnn.h"

#include "tc/kernels/elementwise/vec_math.h"
#include "tc/kernels/gemm/block_tier.h"
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

constexpr int kV = kLanes<float>;

// f(offset, tail) over the registers of a row.
template <class F>
TC_INLINE void for_registers(int64_t hidden, F&& f) {
  for (int64_t i = 0; i < hidden; i += kV) f(i, Tail<float>(hidden - i < kV ? static_cast<int>(hidden - i) : kV));
}

// Steps of the inner axis whose piece of a block's weights stays in the first-level cache: 32 KB.
constexpr int64_t kLstmSteps = 128;

void lstm(const LstmArgs& a, int64_t block, int64_t begin, int64_t end) {
  const int64_t n = a.hidden, first = block * kLstmUnits, row_floats = lstm_blocks(n) * kLstmGates;
  const int64_t units = n - first < kLstmUnits ? n - first : kLstmUnits;
  const Epilogue none;
  alignas(64) float gates[kLstmRows * kLstmGates];
  GemmBlock g;
  g.rows = end - begin;
  g.a_rs = n;
  g.b_rs = kPanel;
  g.epilogue = &none;
  g.out.row = kLstmGates;
  g.out.residual_row = row_floats;
  g.out.cols = kPanel;
  for (int64_t k = 0; k < n; k += kLstmSteps) {
    g.k = n - k < kLstmSteps ? n - k : kLstmSteps;
    g.a = a.before + begin * n + k;
    g.out.first = k == 0;
    g.out.last = k + g.k == n;
    for (int64_t column = 0; column < kLstmGates; column += kPanel) {
      const int64_t at = first * 4 + column;
      g.b = a.packed + at * n + k * kPanel;
      g.out.c = gates + column;
      g.out.residual = a.gates + begin * row_floats + at;
      TC_TIER_NAME(gemm_block)(g);
    }
  }
  for (int64_t row = begin; row < end; ++row) {
    const float* gate = gates + (row - begin) * kLstmGates;
    const float* peephole = a.peephole ? a.peephole + first : nullptr;
    float *c_row = a.c + row * n + first, *h_row = a.h + row * n + first;
    for_registers(units, [&](int64_t i, Tail<float> tail) {
      const VecF before = load(c_row + i, tail);
      VecF input = load(gate + i), output = load(gate + kLstmUnits + i), forget = load(gate + 2 * kLstmUnits + i);
      if (peephole) {
        input = fma(load(peephole + i, tail), before, input);
        forget = fma(load(peephole + 2 * n + i, tail), before, forget);
      }
      const VecF added = vsigmoid(input) * vtanh(load(gate + 3 * kLstmUnits + i));
      const VecF c = fma(vsigmoid(forget), before, added);
      if (peephole) output = fma(load(peephole + n + i, tail), c, output);
      store(c_row + i, c, tail);
      store(h_row + i, vsigmoid(output) * vtanh(c), tail);
    });
  }
}

void gru_reset(const GruArgs& a, int64_t begin, int64_t end) {
  const int64_t n = a.hidden;
  for (int64_t row = begin; row < end; ++row)
    for_registers(n, [&](int64_t i, Tail<float> tail) {
      const VecF r = vsigmoid(load(a.gates + (row * 3 + 1) * n + i, tail));
      store(a.reset + row * n + i, r * load(a.h + row * n + i, tail), tail);
    });
}

void gru_update(const GruArgs& a, int64_t begin, int64_t end) {
  const int64_t n = a.hidden;
  for (int64_t row = begin; row < end; ++row) {
    const float* gates = a.gates + row * 3 * n;
    for_registers(n, [&](int64_t i, Tail<float> tail) {
      VecF hidden = load(gates + 2 * n + i, tail);
      if (a.product) hidden = fma(vsigmoid(load(gates + n + i, tail)), load(a.product + row * n + i, tail), hidden);
      const VecF z = vsigmoid(load(gates + i, tail)), candidate = vtanh(hidden), before = load(a.h + row * n + i, tail);
      store(a.out + row * n + i, fma(z, before, fnma(z, candidate, candidate)), tail);
    });
  }
}

}  // namespace

extern constinit const RnnTable TC_TIER_NAME(rnn_table);
constinit const RnnTable TC_TIER_NAME(rnn_table) = {
    .lstm = TC_KERNEL(lstm, "lstm_f32"),
    .gru_reset = TC_KERNEL(gru_reset, "gru_f32_reset"),
    .gru_update = TC_KERNEL(gru_update, "gru_f32_update"),
};

}  // namespace tc::kernels
