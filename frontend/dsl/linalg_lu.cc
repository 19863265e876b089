#include "tc/frontend/dsl/linalg_lu.h"

#include "tc/frontend/dsl/linalg_parts.h"
#include "tc/ir/ops/linalg.h"

namespace tc::linalg {

using namespace dsl;

namespace {

// a = P^T L U. With the strict lower triangle of L^T gl and the upper one of gu U^T between them,
// P^T L^-T (...) U^-T is a's gradient.
Var factor_rule(const Var& lu, const Var& permutation, const Var& g) {
  const Var u = triu(lu), l = tril(lu, {.k = -1}) + parts::eye_like(lu);
  const Var inner =
      tril(tc::matmul(parts::t(l), tril(g, {.k = -1})), {.k = -1}) + triu(tc::matmul(triu(g), parts::t(u)));
  const Var left = parts::triangular_t(lu, inner, {.lower = true, .unit = true});
  const Var both = parts::t(parts::triangular(lu, parts::t(left), {.lower = false}));
  return take_along_axis(both, expand_dims(argsort(permutation), -1), {.axis = -2});
}

LuFactor factor_of(const Var& a) {
  const auto f = [](Var x) {
    const parts::Lu r = parts::factored(x);
    return std::pair{r.lu, r.permutation};
  };
  const auto rule = [](Var, Var lu, Var permutation, Var g) { return factor_rule(lu, permutation, g); };
  const auto [lu, permutation] = custom_vjp(f, rule)(a);
  return {lu, permutation};
}

// Equal batches.
Var solved(const Var& a, const Var& b) {
  const auto f = [](Var m, Var y) {
    const parts::Lu r = parts::factored(m);
    return parts::lu_solved(r.lu, r.permutation, y);
  };
  const auto rule = [](Var m, Var, Var x, Var g) {
    const Var gb = parts::solved_t(m, g);
    return std::pair{-tc::matmul(gb, parts::t(x)), gb};
  };
  return custom_vjp(f, rule)(a, b);
}

Var eliminated(const Var& a, const Var& b) {
  const Var m = parts::copy_lower(a);
  const parts::Lu r = parts::factored(m);
  return parts::lu_solved(r.lu, r.permutation, b);
}

Var by_cholesky(const Var& a, const Var& b) {
  const Var l = parts::cholesky(a);
  return parts::triangular_t(l, parts::triangular(l, b, {}), {});
}

Var solved_symmetric(const Var& a, const Var& b, Var (*f)(const Var&, const Var&)) {
  const auto rule = [f](Var m, Var, Var x, Var g) {
    const Var gb = f(m, g);
    return std::pair{-parts::symmetric(tc::matmul(gb, parts::t(x))), gb};
  };
  return custom_vjp([f](Var m, Var y) { return f(m, y); }, rule)(a, b);
}

Var unit_beside(const Var& a) {
  return parts::batched_eye(a, a.dim(-1));
}

Var det_of(const Var& a) {
  if (a.dtype() == f32) return make<Det>({a});
  const parts::Lu r = parts::factored(a);
  return prod(linalg::diagonal(r.lu), {.axis = -1}) * squeeze(r.sign, {-2, -1});
}

// g[...] as [..., 1, 1].
Var per_matrix(const Var& g) {
  return expand_dims(g, {-2, -1});
}

}  // namespace

LuFactor lu_factor(Arg a) {
  const Site site("linalg.lu_factor", a.at());
  return factor_of(parts::square_matrix(a));
}

Var lu_solve(const LuFactor& factor, Arg b, LuSolveOptions options) {
  const Site site("linalg.lu_solve", b.at());
  const parts::System s = parts::system_of(factor.lu, b);
  parts::expect_square(s.a);
  Dims dims(s.a.shape().begin(), s.a.shape().end() - 1);
  const Var permutation = broadcast_to(operand(factor.permutation, Domain::integer), dims);
  return s.result(options.trans ? parts::lu_solved_t(s.a, permutation, s.b) : parts::lu_solved(s.a, permutation, s.b));
}

LuResult lu(Arg a) {
  const Site site("linalg.lu", a.at());
  const LuFactor f = factor_of(parts::square_matrix(a));
  const Var u = triu(f.lu), l = tril(f.lu, {.k = -1}) + parts::eye_like(f.lu);
  // Column j of p has its one in row permutation[j].
  const Var p = astype(parts::rows_of(f.lu) == expand_dims(f.permutation, -2), f.lu.dtype());
  return {p, l, u};
}

Var solve(Arg a, Arg b, SolveOptions options) {
  const Site site("linalg.solve", a.at());
  const parts::System s = parts::system_of(a, b);
  parts::expect_square(s.a);
  switch (options.assume) {
    case Assume::gen:
      return s.result(solved(s.a, s.b));
    case Assume::sym:
      return s.result(solved_symmetric(s.a, s.b, eliminated));
    case Assume::pos:
      return s.result(solved_symmetric(s.a, s.b, by_cholesky));
  }
  refuse(ErrorCode::bad_argument, "no such assumption");
}

Var inv(Arg a) {
  const Site site("linalg.inv", a.at());
  const Var m = parts::square_matrix(a);
  const auto f = [](Var x) {
    const parts::Lu r = parts::factored(x);
    return parts::lu_solved(r.lu, r.permutation, unit_beside(x));
  };
  const auto rule = [](Var, Var y, Var g) { return -tc::matmul(parts::t(y), tc::matmul(g, parts::t(y))); };
  return custom_vjp(f, rule)(m);
}

Var det(Arg a) {
  const Site site("linalg.det", a.at());
  const auto rule = [](Var x, Var d, Var g) { return parts::solved_t(x, unit_beside(x) * per_matrix(g * d)); };
  return custom_vjp([](Var x) { return det_of(x); }, rule)(parts::square_matrix(a));
}

SlogdetResult slogdet(Arg a) {
  const Site site("linalg.slogdet", a.at());
  const auto f = [](Var x) {
    const parts::Lu r = parts::factored(x);
    const Var pivots = linalg::diagonal(r.lu);
    return std::pair{prod(sign(pivots), {.axis = -1}) * squeeze(r.sign, {-2, -1}), sum(log(abs(pivots)), {.axis = -1})};
  };
  const auto rule = [](Var x, Var, Var, Var, Var g) { return parts::solved_t(x, unit_beside(x) * per_matrix(g)); };
  const auto [s, l] = custom_vjp(f, rule)(parts::square_matrix(a));
  return {s, l};
}

}  // namespace tc::linalg
