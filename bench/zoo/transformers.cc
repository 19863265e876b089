#include <cmath>

#include "tc/bench/zoo/layers.h"
#include "tc/bench/zoo/networks.h"

namespace tc::zoo {
namespace {

constexpr int64_t kWidth = 768, kHeads = 12, kHeadSize = kWidth / kHeads;
constexpr double kHidden = -3.4028234663852886e38;  // what masks add to a score

Var split_heads(Var x) {
  return zoo::split_heads(x, kHeads, kHeadSize);
}

Var attend(Var q, Var k, Var v, Arg mask = {}) {
  Var scores = matmul(q, permute_dims(k, {0, 1, 3, 2})) / std::sqrt(static_cast<double>(kHeadSize));
  if (!mask.absent()) scores = scores + mask;
  return merge_heads(matmul(softmax(scores), v), kWidth);
}

Var feed_forward(Weights& w, Var x) {
  return linear(w, gelu_chain(linear(w, x, kWidth, 4 * kWidth)), 4 * kWidth, kWidth, 0.5F);
}

}  // namespace

template <int kLayers>
Function bert_of() {
  return trace("bert_base", {{"input_ids", i64, {"batch", "length"}}, {"attention_mask", i64, {"batch", "length"}}},
               [](Var ids, Var mask) {
                 Weights w(10);
                 const Tensor words = w.uniform({30522, kWidth}, -1, 1);
                 const Tensor positions = w.uniform({512, kWidth}, -1, 1);
                 const Tensor type = w.uniform({kWidth}, -1, 1);
                 const Var place = asarray(positions)[slice(0, ids.dim(1))];
                 Var x = layer_norm_chain(w, embedding(ids, words) + place + type, kWidth, 1e-12);
                 const Var hide = where(astype(mask, bool_), 0.0F, kHidden)[{slice({}, {}), newaxis, newaxis}];
                 for (int layer = 0; layer < kLayers; ++layer) {
                   const Var q = split_heads(linear(w, x, kWidth, kWidth)),
                             k = split_heads(linear(w, x, kWidth, kWidth)),
                             v = split_heads(linear(w, x, kWidth, kWidth));
                   const Var mixed = linear(w, attend(q, k, v, hide), kWidth, kWidth, 0.5F);
                   x = layer_norm_chain(w, x + mixed, kWidth, 1e-12);
                   x = layer_norm_chain(w, x + feed_forward(w, x), kWidth, 1e-12);
                 }
                 return x;
               });
}

template Function bert_of<2>();
template Function bert_of<12>();

Function vit() {
  return trace("vit", {{"image", f32, {"batch", 3, 224, 224}}}, [](Var image) {
    Weights w(11);
    const Tensor filter = w.layer({kWidth, 3, 16, 16}, 3 * 16 * 16), bias = w.uniform({kWidth}, -0.1F, 0.1F);
    Var x = conv(image, filter, bias, {.strides = {16, 16}});
    x = permute_dims(reshape(x, {image.dim(0), kWidth, -1}), {0, 2, 1});
    const Var token = broadcast_to(w.uniform({1, 1, kWidth}, -1, 1), {image.dim(0), 1, kWidth});
    x = concat({token, x}, {.axis = 1}) + w.uniform({1, 197, kWidth}, -1, 1);
    const auto norm = [&](Var v) {
      return layer_normalization(v, w.uniform({kWidth}, 0.8F, 1.2F), w.uniform({kWidth}, -0.1F, 0.1F),
                                 {.epsilon = 1e-6});
    };
    for (int block = 0; block < 4; ++block) {
      // One product for queries, keys and values, which then lie side by side.
      const Var all = reshape(linear(w, norm(x), kWidth, 3 * kWidth), {image.dim(0), -1, 3, kHeads, kHeadSize});
      const Var qkv = permute_dims(all, {2, 0, 3, 1, 4});
      x = x + linear(w, attend(qkv[0], qkv[1], qkv[2]), kWidth, kWidth, 0.5F);
      x = x + feed_forward(w, norm(x));
    }
    return linear(w, norm(x)[{slice({}, {}), 0}], kWidth, 1000);
  });
}

// Liu et al., "Swin transformer: hierarchical vision transformer using shifted windows", 2021: two blocks to a stage.
Function swin() {
  return trace("swin", {{"image", f32, {"batch", 3, 224, 224}}}, [](Var image) {
    constexpr int64_t kWindow = 7, kTokens = kWindow * kWindow, kSize = 32;
    Weights w(14);
    const auto norm = [&](Var v, int64_t width) {
      return layer_normalization(v, w.uniform({width}, 0.8F, 1.2F), w.uniform({width}, -0.1F, 0.1F));
    };
    int64_t width = 96, side = 56;
    const Tensor filter = w.layer({width, 3, 4, 4}, 3 * 16), bias = w.uniform({width}, -0.1F, 0.1F);
    Var x = norm(permute_dims(conv(image, filter, bias, {.strides = {4, 4}}), {0, 2, 3, 1}), width);
    for (int stage = 0; stage < 3; ++stage) {
      if (stage > 0) {  // four neighbours become one
        const IndexRange even = slice(0, {}, 2), odd = slice(1, {}, 2), every = slice({}, {});
        x = concat({x[{every, even, even}], x[{every, odd, even}], x[{every, even, odd}], x[{every, odd, odd}]},
                   {.axis = 3});
        x = matmul(norm(x, 4 * width), w.layer({4 * width, 2 * width}, 4 * width));
        width *= 2, side /= 2;
      }
      const int64_t windows = side / kWindow, heads = width / kSize;
      for (const int64_t shift : {int64_t{0}, kWindow / 2}) {
        Var y = norm(x, width);
        if (shift) y = roll(y, {-shift, -shift}, {.axis = {1, 2}});
        y = permute_dims(reshape(y, {-1, windows, kWindow, windows, kWindow, width}), {0, 1, 3, 2, 4, 5});
        const Var all = reshape(linear(w, reshape(y, {-1, kTokens, width}), width, 3 * width),
                                {-1, kTokens, 3, heads, kSize}),
                  qkv = permute_dims(all, {2, 0, 3, 1, 4});
        Var scores = matmul(qkv[0] * (1 / std::sqrt(static_cast<double>(kSize))), permute_dims(qkv[1], {0, 1, 3, 2})) +
                     w.uniform({1, heads, kTokens, kTokens}, -1, 1);
        if (shift) {  // what was rolled in from the other side does not belong to the window
          Tensor mask(f32, {windows * windows, kTokens, kTokens});
          const auto part = [&](int64_t window, int64_t token) {
            const auto region = [&](int64_t i, int64_t at) {
              return i + 1 < windows ? 0 : at < kWindow - shift ? 1 : 2;
            };
            return 3 * region(window / windows, token / kWindow) + region(window % windows, token % kWindow);
          };
          size_t next = 0;
          for (int64_t i = 0; i < windows * windows; ++i)
            for (int64_t j = 0; j < kTokens; ++j)
              for (int64_t k = 0; k < kTokens; ++k)
                mask.mutable_span<float>()[next++] = part(i, j) == part(i, k) ? 0.0F : -100.0F;
          scores =
              reshape(reshape(scores, {-1, windows * windows, heads, kTokens, kTokens}) + expand_dims(mask, {0, 2}),
                      {-1, heads, kTokens, kTokens});
        }
        y = linear(w, merge_heads(matmul(softmax(scores), qkv[2]), width), width, width, 0.5F);
        y = permute_dims(reshape(y, {-1, windows, windows, kWindow, kWindow, width}), {0, 1, 3, 2, 4, 5});
        y = reshape(y, {-1, side, side, width});
        if (shift) y = roll(y, {shift, shift}, {.axis = {1, 2}});
        x = x + y;
        x = x + linear(w, gelu_chain(linear(w, norm(x, width), width, 4 * width)), 4 * width, width, 0.5F);
      }
    }
    return linear(w, mean(norm(x, width), {.axis = {1, 2}}), width, 1000);
  });
}

template <int kLayers>
Function gpt2_step_of() {
  std::vector<Input> inputs{{"input_ids", i64, {1, 1}}, {"position_ids", i64, {1, 1}}};
  for (int layer = 0; layer < kLayers; ++layer)
    for (const char* what : {"key", "value"})
      inputs.push_back({"past_" + std::to_string(layer) + "." + what, f32, {1, kHeads, "past", kHeadSize}});
  return trace("gpt2_step", inputs, [](std::vector<Var> args) {
    Weights w(12);
    const Tensor words = w.layer({50257, kWidth}, kWidth), positions = w.layer({1024, kWidth}, kWidth);
    Var x = embedding(args[0], words) + embedding(args[1], positions);
    const auto norm = [&](Var v) {
      return layer_normalization(v, w.uniform({kWidth}, 0.8F, 1.2F), w.uniform({kWidth}, -0.1F, 0.1F));
    };
    Outputs outputs(1);
    for (int layer = 0; layer < kLayers; ++layer) {
      const auto qkv = split(linear(w, norm(x), kWidth, 3 * kWidth), {kWidth, kWidth, kWidth}, {.axis = 2});
      const size_t past = 2 + 2 * static_cast<size_t>(layer);
      const Var k = concat({args[past], split_heads(qkv[1])}, {.axis = 2}),
                v = concat({args[past + 1], split_heads(qkv[2])}, {.axis = 2});
      outputs.push_back({"present_" + std::to_string(layer) + ".key", k});
      outputs.push_back({"present_" + std::to_string(layer) + ".value", v});
      x = x + linear(w, attend(split_heads(qkv[0]), k, v), kWidth, kWidth, 0.5F);
      x = x + feed_forward(w, norm(x));
    }
    outputs[0] = {"logits", matmul(norm(x), matrix_transpose(words))};
    return outputs;
  });
}
template Function gpt2_step_of<2>();
template Function gpt2_step_of<12>();

template <int kBatch>
Function lstm_of() {
  constexpr int64_t kTime = 64, kFeatures = 256, kUnits = 256;
  return trace("lstm", {{"x", f32, {kTime, kBatch, kFeatures}}}, [](Var x) {
    Weights w(13);
    const Tensor input = w.layer({1, 4 * kUnits, kFeatures}, kFeatures),
                 recurrent = w.layer({1, 4 * kUnits, kUnits}, kUnits), bias = w.uniform({1, 8 * kUnits}, -0.1F, 0.1F);
    return lstm(x, input, recurrent, bias).y;
  });
}
template Function lstm_of<1>();
template Function lstm_of<16>();

}  // namespace tc::zoo
