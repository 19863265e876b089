#include "tc/frontend/dsl/linalg_qr.h"

#include "tc/frontend/dsl/linalg_parts.h"

namespace tc::linalg {

using namespace dsl;

namespace parts {

Dim least(const Var& m) {
  return min(m.dim(-2), m.dim(-1));
}

// The v, scaled so that I - v v^T takes x to a multiple of the unit vector at j; zero where nothing is below j, as in
// LAPACK. x is zero above j, i its rows. The greatest element goes out first, so that squares stay in range.
Var reflector(const Var& x, const Var& i, const Var& j) {
  const Axes column = -2;
  const Var greatest = max(abs(x), {.axis = column, .keepdims = true});
  const Var y = x / where(greatest == 0, 1, greatest), head = pick(y, j, -2);
  const Var below = sum(where(i > j, abs(y), 0), {.axis = column, .keepdims = true});
  const Var length = sqrt(sum(y * y, {.axis = column, .keepdims = true}));
  const Var scale = sqrt(length * (length + abs(head))), some = below != 0;
  const Var v = y + where(i == j, where(head < 0, -length, length), 0);
  return where(some, v / where(some, scale, 1), 0);
}

Qr householder(const Var& a, bool complete) {
  const Dim k = least(a), columns = complete ? a.dim(-2) : k;
  const Var i = rows_of(a), each = expand_dims(arange(k), 0);
  const auto reduce = [&](Var j, Var r, Var vs) {
    const Var v = reflector(where(i >= j, pick(r, j, -1), 0), i, j);
    return std::pair{r - tc::matmul(v, tc::matmul(t(v), r)), where(each == j, v, vs)};
  };
  const auto [r, vs] = fori_loop(0, k, reduce, {a, zeros_beside(a, k)});
  const Var last = asarray(k) - 1;
  const auto gather = [&](Var step, Var q) {
    const Var v = pick(vs, last - step, -1);
    return q - tc::matmul(v, tc::matmul(t(v), q));
  };
  const Var q = fori_loop(0, k, gather, {batched_eye(a, columns)});
  return {q, triu(complete ? r : r.at(ellipsis, slice(k), slice()).get())};
}

}  // namespace parts

namespace {

// Of the first k columns x = q u, y = q v being the others. With gq that of q as y depends on it too,
// M = u gu^T - gq^T q: (gq + q copy_lower(M)) u^-T is x's, q gv that of y.
Var rule_of_reduced(const Var& a, const Var& q, const Var& r, const Var& gq, const Var& gr) {
  const Dim k = parts::least(a);
  const auto first = [&](const Var& m) { return m.at(ellipsis, slice(k)).get(); };
  const Var u = first(r), gu = triu(first(gr)), gv = gr.at(ellipsis, slice(k, {})).get();
  // Not a product of the others alone, which may be none: of such a one with a transpose ONNX Runtime 1.30 leaves the
  // second matrix of a batch as memory was.
  const Var g = gq + tc::matmul(a, parts::t(where(parts::columns_of(gr) < k, 0, gr)));
  const Var m = tc::matmul(u, parts::t(gu)) - tc::matmul(parts::t(g), q);
  const Var right = g + tc::matmul(q, parts::copy_lower(m));
  const Var gx = parts::t(parts::triangular(u, parts::t(right), {.lower = false}));
  return concat({gx, tc::matmul(q, gv)}, {.axis = -1});
}

QrResult reduced(const Var& a) {
  const auto f = [](Var x) {
    const parts::Qr y = parts::householder(x, false);
    return std::pair{y.q, y.r};
  };
  const auto rule = [](Var x, Var q, Var r, Var gq, Var gr) { return rule_of_reduced(x, q, r, gq, gr); };
  const auto [q, r] = custom_vjp(f, rule)(a);
  return {q, r};
}

}  // namespace

QrResult qr(Arg x, QrOptions options) {
  const Site site("linalg.qr", x.at());
  const Var a = parts::matrix(x);
  if (options.mode == QrMode::reduced) return reduced(a);
  const parts::Qr y = parts::householder(a, true);
  return {y.q, y.r};
}

}  // namespace tc::linalg
