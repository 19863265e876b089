// LSTM, GRU and plain cells: one product for the inputs of many steps; then per step the product of the state and the
// cell's gates, which for the LSTM are one kernel.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "tc/backend/cpu/bind_rnn.h"

#include "tc/backend/cpu/bind.h"
#include "tc/backend/cpu/byte_grid.h"
#include "tc/kernels/gemm/gemm.h"
#include "tc/kernels/rnn/rnn.h"

namespace tc::cpu {
namespace {

using kernels::GemmArgs;
using kernels::GemmPlan;

// Rows of an LSTM's [4 n, k] weights, or biases with k = 1, in the order of its blocks; units beyond the last are zero.
void order_gates(const float* from, int64_t n, int64_t k, float* to) {
  const int64_t rows = kernels::lstm_blocks(n) * kernels::kLstmGates;
  for (int64_t row = 0; row < rows; ++row, to += k) {
    const int64_t gate = row % kernels::kLstmGates / kernels::kLstmUnits;
    const int64_t unit = row / kernels::kLstmGates * kernels::kLstmUnits + row % kernels::kLstmUnits;
    if (unit < n)
      std::copy_n(from + (gate * n + unit) * k, k, to);
    else
      std::fill_n(to, k, 0.0f);
  }
}

// Rows [first, first + count) of each direction's [rows, k] weights, as the transposed right side of a product. Those
// of an LSTM are in the order of its blocks, and always packed.
struct Weights {
  Slot slot = kNoSlot;            // at run time
  const float* packed = nullptr;  // or packed
  const int8_t* bytes = nullptr;  // or packed as whole numbers, which count steps[direction] each
  std::vector<float> steps;
  int64_t packed_floats = 0;  // of a direction
  int64_t rows = 0, first = 0, count = 0, k = 0;
  bool lstm = false;

  void pack(kernels::Team& team, const kernels::GemmTable& table, const float* from, float* work, float* to) const {
    from += first * k;
    if (lstm) {
      order_gates(from, rows / 4, k, work);
      from = work;
    }
    kernels::gemm_pack(team, table, from, 1, k, k, count, to);
  }
  // Floats that packing takes at run time.
  int64_t work_floats() const { return lstm && !packed && !bytes ? count * k + packed_floats : 0; }
  // The packed weights of a direction, or null.
  const float* find(const Frame& f, const kernels::GemmTable& table, int64_t direction, float* work) const {
    if (packed) return packed + direction * packed_floats;
    if (!lstm) return nullptr;
    pack(f.team(), table, unpacked(f, direction), work, work + count * k);
    return work + count * k;
  }
  const float* unpacked(const Frame& f, int64_t direction) const {
    return f.ptr<const float>(slot) + direction * rows * k;
  }
};

// Smaller recurrent weights stay in the second-level cache as floats.
constexpr int64_t kLeastByteWeights = int64_t{4} * 256 * 256;

// A step for each direction, or none.
std::vector<float> byte_steps(const Tensor& weights) {
  std::vector<float> steps;
  const size_t count = static_cast<size_t>(weights.size() / weights.extent(0));
  for (int64_t d = 0; d < weights.extent(0); ++d) {
    const auto step = byte_step({static_cast<const float*>(weights.data()) + static_cast<size_t>(d) * count, count});
    if (!step) return {};
    steps.push_back(*step);
  }
  return steps;
}

Weights bind_weights(Binder& b, int operand, int64_t first, int64_t count, bool lstm, bool recurrent = false) {
  Weights w;
  const kernels::GemmTable& table = b.table().gemm;
  w.rows = b.shape(operand)[1].value(), w.k = b.shape(operand)[2].value();
  w.first = first, w.count = lstm ? kernels::lstm_blocks(w.rows / 4) * kernels::kLstmGates : count;
  w.lstm = lstm;
  w.packed_floats = kernels::gemm_packed_floats(table.traits.fn(), w.k, w.count);
  const Tensor* t = b.constant(operand);
  if (!t || t->size() == 0) {
    w.slot = b.in(operand);
    return w;
  }
  const Tensor aligned = t->aligned_copy();
  const int64_t directions = t->extent(0);
  const auto pack = [&](int64_t d, float* work, float* to) {
    w.pack(kernels::Team::shared(), table, static_cast<const float*>(aligned.data()) + d * w.rows * w.k, work, to);
  };
  const auto work_floats = static_cast<size_t>(lstm ? w.count * w.k : 0);
  if (recurrent && w.rows * w.k >= kLeastByteWeights) w.steps = byte_steps(aligned);
  if (!w.steps.empty()) {
    w.bytes = static_cast<const int8_t*>(b.pack(
        operand, cat("rnn bytes ", table.pack_b.name), static_cast<size_t>(directions * w.packed_floats),
        [&](void* to) {
          std::vector<float> work(work_floats), packed(static_cast<size_t>(w.packed_floats));
          for (int64_t d = 0; d < directions; ++d) {
            pack(d, work.data(), packed.data());
            std::transform(packed.begin(), packed.end(), static_cast<int8_t*>(to) + d * w.packed_floats, [&](float v) {
              return static_cast<int8_t>(std::nearbyint(v / w.steps[static_cast<size_t>(d)]));
            });
          }
        }));
    return w;
  }
  w.packed = static_cast<const float*>(
      b.pack(operand, cat("rnn ", first, " ", w.count, " ", lstm, " ", table.pack_b.name),
             static_cast<size_t>(directions * w.packed_floats) * sizeof(float), [&](void* to) {
               std::vector<float> work(work_floats);
               for (int64_t d = 0; d < directions; ++d)
                 pack(d, work.data(), static_cast<float*>(to) + d * w.packed_floats);
             }));
  return w;
}

constexpr float kNothing = 0;

// Rows of inputs whose gates are computed at a time. Those of 256 units take 1 MB, which half stay in L2 until their
// steps read them: 64 steps of 16 rows 12.7 ms with 128 rows, 12.2 with 256, 13.1 with 1024.
constexpr int64_t kChunkRows = 256;

// One product of a step or of many inputs.
struct Product {
  GemmArgs args;
  GemmPlan plan;
  bool adds = false;  // to C

