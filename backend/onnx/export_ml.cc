#include "tc/backend/onnx/export_rows.h"
#include "tc/ir/eval/move.h"
#include "tc/ir/eval/wide.h"

namespace tc::onnx {
namespace {

using Values = std::vector<Value*>;

constexpr std::string_view kMl = "ai.onnx.ml";

// Integers of 16 and 32 bits were not encoded before version 4, and are not by ONNX Runtime.
DType encoded(DType t) {
  return t == DType::i16 || t == DType::i32 ? DType::i64 : t;
}

// The same labels as a list of the type, which every version has, or as a tensor where there is no such list.
void set_labels(const Tensor& t, std::vector<std::string>& strings, std::vector<int64_t>& ints,
                std::vector<double>& floats, std::optional<Tensor>& tensor) {
  strings.clear(), ints.clear(), floats.clear(), tensor.reset();
  if (t.dtype() == DType::str)
    strings = widen<std::string>(t);
  else if (t.dtype() == DType::i64)
    ints = to_i64(t);
  else if (t.dtype() == DType::f32)
    floats = widen<double>(t);
  else
    tensor = t;
}

Values label_encoder(Lowering& l) {
  auto a = l.attrs<LabelEncoder>();
  const bool old = l.dialect().version_of(kMl) < 4;
  if (!old && !l.ort()) return {};
  const Tensor keys = a.keys(), values = a.values();
  const DType k = encoded(keys.dtype()), v = encoded(values.dtype());
  const auto listed = [](const std::optional<Tensor>& t, DType type) { return t && type != DType::f64; };
  const bool same_types = k == keys.dtype() && v == values.dtype();
  if (same_types && !(old && (listed(a.keys_tensor, k) || listed(a.values_tensor, v)))) return {};
  l.why = same_types ? "labels as lists: tensors of them exist from version 4 on" : "integers are encoded as i64";
  set_labels(converted(keys, k), a.keys_strings, a.keys_int64s, a.keys_floats, a.keys_tensor);
  set_labels(converted(values, v), a.values_strings, a.values_int64s, a.values_floats, a.values_tensor);
  if (a.default_tensor && v != DType::f64) {
    const Tensor t = converted(*a.default_tensor, v);
    if (v == DType::str)
      a.default_string = widen<std::string>(t)[0];
    else if (v == DType::i64)
      a.default_int64 = to_i64(t)[0];
    else
      a.default_float = widen<double>(t)[0];
    a.default_tensor.reset();
  }
  Value* y = l.b.make<LabelEncoder>({l.cast(l.in(0), k)}, std::move(a));
  return {l.cast(y, values.dtype())};
}

// ONNX Runtime has trees of f32 and f64: what a tensor says in f16, f32 says as well.
Values tree_ensemble(Lowering& l) {
  const DType t = l.in(0)->dtype();
  if (!l.ort() || t != DType::f16) return {};
  auto a = l.attrs<TreeEnsemble>();
  for (auto* tensor : {&a.nodes_splits, &a.nodes_hitrates, &a.membership_values, &a.leaf_weights})
    if (*tensor) *tensor = converted(**tensor, DType::f32);
  l.why = "computed in f32 between casts: ONNX Runtime has no kernel for TreeEnsemble of f16";
  return {l.cast(l.b.make<TreeEnsemble>({l.cast(l.in(0), DType::f32)}, std::move(a)), t)};
}

// What follows from other attributes, or does not matter, but ONNX Runtime wants to be told.
void tree_with_targets(NodeExport& n) {
  n.regular();
  n.set("n_targets", n.attrs<TreeEnsemble>().num_targets());
}

template <class Op>
void svm_with_parameters(NodeExport& n) {
  n.regular();
  if (n.attrs<Op>().kernel_params.empty()) n.set("kernel_params", std::vector<double>(3));
}

}  // namespace

void rows_export_ml(ExportRows& rows) {
  rows.push_back({OpId::LabelEncoder, 1, nullptr, label_encoder});
  rows.push_back({OpId::TreeEnsemble, 1, tree_with_targets, tree_ensemble});
  rows.push_back({OpId::SVMClassifier, 1, svm_with_parameters<SVMClassifier>});
  rows.push_back({OpId::SVMRegressor, 1, svm_with_parameters<SVMRegressor>});
}

}  // namespace tc::onnx
