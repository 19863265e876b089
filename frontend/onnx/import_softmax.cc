#include "tc/frontend/onnx/import_rows.h"

namespace tc::onnx {
namespace {

// Before opset 13 the axes from `axis` on were one.
template <class Op>
std::vector<Value*> over_flattened(NodeImport& n) {
  Value* x = n.required(0);
  const int64_t axis = n.int_attr("axis", 1);
  Builder& b = n.b();
  if (x->type().is_tensor() && x->shape().ranked() && (axis == -1 || axis == x->shape().rank() - 1))
    return {b.make<Op>({x}, {.axis = -1})};
  Value* flat = b.make<Op>({b.make<Flatten>({x}, {.axis = axis})}, {.axis = -1});
  return {b.make<Reshape>({flat, b.make<ShapeOf>({x})}, {.allow_zero = true})};
}

}  // namespace

void rows_import_softmax(ImportRows& rows) {
  rows.push_back({"Softmax", 1, over_flattened<Softmax>});
  rows.push_back({"LogSoftmax", 1, over_flattened<LogSoftmax>});
  rows.push_back({"Hardmax", 1, over_flattened<Hardmax>});
}

}  // namespace tc::onnx
