#include "tc/backend/onnx/export_rows.h"

namespace tc::onnx {
namespace {

Value* transposed(Lowering& l, Value* v, bool wanted) {
  return wanted ? l.b.make<Transpose>({v}, {{1, 0}}) : v;
}

// For factors that an attribute does not hold: it has 32 bits, an element of f64 more.
std::vector<Value*> gemm(Lowering& l) {
  const auto& a = l.attrs<Gemm>();
  Value* y = l.b.make<MatMul>({transposed(l, l.in(0), a.trans_a), transposed(l, l.in(1), a.trans_b)});
  if (a.alpha != 1) y = l.scalar_op<Mul>(y, a.alpha);
  if (!l.in(2)) return {y};
  return {l.b.make<Add>({y, a.beta == 1 ? l.in(2) : l.scalar_op<Mul>(l.in(2), a.beta)})};
}

}  // namespace

void rows_export_matmul(ExportRows& rows) {
  rows.push_back({OpId::Gemm, 1, nullptr, nullptr, gemm});
}

}  // namespace tc::onnx
