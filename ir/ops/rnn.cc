#include "tc/ir/ops/rnn.h"

#include <algorithm>
#include <cmath>

#include "tc/ir/expr.h"

namespace tc {
namespace {

constexpr RnnActivation kActivations[] = {
    {"relu", 0, 0, 0, [](double x, double, double) { return x > 0 || std::isnan(x) ? x : 0; },
     [](Builder& b, Value* x, double, double) { return b.make<Relu>({x}); }},
    {"tanh", 0, 0, 0, [](double x, double, double) { return std::tanh(x); },
     [](Builder& b, Value* x, double, double) { return b.make<Tanh>({x}); }},
    {"sigmoid", 0, 0, 0, [](double x, double, double) { return 1 / (1 + std::exp(-x)); },
     [](Builder& b, Value* x, double, double) { return b.make<Sigmoid>({x}); }},
    {"softsign", 0, 0, 0, [](double x, double, double) { return x / (1 + std::abs(x)); },
     [](Builder& b, Value* x, double, double) { return b.make<Softsign>({x}); }},
    {"softplus", 0, 0, 0,
     [](double x, double, double) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); },
     [](Builder& b, Value* x, double, double) { return b.make<Softplus>({x}); }},
    {"leakyrelu", 1, 0.01, 0, [](double x, double a, double) { return x < 0 ? a * x : x; },
     [](Builder& b, Value* x, double alpha, double) { return b.make<LeakyRelu>({x}, {alpha}); }},
    {"thresholdedrelu", 1, 1, 0, [](double x, double a, double) { return x < a ? 0 : x; },
     [](Builder& b, Value* x, double alpha, double) -> Value* {
       const Expr v(b, x);
       return where(v < alpha, 0, v);
     }},
    {"elu", 1, 1, 0, [](double x, double a, double) { return x < 0 ? a * std::expm1(x) : x; },
     [](Builder& b, Value* x, double alpha, double) { return b.make<Elu>({x}, {alpha}); }},
    {"affine", 2, 1, 0, [](double x, double a, double b) { return a * x + b; },
     [](Builder& b, Value* x, double alpha, double beta) -> Value* { return alpha * Expr(b, x) + beta; }},
    {"scaledtanh", 2, 1, 1, [](double x, double a, double b) { return a * std::tanh(b * x); },
     [](Builder& b, Value* x, double alpha, double beta) -> Value* { return alpha * tanh(beta * Expr(b, x)); }},
    {"hardsigmoid", 2, 0.2, 0.5, [](double x, double a, double b) { return std::clamp(a * x + b, 0.0, 1.0); },
     [](Builder& b, Value* x, double alpha, double beta) {
       return b.make<HardSigmoid>({x}, {alpha, beta});
     }},
};

void expect_extent(InferContext& ctx, int operand, int axis, const Dim& expected) {
  const Shape& s = ctx.shape(operand);
  if (s.ranked() && s[axis].is_const() && expected.is_const() && !(s[axis] == expected))
    ctx.fail(ErrorCode::bad_shape, "operand ", operand, " is ", s, ", expected extent ", expected, " at dimension ",
             axis);
}

// Results y, then `states` final states; `gates` weight blocks and `functions` activations per direction.
template <class Op>
void infer_recurrent(InferContext& ctx, int gates, int states, int functions) {
  const auto& a = ctx.attrs<Op>();
  if (a.layout != 0 && a.layout != 1) ctx.fail(ErrorCode::bad_attribute, "layout is ", a.layout, ", expected 0 or 1");
  const int64_t directions = a.direction == RnnDirection::bidirectional ? 2 : 1;
  if (!a.activations.empty() && a.activations.size() != static_cast<size_t>(functions * directions))
    ctx.fail(ErrorCode::bad_attribute, a.activations.size(), " activations, expected ", functions * directions);
  for (const auto& name : a.activations)
    if (!find_rnn_activation(name)) ctx.fail(ErrorCode::bad_attribute, "unknown activation '", name, "'");
  for (const int i : {0, 1, 2}) ctx.expect_rank(i, 3);
  const Shape &x = ctx.shape(0), &w = ctx.shape(1), &r = ctx.shape(2);
  const Dim hidden = a.hidden_size ? Dim(*a.hidden_size) : r.ranked() ? r[2] : ctx.fresh();
  if (hidden.is_const() && hidden.value() < 0) ctx.fail(ErrorCode::bad_attribute, "hidden_size is ", hidden);
  const Dim time = x.ranked() ? x[a.layout ? 1 : 0] : ctx.fresh(),
            batch = x.ranked() ? x[a.layout ? 0 : 1] : ctx.fresh();
  const int state_batch = a.layout ? 0 : 1, state_direction = a.layout ? 1 : 0;
  for (const int i : {1, 2}) {
    expect_extent(ctx, i, 0, directions);
    expect_extent(ctx, i, 1, hidden * gates);
  }
  expect_extent(ctx, 2, 2, hidden);
  if (x.ranked() && w.ranked()) expect_extent(ctx, 1, 2, x[2]);
  for (const auto& [operand, blocks] : {std::pair{3, 2 * gates}, std::pair{7, 3}}) {
    if (!ctx.has(operand)) continue;
    ctx.expect_rank(operand, 2);
    expect_extent(ctx, operand, 0, directions);
    expect_extent(ctx, operand, 1, hidden * blocks);
  }
  if (ctx.has(4)) {
    ctx.expect_rank(4, 1);
    expect_extent(ctx, 4, 0, batch);
  }
  for (const int operand : {5, 6}) {
    if (!ctx.has(operand)) continue;
    ctx.expect_rank(operand, 3);
    expect_extent(ctx, operand, state_direction, directions);
    expect_extent(ctx, operand, state_batch, batch);
    expect_extent(ctx, operand, 2, hidden);
  }
  ctx.set(0, a.layout ? Shape{batch, time, directions, hidden} : Shape{time, directions, batch, hidden});
  for (int j = 1; j <= states; ++j)
    ctx.set(j, a.layout ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden});
}

}  // namespace

const RnnActivation* find_rnn_activation(std::string_view name) {
  std::string lower(name);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (const auto& a : kActivations)
    if (a.name == lower) return &a;
  return nullptr;
}

std::vector<RnnFunction> rnn_functions(std::vector<std::string> names, const std::vector<double>& alphas,
                                       const std::vector<double>& betas, int64_t directions,
                                       std::initializer_list<std::string_view> defaults) {
  if (names.empty())
    for (int64_t d = 0; d < directions; ++d) names.insert(names.end(), defaults.begin(), defaults.end());
  std::vector<RnnFunction> functions;
  size_t next_alpha = 0, next_beta = 0;
  for (const auto& name : names) {
    const RnnActivation* f = find_rnn_activation(name);
    TC_CHECK(f, "activation '", name, "'");
    functions.push_back({f, f->alpha, f->beta});
    if (f->parameters > 0 && next_alpha < alphas.size()) functions.back().alpha = alphas[next_alpha++];
    if (f->parameters > 1 && next_beta < betas.size()) functions.back().beta = betas[next_beta++];
  }
  return functions;
}

void RNN::infer(InferContext& ctx) {
  infer_recurrent<RNN>(ctx, 1, 1, 1);
}
void GRU::infer(InferContext& ctx) {
  infer_recurrent<GRU>(ctx, 3, 1, 2);
}
void LSTM::infer(InferContext& ctx) {
  infer_recurrent<LSTM>(ctx, 4, 2, 3);
}

}  // namespace tc
