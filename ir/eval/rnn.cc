#include "tc/ir/ops/rnn.h"

#include <algorithm>

#include "tc/ir/eval/eval.h"

namespace tc {
namespace {

using Row = std::vector<double>;

double apply(const RnnFunction& f, double x) {
  return f.activation->apply(x, f.alpha, f.beta);
}

// One direction's weights, transposed so that the products run along contiguous gates.
struct Cell {
  int64_t features, hidden, gates;
  Row w, r;    // [features, gates * hidden], [hidden, gates * hidden]
  Row wb, rb;  // [gates * hidden]
  Row p;       // [3 * hidden], LSTM only
  std::vector<RnnFunction> f;
  double clip;  // infinity: none
  bool option;  // linear_before_reset or input_forget

  double enter(size_t k, double v) const { return apply(f[k], std::clamp(v, -clip, clip)); }
};

// y[j] += sum over i of x[i] * m[i, j], for j in [from, to) of rows of `width`.
void add_product(const double* x, const Row& m, int64_t width, int64_t from, int64_t to, double* y) {
  const auto rows = static_cast<int64_t>(m.size()) / std::max<int64_t>(width, 1);
  for (int64_t i = 0; i < rows; ++i) {
    const double factor = x[i], *row = m.data() + i * width;
    for (int64_t j = from; j < to; ++j) y[j] += factor * row[j];
  }
}

// `gate` holds W x + Wb + Rb (GRU: without the reset gate's share of Rb); h and c are updated in place.
void step(const Cell& cell, OpId op, Row& gate, Row& scratch, double* h, double* c) {
  const int64_t n = cell.hidden, width = n * cell.gates;
  auto at = [](const Row& row, int64_t i) { return row[static_cast<size_t>(i)]; };
  if (op == OpId::RNN) {
    add_product(h, cell.r, width, 0, width, gate.data());
    for (int64_t i = 0; i < n; ++i) h[i] = cell.enter(0, at(gate, i));
  } else if (op == OpId::LSTM) {
    add_product(h, cell.r, width, 0, width, gate.data());
    for (int64_t i = 0; i < n; ++i) {
      const bool peep = !cell.p.empty();
      const double input = cell.enter(0, at(gate, i) + (peep ? at(cell.p, i) * c[i] : 0));
      const double forget =
          cell.option ? 1 - input : cell.enter(0, at(gate, 2 * n + i) + (peep ? at(cell.p, 2 * n + i) * c[i] : 0));
      c[i] = forget * c[i] + input * cell.enter(1, at(gate, 3 * n + i));
      const double output = cell.enter(0, at(gate, n + i) + (peep ? at(cell.p, n + i) * c[i] : 0));
      h[i] = output * apply(cell.f[2], c[i]);
    }
  } else {
    add_product(h, cell.r, width, 0, 2 * n, gate.data());
    for (int64_t i = 0; i < 2 * n; ++i) gate[static_cast<size_t>(i)] = cell.enter(0, at(gate, i));
    // The hidden gate's recurrent part, with the reset gate before or after the product.
    std::fill(scratch.begin(), scratch.end(), 0.0);
    if (cell.option) {
      add_product(h, cell.r, width, 2 * n, width, scratch.data());
      for (int64_t i = 0; i < n; ++i)
        gate[static_cast<size_t>(2 * n + i)] += at(gate, n + i) * (at(scratch, 2 * n + i) + at(cell.rb, 2 * n + i));
    } else {
      for (int64_t i = 0; i < n; ++i) scratch[static_cast<size_t>(i)] = at(gate, n + i) * h[i];
      add_product(scratch.data(), cell.r, width, 2 * n, width, gate.data());
      for (int64_t i = 2 * n; i < width; ++i) gate[static_cast<size_t>(i)] += at(cell.rb, i);
    }
    for (int64_t i = 0; i < n; ++i) {
      const double z = at(gate, i);
      h[i] = (1 - z) * cell.enter(1, at(gate, 2 * n + i)) + z * h[i];
    }
  }
}

// The direction d's piece of a stacked [rows, columns] matrix, transposed.
Row transposed(const Row& m, int64_t d, int64_t rows, int64_t columns) {
  Row t(static_cast<size_t>(rows * columns));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      t[static_cast<size_t>(j * rows + i)] = m[static_cast<size_t>((d * rows + i) * columns + j)];
  return t;
}

template <class Op>
void eval_recurrent(EvalContext& ctx, int64_t gates, bool option, std::initializer_list<std::string_view> defaults) {
  const auto& a = ctx.attrs<Op>();
  constexpr OpId op = id_of<Op>;
  const Tensor &x = ctx.in(0), &w = ctx.in(1), &r = ctx.in(2);
  if (x.rank() != 3 || w.rank() != 3 || r.rank() != 3)
    ctx.fail(ErrorCode::bad_shape, "input and weights must have rank 3");
  const int64_t directions = a.direction == RnnDirection::bidirectional ? 2 : 1;
  const int64_t time = x.extent(a.layout ? 1 : 0), batch = x.extent(a.layout ? 0 : 1), features = x.extent(2),
                hidden = r.extent(2);
  if (hidden > int64_t{1} << 40) ctx.fail(ErrorCode::limit_size, "a hidden size of ", hidden);  // of empty weights
  const int64_t width = gates * hidden;
  auto expect = [&](int i, const Extents& e) {
    if (ctx.has(i) && ctx.in(i).extents() != e)
      ctx.fail(ErrorCode::bad_shape, "operand ", i, " is ", ctx.in(i).type(), ", expected extents ", Shape::of(e));
  };
  const Extents state = a.layout ? Extents{batch, directions, hidden} : Extents{directions, batch, hidden};
  expect(1, {directions, width, features});
  expect(2, {directions, width, hidden});
  expect(3, {directions, 2 * width});
  expect(4, {batch});
  expect(5, state);
  expect(6, state);
  expect(7, {directions, 3 * hidden});
  if (a.hidden_size && *a.hidden_size != hidden)
    ctx.fail(ErrorCode::bad_attribute, "hidden_size is ", *a.hidden_size, ", the weights' is ", hidden);
  auto optional = [&](int i) { return ctx.has(i) ? ctx.read<double>(i) : Row(); };
  const Row xs = ctx.read<double>(0), ws = ctx.read<double>(1), rs = ctx.read<double>(2), b = optional(3),
            p = optional(7);
  const Row h0 = optional(5), c0 = optional(6);
  std::vector<int64_t> lengths(static_cast<size_t>(batch), time);
  if (ctx.has(4)) lengths = ctx.ints(4);
  for (const int64_t l : lengths)
    if (l < 0 || l > time) ctx.fail(ErrorCode::bad_value, "a sequence of ", l, " steps in an input of ", time);
  const auto functions = rnn_functions(a.activations, a.activation_alpha, a.activation_beta, directions, defaults);

  const auto count = static_cast<size_t>(directions * batch * hidden);
  Row y(static_cast<size_t>(time) * count), y_h(count), y_c(count), gate(static_cast<size_t>(width)), scratch(gate);
  for (int64_t d = 0; d < directions; ++d) {
    Cell cell{features,
              hidden,
              gates,
              transposed(ws, d, width, features),
              transposed(rs, d, width, hidden),
              Row(static_cast<size_t>(width)),
              Row(static_cast<size_t>(width)),
              {},
              {},
              std::numeric_limits<double>::infinity(),
              option};
    if (!b.empty()) {
      cell.wb.assign(b.begin() + d * 2 * width, b.begin() + d * 2 * width + width);
      cell.rb.assign(b.begin() + d * 2 * width + width, b.begin() + (d + 1) * 2 * width);
    }
    if (!p.empty()) cell.p.assign(p.begin() + d * 3 * hidden, p.begin() + (d + 1) * 3 * hidden);
    const auto each = static_cast<std::ptrdiff_t>(defaults.size());
    cell.f.assign(functions.begin() + d * each, functions.begin() + (d + 1) * each);
    if (a.clip && *a.clip > 0) cell.clip = *a.clip;
    // A GRU's hidden gate adds its recurrent bias itself.
    Row bias = cell.wb;
    for (int64_t i = 0; i < (op == OpId::GRU ? 2 * hidden : width); ++i)
      bias[static_cast<size_t>(i)] += cell.rb[static_cast<size_t>(i)];
    const bool reverse = a.direction == RnnDirection::reverse || d == 1;
    for (int64_t n = 0; n < batch; ++n) {
      const int64_t at = (a.layout ? n * directions + d : d * batch + n) * hidden;
      double *h = y_h.data() + at, *c = y_c.data() + at;
      if (!h0.empty()) std::copy_n(h0.begin() + at, hidden, h);
      if (!c0.empty()) std::copy_n(c0.begin() + at, hidden, c);
      const int64_t length = lengths[static_cast<size_t>(n)];
      for (int64_t s = 0; s < length; ++s) {
        const int64_t t = reverse ? length - 1 - s : s;
        gate = bias;
        add_product(xs.data() + (a.layout ? n * time + t : t * batch + n) * features, cell.w, width, 0, width,
                    gate.data());
        step(cell, op, gate, scratch, h, c);
        const int64_t to = a.layout ? (n * time + t) * directions + d : (t * directions + d) * batch + n;
        std::copy_n(h, hidden, y.begin() + to * hidden);
      }
    }
  }
  ctx.write(0, a.layout ? Extents{batch, time, directions, hidden} : Extents{time, directions, batch, hidden}, y);
  ctx.write(1, state, y_h);
  if (op == OpId::LSTM) ctx.write(2, state, y_c);
}

}  // namespace

template <>
void eval<RNN>(EvalContext& ctx) {
  eval_recurrent<RNN>(ctx, 1, false, {"tanh"});
}

template <>
void eval<GRU>(EvalContext& ctx) {
  eval_recurrent<GRU>(ctx, 3, ctx.attrs<GRU>().linear_before_reset, {"sigmoid", "tanh"});
}

template <>
void eval<LSTM>(EvalContext& ctx) {
  eval_recurrent<LSTM>(ctx, 4, ctx.attrs<LSTM>().input_forget, {"sigmoid", "tanh", "tanh"});
}

}  // namespace tc
