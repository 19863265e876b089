#include "tc/frontend/dsl/quantise.h"

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/conv.h"
#include "tc/ir/ops/matmul.h"
#include "tc/ir/ops/quant.h"

namespace tc {

using namespace dsl;

namespace {

// A zero point, of the type of the numbers it belongs to where it is a number itself.
Var zero_of(const Arg& a, DType like) {
  return a.absent() ? Var() : operand_like(a, like);
}

template <class Options>
ConvAttrs conv_attrs(const Options& o) {
  return {.strides = o.strides, .pads = o.pads, .dilations = o.dilations, .group = o.groups};
}

}  // namespace

Var quantize_linear(Arg x, Arg scale, QuantizeOptions options) {
  const Site site("quantize_linear", x.at());
  const Var v = operand(x);
  const DType t = options.dtype.value_or(u8);
  const Var zero = zero_of(options.zero_point, t);
  QuantizeLinear::Attrs attrs{.axis = options.axis, .block_size = options.block_size, .saturate = options.saturate};
  if (!zero.defined() && t != u8) attrs.output_dtype = t;
  return make<QuantizeLinear>({v, operand_like(scale, v.dtype()), zero}, std::move(attrs));
}
Var dequantize_linear(Arg x, Arg scale, DequantizeOptions options) {
  const Site site("dequantize_linear", x.at());
  const Var v = operand(x);
  return make<DequantizeLinear>({v, operand_like(scale, f32), zero_of(options.zero_point, v.dtype())},
                                {.axis = options.axis, .block_size = options.block_size});
}
DynamicQuantized dynamic_quantize_linear(Arg x) {
  const Site site("dynamic_quantize_linear", x.at());
  const std::vector<Var> r = make_n<DynamicQuantizeLinear>({operand(x)}, {}, 3);
  return {r[0], r[1], r[2]};
}

Var matmul_integer(Arg a, Arg b, IntegerProductOptions options) {
  const Site site("matmul_integer", a.at());
  const Var x = operand(a), y = operand(b);
  return make<MatMulInteger>(
      {x, y, zero_of(options.a_zero_point, x.dtype()), zero_of(options.b_zero_point, y.dtype())});
}
Var conv_integer(Arg x, Arg w, IntegerConvOptions options) {
  const Site site("conv_integer", x.at());
  const Var v = operand(x), k = operand(w);
  return make<ConvInteger>({v, k, zero_of(options.x_zero_point, v.dtype()), zero_of(options.w_zero_point, k.dtype())},
                           conv_attrs(options));
}

namespace {

void append_quantized(std::vector<Var>& operands, const Quantized& q) {
  const Var v = operand(q.values);
  operands.insert(operands.end(), {v, operand_like(q.scale, f32), operand_like(q.zero_point, v.dtype())});
}

}  // namespace

Var qlinear_matmul(Quantized a, Quantized b, Arg scale, Arg zero_point) {
  const Site site("qlinear_matmul", a.values.at());
  std::vector<Var> operands;
  append_quantized(operands, a);
  append_quantized(operands, b);
  const DType t = operands[0].dtype();
  operands.insert(operands.end(), {operand_like(scale, f32), operand_like(zero_point, t)});
  return make<QLinearMatMul>(operands);
}
Var qlinear_conv(Quantized x, Quantized w, Arg scale, Arg zero_point, QuantizedConvOptions options) {
  const Site site("qlinear_conv", x.values.at());
  std::vector<Var> operands;
  append_quantized(operands, x);
  append_quantized(operands, w);
  const DType t = operands[0].dtype();
  operands.insert(operands.end(), {operand_like(scale, f32), operand_like(zero_point, t)});
  if (!options.bias.absent()) operands.push_back(operand_like(options.bias, i32));
  return make<QLinearConv>(operands, conv_attrs(options));
}

Var fake_quantize(Arg x, Arg scale, Arg zero_point, FakeQuantizeOptions options) {
  const Site site("fake_quantize", x.at());
  const Var v = operand(x, Domain::floating);
  const Var s = operand_like(scale, v.dtype()), zero = astype(zero_point, v.dtype());
  const Var exact = v / s + zero;
  const Var whole = clip(round(exact), options.low, options.high);
  const Var inside = (exact >= options.low) & (exact <= options.high);
  // x where it is in range, and what rounding and clipping add, which has no gradient.
  const Var passed = where(inside, v, stop_gradient(v));
  return passed + stop_gradient((whole - zero) * s - v);
}

}  // namespace tc
