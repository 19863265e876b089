#include "tc/ir/ops/attention.h"

#include "tc/ir/ops.h"
#include "tc/ir/shape_math.h"

namespace tc {
namespace {

void expect_float(InferContext& ctx, const std::optional<DType>& t) {
  if (t && !dtypes::floats.has(*t))
    ctx.fail(ErrorCode::bad_attribute, "softmax_precision ", *t, " is no floating-point type");
}

// The size of one of `heads` heads side by side in `d`.
Dim per_head(const Dim& d, const Dim& heads, std::string_view what) {
  if (heads.is(0)) fail(ErrorCode::bad_shape, what, " has no heads");
  if (d.is_const() && heads.is_const() && d.value() % heads.value() != 0)
    fail(ErrorCode::bad_shape, what, " of extent ", d, " does not divide into ", heads, " heads");
  return floordiv(d, heads);
}

int64_t positive(const std::optional<int64_t>& n, std::string_view attribute) {
  if (!n) fail(ErrorCode::bad_attribute, "operands of rank 3 need the attribute ", attribute);
  if (*n < 1) fail(ErrorCode::bad_attribute, attribute, " must be positive, got ", *n);
  return *n;
}

void expect_groups(const Dim& q_heads, const Dim& kv_heads) {
  if (q_heads.is_const() && kv_heads.is_const() && (kv_heads.is(0) || q_heads.value() % kv_heads.value() != 0))
    fail(ErrorCode::bad_shape, q_heads, " query heads do not divide among ", kv_heads, " key heads");
}

void expect_rank_3_or_4(InferContext& ctx, int i) {
  if (const Shape& s = ctx.shape(i); s.ranked() && s.rank() != 3 && s.rank() != 4)
    ctx.fail(ErrorCode::bad_shape, "operand '", ctx.node().info().facts->signature.operand(i).name,
             "' must have rank 3 or 4, got ", ctx.type(i));
}

}  // namespace

AttentionDims attention_dims(const Attention::Attrs& attrs, const Dims& q, const Dims& k, const Dims& v,
                             const Dims* past_key, const Dims* past_value) {
  if (q.size() != k.size() || q.size() != v.size() || (q.size() != 3 && q.size() != 4))
    fail(ErrorCode::bad_shape, "query, key and value must all have rank 3 or all rank 4, got ", Shape(q), ", ",
         Shape(k), " and ", Shape(v));
  AttentionDims d;
  d.packed = q.size() == 3;
  d.batch = same_extent(same_extent(q[0], k[0], "batch of query and key"), v[0], "batch of query and value");
  const size_t length = q.size() - 2;
  d.q_length = q[length];
  d.kv_length = same_extent(k[length], v[length], "length of key and value");
  Dim k_head_size;
  if (d.packed) {
    d.q_heads = positive(attrs.q_num_heads, "q_num_heads");
    d.kv_heads = positive(attrs.kv_num_heads, "kv_num_heads");
    d.head_size = per_head(q[2], d.q_heads, "the query's last axis");
    k_head_size = per_head(k[2], d.kv_heads, "the key's last axis");
    d.v_head_size = per_head(v[2], d.kv_heads, "the value's last axis");
  } else {
    d.q_heads = q[1];
    d.kv_heads = same_extent(k[1], v[1], "heads of key and value");
    d.head_size = q[3], k_head_size = k[3], d.v_head_size = v[3];
  }
  d.head_size = same_extent(d.head_size, k_head_size, "head size of query and key");
  expect_groups(d.q_heads, d.kv_heads);
  if (!past_key != !past_value) fail(ErrorCode::bad_graph, "past_key and past_value go together");
  d.past_length = 0;
  if (past_key) {
    if (past_key->size() != 4 || past_value->size() != 4)
      fail(ErrorCode::bad_shape, "past_key and past_value must have rank 4, got ", Shape(*past_key), " and ",
           Shape(*past_value));
    for (const Dims* past : {past_key, past_value}) {
      same_extent((*past)[0], d.batch, "batch of past and query");
      same_extent((*past)[1], d.kv_heads, "heads of past and key");
    }
    d.past_length = same_extent((*past_key)[2], (*past_value)[2], "length of past_key and past_value");
    same_extent((*past_key)[3], d.head_size, "head size of past_key and key");
    same_extent((*past_value)[3], d.v_head_size, "head size of past_value and value");
  }
  return d;
}

void expect_mask_fits(const Dims& mask, const AttentionDims& d) {
  const Dims scores{d.batch, d.q_heads, d.q_length, d.total()};
  bool fits = mask.size() <= scores.size();
  for (size_t k = 0; k < mask.size() && fits; ++k) {
    const Dim &a = mask[k], &b = scores[scores.size() - mask.size() + k];
    const bool last = k + 1 == mask.size();
    fits = !a.is_const() || !b.is_const() || a.is(1) || (last ? a.value() <= b.value() : a == b);
  }
  if (!fits)
    fail(ErrorCode::bad_shape, "the mask, ", Shape(mask), ", does not broadcast to the scores, ", Shape(scores));
}

void Attention::infer(InferContext& ctx) {
  const auto& attrs = ctx.attrs<Attention>();
  if (attrs.qk_matmul_output_mode < 0 || attrs.qk_matmul_output_mode > 3)
    ctx.fail(ErrorCode::bad_attribute, "qk_matmul_output_mode must be 0 to 3, got ", attrs.qk_matmul_output_mode);
  expect_float(ctx, attrs.softmax_precision);
  for (int i : {0, 1, 2}) expect_rank_3_or_4(ctx, i);
  for (int i : {4, 5})
    if (ctx.has(i)) ctx.expect_rank(i, 4);
  if (ctx.has(4) != ctx.has(5)) ctx.fail(ErrorCode::bad_graph, "past_key and past_value go together");
  if (ctx.has(6)) {
    ctx.expect_rank(6, 1);
    if (ctx.has(4)) ctx.fail(ErrorCode::bad_graph, "nonpad_kv_seqlen and past_key exclude each other");
  }
  for (int i : {0, 1, 2, 4, 5})
    if (ctx.has(i) && !ctx.shape(i).ranked()) {
      for (int j = 0; j < ctx.num_results(); ++j) ctx.set(j, Shape());
      return;
    }
  const AttentionDims d =
      attention_dims(attrs, ctx.shape(0).dims(), ctx.shape(1).dims(), ctx.shape(2).dims(),
                     ctx.has(4) ? &ctx.shape(4).dims() : nullptr, ctx.has(5) ? &ctx.shape(5).dims() : nullptr);
  if (ctx.has(6) && ctx.shape(6).ranked()) same_extent(ctx.shape(6)[0], d.batch, "batch and nonpad_kv_seqlen");
  const Dims scores{d.batch, d.q_heads, d.q_length, d.total()};
  if (ctx.has(3) && ctx.shape(3).ranked()) expect_mask_fits(ctx.shape(3).dims(), d);
  if (d.packed)
    ctx.set(0, Shape{d.batch, d.q_length, d.q_heads * d.v_head_size});
  else
    ctx.set(0, Shape{d.batch, d.q_heads, d.q_length, d.v_head_size});
  ctx.set(1, Shape{d.batch, d.kv_heads, d.total(), d.head_size});
  ctx.set(2, Shape{d.batch, d.kv_heads, d.total(), d.v_head_size});
  ctx.set(3, Shape(scores));
}

RotaryDims rotary_dims(const RotaryEmbedding::Attrs& attrs, const Dims& x) {
  RotaryDims d;
  d.packed = x.size() == 3;
  d.batch = x[0];
  if (d.packed) {
    d.heads = positive(attrs.num_heads ? std::optional(attrs.num_heads) : std::nullopt, "num_heads");
    d.length = x[1];
    d.head_size = per_head(x[2], d.heads, "the operand's last axis");
  } else {
    d.heads = x[1], d.length = x[2], d.head_size = x[3];
  }
  const int64_t given = attrs.rotary_embedding_dim;
  d.rotary = given ? Dim(given) : d.head_size;
  if (given < 0 || (d.rotary.is_const() && d.rotary.value() % 2 != 0))
    fail(ErrorCode::bad_attribute, "pairs of ", d.rotary, " elements: the rotary dimension must be even");
  if (given && d.head_size.is_const() && given > d.head_size.value())
    fail(ErrorCode::bad_attribute, "rotary_embedding_dim ", given, " exceeds the head size ", d.head_size);
  return d;
}

void RotaryEmbedding::infer(InferContext& ctx) {
  expect_rank_3_or_4(ctx, 0);
  const int cache_rank = ctx.has(3) ? 2 : 3;
  ctx.expect_rank(1, cache_rank);
  ctx.expect_rank(2, cache_rank);
  if (ctx.has(3)) ctx.expect_rank(3, 2);
  ctx.set(0, ctx.shape(0));
  if (!ctx.shape(0).ranked()) return;
  const RotaryDims d = rotary_dims(ctx.attrs<RotaryEmbedding>(), ctx.shape(0).dims());
  for (int i = 1; i <= 2; ++i) {
    const Shape& cache = ctx.shape(i);
    if (!cache.ranked()) continue;
    const Dim& angles = cache[cache_rank - 1];
    if (angles.is_const() && d.rotary.is_const() && angles.value() < d.rotary.value() / 2)
      ctx.fail(ErrorCode::bad_shape, "a row of ", angles, " angles is too short for ", d.rotary, " elements");
    if (!ctx.has(3)) {
      same_extent(cache[0], d.batch, "batch of cache and operand");
      same_extent(cache[1], d.length, "length of cache and operand");
    }
  }
  if (ctx.shape(1).ranked() && ctx.shape(2).ranked() && cache_rank == 2)
    same_extent(ctx.shape(1)[0], ctx.shape(2)[0], "positions of cos_cache and sin_cache");
  if (ctx.has(3) && ctx.shape(3).ranked()) {
    same_extent(ctx.shape(3)[0], d.batch, "batch of position_ids and operand");
    same_extent(ctx.shape(3)[1], d.length, "length of position_ids and operand");
  }
}

LinearAttentionDims linear_attention_dims(const LinearAttention::Attrs& attrs, const Dims& q, const Dims& k,
                                          const Dims& v) {
  const int64_t q_heads = positive(attrs.q_num_heads, "q_num_heads"),
                kv_heads = positive(attrs.kv_num_heads, "kv_num_heads");
  expect_groups(q_heads, kv_heads);
  LinearAttentionDims d;
  d.batch = same_extent(same_extent(q[0], k[0], "batch of query and key"), v[0], "batch of query and value");
  d.length = same_extent(same_extent(q[1], k[1], "length of query and key"), v[1], "length of query and value");
  d.key_size = same_extent(per_head(q[2], q_heads, "the query's last axis"),
                           per_head(k[2], kv_heads, "the key's last axis"), "head size of query and key");
  d.value_size = per_head(v[2], kv_heads, "the value's last axis");
  return d;
}

void LinearAttention::infer(InferContext& ctx) {
  const auto& attrs = ctx.attrs<LinearAttention>();
  for (int i : {0, 1, 2, 4, 5})
    if (ctx.has(i)) ctx.expect_rank(i, 3);
  if (ctx.has(3)) ctx.expect_rank(3, 4);
  if (is_gated(attrs.update_rule) && !ctx.has(4)) ctx.fail(ErrorCode::bad_graph, "a gated update needs decay");
  if (is_delta(attrs.update_rule) && !ctx.has(5)) ctx.fail(ErrorCode::bad_graph, "a delta rule needs beta");
  const DType state = ctx.has(3) ? ctx.dtype(3) : ctx.dtype(0);
  auto dims_of = [&](int i) { return (ctx.shape(i).ranked() ? ctx.shape(i) : ctx.fresh_shape(3)).dims(); };
  const LinearAttentionDims d = linear_attention_dims(attrs, dims_of(0), dims_of(1), dims_of(2));
  for (int i : {4, 5}) {
    if (!ctx.has(i) || !ctx.shape(i).ranked()) continue;
    const Shape& s = ctx.shape(i);
    same_extent(s[0], d.batch, "batch of operands");
    same_extent(s[1], d.length, "length of operands");
    const Dim heads = attrs.kv_num_heads, other = i == 4 ? heads * d.key_size : Dim(1);
    if (s[2].is_const() && other.is_const() && s[2] != heads && s[2] != other)
      ctx.fail(ErrorCode::bad_shape, i == 4 ? "decay" : "beta", " must have ", heads, " or ", other,
               " elements per step, got ", ctx.type(i));
  }
  const Dims states{d.batch, attrs.kv_num_heads, d.key_size, d.value_size};
  if (ctx.has(3) && ctx.shape(3).ranked())
    for (int i = 0; i < 4; ++i) same_extent(ctx.shape(3)[i], states[static_cast<size_t>(i)], "past_state");
  ctx.set(0, Shape{d.batch, d.length, attrs.q_num_heads * d.value_size});
  ctx.set(1, state, Shape(states));
}

Type flex_attention_scores(const FlexAttention::Attrs& attrs, const Type& q, const Type& k, const Type& v) {
  const DType t = attrs.precision(q.dtype());
  for (const Type* operand : {&q, &k, &v}) {
    if (!operand->shape().ranked()) return Type::tensor(t, Shape());
    if (operand->shape().rank() != 4) fail(ErrorCode::bad_shape, "operands must have rank 4, got ", *operand);
  }
  const AttentionDims d = attention_dims({}, q.shape().dims(), k.shape().dims(), v.shape().dims(), nullptr, nullptr);
  return Type::tensor(t, Shape{d.batch, d.q_heads, d.q_length, d.total()});
}

void FlexAttention::infer(InferContext& ctx) {
  const auto& attrs = ctx.attrs<FlexAttention>();
  expect_float(ctx, attrs.softmax_precision);
  for (int i : {0, 1, 2}) ctx.expect_rank(i, 4);
  const Type scores = flex_attention_scores(attrs, ctx.type(0), ctx.type(1), ctx.type(2));
  if (ctx.node().num_regions() != 2)
    ctx.fail(ErrorCode::bad_graph, "needs regions for scores and probabilities, got ", ctx.node().num_regions());
  for (int r = 0; r < 2; ++r) {
    Graph& body = ctx.node().region(r);
    if (body.num_inputs() != 1 || body.num_outputs() != 1 || !body.output(0))
      ctx.fail(ErrorCode::bad_graph, "region ", r, " must make one tensor of one, but has ", body.num_inputs(),
               " inputs and ", body.num_outputs(), " outputs");
    if (body.input(0)->type() != scores) {
      body.input(0)->set_type(scores);
      infer_types(body);
    }
    if (!compatible(body.output(0)->type(), scores))
      ctx.fail(ErrorCode::bad_type, "region ", r, " must make ", scores, " as it takes, but makes ",
               body.output(0)->type());
  }
  if (!scores.shape().ranked()) return ctx.set(0, ctx.fresh_shape(4));
  const Shape& s = scores.shape();
  ctx.set(0, Shape{s[0], s[1], s[2], ctx.shape(2)[3]});
}

}  // namespace tc
