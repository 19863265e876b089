#include <map>
#include <set>
#include <string>

#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/custom_op.h"
#include "tc/ir/ops/core.h"

namespace tc::dsl {
namespace {

// Gives the module's functions names that `taken` does not have, nor each other.
void rename_functions(Module& module, const Module& taken) {
  std::map<std::string, std::string> names;
  std::set<std::string> given;
  for (const auto& f : module.functions()) {
    // The gradient of a registered op goes with the body before it.
    const std::string old = f->name();
    const bool rule = old.ends_with(kCustomGradient);
    const auto body = names.find(rule ? old.substr(0, old.size() - kCustomGradient.size()) : "");
    const std::string ending(rule ? kCustomGradient : "");
    const std::string stem = body != names.end() ? body->second : old.substr(0, old.size() - ending.size());
    std::string name = stem + ending;
    for (int k = 1; taken.find_function(name) || given.count(name); ++k) name = cat(stem, "_", k, ending);
    given.insert(name);
    names[old] = name;
    f->set_name(name);
  }
  // Ops that a program registered keep theirs.
  const auto renamed = [&](const std::string& name) { return names.count(name) ? names.at(name) : name; };
  const auto rename_calls = [&](const Graph& graph) {
    walk(graph, [&](Node& n) {
      if (!n.is<Call>()) return;
      const auto& a = n.attrs<Call>();
      n.set_attrs(std::make_shared<Call::Attrs>(Call::Attrs{renamed(a.callee), renamed(a.gradient)}));
    });
  };
  for (const auto& f : module.functions()) rename_calls(*f);
  rename_calls(module.main());
}

void forget_types(Node& node) {
  for (int j = 0; j < node.num_results(); ++j) node.result(j)->set_type(Type());
  for (int i = 0; i < node.num_regions(); ++i)
    for (Value* v : node.region(i).inputs()) v->set_type(Type());
}

}  // namespace

void Tracer::copy_functions(Module& from) {
  rename_functions(from, *module_);
  const auto copied = [this](const Graph& f) {
    Graph& to = module_->add_function(f.name());
    std::vector<std::pair<Value*, Value*>> map;
    for (Value* v : f.inputs()) map.emplace_back(v, to.add_input(v->type(), v->name()));
    to.set_outputs(clone_into(f, to, nullptr, std::move(map)));
    to.output_names = f.output_names;
  };
  for (const Graph* f : call_order(from)) copied(*f);
}

std::string Tracer::add_function(const Module& module) {
  const auto copy = clone(module);
  copy_functions(*copy);
  const Graph& from = copy->main();
  std::string name = from.name();
  for (int k = 1; module_->find_function(name); ++k) name = cat(from.name(), "_", k);
  Graph& to = module_->add_function(name);
  std::vector<std::pair<Value*, Value*>> map;
  for (Value* v : from.inputs()) map.emplace_back(v, to.add_input(v->type(), v->name()));
  to.set_outputs(clone_into(from, to, nullptr, std::move(map)));
  to.output_names = from.output_names;
  return name;
}

std::vector<Var> Tracer::inlined(const std::shared_ptr<const Module>& module, const Args& args) {
  const Graph& declaration = module->main();
  if (args.size() != static_cast<size_t>(declaration.num_inputs()))
    refuse(ErrorCode::bad_argument, cat("takes ", declaration.num_inputs(), " arguments, got ", args.size()));
  std::vector<Var> given;
  for (int i = 0; i < declaration.num_inputs(); ++i) {
    const Type& declared = declaration.input(i)->type();
    const Arg& arg = args[static_cast<size_t>(i)];
    given.push_back(declared.is_tensor() ? operand_like(arg, declared.dtype()) : operand(arg));
    if (!compatible(declared, given.back().type()))
      refuse(ErrorCode::bad_type, cat("argument ", i, " is ", given.back().type(), ", expected ", declared));
  }
  if (eager()) {
    std::vector<Tensor> inputs;
    for (const Var& v : given) inputs.push_back(*v.value()->constant());
    std::vector<Var> result;
    for (Tensor& t : located([&] { return evaluator_->run(module, std::move(inputs)); }))
      result.push_back(array(std::move(t)));
    return result;
  }
  const auto copy = clone(*module);
  copy_functions(*copy);
  const Graph& from = copy->main();
  std::vector<std::pair<Value*, Value*>> map;
  for (int i = 0; i < from.num_inputs(); ++i) map.emplace_back(from.input(i), use(given[static_cast<size_t>(i)]));
  Node* last = graph().nodes().empty() ? nullptr : graph().nodes().back().get();
  std::vector<Value*> outputs = clone_into(from, graph(), nullptr, std::move(map));
  // The copies' types are in terms of the other program's symbols: inferred anew from the arguments.
  std::vector<Node*> copies;
  for (Node* n = last ? last->next() : graph().first(); n; n = n->next()) copies.push_back(n);
  for (Node* n : copies) {
    if (n->is<Parameter>()) {
      const auto& a = n->attrs<Parameter>();
      Value* one = evaluator_ ? use(array(a.value)) : parameter(a.name, a.value).value();
      n->result(0)->replace_all_uses_with(one);
      for (Value*& v : outputs)
        if (v == n->result(0)) v = one;
      graph().erase(n);
      continue;
    }
    forget_types(*n);
    for (int i = 0; i < n->num_regions(); ++i) walk(n->region(i), forget_types);
    infer_types(*n);
    for (int j = 0; j < n->num_results(); ++j) note_extents(n->result(j));
  }
  std::vector<Var> result;
  for (Value* v : outputs) result.push_back(var(v));
  return result;
}

}  // namespace tc::dsl
