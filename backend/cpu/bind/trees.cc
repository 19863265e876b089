#include "tc/backend/cpu/bind/trees.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "tc/backend/cpu/bind/bind.h"
#include "tc/backend/cpu/bind/models.h"
#include "tc/backend/cpu/bind/strip_builder.h"
#include "tc/ir/eval/tree.h"
#include "tc/kernels/trees/trees.h"

namespace tc::cpu {
namespace {

// A forest as the kernels walk it.
struct CompiledTrees {
  std::vector<kernels::TreeNode<float>> narrow;
  std::vector<kernels::TreeNode<double>> wide;  // one of both
  std::vector<kernels::TreeVote> votes;
  std::vector<uint32_t> roots;
  std::vector<int32_t> depths;
  int64_t features = 0;
  kernels::TreeArgs args;
};

// The greatest T that is <= v, or < v. NaN where there is none.
template <class T>
T at_most(double v, bool below) {
  T t = static_cast<T>(v);
  if (static_cast<double>(t) > v || (below && static_cast<double>(t) == v)) {
    if (t == -std::numeric_limits<T>::infinity()) return std::numeric_limits<T>::quiet_NaN();
    t = std::nextafter(t, -std::numeric_limits<T>::infinity());
  }
  return t;
}

// Lays the trees out one by one, each breadth first.
template <class T>
class TreeWriter {
 public:
  TreeWriter(const Forest& forest, CompiledTrees& out, std::vector<kernels::TreeNode<T>>& nodes)
      : forest_(forest), out_(out), nodes_(nodes) {}

  // False where ways that meet again would make the copies too many.
  bool write() {
    const size_t most = 4 * (forest_.nodes().size() + forest_.leaves().size() + forest_.roots().size()) + 16;
    for (const int32_t root : forest_.roots()) {
      std::vector<int32_t> level{root}, below;
      const size_t first = nodes_.size();
      out_.roots.push_back(place(first));
      nodes_.resize(first + 1);
      int32_t depth = 0;
      for (size_t at = first; !level.empty(); level.swap(below), ++depth) {
        below.clear();
        for (const int32_t n : level) put(at++, n, below);
        if (nodes_.size() > most || nodes_.size() > UINT32_MAX / kernels::kTreeUnit<T> - 1) return false;
      }
      out_.depths.push_back(depth - 1);
    }
    out_.roots.resize((out_.roots.size() + kernels::kTreeLanes - 1) / kernels::kTreeLanes * kernels::kTreeLanes);
    out_.depths.resize(out_.roots.size());
    nodes_.emplace_back().votes = static_cast<uint32_t>(out_.votes.size());
    return true;
  }

 private:
  static uint32_t place(size_t node) { return static_cast<uint32_t>(node) * kernels::kTreeUnit<T>; }

  void put(size_t at, int32_t source, std::vector<int32_t>& ways) {
    nodes_[at].votes = static_cast<uint32_t>(out_.votes.size());
    if (source < 0) {
      const Forest::Leaf& leaf = forest_.leaves()[static_cast<size_t>(~source)];
      for (uint32_t k = leaf.begin; k < leaf.end; ++k)
        out_.votes.push_back({forest_.votes()[k].target, forest_.votes()[k].weight});
      nodes_[at].value = std::numeric_limits<T>::quiet_NaN();
      nodes_[at].left = place(at) - kernels::kTreeUnit<T>;
      return;
    }
    const Forest::Node& n = forest_.nodes()[static_cast<size_t>(source)];
    // x > v is no to x <= v, and x != v to x == v, but for NaN, which has a way of its own.
    const bool turned =
        n.test == TreeTest::greater || n.test == TreeTest::greater_equal || n.test == TreeTest::not_equal;
    const bool equal = n.test == TreeTest::equal || n.test == TreeTest::not_equal;
    const bool below = n.test == TreeTest::less || n.test == TreeTest::greater_equal;
    T value = at_most<T>(n.value, below);
    if (equal && static_cast<double>(value) != n.value) value = std::numeric_limits<T>::quiet_NaN();
    // Nothing is greater than NaN.
    if (std::isnan(n.value) && turned && !equal) value = std::numeric_limits<T>::infinity();
    const bool nan_passes = n.nan_is_yes || n.test == TreeTest::not_equal;
    const uint32_t flags = (equal ? kernels::kTreeEqual : 0) | (turned != nan_passes ? kernels::kTreeNanIsYes : 0);
    nodes_[at].value = value;
    nodes_[at].feature = n.feature * kernels::kTreeLanes;
    nodes_[at].left = place(nodes_.size());
    nodes_[at].votes |= flags;
    out_.args.flags |= flags;
    nodes_.resize(nodes_.size() + 2);
    ways.push_back(turned ? n.no : n.yes);
    ways.push_back(turned ? n.yes : n.no);
  }

