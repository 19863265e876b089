// Matrix products of stacks, plain and of quantised operands.
#pragma once

#include "tc/ir/eval/broadcast.h"
#include "tc/ir/eval/gemm.h"

namespace tc {

// A matrix product in numpy.matmul's sense: ranks of 1 stand for a row or a column.
struct MatMulShape {
  Extents a, b;   // with both matrix axes
  Extents batch;  // broadcast of the leading axes
  Extents result;
  int64_t m, n, k;

  MatMulShape(const Extents& xa, const Extents& xb) : a(xa), b(xb) {
    if (a.empty() || b.empty()) fail(ErrorCode::bad_shape, "matmul of scalars");
    const bool row = a.size() == 1, column = b.size() == 1;
    if (row) a.insert(a.begin(), 1);
    if (column) b.push_back(1);
    m = a[a.size() - 2], k = a.back(), n = b.back();
    if (b[b.size() - 2] != k)
      fail(ErrorCode::bad_shape, "matmul of ", Shape::of(xa), " and ", Shape::of(xb), ": ", k, " columns against ",
           b[b.size() - 2], " rows");
    const Extents batch_a = leading(a), batch_b = leading(b);
    batch = broadcast_extents({&batch_a, &batch_b});
    result = batch;
    if (!row) result.push_back(m);
    if (!column) result.push_back(n);
  }
  static Extents leading(const Extents& e) { return Extents(e.begin(), e.end() - 2); }
};

template <class W>
std::vector<W> multiply(const MatMulShape& s, const std::vector<W>& a, const std::vector<W>& b) {
  std::vector<W> c(static_cast<size_t>(element_count(s.result)));
  if (c.empty()) return c;
  for_each_broadcast<2>(
      s.batch,
      {broadcast_strides(MatMulShape::leading(s.a), s.batch), broadcast_strides(MatMulShape::leading(s.b), s.batch)},
      [&](size_t i, const auto& at) {
        gemm_accumulate(a.data() + at[0] * s.m * s.k, s.k, 1, b.data() + at[1] * s.k * s.n,
                        c.data() + static_cast<int64_t>(i) * s.m * s.n, s.m, s.n, s.k);
      });
  return c;
}

// The extents of a quantisation parameter as they broadcast to matrices: a scalar, a vector of one value per row (axis
// -2) or column (axis -1), or a stack of matrices.
inline Extents parameter_extents(Extents z, bool per_row) {
  if (z.size() == 1 && z[0] == 1) return {};
  if (per_row && z.size() == 1) z.push_back(1);
  return z;
}

// Operand x less its zero point, an operand too; absent: 0. Error bad_shape when it does not fit.
template <class W>
std::vector<W> without_zero_point(EvalContext& ctx, int operand, int zero, bool per_row) {
  auto x = ctx.read<W>(operand);
  if (!ctx.has(zero)) return x;
  const Extents& extents = ctx.in(operand).extents();
  const Extents z = parameter_extents(ctx.in(zero).extents(), per_row);
  if (broadcast_extents({&extents, &z}) != extents)
    ctx.fail(ErrorCode::bad_shape, "zero point ", Shape::of(ctx.in(zero).extents()), " does not fit ",
             Shape::of(extents));
  const auto zeros = ctx.read<W>(zero);
  for_each_broadcast<1>(extents, {broadcast_strides(z, extents)},
                        [&](size_t i, const auto& at) { x[i] -= zeros[static_cast<size_t>(at[0])]; });
  return x;
}

}  // namespace tc
