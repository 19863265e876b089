#include "tests/samples/sample.h"

namespace tc {
namespace {

Value* x234(SampleGraph& g) {
  return g.input(g.random(DType::f32, {2, 3, 4}), {Dim::symbol("N"), Dim(3), Dim(4)});
}

}  // namespace

void samples_movement(std::vector<Sample>& samples) {
  const auto add = [&](const char* name, void (*build)(SampleGraph&)) { samples.push_back({name, build}); };
  add("reshape", [](SampleGraph& g) { g.outputs({g.b.make<Reshape>({x234(g), g.b.ints({0, -1})})}); });
  add("reshape/computed", [](SampleGraph& g) {
    Value* x = x234(g);
    Value* shape = g.b.make<ShapeOf>({x});
    Value* batch = g.b.make<Slice>({shape, g.b.ints({0}), g.b.ints({1})});
    Value* target = g.b.make<Concat>({batch, g.b.ints({-1})}, {0});
    g.outputs({g.b.make<Reshape>({x, target})});
  });
  add("reshape/allow_zero", [](SampleGraph& g) {
    g.outputs({g.b.make<Reshape>({g.input(DType::str, {0, 3}), g.b.ints({3, 0})}, {true})});
  });
  add("flatten", [](SampleGraph& g) { g.outputs({g.b.make<Flatten>({x234(g)}, {2})}); });
  add("squeeze", [](SampleGraph& g) {
    g.outputs({g.b.make<Squeeze>({g.input(DType::f16, {1, 3, 1}), g.b.ints({-1})})});
  });
  add("squeeze/all", [](SampleGraph& g) { g.outputs({g.b.make<Squeeze>({g.input(DType::f32, {1, 3, 1})})}); });
  add("unsqueeze", [](SampleGraph& g) { g.outputs({g.b.make<Unsqueeze>({x234(g), g.b.ints({0, -1})})}); });
  add("transpose", [](SampleGraph& g) { g.outputs({g.b.make<Transpose>({x234(g)}, {{1, 2, 0}})}); });
  add("transpose/reverse", [](SampleGraph& g) { g.outputs({g.b.make<Transpose>({x234(g)})}); });
  add("concat", [](SampleGraph& g) { g.outputs({g.b.make<Concat>({x234(g), g.input(DType::f32, {2, 1, 4})}, {-2})}); });
  add("split", [](SampleGraph& g) {
    Node* n = g.b.make_n<Split>({x234(g)}, {2, 3}, 3);
    g.outputs({n->result(0), n->result(1), n->result(2)});
  });
  add("split/sizes", [](SampleGraph& g) {
    Node* n = g.b.make_n<Split>({x234(g), g.b.ints({1, 0, 2})}, {1, {}}, 3);
    g.outputs({n->result(0), n->result(1), n->result(2)});
  });
  add("slice", [](SampleGraph& g) {
    g.outputs({g.b.make<Slice>(
        {x234(g), g.b.ints({1, -1}), g.b.ints({INT64_MAX, INT64_MIN}), g.b.ints({0, 2}), g.b.ints({1, -2})})});
  });
  add("pad", [](SampleGraph& g) {
    g.outputs({g.b.make<Pad>({x234(g), g.b.ints({1, 0, -1, 0, 2, 2}), g.b.scalar_like(DType::f32, 3)})});
  });
  add("pad/reflect", [](SampleGraph& g) {
    g.outputs({g.b.make<Pad>({x234(g), g.b.ints({2, 3}), nullptr, g.b.ints({2})}, {PadMode::reflect})});
  });
  add("pad/edge", [](SampleGraph& g) {
    g.outputs({g.b.make<Pad>({x234(g), g.b.ints({2, -1}), nullptr, g.b.ints({1})}, {PadMode::edge})});
  });
  add("pad/wrap", [](SampleGraph& g) {
    g.outputs({g.b.make<Pad>({x234(g), g.b.ints({5, 1}), nullptr, g.b.ints({1})}, {PadMode::wrap})});
  });
  add("expand", [](SampleGraph& g) {
    g.outputs({g.b.make<Expand>({g.input(DType::i8, {3, 1}), g.b.ints({2, 1, 4})})});
  });
  add("tile", [](SampleGraph& g) { g.outputs({g.b.make<Tile>({x234(g), g.b.ints({2, 1, 3})})}); });
  add("tile/axes", [](SampleGraph& g) {
    Value* x = g.input(DType::i8, {2, 1, 3, 2, 2}, -9, 9);
    g.outputs({g.b.make<Tile>({x, g.b.ints({1, 4, 1, 2, 3})}), g.b.make<Tile>({x, g.b.ints({1, 0, 1, 1, 1})}),
               g.b.make<Tile>({g.input(DType::f64, {}), g.b.ints({})})});
  });
  add("depth_to_space", [](SampleGraph& g) {
    g.outputs({g.b.make<DepthToSpace>({g.input(DType::f32, {1, 8, 2, 3})}, {2, {}})});
  });
  add("depth_to_space/crd", [](SampleGraph& g) {
    g.outputs({g.b.make<DepthToSpace>({g.input(DType::f32, {1, 8, 2, 3})}, {2, DepthToSpaceMode::crd})});
  });
  add("space_to_depth", [](SampleGraph& g) {
    g.outputs({g.b.make<SpaceToDepth>({g.input(DType::f32, {2, 3, 4, 6})}, {2})});
  });
  add("reverse_sequence", [](SampleGraph& g) {
    g.outputs(
        {g.b.make<ReverseSequence>({g.input(DType::f32, {4, 3, 2}), g.input(Tensor::of<int64_t>({3}, {4, 1, 2}))}),
         g.b.make<ReverseSequence>({g.input(DType::i64, {3, 4}), g.input(Tensor::of<int64_t>({3}, {3, 0, 4}))},
                                   {0, 1})});
  });
  add("reverse_sequence/any_axes", [](SampleGraph& g) {
    g.outputs({g.b.make<ReverseSequence>(
                   {g.input(DType::u8, {2, 3, 4, 3}), g.input(Tensor::of<int64_t>({4}, {1, 3, 0, 2}))}, {2, 1}),
               g.b.make<ReverseSequence>({g.input(DType::f32, {4, 2, 3}), g.input(Tensor::of<int64_t>({3}, {4, 1, 2}))},
                                         {2, 0})});
  });
  add("center_crop_pad", [](SampleGraph& g) {
    g.outputs({g.b.make<CenterCropPad>(
        {
            x234(g),
            g.b.ints({5, 1}),
        },
        {{{1, 2}}})});
  });
  add("center_crop_pad/odd", [](SampleGraph& g) {
    std::vector<Value*> out;
    for (const int64_t rows : {2, 3, 8, 9})
      for (const int64_t columns : {3, 4, 7, 8})
        out.push_back(g.b.make<CenterCropPad>({g.input(DType::f64, {5, 6, 2}), g.b.ints({rows, columns})}, {{{0, 1}}}));
    g.outputs(out);
  });
  add("shape", [](SampleGraph& g) { g.outputs({g.b.make<ShapeOf>({x234(g)}, {1, {}})}); });
  add("size", [](SampleGraph& g) { g.outputs({g.b.make<Size>({x234(g)})}); });
  add("constant_of_shape", [](SampleGraph& g) {
    Value* shape = g.b.make<ShapeOf>({x234(g)});
    g.outputs(
        {g.b.make<ConstantOfShape>({shape}), g.b.make<ConstantOfShape>({shape}, {Tensor::of<int64_t>({1}, {7})})});
  });
  add("range", [](SampleGraph& g) {
    Value* n = g.b.make<Size>({x234(g)});
    g.outputs({g.b.make<Range>({g.b.scalar<int64_t>(3), n, g.b.scalar<int64_t>(2)}),
               g.b.make<Range>({g.b.scalar<float>(1), g.b.scalar<float>(0), g.b.scalar<float>(-0.25F)})});
  });
  add("range/at_run_time", [](SampleGraph& g) {
    std::vector<Value*> out;
    const auto range = [&]<class T>(T from, T to, T by) {
      const auto scalar = [&](T v) { return g.input(Tensor::of<T>({}, {v})); };
      out.push_back(g.b.make<Range>({scalar(from), scalar(to), scalar(by)}));
    };
    range(int64_t{5}, int64_t{1000}, int64_t{7}), range(int64_t{5}, int64_t{-4}, int64_t{-3});
    range(INT64_MAX - 5, INT64_MAX, int64_t{2}), range(INT64_MIN, INT64_MAX, INT64_MAX);
    range(int32_t{-5}, int32_t{5}, int32_t{1}), range(int32_t{5}, int32_t{5}, int32_t{1});
    range(0.1F, 3.0F, 0.1F), range(1.0F, 2.0F, -1.0F), range(1.0, 0.0, -0.125),
        range(int16_t{1}, int16_t{5}, int16_t{2});
    g.outputs(out);
  });
  add("trilu/sizes", [](SampleGraph& g) {
    std::vector<Value*> out;
    for (const DType t : {DType::f32, DType::boolean, DType::c128, DType::i16})
      for (const int64_t k : {-9, -2, 0, 1, 99})
        for (const bool upper : {false, true}) {
          Value* x = g.input(t, t == DType::f32 ? Extents{2, 70, 300} : Extents{2, 3, 4});
          out.push_back(g.b.make<Trilu>({x, g.input(Tensor::of<int64_t>({1}, {k}))}, {upper}));
        }
    out.push_back(g.b.make<Trilu>({g.input(DType::f32, {2, 0, 3})}));
    g.outputs(out);
  });
  add("eye_like", [](SampleGraph& g) {
    g.outputs({g.b.make<EyeLike>({g.input(DType::f32, {3, 4})}, {DType::i32, -1})});
  });
  add("eye_like/diagonals", [](SampleGraph& g) {
    std::vector<Value*> out;
    for (const int64_t k : {-7, -4, -2, 0, 1, 2, 3, 9})
      for (const DType t : {DType::f32, DType::boolean, DType::bf16, DType::f64})
        out.push_back(g.b.make<EyeLike>({g.input(DType::f32, {5, 3})}, {t, k}));
    g.outputs(out);
  });
  add("trilu", [](SampleGraph& g) {
    g.outputs({g.b.make<Trilu>({x234(g), g.b.scalar<int64_t>(1)}), g.b.make<Trilu>({x234(g)}, {false})});
  });
  add("resize", [](SampleGraph& g) {
    Value* x = g.input(g.random(DType::f32, {1, 2, 4, 5}), {Dim(1), Dim(2), Dim::symbol("H"), Dim::symbol("W")});
    Value* scales = g.b.constant(Tensor::of<float>({4}, {1, 1, 2, 0.5F}));
    g.outputs({g.b.make<Resize>({x, nullptr, scales})});
  });
  add("resize/linear", [](SampleGraph& g) {
    Resize::Attrs attrs{.mode = ResizeMode::linear, .coordinates = ResizeCoordinates::align_corners, .axes = {{2, 3}}};
    g.outputs({g.b.make<Resize>({g.input(DType::f32, {1, 2, 4, 5}), nullptr, nullptr, g.b.ints({7, 3})}, attrs)});
  });
  add("resize/channels_last", [](SampleGraph& g) {
    std::vector<Value*> out;
    for (const int64_t c : {3, 17})
      for (const ResizeMode mode : {ResizeMode::nearest, ResizeMode::linear})
        out.push_back(g.b.make<Resize>({g.input(DType::f32, {2, 5, 6, c}), nullptr, nullptr, g.b.ints({9, 4})},
                                       {.mode = mode, .axes = {{1, 2}}}));
    g.outputs(out);
  });
  add("resize/any_axes", [](SampleGraph& g) {
    const auto by = [&](Extents extents, std::vector<float> scales, ResizeMode mode, DType t = DType::f32) {
      const auto n = static_cast<int64_t>(scales.size());
      return g.b.make<Resize>({g.input(t, std::move(extents)), nullptr, g.b.constant(Tensor::of<float>({n}, scales))},
                              {.mode = mode});
    };
    g.outputs({by({4, 70}, {2.5F, 1}, ResizeMode::linear), by({4, 70}, {2, 2}, ResizeMode::cubic),
               by({3, 2, 4, 5}, {2, 1, 1.5F, 1}, ResizeMode::linear), by({9}, {2}, ResizeMode::nearest),
               by({2, 3, 4}, {2, 1, 2}, ResizeMode::nearest, DType::i64),
               by({1, 2, 20, 3}, {1, 1, 2, 1}, ResizeMode::nearest, DType::f64)});
  });
  add("resize/axes_from_the_end", [](SampleGraph& g) {
    Value* x = g.input(DType::f32, {2, 3, 4, 5});
    const auto by = [&](std::vector<float> scales, std::vector<int64_t> axes) {
      const auto n = static_cast<int64_t>(scales.size());
      return g.b.make<Resize>({x, nullptr, g.b.constant(Tensor::of<float>({n}, scales))},
                              {.mode = ResizeMode::linear, .axes = std::move(axes)});
    };
    Value* region = g.b.constant(Tensor::of<float>({2}, {0.25F, 0.75F}));
    g.outputs(
        {by({1.5F}, {-1}), by({2, 0.5F}, {-1, -2}),
         g.b.make<Resize>(
             {x, region, nullptr, g.b.ints({7})},
             {.mode = ResizeMode::linear, .coordinates = ResizeCoordinates::tf_crop_and_resize, .axes = {{-2}}})});
  });
  add("resize/bytes", [](SampleGraph& g) {
    std::vector<Value*> out;
    for (const DType t : {DType::u8, DType::i8})
      for (const float scale : {2.0F, 0.5F})
        out.push_back(
            g.b.make<Resize>({g.input(t, {1, 3, 6, 20}, t == DType::u8 ? 0 : -128, t == DType::u8 ? 255 : 127), nullptr,
                              g.b.constant(Tensor::of<float>({4}, {1, 1, scale, scale}))},
                             {.mode = ResizeMode::linear}));
    g.outputs(out);
  });
  add("resize/half_an_element_on", [](SampleGraph& g) {
    Resize::Attrs attrs{.coordinates = ResizeCoordinates::tf_half_pixel_for_nn, .nearest_mode = ResizeNearest::ceil};
    Value* scales = g.b.constant(Tensor::of<float>({3}, {1, 1, 2}));
    g.outputs({g.b.make<Resize>({g.input(DType::i32, {3, 4, 5}), nullptr, scales}, attrs)});
  });
  add("resize/cubic", [](SampleGraph& g) {
    Resize::Attrs attrs{.mode = ResizeMode::cubic, .axes = {{1}}, .antialias = true, .exclude_outside = true};
    g.outputs({g.b.make<Resize>({g.input(DType::f32, {2, 9}), nullptr, nullptr, g.b.ints({4})}, attrs)});
  });
}

}  // namespace tc
