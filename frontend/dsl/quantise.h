// Quantised numbers, as ONNX has them: real = (quantised - zero point) * scale, with one scale for all, one per slice
// of an axis (scales of rank 1), or one per block along an axis. Sums of products of quantised numbers are i32.
#pragma once

#include "tc/frontend/dsl/nn.h"

namespace tc {

struct QuantizeOptions {
  Arg zero_point = {};              // of the result's type; {}: 0
  std::optional<DType> dtype = {};  // of the result, without a zero point: u8
  int64_t axis = 1;                 // of scales that are not scalar
  int64_t block_size = 0;           // elements that share a scale; 0: not blocked
  bool saturate = true;             // of conversions to 8-bit floats
};
Var quantize_linear(Arg x, Arg scale, QuantizeOptions options = {});  // rounds halves to even and saturates
struct DequantizeOptions {
  Arg zero_point = {};
  int64_t axis = 1;
  int64_t block_size = 0;
};
Var dequantize_linear(Arg x, Arg scale, DequantizeOptions options = {});
struct [[nodiscard]] DynamicQuantized {
  Var y, scale, zero_point;  // u8, f32, u8
};
DynamicQuantized dynamic_quantize_linear(Arg x);  // by the range of x, widened to hold 0

struct IntegerProductOptions {
  Arg a_zero_point = {}, b_zero_point = {};
};
Var matmul_integer(Arg a, Arg b, IntegerProductOptions options = {});  // of u8 or i8 operands
struct IntegerConvOptions {
  Arg x_zero_point = {}, w_zero_point = {};
  std::vector<int64_t> strides = {}, dilations = {}, pads = {};  // pads: all starts, then all ends
  int64_t groups = 1;
};
Var conv_integer(Arg x, Arg w, IntegerConvOptions options = {});
// A quantised operand, and what its numbers stand for.
struct Quantized {
  Arg values, scale, zero_point;
};
// Of quantised operands, quantised as scale and zero point say.
Var qlinear_matmul(Quantized a, Quantized b, Arg scale, Arg zero_point);
struct QuantizedConvOptions {
  Arg bias = {};  // i32, of scale x.scale * w.scale
  std::vector<int64_t> strides = {}, dilations = {}, pads = {};
  int64_t groups = 1;
};
Var qlinear_conv(Quantized x, Quantized w, Arg scale, Arg zero_point, QuantizedConvOptions options = {});

struct FakeQuantizeOptions {
  double low = 0, high = 255;  // the least and the greatest quantised number
};
// x as quantising and dequantising leaves it, for training: gradients pass where x is in range, and are 0 elsewhere
// (B. Jacob et al., Quantization and training of neural networks, CVPR 2018).
Var fake_quantize(Arg x, Arg scale, Arg zero_point, FakeQuantizeOptions options = {});

}  // namespace tc
