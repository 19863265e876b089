// Gradients out of the front door. They are ordinary programs: compiled, exported and differentiated again like others.
//
//   tc::Function f = tc::value_and_grad(loss);                       // with respect to all parameters
//   tc::trace("step", inputs, [&](tc::Var x) { auto g = tc::grad(tc::sum(x * x), {x}); ... });   // inside of a trace
//
// What can be differentiated has floating-point elements; gradients have the type of what they belong to. Errors:
// no_gradient, at its place, where an op has none; bad_argument for names that are not there.
#pragma once

#include <string>
#include <vector>

#include "tc/frontend/dsl/dsl.h"

namespace tc {

struct GradOptions {
  // Loops keep only the carried values of each iteration for their gradients, and compute the rest again: less memory,
  // more work.
  bool recompute = false;
};

// Of functions. `wrt` names inputs and parameters; {} means all parameters, or all differentiable inputs where there
// are none.
//
// (inputs...) -> (gradients of output 0, which has one element).
[[nodiscard]] Function grad(const Function& f, const std::vector<std::string>& wrt = {},
                            const GradOptions& options = {});
// The same behind all outputs of f.
[[nodiscard]] Function value_and_grad(const Function& f, const std::vector<std::string>& wrt = {},
                                      const GradOptions& options = {});
// (inputs..., seeds of the outputs...) -> (outputs..., gradients of the sum of <output, seed>).
[[nodiscard]] Function vjp(const Function& f, const std::vector<std::string>& wrt = {},
                           const GradOptions& options = {});
// (inputs..., tangents of wrt...) -> (outputs..., tangents of the outputs...).
[[nodiscard]] Function jvp(const Function& f, const std::vector<std::string>& wrt = {});

// Inside of a trace: the gradients of a scalar with respect to values that it was computed from, which count as
// independent of each other. Zeros where it does not depend on one.
[[nodiscard]] std::vector<Var> grad(Var y, const std::vector<Var>& wrt, Location at = Location::current());
// With respect to one value, or to parameters.
template <class T>
requires(std::same_as<T, Var> || std::same_as<T, Param>) [[nodiscard]] Var
    grad(Var y, const T& wrt, Location at = Location::current()) {
  return grad(std::move(y), std::vector<Var>{wrt}, at)[0];
}
template <class T>
requires std::same_as<T, Param>
[[nodiscard]] std::vector<Var> grad(Var y, const std::vector<T>& wrt, Location at = Location::current()) {
  return grad(std::move(y), std::vector<Var>(wrt.begin(), wrt.end()), at);
}
// Of the sum over k of <outputs[k], seeds[k]>.
[[nodiscard]] std::vector<Var> vjp(const std::vector<Var>& outputs, const std::vector<Var>& seeds,
                                   const std::vector<Var>& wrt, Location at = Location::current());

namespace dsl {
// Differentiation replaces calls by what they call; here, before it does. Vars of their results go on to mean the same.
void inline_calls();
// The gradients of the arguments of a function that has `rule` as derivative: `values` are the `count` arguments, the
// results, and the gradients of the floating-point results.
[[nodiscard]] std::vector<Var> transposed(const Body& rule, size_t count, const std::vector<Var>& values);
}  // namespace dsl

// f with the rule of forward mode: rule(arguments..., tangents of the floating-point arguments...) returns the tangents
// of the floating-point results, and is linear in tangents. Reverse mode transposes the rule; gradients of gradients
// differentiate it. Otherwise as custom_vjp (tc/frontend/dsl/custom.h).
template <class F, class Rule>
auto custom_jvp(F f, Rule rule) {
  constexpr int kArity = dsl::Flat<const F>::kArity;
  return custom_vjp(std::move(f), [rule = std::move(rule)](std::vector<Var> values) {
    return dsl::transposed(dsl::body_of(rule), static_cast<size_t>(kArity), values);
  });
}

}  // namespace tc
