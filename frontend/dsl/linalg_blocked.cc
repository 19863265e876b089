#include "tc/frontend/dsl/linalg_parts.h"

namespace tc::linalg::parts {

namespace {

Dims batch_and(const Var& a, std::initializer_list<Dim> last) {
  Dims dims(a.shape().begin(), a.shape().end() - 2);
  dims.insert(dims.end(), last);
  return dims;
}

// a up to whole blocks, with ones on the diagonal of what is added.
Var whole_blocks(const Var& a, const Dim& size) {
  const Dim n = a.dim(-1), more = size - n;
  if (more.is(0)) return a;
  const Var wide = concat({a, zeros_beside(a, more)}, {.axis = -1});
  const Var one = expand_dims(arange(size), 0) == expand_dims(arange(more) + asarray(n), 1);
  return concat({wide, broadcast_to(astype(one, a.dtype()), batch_and(a, {more, size}))}, {.axis = -2});
}

Var rows(const Var& x, Bound first, Bound end) {
  return x.at(ellipsis, slice(std::move(first), std::move(end)), slice()).get();
}

// The inverse of a lower triangular block: those of twice the size are -d^-1 c a^-1 below the diagonal, all at once.
Var inverse_by_doubling(const Var& l) {
  const Var i = expand_dims(arange(kBlock), 1), k = expand_dims(arange(kBlock), 0);
  Var x = where(i == k, 1 / where(i == k, l, 1), 0);
  for (int64_t s = 1; s < kBlock; s *= 2) {
    const Var below =
        (floor_divide(i, s) == floor_divide(k, s) + 1) & (floor_divide(i, 2 * s) == floor_divide(k, 2 * s));
    x = x - tc::matmul(tc::matmul(x, where(below, l, 0)), x);
  }
  return x;
}

}  // namespace

// From left to right: what the blocks before leave of one, the factor of its upper end, and the rest times the inverse
// of that. Columns that are there are carried, so that products are no larger than they have to be.
Var blocked_cholesky(const Var& a) {
  const Dim n = a.dim(-1), count = ceildiv(n, kBlock), size = count * Dim(kBlock);
  const Var whole = whole_blocks(a, size);
  const auto step = [&](Var p, Var l) {
    const Var first = p * kBlock, end = first + kBlock;
    const Var column = rows(whole, first, {}).at(ellipsis, slice(first, end)).get();
    const Var rest = column - tc::matmul(rows(l, first, {}), t(rows(l, first, end)));
    const Var d = columnwise_cholesky(reshape(rows(rest, {}, kBlock), batch_and(a, {kBlock, kBlock})));
    const Var below = tc::matmul(rows(rest, kBlock, {}), t(inverse_by_doubling(d)));
    std::vector<Extent> before(a.shape().begin(), a.shape().end() - 2);
    before.insert(before.end(), {Extent(first), Extent(kBlock)});
    const Var above = zeros(ShapeArg(before), {.dtype = a.dtype()});
    const Var next = reshape(concat({above, d, below}, {.axis = -2}), batch_and(a, {size, kBlock}));
    return concat({l, next}, {.axis = -1});
  };
  const Var l = fori_loop(0, count, step, {zeros_beside(whole, 0)});
  return reshape(l.at(ellipsis, slice(n), slice(n)).get(), a.shape());
}

// Blocks of rows, each a system of its own for what those before leave.
Var blocked_triangular(const Var& a, const Var& b, Triangle which) {
  const Dim n = a.dim(-1), columns = b.dim(-1), count = ceildiv(n, kBlock), size = count * Dim(kBlock);
  const Dim more = size - n;
  const Var whole = whole_blocks(a, size);
  const Var right =
      more.is(0) ? b : concat({b, zeros(batch_and(b, {more, columns}), {.dtype = b.dtype()})}, {.axis = -2});
  const Var last = asarray(count) - 1;
  const auto step = [&](Var p, Var x) {
    const Var first = (which.lower ? p : last - p) * kBlock, end = first + kBlock, own = rows(whole, first, end);
    const Var known = which.lower ? own.at(ellipsis, slice(first)).get() : own.at(ellipsis, slice(end, {})).get();
    const Var rest = rows(right, first, end) - tc::matmul(known, x);
    const Var d = reshape(own.at(ellipsis, slice(first, end)).get(), batch_and(a, {kBlock, kBlock}));
    const Var y = rowwise_triangular(d, reshape(rest, batch_and(b, {kBlock, columns})), which);
    return which.lower ? concat({x, y}, {.axis = -2}) : concat({y, x}, {.axis = -2});
  };
  const Var x = fori_loop(0, count, step, {zeros(batch_and(b, {0, columns}), {.dtype = b.dtype()})});
  return reshape(rows(x, {}, n), b.shape());
}

}  // namespace tc::linalg::parts
