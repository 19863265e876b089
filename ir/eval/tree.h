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
  // All three check what they are given: indices, cycles, duplicates. Error bad_attribute.
  static Forest of(const TreeEnsembleClassifier::Attrs& a);
  static Forest of(const TreeEnsembleRegressor::Attrs& a);
  static Forest of(const TreeEnsemble::Attrs& a);

  int64_t num_trees() const { return static_cast<int64_t>(roots_.size()); }
  int64_t num_features() const { return num_features_; }  // that rows must have at least

  // Per row and target: the aggregate over the trees, and whether any leaf had a say. For `average`, the sum.
  struct Scores {
    std::vector<double> value;
    std::vector<uint8_t> has;
  };
  Scores run(const double* x, int64_t rows, int64_t features, int64_t targets, TreeAggregate aggregate) const;

 private:
  friend class ForestBuilder;
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

}  // namespace tc
