#include "tests/samples/sample.h"

namespace tc {

void samples_search(std::vector<Sample>& samples) {
  const auto add = [&](const char* name, void (*build)(SampleGraph&)) { samples.push_back({name, build}); };
  add("top_k", [](SampleGraph& g) {
    Node* n = g.b.make_n<TopK>({g.input(DType::f32, {3, 5, 2}), g.b.ints({3})}, {1, true, true}, 2);
    g.outputs({n->result(0), n->result(1)});
  });
  add("top_k/smallest", [](SampleGraph& g) {
    Node* n = g.b.make_n<TopK>({g.input(DType::i32, {4, 6}, -2, 2), g.input(Tensor::of<int64_t>({1}, {4}))},
                               {-1, false, true}, 2);
    g.outputs({n->result(0), n->result(1)});
  });
  add("non_zero", [](SampleGraph& g) { g.outputs({g.b.make<NonZero>({g.input(DType::i8, {3, 4}, -1, 1)})}); });
  add("unique", [](SampleGraph& g) {
    Node* n = g.b.make_n<Unique>({g.input(DType::i64, {3, 4}, -2, 2)}, {{}, false}, 4);
    g.outputs({n->result(0), n->result(1), n->result(2), n->result(3)});
  });
  add("unique/axis", [](SampleGraph& g) {
    Node* n = g.b.make_n<Unique>({g.input(Tensor::of<float>({2, 3}, {2, 1, 2, 0, 3, 0}))}, {1, true}, 4);
    g.outputs({n->result(0), n->result(1), n->result(2), n->result(3)});
  });
  add("non_max_suppression", [](SampleGraph& g) {
    Value *boxes = g.input(DType::f32, {2, 10, 4}, 0, 1), *scores = g.input(DType::f32, {2, 3, 10}, 0, 1);
    g.outputs({g.b.make<NonMaxSuppression>(
        {boxes, scores, g.b.ints({4}), g.b.scalar<float>(0.3F), g.b.scalar<float>(0.2F)})});
  });
}

}  // namespace tc
