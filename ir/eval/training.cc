#include "tc/ir/ops/training.h"

#include <cmath>

#include "tc/ir/eval/eval.h"

namespace tc {
namespace {

struct Schedule {
  double rate, updates;
};

Schedule schedule(EvalContext& ctx) {
  for (const int i : {0, 1})
    if (ctx.in(i).size() != 1) ctx.fail(ErrorCode::bad_shape, "r and t must be scalars, got ", ctx.in(i).type());
  return {scalar_f64(ctx.in(0)), scalar_f64(ctx.in(1))};
}

// step(e) updates one element: e[0] is x, e[1] its gradient, the rest the optimiser's state.
template <int kStates, class F>
void for_each_element(EvalContext& ctx, F&& step) {
  constexpr int kGroups = kStates + 2;
  const int tensors = (ctx.num_operands() - 2) / kGroups;
  for (int k = 0; k < tensors; ++k) {
    std::vector<double> group[kGroups];
    for (int g = 0; g < kGroups; ++g) {
      const Tensor &x = ctx.in(2 + k), &of = ctx.in(2 + g * tensors + k);
      if (of.extents() != x.extents())
        ctx.fail(ErrorCode::bad_shape, "a tensor ", x.type(), " with a gradient or state ", of.type());
      group[g] = widen<double>(of);
    }
    for (size_t i = 0; i < group[0].size(); ++i) {
      double e[kGroups];
      for (int g = 0; g < kGroups; ++g) e[g] = group[g][i];
      step(e);
      for (int g = 0; g < kGroups; ++g) group[g][i] = e[g];
    }
    for (int g = 0; g < kGroups; ++g)
      if (g != 1) ctx.write((g == 0 ? 0 : g - 1) * tensors + k, ctx.in(2 + k).extents(), group[g]);
  }
}

}  // namespace

template <>
void eval<Adagrad>(EvalContext& ctx) {
  const auto& a = ctx.attrs<Adagrad>();
  const auto [r, t] = schedule(ctx);
  const double rate = r / (1 + t * a.decay_factor);
  for_each_element<1>(ctx, [&](double* e) {
    double &x = e[0], &h = e[2];
    const double g = a.norm_coefficient * x + e[1];
    h += g * g;
    x -= rate * g / (std::sqrt(h) + a.epsilon);
  });
}

template <>
void eval<Adam>(EvalContext& ctx) {
  const auto& a = ctx.attrs<Adam>();
  const auto [r, t] = schedule(ctx);
  const double rate = t > 0 ? r * std::sqrt(1 - std::pow(a.beta, t)) / (1 - std::pow(a.alpha, t)) : r;
  for_each_element<2>(ctx, [&](double* e) {
    double &x = e[0], &v = e[2], &h = e[3];
    const double g = a.norm_coefficient * x + e[1];
    v = a.alpha * v + (1 - a.alpha) * g;
    h = a.beta * h + (1 - a.beta) * g * g;
    x = (1 - a.norm_coefficient_post) * (x - rate * v / (std::sqrt(h) + a.epsilon));
  });
}

template <>
void eval<Momentum>(EvalContext& ctx) {
  const auto& a = ctx.attrs<Momentum>();
  const Schedule s = schedule(ctx);
  const double share = s.updates > 0 ? a.beta : 1;
  for_each_element<1>(ctx, [&](double* e) {
    double &x = e[0], &v = e[2];
    const double g = a.norm_coefficient * x + e[1];
    v = a.alpha * v + share * g;
    x -= s.rate * (a.mode == MomentumMode::nesterov ? g + a.alpha * v : v);
  });
}

}  // namespace tc
