#include "tc/ir/ops/ml.h"

#include <algorithm>

namespace tc {
namespace {

// The only one of the lists that has entries, as a vector; undefined when none or several have.
Tensor only_list(const std::vector<std::string>& strings, const std::vector<int64_t>& ints,
                 const std::vector<double>& floats, const std::optional<Tensor>& tensor) {
  if (!strings.empty() + !ints.empty() + !floats.empty() + tensor.has_value() != 1) return {};
  const auto vector = []<class T>(const std::vector<T>& v) {
    return Tensor::of<T>({static_cast<int64_t>(v.size())}, v);
  };
  if (tensor) return *tensor;
  if (!strings.empty()) return vector(strings);
  if (!ints.empty()) return vector(ints);
  return vector(std::vector<float>(floats.begin(), floats.end()));
}

void expect_one_list(InferContext& ctx, bool strings, bool ints, const char* what) {
  if (strings == ints)
    ctx.fail(ErrorCode::bad_attribute, ctx.node().op(), " needs ", what, " as strings or as integers",
             strings ? ", not both" : "");
}

void expect_map(InferContext& ctx, DTypeSet keys, DTypeSet values) {
  const Type& t = ctx.type(0);
  if (t.kind() != Type::Kind::map || !keys.has(t.dtype()) || !t.element().is_tensor() ||
      !values.has(t.element().dtype()))
    ctx.fail(ErrorCode::bad_type, ctx.node().op(), " takes a map from ", keys, " to ", values, ", got ", t);
}

void expect_size(InferContext& ctx, const char* name, size_t found, int64_t expected, const char* why) {
  if (static_cast<int64_t>(found) != expected)
    ctx.fail(ErrorCode::bad_attribute, name, " has ", found, " elements, expected ", expected, " (", why, ")");
}

// Extent C of rows [N,C] or of a vector [C] fits so many features.
void expect_features(InferContext& ctx, int64_t features) {
  const Shape& s = ctx.shape(0);
  if (!s.ranked() || s.rank() == 0) return;
  const Dim& c = s[s.rank() - 1];
  if (c.is_const() && !c.is(features))
    ctx.fail(ErrorCode::bad_shape, "rows of ", c, " features for a model of ", features);
}

int64_t ssize(size_t n) {
  return static_cast<int64_t>(n);
}

void check_svm(InferContext& ctx, const SvmAttrs& a, int64_t vectors) {
  if (a.coefficients.empty()) ctx.fail(ErrorCode::bad_attribute, "coefficients are missing");
  if (a.rho.empty()) ctx.fail(ErrorCode::bad_attribute, "rho is missing");
  if (vectors < 0) ctx.fail(ErrorCode::bad_attribute, "a number of support vectors is negative");
  if (vectors > 0 && (a.support_vectors.empty() || ssize(a.support_vectors.size()) % vectors != 0))
    ctx.fail(ErrorCode::bad_attribute, a.support_vectors.size(), " elements for ", vectors, " support vectors");
  if (vectors > 0 && a.kernel_type != SvmKernel::linear)
    expect_size(ctx, "kernel_params", a.kernel_params.size(), 3, "gamma, coef0, degree");
}

}  // namespace

Dim feature_rows(InferContext& ctx, int operand) {
  const Shape& s = ctx.shape(operand);
  if (!s.ranked()) return ctx.fresh();
  if (s.rank() != 1 && s.rank() != 2)
    ctx.fail(ErrorCode::bad_shape, ctx.node().op(), " takes rows [N,C] or one row [C], got ", ctx.type(operand));
  return s.rank() == 1 ? Dim(1) : s[0];
}

void set_classes(InferContext& ctx, const std::vector<std::string>& strings, const std::vector<int64_t>& ints,
                 Dim scores) {
  expect_one_list(ctx, !strings.empty(), !ints.empty(), "class labels");
  const Dim rows = feature_rows(ctx, 0);
  ctx.set(0, strings.empty() ? DType::i64 : DType::str, Shape{rows});
  ctx.set(1, Shape{rows, std::move(scores)});
}

Tensor LabelEncoder::Attrs::keys() const {
  return only_list(keys_strings, keys_int64s, keys_floats, keys_tensor);
}

Tensor LabelEncoder::Attrs::values() const {
  return only_list(values_strings, values_int64s, values_floats, values_tensor);
}

void LabelEncoder::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<LabelEncoder>();
  const Tensor keys = a.keys(), values = a.values();
  const auto bad = [&](const auto&... parts) { ctx.fail(ErrorCode::bad_attribute, parts...); };
  if (!keys.defined() || !values.defined()) bad("label_encoder needs one list of keys and one of values");
  if (keys.dtype() != ctx.dtype(0)) bad("keys of type ", keys.dtype(), " for elements of type ", ctx.dtype(0));
  if (!dtypes::encodable.has(values.dtype())) bad("values of type ", values.dtype());
  if (keys.size() != values.size()) bad(keys.size(), " keys and ", values.size(), " values");
  if (a.default_tensor && (a.default_tensor->dtype() != values.dtype() || a.default_tensor->size() != 1))
    bad("default_tensor is ", a.default_tensor->type(), ", expected one element of type ", values.dtype());
  ctx.set(0, values.dtype(), ctx.shape(0));
}

