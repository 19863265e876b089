#include "tc/ir/ops/core.h"

#include <algorithm>

#include "tc/ir/custom_op.h"
#include "tc/ir/grad.h"
#include "tc/ir/renaming.h"
#include "tc/ir/shape_math.h"

namespace tc {
namespace {

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

namespace {

void infer_custom(InferContext& ctx, const std::string& callee) {
  const auto op = find_custom_op(callee);
  if (!op || !op->infer) ctx.fail(ErrorCode::bad_graph, "call of undefined function @", callee);
  std::vector<CustomArgument> arguments;
  for (int i = 0; i < ctx.num_operands(); ++i) {
    if (!ctx.has(i)) ctx.fail(ErrorCode::bad_graph, "argument ", i, " of ", callee, " is absent");
    if (!ctx.type(i).is_tensor()) ctx.fail(ErrorCode::bad_type, "argument ", i, " of ", callee, " is ", ctx.type(i));
    arguments.push_back({ctx.type(i), ctx.constant(i)});
  }
  std::vector<Type> types;
  try {
    types = op->infer(arguments);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& e) {
    ctx.fail(ErrorCode::bad_type, callee, ": ", e.what());
  }
  if (ctx.num_results() > static_cast<int>(types.size()))
    ctx.fail(ErrorCode::bad_graph, callee, " has ", types.size(), " results, asked for ", ctx.num_results());
  for (int j = 0; j < ctx.num_results(); ++j) {
    const Type& t = types[static_cast<size_t>(j)];
    if (!t.is_tensor()) ctx.fail(ErrorCode::bad_type, "result ", j, " of ", callee, " is inferred as ", t);
    ctx.set(j, t);
  }
}

}  // namespace

void Call::infer(InferContext& ctx) {
  const std::string& callee = ctx.attrs<Call>().callee;
  const Graph* f = ctx.module().find_function(callee);
  if (!f) return infer_custom(ctx, callee);
  if (f->num_inputs() != ctx.num_operands())
    ctx.fail(ErrorCode::bad_graph, "@", callee, " takes ", f->num_inputs(), " arguments, got ", ctx.num_operands());
  for (int i = 0; i < ctx.num_operands(); ++i)
    if (ctx.has(i) && !compatible(f->input(i)->type(), ctx.type(i)))
      ctx.fail(ErrorCode::bad_type, "argument ", i, " of @", callee, " is ", ctx.type(i), ", expected ",
               f->input(i)->type());
  if (ctx.num_results() > f->num_outputs())
    ctx.fail(ErrorCode::bad_graph, "@", callee, " has ", f->num_outputs(), " outputs, asked for ", ctx.num_results());
  // What the function finds in its arguments is new in each call.
  Renaming renaming(ctx.module());
  for (int i = 0; i < ctx.num_operands(); ++i)
    if (ctx.has(i)) renaming.bind(f->input(i)->type(), ctx.type(i));
  for (int j = 0; j < ctx.num_results(); ++j)
    ctx.set(j, f->output(j) ? renaming.seen_from_outside(f->output(j)->type()) : Type());
}

void Identity::infer(InferContext& ctx) {
  ctx.set(0, ctx.type(0));
  if (const Dims* c = ctx.contents(0)) ctx.set_contents(0, *c);
}

void Identity::grad(GradContext& ctx) {
  ctx.give(0, ctx.seed());
}

std::vector<Value*> StopGradient::decompose(Builder& b, const Node& node) {
  return {b.make<Identity>({node.operand(0)})};
}

namespace {

// Differentiates a copy of what the call ran.
void run_again(GradContext& ctx, const Graph& callee) {
  std::vector<std::pair<Value*, Value*>> map;
  std::vector<Value*> wanted, others, seeds;
  for (int i = 0; i < callee.num_inputs(); ++i) {
    Value* v = ctx.node().operand(i);
    map.emplace_back(callee.input(i), v);
    if (!v) continue;
    auto& list = ctx.wanted(i) ? wanted : others;
    if (std::find(list.begin(), list.end(), v) == list.end()) list.push_back(v);
  }
  Graph& g = ctx.b.graph();
  Node* before = ctx.b.before() ? ctx.b.before() : g.terminator();
  std::vector<Value*> outputs = clone_into(callee, g, before, std::move(map));
  outputs.resize(static_cast<size_t>(ctx.node().num_results()));
  for (int j = 0; j < ctx.node().num_results(); ++j)
    seeds.push_back(ctx.has_seed(j) ? static_cast<Value*>(ctx.seed(j)) : nullptr);
  const auto gradients = ctx.pullback(ctx.b, outputs, seeds, wanted, others);
  for (size_t k = 0; k < wanted.size(); ++k)
    if (gradients[k]) ctx.give_exactly(wanted[k], gradients[k]);
}

}  // namespace

// A call whose gradient is its callee keeps nothing but its arguments: the callee runs again.
void Call::grad(GradContext& ctx) {
  const auto& a = ctx.attrs<Call>();
  const bool custom = !ctx.b.module().find_function(a.callee);
  if (custom && a.gradient.empty())
    ctx.fail(a.callee, " has no gradient: neither a rule nor a body is registered with it");
  const Graph* rule = ctx.b.module().find_function(a.gradient);
  if (!rule) ctx.fail("the gradient @", a.gradient, " of @", a.callee, " is not a function of the module");
  if (a.gradient == a.callee || (custom && !a.gradient.ends_with(kCustomGradient))) return run_again(ctx, *rule);
  std::vector<Value*> arguments = ctx.node().operands();
  std::vector<int> given;
  for (int i = 0; i < ctx.node().num_operands(); ++i)
    if (ctx.has(i) && differentiable(ctx.in(i)->type())) given.push_back(i);
  for (int j = 0; j < ctx.node().num_results(); ++j) arguments.push_back(ctx.out(j));
  for (int j = 0; j < ctx.node().num_results(); ++j)
    if (differentiable(ctx.out(j)->type()))
      arguments.push_back(ctx.has_seed(j) ? ctx.seed(j) : Expr(ctx.b, zeros_like(ctx.b, ctx.out(j))));
  if (rule->num_inputs() != static_cast<int>(arguments.size()) || rule->num_outputs() != static_cast<int>(given.size()))
    ctx.fail("the gradient @", a.gradient, " of @", a.callee, " takes ", rule->num_inputs(), " and gives ",
             rule->num_outputs(), " values, expected ", arguments.size(),
             " (arguments, results, gradients of results) and ", given.size(), " (gradients of arguments)");
  const Node* call = ctx.b.make_n<Call>(arguments, {a.gradient}, static_cast<int>(given.size()));
  for (size_t k = 0; k < given.size(); ++k) {
    if (!compatible(ctx.in(given[k])->type(), call->result(static_cast<int>(k))->type()))
      ctx.fail("the gradient @", a.gradient, " of @", a.callee, " gives ", call->result(static_cast<int>(k))->type(),
               " for argument ", given[k], ", which is ", ctx.in(given[k])->type());
    ctx.give(given[k], call->result(static_cast<int>(k)));
  }
}

}  // namespace tc
