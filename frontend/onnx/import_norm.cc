#include "tc/frontend/onnx/microsoft.h"

namespace tc::onnx {
namespace {

// Mean and variance of each channel of x, with extents [channels].
std::vector<Value*> channel_statistics(Builder& b, Value* x) {
  Value* per_channel = b.make<Transpose>({b.make<Reshape>({x, b.ints({0, 0, -1})})}, {.perm = {1, 0, 2}});
  Value* rows = b.make<Reshape>({per_channel, b.ints({0, -1})});
  Value* axis = b.ints({1});
  Value* mean = b.make<ReduceMean>({rows, axis});
  Value* off = b.make<Sub>({rows, mean});
  return {b.make<Squeeze>({mean, axis}), b.make<ReduceMean>({b.make<Mul>({off, off}), axis}, {.keepdims = false})};
}

// Before opset 14 the presence of further outputs meant training: running statistics, and those of this batch.
// `spatial` = 0 has a statistic per element.
std::vector<Value*> batch_norm_by_outputs(NodeImport& n) {
  n.ignore_attr("is_test");
  n.ignore_attr("consumed_inputs");
  Builder& b = n.b();
  BatchNormalization::Attrs attrs;
  attrs.epsilon = n.float_attr("epsilon", attrs.epsilon);
  attrs.momentum = n.float_attr("momentum", attrs.momentum);
  Value *x = n.required(0), *scale = n.required(1), *bias = n.required(2), *mean = n.required(3), *var = n.required(4);
  if (n.int_attr("spatial", 1) == 0) {
    if (n.has_output(1)) n.unsupported("BatchNormalization with spatial = 0 in training");
    Value* deviation = b.make<Sqrt>({b.make<Add>({var, b.scalar_like(x->dtype(), attrs.epsilon)})});
    Value* standard = b.make<Div>({b.make<Sub>({x, mean}), deviation});
    return {b.make<Add>({b.make<Mul>({standard, scale}), bias})};
  }
  attrs.training_mode = n.num_outputs() > 1;
  Node* node = b.make_n<BatchNormalization>({x, scale, bias, mean, var}, attrs, attrs.training_mode ? 3 : 1);
  std::vector<Value*> results{node->result(0)};
  if (attrs.training_mode) results.insert(results.end(), {node->result(1), node->result(2)});
  if (n.has_output(3) || n.has_output(4)) {
    const auto saved = channel_statistics(b, x);
    results.insert(results.end(), saved.begin(), saved.end());
  }
  return results;
}

// Scale and bias were per group before they were per channel: an instance normalisation with groups for channels.
std::vector<Value*> group_norm_per_group(NodeImport& n) {
  Builder& b = n.b();
  Value* x = n.required(0);
  const int64_t groups = n.int_attr("num_groups", 1);
  Value* grouped = b.make<Reshape>({x, b.ints({0, groups, -1})});
  Value* y = b.make<InstanceNormalization>({grouped, n.required(1), n.required(2)},
                                           {.epsilon = n.float_attr("epsilon", 1e-5f)});
  return {b.make<Reshape>({y, b.make<ShapeOf>({x})}, {.allow_zero = true})};
}

// ONNX Runtime had this one in ONNX's own domain before ONNX did.
std::vector<Value*> layer_norm_1(NodeImport& n) {
  return n.regular(OpId::LayerNormalization);
}

// Of images, over each channel of a batch or over all.
std::vector<Value*> mean_variance_1(NodeImport& n) {
  Builder& b = n.b();
  Value *x = n.required(0), *axes = n.int_attr("across_channels", 0) ? b.ints({0, 1, 2, 3}) : b.ints({0, 2, 3});
  Value* off = b.make<Sub>({x, b.make<ReduceMean>({x, axes})});
  if (n.int_attr("normalize_variance", 1) == 0) return {off};
  return {b.make<Div>({off, b.make<Sqrt>({b.make<ReduceMean>({b.make<Mul>({off, off}), axes})})})};
}

std::vector<Value*> instance_norm_consuming(NodeImport& n) {
  n.ignore_attr("consumed_inputs");
  return n.regular(OpId::InstanceNormalization);
}

}  // namespace

void rows_import_norm(ImportRows& rows) {
  rows.push_back({"BatchNormalization", 1, batch_norm_by_outputs});
  rows.push_back({"InstanceNormalization", 1, instance_norm_consuming});
  rows.push_back({"GroupNormalization", 18, group_norm_per_group});
  rows.push_back({"LayerNormalization", 1, layer_norm_1});
  rows.push_back({"MeanVarianceNormalization", 1, mean_variance_1});
  rows_microsoft_norm(rows);
}

}  // namespace tc::onnx
