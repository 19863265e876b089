// LSTM, GRU and plain cells: one product for the inputs of many steps; then per step the product of the state and the
// cell's gates, which for the LSTM are one kernel.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "tc/backend/cpu/bind/rnn.h"

#include "tc/backend/cpu/bind/bind.h"
#include "tc/backend/cpu/bind/byte_grid.h"
#include "tc/backend/cpu/bind/gemm_weights.h"
#include "tc/kernels/gemm/gemm.h"
#include "tc/kernels/rnn/rnn.h"
#include "tc/kernels/rounding.h"

namespace tc::cpu {
namespace {

using kernels::GemmArgs;
using kernels::GemmForm;
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
  Slot slot = kNoSlot;                // at run time
  const float* packed = nullptr;      // or packed
  bool fixed = false;                 // as 22-bit integers
  const float* split_bf16 = nullptr;  // or as split bf16, or both
  const int8_t* bytes = nullptr;      // or packed as whole numbers, which count steps[direction] each
  std::vector<float> steps;
  int64_t packed_floats = 0, split_floats = 0;  // of a direction
  int64_t rows = 0, first = 0, count = 0, k = 0;
  bool lstm = false;

  void pack(kernels::Team& team, const kernels::GemmTable& table, const float* from, float* work, float* to,
            GemmForm form = GemmForm::panels) const {
    from += first * k;
    if (lstm) {
      order_gates(from, rows / 4, k, work);
      from = work;
    }
    kernels::gemm_pack(team, table, from, 1, k, k, count, to, form);
  }
  // Floats that packing takes at run time.
  int64_t work_floats() const { return lstm && slot != kNoSlot ? count * k + packed_floats : 0; }
  // The packed weights of a direction, or null; those in split bf16.
  const float* find(const Frame& f, const kernels::GemmTable& table, int64_t direction, float* work) const {
    if (packed) return packed + direction * packed_floats;
    if (!lstm || split_bf16) return nullptr;
    pack(f.team(), table, unpacked(f, direction), work, work + count * k);
    return work + count * k;
  }
  const float* find_split(int64_t direction) const {
    return split_bf16 ? split_bf16 + direction * split_floats : nullptr;
  }
  const float* unpacked(const Frame& f, int64_t direction) const {
    return f.ptr<const float>(slot) + direction * rows * k;
  }
};

// Smaller recurrent weights stay in L2 as floats.
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

Weights bind_weights(Binder& b, int operand, int64_t first, int64_t count, bool lstm, bool recurrent) {
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
  const auto work_floats = static_cast<size_t>(lstm ? w.count * w.k : 0);
  const auto pack = [&](int64_t d, float* work, float* to, GemmForm form) {
    const float* from = static_cast<const float*>(aligned.data()) + d * w.rows * w.k;
    w.pack(kernels::Team::shared(), table, from, work, to, form);
  };
  if (lstm && recurrent && w.rows * w.k >= kLeastByteWeights) w.steps = byte_steps(aligned);
  if (!w.steps.empty()) {
    w.bytes = static_cast<const int8_t*>(b.pack(
        operand, cat("rnn bytes ", table.pack(GemmForm::panels).name),
        static_cast<size_t>(directions * w.packed_floats), [&](void* to) {
          std::vector<float> work(work_floats), packed(static_cast<size_t>(w.packed_floats));
          for (int64_t d = 0; d < directions; ++d) {
            pack(d, work.data(), packed.data(), GemmForm::panels);
            std::transform(packed.begin(), packed.end(), static_cast<int8_t*>(to) + d * w.packed_floats, [&](float v) {
              return static_cast<int8_t>(std::nearbyint(v / w.steps[static_cast<size_t>(d)]));
            });
          }
        }));
    return w;
  }
  const auto in_form = [&](GemmForm form, int64_t floats) {
    const auto fill = [&](void* to) {
      std::vector<float> work(work_floats);
      for (int64_t d = 0; d < directions; ++d) pack(d, work.data(), static_cast<float*>(to) + d * floats, form);
    };
    const std::string key = cat("rnn ", first, " ", w.count, " ", lstm, " ", table.pack(form).name);
    const auto bytes = static_cast<size_t>(directions * floats) * sizeof(float);
    return static_cast<const float*>(b.pack(operand, key, bytes, fill));
  };
  // A step reads anew what the caches of two cores that share it do not hold. 32 steps of a row, one thread and two,
  // floats and 22-bit integers, a busy Xeon with 2 MB each: a GRU of 1024 units 20/10.2 and 13.0/6.5 ms, of 512 4.3/1.0
  // and 2.6/1.5; an LSTM of 1024 25/13.0 and 18/9.9.
  const Dim batch = b.shape(0).ranked() ? b.shape(0)[1] : Dim();
  const int64_t most = most_fixed_rows(table.traits.fn(), static_cast<size_t>(t->size()) * sizeof(float) / 2);
  const int64_t few = lstm ? std::min(most, kernels::kMostFixedLstmRows) : most;
  if (recurrent && batch.is_const() && batch.value() <= few) {
    const int64_t floats = kernels::gemm_packed_floats(table.traits.fn(), w.k, w.count, GemmForm::int22);
    const float* fixed = in_form(GemmForm::int22, floats);
    w.fixed = true;
    for (int64_t d = 0; d < directions; ++d)
      w.fixed &= kernels::gemm_fixed_holds(table.traits.fn(), fixed + d * floats, w.k, w.count);
    if (w.fixed) {
      w.packed = fixed, w.packed_floats = floats;
      return w;
    }
  }
  // A step's product may be one of few rows.
  const bool small = w.k * w.count <= kBothForms;
  if (kernels::gemm_form(table.traits.fn(), w.k, w.count) == GemmForm::split_bf16 && (small || !recurrent)) {
    w.split_floats = kernels::gemm_packed_floats(table.traits.fn(), w.k, w.count, GemmForm::split_bf16);
    w.split_bf16 = in_form(GemmForm::split_bf16, w.split_floats);
  }
  if (!w.split_bf16 || small) w.packed = in_form(GemmForm::panels, w.packed_floats);
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
    // How the right side is packed is all that a plan asks.
    args.packed_b = w.packed || (w.lstm && !w.split_bf16) ? &kNothing : nullptr;
    if (w.fixed) args.form = GemmForm::int22;
    args.split_bf16 = w.split_bf16 ? &kNothing : nullptr;
    adds = adds_to_c;
    if (adds) args.residual_rs = c_rs, args.residual_cs = 1;
    plan = kernels::gemm_plan(args, traits);
    f.need_scratch(kernels::gemm_scratch_bytes(plan, f.team().threads()));
  }
  // Whether two threads that run it at once would write to the same scratch memory.
  bool shares_memory() const { return plan.shared_floats > 0; }
  void set(const Frame& f, const kernels::GemmTable& table, const Weights& w, int64_t direction, float* work) {
    args.packed_b = w.find(f, table, direction, work);
    args.split_bf16 = w.find_split(direction);
    if (!args.packed_b && !args.split_bf16) args.b = w.unpacked(f, direction) + w.first * w.k;
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

// What each direction has of its own.
struct Direction {
  Product input, input_rest;  // of `chunk` steps, and of those that are left
  Product gates, hidden;      // gates: the GRU's first two, or a plain cell's only one; hidden: the GRU's last one
  float *bias = nullptr, *hidden_bias = nullptr, *x_gates = nullptr, *c = nullptr, *h = nullptr, *work = nullptr;
  float* reset = nullptr;  // the GRU's; the LSTM's c before a step that some sequences do not take
  // Where recurrent products go in split bf16; `made`: of weights that are not packed as such.
  const std::byte* weight_split = nullptr;
  std::byte *made_split = nullptr, *state_split[2] = {};  // of the state before every other step
  const float* recurrent = nullptr;                       // the LSTM's packed weights
  const float* initial = nullptr;                         // h before the first step
};

struct RnnState {
  int64_t time = 0, batch = 0, chunk = 1;
  // Whether each thread takes a direction, so that they meet once a chunk. Otherwise all share each step. Two threads,
  // two layers of 40 steps: of an LSTM of 128 units 0.59 to 0.29 ms, of a GRU 0.34 to 0.23.
  bool apart = false;
  std::vector<float> values;  // of all directions, and zeros
  const float* zero = nullptr;
  std::vector<Direction> directions;
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

// What a step takes, roughly, and each of its products.
constexpr double kStepNs = 100, kProductNs = 0.01;

template <class Op>
class Rnn {
 public:
  explicit Rnn(Binder& b);

  const char* kernel_name() const {
    return kLstm   ? table_.lstm.name
           : kGru  ? table_.gru_update.name
           : relu_ ? table_.rnn_relu.name
                   : table_.rnn_tanh.name;
  }
  double flops(const Frame& f) const {
    const auto e = f.extents(x_);
    return 2.0 * static_cast<double>(e[0] * e[1] * directions_ * kG * n_) * static_cast<double>(features_ + n_);
  }
  void prepare(Frame& f, RnnState& s) const;
  void run(Frame& f, RnnState& s) const;

 private:
  static constexpr bool kLstm = std::is_same_v<Op, LSTM>, kGru = std::is_same_v<Op, GRU>,
                        kPlain = std::is_same_v<Op, RNN>;
  static constexpr int64_t kG = kGates<Op>;

  void check_extents(const Frame& f, int64_t batch) const;
  bool goes_apart(const Frame& f, const RnnState& s) const;
  // What comes before a direction's first step.
  void start(Frame& f, RnnState& s, int64_t d) const;
  // The inputs' gates of the chunk that begins with step `first`, counted in the direction's order.
  void inputs(Frame& f, RnnState& s, int64_t d, int64_t first) const;
  // The steps of that chunk.
  void steps(Frame& f, RnnState& s, int64_t d, int64_t first) const;
  Lengths lengths_of(const Frame& f, const RnnState& s) const {
    return {lens_ != kNoSlot ? f.ptr<const int32_t>(lens_) : nullptr, s.batch, n_};
  }
  // The state after a step; after none, the initial one.
  const float* state_after(const Frame& f, const RnnState& s, int64_t d, int64_t steps) const {
    return steps == 0 ? s.directions[static_cast<size_t>(d)].initial : out(f, s, d, steps - 1);
  }
  float* out(const Frame& f, const RnnState& s, int64_t d, int64_t i) const {
    if (y_ != kNoSlot && lens_ == kNoSlot) return y_of(f, s, d, i);
    return s.directions[static_cast<size_t>(d)].h + i % 2 * round_up(s.batch * n_);
  }
  float* y_of(const Frame& f, const RnnState& s, int64_t d, int64_t i) const {
    return f.ptr<float>(y_) + (time_of(s, d, i) * directions_ + d) * s.batch * n_;
  }
  int64_t time_of(const RnnState& s, int64_t d, int64_t i) const { return reverse(d) ? s.time - 1 - i : i; }
  bool reverse(int64_t d) const { return reverse_first_ || d == 1; }
  // Pieces of memory start cache lines.
  static int64_t round_up(int64_t floats) { return kernels::round_up(floats, 16); }

  const kernels::GemmTable& gemm_;
  const kernels::RnnTable& table_;
  bool relu_, after_ = false;  // after: the GRU's reset comes after the product
  bool reverse_first_;
  int64_t directions_, n_, features_, width_;  // width: of a row of gates
  Weights w_, r_, r_hidden_;
  Slot x_, bias_, lens_, h0_, c0_, peephole_, y_, y_h_, y_c_;
};

template <class Op>
Rnn<Op>::Rnn(Binder& b)
    : gemm_(b.table().gemm),
      table_(b.table().rnn),
      relu_(rectifies<Op>(b.attrs<Op>())),
      reverse_first_(b.attrs<Op>().direction == RnnDirection::reverse),
      directions_(b.shape(1)[0].value()),
      n_(b.shape(2)[2].value()),
      features_(b.shape(1)[2].value()) {
  if constexpr (kGru) after_ = b.attrs<Op>().linear_before_reset;
  const auto optional_in = [&](int i) { return b.has(i) ? b.in(i) : kNoSlot; };
  const auto optional_out = [&](int j) { return b.wants(j) ? b.out(j) : kNoSlot; };
  x_ = b.in(0);
  w_ = bind_weights(b, 1, 0, kG * n_, kLstm, false);
  r_ = bind_weights(b, 2, 0, kPlain ? n_ : 2 * n_, kLstm, true);
  if (kGru) r_hidden_ = bind_weights(b, 2, 2 * n_, n_, false, true);
  width_ = w_.count;
  bias_ = optional_in(3), lens_ = optional_in(4), h0_ = optional_in(5);
  c0_ = kLstm ? optional_in(6) : kNoSlot, peephole_ = kLstm ? optional_in(7) : kNoSlot;
  y_ = optional_out(0), y_h_ = optional_out(1), y_c_ = kLstm ? optional_out(2) : kNoSlot;
}

template <class Op>
void Rnn<Op>::check_extents(const Frame& f, int64_t batch) const {
  const auto expect = [&](Slot slot, const Extents& extents, const char* what) {
    if (slot == kNoSlot) return;
    const auto given = f.extents(slot);
    if (!std::equal(given.begin(), given.end(), extents.begin(), extents.end()))
      fail(ErrorCode::bad_shape, what, " do not fit ", batch, " sequences of ", n_, " units");
  };
  expect(lens_, {batch}, "lengths");
  expect(h0_, {directions_, batch, n_}, "initial states");
  expect(c0_, {directions_, batch, n_}, "initial cells");
  expect(bias_, {directions_, 2 * kG * n_}, "biases");
  expect(peephole_, {directions_, 3 * n_}, "peephole weights");
}

template <class Op>
bool Rnn<Op>::goes_apart(const Frame& f, const RnnState& s) const {
  const int threads = f.team().threads();
  return threads > 1 && threads <= directions_ && !s.directions[0].gates.shares_memory() &&
         !s.directions[0].hidden.shares_memory();
}

template <class Op>
void Rnn<Op>::prepare(Frame& f, RnnState& s) const {
  const kernels::GemmTraits traits = gemm_.traits.fn();
  const auto e = f.extents(x_);
  if (e[2] != features_) fail(ErrorCode::bad_shape, "x has ", e[2], " features, the weights have ", features_);
  s.time = e[0], s.batch = e[1];
  check_extents(f, s.batch);
  s.chunk = std::clamp<int64_t>(kChunkRows / std::max<int64_t>(1, s.batch), 1, std::max<int64_t>(1, s.time));
  Direction proto;
  proto.input.prepare(f, traits, w_, s.chunk * s.batch, width_, false);
  proto.input_rest.prepare(f, traits, w_, s.time % s.chunk * s.batch, width_, false);
  if (!kLstm) proto.gates.prepare(f, traits, r_, s.batch, width_, true);
  if (kGru) proto.hidden.prepare(f, traits, r_hidden_, s.batch, after_ ? n_ : width_, !after_);
  const bool splits = kLstm && !r_.bytes && table_.split_weights.fn != nullptr &&
                      s.batch >= kernels::kLeastSplitLstmRows && s.time >= kernels::kLeastSplitLstmSteps;
  float* base = nullptr;
  int64_t taken = 0;
  const auto take = [&](int64_t floats) {
    float* const piece = base ? base + taken : nullptr;
    taken += round_up(floats);
    return piece;
  };
  const int64_t state = s.batch * n_;
  const auto lay_out = [&] {
    taken = 0;
    s.zero = take(state);
    for (Direction& d : s.directions) {
      d.bias = take(width_), d.hidden_bias = take(kG * n_);
      d.c = take(state), d.h = take(2 * round_up(state)), d.reset = take(state);
      d.work = take(w_.work_floats() + r_.work_floats());
      if (splits) {
        if (!r_.split_bf16)
          d.made_split = reinterpret_cast<std::byte*>(take(kernels::lstm_split_bytes(width_, n_) / 4));
        for (std::byte*& split_bf16 : d.state_split)
          split_bf16 = reinterpret_cast<std::byte*>(take(kernels::lstm_split_bytes(s.batch, n_) / 4));
      }
      d.x_gates = take(s.chunk * s.batch * width_);
    }
  };
  s.directions.assign(static_cast<size_t>(directions_), proto);
  lay_out();  // how much that is
  s.values.assign(static_cast<size_t>(taken + 16), 0.0f);
  base = s.values.data() + (64 - reinterpret_cast<uintptr_t>(s.values.data()) % 64) % 64 / sizeof(float);
  lay_out();
  s.apart = goes_apart(f, s);
}

template <class Op>
void Rnn<Op>::start(Frame& f, RnnState& s, int64_t d) const {
  Direction& own = s.directions[static_cast<size_t>(d)];
  auto* scratch = reinterpret_cast<float*>(f.scratch());
  for (Product* p : {&own.input, &own.input_rest, &own.gates, &own.hidden}) p->args.scratch = scratch;
  std::fill_n(own.bias, width_, 0.0f);
  std::fill_n(own.hidden_bias, kG * n_, 0.0f);
  if (bias_ != kNoSlot) {
    const float* wb = f.ptr<const float>(bias_) + d * 2 * kG * n_;
    const float* rb = wb + kG * n_;
    float* sum = kLstm ? own.hidden_bias : own.bias;
    for (int64_t i = 0; i < kG * n_; ++i) sum[i] = wb[i] + (after_ && i >= 2 * n_ ? 0.0f : rb[i]);
    if (kLstm) order_gates(sum, n_, 1, own.bias);
    if (after_) std::copy_n(rb + 2 * n_, n_, own.hidden_bias);
  }
  own.input.set(f, gemm_, w_, d, own.work);
  own.input_rest.args.packed_b = own.input.args.packed_b, own.input_rest.args.b = own.input.args.b;
  own.input_rest.args.split_bf16 = own.input.args.split_bf16;
  own.input.args.epilogue.bias = own.input_rest.args.epilogue.bias = own.bias;
  if (kLstm && !r_.bytes) own.recurrent = r_.find(f, gemm_, d, own.work + w_.work_floats());
  if (own.state_split[0])
    own.weight_split = r_.split_bf16 ? reinterpret_cast<const std::byte*>(r_.find_split(d)) : own.made_split;
  if (own.made_split)
    kernels::parallel_for(f.team(), kernels::lstm_blocks(n_), [&](int64_t block, int) {
      table_.split_weights.fn(own.recurrent, n_, block, own.made_split);
    });
  if (!kLstm) own.gates.set(f, gemm_, r_, d, nullptr);
  if (kGru) own.hidden.set(f, gemm_, r_hidden_, d, nullptr);
  own.hidden.args.epilogue.bias = after_ ? own.hidden_bias : nullptr;
  const int64_t state = s.batch * n_;
  own.initial = h0_ == kNoSlot ? s.zero : f.ptr<const float>(h0_) + d * state;
  if (kLstm) std::copy_n(c0_ == kNoSlot ? s.zero : f.ptr<const float>(c0_) + d * state, state, own.c);
}

template <class Op>
void Rnn<Op>::inputs(Frame& f, RnnState& s, int64_t d, int64_t first) const {
  Direction& own = s.directions[static_cast<size_t>(d)];
  const int64_t steps = std::min(s.chunk, s.time - first);
  const int64_t t = reverse(d) ? s.time - first - steps : first;
  (steps == s.chunk ? own.input : own.input_rest)
      .run(f, gemm_, f.ptr<const float>(x_) + t * s.batch * features_, own.x_gates);
}

template <class Op>
void Rnn<Op>::steps(Frame& f, RnnState& s, int64_t d, int64_t first) const {
  Direction& own = s.directions[static_cast<size_t>(d)];
  const int64_t count = std::min(s.chunk, s.time - first), state = s.batch * n_;
  const Lengths lengths = lengths_of(f, s);
  const bool alone = s.apart || f.team().threads() == 1;
  for (int64_t in_chunk = 0; in_chunk < count; ++in_chunk) {
    const int64_t i = first + in_chunk, t = time_of(s, d, i);
    float* gates = own.x_gates + (reverse(d) ? count - 1 - in_chunk : in_chunk) * s.batch * width_;
    const float* h = state_after(f, s, d, i);
    float* const to = out(f, s, d, i);
    const bool some_ended = lengths.any_ended(t);
    if constexpr (kLstm) {
      if (i == 0 && own.weight_split) table_.split_state.fn(h, s.batch, n_, own.state_split[0]);
      if (some_ended) std::copy_n(own.c, state, own.reset);
      kernels::lstm_step(f.team(), table_,
                         {.rows = s.batch,
                          .hidden = n_,
                          .gates = gates,
                          .packed = r_.fixed ? nullptr : own.recurrent,
                          .packed_bytes = r_.bytes ? r_.bytes + d * r_.packed_floats : nullptr,
                          .byte_step = r_.bytes ? r_.steps[static_cast<size_t>(d)] : 1,
                          .packed_fixed = r_.fixed ? own.recurrent : nullptr,
                          .downwards = alone && i % 2 == 1,
                          .before = h,
                          .peephole = peephole_ == kNoSlot ? nullptr : f.ptr<const float>(peephole_) + d * 3 * n_,
                          .c = own.c,
                          .h = to,
                          .weight_split = own.weight_split,
                          .before_split = own.state_split[i % 2],
                          .h_split = own.state_split[(i + 1) % 2]},
                         alone);
    } else if constexpr (kPlain) {
      own.gates.run(f, gemm_, h, gates);
      kernels::rnn_cells(f.team(), relu_ ? table_.rnn_relu : table_.rnn_tanh, kernels::RnnArgs{s.batch, n_, gates, to});
    } else {
      own.gates.run(f, gemm_, h, gates);
      kernels::GruArgs cell{s.batch, n_, gates, h, own.reset, after_ ? own.reset : nullptr, to};
      if (after_) {
        own.hidden.run(f, gemm_, h, own.reset);
      } else {
        kernels::rnn_cells(f.team(), table_.gru_reset, cell);
        own.hidden.run(f, gemm_, own.reset, gates + 2 * n_);
      }
      kernels::rnn_cells(f.team(), table_.gru_update, cell);
    }
    float* const y = y_ == kNoSlot ? nullptr : y_of(f, s, d, i);
    if (y && y != to) std::copy_n(to, state, y);
    if (some_ended) {
      lengths.put_back(t, h, to);
      if (kLstm && own.weight_split) table_.split_state.fn(to, s.batch, n_, own.state_split[(i + 1) % 2]);
      if (kLstm) lengths.put_back(t, own.reset, own.c);
      if (y) lengths.put_back(t, nullptr, y);
    }
  }
}

template <class Op>
void Rnn<Op>::run(Frame& f, RnnState& s) const {
  lengths_of(f, s).check(s.time);
  for (int64_t d = 0; d < directions_; ++d) start(f, s, d);
  if (s.apart) {
    for (int64_t first = 0; first < s.time; first += s.chunk) {
      for (int64_t d = 0; d < directions_; ++d) inputs(f, s, d, first);
      const double ns = kStepNs + kProductNs * static_cast<double>(s.batch * kG * n_ * n_);
      const int64_t steps_here = directions_ * std::min(s.chunk, s.time - first);
      kernels::parallel_for(f.team(), directions_, ns * static_cast<double>(steps_here),
                            [&](int64_t d, int) { steps(f, s, d, first); });
    }
  } else {
    for (int64_t d = 0; d < directions_; ++d)
      for (int64_t first = 0; first < s.time; first += s.chunk) {
        inputs(f, s, d, first);
        steps(f, s, d, first);
      }
  }
  const int64_t state = s.batch * n_;
  for (int64_t d = 0; d < directions_; ++d) {
    if (y_h_ != kNoSlot) std::copy_n(state_after(f, s, d, s.time), state, f.ptr<float>(y_h_) + d * state);
    if (y_c_ != kNoSlot) std::copy_n(s.directions[static_cast<size_t>(d)].c, state, f.ptr<float>(y_c_) + d * state);
  }
}

template <class Op>
bool bind_rnn(Binder& b) {
  if (b.dtype(0) != DType::f32) return b.refuse("element type is not f32");
  if (const char* reason = refusal<Op>(b.node())) return b.refuse(reason);
  const Rnn<Op> rnn(b);
  b.flops = [rnn](const Frame& f) { return rnn.flops(f); };
  b.step<RnnState>(
      rnn.kernel_name(), [rnn](Frame& f, RnnState& s) { rnn.prepare(f, s); },
      [rnn](Frame& f, RnnState& s) { rnn.run(f, s); });
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
