// Layers, losses, quantised numbers, pictures, sequences, strings.
#include "vocabulary.h"

namespace tc::vocabulary {
namespace {

Tensor strings(std::initializer_list<std::string> list) {
  Tensor t(DType::str, {static_cast<int64_t>(list.size())});
  std::copy(list.begin(), list.end(), t.mutable_span<std::string>().begin());
  return t;
}

}  // namespace

Group layer_rows() {
  Group g{"Layers and losses by other names", {}};
  g.add(
      "conv1d", {"f32[2,3,9]", "f32[4,3,3]"}, [](Var x, Var w) { return conv1d(x, w, {.strides = 2}); },
      "single(conv(a, b, strides=[2]))");
  g.add(
      "conv2d", {"f32[2,3,8,9]", "f32[4,3,3,2]", "f32[4]"},
      [](Var x, Var w, Var b) { return conv2d(x, w, b, {.padding = 1}); }, "single(conv(a, b, c, pad=[1, 1]))");
  g.add(
      "conv3d", {"f32[1,2,4,5,6]", "f32[3,2,2,2,2]"}, [](Var x, Var w) { return conv3d(x, w); }, "single(conv(a, b))");
  g.add(
       "depthwise_conv", {"f32[2,3,8,9]", "f32[6,1,3,3]"}, [](Var x, Var w) { return depthwise_conv(x, w); },
       "single(conv(a, b, groups=3))")
      .fixed = true;
  g.add(
       "separable_conv", {"f32[2,3,8,9]", "f32[3,1,3,3]", "f32[5,3,1,1]"},
       [](Var x, Var d, Var p) { return separable_conv(x, d, p); }, "single(conv(conv(a, b, groups=3), c))")
      .fixed = true;
  g.add(
       "causal_conv1d", {"f32[2,3,9]", "f32[4,3,3]", "f32[4]"},
       [](Var x, Var w, Var b) { return causal_conv1d(x, w, {.bias = b, .dilation = 2}); },
       "single(conv(np.pad(a, ((0, 0), (0, 0), (4, 0))), b, c, dilations=[2]))")
      .fixed = true;
  g.add(
      "hard_tanh", {"f32[9]"}, [](Var x) { return hard_tanh(x, -0.5, 0.7); },
      "np.clip(a, np.float32(-0.5), np.float32(0.7))");
  g.add(
      "log_sigmoid", {"f32[5]=-100,-1,0,2,50"}, [](Var x) { return log_sigmoid(x); }, "-softplus(-a)");
  g.add(
      "softmin", {"f32[3,4]"}, [](Var x) { return softmin(x, {.axis = 0}); }, "softmax(-a, 0).astype('f4')");
  g.add(
      "glu", {"f32[3,4]"}, [](Var x) { return glu(x); }, "a[:, :2] * sigmoid(a[:, 2:])");
  g.add(
       "adaptive_average_pool", {"f32[2,3,7,8]"},
       [](Var x) {
         return std::pair{adaptive_average_pool(x, {3, 4}), adaptive_average_pool(x, 1)};
       },
       "(adaptive(np.mean, a, (3, 4)), adaptive(np.mean, a, (1, 1)))")
      .fixed = true;
  g.add(
       "adaptive_max_pool", {"f32[2,3,7,8]"},
       [](Var x) {
         return std::pair{adaptive_max_pool(x, {3, 5}), adaptive_max_pool(x, {7, 2})};
       },
       "(adaptive(np.max, a, (3, 5)), adaptive(np.max, a, (7, 2)))")
      .fixed = true;
  g.add(
      "global_lp_pool", {"f32[2,3,4]"}, [](Var x) { return global_lp_pool(x, {.p = 3}); },
      "(np.abs(a.astype('f8')) ** 3).sum(2, keepdims=True) ** (1 / 3)");
  g.add(
       "max_pool_with_indices", {"f32[1,2,4,6]"},
       [](Var x) {
         const auto [v, i] = max_pool_with_indices(x, 2, {.strides = 2});
         return std::vector<Var>{v, take(flatten(x), i), max_unpool(v, i, 2, {.strides = 2})};
       },
       "(lambda m, u: (m, m, np.where(a == u, a, 0)))(a.reshape(1, 2, 2, 2, 3, 2).max((3, 5)), a.reshape(1, 2, 2, 2, "
       "3, "
       "2).max((3, 5)).repeat(2, 2).repeat(2, 3))")
      .fixed = true;
  g.add(
       "max_unpool", {"f32[1,1,2]", "i64[1,1,2]=1,2"}, [](Var x, Var i) { return max_unpool(x, i, 2, {.strides = 2}); },
       "single(np.array([[[0, a[0, 0, 0], a[0, 0, 1], 0]]]))")
      .fixed = true;
  g.add(
      "unfold", {"f32[2,3,5,6]"},
      [](Var x) {
        return unfold(x, {2, 3}, {.strides = {1, 2}, .padding = {1, 0}});
      },
      "columns(np.pad(a, ((0, 0), (0, 0), (1, 1), (0, 0))), (2, 3), (1, 2))");
  g.add(
       "fold", {"f32[1,8,12]"},
       [](Var x) {
         return fold(x, {4, 5}, {2, 2});
       },
       "summed_columns(a, (4, 5), (2, 2))")
      .fixed = true;
  g.add(
       "pixel_shuffle", {"f32[1,8,2,3]"}, [](Var x) { return pixel_shuffle(x, 2); },
       "a.reshape(1, 2, 2, 2, 2, 3).transpose(0, 1, 4, 2, 5, 3).reshape(1, 2, 4, 6)")
      .fixed = true;
  g.add(
       "pixel_unshuffle", {"f32[1,8,2,3]"}, [](Var x) { return pixel_unshuffle(pixel_shuffle(x, 2), 2); }, "a")
      .fixed = true;

  g.add(
      "binary_cross_entropy", {"f32[9]{0,1}", "f32[9]{0,1}"}, [](Var p, Var y) { return binary_cross_entropy(p, y); },
      "-(b * np.log(a.astype('f8')) + (1 - b) * np.log1p(-a.astype('f8'))).mean()");
  g.add(
      "categorical_cross_entropy", {"f32[4,3]{0.1,1}", "f32[4,3]{0,1}"},
      [](Var p, Var y) { return categorical_cross_entropy(p, y, {.reduction = Reduction::sum}); },
      "-(b * np.log(a)).sum()");
  g.add(
      "smooth_l1_loss", {"f32[9]", "f32[9]"},
      [](Var x, Var y) {
        return std::pair{smooth_l1_loss(x, y, {.beta = 0.5}), smooth_l1_loss(x, y, {.beta = 0})};
      },
      "((lambda e: np.where(e < 0.5, e * e, e - np.float32(0.25)))(np.abs(a - b)).mean(), np.abs(a - b).mean())");
  g.add(
      "hinge_loss", {"f32[9]", "f32[9]"}, [](Var x, Var y) { return hinge_loss(x, sign(y)); },
      "np.maximum(0, 1 - a * np.sign(b)).mean()");
  g.add(
      "poisson_nll_loss", {"f32[9]", "f32[9]{0,5}"}, [](Var x, Var y) { return poisson_nll_loss(x, y); },
      "(np.exp(a) - a * b).mean()");
  g.add(
      "gaussian_nll_loss", {"f32[9]", "f32[9]", "f32[9]{0.1,2}"},
      [](Var x, Var y, Var v) { return gaussian_nll_loss(x, y, v); },
      "(np.log(c) + (a - b) ** 2 / c).mean() * np.float32(0.5)");
  g.add(
      "cosine_similarity", {"f32[4,5]", "f32[4,5]"}, [](Var x, Var y) { return cosine_similarity(x, y); },
      "(a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1))");
  g.add(
      "triplet_margin_loss", {"f32[4,5]", "f32[4,5]", "f32[4,5]"},
      [](Var x, Var p, Var n) {
        return std::pair{triplet_margin_loss(x, p, n), triplet_margin_loss(x, p, n, {.p = 1})};
      },
      "single([np.maximum(0, distance(a - b, p) - distance(a - c, p) + 1).mean() for p in (2, 1)])");
  g.add(
       "ctc_loss", {"f32[6,3,4]", "i64[3,2]=1,2,3,3,2,1", "i64[3]=6,5,4", "i64[3]=2,2,0"},
       [](Var x, Var t, Var n, Var m) {
         const Var p = log_softmax(x);
         return std::pair{ctc_loss(p, t, n, m, {.reduction = Reduction::none}), ctc_loss(p, t, n, m)};
       },
       "(lambda l: (l, (l / np.maximum(d, 1)).mean()))(ctc(log_softmax(a), b, c, d))")
      .tolerance = 2e-5;
  g.add(
      "cross_entropy", {"f32[6,5]", "i64[6]{0,4}", "f32[5]{0.5,2}"},
      [](Var x, Var y, Var w) {
        return std::vector<Var>{cross_entropy(x, y, {.weights = w}), cross_entropy(x, y, {.label_smoothing = 0.1}),
                                cross_entropy(x, y, {.ignore_index = 2, .weights = w, .label_smoothing = 0.2})};
      },
      "single((smoothed(a, b, c, 0, None), smoothed(a, b, np.ones(5), 0.1, None), smoothed(a, b, c, 0.2, 2)))");
  return g;
}

Group quantised_rows() {
  Group g{"Quantised numbers", {}};
  g.add(
      "quantize_linear", {"f32[4,6]"}, [](Var x) { return quantize_linear(x, 0.05, {.zero_point = 120}); },
      "np.clip(np.rint(a / np.float32(0.05)) + 120, 0, 255).astype('u1')");
  g.add(
      "quantize_linear", {"f32[4,3]", "f32[3]{0.01,0.1}"},
      [](Var x, Var s) { return quantize_linear(x, s, {.dtype = i8}); },
      "np.clip(np.rint(a / b), -128, 127).astype('i1')");
  g.add(
      "dequantize_linear", {"i8[4,3]", "f32[4]{0.01,0.1}", "i8[4]"},
      [](Var x, Var s, Var z) { return dequantize_linear(x, s, {.zero_point = z, .axis = 0}); },
      "((a.astype('i4') - c[:, None]) * b[:, None]).astype('f4')");
  g.add(
      "dynamic_quantize_linear", {"f32[9]"},
      [](Var x) {
        const auto [y, scale, zero] = dynamic_quantize_linear(x);
        return abs(dequantize_linear(y, scale, {.zero_point = zero}) - x) <= scale * 0.51;
      },
      "np.ones(9, bool)");
  g.add(
      "matmul_integer", {"u8[3,4]", "i8[4,5]"},
      [](Var a, Var b) { return matmul_integer(a, b, {.a_zero_point = 3, .b_zero_point = -2}); },
      "(a.astype('i4') - 3) @ (b.astype('i4') + 2)");
  g.add(
      "conv_integer", {"u8[1,2,5,6]", "i8[3,2,2,2]"},
      [](Var x, Var w) { return conv_integer(x, w, {.x_zero_point = 3}); },
      "np.rint(conv(a.astype('f8') - 3, b)).astype('i4')");
  g.add(
      "qlinear_matmul", {"u8[3,4]", "u8[4,5]"},
      [](Var a, Var b) {
        return qlinear_matmul({a, 0.1, 3}, {b, 0.2, 1}, 0.5, 10);
      },
      "np.clip(np.rint((a.astype('f4') - 3) @ (b.astype('f4') - 1) * np.float32(0.1) * np.float32(0.2) / "
      "np.float32(0.5)) + 10, 0, 255).astype('u1')");
  g.add(
      "qlinear_conv", {"u8[1,2,5,6]", "u8[3,2,2,2]", "i32[3]"},
      [](Var x, Var w, Var b) {
        return qlinear_conv({x, 0.1, 3}, {w, 0.2, 1}, 0.5, 10, {.bias = b});
      },
      "np.clip(np.rint(conv(a.astype('f8') - 3, b.astype('f8') - 1, c) * 0.04) + 10, 0, 255).astype('u1')");
  g.add(
      "fake_quantize", {"f32[9]{-9,9}"}, [](Var x) { return fake_quantize(x, 0.05, 120); },
      "((np.clip(np.rint(a / np.float32(0.05) + 120), 0, 255) - 120) * np.float32(0.05))");
  return g;
}

Group vision_rows() {
  Group g{"Pictures, regions, boxes", {}};
  g.add(
      "affine_grid", {"f32[1,2,3]=1,0,0,0,1,0", "f32[1,2,4,5]"},
      [](Var t, Var x) {
        return grid_sample(x, affine_grid(t, x.shape(), {.align_corners = true}), {.align_corners = true});
      },
      "b");
  g.add(
      "grid_sample", {"f32[1,1,3,4]", "f32[1,2,2,2]=-1,-1,1,1,0,0,1,-1"},
      [](Var x, Var points) { return grid_sample(x, points, {.align_corners = true}); },
      "np.float32([[[[a[0, 0, 0, 0], a[0, 0, 2, 3]], [(a[0, 0, 1, 1] + a[0, 0, 1, 2]) / 2, a[0, 0, 0, 3]]]]])");
  g.add(
      "roi_align", {},
      [] {  // of a ramp the mean of a region is its centre
        const Var x = broadcast_to(asarray(arange(8), {.dtype = f32}), {1, 1, 8, 8});
        return roi_align(x, asarray(Tensor::of<float>({1, 4}, {1.5, 1, 5.5, 5})),
                         asarray(Tensor::of<int64_t>({1}, {0})), {.height = 1, .width = 2, .sampling_ratio = 2});
      },
      "np.float32([[[[2, 4]]]])");
  g.add(
      "max_roi_pool", {"f32[1,1,4,4]"},
      [](Var x) {
        return max_roi_pool(x, asarray(Tensor::of<float>({1, 5}, {0, 0, 0, 3, 3})), 2, 2);
      },
      "a.reshape(1, 1, 2, 2, 2, 2).max((3, 5))");
  g.add(
      "non_max_suppression", {"f32[1,3,4]=0,0,1,1,0,0.05,1,1.05,2,2,3,3", "f32[1,1,3]=0.8,0.9,0.5"},
      [](Var boxes, Var scores) {
        return non_max_suppression(boxes, scores, {.max_per_class = 5, .iou_threshold = 0.5});
      },
      "np.array([[0, 0, 1], [0, 0, 2]])");
  g.add(
       "deform_conv", {"f32[1,2,4,5]", "f32[3,2,2,2]", "f32[3]"},
       [](Var x, Var w, Var b) {
         return deform_conv(x, w, zeros({1, 8, 3, 4}), {.bias = b});
       },
       "single(conv(a, b, c))")
      .fixed = true;
  g.add(
      "center_crop_pad", {"f32[4,5]"},
      [](Var x) {
        return center_crop_pad(x, {2, 9}, {.axes = {0, 1}});
      },
      "np.pad(a[1:3], ((0, 0), (2, 2)))");
  g.add(
      "image_decoder", {"u8[17]=80,53,10,50,32,50,10,50,53,53,10,1,2,3,255,0,0"},
      [](Var bytes) { return image_decoder(bytes[slice(15)], Pixels::gray); },
      "np.array([[[1], [2]], [[3], [255]]], 'u1')");
  return g;
}

Group sequence_rows() {
  Group g{"Sequences, optional values, strings, states", {}};
  g.add(
      "sequence", {"f32[2,3]", "f32[4,3]"},
      [](Var x, Var y) {
        return concat_from_sequence(sequence({x, y}), {.axis = 0});
      },
      "concat([a, b])");
  g.add(
      "sequence_at", {"f32[3]", "f32[3]"},
      [](Var x, Var y) {
        const Var s = sequence({x, y});
        return std::vector<Var>{sequence_at(s, -1), sequence_length(s), sequence_at(sequence_insert(s, x + 1, 1), 1),
                                sequence_at(sequence_erase(s, 0), 0), sequence_length(sequence_erase(s))};
      },
      "(b, np.int64(2), a + 1, b, np.int64(1))");
  g.add(
      "sequence_empty", {"f32[3]"}, [](Var x) { return sequence_at(sequence_insert(sequence_empty(), x), 0); }, "a");
  g.add(
      "split_to_sequence", {"f32[4,3]"},
      [](Var x) {
        const Var s = split_to_sequence(x, {.axis = 1, .keepdims = false});
        return std::pair{concat_from_sequence(s, {.axis = 0, .new_axis = true}),
                         sequence_at(split_to_sequence(x, {.split = 3}), 1)};
      },
      "(a.T, a[3:])");
  g.add(
      "optional_of", {"f32[3]"},
      [](Var x) {
        return std::pair{optional_has_element(optional_of(x)), optional_get_element(optional_of(x))};
      },
      "(np.array(True), a)");
  g.add(
      "string_split", {},
      [] {
        const auto [parts, counts] =
            string_split(string_concat(asarray(strings({"a b", "c"})), asarray(strings({" d", "e f"}))));
        return std::vector<Var>{counts, equal(parts, asarray(strings({"a", "ce"})).at(slice({}, {}), newaxis).get()),
                                regex_full_match(parts, "[a-d]")};
      },
      "(np.array([3, 2]), np.array([[True, False, False], [True, False, False]]), np.array([[True, True, True], "
      "[False, False, False]]))");
  g.add(
      "string_normalizer", {},
      [] {
        return equal(string_normalizer(asarray(strings({"One", "Two", "Three"})),
                                       {.letters = Letters::upper, .stopwords = {"two"}}),
                     asarray(strings({"ONE", "THREE"})));
      },
      "np.array([True, True])");
  g.add(
      "reverse_sequence", {"f32[4,3]", "i64[3]=4,1,2"}, [](Var x, Var n) { return reverse_sequence(x, n); },
      "np.stack([a[::-1, 0], a[:, 1], a[[1, 0, 2, 3], 2]], 1)");
  g.add(
      "tensor_scatter", {"f32[2,5,3]", "f32[2,2,3]", "i64[2]=1,3"},
      [](Var c, Var u, Var i) {
        return std::pair{tensor_scatter(c, u, {.places = i}),
                         tensor_scatter(c, u, {.places = i + 1, .circular = true})};
      },
      "(updated(a, (np.array([[0, 0], [1, 1]]), np.array([[1, 2], [3, 4]])), b), updated(a, (np.array([[0, 0], [1, "
      "1]]), "
      "np.array([[2, 3], [4, 0]])), b))");
  g.add(
       "linear_attention", {"f32[1,3,4]", "f32[1,3,4]", "f32[1,3,2]"},
       [](Var q, Var k, Var v) {
         const auto [y, state] = linear_attention(q, k, v, {.rule = StateUpdate::linear, .scale = 1});
         return y;
       },
       "np.stack([q @ sum(np.outer(k, v) for k, v in zip(b[0, : i + 1], c[0, : i + 1])) for i, q in "
       "enumerate(a[0])])[None]")
      .tolerance = 1e-5;
  g.add(
       "causal_conv_with_state", {"f32[2,3,5]", "f32[3,1,3]", "f32[3]", "f32[2,3,2]"},
       [](Var x, Var w, Var b, Var s) {
         const auto [y, state] = causal_conv_with_state(x, w, {.bias = b, .past_state = s});
         return std::pair{y, state};
       },
       "(conv(concat([d, a], 2), b, c, groups=3).astype('f4'), a[:, :, 3:])")
      .tolerance = 1e-5;
  return g;
}

}  // namespace tc::vocabulary
