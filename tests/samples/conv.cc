#include "tests/samples/sample.h"

namespace tc {
namespace {

constexpr DType f32 = DType::f32;

void conv(SampleGraph& g, DType t, Extents x, Extents w, ConvAttrs attrs, bool bias = true) {
  std::vector<Value*> operands{g.input(t, std::move(x)), g.input(t, w)};
  if (bias) operands.push_back(g.input(t, {w[0]}));
  g.outputs({g.b.make<Conv>(operands, std::move(attrs))});
}

}  // namespace

void samples_conv(std::vector<Sample>& samples) {
  samples.push_back({"conv", [](SampleGraph& g) {
                       conv(g, f32, {2, 3, 9, 10}, {4, 3, 3, 3}, {.pads = {1, 1, 1, 1}});
                     }});
  samples.push_back(
      {"conv/strided", [](SampleGraph& g) {
         conv(g, f32, {1, 3, 11, 12}, {5, 3, 3, 5}, {.strides = {2, 3}, .pads = {0, 2, 1, 1}, .dilations = {2, 1}});
       }});
  samples.push_back({"conv/1x1", [](SampleGraph& g) { conv(g, f32, {2, 17, 5, 7}, {33, 17, 1, 1}, {}); }});
  samples.push_back({"conv/depthwise", [](SampleGraph& g) {
                       conv(g, f32, {1, 18, 9, 9}, {18, 1, 5, 5}, {.auto_pad = AutoPad::same_upper, .group = 18});
                     }});
  samples.push_back(
      {"conv/grouped_steps_of_one", [](SampleGraph& g) {
         conv(g, f32, {2, 6, 9, 8}, {4, 3, 3, 2}, {.pads = {1, 0, 2, 1}, .dilations = {2, 1}, .group = 2});
       }});
  // As gradients of weights are computed: kernels of an image's extents.
  samples.push_back({"conv/weights", [](SampleGraph& g) {
                       conv(g, f32, {2, 6, 9, 10}, {12, 2, 8, 9}, {.pads = {1, 0, 1, 1}, .group = 3}, false);
                     }});
  samples.push_back(
      {"conv/weights_of_many_channels", [](SampleGraph& g) {
         // Of one sign, so that no result is near zero beside what was summed.
         g.outputs({g.b.make<Conv>({g.input(f32, {12, 16, 17, 17}, 0.5, 1), g.input(f32, {40, 8, 15, 15}, 0.5, 1)},
                                   {.group = 2})});
       }});
  samples.push_back({"conv/weights_of_strides", [](SampleGraph& g) {
                       conv(g, DType::f64, {1, 4, 12, 13}, {4, 2, 4, 5},
                            {.strides = {2, 1}, .pads = {0, 1, 1, 1}, .dilations = {2, 3}, .group = 2}, false);
                     }});
  samples.push_back({"conv/weights_of_vectors", [](SampleGraph& g) {
                       conv(g, f32, {5, 6, 20}, {3, 2, 16}, {.pads = {2, 0}, .group = 3}, false);
                     }});
  samples.push_back({"conv/grouped_same_lower", [](SampleGraph& g) {
                       conv(g, f32, {1, 6, 8, 7}, {4, 3, 4, 2},
                            {.strides = {3, 2}, .auto_pad = AutoPad::same_lower, .group = 2}, false);
                     }});
  samples.push_back({"conv/1d", [](SampleGraph& g) {
                       conv(g, f32, {2, 3, 20}, {4, 3, 5}, {.auto_pad = AutoPad::valid});
                     }});
  samples.push_back({"conv/3d", [](SampleGraph& g) {
                       conv(g, f32, {1, 2, 5, 6, 7}, {3, 2, 2, 3, 3}, {.pads = {0, 1, 1, 1, 1, 0}});
                     }});
  samples.push_back({"conv/f16", [](SampleGraph& g) { conv(g, DType::f16, {1, 2, 6, 6}, {3, 2, 3, 3}, {}); }});
  samples.push_back(
      {"conv/f64", [](SampleGraph& g) {
         conv(g, DType::f64, {2, 6, 9, 11}, {8, 3, 3, 3}, {.strides = {2, 1}, .pads = {1, 0, 1, 2}, .group = 2});
       }});
  samples.push_back({"conv/f64_epilogue", [](SampleGraph& g) {
                       conv(g, DType::f64, {1, 40, 7, 7}, {9, 40, 3, 3}, {.pads = {1, 1, 1, 1}});
                       Value* y = g.module->main().output(0);
                       g.outputs({g.b.make<Relu>({g.b.make<Add>({y, g.input(DType::f64, {1, 9, 7, 7})})})});
                     }});
  samples.push_back(
      {"conv_transpose/f64", [](SampleGraph& g) {
         ConvTranspose::Attrs a;
         a.strides = {2, 2}, a.pads = {1, 1, 0, 0}, a.group = 2;
         g.outputs({g.b.make<ConvTranspose>(
             {g.input(DType::f64, {2, 4, 5, 6}), g.input(DType::f64, {4, 3, 3, 2}), g.input(DType::f64, {6})}, a)});
       }});
  // A gate of each channel, from their means, and an addend.
  samples.push_back(
      {"conv/one_pixel",
       [](SampleGraph& g) {
         const auto weights = [&](Extents e) { return g.b.constant(g.random(f32, std::move(e), -0.3, 0.3)); };
         Value* x = g.b.make<Conv>({g.input(f32, {3, 32, 6, 5}), weights({32, 32, 3, 3})}, {.pads = {1, 1, 1, 1}});
         Value* mean = g.b.make<GlobalAveragePool>({x});
         Value* few = g.b.make<Relu>({g.b.make<Conv>({mean, weights({20, 32, 1, 1}), weights({20})})});
         Value* gate = g.b.make<Sigmoid>({g.b.make<Conv>({few, weights({32, 20, 1, 1}), weights({32})})});
         Value* sum = g.b.make<Add>(
             {g.b.make<Conv>({few, weights({50, 20, 1, 1})}, {.strides = {2, 3}}), g.input(f32, {3, 50, 1, 1})});
         g.outputs({g.b.make<Mul>({x, gate}), g.b.make<Relu>({sum})});
       },
       // Four deviations of 288 products of 0.1 on average (root mean square) by halves of their factors, each of which
       // errs by 2^-17 of itself.
       1e-4, 1e-5, 4e-5});
  samples.push_back({"conv/empty_batch", [](SampleGraph& g) { conv(g, f32, {0, 2, 6, 6}, {3, 2, 3, 3}, {}); }});
  samples.push_back(
      {"conv/symbolic", [](SampleGraph& g) {
         Value* x =
             g.input(g.random(f32, {2, 3, 13, 10}, -1, 1), {Dim::symbol("N"), 3, Dim::symbol("H"), Dim::symbol("W")});
         Value* y = g.b.make<Conv>({x, g.input(f32, {8, 3, 3, 3})}, {.strides = {2, 2}, .pads = {1, 1, 1, 1}});
         g.outputs(
             {g.b.make<Conv>({y, g.input(f32, {4, 8, 4, 4})}, {.strides = {2, 2}, .auto_pad = AutoPad::same_upper})});
       }});

  samples.push_back(
      {"conv_integer", [](SampleGraph& g) {
         Value* x = g.input(DType::u8, {1, 3, 6, 7}, 0, 255);
         Value* w = g.input(DType::i8, {4, 3, 3, 3}, -128, 127);
         g.outputs({g.b.make<ConvInteger>({x, w, g.input(DType::u8, {}, 0, 255), g.input(DType::i8, {4}, -9, 9)},
                                          {.strides = {1, 2}, .pads = {1, 1, 1, 1}})});
       }});

  samples.push_back({"conv_integer/unsigned_filters", [](SampleGraph& g) {
                       Value* w = g.b.constant(g.random(DType::u8, {4, 5, 3, 3}, 0, 255));
                       g.outputs({g.b.make<ConvInteger>({g.input(DType::u8, {2, 5, 6, 7}, 0, 255), w,
                                                         g.input(DType::u8, {}, 0, 255), g.b.scalar<uint8_t>(117)},
                                                        {.pads = {1, 1, 1, 1}}),
                                  g.b.make<ConvInteger>({g.input(DType::i8, {1, 5, 6, 7}, -128, 127), w}, {})});
                     }});
  samples.push_back({"conv_integer/zero_per_filter", [](SampleGraph& g) {
                       Value* w = g.b.constant(g.random(DType::i8, {6, 3, 1, 2}, -128, 127));
                       g.outputs(
                           {g.b.make<ConvInteger>({g.input(DType::u8, {1, 6, 5, 7}, 0, 255), w,
                                                   g.input(DType::u8, {}, 0, 255), g.input(DType::i8, {6}, -9, 9)},
                                                  {.strides = {2, 1}, .group = 2})});
                     }});

  samples.push_back(
      {"conv_transpose", [](SampleGraph& g) {
         g.outputs({g.b.make<ConvTranspose>(
             {g.input(f32, {2, 4, 5, 6}), g.input(f32, {4, 3, 3, 2}), g.input(f32, {6})},
             {.strides = {2, 3}, .pads = {1, 0, 1, 1}, .dilations = {2, 1}, .group = 2, .output_padding = {1, 0}})});
       }});
  samples.push_back({"conv_transpose/output_shape", [](SampleGraph& g) {
                       g.outputs({g.b.make<ConvTranspose>({g.input(f32, {1, 2, 3, 3}), g.input(f32, {2, 1, 3, 3})},
                                                          {.strides = {3, 2}, .output_shape = {10, 8}})});
                     }});
  samples.push_back({"conv_transpose/same", [](SampleGraph& g) {
                       Value* x = g.input(g.random(f32, {1, 2, 4}, -1, 1), {1, 2, Dim::symbol("L")});
                       g.outputs({g.b.make<ConvTranspose>({x, g.input(f32, {2, 3, 5})},
                                                          {.strides = {2}, .auto_pad = AutoPad::same_lower})});
                     }});

  samples.push_back({"deform_conv", [](SampleGraph& g) {
                       Value *x = g.input(f32, {1, 4, 5, 6}), *w = g.input(f32, {2, 2, 2, 3}),
                             *offset = g.input(f32, {1, 24, 6, 6}), *mask = g.input(f32, {1, 12, 6, 6}, 0, 1);
                       g.outputs({g.b.make<DeformConv>({x, w, offset, g.input(f32, {2}), mask},
                                                       {.pads = {1, 1, 1, 1}, .group = 2, .offset_group = 2})});
                     }});

  samples.push_back({"deform_conv/plain", [](SampleGraph& g) {
                       Value *x = g.input(f32, {2, 3, 7, 8}), *w = g.input(f32, {4, 3, 3, 3});
                       g.outputs({g.b.make<DeformConv>({x, w, g.input(f32, {2, 18, 4, 4}, -3, 3)},
                                                       {.strides = {2, 2}, .pads = {1, 1, 1, 1}})});
                     }});
  samples.push_back({"col2im", [](SampleGraph& g) {
                       Value* x = g.input(f32, {2, 12, 12});
                       g.outputs({g.b.make<Col2Im>({x, g.b.ints({5, 6}), g.b.ints({2, 3})},
                                                   {.pads = {0, 0, 0, 0}, .dilations = {2, 1}})});
                     }});
  samples.push_back(
      {"col2im/any_rank", [](SampleGraph& g) {
         g.outputs({g.b.make<Col2Im>({g.input(f32, {1, 6, 39}), g.b.ints({40}), g.b.ints({3})}, {.pads = {1, 0}}),
                    g.b.make<Col2Im>({g.input(DType::f64, {1, 27, 75}), g.b.ints({6, 9, 5}), g.b.ints({3, 3, 3})},
                                     {.strides = {2, 2, 1}, .pads = {1, 1, 1, 1, 1, 1}}),
                    g.b.make<Col2Im>({g.input(DType::i32, {1, 4, 3}), g.b.ints({2, 4}), g.b.ints({2, 2})}, {})});
       }});
  samples.push_back({"col2im/bool", [](SampleGraph& g) {
                       g.outputs({g.b.make<Col2Im>({g.input(DType::boolean, {1, 4, 5}), g.b.ints({5}), g.b.ints({4})},
                                                   {.pads = {2, 1}})});
                     }});

  samples.push_back({"causal_conv_with_state", [](SampleGraph& g) {
                       Node* n = g.b.make_n<CausalConvWithState>({g.input(f32, {2, 3, 7}), g.input(f32, {3, 1, 4}),
                                                                  g.input(f32, {3}), g.input(f32, {2, 3, 3})},
                                                                 {ConvActivation::silu}, 2);
                       g.outputs({n->result(0), n->result(1)});
                     }});
}

}  // namespace tc
