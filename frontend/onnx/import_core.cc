#include "tc/frontend/onnx/import_rows.h"

namespace tc::onnx {
namespace {

template <class T, class V>
Tensor list_of(const V& values) {
  return Tensor::of<T>({static_cast<int64_t>(values.size())}, std::vector<T>(values.begin(), values.end()));
}

std::vector<Value*> constant_1(NodeImport& n) {
  int given = 0;
  Tensor value;
  const auto take = [&](std::string_view name, auto&& make) {
    if (!n.has_attr(name)) return;
    ++given;
    value = make(name);
  };
  take("value", [&](auto name) { return *n.tensor_attr(name); });
  take("sparse_value", [&](auto name) { return *n.tensor_attr(name); });
  take("value_float", [&](auto name) { return Tensor::scalar<float>(static_cast<float>(n.float_attr(name, 0))); });
  take("value_floats", [&](auto name) {
    const auto v = *n.floats_attr(name);
    Tensor t(DType::f32, {static_cast<int64_t>(v.size())});
    auto out = t.template mutable_span<float>();
    for (size_t i = 0; i < v.size(); ++i) out[i] = static_cast<float>(v[i]);
    return t;
  });
  take("value_int", [&](auto name) { return Tensor::scalar<int64_t>(n.int_attr(name, 0)); });
  take("value_ints", [&](auto name) { return list_of<int64_t>(*n.ints_attr(name)); });
  take("value_string", [&](auto name) { return Tensor::scalar<std::string>(n.string_attr(name, "")); });
  take("value_strings", [&](auto name) { return list_of<std::string>(*n.strings_attr(name)); });
  if (given != 1) n.fail(ErrorCode::bad_attribute, "a constant needs one value, got ", given);
  return {n.b().constant(std::move(value))};
}

}  // namespace

void rows_import_core(ImportRows& rows) {
  rows.push_back({"Constant", 1, constant_1});
}

}  // namespace tc::onnx
