#include "tests/samples/sample.h"

namespace tc {
namespace {

template <DType T>
void image(SampleGraph& g, GridSample::Attrs attrs) {
  Value *x = g.input(T, {2, 3, 5, 7}), *grid = g.input(DType::f32, {2, 4, 6, 2}, -1.6, 1.6);
  g.outputs({g.b.make<GridSample>({x, grid}, attrs)});
}
void volume(SampleGraph& g, GridSample::Attrs attrs) {
  Value *x = g.input(DType::f32, {2, 2, 3, 4, 5}), *grid = g.input(DType::f32, {2, 2, 3, 2, 3}, -1.5, 1.5);
  g.outputs({g.b.make<GridSample>({x, grid}, attrs)});
}

}  // namespace

void samples_vision(std::vector<Sample>& samples) {
  const auto add = [&](const char* name, void (*build)(SampleGraph&)) { samples.push_back({name, build}); };
  using Mode = GridMode;
  using Padding = GridPadding;
  add("grid_sample", [](SampleGraph& g) { image<DType::f32>(g, {}); });
  add("grid_sample/border", [](SampleGraph& g) { image<DType::f32>(g, {Mode::linear, Padding::border, true}); });
  add("grid_sample/reflection", [](SampleGraph& g) {
    image<DType::f64>(g, {Mode::linear, Padding::reflection, false});
  });
  add("grid_sample/nearest", [](SampleGraph& g) { image<DType::str>(g, {Mode::nearest, Padding::border, false}); });
  add("grid_sample/nearest_zeros", [](SampleGraph& g) { image<DType::i64>(g, {Mode::nearest, Padding::zeros, true}); });
  add("grid_sample/cubic", [](SampleGraph& g) { image<DType::f32>(g, {Mode::cubic, Padding::zeros, false}); });
  add("grid_sample/cubic_reflection", [](SampleGraph& g) {
    image<DType::f16>(g, {Mode::cubic, Padding::reflection, true});
  });
  add("grid_sample/complex", [](SampleGraph& g) { image<DType::c64>(g, {Mode::linear, Padding::border, false}); });
  add("grid_sample/integers", [](SampleGraph& g) { image<DType::u8>(g, {Mode::linear, Padding::border, false}); });
  add("grid_sample/bool", [](SampleGraph& g) { image<DType::boolean>(g, {Mode::nearest, Padding::zeros, false}); });
  add("grid_sample/bf16", [](SampleGraph& g) {
    Value *x = g.input(DType::bf16, {1, 1, 3, 3}), *grid = g.input(DType::bf16, {1, 2, 2, 2}, -1, 1);
    g.outputs({g.b.make<GridSample>({x, grid})});
  });
  add("grid_sample/volume", [](SampleGraph& g) { volume(g, {}); });
  add("grid_sample/volume_cubic", [](SampleGraph& g) { volume(g, {Mode::cubic, Padding::border, true}); });
  add("grid_sample/volume_nearest", [](SampleGraph& g) { volume(g, {Mode::nearest, Padding::reflection, true}); });
  add("grid_sample/line", [](SampleGraph& g) {
    Value *x = g.input(DType::f32, {1, 2, 9}), *grid = g.input(DType::f64, {1, 5, 1}, -3, 3);
    g.outputs({g.b.make<GridSample>({x, grid}, {Mode::linear, Padding::reflection, true})});
  });
  add("grid_sample/strange_places", [](SampleGraph& g) {
    Value* x = g.input(DType::f32, {1, 1, 1, 3});
    Value* grid = g.input(Tensor::of<float>({1, 1, 4, 2}, {NAN, 0, INFINITY, 0, -INFINITY, 1e30F, 3e38F, NAN}));
    std::vector<Value*> results;
    for (const Mode m : {Mode::linear, Mode::nearest, Mode::cubic})
      for (const Padding p : {Padding::zeros, Padding::border, Padding::reflection})
        results.push_back(g.b.make<GridSample>({x, grid}, {m, p, true}));
    g.outputs(results);
  });
  add("grid_sample/each_kind", [](SampleGraph& g) {
    std::vector<Value*> results;
    for (const Mode m : {Mode::linear, Mode::nearest, Mode::cubic})
      for (const Padding p : {Padding::zeros, Padding::border, Padding::reflection})
        for (const bool aligned : {false, true}) {
          Value *x = g.input(DType::f32, {2, 5, 7, 4}), *grid = g.input(DType::f32, {2, 5, 7, 2}, -4, 4);
          results.push_back(g.b.make<GridSample>({x, grid}, {m, p, aligned}));
        }
    g.outputs(results);
  });
  add("grid_sample/large", [](SampleGraph& g) {
    Value *x = g.input(DType::f32, {3, 19, 40, 50}), *grid = g.input(DType::f32, {3, 60, 70, 2}, -1.2, 1.2);
    g.outputs(
        {g.b.make<GridSample>({x, grid}), g.b.make<GridSample>({x, grid}, {Mode::nearest, Padding::border, true})});
  });
  add("grid_sample/nothing_there", [](SampleGraph& g) {
    Value *x = g.input(DType::f32, {1, 2, 0, 3}), *grid = g.input(DType::f32, {1, 2, 2, 2}, -1, 1);
    g.outputs({g.b.make<GridSample>({x, grid}, {Mode::linear, Padding::border, false}),
               g.b.make<GridSample>({x, grid}, {Mode::nearest, Padding::reflection, true})});
  });
  add("affine_grid", [](SampleGraph& g) {
    g.outputs({g.b.make<AffineGrid>({g.input(DType::f32, {2, 2, 3}), g.b.ints({2, 3, 4, 5})})});
  });
  add("affine_grid/volume", [](SampleGraph& g) {
    g.outputs({g.b.make<AffineGrid>({g.input(DType::f64, {2, 3, 4}), g.b.ints({2, 3, 2, 1, 3})}, {true})});
  });
  add("affine_grid/at_run_time", [](SampleGraph& g) {
    Value* size = g.input(Tensor::of<int64_t>({4}, {1, 1, 3, 2}));
    g.outputs({g.b.make<AffineGrid>({g.input(DType::f16, {1, 2, 3}), size}, {true})});
  });
}

}  // namespace tc
