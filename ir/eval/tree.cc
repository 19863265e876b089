#include "tc/ir/eval/tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "tc/ir/eval/scores.h"

namespace tc {
namespace {

template <class... Parts>
[[noreturn]] void bad(const Parts&... parts) {
  fail(ErrorCode::bad_attribute, parts...);
}

struct NodeId {
  int64_t tree, node;
  bool operator==(const NodeId&) const = default;
};
struct NodeIdHash {
  size_t operator()(const NodeId& id) const {
    return std::hash<int64_t>()(id.node) * 0x9e3779b97f4a7c15u + std::hash<int64_t>()(id.tree);
  }
};

std::vector<double> values_of(const std::vector<double>& list, const std::optional<Tensor>& tensor) {
  return tensor ? widen<double>(*tensor) : list;
}

}  // namespace

class ForestBuilder {
 public:
  // `ids` says which targets the weights of leaves are for.
  Forest of_trees(const TreeAttrs& a, const std::vector<int64_t>& vote_trees, const std::vector<int64_t>& vote_nodes,
                  const std::vector<int64_t>& ids, const std::vector<double>& weights) {
    static constexpr std::string_view kModes[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                                  "BRANCH_GT",  "BRANCH_EQ", "BRANCH_NEQ"};
    const size_t n = a.nodes_nodeids.size();
    const auto values = values_of(a.nodes_values, a.nodes_values_as_tensor);
    std::unordered_map<NodeId, size_t, NodeIdHash> places;
    std::vector<int32_t> index(n);  // in nodes_, or ~ in leaves_
    for (size_t i = 0; i < n; ++i) {
      if (!places.try_emplace({a.nodes_treeids[i], a.nodes_nodeids[i]}, i).second)
        bad("node ", a.nodes_nodeids[i], " of tree ", a.nodes_treeids[i], " is given twice");
      if (a.nodes_modes[i] == "LEAF") {
        index[i] = ~add_leaf();
        continue;
      }
      const auto* mode = std::find(std::begin(kModes), std::end(kModes), a.nodes_modes[i]);
      if (mode == std::end(kModes)) bad("the mode of node ", i, " is '", a.nodes_modes[i], "'");
      const bool nan_is_yes = !a.nodes_missing_value_tracks_true.empty() && a.nodes_missing_value_tracks_true[i] != 0;
      index[i] = add_node(a.nodes_featureids[i], static_cast<TreeTest>(mode - kModes), values[i], nan_is_yes);
    }
    std::vector<bool> has_parent(n);
    for (size_t i = 0; i < n; ++i) {
      if (index[i] < 0) continue;
      const auto way = [&](int64_t node) {
        const auto it = places.find({a.nodes_treeids[i], node});
        if (it == places.end())
          bad("node ", a.nodes_nodeids[i], " of tree ", a.nodes_treeids[i], " leads to node ", node,
              ", which is not there");
        has_parent[it->second] = true;
        return index[it->second];
      };
      Forest::Node& node = forest_.nodes_[static_cast<size_t>(index[i])];
      node.yes = way(a.nodes_truenodeids[i]);
      node.no = way(a.nodes_falsenodeids[i]);
    }
    // A tree's root is its first node that no other leads to.
    std::unordered_map<int64_t, bool> rooted;
    for (size_t i = 0; i < n; ++i)
      if (bool& done = rooted[a.nodes_treeids[i]]; !done && !has_parent[i]) {
        forest_.roots_.push_back(index[i]);
        done = true;
      }
    for (const auto& [tree, done] : rooted)
      if (!done) bad("tree ", tree, " has no root: its nodes go in a circle");
    // The votes of a leaf lie next to each other.
    std::vector<std::vector<Forest::Vote>> votes(forest_.leaves_.size());
    for (size_t k = 0; k < ids.size(); ++k) {
      const auto it = places.find({vote_trees[k], vote_nodes[k]});
      if (it == places.end())
        bad("a weight is for node ", vote_nodes[k], " of tree ", vote_trees[k], ", which is not there");
      if (index[it->second] < 0) votes[static_cast<size_t>(~index[it->second])].push_back({ids[k], weights[k]});
    }
    for (size_t l = 0; l < votes.size(); ++l) {
      forest_.leaves_[l].begin = static_cast<uint32_t>(forest_.votes_.size());
      forest_.votes_.insert(forest_.votes_.end(), votes[l].begin(), votes[l].end());
      forest_.leaves_[l].end = static_cast<uint32_t>(forest_.votes_.size());
    }
    return finish();
  }

