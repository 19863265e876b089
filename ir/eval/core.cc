#include "tc/ir/eval/eval.h"

namespace tc {

template <>
void eval<Constant>(EvalContext& ctx) {
  ctx.set(0, ctx.attrs<Constant>().value);
}

template <>
void eval<Parameter>(EvalContext& ctx) {
  ctx.set(0, ctx.attrs<Parameter>().value);
}

template <>
void eval<Return>(EvalContext&) {}

template <>
void eval<Call>(EvalContext& ctx) {
  const Graph* f = ctx.node().graph()->module().find_function(ctx.attrs<Call>().callee);
  std::vector<Datum> args;
  for (int i = 0; i < ctx.num_operands(); ++i) args.push_back(ctx.datum(i));
  auto results = ctx.env().run_graph(ctx.node(), *f, std::move(args));
  for (int j = 0; j < ctx.num_results(); ++j) ctx.set(j, std::move(results[static_cast<size_t>(j)]));
}

template <>
void eval<Check>(EvalContext& ctx) {
  for (const Bool b : ctx.in(0).span<Bool>())
    if (!b) ctx.fail(ErrorCode::check_failed, ctx.attrs<Check>().message);
}

template <>
void eval<Identity>(EvalContext& ctx) {
  ctx.set(0, ctx.datum(0));
}

template <>
void eval<StopGradient>(EvalContext& ctx) {
  ctx.set(0, ctx.datum(0));
}

}  // namespace tc