  const Forest& forest_;
  CompiledTrees& out_;
  std::vector<kernels::TreeNode<T>>& nodes_;
};

// Null, and a reason, where the kernels cannot take them.
template <class Op>
std::shared_ptr<CompiledTrees> compile_trees(Binder& b, int64_t targets, TreeAggregate aggregate) {
  const auto type = elem_of(b.dtype(0));
  if (!type || (*type != kernels::Elem::f32 && *type != kernels::Elem::f64 && *type != kernels::Elem::i32 &&
                *type != kernels::Elem::i64))
    return b.refuse(cat("features are ", b.dtype(0))), nullptr;
  if (b.rank(0) != 1 && b.rank(0) != 2) return b.refuse("features are not rows"), nullptr;
  const auto& a = b.attrs<Op>();
  const Forest* forest = nullptr;
  try {
    forest = &a.forest.template get<Forest>([&] { return Forest::of(a); });
  } catch (const Error&) {
    return b.refuse("the trees are malformed"), nullptr;  // the run says how
  }
  for (const auto& n : forest->nodes())
    if (n.test == TreeTest::member) return b.refuse("a node tests for members of a set"), nullptr;
  if (forest->num_features() > kernels::kTreeMaxFeatures) return b.refuse("too many features"), nullptr;
  auto out = std::make_shared<CompiledTrees>();
  out->features = forest->num_features();
  out->args.wide = *type != kernels::Elem::f32;
  if (!(out->args.wide ? TreeWriter<double>(*forest, *out, out->wide).write()
                       : TreeWriter<float>(*forest, *out, out->narrow).write()))
    return b.refuse("ways through the trees meet again"), nullptr;
  kernels::TreeArgs& args = out->args;
  args.type = *type;
  args.nodes = args.wide ? static_cast<const void*>(out->wide.data()) : out->narrow.data();
  args.votes = out->votes.data();
  args.roots = out->roots.data();
  args.depths = out->depths.data();
  args.trees = forest->num_trees();
  args.targets = targets;
  for (const int32_t d : out->depths) args.steps += d;
  args.fold = aggregate == TreeAggregate::min   ? kernels::TreeFold::min
              : aggregate == TreeAggregate::max ? kernels::TreeFold::max
                                                : kernels::TreeFold::sum;
  return out;
}

struct TreeState {
  kernels::TreeArgs args;
};

// The step of a compiled ensemble; finish(frame) gives what takes rows of scores.
template <class Finish>
void add_step(Binder& b, std::shared_ptr<CompiledTrees> compiled, Slot x, Finish finish) {
  const Node* node = &b.node();
  b.step<TreeState>(
      compiled->args.wide ? "trees_f64" : "trees_f32",
      [=](Frame& f, TreeState& s) {
        const auto e = f.extents(x);
        s.args = compiled->args;
        s.args.rows = e.size() == 1 ? 1 : e[0];
        s.args.features = e.back();
        if (s.args.features < compiled->features)
          f.fail(*node, ErrorCode::bad_shape,
                 cat("rows of ", s.args.features, " features for trees that look at ", compiled->features));
        f.need_scratch(kernels::tree_scratch_bytes(s.args, f.team().threads()));
      },
      [=](Frame& f, TreeState& s) {
        auto rows = finish(f);
        s.args.x = f.raw(x);
        s.args.scratch = f.scratch();
        s.args.context = &rows;
        s.args.finish = [](const void* context, int64_t first, int64_t count, double* scores, uint8_t* has) {
          (*static_cast<const decltype(rows)*>(context))(first, count, scores, has);
        };
        kernels::trees(f.team(), s.args);
      });
}

bool bind_targets(Binder& b, std::shared_ptr<CompiledTrees> compiled, TreeTargets targets) {
  const Slot x = b.in(0), y = b.out(0);
  const bool wide = b.result_dtype(0) == DType::f64;
  const int64_t n = compiled->args.targets;
  const kernels::ModelTable& table = b.table().models;
  add_step(b, std::move(compiled), x, [=, &table, targets = std::move(targets)](Frame& f) {
    void* out = f.raw(y);
    return [&targets, &table, out, n, wide](int64_t first, int64_t count, double* scores, uint8_t*) {
      for (int64_t r = 0; r < count; ++r) targets.start({scores + r * n, static_cast<size_t>(n)});
      transform_rows(table, targets.transform, scores, count, n);
      if (wide)
        std::copy_n(scores, count * n, static_cast<double*>(out) + first * n);
      else
        table.narrow.fn(scores, count * n, static_cast<float*>(out) + first * n);
    };
  });
  return true;
}

}  // namespace

bool bind_tree_classifier(Binder& b) {
  const auto& a = b.attrs<TreeEnsembleClassifier>();
  if (a.classlabels_int64s.empty()) return b.refuse("labels are strings");
  auto compiled = compile_trees<TreeEnsembleClassifier>(b, a.num_classes(), TreeAggregate::sum);
  if (!compiled) return false;
  const Slot x = b.in(0), y = b.wants(0) ? b.out(0) : kNoSlot, scores_out = b.wants(1) ? b.out(1) : kNoSlot;
  const int64_t n = a.num_classes();
  const kernels::ModelTable& table = b.table().models;
  add_step(b, std::move(compiled), x, [=, &table, labels = a.classlabels_int64s, classes = TreeClasses(a)](Frame& f) {
    auto* label = y == kNoSlot ? nullptr : f.ptr<int64_t>(y);
    auto* out = scores_out == kNoSlot ? nullptr : f.ptr<float>(scores_out);
    return [=, &labels, &classes, &table](int64_t first, int64_t count, double* scores, uint8_t* has) {
      bool transforms = false;
      for (int64_t r = 0; r < count; ++r) {
        size_t best = 0;
        transforms = classes.decide(scores + r * n, has + r * n, best);  // for all rows alike
        if (label) label[first + r] = labels[best];
      }
      if (!out) return;
      if (transforms) transform_rows(table, classes.transform(), scores, count, n);
      table.narrow.fn(scores, count * n, out + first * n);
    };
  });
  return true;
}

bool bind_tree_regressor(Binder& b) {
  const auto& a = b.attrs<TreeEnsembleRegressor>();
  auto compiled = compile_trees<TreeEnsembleRegressor>(b, a.n_targets, a.aggregate_function);
  return compiled &&
         bind_targets(b, std::move(compiled), TreeTargets::of(a, a.forest.get<Forest>([&] { return Forest::of(a); })));
}

bool bind_tree_ensemble(Binder& b) {
  const auto& a = b.attrs<TreeEnsemble>();
  auto compiled = compile_trees<TreeEnsemble>(b, a.num_targets(), static_cast<TreeAggregate>(a.aggregate_function));
  return compiled &&
         bind_targets(b, std::move(compiled), TreeTargets::of(a, a.forest.get<Forest>([&] { return Forest::of(a); })));
}

}  // namespace tc::cpu
