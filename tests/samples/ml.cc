#include "tests/samples/sample.h"

namespace tc {
namespace {

Value* rows(SampleGraph& g, DType t, int64_t n, int64_t features) {
  return g.input(g.random(t, {n, features}), {Dim::symbol("n"), features});
}

// Both results of a classifier.
template <class Op>
std::vector<Value*> classify(SampleGraph& g, Value* x, typename Op::Attrs a) {
  Node* n = g.b.make_n<Op>({x}, std::move(a), 2);
  return {n->result(0), n->result(1)};
}

void join(std::vector<Value*>& list, const std::vector<Value*>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

template <class K>
Datum map_of(const std::vector<K>& keys, const Tensor& values) {
  Map map;
  for (size_t i = 0; i < keys.size(); ++i)
    map.entries.emplace_back(keys[i], values.dtype() == DType::str ? Tensor::scalar(values.span<std::string>()[i])
                                                                   : Tensor::scalar(values.span<float>()[i]));
  return map;
}

// Two trees: one that looks at both features, and a leaf alone.
template <class A>
A two_trees() {
  A a;
  a.nodes_treeids = {0, 0, 0, 0, 0, 1};
  a.nodes_nodeids = {0, 1, 2, 3, 4, 0};
  a.nodes_featureids = {0, 1, 0, 0, 0, 0};
  a.nodes_modes = {"BRANCH_LEQ", "BRANCH_GT", "LEAF", "LEAF", "LEAF", "LEAF"};
  a.nodes_values = {0.25, -0.5, 0, 0, 0, 0};
  a.nodes_truenodeids = {1, 2, 0, 0, 0, 0};
  a.nodes_falsenodeids = {4, 3, 0, 0, 0, 0};
  a.nodes_missing_value_tracks_true = {1, 0, 0, 0, 0, 0};
  return a;
}

}  // namespace

void samples_ml(std::vector<Sample>& samples) {
  const auto add = [&](const char* name, void (*build)(SampleGraph&)) { samples.push_back({name, build}); };
  add("label_encoder", [](SampleGraph& g) {
    LabelEncoder::Attrs to_int, to_text, floats, tensors;
    to_int.keys_strings = {"a", "b"}, to_int.values_int64s = {5, 6};
    to_text.keys_int64s = {1, 0}, to_text.values_strings = {"one", "zero"};
    floats.keys_floats = {std::nan(""), 0}, floats.values_floats = {1, -1}, floats.default_float = 0.5;
    tensors.keys_tensor = Tensor::of<int32_t>({2}, {1, -1}), tensors.values_tensor = Tensor::of<double>({2}, {0.5, 2});
    tensors.default_tensor = Tensor::of<double>({1}, {7});
    LabelEncoder::Attrs narrow, wide;
    narrow.keys_tensor = Tensor::of<int16_t>({2}, {1, -1}), narrow.values_tensor = Tensor::of<int16_t>({2}, {3, 4});
    narrow.default_tensor = Tensor::of<int16_t>({1}, {0});
    wide.keys_tensor = Tensor::of<double>({2}, {0.5, -1}), wide.values_tensor = Tensor::of<int64_t>({2}, {3, 4});
    wide.default_tensor = Tensor::of<int64_t>({1}, {0});
    LabelEncoder::Attrs ints;
    ints.keys_int64s = {1, 0, 1}, ints.values_int64s = {7, 8, 9};
    Value* s = g.input(Tensor::of<std::string>({2, 2}, {"a", "c", "b", ""}));
    Value* f = g.input(Tensor::of<float>({3}, {std::nanf(""), -0.0f, 3}), {Dim::symbol("n")});
    g.outputs({g.b.make<LabelEncoder>({s}, to_int), g.b.make<LabelEncoder>({g.input(DType::i64, {4})}, to_text),
               g.b.make<LabelEncoder>({f}, floats), g.b.make<LabelEncoder>({g.input(DType::i64, {5})}, ints),
               g.b.make<LabelEncoder>({g.input(DType::i32, {4})}, tensors),
               g.b.make<LabelEncoder>({g.input(DType::i16, {4})}, narrow),
               g.b.make<LabelEncoder>({g.input(Tensor::of<double>({3}, {0.5, 2, -1}))}, wide)});
  });
  add("one_hot_encoder", [](SampleGraph& g) {
    Value* s = g.input(Tensor::of<std::string>({2}, {"x", "q"}));
    g.outputs({g.b.make<OneHotEncoder>({rows(g, DType::f32, 3, 2)}, {{-1, 0, 1}, {}, true}),
               g.b.make<OneHotEncoder>({g.input(DType::i32, {4}, 0, 1)}, {{0, 1}, {}, false}),
               g.b.make<OneHotEncoder>({s}, {{}, {"q", "r"}, true})});
  });
  add("feature_vectorizer", [](SampleGraph& g) {
    Value *x = rows(g, DType::f64, 3, 2), *y = rows(g, DType::i64, 3, 4);
    g.outputs({g.b.make<FeatureVectorizer>({x, y}, {{3, 2}}),
               g.b.make<FeatureVectorizer>({g.input(DType::i32, {2})}, {{2}})});
  });
  add("cast_map", [](SampleGraph& g) {
    Value* x = g.input(map_of<int64_t>({4, 1}, Tensor::of<float>({2}, {0.5f, -3})),
                       Type::map(DType::i64, Type::tensor(DType::f32, Shape(Dims()))));
    Value* s = g.input(map_of<int64_t>({0, 2}, Tensor::of<std::string>({2}, {"12", "-7"})),
                       Type::map(DType::i64, Type::tensor(DType::str, Shape(Dims()))));
    g.outputs(
        {g.b.make<CastMap>({x}), g.b.make<CastMap>({x}, {CastTo::to_int64, MapForm::sparse, 5}),
         g.b.make<CastMap>({x}, {CastTo::to_string}), g.b.make<CastMap>({s}, {CastTo::to_float, MapForm::sparse, 2}),
         g.b.make<CastMap>({s}, {CastTo::to_int64}), g.b.make<CastMap>({s}, {CastTo::to_string, MapForm::sparse, 3})});
  });
  add("dict_vectorizer", [](SampleGraph& g) {
    Value* x = g.input(map_of<std::string>({"b", "a"}, Tensor::of<float>({2}, {0.5f, -3})),
                       Type::map(DType::str, Type::tensor(DType::f32, Shape(Dims()))));
    Value* s = g.input(map_of<int64_t>({7}, Tensor::of<std::string>({1}, {"seven"})),
                       Type::map(DType::i64, Type::tensor(DType::str, Shape(Dims()))));
    g.outputs({g.b.make<DictVectorizer>({x}, {{}, {"a", "c", "b"}}), g.b.make<DictVectorizer>({s}, {{8, 7}, {}})});
  });
  add("zip_map", [](SampleGraph& g) {
    g.outputs({g.b.make<ZipMap>({rows(g, DType::f32, 3, 2)}, {{4, 7}, {}}),
               g.b.make<ZipMap>({g.input(DType::f32, {2})}, {{}, {"no", "yes"}})});
  });
  add("linear_classifier", [](SampleGraph& g) {
    LinearClassifier::Attrs three, two;
    three.coefficients = {1, -2, 0.5, 0.25, -1, 3}, three.intercepts = {0.5, 0, -1};
    three.classlabels_strings = {"a", "b", "c"}, three.post_transform = PostTransform::softmax;
    two.coefficients = {1, -2}, two.intercepts = {0.25}, two.classlabels_ints = {3, 9};
    std::vector<Value*> out = classify<LinearClassifier>(g, rows(g, DType::f32, 4, 2), three);
    join(out, classify<LinearClassifier>(g, rows(g, DType::i64, 4, 2), two));
    g.outputs(out);
  });
  add("linear_regressor", [](SampleGraph& g) {
    g.outputs({g.b.make<LinearRegressor>({rows(g, DType::f64, 4, 2)}, {{1, 2, -1, 0.5}, {0.5, 0}, 2}),
               g.b.make<LinearRegressor>({g.input(DType::i32, {3})}, {{1, 2, -1}, {}, 1})});
  });
  add("svm_classifier", [](SampleGraph& g) {
    SVMClassifier::Attrs linear, pairs;
    linear.coefficients = {1, -2, 0.5, 0.25, -1, 3}, linear.rho = {0.5}, linear.classlabels_ints = {1, 2, 3};
    linear.post_transform = PostTransform::logistic;
    pairs.kernel_type = SvmKernel::rbf, pairs.kernel_params = {0.5, 0, 3};
    pairs.support_vectors = {0, 1, 1, -1, -1, 0.5}, pairs.vectors_per_class = {1, 1, 1};
    pairs.coefficients = {0.5, 1, -1, 0.25, -0.5, 2}, pairs.rho = {0.1, -0.1, 0.2};
    pairs.classlabels_strings = {"a", "b", "c"};
    SVMClassifier::Attrs likely = pairs;
    likely.prob_a = {-1, -2, -0.5}, likely.prob_b = {0.1, 0, -0.2};
    Value* x = rows(g, DType::f32, 4, 2);
    std::vector<Value*> out = classify<SVMClassifier>(g, x, linear);
    join(out, classify<SVMClassifier>(g, x, pairs));
    join(out, classify<SVMClassifier>(g, x, likely));
    g.outputs(out);
  });
  add("svm_regressor", [](SampleGraph& g) {
    SVMRegressor::Attrs poly, linear;
    poly.kernel_type = SvmKernel::poly, poly.kernel_params = {0.5, 1, 3}, poly.n_supports = 2;
    poly.support_vectors = {0, 1, 1, -1}, poly.coefficients = {0.5, -1}, poly.rho = {0.25};
    linear.coefficients = {1, -0.5}, linear.rho = {0.1}, linear.one_class = true;
    Value* x = rows(g, DType::f32, 4, 2);
    g.outputs({g.b.make<SVMRegressor>({x}, poly), g.b.make<SVMRegressor>({x}, linear)});
  });
  add("tree_ensemble_classifier", [](SampleGraph& g) {
    auto three = two_trees<TreeEnsembleClassifier::Attrs>();
    three.class_treeids = {0, 0, 0, 1}, three.class_nodeids = {2, 3, 4, 0}, three.class_ids = {0, 1, 2, 1};
    three.class_weights = {0.5, 0.75, 1, 0.125}, three.classlabels_strings = {"a", "b", "c"};
    three.post_transform = PostTransform::softmax_zero;
    auto two = three;
    two.class_ids = {0, 0, 0, 0}, two.classlabels_strings = {}, two.classlabels_int64s = {0, 1};
    two.class_weights = {}, two.class_weights_as_tensor = Tensor::of<double>({4}, {0.5, -0.75, 1, 0.125});
    two.post_transform = PostTransform::logistic;
    std::vector<Value*> out = classify<TreeEnsembleClassifier>(g, rows(g, DType::f32, 6, 2), three);
    join(out, classify<TreeEnsembleClassifier>(g, rows(g, DType::i32, 6, 2), two));
    g.outputs(out);
  });
  add("tree_ensemble_regressor", [](SampleGraph& g) {
    auto a = two_trees<TreeEnsembleRegressor::Attrs>();
    a.target_treeids = {0, 0, 0, 1}, a.target_nodeids = {2, 3, 4, 0}, a.target_ids = {0, 1, 0, 0};
    a.target_weights = {0.5, -0.75, 1, 0.125}, a.n_targets = 2, a.base_values = {1, 2};
    std::vector<Value*> out;
    Value* x = rows(g, DType::f32, 6, 2);
    for (auto f : {TreeAggregate::sum, TreeAggregate::average, TreeAggregate::min, TreeAggregate::max}) {
      a.aggregate_function = f;
      out.push_back(g.b.make<TreeEnsembleRegressor>({x}, a));
    }
    g.outputs(out);
  });
  add("tree_ensemble/comparisons", [](SampleGraph& g) {
    TreeEnsemble::Attrs a;
    a.tree_roots = {0, 2}, a.nodes_featureids = {0, 1, 1};
    a.nodes_modes = Tensor::of<uint8_t>({3}, {0, 1, 5}), a.nodes_splits = Tensor::of<float>({3}, {0, 0.5, 0});
    a.nodes_truenodeids = {0, 1, 0}, a.nodes_falsenodeids = {1, 2, 2};
    a.nodes_trueleafs = {1, 1, 1}, a.nodes_falseleafs = {0, 1, 1};
    a.leaf_targetids = {0, 1, 0}, a.leaf_weights = Tensor::of<float>({3}, {0.5, -2, 1});
    g.outputs({g.b.make<TreeEnsemble>({rows(g, DType::f32, 5, 2)}, a),
               g.b.make<TreeEnsemble>({g.input(DType::f32, {40, 2})}, a)});
  });
  add("tree_ensemble", [](SampleGraph& g) {
    const auto build = [&]<class T>(DType t) {
      TreeEnsemble::Attrs a;
      const auto tensor = [](const std::vector<double>& v) {
        return Tensor::of<T>({static_cast<int64_t>(v.size())}, std::vector<T>(v.begin(), v.end()));
      };
      a.tree_roots = {0, 2}, a.nodes_featureids = {0, 1, 1};
      a.nodes_modes = Tensor::of<uint8_t>({3}, {6, 1, 3}), a.nodes_splits = tensor({0, 0.5, 0});
      a.membership_values = tensor({1, 0, std::nan("")});
      a.nodes_truenodeids = {0, 1, 0}, a.nodes_falsenodeids = {1, 2, 2};
      a.nodes_trueleafs = {1, 1, 1}, a.nodes_falseleafs = {0, 1, 1};
      a.leaf_targetids = {0, 1, 0}, a.leaf_weights = tensor({0.5, -2, 1});
      Value* x = g.input(g.random(t, {5, 2}), {Dim::symbol("n"), 2});
      return g.b.make<TreeEnsemble>({x}, std::move(a));
    };
    g.outputs({build.operator()<float>(DType::f32), build.operator()<double>(DType::f64),
               build.operator()<Float16>(DType::f16)});
  });
}

}  // namespace tc
