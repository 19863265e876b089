// What tc::quantize makes runs in ONNX Runtime, and there and here computes about what the floats did.
#include <gtest/gtest.h>

#include <cmath>

#include "peer.h"
#include "tc/frontend/api/quantize.h"
#include "tc/tc.h"

namespace tc::peers {
namespace {

Tensor around_one(int64_t count, unsigned seed) {
  Tensor t = random_f32({count}, seed);
  for (float& v : t.mutable_span<float>()) v = 1 + v / 4;
  return t;
}

// Convolutions with normalisation and a sum across, a layer of products, one with transposed weights.
Function network() {
  return trace("network", {{"x", f32, {2, 8, 12, 12}}}, [](Var x) {
    const auto block = [](Var v, int64_t in, int64_t out, unsigned seed) {
      const Var y =
          conv(v, weights({out, in, 3, 3}, 9 * in, seed), weights({out}, 9, seed + 1), {.padding = Padding{1, 1}});
      return batch_normalization(y, around_one(out, seed + 2), weights({out}, 9, seed + 3), weights({out}, 9, seed + 4),
                                 around_one(out, seed + 5));
    };
    Var y = relu(block(x, 8, 32, 1));
    y = relu(y + block(y, 32, 32, 11));
    y = max_pool(y, {2, 2}, {.strides = {2, 2}});
    y = reshape(global_average_pool(y), {2, 32});
    y = relu(matmul(y, weights({32, 64}, 32, 21)) + weights({64}, 9, 22));
    return matmul(y, permute_dims(weights({48, 64}, 64, 23), {1, 0}));
  });
}
Function table() {
  return trace("table", {{"x", i64, {5}}}, [](Var x) {
    return matmul(take(asarray(weights({60, 64}, 3, 1)), x, {.axis = 0}), weights({64, 48}, 64, 2));
  });
}

std::vector<std::vector<Datum>> runs_of(const Function& f, int count) {
  std::vector<std::vector<Datum>> runs;
  for (int i = 0; i < count; ++i) {
    if (f.inputs()[0].type.dtype() == i64)
      runs.push_back({Tensor::of<int64_t>({5}, {i, 3, 59, 20, 7})});
    else
      runs.push_back({random_f32(f.inputs()[0].type.shape().extents(), static_cast<unsigned>(100 + i))});
  }
  return runs;
}

double cosine(const Tensor& a, const Tensor& b) {
  const auto x = a.to_vector<float>(), y = b.to_vector<float>();
  double xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < x.size(); ++i)
    xx += static_cast<double>(x[i]) * x[i], yy += static_cast<double>(y[i]) * y[i],
        xy += static_cast<double>(x[i]) * y[i];
  return xy / std::sqrt(xx * yy);
}

struct Case {
  const char* name;
  ModelQuantization options;
  double least;  // cosine with what the floats compute
};
std::vector<Case> cases() {
  return {{"8 bits", {.least = 256}, 0.9999},
          {"8 bits in blocks", {.block = 32, .least = 256}, 0.9999},
          {"4 bits", {.bits = 4, .least = 256}, 0.99},
          {"dynamic", {.mode = QuantizeMode::dynamic, .least = 256}, 0.999},
          {"min-max", {.mode = QuantizeMode::calibrated, .least = 256}, 0.995},
          {"percentile",
           {.mode = QuantizeMode::calibrated, .calibration = Calibration::percentile, .percentile = 99.9, .least = 256},
           0.995},
          {"entropy", {.mode = QuantizeMode::calibrated, .calibration = Calibration::entropy, .least = 256}, 0.98}};
}

void expect_close(const Function& f, const Function& quantised, const std::vector<std::vector<Datum>>& runs,
                  double least, const std::string& name) {
  const Tensor x = runs[0][0].tensor();
  const auto peer = onnx_runtime(std::vector<Job>{{.model = {},
                                                   .inputs = {{"x", x}},
                                                   .bytes = export_onnx_bytes(quantised, {.opset = 21, .level = 0}),
                                                   .exact = true}});
  ASSERT_EQ(peer[0].error, "") << name;
  const Tensor before = compile(f)({x})[0], here = compile(quantised)({x})[0];
  EXPECT_GE(cosine(before, here), least) << name;
  EXPECT_GE(cosine(before, peer[0].outputs[0].second), least) << name;
  EXPECT_GE(cosine(here, peer[0].outputs[0].second), 0.9995) << name;
}

TEST(Quantize, FilesRunInOnnxRuntime) {
  for (const Function& f : {network(), table()}) {
    const auto runs = runs_of(f, 3);
    for (const Case& c : cases()) {
      const QuantizedModel q = quantize(f, c.options, runs);
      ASSERT_FALSE(q.layers.empty()) << c.name;
      for (const QuantizedLayer& l : q.layers) {
        EXPECT_LT(l.bytes_after, 0.3 * static_cast<double>(l.bytes_before)) << c.name << " " << l.node;
        EXPECT_LT(l.error, c.options.bits == 4 ? 0.1 : 0.01) << c.name << " " << l.node;
      }
      expect_close(f, q.function, runs, c.least, cat(f.name(), ", ", c.name));
    }
  }
}

TEST(Quantize, ConvertedWeightsRunInOnnxRuntime) {
  const Function f = network();
  for (const DType type : {DType::f16, DType::bf16}) {
    const QuantizedModel q = convert_weights(f, type);
    for (const QuantizedLayer& l : q.layers) EXPECT_EQ(2 * l.bytes_after, l.bytes_before);
    expect_close(f, q.function, runs_of(f, 1), 0.9999, std::string(name(type)));
    EXPECT_LT(export_onnx_bytes(q.function, {.level = 0}).size(),
              0.7 * static_cast<double>(export_onnx_bytes(f).size()));
  }
}

// What is excluded stays as it is, and a name that excludes nothing is refused.
TEST(Quantize, Exclusions) {
  const Function f = network();
  const auto all = quantize(f, {.least = 256}).layers.size();
  EXPECT_EQ(quantize(f, {.exclude = {"Conv"}, .least = 256}).layers.size(), all - 2);
  EXPECT_THROW(quantize(f, {.exclude = {"nothing"}}), Error);
  EXPECT_THROW(quantize(f, {.mode = QuantizeMode::calibrated}), Error);
  EXPECT_THROW(quantize(f, {.mode = QuantizeMode::dynamic, .bits = 4}), Error);
  EXPECT_THROW(quantize(f, {.block = 17}), Error);
}

TEST(Quantize, ComparisonsSeeDifferences) {
  const Function f = table();
  const auto runs = runs_of(f, 2);
  const auto same = compare_outputs(f, f, runs),
             other = compare_outputs(f, quantize(f, {.bits = 4, .least = 256}).function, runs);
  EXPECT_DOUBLE_EQ(same[0].cosine, 1);
  EXPECT_EQ(same[0].relative, 0);
  EXPECT_EQ(same[0].same_top1, 1);
  EXPECT_LT(other[0].cosine, 1);
  EXPECT_GT(other[0].relative, 0);
}

}  // namespace
}  // namespace tc::peers
