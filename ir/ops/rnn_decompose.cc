// Recurrent networks as scans over time: the input's products with the weights once for all steps, the rest step by
// step.
#include <limits>
#include <optional>

#include "tc/ir/grad.h"

namespace tc {
namespace {

struct CellState {
  Expr h;
  std::optional<Expr> c;
};

// One direction's weights as a step sees them, captured by the scan's body.
struct Cell {
  int64_t hidden;
  std::vector<RnnFunction> f;
  std::optional<double> clip;
  Value* r;               // [hidden, gates * hidden]
  Value* recurrent_bias;  // [gates * hidden], or null
  Value* peepholes;       // [3 * hidden], or null
  bool option;            // linear_before_reset or input_forget

  Expr enter(size_t k, Expr v) const {
    if (clip) v = {v.builder(), v.builder().make<Clip>({v, v.number(-*clip), v.number(*clip)})};
    return function(k, v);
  }
  Expr function(size_t k, Expr v) const {
    return {v.builder(), f[k].activation->build(v.builder(), v, f[k].alpha, f[k].beta)};
  }
  // Columns of gate k, of `count` gates.
  Expr gate(Builder& b, Value* v, int64_t k, int64_t count = 1) const {
    return {b, b.make<Slice>({v, b.ints({k * hidden}), b.ints({(k + count) * hidden}), b.ints({-1})})};
  }
};

Expr product(Builder& b, Value* x, Value* y) {
  return {b, b.make<MatMul>({x, y})};
}

// The next state, from the input's share of the gates.
CellState step(const Cell& cell, OpId op, Expr x, const CellState& s) {
  Builder& b = x.builder();
  if (op == OpId::RNN) return {cell.enter(0, x + product(b, s.h, cell.r)), {}};
  if (op == OpId::LSTM) {
    const Expr gates = x + product(b, s.h, cell.r), c = *s.c;
    auto in = [&](int64_t k) { return cell.gate(b, gates, k); };
    auto peep = [&](Expr v, int64_t k, Expr state) {
      return cell.peepholes ? v + cell.gate(b, cell.peepholes, k) * state : v;
    };
    const Expr input = cell.enter(0, peep(in(0), 0, c));
    const Expr forget = cell.option ? 1 - input : cell.enter(0, peep(in(2), 2, c));
    const Expr next = forget * c + input * cell.enter(1, in(3));
    const Expr output = cell.enter(0, peep(in(1), 1, next));
    return {output * cell.function(2, next), next};
  }
  const Expr both = cell.enter(0, cell.gate(b, x, 0, 2) + product(b, s.h, cell.gate(b, cell.r, 0, 2)));
  const Expr z = cell.gate(b, both, 0), reset = cell.gate(b, both, 1), r = cell.gate(b, cell.r, 2);
  auto biased = [&](Expr v) { return cell.recurrent_bias ? v + cell.gate(b, cell.recurrent_bias, 2) : v; };
  const Expr share = cell.option ? reset * biased(product(b, s.h, r)) : biased(product(b, reset * s.h, r));
  return {(1 - z) * cell.enter(1, cell.gate(b, x, 2) + share) + z * s.h, {}};
}

struct RnnForm {
  int64_t gates;
  int functions;
  bool option, has_cell;
  std::initializer_list<std::string_view> defaults;
};

template <class Op>
std::vector<Value*> decompose_recurrent(Builder& b, const Node& node, const RnnForm& form) {
  const auto& a = node.attrs<Op>();
  const bool batch_first = a.layout != 0;
  const int64_t directions = a.direction == RnnDirection::bidirectional ? 2 : 1;
  const Shape &xs = node.operand(0)->shape(), &rs = node.operand(2)->shape();
  if (!xs.ranked() || !rs.ranked() || !rs[2].is_const())
    throw Error({ErrorCode::unsupported,
                 cat(node.op(), " of unknown rank or hidden size has no simpler form"),
                 node.location(),
                 {},
                 {}});
  const int64_t hidden = rs[2].value(), width = form.gates * hidden;
  const auto functions = rnn_functions(a.activations, a.activation_alpha, a.activation_beta, directions, form.defaults);
  Value* x = batch_first ? transpose(b, node.operand(0), {1, 0, 2}) : node.operand(0);
  Value *time = extent_of(b, x, 0), *batch = extent_of(b, x, 1);
  Value* mask = nullptr;  // [time, batch, 1]: the step is within the sequence
  if (node.operand(4)) {
    const Expr steps(b, unsqueeze(b, iota(b, time), {1}));
    const Expr lengths(b, unsqueeze(b, Expr(b, node.operand(4)).cast(DType::i64), {0}));
    mask = unsqueeze(b, steps < lengths, {2});
  }
  auto part = [&](int operand, int64_t d) -> Value* {
    return node.operand(operand) ? b.make<Gather>({node.operand(operand), b.scalar(d)}) : nullptr;
  };
  auto initial = [&](int operand, int64_t d) -> Value* {
    if (!node.operand(operand)) return full(b, join_ints(b, {batch, b.ints({hidden})}), x->dtype(), 0);
    return b.make<Gather>({node.operand(operand), b.scalar(d)}, {.axis = batch_first ? 1 : 0});
  };
  std::vector<std::vector<Value*>> results(3);
  for (int64_t d = 0; d < directions; ++d) {
    const auto first = functions.begin() + static_cast<std::ptrdiff_t>(d) * form.functions;
    Cell cell{hidden,  {first, first + form.functions},      {},         transpose(b, part(2, d), {1, 0}),
              nullptr, form.has_cell ? part(7, d) : nullptr, form.option};
    if (a.clip && *a.clip > 0) cell.clip = a.clip;
    Expr projected = product(b, x, transpose(b, part(1, d), {1, 0}));
    if (Value* bias = part(3, d)) {
      auto half = [&](int64_t from, int64_t to) {
        return Expr(b, b.make<Slice>({bias, b.ints({from}), b.ints({to}), b.ints({0})}));
      };
      cell.recurrent_bias = half(width, 2 * width);
      projected = projected + half(0, width);
      // A GRU's hidden gate adds its recurrent bias itself.
      if (id_of<Op> == OpId::GRU) {
        Value* others = b.make<Pad>({half(width, width + 2 * hidden), b.ints({0, hidden})});
        projected = projected + Expr(b, others);
      } else {
        projected = projected + Expr(b, cell.recurrent_bias);
      }
    }
    std::vector<Value*> operands{initial(5, d)};
    if (form.has_cell) operands.push_back(initial(6, d));
    const size_t states = operands.size();
    operands.push_back(projected);
    if (mask) operands.push_back(mask);

    auto body = std::make_unique<Graph>(b.module());
    for (size_t i = 0; i < operands.size(); ++i) {
      Dims dims = operands[i]->shape().dims();
      if (i >= states) dims.erase(dims.begin());
      body->add_input(Type::tensor(operands[i]->dtype(), Shape(std::move(dims))));
    }
    Builder inner(*body);
    auto in = [&](size_t i) { return Expr(inner, body->input(static_cast<int>(i))); };
    const CellState before{in(0), form.has_cell ? std::optional(in(1)) : std::nullopt};
    CellState after = step(cell, id_of<Op>, in(states), before);
    std::vector<Value*> outputs;
    auto masked = [&](Expr now, Expr otherwise) { return mask ? where(in(states + 1), now, otherwise) : now; };
    outputs.push_back(masked(after.h, before.h));
    if (after.c && before.c) outputs.push_back(masked(*after.c, *before.c));
    outputs.push_back(mask ? where(in(states + 1), after.h, 0) : Expr(inner, inner.make<Identity>({after.h})));
    body->set_outputs(outputs);
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(std::move(body));
    const int64_t reverse = a.direction == RnnDirection::reverse || d == 1;
    const std::vector<int64_t> inputs(operands.size() - states, reverse);
    const Node* scan = b.make_n<Scan>(operands, {static_cast<int64_t>(inputs.size()), {}, inputs, {}, {reverse}},
                                      static_cast<int>(states) + 1, std::move(regions));
    results[0].push_back(unsqueeze(b, scan->result(static_cast<int>(states)), {1}));
    for (size_t k = 0; k < states; ++k)
      results[k + 1].push_back(unsqueeze(b, scan->result(static_cast<int>(k)), {batch_first ? 1 : 0}));
  }
  auto joined = [&](const std::vector<Value*>& parts, int64_t axis) {
    return parts.size() == 1 ? parts[0] : b.make<Concat>(parts, {axis});
  };
  Value* y = joined(results[0], 1);
  std::vector<Value*> all{batch_first ? transpose(b, y, {2, 0, 1, 3}) : y};
  for (int j = 1; j < node.num_results(); ++j)
    all.push_back(joined(results[static_cast<size_t>(j)], batch_first ? 1 : 0));
  return all;
}

}  // namespace

std::vector<Value*> RNN::decompose(Builder& b, const Node& node) {
  return decompose_recurrent<RNN>(b, node, {1, 1, false, false, {"tanh"}});
}
std::vector<Value*> GRU::decompose(Builder& b, const Node& node) {
  return decompose_recurrent<GRU>(b, node, {3, 2, node.attrs<GRU>().linear_before_reset, false, {"sigmoid", "tanh"}});
}
std::vector<Value*> LSTM::decompose(Builder& b, const Node& node) {
  return decompose_recurrent<LSTM>(b, node, {4, 3, node.attrs<LSTM>().input_forget, true, {"sigmoid", "tanh", "tanh"}});
}

}  // namespace tc
