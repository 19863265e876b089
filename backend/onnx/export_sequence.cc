#include "tc/backend/onnx/export_rows.h"

namespace tc::onnx {
namespace {

// Until opset 18 these took optionals only: whether anything else holds a value is known.
std::vector<Value*> element_of_anything(Lowering& l) {
  if (l.in(0)->type().kind() == Type::Kind::optional) return {};
  return {l.in(0)};
}

std::vector<Value*> anything_has_element(Lowering& l) {
  const bool there = l.in(0) && !l.in(0)->type().is_none();
  if (there && l.in(0)->type().kind() == Type::Kind::optional) return {};
  return {l.b.scalar(Bool(there))};
}

// Identity took tensors only until opset 14, and nothing optional until 16.
std::vector<Value*> forwarded(Lowering& l) {
  const Type::Kind k = l.in(0)->type().kind();
  if (k == Type::Kind::tensor || l.opset() >= (k == Type::Kind::sequence ? 14 : 16)) return {};
  return {l.in(0)};
}

}  // namespace

void rows_export_sequence(ExportRows& rows) {
  rows.insert(rows.end(), {{OpId::OptionalGetElement, 1, nullptr, element_of_anything},
                           {OpId::OptionalGetElement, 18},
                           {OpId::OptionalHasElement, 1, nullptr, anything_has_element},
                           {OpId::OptionalHasElement, 18},
                           {OpId::Identity, 1, nullptr, forwarded}});
}

}  // namespace tc::onnx
