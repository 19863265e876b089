// The gradient of a sequence is a sequence of the gradients of its elements.
#include "tc/ir/grad.h"

namespace tc {
namespace {

// A position counted from 0 in a sequence of the length that `sequence` has.
Expr counted(Builder& b, Value* position, Value* sequence) {
  const Expr p = Expr(b, position).cast(DType::i64);
  return where(p < 0, p + Expr(b, b.make<SequenceLength>({sequence})), p);
}

bool is_sequence(const Value* v) {
  return v->type().kind() == Type::Kind::sequence;
}

}  // namespace

void SequenceConstruct::grad(GradContext& ctx) {
  for (int i = 0; i < ctx.node().num_operands(); ++i)
    if (ctx.wanted(i)) ctx.give(i, ctx.b.make<SequenceAt>({ctx.seed(), ctx.b.scalar<int64_t>(i)}));
}

void SequenceAt::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  Value *zeros = zeros_like(b, ctx.in(0)), *position = counted(b, ctx.in(1), ctx.in(0));
  ctx.give(0, b.make<SequenceInsert>({b.make<SequenceErase>({zeros, position}), ctx.seed(), position}));
}

void SequenceInsert::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  Value* position = ctx.has(2) ? counted(b, ctx.in(2), ctx.in(0)) : Expr(b, b.make<SequenceLength>({ctx.in(0)}));
  ctx.give(0, b.make<SequenceErase>({ctx.seed(), position}));
  ctx.give(1, b.make<SequenceAt>({ctx.seed(), position}));
}

void SequenceErase::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  Value* last = b.make<Sub>({b.make<SequenceLength>({ctx.in(0)}), b.scalar<int64_t>(1)});
  Value* position = ctx.has(1) ? counted(b, ctx.in(1), ctx.in(0)) : Expr(b, last);
  Value* zeros = zeros_like(b, b.make<SequenceAt>({ctx.in(0), position}));
  ctx.give(0, b.make<SequenceInsert>({ctx.seed(), zeros, position}));
}

void SplitToSequence::grad(GradContext& ctx) {
  const auto& a = ctx.attrs<SplitToSequence>();
  ctx.give(0, ctx.b.make<ConcatFromSequence>({ctx.seed()}, {a.axis, !a.keepdims && !ctx.has(1)}));
}

void ConcatFromSequence::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  const auto& a = ctx.attrs<ConcatFromSequence>();
  if (a.new_axis) return ctx.give(0, b.make<SplitToSequence>({ctx.seed()}, {a.axis, false}));
  auto body = std::make_unique<Graph>(b.module());
  Value* element = body->add_input(ctx.in(0)->type().element());
  Builder inner(*body);
  ShapeOf::Attrs extent{a.axis, a.axis + 1};
  if (a.axis == -1) extent.end.reset();
  body->set_outputs(std::vector{inner.make<ShapeOf>({element}, extent)});
  Value* extents = b.make_n<SequenceMap>({ctx.in(0)}, {}, 1, region_list(std::move(body)))->result(0);
  Value* lengths = b.make<ConcatFromSequence>({extents}, {0});
  ctx.give(0, b.make<SplitToSequence>({ctx.seed(), lengths}, {a.axis}));
}

void Optional::grad(GradContext& ctx) {
  ctx.give(0, ctx.in(0)->type().kind() == Type::Kind::optional
                  ? ctx.seed()
                  : Expr(ctx.b, ctx.b.make<OptionalGetElement>({ctx.seed()})));
}

void OptionalGetElement::grad(GradContext& ctx) {
  ctx.give(0, ctx.in(0)->type().kind() == Type::Kind::optional ? Expr(ctx.b, ctx.b.make<Optional>({ctx.seed()}))
                                                               : ctx.seed());
}

