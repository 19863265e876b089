// Ops of the family `attention`: softmax(scale * q k' + bias) v per head, and what goes with it. Heads are an axis of
// their own in operands of rank 4, (batch, heads, length, head size), and lie side by side in the last axis in those of
// rank 3, (batch, length, heads * head size). A key and value head may serve several query heads in a row.
#pragma once

#include <optional>

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

class Builder;

// What qk_matmul_output is a copy of: the scaled products, those after softcap, those with masks added, or the softmax.
enum class ScoreStage : int64_t { products, capped, biased, probabilities };

struct Attention {
  struct Attrs {
    bool is_causal = false;
    std::optional<int64_t> kv_num_heads = {}, q_num_heads = {};  // of operands of rank 3
    int64_t qk_matmul_output_mode = 0;                           // a ScoreStage
    std::optional<double> scale = {};                            // 1 / sqrt(head size) when unset
    double softcap = 0;  // scores become softcap * tanh(scores / softcap); 0: they do not
    std::optional<DType> softmax_precision = {};
    bool zero_hidden_rows = true;  // else the softmax of a row that the masks hide as a whole, which is NaN
    static constexpr auto fields = Fields{field("is_causal", &Attrs::is_causal),
                                          field("kv_num_heads", &Attrs::kv_num_heads),
                                          field("q_num_heads", &Attrs::q_num_heads),
                                          field("qk_matmul_output_mode", &Attrs::qk_matmul_output_mode),
                                          field("scale", &Attrs::scale),
                                          field("softcap", &Attrs::softcap),
                                          field("softmax_precision", &Attrs::softmax_precision),
                                          field("zero_hidden_rows", &Attrs::zero_hidden_rows, "-")};
  };
  static constexpr OpFacts facts{
      "attention",
      {"Attention", 24},
      "q:T, k:T, v:U, attn_mask:M?, past_key:T?, past_value:U?, nonpad_kv_seqlen:i64? -> y:T, "
      "present_key:T?, present_value:U?, qk_matmul_output:T?",
      {{{'T', dtypes::floats}, {'U', dtypes::floats}, {'M', dtypes::numeric | dtypes::boolean}}},
      "softmax(scale * q k' + mask) v per head; rows that the masks hide are 0"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

// The extents of an attention.
struct AttentionDims {
  bool packed;  // rank 3
  Dim batch, q_heads, kv_heads, q_length, kv_length, past_length, head_size, v_head_size;
  Dim total() const { return past_length + kv_length; }
};
// From those of the operands; the past ones are null when absent. Errors bad_shape, bad_attribute.
AttentionDims attention_dims(const Attention::Attrs& attrs, const Dims& q, const Dims& k, const Dims& v,
                             const Dims* past_key, const Dims* past_value);
// Error bad_shape unless the mask broadcasts to the scores; its last axis may be shorter than theirs.
void expect_mask_fits(const Dims& mask, const AttentionDims& d);

// Pairs (x1, x2) of the first rotary_embedding_dim elements of a head, all when that is 0, turned by an angle:
// (cos x1 - sin x2, sin x1 + cos x2). A pair is two neighbours when interleaved, else an element of the first half and
// its like in the second. The caches hold a row of half as many angles for each position; position_ids (batch, length)
// select rows, without them the caches are (batch, length, half).
struct RotaryEmbedding {
  struct Attrs {
    bool interleaved = false;
    int64_t num_heads = 0;  // of an operand of rank 3
    int64_t rotary_embedding_dim = 0;
    static constexpr auto fields =
        Fields{field("interleaved", &Attrs::interleaved), field("num_heads", &Attrs::num_heads),
               field("rotary_embedding_dim", &Attrs::rotary_embedding_dim)};
  };
  static constexpr OpFacts facts{"rotary_embedding",
                                 {"RotaryEmbedding", 23},
                                 "x:T, cos_cache:T, sin_cache:T, position_ids:i64? -> y:T",
                                 {{{'T', dtypes::floats}}},
                                 "pairs of a head's elements turned by an angle per position"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

// The extents of a rotary embedding: `rotary` elements of each head are turned.
struct RotaryDims {
  bool packed;
  Dim batch, heads, length, head_size, rotary;
};
RotaryDims rotary_dims(const RotaryEmbedding::Attrs& attrs, const Dims& x);

enum class UpdateRule : uint8_t { linear, gated, delta, gated_delta };
inline constexpr std::string_view kUpdateRuleNames[] = {"linear", "gated", "delta", "gated_delta"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<UpdateRule>{kUpdateRuleNames};
constexpr bool is_gated(UpdateRule r) {
  return r == UpdateRule::gated || r == UpdateRule::gated_delta;
}
constexpr bool is_delta(UpdateRule r) {
  return r == UpdateRule::delta || r == UpdateRule::gated_delta;
}

// A matrix S (key size, value size) per key head is carried along the sequence. At each step S becomes exp(decay) S
// when gated, then S + k (x) v, or S + beta k (x) (v - S' k) with a delta rule; the output is scale * q' S. Operands
// are (batch, length, heads * size); decay has a value per head or per element of the key, beta one per head or one for
// all.
struct LinearAttention {
  struct Attrs {
    int64_t chunk_size = 64;  // how much of the sequence to work on at a time: a hint
    int64_t kv_num_heads = 1, q_num_heads = 1;
    double scale = 0;  // 0: 1 / sqrt(key size)
    UpdateRule update_rule = UpdateRule::gated_delta;
    static constexpr auto fields =
        Fields{field("chunk_size", &Attrs::chunk_size), field("kv_num_heads", &Attrs::kv_num_heads, required),
               field("q_num_heads", &Attrs::q_num_heads, required), field("scale", &Attrs::scale),
               field("update_rule", &Attrs::update_rule)};
  };
  static constexpr OpFacts facts{
      "linear_attention",
      {"LinearAttention", 27},
      "query:T, key:T, value:T, past_state:S?, decay:T?, beta:T? -> output:T, present_state:S",
      {{{'T', dtypes::floats}, {'S', dtypes::floats}}},
      "attention without a softmax: a state per head, updated step by step and read by the queries"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

struct LinearAttentionDims {
  Dim batch, length, key_size, value_size;
};
LinearAttentionDims linear_attention_dims(const LinearAttention::Attrs& attrs, const Dims& q, const Dims& k,
                                          const Dims& v);

// Regions: what is done to the scores (scale * q k') before the softmax and to its result, each one tensor
// (batch, query heads, query length, key length) to another one. They may use values from outside.
struct FlexAttention {
  struct Attrs {
    std::optional<double> scale = {};             // 1 / sqrt(head size) when unset
    std::optional<DType> softmax_precision = {};  // f32 when unset, f64 for operands of f64
    static constexpr auto fields =
        Fields{field("scale", &Attrs::scale), field("softmax_precision", &Attrs::softmax_precision)};
    // The element type of the regions' tensors for operands of `t`.
    DType precision(DType t) const { return softmax_precision.value_or(t == DType::f64 ? t : DType::f32); }
  };
  static constexpr int regions = 2;
  static constexpr OpFacts facts{"flex_attention",
                                 {"FlexAttention", 1, "ai.onnx.preview"},
                                 "q:T, k:T, v:T -> y:T",
                                 {{{'T', dtypes::floats}}},
                                 "attention with functions applied to the scores and to their softmax"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

// The type of the tensors in the regions of a flex_attention. Errors as attention_dims.
Type flex_attention_scores(const FlexAttention::Attrs& attrs, const Type& q, const Type& k, const Type& v);

}  // namespace tc
