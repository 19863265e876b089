// Products of matrices, norms and powers. Functions of matrices work on the
// last two axes, the others broadcast.
#pragma once

#include <string>

#include "tc/frontend/dsl/shape.h"

namespace tc {

Var matmul(Arg a, Arg b);
// NumPy's dot: over the last axis of a and the last but one of b, or its only one; of scalars the product.
Var dot(Arg a, Arg b);
Var matrix_transpose(Arg x);

// How many last axes of a go with first ones of b, or which with which.
struct TensordotAxes {
  TensordotAxes(int n = 2) : count(n) {}
  TensordotAxes(std::vector<int64_t> of_a, std::vector<int64_t> of_b)
      : count(-1), a(std::move(of_a)), b(std::move(of_b)) {}
  int count;
  std::vector<int64_t> a, b;
};
struct TensordotOptions {
  TensordotAxes axes = 2;
};
Var tensordot(Arg a, Arg b, TensordotOptions options = {});
struct VecdotOptions {
  int64_t axis = -1;
};
Var vecdot(Arg a, Arg b, VecdotOptions options = {});
// The sum of products that an equation such as "bij,bjk->bik" names.
Var einsum(const std::string& equation, const Args& operands);

namespace linalg {

// two and minus_two: the greatest and the least singular value; nuclear: their sum.
enum class MatrixNorm : uint8_t { frobenius, one, minus_one, inf, minus_inf, nuclear, two, minus_two };

struct CrossOptions {
  int64_t axis = -1;
};
Var cross(Arg a, Arg b, CrossOptions options = {});  // of 3-vectors
struct OffsetOptions {
  int64_t offset = 0;  // the diagonal
};
Var diagonal(Arg x, OffsetOptions options = {});  // as the last axis
struct MatrixNormOptions {
  bool keepdims = false;
  MatrixNorm ord = MatrixNorm::frobenius;
};
Var matrix_norm(Arg x, MatrixNormOptions options = {});
Var matrix_power(Arg x, int64_t n);  // of the inverse where n is negative
Var outer(Arg a, Arg b);
struct TraceOptions {
  int64_t offset = 0;
  std::optional<DType> dtype = {};
};
Var trace(Arg x, TraceOptions options = {});
struct VectorNormOptions {
  Axes axis = {};
  bool keepdims = false;
  double ord = 2;  // may be infinite, negative, or 0 (which counts nonzeros)
};
Var vector_norm(Arg x, VectorNormOptions options = {});

// The functions of these names above.
Var matmul(Arg a, Arg b);
Var matrix_transpose(Arg x);
Var tensordot(Arg a, Arg b, TensordotOptions options = {});
Var vecdot(Arg a, Arg b, VecdotOptions options = {});

}  // namespace linalg
}  // namespace tc
