#include "tc/frontend/dsl/linalg.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/matmul.h"
#include "tc/ir/ops/reduce.h"

namespace tc {

using namespace dsl;

namespace {

void expect_matrix(const Var& v) {
  if (v.rank() < 2) refuse(ErrorCode::bad_shape, cat("an operand is ", v.type(), ", expected at least two axes"));
}

// i8 to u16, which the product lacks, in i64.
bool is_narrow(DType t) {
  return t == i8 || t == u8 || t == i16 || t == u16;
}

Dim count_of(const Dims& dims, size_t first, size_t end) {
  Dim n = 1;
  for (size_t i = first; i < end; ++i) n *= dims[i];
  return n;
}

}  // namespace

Var matmul(Arg a, Arg b) {
  const Site site("matmul", a.at());
  const auto [x, y] = promoted(a, b, Domain::real);
  const DType t = x.dtype();
  if (is_narrow(t)) return astype(make<MatMul>({astype(x, i64), astype(y, i64)}), t);
  return make<MatMul>({x, y});
}

Var dot(Arg a, Arg b) {
  const Site site("dot", a.at());
  const auto [x, y] = promoted(a, b, Domain::real);
  if (x.rank() == 0 || y.rank() == 0) return x * y;
  if (y.rank() <= 2) return matmul(x, y);  // batches are of x alone
  return tensordot(x, y, {.axes = TensordotAxes({-1}, {-2})});
}

Var matrix_transpose(Arg x) {
  const Site site("matrix_transpose", x.at());
  const Var v = operand(x);
  expect_matrix(v);
  std::vector<int64_t> perm;
  for (int i = 0; i < v.rank(); ++i) perm.push_back(i);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return permute_dims(v, perm);
}

Var tensordot(Arg a, Arg b, TensordotOptions options) {
  const Site site("tensordot", a.at());
  auto [x, y] = promoted(a, b, Domain::real);
  std::vector<int64_t> from, to;
  if (options.axes.count >= 0) {
    if (options.axes.count > std::min(x.rank(), y.rank()))
      refuse(ErrorCode::bad_argument, cat(options.axes.count, " axes of ", x.type(), " and ", y.type()));
    for (int i = 0; i < options.axes.count; ++i) {
      from.push_back(x.rank() - options.axes.count + i);
      to.push_back(i);
    }
  } else {
    for (const int64_t i : options.axes.a) from.push_back(axis_of(i, x.rank()));
    for (const int64_t i : options.axes.b) to.push_back(axis_of(i, y.rank()));
    if (from.size() != to.size())
      refuse(ErrorCode::bad_argument, cat(from.size(), " axes of one operand go with ", to.size(), " of the other"));
  }
  // Summed axes last in x and first in y, then one product of matrices.
  const auto others = [](const Var& v, const std::vector<int64_t>& axes) {
    std::vector<int64_t> rest;
    for (int i = 0; i < v.rank(); ++i)
      if (!std::count(axes.begin(), axes.end(), i)) rest.push_back(i);
    return rest;
  };
  std::vector<int64_t> x_order = others(x, from), y_order = to;
  const std::vector<int64_t> y_rest = others(y, to);
  const size_t kept = x_order.size(), summed = from.size();
  x_order.insert(x_order.end(), from.begin(), from.end());
  y_order.insert(y_order.end(), y_rest.begin(), y_rest.end());
  x = permute_dims(x, x_order);
  y = permute_dims(y, y_order);
  Dims result(x.shape().begin(), x.shape().begin() + static_cast<std::ptrdiff_t>(kept));
  result.insert(result.end(), y.shape().begin() + static_cast<std::ptrdiff_t>(summed), y.shape().end());
  const Dim inner = count_of(x.shape(), kept, x.shape().size());
  const Var p = matmul(reshape(x, {count_of(x.shape(), 0, kept), inner}),
                       reshape(y, {count_of(y.shape(), 0, summed), count_of(y.shape(), summed, y.shape().size())}));
  return reshape(p, result);
}

Var vecdot(Arg a, Arg b, VecdotOptions options) {
  const Site site("vecdot", a.at());
  const auto [x, y] = promoted(a, b, Domain::real);
  if (options.axis >= 0)
    refuse(ErrorCode::bad_argument, cat("axis ", options.axis, " is not negative"),
           {"operands of different ranks are aligned at their last axes"});
  return sum(x * y, {.axis = options.axis, .dtype = x.dtype()});
}

Var einsum(const std::string& equation, const Args& operands) {
  const Site site("einsum", operands.empty() ? Location::current() : operands[0].at());
  if (operands.empty()) refuse(ErrorCode::bad_argument, "there are no operands");
  return make<Einsum>(promoted(operands, Domain::real), {.equation = equation});
}

namespace linalg {

Var matmul(Arg a, Arg b) {
  return tc::matmul(std::move(a), std::move(b));
}
Var matrix_transpose(Arg x) {
  return tc::matrix_transpose(std::move(x));
}
Var tensordot(Arg a, Arg b, TensordotOptions o) {
  return tc::tensordot(std::move(a), std::move(b), std::move(o));
}
Var vecdot(Arg a, Arg b, VecdotOptions o) {
  return tc::vecdot(std::move(a), std::move(b), o);
}

Var cross(Arg a, Arg b, CrossOptions options) {
  const Site site("linalg.cross", a.at());
  const auto [x, y] = promoted(a, b, Domain::real);
  for (const Var& v : {x, y})
    if (const Dim d = v.dim(static_cast<int>(options.axis)); d.is_const() && !d.is(3))
      refuse(ErrorCode::bad_shape, cat("axis ", options.axis, " of ", v.type(), " must have 3 elements"));
  const std::vector<Var> pair = broadcast_arrays({x, y});
  const auto turned = [&](const Var& v, int64_t by) {
    return take(v, Tensor::of<int64_t>({3}, {by % 3, (by + 1) % 3, (by + 2) % 3}), {.axis = options.axis});
  };
  return turned(pair[0], 1) * turned(pair[1], 2) - turned(pair[0], 2) * turned(pair[1], 1);
}

Var diagonal(Arg x, OffsetOptions options) {
  const Site site("linalg.diagonal", x.at());
  const Var v = operand(x);
  expect_matrix(v);
  const Dim rows = v.dim(-2), columns = v.dim(-1);
  const int64_t down = std::max<int64_t>(-options.offset, 0), right = std::max<int64_t>(options.offset, 0);
  // Neighbours on a diagonal are columns + 1 apart in a row of all elements.
  const Dim length = max(min(rows - Dim(down), columns - Dim(right)), 0);
  const Var places = arange(length) * (columns + Dim(1)) + (columns * Dim(down) + Dim(right));
  Dims flat(v.shape().begin(), v.shape().end() - 2);
  flat.push_back(rows * columns);
  return take(reshape(v, flat), places, {.axis = -1});
}

Var trace(Arg x, TraceOptions options) {
  const Site site("linalg.trace", x.at());
  return sum(diagonal(x, {.offset = options.offset}), {.axis = -1, .dtype = options.dtype});
}

Var outer(Arg a, Arg b) {
  const Site site("linalg.outer", a.at());
  const auto [x, y] = promoted(a, b, Domain::real);
  if (x.rank() != 1 || y.rank() != 1)
    refuse(ErrorCode::bad_shape, cat("operands are ", x.type(), " and ", y.type(), ", expected rank 1"));
  return expand_dims(x, 1) * y;
}

Var matrix_power(Arg x, int64_t n) {
  const Site site("linalg.matrix_power", x.at());
  Var square = operand(x, Domain::floating);
  expect_matrix(square);
  if (n == std::numeric_limits<int64_t>::min()) refuse(ErrorCode::bad_value, cat("power ", n));
  if (n < 0) square = inv(square), n = -n;
  if (n == 0) return broadcast_to(eye(square.dim(-1), {.dtype = square.dtype()}), square.shape());
  Var result;
  for (; n; n >>= 1) {
    if (n & 1) result = result.defined() ? tc::matmul(result, square) : square;
    if (n > 1) square = tc::matmul(square, square);
  }
  return result;
}

Var matrix_norm(Arg x, MatrixNormOptions options) {
  const Site site("linalg.matrix_norm", x.at());
  const Var v = operand(x, Domain::floating);
  expect_matrix(v);
  if (options.ord == MatrixNorm::frobenius) return vector_norm(v, {.axis = {-2, -1}, .keepdims = options.keepdims});
  if (options.ord == MatrixNorm::nuclear || options.ord == MatrixNorm::two || options.ord == MatrixNorm::minus_two) {
    const Var s = svdvals(v);
    const Var norm = options.ord == MatrixNorm::nuclear ? sum(s, {.axis = -1})
                     : options.ord == MatrixNorm::two   ? max(s, {.axis = -1})
                                                        : min(s, {.axis = -1});
    return options.keepdims ? expand_dims(norm, {-2, -1}) : norm;
  }
  const bool columns = options.ord == MatrixNorm::one || options.ord == MatrixNorm::minus_one;
  const Var sums = sum(abs(v), {.axis = columns ? -2 : -1, .keepdims = true});
  const bool greatest = options.ord == MatrixNorm::one || options.ord == MatrixNorm::inf;
  const ReduceOptions both{.axis = {-2, -1}, .keepdims = options.keepdims};
  return greatest ? max(sums, both) : min(sums, both);
}

Var vector_norm(Arg x, VectorNormOptions options) {
  const Site site("linalg.vector_norm", x.at());
  const Var v = operand(x, Domain::floating);
  const ReduceOptions reduce{.axis = options.axis, .keepdims = options.keepdims};
  const SumOptions total{.axis = options.axis, .keepdims = options.keepdims};
  if (std::isinf(options.ord)) return options.ord > 0 ? max(abs(v), reduce) : min(abs(v), reduce);
  if (options.ord == 0) return sum(astype(v != 0, v.dtype()), total);
  if (options.ord == 1) return sum(abs(v), total);
  if (options.ord == 2) {
    const std::vector<int64_t> axes = axes_of(options.axis, v.rank());
    if (axes.empty()) return abs(v);
    return make<ReduceL2>({v, ints(axes)}, {.keepdims = options.keepdims});
  }
  return pow(sum(pow(abs(v), options.ord), total), 1 / options.ord);
}

}  // namespace linalg
}  // namespace tc
