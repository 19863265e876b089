// ai.onnx.ml against ONNX Runtime.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "nodes.h"

namespace tc::peers {
namespace {

using namespace tc::model_writer;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <class T>
Tensor rows(int64_t n, const std::vector<T>& values) {
  return Tensor::of<T>({n, static_cast<int64_t>(values.size()) / n}, values);
}
template <class T>
Tensor vec(const std::vector<T>& values) {
  return Tensor::of<T>({static_cast<int64_t>(values.size())}, values);
}
Tensor words(const std::vector<std::string>& v) {
  return vec(v);
}

Messages with(Messages list, const Messages& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

NodeGroup group(std::vector<NodeCase> cases, int64_t ml = 3) {
  return {"ai.onnx.ml", {{"", 18}, {"ai.onnx.ml", ml}}, std::move(cases)};
}

// Near 0 the approximation of the quantile is the root of a difference, of which ONNX Runtime's f32 leaves so much.
Tolerance tolerance_of(const std::string& transform) {
  return transform == "PROBIT" ? Tolerance{.rtol = 1e-5, .atol = 1e-3} : NodeCase().tolerance;
}

const std::vector<std::string> kTransforms = {"NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT"};

TEST(PeerMl, Features) {
  const Tensor x = rows<float>(2, {1, kNan, 3, 0, -2.5f, 4});
  expect_agreement(group({
      {"afe_vector", "ArrayFeatureExtractor", {vec<float>({1, -3, 0.5f}), vec<int64_t>({2, 0})}},
      {"afe_deep",
       "ArrayFeatureExtractor",
       {Tensor::of<int64_t>({2, 1, 3}, {1, 2, 3, 4, 5, 6}), rows<int64_t>(1, {2, 0})}},
      {"afe_text", "ArrayFeatureExtractor", {Tensor::of<std::string>({1, 2}, {"a", "b"}), vec<int64_t>({1})}},
      {"binarizer", "Binarizer", {vec<float>({0.5f, 0.25f, 3, -INFINITY})}, {attr_f("threshold", 0.25f)}},
      {"imputer_nan",
       "Imputer",
       {x},
       {attr_floats("imputed_value_floats", {7, 8, 9}), attr_f("replaced_value_float", kNan)}},
      {"imputer_one", "Imputer", {x}, {attr_floats("imputed_value_floats", {7}), attr_f("replaced_value_float", 4)}},
      {"imputer_i64",
       "Imputer",
       {rows<int64_t>(1, {1, 0, 3})},
       {attr_ints("imputed_value_int64s", {7}), attr_i("replaced_value_int64", 0)}},
      {"scaler",
       "Scaler",
       {rows<float>(2, {1, 2, 3, 4})},
       {attr_floats("offset", {1, -0.5f}), attr_floats("scale", {2, 0.25f})}},
      {"scaler_i64",
       "Scaler",
       {rows<int64_t>(2, {1, 2, 3, 4})},
       {attr_floats("offset", {0.5f}), attr_floats("scale", {2})}},
      {"scaler_f64", "Scaler", {vec<double>({1, 1e10})}, {attr_floats("offset", {0.5f}), attr_floats("scale", {0.1f})}},
      {"normalizer_max", "Normalizer", {rows<float>(3, {-1, -3, 0, 0, 2, 1})}, {attr_s("norm", "MAX")}},
      {"normalizer_l1", "Normalizer", {rows<double>(2, {-1, 3, 0, 0})}, {attr_s("norm", "L1")}},
      {"normalizer_l2", "Normalizer", {vec<int64_t>({-1, 3})}, {attr_s("norm", "L2")}},
      {"one_hot",
       "OneHotEncoder",
       {vec<float>({1.7f, -1.2f, 9})},
       {attr_ints("cats_int64s", {-1, 1}), attr_i("zeros", 1)}},
      {"one_hot_text",
       "OneHotEncoder",
       {Tensor::of<std::string>({2, 1}, {"b", "?"})},
       {attr_strings("cats_strings", {"a", "b"})}},
      {"vectorizer",
       "FeatureVectorizer",
       {rows<float>(2, {1, 2, 3, 4}), rows<float>(2, {5, 6, 7, 8})},
       {attr_ints("inputdimensions", {3, 1})}},
      {"category",
       "CategoryMapper",
       {words({"b", "x"})},
       {attr_strings("cats_strings", {"a", "b"}), attr_ints("cats_int64s", {4, 5})}},
      {"category_back",
       "CategoryMapper",
       {vec<int64_t>({5, 6})},
       {attr_strings("cats_strings", {"a", "b"}), attr_ints("cats_int64s", {4, 5}), attr_s("default_string", "none")}},
      {"labels_duplicate",
       "LabelEncoder",
       {vec<int64_t>({1, 2})},
       {attr_ints("keys_int64s", {1, 1}), attr_floats("values_floats", {7, 8})}},
      {"labels_text",
       "LabelEncoder",
       {words({"y", "z"})},
       {attr_strings("keys_strings", {"y"}), attr_strings("values_strings", {"why"})}},
      {"labels_float",
       "LabelEncoder",
       {vec<float>({-0.0f, 2})},
       {attr_floats("keys_floats", {0, 2}), attr_ints("values_int64s", {7, 8}), attr_i("default_int64", 3)}},
  }));
}

TEST(PeerMl, OldLabelEncoder) {
  const Messages classes = {attr_strings("classes_strings", {"a", "b"})};
  expect_agreement(group({{"to_int", "LabelEncoder", {words({"b", "c"})}, with(classes, {attr_i("default_int64", 9)})},
                          {"to_text", "LabelEncoder", {vec<int64_t>({1, 2, -1})}, classes}},
                         1));
}

TEST(PeerMl, LinearModels) {
  const Tensor x = rows<float>(3, {0.3f, -1, 0.1f, 0.4f, 2, -3});
  std::vector<NodeCase> cases;
  for (const std::string& t : kTransforms) {
    const Messages post = {attr_s("post_transform", t)};
    const Messages two =
        with(post, {attr_floats("coefficients", {1, 0.5f, 0.25f, 0.5f}), attr_floats("intercepts", {0.5f, 0.6f})});
    // Of a single score and PROBIT, ONNX Runtime leaves half of the scores unset.
    if (t != "PROBIT")
      cases.push_back({"binary_" + t,
                       "LinearClassifier",
                       {x},
                       with(post, {attr_floats("coefficients", {1, 0.5f}), attr_floats("intercepts", {0.25f}),
                                   attr_ints("classlabels_ints", {5, 7})}),
                       2});
    cases.push_back({"classes_" + t,
                     "LinearClassifier",
                     {x},
                     with(two, {attr_strings("classlabels_strings", {"a", "b"})}),
                     2,
                     tolerance_of(t)});
    cases.push_back({"target_" + t,
                     "LinearRegressor",
                     {x},
                     with(post, {attr_floats("coefficients", {0.1f, 0.05f}), attr_floats("intercepts", {0.5f})}),
                     1,
                     tolerance_of(t)});
    cases.push_back({"targets_" + t, "LinearRegressor", {x}, with(two, {attr_i("targets", 2)}), 1, tolerance_of(t)});
  }
  const Messages plain = {attr_floats("coefficients", {1, 0.5f}), attr_floats("intercepts", {0.25f}),
                          attr_ints("classlabels_ints", {5, 7})};
  cases.push_back({"vector", "LinearClassifier", {vec<float>({1, 2})}, plain, 2});
  cases.push_back({"i32", "LinearClassifier", {rows<int32_t>(1, {1, 2})}, plain, 2});
  cases.push_back({"f64", "LinearClassifier", {rows<double>(1, {1, -2.5})}, plain, 2});
  expect_agreement(group(std::move(cases)));
}

TEST(PeerMl, SupportVectorMachines) {
  const Tensor x = rows<float>(3, {0.3f, -1, 0.1f, 0.4f, 2, -3});
  std::vector<NodeCase> cases;
  const auto kernel = [](const std::string& type) {
    return Messages{attr_s("kernel_type", type), attr_floats("kernel_params", {0.5f, 0.1f, 3})};
  };
  const Messages likely2 = {attr_floats("prob_a", {-1}), attr_floats("prob_b", {0.2f})};
  const Messages likely3 = {attr_floats("prob_a", {-1, -2, -0.5f}), attr_floats("prob_b", {0.2f, 0, 0.1f})};
  for (const std::string& t : kTransforms)
    for (const char* type : {"LINEAR", "RBF"}) {
      const std::string name = cat(t, "_", type);
      const Messages post = with(kernel(type), {attr_s("post_transform", t)});
      const Messages two =
          with(post, {attr_floats("support_vectors", {0, 1, 1, -1}), attr_ints("vectors_per_class", {1, 1}),
                      attr_floats("rho", {0.1f}), attr_ints("classlabels_ints", {5, 7})});
      const Messages three =
          with(post, {attr_floats("support_vectors", {0, 1, 1, -1, 0.5f, 0.5f, 2, 0}),
                      attr_ints("vectors_per_class", {1, 2, 1}),
                      attr_floats("coefficients", {0.5f, -0.7f, 0.2f, 1, 0.3f, -0.4f, 0.6f, -1}),
                      attr_floats("rho", {0.1f, -0.1f, 0.2f}), attr_strings("classlabels_strings", {"a", "b", "c"})});
      cases.push_back({"two_" + name,
                       "SVMClassifier",
                       {x},
                       with(two, {attr_floats("coefficients", {0.5f, -0.7f})}),
                       2,
                       tolerance_of(t)});
      cases.push_back({"positive_" + name,
                       "SVMClassifier",
                       {x},
                       with(two, {attr_floats("coefficients", {0.5f, 0.7f})}),
                       2,
                       tolerance_of(t)});
      cases.push_back({"three_" + name, "SVMClassifier", {x}, three, 2, tolerance_of(t)});
      // Both end a search within a bound of their own rounding.
      const Tolerance coupled{.rtol = 1e-3, .atol = 1e-5};
      cases.push_back({"two_likely_" + name,
                       "SVMClassifier",
                       {x},
                       with(with(two, likely2), {attr_floats("coefficients", {0.5f, -0.7f})}),
                       2,
                       coupled});
      cases.push_back({"three_likely_" + name, "SVMClassifier", {x}, with(three, likely3), 2, coupled});
    }
  for (const char* type : {"LINEAR", "POLY", "RBF", "SIGMOID"})
    for (int one_class : {0, 1})
      cases.push_back({cat("regressor_", type, one_class),
                       "SVMRegressor",
                       {x},
                       with(kernel(type), {attr_floats("support_vectors", {0, 1, 1, -1}), attr_i("n_supports", 2),
                                           attr_floats("coefficients", {0.5f, -0.7f}), attr_floats("rho", {0.1f}),
                                           attr_i("one_class", one_class)})});
  const Messages linear = with(kernel("LINEAR"), {attr_floats("rho", {0.1f})});
  cases.push_back({"regressor_without_vectors",
                   "SVMRegressor",
                   {x},
                   with(linear, {attr_floats("coefficients", {0.5f, -0.7f}), attr_i("n_supports", 0)})});
  for (const std::vector<float>& c : {std::vector<float>{0.5f, 0.2f, 0.3f, 0.4f}, {0.5f, -0.2f, 0.3f, 0.4f}})
    cases.push_back({cat("classifier_without_vectors", c[1] < 0),
                     "SVMClassifier",
                     {x},
                     with(linear, {attr_floats("coefficients", c), attr_ints("classlabels_ints", {5, 7})}),
                     2});
  expect_agreement(group(std::move(cases)));
}

// x0 <= 0 ? (x1 > -1 ? leaf 2 : leaf 3) : leaf 4, and a second tree that is a leaf alone.
Messages two_trees(const std::string& first = "BRANCH_LEQ") {
  return {attr_ints("nodes_treeids", {0, 0, 0, 0, 0, 1}),
          attr_ints("nodes_nodeids", {0, 1, 2, 3, 4, 0}),
          attr_ints("nodes_featureids", {0, 1, 0, 0, 0, 0}),
          attr_strings("nodes_modes", {first, "BRANCH_GT", "LEAF", "LEAF", "LEAF", "LEAF"}),
          attr_floats("nodes_values", {0, -1, 0, 0, 0, 0}),
          attr_ints("nodes_truenodeids", {1, 2, 0, 0, 0, 0}),
          attr_ints("nodes_falsenodeids", {4, 3, 0, 0, 0, 0}),
          attr_ints("nodes_missing_value_tracks_true", {1, 0, 0, 0, 0, 0})};
}
Messages votes(const std::string& kind, const std::vector<int64_t>& ids, const std::vector<float>& weights) {
  return {attr_ints(kind + "_treeids", {0, 0, 0, 1}), attr_ints(kind + "_nodeids", {2, 3, 4, 0}),
          attr_ints(kind + "_ids", ids), attr_floats(kind + "_weights", weights)};
}

TEST(PeerMl, TreeClassifiers) {
  const Tensor x = rows<float>(5, {-1, 0, -1, -2, 0, -1, 3, 0, kNan, kNan});
  std::vector<NodeCase> cases;
  const auto add = [&](const std::string& name, const Messages& more) {
    cases.push_back({name, "TreeEnsembleClassifier", {x}, with(two_trees(), more), 2});
  };
  for (const std::string& t : kTransforms) {
    const Messages post = {attr_s("post_transform", t)};
    const Messages three = with(with(post, votes("class", {0, 1, 2, 1}, {0.5f, 0.25f, 0.75f, 0.125f})),
                                {attr_strings("classlabels_strings", {"a", "b", "c"})});
    add("three_" + t, three);
    add("three_base_" + t, with(three, {attr_floats("base_values", {0.1f, 0, 0.05f})}));
    for (const float sign : {1.0f, -1.0f}) {
      const auto two = [&](int64_t id) {
        return with(with(post, votes("class", {id, id, id, id}, {0.5f, 0.25f * sign, 0.75f, 0.125f})),
                    {attr_ints("classlabels_int64s", {5, 7})});
      };
      add(cat("first_", sign, t), two(0));
      add(cat("second_", sign, t), two(1));
      for (const int64_t id : {0, 1})
        add(cat("base_", id, sign, t), with(two(id), {attr_floats("base_values", {0.125f})}));
    }
  }
  const Messages labels =
      with(votes("class", {0, 1, 2, 1}, {0.5f, 0.25f, 0.75f, 0.125f}), {attr_ints("classlabels_int64s", {3, 1, 2})});
  for (const char* mode : {"BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"})
    cases.push_back({mode, "TreeEnsembleClassifier", {x}, with(two_trees(mode), labels), 2});
  cases.push_back({"i32", "TreeEnsembleClassifier", {rows<int32_t>(2, {0, 0, 1, -5})}, with(two_trees(), labels), 2});
  cases.push_back(
      {"f64", "TreeEnsembleClassifier", {rows<double>(2, {1e-300, 0, 1, -5})}, with(two_trees(), labels), 2});
  expect_agreement(group(std::move(cases)));
}

TEST(PeerMl, TreeRegressors) {
  const Tensor x = rows<float>(5, {-1, 0, -1, -2, 0, -1, 3, 0, kNan, kNan});
  std::vector<NodeCase> cases;
  for (const char* f : {"SUM", "AVERAGE", "MIN", "MAX"})
    for (const std::string& t : kTransforms) {
      const Messages post = with(two_trees(), {attr_s("post_transform", t), attr_s("aggregate_function", f)});
      const std::string name = cat(f, "_", t);
      const Messages one =
          with(with(post, votes("target", {0, 0, 0, 0}, {0.5f, 0.25f, 0.75f, 0.125f})), {attr_i("n_targets", 1)});
      const Messages two =
          with(with(post, votes("target", {0, 1, 1, 0}, {0.5f, 0.25f, 0.75f, 0.125f})), {attr_i("n_targets", 2)});
      // Each target has a vote in each row: ONNX Runtime adds its base value only then.
      const Messages base = {attr_ints("target_treeids", {0, 0, 0, 1, 1}),
                             attr_ints("target_nodeids", {2, 3, 4, 0, 0}),
                             attr_ints("target_ids", {0, 1, 1, 0, 1}),
                             attr_floats("target_weights", {0.5f, 0.25f, 0.125f, 0.125f, 0.0625f}),
                             attr_i("n_targets", 2),
                             attr_floats("base_values", {0.1f, 0.2f})};
      const auto add = [&](const char* kind, const Messages& attributes) {
        cases.push_back({kind + name, "TreeEnsembleRegressor", {x}, attributes, 1, tolerance_of(t)});
      };
      add("one_", one);
      add("one_base_", with(one, {attr_floats("base_values", {0.1f})}));
      add("two_", two);
      add("two_base_", with(post, base));
    }
  expect_agreement(group(std::move(cases)));
}

// Random trees in the newest form: all questions, several targets.
TEST(PeerMl, TreeEnsembles) {
  std::mt19937 random(7);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint32_t>(n)); };
  std::vector<NodeCase> cases;
  for (int64_t aggregate = 0; aggregate < 4; ++aggregate)
    // The standard's numbers of SOFTMAX (1) and LOGISTIC (2) mean each other in ONNX Runtime.
    for (int64_t transform : {0, 3}) {
      std::vector<int64_t> roots, features, yes, no, yes_leaf, no_leaf, missing, targets;
      std::vector<uint8_t> modes;
      std::vector<float> splits, members, weights;
      for (int tree = 0; tree < 4; ++tree) {
        // Breadth first: node i of the tree leads to nodes 2i + 1 and 2i + 2, or to new leaves.
        const auto base = static_cast<int64_t>(features.size());
        const int64_t size = 3 + below(12);
        roots.push_back(base);
        for (int64_t i = 0; i < size; ++i) {
          features.push_back(below(4));
          modes.push_back(static_cast<uint8_t>(tree == 0 ? 0 : below(7)));
          splits.push_back(static_cast<float>(below(5)) - 2);
          if (modes.back() == 6) {
            splits.back() = 0;
            for (int64_t k = below(4) + 1; k > 0; --k) members.push_back(static_cast<float>(below(5)) - 2);
            members.push_back(kNan);
          }
          missing.push_back(below(2));
          for (int side : {1, 2}) {
            const bool leaf = 2 * i + side >= size;
            (side == 1 ? yes_leaf : no_leaf).push_back(leaf);
            (side == 1 ? yes : no).push_back(leaf ? static_cast<int64_t>(weights.size()) : base + 2 * i + side);
            if (leaf) weights.push_back(static_cast<float>(below(100)) / 64), targets.push_back(below(3));
          }
        }
      }
      Tensor x(DType::f32, {32, 4});
      for (float& v : x.mutable_span<float>()) v = below(10) ? static_cast<float>(below(5)) - 2 : kNan;
      Messages a = {attr_ints("tree_roots", roots),
                    attr_ints("nodes_featureids", features),
                    attr_t("nodes_modes", tensor("", vec(modes))),
                    attr_t("nodes_splits", tensor("", vec(splits))),
                    attr_ints("nodes_truenodeids", yes),
                    attr_ints("nodes_falsenodeids", no),
                    attr_ints("nodes_trueleafs", yes_leaf),
                    attr_ints("nodes_falseleafs", no_leaf),
                    attr_ints("nodes_missing_value_tracks_true", missing),
                    attr_ints("leaf_targetids", targets),
                    attr_t("leaf_weights", tensor("", vec(weights))),
                    attr_i("n_targets", 3),
                    attr_i("aggregate_function", aggregate),
                    attr_i("post_transform", transform)};
      if (!members.empty()) a.push_back(attr_t("membership_values", tensor("", vec(members))));
      cases.push_back({cat("trees_", aggregate, transform), "TreeEnsemble", {x}, a});
    }
  expect_agreement(group(std::move(cases), 5));
}

TEST(PeerMl, DoublePrecision) {
  const Tensor x = rows<double>(3, {1.00000001, 0, 1, -2, 0.99999999, 5});
  Messages nodes = two_trees();
  nodes[4] = attr_t("nodes_values_as_tensor", tensor("", vec<double>({1, -1, 0, 0, 0, 0})));
  const auto with_weights = [&](const std::string& kind) {
    Messages v = with(nodes, votes(kind, {0, 1, 1, 0}, {}));
    v.back() = attr_t(kind + "_weights_as_tensor", tensor("", vec<double>({0.1, 0.2, 0.3, 0.4})));
    return v;
  };
  expect_agreement(
      group({{"regressor", "TreeEnsembleRegressor", {x}, with(with_weights("target"), {attr_i("n_targets", 2)})},
             {"classifier",
              "TreeEnsembleClassifier",
              {x},
              with(with_weights("class"), {attr_ints("classlabels_int64s", {0, 1, 2})}),
              2}}));
}

TEST(PeerMl, NewLabelEncoder) {
  expect_agreement(
      group({{"nan",
              "LabelEncoder",
              {vec<float>({kNan, -0.0f, 1})},
              {attr_floats("keys_floats", {kNan, 0}), attr_floats("values_floats", {7, 8})}},
             {"tensors",
              "LabelEncoder",
              {vec<double>({0.1, 0.2})},
              {attr_t("keys_tensor", tensor("", vec<double>({0.1}))),
               attr_t("values_tensor", tensor("", vec<double>({1e300}))),
               attr_t("default_tensor", tensor("", vec<double>({-1})))}},
             {"narrow",
              "LabelEncoder",
              {words({"a", "b"})},
              {attr_t("keys_tensor", tensor("", words({"a"}))), attr_t("values_tensor", tensor("", vec<int16_t>({-5}))),
               attr_t("default_tensor", tensor("", vec<int16_t>({9})))}}},
            4));
}

}  // namespace
}  // namespace tc::peers
