// Writes the models that cpp_test rebuilds: cpp_models DIR.
#include <cstdio>
#include <limits>

#include "tc/frontend/dsl/op.h"
#include "tc/tc.h"

namespace tc {
namespace {

// Two convolutions with pools and a dense layer, for handwritten digits.
Function digits() {
  Init init(1);
  const auto w = [&](const char* name, Extents e) { return Param(name, init.he_normal(std::move(e))); };
  const Param w1 = w("conv1.weight", {4, 1, 3, 3}), b1("conv1.bias", init.normal({4}, 0, 0.1)),
              w2 = w("conv2.weight", {8, 4, 3, 3}), fc = w("fc.weight", {8 * 7 * 7, 10}),
              bias("fc.bias", init.normal({10}, 0, 0.1));
  return trace("digits", {{"image", f32, {"batch", 1, 28, 28}}}, [&](Var x) {
    x = max_pool(relu(conv(x, w1, b1, {.padding = {1, 1}})), {2, 2}, {.strides = {2, 2}}).named("block 1/out");
    x = max_pool(relu(conv(x, w2, {.padding = Padding::same_upper})), {2, 2}, {.strides = {2, 2}});
    const Var y = (matmul(reshape(x, {-1, 8 * 7 * 7}), fc) + bias).named("logits");
    return Outputs{{"probabilities", softmax(y)}, {"class", argmax(y, {.axis = 1})}};
  });
}

// As detectors of voice do it: one of two front ends by the sampling rate, an LSTM whose state goes in and out.
Function voice() {
  Init init(2);
  const Param wide("wide", init.normal({8, 1, 16}, 0, 0.2)), narrow("narrow", init.normal({8, 1, 8}, 0, 0.2)),
      w("lstm.w", init.normal({1, 24, 8}, 0, 0.3)), r("lstm.r", init.normal({1, 24, 6}, 0, 0.3)),
      b("lstm.b", init.normal({1, 48}, 0, 0.3)), out("out", init.normal({6, 1}, 0, 0.5));
  return trace(
      "voice",
      {{"input", f32, {"batch", 256}}, {"h", f32, {1, "batch", 6}}, {"c", f32, {1, "batch", 6}}, {"sr", i64, {}}},
      [&](Var x, Var h, Var c, Var sr) {
        const Var frames = cond(
            sr == 16000, [&] { return conv(expand_dims(x, 1), wide, {.strides = {8}}); },
            [&] {
              const Var loud = cond(
                  max(abs(x)) > 1, [&] { return x / max(abs(x)); }, [&] { return x; });
              return conv(expand_dims(loud, 1), narrow, {.strides = {8}});
            });
        const auto states = op_n("lstm", 3, {permute_dims(relu(frames), {2, 0, 1}), w, r, b, Var(), h, c},
                                 {{"hidden_size", int64_t{6}}});
        const Var y = squeeze(states[0], 1)[{-1}];
        return Outputs{{"output", sigmoid(matmul(y, out))}, {"hn", states[1]}, {"cn", states[2]}};
      });
}

// Loops with captured, carried and collected values, a scan, and constants of every sort.
Function loops() {
  return trace("loops", {{"x", f32, {"n", 3}}, {"count", i64, {}}}, [&](Var x, Var count) {
    const Var table = asarray(Tensor::of<Float16>({2}, {Float16(0.5f), Float16(-2.f)}));
    const auto steps = op_n("loop", 2, {count, asarray(Tensor::scalar<Bool>(Bool(true))), x}, {},
                            {region({"i64[]", "bool[]", "f32[?0,3]"}, [&](Var i, Var go, Var v) {
                              const Var next = v * 0.5 + x;
                              return std::vector<Var>{go & (i < 5), next, sum(next, {.axis = 0})};
                            })});
    const auto [total, parts] = scan([](Var s, Var v) { return std::pair{s + v, s * v}; }, {zeros({3})}, {x});
    const auto [at, powers] = while_loop([](Var k, Var) { return k < 4; },
                                         [](Var k, Var v) {
                                           return std::pair{k + 1, v * 1.5};
                                         },
                                         {0, total});
    const Var names = op("identity", {asarray(Tensor::of<std::string>({2}, {"a\"b?\n", "c"}))});
    return Outputs{{"state", steps[0]},
                   {"sums", steps[1]},
                   {"parts", parts},
                   {"steps", at},
                   {"powers", powers},
                   {"table", astype(table, f64) / asarray(Tensor::scalar<double>(0.1)).named("a tenth") *
                                 asarray(Tensor::of<float>({2}, {1, std::numeric_limits<float>::infinity()}))},
                   {"names", names},
                   {"range", arange(20)}};
  });
}

}  // namespace
}  // namespace tc

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  tc::export_onnx(tc::digits(), folder + "/digits.onnx", {.opset = 18});
  tc::export_onnx(tc::voice(), folder + "/voice.onnx", {.opset = 18});
  tc::export_onnx(tc::loops(), folder + "/loops.onnx", {.opset = 21});
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "cpp_models: %s\n", e.what());
  return 1;
}
