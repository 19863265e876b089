#include "tc/frontend/dsl/linalg_eig.h"

#include "tc/frontend/dsl/linalg_parts.h"

namespace tc::linalg {

using namespace dsl;

namespace {

Complex chosen(const Var& condition, const Complex& a, const Complex& b) {
  return {where(condition, a.re, b.re), where(condition, a.im, b.im)};
}

Complex picked(const Complex& m, const Var& index, int axis) {
  return {parts::pick(m.re, index, axis), parts::pick(m.im, index, axis)};
}

Complex rows_of(const Complex& m, Bound first, Bound end) {
  const auto part = [&](const Var& v) { return v.at(ellipsis, slice(first, end), slice()).get(); };
  return {part(m.re), part(m.im)};
}

// h with zeros below the first subdiagonal, and the orthogonal q of a = q h q^T.
std::pair<Var, Var> hessenberg(const Var& a) {
  const Var i = parts::rows_of(a), n = asarray(a.dim(-1));
  const auto column = [&](Var j, Var h, Var q) {
    const Var v = parts::reflector(where(i > j, parts::pick(h, j, -1), 0), i, j + 1);
    const Var left = h - tc::matmul(v, tc::matmul(parts::t(v), h));
    return std::pair{left - tc::matmul(tc::matmul(left, v), parts::t(v)),
                     q - tc::matmul(tc::matmul(q, v), parts::t(v))};
  };
  const auto [h, q] = fori_loop(0, maximum(n - 2, 0), column, {a, parts::batched_eye(a, a.dim(-1))});
  return {triu(h, {.k = -1}), q};
}

// What is left of each matrix of a batch: the subdiagonal elements below `top` and from `low` on are not negligible.
// Indices are [..., 1, 1]; top is 0 where nothing is left.
struct Window {
  Var low, top;
  Complex h;  // with zeros for the negligible ones
};
Window window_of(const Complex& h) {
  const Var i = parts::rows_of(h.re), k = parts::columns_of(h.re);
  const Axes columns = -1, rows = -2;
  const Var size = abs(h.re) + abs(h.im), below = sum(where(k == i - 1, size, 0), {.axis = columns, .keepdims = true});
  const Var on = sum(where(k == i, size, 0), {.axis = columns, .keepdims = true});
  const Var before = take(on, maximum(arange(h.re.dim(-1)) - 1, 0), {.axis = -2});
  const Var counts = (below > (on + before) * parts::epsilon(h.re.dtype())) & (i > 0);
  const Var top = max(where(counts, i, 0), {.axis = rows, .keepdims = true});
  const Var low = max(where((i <= top) & !counts, i, 0), {.axis = rows, .keepdims = true});
  const Var gone = (k == i - 1) & !counts;
  return {low, top, {where(gone, 0, h.re), where(gone, 0, h.im)}};
}

Complex element(const Complex& h, const Var& row, const Var& column) {
  const Var here = (parts::rows_of(h.re) == row) & (parts::columns_of(h.re) == column);
  const SumOptions both{.axis = {-2, -1}, .keepdims = true};
  return {sum(where(here, h.re, 0), both), sum(where(here, h.im, 0), both)};
}

// The eigenvalue of the last two rows that is nearer to the last element; now and then another number, so that no
// matrix is taken to itself.
Complex shift_of(const Window& w, const Var& age) {
  const Var before = maximum(w.top - 1, 0);
  const Complex p = element(w.h, before, before), q = element(w.h, before, w.top), r = element(w.h, w.top, before),
                s = element(w.h, w.top, w.top);
  const Complex half = (p - s) / 2, root = sqrt(half * half + q * r);
  const Var away = half.re * root.re + half.im * root.im < 0;
  const Complex below = half + chosen(away, -root, root);
  const Var none = (below.re == 0) & (below.im == 0);
  const Complex step = chosen(none, r * 0, q * r / Complex{where(none, 1, below.re), below.im});
  const Var stuck = age % 11 == 10;
  return {where(stuck, s.re + abs(r), s.re - step.re), where(stuck, s.im, s.im - step.im)};
}

// One QR step of each window: rotations of neighbouring rows, and of the columns of m, which has h above z.
Complex swept(const Complex& m, const Window& w, const Complex& shift) {
  const Var i = parts::rows_of(m.re), k = parts::columns_of(m.re), next = minimum(w.low + 1, asarray(m.re.dim(-1)) - 1);
  const Complex x0 = element(w.h, w.low, w.low) - shift, y0 = element(w.h, next, w.low);
  const auto rotate = [&](Var j, Var re, Var im) {
    const Complex a{re, im}, upper = picked(a, j, -2), lower = picked(a, j + 1, -2);
    const Var before = maximum(j - 1, 0), starts = w.low == j, inside = (w.low <= j) & (w.top > j);
    const Complex x = chosen(starts, x0, picked(upper, before, -1)), y = chosen(starts, y0, picked(lower, before, -1));
    const Var size = abs(x), length = hypot(size, abs(y)), some = inside & (length > 0), any_x = size > 0;
    const Var divisor = where(some, length, 1), c = where(some, size / divisor, 1);
    const Complex phase = chosen(any_x, x / where(any_x, size, 1), Complex{ones_like(size), zeros_like(size)});
    const Complex full = phase * conj(y) / divisor, s = chosen(some, full, full * 0);
    const Complex first = upper * c + s * lower, rest = lower * c - conj(s) * upper;
    const Complex second = chosen(some & !starts & (k == j - 1), rest * 0, rest);
    const Complex b = chosen(i == j, first, chosen(i == j + 1, second, a));
    const Complex left = picked(b, j, -1), right = picked(b, j + 1, -1);
    const Complex r = chosen(k == j, left * c + conj(s) * right, chosen(k == j + 1, right * c - s * left, b));
    return std::pair{r.re, r.im};
  };
  const Var active = w.top > 0;
  const Var first = min(where(active, w.low, asarray(m.re.dim(-1)))), end = max(w.top);
  const auto [re, im] = fori_loop(first, maximum(end, first), rotate, {m.re, m.im});
  return {re, im};
}

struct Triangular {
  Complex t, z;
};
Triangular triangular_form(const Var& a) {
  const Dim n = a.dim(-1);
  const auto [h, q] = hessenberg(a);
  const Var m = concat({h, q}, {.axis = -2});
  Dims one = a.shape();
  one[one.size() - 1] = one[one.size() - 2] = 1;
  const Var start = zeros(one, {.dtype = i64});
  const auto sweep = [&](Var sweeps, Var, Var age, Var last, Var re, Var im) {
    const Complex whole{re, im};
    const Window w = window_of(rows_of(whole, {}, n));
    const Complex z = rows_of(whole, n, {});
    const Complex clean{concat({w.h.re, z.re}, {.axis = -2}), concat({w.h.im, z.im}, {.axis = -2})};
    const Var older = where(w.top == last, age + 1, 0);
    const Complex next = swept(clean, w, shift_of(w, older));
    return std::tuple{sweeps + 1, any(w.top > 0), older, w.top, next.re, next.im};
  };
  const Var most = asarray(n) * 60;
  const auto condition = [&](Var sweeps, Var left, Var, Var, Var, Var) { return left & (sweeps < most); };
  const auto [sweeps, left, age, last, re, im] =
      while_loop(condition, sweep, {asarray(0), asarray(n) > 0, start, start, m, zeros_like(m)});
  const Complex whole{re, im}, t = rows_of(whole, {}, n);
  return {{triu(t.re), triu(t.im)}, rows_of(whole, n, {})};
}

Complex diagonal_of(const Complex& t) {
  return {linalg::diagonal(t.re), linalg::diagonal(t.im)};
}

// Columns are scaled while they are found, so that they stay in range where eigenvalues are equal.
Complex vectors_of(const Triangular& f) {
  const Complex d = diagonal_of(f.t), values{expand_dims(d.re, -2), expand_dims(d.im, -2)};
  const Var i = parts::rows_of(f.t.re), k = parts::columns_of(f.t.re), last = asarray(f.t.re.dim(-1)) - 1;
  const Var size = sum(abs(f.t.re) + abs(f.t.im), {.axis = {-2, -1}, .keepdims = true});
  const Var small = where(size == 0, 1, size * parts::epsilon(f.t.re.dtype()) / 4);
  const auto row = [&](Var step, Var re, Var im) {
    const Var j = last - step;
    const Complex v{re, im}, t = picked(f.t, j, -2), gap = picked(t, j, -1) - values;
    const Var close = abs(gap) < small;
    const Complex found = -matmul(t, v) / Complex{where(close, small, gap.re), where(close, 0, gap.im)};
    const Var above = k > j, scale = maximum(where(above, abs(found), 1), 1);
    const Complex next = chosen((i == j) & above, found, v);
    return std::pair{next.re / scale, next.im / scale};
  };
  const Var one = parts::batched_eye(f.t.re, f.t.re.dim(-1));
  const auto [re, im] = fori_loop(0, f.t.re.dim(-1), row, {one, zeros_like(one)});
  const Complex v = matmul(f.z, Complex{re, im});
  const Axes rows = -2;
  const Var length = sqrt(sum(v.re * v.re + v.im * v.im, {.axis = rows, .keepdims = true}));
  const Complex unit = v / length;
  const Var sizes = abs(unit), greatest = argmax(sizes, {.axis = -2, .keepdims = true});
  const auto at = [&](const Var& x) { return take_along_axis(x, greatest, {.axis = -2}); };
  return unit * conj(Complex{at(unit.re), at(unit.im)}) / at(sizes);
}

// v^-H m v^H of m with the gradients of the values on the diagonal.
Var rule_of_eig(const Complex& w, const Complex& v, const Complex& gw, const Complex* gv) {
  const Var one = parts::eye_like(v.re);
  Complex m{one * expand_dims(gw.re, -1), one * expand_dims(gw.im, -1)};
  if (gv) {
    const Complex vh = conj_transpose(v), p = matmul(vh, *gv);
    const Var own = expand_dims(linalg::diagonal(p.re), -2);
    const Complex inner = p - matmul(vh, v) * own;
    const Complex gap{expand_dims(w.re, -2) - expand_dims(w.re, -1), expand_dims(w.im, -2) - expand_dims(w.im, -1)};
    const Var same = (gap.re == 0) & (gap.im == 0);
    const Complex e = inner / conj(Complex{where(same, 1, gap.re), gap.im});
    m = m + chosen(same, e * 0, e);
  }
  const Complex vh = conj_transpose(v);
  return matmul(linalg::solve(vh, m), vh).re;
}

}  // namespace

EigResult eig(Arg x) {
  const Site site("linalg.eig", x.at());
  const auto f = [](Var a) {
    const Triangular r = triangular_form(a);
    return std::pair{diagonal_of(r.t), vectors_of(r)};
  };
  const auto rule = [](Var, Var wr, Var wi, Var vr, Var vi, Var gwr, Var gwi, Var gvr, Var gvi) {
    const Complex gv{gvr, gvi};
    return rule_of_eig({wr, wi}, {vr, vi}, {gwr, gwi}, &gv);
  };
  const auto [w, v] = custom_vjp(f, rule)(parts::square_matrix(x));
  return {w, v};
}

Complex eigvals(Arg x) {
  const Site site("linalg.eigvals", x.at());
  const auto f = [](Var a) { return diagonal_of(triangular_form(a).t); };
  const auto rule = [](Var a, Var wr, Var wi, Var gwr, Var gwi) {
    return rule_of_eig({wr, wi}, vectors_of(triangular_form(a)), {gwr, gwi}, nullptr);
  };
  return custom_vjp(f, rule)(parts::square_matrix(x));
}

SchurResult schur(Arg x) {
  const Site site("linalg.schur", x.at());
  const Triangular r = triangular_form(parts::square_matrix(x));
  return {r.t, r.z};
}

}  // namespace tc::linalg
