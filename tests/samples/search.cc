#include <cmath>

#include "tests/samples/sample.h"

namespace tc {
namespace {

// Elements of a few values, so that many are equal.
template <DType T>
void top_k(SampleGraph& g, Extents extents, int64_t k, TopK::Attrs attrs) {
  Node* n = g.b.make_n<TopK>({g.input(T, std::move(extents), 0, 50), g.b.ints({k})}, attrs, 2);
  g.outputs({n->result(0), n->result(1)});
}

void non_zero(SampleGraph& g, DType t, Extents extents) {
  g.outputs({g.b.make<NonZero>({g.input(t, std::move(extents), -1, 1)})});
}

void suppress(SampleGraph& g, Value* boxes, Value* scores, int64_t most, float iou, float least,
              bool centered = false) {
  g.outputs({g.b.make<NonMaxSuppression>(
      {boxes, scores, g.b.ints({most}), g.b.scalar<float>(iou), g.b.scalar<float>(least)}, {centered})});
}

}  // namespace

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
  add("top_k/at_run_time", [](SampleGraph& g) {
    Node* n = g.b.make_n<TopK>({g.input(DType::f32, {2, 9}), g.input(Tensor::of<int64_t>({1}, {4}))}, {}, 2);
    g.outputs({g.b.make<Relu>({n->result(0)}), n->result(1)});
  });
  add("top_k/few", [](SampleGraph& g) { top_k<DType::f32>(g, {3, 3001}, 5, {}); });
  add("top_k/some", [](SampleGraph& g) { top_k<DType::f32>(g, {2, 3001}, 100, {-1, false, true}); });
  add("top_k/equal", [](SampleGraph& g) { top_k<DType::i32>(g, {2, 3001}, 300, {}); });
  add("top_k/all", [](SampleGraph& g) { top_k<DType::f32>(g, {2, 1501}, 1501, {}); });
  add("top_k/sorted", [](SampleGraph& g) { top_k<DType::u8>(g, {1501, 2}, 700, {0, false, false}); });
  add("top_k/one", [](SampleGraph& g) { top_k<DType::f32>(g, {2, 7, 1301}, 1, {1, true, true}); });
  add("top_k/one_i64", [](SampleGraph& g) { top_k<DType::i64>(g, {2, 7, 13}, 1, {1, false, true}); });
  add("top_k/i64", [](SampleGraph& g) { top_k<DType::i64>(g, {3, 2001}, 90, {}); });
  add("top_k/i64_sorted", [](SampleGraph& g) { top_k<DType::i64>(g, {3, 201}, 190, {-1, false, true}); });
  add("top_k/f64", [](SampleGraph& g) { top_k<DType::f64>(g, {700, 3}, 7, {0, true, true}); });
  add("top_k/f16", [](SampleGraph& g) { top_k<DType::f16>(g, {2, 1500}, 20, {-1, false, true}); });
  add("top_k/bf16", [](SampleGraph& g) { top_k<DType::bf16>(g, {2, 1500}, 70, {}); });
  add("top_k/u64", [](SampleGraph& g) { top_k<DType::u64>(g, {2, 50}, 7, {}); });
  add("top_k/narrow", [](SampleGraph& g) {
    Node* a = g.b.make_n<TopK>({g.input(DType::i8, {3, 90}, -128, 127), g.b.ints({3})}, {}, 2);
    Node* b = g.b.make_n<TopK>({g.input(DType::i16, {3, 90}, -999, 999), g.b.ints({30})}, {-1, false, true}, 2);
    Node* c = g.b.make_n<TopK>({g.input(DType::u16, {3, 90}, 0, 65535), g.b.ints({3})}, {}, 2);
    Node* d = g.b.make_n<TopK>({g.input(DType::u32, {3, 90}, 0, 4e9), g.b.ints({3})}, {}, 2);
    g.outputs({a->result(0), a->result(1), b->result(0), b->result(1), c->result(0), c->result(1), d->result(0),
               d->result(1)});
  });
  add("top_k/strange_values", [](SampleGraph& g) {
    std::vector<Value*> results;
    Value* x = g.input(Tensor::of<float>({9}, {0, -0.0F, NAN, 1, -INFINITY, -NAN, INFINITY, -0.0F, 0}));
    for (const int64_t k : {1, 3, 9})
      for (const bool largest : {false, true}) {
        Node* n = g.b.make_n<TopK>({x, g.b.ints({k})}, {0, largest, true}, 2);
        results.push_back(n->result(0)), results.push_back(n->result(1));
      }
    g.outputs(results);
  });
  add("top_k/values", [](SampleGraph& g) {
    // Sorted by digits, but for the rows that have zeros of both signs, or NaN.
    Tensor strange = g.random(DType::f32, {2500}, -3, 3);
    const auto elements = strange.mutable_span<float>();
    elements[7] = -0.0F, elements[1900] = 0, elements[2000] = -NAN, elements[2400] = INFINITY;
    std::vector<Value*> results;
    for (const bool largest : {false, true}) {
      for (const DType t : {DType::f32, DType::f64})
        for (const int64_t k : {2600, 1000})
          results.push_back(g.b.make_n<TopK>({g.input(t, {2, 2600}), g.b.ints({k})}, {1, largest, true}, 2)->result(0));
      results.push_back(g.b.make_n<TopK>({g.input(strange), g.b.ints({2500})}, {0, largest, true}, 2)->result(0));
    }
    g.outputs(results);
  });
  add("top_k/nothing", [](SampleGraph& g) {
    Node* a = g.b.make_n<TopK>({g.input(DType::f32, {2, 5}), g.b.ints({0})}, {}, 2);
    Node* b = g.b.make_n<TopK>({g.input(DType::f32, {0, 5}), g.b.ints({2})}, {}, 2);
    Node* c = g.b.make_n<TopK>({g.input(DType::f32, {2, 0}), g.b.ints({0})}, {}, 2);
    g.outputs({a->result(0), a->result(1), b->result(0), b->result(1), c->result(0), c->result(1)});
  });
  add("non_zero", [](SampleGraph& g) { g.outputs({g.b.make<NonZero>({g.input(DType::i8, {3, 4}, -1, 1)})}); });
  add("non_zero/bool", [](SampleGraph& g) { non_zero(g, DType::boolean, {37000}); });
  add("non_zero/mask", [](SampleGraph& g) { non_zero(g, DType::boolean, {4, 9001}); });
  add("non_zero/i64", [](SampleGraph& g) { non_zero(g, DType::i64, {2, 300, 3, 70}); });
  add("non_zero/f16", [](SampleGraph& g) { non_zero(g, DType::f16, {5, 0, 3}); });
  add("non_zero/i16", [](SampleGraph& g) { non_zero(g, DType::i16, {5, 1, 3}); });
  add("non_zero/scalar", [](SampleGraph& g) { non_zero(g, DType::i32, {}); });
  add("non_zero/strange_values", [](SampleGraph& g) {
    g.outputs({g.b.make<NonZero>({g.input(Tensor::of<float>({2, 3}, {0, -0.0F, NAN, 1e-45F, -INFINITY, 0}))}),
               g.b.make<NonZero>({g.input(Tensor::of<double>({3}, {-0.0, NAN, -0.5}))})});
  });
  add("non_zero/used", [](SampleGraph& g) {
    Value* at = g.b.make<NonZero>({g.input(DType::i32, {300}, 0, 2)});
    g.outputs({g.b.make<GatherND>({g.input(DType::f32, {300}), g.b.make<Transpose>({at}, {{1, 0}})})});
  });
  add("unique", [](SampleGraph& g) {
    Node* n = g.b.make_n<Unique>({g.input(DType::i64, {3, 4}, -2, 2)}, {{}, false}, 4);
    g.outputs({n->result(0), n->result(1), n->result(2), n->result(3)});
  });
  add("unique/axis", [](SampleGraph& g) {
    Node* n = g.b.make_n<Unique>({g.input(Tensor::of<float>({2, 3}, {2, 1, 2, 0, 3, 0}))}, {1, true}, 4);
    g.outputs({n->result(0), n->result(1), n->result(2), n->result(3)});
  });
  add("unique/sizes", [](SampleGraph& g) {
    std::vector<Value*> results;
    const auto unique = [&](Tensor x, bool sorted) {
      Node* n = g.b.make_n<Unique>({g.input(std::move(x))}, {{}, sorted}, 4);
      results.insert(results.end(), {n->result(0), n->result(1), n->result(2), n->result(3)});
    };
    for (const bool sorted : {false, true}) {
      for (const DType t : {DType::i64, DType::i32, DType::f32, DType::f64, DType::u8, DType::f16, DType::boolean})
        unique(g.random(t, {5, 401}, 0, 90), sorted);
      unique(Tensor::of<int64_t>({6}, {INT64_MAX, -1, INT64_MIN, 5, -1, INT64_MAX}), sorted);
      unique(Tensor::of<int64_t>({5}, {INT32_MAX, -1, INT32_MIN, 5, -1}), sorted);
      unique(Tensor::of<float>({8}, {NAN, 0, -0.0F, -INFINITY, -NAN, 1, 0, -1}), sorted);
      unique(Tensor(DType::u64, {0, 3}), sorted);
      unique(Tensor(DType::i64, {700}), sorted);
    }
    g.outputs(results);
  });
  add("unique/values", [](SampleGraph& g) {
    Tensor few = g.random(DType::f64, {3000}, 0, 90);
    for (double& x : few.mutable_span<double>()) x = std::floor(x);
    g.outputs({g.b.make<Unique>({g.input(DType::f32, {50, 60})}, {{}, true}), g.b.make<Unique>({g.input(few)}),
               g.b.make<Unique>({g.input(Tensor::of<float>({8}, {NAN, 0, -0.0F, -INFINITY, -NAN, 1, 0, -1}))}),
               g.b.make<Unique>({g.input(DType::f32, {0, 3})})});
  });
  add("non_max_suppression", [](SampleGraph& g) {
    Value *boxes = g.input(DType::f32, {2, 10, 4}, 0, 1), *scores = g.input(DType::f32, {2, 3, 10}, 0, 1);
    g.outputs({g.b.make<NonMaxSuppression>(
        {boxes, scores, g.b.ints({4}), g.b.scalar<float>(0.3F), g.b.scalar<float>(0.2F)})});
  });
  add("non_max_suppression/many", [](SampleGraph& g) {
    suppress(g, g.input(DType::f32, {1, 3000, 4}, 0, 1), g.input(DType::f32, {1, 1, 3000}, 0, 1), 1000000, 0.5F, -1);
  });
  add("non_max_suppression/classes", [](SampleGraph& g) {
    suppress(g, g.input(DType::f32, {2, 1001, 4}, 0, 1), g.input(DType::f32, {2, 7, 1001}, 0, 1), 5, 0.4F, 0.3F);
  });
  add("non_max_suppression/few_overlap", [](SampleGraph& g) {
    // Candidates beyond the first portion are looked at.
    suppress(g, g.input(DType::f32, {1, 5000, 4}, 0.4, 0.6), g.input(DType::f32, {1, 2, 5000}, 0, 1), 40, 0.01F, 0);
  });
  add("non_max_suppression/centered", [](SampleGraph& g) {
    Value* equal_scores = g.b.make<Floor>({g.input(DType::f32, {1, 2, 500}, 0, 9)});
    suppress(g, g.input(DType::f32, {1, 500, 4}, 0, 1), equal_scores, 50, 0.5F, 2, true);
  });
  add("non_max_suppression/no_limits", [](SampleGraph& g) {
    Value *boxes = g.input(DType::f32, {1, 33, 4}, 0, 1), *scores = g.input(DType::f32, {1, 1, 33}, 0, 1);
    g.outputs({g.b.make<NonMaxSuppression>({boxes, scores}),
               g.b.make<NonMaxSuppression>({boxes, scores, g.b.ints({20})}),
               g.b.make<NonMaxSuppression>({boxes, scores, g.b.ints({-3}), g.b.scalar<float>(0.5F)}),
               g.b.make<NonMaxSuppression>({boxes, scores, g.b.ints({9}), g.b.scalar<float>(-0.5F)}),
               g.b.make<NonMaxSuppression>({boxes, scores, g.b.ints({9}), g.b.scalar<float>(NAN)})});
  });
  add("non_max_suppression/strange_values", [](SampleGraph& g) {
    constexpr float inf = INFINITY;
    Value* boxes =
        g.input(Tensor::of<float>({1, 8, 4}, {0, 0, 1, 1, NAN, 0, 1, 1, 0,     0, NAN, 1, 0, -inf, 1,   inf,
                                              0, 0, 0, 1, 1,   1, 0, 0, -0.0F, 0, 1,   1, 0, 0,    inf, inf}));
    Value* scores = g.input(Tensor::of<float>({1, 3, 8}, {1,   1, 1,     1,   1,    1, 1, 1,     //
                                                          NAN, 0, -0.0F, inf, -inf, 2, 1, -NAN,  //
                                                          8,   7, 6,     5,   4,    3, 2, 1}));
    std::vector<Value*> results;
    for (const bool centered : {false, true})
      for (const float iou : {0.0F, 0.5F, 1.0F})
        results.push_back(
            g.b.make<NonMaxSuppression>({boxes, scores, g.b.ints({8}), g.b.scalar<float>(iou)}, {centered}));
    g.outputs(results);
  });
  add("non_max_suppression/nothing", [](SampleGraph& g) {
    const auto nothing = [&](Extents boxes, Extents scores, int64_t most) {
      return g.b.make<NonMaxSuppression>({g.input(DType::f32, boxes), g.input(DType::f32, scores), g.b.ints({most})});
    };
    g.outputs({nothing({1, 0, 4}, {1, 2, 0}, 5), nothing({0, 3, 4}, {0, 2, 3}, 5), nothing({1, 3, 4}, {1, 0, 3}, 5),
               nothing({1, 3, 4}, {1, 2, 3}, 0)});
  });
}

}  // namespace tc