  // C = A W^T for `m` rows; C's rows are `c_rs` apart, and C is added to when `adds_to_c`.
  void prepare(Frame& f, const kernels::GemmTraits& traits, const Weights& w, int64_t m, int64_t c_rs, bool adds_to_c) {
    args = {};
    args.m = m, args.n = w.count, args.k = w.k;
    args.a_rs = w.k, args.b_rs = 1, args.b_cs = w.k, args.c_rs = c_rs;
    // That the right side is packed is all that a plan asks.
    args.packed_b = w.packed || w.lstm ? &kNothing : nullptr;
    adds = adds_to_c;
    if (adds) args.residual_rs = c_rs, args.residual_cs = 1;
    plan = kernels::gemm_plan(args, traits);
    f.need_scratch(kernels::gemm_scratch_bytes(plan, f.team().threads()));
  }
  void set(const Frame& f, const kernels::GemmTable& table, const Weights& w, int64_t direction, float* work) {
    args.packed_b = w.find(f, table, direction, work);
    if (!args.packed_b) args.b = w.unpacked(f, direction) + w.first * w.k;
  }
  void run(Frame& f, const kernels::GemmTable& table, const float* a, float* c) {
    args.a = a, args.c = c;
    args.epilogue.residual = adds ? c : nullptr;
    kernels::gemm(f.team(), table, args, plan);
  }
};

// Sequences of a batch that end before `time`.
struct Lengths {
  const int32_t* of = nullptr;  // each sequence's, or null
  int64_t batch = 0, units = 0;

