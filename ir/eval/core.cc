#include "tc/ir/eval/custom.h"
#include "tc/ir/eval/eval.h"
#include "tc/ir/eval/interp.h"

namespace tc {

std::vector<Tensor> run_custom(const Node& call, const CustomOp& op, const CustomOp::Compute& compute,
                               const std::vector<Tensor>& arguments) {
  const auto fail = [&](ErrorCode code, std::string text) {
    throw Error({code, cat(op.full_name(), ": ", text), call.location(), {}, {}});
  };
  std::vector<Tensor> results;
  try {
    results = compute(arguments);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    fail(ErrorCode::bad_value, e.what());
  }
  if (static_cast<int>(results.size()) < call.num_results())
    fail(ErrorCode::bad_shape, cat("it gave ", results.size(), " results, its inference says ", call.num_results()));
  for (int j = 0; j < call.num_results(); ++j) {
    const Tensor& t = results[static_cast<size_t>(j)];
    const Type& type = call.result(j)->type();
    if (!t.defined()) fail(ErrorCode::bad_shape, cat("result ", j, " is undefined, its inference says ", type));
    if (t.dtype() != type.dtype())
      fail(ErrorCode::bad_type, cat("result ", j, " is ", t.type(), ", its inference says ", type));
    if (!has_type(t, type))
      fail(ErrorCode::bad_shape, cat("result ", j, " is ", t.type(), ", its inference says ", type));
  }
  return results;
}

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
  const std::string& callee = ctx.attrs<Call>().callee;
  const Graph* f = ctx.node().graph()->module().find_function(callee);
  if (!f) {
    const auto op = find_custom_op(callee);
    if (!op) ctx.fail(ErrorCode::unknown_op, "no op ", callee, " is registered");
    std::vector<Tensor> in;
    for (int i = 0; i < ctx.num_operands(); ++i) in.push_back(ctx.in(i));
    auto out = run_custom(ctx.node(), *op, op->reference ? op->reference : op->kernel, in);
    for (int j = 0; j < ctx.num_results(); ++j) ctx.set(j, std::move(out[static_cast<size_t>(j)]));
    return;
  }
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
