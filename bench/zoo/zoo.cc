#include "tc/bench/zoo/zoo.h"

#include "tc/bench/zoo/layers.h"
#include "tc/bench/zoo/networks.h"

namespace tc::zoo {
namespace {

constexpr int64_t kRows = 4096, kColumns = 1024;

template <int64_t kM, int64_t kK, int64_t kN>
Function matmul_of() {
  return trace("matmul", {{"a", f32, {kM, kK}}, {"b", f32, {kK, kN}}}, [](Var a, Var b) { return matmul(a, b); });
}

template <int64_t kM, int64_t kK, int64_t kN>
Function dense_of() {
  return trace("dense", {{"a", f32, {kM, kK}}}, [](Var a) { return matmul(a, Weights(30).layer({kK, kN}, kK)); });
}

template <int64_t kIn, int64_t kOut, int64_t kKernel, int64_t kStride, int64_t kExtent, int64_t kGroups = 1>
Function conv_of() {
  return trace("conv", {{"x", f32, {1, kIn, kExtent, kExtent}}}, [](Var x) {
    Weights w(31);
    const int64_t in = kIn / kGroups, pad = kKernel / 2;
    return conv(x, w.layer({kOut, in, kKernel, kKernel}, in * kKernel * kKernel), w.uniform({kOut}, -0.1F, 0.1F),
                {.strides = {kStride, kStride}, .padding = Padding{pad, pad}, .groups = kGroups});
  });
}

Function elementwise() {
  const std::vector<tc::Extent> shape{kRows, kColumns};
  return trace("elementwise", {{"a", f32, shape}, {"b", f32, shape}, {"c", f32, shape}, {"d", f32, shape}},
               [](Var a, Var b, Var c, Var d) { return tanh(a * b + c) * sigmoid(d) + exp(-abs(a)); });
}

Function softmax_rows() {
  return trace("softmax", {{"x", f32, {kRows, kColumns}}}, [](Var x) { return softmax(x); });
}

Function layer_norm_op() {
  return trace("layer_norm", {{"x", f32, {kRows, kColumns}}}, [](Var x) {
    Weights w(32);
    return layer_normalization(x, w.uniform({kColumns}, 0.8F, 1.2F), w.uniform({kColumns}, -0.1F, 0.1F));
  });
}

Function layer_norm_nodes() {
  return trace("layer_norm_chain", {{"x", f32, {kRows, kColumns}}}, [](Var x) {
    Weights w(32);
    return layer_norm_chain(w, x, kColumns, 1e-5);
  });
}

}  // namespace

std::span<const Model> models() {
  static const std::vector<Model> kModels{
      {"mlp", "perceptron 784-128-10, batch 1", mlp, {"batch=1"}, true},
      {"mlp_64", "the same, batch 64", mlp, {"batch=64"}, true},
      {"mnist_cnn", "two 3x3 convolutions with pools, one layer", mnist_cnn, {"batch=1"}, true},
      {"resnet18", "BatchNormalization separate", resnet18, {"batch=1"}, true},
      {"resnet50", "BatchNormalization separate", resnet50, {"batch=1"}, true},
      {"mobilenet_v2", "BatchNormalization separate", mobilenet_v2, {"batch=1"}, true},
      {"bert_base", "length 128; LayerNorm and GELU as chains", bert_of<12>, {"batch=1", "length=128"}},
      {"vit", "ViT-B/16 of 4 blocks; GELU as a chain", vit, {"batch=1"}, true},
      {"gpt2_step", "one token after 256, key-value cache", gpt2_step_of<12>, {"past=256"}},
      {"lstm", "64 steps, batch 16, 256 features and units", lstm_of<16>, {}, true},
      {"lstm_1", "the same, batch 1", lstm_of<1>, {}, true},
      {"qdq_resnet18", "Q/DQ pairs around every convolution", qdq_resnet18, {"batch=1"}, true},
      {"qdq_efficientnet", "Q/DQ pairs around every operator", qdq_efficientnet, {"batch=1"}, true},
      {"dynamic_mlp", "1024-4096-1024-1024, dynamically quantised, batch 64", dynamic_mlp, {"batch=64"}, true},
      {"qlinear_matmul", "512x1024x1024, u8 by i8", qlinear_matmul, {}, true},
      {"squeezenet", "fire modules, rounded-up pools", squeezenet, {"batch=1"}, true},
      {"googlenet", "inception modules, LRN", googlenet, {"batch=1"}, true},
      {"densenet121", "BatchNormalization before convolutions", densenet121, {"batch=1"}, true},
      {"shufflenet_v2", "channels split and shuffled", shufflenet_v2, {"batch=1"}, true},
      {"efficientnet_b0", "swish, a gate per channel, 5x5 depthwise", efficientnet_b0, {"batch=1"}, true},
      {"mobilenet_v3", "hard swish, gates in some blocks", mobilenet_v3, {"batch=1"}, true},
      {"resnext50", "3x3 in 32 groups", resnext50, {"batch=1"}, true},
      {"regnet", "RegNetX-1.6GF, 3x3 in groups of 24 channels", regnet, {"batch=1"}, true},
      {"convnext", "7x7 depthwise, LayerNorm over channels", convnext, {"batch=1"}, true},
      {"unet", "256x256, transposed convolutions", unet, {"batch=1"}, true},
      {"detector", "320x320, the form of YOLOv8n", detector, {"batch=1"}, true},
      {"segmentation", "DeepLabV3 on 8 dilated layers", segmentation, {"batch=1"}, true},
      {"video", "3x3x3 convolutions over 8 frames of 112x112", video, {"batch=1"}, true},
      {"style_transfer", "mirrored edges, InstanceNormalization", style_transfer, {"batch=1"}, true},
      {"super_resolution", "ESPCN, 224x224 to 672x672", super_resolution, {"batch=1"}, true},
      {"generator", "DCGAN's, 64x64, batch 4", generator, {"batch=4"}, true},
      {"swin", "Swin-T's first 6 blocks, shifted windows", swin, {"batch=1"}, true},
      {"recommender", "DLRM: 8 tables, pairwise products, batch 128", recommender, {"batch=128"}, true},
      {"speech_encoder", "Whisper tiny's, 10 s", speech_encoder, {"batch=1"}, true},
      {"conformer", "4 blocks, 200 frames", conformer, {"batch=1"}, true},
      {"wavenet", "10 gated dilated convolutions, 4000 samples", wavenet, {"batch=1"}, true},
      {"gru_tagger", "2 layers in both directions, 40 words", tagger_of<false>, {"batch=1"}, true},
      {"lstm_tagger", "2 layers in both directions, 40 words", tagger_of<true>, {"batch=1"}, true},
      {"llama", "4 layers of 512, 64 tokens", llama_of<false>, {"batch=1", "length=64", "past=0"}, true},
      {"llama_step", "the same, 1 token after 256", llama_of<false>, {"batch=1", "length=1", "past=256"}, true},
      // What ONNX Runtime multiplies with such weights it rounds to 8 bits.
      {"llama_q4", "4-bit weights, 64 tokens", llama_of<true>, {"batch=1", "length=64", "past=0"}, false, 21, 0.2},
      {"llama_q4_step",
       "the same, 1 token after 256",
       llama_of<true>,
       {"batch=1", "length=1", "past=256"},
       false,
       21,
       0.2},
      // Where ONNX Runtime rounds between nodes, we do not.
      {"unet_f16", "unet in half precision", unet_f16, {"batch=1"}, true, 18, 5e-3},
      {"speech_encoder_f16", "speech_encoder in half precision", speech_encoder_f16, {"batch=1"}, true, 18, 5e-3},
      {"llama_f16_step",
       "llama_step in half precision",
       llama_f16,
       {"batch=1", "length=1", "past=256"},
       true,
       18,
       5e-3},
      {"matmul_256", "both operands are inputs", matmul_of<256, 256, 256>, {}, true},
      {"matmul_512", "both operands are inputs", matmul_of<512, 512, 512>, {}, true},
      {"matmul_1024", "both operands are inputs", matmul_of<1024, 1024, 1024>},
      {"matmul_2048", "both operands are inputs", matmul_of<2048, 2048, 2048>},
      {"dense_128", "128x768x3072, constant weights", dense_of<128, 768, 3072>},
      {"gemv_4096", "1x4096x4096, constant weights", dense_of<1, 4096, 4096>},
      {"conv3_64", "3x3, 64 channels at 56x56", conv_of<64, 64, 3, 1, 56>, {}, true},
      {"conv3_256", "3x3, 256 channels at 14x14", conv_of<256, 256, 3, 1, 14>, {}, true},
      {"conv1_64_256", "1x1, 64 to 256 channels at 56x56", conv_of<64, 256, 1, 1, 56>, {}, true},
      {"conv7_3_64", "7x7 stride 2, 3 to 64 channels at 224x224", conv_of<3, 64, 7, 2, 224>, {}, true},
      {"depthwise", "3x3, 144 channels at 56x56", conv_of<144, 144, 3, 1, 56, 144>, {}, true},
      {"depthwise_2", "the same, stride 2", conv_of<144, 144, 3, 2, 56, 144>, {}, true},
      {"elementwise", "9 nodes on four inputs of 4M", elementwise},
      {"softmax", "4096x1024", softmax_rows},
      {"layer_norm", "4096x1024, one operator", layer_norm_op},
      {"layer_norm_chain", "4096x1024, nine nodes", layer_norm_nodes},
  };
  return kModels;
}

const Model& find(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Model& m : models()) {
    if (m.name == name) return m;
    names.push_back(m.name);
  }
  std::string all;
  for (const auto n : names) all += cat(all.empty() ? "" : ", ", n);
  const std::string near = nearest(name, names);
  throw Error({ErrorCode::bad_argument,
               cat("the zoo has no model '", name, "'"),
               {},
               {},
               {near.empty() ? "it has " + all : "did you mean '" + near + "'?"}});
}

}  // namespace tc::zoo
