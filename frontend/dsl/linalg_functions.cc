#include "tc/frontend/dsl/linalg_functions.h"

#include <algorithm>

#include "tc/frontend/dsl/linalg_lu.h"
#include "tc/frontend/dsl/linalg_parts.h"

namespace tc::linalg {

using namespace dsl;

namespace {

// Numerator and denominator of the approximant of degree 2 k - 1 have the coefficients b of the even and odd powers.
struct Approximant {
  double bound;  // of the norm, for which it is exact to the rounding unit
  std::vector<double> b;
};
const Approximant& approximant(DType type) {
  static const Approximant seven{3.925724783138660, {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1}};
  static const Approximant thirteen{
      5.371920351148152,
      {64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
       670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1}};
  return type == f32 ? seven : thirteen;
}

// The sum of c[i] times even powers of a, given a^0, a^2, ...
Var combined(const std::vector<Var>& powers, const std::vector<double>& c, size_t first, size_t from, size_t to) {
  Var total;
  for (size_t i = from; i < to; ++i) {
    const Var term = powers[i - from] * c[2 * i + first];
    total = total.defined() ? total + term : term;
  }
  return total;
}

// Of a with a small norm. Powers up to the sixth are formed; those of degree 13 are multiples of the sixth.
Var approximated(const Var& a, const std::vector<double>& b) {
  const Var a2 = tc::matmul(a, a), a4 = tc::matmul(a2, a2), a6 = tc::matmul(a2, a4);
  const std::vector<Var> powers = {parts::eye_like(a), a2, a4, a6}, high = {a2, a4, a6};
  const auto half = [&](size_t first) {
    const Var low = combined(powers, b, first, 0, 4);
    return b.size() == 8 ? low : low + tc::matmul(a6, combined(high, b, first, 4, 7));
  };
  const Var even = half(0), odd = tc::matmul(a, half(1));
  const parts::Lu f = parts::factored(even - odd);
  return parts::lu_solved(f.lu, f.permutation, even + odd);
}

Var exponential(const Var& a) {
  const Approximant& p = approximant(a.dtype());
  Dims one = a.shape();
  one[one.size() - 1] = one[one.size() - 2] = 1;
  const Var none = zeros(one, {.dtype = a.dtype()});  // what the norm of no columns is
  const Var columns = concat({sum(abs(a), {.axis = -2, .keepdims = true}), none}, {.axis = -1});
  const auto too_large = [&](const Var& norm) {
    return (norm > p.bound) & (norm < std::numeric_limits<double>::infinity());
  };
  const auto halve = [&](Var times, Var factor, Var norm) {
    const Var more = too_large(norm);
    return std::tuple{where(more, times + 1, times), where(more, factor / 2, factor), where(more, norm / 2, norm)};
  };
  const auto [times, factor, norm] = while_loop(
      [&](Var, Var, Var n) { return any(too_large(n)); }, halve,
      {zeros(one, {.dtype = i64}), ones(one, {.dtype = a.dtype()}), max(columns, {.axis = -1, .keepdims = true})});
  const auto twice = [times = times](Var i, Var x) { return where(i < times, tc::matmul(x, x), x); };
  return fori_loop(0, max(times), twice, {approximated(a * factor, p.b)});
}

Dim product_of(const Dims& dims, size_t first, size_t end) {
  Dim n = 1;
  for (size_t i = first; i < end; ++i) n *= dims[i];
  return n;
}

// The matrix of a map from the last axes to the first ones, which have as many elements.
Var square_of(const Var& x, size_t first) {
  const Dim rows = product_of(x.shape(), 0, first), columns = product_of(x.shape(), first, x.shape().size());
  if (rows.is_const() && columns.is_const() && rows != columns)
    refuse(ErrorCode::bad_shape,
           cat("the first ", first, " axes of ", x.type(), " have ", rows, " elements, the others ", columns));
  const Dim n = columns.is_const() || columns.is_symbol() ? columns : rows;  // the simpler name of one extent
  return reshape(x, {n, n});
}

// Matrix chain order: the costs and cuts of products of matrices i to j.
struct Chain {
  std::vector<std::vector<size_t>> cut;
  explicit Chain(const std::vector<int64_t>& extents) {
    const size_t n = extents.size() - 1;
    std::vector<std::vector<double>> cost(n, std::vector<double>(n));
    cut.assign(n, std::vector<size_t>(n));
    for (size_t length = 1; length < n; ++length)
      for (size_t i = 0; i + length < n; ++i) {
        const size_t j = i + length;
        cost[i][j] = std::numeric_limits<double>::infinity();
        for (size_t k = i; k < j; ++k) {
          const double ends = static_cast<double>(extents[i]) * static_cast<double>(extents[j + 1]);
          const double c = cost[i][k] + cost[k + 1][j] + ends * static_cast<double>(extents[k + 1]);
          if (c < cost[i][j]) cost[i][j] = c, cut[i][j] = k;
        }
      }
  }
  Var product(const std::vector<Var>& list, size_t i, size_t j) const {
    if (i == j) return list[i];
    const size_t k = cut[i][j];
    return tc::matmul(product(list, i, k), product(list, k + 1, j));
  }
};

}  // namespace

Var expm(Arg x) {
  const Site site("linalg.expm", x.at());
  const auto rule = [](Var a, Var, Var g) {
    const Var at = parts::t(a);
    const Dim n = a.dim(-1);
    const Var block = concat({concat({at, g}, {.axis = -1}), concat({zeros_like(a), at}, {.axis = -1})}, {.axis = -2});
    return exponential(block).at(ellipsis, slice(n), slice(n, {})).get();
  };
  return custom_vjp([](Var a) { return exponential(a); }, rule)(parts::square_matrix(x));
}

Var kron(Arg a, Arg b) {
  const Site site("linalg.kron", a.at());
  const auto [x, y] = promoted(a, b, Domain::real);
  const int rank = std::max(x.rank(), y.rank());
  Dims first, second, result;
  for (int i = 0; i < rank; ++i) {
    const auto extent = [&](const Var& v) { return i < rank - v.rank() ? Dim(1) : v.dim(i - rank); };
    const Dim m = extent(x), n = extent(y);
    first.insert(first.end(), {m, Dim(1)});
    second.insert(second.end(), {Dim(1), n});
    result.push_back(m * n);
  }
  return reshape(reshape(x, first) * reshape(y, second), result);
}

Var block_diag(const Args& matrices) {
  const Site site("linalg.block_diag", location_of(matrices));
  if (matrices.empty()) refuse(ErrorCode::bad_argument, "there are no operands");
  std::vector<Var> list = promoted(matrices, Domain::real);
  Dims batch;
  Dim width = 0;
  for (Var& v : list) {
    if (v.rank() < 2) v = reshape(v, {1, v.size()});
    batch = located([&] { return broadcast_dims(batch, {v.shape().begin(), v.shape().end() - 2}); });
    width += v.dim(-1);
  }
  std::vector<Var> rows;
  Dim before = 0;
  for (const Var& v : list) {
    const auto wide = [&](const Dim& columns) {
      Dims dims = batch;
      dims.insert(dims.end(), {v.dim(-2), columns});
      return dims;
    };
    const Dim after = width - before - v.dim(-1);
    std::vector<Var> row;
    if (!before.is(0)) row.push_back(zeros(wide(before), {.dtype = v.dtype()}));
    row.push_back(broadcast_to(v, wide(v.dim(-1))));
    if (!after.is(0)) row.push_back(zeros(wide(after), {.dtype = v.dtype()}));
    rows.push_back(concat(row, {.axis = -1}));
    before += v.dim(-1);
  }
  return concat(rows, {.axis = -2});
}

Var multi_dot(const Args& matrices) {
  const Site site("linalg.multi_dot", location_of(matrices));
  if (matrices.size() < 2) refuse(ErrorCode::bad_argument, cat(matrices.size(), " operands, expected two or more"));
  std::vector<Var> list = promoted(matrices, Domain::real);
  const bool row = list.front().rank() == 1, column = list.back().rank() == 1;
  if (row) list.front() = expand_dims(list.front(), 0);
  if (column) list.back() = expand_dims(list.back(), 1);
  std::vector<int64_t> extents;
  for (const Var& v : list) {
    if (v.rank() != 2) refuse(ErrorCode::bad_shape, cat("an operand is ", v.type(), ", expected a matrix"));
    if (v.dim(0).is_const()) extents.push_back(v.dim(0).value());
  }
  if (list.back().dim(1).is_const()) extents.push_back(list.back().dim(1).value());
  Var p = list[0];
  if (extents.size() == list.size() + 1)
    p = Chain(extents).product(list, 0, list.size() - 1);
  else
    for (size_t i = 1; i < list.size(); ++i) p = tc::matmul(p, list[i]);
  std::vector<int64_t> gone;
  if (row) gone.push_back(0);
  if (column) gone.push_back(1);
  return gone.empty() ? p : squeeze(p, gone);
}

Var toeplitz(Arg c, Arg r) {
  const Site site("linalg.toeplitz", c.at());
  const auto [column, row] = r.absent() ? promoted(c, c, Domain::real) : promoted(c, r, Domain::real);
  if (column.rank() < 1 || row.rank() < 1)
    refuse(ErrorCode::bad_shape, cat("operands are ", column.type(), " and ", row.type(), ", expected an axis"));
  const Dim m = column.dim(-1), n = row.dim(-1);
  const Dims batch = located([&, x = column, y = row] {
    return broadcast_dims({x.shape().begin(), x.shape().end() - 1}, {y.shape().begin(), y.shape().end() - 1});
  });
  const auto wide = [&](const Var& v) {
    Dims dims = batch;
    dims.push_back(v.dim(-1));
    return broadcast_to(v, dims);
  };
  const Var i = expand_dims(arange(m), 1), j = expand_dims(arange(n), 0);
  const Var both = concat({wide(column), wide(row)}, {.axis = -1});
  return take(both, where(i >= j, i - j, j - i + asarray(m)), {.axis = -1});
}

Var tensorsolve(Arg a, Arg b, TensorsolveOptions options) {
  const Site site("linalg.tensorsolve", a.at());
  auto [x, y] = promoted(a, b, Domain::floating);
  std::vector<int64_t> order, moved;
  for (const int64_t i : options.axes) moved.push_back(axis_of(i, x.rank()));
  for (int i = 0; i < x.rank(); ++i)
    if (!std::count(moved.begin(), moved.end(), i)) order.push_back(i);
  order.insert(order.end(), moved.begin(), moved.end());
  x = permute_dims(x, order);
  if (x.rank() < y.rank()) refuse(ErrorCode::bad_shape, cat(x.type(), " and a right-hand side ", y.type()));
  const size_t first = static_cast<size_t>(y.rank());
  const Dims unknown(x.shape().begin() + y.rank(), x.shape().end());
  const Var m = square_of(x, first);
  return reshape(solve(m, reshape(y, {m.dim(0)})), unknown);
}

Var tensorinv(Arg a, TensorinvOptions options) {
  const Site site("linalg.tensorinv", a.at());
  const Var x = operand(a, Domain::floating);
  if (options.ind < 1 || options.ind > x.rank())
    refuse(ErrorCode::bad_argument, cat(options.ind, " first axes of ", x.type()));
  const size_t first = static_cast<size_t>(options.ind);
  Dims result(x.shape().begin() + options.ind, x.shape().end());
  result.insert(result.end(), x.shape().begin(), x.shape().begin() + options.ind);
  return reshape(inv(square_of(x, first)), result);
}

}  // namespace tc::linalg
