#include "tc/frontend/onnx/import_rows.h"

namespace tc::onnx {
namespace {

// The inputs take the places of the values that `xs` and `zs` name, of which y is a function.
std::vector<Value*> import_gradient(NodeImport& n) {
  const auto named = [&](std::string_view attribute) {
    std::vector<Value*> values;
    for (const auto& name : n.strings_attr(attribute).value_or(std::vector<std::string>()))
      values.push_back(n.visible(name));
    return values;
  };
  if (!n.has_attr("y")) n.fail(ErrorCode::bad_attribute, "attribute 'y' is missing");
  const std::vector<Value*> xs = named("xs"), zs = named("zs");
  Value* y = n.visible(n.string_attr("y", ""));
  std::vector<Value*> inputs;
  for (int i = 0; i < n.num_inputs(); ++i) inputs.push_back(n.required(i));
  if (xs.empty()) n.fail(ErrorCode::bad_attribute, "attribute 'xs' names nothing to differentiate with respect to");
  if (inputs.size() != xs.size() + zs.size())
    n.fail(ErrorCode::bad_graph, inputs.size(), " inputs for the ", xs.size(), " of 'xs' and the ", zs.size(),
           " of 'zs'");
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Type& named_type = (i < xs.size() ? xs[i] : zs[i - xs.size()])->type();
    if (!compatible(inputs[i]->type(), named_type))
      n.fail(ErrorCode::bad_type, "input ", i, " is ", inputs[i]->type(), ", the value that it stands for ",
             named_type);
  }
  if (!n.differentiate()) n.unsupported("this import comes without differentiation");
  return n.differentiate()(n.b(), y, xs, zs, inputs);
}

}  // namespace

void rows_import_training(ImportRows& rows) {
  rows.push_back({"Gradient", 1, import_gradient, "ai.onnx.preview.training"});
}

}  // namespace tc::onnx