void OneHotEncoder::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<OneHotEncoder>();
  expect_one_list(ctx, !a.cats_strings.empty(), !a.cats_int64s.empty(), "categories");
  if ((ctx.dtype(0) == DType::str) == a.cats_strings.empty())
    ctx.fail(ErrorCode::bad_attribute, "categories for elements of type ", ctx.dtype(0), " must be ",
             ctx.dtype(0) == DType::str ? "strings" : "integers");
  const Shape& in = ctx.shape(0);
  if (!in.ranked()) return ctx.set(0, Shape());
  Dims dims = in.dims();
  dims.push_back(ssize(std::max(a.cats_strings.size(), a.cats_int64s.size())));
  ctx.set(0, Shape(std::move(dims)));
}

void FeatureVectorizer::infer(InferContext& ctx) {
  const auto& widths = ctx.attrs<FeatureVectorizer>().inputdimensions;
  expect_size(ctx, "inputdimensions", widths.size(), ctx.num_operands(), "one for each operand");
  if (widths.empty()) ctx.fail(ErrorCode::bad_graph, "feature_vectorizer of nothing");
  Dim width = 0;
  for (const int64_t w : widths) {
    if (w < 0) ctx.fail(ErrorCode::bad_attribute, "a width of ", w, " in inputdimensions");
    width += w;
  }
  const Shape& first = ctx.shape(0);
  Dim rows = first.ranked() ? first.rank() == 0 ? Dim(0) : first.rank() == 1 ? Dim(1) : first[0] : ctx.fresh();
  for (int i = 0; i < ctx.num_operands(); ++i)
    if (!ctx.has(i) || (ctx.shape(i).ranked() && ctx.shape(i).rank() == 0))
      ctx.fail(ErrorCode::bad_shape, "operand ", i, " of feature_vectorizer has no features");
  ctx.set(0, Shape{std::move(rows), std::move(width)});
}

void CastMap::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<CastMap>();
  expect_map(ctx, DType::i64, dtypes::strings | DType::f32);
  const bool sparse = a.map_form == MapForm::sparse;
  if (sparse && a.max_map < 0) ctx.fail(ErrorCode::bad_attribute, "max_map is ", a.max_map);
  const DType t = a.cast_to == CastTo::to_float ? DType::f32 : a.cast_to == CastTo::to_string ? DType::str : DType::i64;
  ctx.set(0, t, Shape{1, sparse ? Dim(a.max_map) : ctx.fresh()});
}

void DictVectorizer::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<DictVectorizer>();
  expect_map(ctx, dtypes::labels, dtypes::labels | DType::f32 | DType::f64);
  expect_one_list(ctx, !a.string_vocabulary.empty(), !a.int64_vocabulary.empty(), "a vocabulary");
  if ((ctx.type(0).dtype() == DType::str) == a.string_vocabulary.empty())
    ctx.fail(ErrorCode::bad_attribute, "the vocabulary does not go with keys of type ", ctx.type(0).dtype());
  ctx.set(0, ctx.type(0).element().dtype(),
          Shape{1, ssize(std::max(a.string_vocabulary.size(), a.int64_vocabulary.size()))});
}

void ZipMap::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<ZipMap>();
  expect_one_list(ctx, !a.classlabels_strings.empty(), !a.classlabels_int64s.empty(), "class labels");
  feature_rows(ctx, 0);
  expect_features(ctx, ssize(std::max(a.classlabels_strings.size(), a.classlabels_int64s.size())));
  ctx.set(0, Type::sequence(Type::map(a.classlabels_strings.empty() ? DType::i64 : DType::str,
                                      Type::tensor(DType::f32, Shape(Dims())))));
}

