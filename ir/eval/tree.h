// Tree ensembles, laid out for walking: inner nodes in one array, leaves in another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tc/ir/ops/tree.h"

namespace tc {

enum class TreeTest : uint8_t { less_equal, less, greater_equal, greater, equal, not_equal, member };

class Forest {
 public:
  struct Node {
    double value = 0;         // or, of `member`, the number of the set
    int32_t yes = 0, no = 0;  // a node, or ~ a leaf
    uint32_t feature = 0;
    TreeTest test = TreeTest::less_equal;
    bool nan_is_yes = false;
  };
  struct Vote {
    int64_t target;
    double weight;
  };
  struct Leaf {
    uint32_t begin = 0, end = 0;  // of its votes
  };

  // All three check what they are given: indices, cycles, duplicates. Error bad_attribute.
  static Forest of(const TreeEnsembleClassifier::Attrs& a);
  static Forest of(const TreeEnsembleRegressor::Attrs& a);
  static Forest of(const TreeEnsemble::Attrs& a);

  int64_t num_trees() const { return static_cast<int64_t>(roots_.size()); }
  int64_t num_features() const { return num_features_; }  // that rows must have at least

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Leaf>& leaves() const { return leaves_; }
  const std::vector<Vote>& votes() const { return votes_; }
  const std::vector<int32_t>& roots() const { return roots_; }

  // Per row and target: the aggregate over the trees, and whether any leaf had a say. For `average`, the sum.
  struct Scores {
    std::vector<double> value;
    std::vector<uint8_t> has;
  };
  Scores run(const double* x, int64_t rows, int64_t features, int64_t targets, TreeAggregate aggregate) const;

 private:
  friend class ForestBuilder;
  bool answer(const Node& n, double v) const;
  // The leaf that a row reaches. `kTest`: what all nodes test, or none where they differ.
  template <class Test>
  size_t walk(int32_t at, const double* x, Test&& test) const;
  template <class Test>
  void add_up(const double* x, int64_t rows, int64_t features, int64_t targets, TreeAggregate aggregate, Scores& scores,
              Test&& test) const;

  std::vector<Node> nodes_;
  std::vector<Leaf> leaves_;
  std::vector<Vote> votes_;
  std::vector<int32_t> roots_;
  std::vector<std::vector<double>> sets_;  // sorted
  int64_t num_features_ = 0;
};

// What becomes of the aggregates of a row: added to what the model starts from, averaged, transformed.
struct TreeTargets {
  TreeAggregate aggregate;
  PostTransform transform;
  double trees;
  std::vector<double> base;

  static TreeTargets of(const TreeEnsembleRegressor::Attrs& a, const Forest& forest);
  static TreeTargets of(const TreeEnsemble::Attrs& a, const Forest& forest);
  void start(std::span<double> row) const;  // all but the transform
};

// The same of a classifier.
class TreeClasses {
 public:
  explicit TreeClasses(const TreeEnsembleClassifier::Attrs& a);
  // The class of a row of sums. Writes the scores, and returns whether the transform is still to come.
  bool decide(double* row, uint8_t* has, size_t& best) const;
  PostTransform transform() const { return transform_; }

 private:
  size_t classes_;
  PostTransform transform_;
  std::vector<double> base_;
  bool positive_;                  // all weights
  bool only_first_, only_second_;  // of two classes, one may have all the leaves
};

}  // namespace tc
