#include "tc/frontend/onnx/microsoft.h"

namespace tc::onnx {
namespace {

// Before opset 14 the presence of further outputs meant training. `spatial` = 0 has a statistic per element.
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
  attrs.training_mode = n.has_output(1) || n.has_output(2);
  Node* node = b.make_n<BatchNormalization>({x, scale, bias, mean, var}, attrs, attrs.training_mode ? 3 : 1);
  std::vector<Value*> results{node->result(0)};
  if (attrs.training_mode) results.insert(results.end(), {node->result(1), node->result(2)});
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

std::vector<Value*> instance_norm_consuming(NodeImport& n) {
  n.ignore_attr("consumed_inputs");
  return n.regular(OpId::InstanceNormalization);
}

}  // namespace

void rows_import_norm(ImportRows& rows) {
  rows.push_back({"BatchNormalization", 1, batch_norm_by_outputs});
  rows.push_back({"InstanceNormalization", 1, instance_norm_consuming});
  rows.push_back({"GroupNormalization", 18, group_norm_per_group});
  rows_microsoft_norm(rows);
}

}  // namespace tc::onnx
