#include "tc/frontend/api/custom_op.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>

#include "tc/frontend/dsl/function.h"
#include "tc/frontend/dsl/subprogram.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/eval/custom.h"
#include "tc/ir/grad.h"
#include "tc/ir/ops/core.h"

namespace tc {

using namespace dsl;

namespace {

struct Rules {
  std::mutex mutex;
  std::map<std::string, OpRules, std::less<>> of;
};

Rules& all_rules() {
  static auto& r = *new Rules;
  return r;
}

OpRules rules_of(std::string_view name) {
  Rules& r = all_rules();
  const std::lock_guard lock(r.mutex);
  const auto it = r.of.find(name);
  return it == r.of.end() ? OpRules() : it->second;
}

void register_print() {
  static std::once_flag once;
  std::call_once(once, [] {
    const auto print = [](const std::vector<Tensor>& x) {
      std::ostringstream line;
      const std::string& message = x[1].span<std::string>()[0];
      line << message << (message.empty() ? "" : " ") << x[0] << "\n";
      std::cerr << line.str() << std::flush;
      return std::vector<Tensor>{x[0]};
    };
    const size_t dot = kPrint.rfind('.');
    register_op({.domain = std::string(kPrint.substr(0, dot)),
                 .name = std::string(kPrint.substr(dot + 1)),
                 .attributes = {{"message", Tensor()}},
                 .infer = [](const std::vector<CustomArgument>& x) { return std::vector<Type>{x[0].type}; },
                 .kernel = print},
                {.body = rule([](Var x, Var) { return x; })});
  });
}

Tensor tensor_of(const AttrValue& value, std::string_view op, const std::string& name) {
  if (const auto* t = std::get_if<Tensor>(&value)) return *t;
  if (const auto* i = std::get_if<int64_t>(&value)) return Tensor::scalar<int64_t>(*i);
  if (const auto* b = std::get_if<bool>(&value)) return Tensor::scalar<int64_t>(*b);
  if (const auto* d = std::get_if<double>(&value)) return Tensor::scalar<float>(static_cast<float>(*d));
  const auto list = [](const auto& v) { return Tensor::of({static_cast<int64_t>(v.size())}, v); };
  if (const auto* s = std::get_if<std::string>(&value)) return Tensor::scalar<std::string>(*s);
  if (const auto* v = std::get_if<std::vector<int64_t>>(&value)) return list(*v);
  if (const auto* v = std::get_if<std::vector<std::string>>(&value)) return list(*v);
  if (const auto* v = std::get_if<std::vector<double>>(&value)) return list(std::vector<float>(v->begin(), v->end()));
  refuse(ErrorCode::bad_attribute, cat(op, ": the attribute '", name, "' is of a kind that files do not have"));
}

std::vector<Var> with_attributes(const CustomOp& op, std::vector<Var> arguments, const Attributes& given) {
  for (const auto& [name, value] : given) {
    const auto named = [&](const auto& a) { return a.first == name; };
    if (std::any_of(op.attributes.begin(), op.attributes.end(), named)) continue;
    std::vector<std::string_view> names;
    for (const auto& [known, unused] : op.attributes) names.push_back(known);
    const std::string near = nearest(name, names);
    refuse(ErrorCode::bad_attribute, cat(op.full_name(), " has no attribute '", name, "'"),
           near.empty() ? std::vector<std::string>() : std::vector<std::string>{cat("did you mean '", near, "'?")});
  }
  for (const auto& [name, fallback] : op.attributes) {
    const auto it = std::find_if(given.begin(), given.end(), [&](const auto& a) { return a.first == name; });
    const Tensor value = it == given.end() ? fallback : tensor_of(it->second, op.full_name(), it->first);
    if (!value.defined()) refuse(ErrorCode::bad_attribute, cat(op.full_name(), " needs the attribute '", name, "'"));
    arguments.push_back(operand(value));
  }
  return arguments;
}

std::vector<Type> types_of(const std::vector<Var>& vars) {
  std::vector<Type> types;
  for (const Var& v : vars) types.push_back(v.type());
  return types;
}

void expect_types(std::string_view op, std::string_view what, const std::vector<Type>& found,
                  const std::vector<Type>& expected) {
  if (found.size() < expected.size())
    refuse(ErrorCode::bad_argument,
           cat(op, ": its ", what, " gives ", found.size(), " values, expected ", expected.size()));
  for (size_t i = 0; i < expected.size(); ++i)
    if (!compatible(expected[i], found[i]))
      refuse(ErrorCode::bad_type,
             cat(op, ": value ", i, " of its ", what, " is ", found[i], ", expected ", expected[i]));
}

// The functions that go with a call: see ir/custom_op.h. Returns what its `gradient` says.
std::string add_functions(Tracer& tracer, const std::string& name, const OpRules& rules,
                          const std::vector<Type>& arguments, const std::vector<Type>& results) {
  Module& module = *tracer.module();
  const std::string wanted = cat(name, kCustomBody);
  std::string body;
  if (rules.body.f) {
    const auto traced = subprogram(wanted, arguments, rules.body, module);
    expect_types(name, "body", dsl::types_of(traced->main()), results);
    body = tracer.add_function(*traced);
  }
  if (!rules.gradient.f) return body;
  std::vector<Type> taken = arguments;
  taken.insert(taken.end(), results.begin(), results.end());
  for (const Type& t : differentiable_ones(results)) taken.push_back(t);
  const auto traced = subprogram(cat(body.empty() ? wanted : body, kCustomGradient), taken, rules.gradient, module);
  expect_types(name, "gradient", dsl::types_of(traced->main()), differentiable_ones(arguments));
  return tracer.add_function(*traced);
}

}  // namespace

void register_op(CustomOp op, OpRules rules) {
  const std::string name = op.full_name();
  if (!op.computes() && !rules.body.f)
    fail(ErrorCode::bad_argument, "the op ", name, " has neither a kernel, a reference nor a body");
  register_custom_op(std::move(op));
  Rules& r = all_rules();
  const std::lock_guard lock(r.mutex);
  r.of.emplace(name, std::move(rules));
}

std::vector<Var> custom_op_n(std::string_view name, int results, const Args& arguments, const Attributes& attributes,
                             Location at) {
  const Site site("custom_op", at);
  const auto op = find_custom_op(name);
  if (!op) {
    const std::vector<std::string> names = custom_op_names();
    const std::string near = nearest(name, {names.begin(), names.end()});
    refuse(ErrorCode::unknown_op, cat("no op '", name, "' is registered"),
           near.empty() ? std::vector<std::string>() : std::vector<std::string>{cat("did you mean '", near, "'?")});
  }
  if (results < 0) refuse(ErrorCode::bad_argument, cat(results, " results"));
  Tracer& tracer = Tracer::current();
  std::vector<Var> operands;
  for (const Arg& a : arguments) operands.push_back(operand(a));
  operands = with_attributes(*op, std::move(operands), attributes);
  const OpRules rules = rules_of(name);
  if (!op->computes()) {  // a function of the program as any other
    std::vector<Type> taken = types_of(operands);
    const auto traced = subprogram(name, taken, rules.body, *tracer.module());
    const auto found = dsl::types_of(traced->main());
    if (static_cast<int>(found.size()) < results)
      refuse(ErrorCode::bad_argument, cat(name, " has ", found.size(), " results, asked for ", results));
    return Function(traced)(Args(operands), at);
  }
  const auto attrs = std::make_shared<Call::Attrs>(Call::Attrs{std::string(name), {}});
  const std::vector<Var> made = tracer.emit(id_of<Call>, operands, attrs, results);
  if (tracer.eager() || made.empty()) return made;  // nothing is differentiated or exported
  Node* call = tracer.use(made[0])->def();
  const std::string gradient = add_functions(tracer, op->full_name(), rules, types_of(operands), types_of(made));
  call->set_attrs(std::make_shared<Call::Attrs>(Call::Attrs{std::string(name), gradient}));
  return made;
}

Var custom_op(std::string_view name, const Args& arguments, const Attributes& attributes, Location at) {
  return custom_op_n(name, 1, arguments, attributes, at)[0];
}

Var debug_print(Arg x, std::string message, Location at) {
  register_print();
  return custom_op(kPrint, {std::move(x)}, {{"message", std::move(message)}}, at);
}

}  // namespace tc
