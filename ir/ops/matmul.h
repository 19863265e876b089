// Ops of the family `matmul`: sums of products.
#pragma once

#include <string>
#include <vector>

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

// The shape of numpy.matmul of operands a and b. Error bad_shape when there is none.
Shape matmul_shape(InferContext& ctx, int a, int b);

struct MatMul {
  static constexpr OpFacts facts{"matmul",
                                 {"MatMul", 1},
                                 "a:T, b:T -> y:T",
                                 {{{'T', dtypes::floats | DType::i32 | DType::i64 | DType::u32 | DType::u64}}},
                                 "matrix products over the last two axes, the others broadcast, as numpy.matmul"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct Gemm {
  struct Attrs {
    double alpha = 1, beta = 1;
    bool trans_a = false, trans_b = false;
    static constexpr auto fields =
        Fields{field("alpha", &Attrs::alpha), field("beta", &Attrs::beta), field("trans_a", &Attrs::trans_a, "transA"),
               field("trans_b", &Attrs::trans_b, "transB")};
  };
  static constexpr OpFacts facts{"gemm",
                                 {"Gemm", 7},
                                 "a:T, b:T, c:T? -> y:T",
                                 {{{'T', dtypes::floats | DType::i32 | DType::i64 | DType::u32 | DType::u64}}},
                                 "alpha * a' * b' + beta * c, c broadcast, a and b matrices or their transposes"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct MatMulInteger {
  static constexpr OpFacts facts{
      "matmul_integer",
      {"MatMulInteger", 10},
      "a:A, b:B, a_zero_point:A?, b_zero_point:B? -> y:i32",
      {{{'A', DTypeSet(DType::i8) | DType::u8}, {'B', DTypeSet(DType::i8) | DType::u8}}},
      "matmul of a - a_zero_point and b - b_zero_point; zero points are scalars, per row of a, per column of b"};
  static void infer(InferContext& ctx);
};

struct Einsum {
  struct Attrs {
    std::string equation;
    static constexpr auto fields = Fields{field("equation", &Attrs::equation, required)};
  };
  static constexpr OpFacts facts{"einsum",
                                 {"Einsum", 12},
                                 "x:T, more:T* -> y:T",
                                 {{{'T', dtypes::numeric}}},
                                 "the sum of products that an equation such as 'bij,bjk->bik' names"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

// An einsum equation resolved against the operands' ranks: the label of every axis. Labels count from 0; those of
// ellipsis axes broadcast.
struct EinsumLabels {
  std::vector<std::vector<int>> operands;
  std::vector<int> result;
  int count = 0;
};
// Error bad_attribute when the equation is malformed, bad_shape when it does not fit the ranks.
EinsumLabels parse_einsum(const std::string& equation, const std::vector<int>& ranks);

}  // namespace tc
