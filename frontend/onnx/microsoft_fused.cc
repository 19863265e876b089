#include <limits>

#include "tc/frontend/onnx/microsoft.h"

namespace tc::onnx {
namespace {

// The operator `name` with its parameters in order; those left out have ONNX's defaults.
Value* activated(NodeImport& n, Value* x, const std::string& name, const std::vector<double>& parameters) {
  Builder& b = n.b();
  auto p = [&](size_t i, double fallback) { return i < parameters.size() ? parameters[i] : fallback; };
  if (name.empty()) return x;
  if (name == "Relu") return b.make<Relu>({x});
  if (name == "Sigmoid") return b.make<Sigmoid>({x});
  if (name == "Tanh") return b.make<Tanh>({x});
  if (name == "Softplus") return b.make<Softplus>({x});
  if (name == "Softsign") return b.make<Softsign>({x});
  if (name == "LeakyRelu") return b.make<LeakyRelu>({x}, {.alpha = p(0, 0.01f)});
  if (name == "Elu") return b.make<Elu>({x}, {.alpha = p(0, 1)});
  if (name == "ThresholdedRelu") return b.make<ThresholdedRelu>({x}, {.alpha = p(0, 1)});
  if (name == "HardSigmoid") return b.make<HardSigmoid>({x}, {.alpha = p(0, 0.2f), .beta = p(1, 0.5)});
  if (name == "Clip") {
    constexpr double kMost = std::numeric_limits<float>::max();
    return b.make<Clip>({x, b.scalar_like(x->dtype(), p(0, -kMost)), b.scalar_like(x->dtype(), p(1, kMost))});
  }
  n.unsupported(cat("activation '", name, "'"));
}

// Moves the first axis to the last but one place: (m, batch..., k) is a stack of matrices (m, k).
Value* batch_first(NodeImport& n, Value* x) {
  const int rank = x->shape().rank();
  if (rank < 3) return x;
  std::vector<int64_t> perm;
  for (int i = 1; i + 1 < rank; ++i) perm.push_back(i);
  perm.insert(perm.end(), {0, rank - 1});
  return n.b().make<Transpose>({x}, {perm});
}

std::vector<Value*> fused_matmul(NodeImport& n) {
  Builder& b = n.b();
  Value *x = n.required(0), *y = n.required(1);
  FusedMatMul::Attrs a;
  a.trans_a = n.int_attr("transA", 0) != 0;
  a.trans_b = n.int_attr("transB", 0) != 0;
  a.scale = n.float_attr("alpha", 1);
  const bool batch_a = n.int_attr("transBatchA", 0) != 0, batch_b = n.int_attr("transBatchB", 0) != 0;
  const bool ranked = x->shape().ranked() && y->shape().ranked();
  if (!ranked && (a.trans_a || a.trans_b || batch_a || batch_b)) n.unsupported("transposing operands of unknown rank");
  if (batch_a) x = batch_first(n, x);
  if (batch_b) y = batch_first(n, y);
  if (ranked && x->shape().rank() >= 2 && y->shape().rank() >= 2) return {b.make<FusedMatMul>({x, y}, a)};
  // Vectors have nothing to transpose, their partner may.
  auto matrix = [&](Value* v, bool transposed) {
    if (!transposed || v->shape().rank() < 2) return v;
    std::vector<int64_t> perm;
    for (int i = 0; i < v->shape().rank(); ++i) perm.push_back(i);
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    return b.make<Transpose>({v}, {perm});
  };
  Value* product = b.make<MatMul>({matrix(x, a.trans_a), matrix(y, a.trans_b)});
  return {a.scale == 1 ? product : b.make<Mul>({product, b.scalar_like(product->dtype(), a.scale)})};
}

std::vector<Value*> fused_gemm(NodeImport& n) {
  const std::string activation = n.string_attr("activation", "");
  std::vector<double> parameters;
  for (const auto name : {"activation_alpha", "activation_beta", "activation_gamma"}) {
    if (!n.has_attr(name)) break;
    parameters.push_back(n.float_attr(name, 0));
  }
  for (const auto name : {"activation_alpha", "activation_beta", "activation_gamma"}) n.ignore_attr(name);
  Value* y = n.b().make<Gemm>({n.required(0), n.required(1), n.in(2)}, n.attrs<Gemm>());
  return {activated(n, y, activation, parameters)};
}

// activation(convolution + z).
std::vector<Value*> fused_conv(NodeImport& n) {
  const std::string activation = n.string_attr("activation", "");
  const auto parameters = n.floats_attr("activation_params").value_or(std::vector<double>());
  Value* y = n.b().make<Conv>({n.required(0), n.required(1), n.in(2)}, n.attrs<Conv>());
  if (n.has(3)) y = n.b().make<Add>({y, n.in(3)});
  return {activated(n, y, activation, parameters)};
}

template <GeluApproximation A>
std::vector<Value*> biased_gelu(NodeImport& n) {
  Value* x = n.required(0);
  if (n.has(1)) x = n.b().make<Add>({x, n.in(1)});
  return {n.b().make<Gelu>({x}, {A})};
}

std::vector<Value*> quick_gelu(NodeImport& n) {
  return {n.b().make<Swish>({n.required(0)}, {.alpha = n.float_attr("alpha", 1.702f)})};
}

}  // namespace

void rows_microsoft_fused(ImportRows& rows) {
  rows.push_back({"FusedMatMul", 1, fused_matmul, kMicrosoft});
  rows.push_back({"TransposeMatMul", 1, fused_matmul, kMicrosoft});  // what it was called first
  rows.push_back({"FusedGemm", 1, fused_gemm, kMicrosoft});
  rows.push_back({"FusedConv", 1, fused_conv, kMicrosoft});
  rows.push_back({"Gelu", 1, biased_gelu<GeluApproximation::none>, kMicrosoft});
  rows.push_back({"BiasGelu", 1, biased_gelu<GeluApproximation::none>, kMicrosoft});
  rows.push_back({"FastGelu", 1, biased_gelu<GeluApproximation::tanh>, kMicrosoft});
  rows.push_back({"QuickGelu", 1, quick_gelu, kMicrosoft});
}

}  // namespace tc::onnx
