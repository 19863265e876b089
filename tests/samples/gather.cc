#include "tests/samples/sample.h"

namespace tc {

void samples_gather(std::vector<Sample>& samples) {
  const auto add = [&](const char* name, void (*build)(SampleGraph&)) { samples.push_back({name, build}); };
  add("gather", [](SampleGraph& g) {
    Value* indices = g.input(Tensor::of<int64_t>({2, 2}, {0, -1, 2, 1}));
    g.outputs({g.b.make<Gather>({g.input(DType::f32, {2, 3, 4}), indices}, {1})});
  });
  add("gather/strings", [](SampleGraph& g) {
    g.outputs({g.b.make<Gather>({g.input(DType::str, {5}), g.input(Tensor::scalar<int32_t>(-2))})});
  });
  add("gather_elements", [](SampleGraph& g) {
    g.outputs({g.b.make<GatherElements>(
        {g.input(DType::f32, {3, 3}), g.input(Tensor::of<int64_t>({2, 3}, {1, 2, 0, -1, 0, 0}))})});
  });
  add("gather_elements/axes", [](SampleGraph& g) {
    std::vector<Value*> out;
    for (const DType t : {DType::f32, DType::i64, DType::u8})
      for (const int64_t axis : {0, 1, 2})
        for (const Extents& e : {Extents{3, 4, 5}, Extents{2, 4, 5}, Extents{3, 3, 5}, Extents{1, 4, 3}}) {
          Value* indices = g.input(axis == 1 ? DType::i64 : DType::i32, e, -3, 2);
          out.push_back(g.b.make<GatherElements>({g.input(t, {3, 4, 5}), indices}, {axis}));
        }
    g.outputs(out);
  });
  add("gather_nd", [](SampleGraph& g) {
    g.outputs(
        {g.b.make<GatherND>({g.input(DType::f32, {2, 3, 4}), g.input(Tensor::of<int64_t>({2, 1}, {1, -3}))}, {1})});
  });
  add("scatter_elements", [](SampleGraph& g) {
    Value *data = g.input(DType::f32, {3, 3}), *indices = g.input(Tensor::of<int64_t>({2, 3}, {1, 0, 2, 0, 2, -2})),
          *updates = g.input(DType::f32, {2, 3});
    g.outputs({g.b.make<ScatterElements>({data, indices, updates}, {1, ScatterReduction::none})});
  });
  add("scatter_elements/reductions", [](SampleGraph& g) {
    Value *data = g.input(DType::f16, {3, 3}), *indices = g.input(Tensor::of<int64_t>({2, 1}, {1, 1})),
          *updates = g.input(DType::f16, {2, 1});
    std::vector<Value*> out;
    for (auto r : {ScatterReduction::add, ScatterReduction::mul, ScatterReduction::max, ScatterReduction::min})
      out.push_back(g.b.make<ScatterElements>({data, indices, updates}, {0, r}));
    g.outputs(out);
  });
  add("scatter_elements/combined", [](SampleGraph& g) {
    std::vector<Value*> out;
    for (const DType t : {DType::f32, DType::f64, DType::i32, DType::i64})
      for (auto r : {ScatterReduction::add, ScatterReduction::mul, ScatterReduction::max, ScatterReduction::min})
        for (const int64_t axis : {0, 2}) {
          Value* indices = g.input(DType::i32, {3, 2, 5}, -3, 2);
          out.push_back(g.b.make<ScatterElements>({g.input(t, {3, 4, 5}), indices, g.input(t, {3, 2, 5})}, {axis, r}));
        }
    g.outputs(out);
  });
  add("scatter_elements/axes", [](SampleGraph& g) {
    std::vector<Value*> out;
    for (const DType t : {DType::f32, DType::i64, DType::u8})
      for (const int64_t axis : {0, 1, 2})
        for (const Extents& e : {Extents{3, 4, 5}, Extents{2, 4, 5}, Extents{3, 3, 5}, Extents{1, 4, 3}}) {
          Value* indices = g.input(axis == 1 ? DType::i64 : DType::i32, e, -3, 2);
          out.push_back(g.b.make<ScatterElements>({g.input(t, {3, 4, 5}), indices, g.input(t, e)}, {axis}));
        }
    g.outputs(out);
  });
  add("scatter_elements/large", [](SampleGraph& g) {
    Value* rows = g.input(DType::i64, {50, 30, 40}, -20, 19);
    Value* columns = g.input(DType::i64, {70, 90}, -90, 89);
    g.outputs(
        {g.b.make<ScatterElements>({g.input(DType::f32, {20, 30, 40}), rows, g.input(DType::f32, {50, 30, 40})},
                                   {0, ScatterReduction::add}),
         g.b.make<ScatterElements>({g.input(DType::f64, {70, 90}), columns, g.input(DType::f64, {70, 90})}, {1})});
  });
  add("scatter_nd/combined", [](SampleGraph& g) {
    Value* indices = g.input(Tensor::of<int64_t>({4, 2}, {1, 0, -1, 1, 1, 0, 0, 1}));
    std::vector<Value*> out;
    for (const DType t : {DType::f32, DType::f64, DType::i32, DType::i64})
      for (auto r : {ScatterReduction::add, ScatterReduction::mul, ScatterReduction::max, ScatterReduction::min})
        out.push_back(g.b.make<ScatterND>({g.input(t, {3, 2, 5}), indices, g.input(t, {4, 5})}, {r}));
    g.outputs(out);
  });
  add("scatter_nd", [](SampleGraph& g) {
    Value *data = g.input(DType::f32, {4, 2}), *indices = g.input(Tensor::of<int64_t>({3, 1}, {1, -1, 1})),
          *updates = g.input(DType::f32, {3, 2});
    g.outputs({g.b.make<ScatterND>({data, indices, updates}),
               g.b.make<ScatterND>({data, indices, updates}, {ScatterReduction::add})});
  });
  add("one_hot", [](SampleGraph& g) {
    Value *indices = g.input(Tensor::of<int64_t>({2, 2}, {0, 7, -1, 1})), *values = g.input(DType::f32, {2});
    g.outputs({g.b.make<OneHot>({indices, g.b.scalar<int64_t>(3), values}, {1})});
  });
  add("one_hot/sizes", [](SampleGraph& g) {
    std::vector<Value*> out;
    for (const DType t : {DType::boolean, DType::f16, DType::f32, DType::i64, DType::c128})
      for (const int64_t axis : {0, 1, -1}) {
        Value* indices = g.input(axis ? DType::i64 : DType::i32, {30, 41}, -80, 80);
        out.push_back(g.b.make<OneHot>({indices, g.b.scalar<float>(61), g.input(t, {2})}, {axis}));
      }
    g.outputs(out);
  });
  add("one_hot/at_run_time", [](SampleGraph& g) {
    Value *indices = g.input(DType::i64, {0, 3}), *scalar = g.input(DType::i32, {}, 0, 4);
    Value *depth = g.input(Tensor::of<int32_t>({}, {5})), *none = g.input(Tensor::of<int64_t>({1}, {0}));
    Value* values = g.input(DType::f32, {2});
    g.outputs({g.b.make<OneHot>({indices, depth, values}), g.b.make<OneHot>({scalar, depth, values}),
               g.b.make<OneHot>({scalar, none, values})});
  });
  add("compress/sizes", [](SampleGraph& g) {
    Value *x = g.input(DType::f32, {7, 300, 2}), *condition = g.input(DType::boolean, {290});
    Value* none = g.input(Tensor(DType::boolean, {2}));
    g.outputs({g.b.make<Compress>({x, condition}, {1}), g.b.make<Compress>({x, condition}),
               g.b.make<Compress>({x, none}, {-1}), g.b.make<Compress>({g.input(DType::u8, {0, 3}), none}, {-1})});
  });
  add("compress", [](SampleGraph& g) {
    Value* condition = g.input(Tensor::of<Bool>({3}, {Bool(true), Bool(false), Bool(true)}));
    Value* x = g.input(DType::f32, {2, 4});
    g.outputs({g.b.make<Compress>({x, condition}, {1}), g.b.make<Compress>({x, condition})});
  });
  add("tensor_scatter", [](SampleGraph& g) {
    Value *cache = g.input(DType::f32, {2, 2, 4, 3}), *update = g.input(DType::f32, {2, 2, 2, 3}),
          *at = g.input(Tensor::of<int64_t>({2}, {1, 3}));
    g.outputs({g.b.make<TensorScatter>({cache, update, at}, {-2, TensorScatterMode::circular}),
               g.b.make<TensorScatter>({cache, update})});
  });
}

}  // namespace tc
