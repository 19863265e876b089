#include "tests/samples/sample.h"

namespace tc {
namespace {

template <class Op>
void one(SampleGraph& g, Extents x, attrs_t<Op> attrs, DType t = DType::f32) {
  g.outputs({g.b.make<Op>({g.input(t, std::move(x))}, std::move(attrs))});
}

// Regions inside of the image, across its edges, beyond it, turned over and without extent.
Value* some_regions(SampleGraph& g) {
  return g.input(Tensor::of<float>({7, 4}, {1, 1, 7.5F, 9, -3, -2, 9,   25, 40, 40, 50,   60,   12,   9,
                                            3, 4, 5,    6, 5,  6,  -30, -9, 60, 70, 2.3F, 2.4F, 2.9F, 3.1F}));
}
template <RoiMode mode, RoiCoordinates coordinates, int64_t sampling>
void regions(SampleGraph& g) {
  Value *rois = some_regions(g), *batch = g.b.ints({1, 0, 0, 1, 1, 0, 1});
  std::vector<Value*> results;
  for (const int64_t channels : {3, 16, 37})
    results.push_back(g.b.make<RoiAlign>({g.input(DType::f32, {2, channels, 13, 11}), rois, batch},
                                         {.output_height = 3,
                                          .output_width = 7,
                                          .sampling_ratio = sampling,
                                          .spatial_scale = 0.75,
                                          .mode = mode,
                                          .coordinate_transformation_mode = coordinates}));
  g.outputs(results);
}

void roi_samples(std::vector<Sample>& samples) {
  using Mode = RoiMode;
  using Coordinates = RoiCoordinates;
  samples.push_back({"roi_align/regions", regions<Mode::avg, Coordinates::half_pixel, 0>});
  samples.push_back({"roi_align/regions_2", regions<Mode::avg, Coordinates::half_pixel, 2>});
  samples.push_back({"roi_align/regions_3", regions<Mode::avg, Coordinates::output_half_pixel, 3>});
  samples.push_back({"roi_align/regions_max", regions<Mode::max, Coordinates::half_pixel, 0>});
  samples.push_back({"roi_align/regions_max_2", regions<Mode::max, Coordinates::output_half_pixel, 2>});
  samples.push_back({"roi_align/many", [](SampleGraph& g) {
                       Value* rois = g.input(DType::f32, {60, 4}, -5, 40);
                       Value* batch = g.input(DType::i64, {60}, 0, 1);
                       g.outputs({g.b.make<RoiAlign>({g.input(DType::f32, {2, 272, 9, 20}), rois, batch},
                                                     {.output_height = 5, .output_width = 4, .sampling_ratio = 2})});
                     }});
  samples.push_back({"roi_align/nothing", [](SampleGraph& g) {
                       Value *rois = g.input(Tensor(DType::f32, {0, 4})), *batch = g.input(Tensor(DType::i64, {0}));
                       Value *far = g.input(Tensor::of<float>({1, 4}, {0, 0, 1, 1})), *one = g.b.ints({0});
                       g.outputs({g.b.make<RoiAlign>({g.input(DType::f32, {1, 2, 3, 4}), rois, batch}),
                                  g.b.make<RoiAlign>({g.input(DType::f32, {1, 2, 0, 4}), far, one}),
                                  g.b.make<RoiAlign>({g.input(DType::f32, {1, 0, 3, 4}), far, one})});
                     }});
  samples.push_back({"max_roi_pool/regions", [](SampleGraph& g) {
                       Value* rois = g.input(Tensor::of<float>(
                           {4, 5}, {0, -3, -2, 9, 25, 1, 40, 40, 50, 60, 1, 9, 3, 4, 5, 0, 2.5F, 3.5F, 5, 6}));
                       Value* x = g.input(DType::f32, {2, 37, 13, 11});
                       Value* none = g.input(Tensor(DType::f32, {0, 5}));
                       g.outputs({g.b.make<MaxRoiPool>({x, rois}, {.pooled_shape = {3, 7}, .spatial_scale = 0.75}),
                                  g.b.make<MaxRoiPool>({x, none}, {.pooled_shape = {2, 2}})});
                     }});
}

}  // namespace

void samples_pool(std::vector<Sample>& samples) {
  samples.push_back({"max_pool", [](SampleGraph& g) {
                       one<MaxPool>(g, {2, 3, 8, 9}, {.kernel_shape = {2, 2}, .strides = {2, 2}});
                     }});
  samples.push_back({"max_pool/padded", [](SampleGraph& g) {
                       one<MaxPool>(g, {1, 2, 9, 8}, {.kernel_shape = {3, 3}, .strides = {2, 2}, .pads = {1, 1, 1, 1}});
                     }});
  samples.push_back({"max_pool/dilated_ceil", [](SampleGraph& g) {
                       one<MaxPool>(
                           g, {1, 2, 10, 11},
                           {.kernel_shape = {2, 3}, .strides = {3, 2}, .dilations = {2, 1}, .ceil_mode = true});
                     }});
  samples.push_back({"max_pool/indices", [](SampleGraph& g) {
                       Node* n = g.b.make_n<MaxPool>(
                           {g.input(DType::f32, {2, 2, 5, 6})},
                           {.kernel_shape = {3, 3}, .strides = {2, 1}, .pads = {1, 0, 1, 2}, .storage_order = 1}, 2);
                       g.outputs({n->result(0), n->result(1)});
                     }});
  samples.push_back(
      {"max_pool/u8", [](SampleGraph& g) {
         one<MaxPool>(g, {1, 1, 5, 5}, {.kernel_shape = {3, 3}, .auto_pad = AutoPad::same_upper}, DType::u8);
       }});
  samples.push_back({"max_pool/f64_and_bytes", [](SampleGraph& g) {
                       std::vector<Value*> out;
                       for (const DType t : {DType::f64, DType::u8, DType::i8}) {
                         const MaxPool::Attrs a{.kernel_shape = {3, 3}, .strides = {2, 1}, .pads = {1, 1, 1, 1}};
                         Value* x = g.input(t, {2, 3, 9, 40}, t == DType::u8 ? 0 : -100, 100);
                         out.push_back(g.b.make<MaxPool>({x}, a));
                         const Node* n = g.b.make_n<MaxPool>({x}, a, 2);
                         out.push_back(n->result(0)), out.push_back(n->result(1));
                       }
                       g.outputs(out);
                     }});
  samples.push_back({"average_pool/f64", [](SampleGraph& g) {
                       Value* x = g.input(DType::f64, {2, 3, 9, 40});
                       g.outputs({g.b.make<AveragePool>({x}, {.kernel_shape = {3, 3}, .pads = {1, 1, 1, 1}}),
                                  g.b.make<AveragePool>({x}, {.kernel_shape = {2, 3},
                                                              .strides = {2, 3},
                                                              .pads = {1, 1, 1, 1},
                                                              .ceil_mode = true,
                                                              .count_include_pad = true}),
                                  g.b.make<GlobalAveragePool>({x}), g.b.make<GlobalMaxPool>({x})});
                     }});
  samples.push_back({"max_pool/1d", [](SampleGraph& g) { one<MaxPool>(g, {1, 3, 32}, {.kernel_shape = {2}}); }});
  samples.push_back({"average_pool", [](SampleGraph& g) {
                       one<AveragePool>(g, {2, 3, 8, 9}, {.kernel_shape = {2, 3}, .strides = {2, 2}});
                     }});
  samples.push_back({"average_pool/ceil", [](SampleGraph& g) {
                       one<AveragePool>(g, {1, 2, 8, 7},
                                        {.kernel_shape = {3, 3},
                                         .strides = {2, 3},
                                         .pads = {1, 1, 1, 1},
                                         .ceil_mode = true,
                                         .count_include_pad = true});
                     }});
  samples.push_back(
      {"average_pool/symbolic", [](SampleGraph& g) {
         Value* x = g.input(g.random(DType::f32, {1, 2, 7, 9}, -1, 1), {1, 2, Dim::symbol("H"), Dim::symbol("W")});
         g.outputs({g.b.make<AveragePool>(
             {x}, {.kernel_shape = {3, 2}, .strides = {2, 4}, .pads = {1, 0, 1, 1}, .ceil_mode = true})});
       }});
  samples.push_back({"average_pool/3d", [](SampleGraph& g) {
                       one<AveragePool>(
                           g, {1, 2, 6, 7, 8},
                           {.kernel_shape = {2, 2, 2}, .dilations = {2, 3, 1}, .auto_pad = AutoPad::same_lower});
                     }});
  samples.push_back(
      {"average_pool/longer_than_axis", [](SampleGraph& g) {
         std::vector<Value*> out;
         for (const DType t : {DType::f32, DType::f64}) {
           Value* x = g.input(g.random(t, {1, 2, 1, 2}, -1, 1), {1, 2, Dim::symbol("H"), Dim::symbol("W")});
           Value* fixed = g.input(t, {1, 2, 1, 2});
           for (Value* v : {x, fixed})
             for (const bool include : {false, true})
               out.push_back(g.b.make<AveragePool>(
                   {v},
                   {.kernel_shape = {3, 3}, .strides = {3, 2}, .pads = {1, 0, 0, 0}, .count_include_pad = include}));
         }
         g.outputs(out);
       }});
  samples.push_back({"max_pool/longer_than_axis", [](SampleGraph& g) {
                       std::vector<Value*> out;
                       for (const DType t : {DType::f32, DType::f64, DType::u8}) {
                         Value* x = g.input(g.random(t, {1, 17, 1, 5}, 0, 9), {1, 17, Dim::symbol("H"), 5});
                         const Node* n = g.b.make_n<MaxPool>({x}, {.kernel_shape = {2, 2}, .strides = {2, 2}}, 2);
                         out.push_back(n->result(0)), out.push_back(n->result(1));
                         out.push_back(g.b.make<MaxPool>({x}, {.kernel_shape = {2, 2}, .strides = {2, 2}}));
                         out.push_back(g.b.make<MaxPool>({x}, {.kernel_shape = {3, 2}, .strides = {2, 2}}));
                       }
                       g.outputs(out);
                     }});
  samples.push_back({"lp_pool/longer_than_axis", [](SampleGraph& g) {
                       one<LpPool>(g, {1, 2, 1, 5}, {.kernel_shape = {2, 2}, .strides = {2, 2}, .p = 1});
                     }});
  samples.push_back({"lp_pool", [](SampleGraph& g) {
                       one<LpPool>(g, {1, 2, 6, 6}, {.kernel_shape = {2, 2}, .pads = {1, 0, 0, 1}, .p = 3});
                     }});
  samples.push_back({"global_average_pool", [](SampleGraph& g) { one<GlobalAveragePool>(g, {2, 3, 5, 6}, {}); }});
  samples.push_back({"global_average_pool/f16", [](SampleGraph& g) {
                       one<GlobalAveragePool>(g, {2, 3, 5, 6}, {}, DType::f16);
                     }});
  samples.push_back({"global_max_pool", [](SampleGraph& g) { one<GlobalMaxPool>(g, {2, 3, 5, 6, 2}, {}); }});
  samples.push_back({"global_lp_pool", [](SampleGraph& g) { one<GlobalLpPool>(g, {2, 3, 5}, {.p = 3}); }});
  samples.push_back(
      {"max_unpool", [](SampleGraph& g) {
         Node* n =
             g.b.make_n<MaxPool>({g.input(DType::f32, {1, 2, 4, 6})}, {.kernel_shape = {2, 2}, .strides = {2, 2}}, 2);
         g.outputs({g.b.make<MaxUnpool>({n->result(0), n->result(1)}, {.kernel_shape = {2, 2}, .strides = {2, 2}})});
       }});
  samples.push_back({"max_unpool/larger", [](SampleGraph& g) {
                       Node* n = g.b.make_n<MaxPool>({g.input(DType::f32, {1, 2, 4, 6})},
                                                     {.kernel_shape = {2, 2}, .strides = {2, 2}}, 2);
                       g.outputs({g.b.make<MaxUnpool>({n->result(0), n->result(1), g.b.ints({1, 2, 5, 7})},
                                                      {.kernel_shape = {2, 2}, .strides = {2, 2}})});
                     }});
  samples.push_back({"max_roi_pool", [](SampleGraph& g) {
                       Value* rois = g.input(Tensor::of<float>({2, 5}, {0, 0, 0, 7, 9, 1, 2, 3, 30, 5}));
                       g.outputs({g.b.make<MaxRoiPool>({g.input(DType::f32, {2, 3, 8, 9}), rois},
                                                       {.pooled_shape = {3, 2}, .spatial_scale = 0.5})});
                     }});
  samples.push_back(
      {"roi_align", [](SampleGraph& g) {
         Value *rois = g.input(Tensor::of<float>({2, 4}, {1, 1, 7.5, 9, -1, 2, 9, 5})), *batch = g.b.ints({1, 0});
         g.outputs({g.b.make<RoiAlign>({g.input(DType::f32, {2, 3, 8, 9}), rois, batch},
                                       {.output_height = 3, .output_width = 2, .spatial_scale = 0.75})});
       }});
  samples.push_back({"roi_align/max", [](SampleGraph& g) {
                       Value *rois = g.input(Tensor::of<float>({1, 4}, {1, 1, 7.5, 9})), *batch = g.b.ints({0});
                       g.outputs(
                           {g.b.make<RoiAlign>({g.input(DType::f32, {1, 2, 8, 9}), rois, batch},
                                               {.output_height = 2,
                                                .output_width = 2,
                                                .sampling_ratio = 2,
                                                .mode = RoiMode::max,
                                                .coordinate_transformation_mode = RoiCoordinates::output_half_pixel})});
                     }});
  roi_samples(samples);
}

}  // namespace tc
