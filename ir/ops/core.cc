#include "tc/ir/ops/core.h"

namespace tc {
namespace {

// Elements of small integer tensors are followed by shape inference.
constexpr int64_t kMaxContents = 64;

void note_contents(InferContext& ctx, const Tensor& t) {
  if (t.rank() > 1 || t.size() > kMaxContents ||
      (t.dtype() != DType::i64 && t.dtype() != DType::i32 && t.dtype() != DType::boolean))
    return;
  const auto values = to_i64(t);
  ctx.set_contents(0, Dims(values.begin(), values.end()));
}

}  // namespace

void Constant::infer(InferContext& ctx) {
  const Tensor& t = ctx.attrs<Constant>().value;
  if (!t.defined()) ctx.fail(ErrorCode::bad_attribute, "constant without a value");
  ctx.set(0, t.type());
  note_contents(ctx, t);
}

void Parameter::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<Parameter>();
  if (!a.value.defined()) ctx.fail(ErrorCode::bad_attribute, "parameter @", a.name, " without a value");
  ctx.set(0, a.value.type());
}

void Call::infer(InferContext& ctx) {
  const std::string& callee = ctx.attrs<Call>().callee;
  const Graph* f = ctx.module().find_function(callee);
  if (!f) ctx.fail(ErrorCode::bad_graph, "call of undefined function @", callee);
  if (f->num_inputs() != ctx.num_operands())
    ctx.fail(ErrorCode::bad_graph, "@", callee, " takes ", f->num_inputs(), " arguments, got ", ctx.num_operands());
  for (int i = 0; i < ctx.num_operands(); ++i)
    if (ctx.has(i) && !compatible(f->input(i)->type(), ctx.type(i)))
      ctx.fail(ErrorCode::bad_type, "argument ", i, " of @", callee, " is ", ctx.type(i), ", expected ",
               f->input(i)->type());
  if (ctx.num_results() > f->num_outputs())
    ctx.fail(ErrorCode::bad_graph, "@", callee, " has ", f->num_outputs(), " outputs, asked for ", ctx.num_results());
  for (int j = 0; j < ctx.num_results(); ++j) ctx.set(j, f->output(j) ? f->output(j)->type() : Type());
}

void Identity::infer(InferContext& ctx) {
  ctx.set(0, ctx.type(0));
  if (const Dims* c = ctx.contents(0)) ctx.set_contents(0, *c);
}

}  // namespace tc
