#include "tc/frontend/dsl/trace.h"

#include <set>

#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/core.h"
#include "tc/ir/text/parse.h"
#include "tc/ir/text/print.h"
#include "tc/ir/verify.h"

namespace tc {

using namespace dsl;

Function::Function(std::shared_ptr<const Module> module) : module_(std::move(module)) {}

const std::string& Function::name() const {
  return module().main().name();
}

std::vector<ValueInfo> Function::inputs() const {
  std::vector<ValueInfo> result;
  for (const Value* v : module().main().inputs()) result.push_back({v->name(), v->type()});
  return result;
}

std::vector<ValueInfo> Function::outputs() const {
  const Graph& g = module().main();
  std::vector<ValueInfo> result;
  for (int i = 0; i < g.num_outputs(); ++i) {
    const auto k = static_cast<size_t>(i);
    result.push_back({k < g.output_names.size() ? g.output_names[k] : g.output(i)->name(), g.output(i)->type()});
  }
  return result;
}

std::string Function::str() const {
  PrintOptions options;
  options.elide_weights = true;
  return print(module(), options);
}

const Module& Function::module() const {
  if (!module_) refuse(ErrorCode::bad_argument, "the Function is undefined");
  return *module_;
}

std::ostream& operator<<(std::ostream& out, const Function& f) {
  return out << f.str();
}

Results<Var> Function::operator()(const Args& args, Location at) const {
  const Site site(name(), at);
  return Results<Var>(Tracer::current().inlined(module_, args));
}

namespace dsl {
namespace {

Type declared(const Input& input) {
  if (!input.type.empty()) return located([&] { return parse_type(input.type); });
  Dims dims;
  for (const Extent& e : input.shape) {
    if (e.dynamic())
      refuse(ErrorCode::bad_argument, cat("an extent of input '", input.name, "' is a Var"),
             {"extents of inputs are numbers, names of symbols, or expressions of these"});
    if (e.dim().is_const() && e.dim().value() < 0)
      refuse(ErrorCode::bad_argument, cat("input '", input.name, "' has an extent of ", e.dim()),
             {"an extent that is not known in advance has a name: \"batch\""});
    dims.push_back(e.dim());
  }
  return Type::tensor(input.dtype, Shape(std::move(dims)));
}

// The names, each once: later ones that are taken, and missing ones, get a number.
std::vector<std::string> output_names(const Outputs& outputs) {
  std::set<std::string> taken;
  for (const Output& o : outputs) {
    if (o.name.empty()) continue;
    if (!taken.insert(o.name).second) refuse(ErrorCode::bad_argument, cat("two outputs are named '", o.name, "'"));
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::string name = outputs[i].name;
    if (name.empty()) {
      const std::string& own = outputs[i].value.value()->name();
      name = !own.empty() && !outputs[i].value.value()->def() ? std::string() : own;
      if (name.empty() || taken.count(name)) name = outputs.size() == 1 ? "output" : cat("output_", i);
      for (int k = 1; !taken.insert(name).second; ++k) name = cat("output_", i, "_", k);
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

Function trace(std::string name, const std::vector<Input>& inputs, int arity, const FlatFunction& f,
               const Location& at) {
  const Site site("trace", at);
  if (arity >= 0 && static_cast<size_t>(arity) != inputs.size())
    refuse(ErrorCode::bad_argument,
           cat("'", name, "' declares ", inputs.size(), " inputs, its function takes ", arity));
  const auto tracer = std::make_shared<Tracer>(name);
  tracer->module()->main().set_name(name);
  const Tracer::Activation active(*tracer);
  std::vector<Var> args;
  std::set<std::string> names;
  for (const Input& input : inputs) {
    if (!names.insert(input.name).second)
      refuse(ErrorCode::bad_argument, cat("two inputs are named '", input.name, "'"));
    args.push_back(tracer->input(declared(input), input.name));
  }
  Outputs outputs;
  {
    const Site::Suspension user;
    outputs = f(args);
  }
  std::vector<Value*> values;
  for (const Output& o : outputs) values.push_back(tracer->use(o.value));
  Graph& graph = tracer->module()->main();
  graph.output_names = output_names(outputs);
  graph.set_outputs(values);
  tracer->finish();
  return Function(tracer->module());
}

}  // namespace dsl
}  // namespace tc
