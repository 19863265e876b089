// What the special functions share. Bodies are of f64.
#pragma once

#include <limits>
#include <span>

#include "tc/frontend/dsl/custom.h"
#include "tc/frontend/dsl/elementwise.h"
#include "tc/frontend/dsl/library.h"
#include "tc/frontend/dsl/manipulation.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc::special::parts {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kHalfLogTwoPi = 0x1.d67f1c864beb5p-1;
inline constexpr double kRootTwoPi = 0x1.40d931ff62706p+1;
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// f of v in f64, as a function of the library in v's type. Without a rule: rules call functions so.
template <class F>
Var kernel(const char* name, F f, const Var& v) {
  const DType t = v.dtype();
  const auto body = [t, f](Var u) { return astype(f(astype(u, f64)), t); };
  return dsl::call_library(name, dsl::body_of(body), nullptr, v);
}

// The same with the rule of its gradient, of f64. A rule is traced with every call, so it may not call a function that
// has a rule which leads back: rules use the bodies, or kernels of them.
template <class F, class Rule>
Var apply(const char* name, const Arg& x, F f, Rule rule) {
  const dsl::Site site(name, x.at());
  const Var v = dsl::operand(x, dsl::Domain::floating);
  const DType t = v.dtype();
  const auto body = [t, f](Var u) { return astype(f(astype(u, f64)), t); };
  // The exact result where its type has rounded it: exponentials of it make much of little.
  const auto slope = [t, f, rule, name](Var u, Var y, Var g) {
    const Var w = astype(u, f64);
    return astype(rule(w, t == f64 ? y : kernel(name, f, w), astype(g, f64)), t);
  };
  const dsl::Body flat = dsl::body_of(slope);
  return dsl::call_library(name, dsl::body_of(body), &flat, v);
}

// The same of two arguments, which broadcast.
template <class F, class Rule>
Var apply(const char* name, const Arg& x, const Arg& y, F f, Rule rule) {
  const dsl::Site site(name, x.at());
  const auto [a, b] = dsl::promoted(x, y, dsl::Domain::floating);
  const std::vector<Var> both = broadcast_arrays({astype(a, f64), astype(b, f64)});
  return astype(custom_vjp(f, rule)(both[0], both[1]), a.dtype());
}

// The same of three.
template <class F, class Rule>
Var apply(const char* name, const Arg& x, const Arg& y, const Arg& z, F f, Rule rule) {
  const dsl::Site site(name, x.at());
  const std::vector<Var> list = dsl::promoted({x, y, z}, dsl::Domain::floating);
  const std::vector<Var> all = broadcast_arrays({astype(list[0], f64), astype(list[1], f64), astype(list[2], f64)});
  return astype(custom_vjp(f, rule)(all[0], all[1], all[2]), list[0].dtype());
}

Var polynomial(const Var& t, std::span<const double> c);  // c[0] + c[1] t + ...
Var log_1p(const Var& x);
Var exp_square(const Var& x, double scale);  // exp(scale * x^2)

Var erfcx_right(const Var& x);  // of x >= 0
Var erfcx_of(const Var& x);

Var ndtr_of(const Var& x);
Var ndtri_exp_of(const Var& y);

Var stirling(const Var& x);  // log(gamma(x)) - (x - 1/2) log(x) + x - log(2 pi) / 2 of x >= 8
Var gamma_of(const Var& x);
Var gamma_right(const Var& x);    // gamma of x > -1
Var gammaln_right(const Var& x);  // log(gamma(x)) of x > 0
Var betaln_of(const Var& a, const Var& b);
Var digamma_of(const Var& x);
Var trigamma_of(const Var& x);
// The same as calls, for rules.
Var digamma_call(const Var& x);
Var trigamma_call(const Var& x);

}  // namespace tc::special::parts
