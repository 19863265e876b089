#include "tc/frontend/dsl/linalg_parts.h"

namespace tc::linalg::parts {

namespace {

// No matrix of the tests needs more than 24; this bounds the trips for what does not converge, such as NaNs.
constexpr int64_t kMaxSweeps = 30;

Dims batch_of(const Var& a) {
  return {a.shape().begin(), a.shape().end() - 2};
}

Dims beside(Dims dims, std::initializer_list<Dim> more) {
  dims.insert(dims.end(), more);
  return dims;
}

// The round robin of Brent and Luk (1985): row i meets row partner[i], then rows move to the places that `next` says,
// so that after size - 1 rounds each has met all others. An odd count has one more row, of zeros.
struct Rounds {
  Dim count, size;
  Var partner, next, side;  // side: 1 for the first half, -1 for the second
  Dim last() const { return size - Dim(1); }
  // Whether a place holds the row that was added; `place` are the rows' first places.
  Var added(const Var& place) const { return place >= count; }
};

Rounds rounds_of(const Dim& n, DType t) {
  const Dim half = floordiv(n + Dim(1), 2), size = half * Dim(2);
  const Var i = arange(size), h = asarray(half);
  const Var upper = where(i < 2, where(i == 0, 0, h), i - 1), lower = where(i < h * 2 - 1, i + 1, maximum(h - 1, 1));
  return {n, size, where(i < h, i + h, i - h), where(i == 0, 0, where(i < h, upper, lower)),
          astype(where(i < h, 1, -1), t)};
}

// Rows and columns of zeros up to the given extents.
Var padded(const Var& a, const Dim& rows, const Dim& columns) {
  Var x = a;
  if (const Dim more = columns - a.dim(-1); !more.is(0)) x = concat({x, zeros_beside(x, more)}, {.axis = -1});
  if (const Dim more = rows - a.dim(-2); !more.is(0))
    x = concat({x, zeros(beside(batch_of(a), {more, columns}), {.dtype = a.dtype()})}, {.axis = -2});
  return x;
}

// Cosines and sines (Rutishauser 1966) that take the element `off` between rows of diagonal elements d and `other` to
// zero: row' = c row - s partner's. Both of a pair find the same c and opposite s.
std::pair<Var, Var> rotation(const Var& d, const Var& other, const Var& off, const Var& side) {
  const Var some = off != 0, tau = (other - d) / (2 * where(some, off, 1));
  const Var tangent = where(tau == 0, side, sign(tau)) / (abs(tau) + hypot(tau, 1));
  const Var t = where(some, tangent, 0), c = 1 / sqrt(1 + t * t);
  return {c, c * t};
}

// Of rows that are almost orthonormal: one step of Newton and Schulz.
Var orthonormal(const Var& v) {
  return v * 1.5 - tc::matmul(tc::matmul(v, t(v)), v) * 0.5;
}

// Mean of an element and its mirror image: pairs must not disagree about their rotation.
Var agreed(const Var& off, const Rounds& r) {
  return (off + take(off, r.partner, {.axis = -1})) / 2;
}

Var go_on(const Rounds& r, const Var& trip, const Var& quiet) {
  return (quiet < r.last()) & (trip < r.last() * Dim(kMaxSweeps));
}

Var turned(const Var& x, const Rounds& r, const Var& c, const Var& s, int axis) {
  const Axes at = axis == -2 ? -1 : -2;
  return expand_dims(c, at) * x - expand_dims(s, at) * take(x, r.partner, {.axis = axis});
}

Var first_columns(const Var& x, const Dim& n) {
  return x.at(ellipsis, slice(n)).get();
}

Var along(const Var& x, const Var& order) {
  return take_along_axis(x, order, {.axis = -1});
}

Var rows_along(const Var& x, const Var& order) {
  return take_along_axis(x, expand_dims(order, -1), {.axis = -2});
}

}  // namespace

// 1 where the elements are in range, so that most matrices are not rounded.
Var scale_of(const Var& a) {
  const double low = a.dtype() == f32 ? 1e-6 : 1e-80, high = a.dtype() == f32 ? 1e10 : 1e80;
  const Var size = sum(abs(a), {.axis = {-2, -1}, .keepdims = true});
  return where((size > high) | ((size < low) & (size > 0)), size, 1);
}

Eigen symmetric_eigen(const Var& matrix) {
  const Dim n = matrix.dim(-1);
  const DType type = matrix.dtype();
  const Var scale = scale_of(matrix), a = matrix / scale;
  const Rounds r = rounds_of(n, type);
  const Var i = arange(r.size), size = asarray(r.size);
  const Var on = i * (size + 1), across = i * size + r.partner,
            pairs = expand_dims(i, -2) == expand_dims(r.partner, -1);
  const Var norm = sqrt(sum(a * a, {.axis = {-2, -1}, .keepdims = true}));
  const Var small = squeeze(norm, -1) * (epsilon(type) / 2);
  const Dims flat = beside(batch_of(a), {r.size * r.size});
  const auto round = [&](Var trip, Var quiet, Var x, Var v, Var place) {
    const Var elements = reshape(x, flat), d = take(elements, on, {.axis = -1});
    const Var off = agreed(take(elements, across, {.axis = -1}), r);
    const auto [c, s] = rotation(d, take(d, r.partner, {.axis = -1}), off, r.side);
    const Var y = where(pairs, 0, turned(turned(x, r, c, s, -2), r, c, s, -1));
    return std::tuple{trip + 1, where(any(abs(off) > small), 0, quiet + 1),
                      take(take(y, r.next, {.axis = -2}), r.next, {.axis = -1}),
                      take(turned(v, r, c, s, -2), r.next, {.axis = -2}), take(place, r.next)};
  };
  const auto condition = [&](Var trip, Var quiet, Var, Var, Var) { return go_on(r, trip, quiet); };
  const Var x = padded(a, r.size, r.size);
  const auto [trips, quiet, diagonal, rows, place] =
      while_loop(condition, round, {asarray(0), asarray(0), x, batched_eye(x, r.size), i});
  const Var v = orthonormal(first_columns(rows, n)), w = sum(tc::matmul(v, a) * v, {.axis = -1});
  const Var key = where(r.added(place), std::numeric_limits<double>::infinity(), where(isnan(w), 0, w));
  const Var order = first_columns(argsort(key), n);
  return {along(w, order) * squeeze(scale, -1), t(rows_along(v, order))};
}

// Rows of the triangular factor are turned until they are orthogonal (Hestenes 1958; Drmac and Veselic 2008): of
// a = q b and w b = s v^T it is a = (q w^T) s v^T. The rotations are gathered in columns beside b.
Svd svd(const Var& matrix, bool full) {
  const Dim n = matrix.dim(-1), k = least(matrix);
  const DType type = matrix.dtype();
  const double eps = epsilon(type);
  const Var scale = scale_of(matrix);
  const Qr f = householder(matrix / scale, full);
  const Var b = full ? f.r.at(ellipsis, slice(k), slice()).get() : f.r;
  const Rounds r = rounds_of(k, type);
  const Var small = maximum(sqrt(astype(asarray(n), type)), 8) * eps;
  const auto round = [&](Var trip, Var quiet, Var y, Var place) {
    const Var mine = first_columns(y, n), others = take(mine, r.partner, {.axis = -2});
    const Var g = sum(mine * mine, {.axis = -1}), other = take(g, r.partner, {.axis = -1});
    const Var off = agreed(sum(mine * others, {.axis = -1}), r);
    const auto [c, s] = rotation(g, other, off, r.side);
    const Var counts = minimum(g, other) > max(g, {.axis = -1, .keepdims = true}) * (eps * eps * eps);
    return std::tuple{trip + 1, where(any((abs(off) > small * sqrt(g) * sqrt(other)) & counts), 0, quiet + 1),
                      take(turned(y, r, c, s, -2), r.next, {.axis = -2}), take(place, r.next)};
  };
  const auto condition = [&](Var trip, Var quiet, Var, Var) { return go_on(r, trip, quiet); };
  const Var x = padded(b, r.size, n), start = concat({x, batched_eye(x, r.size)}, {.axis = -1});
  const auto [trips, quiet, y, place] = while_loop(condition, round, {asarray(0), asarray(0), start, arange(r.size)});
  const Var w = orthonormal(y.at(ellipsis, slice(n, n + k)).get()), product = tc::matmul(w, b);
  const Var s = sqrt(sum(product * product, {.axis = -1}));
  const Var key = where(r.added(place), -1, where(isnan(s), std::numeric_limits<double>::infinity(), s));
  const Var order = first_columns(argsort(key, {.descending = true}), k);
  const Var values = along(s, order), each = expand_dims(values, -1), left = t(rows_along(w, order));
  // Orthonormal columns stay what they are, but for signs; those of singular values of 0 are found here.
  const Var right = where(each > 0, rows_along(product, order) / where(each > 0, each, 1), rows_along(product, order));
  const Qr g = householder(t(right), full);
  const Var signs = where(linalg::diagonal(g.r) < 0, -1, ones_like(values));
  const auto both = [&](const Var& q, const Var& first) {
    return full ? concat({first, q.at(ellipsis, slice(k, {})).get()}, {.axis = -1}) : first;
  };
  return {both(f.q, tc::matmul(first_columns(f.q, k), left)), values * squeeze(scale, -1),
          both(g.q, first_columns(g.q, k) * expand_dims(signs, -2))};
}

}  // namespace tc::linalg::parts
