// Convolutional networks beyond the classic residual ones: what they are built of differs, so does what is slow in
// them.
#include <cmath>

#include "tc/bench/zoo/layers.h"
#include "tc/bench/zoo/networks.h"

namespace tc::zoo {
namespace {

Var hard_swish(Var x) {
  return x * clip(x + 3.0, 0.0F, 6.0F) / 6.0;
}

Var conv_bias(Weights& w, Var x, int64_t in, int64_t out, int64_t kernel, int64_t stride = 1, int64_t groups = 1,
              int64_t dilation = 1) {
  const int64_t per_group = in / groups, pad = kernel / 2 * dilation;
  return conv(
      x, w.layer({out, per_group, kernel, kernel}, per_group * kernel * kernel, 1.4F), w.uniform({out}, -0.1F, 0.1F),
      {.strides = {stride, stride}, .dilations = {dilation, dilation}, .padding = Padding{pad, pad}, .groups = groups});
}

Var max_pool_of(Var x, int64_t kernel, int64_t stride, int64_t pad = 0, bool ceil = false) {
  return max_pool(x, {kernel, kernel}, {.strides = {stride, stride}, .padding = Padding{pad, pad}, .ceil_mode = ceil});
}

// A gate per channel (Hu et al., "Squeeze-and-excitation networks", 2018).
template <class Gate>
Var squeeze_and_excite(Weights& w, Var x, int64_t channels, int64_t squeezed, Var (*inner)(Var), Gate gate) {
  const Var s = inner(conv_bias(w, global_average_pool(x), channels, squeezed, 1));
  return x * gate(conv_bias(w, s, squeezed, channels, 1));
}
Var rectify(Var x) {
  return relu(x);
}

// Iandola et al., "SqueezeNet", 2016.
Var fire(Weights& w, Var x, int64_t in, int64_t squeezed, int64_t out) {
  const Var s = relu(conv_bias(w, x, in, squeezed, 1));
  return concat({relu(conv_bias(w, s, squeezed, out / 2, 1)), relu(conv_bias(w, s, squeezed, out / 2, 3))},
                {.axis = 1});
}

// Channels of two groups side by side become neighbours.
Var shuffle(Var x, int64_t channels, int64_t extent) {
  x = permute_dims(reshape(x, {-1, 2, channels / 2, extent, extent}), {0, 2, 1, 3, 4});
  return reshape(x, {-1, channels, extent, extent});
}

Var inception(Weights& w, Var x, int64_t in, int64_t a, int64_t b1, int64_t b, int64_t c1, int64_t c, int64_t d) {
  return concat({relu(conv_bias(w, x, in, a, 1)), relu(conv_bias(w, relu(conv_bias(w, x, in, b1, 1)), b1, b, 3)),
                 relu(conv_bias(w, relu(conv_bias(w, x, in, c1, 1)), c1, c, 5)),
                 relu(conv_bias(w, max_pool_of(x, 3, 1, 1), in, d, 1))},
                {.axis = 1});
}

// Of a detector (Jocher et al., "YOLOv8", 2023): halves that go through bottlenecks one after another, side by side.
Var split_stage(Weights& w, Var x, int64_t in, int64_t out, int blocks, bool residual) {
  const int64_t half = out / 2;
  const auto layer = [&](Var v, int64_t from, int64_t to, int64_t kernel) {
    return swish(conv_bn(w, v, from, to, kernel, 1));
  };
  const auto halves = split(layer(x, in, out, 1), {half, half}, {.axis = 1});
  std::vector<Var> parts{halves[0], halves[1]};
  Var last = halves[1];
  for (int i = 0; i < blocks; ++i) {
    const Var y = layer(layer(last, half, half, 3), half, half, 3);
    last = residual ? last + y : y;
    parts.push_back(last);
  }
  return layer(concat(parts, {.axis = 1}), half * (2 + blocks), out, 1);
}

}  // namespace

Function squeezenet() {
  return trace("squeezenet", {kImage}, [](Var x) {
    Weights w(40);
    x = max_pool_of(relu(conv_bias(w, x, 3, 64, 3, 2)), 3, 2, 0, true);
    x = max_pool_of(fire(w, fire(w, x, 64, 16, 128), 128, 16, 128), 3, 2, 0, true);
    x = max_pool_of(fire(w, fire(w, x, 128, 32, 256), 256, 32, 256), 3, 2, 0, true);
    x = fire(w, fire(w, x, 256, 48, 384), 384, 48, 384);
    x = fire(w, fire(w, x, 384, 64, 512), 512, 64, 512);
    return reshape(global_average_pool(relu(conv_bias(w, x, 512, 1000, 1))), {-1, 1000});
  });
}

// Szegedy et al., "Going deeper with convolutions", 2015.
Function googlenet() {
  return trace("googlenet", {kImage}, [](Var x) {
    Weights w(41);
    x = lrn(max_pool_of(relu(conv_bias(w, x, 3, 64, 7, 2)), 3, 2, 1), 5);
    x = max_pool_of(lrn(relu(conv_bias(w, relu(conv_bias(w, x, 64, 64, 1)), 64, 192, 3)), 5), 3, 2, 1);
    x = inception(w, x, 192, 64, 96, 128, 16, 32, 32);
    x = max_pool_of(inception(w, x, 256, 128, 128, 192, 32, 96, 64), 3, 2, 1);
    x = inception(w, x, 480, 192, 96, 208, 16, 48, 64);
    x = inception(w, x, 512, 160, 112, 224, 24, 64, 64);
    x = inception(w, x, 512, 128, 128, 256, 24, 64, 64);
    x = inception(w, x, 512, 112, 144, 288, 32, 64, 64);
    x = max_pool_of(inception(w, x, 528, 256, 160, 320, 32, 128, 128), 3, 2, 1);
    x = inception(w, x, 832, 256, 160, 320, 32, 128, 128);
    x = inception(w, x, 832, 384, 192, 384, 48, 128, 128);
    return softmax(classify(w, x, 1024));
  });
}

// Normalisation and rectification come before convolutions (Huang et al., "Densely connected networks", 2017).
Function densenet121() {
  return trace("densenet121", {kImage}, [](Var image) {
    Weights w(42);
    Var x = max_pool_of(relu(conv_bn(w, image, 3, 64, 7, 2)), 3, 2, 1);
    const auto plain = [&](Var v, int64_t in, int64_t out, int64_t kernel) {
      const int64_t pad = kernel / 2;
      return conv(v, w.layer({out, in, kernel, kernel}, in * kernel * kernel, 1.4F), {.padding = Padding{pad, pad}});
    };
    int64_t channels = 64;
    for (const int layers : {6, 12, 24, 16}) {
      for (int i = 0; i < layers; ++i, channels += 32) {
        const Var y = plain(relu(batch_norm(w, x, channels)), channels, 128, 1);
        x = concat({x, plain(relu(batch_norm(w, y, 128)), 128, 32, 3)}, {.axis = 1});
      }
      if (layers == 16) break;
      x = plain(relu(batch_norm(w, x, channels)), channels, channels / 2, 1);
      x = average_pool(x, {2, 2}, {.strides = {2, 2}});
      channels /= 2;
    }
    return classify(w, relu(batch_norm(w, x, channels)), channels);
  });
}

// Ma et al., "ShuffleNet V2", 2018.
Function shufflenet_v2() {
  return trace("shufflenet_v2", {kImage}, [](Var image) {
    Weights w(43);
    Var x = max_pool_of(relu(conv_bn(w, image, 3, 24, 3, 2)), 3, 2, 1);
    int64_t in = 24, extent = 28;
    for (const auto& [out, blocks] : {std::pair<int64_t, int>{116, 4}, {232, 8}, {464, 4}}) {
      const int64_t half = out / 2;
      for (int i = 0; i < blocks; ++i, in = out) {
        const int64_t stride = i ? 1 : 2, from = i ? half : in;
        const auto halves = i ? split(x, {half, half}, {.axis = 1}) : std::vector<Var>{x, x};
        Var y = relu(conv_bn(w, halves[1], from, half, 1, 1));
        y = relu(conv_bn(w, conv_bn(w, y, half, half, 3, stride, half), half, half, 1, 1));
        const Var kept = i ? halves[0] : relu(conv_bn(w, conv_bn(w, x, in, in, 3, 2, in), in, half, 1, 1));
        x = shuffle(concat({kept, y}, {.axis = 1}), out, extent);
      }
      extent /= 2;
    }
    return classify(w, relu(conv_bn(w, x, 464, 1024, 1, 1)), 1024);
  });
}

// Tan & Le, "EfficientNet", 2019.
Function efficientnet_b0() {
  return trace("efficientnet_b0", {kImage}, [](Var image) {
    Weights w(44);
    Var x = swish(conv_bn(w, image, 3, 32, 3, 2));
    int64_t in = 32;
    for (const MobileStage& s : kEfficientNetB0)
      for (int64_t block = 0; block < s.blocks; ++block, in = s.out) {
        const int64_t hidden = in * s.expansion;
        Var y = s.expansion == 1 ? x : swish(conv_bn(w, x, in, hidden, 1, 1));
        y = swish(conv_bn(w, y, hidden, hidden, s.kernel, block ? 1 : s.stride, hidden));
        y = squeeze_and_excite(w, y, hidden, in / 4, swish, [](Var v) { return sigmoid(v); });
        y = conv_bn(w, y, hidden, s.out, 1, 1, 1, 1);
        x = block ? x + y : y;
      }
    return classify(w, swish(conv_bn(w, x, 320, 1280, 1, 1)), 1280);
  });
}

// Howard et al., "Searching for MobileNetV3", 2019.
Function mobilenet_v3() {
  return trace("mobilenet_v3", {kImage}, [](Var image) {
    Weights w(45);
    Var x = hard_swish(conv_bn(w, image, 3, 16, 3, 2));
    struct Block {
      int64_t kernel, hidden, out, squeezed;
      bool hard;
      int64_t stride;
    };
    int64_t in = 16;
    for (const Block& b : {Block{3, 16, 16, 0, false, 1},
                           {3, 64, 24, 0, false, 2},
                           {3, 72, 24, 0, false, 1},
                           {5, 72, 40, 24, false, 2},
                           {5, 120, 40, 32, false, 1},
                           {5, 120, 40, 32, false, 1},
                           {3, 240, 80, 0, true, 2},
                           {3, 200, 80, 0, true, 1},
                           {3, 184, 80, 0, true, 1},
                           {3, 184, 80, 0, true, 1},
                           {3, 480, 112, 120, true, 1},
                           {3, 672, 112, 168, true, 1},
                           {5, 672, 160, 168, true, 2},
                           {5, 960, 160, 240, true, 1},
                           {5, 960, 160, 240, true, 1}}) {
      const auto act = [&](Var v) { return b.hard ? hard_swish(v) : relu(v); };
      Var y = b.hidden == in ? x : act(conv_bn(w, x, in, b.hidden, 1, 1));
      y = act(conv_bn(w, y, b.hidden, b.hidden, b.kernel, b.stride, b.hidden));
      if (b.squeezed)
        y = squeeze_and_excite(w, y, b.hidden, b.squeezed, rectify,
                               [](Var v) { return hard_sigmoid(v, 1.0 / 6, 0.5); });
      y = conv_bn(w, y, b.hidden, b.out, 1, 1, 1, 1);
      x = b.stride == 1 && in == b.out ? x + y : y;
      in = b.out;
    }
    x = reshape(global_average_pool(hard_swish(conv_bn(w, x, 160, 960, 1, 1))), {-1, 960});
    return linear(w, hard_swish(linear(w, x, 960, 1280)), 1280, 1000);
  });
}

// Convolutions in 32 groups (Xie et al., "Aggregated residual transformations", 2017).
Function resnext50() {
  return trace("resnext50", {kImage}, [](Var image) {
    Weights w(46);
    Var x = max_pool_of(relu(conv_bn(w, image, 3, 64, 7, 2)), 3, 2, 1);
    constexpr int64_t kBlocks[] = {3, 4, 6, 3};
    for (int64_t stage = 0, in = 64; stage < 4; ++stage)
      for (int64_t block = 0, width = 128 << stage; block < kBlocks[stage]; ++block, in = 2 * width) {
        const int64_t stride = stage && !block ? 2 : 1, out = 2 * width;
        Var y = relu(conv_bn(w, relu(conv_bn(w, x, in, width, 1, 1)), width, width, 3, stride, 32));
        y = conv_bn(w, y, width, out, 1, 1, 1, 0.5F);
        x = relu(y + (in == out ? x : conv_bn(w, x, in, out, 1, stride, 1, 1)));
      }
    return classify(w, x, 2048);
  });
}

// RegNetX-1.6GF, 24 channels to a group (Radosavovic et al., "Designing network design spaces", 2020).
Function regnet() {
  return trace("regnet", {kImage}, [](Var image) {
    Weights w(64);
    Var x = relu(conv_bn(w, image, 3, 32, 3, 2));
    int64_t in = 32;
    for (const auto& [width, blocks] : {std::pair<int64_t, int64_t>{72, 2}, {168, 4}, {408, 10}, {912, 2}})
      for (int64_t block = 0; block < blocks; ++block, in = width) {
        const int64_t stride = block ? 1 : 2;
        Var y = relu(conv_bn(w, relu(conv_bn(w, x, in, width, 1, 1)), width, width, 3, stride, width / 24));
        y = conv_bn(w, y, width, width, 1, 1, 1, 0.5F);
        x = relu(y + (block ? x : conv_bn(w, x, in, width, 1, 2, 1, 1)));
      }
    return classify(w, x, 912);
  });
}

// Liu et al., "A ConvNet for the 2020s", 2022: LayerNorm over channels, which therefore move to the end and back.
Function convnext() {
  return trace("convnext", {kImage}, [](Var image) {
    Weights w(47);
    const auto layer_norm = [&](Var v, int64_t channels) {
      return layer_normalization(v, w.uniform({channels}, 0.8F, 1.2F), w.uniform({channels}, -0.1F, 0.1F),
                                 {.epsilon = 1e-6});
    };
    const auto channels_last = [](Var v) { return permute_dims(v, {0, 2, 3, 1}); };
    const auto channels_first = [](Var v) { return permute_dims(v, {0, 3, 1, 2}); };
    const auto reduce = [&](Var v, int64_t in, int64_t out, int64_t kernel) {
      return conv(v, w.layer({out, in, kernel, kernel}, in * kernel * kernel), w.uniform({out}, -0.1F, 0.1F),
                  {.strides = {kernel, kernel}});
    };
    Var x = channels_first(layer_norm(channels_last(reduce(image, 3, 96, 4)), 96));
    int64_t width = 96;
    for (const int blocks : {3, 3, 9, 3}) {
      for (int i = 0; i < blocks; ++i) {
        Var y = layer_norm(channels_last(conv_bias(w, x, width, width, 7, 1, width)), width);
        y = linear(w, gelu_chain(linear(w, y, width, 4 * width)), 4 * width, width, 0.5F);
        x = x + channels_first(y * w.uniform({width}, 0.1F, 0.5F));
      }
      if (width == 768) break;
      x = reduce(channels_first(layer_norm(channels_last(x), width)), width, 2 * width, 2);
      width *= 2;
    }
    return linear(w, layer_norm(reshape(global_average_pool(x), {-1, 768}), 768), 768, 1000);
  });
}

// Ronneberger et al., "U-Net", 2015, of 32 channels at the top.
Function unet() {
  return trace("unet", {{"image", f32, {"batch", 3, 256, 256}}}, [](Var image) {
    Weights w(48);
    const auto twice = [&](Var v, int64_t in, int64_t out) {
      return relu(conv_bn(w, relu(conv_bn(w, v, in, out, 3, 1)), out, out, 3, 1));
    };
    std::vector<Var> levels{twice(image, 3, 32)};
    for (int64_t width = 32; width < 512; width *= 2)
      levels.push_back(twice(max_pool_of(levels.back(), 2, 2), width, 2 * width));
    Var x = levels.back();
    for (int64_t width = 512, level = 3; level >= 0; --level, width /= 2) {
      const Var up = conv_transpose(x, w.layer({width, width / 2, 2, 2}, width), w.uniform({width / 2}, -0.1F, 0.1F),
                                    {.strides = {2, 2}});
      x = twice(concat({levels[static_cast<size_t>(level)], up}, {.axis = 1}), width, width / 2);
    }
    return sigmoid(conv_bias(w, x, 32, 1, 1));
  });
}

// A detector of the form of YOLOv8n: pyramids up and down, boxes as expectations over 16 distances.
Function detector() {
  return trace("detector", {{"image", f32, {"batch", 3, 320, 320}}}, [](Var image) {
    Weights w(49);
    const auto down = [&](Var v, int64_t in, int64_t out) { return swish(conv_bn(w, v, in, out, 3, 2)); };
    const auto up = [](Var v) { return resize_by(v, {2.0, 2.0}, {.coordinates = Coordinates::asymmetric}); };
    Var x = split_stage(w, down(down(image, 3, 16), 16, 32), 32, 32, 1, true);
    const Var p3 = split_stage(w, down(x, 32, 64), 64, 64, 2, true);
    const Var p4 = split_stage(w, down(p3, 64, 128), 128, 128, 2, true);
    x = split_stage(w, down(p4, 128, 256), 256, 256, 1, true);
    x = swish(conv_bn(w, x, 256, 128, 1, 1));
    const Var a = max_pool_of(x, 5, 1, 2), b = max_pool_of(a, 5, 1, 2);
    const Var p5 = swish(conv_bn(w, concat({x, a, b, max_pool_of(b, 5, 1, 2)}, {.axis = 1}), 512, 256, 1, 1));
    const Var n4 = split_stage(w, concat({up(p5), p4}, {.axis = 1}), 384, 128, 1, false);
    const Var n3 = split_stage(w, concat({up(n4), p3}, {.axis = 1}), 192, 64, 1, false);
    const Var m4 = split_stage(w, concat({down(n3, 64, 64), n4}, {.axis = 1}), 192, 128, 1, false);
    const Var m5 = split_stage(w, concat({down(m4, 128, 128), p5}, {.axis = 1}), 384, 256, 1, false);
    std::vector<Var> boxes, classes;
    for (const auto& [v, width] : {std::pair<Var, int64_t>{n3, 64}, {m4, 128}, {m5, 256}}) {
      const auto head = [&](int64_t hidden, int64_t out) {
        const Var y = swish(conv_bn(w, swish(conv_bn(w, v, width, hidden, 3, 1)), hidden, hidden, 3, 1));
        return reshape(conv_bias(w, y, hidden, out, 1), {v.dim(0), out, -1});
      };
      boxes.push_back(head(64, 64));
      classes.push_back(head(80, 80));
    }
    const Var distances = permute_dims(reshape(concat(boxes, {.axis = 2}), {image.dim(0), 4, 16, -1}), {0, 2, 1, 3});
    Tensor steps(f32, {1, 16, 1, 1});
    for (size_t i = 0; i < 16; ++i) steps.mutable_span<float>()[i] = static_cast<float>(i);
    const Var expected = reshape(conv(softmax(distances, {.axis = 1}), steps), {image.dim(0), 4, -1});
    return concat({expected, sigmoid(concat(classes, {.axis = 2}))}, {.axis = 1});
  });
}

// Chen et al., "Rethinking atrous convolution for semantic image segmentation" (DeepLabV3), 2017, on residual blocks of
// which the last are dilated.
Function segmentation() {
  return trace("segmentation", {kImage}, [](Var image) {
    Weights w(51);
    const auto layer = [&](Var v, int64_t in, int64_t out, int64_t stride, int64_t dilation, float gain = 1.4F) {
      return batch_norm(
          w,
          conv(
              v, w.layer({out, in, 3, 3}, in * 9, gain),
              {.strides = {stride, stride}, .dilations = {dilation, dilation}, .padding = Padding{dilation, dilation}}),
          out);
    };
    Var x = max_pool_of(relu(conv_bn(w, image, 3, 64, 7, 2)), 3, 2, 1);
    int64_t in = 64;
    for (const auto& [out, stride, dilation] :
         {std::array<int64_t, 3>{64, 1, 1}, {128, 2, 1}, {256, 1, 2}, {512, 1, 4}}) {
      const Var y = layer(relu(layer(x, in, out, stride, dilation)), out, out, 1, dilation, 0.5F);
      x = relu(y + (in == out ? x : conv_bn(w, x, in, out, 1, stride, 1, 1)));
      in = out;
    }
    std::vector<Var> views{relu(conv_bn(w, x, in, 256, 1, 1))};
    for (const int64_t dilation : {12, 24, 36}) views.push_back(relu(layer(x, in, 256, 1, dilation)));
    views.push_back(resize(relu(conv_bn(w, global_average_pool(x), in, 256, 1, 1)), {28, 28}));
    x = relu(layer(relu(conv_bn(w, concat(views, {.axis = 1}), 5 * 256, 256, 1, 1)), 256, 256, 1, 1));
    return resize(conv_bias(w, x, 256, 21, 1), {224, 224}, {.mode = Interpolation::linear});
  });
}

// Tran et al., "A closer look at spatiotemporal convolutions for action recognition" (R3D), 2018, of one block to a
// stage: 3x3x3 kernels over 8 pictures.
Function video() {
  return trace("video", {{"frames", f32, {"batch", 3, 8, 112, 112}}}, [](Var x) {
    Weights w(52);
    const auto layer = [&](Var v, int64_t in, int64_t out, int64_t kernel, int64_t stride, float gain = 1.4F) {
      const int64_t pad = kernel / 2;
      return batch_norm(w,
                        conv(v, w.layer({out, in, kernel, kernel, kernel}, in * kernel * kernel * kernel, gain),
                             {.strides = {stride, stride, stride}, .padding = Padding{pad, pad, pad}}),
                        out);
    };
    x = relu(batch_norm(
        w, conv(x, w.layer({64, 3, 3, 7, 7}, 3 * 3 * 49, 1.4F), {.strides = {1, 2, 2}, .padding = Padding{1, 3, 3}}),
        64));
    for (const auto& [in, out] : {std::pair<int64_t, int64_t>{64, 64}, {64, 128}, {128, 256}, {256, 512}}) {
      const int64_t stride = in == out ? 1 : 2;
      const Var y = layer(relu(layer(x, in, out, 3, stride)), out, out, 3, 1, 0.5F);
      x = relu(y + (in == out ? x : layer(x, in, out, 1, stride, 1)));
    }
    return classify(w, x, 512);
  });
}

// Johnson et al., "Perceptual losses for real-time style transfer", 2016: mirrored edges, statistics of each image.
Function style_transfer() {
  return trace("style_transfer", {{"image", f32, {"batch", 3, 224, 224}}}, [](Var x) {
    Weights w(50);
    const auto layer = [&](Var v, int64_t in, int64_t out, int64_t kernel, int64_t stride) {
      const PadWidth around{kernel / 2, kernel / 2};
      v = pad(v, {around, around}, {.mode = PadKind::reflect});
      return conv(v, w.layer({out, in, kernel, kernel}, in * kernel * kernel, 1.4F), w.uniform({out}, -0.1F, 0.1F),
                  {.strides = {stride, stride}});
    };
    const auto normed = [&](Var v, int64_t channels) {
      return instance_normalization(v, w.uniform({channels}, 0.8F, 1.2F), w.uniform({channels}, -0.1F, 0.1F));
    };
    x = relu(normed(layer(x, 3, 32, 9, 1), 32));
    x = relu(normed(layer(x, 32, 64, 3, 2), 64));
    x = relu(normed(layer(x, 64, 128, 3, 2), 128));
    for (int i = 0; i < 5; ++i) x = x + normed(layer(relu(normed(layer(x, 128, 128, 3, 1), 128)), 128, 128, 3, 1), 128);
    for (const int64_t width : {128, 64}) {
      x = resize_by(x, {2.0, 2.0}, {.coordinates = Coordinates::asymmetric});
      x = relu(normed(layer(x, width, width / 2, 3, 1), width / 2));
    }
    return layer(x, 32, 3, 9, 1);
  });
}

// Shi et al., "Real-time single image and video super-resolution using an efficient sub-pixel convolutional neural
// network" (ESPCN), 2016: brightness at three times the size.
Function super_resolution() {
  return trace("super_resolution", {{"image", f32, {"batch", 1, 224, 224}}}, [](Var x) {
    Weights w(53);
    x = relu(conv_bias(w, x, 1, 64, 5));
    x = relu(conv_bias(w, x, 64, 64, 3));
    x = relu(conv_bias(w, x, 64, 32, 3));
    return depth_to_space(conv_bias(w, x, 32, 9, 3), 3, {.columns_first = true});
  });
}

// Radford et al., "Unsupervised representation learning with deep convolutional generative adversarial networks"
// (DCGAN), 2015.
Function generator() {
  return trace("generator", {{"noise", f32, {"batch", 100, 1, 1}}}, [](Var x) {
    Weights w(54);
    const auto layer = [&](Var v, int64_t in, int64_t out, int64_t stride) {
      return conv_transpose(v, w.layer({in, out, 4, 4}, in * 16 / stride / stride, 1.4F),
                            {.strides = {stride, stride}, .padding = stride == 1 ? Padding{0, 0} : Padding{1, 1}});
    };
    x = relu(batch_norm(w, layer(x, 100, 512, 1), 512));
    for (const int64_t width : {512, 256, 128}) x = relu(batch_norm(w, layer(x, width, width / 2, 2), width / 2));
    return tanh(layer(x, 64, 3, 2));
  });
}

}  // namespace tc::zoo