  Forest of_lists(const TreeEnsemble::Attrs& a) {
    const auto splits = widen<double>(*a.nodes_splits), weights = widen<double>(*a.leaf_weights);
    const auto modes = widen<int64_t>(*a.nodes_modes);
    const auto members = a.membership_values ? widen<double>(*a.membership_values) : std::vector<double>();
    auto next_member = members.begin();
    for (size_t l = 0; l < weights.size(); ++l) {
      add_leaf();
      forest_.leaves_[l] = {static_cast<uint32_t>(l), static_cast<uint32_t>(l + 1)};
      forest_.votes_.push_back({a.leaf_targetids[l], weights[l]});
    }
    for (size_t i = 0; i < modes.size(); ++i) {
      if (modes[i] < 0 || modes[i] > 6) bad("the mode of node ", i, " is ", modes[i], ", expected 0 to 6");
      double value = splits[i];
      if (const auto test = static_cast<TreeTest>(modes[i]); test == TreeTest::member) {
        const auto end = std::find_if(next_member, members.end(), [](double v) { return std::isnan(v); });
        if (end == members.end()) bad("membership_values has no set for node ", i, ", closed by a NaN");
        value = static_cast<double>(forest_.sets_.size());
        auto& set = forest_.sets_.emplace_back(next_member, end);
        std::sort(set.begin(), set.end());
        next_member = end + 1;
      }
      const bool nan_is_yes = !a.nodes_missing_value_tracks_true.empty() && a.nodes_missing_value_tracks_true[i] != 0;
      add_node(a.nodes_featureids[i], static_cast<TreeTest>(modes[i]), value, nan_is_yes);
    }
    const auto place = [&](int64_t at, bool leaf, const char* what, size_t i) {
      const size_t count = leaf ? forest_.leaves_.size() : forest_.nodes_.size();
      if (at < 0 || static_cast<uint64_t>(at) >= count)
        bad(what, " ", i, " leads to ", leaf ? "leaf " : "node ", at, " of ", count);
      return static_cast<int32_t>(leaf ? ~at : at);
    };
    for (size_t i = 0; i < modes.size(); ++i) {
      forest_.nodes_[i].yes = place(a.nodes_truenodeids[i], a.nodes_trueleafs[i] != 0, "node", i);
      forest_.nodes_[i].no = place(a.nodes_falsenodeids[i], a.nodes_falseleafs[i] != 0, "node", i);
    }
    for (size_t t = 0; t < a.tree_roots.size(); ++t) forest_.roots_.push_back(place(a.tree_roots[t], false, "tree", t));
    return finish();
  }

 private:
  int32_t add_leaf() {
    if (forest_.leaves_.size() >= INT32_MAX) bad("more than ", INT32_MAX, " leaves");
    forest_.leaves_.emplace_back();
    return static_cast<int32_t>(forest_.leaves_.size() - 1);
  }

  int32_t add_node(int64_t feature, TreeTest test, double value, bool nan_is_yes) {
    const size_t i = forest_.nodes_.size();
    if (i >= INT32_MAX) bad("more than ", INT32_MAX, " nodes");
    if (feature < 0 || feature >= INT32_MAX) bad("node ", i, " looks at feature ", feature);
    forest_.num_features_ = std::max(forest_.num_features_, feature + 1);
    forest_.nodes_.push_back({value, 0, 0, static_cast<uint32_t>(feature), test, nan_is_yes});
    return static_cast<int32_t>(i);
  }

  // Every way ends at a leaf, also those from nodes that no root leads to: no node is met again before all its ways
  // have been followed.
  Forest finish() {
    enum State : uint8_t { unseen, open, done };
    std::vector<State> state(forest_.nodes_.size(), unseen);
    std::vector<int32_t> stack;
    for (size_t start = 0; start < state.size(); ++start) {
      stack.push_back(static_cast<int32_t>(start));
      while (!stack.empty()) {
        const auto at = static_cast<size_t>(stack.back());
        if (state[at] != unseen) {
          state[at] = done;
          stack.pop_back();
          continue;
        }
        state[at] = open;
        for (const int32_t next : {forest_.nodes_[at].yes, forest_.nodes_[at].no}) {
          if (next < 0) continue;
          const State s = state[static_cast<size_t>(next)];
          if (s == open) bad("the nodes of a tree go in a circle");
          if (s == unseen) stack.push_back(next);
        }
      }
    }
    return std::move(forest_);
  }

