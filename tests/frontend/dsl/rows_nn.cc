#include "vocabulary.h"

namespace tc::vocabulary {

Group nn_rows() {
  Group g{"Neural networks", {}};
  const auto loose = [&](std::string name, std::vector<std::string> inputs, auto f, std::string numpy,
                         double tolerance = 2e-5) -> Row& {
    Row& row = g.add(std::move(name), std::move(inputs), f, std::move(numpy));
    row.tolerance = tolerance;
    return row;
  };
  loose(
      "conv", {"f32[2,3,8,9]", "f32[4,3,3,2]", "f32[4]"}, [](Var x, Var w, Var b) { return conv(x, w, b); },
      "conv(a, b, c)");
  loose(
      "conv", {"f32[2,3,10]", "f32[4,3,3]"}, [](Var x, Var w) { return conv(x, w, {.strides = {2}}); },
      "conv(a, b, strides=[2])");
  loose(
      "conv", {"f32[1,2,5,6,4]", "f32[3,2,2,3,2]"}, [](Var x, Var w) { return conv(x, w); }, "conv(a, b)");
  loose(
      "conv", {"f32[1,4,9,9]", "f32[6,2,3,3]"},
      [](Var x, Var w) {
        return conv(x, w, {.strides = {1, 2}, .dilations = {2, 1}, .padding = {2, 1}, .groups = 2});
      },
      "conv(a, b, None, [1, 2], [2, 1], [2, 1], 2)");
  loose(
      "conv", {"f32[1,1,6,6]", "f32[1,1,3,3]"},
      [](Var x, Var w) {
        return conv(x, w, {.padding = {0, 1, 2, 3}});
      },
      "conv(a, b, pad=[0, 1, 2, 3])");
  const std::pair<Padding::Rule, std::string> rules[] = {{Padding::valid, "valid"},
                                                         {Padding::same_upper, "same_upper"},
                                                         {Padding::same_lower, "same_lower"},
                                                         {Padding::full, "full"},
                                                         {Padding::half, "half"}};
  for (const auto& [rule, spelled] : rules)
    for (const bool flip : {false, true})
      loose(
          "conv", {"f32[1,2,7,8]", "f32[3,2,4,3]"},
          [rule = rule, flip](Var x, Var w) {
            return conv(x, w, {.strides = {2, 1}, .dilations = {1, 2}, .padding = rule, .flip_kernel = flip});
          },
          "conv(a, b, None, [2, 1], [1, 2], '" + spelled + "', flip=" + (flip ? "True" : "False") + ")")
          .fixed = rule == Padding::full || rule == Padding::half;
  loose(
      "conv", {"f64[1,1,6]", "f64[1,1,3]"},
      [](Var x, Var w) { return conv(x, w, {.padding = Padding::full, .flip_kernel = true}); },
      "np.convolve(a[0, 0], b[0, 0])[None, None]", 1e-12)
      .fixed = true;
  loose(
      "conv_transpose", {"f32[1,3,4,5]", "f32[3,2,3,2]", "f32[2]"},
      [](Var x, Var w, Var b) {
        return conv_transpose(x, w, b, {.strides = {2, 3}});
      },
      "conv_transpose(a, b, c, [2, 3])");
  loose(
      "conv_transpose", {"f32[1,4,4]", "f32[4,2,3]"},
      [](Var x, Var w) {
        return conv_transpose(x, w,
                              {.strides = {2}, .dilations = {2}, .output_padding = {1}, .padding = {1}, .groups = 2});
      },
      "conv_transpose(a, b, None, [2], [2], [1, 1], [1], 2)");
  loose(
      "conv_transpose", {"f32[1,2,4]", "f32[2,2,3]"},
      [](Var x, Var w) { return conv_transpose(x, w, {.flip_kernel = true}); }, "conv_transpose(a, b, flip=True)");
  loose(
      "max_pool", {"f32[2,3,8,9]"},
      [](Var x) {
        return max_pool(x, {2, 3}, {.strides = {2, 3}});
      },
      "pool(np.max, a, [2, 3], [2, 3])");
  loose(
      "max_pool", {"f32[2,3,11]"}, [](Var x) { return max_pool(x, {3}, {.dilations = {2}, .padding = Padding::half}); },
      "pool(np.max, a, [3], None, [2], 'half', -inf)");
  loose(
      "average_pool", {"f32[2,3,8,9]"},
      [](Var x) {
        return average_pool(x, {3, 3}, {.strides = {2, 2}, .padding = {1, 1}, .count_include_pad = true});
      },
      "pool(np.mean, a, [3, 3], [2, 2], None, [1, 1])");
  loose(
      "average_pool", {"f32[2,3,8]"}, [](Var x) { return average_pool(x, {3}, {.padding = Padding::same_upper}); },
      "pool(np.nanmean, a, [3], pad='same_upper', value=nan)");
  loose(
      "lp_pool", {"f32[2,3,8]"}, [](Var x) { return lp_pool(x, {3}, {.p = 3}); },
      "pool(np.sum, np.abs(a) ** 3, [3]) ** (1 / 3)");
  loose(
      "global_average_pool", {"f32[2,3,4,5]"}, [](Var x) { return global_average_pool(x); }, "mean(a, (2, 3), True)");
  loose(
      "global_max_pool", {"f32[2,3,4,5]"}, [](Var x) { return global_max_pool(x); }, "amax(a, (2, 3), True)");

  const std::vector<std::string> channel = {"f32[2,6,4,5]", "f32[6]", "f32[6]"};
  loose(
      "batch_normalization", {"f32[2,6,4,5]", "f32[6]", "f32[6]", "f32[6]", "f32[6]{0.5,2}"},
      [](Var x, Var s, Var b, Var m, Var v) { return batch_normalization(x, s, b, m, v); },
      "(a - channels(d, a)) / np.sqrt(channels(e, a) + 1e-5) * channels(b, a) + channels(c, a)");
  loose(
      "batch_normalization_training", {"f32[2,6,4,5]", "f32[6]", "f32[6]", "f32[6]", "f32[6]{0.5,2}"},
      [](Var x, Var s, Var b, Var m, Var v) {
        const BatchNormTraining r = batch_normalization_training(x, s, b, m, v);
        return std::tuple{r.y, r.mean, r.var};
      },
      "(normalized(a, (0, 2, 3)) * channels(b, a) + channels(c, a), 0.9 * d + 0.1 * a.mean((0, 2, 3)), "
      "0.9 * e + 0.1 * a.var((0, 2, 3)))");
  loose(
      "group_normalization", channel, [](Var x, Var s, Var b) { return group_normalization(x, s, b, 3); },
      "normalized(a.reshape(2, 3, -1), 2).reshape(a.shape) * channels(b, a) + channels(c, a)");
  loose(
      "instance_normalization", channel, [](Var x, Var s, Var b) { return instance_normalization(x, s, b); },
      "normalized(a, (2, 3)) * channels(b, a) + channels(c, a)");
  loose(
      "layer_normalization", {"f32[3,4,5]", "f32[5]", "f32[5]"},
      [](Var x, Var s, Var b) { return layer_normalization(x, s, b); }, "normalized(a, -1) * b + c");
  loose(
      "layer_normalization", {"f32[3,4,5]", "f32[4,5]"},
      [](Var x, Var s) { return layer_normalization(x, s, {}, {.axis = 1, .epsilon = 1e-3}); },
      "normalized(a, (1, 2), 1e-3) * b");
  loose(
      "rms_normalization", {"f32[3,4,5]", "f32[5]"}, [](Var x, Var s) { return rms_normalization(x, s); },
      "a / np.sqrt((a * a).mean(-1, keepdims=True) + 1e-5) * b");
  loose(
      "lp_normalization", {"f32[3,4]"}, [](Var x) { return lp_normalization(x, {.axis = 0, .p = 1}); },
      "a / np.abs(a).sum(0)");
  loose(
      "lrn", {"f32[1,5,3,3]"}, [](Var x) { return lrn(x, 3, {.alpha = 0.5}); },
      "a / (1 + 0.5 / 3 * sum((np.pad(a * a, ((0, 0), (1, 1), (0, 0), (0, 0)))[:, i : i + 5] for i in range(3)))) ** "
      "0.75");
  loose(
      "mean_variance_normalization", {"f32[2,3,4]"},
      [](Var x) {
        return mean_variance_normalization(x, {0, 2});
      },
      "normalized(a, (0, 2), 0)");
  for (const std::string axis : {"-1", "0", "1"}) {
    const SoftmaxOptions o{.axis = std::stol(axis)};
    loose(
        "softmax", {"f32[3,4,5]"}, [o](Var x) { return softmax(x, o); }, "softmax(a, " + axis + ")");
    loose(
        "log_softmax", {"f32[3,4,5]"}, [o](Var x) { return log_softmax(x, o); }, "log_softmax(a, " + axis + ")");
  }
  loose(
      "softmax", {"f64[3,4]{-900,900}"}, [](Var x) { return softmax(x); }, "softmax(a)", 1e-12);
  loose(
      "hardmax", {"f32[3,4]"}, [](Var x) { return hardmax(x); }, "np.eye(4)[np.argmax(a, 1)]");

  loose(
      "attention", {"f32[2,4,5,8]", "f32[2,4,6,8]", "f32[2,4,6,7]"},
      [](Var q, Var k, Var v) { return attention(q, k, v); }, "attention(a, b, c)");
  loose(
      "attention", {"f32[2,4,5,8]", "f32[2,2,5,8]", "f32[2,2,5,8]", "f32[5,5]"},
      [](Var q, Var k, Var v, Var m) {
        return attention(q, k, v, {.causal = true, .scale = 0.25, .softcap = 3, .mask = m});
      },
      "attention(a, b, c, d, True, 0.25, 3)");
  loose(
      "attention", {"f32[2,5,8]", "f32[2,6,8]", "f32[2,6,8]", "bool[5,6]{1,1}"},
      [](Var q, Var k, Var v, Var m) { return attention(q, k, v, {.q_heads = 2, .mask = m}); },
      "merged(attention(heads(a, 2), heads(b, 2), heads(c, 2), d))");
  loose(
      "attention_with_cache", {"f32[1,2,1,4]", "f32[1,2,1,4]", "f32[1,2,1,4]", "f32[1,2,3,4]", "f32[1,2,3,4]"},
      [](Var q, Var k, Var v, Var pk, Var pv) {
        const AttentionResult r = attention_with_cache(q, k, v, {.past_key = pk, .past_value = pv});
        return std::tuple{r.y, r.present_key, r.present_value};
      },
      "(attention(a, concat([d, b], 2), concat([e, c], 2)), concat([d, b], 2), concat([e, c], 2))");
  loose(
      "rotary_embedding", {"f32[1,2,3,4]", "f32[1,3,2]", "f32[1,3,2]"},
      [](Var x, Var c, Var s) { return rotary_embedding(x, c, s); },
      "concat([a[..., :2] * b[:, None] - a[..., 2:] * c[:, None], a[..., 2:] * b[:, None] + a[..., :2] * c[:, None]], "
      "-1)");

  const auto recurrent = [&](std::string name, int gates, auto f, std::string numpy) {
    const std::string n = std::to_string(4 * gates), m = std::to_string(8 * gates);
    loose(std::move(name), {"f32[3,2,5]", "f32[1," + n + ",5]", "f32[1," + n + ",4]", "f32[1," + m + "]"}, f,
          std::move(numpy));
  };
  recurrent(
      "rnn", 1,
      [](Var x, Var w, Var r, Var b) {
        const auto y = rnn(x, w, r, b);
        return std::pair{y.y, y.h};
      },
      "recurrent(rnn_cell, a, b, c, d, [np.zeros((2, 4))], 4)");
  recurrent(
      "gru", 3,
      [](Var x, Var w, Var r, Var b) {
        const auto y = gru(x, w, r, b);
        return std::pair{y.y, y.h};
      },
      "recurrent(gru_cell, a, b, c, d, [np.zeros((2, 4))], 4)");
  recurrent(
      "lstm", 4,
      [](Var x, Var w, Var r, Var b) {
        const auto y = lstm(x, w, r, b);
        return std::tuple{y.y, y.h, y.c};
      },
      "recurrent(lstm_cell, a, b, c, d, [np.zeros((2, 4))] * 2, 4)");

  loose(
      "one_hot", {"i64[2,3]=0,1,2,-1,4,9"}, [](Var i) { return one_hot(i, 5); },
      "np.concatenate([np.eye(5), np.zeros((5, 5)), np.eye(5)])[a]");
  loose(
      "one_hot", {"i32[3]=2,0,1"}, [](Var i) { return one_hot(i, 4, {.axis = 0, .dtype = i32}); },
      "np.eye(4, dtype='i4')[:, a]");
  loose(
      "embedding", {"i64[2,3]{0,6}", "f32[7,4]"}, [](Var i, Var t) { return embedding(i, t); }, "b[a]");
  loose(
      "dropout", {"f32[4,5]", "bool[]=0"}, [](Var x, Var training) { return dropout(x, training); }, "a");
  loose(
      "resize", {"f32[1,2,3,4]"},
      [](Var x) {
        return resize(x, {6, 8});
      },
      "a.repeat(2, 2).repeat(2, 3)");
  loose(
      "resize", {"f32[1,1,4]"},
      [](Var x) { return resize(x, {7}, {.mode = Interpolation::linear, .coordinates = Coordinates::align_corners}); },
      "np.interp(np.linspace(0, 3, 7), np.arange(4), a[0, 0])[None, None]");
  loose(
      "resize_by", {"f32[1,2,3,4]"},
      [](Var x) {
        return resize_by(x, {2, 3});
      },
      "a.repeat(2, 2).repeat(3, 3)");

  loose(
      "mse_loss", {"f32[3,4]", "f32[3,4]"}, [](Var x, Var y) { return mse_loss(x, y); }, "np.mean((a - b) ** 2)");
  loose(
      "mse_loss", {"f32[3,4]", "f32[3,4]"}, [](Var x, Var y) { return mse_loss(x, y, {.reduction = Reduction::none}); },
      "(a - b) ** 2");
  loose(
      "l1_loss", {"f32[3,4]", "f32[3,4]"}, [](Var x, Var y) { return l1_loss(x, y, {.reduction = Reduction::sum}); },
      "np.abs(a - b).sum()");
  loose(
      "huber_loss", {"f32[9]{-3,3}", "f32[9]"}, [](Var x, Var y) { return huber_loss(x, y, {.delta = 0.8}); },
      "(lambda e: np.where(e < 0.8, e * e / 2, 0.8 * (e - 0.4)).mean())(np.abs(a - b))");
  loose(
      "binary_cross_entropy_with_logits", {"f32[9]{-9,9}", "f32[9]{0,1}"},
      [](Var x, Var y) { return binary_cross_entropy_with_logits(x, y); },
      "np.mean(-b * np.log(sigmoid(a)) - (1 - b) * np.log(1 - sigmoid(a)))");
  loose(
      "kl_divergence", {"f32[3,4]", "f32[3,4]{0.1,1}"}, [](Var x, Var y) { return kl_divergence(x, y); },
      "np.mean(b * (np.log(b) - a))");
  loose(
      "cross_entropy", {"f32[6,5]", "i64[6]{0,4}"}, [](Var x, Var y) { return cross_entropy(x, y); },
      "-np.mean(pick(log_softmax(a, 1), b))");
  loose(
      "cross_entropy", {"f32[2,5,3]", "i32[2,3]{0,4}"},
      [](Var x, Var y) { return cross_entropy(x, y, {.reduction = Reduction::none}); }, "-pick(log_softmax(a, 1), b)");
  loose(
      "cross_entropy", {"f32[6,5]", "i64[6]{0,4}"},
      [](Var x, Var y) { return cross_entropy(x, y, {.reduction = Reduction::none, .ignore_index = 2}); },
      "np.where(b == 2, 0, -pick(log_softmax(a, 1), b))");
  loose(
      "nll_loss", {"f32[6,5]", "i64[6]{0,4}"},
      [](Var x, Var y) { return nll_loss(x, y, {.reduction = Reduction::sum}); }, "-pick(a, b).sum()");
  return g;
}

}  // namespace tc::vocabulary
