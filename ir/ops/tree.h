// Ensembles of decision trees. A node compares one feature with a value and goes on to the node of that answer; the
// leaves that a row of features reaches add up.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tc/ir/infer.h"
#include "tc/ir/op.h"
#include "tc/ir/ops/ml.h"

namespace tc {

// What evaluation derives from attributes and keeps for the next time. Copies start without it.
class Derived {
 public:
  Derived() = default;
  Derived(const Derived&) {}
  Derived& operator=(const Derived&) { return *this; }
  // The object, made by the first caller.
  template <class T, class Make>
  const T& get(Make&& make) const {
    const std::lock_guard lock(mutex_);
    if (!object_) object_ = std::make_shared<const T>(make());
    return *static_cast<const T*>(object_.get());
  }

 private:
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const void> object_;
};

enum class TreeAggregate : uint8_t { average, sum, min, max };
template <>
inline constexpr auto kEnumNames<TreeAggregate> = std::array<std::string_view, 4>{"AVERAGE", "SUM", "MIN", "MAX"};

// Trees with indices of their own: nodes are known by (tree, node), and so are the leaves' votes in what extends this.
// Values with more precision than f32 come in the `_as_tensor` forms.
struct TreeAttrs {
  std::vector<int64_t> nodes_treeids, nodes_nodeids, nodes_featureids;
  std::vector<std::string> nodes_modes;  // BRANCH_LEQ, _LT, _GTE, _GT, _EQ, _NEQ or LEAF
  std::vector<double> nodes_values;
  std::vector<int64_t> nodes_truenodeids, nodes_falsenodeids;
  std::vector<int64_t> nodes_missing_value_tracks_true;  // where NaN goes; false when empty
  std::vector<double> nodes_hitrates;                    // told by the training program, of no effect
  std::vector<double> base_values;                       // added to the scores
  std::optional<Tensor> nodes_values_as_tensor, nodes_hitrates_as_tensor, base_values_as_tensor;
  PostTransform post_transform = PostTransform::none;
  static constexpr auto fields =
      Fields{field("nodes_treeids", &TreeAttrs::nodes_treeids),
             field("nodes_nodeids", &TreeAttrs::nodes_nodeids),
             field("nodes_featureids", &TreeAttrs::nodes_featureids),
             field("nodes_modes", &TreeAttrs::nodes_modes),
             field("nodes_values", &TreeAttrs::nodes_values),
             field("nodes_truenodeids", &TreeAttrs::nodes_truenodeids),
             field("nodes_falsenodeids", &TreeAttrs::nodes_falsenodeids),
             field("nodes_missing_value_tracks_true", &TreeAttrs::nodes_missing_value_tracks_true),
             field("nodes_hitrates", &TreeAttrs::nodes_hitrates),
             field("base_values", &TreeAttrs::base_values),
             field("nodes_values_as_tensor", &TreeAttrs::nodes_values_as_tensor),
             field("nodes_hitrates_as_tensor", &TreeAttrs::nodes_hitrates_as_tensor),
             field("base_values_as_tensor", &TreeAttrs::base_values_as_tensor),
             field("post_transform", &TreeAttrs::post_transform)};
  Derived forest;
};

struct TreeEnsembleClassifier {
  struct Attrs : TreeAttrs {
    std::vector<int64_t> class_treeids, class_nodeids, class_ids;
    std::vector<double> class_weights;
    std::optional<Tensor> class_weights_as_tensor;
    std::vector<int64_t> classlabels_int64s;
    std::vector<std::string> classlabels_strings;
    static constexpr auto fields = extend<Attrs>(
        TreeAttrs::fields,
        Fields{field("class_treeids", &Attrs::class_treeids), field("class_nodeids", &Attrs::class_nodeids),
               field("class_ids", &Attrs::class_ids), field("class_weights", &Attrs::class_weights),
               field("class_weights_as_tensor", &Attrs::class_weights_as_tensor),
               field("classlabels_int64s", &Attrs::classlabels_int64s),
               field("classlabels_strings", &Attrs::classlabels_strings)});
    int64_t num_classes() const;
  };
  static constexpr OpFacts facts{"tree_ensemble_classifier",
                                 {"TreeEnsembleClassifier", 1, kMlDomain},
                                 "x:T -> y:L, scores:f32?",
                                 {{{'T', dtypes::features}, {'L', dtypes::labels}}},
                                 "the label with the largest sum of the leaves that each row reaches"};
  static void infer(InferContext& ctx);
};

struct TreeEnsembleRegressor {
  struct Attrs : TreeAttrs {
    std::vector<int64_t> target_treeids, target_nodeids, target_ids;
    std::vector<double> target_weights;
    std::optional<Tensor> target_weights_as_tensor;
    int64_t n_targets = 0;
    TreeAggregate aggregate_function = TreeAggregate::sum;
    static constexpr auto fields = extend<Attrs>(
        TreeAttrs::fields,
        Fields{field("target_treeids", &Attrs::target_treeids), field("target_nodeids", &Attrs::target_nodeids),
               field("target_ids", &Attrs::target_ids), field("target_weights", &Attrs::target_weights),
               field("target_weights_as_tensor", &Attrs::target_weights_as_tensor),
               field("n_targets", &Attrs::n_targets), field("aggregate_function", &Attrs::aggregate_function)});
  };
  static constexpr OpFacts facts{"tree_ensemble_regressor",
                                 {"TreeEnsembleRegressor", 1, kMlDomain},
                                 "x:T -> y:f32",
                                 {{{'T', dtypes::features}}},
                                 "per target, the leaves that each row reaches, aggregated"};
  static void infer(InferContext& ctx);
};

// One list of inner nodes and one of leaves; a node's two ways on are places in one or the other.
struct TreeEnsemble {
  struct Attrs {
    std::vector<int64_t> tree_roots, nodes_featureids;
    std::optional<Tensor> nodes_modes;  // u8: <=, <, >=, >, ==, !=, member of a set
    std::optional<Tensor> nodes_splits;
    std::vector<int64_t> nodes_truenodeids, nodes_falsenodeids;
    std::vector<int64_t> nodes_trueleafs, nodes_falseleafs;  // is it a leaf that the way leads to?
    std::vector<int64_t> nodes_missing_value_tracks_true;
    std::optional<Tensor> nodes_hitrates;     // told by the training program, of no effect
    std::optional<Tensor> membership_values;  // the sets of the nodes that ask for members, each closed by a NaN
    std::vector<int64_t> leaf_targetids;
    std::optional<Tensor> leaf_weights;
    std::optional<int64_t> n_targets;
    int64_t aggregate_function = 1;  // an enumerator of TreeAggregate
    int64_t post_transform = 0;      // an enumerator of PostTransform
    static constexpr auto fields =
        Fields{field("tree_roots", &Attrs::tree_roots, required),
               field("nodes_featureids", &Attrs::nodes_featureids, required),
               field("nodes_modes", &Attrs::nodes_modes, required),
               field("nodes_splits", &Attrs::nodes_splits, required),
               field("nodes_truenodeids", &Attrs::nodes_truenodeids, required),
               field("nodes_falsenodeids", &Attrs::nodes_falsenodeids, required),
               field("nodes_trueleafs", &Attrs::nodes_trueleafs, required),
               field("nodes_falseleafs", &Attrs::nodes_falseleafs, required),
               field("nodes_missing_value_tracks_true", &Attrs::nodes_missing_value_tracks_true),
               field("nodes_hitrates", &Attrs::nodes_hitrates),
               field("membership_values", &Attrs::membership_values),
               field("leaf_targetids", &Attrs::leaf_targetids, required),
               field("leaf_weights", &Attrs::leaf_weights, required),
               field("n_targets", &Attrs::n_targets),
               field("aggregate_function", &Attrs::aggregate_function),
               field("post_transform", &Attrs::post_transform)};
    Derived forest;
    int64_t num_targets() const;  // one more than the largest leaf_targetids where the number is not given
  };
  static constexpr OpFacts facts{"tree_ensemble",
                                 {"TreeEnsemble", 5, kMlDomain},
                                 "x:T -> y:T",
                                 {{{'T', DTypeSet(DType::f16) | DType::f32 | DType::f64}}},
                                 "per target, the leaves that each row reaches, aggregated"};
  static void infer(InferContext& ctx);
};

}  // namespace tc
