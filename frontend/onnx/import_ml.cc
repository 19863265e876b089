// The domain ai.onnx.ml: operators that are a few of the core's, and old forms.
#include <cmath>
#include <limits>

#include "tc/frontend/onnx/import_rows.h"

namespace tc::onnx {
namespace {

constexpr std::string_view kMl = "ai.onnx.ml";

template <class T>
Tensor vector_of(const std::vector<T>& v) {
  return Tensor::of<T>({static_cast<int64_t>(v.size())}, v);
}

Tensor floats_of(const std::vector<double>& v) {
  return vector_of(std::vector<float>(v.begin(), v.end()));
}

void expect_features(NodeImport& n, DTypeSet allowed = dtypes::features) {
  if (!n.required(0)->type().is_tensor() || !allowed.has(n.in(0)->dtype()))
    n.fail(ErrorCode::bad_type, "input 0 is ", n.in(0)->type(), "; allowed element types: ", allowed);
}

// 1 where x is above the threshold, else 0.
std::vector<Value*> binarizer(NodeImport& n) {
  expect_features(n);
  Value* x = n.in(0);
  const DType t = x->dtype();
  double threshold = n.float_attr("threshold", 0);
  if (kind(t) == DTypeKind::floating) return {cast(n, n.b().make<Greater>({x, n.b().scalar_like(t, threshold)}), t)};
  // No integer is above NaN; above another threshold are those above its floor, and nothing is beyond the type's range.
  const bool narrow = t == DType::i32;
  const double most = narrow ? 2147483647.0 : 9223372036854775808.0;
  threshold = std::isnan(threshold) ? most : std::floor(threshold);
  const int64_t limit = threshold >= most   ? narrow ? INT32_MAX : INT64_MAX
                        : threshold < -most ? narrow ? INT32_MIN : INT64_MIN
                                            : static_cast<int64_t>(threshold);
  Value* bound = narrow ? n.b().scalar(static_cast<int32_t>(limit)) : n.b().scalar(limit);
  Value* above = threshold < -most ? n.b().make<GreaterOrEqual>({x, bound}) : n.b().make<Greater>({x, bound});
  return {cast(n, above, t)};
}

// Elements along the last axis.
std::vector<Value*> array_feature_extractor(NodeImport& n) {
  expect_features(n, dtypes::features | DType::str);
  Value* x = n.in(0);
  if (!x->shape().ranked()) n.unsupported("it needs an input of known rank");
  Value* index = n.b().make<Reshape>({n.required(1), n.b().ints({-1})});
  Value* z = n.b().make<Gather>({x, index}, {-1});
  return {x->shape().rank() == 1 ? n.b().make<Unsqueeze>({z, n.b().ints({0})}) : z};
}

// x where it is not the value to be replaced; for each feature a replacement, or one for all.
std::vector<Value*> imputer(NodeImport& n) {
  expect_features(n);
  Value* x = n.in(0);
  const DType t = x->dtype();
  const auto floats = n.floats_attr("imputed_value_floats");
  const auto ints = n.ints_attr("imputed_value_int64s");
  const double replaced_float = n.float_attr("replaced_value_float", 0);
  const int64_t replaced_int = n.int_attr("replaced_value_int64", 0);
  const bool real = kind(t) == DTypeKind::floating;
  const size_t count = real ? floats ? floats->size() : 0 : ints ? ints->size() : 0;
  if (count == 0)
    n.fail(ErrorCode::bad_attribute, "elements of type ", t, " need ",
           real ? "imputed_value_floats" : "imputed_value_int64s");
  if (const Shape& s = x->shape(); count > 1 && s.ranked() && s.rank() > 0)
    if (const Dim& c = s[s.rank() - 1]; c.is_const() && !c.is(static_cast<int64_t>(count)))
      n.fail(ErrorCode::bad_attribute, count, " imputed values for ", c, " features");
  Value* imputed = cast(n, n.b().constant(real ? floats_of(*floats) : vector_of(*ints)), t);
  Value* replaced = real && std::isnan(replaced_float) ? n.b().make<IsNaN>({x})
                    : real                             ? n.b().make<Equal>({x, n.b().scalar_like(t, replaced_float)})
                           : n.b().make<Equal>({cast(n, x, DType::i64), n.b().scalar(replaced_int)});
  return {n.b().make<Where>({replaced, imputed, x})};
}

// (x - offset) * scale, in f32 unless x is wider.
std::vector<Value*> scaler(NodeImport& n) {
  expect_features(n);
  const DType t = n.in(0)->dtype() == DType::f64 ? DType::f64 : DType::f32;
  Value* y = cast(n, n.in(0), t);
  const auto offset = n.floats_attr("offset"), scale = n.floats_attr("scale");
  if (offset) y = n.b().make<Sub>({y, cast(n, n.b().constant(floats_of(*offset)), t)});
  if (scale) y = n.b().make<Mul>({y, cast(n, n.b().constant(floats_of(*scale)), t)});
  return {cast(n, y, DType::f32)};
}

// x / norm, and x itself where that is 0.
std::vector<Value*> normalizer(NodeImport& n) {
  expect_features(n);
  const std::string norm = n.string_attr("norm", "MAX");
  Value *x = cast(n, n.in(0), DType::f32), *axis = n.b().ints({-1}), *size = nullptr;
  if (norm == "MAX")
    size = n.b().make<ReduceMax>({x, axis});
  else if (norm == "L1")
    size = n.b().make<ReduceL1>({x, axis});
  else if (norm == "L2")
    size = n.b().make<ReduceL2>({x, axis});
  else
    n.fail(ErrorCode::bad_attribute, "norm is '", norm, "', expected MAX, L1 or L2");
  Value* zero = n.b().make<Equal>({size, n.b().scalar(0.0f)});
  return {n.b().make<Div>({x, n.b().make<Where>({zero, n.b().scalar(1.0f), size})})};
}

// Strings to integers or back, by two lists.
std::vector<Value*> encode(NodeImport& n, std::vector<std::string> strings, std::vector<int64_t> ints) {
  LabelEncoder::Attrs a;
  a.default_string = n.string_attr("default_string", "_Unused");
  a.default_int64 = n.int_attr("default_int64", -1);
  expect_features(n, dtypes::labels);
  const bool from_strings = n.in(0)->dtype() == DType::str;
  (from_strings ? a.keys_strings : a.values_strings) = std::move(strings);
  (from_strings ? a.values_int64s : a.keys_int64s) = std::move(ints);
  return {n.b().make<LabelEncoder>({n.in(0)}, std::move(a))};
}

std::vector<Value*> category_mapper(NodeImport& n) {
  return encode(n, n.strings_attr("cats_strings").value_or(std::vector<std::string>()),
                n.ints_attr("cats_int64s").value_or(std::vector<int64_t>()));
}

// Between strings and their places in a list.
std::vector<Value*> label_encoder_1(NodeImport& n) {
  auto strings = n.strings_attr("classes_strings").value_or(std::vector<std::string>());
  std::vector<int64_t> places;
  for (size_t i = 0; i < strings.size(); ++i) places.push_back(static_cast<int64_t>(i));
  return encode(n, std::move(strings), std::move(places));
}

}  // namespace

void rows_import_ml(ImportRows& rows) {
  rows.push_back({"ArrayFeatureExtractor", 1, array_feature_extractor, kMl});
  rows.push_back({"Binarizer", 1, binarizer, kMl});
  rows.push_back({"CategoryMapper", 1, category_mapper, kMl});
  rows.push_back({"Imputer", 1, imputer, kMl});
  rows.push_back({"LabelEncoder", 1, label_encoder_1, kMl});
  rows.push_back({"Normalizer", 1, normalizer, kMl});
  rows.push_back({"Scaler", 1, scaler, kMl});
}

}  // namespace tc::onnx
