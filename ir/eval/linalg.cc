#include <Eigen/LU>

#include "tc/ir/eval/eval.h"

namespace tc {

template <>
void eval<Det>(EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  const int rank = x.rank();
  if (rank < 2 || x.extent(rank - 1) != x.extent(rank - 2))
    ctx.fail(ErrorCode::bad_shape, "det needs square matrices, got ", x.type());
  const int64_t n = x.extent(rank - 1);
  Tensor& out = ctx.out(0, Extents(x.extents().begin(), x.extents().end() - 2));
  const auto values = ctx.read<double>(0);
  std::vector<double> y(static_cast<size_t>(out.size()), 1.0);  // of matrices without elements
  for (size_t i = 0; i < y.size() && n > 0; ++i)
    y[i] = Eigen::Map<const Eigen::MatrixXd>(values.data() + static_cast<int64_t>(i) * n * n, n, n).determinant();
  narrow(y, out);
}

}  // namespace tc