  void check(int64_t time) const {
    for (int64_t i = 0; of && i < batch; ++i)
      if (of[i] < 0 || of[i] > time)
        fail(ErrorCode::bad_value, "a sequence of ", of[i], " steps in an input of ", time);
  }
  bool any_ended(int64_t t) const {
    return of && std::any_of(of, of + batch, [&](int32_t length) { return t >= length; });
  }
  // Rows of ended sequences become those of `from`, or zeros.
  void put_back(int64_t t, const float* from, float* to) const {
    for (int64_t i = 0; i < batch; ++i) {
      if (t < of[i]) continue;
      if (from)
        std::copy_n(from + i * units, units, to + i * units);
      else
        std::fill_n(to + i * units, units, 0.0f);
    }
  }
};

struct RnnState {
  Product input, input_rest;  // of `chunk` steps, and of those that are left
  Product gates, hidden;      // gates: the GRU's first two, or a plain cell's only one; hidden: the GRU's last one
  int64_t time = 0, batch = 0, chunk = 1;
  std::vector<float> values;  // all of the below
  float *bias = nullptr, *x_gates = nullptr, *c = nullptr, *h = nullptr, *zero = nullptr, *work = nullptr;
  float* reset = nullptr;  // the GRU's; the LSTM's c before a step that some sequences do not take
  std::byte *weight_halves = nullptr, *state_halves = nullptr;  // where recurrent products go by halves
};

template <class Op>
constexpr int kGates = std::is_same_v<Op, LSTM>  ? 4
                       : std::is_same_v<Op, GRU> ? 3
                                                 : 1;

bool default_activations(const std::vector<std::string>& names, std::initializer_list<std::string_view> defaults) {
  for (size_t i = 0; i < names.size(); ++i)
    if (find_rnn_activation(names[i]) != find_rnn_activation(*(defaults.begin() + i % defaults.size()))) return false;
  return true;
}

template <class Op>
bool rectifies(const typename Op::Attrs& a) {
  return std::is_same_v<Op, RNN> && !a.activations.empty() && default_activations(a.activations, {"Relu"});
}

template <class Op>
const char* refusal(const Node& n) {
  const auto& a = n.attrs<Op>();
  if (a.layout != 0) return "the batch comes first";
  if (a.clip) return "gates are clipped";
  const bool defaults = std::is_same_v<Op, LSTM>  ? default_activations(a.activations, {"Sigmoid", "Tanh", "Tanh"})
                        : std::is_same_v<Op, GRU> ? default_activations(a.activations, {"Sigmoid", "Tanh"})
                                                  : default_activations(a.activations, {"Tanh"}) || rectifies<Op>(a);
  if (!defaults) return "activations are not the default ones";
  if constexpr (std::is_same_v<Op, LSTM>)
    if (a.input_forget) return "input and forget gates are coupled";
  for (const int i : {1, 2})
    if (!n.operand(i)->shape().is_static()) return "extents of the weights are not fixed";
  return nullptr;
}

template <class Op>
bool bind_rnn(Binder& b) {
  constexpr bool kLstm = std::is_same_v<Op, LSTM>, kGru = std::is_same_v<Op, GRU>, kPlain = std::is_same_v<Op, RNN>;
  constexpr int64_t kG = kGates<Op>;
  const auto& a = b.attrs<Op>();
  if (b.dtype(0) != DType::f32) return b.refuse("element type is not f32");
  if (const char* reason = refusal<Op>(b.node())) return b.refuse(reason);
  const bool relu = rectifies<Op>(a);
  bool after = false;  // the GRU's reset comes after the product
  if constexpr (kGru) after = a.linear_before_reset;
  const int64_t directions = b.shape(1)[0].value(), n = b.shape(2)[2].value(), features = b.shape(1)[2].value();
  const bool reverse_first = a.direction == RnnDirection::reverse;
  const kernels::GemmTable& gemm = b.table().gemm;
  const kernels::RnnTable& table = b.table().rnn;
  const kernels::GemmTraits traits = gemm.traits.fn();

  const Slot x = b.in(0);
  const Weights w = bind_weights(b, 1, 0, kG * n, kLstm);
  const Weights r = bind_weights(b, 2, 0, kPlain ? n : 2 * n, kLstm, kLstm);
  const Weights r_hidden = kGru ? bind_weights(b, 2, 2 * n, n, false) : Weights{};
  const int64_t width = w.count;  // of a row of gates
  const auto optional_in = [&](int i) { return b.has(i) ? b.in(i) : kNoSlot; };
  const auto optional_out = [&](int j) { return b.wants(j) ? b.out(j) : kNoSlot; };
  const Slot bias = optional_in(3), sequence_lens = optional_in(4), h0 = optional_in(5);
  const Slot c0 = kLstm ? optional_in(6) : kNoSlot, peephole = kLstm ? optional_in(7) : kNoSlot;
  const Slot y = optional_out(0), y_h = optional_out(1), y_c = kLstm ? optional_out(2) : kNoSlot;
  b.flops = [=](const Frame& f) {
    const auto e = f.extents(x);
    return 2.0 * static_cast<double>(e[0] * e[1] * directions * kG * n) * static_cast<double>(features + n);
  };
  b.step<RnnState>(
      (kLstm  ? table.lstm.name
       : kGru ? table.gru_update.name
       : relu ? table.rnn_relu.name
              : table.rnn_tanh.name),
      [=, &table](Frame& f, RnnState& s) {
        const auto e = f.extents(x);
        if (e[2] != features) fail(ErrorCode::bad_shape, "x has ", e[2], " features, the weights have ", features);
        s.time = e[0], s.batch = e[1];
        const auto expect = [&](Slot slot, const Extents& extents, const char* what) {
          if (slot == kNoSlot) return;
          const auto given = f.extents(slot);
          if (!std::equal(given.begin(), given.end(), extents.begin(), extents.end()))
            fail(ErrorCode::bad_shape, what, " do not fit ", s.batch, " sequences of ", n, " units");
        };
        expect(sequence_lens, {s.batch}, "lengths");
        expect(h0, {directions, s.batch, n}, "initial states");
        expect(c0, {directions, s.batch, n}, "initial cells");
        expect(bias, {directions, 2 * kG * n}, "biases");
        expect(peephole, {directions, 3 * n}, "peephole weights");
        const int64_t state = (s.batch * n + 15) / 16 * 16, gates = (width + 15) / 16 * 16;
        s.chunk = std::clamp<int64_t>(kChunkRows / std::max<int64_t>(1, s.batch), 1, std::max<int64_t>(1, s.time));
        s.input.prepare(f, traits, w, s.chunk * s.batch, width, false);
        s.input_rest.prepare(f, traits, w, s.time % s.chunk * s.batch, width, false);
        if (!kLstm) s.gates.prepare(f, traits, r, s.batch, width, true);
        if (kGru) s.hidden.prepare(f, traits, r_hidden, s.batch, after ? n : width, !after);
        const int64_t work = (w.work_floats() + r.work_floats() + 15) / 16 * 16, sums = (kG * n + 15) / 16 * 16;
        const bool splits = kLstm && !r.bytes && table.split_weights.fn != nullptr &&
                            s.batch >= kernels::kLeastSplitLstmRows && s.time >= kernels::kLeastSplitLstmSteps;
        const int64_t weight_halves = splits ? kernels::lstm_split_bytes(width, n) / 4 : 0;
        const int64_t state_halves = splits ? kernels::lstm_split_bytes(s.batch, n) / 4 : 0;
        s.values.assign(static_cast<size_t>(gates + sums + s.chunk * s.batch * width + 5 * state + work +
                                            weight_halves + state_halves + 32),
                        0.0f);
        // Rows of gates start cache lines.
        float* at = s.values.data();
        at += (64 - reinterpret_cast<uintptr_t>(at) % 64) % 64 / sizeof(float);
        s.bias = at, at += gates + sums;
        s.c = at, at += state;
        s.h = at, at += 2 * state;
        s.reset = at, at += state;
        s.zero = at, at += state;
        s.work = at, at += work;
        s.weight_halves = splits ? reinterpret_cast<std::byte*>(at) : nullptr, at += weight_halves;
        s.state_halves = splits ? reinterpret_cast<std::byte*>(at) : nullptr, at += state_halves;
        s.x_gates = at;
      },
      [=, &table, &gemm](Frame& f, RnnState& s) {
        auto* scratch = reinterpret_cast<float*>(f.scratch());
        for (Product* p : {&s.input, &s.input_rest, &s.gates, &s.hidden}) p->args.scratch = scratch;
        const int64_t state = s.batch * n;
        const bool has_lengths = sequence_lens != kNoSlot;
        const Lengths lengths{has_lengths ? f.ptr<const int32_t>(sequence_lens) : nullptr, s.batch, n};
        lengths.check(s.time);
        for (int64_t d = 0; d < directions; ++d) {
          float* hidden_bias = s.bias + (width + 15) / 16 * 16;
          std::fill(s.bias, hidden_bias + kG * n, 0.0f);
          if (bias != kNoSlot) {
            const float* wb = f.ptr<const float>(bias) + d * 2 * kG * n;
            const float* rb = wb + kG * n;
            float* sum = kLstm ? hidden_bias : s.bias;
            for (int64_t i = 0; i < kG * n; ++i) sum[i] = wb[i] + (after && i >= 2 * n ? 0.0f : rb[i]);
            if (kLstm) order_gates(sum, n, 1, s.bias);
            if (after) std::copy_n(rb + 2 * n, n, hidden_bias);
          }
          s.input.set(f, gemm, w, d, s.work);
          s.input_rest.args.packed_b = s.input.args.packed_b, s.input_rest.args.b = s.input.args.b;
          s.input.args.epilogue.bias = s.input_rest.args.epilogue.bias = s.bias;
          const float* recurrent = kLstm && !r.bytes ? r.find(f, gemm, d, s.work + w.work_floats()) : nullptr;
          if (s.weight_halves)
            kernels::parallel_for(f.team(), kernels::lstm_blocks(n), [&](int64_t block, int) {
              table.split_weights.fn(recurrent, n, block, s.weight_halves);
            });
          if (!kLstm) s.gates.set(f, gemm, r, d, nullptr);
          if (kGru) s.hidden.set(f, gemm, r_hidden, d, nullptr);
          s.hidden.args.epilogue.bias = after ? hidden_bias : nullptr;
          const float* h = h0 == kNoSlot ? s.zero : f.ptr<const float>(h0) + d * state;
          if (kLstm) {
            if (c0 == kNoSlot)
              std::fill_n(s.c, state, 0.0f);
            else
              std::copy_n(f.ptr<const float>(c0) + d * state, state, s.c);
          }
          const bool reverse = reverse_first || d == 1;
          for (int64_t i = 0; i < s.time; ++i) {
            const int64_t t = reverse ? s.time - 1 - i : i, in_chunk = i % s.chunk;
            const int64_t steps = std::min(s.chunk, s.time - (i - in_chunk));
            if (in_chunk == 0)
              (steps == s.chunk ? s.input : s.input_rest)
                  .run(f, gemm, f.ptr<const float>(x) + (reverse ? t + 1 - steps : t) * s.batch * features, s.x_gates);
            float* gates = s.x_gates + (reverse ? steps - 1 - in_chunk : in_chunk) * s.batch * width;
            float* const y_step = y == kNoSlot ? nullptr : f.ptr<float>(y) + (t * directions + d) * state;
            float* const out = y_step && !has_lengths ? y_step : s.h + i % 2 * ((state + 15) / 16 * 16);
            const bool some_ended = lengths.any_ended(t);
            if (kLstm && some_ended) std::copy_n(s.c, state, s.reset);
            if constexpr (kLstm) {
              const float* p = peephole == kNoSlot ? nullptr : f.ptr<const float>(peephole) + d * 3 * n;
              kernels::lstm_step(f.team(), table,
                                 {.rows = s.batch,
                                  .hidden = n,
                                  .gates = gates,
                                  .packed = recurrent,
                                  .packed_bytes = r.bytes ? r.bytes + d * r.packed_floats : nullptr,
                                  .byte_step = r.bytes ? r.steps[static_cast<size_t>(d)] : 1,
                                  .downwards = i % 2 == 1,
                                  .before = h,
                                  .peephole = p,
                                  .c = s.c,
                                  .h = out,
                                  .weight_halves = s.weight_halves,
                                  .state_halves = s.state_halves});
            } else if constexpr (kPlain) {
              s.gates.run(f, gemm, h, gates);
              kernels::rnn_cells(f.team(), relu ? table.rnn_relu : table.rnn_tanh,
                                 kernels::RnnArgs{s.batch, n, gates, out});
            } else {
              s.gates.run(f, gemm, h, gates);
              kernels::GruArgs cell{s.batch, n, gates, h, s.reset, after ? s.reset : nullptr, out};
              if (after) {
                s.hidden.run(f, gemm, h, s.reset);
              } else {
                kernels::rnn_cells(f.team(), table.gru_reset, cell);
                s.hidden.run(f, gemm, s.reset, gates + 2 * n);
              }
              kernels::rnn_cells(f.team(), table.gru_update, cell);
            }
            if (y_step && y_step != out) std::copy_n(out, state, y_step);
            if (some_ended) {
              lengths.put_back(t, h, out);
              if (kLstm) lengths.put_back(t, s.reset, s.c);
              if (y_step) lengths.put_back(t, nullptr, y_step);
            }
            h = out;
          }
          if (y_h != kNoSlot) std::copy_n(h, state, f.ptr<float>(y_h) + d * state);
          if (y_c != kNoSlot) std::copy_n(s.c, state, f.ptr<float>(y_c) + d * state);
        }
      });
  return true;
}

}  // namespace

const char* rnn_refusal(const Node& n) {
  switch (n.op()) {
    case OpId::LSTM:
      return refusal<LSTM>(n);
    case OpId::GRU:
      return refusal<GRU>(n);
    default:
      return refusal<RNN>(n);
  }
}

void rows_bind_rnn(BindRows& rows) {
  rows.push_back({OpId::LSTM, "lstm_f32", bind_rnn<LSTM>});
  rows.push_back({OpId::GRU, "gru_f32", bind_rnn<GRU>});
  rows.push_back({OpId::RNN, "rnn_f32", bind_rnn<RNN>});
}

}  // namespace tc::cpu
