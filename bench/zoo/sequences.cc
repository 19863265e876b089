// Networks over sequences as speech and language models have them.
#include <cmath>

#include "tc/bench/zoo/layers.h"
#include "tc/bench/zoo/networks.h"

namespace tc::zoo {
namespace {

Var layer_norm(Weights& w, Var x, int64_t width) {
  return layer_normalization(x, w.uniform({width}, 0.8F, 1.2F), w.uniform({width}, -0.1F, 0.1F));
}

Var self_attention(Weights& w, Var x, int64_t width, int64_t heads) {
  const int64_t size = width / heads;
  const auto project = [&] { return split_heads(linear(w, x, width, width), heads, size); };
  const Var q = project(), k = project(), v = project();
  const Var scores = matmul(q * (1 / std::sqrt(static_cast<double>(size))), permute_dims(k, {0, 1, 3, 2}));
  return linear(w, merge_heads(matmul(softmax(scores), v), width), width, width, 0.5F);
}

Var conv1d(Weights& w, Var x, int64_t in, int64_t out, int64_t kernel, ConvOptions options = {}) {
  const int64_t per_group = in / options.groups;
  return conv(x, w.layer({out, per_group, kernel}, per_group * kernel), w.uniform({out}, -0.1F, 0.1F),
              std::move(options));
}

// x / sqrt(mean(x²) + epsilon) · scale, as primitive nodes.
Var rms_norm_chain(Weights& w, Var x, int64_t width) {
  const Var inverse = 1.0 / sqrt(mean(pow(x, 2.0F), {.axis = -1, .keepdims = true}) + 1e-5);
  return x * inverse * w.uniform({width}, 0.8F, 1.2F);
}

// Su et al., "RoFormer", 2021, by halves, as exporters write it.
Var rotate(Var x, Var cosines, Var sines, int64_t size) {
  const Var first = x[{ellipsis, slice(0, size / 2)}], second = x[{ellipsis, slice(size / 2, {})}];
  return x * cosines + concat({-second, first}, {.axis = -1}) * sines;
}

}  // namespace

// The encoder of Whisper tiny (Radford et al., 2022) over ten seconds.
Function speech_encoder() {
  return trace("speech_encoder", {{"mel", f32, {"batch", 80, 1000}}}, [](Var mel) {
    Weights w(60);
    constexpr int64_t kWidth = 384;
    Var x = gelu_chain(conv1d(w, mel, 80, kWidth, 3, {.padding = Padding{1}}));
    x = gelu_chain(conv1d(w, x, kWidth, kWidth, 3, {.strides = {2}, .padding = Padding{1}}));
    x = permute_dims(x, {0, 2, 1}) + w.uniform({500, kWidth}, -1, 1);
    for (int layer = 0; layer < 4; ++layer) {
      x = x + self_attention(w, layer_norm(w, x, kWidth), kWidth, 6);
      const Var y = linear(w, layer_norm(w, x, kWidth), kWidth, 4 * kWidth);
      x = x + linear(w, gelu_chain(y), 4 * kWidth, kWidth, 0.5F);
    }
    return layer_norm(w, x, kWidth);
  });
}

// Gulati et al., "Conformer", 2020: four blocks over 200 frames.
Function conformer() {
  return trace("conformer", {{"frames", f32, {"batch", 200, 256}}}, [](Var x) {
    Weights w(61);
    constexpr int64_t kWidth = 256;
    const auto feed_forward = [&](Var v) {
      return linear(w, swish(linear(w, layer_norm(w, v, kWidth), kWidth, 4 * kWidth)), 4 * kWidth, kWidth, 0.5F) * 0.5;
    };
    for (int block = 0; block < 4; ++block) {
      x = x + feed_forward(x);
      x = x + self_attention(w, layer_norm(w, x, kWidth), kWidth, 4);
      Var y = conv1d(w, permute_dims(layer_norm(w, x, kWidth), {0, 2, 1}), kWidth, 2 * kWidth, 1);
      const auto halves = split(y, {kWidth, kWidth}, {.axis = 1});
      y = conv1d(w, halves[0] * sigmoid(halves[1]), kWidth, kWidth, 31, {.padding = Padding{15}, .groups = kWidth});
      y = batch_norm(w, y, kWidth);
      x = x + permute_dims(conv1d(w, swish(y), kWidth, kWidth, 1), {0, 2, 1});
      x = layer_norm(w, x + feed_forward(x), kWidth);
    }
    return x;
  });
}

// Van den Oord et al., "WaveNet", 2016: gated convolutions whose taps move apart.
Function wavenet() {
  return trace("wavenet", {{"wave", f32, {"batch", 1, 4000}}}, [](Var wave) {
    Weights w(62);
    constexpr int64_t kWidth = 64;
    Var x = conv1d(w, wave, 1, kWidth, 1);
    std::optional<Var> sum;
    for (int layer = 0; layer < 10; ++layer) {
      const int64_t apart = int64_t{1} << layer;
      const Var padded = pad(x, {PadWidth{2 * apart, 0}});
      const Var gates = conv1d(w, padded, kWidth, 2 * kWidth, 3, {.dilations = {apart}});
      const auto halves = split(gates, {kWidth, kWidth}, {.axis = 1});
      const Var y = tanh(halves[0]) * sigmoid(halves[1]);
      const Var skip = conv1d(w, y, kWidth, kWidth, 1);
      sum = sum ? *sum + skip : skip;
      x = x + conv1d(w, y, kWidth, kWidth, 1);
    }
    return conv1d(w, relu(conv1d(w, relu(*sum), kWidth, kWidth, 1)), kWidth, 256, 1);
  });
}

// A tagger of words: two layers in both directions.
template <bool kLong>
Function tagger_of() {
  return trace("tagger", {{"words", i64, {"batch", 40}}}, [](Var words) {
    Weights w(63);
    constexpr int64_t kUnits = 128, kGates = kLong ? 4 : 3;
    Var x = permute_dims(embedding(words, w.uniform({8000, kUnits}, -1, 1)), {1, 0, 2});
    for (int64_t layer = 0, in = kUnits; layer < 2; ++layer, in = 2 * kUnits) {
      const Tensor input = w.layer({2, kGates * kUnits, in}, in),
                   recurrent = w.layer({2, kGates * kUnits, kUnits}, kUnits),
                   bias = w.uniform({2, 2 * kGates * kUnits}, -0.1F, 0.1F);
      const Var y =
          kLong
              ? lstm(x, input, recurrent, bias, {.direction = Direction::bidirectional}).y
              : gru(x, input, recurrent, bias, {.direction = Direction::bidirectional, .linear_before_reset = true}).y;
      x = reshape(permute_dims(y, {0, 2, 1, 3}), {40, -1, 2 * kUnits});
    }
    return softmax(linear(w, x, 2 * kUnits, 20));
  });
}
template Function tagger_of<false>();
template Function tagger_of<true>();

namespace {

// A layer without bias; quantised, of 4-bit weights with a scale for each 32 inputs of an output.
template <bool kQuantised>
Var plain(Weights& w, Var x, int64_t in, int64_t out) {
  if constexpr (!kQuantised) return matmul(x, w.layer({in, out}, in));
  constexpr int64_t kBlock = 32;
  // Numbers from -8 to 7 are 4.6 from 0 in root mean square.
  const float scale = 1 / (4.6F * std::sqrt(static_cast<float>(in)));
  const Var numbers = constant(w.integers(DType::i4, {in, out}, -8, 7)),
            scales = constant(w.uniform({in / kBlock, out}, 0.5F * scale, 1.5F * scale));
  return matmul(x, make<DequantizeLinear>({numbers, scales, Var()}, {.axis = 0, .block_size = kBlock}));
}

}  // namespace

// Touvron et al., "LLaMA", 2023, of four layers: rotated positions, fewer heads of keys than of queries, gated layers.
template <bool kQuantised>
Function llama_of() {
  constexpr int64_t kWidth = 512, kHeads = 8, kKeyHeads = 4, kSize = 64, kHidden = 1408, kLayers = 4;
  std::vector<Input> inputs{{"input_ids", i64, {"batch", "length"}}, {"position_ids", i64, {"batch", "length"}}};
  for (int layer = 0; layer < kLayers; ++layer)
    for (const char* what : {"key", "value"})
      inputs.push_back({"past_" + std::to_string(layer) + "." + what, f32, {"batch", kKeyHeads, "past", kSize}});
  return trace("llama", inputs, [](std::vector<Var> args) {
    Weights w(64);
    const Tensor words = w.layer({32000, kWidth}, 1), angles_per_step = [] {
      Tensor t(f32, {kSize / 2});
      for (int64_t i = 0; i < kSize / 2; ++i)
        t.mutable_span<float>()[static_cast<size_t>(i)] =
            std::pow(10000.0F, -2 * static_cast<float>(i) / static_cast<float>(kSize));
      return t;
    }();
    const Var positions = astype(args[1], f32)[{slice({}, {}), slice({}, {}), newaxis}];
    const Var half = positions * angles_per_step, angles = concat({half, half}, {.axis = -1});
    const Var cosines = cos(angles)[{slice({}, {}), newaxis}], sines = sin(angles)[{slice({}, {}), newaxis}];
    const auto layer_of = [&](Var v, int64_t in, int64_t out) { return plain<kQuantised>(w, v, in, out); };
    // Later words stay hidden: a row of scores sees what came before it.
    const Var seen = args[1][{slice({}, {}), newaxis, slice({}, {}), newaxis}];
    Var x = embedding(args[0], words);
    Outputs outputs(1);
    for (int layer = 0; layer < kLayers; ++layer) {
      const Var y = rms_norm_chain(w, x, kWidth);
      const Var q = rotate(split_heads(layer_of(y, kWidth, kWidth), kHeads, kSize), cosines, sines, kSize);
      const size_t past = 2 + 2 * static_cast<size_t>(layer);
      const Var k = concat({args[past], rotate(split_heads(layer_of(y, kWidth, kKeyHeads * kSize), kKeyHeads, kSize),
                                               cosines, sines, kSize)},
                           {.axis = 2});
      const Var v =
          concat({args[past + 1], split_heads(layer_of(y, kWidth, kKeyHeads * kSize), kKeyHeads, kSize)}, {.axis = 2});
      outputs.push_back({"present_" + std::to_string(layer) + ".key", k});
      outputs.push_back({"present_" + std::to_string(layer) + ".value", v});
      const auto repeated = [&](Var heads) {
        heads = expand_dims(heads, {2});
        heads = broadcast_to(heads, {heads.dim(0), kKeyHeads, kHeads / kKeyHeads, heads.dim(3), kSize});
        return reshape(heads, {heads.dim(0), kHeads, -1, kSize});
      };
      const Var scores = matmul(q, permute_dims(repeated(k), {0, 1, 3, 2})) / std::sqrt(static_cast<double>(kSize));
      const Var visible = arange(k.dim(2)) <= seen;
      const Var shares = softmax(where(visible, scores, -3.4028234663852886e38F));
      x = x + layer_of(merge_heads(matmul(shares, repeated(v)), kWidth), kWidth, kWidth);
      const Var z = rms_norm_chain(w, x, kWidth);
      x = x + layer_of(swish(layer_of(z, kWidth, kHidden)) * layer_of(z, kWidth, kHidden), kHidden, kWidth);
    }
    outputs[0] = {"logits", layer_of(rms_norm_chain(w, x, kWidth), kWidth, 32000)};
    return outputs;
  });
}

template Function llama_of<false>();
template Function llama_of<true>();

}  // namespace tc::zoo
