#include "tests/samples/sample.h"

namespace tc {
namespace {

Tensor lengths(const std::vector<int64_t>& values) {
  return Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values);
}

// Operands of rank 4 with as many query as key heads.
template <DType T>
std::vector<Value*> heads(SampleGraph& g) {
  return {g.input(T, {2, 3, 5, 8}), g.input(T, {2, 3, 7, 8}), g.input(T, {2, 3, 7, 6})};
}

template <DType T>
void plain(SampleGraph& g) {
  g.outputs({g.b.make<Attention>(heads<T>(g))});
}

// All results, with what qk_matmul_output_mode asks for, of few key heads side by side.
template <int64_t Mode>
void grouped_with_past(SampleGraph& g) {
  Value *q = g.input(DType::f32, {2, 5, 6 * 8}), *k = g.input(DType::f32, {2, 4, 2 * 8}),
        *v = g.input(DType::f32, {2, 4, 2 * 10});
  Value *past_k = g.input(DType::f32, {2, 2, 3, 8}), *past_v = g.input(DType::f32, {2, 2, 3, 10});
  Attention::Attrs a;
  a.q_num_heads = 6, a.kv_num_heads = 2, a.is_causal = true, a.softcap = 1.5, a.qk_matmul_output_mode = Mode;
  Node* n = g.b.make_n<Attention>({q, k, v, g.input(DType::f32, {5, 7}), past_k, past_v}, a, 4);
  g.outputs({n->result(0), n->result(1), n->result(2), n->result(3)});
}

// One mask hides a whole row.
void hidden_row(SampleGraph& g) {
  Tensor mask = Tensor(DType::boolean, {3, 1, 5, 7});
  auto m = mask.mutable_span<Bool>();
  for (size_t i = 0; i < m.size(); ++i) m[i] = Bool(i % 3 != 0 && i / 7 % 5 != 2);
  std::vector<Value*> operands = heads<DType::f32>(g);
  for (size_t i = 0; i < 3; ++i)
    operands[i] = g.b.make<Concat>({operands[i], g.b.make<Slice>({operands[i], g.b.ints({0}), g.b.ints({1})})});
  operands.push_back(g.input(mask));
  Node* n = g.b.make_n<Attention>(operands, {.qk_matmul_output_mode = 3}, 4);
  g.outputs({n->result(0), n->result(3)});
}

// A mask that is too short, and fewer keys than memory for them.
template <DType T, DType M>
void padded(SampleGraph& g) {
  std::vector<Value*> operands = heads<T>(g);
  operands.insert(operands.end(), {g.input(M, {2, 1, 1, 6}, 0, 1), nullptr, nullptr, g.input(lengths({6, 3}))});
  Attention::Attrs a;
  a.is_causal = true, a.scale = 0.2, a.softmax_precision = DType::f32;
  g.outputs({g.b.make<Attention>(operands, a)});
}

void symbolic(SampleGraph& g) {
  const Dim n = Dim::symbol("N"), h = Dim::symbol("H"), s = Dim::symbol("S"), t = Dim::symbol("T");
  Value* q = g.input(g.random(DType::f32, {2, 4, 3, 8}), {n, h, s, Dim::symbol("D")});
  Value* k = g.input(g.random(DType::f32, {2, 2, 5, 8}), {n, Dim::symbol("G"), t, Dim::symbol("D")});
  Value* v = g.input(g.random(DType::f32, {2, 2, 5, 6}), {n, Dim::symbol("G"), t, 6});
  Attention::Attrs a;
  a.is_causal = true;
  g.outputs({g.b.make<Attention>({q, k, v, g.input(g.random(DType::f32, {3, 5}), {s, t})}, a)});
}

template <DType T, bool Interleaved>
void rotary(SampleGraph& g) {
  Value* positions = g.input(Tensor::of<int64_t>({2, 3}, {0, 5, 9, 2, 2, 1}));
  g.outputs({g.b.make<RotaryEmbedding>({g.input(T, {2, 4, 3, 8}), g.input(T, {10, 4}), g.input(T, {10, 4}), positions},
                                       {.interleaved = Interleaved})});
}

template <bool Interleaved>
void rotary_in_part(SampleGraph& g) {
  g.outputs({g.b.make<RotaryEmbedding>(
      {g.input(DType::f32, {2, 3, 4 * 8}), g.input(DType::f32, {2, 3, 3}), g.input(DType::f32, {2, 3, 3})},
      {.interleaved = Interleaved, .num_heads = 4, .rotary_embedding_dim = 6})});
}

template <DType T, UpdateRule Rule, int64_t Decays, bool Past>
void linear(SampleGraph& g) {
  constexpr int64_t kBatch = 2, kLength = 4, kHeads = 2, kKey = 5, kValue = 3;
  std::vector<Value*> operands{g.input(T, {kBatch, kLength, 3 * kHeads * kKey}),
                               g.input(T, {kBatch, kLength, kHeads * kKey}, -0.5, 0.5),
                               g.input(T, {kBatch, kLength, kHeads * kValue})};
  operands.push_back(Past ? g.input(T, {kBatch, kHeads, kKey, kValue}) : nullptr);
  operands.push_back(is_gated(Rule) ? g.input(T, {kBatch, kLength, Decays}, -1, 0) : nullptr);
  operands.push_back(is_delta(Rule) ? g.input(T, {kBatch, kLength, Past ? 1 : kHeads}, 0, 1) : nullptr);
  Node* n = g.b.make_n<LinearAttention>(
      operands, {.kv_num_heads = kHeads, .q_num_heads = 3 * kHeads, .scale = Past ? 0.3 : 0, .update_rule = Rule}, 2);
  g.outputs({n->result(0), n->result(1)});
}

// Scores with a captured bias, probabilities squared.
template <DType T>
void flex(SampleGraph& g) {
  Value *q = g.input(T, {2, 4, 3, 8}), *k = g.input(T, {2, 2, 5, 8}), *v = g.input(T, {2, 2, 5, 6});
  const Type scores = flex_attention_scores({}, q->type(), k->type(), v->type());
  Value* bias = g.input(scores.dtype(), {3, 5});
  std::vector<std::unique_ptr<Graph>> regions;
  for (const bool first : {true, false}) {
    auto body = std::make_unique<Graph>(*g.module);
    Value* x = body->add_input(scores);
    Builder inner(*body);
    body->set_outputs(std::vector<Value*>{first ? inner.make<Add>({x, bias}) : inner.make<Mul>({x, x})});
    regions.push_back(std::move(body));
  }
  g.outputs({g.b.make_n<FlexAttention>({q, k, v}, {}, 1, std::move(regions))->result(0)});
}

}  // namespace