int64_t LinearClassifier::Attrs::num_labels() const {
  return ssize(std::max(classlabels_ints.size(), classlabels_strings.size()));
}

int64_t LinearClassifier::Attrs::num_scores() const {
  return intercepts.empty() ? num_labels() : ssize(intercepts.size());
}

void LinearClassifier::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<LinearClassifier>();
  const int64_t scores = a.num_scores(), labels = a.num_labels();
  if (scores == 0 || a.coefficients.empty() || ssize(a.coefficients.size()) % scores != 0)
    ctx.fail(ErrorCode::bad_attribute, a.coefficients.size(), " coefficients for ", scores, " scores");
  if (scores > 1 && labels < scores)
    ctx.fail(ErrorCode::bad_attribute, labels, " class labels for ", scores, " scores");
  expect_features(ctx, ssize(a.coefficients.size()) / scores);
  set_classes(ctx, a.classlabels_strings, a.classlabels_ints, scores == 1 && labels == 2 ? 2 : scores);
}

void LinearRegressor::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<LinearRegressor>();
  if (a.targets < 1 || a.coefficients.empty() || ssize(a.coefficients.size()) % a.targets != 0)
    ctx.fail(ErrorCode::bad_attribute, a.coefficients.size(), " coefficients for ", a.targets, " targets");
  if (!a.intercepts.empty()) expect_size(ctx, "intercepts", a.intercepts.size(), a.targets, "one per target");
  expect_features(ctx, ssize(a.coefficients.size()) / a.targets);
  ctx.set(0, Shape{feature_rows(ctx, 0), a.targets});
}

int64_t SVMClassifier::Attrs::num_classes() const {
  return ssize(std::max(classlabels_ints.size(), classlabels_strings.size()));
}

int64_t SVMClassifier::Attrs::num_vectors() const {
  Dim n = 0;  // checked for overflow
  for (const int64_t v : vectors_per_class) n += v;
  return n.value();
}

void SVMClassifier::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<SVMClassifier>();
  const int64_t classes = a.num_classes();
  if (std::any_of(a.vectors_per_class.begin(), a.vectors_per_class.end(), [](int64_t n) { return n < 0; }))
    ctx.fail(ErrorCode::bad_attribute, "vectors_per_class has a negative entry");
  if (classes >= 65536) ctx.fail(ErrorCode::bad_attribute, classes, " classes are too many");
  const int64_t vectors = a.num_vectors(), pairs = classes * (classes - 1) / 2;
  check_svm(ctx, a, vectors);
  expect_size(ctx, "prob_b", a.prob_b.size(), ssize(a.prob_a.size()), "as many as prob_a");
  const bool probabilities = !a.prob_a.empty();
  Dim scores = classes;
  if (vectors > 0) {
    expect_size(ctx, "vectors_per_class", a.vectors_per_class.size(), classes, "one per class");
    expect_size(ctx, "coefficients", a.coefficients.size(), (classes - 1) * vectors, "classes - 1 rows of vectors");
    expect_size(ctx, "rho", a.rho.size(), pairs, "one per pair of classes");
    if (probabilities) expect_size(ctx, "prob_a", a.prob_a.size(), pairs, "one per pair of classes");
    expect_features(ctx, ssize(a.support_vectors.size()) / vectors);
    if (!probabilities && classes > 2) scores = pairs;
  } else if (classes > 0) {
    if (ssize(a.coefficients.size()) % classes != 0)
      ctx.fail(ErrorCode::bad_attribute, a.coefficients.size(), " coefficients for ", classes, " classes");
    expect_features(ctx, ssize(a.coefficients.size()) / classes);
  }
  set_classes(ctx, a.classlabels_strings, a.classlabels_ints, std::move(scores));
}

void SVMRegressor::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<SVMRegressor>();
  check_svm(ctx, a, a.n_supports);
  if (a.n_supports > 0) expect_size(ctx, "coefficients", a.coefficients.size(), a.n_supports, "one per support vector");
  expect_features(ctx,
                  a.n_supports > 0 ? ssize(a.support_vectors.size()) / a.n_supports : ssize(a.coefficients.size()));
  ctx.set(0, Shape{feature_rows(ctx, 0), 1});
}

}  // namespace tc
