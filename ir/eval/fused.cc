#include <unordered_map>

#include "tc/ir/builder.h"
#include "tc/ir/eval/eval.h"

namespace tc {
namespace {

// Runs what the node decomposes into, on the element types at hand (wider ones in widened mode).
void eval_decomposed(EvalContext& ctx) {
  Module scratch;
  Graph& g = scratch.main();
  std::unordered_map<const Value*, Datum> values;
  std::vector<Value*> operands;
  for (int i = 0; i < ctx.num_operands(); ++i) {
    // Of the declared element type, which some ops insist on, also where the elements at hand are wider.
    operands.push_back(ctx.has(i) ? g.add_input(Type::tensor(ctx.node().operand(i)->dtype(), ctx.in(i).type().shape()))
                                  : nullptr);
    if (operands.back()) values[operands.back()] = ctx.datum(i);
  }
  Builder b(g);
  b.set_location(ctx.node().location());
  const Node& copy = *b.node(ctx.node().op(), operands, ctx.node().raw_attrs(), ctx.node().num_results());
  const auto results = copy.info().decompose(b, copy);
  for (const auto& n : g.nodes()) {
    if (n.get() == &copy) continue;
    std::vector<Datum> in;
    for (const Value* v : n->operands()) in.push_back(v ? values.at(v) : Datum());
    auto out = eval_node(*n, in, ctx.env());
    for (int j = 0; j < n->num_results(); ++j) values[n->result(j)] = std::move(out[static_cast<size_t>(j)]);
  }
  for (size_t j = 0; j < results.size(); ++j) ctx.set(static_cast<int>(j), values.at(results[j]));
}

}  // namespace

template <>
void eval<FusedConv>(EvalContext& ctx) {
  eval_decomposed(ctx);
}

template <>
void eval<FusedMatMul>(EvalContext& ctx) {
  eval_decomposed(ctx);
}

template <>
void eval<FusedMatMulInteger>(EvalContext& ctx) {
  eval_decomposed(ctx);
}

template <>
void eval<FusedConvInteger>(EvalContext& ctx) {
  eval_decomposed(ctx);
}

template <>
void eval<FusedDequantizeMatMul>(EvalContext& ctx) {
  eval_decomposed(ctx);
}

template <>
void eval<FusedQLinearConv>(EvalContext& ctx) {
  eval_decomposed(ctx);
}

template <>
void eval<Cluster>(EvalContext& ctx) {
  std::vector<Datum> args;
  for (int i = 0; i < ctx.num_operands(); ++i) args.push_back(ctx.datum(i));
  auto results = ctx.run_region(0, std::move(args));
  for (int j = 0; j < ctx.num_results(); ++j) ctx.set(j, std::move(results[static_cast<size_t>(j)]));
}

}  // namespace tc
