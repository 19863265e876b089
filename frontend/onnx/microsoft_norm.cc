#include "tc/frontend/onnx/microsoft.h"
#include "tc/ir/shape_build.h"

namespace tc::onnx {
namespace {

// 1 / sqrt(mean(x^2) + epsilon) over the last axis.
Value* inverse_rms(Builder& b, Value* x, double epsilon) {
  Value* wide = cast_to(b, x, x->dtype() == DType::f64 ? DType::f64 : DType::f32);
  Value* mean = b.make<ReduceMean>({b.make<Mul>({wide, wide}), b.ints({-1})});
  return b.make<Reciprocal>({b.make<Sqrt>({b.make<Add>({mean, b.scalar_like(wide->dtype(), epsilon)})})});
}

std::vector<Value*> simplified_layer_norm(NodeImport& n) {
  const auto attrs = n.attrs<RMSNormalization>();
  Value *x = n.required(0), *y = n.b().make<RMSNormalization>({x, n.required(1)}, attrs);
  if (!n.has_output(1)) return {y};
  const Shape& s = x->shape();
  if (attrs.axis != -1 && (!s.ranked() || attrs.axis != s.rank() - 1))
    n.unsupported("inv_std_var of more axes than the last one");
  return {y, inverse_rms(n.b(), x, attrs.epsilon)};
}

// Outputs: the norm of input + skip + bias, its statistics, and the sum itself.
std::vector<Value*> skip_layer_norm(NodeImport& n) {
  Builder& b = n.b();
  const double epsilon = n.float_attr("epsilon", 1e-12f);
  Value* sum = b.make<Add>({n.required(0), n.required(1)});
  if (n.has(4)) sum = b.make<Add>({sum, n.in(4)});
  Node* norm = b.make_n<LayerNormalization>({sum, n.required(2), n.in(3)}, {.epsilon = epsilon}, 3);
  return {norm->result(0), norm->result(1), norm->result(2), sum};
}

std::vector<Value*> skip_simplified_layer_norm(NodeImport& n) {
  Builder& b = n.b();
  const double epsilon = n.float_attr("epsilon", 1e-12f);
  Value* sum = b.make<Add>({n.required(0), n.required(1)});
  if (n.has(3)) sum = b.make<Add>({sum, n.in(3)});
  Value* y = b.make<RMSNormalization>({sum, n.required(2)}, {.epsilon = epsilon});
  if (n.has_output(1)) n.unsupported("the output 'mean', which this norm does not have");
  return {y, nullptr, n.has_output(2) ? inverse_rms(b, sum, epsilon) : nullptr, sum};
}

// The norm of the sum of embeddings of words, positions and segments; mask_index is how many elements of each row of
// the mask are 1.
std::vector<Value*> embed_layer_norm(NodeImport& n) {
  Builder& b = n.b();
  const double epsilon = n.float_attr("epsilon", 1e-12f);
  n.ignore_attr("mask_index_type");
  Value* ids = n.required(0);
  Value* sum = b.make<Gather>({n.required(2), ids});
  Value* positions = n.required(3);
  if (n.has(8))
    positions = b.make<Gather>({positions, n.in(8)});
  else
    positions = b.make<Slice>({positions, b.ints({0}), extent_of(b, ids, 1), b.ints({0})});
  sum = b.make<Add>({sum, positions});
  if (n.has(1)) sum = b.make<Add>({sum, b.make<Gather>({n.required(4), n.in(1)})});
  Value* y = b.make<LayerNormalization>({sum, n.required(5), n.required(6)}, {.epsilon = epsilon});
  Value* count;
  if (n.has(7)) {
    Value* ones = b.make<Equal>({n.in(7), b.scalar_like(n.in(7)->dtype(), 1)});
    count = b.make<ReduceSum>({b.make<Cast>({ones}, {.to = DType::i32}), b.ints({1})}, {.keepdims = false});
  } else {
    count = b.make<Expand>({b.scalar(int32_t{0}), extent_of(b, ids, 0)});
  }
  return {y, count, sum};
}

std::vector<Value*> group_norm(NodeImport& n) {
  Builder& b = n.b();
  Value *x = n.required(0), *scale = n.required(1), *bias = n.required(2);
  const Shape& s = x->shape();
  if (!s.ranked() || s.rank() < 3) n.unsupported("an input without spatial axes");
  const bool channels_last = n.int_attr("channels_last", 1) != 0;
  const int64_t activation = n.int_attr("activation", 0);
  if (activation != 0 && activation != 1)
    n.fail(ErrorCode::bad_attribute, "activation must be 0 (none) or 1 (SiLU), got ", activation);
  const DType t = x->dtype();
  // The channels' axis moves to the place that the op wants, and back.
  std::vector<int64_t> there{0, s.rank() - 1}, back{0};
  for (int i = 1; i + 1 < s.rank(); ++i) there.push_back(i), back.push_back(i + 1);
  back.push_back(1);
  Value* y = cast_to(b, x, scale->dtype());
  if (channels_last) y = b.make<Transpose>({y}, {there});
  y = b.make<GroupNormalization>({y, scale, bias},
                                 {.num_groups = n.int_attr("groups", 0), .epsilon = n.float_attr("epsilon", 1e-5f)});
  if (activation) y = b.make<Swish>({y});
  if (channels_last) y = b.make<Transpose>({y}, {back});
  return {cast_to(b, y, t)};
}

}  // namespace

void rows_microsoft_norm(ImportRows& rows) {
  // ONNX Runtime keeps this one in ONNX's own domain.
  rows.push_back({"SimplifiedLayerNormalization", 1, simplified_layer_norm});
  rows.push_back({"SkipLayerNormalization", 1, skip_layer_norm, kMicrosoft});
  rows.push_back({"SkipSimplifiedLayerNormalization", 1, skip_simplified_layer_norm, kMicrosoft});
  rows.push_back({"EmbedLayerNormalization", 1, embed_layer_norm, kMicrosoft});
  rows.push_back({"GroupNorm", 1, group_norm, kMicrosoft});
}

}  // namespace tc::onnx