void samples_attention(std::vector<Sample>& samples) {
  using enum DType;
  samples.insert(samples.end(), {{"attention/f32", plain<f32>},
                                 {"attention/f64", plain<f64>},
                                 {"attention/f16", plain<f16>},
                                 {"attention/bf16", plain<bf16>},
                                 {"attention/products", grouped_with_past<0>},
                                 {"attention/capped", grouped_with_past<1>},
                                 {"attention/biased", grouped_with_past<2>},
                                 {"attention/probabilities", grouped_with_past<3>},
                                 {"attention/hidden_row", hidden_row},
                                 {"attention/padded_bool", padded<f32, boolean>},
                                 {"attention/padded_i8", padded<f32, i8>},
                                 {"attention/padded_f64", padded<f64, f64>},
                                 {"attention/symbolic", symbolic},
                                 {"rotary_embedding/f32", rotary<f32, false>},
                                 {"rotary_embedding/f16", rotary<f16, true>},
                                 {"rotary_embedding/bf16", rotary<bf16, false>},
                                 {"rotary_embedding/part", rotary_in_part<false>},
                                 {"rotary_embedding/part_interleaved", rotary_in_part<true>},
                                 {"linear_attention/linear", linear<f32, UpdateRule::linear, 0, false>},
                                 {"linear_attention/gated", linear<f32, UpdateRule::gated, 2, false>},
                                 {"linear_attention/delta", linear<f32, UpdateRule::delta, 0, true>},
                                 {"linear_attention/gated_delta", linear<f32, UpdateRule::gated_delta, 10, true>},
                                 {"linear_attention/f16", linear<f16, UpdateRule::gated_delta, 10, false>},
                                 {"linear_attention/bf16", linear<bf16, UpdateRule::gated, 2, true>},
                                 {"flex_attention/f32", flex<f32>},
                                 {"flex_attention/f16", flex<f16>},
                                 {"flex_attention/f64", flex<f64>}});
}

}  // namespace tc
