// precision = strict: networks like those of the zoo are as close to f64 as ONNX Runtime's.
#include <gtest/gtest.h>

#include <cmath>

#include "peer.h"
#include "tc/ir/eval/interp.h"
#include "tc/tc.h"

namespace tc::peers {
namespace {

Function convolutions() {
  return trace("convolutions", {{"x", f32, {1, 32, 24, 24}}}, [](Var x) {
    for (unsigned i = 0; i < 4; ++i) x = relu(conv(x, weights({32, 32, 3, 3}, 144, i), {.padding = Padding{1, 1}}));
    return x;
  });
}
Function products() {
  return trace("products", {{"x", f32, {160, 192}}}, [](Var x) {
    for (unsigned i = 0; i < 3; ++i) x = tanh(matmul(x, weights({192, 192}, 192, i)));
    return x;
  });
}
Function recurrent() {
  return trace("recurrent", {{"x", f32, {12, 1, 64}}}, [](Var x) {
    return lstm(x, weights({1, 256, 64}, 64, 1), weights({1, 256, 64}, 64, 2), weights({1, 512}, 64, 3)).y;
  });
}
// Weights that the model dequantises, times rows for which they would be multiplied in 16 bits.
Function dequantised() {
  return trace("dequantised", {{"x", f32, {24, 256}}}, [](Var x) {
    Tensor bytes(i8, {256, 256});
    int value = 0;
    for (int8_t& v : bytes.mutable_span<int8_t>()) v = static_cast<int8_t>((value = (value * 37 + 11) % 251) - 125);
    return matmul(x, dequantize_linear(bytes, weights({256}, 3 << 20, 1)));
  });
}

TEST(Precision, StrictIsAsExactAsOnnxRuntime) {
  for (const Function& f : {convolutions(), products(), recurrent(), dequantised()}) {
    const auto input = f.inputs()[0];
    const Tensor x = random_f32(input.type.shape().extents(), 7);
    const auto peer =
        onnx_runtime(std::vector<Job>{{.model = {}, .inputs = {{"x", x}}, .bytes = export_onnx_bytes(f)}});
    ASSERT_EQ(peer[0].error, "") << f.name();
    InterpOptions in_f64;
    in_f64.widened = true;
    const Tensor truth = interpret(f.module(), {x}, in_f64)[0].tensor();
    const double strict = error_of_max(compile(f, {.precision = "strict"})({x})[0], truth);
    const double other = error_of_max(peer[0].outputs[0].second, truth);
    EXPECT_LE(strict, 2 * other + 1e-7) << f.name();
  }
}

}  // namespace
}  // namespace tc::peers
