#include "microsoft_ops_cases.h"
#include "peer.h"
#include "tc/frontend/onnx/model_writer.h"

namespace tc::peers {
namespace {

using Outputs = std::vector<std::optional<DType>>;

using tc::model_writer::attr_f;
using tc::model_writer::attr_i;
using tc::model_writer::attr_ints;

using Attributes = std::vector<std::string>;

Tensor i32(Extents extents, const std::vector<int32_t>& values) {
  return Tensor::of<int32_t>(std::move(extents), values);
}
Tensor i64(Extents extents, const std::vector<int64_t>& values) {
  return Tensor::of<int64_t>(std::move(extents), values);
}
// Different numbers for each call.
Tensor f32(const Extents& extents) {
  static unsigned seed = 0;
  return random_f32(extents, ++seed);
}
const Tensor kNone;
constexpr DType kF32 = DType::f32;

Attributes with(Attributes a, const Attributes& more) {
  a.insert(a.end(), more.begin(), more.end());
  return a;
}

}  // namespace

std::vector<Variant> attention_variants() {
  // batch 2, length 4, width 6, 2 heads of size 4
  const Tensor x = f32({2, 4, 6}), w = f32({6, 24}), bias = f32({24});
  const Tensor past = f32({2, 2, 2, 3, 4});
  const Tensor by_row = i32({2, 4}, {1, 1, 0, 1, 0, 1, 1, 0});
  const auto v = [&](const char* name, std::vector<Tensor> rest, Attributes attributes = {}, bool present = false) {
    std::vector<Tensor> inputs{x, w, bias};
    inputs.insert(inputs.end(), rest.begin(), rest.end());
    return Variant{name, "Attention", inputs, present ? Outputs{kF32, kF32} : Outputs{kF32},
                   with({attr_i("num_heads", 2)}, attributes)};
  };
  // Always with a bias: it is optional, but without one ONNX Runtime reads what is not there.
  return {v("plain", {}),
          v("unidirectional", {}, {attr_i("unidirectional", 1)}),
          v("scaled", {}, {attr_f("scale", 0.25f)}),
          v("mask by key", {by_row}),
          v("mask by key, unidirectional", {by_row}, {attr_i("unidirectional", 1)}),
          v("mask of a small value", {by_row}, {attr_f("mask_filter_value", -1.5f)}),
          v("ends", {i32({2}, {3, 1})}),
          v("ends and begins", {i32({4}, {4, 3, 1, 0})}),
          v("mask by query and key", {i32({2, 4, 4}, {1, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1,
                                                      0, 1, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0})}),
          v("past", {kNone, past}, {}, true),
          v("present", {}, {}, true),
          v("past, mask, unidirectional", {i32({2, 7}, {1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1}), past},
            {attr_i("unidirectional", 1)}, true),
          v("bias of scores", {kNone, kNone, f32({2, 2, 4, 4})}),
          v("bias of scores for all", {by_row, kNone, f32({1, 1, 4, 4})}),
          Variant{"narrow values",
                  "Attention",
                  {x, f32({6, 20}), f32({20})},
                  {kF32},
                  {attr_i("num_heads", 2), attr_ints("qkv_hidden_sizes", {8, 8, 4})}}};
}

std::vector<Variant> multi_head_attention_variants() {
  // batch 2, 3 queries, 5 keys, 2 heads of size 4
  const Tensor q = f32({2, 3, 8}), k = f32({2, 5, 8}), v = f32({2, 5, 8});
  const Tensor past_k = f32({2, 2, 4, 4}), past_v = f32({2, 2, 4, 4});
  const auto variant = [&](const char* name, std::vector<Tensor> inputs, Attributes attributes = {},
                           Outputs outputs = {kF32}) {
    return Variant{name, "MultiHeadAttention", inputs, outputs, with({attr_i("num_heads", 2)}, attributes)};
  };
  return {
      variant("plain", {q, k, v}),
      variant("biased", {q, k, v, f32({24})}),
      variant("scaled", {q, k, v}, {attr_f("scale", 0.7f)}),
      variant("wider values", {q, k, f32({2, 5, 12}), f32({28})}),
      variant("ends", {q, k, v, kNone, i32({2}, {4, 2})}),
      variant("mask by key", {q, k, v, kNone, i32({2, 5}, {1, 0, 1, 1, 1, 0, 1, 1, 0, 0})}),
      variant("mask by query and key", {q, k, v, kNone, i32({2, 3, 5}, {1, 0, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1,
                                                                        0, 0, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 0, 1, 0})}),
      variant("bias of scores", {q, k, v, kNone, kNone, f32({2, 2, 3, 5})}),
      variant("bias of scores for all", {q, k, v, kNone, kNone, f32({1, 1, 3, 5})}),
      variant("unidirectional", {q, f32({2, 3, 8}), f32({2, 3, 8})}, {attr_i("unidirectional", 1)}),
      variant("past", {q, k, v, kNone, kNone, kNone, past_k, past_v}, {}, {kF32, kF32, kF32}),
      variant("past, bias, mask",
              {q, k, v, f32({24}), i32({2, 9}, {1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1}), kNone, past_k,
               past_v},
              {}, {kF32, kF32, kF32}),
      variant("heads apart", {q, f32({2, 2, 5, 4}), f32({2, 2, 5, 4})}),
      variant(
          "scores",
          {q, k, v, kNone, i32({2, 9}, {1, 0, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 1, 1}), kNone, past_k, past_v},
          {}, {kF32, kF32, kF32, kF32})};
}

std::vector<Variant> group_query_attention_variants() {
  // batch 2, 4 query heads, 2 key heads of size 16
  const Tensor cosines = f32({12, 8}), sines = f32({12, 8});
  const Attributes heads = {attr_i("num_heads", 4), attr_i("kv_num_heads", 2)};
  const Tensor q = f32({2, 5, 64}), k = f32({2, 5, 32}), v = f32({2, 5, 32});
  const Tensor q1 = f32({2, 1, 64}), k1 = f32({2, 1, 32}), v1 = f32({2, 1, 32});
  const Tensor past_k = f32({2, 2, 6, 16}), past_v = f32({2, 2, 6, 16});
  const Tensor prompt = i32({2}, {4, 4}), after_6 = i32({2}, {6, 6});
  const auto variant = [&](const char* name, std::vector<Tensor> inputs, Attributes attributes = {}) {
    return Variant{name, "GroupQueryAttention", inputs, {kF32, kF32, kF32}, with(heads, attributes)};
  };
  const Tensor five = i32({}, {5}), seven = i32({}, {7});
  const auto first = [&](const char* name, std::vector<Tensor> rest = {}, Attributes attributes = {}) {
    std::vector<Tensor> inputs{q, k, v, kNone, kNone, prompt, five};
    inputs.insert(inputs.end(), rest.begin(), rest.end());
    return variant(name, inputs, attributes);
  };
  const auto next = [&](const char* name, std::vector<Tensor> rest = {}, Attributes attributes = {}) {
    std::vector<Tensor> inputs{q1, k1, v1, past_k, past_v, after_6, seven};
    inputs.insert(inputs.end(), rest.begin(), rest.end());
    return variant(name, inputs, attributes);
  };
  const Attributes rotary = {attr_i("do_rotary", 1)};
  return {first("prompt"),
          next("token"),
          variant("packed", {f32({2, 5, 128}), kNone, kNone, kNone, kNone, prompt, five}),
          first("rotary", {cosines, sines}, rotary),
          next("token, rotary", {cosines, sines}, rotary),
          next("token, rotary of neighbours", {cosines, sines}, with(rotary, {attr_i("rotary_interleaved", 1)})),
          first("scaled", {}, {attr_f("scale", 0.1f)}),
          first("softcap", {}, {attr_f("softcap", 0.8f)}),
          first("window", {}, {attr_i("local_window_size", 2)}),
          next("token, window", {}, {attr_i("local_window_size", 3)}),
          first("smooth softmax", {}, {attr_i("smooth_softmax", 1)}),
          next("token, smooth softmax", {}, {attr_i("smooth_softmax", 1)}),
          first("sinks", {kNone, kNone, kNone, kNone, f32({4})}),
          next("token, sinks, window, softcap", {kNone, kNone, kNone, kNone, f32({4})},
               {attr_i("local_window_size", 3), attr_f("softcap", 2)}),
          first("bias of scores", {kNone, kNone, kNone, f32({1, 4, 5, 5})}),
          next("token, bias of scores, softcap", {kNone, kNone, kNone, f32({2, 1, 1, 7})}, {attr_f("softcap", 0.5f)}),
          next("token, positions", {cosines, sines, i64({2, 1}, {3, 9})}, rotary)};
}

std::vector<Variant> quantized_attention_variants() {
  std::vector<uint8_t> x(2 * 4 * 6);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<uint8_t>(i * 53 % 256);
  std::vector<int8_t> w(6 * 24);
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<int8_t>(i * 37 % 256 - 128);
  std::vector<uint8_t> wu(w.begin(), w.end());
  const Tensor input = Tensor::of<uint8_t>({2, 4, 6}, x), weight = Tensor::of<int8_t>({6, 24}, w),
               weight_u8 = Tensor::of<uint8_t>({6, 24}, wu);
  const Tensor bias = f32({24}), in_scale = Tensor::scalar(0.02f), w_scale = Tensor::scalar(0.01f);
  const Tensor in_zero = Tensor::scalar<uint8_t>(121), w_zero = Tensor::scalar<int8_t>(5);
  const auto variant = [&](const char* name, std::vector<Tensor> inputs, Attributes attributes = {},
                           Outputs outputs = {kF32}) {
    return Variant{name, "QAttention", inputs, outputs, with({attr_i("num_heads", 2)}, attributes)};
  };
  return {variant("plain", {input, weight, bias, in_scale, w_scale}),
          variant("zero points", {input, weight, bias, in_scale, w_scale, kNone, in_zero, w_zero}),
          variant("unsigned weights",
                  {input, weight_u8, bias, in_scale, w_scale, kNone, in_zero, Tensor::scalar<uint8_t>(130)}),
          variant("mask, unidirectional", {input, weight, bias, in_scale, w_scale, i32({2}, {3, 2}), in_zero, w_zero},
                  {attr_i("unidirectional", 1)}),
          variant("past", {input, weight, bias, in_scale, w_scale, kNone, in_zero, w_zero, f32({2, 2, 2, 3, 4})}, {},
                  {kF32, kF32})};
}

std::vector<Variant> rotary_embedding_variants() {
  const Tensor packed = f32({2, 3, 32}), apart = f32({2, 2, 3, 16});
  const Tensor offset = i64({1}, {4}), each = i64({2, 3}, {0, 5, 9, 2, 2, 1});
  const Tensor cosines = f32({12, 8}), sines = f32({12, 8}), few_cosines = f32({12, 4}), few_sines = f32({12, 4});
  const auto variant = [&](const char* name, const Tensor& x, const Tensor& positions, Attributes attributes = {},
                           bool few = false) {
    return Variant{name,
                   "RotaryEmbedding",
                   {x, positions, few ? few_cosines : cosines, few ? few_sines : sines},
                   {kF32},
                   attributes};
  };
  return {variant("offset", packed, offset),
          variant("positions", packed, each),
          variant("neighbours", packed, each, {attr_i("interleaved", 1)}),
          variant("heads apart", apart, each),
          variant("heads apart, offset, neighbours", apart, offset, {attr_i("interleaved", 1)}),
          variant("in part", packed, each, {attr_i("num_heads", 2), attr_i("rotary_embedding_dim", 8)}, true),
          variant("in part, neighbours", packed, offset,
                  {attr_i("num_heads", 2), attr_i("rotary_embedding_dim", 8), attr_i("interleaved", 1)}, true)};
}

}  // namespace tc::peers
