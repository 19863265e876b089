#include "tc/kernels/rnn/rnn.h"

#include <utility>

#include "tc/kernels/elementwise/vec_math.h"
#include "tc/kernels/gemm/int22_tier.h"
#include "tc/kernels/gemm/micro_tier.h"
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

constexpr int kV = kLanes<float>;

// Steps of the inner axis whose piece of a block's weights stays in L1: 32 KB.
constexpr int64_t kLstmSteps = 128;

TC_INLINE VecF load_weights(const float* w) {
  return load(w);
}
TC_INLINE VecF load_weights(const int8_t* w) {
  return to_float(load_i8(w));
}

TC_INLINE VecF load_weights(const std::byte* w) {
  return to_float(load_int22(w));
}

// Weights are floats, whole numbers that count byte_step each, or 22-bit integers with a scale for each column.
template <class W>
constexpr bool kFixed = std::is_same_v<W, std::byte>;
// Elements of W that a row of so many columns takes, and what lies before column `column` of n rows.
template <class W>
TC_INLINE constexpr int64_t row_of(int64_t columns) {
  return kFixed<W> ? int22_bytes(columns) : columns;
}
template <class W>
TC_INLINE constexpr int64_t column_of(int64_t n, int64_t column) {
  return kFixed<W> ? fixed_offset(n, column) * int64_t{sizeof(float)} : column * n;
}
// What a register of sums counts, from the end of the weights that these have met; of floats nothing else than 1.
template <class W>
TC_INLINE VecF unit_of(float unit, const W* end, int64_t column) {
  if constexpr (kFixed<W>)
    return load(fixed_scales(end) + column) * VecF(kInt22Left);
  else
    return VecF(unit);
}

// R rows of one panel's gates: sums += before * weights, for `steps` of the inner axis; whole numbers count `unit`
// each. Rows of `before` are n floats apart, of `sums` kLstmGates.
template <int R, class W>
void add_product(int64_t steps, const float* before, int64_t n, const W* weights, float unit, float* sums) {
  constexpr bool kWhole = !std::is_same_v<W, float>;
  Tile<R, kPanelVecs> t;
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < kPanelVecs; ++j) t.v[i][j] = kWhole ? f32(0.0f) : load(sums + i * kLstmGates + j * kVecFloats);
  }
  const auto step = [&](Tile<R, kPanelVecs> & tile) __attribute__((always_inline)) {
    if constexpr (kWhole) {
      tile.step_by(before, n, [&](int j) { return load_weights(weights + row_of<W>(j * kVecFloats)); });
    } else {
      tile.step(before, n, weights, 16);
    }
    ++before, weights += row_of<W>(kPanel);
  };
  if constexpr (R == 1) {
    // Sums of one row wait for themselves unless there are two of each.
    Tile<R, kPanelVecs> odd;
    odd.zero();
    for (int64_t p = 0; p + 2 <= steps; p += 2) step(t), step(odd);
    if (steps % 2 != 0) step(t);
    t.add(odd);
  } else if constexpr (!kWhole) {
    t.steps(before, n, weights, steps);
  } else {
    for (int64_t p = 0; p < steps; ++p) step(t);
  }
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < kPanelVecs; ++j) {
      float* to = sums + i * kLstmGates + j * kVecFloats;
      store(to, kWhole ? fma(unit_of(unit, weights, j * kVecFloats), t.v[i][j], load(to)) : t.v[i][j]);
    }
  }
}

// The same of one row and all gates of a block, from as many streams of weights as these have panels: with AVX2 four,
// which come faster from behind the first caches. 64 steps of 256 units on Zen 3: 1.94 to 1.77 ms.
constexpr bool kGatesTogether = kPanelVecs == 2;
template <class W>
void add_row(int64_t steps, const float* before, const W* weights, int64_t panel, float unit, const float* from,
             float* to) {
  constexpr int kPanels = kLstmGates / kPanel;
  Tile<kPanels, kPanelVecs> t;
  t.zero();
  for (int64_t p = 0; p < steps; ++p, weights += row_of<W>(kPanel)) {
    const VecF x(before[p]);
#pragma GCC unroll 4
    for (int q = 0; q < kPanels; ++q) {
#pragma GCC unroll 4
      for (int j = 0; j < kPanelVecs; ++j)
        t.v[q][j] = fma(x, load_weights(weights + q * panel + row_of<W>(j * kVecFloats)), t.v[q][j]);
    }
  }
#pragma GCC unroll 4
  for (int q = 0; q < kPanels; ++q) {
#pragma GCC unroll 4
    for (int j = 0; j < kPanelVecs; ++j) {
      const int at = q * kPanel + j * kVecFloats;
      store(to + at, fma(unit_of(unit, weights + q * panel, j * kVecFloats), t.v[q][j], load(from + at)));
    }
  }
}

