#include "tc/frontend/dsl/tracer.h"

#include <algorithm>
#include <exception>

#include "tc/frontend/dsl/parameter.h"
#include "tc/ir/builder.h"
#include "tc/ir/ops/core.h"

namespace tc::dsl {
namespace {

thread_local const Site* current_site = nullptr;
thread_local Tracer* active_tracer = nullptr;

std::string where(const Location& at, bool whole_path) {
  std::string_view file = at.file_name();
  if (!whole_path) file = file.substr(file.find_last_of('/') + 1);
  return cat(file, ":", at.line());
}

}  // namespace

Site::Site(std::string_view name, const Location& at) : name_(name), at_(at), outermost_(!current_site) {
  if (outermost_) current_site = this;
}
Site::~Site() {
  if (outermost_) current_site = nullptr;
}
const Site* Site::current() {
  return current_site;
}
std::string Site::location(bool whole_path) const {
  return where(at_, whole_path);
}
Site::Suspension::Suspension() : site_(current_site) {
  current_site = nullptr;
}
Site::Suspension::~Suspension() {
  current_site = site_;
}

void refuse(ErrorCode code, std::string message, std::vector<std::string> notes) {
  const Site* site = Site::current();
  if (!site) throw Error({code, std::move(message), {}, {}, std::move(notes)});
  throw Error({code, cat(site->name(), ": ", message), site->location(true), {}, std::move(notes)});
}

Tracer::Tracer(std::string name, std::shared_ptr<Evaluator> evaluator)
    : name_(std::move(name)), module_(std::make_shared<Module>()), evaluator_(std::move(evaluator)) {
  frames_.push_back({&module_->main(), {}, {}, {}, {}});
}

Var Tracer::array(Tensor t) {
  const auto own = std::make_shared<Tracer>("array");
  Value* v = Builder(own->module_->main()).constant(std::move(t));
  own->is_array_ = true;
  return own->var(v);
}

Tracer* Tracer::active() {
  return active_tracer;
}

Tracer& Tracer::current() {
  if (!active_tracer)
    refuse(ErrorCode::bad_argument, "there is no program to add to",
           {"call it in the function that is given to tc::trace or tc::jit, or make a tc::Eager first"});
  return *active_tracer;
}

Tracer::Activation::Activation(Tracer& t) : outer_(active_tracer) {
  active_tracer = &t;
}
Tracer::Activation::~Activation() {
  active_tracer = outer_;
}

Value* Tracer::use(const Var& v) {
  if (!v.defined()) refuse(ErrorCode::bad_argument, "an operand is undefined", {"it is a Var that was never assigned"});
  const Tracer& owner = *v.tracer();
  if (owner.is_array_) {
    for (auto f = frames_.rbegin(); f != frames_.rend(); ++f)
      if (const auto it = f->arrays.find(v.value()); it != f->arrays.end()) return it->second.second;
    Value* copy = Builder(graph()).constant(*v.value()->constant());
    if (!eager()) frames_.back().arrays[v.value()] = {v, copy};
    return copy;
  }
  if (&owner != this)
    refuse(ErrorCode::bad_argument,
           cat("an operand of type ", v.type(), " belongs to another program, '", owner.name(), "'"),
           {owner.finished_ ? "its trace has ended: only the Function that came of it can be used"
                            : "values cannot pass from one trace to another"});
  Value* value = v.value();
  for (auto it = replaced_.find(value); it != replaced_.end(); it = replaced_.find(value)) value = it->second;
  const Graph* home = value->graph();
  for (const Frame& f : frames_)
    if (f.graph == home) return value;
  refuse(ErrorCode::bad_argument, cat("an operand of type ", v.type(), " was made inside a body that has ended"),
         {"what a body computes leaves it as a returned value"});
}

Var Tracer::here(const Var& v) {
  Value* value = use(v);
  return v.tracer()->is_array_ && !eager() ? var(value) : v;
}

Var Tracer::input(Type type, std::string name) {
  Value* v = graph().add_input(std::move(type), std::move(name));
  note_extents(v);
  return var(v);
}

std::vector<Var> Tracer::emit(OpId op, const std::vector<Var>& operands, std::shared_ptr<const void> attrs, int results,
                              std::vector<std::unique_ptr<Graph>> regions) {
  if (eager()) clear();
  std::vector<Value*> values;
  for (const Var& v : operands) values.push_back(v.defined() ? use(v) : nullptr);
  const Site* site = Site::current();
  Node* node = nullptr;
  try {
    node = graph().insert(make_node(*module_, op, values, std::move(attrs), results, std::move(regions),
                                    site ? site->location(false) : std::string()));
  } catch (const Error& e) {
    Diagnostic d = e.diagnostic();
    std::vector<Type> types;
    std::string listed;
    for (const Value* v : values) {
      types.push_back(v ? v->type() : Type());
      listed += cat(listed.empty() ? "" : ", ", v ? v->type().str() : "nothing");
    }
    std::vector<std::string> notes;
    if (!listed.empty()) notes.push_back(cat("operands of ", info(op).name(), ": ", listed));
    for (std::string& s : suggestions(op, d.code, types)) notes.push_back(std::move(s));
    d.notes.insert(d.notes.end(), notes.begin(), notes.end());
    refuse(d.code, std::move(d.message), std::move(d.notes));
  }
  if (eager()) return run(*node);
  std::vector<Var> result;
  for (int j = 0; j < node->num_results(); ++j) {
    note_extents(node->result(j));
    result.push_back(var(node->result(j)));
  }
  return result;
}

// What runs at once has no end at which everything goes; only tensors are large.
static void forget_tensors(const Graph& body) {
  walk(body, [](Node& n) {
    if (n.is<Constant>())
      n.set_attrs(std::make_shared<Constant::Attrs>(Constant::Attrs{Tensor(n.result(0)->dtype(), {0})}));
  });
}

void Tracer::clear() {
  Graph& g = graph();
  while (!g.nodes().empty()) g.erase(g.nodes().back().get());
}

void Tracer::discard(std::unique_ptr<Graph> body) {
  if (evaluator_) forget_tensors(*body);
  discarded_.push_back(std::move(body));
}

// The node is the last one of the main graph, behind the constants that it takes; they all go, and so do functions that
// its bodies call.
std::vector<Var> Tracer::run(Node& node) {
  std::vector<Tensor> tensors;
  std::exception_ptr failure;
  try {
    tensors = evaluator_->run(node);
  } catch (...) {
    failure = std::current_exception();
  }
  if (node.num_regions()) {
    for (int i = 0; i < node.num_regions(); ++i) forget_tensors(node.region(i));
    node.set_operands({});
    kept_.push_back(graph().detach(&node));  // handles that escaped from its bodies may still be looked at
  }
  clear();
  while (!module_->functions().empty()) module_->erase_function(std::string(module_->functions().back()->name()));
  if (failure) located([&]() -> int { std::rethrow_exception(failure); });
  std::vector<Var> result;
  for (Tensor& t : tensors) result.push_back(array(std::move(t)));
  return result;
}

Var Tracer::constant(Tensor t) {
  if (!t.defined()) refuse(ErrorCode::bad_argument, "a tensor argument is undefined");
  if (eager()) return array(std::move(t));
  return emit(OpId::Constant, {}, std::make_shared<Constant::Attrs>(Constant::Attrs{std::move(t)}), 1)[0];
}

namespace {

[[noreturn]] void refuse_namesake(const std::string& name) {
  refuse(ErrorCode::bad_argument, cat("two parameters of the program are named '", name, "'"),
         {"copies of a tc::Param are the same parameter; another one needs another name"});
}

}  // namespace

Var Tracer::parameter(const std::shared_ptr<const ParameterState>& state) {
  if (evaluator_) return here(array(state->value));
  const auto known = std::find_if(used_parameters_.begin(), used_parameters_.end(),
                                  [&](const UsedParameter& used) { return used.state->name == state->name; });
  if (known != used_parameters_.end() && known->state != state) refuse_namesake(state->name);
  const Var v = parameter(state->name, state->value);
  if (known == used_parameters_.end()) used_parameters_.push_back({state, state->value});
  return v;
}

Var Tracer::parameter(const std::string& name, const Tensor& value) {
  Value*& v = parameters_[name];
  if (!v) {
    // In front of everything else, so that bodies of loops and all that is around them can use it.
    Graph& main = module_->main();
    last_parameter_ =
        main.insert(make_node(*module_, OpId::Parameter, {},
                              std::make_shared<Parameter::Attrs>(Parameter::Attrs{name, value}), 1, {}, {}),
                    last_parameter_ ? last_parameter_->next() : main.first());
    v = last_parameter_->result(0);
  } else if (v->def()->attrs<Parameter>().value.data() != value.data()) {
    refuse_namesake(name);
  }
  return var(v);
}

Tracer::Body::Body(Tracer& t, std::string name)
    : tracer_(t), graph_(std::make_unique<Graph>(*t.module_, std::move(name))), depth_(t.frames_.size()) {
  t.frames_.push_back({graph_.get(), {}, {}, {}, {}});
}
Tracer::Body::~Body() {
  tracer_.frames_.resize(depth_);
  if (graph_) tracer_.discard(std::move(graph_));
}
std::unique_ptr<Graph> Tracer::Body::finish(const std::vector<Var>& outputs) {
  std::vector<Value*> values;
  for (const Var& v : outputs) values.push_back(tracer_.use(v));
  graph_->set_outputs(values);
  return std::move(graph_);
}

}  // namespace tc::dsl