  Forest forest_;
};

Forest Forest::of(const TreeEnsembleClassifier::Attrs& a) {
  return ForestBuilder().of_trees(a, a.class_treeids, a.class_nodeids, a.class_ids,
                                  values_of(a.class_weights, a.class_weights_as_tensor));
}

Forest Forest::of(const TreeEnsembleRegressor::Attrs& a) {
  return ForestBuilder().of_trees(a, a.target_treeids, a.target_nodeids, a.target_ids,
                                  values_of(a.target_weights, a.target_weights_as_tensor));
}

Forest Forest::of(const TreeEnsemble::Attrs& a) {
  return ForestBuilder().of_lists(a);
}

bool Forest::answer(const Node& n, double v) const {
  switch (n.test) {
    case TreeTest::less_equal:
      return v <= n.value;
    case TreeTest::less:
      return v < n.value;
    case TreeTest::greater_equal:
      return v >= n.value;
    case TreeTest::greater:
      return v > n.value;
    case TreeTest::equal:
      return v == n.value;
    case TreeTest::not_equal:
      return v != n.value;
    case TreeTest::member:
      break;
  }
  const auto& set = sets_[static_cast<size_t>(n.value)];
  return std::binary_search(set.begin(), set.end(), v) && !std::isnan(v);
}

template <class Test>
size_t Forest::walk(int32_t at, const double* x, Test&& test) const {
  while (at >= 0) {
    const Node& n = nodes_[static_cast<size_t>(at)];
    const double v = x[n.feature];
    at = test(n, v) || (n.nan_is_yes && std::isnan(v)) ? n.yes : n.no;
  }
  return static_cast<size_t>(~at);
}

template <class Test>
void Forest::add_up(const double* x, int64_t rows, int64_t features, int64_t targets, TreeAggregate aggregate,
                    Scores& scores, Test&& test) const {
  // A tree stays in the cache for a block of rows.
  constexpr int64_t kBlock = 128;
  for (int64_t first = 0; first < rows; first += kBlock)
    for (const int32_t root : roots_)
      for (int64_t r = first; r < std::min(rows, first + kBlock); ++r) {
        const Leaf& leaf = leaves_[walk(root, x + r * features, test)];
        for (uint32_t k = leaf.begin; k < leaf.end; ++k) {
          const auto at = static_cast<size_t>(r * targets + votes_[k].target);
          const double w = votes_[k].weight;
          double& v = scores.value[at];
          if (aggregate == TreeAggregate::min)
            v = scores.has[at] && v <= w ? v : w;
          else if (aggregate == TreeAggregate::max)
            v = scores.has[at] && v >= w ? v : w;
          else
            v += w;
          scores.has[at] = 1;
        }
      }
}

Forest::Scores Forest::run(const double* x, int64_t rows, int64_t features, int64_t targets,
                           TreeAggregate aggregate) const {
  if (features < num_features_)
    fail(ErrorCode::bad_shape, "rows of ", features, " features for trees that look at ", num_features_);
  const auto count = static_cast<size_t>(element_count({rows, targets}));
  Scores scores{std::vector<double>(count), std::vector<uint8_t>(count)};
  // Most ensembles ask one kind of question.
  const auto only = [&](TreeTest t) {
    return std::all_of(nodes_.begin(), nodes_.end(), [&](const Node& n) { return n.test == t; });
  };
  if (only(TreeTest::less_equal))
    add_up(x, rows, features, targets, aggregate, scores, [](const Node& n, double v) { return v <= n.value; });
  else if (only(TreeTest::less))
    add_up(x, rows, features, targets, aggregate, scores, [](const Node& n, double v) { return v < n.value; });
  else
    add_up(x, rows, features, targets, aggregate, scores, [&](const Node& n, double v) { return answer(n, v); });
  return scores;
}

TreeTargets TreeTargets::of(const TreeEnsembleRegressor::Attrs& a, const Forest& forest) {
  auto base = values_of(a.base_values, a.base_values_as_tensor);
  if (static_cast<int64_t>(base.size()) != a.n_targets) base.clear();
  return {a.aggregate_function, a.post_transform, static_cast<double>(forest.num_trees()), std::move(base)};
}

TreeTargets TreeTargets::of(const TreeEnsemble::Attrs& a, const Forest& forest) {
  return {static_cast<TreeAggregate>(a.aggregate_function),
          static_cast<PostTransform>(a.post_transform),
          static_cast<double>(forest.num_trees()),
          {}};
}

void TreeTargets::start(std::span<double> row) const {
  for (size_t k = 0; k < row.size(); ++k) {
    if (aggregate == TreeAggregate::average) row[k] /= trees;
    if (!base.empty()) row[k] += base[k];
  }
}

TreeClasses::TreeClasses(const TreeEnsembleClassifier::Attrs& a)
    : classes_(static_cast<size_t>(a.num_classes())),
      transform_(a.post_transform),
      base_(values_of(a.base_values, a.base_values_as_tensor)) {
  const auto weights = values_of(a.class_weights, a.class_weights_as_tensor);
  positive_ = std::all_of(weights.begin(), weights.end(), [](double w) { return w >= 0; });
  const auto all_for = [&](int64_t id) {
    return classes_ == 2 && !a.class_ids.empty() && base_.size() < 2 &&
           std::all_of(a.class_ids.begin(), a.class_ids.end(), [&](int64_t i) { return i == id; });
  };
  only_first_ = all_for(0), only_second_ = all_for(1);
}

bool TreeClasses::decide(double* row, uint8_t* has, size_t& best) const {
  if (!only_second_)
    for (size_t k = 0; k < base_.size(); ++k) row[k] += base_[k], has[k] = 1;
  if (only_first_ || only_second_) {
    const double score = row[only_second_];
    best = score > (positive_ ? 0.5 : 0);
    if (only_first_) expand_score(transform_, positive_ ? SecondScore::complement : SecondScore::opposite, score, row);
    return only_second_;
  }
  best = 0;
  for (size_t k = 1; k < classes_; ++k)
    if (has[k] && (!has[best] || row[k] > row[best])) best = k;
  return true;
}

namespace {

void write_targets(EvalContext& ctx, const Forest& forest, int64_t targets, const TreeTargets& finish) {
  const FeatureRows x(ctx);
  ctx.out(0, {x.rows, targets});  // against the memory budget first
  auto scores = forest.run(x.values.data(), x.rows, x.features, targets, finish.aggregate).value;
  const auto n = static_cast<size_t>(targets);
  for (size_t i = 0; i < scores.size(); i += n) {
    finish.start({&scores[i], n});
    transform_scores(finish.transform, {&scores[i], n});
  }
  ctx.write(0, {x.rows, targets}, scores);
}

}  // namespace

template <>
void eval<TreeEnsemble>(EvalContext& ctx) {
  const auto& a = ctx.attrs<TreeEnsemble>();
  const Forest& forest = a.forest.get<Forest>([&] { return Forest::of(a); });
  write_targets(ctx, forest, a.num_targets(), TreeTargets::of(a, forest));
}

template <>
void eval<TreeEnsembleRegressor>(EvalContext& ctx) {
  const auto& a = ctx.attrs<TreeEnsembleRegressor>();
  const Forest& forest = a.forest.get<Forest>([&] { return Forest::of(a); });
  write_targets(ctx, forest, a.n_targets, TreeTargets::of(a, forest));
}

template <>
void eval<TreeEnsembleClassifier>(EvalContext& ctx) {
  const auto& a = ctx.attrs<TreeEnsembleClassifier>();
  const Forest& forest = a.forest.get<Forest>([&] { return Forest::of(a); });
  const FeatureRows x(ctx);
  const auto n = static_cast<size_t>(a.num_classes());
  auto [scores, has] = forest.run(x.values.data(), x.rows, x.features, a.num_classes(), TreeAggregate::sum);
  const TreeClasses finish(a);
  std::vector<size_t> classes(static_cast<size_t>(x.rows));
  for (size_t r = 0; r < classes.size(); ++r)
    if (finish.decide(&scores[r * n], &has[r * n], classes[r]))
      transform_scores(finish.transform(), {&scores[r * n], n});
  write_labels(ctx, a.classlabels_strings, a.classlabels_int64s, classes);
  ctx.write(1, {x.rows, static_cast<int64_t>(n)}, scores);
}

}  // namespace tc
