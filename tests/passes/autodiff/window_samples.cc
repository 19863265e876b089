// Convolutions, pools, normalisations and resampling to differentiate.
#include "tests/passes/autodiff/samples.h"

namespace tc {
namespace {

Value* symbolic_image(SampleGraph& g, Extents extents, bool spatial) {
  Dims dims{Dim::symbol("N"), Dim(extents[1])};
  for (size_t k = 2; k < extents.size(); ++k)
    dims.push_back(spatial ? Dim::symbol(cat("S", g.module->main().num_inputs(), "_", k)) : Dim(extents[k]));
  return g.input(g.random(DType::f32, std::move(extents)), std::move(dims));
}

void convolutions(std::vector<Sample>& s) {
  s.push_back({"conv/forms", [](SampleGraph& g) {
                 auto conv = [&](Extents x, Extents w, Conv::Attrs a, bool bias = false) {
                   Value* b = bias ? g.input(DType::f32, {w[0]}) : nullptr;
                   return g.b.make<Conv>({g.input(DType::f32, x), g.input(DType::f32, w), b}, std::move(a));
                 };
                 g.outputs({conv({2, 3, 5, 6}, {4, 3, 3, 2}, {}, true),
                            conv({2, 3, 5, 6}, {4, 3, 3, 3}, {.strides = {2, 2}, .pads = {1, 0, 1, 2}}),
                            conv({1, 2, 7, 7}, {3, 2, 2, 3}, {.strides = {1, 2}, .dilations = {3, 2}}),
                            conv({2, 4, 6}, {6, 2, 3}, {.pads = {1, 1}, .group = 2}, true),
                            conv({1, 3, 4, 4}, {3, 1, 3, 3}, {.auto_pad = AutoPad::same_upper, .group = 3}),
                            conv({1, 2, 5, 5}, {2, 2, 2, 2}, {.strides = {2, 2}, .auto_pad = AutoPad::same_lower}),
                            conv({1, 2, 3, 3, 3}, {2, 2, 2, 2, 2}, {.pads = {1, 0, 0, 0, 1, 0}}),
                            conv({2, 3, 4, 4}, {5, 3, 1, 1}, {}), conv({1, 2, 8}, {3, 2, 3}, {.strides = {3}})});
               }});
  s.push_back({"conv/large_kernels", [](SampleGraph& g) {
                 g.outputs({g.b.make<Conv>({g.input(DType::f32, {2, 2, 12, 11}), g.input(DType::f32, {3, 2, 9, 8})},
                                           {.strides = {2, 1}, .pads = {1, 2, 2, 1}}),
                            g.b.make<Conv>({g.input(DType::f32, {2, 4, 70}), g.input(DType::f32, {6, 2, 66})},
                                           {.dilations = {1}, .group = 2})});
               }});
  s.push_back({"conv/symbolic", [](SampleGraph& g) {
                 g.outputs({g.b.make<Conv>({symbolic_image(g, {2, 3, 5, 6}, false), g.input(DType::f32, {4, 3, 3, 3})},
                                           {.pads = {1, 1, 1, 1}}),
                            g.b.make<Conv>({symbolic_image(g, {2, 3, 6, 6}, true), g.input(DType::f32, {4, 3, 3, 3})},
                                           {.strides = {2, 2}, .pads = {1, 1, 0, 1}}),
                            g.b.make<Conv>({symbolic_image(g, {2, 4, 6, 5}, true), g.input(DType::f32, {4, 2, 3, 2})},
                                           {.strides = {2, 2}, .auto_pad = AutoPad::same_upper, .group = 2})});
               }});
  s.push_back({"conv_transpose/forms", [](SampleGraph& g) {
                 auto conv = [&](Extents x, Extents w, ConvTranspose::Attrs a) {
                   return g.b.make<ConvTranspose>({g.input(DType::f32, x), g.input(DType::f32, w)}, std::move(a));
                 };
                 g.outputs({conv({2, 3, 4, 4}, {3, 2, 3, 3}, {}),
                            conv({2, 4, 3, 4}, {4, 2, 3, 2},
                                 {.strides = {2, 3}, .pads = {1, 0, 0, 1}, .group = 2, .output_padding = {1, 0}}),
                            conv({1, 2, 5}, {2, 3, 3}, {.strides = {2}, .dilations = {2}}),
                            conv({1, 2, 4, 4}, {2, 3, 3, 3}, {.strides = {2, 2}, .output_shape = {8, 9}})});
               }});
  s.push_back({"col2im/forms", [](SampleGraph& g) {
                 g.outputs(
                     {g.b.make<Col2Im>({g.input(DType::f32, {2, 12, 12}), g.b.ints({4, 5}), g.b.ints({2, 2})}, {}),
                      g.b.make<Col2Im>({g.input(DType::f32, {1, 6, 6}), g.b.ints({5, 5}), g.b.ints({2, 3})},
                                       {.strides = {2, 2}, .pads = {1, 0, 0, 1}, .dilations = {1, 1}})});
               }});
}

void pools(std::vector<Sample>& s) {
  s.push_back({"max_pool/forms", [](SampleGraph& g) {
                 Value* x = g.input(DType::f32, {2, 3, 6, 7});
                 g.outputs({g.b.make<MaxPool>({x}, {.kernel_shape = {2, 2}, .strides = {2, 2}}),
                            g.b.make<MaxPool>({x}, {.kernel_shape = {3, 3}, .strides = {1, 2}, .pads = {1, 1, 1, 1}}),
                            g.b.make<MaxPool>({x}, {.kernel_shape = {2, 3}, .dilations = {2, 1}}),
                            g.b.make<MaxPool>({x}, {.kernel_shape = {3, 3}, .strides = {2, 2}, .ceil_mode = true}),
                            g.b.make<MaxPool>({symbolic_image(g, {2, 2, 4, 4}, true)},
                                              {.kernel_shape = {2, 2}, .strides = {2, 2}, .storage_order = 1})});
               }});
  s.push_back({"average_pool/forms", [](SampleGraph& g) {
                 Value* x = g.input(DType::f32, {2, 3, 6, 7});
                 auto pool = [&](AveragePool::Attrs a) { return g.b.make<AveragePool>({x}, std::move(a)); };
                 g.outputs({pool({.kernel_shape = {2, 2}, .strides = {2, 2}}),
                            pool({.kernel_shape = {3, 3}, .strides = {1, 2}, .pads = {1, 1, 1, 1}}),
                            pool({.kernel_shape = {3, 3}, .pads = {1, 1, 1, 1}, .count_include_pad = true}),
                            pool({.kernel_shape = {3, 3},
                                  .strides = {2, 2},
                                  .pads = {1, 0, 1, 0},
                                  .ceil_mode = true,
                                  .count_include_pad = true}),
                            pool({.kernel_shape = {2, 2}, .dilations = {2, 2}}),
                            pool({.kernel_shape = {2, 3}, .strides = {2, 2}, .auto_pad = AutoPad::same_upper}),
                            g.b.make<AveragePool>({symbolic_image(g, {2, 2, 5, 4}, true)},
                                                  {.kernel_shape = {3, 2}, .strides = {2, 2}, .pads = {1, 0, 0, 1}})});
               }});
  s.push_back(
      {"average_pool/longer_than_axis", [](SampleGraph& g) {
         Value* x = g.input(DType::f32, {1, 2, 1, 2});
         const std::vector<int64_t> kernel = {3, 3}, strides = {3, 2};
         g.outputs(
             {g.b.make<AveragePool>({x}, {.kernel_shape = kernel, .strides = strides}),
              g.b.make<AveragePool>({symbolic_image(g, {1, 2, 1, 2}, true)},
                                    {.kernel_shape = kernel, .strides = strides}),
              g.b.make<AveragePool>(
                  {x}, {.kernel_shape = kernel, .strides = strides, .pads = {1, 0, 0, 0}, .count_include_pad = true}),
              g.b.make<MaxPool>({x}, {.kernel_shape = kernel, .strides = strides}),
              g.b.make<LpPool>({x}, {.kernel_shape = kernel, .strides = strides})});
       }});
  s.push_back({"lp_pool/norms", [](SampleGraph& g) {
                 Value* x = g.input(DType::f32, {1, 2, 5, 5});
                 std::vector<Value*> y;
                 for (int64_t p = 1; p <= 3; ++p) {
                   y.push_back(g.b.make<LpPool>({x}, {.kernel_shape = {2, 3}, .strides = {2, 1}, .p = p}));
                   y.push_back(g.b.make<GlobalLpPool>({x}, {.p = p}));
                 }
                 g.outputs(y);
               }});
  s.push_back({"max_unpool/output_shape", [](SampleGraph& g) {
                 Value* places = g.input(Tensor::of<int64_t>({1, 1, 2, 2}, {5, 7, 13, 15}));
                 g.outputs({g.b.make<MaxUnpool>({g.input(DType::f32, {1, 1, 2, 2}), places},
                                                {.kernel_shape = {2, 2}, .strides = {2, 2}}),
                            g.b.make<MaxUnpool>({g.input(DType::f32, {1, 1, 2, 2}), places, g.b.ints({1, 1, 5, 5})},
                                                {.kernel_shape = {2, 2}, .strides = {2, 2}})});
               }});
  s.push_back({"global_max_pool/symbolic", [](SampleGraph& g) {
                 Value* x = symbolic_image(g, {2, 3, 4, 4}, true);
                 g.outputs({g.b.make<GlobalMaxPool>({x}), g.b.make<GlobalAveragePool>({x})});
               }});
}

void norms(std::vector<Sample>& s) {
  s.push_back({"batch_normalization/training", [](SampleGraph& g) {
                 auto vector = [&] { return g.input(DType::f32, {3}, 0.5, 1.5); };
                 Value* x = g.input(DType::f32, {4, 3, 2, 2});
                 Node* n = g.b.make_n<BatchNormalization>({x, vector(), vector(), vector(), vector()},
                                                          {.momentum = 0.8, .training_mode = true}, 3);
                 Value* y = symbolic_image(g, {5, 3, 2}, true);
                 Node* m = g.b.make_n<BatchNormalization>({y, vector(), vector(), vector(), vector()},
                                                          {.training_mode = true}, 1);
                 g.outputs({n->result(0), n->result(1), n->result(2), m->result(0)});
               }});
  s.push_back({"batch_normalization/inference", [](SampleGraph& g) {
                 auto vector = [&] { return g.input(DType::f32, {3}, 0.5, 1.5); };
                 g.outputs({g.b.make<BatchNormalization>(
                     {g.input(DType::f32, {2, 3, 4}), vector(), vector(), vector(), vector()})});
               }});
  s.push_back({"layer_normalization/statistics", [](SampleGraph& g) {
                 Value* x = g.input(DType::f32, {2, 3, 5});
                 Node* n = g.b.make_n<LayerNormalization>({x, g.input(DType::f32, {5}), g.input(DType::f32, {3, 1})},
                                                          {.axis = 1}, 3);
                 Node* m = g.b.make_n<LayerNormalization>(
                     {symbolic_image(g, {2, 3, 4}, true), g.input(DType::f32, {4})}, {}, 3);
                 g.outputs({n->result(0), n->result(1), n->result(2), m->result(0), m->result(2)});
               }});
  s.push_back({"group_normalization/symbolic", [](SampleGraph& g) {
                 auto vector = [&] { return g.input(DType::f32, {4}, 0.5, 1.5); };
                 g.outputs({g.b.make<GroupNormalization>({g.input(DType::f32, {2, 4, 3, 2}), vector(), vector()},
                                                         {.num_groups = 2}),
                            g.b.make<GroupNormalization>({symbolic_image(g, {2, 4, 3}, true), vector(), vector()},
                                                         {.num_groups = 2})});
               }});
  s.push_back({"lrn/sizes", [](SampleGraph& g) {
                 std::vector<Value*> y;
                 for (int64_t size : {1, 2, 5})
                   y.push_back(g.b.make<LRN>({g.input(DType::f32, {2, 6, 2, 3})}, {.size = size, .alpha = 0.5}));
                 g.outputs(y);
               }});
  s.push_back({"lp_normalization/both", [](SampleGraph& g) {
                 Value* x = g.input(DType::f32, {3, 4});
                 g.outputs({g.b.make<LpNormalization>({x}), g.b.make<LpNormalization>({x}, {.axis = 0, .p = 1})});
               }});
}

void resizes(std::vector<Sample>& s) {
  s.push_back({"resize/modes", [](SampleGraph& g) {
                 Value* x = g.input(DType::f32, {1, 2, 4, 5});
                 auto scales = [&](std::vector<float> v) {
                   return g.b.constant(Tensor::of<float>({static_cast<int64_t>(v.size())}, v));
                 };
                 std::vector<Value*> y;
                 for (ResizeMode mode : {ResizeMode::nearest, ResizeMode::linear, ResizeMode::cubic}) {
                   y.push_back(g.b.make<Resize>({x, nullptr, scales({1, 1, 2, 0.6F})}, {.mode = mode}));
                   y.push_back(g.b.make<Resize>(
                       {x, nullptr, nullptr, g.b.ints({7, 3})},
                       {.mode = mode, .coordinates = ResizeCoordinates::align_corners, .axes = {{2, 3}}}));
                 }
                 y.push_back(g.b.make<Resize>({x, nullptr, scales({0.5F, 0.6F})},
                                              {.mode = ResizeMode::linear, .axes = {{-2, -1}}, .antialias = true}));
                 Value* roi = g.b.constant(Tensor::of<float>({4}, {0.1F, -0.2F, 0.9F, 1.3F}));
                 y.push_back(g.b.make<Resize>({x, roi, nullptr, g.b.ints({3, 4})},
                                              {.mode = ResizeMode::linear,
                                               .coordinates = ResizeCoordinates::tf_crop_and_resize,
                                               .axes = {{2, 3}},
                                               .extrapolation_value = 3}));
                 y.push_back(g.b.make<Resize>({symbolic_image(g, {1, 2, 3, 4}, true), nullptr, scales({1, 1, 2, 2})},
                                              {.mode = ResizeMode::linear}));
                 g.outputs(y);
               }});
}

}  // namespace

void window_samples(std::vector<Sample>& s) {
  convolutions(s);
  pools(s);
  norms(s);
  resizes(s);
}

}  // namespace tc
