#include "tc/frontend/dsl/sparse_solvers.h"

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/linalg_parts.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc::sparse {

using namespace dsl;

namespace {

Var inner(const Var& a, const Var& b) {
  return tc::sum(a * b);
}

Var length(const Var& a) {
  return sqrt(inner(a, a));
}

// 0 for a quotient with 0 below: what is there has converged or broken down.
Var ratio(const Var& a, const Var& b) {
  const Var zero = b == 0;
  return where(zero, 0, a / where(zero, 1, b));
}

// A square system, and what divides residuals.
struct System {
  Coo a;
  Var b, divisor;
  Var times(const Var& x) const { return matmul(a, x); }
  Var preconditioned(const Var& r) const { return divisor.defined() ? r / divisor : r; }
};

struct Stop {
  double rtol, atol;
  int64_t maxiter;
  Var bound(const Var& b) const { return maximum(length(b) * rtol, atol); }
  Var go_on(const Var& trip, const Var& residual, const Var& limit) const {
    return (residual > limit) & (trip < maxiter);
  }
};

using Values = std::tuple<Var, Var, Var>;

Values conjugate_gradients(const System& s, const Stop& stop) {
  const Var limit = stop.bound(s.b), z = s.preconditioned(s.b);
  const auto step = [&](Var trip, Var x, Var r, Var p, Var rz, Var) {
    const Var ap = s.times(p), alpha = ratio(rz, inner(p, ap)), rest = r - alpha * ap;
    const Var next = s.preconditioned(rest), product = inner(rest, next);
    return std::tuple{trip + 1, x + alpha * p, rest, next + ratio(product, rz) * p, product, length(rest)};
  };
  const auto condition = [&](Var trip, Var, Var, Var, Var, Var residual) { return stop.go_on(trip, residual, limit); };
  const auto [trips, x, r, p, rz, residual] =
      while_loop(condition, step, {asarray(0), zeros_like(s.b), s.b, z, inner(s.b, z), length(s.b)});
  return {x, trips, length(s.b - s.times(x))};
}

Values stabilized(const System& s, const Stop& stop) {
  const Var limit = stop.bound(s.b);
  const auto step = [&](Var trip, Var x, Var r, Var p, Var rho, Var) {
    const Var ph = s.preconditioned(p), v = s.times(ph), alpha = ratio(rho, inner(s.b, v));
    const Var half = r - alpha * v, sh = s.preconditioned(half), t = s.times(sh);
    const Var omega = ratio(inner(t, half), inner(t, t)), rest = half - omega * t, product = inner(s.b, rest);
    const Var beta = ratio(product, rho) * ratio(alpha, omega);
    return std::tuple{trip + 1,    x + alpha * ph + omega * sh, rest, rest + beta * (p - omega * v), product,
                      length(rest)};
  };
  const auto condition = [&](Var trip, Var, Var, Var, Var, Var residual) { return stop.go_on(trip, residual, limit); };
  const auto [trips, x, r, p, rho, residual] =
      while_loop(condition, step, {asarray(0), zeros_like(s.b), s.b, s.b, inner(s.b, s.b), length(s.b)});
  return {x, trips, length(s.b - s.times(x))};
}

// One round: an orthonormal basis of the Krylov space, by two passes of Gram and Schmidt, and the least squares of what
// the matrix is in it by rotations: h is [n + 1, n] and becomes triangular column by column.
Var corrected(const System& s, const Var& x, int64_t n) {
  const DType type = s.b.dtype();
  const Var r = s.preconditioned(s.b - s.times(x)), size = length(r);
  const Var place = arange(n + 1), columns = arange(n);
  const Var first = where(expand_dims(place, 1) == 0, expand_dims(ratio(r, size), 0), 0);
  const auto extend = [&](Var j, Var basis, Var h) {
    Var w = s.preconditioned(s.times(take(basis, j, {.axis = 0})));
    const Var before = length(w);
    Var c = matmul(basis, w);
    w = w - matmul(c, basis);
    const Var again = matmul(basis, w);
    w = w - matmul(again, basis);
    c = c + again;
    // What rounding has left of a space that is exhausted is nothing.
    const Var rest = length(w), norm = where(rest > before * linalg::parts::epsilon(type), rest, 0),
              next = expand_dims(place, 1) == j + 1;
    const Var column = where(place == j + 1, norm, c);
    return std::pair{where(next, expand_dims(ratio(w, norm), 0), basis),
                     where(expand_dims(columns, 0) == j, expand_dims(column, 1), h)};
  };
  const auto [basis, h] = fori_loop(0, n, extend, {first, zeros({n + 1, n}, {.dtype = type})});
  const auto rotate = [&](Var j, Var m, Var g) {
    const Var top = take(m, j, {.axis = 0}), below = take(m, j + 1, {.axis = 0});
    const Var d = take(top, j), e = take(below, j), norm = hypot(d, e);
    const Var c = where(norm == 0, 1, ratio(d, norm)), sine = ratio(e, norm);
    const Var gd = take(g, j), ge = take(g, j + 1), row = expand_dims(place, 1);
    const Var turned = where(row == j, c * top + sine * below, where(row == j + 1, c * below - sine * top, m));
    return std::pair{turned, where(place == j, c * gd + sine * ge, where(place == j + 1, c * ge - sine * gd, g))};
  };
  const auto [u, g] = fori_loop(0, n, rotate, {h, where(place == 0, size, 0)});
  const auto back = [&, u = u, g = g](Var step, Var y) {
    const Var j = n - 1 - step, row = take(u, j, {.axis = 0});
    return where(columns == j, ratio(take(g, j) - inner(row, y), take(row, j)), y);
  };
  const Var y = fori_loop(0, n, back, {zeros({n}, {.dtype = type})});
  return x + matmul(y, basis[slice(n)]);
}

Values minimal_residuals(const System& s, const Stop& stop, int64_t restart) {
  const Var limit = stop.bound(s.b);
  const auto step = [&](Var trip, Var x, Var) {
    const Var next = corrected(s, x, restart);
    return std::tuple{trip + 1, next, length(s.b - s.times(next))};
  };
  const auto condition = [&](Var trip, Var, Var residual) { return stop.go_on(trip, residual, limit); };
  const auto [trips, x, residual] = while_loop(condition, step, {asarray(0), zeros_like(s.b), length(s.b)});
  return {x, trips, residual};
}

// `method` as a function of data and b with the gradient of the solution.
template <class F>
SolverResult solved(const Coo& a, const Arg& b, bool jacobi, F method) {
  const auto [data, y] = promoted(a.data, b, Domain::floating);
  if (data.dtype() != f32 && data.dtype() != f64)
    refuse(ErrorCode::bad_type, cat("the system is ", data.type(), ", expected f32 or f64"));
  if (y.rank() != 1) refuse(ErrorCode::bad_shape, cat("the right-hand side is ", y.type(), ", expected rank 1"));
  if (a.rows.is_const() && a.cols.is_const() && a.rows != a.cols)
    refuse(ErrorCode::bad_shape, cat("a matrix [", a.rows, ",", a.cols, "], expected a square one"));
  const auto system = [jacobi](const Var& d, const Var& r, const Var& c, const Var& v) {
    const Coo m{d, r, c, v.dim(0), v.dim(0)};
    return System{m, v, jacobi ? diagonal(m) : Var()};
  };
  const auto f = [=](Var d, Var r, Var c, Var v) { return method(system(d, r, c, v)); };
  const auto rule = [=](Var d, Var r, Var c, Var, Var x, Var, Var, Var g, Var) {
    const Var gb = std::get<0>(method(system(d, c, r, g)));
    return std::pair{-take(gb, r) * take(x, c), gb};
  };
  const auto [x, iterations, residual] = custom_vjp(f, rule)(data, a.row, a.col, y);
  return {x, iterations, stop_gradient(residual)};
}

}  // namespace

SolverResult cg(const Coo& a, Arg b, SolverOptions options) {
  const Site site("sparse.cg", b.at());
  const Stop stop{options.rtol, options.atol, options.maxiter};
  return solved(a, b, options.jacobi, [stop](const System& s) { return conjugate_gradients(s, stop); });
}

SolverResult bicgstab(const Coo& a, Arg b, SolverOptions options) {
  const Site site("sparse.bicgstab", b.at());
  const Stop stop{options.rtol, options.atol, options.maxiter};
  return solved(a, b, options.jacobi, [stop](const System& s) { return stabilized(s, stop); });
}

SolverResult gmres(const Coo& a, Arg b, GmresOptions options) {
  const Site site("sparse.gmres", b.at());
  if (options.restart < 1) refuse(ErrorCode::bad_argument, cat(options.restart, " vectors"));
  const Stop stop{options.rtol, options.atol, options.maxiter};
  return solved(a, b, options.jacobi, [=](const System& s) { return minimal_residuals(s, stop, options.restart); });
}

}  // namespace tc::sparse
