#include "tc/frontend/dsl/custom.h"

#include <map>
#include <mutex>

#include "tc/frontend/dsl/library.h"
#include "tc/frontend/dsl/subprogram.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/grad.h"
#include "tc/ir/library.h"
#include "tc/ir/ops/core.h"

namespace tc {

using namespace dsl;

Var stop_gradient(Arg x) {
  const Site site("stop_gradient", x.at());
  return make<StopGradient>({operand(x)});
}

namespace dsl {

using Types = std::vector<Type>;

Types types_of(const Graph& g) {
  Types result;
  for (const Value* v : g.outputs()) result.push_back(v->type());
  return result;
}

Types differentiable_ones(const Types& types) {
  Types result;
  for (const Type& t : types)
    if (differentiable(t)) result.push_back(t);
  return result;
}

namespace {

void append(Types& to, const Types& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

std::shared_ptr<Module> subprogram(std::string_view name, const Types& inputs, const Body& body, Module& caller) {
  if (body.arity >= 0 && static_cast<size_t>(body.arity) != inputs.size())
    refuse(ErrorCode::bad_argument,
           cat("the ", name, " takes ", body.arity, " arguments, it is given ", inputs.size()));
  const auto tracer = std::make_shared<Tracer>(std::string(name));
  Module& module = *tracer->module();
  module.main().set_name(std::string(name));
  module.reserve_symbols(caller.next_symbol());
  const Tracer::Activation active(*tracer);
  std::vector<Var> args;
  for (const Type& t : inputs) args.push_back(tracer->input(t, cat("a", args.size())));
  Outputs outputs;
  try {
    const Site::Suspension user;
    outputs = body.f(args);
  } catch (const Error& e) {
    if (!e.diagnostic().location.empty()) throw;
    refuse(e.code(), e.diagnostic().message, e.diagnostic().notes);
  }
  std::vector<Value*> values;
  for (const Output& o : outputs) values.push_back(tracer->use(o.value));
  module.main().set_outputs(values);
  tracer->finish();
  walk(module.main(), [&](const Node& n) {
    if (n.is<Parameter>())
      refuse(ErrorCode::bad_argument, cat("the ", name, " uses the parameter '", n.attrs<Parameter>().name, "'"),
             {"pass it as an argument, so that it has a gradient"});
  });
  caller.reserve_symbols(module.next_symbol());
  return tracer->module();
}

namespace {

void expect_types(std::string_view what, const Types& given, const Types& expected) {
  if (given.size() != expected.size())
    refuse(ErrorCode::bad_argument,
           cat("the rule returns ", given.size(), " values, expected ", expected.size(), ": ", what));
  for (size_t i = 0; i < given.size(); ++i)
    if (!compatible(expected[i], given[i]))
      refuse(ErrorCode::bad_type,
             cat("value ", i, " that the rule returns is ", given[i], ", expected ", expected[i], ": ", what));
}

}  // namespace

namespace {

// A call of a function `name` that does what f does, with a rule unless that is null.
std::vector<Var> call(std::string_view name, const Body& f, const Body* rule, const std::vector<Var>& operands) {
  Tracer& tracer = Tracer::current();
  Types types;
  for (const Var& v : operands) types.push_back(v.type());
  const auto callee = subprogram(name, types, f, *tracer.module());
  const Types results = types_of(callee->main());
  Call::Attrs attrs;
  if (rule) {
    Types taken = types;
    append(taken, results);
    append(taken, differentiable_ones(results));
    const auto derivative = subprogram("rule", taken, *rule, *tracer.module());
    expect_types("the gradients of the floating-point arguments", types_of(derivative->main()),
                 differentiable_ones(types));
    attrs.callee = tracer.add_function(*callee);
    attrs.gradient = tracer.add_function(*derivative);
  } else {
    attrs.callee = tracer.add_function(*callee);
  }
  return tracer.emit(id_of<Call>, operands, std::make_shared<Call::Attrs>(std::move(attrs)),
                     static_cast<int>(results.size()));
}

// A program that calls the function, of tensors of x's element type and rank: made once, since programs that run at
// once are kept by their address.
std::shared_ptr<const Module> program_of(const std::string& name, const Body& f, const Type& x) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Module>> programs;
  Dims dims;
  for (int i = 0; i < x.shape().rank(); ++i) dims.push_back(Dim::symbol(cat("n", i)));
  const Type general = Type::tensor(x.dtype(), Shape(std::move(dims)));
  const std::lock_guard lock(mutex);
  std::shared_ptr<const Module>& program = programs[cat(name, " ", general)];
  if (!program) {
    Module none;
    const Body body{1, [&](const std::vector<Var>& v) { return Outputs{{"y", call(name, f, nullptr, v)[0]}}; }};
    program = subprogram("program", {general}, body, none);
  }
  return program;
}

}  // namespace

std::vector<Var> call_custom(const Body& f, const Body& rule, const Args& args, const Location& at) {
  const Site site("custom_vjp", at);
  std::vector<Var> operands;
  for (const Arg& a : args) operands.push_back(operand(a));
  if (Tracer::current().eager()) {  // nothing is differentiated there
    const Site::Suspension user;
    std::vector<Var> result;
    for (const Output& o : f.f(operands)) result.push_back(o.value);
    return result;
  }
  return call("function", f, &rule, operands);
}

Var call_library(std::string_view name, const Body& f, const Body* rule, const Var& x) {
  const std::string full = cat("tc.", name);
  TC_CHECK(!library_function(full).empty(), full, " is no name of the library's");
  Tracer& tracer = Tracer::current();
  if (tracer.eager()) return tracer.inlined(program_of(full, f, x.type()), {x})[0];
  return call(full, f, rule, {x})[0];
}

}  // namespace dsl
}  // namespace tc
