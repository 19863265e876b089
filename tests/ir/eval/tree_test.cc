// Tree ensembles that are wrong: each is an error that says where, none is walked.
#include <gtest/gtest.h>

#include "tc/ir/builder.h"
#include "tc/ir/eval/interp.h"

namespace tc {
namespace {

TreeEnsembleRegressor::Attrs three_nodes() {
  TreeEnsembleRegressor::Attrs a;
  a.nodes_treeids = {4, 4, 4}, a.nodes_nodeids = {0, 1, 2}, a.nodes_featureids = {1, 0, 0};
  a.nodes_modes = {"BRANCH_LEQ", "LEAF", "LEAF"}, a.nodes_values = {0, 0, 0};
  a.nodes_truenodeids = {1, 0, 0}, a.nodes_falsenodeids = {2, 0, 0};
  a.target_treeids = {4, 4}, a.target_nodeids = {1, 2}, a.target_ids = {0, 0}, a.target_weights = {1, 2};
  a.n_targets = 1;
  return a;
}

TreeEnsemble::Attrs one_node() {
  TreeEnsemble::Attrs a;
  a.tree_roots = {0}, a.nodes_featureids = {0}, a.nodes_modes = Tensor::of<uint8_t>({1}, {0});
  a.nodes_splits = Tensor::of<float>({1}, {0}), a.leaf_weights = Tensor::of<float>({2}, {1, 2});
  a.nodes_truenodeids = {0}, a.nodes_falsenodeids = {1}, a.nodes_trueleafs = {1}, a.nodes_falseleafs = {1};
  a.leaf_targetids = {0, 0};
  return a;
}

template <class Op>
Tensor run(const typename Op::Attrs& a, const Tensor& x) {
  Module module;
  Builder b(module.main());
  Value* in = module.main().add_input(x.type(), "x");
  const std::vector<Value*> outputs{b.make<Op>({in}, a)};
  module.main().set_outputs(outputs);
  return interpret(module, {x}).at(0).tensor();
}

// The message of the error.
template <class Op>
std::string error_of(const typename Op::Attrs& a, const Tensor& x = Tensor::of<float>({1, 2}, {0, 0})) {
  try {
    run<Op>(a, x);
  } catch (const Error& e) {
    EXPECT_NE(e.code(), ErrorCode::internal) << e.what();
    return e.diagnostic().message;
  }
  return "none";
}

TEST(Trees, ThatAreWrong) {
  const auto error = [](void (*spoil)(TreeEnsembleRegressor::Attrs&)) {
    auto a = three_nodes();
    spoil(a);
    return error_of<TreeEnsembleRegressor>(a);
  };
  EXPECT_EQ(error([](auto&) {}), "none");
  EXPECT_EQ(error([](auto& a) { a.nodes_truenodeids[0] = 7; }), "node 0 of tree 4 leads to node 7, which is not there");
  EXPECT_EQ(error([](auto& a) { a.nodes_falsenodeids[0] = 0; }), "the nodes of a tree go in a circle");
  EXPECT_EQ(error([](auto& a) {
              a.nodes_truenodeids[0] = a.nodes_falsenodeids[0] = 0, a.nodes_treeids = {4, 5, 5};
            }),
            "tree 4 has no root: its nodes go in a circle");
  EXPECT_EQ(error([](auto& a) { a.nodes_nodeids[2] = 1; }), "node 1 of tree 4 is given twice");
  EXPECT_EQ(error([](auto& a) { a.nodes_modes[0] = "BRANCH"; }), "the mode of node 0 is 'BRANCH'");
  EXPECT_EQ(error([](auto& a) { a.nodes_featureids[0] = -1; }), "node 0 looks at feature -1");
  EXPECT_EQ(error([](auto& a) { a.nodes_featureids[0] = 2; }), "rows of 2 features for trees that look at 3");
  EXPECT_EQ(error([](auto& a) { a.target_nodeids[1] = 9; }), "a weight is for node 9 of tree 4, which is not there");
  EXPECT_EQ(error([](auto& a) { a.target_ids[1] = 1; }), "a leaf's weight is for 1 of 1");
  EXPECT_EQ(error([](auto& a) { a.nodes_values.pop_back(); }), "nodes_values has 2 elements, expected 3");
  EXPECT_EQ(error([](auto& a) { a.n_targets = 0; }), "n_targets is 0");
}

TEST(Trees, InListsThatAreWrong) {
  const auto error = [](void (*spoil)(TreeEnsemble::Attrs&)) {
    auto a = one_node();
    spoil(a);
    return error_of<TreeEnsemble>(a);
  };
  EXPECT_EQ(error([](auto&) {}), "none");
  EXPECT_EQ(error([](auto& a) { a.tree_roots = {1}; }), "tree 0 leads to node 1 of 1");
  EXPECT_EQ(error([](auto& a) { a.nodes_truenodeids = {2}; }), "node 0 leads to leaf 2 of 2");
  EXPECT_EQ(error([](auto& a) { a.nodes_trueleafs = {0}; }), "the nodes of a tree go in a circle");
  EXPECT_EQ(error([](auto& a) { a.nodes_modes = Tensor::of<uint8_t>({1}, {7}); }),
            "the mode of node 0 is 7, expected 0 to 6");
  EXPECT_EQ(error([](auto& a) { a.nodes_modes = Tensor::of<uint8_t>({1}, {6}); }),
            "membership_values has no set for node 0, closed by a NaN");
  EXPECT_EQ(error([](auto& a) {
              a.leaf_targetids = {0, INT64_MAX};
            }),
            "a leaf's weight is for target 9223372036854775807 of 9223372036854775807");
  EXPECT_EQ(error([](auto& a) { a.aggregate_function = 4; }), "aggregate_function is 4, expected 0 to 3");
}

// A tree that is a list: every level is one node.
TEST(Trees, MayBeDeep) {
  constexpr int64_t kDepth = 300000;
  TreeEnsemble::Attrs a;
  a.tree_roots = {0}, a.nodes_featureids.assign(kDepth, 0);
  a.nodes_modes = Tensor(DType::u8, {kDepth}), a.nodes_splits = Tensor(DType::f32, {kDepth});
  for (int64_t i = 0; i < kDepth; ++i) {
    a.nodes_splits->mutable_span<float>()[static_cast<size_t>(i)] = static_cast<float>(i);
    a.nodes_truenodeids.push_back(i), a.nodes_trueleafs.push_back(1);
    a.nodes_falsenodeids.push_back(i + 1), a.nodes_falseleafs.push_back(i + 1 == kDepth);
    a.leaf_targetids.push_back(0);
  }
  a.nodes_falsenodeids.back() = kDepth, a.leaf_targetids.push_back(0);
  a.leaf_weights = Tensor(DType::f32, {kDepth + 1});
  auto weights = a.leaf_weights->mutable_span<float>();
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i);
  const Tensor y = run<TreeEnsemble>(a, Tensor::of<float>({3, 1}, {-5, 1000.5f, 1e9f}));
  EXPECT_TRUE(y.identical(Tensor::of<float>({3, 1}, {0, 1001, kDepth})));
}

}  // namespace
}  // namespace tc
