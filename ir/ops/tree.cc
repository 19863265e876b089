#include "tc/ir/ops/tree.h"

#include <algorithm>

namespace tc {
namespace {

// A list, or its `_as_tensor` form: which must have so many elements.
void expect_list(InferContext& ctx, const char* name, size_t list, const std::optional<Tensor>& tensor, size_t expected,
                 bool may_be_missing) {
  if (list && tensor) ctx.fail(ErrorCode::bad_attribute, name, " is given twice, as a list and as a tensor");
  const size_t found = tensor ? static_cast<size_t>(tensor->size()) : list;
  if (found == expected || (found == 0 && may_be_missing)) return;
  ctx.fail(ErrorCode::bad_attribute, name, " has ", found, " elements, expected ", expected);
}

// Votes are (tree, node, id, weight) rows.
template <class A>
void check_trees(InferContext& ctx, const A& a, const std::vector<int64_t>& ids, const std::vector<int64_t>& tree_ids,
                 const std::vector<int64_t>& node_ids, size_t weights, const std::optional<Tensor>& weights_as_tensor,
                 int64_t targets) {
  const size_t n = a.nodes_nodeids.size(), votes = ids.size();
  if (n == 0) ctx.fail(ErrorCode::bad_attribute, "the ensemble has no nodes");
  const auto list = [&](const char* name, size_t found, bool may_be_missing = false) {
    expect_list(ctx, name, found, {}, n, may_be_missing);
  };
  list("nodes_treeids", a.nodes_treeids.size());
  list("nodes_featureids", a.nodes_featureids.size());
  list("nodes_modes", a.nodes_modes.size());
  list("nodes_truenodeids", a.nodes_truenodeids.size());
  list("nodes_falsenodeids", a.nodes_falsenodeids.size());
  list("nodes_missing_value_tracks_true", a.nodes_missing_value_tracks_true.size(), true);
  expect_list(ctx, "nodes_values", a.nodes_values.size(), a.nodes_values_as_tensor, n, false);
  expect_list(ctx, "the ids of trees with weights", tree_ids.size(), {}, votes, false);
  expect_list(ctx, "the ids of nodes with weights", node_ids.size(), {}, votes, false);
  expect_list(ctx, "the weights", weights, weights_as_tensor, votes, false);
  const size_t base =
      a.base_values_as_tensor ? static_cast<size_t>(a.base_values_as_tensor->size()) : a.base_values.size();
  if (base > 1)
    expect_list(ctx, "base_values", a.base_values.size(), a.base_values_as_tensor, static_cast<size_t>(targets), true);
  for (const int64_t id : ids)
    if (id < 0 || id >= targets) ctx.fail(ErrorCode::bad_attribute, "a leaf's weight is for ", id, " of ", targets);
}

}  // namespace

int64_t TreeEnsembleClassifier::Attrs::num_classes() const {
  return static_cast<int64_t>(std::max(classlabels_int64s.size(), classlabels_strings.size()));
}

void TreeEnsembleClassifier::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<TreeEnsembleClassifier>();
  set_classes(ctx, a.classlabels_strings, a.classlabels_int64s, a.num_classes());
  check_trees(ctx, a, a.class_ids, a.class_treeids, a.class_nodeids, a.class_weights.size(), a.class_weights_as_tensor,
              a.num_classes());
}

void TreeEnsembleRegressor::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<TreeEnsembleRegressor>();
  if (a.n_targets < 1) ctx.fail(ErrorCode::bad_attribute, "n_targets is ", a.n_targets);
  check_trees(ctx, a, a.target_ids, a.target_treeids, a.target_nodeids, a.target_weights.size(),
              a.target_weights_as_tensor, a.n_targets);
  ctx.set(0, Shape{feature_rows(ctx, 0), a.n_targets});
}

int64_t TreeEnsemble::Attrs::num_targets() const {
  if (n_targets) return *n_targets;
  const auto most = std::max_element(leaf_targetids.begin(), leaf_targetids.end());
  return most == leaf_targetids.end() ? 0 : std::min(*most, INT64_MAX - 1) + 1;
}

void TreeEnsemble::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<TreeEnsemble>();
  const size_t n = a.nodes_featureids.size();
  const auto list = [&](const char* name, size_t found, bool may_be_missing = false) {
    expect_list(ctx, name, found, {}, n, may_be_missing);
  };
  list("nodes_truenodeids", a.nodes_truenodeids.size());
  list("nodes_falsenodeids", a.nodes_falsenodeids.size());
  list("nodes_trueleafs", a.nodes_trueleafs.size());
  list("nodes_falseleafs", a.nodes_falseleafs.size());
  list("nodes_missing_value_tracks_true", a.nodes_missing_value_tracks_true.size(), true);
  expect_list(ctx, "nodes_modes", 0, a.nodes_modes, n, false);
  expect_list(ctx, "nodes_splits", 0, a.nodes_splits, n, false);
  expect_list(ctx, "leaf_weights", 0, a.leaf_weights, a.leaf_targetids.size(), false);
  if (a.nodes_modes->dtype() != DType::u8)
    ctx.fail(ErrorCode::bad_attribute, "nodes_modes is ", a.nodes_modes->type(), ", expected u8");
  for (const auto* t : {&a.nodes_splits, &a.leaf_weights, &a.membership_values})
    if (*t && (*t)->dtype() != ctx.dtype(0))
      ctx.fail(ErrorCode::bad_attribute, "the ensemble has values of type ", (*t)->dtype(), ", the features are ",
               ctx.dtype(0));
  const int64_t targets = a.num_targets();
  if (targets < 1) ctx.fail(ErrorCode::bad_attribute, "n_targets is ", targets);
  if (a.aggregate_function < 0 || a.aggregate_function > 3)
    ctx.fail(ErrorCode::bad_attribute, "aggregate_function is ", a.aggregate_function, ", expected 0 to 3");
  if (a.post_transform < 0 || a.post_transform > 4)
    ctx.fail(ErrorCode::bad_attribute, "post_transform is ", a.post_transform, ", expected 0 to 4");
  for (const int64_t id : a.leaf_targetids)
    if (id < 0 || id >= targets)
      ctx.fail(ErrorCode::bad_attribute, "a leaf's weight is for target ", id, " of ", targets);
  ctx.set(0, Shape{feature_rows(ctx, 0), targets});
}

}  // namespace tc
