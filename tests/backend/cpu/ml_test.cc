// Classical models and Fourier transforms against the reference: sizes, element types and forms that samples are too
// small for; every tier, and the same bits for any number of threads.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "compare.h"
#include "tc/ir/builder.h"

namespace tc {
namespace {

class Random {
 public:
  double real(double low = -2, double high = 2) {
    return low + (high - low) * static_cast<double>(rng_() % 4096) / 4096;
  }
  int64_t below(int64_t n) { return static_cast<int64_t>(rng_() % static_cast<uint64_t>(n)); }
  std::vector<double> reals(size_t n) {
    std::vector<double> v(n);
    for (double& x : v) x = real();
    return v;
  }

 private:
  std::mt19937_64 rng_{7};
};

template <class T>
Tensor tensor(Random& random, Extents e, double nans = 0) {
  Tensor t(dtype_of<T>, std::move(e));
  for (T& x : t.mutable_span<T>()) {
    x = static_cast<T>(random.real());
    if constexpr (std::is_floating_point_v<T>)
      if (random.real(0, 1) < nans) x = std::numeric_limits<T>::quiet_NaN();
  }
  return t;
}

// On every tier.
void check(const Module& m, const std::vector<Datum>& inputs, const std::string& what) {
  const std::vector<Datum> truth = widened(m, inputs);
  for (const kernels::Tier tier : machine_tiers()) {
    CompileOptions options;
    options.isa = tier;
    const auto executable = compiled(m, options);
    std::vector<Datum> first;
    for (const int threads : {1, 2}) {
      const auto context = executable->make_context(threads);
      std::vector<Datum> out = executable->run(inputs, *context);
      EXPECT_EQ(differences(out, truth), "") << what << ", " << threads << " threads, " << tier_name(tier);
      if (threads == 1)
        first = std::move(out);
      else
        for (size_t i = 0; i < out.size(); ++i) EXPECT_TRUE(identical(out[i], first[i]));
    }
  }
}

// `make` adds nodes that read an input of rows.
template <class T, class Make>
void check_rows(int64_t features, double nans, const std::vector<int64_t>& counts, Make make) {
  Random random;
  for (const int64_t rows : counts) {
    Module m;
    Builder b(m.main());
    Value* x = m.main().add_input(Type::tensor(dtype_of<T>, Shape({Dim::symbol("n"), features})), "x");
    m.main().set_outputs(make(b, x));
    check(m, {tensor<T>(random, {rows, features}, nans)}, cat(rows, " rows"));
  }
}

template <class Op>
std::vector<Value*> classify(Builder& b, Value* x, typename Op::Attrs a) {
  Node* n = b.make_n<Op>({x}, std::move(a), 2);
  return {n->result(0), n->result(1)};
}

struct Votes {
  std::vector<int64_t> trees, nodes, ids;
  std::vector<double> weights;
};

// Trees of any form, some no more than a leaf; `modes` are drawn from.
template <class A>
Votes grow(A& a, Random& random, int64_t trees, int depth, int64_t features, int64_t targets,
           const std::vector<std::string>& modes, bool tracks) {
  Votes votes;
  for (int64_t t = 0; t < trees; ++t) {
    int64_t next = 0;
    const auto node = [&](auto&& self, int level) -> int64_t {
      const int64_t id = next++;
      const size_t at = a.nodes_nodeids.size();
      const bool leaf = level >= depth || random.below(6) == 0;
      a.nodes_treeids.push_back(t), a.nodes_nodeids.push_back(id);
      a.nodes_featureids.push_back(leaf ? 0 : random.below(features));
      a.nodes_modes.push_back(leaf ? "LEAF" : modes[static_cast<size_t>(random.below(std::ssize(modes)))]);
      a.nodes_values.push_back(std::round(random.real() * 8) / 8);
      a.nodes_truenodeids.push_back(0), a.nodes_falsenodeids.push_back(0);
      if (tracks) a.nodes_missing_value_tracks_true.push_back(random.below(2));
      if (leaf) {
        const int64_t count = random.below(3);
        for (int64_t k = 0; k < count; ++k) {
          votes.trees.push_back(t), votes.nodes.push_back(id), votes.ids.push_back(random.below(targets));
          votes.weights.push_back(random.real());
        }
        return id;
      }
      const int64_t yes = self(self, level + 1), no = self(self, level + 1);
      a.nodes_truenodeids[at] = yes, a.nodes_falsenodeids[at] = no;
      return id;
    };
    node(node, 0);
  }
  return votes;
}

const std::vector<int64_t> kRows = {0, 1, 3, 15, 16, 17, 200, 700};
const std::vector<std::vector<std::string>> kModes = {
    {"BRANCH_LEQ"}, {"BRANCH_LT"}, {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"}};

template <class T>
void check_regressors() {
  for (const auto& modes : kModes)
    for (const bool tracks : {false, true})
      check_rows<T>(5, tracks ? 0.1 : 0, kRows, [&](Builder& b, Value* x) {
        Random random;
        TreeEnsembleRegressor::Attrs a;
        const Votes v = grow(a, random, 19, 6, 5, 3, modes, tracks);
        a.target_treeids = v.trees, a.target_nodeids = v.nodes, a.target_ids = v.ids, a.target_weights = v.weights;
        a.n_targets = 3, a.base_values = {1, 2, 3};
        std::vector<Value*> out;
        for (const auto f : {TreeAggregate::sum, TreeAggregate::average, TreeAggregate::min, TreeAggregate::max}) {
          a.aggregate_function = f;
          a.post_transform = f == TreeAggregate::min ? PostTransform::softmax : PostTransform::none;
          out.push_back(b.make<TreeEnsembleRegressor>({x}, a));
        }
        return out;
      });
}

TEST(Ml, RegressionTrees) {
  check_regressors<float>();
  check_regressors<double>();
  check_regressors<int32_t>();
  check_regressors<int64_t>();
}

TEST(Ml, ClassificationTrees) {
  for (const int64_t classes : {2, 3, 40})
    for (const int64_t voted : {classes, int64_t{1}})
      check_rows<float>(5, 0.1, kRows, [&](Builder& b, Value* x) {
        Random random;
        TreeEnsembleClassifier::Attrs a;
        const Votes v = grow(a, random, 30, 5, 5, voted, kModes[0], false);
        a.class_treeids = v.trees, a.class_nodeids = v.nodes, a.class_ids = v.ids, a.class_weights = v.weights;
        for (int64_t c = 0; c < classes; ++c) a.classlabels_int64s.push_back(10 * c);
        std::vector<Value*> out;
        for (const auto t :
             {PostTransform::none, PostTransform::softmax, PostTransform::logistic, PostTransform::softmax_zero}) {
          a.post_transform = t;
          const auto both = classify<TreeEnsembleClassifier>(b, x, a);
          out.insert(out.end(), both.begin(), both.end());
        }
        a.classlabels_int64s.clear();
        for (int64_t c = 0; c < classes; ++c) a.classlabels_strings.push_back(cat("class ", c));
        const auto both = classify<TreeEnsembleClassifier>(b, x, a);
        out.insert(out.end(), both.begin(), both.end());
        return out;
      });
}

// A chain of nodes is deeper than the steps between looks; ways that meet again are no tree.
TEST(Ml, ChainsAndSharedNodes) {
  for (const bool shared : {false, true})
    check_rows<float>(4, 0, kRows, [&](Builder& b, Value* x) {
      Random random;
      TreeEnsemble::Attrs a;
      constexpr int64_t kLength = 40;
      std::vector<float> splits, weights;
      std::vector<uint8_t> modes;
      for (int64_t i = 0; i < kLength; ++i) {
        const bool last = i == kLength - 1;
        a.nodes_featureids.push_back(random.below(4));
        splits.push_back(static_cast<float>(random.real(1, 2)));
        modes.push_back(0);
        const bool both = shared && i % 2 == 0 && !last;
        a.nodes_truenodeids.push_back(last ? i : i + 1), a.nodes_trueleafs.push_back(last);
        a.nodes_falsenodeids.push_back(both ? i + 1 : i), a.nodes_falseleafs.push_back(!both);
        a.leaf_targetids.push_back(0);
        weights.push_back(static_cast<float>(random.real()));
      }
      a.tree_roots = {0, 3, kLength - 1};
      a.nodes_splits = Tensor::of<float>({kLength}, splits), a.nodes_modes = Tensor::of<uint8_t>({kLength}, modes);
      a.leaf_weights = Tensor::of<float>({kLength}, weights);
      return std::vector{b.make<TreeEnsemble>({x}, std::move(a))};
    });
}

template <class T>
void check_linear() {
  for (const int64_t n : {1, 2, 3, 9, 40})
    check_rows<T>(7, 0, kRows, [&](Builder& b, Value* x) {
      Random random;
      LinearClassifier::Attrs c;
      c.coefficients = random.reals(static_cast<size_t>(n * 7)), c.intercepts = random.reals(static_cast<size_t>(n));
      for (int64_t k = 0; k < std::max<int64_t>(n, 2); ++k) c.classlabels_ints.push_back(k + 5);
      LinearRegressor::Attrs r;
      r.coefficients = c.coefficients, r.intercepts = c.intercepts, r.targets = n;
      std::vector<Value*> out;
      for (const auto t : {PostTransform::none, PostTransform::softmax, PostTransform::logistic}) {
        c.post_transform = r.post_transform = t;
        const auto both = classify<LinearClassifier>(b, x, c);
        out.insert(out.end(), both.begin(), both.end());
        out.push_back(b.make<LinearRegressor>({x}, r));
      }
      return out;
    });
}

TEST(Ml, LinearModels) {
  check_linear<float>();
  check_linear<double>();
  check_linear<int32_t>();
  check_linear<int64_t>();
}

TEST(Ml, SupportVectors) {
  for (const int64_t classes : {2, 3, 5})
    for (const auto kernel : {SvmKernel::linear, SvmKernel::poly, SvmKernel::rbf, SvmKernel::sigmoid})
      for (const double degree : {3.0, 0.0, 2.5})
        check_rows<float>(6, 0, {0, 1, 9, 70}, [&](Builder& b, Value* x) {
          Random random;
          SVMClassifier::Attrs a;
          a.kernel_type = kernel, a.kernel_params = {0.125, degree == 2.5 ? 30 : 0.5, degree};
          int64_t vectors = 0;
          for (int64_t c = 0; c < classes; ++c) {
            a.classlabels_ints.push_back(c), a.vectors_per_class.push_back(7 + 3 * c);
            vectors += 7 + 3 * c;
          }
          a.support_vectors = random.reals(static_cast<size_t>(vectors * 6));
          a.coefficients = random.reals(static_cast<size_t>(vectors * (classes - 1)));
          const auto pairs = static_cast<size_t>(classes * (classes - 1) / 2);
          a.rho = random.reals(pairs);
          SVMRegressor::Attrs r;
          r.kernel_type = kernel, r.kernel_params = a.kernel_params, r.support_vectors = a.support_vectors;
          r.n_supports = vectors, r.rho = {0.25};
          r.coefficients.assign(a.coefficients.begin(), a.coefficients.begin() + vectors);
          std::vector<Value*> out = classify<SVMClassifier>(b, x, a);
          a.prob_a = random.reals(pairs), a.prob_b = random.reals(pairs);
          const auto likely = classify<SVMClassifier>(b, x, a);
          out.insert(out.end(), likely.begin(), likely.end());
          out.push_back(b.make<SVMRegressor>({x}, r));
          return out;
        });
}

TEST(Ml, Encoders) {
  check_rows<int64_t>(3, 0, {0, 1, 50}, [](Builder& b, Value* x) {
    LabelEncoder::Attrs close, far;
    close.keys_int64s = {1, -1, 1}, close.values_floats = {0.5, 2, 7};
    far.keys_int64s = {INT64_MIN, 1, INT64_MAX}, far.values_int64s = {1, 2, 3};
    return std::vector{b.make<LabelEncoder>({x}, close), b.make<LabelEncoder>({x}, far),
                       b.make<OneHotEncoder>({x}, {{-1, 1, -1}, {}, true})};
  });
}

template <class T>
void check_transforms() {
  Random random;
  for (const int64_t n : {1, 2, 3, 4, 5, 7, 8, 11, 12, 16, 30, 49, 64, 97, 100, 128, 210, 401})
    for (const bool is_complex : {false, true}) {
      Module m;
      Builder b(m.main());
      const Extents e{3, n, 7, is_complex ? 2 : 1};
      Value* x = m.main().add_input(Type::tensor(dtype_of<T>, Shape::of(e)), "x");
      Value *axis = b.ints({1}), *axis2 = b.ints({2}), *length = b.ints({n + 3});
      std::vector<Value*> out{b.make<DFT>({x, nullptr, axis}), b.make<DFT>({x, nullptr, axis}, {.inverse = true}),
                              b.make<DFT>({x, length, axis}), b.make<DFT>({x, nullptr, axis2})};
      if (!is_complex) out.push_back(b.make<DFT>({x, nullptr, axis}, {.onesided = true}));
      if (n > 1) out.push_back(b.make<DFT>({x, nullptr, axis}, {.inverse = true, .onesided = true}));
      out.push_back(b.make<DFT>({x, length, axis}, {.inverse = true, .onesided = true}));
      m.main().set_outputs(out);
      check(m, {tensor<T>(random, e)}, cat("length ", n));
    }
}
TEST(Signal, Transforms) {
  check_transforms<float>();
  check_transforms<double>();
}

template <class T>
void check_frames() {
  Random random;
  for (const int64_t length : {6, 10, 16, 31, 64})
    for (const int64_t signal : {5, 64, 300}) {
      Module m;
      Builder b(m.main());
      Value* x = m.main().add_input(Type::tensor(dtype_of<T>, Shape({2, Dim::symbol("t"), 1})), "x");
      Value* z = m.main().add_input(Type::tensor(dtype_of<T>, Shape({2, Dim::symbol("u"), 2})), "z");
      Value* window = b.constant(tensor<T>(random, {length - 1}));
      Value *step = b.constant(Tensor::scalar<int64_t>(3)), *size = b.constant(Tensor::scalar<int64_t>(length));
      m.main().set_outputs(std::vector{b.make<STFT>({x, step, window, size}), b.make<STFT>({x, step, nullptr, size}),
                                       b.make<STFT>({x, step, window}),
                                       b.make<STFT>({z, step, window, size}, {.onesided = false})});
      check(m, {tensor<T>(random, {2, signal, 1}), tensor<T>(random, {2, signal, 2})}, cat("frames of ", length));
    }
}
TEST(Signal, Frames) {
  check_frames<float>();
  check_frames<double>();
}

}  // namespace
}  // namespace tc
