// Attention in terms of products and a softmax, the rotary embedding in terms of slices, the linear one as a scan.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tc/ir/ops/attention.h"
#include "tc/ir/shape_build.h"

namespace tc {
namespace {

// Each head of (batch, heads, length, size) as often as query heads share it.
Value* repeat_heads(Builder& b, Value* v, Value* q, const AttentionDims& d) {
  if (d.q_heads == d.kv_heads) return v;
  Value *heads = extent_of(b, v, 1), *q_heads = extent_of(b, q, 1), *batch = extent_of(b, v, 0),
        *length = extent_of(b, v, 2), *size = extent_of(b, v, 3);
  Value* apart = b.make<Unsqueeze>({v, b.ints({2})});
  Value* wide = b.make<Expand>({apart, join_extents(b, {batch, heads, b.make<Div>({q_heads, heads}), length, size})});
  return b.make<Reshape>({wide, join_extents(b, {batch, q_heads, length, size})}, {.allow_zero = true});
}

// scale * q k' of operands (batch, heads, length, size) with as many heads.
Value* scaled_products(Builder& b, Value* q, Value* k, const std::optional<double>& given, const Dim& head_size) {
  const DType t = q->dtype();
  Value* scale;
  if (given || head_size.is_const()) {
    scale =
        b.scalar_like(t, given ? *given : 1 / std::sqrt(static_cast<double>(std::max<int64_t>(head_size.value(), 1))));
  } else {
    Value* root = b.make<Sqrt>({b.make<Cast>({b.make<Squeeze>({extent_of(b, q, 3)})}, {.to = DType::f32})});
    scale = cast_to(b, b.make<Reciprocal>({root}), t);
  }
  return b.make<Mul>({b.make<MatMul>({q, b.make<Transpose>({k}, {{0, 1, 3, 2}})}), scale});
}

// What the masks of an attention add to its scores; null when there are none.
Value* mask_bias(Builder& b, const Node& node, Value* q, Value* k) {
  const DType t = q->dtype();
  Value *visible_bias = b.scalar_like(t, 0), *hidden = b.scalar_like(t, -std::numeric_limits<double>::infinity());
  Value* sum = nullptr;
  auto add = [&](Value* bias) { sum = sum ? b.make<Add>({sum, bias}) : bias; };
  auto hide_unless = [&](Value* visible) { return b.make<Where>({visible, visible_bias, hidden}); };
  Value* total = extent_of(b, k, 2);
  if (Value* mask = node.operand(3)) {
    Value* bias = mask->dtype() == DType::boolean ? hide_unless(mask) : cast_to(b, mask, t);
    const Shape& s = mask->shape();
    if (!s.ranked() || (s.rank() > 0 && s[s.rank() - 1] != k->shape()[2])) {
      Value* missing = b.make<Sub>({total, b.make<ShapeOf>({mask}, {.start = -1, .end = std::nullopt})});
      bias = b.make<Pad>({bias, join_extents(b, {b.ints({0}), missing}), hidden, b.ints({-1})});
    }
    add(bias);
  }
  Value* lengths = node.operand(6) ? b.make<Unsqueeze>({node.operand(6), b.ints({1, 2, 3})}) : nullptr;
  Value* columns = iota(b, total);
  if (node.attrs<Attention>().is_causal) {
    // The queries are the last ones of what there is so far.
    Value* first = lengths           ? b.make<Sub>({lengths, extent_of(b, q, 2)})
                   : node.operand(4) ? extent_of(b, node.operand(4), 2)
                                     : b.ints({0});
    Value* rows = b.make<Add>({b.make<Unsqueeze>({iota(b, extent_of(b, q, 2)), b.ints({1})}), first});
    add(hide_unless(b.make<GreaterOrEqual>({rows, columns})));
  }
  if (lengths) add(hide_unless(b.make<Less>({columns, lengths})));
  return sum;
}

}  // namespace

std::vector<Value*> Attention::decompose(Builder& b, const Node& node) {
  const auto& attrs = node.attrs<Attention>();
  auto dims = [&](int i) -> const Dims* { return node.operand(i) ? &node.operand(i)->shape().dims() : nullptr; };
  const AttentionDims d = attention_dims(attrs, *dims(0), *dims(1), *dims(2), dims(4), dims(5));
  Value *q = node.operand(0), *k = node.operand(1), *v = node.operand(2);
  if (d.packed) {
    q = split_heads(b, q, d.q_heads.value(), d.head_size);
    k = split_heads(b, k, d.kv_heads.value(), d.head_size);
    v = split_heads(b, v, d.kv_heads.value(), d.v_head_size);
  }
  if (node.operand(4)) {
    k = b.make<Concat>({node.operand(4), k}, {.axis = 2});
    v = b.make<Concat>({node.operand(5), v}, {.axis = 2});
  }
  std::vector<Value*> results(static_cast<size_t>(node.num_results()));
  auto set = [&](size_t j, Value* value) {
    if (j < results.size()) results[j] = value;
  };
  set(1, k);
  set(2, v);
  const DType t = q->dtype();
  auto stage = [&](ScoreStage s, Value* scores) {
    if (static_cast<int64_t>(s) == attrs.qk_matmul_output_mode) set(3, scores);
    return scores;
  };
  Value* scores = scaled_products(b, q, repeat_heads(b, k, q, d), attrs.scale, d.head_size);
  stage(ScoreStage::products, scores);
  if (attrs.softcap != 0) {
    Value* cap = b.scalar_like(t, attrs.softcap);
    scores = b.make<Mul>({b.make<Tanh>({b.make<Div>({scores, cap})}), cap});
  }
  stage(ScoreStage::capped, scores);
  Value* bias = mask_bias(b, node, q, k);
  if (bias) scores = b.make<Add>({scores, bias});
  stage(ScoreStage::biased, scores);
  Value* all_hidden = nullptr;
  if (bias && attrs.zero_hidden_rows) {
    Value* hidden = b.scalar_like(t, -std::numeric_limits<double>::infinity());
    all_hidden = b.make<Equal>({b.make<ReduceMax>({bias, b.ints({-1})}), hidden});
    // Their softmax is NaN, which gradients would spread from where it is replaced.
    scores = b.make<Where>({all_hidden, b.scalar_like(t, 0), scores});
  }
  Value* p = cast_to(b, b.make<Softmax>({cast_to(b, scores, attrs.softmax_precision.value_or(t))}), t);
  if (all_hidden) p = b.make<Where>({all_hidden, b.scalar_like(t, 0), p});
  stage(ScoreStage::probabilities, p);
  Value* y = cast_to(b, b.make<MatMul>({cast_to(b, p, v->dtype()), repeat_heads(b, v, q, d)}), t);
  if (d.packed) y = merge_heads(b, y, d.q_heads * d.v_head_size);
  set(0, y);
  return results;
}

std::vector<Value*> FlexAttention::decompose(Builder& b, const Node& node) {
  const auto& attrs = node.attrs<FlexAttention>();
  Value *q = node.operand(0), *k = node.operand(1), *v = node.operand(2);
  const AttentionDims d = attention_dims({}, q->shape().dims(), k->shape().dims(), v->shape().dims(), nullptr, nullptr);
  auto modified = [&](int region, Value* x) {
    const Graph& body = node.region(region);
    return clone_into(body, b.graph(), b.before(), {{body.input(0), x}})[0];
  };
  const DType t = q->dtype();
  Value* scores = scaled_products(b, q, repeat_heads(b, k, q, d), attrs.scale, d.head_size);
  Value* p = b.make<Softmax>({modified(0, cast_to(b, scores, attrs.precision(t)))});
  return {b.make<MatMul>({cast_to(b, modified(1, p), t), repeat_heads(b, v, q, d)})};
}

std::vector<Value*> RotaryEmbedding::decompose(Builder& b, const Node& node) {
  const auto& attrs = node.attrs<RotaryEmbedding>();
  Value* x = node.operand(0);
  const RotaryDims d = rotary_dims(attrs, x->shape().dims());
  Value* heads = d.packed ? b.make<Reshape>({x, b.ints({0, 0, d.heads.value(), known_or_inferred(d.head_size)})}) : x;
  const bool whole = d.rotary == d.head_size;
  Value *turned = heads, *rest = nullptr;
  if (!whole) {
    const int64_t end = std::numeric_limits<int64_t>::max();
    turned = b.make<Slice>({heads, b.ints({0}), b.ints({d.rotary.value()}), b.ints({3})});
    rest = b.make<Slice>({heads, b.ints({d.rotary.value()}), b.ints({end}), b.ints({3})});
  }
  Value* half = b.make<Div>({extent_of(b, turned, 3), b.ints({2})});
  // A row of angles for each position, the same for all heads.
  auto angles = [&](int operand) {
    Value* rows = node.operand(operand);
    if (node.operand(3)) rows = b.make<Gather>({rows, node.operand(3)});
    return b.make<Unsqueeze>({b.make<Slice>({rows, b.ints({0}), half, b.ints({2})}), b.ints({d.packed ? 2 : 1})});
  };
  // Of the pairs' elements.
  const int64_t axis = attrs.interleaved ? 4 : 3;
  Value* pairs = turned;
  if (attrs.interleaved) {
    Value* shape = join_extents(b, {b.make<ShapeOf>({turned}, {.end = 3}), half, b.ints({2})});
    pairs = b.make<Reshape>({turned, shape}, {.allow_zero = true});
  }
  Node* parts = b.make_n<Split>({pairs}, {.axis = axis, .num_outputs = 2}, 2);
  Value *cosine = angles(1), *sine = angles(2);
  if (attrs.interleaved)
    cosine = b.make<Unsqueeze>({cosine, b.ints({4})}), sine = b.make<Unsqueeze>({sine, b.ints({4})});
  Value *first = parts->result(0), *second = parts->result(1);
  Value* y = b.make<Concat>({b.make<Sub>({b.make<Mul>({cosine, first}), b.make<Mul>({sine, second})}),
                             b.make<Add>({b.make<Mul>({sine, first}), b.make<Mul>({cosine, second})})},
                            {.axis = axis});
  if (attrs.interleaved) y = b.make<Reshape>({y, b.make<ShapeOf>({turned})}, {.allow_zero = true});
  if (rest) y = b.make<Concat>({y, rest}, {.axis = 3});
  if (d.packed) y = b.make<Reshape>({y, b.make<ShapeOf>({x})}, {.allow_zero = true});
  return {y};
}

std::vector<Value*> LinearAttention::decompose(Builder& b, const Node& node) {
  const auto& attrs = node.attrs<LinearAttention>();
  const bool gated = is_gated(attrs.update_rule), delta = is_delta(attrs.update_rule);
  const int64_t heads = attrs.kv_num_heads, group = attrs.q_num_heads / heads;
  const DType t = node.operand(0)->dtype(), wide = t == DType::f64 ? t : DType::f32;
  std::vector<Value*> operands{nullptr};
  for (int i : {0, 1, 2}) operands.push_back(cast_to(b, node.operand(i), wide));
  if (gated) operands.push_back(cast_to(b, node.operand(4), wide));
  if (delta) operands.push_back(cast_to(b, node.operand(5), wide));
  Value* key_size = b.make<Div>({extent_of(b, operands[2], 2), b.ints({heads})});
  if (node.operand(3)) {
    operands[0] = cast_to(b, node.operand(3), wide);
  } else {
    Value* value_size = b.make<Div>({extent_of(b, operands[3], 2), b.ints({heads})});
    Value* shape = join_extents(b, {extent_of(b, operands[1], 0), b.ints({heads}), key_size, value_size});
    Tensor zero(wide, {1});
    operands[0] = b.make<ConstantOfShape>({shape}, {std::move(zero)});
  }
  Value* scale = attrs.scale != 0
                     ? b.scalar_like(wide, attrs.scale)
                     : b.make<Reciprocal>({b.make<Sqrt>({b.make<Cast>({b.make<Squeeze>({key_size})}, {.to = wide})})});

  Scan::Attrs scan;
  scan.num_scan_inputs = static_cast<int64_t>(operands.size()) - 1;
  scan.scan_input_axes.assign(operands.size() - 1, 1);
  scan.scan_output_axes = {1};
  std::vector<Type> types;
  for (Value* v : operands) types.push_back(v->type());
  auto body = std::make_unique<Graph>(b.module(), "step");
  std::vector<Value*> in;
  for (const Type& type : scan_region_inputs(scan, types)) in.push_back(body->add_input(type));
  Builder s(*body);
  s.set_location(b.location());
  auto reshape = [&](Value* v, std::vector<int64_t> shape) { return s.make<Reshape>({v, s.ints(shape)}); };
  Value* state = in[0];
  if (gated) state = s.make<Mul>({state, s.make<Exp>({reshape(in[4], {0, heads, -1, 1})})});
  Value *k = reshape(in[2], {0, heads, -1, 1}), *written = reshape(in[3], {0, heads, 1, -1});
  if (delta) {
    Value* kept = s.make<MatMul>({s.make<Transpose>({k}, {{0, 1, 3, 2}}), state});
    written = s.make<Mul>({reshape(in.back(), {0, -1, 1, 1}), s.make<Sub>({written, kept})});
  }
  state = s.make<Add>({state, s.make<Mul>({k, written})});
  Value* read = s.make<MatMul>({reshape(in[1], {0, heads, group, -1}), state});
  body->set_outputs(std::vector<Value*>{state, s.make<Mul>({reshape(read, {0, -1}), scale})});
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(body));
  Node* n = b.make_n<Scan>(operands, std::move(scan), 2, std::move(regions));
  return {cast_to(b, n->result(1), t), cast_to(b, n->result(0), node.result(1)->dtype())};
}

}  // namespace tc
