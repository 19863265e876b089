#include "tc/bench/zoo/layers.h"
#include "tc/bench/zoo/networks.h"

namespace tc::zoo {
namespace {

Var stem(Weights& w, Var image) {
  return max_pool(relu(conv_bn(w, image, 3, 64, 7, 2)), {3, 3}, {.strides = {2, 2}, .padding = Padding{1, 1}});
}

// Two 3×3 convolutions (He et al., "Deep residual learning for image recognition", 2016).
Var basic_block(Weights& w, Var x, int64_t in, int64_t out, int64_t stride) {
  const Var y = conv_bn(w, relu(conv_bn(w, x, in, out, 3, stride)), out, out, 3, 1, 1, 0.5F);
  return relu(y + (stride == 1 && in == out ? x : conv_bn(w, x, in, out, 1, stride, 1, 1)));
}

// 1×1, 3×3 and 1×1; the 3×3 one has the stride.
Var bottleneck(Weights& w, Var x, int64_t in, int64_t width, int64_t stride) {
  const int64_t out = 4 * width;
  Var y = relu(conv_bn(w, x, in, width, 1, 1));
  y = relu(conv_bn(w, y, width, width, 3, stride));
  y = conv_bn(w, y, width, out, 1, 1, 1, 0.5F);
  return relu(y + (in == out ? x : conv_bn(w, x, in, out, 1, stride, 1, 1)));
}

// Expansion, depthwise and projection (Sandler et al., "MobileNetV2", 2018).
Var inverted_residual(Weights& w, Var x, int64_t in, int64_t out, int64_t expansion, int64_t stride) {
  const int64_t hidden = in * expansion;
  Var y = expansion == 1 ? x : relu6(conv_bn(w, x, in, hidden, 1, 1));
  y = relu6(conv_bn(w, y, hidden, hidden, 3, stride, hidden));
  y = conv_bn(w, y, hidden, out, 1, 1, 1, 1);
  return stride == 1 && in == out ? x + y : y;
}

}  // namespace

Function mlp() {
  return trace("mlp", {{"x", f32, {"batch", 784}}}, [](Var x) {
    Weights w(1);
    return softmax(linear(w, relu(linear(w, x, 784, 128)), 128, 10));
  });
}

// Naumov et al., "Deep learning recommendation model for personalization and recommendation systems" (DLRM), 2019.
Function recommender() {
  constexpr int64_t kTables = 8, kRows = 20000, kSize = 64;
  std::vector<Input> inputs{{"dense", f32, {"batch", 13}}};
  for (int64_t t = 0; t < kTables; ++t) inputs.push_back({"category_" + std::to_string(t), i64, {"batch"}});
  return trace("recommender", inputs, [](std::vector<Var> args) {
    Weights w(6);
    Var x = args[0];
    int64_t in = 13;
    for (const int64_t out : {512, 256, 64}) {
      x = relu(linear(w, x, in, out, 1.4F));
      in = out;
    }
    std::vector<Var> features{expand_dims(x, 1)};
    for (size_t t = 1; t < args.size(); ++t)
      features.push_back(expand_dims(embedding(args[t], w.uniform({kRows, kSize}, -1, 1)), 1));
    const Var all = concat(features, {.axis = 1}), products = matmul(all, permute_dims(all, {0, 2, 1}));
    // Each pair once: what lies below the diagonal.
    constexpr int64_t kCount = kTables + 1, kPairs = kCount * (kCount - 1) / 2;
    Tensor pairs(i64, {kPairs});
    size_t next = 0;
    for (int64_t i = 0; i < kCount; ++i)
      for (int64_t j = 0; j < i; ++j) pairs.mutable_span<int64_t>()[next++] = i * kCount + j;
    x = concat({x, reshape(products, {-1, kCount * kCount})[{slice({}, {}), asarray(pairs)}]}, {.axis = 1});
    in = kSize + kPairs;
    for (const int64_t out : {512, 256}) {
      x = relu(linear(w, x, in, out, 1.4F));
      in = out;
    }
    return sigmoid(linear(w, x, in, 1));
  });
}

Function mnist_cnn() {
  return trace("mnist_cnn", {{"image", f32, {"batch", 1, 28, 28}}}, [](Var x) {
    Weights w(2);
    for (const auto& [in, out] : {std::pair<int64_t, int64_t>{1, 16}, {16, 32}}) {
      const Tensor filter = w.layer({out, in, 3, 3}, in * 9, 1.4F), bias = w.uniform({out}, -0.1F, 0.1F);
      x = max_pool(relu(conv(x, filter, bias, {.padding = Padding{1, 1}})), {2, 2}, {.strides = {2, 2}});
    }
    return softmax(linear(w, reshape(x, {-1, 32 * 7 * 7}), 32 * 7 * 7, 10));
  });
}

Function resnet18() {
  return trace("resnet18", {kImage}, [](Var image) {
    Weights w(3);
    Var x = stem(w, image);
    for (int64_t stage = 0, in = 64; stage < 4; ++stage)
      for (int64_t block = 0, out = 64 << stage; block < 2; ++block, in = out)
        x = basic_block(w, x, in, out, stage && !block ? 2 : 1);
    return classify(w, x, 512);
  });
}

Function resnet50() {
  return trace("resnet50", {kImage}, [](Var image) {
    Weights w(4);
    Var x = stem(w, image);
    constexpr int64_t kBlocks[] = {3, 4, 6, 3};
    for (int64_t stage = 0, in = 64; stage < 4; ++stage)
      for (int64_t block = 0, width = 64 << stage; block < kBlocks[stage]; ++block, in = 4 * width)
        x = bottleneck(w, x, in, width, stage && !block ? 2 : 1);
    return classify(w, x, 2048);
  });
}

Function mobilenet_v2() {
  return trace("mobilenet_v2", {kImage}, [](Var image) {
    Weights w(5);
    Var x = relu6(conv_bn(w, image, 3, 32, 3, 2));
    struct Stage {
      int64_t expansion, out, blocks, stride;
    };
    int64_t in = 32;
    for (const Stage& s : {Stage{1, 16, 1, 1},
                           {6, 24, 2, 2},
                           {6, 32, 3, 2},
                           {6, 64, 4, 2},
                           {6, 96, 3, 1},
                           {6, 160, 3, 2},
                           {6, 320, 1, 1}})
      for (int64_t block = 0; block < s.blocks; ++block, in = s.out)
        x = inverted_residual(w, x, in, s.out, s.expansion, block ? 1 : s.stride);
    return classify(w, relu6(conv_bn(w, x, in, 1280, 1, 1)), 1280);
  });
}

}  // namespace tc::zoo