// The body of the gradient runs the body again. What it gives to values that all elements share is summed up.
void SequenceMap::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  Node& node = ctx.node();
  const Graph& body = node.region(0);
  walk(body, [&](Node& n) {
    if (n.info().traits.nondeterministic) ctx.fail("sequence_map of the random op ", n.op(), " has no gradient");
  });
  auto back = std::make_unique<Graph>(b.module());
  std::vector<Value*> operands;
  std::vector<std::pair<Value*, Value*>> map;
  for (int i = 0; i < node.num_operands(); ++i) {
    map.emplace_back(body.input(i), back->add_input(body.input(i)->type()));
    operands.push_back(node.operand(i));
  }
  Builder inner(*back);
  std::vector<Value*> seeds;
  for (int j = 0; j < node.num_results(); ++j) {
    seeds.push_back(ctx.has_seed(j) ? back->add_input(body.output(j)->type()) : nullptr);
    if (seeds.back()) operands.push_back(ctx.seed(j));
  }
  auto outputs = clone_into(body, *back, nullptr, map);
  outputs.resize(static_cast<size_t>(node.num_results()));
  std::vector<Value*> leaves, targets, constants;
  for (int i = 0; i < node.num_operands(); ++i) {
    if (!ctx.wanted(i)) continue;
    leaves.push_back(map[static_cast<size_t>(i)].second);
    targets.push_back(node.operand(i));
  }
  for (Value* v : captures(body)) {
    constants.push_back(v);
    if (!ctx.wanted(v)) continue;
    leaves.push_back(v);
    targets.push_back(v);
  }
  auto grads = ctx.pullback(inner, outputs, seeds, leaves, constants);
  for (size_t k = 0; k < leaves.size(); ++k)
    if (!grads[k]) grads[k] = zeros_like(inner, leaves[k]);
  back->set_outputs(grads);
  const Node* made = b.make_n<SequenceMap>(operands, {}, static_cast<int>(grads.size()), region_list(std::move(back)));
  for (size_t k = 0; k < leaves.size(); ++k) {
    Value* parts = made->result(static_cast<int>(k));
    if (is_sequence(targets[k])) {
      ctx.give_exactly(targets[k], parts);
      continue;
    }
    // One zero more, as there may be no elements.
    Value* some = b.make<SequenceInsert>({parts, zeros_like(b, targets[k])});
    ctx.give_exactly(targets[k], sum_over(b, b.make<ConcatFromSequence>({some}, {0, true}), {0}, false));
  }
}

void SequenceMap::jvp(JvpContext& ctx) {
  Builder& b = ctx.b;
  const Node& node = ctx.node();
  const Graph& body = node.region(0);
  auto both = std::make_unique<Graph>(b.module());
  std::vector<Value*> operands, values, tangents;
  for (int i = 0; i < node.num_operands(); ++i) {
    values.push_back(both->add_input(body.input(i)->type()));
    operands.push_back(ctx.copy(node.operand(i)));
  }
  for (int i = 0; i < node.num_operands(); ++i) {
    Value* t = ctx.tangent(node.operand(i));
    tangents.push_back(t ? both->add_input(body.input(i)->type()) : nullptr);
    if (t) operands.push_back(t);
  }
  Builder inner(*both);
  const auto r = ctx.run(inner, body, values, tangents);
  const int n = node.num_results();
  std::vector<Value*> outputs(r.values.begin(), r.values.begin() + n);
  for (int j = 0; j < n; ++j)
    if (Value* t = r.tangents[static_cast<size_t>(j)]) outputs.push_back(t);
  both->set_outputs(outputs);
  const Node* made =
      b.make_n<SequenceMap>(operands, {}, static_cast<int>(outputs.size()), region_list(std::move(both)));
  JvpContext::Results out;
  int next = n;
  for (int j = 0; j < n; ++j) {
    out.values.push_back(made->result(j));
    out.tangents.push_back(r.tangents[static_cast<size_t>(j)] ? made->result(next++) : nullptr);
  }
  ctx.set(std::move(out));
}

}  // namespace tc
