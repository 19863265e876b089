#include "tc/frontend/dsl/linalg_equations.h"

#include "tc/frontend/dsl/linalg_parts.h"

namespace tc::linalg {

using namespace dsl;
using parts::t;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kMaxTrips = 60;      // of iterations that converge quadratically
constexpr int64_t kMaxUnknowns = 256;  // of one system of equations

// f32 or f64 operands of equal batches.
std::vector<Var> operands_of(const Args& args) {
  std::vector<Var> list = promoted(args, Domain::floating);
  Dims batch;
  for (const Var& v : list) {
    parts::expect_real(v);
    if (v.rank() < 2) refuse(ErrorCode::bad_shape, cat("an operand is ", v.type(), ", expected at least two axes"));
    batch = located([&] { return broadcast_dims(batch, {v.shape().begin(), v.shape().end() - 2}); });
  }
  for (Var& v : list) {
    Dims dims = batch;
    dims.insert(dims.end(), v.shape().end() - 2, v.shape().end());
    v = broadcast_to(v, dims);
  }
  return list;
}

void expect_extents(const Var& v, const Dim& m, const Dim& n) {
  const auto differ = [](const Dim& a, const Dim& b) { return a.is_const() && b.is_const() && a != b; };
  if (differ(v.dim(-2), m) || differ(v.dim(-1), n))
    refuse(ErrorCode::bad_shape, cat("an operand is ", v.type(), ", expected matrices [", m, ",", n, "]"));
}

Var norm(const Var& x) {
  return sqrt(sum(x * x, {.axis = {-2, -1}, .keepdims = true}));
}

Var unit_of(const Var& a) {
  return parts::batched_eye(a, a.dim(-1));
}

Var quotient(const Var& a, const Var& b) {
  const parts::Lu f = parts::factored(a);
  return parts::lu_solved(f.lu, f.permutation, b);
}

// The inverse, and the logarithm of the determinant's absolute value, [..., 1, 1].
struct Inverse {
  Var inverse, logarithm;
};
Inverse inverse_with_logarithm(const Var& a) {
  const parts::Lu f = parts::factored(a);
  const Var pivots = expand_dims(abs(linalg::diagonal(f.lu)), -1);
  return {parts::lu_solved(f.lu, f.permutation, unit_of(a)), sum(log(pivots), {.axis = {-2, -1}, .keepdims = true})};
}

Var number(const Dim& n, DType type) {
  return astype(asarray(n), type);
}

// vec(x) of (a (x) 1 + 1 (x) b^T) vec(x) = vec(q), rows one after the other.
Var by_kronecker(const Var& a, const Var& b, const Var& q) {
  const Dim n = a.dim(-1), m = b.dim(-1), all = n * m;
  const Var one_n = eye(n, {.dtype = a.dtype()}), one_m = eye(m, {.dtype = a.dtype()});
  const auto outer = [](const Var& x) { return expand_dims(x, {-3, -1}); };
  const auto inner = [](const Var& x) { return expand_dims(x, {-4, -2}); };
  Dims dims(a.shape().begin(), a.shape().end() - 2), column = dims;
  dims.insert(dims.end(), {all, all});
  column.insert(column.end(), {all, Dim(1)});
  const Var system = outer(a) * inner(one_m) + outer(one_n) * inner(t(b));
  return reshape(quotient(reshape(system, dims), reshape(q, column)), q.shape());
}

// The sign of [a, -q; 0, -b] is that of a, and above the diagonal twice what is sought. Determinants are scaled to 1
// (Byers 1987) until little changes.
Var by_sign(const Var& a, const Var& b, const Var& q) {
  const DType type = a.dtype();
  const Var count = number(a.dim(-1) + b.dim(-1), type);
  const auto step = [&](Var trip, Var quiet, Var x, Var y, Var z, Var change) {
    const Inverse ix = inverse_with_logarithm(x), iy = inverse_with_logarithm(y);
    const Var c = where(change < 0.01, 1, exp(-(ix.logarithm + iy.logarithm) / count));
    const Var next = (x * c + ix.inverse / c) / 2, next_y = (y * c + iy.inverse / c) / 2;
    const Var next_z = (z * c + tc::matmul(tc::matmul(ix.inverse, z), iy.inverse) / c) / 2;
    const Var moved = (norm(next - x) + norm(next_y - y)) / (norm(next) + norm(next_y));
    const Var settled = !any(moved > std::sqrt(parts::epsilon(type)));
    return std::tuple{trip + 1, where(settled, quiet + 1, 0), next, next_y, next_z, moved};
  };
  const auto condition = [](Var trip, Var quiet, Var, Var, Var, Var) { return (quiet < 2) & (trip < kMaxTrips); };
  const auto [trips, quiet, x, y, z, change] =
      while_loop(condition, step, {asarray(0), asarray(0), a, b, q, ones_like(norm(a))});
  const Var sign_x = where(x.at(ellipsis, slice(1), slice(1)).get() < 0, -1.0, 1.0);
  const Var sign = astype(sign_x, type);
  const Var off = norm(x - unit_of(x) * sign) + norm(y - unit_of(y) * sign);
  return where(off < 0.1, z * sign / 2, kNan);
}

Var sylvester(const Var& a, const Var& b, const Var& q) {
  const Dim unknowns = a.dim(-1) * b.dim(-1);
  if (!unknowns.is_const())
    return tc::cond(
        asarray(unknowns) <= kMaxUnknowns, [&] { return by_kronecker(a, b, q); }, [&] { return by_sign(a, b, q); });
  return unknowns.value() <= kMaxUnknowns ? by_kronecker(a, b, q) : by_sign(a, b, q);
}

Var discrete_lyapunov(const Var& a, const Var& q) {
  const double eps = parts::epsilon(a.dtype()) / 2;
  const auto step = [](Var trip, Var power, Var x, Var) {
    const Var more = tc::matmul(tc::matmul(power, x), t(power)), next = x + more;
    return std::tuple{trip + 1, tc::matmul(power, power), next, norm(more) / norm(next)};
  };
  const auto condition = [&](Var trip, Var, Var, Var change) { return any(change > eps) & (trip < kMaxTrips); };
  const auto [trips, power, x, change] = while_loop(condition, step, {asarray(0), a, q, ones_like(norm(a))});
  return where((change > eps) | isinf(norm(x)), kNan, x);
}

// (r + b^T x b)^-1 b^T x a
Var discrete_gain(const Var& a, const Var& b, const Var& r, const Var& x) {
  const Var bx = tc::matmul(t(b), x);
  return quotient(r + tc::matmul(bx, b), tc::matmul(bx, a));
}

Var discrete_are(const Var& a, const Var& b, const Var& q, const Var& r) {
  const double eps = parts::epsilon(a.dtype());
  const Dim n = a.dim(-1);
  const auto step = [&](Var trip, Var x, Var g, Var h, Var) {
    const Var both = quotient(unit_of(x) + tc::matmul(g, h), concat({x, g}, {.axis = -1}));
    const Var wx = both.at(ellipsis, slice(n)).get(), wg = both.at(ellipsis, slice(n, {})).get();
    const Var more = tc::matmul(tc::matmul(t(x), h), wx);
    const Var next_h = parts::symmetric(h + more);
    return std::tuple{trip + 1, tc::matmul(x, wx), parts::symmetric(g + tc::matmul(tc::matmul(x, wg), t(x))), next_h,
                      norm(more) / norm(next_h)};
  };
  const auto condition = [&](Var trip, Var, Var, Var, Var change) { return any(change > eps) & (trip < kMaxTrips); };
  const Var g = tc::matmul(b, quotient(r, t(b)));
  const auto [trips, x, last, h, change] =
      while_loop(condition, step, {asarray(0), a, parts::symmetric(g), parts::symmetric(q), ones_like(norm(a))});
  // A step of Newton's method (Hewer 1971).
  const Var gain = discrete_gain(a, b, r, h), closed = a - tc::matmul(b, gain), ha = tc::matmul(h, a);
  const Var rest = tc::matmul(t(a), ha - tc::matmul(tc::matmul(h, b), gain)) + q - h;
  return where(change > eps, kNan, h + discrete_lyapunov(t(closed), parts::symmetric(rest)));
}

// (sign(z) + 1) [1; x] = 0 of the Hamiltonian z, by least squares.
Var stable_subspace(const Var& z, const Dim& n) {
  const DType type = z.dtype();
  const Var count = number(n * Dim(2), type);
  const auto step = [&](Var trip, Var quiet, Var x, Var change) {
    const Inverse i = inverse_with_logarithm(x);
    const Var c = where(change < 0.01, 1, exp(-i.logarithm / count));
    const Var next = (x * c + i.inverse / c) / 2, moved = norm(next - x) / norm(next);
    return std::tuple{trip + 1, where(any(moved > std::sqrt(parts::epsilon(type))), 0, quiet + 1), next, moved};
  };
  const auto condition = [](Var trip, Var quiet, Var, Var) { return (quiet < 2) & (trip < kMaxTrips); };
  const auto [trips, quiet, sign, change] =
      while_loop(condition, step, {asarray(0), asarray(0), z, ones_like(norm(z))});
  const Var w = sign + unit_of(sign);
  const parts::Qr f = parts::householder(w.at(ellipsis, slice(n, {})).get(), false);
  const Var right = tc::matmul(t(f.q), w.at(ellipsis, slice(n)).get());
  return -parts::triangular(f.r, right, {.lower = false});
}

Var continuous_are(const Var& a, const Var& b, const Var& q, const Var& r) {
  const Dim n = a.dim(-1);
  const Var g = tc::matmul(b, quotient(r, t(b)));
  const Var hamiltonian = concat({concat({a, -g}, {.axis = -1}), concat({-q, -t(a)}, {.axis = -1})}, {.axis = -2});
  const Var x = parts::symmetric(stable_subspace(hamiltonian, n));
  const Var closed = a - tc::matmul(g, x), half = tc::matmul(x, a);
  const Var rest = half + t(half) - tc::matmul(tc::matmul(x, g), x) + q;
  return parts::symmetric(x + sylvester(t(closed), closed, -rest));
}

// Of a gain k with the closed loop a - b k: gradients of q, r, and what left^T leaves for a and b.
struct Closed {
  Var a, b, q, r;
};
Closed closed_loop(const Var& s, const Var& left, const Var& k) {
  const Var ga = 2 * tc::matmul(left, s);
  return {ga, -tc::matmul(ga, t(k)), s, tc::matmul(tc::matmul(k, s), t(k))};
}

}  // namespace

