// Functions with gradients of one's own, and values that have none.
//
//   auto limited = tc::custom_vjp([](tc::Var x) { return x * x; },                    // what it computes
//                                 [](tc::Var x, tc::Var y, tc::Var g) {              // how gradients go back through
//                                 it
//                                   return tc::clip(2 * x * g, -1, 1);
//                                 });
//   tc::Var y = limited(x);
//
// Both are traced when the function is called in a program. They use their arguments only: another Var of the program
// or a Param is passed as an argument. Gradients of gradients differentiate the rule.
#pragma once

#include "tc/frontend/dsl/control.h"

namespace tc {

Var stop_gradient(Arg x);  // x, a constant for differentiation

namespace dsl {

std::vector<Var> call_custom(const Body& f, const Body& rule, const Args& args, const Location& at);

template <size_t>
using ArgAt = Arg;

// The parameters are Args one by one, so that they know the line of the call.
template <class F, class Rule, class Positions>
class Custom;
template <class F, class Rule, size_t... I>
class Custom<F, Rule, std::index_sequence<I...>> {
 public:
  Custom(F f, Rule rule) : f_(std::move(f)), rule_(std::move(rule)) {}
  auto operator()(ArgAt<I>... args) const {
    const Args list{args...};
    const Location at = list.empty() ? Location::current() : list[0].at();
    return unflatten<typename Flat<const F>::Result>(call_custom(body_of(f_), body_of(rule_), list, at));
  }

 private:
  F f_;
  Rule rule_;
};

}  // namespace dsl

// f with the rule of reverse mode: rule(arguments..., results..., gradients of the floating-point results...) returns
// the gradients of the floating-point arguments. Forward mode transposes the rule. custom_jvp (tc/frontend/api/grad.h)
// is the same for a rule of forward mode.
//
// Errors, when it is called: bad_argument for other numbers of values, bad_type where a gradient is not of the type of
// its argument.
template <class F, class Rule>
auto custom_vjp(F f, Rule rule) {
  constexpr int kArity = dsl::Flat<const F>::kArity;
  static_assert(kArity >= 0, "the function takes its arguments one by one");
  return dsl::Custom<F, Rule, std::make_index_sequence<static_cast<size_t>(kArity)>>(std::move(f), std::move(rule));
}

}  // namespace tc
