#include "tests/samples/sample.h"

namespace tc {
namespace {

// Scores (3, 5, spatial...), labels in [0, 5).
template <class Op, DType T, DType I>
void loss(SampleGraph& g, const Extents& spatial, bool weighted, LossAttrs attrs) {
  Extents scores{3, 5}, labels{3};
  scores.insert(scores.end(), spatial.begin(), spatial.end());
  labels.insert(labels.end(), spatial.begin(), spatial.end());
  Value *x = g.input(T, scores), *target = g.input(I, labels, 0, 4);
  Value* weight = weighted ? g.input(T, {5}, 0.1, 2) : nullptr;
  if constexpr (std::is_same_v<Op, SoftmaxCrossEntropyLoss>) {
    Node* n = g.b.make_n<Op>({x, target, weight}, attrs, 2);
    g.outputs({n->result(0), n->result(1)});
  } else {
    g.outputs({g.b.make<Op>({x, target, weight}, attrs)});
  }
}

template <class Op>
void loss_samples(std::vector<Sample>& samples) {
  const auto add = [&](std::string_view variant, void (*build)(SampleGraph&)) {
    samples.push_back({cat(Op::facts.name, "/", variant), build});
  };
  constexpr auto kNone = LossReduction::none, kSum = LossReduction::sum, kMean = LossReduction::mean;
  add("mean", [](SampleGraph& g) { loss<Op, DType::f32, DType::i64>(g, {}, false, {{}, kMean}); });
  add("mean_weighted_ignoring", [](SampleGraph& g) { loss<Op, DType::f32, DType::i32>(g, {4, 3}, true, {1, kMean}); });
  add("mean_ignoring", [](SampleGraph& g) { loss<Op, DType::f64, DType::i64>(g, {7}, false, {2, kMean}); });
  add("sum_weighted", [](SampleGraph& g) { loss<Op, DType::f32, DType::i64>(g, {2, 3, 2}, true, {{}, kSum}); });
  add("sum_ignoring", [](SampleGraph& g) { loss<Op, DType::bf16, DType::i64>(g, {}, false, {0, kSum}); });
  add("none", [](SampleGraph& g) { loss<Op, DType::f16, DType::i32>(g, {3}, false, {{}, kNone}); });
  add("none_weighted_ignoring", [](SampleGraph& g) { loss<Op, DType::f32, DType::i64>(g, {3, 2}, true, {4, kNone}); });
  add("empty", [](SampleGraph& g) {
    Value *x = g.input(DType::f32, {0, 5}), *target = g.input(DType::i64, {0});
    g.outputs({g.b.make<Op>({x, target}, {{}, kSum}), g.b.make<Op>({x, target}, {{}, kMean})});
  });
  add("ignored_only", [](SampleGraph& g) {
    Value* target = g.input(Tensor::of<int64_t>({2}, {-100, -100}));
    Value* x = g.input(Tensor::of<float>({2, 2}, {INFINITY, 0, 1, -INFINITY}));
    g.outputs({g.b.make<Op>({x, target}, {-100, kSum}), g.b.make<Op>({x, target}, {-100, kMean})});
  });
}

}  // namespace

void samples_loss(std::vector<Sample>& samples) {
  loss_samples<NegativeLogLikelihoodLoss>(samples);
  loss_samples<SoftmaxCrossEntropyLoss>(samples);
}

}  // namespace tc