Var solve_sylvester(Arg a, Arg b, Arg q) {
  const Site site("linalg.solve_sylvester", a.at());
  const std::vector<Var> list = operands_of({a, b, q});
  parts::expect_square(list[0]);
  parts::expect_square(list[1]);
  expect_extents(list[2], list[0].dim(-1), list[1].dim(-1));
  const auto rule = [](Var x, Var y, Var, Var z, Var g) {
    const Var gq = sylvester(t(x), t(y), g);
    return std::tuple{-tc::matmul(gq, t(z)), -tc::matmul(t(z), gq), gq};
  };
  return custom_vjp(sylvester, rule)(list[0], list[1], list[2]);
}

Var solve_continuous_lyapunov(Arg a, Arg q) {
  const Site site("linalg.solve_continuous_lyapunov", a.at());
  const std::vector<Var> list = operands_of({a, q});
  return solve_sylvester(list[0], t(list[0]), list[1]);
}

Var solve_discrete_lyapunov(Arg a, Arg q) {
  const Site site("linalg.solve_discrete_lyapunov", a.at());
  const std::vector<Var> list = operands_of({a, q});
  parts::expect_square(list[0]);
  expect_extents(list[1], list[0].dim(-1), list[0].dim(-1));
  const auto rule = [](Var x, Var, Var y, Var g) {
    const Var s = discrete_lyapunov(t(x), g), sx = tc::matmul(s, x);
    return std::pair{tc::matmul(sx, t(y)) + tc::matmul(t(s), tc::matmul(x, y)), s};
  };
  return custom_vjp(discrete_lyapunov, rule)(list[0], list[1]);
}

