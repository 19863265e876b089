#include <cmath>
#include <numbers>

#include "tc/passes/stabilize/stabilize.h"

namespace tc {
namespace activation_patterns {
namespace {

constexpr Any x, k;
constexpr As<HardSigmoid> hard_sigmoid;

constexpr double kSqrt2 = std::numbers::sqrt2, kSqrtHalf = 1 / std::numbers::sqrt2;

Patch make_gelu(Rewrite& r) {
  if (!dtypes::floats.has(r[x]->dtype())) return r.miss("not a float");
  return r.make<Gelu>({r[x]});
}
Patch make_gelu_tanh(Rewrite& r) {
  return r.make<Gelu>({r[x]}, {GeluApproximation::tanh});
}
Patch make_hard_swish(Rewrite& r) {
  if (!dtypes::floats.has(r[x]->dtype())) return r.miss("not a float");
  return r.make<HardSwish>({r[x]});
}
Patch make_hard_sigmoid(Rewrite& r) {
  if (!dtypes::floats.has(r[x]->dtype())) return r.miss("not a float");
  return r.make<HardSigmoid>({r[x]}, {1.0 / 6, 0.5});
}
Patch make_relu(Rewrite& r) {
  if (!dtypes::floats.has(r[x]->dtype())) return r.miss("not a float");
  return r.make<Relu>({r[x]});
}
Patch make_sigmoid(Rewrite& r) {
  return r.make<Sigmoid>({r[x]});
}

// x * 1/2 * (1 + f), in the orders in which exporters multiply.
std::vector<Pattern> half_x_times_one_plus(const Pattern& f) {
  const Pattern one_plus = pat<Add>(f, 1);
  return {
      pat<Mul>(pat<Mul>(x, one_plus), 0.5),
      pat<Mul>(pat<Mul>(x, 0.5), one_plus),
      pat<Mul>(pat<Mul>(one_plus, 0.5), x),
      pat<Div>(pat<Mul>(x, one_plus), 2),
  };
}

std::vector<Rule> make_table() {
  const Pattern relu6 = pat<Clip>(pat<Add>(x, 3), 0, 6);
  std::vector<Rule> rules{
      {"x-times-sigmoid-is-swish", same_rounding, pat<Mul>(x, pat<Sigmoid>(x)),
       [](Rewrite& r) -> Patch { return r.make<Swish>({r[x]}, {1.0}); }},
      {"x-times-scaled-sigmoid-is-swish", same_rounding, pat<Mul>(x, pat<Sigmoid>(pat<Mul>(x, scalar(k)))),
       [](Rewrite& r) -> Patch { return r.make<Swish>({r[x]}, {r.number(k)}); }},
      {"x-times-hard-sigmoid-is-hard-swish", same_rounding, pat<Mul>(x, hard_sigmoid(x)),
       [](Rewrite& r) -> Patch {
         // Sixths are never spelled exactly.
         const auto& a = r.attrs(hard_sigmoid);
         if (std::abs(a.alpha - 1.0 / 6) > 1e-6 || a.beta != 0.5) return r.miss("other parameters");
         return r.make<HardSwish>({r[x]});
       }},
      {"x-times-shifted-clip-is-hard-swish", same_rounding, pat<Div>(pat<Mul>(x, relu6), 6), make_hard_swish},
      {"x-times-shifted-clip-is-hard-swish", same_rounding, pat<Mul>(pat<Mul>(x, relu6), 1.0 / 6), make_hard_swish},
      {"shifted-clip-is-hard-sigmoid", same_rounding, pat<Div>(relu6, 6), make_hard_sigmoid},
      {"shifted-clip-is-hard-sigmoid", same_rounding, pat<Mul>(relu6, 1.0 / 6), make_hard_sigmoid},
      {"x-times-tanh-of-softplus-is-mish", same_rounding, pat<Mul>(x, pat<Tanh>(pat<Softplus>(x))),
       [](Rewrite& r) -> Patch { return r.make<Mish>({r[x]}); }},
      {"one-over-one-plus-exp-is-sigmoid", approximate(1e-6), pat<Div>(1, pat<Add>(pat<Exp>(pat<Neg>(x)), 1)),
       make_sigmoid},
      {"one-over-one-plus-exp-is-sigmoid", approximate(1e-6), pat<Reciprocal>(pat<Add>(pat<Exp>(pat<Neg>(x)), 1)),
       make_sigmoid},
      {"log-of-one-plus-exp-is-softplus", approximate(1e-5), pat<Log>(pat<Add>(pat<Exp>(x), 1)),
       [](Rewrite& r) -> Patch { return r.make<Softplus>({r[x]}); }},
      {"log-of-sigmoid-is-minus-softplus", approximate(1e-5), pat<Log>(pat<Sigmoid>(x)),
       [](Rewrite& r) -> Patch { return r.make<Neg>({r.make<Softplus>({r.make<Neg>({r[x]})})}); }},
  };
  for (const Pattern& scaled : {Pattern(pat<Div>(x, kSqrt2)), Pattern(pat<Mul>(x, kSqrtHalf))})
    for (const Pattern& p : half_x_times_one_plus(pat<Erf>(scaled)))
      rules.push_back({"erf-chain-is-gelu", approximate(2e-6), p, make_gelu});
  // What they make of a NaN, and of infinities, differs.
  const Pattern positive = pat<Greater, GreaterOrEqual>(x, 0), twice = pat<Add>(x, pat<Abs>(x));
  for (const Pattern& p : {Pattern(pat<Where>(positive, x, 0)), Pattern(pat<Mul>(x, pat<Cast>(positive))),
                           Pattern(pat<Mul>(twice, 0.5)), Pattern(pat<Div>(twice, 2))})
    rules.push_back({"positive-part-is-relu", approximate(1e-6), p, make_relu});
  const double root = std::sqrt(2 / std::numbers::pi);
  for (const Pattern& cube : {Pattern(pat<Pow>(x, 3)), Pattern(pat<Mul>(pat<Mul>(x, x), x))})
    for (const Pattern& p : half_x_times_one_plus(pat<Tanh>(pat<Mul>(pat<Add>(pat<Mul>(cube, 0.044715), x), root))))
      rules.push_back({"tanh-chain-is-gelu", approximate(2e-6), p, make_gelu_tanh});
  return rules;
}

}  // namespace
}  // namespace activation_patterns

std::span<const Rule> activation_rules() {
  using namespace activation_patterns;
  static const std::vector<Rule> kRules = make_table();
  return kRules;
}

}  // namespace tc
