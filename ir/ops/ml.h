// Classical machine learning (ONNX's domain ai.onnx.ml): encoders of features, linear models and support vector
// machines. Where the standard leaves a meaning open, that of ONNX Runtime is taken. Tree ensembles are in tree.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

inline constexpr std::string_view kMlDomain = "ai.onnx.ml";

namespace dtypes {
inline constexpr DTypeSet features = DTypeSet(DType::f32) | DType::f64 | DType::i64 | DType::i32;
inline constexpr DTypeSet labels = DTypeSet(DType::i64) | DType::str;
inline constexpr DTypeSet encodable = features | DType::i16 | DType::str;
}  // namespace dtypes

// What becomes of the scores of a model.
enum class PostTransform : uint8_t { none, softmax, logistic, softmax_zero, probit };
template <>
inline constexpr auto kEnumNames<PostTransform> =
    std::array<std::string_view, 5>{"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};

// [N, C], where a vector [C] counts as one row: the number of rows, 1 for a vector.
Dim feature_rows(InferContext& ctx, int operand);
// The labels [N] and scores [N, scores] of a classifier whose labels are strings or integers. Error bad_attribute
// unless exactly one list has entries.
void set_classes(InferContext& ctx, const std::vector<std::string>& strings, const std::vector<int64_t>& ints,
                 Dim scores);

struct LabelEncoder {
  struct Attrs {
    std::vector<std::string> keys_strings;
    std::vector<int64_t> keys_int64s;
    std::vector<double> keys_floats;
    std::optional<Tensor> keys_tensor;
    std::vector<std::string> values_strings;
    std::vector<int64_t> values_int64s;
    std::vector<double> values_floats;
    std::optional<Tensor> values_tensor;
    std::string default_string = "_Unused";
    int64_t default_int64 = -1;
    double default_float = -0.0;
    std::optional<Tensor> default_tensor;
    static constexpr auto fields =
        Fields{field("keys_strings", &Attrs::keys_strings),     field("keys_int64s", &Attrs::keys_int64s),
               field("keys_floats", &Attrs::keys_floats),       field("keys_tensor", &Attrs::keys_tensor),
               field("values_strings", &Attrs::values_strings), field("values_int64s", &Attrs::values_int64s),
               field("values_floats", &Attrs::values_floats),   field("values_tensor", &Attrs::values_tensor),
               field("default_string", &Attrs::default_string), field("default_int64", &Attrs::default_int64),
               field("default_float", &Attrs::default_float),   field("default_tensor", &Attrs::default_tensor)};

    Tensor keys() const;  // a vector of whichever list is given; undefined when none or several are
    Tensor values() const;
  };
  static constexpr OpFacts facts{"label_encoder",
                                 {"LabelEncoder", 2, kMlDomain},
                                 "x:T -> y:V",
                                 {{{'T', dtypes::encodable}, {'V', dtypes::encodable}}},
                                 "the value that goes with the key equal to each element, or the default"};
  static void infer(InferContext& ctx);
};

struct OneHotEncoder {
  struct Attrs {
    std::vector<int64_t> cats_int64s;
    std::vector<std::string> cats_strings;
    bool zeros = true;  // for an unknown category; else it is an error
    static constexpr auto fields = Fields{field("cats_int64s", &Attrs::cats_int64s),
                                          field("cats_strings", &Attrs::cats_strings), field("zeros", &Attrs::zeros)};
  };
  static constexpr OpFacts facts{"one_hot_encoder",
                                 {"OneHotEncoder", 1, kMlDomain},
                                 "x:T -> y:f32",
                                 {{{'T', dtypes::features | DType::str}}},
                                 "along a new last axis, 1 at each element's category and 0 elsewhere"};
  static void infer(InferContext& ctx);
};

struct FeatureVectorizer {
  struct Attrs {
    std::vector<int64_t> inputdimensions;
    static constexpr auto fields = Fields{field("inputdimensions", &Attrs::inputdimensions)};
  };
  static constexpr OpFacts facts{"feature_vectorizer",
                                 {"FeatureVectorizer", 1, kMlDomain},
                                 "x:V* -> y:f32",
                                 {{{'V', dtypes::features}}},
                                 "rows of the operands next to each other, each cut or filled up with 0 to its width"};
  static void infer(InferContext& ctx);
};

enum class CastTo : uint8_t { to_float, to_string, to_int64 };
template <>
inline constexpr auto kEnumNames<CastTo> = std::array<std::string_view, 3>{"TO_FLOAT", "TO_STRING", "TO_INT64"};
enum class MapForm : uint8_t { dense, sparse };
template <>
inline constexpr auto kEnumNames<MapForm> = std::array<std::string_view, 2>{"DENSE", "SPARSE"};

struct CastMap {
  struct Attrs {
    CastTo cast_to = CastTo::to_float;
    MapForm map_form = MapForm::dense;
    int64_t max_map = 1;  // extent of the result in sparse form
    static constexpr auto fields = Fields{field("cast_to", &Attrs::cast_to), field("map_form", &Attrs::map_form),
                                          field("max_map", &Attrs::max_map)};
  };
  static constexpr OpFacts facts{
      "cast_map",
      {"CastMap", 1, kMlDomain},
      "x:any -> y:V",
      {{{'V', dtypes::labels | DType::f32}}},
      "[1, n]: the values of a map in the order of their keys, or at the places of their keys"};
  static void infer(InferContext& ctx);
};

struct DictVectorizer {
  struct Attrs {
    std::vector<int64_t> int64_vocabulary;
    std::vector<std::string> string_vocabulary;
    static constexpr auto fields = Fields{field("int64_vocabulary", &Attrs::int64_vocabulary),
                                          field("string_vocabulary", &Attrs::string_vocabulary)};
  };
  static constexpr OpFacts facts{"dict_vectorizer",
                                 {"DictVectorizer", 1, kMlDomain},
                                 "x:any -> y:V",
                                 {{{'V', dtypes::labels | DType::f32 | DType::f64}}},
                                 "[1, n]: a map's value for each word of a vocabulary, 0 or empty where there is none"};
  static void infer(InferContext& ctx);
};

struct ZipMap {
  struct Attrs {
    std::vector<int64_t> classlabels_int64s;
    std::vector<std::string> classlabels_strings;
    static constexpr auto fields = Fields{field("classlabels_int64s", &Attrs::classlabels_int64s),
                                          field("classlabels_strings", &Attrs::classlabels_strings)};
  };
  static constexpr OpFacts facts{"zip_map",
                                 {"ZipMap", 1, kMlDomain},
                                 "x:f32 -> z:any",
                                 {},
                                 "a sequence with one map per row, from the labels to the row's elements"};
  static void infer(InferContext& ctx);
};

struct LinearClassifier {
  struct Attrs {
    std::vector<double> coefficients;  // [scores, features]
    std::vector<double> intercepts;    // [scores]
    std::vector<int64_t> classlabels_ints;
    std::vector<std::string> classlabels_strings;
    int64_t multi_class = 0;  // told by the training program, of no effect
    PostTransform post_transform = PostTransform::none;
    static constexpr auto fields = Fields{field("coefficients", &Attrs::coefficients, required),
                                          field("intercepts", &Attrs::intercepts),
                                          field("classlabels_ints", &Attrs::classlabels_ints),
                                          field("classlabels_strings", &Attrs::classlabels_strings),
                                          field("multi_class", &Attrs::multi_class),
                                          field("post_transform", &Attrs::post_transform)};
    int64_t num_labels() const;
    int64_t num_scores() const;  // of the linear maps: one per intercept, or per label
  };
  static constexpr OpFacts facts{"linear_classifier",
                                 {"LinearClassifier", 1, kMlDomain},
                                 "x:T -> y:L, scores:f32?",
                                 {{{'T', dtypes::features}, {'L', dtypes::labels}}},
                                 "the label with the largest linear score; of a single score its sign decides"};
  static void infer(InferContext& ctx);
};

struct LinearRegressor {
  struct Attrs {
    std::vector<double> coefficients;  // [targets, features]
    std::vector<double> intercepts;    // [targets] or none
    int64_t targets = 1;
    PostTransform post_transform = PostTransform::none;
    static constexpr auto fields =
        Fields{field("coefficients", &Attrs::coefficients), field("intercepts", &Attrs::intercepts),
               field("targets", &Attrs::targets), field("post_transform", &Attrs::post_transform)};
  };
  static constexpr OpFacts facts{"linear_regressor",
                                 {"LinearRegressor", 1, kMlDomain},
                                 "x:T -> y:f32",
                                 {{{'T', dtypes::features}}},
                                 "x times the coefficients, plus intercepts"};
  static void infer(InferContext& ctx);
};

enum class SvmKernel : uint8_t { linear, poly, rbf, sigmoid };
template <>
inline constexpr auto kEnumNames<SvmKernel> = std::array<std::string_view, 4>{"LINEAR", "POLY", "RBF", "SIGMOID"};

struct SvmAttrs {
  SvmKernel kernel_type = SvmKernel::linear;
  std::vector<double> kernel_params;    // gamma, coef0, degree
  std::vector<double> support_vectors;  // [vectors, features]
  std::vector<double> coefficients;
  std::vector<double> rho;
  PostTransform post_transform = PostTransform::none;
  static constexpr auto fields = Fields{field("kernel_type", &SvmAttrs::kernel_type),
                                        field("kernel_params", &SvmAttrs::kernel_params),
                                        field("support_vectors", &SvmAttrs::support_vectors),
                                        field("coefficients", &SvmAttrs::coefficients),
                                        field("rho", &SvmAttrs::rho),
                                        field("post_transform", &SvmAttrs::post_transform)};
};

// Without support vectors it is linear: coefficients [classes, features]. Else every pair of classes has its own
// decision: coefficients [classes - 1, vectors], rho and, where probabilities are wanted, prob_a and prob_b [pairs].
struct SVMClassifier {
  struct Attrs : SvmAttrs {
    std::vector<int64_t> classlabels_ints;
    std::vector<std::string> classlabels_strings;
    std::vector<int64_t> vectors_per_class;
    std::vector<double> prob_a, prob_b;
    static constexpr auto fields =
        extend<Attrs>(SvmAttrs::fields, Fields{field("classlabels_ints", &Attrs::classlabels_ints),
                                               field("classlabels_strings", &Attrs::classlabels_strings),
                                               field("vectors_per_class", &Attrs::vectors_per_class),
                                               field("prob_a", &Attrs::prob_a), field("prob_b", &Attrs::prob_b)});
    int64_t num_classes() const;
    int64_t num_vectors() const;
  };
  static constexpr OpFacts facts{"svm_classifier",
                                 {"SVMClassifier", 1, kMlDomain},
                                 "x:T -> y:L, scores:f32?",
                                 {{{'T', dtypes::features}, {'L', dtypes::labels}}},
                                 "the label that wins most comparisons of a support vector machine"};
  static void infer(InferContext& ctx);
};

struct SVMRegressor {
  struct Attrs : SvmAttrs {
    int64_t n_supports = 0;
    bool one_class = false;  // the result is 1 inside of the class, else -1
    static constexpr auto fields = extend<Attrs>(
        SvmAttrs::fields, Fields{field("n_supports", &Attrs::n_supports), field("one_class", &Attrs::one_class)});
  };
  static constexpr OpFacts facts{"svm_regressor",
                                 {"SVMRegressor", 1, kMlDomain},
                                 "x:T -> y:f32",
                                 {{{'T', dtypes::features}}},
                                 "the sum of the kernel's values at the support vectors, weighted, plus rho"};
  static void infer(InferContext& ctx);
};

}  // namespace tc