template <class W>
using AddProduct = void (*)(int64_t, const float*, int64_t, const W*, float, float*);
template <class W, int... R>
AddProduct<W> add_product_of(int64_t rows, std::integer_sequence<int, R...>) {
  static constexpr AddProduct<W> kByRows[] = {add_product<R + 1, W>...};
  return kByRows[rows - 1];
}

// sigmoid(x) is 1 / d. Below -40 it stays at 4e-18, so that products of two such numbers are finite.
TC_INLINE VecF sigmoid_divisor(VecF x) {
  return f32(1.0f) + exp_normal(clip_nan(negate(x), f32(-40.0f), f32(40.0f)));
}
// tanh(x) is y / (y + 2) with y = expm1(2 x); from 2 x = 20 on it is 1.
TC_INLINE VecF tanh_dividend(VecF x) {
  const ExpPower e = exp_power(clip_nan(x + x, f32(-20.0f), f32(20.0f)));
  return fma(e.power, expm1_reduced(e.r), e.power - f32(1.0f));
}
// sigmoid(x) tanh(z) by one division.
TC_INLINE VecF sigmoid_tanh(VecF x, VecF z) {
  const VecF y = tanh_dividend(z);
  return y * inverse(sigmoid_divisor(x) * (y + f32(2.0f)));
}

// In two passes: a row's chain of dependent instructions from its gates to h is longer than what is in flight, so that
// few rows overlap. 16 rows, cycles of each: 85 to 63.
void lstm_cells(const LstmArgs& a, const float* gates, int64_t block, int64_t begin, int64_t end) {
  const int64_t n = a.hidden, first = block * kLstmUnits, rows = end - begin;
  const int64_t units = n - first < kLstmUnits ? n - first : kLstmUnits;
  const float* peephole = a.peephole ? a.peephole + first : nullptr;
  float *const c_rows = a.c + begin * n + first, *const h_rows = a.h + begin * n + first;
  for_registers(units, [&](int64_t i, Tail<float> tail) {
    for (int64_t row = 0; row < rows; ++row) {
      const float* gate = gates + row * kLstmGates + i;
      const VecF before = load(c_rows + row * n + i, tail);
      VecF input = load(gate), forget = load(gate + 2 * kLstmUnits);
      if (peephole) {
        input = fma(load(peephole + i, tail), before, input);
        forget = fma(load(peephole + 2 * n + i, tail), before, forget);
      }
      store(c_rows + row * n + i,
            before * inverse(sigmoid_divisor(forget)) + sigmoid_tanh(input, load(gate + 3 * kLstmUnits)), tail);
    }
    for (int64_t row = 0; row < rows; ++row) {
      const VecF c = load(c_rows + row * n + i, tail);
      VecF output = load(gates + row * kLstmGates + kLstmUnits + i);
      if (peephole) output = fma(load(peephole + n + i, tail), c, output);
      store(h_rows + row * n + i, sigmoid_tanh(output, c), tail);
    }
  });
}

