#include <limits>

#include "tc/frontend/onnx/microsoft.h"
#include "tc/ir/shape_build.h"

namespace tc::onnx {
namespace {

int64_t heads_attr(NodeImport& n, std::string_view name) {
  const int64_t heads = n.int_attr(name, 0);
  if (heads < 1) n.fail(ErrorCode::bad_attribute, "attribute '", name, "' must be positive, got ", heads);
  return heads;
}

const Shape& ranked_shape(NodeImport& n, int i) {
  const Shape& s = n.required(i)->shape();
  if (!s.ranked()) n.unsupported(cat("input ", i, " of unknown rank"));
  return s;
}

// 0 stands for the default.
std::optional<double> scale_attr(NodeImport& n) {
  const double scale = n.float_attr("scale", 0);
  return scale == 0 ? std::nullopt : std::optional(scale);
}

Value* unsqueeze(Builder& b, Value* v, std::vector<int64_t> axes) {
  return b.make<Unsqueeze>({v, b.ints(axes)});
}

// Part i of a stack along an axis.
Value* pick(Builder& b, Value* v, int64_t axis, int64_t i) {
  return b.make<Gather>({v, b.scalar(i)}, {.axis = axis});
}

Value* plus(Builder& b, Value* x, Value* y) {
  if (!x || !y) return x ? x : y;
  return b.make<Add>({x, y});
}

// 0 where `visible`, elsewhere `hidden`.
Value* bias_of(Builder& b, Value* visible, DType t, double hidden) {
  return b.make<Where>({visible, b.scalar_like(t, 0), b.scalar_like(t, hidden)});
}

Value* minus_infinity_unless(Builder& b, Value* visible, DType t) {
  return bias_of(b, visible, t, -std::numeric_limits<double>::infinity());
}

// Pieces of the last axis: of equal extents, or of those given.
std::vector<Value*> split_last(Builder& b, Value* v, int parts, Value* extents = nullptr) {
  Split::Attrs attrs{.axis = -1, .num_outputs = extents ? std::nullopt : std::optional<int64_t>(parts)};
  Node* node = b.make_n<Split>({v, extents}, attrs, parts);
  std::vector<Value*> results;
  for (int j = 0; j < parts; ++j) results.push_back(node->result(j));
  return results;
}

// What a mask of whichever form adds to the scores: input `index` says which of `total` keys there are. Of rank 1 it
// holds where the keys of each batch entry end, and perhaps where they begin; else 0 hides a key.
Value* key_mask(NodeImport& n, int index, const Dim& batch, Value* total, DType t) {
  const double filter = n.float_attr("mask_filter_value", -10000);
  if (!n.has(index)) return nullptr;
  Builder& b = n.b();
  Value* mask = n.in(index);
  const Shape& s = ranked_shape(n, index);
  if (s.rank() == 2 || s.rank() == 3) {
    Value* visible = b.make<Greater>({mask, b.scalar_like(mask->dtype(), 0)});
    return bias_of(b, unsqueeze(b, visible, s.rank() == 2 ? std::vector<int64_t>{1, 2} : std::vector<int64_t>{1}), t,
                   filter);
  }
  if (s.rank() != 1) n.unsupported(cat("a mask of rank ", s.rank()));
  const bool ends = s[0] == batch, begins = s[0] == batch * Dim(2), packed = s[0] == batch * Dim(3) + Dim(2);
  if (!ends && !begins && !packed)
    n.unsupported(
        cat("a mask of ", s[0], " elements for a batch of ", batch, ", of which the extents do not tell the form"));
  Value* columns = iota(b, total);
  // Elements [k * batch, (k + 1) * batch) as a column per batch entry.
  auto part = [&](int64_t k) {
    Value* piece = mask;
    if (!ends) {
      Value *count = extent_of(b, n.in(0), 0), *first = b.make<Mul>({count, b.ints({k})});
      piece = b.make<Slice>({mask, first, b.make<Add>({first, count})});
    }
    return unsqueeze(b, cast_to(b, piece, DType::i64), {1, 2, 3});
  };
  Value* visible = b.make<Less>({columns, part(0)});
  if (begins) visible = b.make<And>({visible, b.make<GreaterOrEqual>({columns, part(1)})});
  return bias_of(b, visible, t, filter);
}

// The operands and results of a multi-head attention whose heads lie side by side.
struct Heads {
  Value *q, *k, *v;
  Value *past_key = nullptr, *past_value = nullptr;
  Value *mask = nullptr, *bias = nullptr;
};

Node* attention(NodeImport& n, const Heads& h, int64_t num_heads, bool causal, ScoreStage stage, int results) {
  Attention::Attrs a;
  a.q_num_heads = a.kv_num_heads = num_heads;
  a.is_causal = causal;
  a.scale = scale_attr(n);
  a.qk_matmul_output_mode = static_cast<int64_t>(stage);
  return n.b().make_n<Attention>({h.q, h.k, h.v, plus(n.b(), h.bias, h.mask), h.past_key, h.past_value}, a, results);
}

// Past and present states of keys and values are stacked along a new first axis. `qkv` are the three projections side
// by side; the inputs that say what is masked and what came before follow each other from `mask` on.
std::vector<Value*> self_attention(NodeImport& n, Value* qkv, int mask, int past, int bias) {
  Builder& b = n.b();
  expect_int_attr(n, "do_rotary", 0);
  expect_int_attr(n, "past_present_share_buffer", 0);
  n.ignore_attr("rotary_embedding_dim");
  const int64_t num_heads = heads_attr(n, "num_heads");
  const auto sizes = n.ints_attr("qkv_hidden_sizes");
  if (sizes && sizes->size() != 3)
    n.fail(ErrorCode::bad_attribute, "qkv_hidden_sizes must have 3 elements, got ", sizes->size());
  const auto parts = split_last(b, qkv, 3, sizes ? b.ints(*sizes) : nullptr);
  Heads h{parts[0], parts[1], parts[2]};
  Value* total = extent_of(b, qkv, 1);
  if (n.has(past)) {
    h.past_key = pick(b, n.in(past), 0, 0), h.past_value = pick(b, n.in(past), 0, 1);
    total = b.make<Add>({total, extent_of(b, n.in(past), 3)});
  }
  h.mask = key_mask(n, mask, qkv->shape()[0], total, qkv->dtype());
  h.bias = bias < 0 ? nullptr : n.in(bias);
  const bool causal = n.int_attr("unidirectional", 0) != 0;
  Node* node = attention(n, h, num_heads, causal, ScoreStage::products, 3);
  std::vector<Value*> results{node->result(0)};
  if (n.has_output(1))
    results.push_back(
        b.make<Concat>({unsqueeze(b, node->result(1), {0}), unsqueeze(b, node->result(2), {0})}, {.axis = 0}));
  return results;
}

std::vector<Value*> attention_1(NodeImport& n) {
  ranked_shape(n, 0);
  expect_absent(n, 6, "past_sequence_length");
  Value* qkv = n.b().make<MatMul>({n.required(0), n.required(1)});
  return self_attention(n, plus(n.b(), qkv, n.in(2)), 3, 4, 5);
}

std::vector<Value*> quantized_attention(NodeImport& n) {
  Builder& b = n.b();
  ranked_shape(n, 0);
  Value* sum = b.make<MatMulInteger>({n.required(0), n.required(1), n.in(6), n.in(7)});
  Value* scale = b.make<Mul>({n.required(3), n.required(4)});
  Value* qkv = b.make<Mul>({cast_to(b, sum, scale->dtype()), scale});
  return self_attention(n, b.make<Add>({qkv, n.required(2)}), 5, 8, -1);
}

std::vector<Value*> multi_head_attention(NodeImport& n) {
  Builder& b = n.b();
  const int64_t num_heads = heads_attr(n, "num_heads");
  const bool causal = n.int_attr("unidirectional", 0) != 0;
  expect_absent(n, 8, "past_sequence_length");
  expect_absent(n, 9, "cache_indirection");
  const Shape& query = ranked_shape(n, 0);
  Heads h{n.required(0), n.in(1), n.in(2)};
  h.past_key = n.in(6), h.past_value = n.in(7), h.bias = n.in(5);
  // Stacked heads (batch, length, heads, parts, size) as (batch, length, heads * size).
  auto unstack = [&](Value* stacked, int64_t part) {
    return b.make<Reshape>({pick(b, stacked, 3, part), b.ints({0, 0, -1})});
  };
  bool apart = false;
  if (!h.k) {
    if (query.rank() != 5)
      n.unsupported("a query without key that does not hold key and value, (batch, length, heads, 3, size)");
    Value* stacked = h.q;
    h.q = unstack(stacked, 0), h.k = unstack(stacked, 1), h.v = unstack(stacked, 2);
  } else if (const Shape& key = ranked_shape(n, 1); key.rank() == 5) {
    Value* stacked = h.k;
    h.k = unstack(stacked, 0), h.v = unstack(stacked, 1);
  } else {
    n.required(2);
    apart = key.rank() == 4;
  }
  if (n.has(3)) {
    if (apart) n.unsupported("a bias of keys that have an axis for heads");
    Value *q_width = extent_of(b, h.q, 2), *v_width = extent_of(b, h.v, 2);
    const auto parts = split_last(b, n.in(3), 3, join_extents(b, {q_width, extent_of(b, h.k, 2), v_width}));
    h.q = plus(b, h.q, parts[0]), h.k = plus(b, h.k, parts[1]), h.v = plus(b, h.v, parts[2]);
  }
  Value* total = extent_of(b, h.k, apart ? 2 : 1);
  if (h.past_key) total = b.make<Add>({total, extent_of(b, h.past_key, 2)});
  h.mask = key_mask(n, 4, query[0], total, h.q->dtype());
  if (apart) h.q = split_heads(b, h.q, num_heads, floordiv(h.q->shape()[2], num_heads));
  Node* node = attention(n, h, num_heads, causal, ScoreStage::biased, n.num_outputs() > 3 ? 4 : 3);
  std::vector<Value*> results;
  for (int j = 0; j < node->num_results(); ++j) results.push_back(node->result(j));
  if (apart) results[0] = merge_heads(b, results[0], Dim(num_heads) * h.v->shape()[3]);
  return results;
}

// The cache of keys or values with the new ones written behind the `past` ones of each batch entry.
Value* extended_cache(Builder& b, Value* cache, Value* now, Value* past, Value* total) {
  Value* missing = b.make<Max>({b.make<Sub>({total, extent_of(b, cache, 2)}), b.ints({0})});
  Value* longer = b.make<Pad>({cache, join_extents(b, {b.ints({0}), missing}), nullptr, b.ints({2})});
  return b.make<TensorScatter>({longer, now, past}, {.axis = 2});
}

// Keys and values live in a cache that may be longer than what it holds, seqlens_k + 1 rows for each batch entry
// together with the new ones.
std::vector<Value*> group_query_attention(NodeImport& n) {
  Builder& b = n.b();
  const int64_t num_heads = heads_attr(n, "num_heads"), kv_heads = heads_attr(n, "kv_num_heads");
  for (const auto name : {"kv_cache_bit_width", "sliding_window_cache", "qk_output"}) expect_int_attr(n, name, 0);
  for (const auto name : {"k_quant_type", "v_quant_type"})
    if (n.string_attr(name, "NONE") != "NONE") n.unsupported("a quantised cache");
  expect_absent(n, 12, "k_scale");
  expect_absent(n, 13, "v_scale");
  if (ranked_shape(n, 0).rank() != 3) n.unsupported("a query whose rank is not 3");
  Value *q = n.required(0), *k = n.in(1), *v = n.in(2);
  const Dim hidden = q->shape()[2];
  const int64_t all_heads = k ? num_heads : num_heads + 2 * kv_heads;
  const Dim size = floordiv(hidden, all_heads);
  if (hidden.is_const() && hidden.value() % all_heads != 0)
    n.fail(ErrorCode::bad_shape, hidden, " elements do not divide into ", all_heads, " heads");
  if (!k) {
    Value* per_head = b.make<Div>({extent_of(b, q, 2), b.ints({all_heads})});
    const auto parts = split_last(b, q, 3, b.make<Mul>({per_head, b.ints({num_heads, kv_heads, kv_heads})}));
    q = parts[0], k = parts[1], v = parts[2];
  } else if (!v) {
    n.fail(ErrorCode::bad_graph, "there is a key but no value");
  }
  const DType t = q->dtype();
  const double epsilon = n.float_attr("qk_norm_epsilon", 1e-6f);
  auto normalized = [&](Value* x, Value* weight, int64_t heads) {
    if (!weight) return x;
    Value* apart = b.make<Reshape>({x, b.ints({0, 0, heads, known_or_inferred(size)})});
    return b.make<Reshape>({b.make<RMSNormalization>({apart, weight}, {.epsilon = epsilon}), b.ints({0, 0, -1})});
  };
  q = normalized(q, n.in(14), num_heads), k = normalized(k, n.in(15), kv_heads);

  Value* q_length = extent_of(b, q, 1);
  Value* lengths = cast_to(b, b.make<Reshape>({n.required(5), b.ints({-1})}), DType::i64);
  // How many keys came before: none in a prompt that is padded at its end.
  Value* past = b.make<Max>({b.make<Sub>({b.make<Add>({lengths, b.ints({1})}), q_length}), b.ints({0})});
  Value* total = b.make<Reshape>({cast_to(b, n.required(6), DType::i64), b.ints({1})});
  const bool interleaved = n.int_attr("rotary_interleaved", 0) != 0;
  if (n.int_attr("do_rotary", 0) != 0) {
    Value *cosines = n.required(7), *sines = n.required(8), *positions = n.in(9);
    if (!positions) positions = b.make<Add>({unsqueeze(b, past, {1}), iota(b, q_length)});
    const Shape& cache = ranked_shape(n, 7);
    RotaryEmbedding::Attrs a{.interleaved = interleaved};
    if (const Dim& angles = cache[cache.rank() - 1]; angles.is_const()) a.rotary_embedding_dim = 2 * angles.value();
    a.num_heads = num_heads;
    q = b.make<RotaryEmbedding>({q, cosines, sines, positions}, a);
    a.num_heads = kv_heads;
    k = b.make<RotaryEmbedding>({k, cosines, sines, positions}, a);
  }
  q = split_heads(b, q, num_heads, size);
  k = split_heads(b, k, kv_heads, size);
  v = split_heads(b, v, kv_heads, size);
  Attention::Attrs a;
  a.is_causal = n.int_attr("causal", 1) != 0;
  a.scale = scale_attr(n);
  a.softcap = n.float_attr("softcap", 0);
  Value* known_keys = nullptr;
  if (n.has(3)) {
    k = extended_cache(b, n.in(3), k, past, total);
    v = extended_cache(b, n.required(4), v, past, total);
    known_keys = b.make<Add>({past, q_length});
  }
  const std::vector<Value*> present{k, v};

  Value* bias = n.in(10);
  const int64_t window = n.int_attr("local_window_size", -1);
  const bool smooth = n.int_attr("smooth_softmax", 0) != 0 || n.has(11);
  if (window > 0 || smooth) {
    Value* columns = iota(b, extent_of(b, k, 2));
    Value* rows = b.make<Add>({unsqueeze(b, past, {1, 2, 3}), unsqueeze(b, iota(b, q_length), {1})});
    auto hide_unless = [&](Value* visible) { bias = plus(b, bias, minus_infinity_unless(b, visible, t)); };
    if (window > 0) hide_unless(b.make<Greater>({columns, b.make<Sub>({rows, b.ints({window})})}));
    if (smooth) {
      // One more key, of zeros, takes part in the softmax: its score is what the sink says.
      if (a.is_causal) hide_unless(b.make<LessOrEqual>({columns, rows}));
      if (!bias) bias = b.make<Expand>({b.scalar_like(t, 0), extent_of(b, k, 2)});
      a.is_causal = false, known_keys = nullptr;
      Value* shape = join_extents(b, {extent_of(b, q, 0), b.ints({num_heads}), q_length});
      auto with_last = [&](Value* x, Value* last_extent) {
        return b.make<Expand>({x, join_extents(b, {shape, last_extent})});
      };
      Value* sink = n.has(11) ? unsqueeze(b, n.in(11), {1, 2}) : b.scalar_like(t, 0);
      bias = b.make<Concat>({with_last(bias, extent_of(b, k, 2)), with_last(sink, b.ints({1}))}, {.axis = 3});
      auto padded = [&](Value* x) { return b.make<Pad>({x, b.ints({0, 1}), nullptr, b.ints({2})}); };
      k = padded(k), v = padded(v);
    }
  }
  Value* y = b.make<Attention>({q, k, v, bias, nullptr, nullptr, known_keys}, a);
  return {merge_heads(b, y, Dim(num_heads) * size), present[0], present[1]};
}

// position_ids may hold but the first position.
std::vector<Value*> rotary_embedding(NodeImport& n) {
  Builder& b = n.b();
  if (n.float_attr("scale", 1) != 1) n.unsupported("a scale other than 1");
  n.ignore_attr("is_packed_batching");
  const Shape &x = ranked_shape(n, 0), &cache = ranked_shape(n, 2);
  Value* positions = n.required(1);
  const int length_axis = x.rank() == 4 ? 2 : 1;
  if (ranked_shape(n, 1).rank() < 2) {
    Value *batch = extent_of(b, n.in(0), 0), *length = extent_of(b, n.in(0), length_axis);
    Value* row = b.make<Add>({b.make<Reshape>({positions, b.ints({1})}), iota(b, length)});
    positions = b.make<Expand>({row, join_extents(b, {batch, length})});
  }
  auto attrs = n.attrs<RotaryEmbedding>();
  if (x.rank() == 3 && attrs.num_heads == 0) {
    const Dim size = cache[cache.rank() - 1] * Dim(2);
    if (!size.is_const() || !x[2].is_const() || size.is(0)) n.unsupported("heads whose number no attribute tells");
    attrs.num_heads = x[2].value() / size.value();
  }
  return {b.make<RotaryEmbedding>({n.in(0), n.required(2), n.required(3), positions}, attrs)};
}

std::vector<Value*> linear_attention(NodeImport& n) {
  expect_int_attr(n, "state_window", 0);
  return n.regular(OpId::LinearAttention);
}

}  // namespace

void expect_int_attr(NodeImport& n, std::string_view name, int64_t value) {
  if (const int64_t v = n.int_attr(name, value); v != value) n.unsupported(cat("attribute '", name, "' = ", v));
}

void expect_absent(NodeImport& n, int i, std::string_view name) {
  if (n.has(i)) n.unsupported(cat("input '", name, "'"));
}

void rows_microsoft_attention(ImportRows& rows) {
  rows.push_back({"Attention", 1, attention_1, kMicrosoft});
  rows.push_back({"QAttention", 1, quantized_attention, kMicrosoft});
  rows.push_back({"MultiHeadAttention", 1, multi_head_attention, kMicrosoft});
  rows.push_back({"GroupQueryAttention", 1, group_query_attention, kMicrosoft});
  rows.push_back({"RotaryEmbedding", 1, rotary_embedding, kMicrosoft});
  rows.push_back({"LinearAttention", 1, linear_attention, kMicrosoft});
}

}  // namespace tc::onnx
