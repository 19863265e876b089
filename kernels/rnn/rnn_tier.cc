#include "tc/kernels/rnn/rnn.h"

#include "tc/kernels/elementwise/vec_math.h"
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

constexpr int kV = kLanes<float>;

// f(offset, tail) over the registers of a row.
template <class F>
TC_INLINE void for_registers(int64_t hidden, F&& f) {
  for (int64_t i = 0; i < hidden; i += kV) f(i, Tail<float>(hidden - i < kV ? static_cast<int>(hidden - i) : kV));
}

void lstm(const LstmArgs& a, int64_t begin, int64_t end) {
  const int64_t n = a.hidden;
  for (int64_t row = begin; row < end; ++row) {
    const float* gates = a.gates + row * 4 * n;
    float *c_row = a.c + row * n, *h_row = a.h + row * n;
    for_registers(n, [&](int64_t i, Tail<float> tail) {
      const VecF before = load(c_row + i, tail);
      VecF input = load(gates + i, tail), output = load(gates + n + i, tail), forget = load(gates + 2 * n + i, tail);
      if (a.peephole) {
        input = fma(load(a.peephole + i, tail), before, input);
        forget = fma(load(a.peephole + 2 * n + i, tail), before, forget);
      }
      const VecF added = vsigmoid(input) * vtanh(load(gates + 3 * n + i, tail));
      const VecF c = fma(vsigmoid(forget), before, added);
      if (a.peephole) output = fma(load(a.peephole + n + i, tail), c, output);
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