// Sums of the gates of one block's units: [rows][4][16].
template <class W>
void lstm_gates(const LstmArgs& a, const W* packed, float unit, int64_t block, int64_t begin, int64_t end,
                float* gates) {
  const int64_t n = a.hidden, row_floats = lstm_blocks(n) * kLstmGates, rows = end - begin;
  constexpr int kRows = kMaxRows[kPanelVecs];
  const int64_t strips = (rows + kRows - 1) / kRows;
  const float* x_gates = a.gates + begin * row_floats + block * kLstmGates;
  const int64_t column0 = block * kLstmGates;
  if (kGatesTogether && rows == 1)
    return add_row(n, a.before + begin * n, packed + column_of<W>(n, column0), column_of<W>(n, kPanel), unit, x_gates,
                   gates);
  // From rows 4 KB apart, which meet in one set of L1: tile by tile these would be waited for.
  for (int64_t row = 0; row < rows; ++row) {
    const float* from = x_gates + row * row_floats;
#pragma GCC unroll 4
    for (int64_t i = 0; i < kLstmGates; i += kV) store(gates + row * kLstmGates + i, load(from + i));
  }
  // Few rows read a panel once, best in one go: 64 steps of a row 2.02 to 1.85 ms.
  const int64_t most = strips == 1 ? n : kLstmSteps;
  for (int64_t k = 0; k < n; k += most) {
    const int64_t steps = n - k < most ? n - k : most;
    for (int64_t column = 0; column < kLstmGates; column += kPanel) {
      const W* weights = packed + column_of<W>(n, column0 + column) + row_of<W>(k * kPanel);
      for (int64_t strip = 0, row = 0; strip < strips; ++strip) {
        const int64_t count = (rows - row) / (strips - strip);
        add_product_of<W>(count, std::make_integer_sequence<int, kRows>{})(
            steps, a.before + (begin + row) * n + k, n, weights, unit, gates + row * kLstmGates + column);
        row += count;
      }
    }
  }
}

// Of one row, cells follow the sums of as many blocks as there is room for: weights are read without a pause, and the
// blocks' chains of dependent instructions overlap. 64 steps of 256 units, one thread and two: AVX2 0.97 and 0.57 to
// 0.92 and 0.55 ms, AVX-512 0.82 and 0.52 to 0.81 and 0.50.
template <class W>
void lstm(const LstmArgs& a, const W* packed, float unit, int64_t first, int64_t last, int64_t begin, int64_t end) {
  alignas(64) float gates[kLstmRows * kLstmGates];
  const int64_t floats = (end - begin) * kLstmGates, together = end - begin == 1 ? kLstmRows : 1;
  for (int64_t done = 0, count; done < last - first; done += count) {
    count = last - first - done < together ? last - first - done : together;
    const auto block_of = [&](int64_t i) { return a.downwards ? last - 1 - done - i : first + done + i; };
    for (int64_t i = 0; i < count; ++i) lstm_gates(a, packed, unit, block_of(i), begin, end, gates + i * floats);
    for (int64_t i = 0; i < count; ++i) lstm_cells(a, gates + i * floats, block_of(i), begin, end);
  }
}

void lstm_of(const LstmArgs& a, int64_t first, int64_t last, int64_t begin, int64_t end) {
  if (a.packed_bytes != nullptr)
    lstm(a, a.packed_bytes, a.byte_step, first, last, begin, end);
  else if (a.packed_fixed != nullptr)
    lstm(a, reinterpret_cast<const std::byte*>(a.packed_fixed), 1.0f, first, last, begin, end);
  else
    lstm(a, a.packed, 1.0f, first, last, begin, end);
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

template <class F>
TC_INLINE void activate(const RnnArgs& a, int64_t begin, int64_t end, F f) {
  const float* sums = a.sums + begin * a.hidden;
  float* out = a.out + begin * a.hidden;
  for_registers((end - begin) * a.hidden,
                [&](int64_t i, Tail<float> tail) { store(out + i, f(load(sums + i, tail)), tail); });
}
void rnn_tanh(const RnnArgs& a, int64_t begin, int64_t end) {
  activate(a, begin, end, [](VecF x) { return vtanh(x); });
}
void rnn_relu(const RnnArgs& a, int64_t begin, int64_t end) {
  activate(a, begin, end, [](VecF x) { return vmax(f32(0.0f), x); });
}

}  // namespace

extern constinit const RnnTable TC_TIER_NAME(rnn_table);
constinit const RnnTable TC_TIER_NAME(rnn_table) = {
    .lstm = TC_KERNEL(lstm_of, "lstm_f32"),
    .lstm_cells = TC_KERNEL(lstm_cells, "lstm_f32_cells"),
    .split_weights = {},
    .split_state = {},
    .gru_reset = TC_KERNEL(gru_reset, "gru_f32_reset"),
    .gru_update = TC_KERNEL(gru_update, "gru_f32_update"),
    .rnn_tanh = TC_KERNEL(rnn_tanh, "rnn_f32_tanh"),
    .rnn_relu = TC_KERNEL(rnn_relu, "rnn_f32_relu"),
};

}  // namespace tc::kernels
