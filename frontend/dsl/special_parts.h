// What the special functions share. Bodies are of f64.
#pragma once

#include <limits>
#include <span>

#include "tc/frontend/dsl/custom.h"
#include "tc/frontend/dsl/elementwise.h"
#include "tc/frontend/dsl/manipulation.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc::special::parts {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// f of x in f64 with the rule of its gradient. A rule is traced with every call, so it may not call a function that has
// a rule which leads back: rules use the bodies.
template <class F, class Rule>
Var apply(const char* name, const Arg& x, F f, Rule rule) {
  const dsl::Site site(name, x.at());
  const Var v = dsl::operand(x, dsl::Domain::floating);
  return astype(custom_vjp(f, rule)(astype(v, f64)), v.dtype());
}

// The same of two arguments, which broadcast.
template <class F, class Rule>
Var apply(const char* name, const Arg& x, const Arg& y, F f, Rule rule) {
  const dsl::Site site(name, x.at());
  const auto [a, b] = dsl::promoted(x, y, dsl::Domain::floating);
  const std::vector<Var> both = broadcast_arrays({astype(a, f64), astype(b, f64)});
  return astype(custom_vjp(f, rule)(both[0], both[1]), a.dtype());
}

Var polynomial(const Var& t, std::span<const double> c);  // c[0] + c[1] t + ...
Var log_1p(const Var& x);
Var exp_square(const Var& x, double scale);  // exp(scale * x^2)

Var digamma_of(const Var& x);
Var trigamma_of(const Var& x);

}  // namespace tc::special::parts
