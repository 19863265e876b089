#include "tc/frontend/dsl/linalg_svd.h"

#include "tc/frontend/dsl/linalg_cholesky.h"
#include "tc/frontend/dsl/linalg_lu.h"
#include "tc/frontend/dsl/linalg_parts.h"
#include "tc/frontend/dsl/linalg_qr.h"

namespace tc::linalg {

using namespace dsl;
using parts::t;

namespace {

// What the columns of g have outside of the space of the orthonormal columns of u.
Var outside(const Var& g, const Var& u) {
  return g - tc::matmul(u, tc::matmul(t(u), g));
}

// With F[i, j] = 1 / (s[j]^2 - s[i]^2): (u ((F * skew(u, gu)) s + s (F * skew(v, gv)) + gs) + (what gu has outside) /
// s) v^T + u / s (what gv has outside)^T.
Var rule_of_svd(const Var& u, const Var& s, const Var& vh, const Var& gu, const Var& gs, const Var& gvh) {
  const Var v = t(vh), gv = t(gvh), row = expand_dims(s, -2), column = expand_dims(s, -1);
  const Var f = parts::reciprocal_or_zero(row - column) * parts::reciprocal_or_zero(row + column);
  const auto skew = [&](const Var& q, const Var& g) {
    const Var m = tc::matmul(t(q), g);
    return f * (m - t(m));
  };
  const Var middle =
      skew(u, gu) * row + column * skew(v, gv) + eye(s.dim(-1), {.dtype = s.dtype()}) * expand_dims(gs, -1);
  const Var one = parts::reciprocal_or_zero(row);
  const Var left = tc::matmul(u, middle) + outside(gu, u) * one;
  return tc::matmul(left, vh) + tc::matmul(u * one, t(outside(gv, v)));
}

SvdResult decomposed(const Var& a) {
  const auto f = [](Var x) {
    const parts::Svd r = parts::svd(x, false);
    return std::tuple{r.u, r.s, t(r.v)};
  };
  const auto rule = [](Var, Var u, Var s, Var vh, Var gu, Var gs, Var gvh) {
    return rule_of_svd(u, s, vh, gu, gs, gvh);
  };
  const auto [u, s, vh] = custom_vjp(f, rule)(a);
  return {u, s, vh};
}

// Which singular values count.
Var counted(const Var& a, const Var& s, const std::optional<double>& rtol) {
  const Var relative = rtol ? asarray(*rtol, {.dtype = s.dtype()})
                            : astype(asarray(max(a.dim(-2), a.dim(-1))), s.dtype()) * parts::epsilon(s.dtype());
  const Var greatest = s.at(ellipsis, slice(1)).get();
  return s > relative * greatest;
}

// Of a^+ with factors that are given, and of a^+ b.
Var pseudo_inverse(const Var& a, const SvdResult& d, const Var& inverses) {
  const auto f = [](Var, Var u, Var r, Var vh) { return tc::matmul(t(vh) * expand_dims(r, -2), t(u)); };
  const auto rule = [](Var x, Var u, Var r, Var vh, Var p, Var g) {
    const Var pt = t(p), gt = t(g);
    const Var first = tc::matmul(gt - tc::matmul(x, tc::matmul(p, gt)), tc::matmul(p, pt));
    const Var second = tc::matmul(tc::matmul(pt, p), gt - tc::matmul(tc::matmul(gt, p), x));
    return std::tuple{first + second - tc::matmul(pt, tc::matmul(g, pt)), zeros_like(u), zeros_like(r), zeros_like(vh)};
  };
  return custom_vjp(f, rule)(a, stop_gradient(d.u), stop_gradient(inverses), stop_gradient(d.vh));
}

Var least_squares(const Var& a, const Var& b, const SvdResult& d, const Var& inverses) {
  const auto f = [](Var, Var y, Var u, Var r, Var vh) {
    return tc::matmul(t(vh), tc::matmul(t(u), y) * expand_dims(r, -1));
  };
  const auto rule = [](Var m, Var y, Var u, Var r, Var vh, Var x, Var g) {
    const Var each = expand_dims(r, -1);
    const auto applied = [&](const Var& z) { return tc::matmul(t(vh), tc::matmul(t(u), z) * each); };
    const auto applied_t = [&](const Var& z) { return tc::matmul(u, tc::matmul(vh, z) * each); };
    const Var gb = applied_t(g);
    const Var ga = tc::matmul(y - tc::matmul(m, x), t(applied(gb))) +
                   tc::matmul(applied_t(x), t(g - tc::matmul(t(m), gb))) - tc::matmul(gb, t(x));
    return std::tuple{ga, gb, zeros_like(u), zeros_like(r), zeros_like(vh)};
  };
  return custom_vjp(f, rule)(a, b, stop_gradient(d.u), stop_gradient(inverses), stop_gradient(d.vh));
}

Var inverses_of(const Var& a, const Var& s, const std::optional<double>& rtol) {
  const Var some = counted(a, s, rtol);
  return where(some, 1 / where(some, s, 1), 0);
}

Var full_rank_solution(const parts::System& s) {
  const Dim m = s.a.dim(-2), n = s.a.dim(-1), k = parts::least(s.a);
  if (k != n && k != m)
    refuse(ErrorCode::bad_shape, cat("whether ", s.a.type(), " are tall or wide matrices is not known"),
           {"fix one of the extents"});
  const QrResult f = qr(k == n ? s.a : t(s.a));
  if (k == n) return solve_triangular(f.r, tc::matmul(t(f.q), s.b));
  return tc::matmul(f.q, solve_triangular(f.r, s.b, {.trans = true}));
}

}  // namespace

SvdResult svd(Arg x, SvdOptions options) {
  const Site site("linalg.svd", x.at());
  const Var a = parts::matrix(x);
  if (!options.full_matrices) return decomposed(a);
  const parts::Svd r = parts::svd(a, true);
  return {r.u, r.s, t(r.v)};
}

Var svdvals(Arg x) {
  const Site site("linalg.svdvals", x.at());
  return decomposed(parts::matrix(x)).s;
}

Var pinv(Arg x, RtolOptions options) {
  const Site site("linalg.pinv", x.at());
  const Var a = parts::matrix(x);
  const SvdResult d = decomposed(a);
  return pseudo_inverse(a, d, inverses_of(a, d.s, options.rtol));
}

Var matrix_rank(Arg x, RtolOptions options) {
  const Site site("linalg.matrix_rank", x.at());
  const Var a = parts::matrix(x);
  return sum(astype(counted(a, decomposed(a).s, options.rtol), i64), {.axis = -1});
}

Var cond(Arg x, CondOptions options) {
  const Site site("linalg.cond", x.at());
  const Var a = parts::matrix(x);
  if (options.p != MatrixNorm::two && options.p != MatrixNorm::minus_two) {
    parts::expect_square(a);
    return matrix_norm(a, {.ord = options.p}) * matrix_norm(inv(a), {.ord = options.p});
  }
  const Var s = decomposed(a).s, greatest = max(s, {.axis = -1}), least = min(s, {.axis = -1});
  return options.p == MatrixNorm::two ? greatest / least : least / greatest;
}

LstsqResult lstsq(Arg a, Arg b, LstsqOptions options) {
  const Site site("linalg.lstsq", a.at());
  const parts::System s = parts::system_of(a, b);
  const SvdResult d = decomposed(s.a);
  const Var x =
      options.full_rank ? full_rank_solution(s) : least_squares(s.a, s.b, d, inverses_of(s.a, d.s, options.rcond));
  const Var residuals = sum(square(tc::matmul(s.a, x) - s.b), {.axis = -2});
  return {s.result(x), s.result(residuals), sum(astype(counted(s.a, d.s, options.rcond), i64), {.axis = -1}), d.s};
}

}  // namespace tc::linalg
