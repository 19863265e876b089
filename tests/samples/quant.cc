#include "tests/samples/sample.h"

namespace tc {
namespace {}  // namespace

void samples_quant(std::vector<Sample>& samples) {
  samples.push_back(
      {"quantize_linear", [](SampleGraph& g) {
         g.outputs({g.b.make<QuantizeLinear>({g.input(DType::f32, {2, 3}), g.b.scalar(0.1f), g.b.scalar<uint8_t>(7)})});
       }});
  samples.push_back(
      {"quantize_linear/axis_f8", [](SampleGraph& g) {
         g.outputs({g.b.make<QuantizeLinear>({g.input(DType::f32, {2, 3, 4}), g.input(DType::f32, {3}, 0.001, 1)},
                                             {.axis = -2, .output_dtype = DType::f8e4m3fn})});
       }});
  samples.push_back(
      {"quantize_linear/blocked_i4", [](SampleGraph& g) {
         g.outputs({g.b.make<QuantizeLinear>(
             {g.input(DType::f16, {2, 5, 2}), g.input(DType::f16, {2, 3, 2}, 0.1, 1), g.input(DType::i4, {2, 3, 2})},
             {.axis = 1, .block_size = 2})});
       }});
  samples.push_back(
      {"quantize_linear/blocked_rows", [](SampleGraph& g) {
         g.outputs({g.b.make<QuantizeLinear>(
             {g.input(DType::f32, {3, 40}), g.input(DType::f32, {3, 3}, 0.01, 0.1), g.input(DType::i8, {3, 3}, -9, 9)},
             {.axis = 1, .block_size = 16})});
       }});
  samples.push_back({"dequantize_linear", [](SampleGraph& g) {
                       g.outputs({g.b.make<DequantizeLinear>(
                           {g.input(DType::u8, {2, 3}, 0, 255), g.b.scalar(0.1f), g.b.scalar<uint8_t>(7)})});
                     }});
  samples.push_back(
      {"dequantize_linear/last_axis", [](SampleGraph& g) {
         g.outputs({g.b.make<DequantizeLinear>({g.input(DType::i8, {7, 9}, -100, 100), g.input(DType::f32, {9}, 0.1, 1),
                                                g.input(DType::i8, {9}, -10, 10)})});
       }});
  samples.push_back({"dequantize_linear/axis", [](SampleGraph& g) {
                       g.outputs(
                           {g.b.make<DequantizeLinear>({g.input(DType::i16, {2, 3, 4}, -9999, 9999),
                                                        g.input(DType::f32, {3}, 0.01, 1), g.input(DType::i16, {3})})});
                     }});
  samples.push_back(
      {"dequantize_linear/blocked", [](SampleGraph& g) {
         g.outputs({g.b.make<DequantizeLinear>({g.input(DType::u2, {6, 3}, 0, 3), g.input(DType::f32, {2, 3}, 0.1, 1)},
                                               {.axis = 0, .block_size = 4, .output_dtype = DType::f16})});
       }});
  samples.push_back({"dequantize_linear/blocked_rows", [](SampleGraph& g) {
                       g.outputs({g.b.make<DequantizeLinear>(
                           {g.input(DType::u8, {2, 2, 64}, 0, 255), g.input(DType::f32, {2, 2, 2}, 0.01, 0.1),
                            g.input(DType::u8, {2, 2, 2}, 0, 255)},
                           {.axis = -1, .block_size = 32})});
                     }});
  samples.push_back({"dynamic_quantize_linear", [](SampleGraph& g) {
                       Node* n = g.b.make_n<DynamicQuantizeLinear>({g.input(DType::f32, {3, 4})}, {}, 3);
                       g.outputs({n->result(0), n->result(1), n->result(2)});
                     }});
  samples.push_back({"qlinear_matmul", [](SampleGraph& g) {
                       g.outputs({g.b.make<QLinearMatMul>(
                           {g.input(DType::u8, {2, 3, 4}, 0, 255), g.input(DType::f32, {3}, 0.01, 0.1),
                            g.input(DType::u8, {3}, 0, 255), g.input(DType::i8, {2, 4, 5}, -128, 127),
                            g.input(DType::f32, {2, 1, 5}, 0.01, 0.1), g.input(DType::i8, {2, 1, 5}, -9, 9),
                            g.b.scalar(0.5f), g.b.scalar<int8_t>(-3)})});
                     }});
  samples.push_back(
      {"qlinear_conv", [](SampleGraph& g) {
         g.outputs({g.b.make<QLinearConv>(
             {g.input(DType::u8, {1, 2, 6, 7}, 0, 255), g.b.scalar(0.02f), g.b.scalar<uint8_t>(128),
              g.input(DType::i8, {3, 2, 3, 3}, -128, 127), g.input(DType::f32, {3}, 0.01, 0.02), g.b.scalar<int8_t>(0),
              g.b.scalar(0.5f), g.b.scalar<uint8_t>(100), g.input(DType::i32, {3}, -999, 999)},
             {.strides = {2, 1}, .pads = {1, 1, 1, 1}})});
       }});
  samples.push_back(
      {"qlinear_conv/constant_filters", [](SampleGraph& g) {
         g.outputs({g.b.make<QLinearConv>(
             {g.input(DType::u8, {1, 2, 6, 7}, 0, 255), g.b.scalar(0.02f), g.b.scalar<uint8_t>(128),
              g.b.constant(g.random(DType::u8, {3, 2, 3, 3}, 0, 255)), g.b.scalar(0.015f), g.b.scalar<uint8_t>(131),
              g.b.scalar(0.5f), g.b.scalar<uint8_t>(100), g.input(DType::i32, {3}, -999, 999)},
             {.strides = {2, 1}, .pads = {1, 1, 1, 1}})});
       }});
}

}  // namespace tc