namespace {

std::vector<Var> riccati_operands(const Args& args) {
  std::vector<Var> list = operands_of(args);
  parts::expect_square(list[0]);
  const Dim n = list[0].dim(-1), m = list[1].dim(-1);
  expect_extents(list[1], n, m);
  expect_extents(list[2], n, n);
  expect_extents(list[3], m, m);
  return list;
}

}  // namespace

Var solve_discrete_are(Arg a, Arg b, Arg q, Arg r) {
  const Site site("linalg.solve_discrete_are", a.at());
  const std::vector<Var> list = riccati_operands({a, b, q, r});
  const auto rule = [](Var f, Var u, Var, Var w, Var x, Var g) {
    const Var k = discrete_gain(f, u, w, x), closed = f - tc::matmul(u, k);
    const Closed c = closed_loop(discrete_lyapunov(closed, parts::symmetric(g)), tc::matmul(x, closed), k);
    return std::tuple{c.a, c.b, c.q, c.r};
  };
  return custom_vjp(discrete_are, rule)(list[0], list[1], list[2], list[3]);
}

Var solve_continuous_are(Arg a, Arg b, Arg q, Arg r) {
  const Site site("linalg.solve_continuous_are", a.at());
  const std::vector<Var> list = riccati_operands({a, b, q, r});
  const auto rule = [](Var f, Var u, Var, Var w, Var x, Var g) {
    const Var k = quotient(w, tc::matmul(t(u), x)), closed = f - tc::matmul(u, k);
    const Closed c = closed_loop(sylvester(closed, t(closed), -parts::symmetric(g)), x, k);
    return std::tuple{c.a, c.b, c.q, c.r};
  };
  return custom_vjp(continuous_are, rule)(list[0], list[1], list[2], list[3]);
}

}  // namespace tc::linalg
