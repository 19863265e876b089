#include "microsoft_ops_cases.h"
#include "peer.h"
#include "tc/frontend/onnx/model_writer.h"

namespace tc::peers {
namespace {

using Outputs = std::vector<std::optional<DType>>;

using tc::model_writer::attr_f;
using tc::model_writer::attr_floats;
using tc::model_writer::attr_i;
using tc::model_writer::attr_ints;
using tc::model_writer::attr_s;

Tensor i32(Extents extents, const std::vector<int32_t>& values) {
  return Tensor::of<int32_t>(std::move(extents), values);
}
// Different numbers for each call.
Tensor f32(const Extents& extents) {
  static unsigned seed = 1000;
  return random_f32(extents, ++seed);
}
const Tensor kNone;
constexpr DType kF32 = DType::f32, kI32 = DType::i32;

}  // namespace

std::vector<Variant> norm_variants() {
  const Tensor x = f32({2, 3, 8}), skip = f32({2, 3, 8}), gamma = f32({8}), beta = f32({8}), bias = f32({8});
  const Tensor words = f32({9, 8}), places = f32({5, 8}), segments = f32({2, 8});
  const Tensor ids = i32({2, 3}, {1, 8, 0, 3, 3, 7}), segment_ids = i32({2, 3}, {0, 1, 1, 0, 0, 1});
  const Outputs with_sum = {kF32, {}, {}, kF32};
  return {
      {"plain", "SkipLayerNormalization", {x, skip, gamma}, {kF32}, {}},
      {"bias, sum", "SkipLayerNormalization", {x, skip, gamma, beta, bias}, with_sum, {attr_f("epsilon", 0.01f)}},
      {"skip for all", "SkipLayerNormalization", {x, f32({1, 3, 8}), gamma, beta}, with_sum, {}},
      {"matrices", "SkipLayerNormalization", {f32({4, 8}), f32({4, 8}), gamma, beta}, {kF32}, {}},
      {"plain", "SkipSimplifiedLayerNormalization", {x, skip, gamma}, {kF32}, {}},
      {"bias, sum", "SkipSimplifiedLayerNormalization", {x, skip, gamma, bias}, with_sum, {attr_f("epsilon", 0.01f)}},
      {"plain", "SimplifiedLayerNormalization", {x, gamma}, {kF32}, {}, ""},
      {"statistics", "SimplifiedLayerNormalization", {x, gamma}, {kF32, kF32}, {attr_f("epsilon", 0.01f)}, ""},
      {"axis", "SimplifiedLayerNormalization", {x, f32({3, 8})}, {kF32}, {attr_i("axis", 1)}, ""},
      {"words and places",
       "EmbedLayerNormalization",
       {ids, kNone, words, places, kNone, gamma, beta},
       {kF32, kI32},
       {}},
      {"segments, mask, sum",
       "EmbedLayerNormalization",
       {ids, segment_ids, words, places, segments, gamma, beta, i32({2, 3}, {1, 1, 0, 1, 0, 0})},
       {kF32, kI32, kF32},
       {attr_f("epsilon", 0.001f)}},
      {"positions",
       "EmbedLayerNormalization",
       {ids, segment_ids, words, places, segments, gamma, beta, kNone, i32({2, 3}, {4, 0, 1, 2, 2, 3})},
       {kF32, kI32},
       {}},
      {"positions for all",
       "EmbedLayerNormalization",
       {ids, segment_ids, words, places, segments, gamma, beta, kNone, i32({1, 3}, {4, 0, 1})},
       {kF32, kI32},
       {}}};
}

std::vector<Variant> activation_variants() {
  const Tensor x = f32({2, 3, 8}), bias = f32({8});
  return {{"plain", "Gelu", {x}, {kF32}, {}},      {"plain", "BiasGelu", {x, bias}, {kF32}, {}},
          {"plain", "FastGelu", {x}, {kF32}, {}},  {"bias", "FastGelu", {x, bias}, {kF32}, {}},
          {"plain", "QuickGelu", {x}, {kF32}, {}}, {"alpha", "QuickGelu", {x}, {kF32}, {attr_f("alpha", 0.7f)}}};
}

std::vector<Variant> fused_variants() {
  const Tensor a = f32({2, 3, 4}), b = f32({2, 4, 5}), image = f32({1, 3, 6, 5}), kernel = f32({4, 3, 3, 3});
  const auto product = [](const char* name, Tensor p, Tensor q, std::vector<std::string> attributes) {
    return Variant{name, "FusedMatMul", {std::move(p), std::move(q)}, {kF32}, std::move(attributes)};
  };
  const auto gemm = [](const char* activation, std::vector<std::string> attributes) {
    attributes.push_back(attr_s("activation", activation));
    attributes.push_back(attr_f("alpha", 0.5f));
    attributes.push_back(attr_i("transB", 1));
    return Variant{activation, "FusedGemm", {f32({3, 4}), f32({5, 4}), f32({5})}, {kF32}, attributes};
  };
  const auto conv = [&](const char* activation, std::vector<float> parameters, bool residual) {
    std::vector<Tensor> inputs{image, kernel, f32({4})};
    if (residual) inputs.push_back(f32({1, 4, 6, 5}));
    std::vector<std::string> attributes{attr_s("activation", activation), attr_ints("pads", {1, 1, 1, 1}),
                                        attr_ints("kernel_shape", {3, 3})};
    if (!parameters.empty()) attributes.push_back(attr_floats("activation_params", parameters));
    return Variant{activation, "FusedConv", inputs, {kF32}, attributes};
  };
  return {product("plain", a, b, {}),
          product("scaled", a, b, {attr_f("alpha", 0.3f)}),
          product("both transposed", f32({2, 4, 3}), f32({2, 5, 4}), {attr_i("transA", 1), attr_i("transB", 1)}),
          product("a transposed, broadcast", f32({1, 4, 3}), b, {attr_i("transA", 1)}),
          product("batch of a last", f32({3, 2, 4}), b, {attr_i("transBatchA", 1)}),
          product("batches last", f32({3, 2, 6, 4}), f32({4, 2, 6, 5}),
                  {attr_i("transBatchA", 1), attr_i("transBatchB", 1)}),
          product("batch of b last, transposed", a, f32({5, 2, 4}), {attr_i("transBatchB", 1), attr_i("transB", 1)}),
          product("vector", f32({4}), f32({4, 5}), {attr_f("alpha", 2)}),
          gemm("Relu", {}),
          gemm("LeakyRelu", {attr_f("activation_alpha", 0.3f)}),
          gemm("HardSigmoid", {attr_f("activation_alpha", 0.4f), attr_f("activation_beta", 0.3f)}),
          gemm("Tanh", {}),
          gemm("Elu", {attr_f("activation_alpha", 0.6f)}),
          gemm("Softplus", {}),
          gemm("Sigmoid", {}),
          conv("Relu", {}, false),
          conv("Relu", {}, true),
          conv("LeakyRelu", {0.2f}, false),
          conv("Clip", {-0.2f, 0.4f}, true),
          conv("HardSigmoid", {0.3f, 0.4f}, false),
          conv("Sigmoid", {}, false),
          conv("Tanh", {}, false)};
}

std::vector<Variant> plain_variants() {
  const Tensor x = f32({2, 3, 4}), image = f32({1, 2, 4, 5}), grid = f32({1, 3, 3, 2});
  const auto i64 = [](const Extents& extents, const std::vector<int64_t>& values) {
    return Tensor::of<int64_t>(extents, values);
  };
  const auto sampled = [&](const char* mode, const char* padding, int64_t align) {
    return Variant{mode,
                   "GridSample",
                   {image, grid},
                   {kF32},
                   {attr_s("mode", mode), attr_s("padding_mode", padding), attr_i("align_corners", align)}};
  };
  return {{"batch", "Inverse", {f32({2, 3, 4, 4})}, {kF32}, {}},
          {"one", "Inverse", {f32({1, 1})}, {kF32}, {}},
          {"rows change places", "Inverse", {Tensor::of<float>({3, 3}, {0, 0, 2, 3, 0, 1, 1, 4, 0})}, {kF32}, {}},
          {"front", "ExpandDims", {x, Tensor::scalar(int32_t{0})}, {kF32}, {}},
          {"back", "ExpandDims", {x, Tensor::scalar(int32_t{-1})}, {kF32}, {}},
          {"by one", "Range", {Tensor::scalar(1.5f), Tensor::scalar(5.0f)}, {kF32}, {}},
          {"down", "Range", {Tensor::scalar(5.0f), Tensor::scalar(1.5f), Tensor::scalar(-0.5f)}, {kF32}, {}},
          {"vector", "Pad", {x, i64({6}, {0, 1, 0, 1, 0, 2}), Tensor::scalar(2.0f)}, {kF32}, {}},
          {"row", "Pad", {x, i64({1, 6}, {0, 1, 0, 1, 0, 2})}, {kF32}, {}},
          {"reflected", "Pad", {x, i64({6}, {0, 1, 2, 0, 1, 1})}, {kF32}, {attr_s("mode", "reflect")}},
          {"edge", "Pad", {x, i64({6}, {1, 0, 0, 0, -1, 2})}, {kF32}, {attr_s("mode", "edge")}},
          sampled("bilinear", "zeros", 0),
          sampled("nearest", "border", 1),
          sampled("bicubic", "reflection", 0)};
}

std::vector<Variant> window_variants() {
  const Tensor images = f32({2, 2, 5, 6});
  const Tensor boxes = Tensor::of<float>({3, 4}, {0.1f, 0, 0.9f, 0.8f, 0.7f, 0.2f, -0.2f, 1.3f, 0, 0, 1, 1});
  const Tensor which = i32({3}, {1, 0, 1}), size = i32({2}, {3, 4}), line_of_places = i32({2}, {1, 5});
  std::vector<int32_t> open(60);
  for (size_t i = 0; i < open.size(); ++i) open[i] = (i * 7 + i / 6) % 5 > 1;
  const Tensor mask = i32({2, 1, 5, 6}, open);
  const Tensor x8 = Tensor::of<uint8_t>({1, 3, 3, 2}, {9, 1, 8, 2, 7, 3, 6, 4, 5, 5, 4, 6, 3, 7, 2, 8, 1, 9});
  const Tensor few = Tensor::of<uint8_t>({3}, {3, 200, 90}), zero = Tensor::scalar(uint8_t{10});
  const auto pool = [](const char* name, const Tensor& x, const Tensor& m, std::vector<std::string> attributes) {
    return Variant{name, "MaxpoolWithMask", {x, m}, {kF32}, std::move(attributes)};
  };
  return {{"bilinear", "CropAndResize", {images, boxes, which, size}, {kF32}, {attr_f("extrapolation_value", 7)}},
          {"nearest", "CropAndResize", {images, boxes, which, size}, {kF32}, {attr_s("mode", "nearest")}},
          {"one row", "CropAndResize", {images, boxes, which, line_of_places}, {kF32}, {}},
          pool("plane", images, mask, {attr_ints("kernel_shape", {2, 3})}),
          pool("padded", images, mask,
               {attr_ints("kernel_shape", {3, 3}), attr_ints("pads", {1, 1, 1, 1}), attr_ints("strides", {2, 2})}),
          {"bytes", "NhwcMaxPool", {x8}, {DType::u8}, {attr_ints("kernel_shape", {2, 2})}},
          {"last", "UnfoldTensor", {f32({2, 7})}, {kF32}, {attr_i("size", 3), attr_i("step", 2)}},
          {"first", "UnfoldTensor", {f32({5, 2})}, {kF32}, {attr_i("dim", 0), attr_i("size", 2)}},
          {"repeated", "Unique", {Tensor::of<float>({6}, {4, 1, 4, 4, 2, 1})}, {kF32, DType::i64, DType::i64}, {}},
          {"rows", "GatherND", {f32({3, 2}), i32({2, 1}, {2, 0})}, {kF32}, {}},
          {"bytes",
           "QLinearWhere",
           {Tensor::of<Bool>({3}, {Bool(true), Bool(false), Bool(true)}), few, Tensor::scalar(0.1f), zero, few,
            Tensor::scalar(0.3f), zero, Tensor::scalar(0.2f), zero},
           {DType::u8},
           {}}};
}

// What ONNX Runtime kept of early ONNX, in ONNX's own domain.
std::vector<Variant> early_variants() {
  const Tensor x = f32({2, 3, 6, 5});
  const auto both = {attr_f("alpha", 0.7f), attr_f("beta", -1.5f)};
  const auto i64 = [](const std::vector<int64_t>& values) {
    return Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values);
  };
  std::vector<Variant> variants = {
      {"both", "Affine", {x}, {kF32}, both, ""},
      {"both", "ScaledTanh", {x}, {kF32}, both, ""},
      {"both", "ParametricSoftplus", {x}, {kF32}, both, ""},
      {"half", "Scale", {x}, {kF32}, {attr_f("scale", 0.5f)}, ""},
      {"bias", "ImageScaler", {x}, {kF32}, {attr_f("scale", 2), attr_floats("bias", {1, 0, -1})}, ""},
      {"border", "Crop", {x}, {kF32}, {attr_ints("border", {1, 0, 0, 2})}, ""},
      {"extents", "Crop", {x}, {kF32}, {attr_ints("border", {1, 2, 0, 0}), attr_ints("scale", {3, 2})}, ""},
      {"axes", "DynamicSlice", {x, i64({1, 0}), i64({9, -1}), i64({3, 1})}, {kF32}, {}, ""}};
  for (Variant& v : variants) v.opset = 9;
  variants.push_back({"channels", "MeanVarianceNormalization", {x}, {kF32}, {}, "", 8});
  variants.push_back({"all, centred",
                      "MeanVarianceNormalization",
                      {x},
                      {kF32},
                      {attr_i("across_channels", 1), attr_i("normalize_variance", 0)},
                      "",
                      8});
  variants.push_back({"before 10", "ThresholdedRelu", {x}, {kF32}, {attr_f("alpha", 0.2f)}, "", 9});
  return variants;
}

std::vector<OpCase> op_cases() {
  return {{"attention", attention_variants},
          {"multi_head_attention", multi_head_attention_variants},
          {"group_query_attention", group_query_attention_variants},
          {"quantized_attention", quantized_attention_variants},
          {"rotary_embedding", rotary_embedding_variants},
          {"norms", norm_variants},
          {"activations", activation_variants},
          {"fused", fused_variants},
          {"plain", plain_variants},
          {"windows", window_variants},
          {"early", early_variants}};
}

}  // namespace tc::peers
