#include "tc/frontend/dsl/tracer.h"

#include <algorithm>
#include <cmath>
#include <exception>

#include "tc/frontend/dsl/parameter.h"
#include "tc/frontend/dsl/promote.h"
#include "tc/ir/builder.h"
#include "tc/ir/ops/core.h"
#include "tc/ir/ops/elementwise.h"
#include "tc/ir/ops/movement.h"

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

namespace {

std::string spelled(const Arg& number) {
  if (const auto* b = std::get_if<bool>(&number.content())) return *b ? "true" : "false";
  if (const auto* i = std::get_if<int64_t>(&number.content())) return cat(*i);
  if (const auto* x = std::get_if<double>(&number.content())) return cat(*x);
  return "a tensor";
}

// The number as a rank-0 tensor. Integers are exact, numbers for floats are rounded once.
Tensor exact_scalar(DType t, const Arg& number) {
  Tensor result(t, {});
  const auto* b = std::get_if<bool>(&number.content());
  const auto* i = std::get_if<int64_t>(&number.content());
  const auto* x = std::get_if<double>(&number.content());
  const auto mismatch = [&](std::string_view what, std::string advice) {
    refuse(ErrorCode::bad_type, cat(what, " ", spelled(number), " does not go with a tensor of ", t),
           {std::move(advice)});
  };
  if (b && t != DType::boolean) mismatch("the boolean", "write 0 or 1, or convert the tensor: astype(x, tc::bool_)");
  if (!b && t == DType::boolean)
    mismatch("the number", "write true or false, or convert the tensor: astype(x, tc::i32)");
  if (x && dtypes::ints.has(t)) mismatch("the fraction", "convert the tensor: astype(x, tc::f32)");
  visit_dtype(t, [&]<class T>() {
    auto& out = result.mutable_span<T>()[0];
    if constexpr (std::is_same_v<T, Bool>) {
      out = Bool(*b);
    } else if constexpr (std::is_integral_v<T>) {
      if (!std::in_range<T>(*i))
        refuse(ErrorCode::bad_value, cat(*i, " does not fit the tensor's element type ", t),
               {"convert the tensor to a wider type with astype"});
      out = static_cast<T>(*i);
    } else if constexpr (std::is_floating_point_v<T>) {
      out = x ? static_cast<T>(*x) : static_cast<T>(*i);
    } else if constexpr (requires(T v) { T(1.0).bits; }) {
      out = T(x ? *x : static_cast<double>(*i));
    } else if constexpr (requires { typename T::value_type; } && !std::is_same_v<T, std::string>) {
      out = T(static_cast<typename T::value_type>(x ? *x : static_cast<double>(*i)));
    } else {
      mismatch("the number", "");
    }
  });
  return result;
}

DType default_type(const Arg& number) {
  if (std::holds_alternative<bool>(number.content())) return DType::boolean;
  return std::holds_alternative<double>(number.content()) ? DType::f32 : DType::i64;
}

Var cast_to(const Var& v, DType t) {
  return v.dtype() == t ? v : make<Cast>({v}, {.to = t});
}

}  // namespace

Var Tracer::scalar(DType t, const Arg& number) {
  if (const auto* d = std::get_if<Dim>(&number.content()); d && !d->is_const()) {
    const Var value = make<Squeeze>({extent(*d), ints({0})});
    return cast_to(value, t);
  }
  const Tensor value = std::holds_alternative<Dim>(number.content())
                           ? exact_scalar(t, Arg(std::get<Dim>(number.content()).value()))
                           : exact_scalar(t, number);
  if (eager()) return constant(value);
  std::string key = cat(info(t).name, " ");
  key.append(static_cast<const char*>(value.data()), value.bytes());
  Value*& made = frames_.back().scalars[key];
  if (!made) made = constant(value).value();
  return var(made);
}

Var Tracer::weakened(const Var& v) {
  if (dtypes::numeric.has(v.dtype())) v.tracer()->weak_.try_emplace(v.value());
  return v;
}

Var Tracer::weak_number(const Arg& number) {
  const Var v = constant(exact_scalar(default_type(number), number));
  v.tracer()->weak_.insert_or_assign(v.value(), number);
  return v;
}

void Tracer::note_extents(Value* v) {
  if (!v->type().is_tensor() || !v->shape().ranked()) return;
  for (int axis = 0; axis < v->shape().rank(); ++axis) {
    const Dim& d = v->shape()[axis];
    if (d.is_const()) continue;
    const std::string key = d.str();
    const bool known =
        std::any_of(frames_.begin(), frames_.end(), [&](const Frame& f) { return f.sources.count(key); });
    if (!known) frames_.back().sources[key] = {v, axis};
  }
}

bool Tracer::knows(const Dim& d) const {
  bool known = true;
  d.for_each_symbol([&](const std::string& name) {
    const std::string key = Dim::symbol(name).str();
    known = known && std::any_of(frames_.begin(), frames_.end(),
                                 [&](const Frame& f) { return f.sources.count(key) || f.extents.count(key); });
  });
  return known;
}

Value* Tracer::find_extent(const std::string& key) {
  for (auto f = frames_.rbegin(); f != frames_.rend(); ++f)
    if (const auto it = f->extents.find(key); it != f->extents.end()) return it->second;
  for (auto f = frames_.rbegin(); f != frames_.rend(); ++f)
    if (const auto it = f->sources.find(key); it != f->sources.end()) {
      const auto [source, axis] = it->second;
      return make<ShapeOf>({var(source)}, {.start = axis, .end = axis + 1}).value();
    }
  return nullptr;
}

Var Tracer::extent(const Dim& d) {
  if (d.is_const()) return ints({d.value()});
  const std::string key = d.str();
  if (Value* v = find_extent(key)) {
    frames_.back().extents[key] = v;
    return var(v);
  }
  if (d.is_symbol())
    refuse(ErrorCode::bad_argument, cat("nothing here has an extent '", key, "'"),
           {"a symbol means something when it is an extent of an input or of a value computed before"});
  // n + c of an n that is there as it is, such as a product of which no factor is an extent.
  for (const Dim::Term& term : d.poly()->terms)
    if (term.atoms.empty())
      if (Value* v = find_extent((d - Dim(term.coefficient)).str()))
        return make<Add>({var(v), ints({term.coefficient})});
  const auto atom_value = [&](const Dim::Atom& a) {
    if (a.op == Dim::Op::symbol) return extent(Dim::symbol(a.name));
    const Var x = extent(a.args[0]), y = extent(a.args[1]);
    switch (a.op) {
      case Dim::Op::floordiv:
        return make<Div>({a.args[0].lower_bound() >= 0 ? x : make<Sub>({x, make<Mod>({x, y})}), y});
      case Dim::Op::mod:
        return make<Mod>({x, y});
      case Dim::Op::max:
        return make<Max>({x, y});
      case Dim::Op::min:
        return make<Min>({x, y});
      case Dim::Op::broadcast:
        return make<Where>({make<Equal>({x, ints({1})}), y, x});
      case Dim::Op::symbol:
        break;
    }
    TC_CHECK(false, "an atom of another kind");
  };
  Var sum;
  for (const Dim::Term& term : d.poly()->terms) {
    Var product;
    if (term.coefficient != 1 || term.atoms.empty()) product = ints({term.coefficient});
    for (const auto& a : term.atoms) {
      const Var factor = atom_value(*a);
      product = product.defined() ? make<Mul>({product, factor}) : factor;
    }
    sum = sum.defined() ? make<Add>({sum, product}) : product;
  }
  frames_.back().extents[key] = sum.value();
  return sum;
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

namespace {

struct DomainInfo {
  DTypeSet types;
  std::string_view words, advice;
};
const DomainInfo& domain_info(Domain d) {
  static const DomainInfo kRows[] = {
      {dtypes::all, "elements of any type", ""},
      {dtypes::boolean, "booleans", "compare first: x != 0"},
      {dtypes::ints, "integers", "convert it: astype(x, tc::i64)"},
      {dtypes::ints | dtypes::boolean, "integers or booleans", "convert it: astype(x, tc::i64)"},
      {dtypes::numeric, "real numbers", "convert it: astype(x, tc::f32)"},
      {dtypes::floats, "floating-point numbers", "convert it: astype(x, tc::f32)"},
      {dtypes::numeric | dtypes::complex, "numbers", "convert it: astype(x, tc::f32)"},
  };
  return kRows[static_cast<size_t>(d)];
}

void expect_domain(const Var& v, Domain domain) {
  if (domain == Domain::any) return;
  const DomainInfo& d = domain_info(domain);
  if (!v.type().is_tensor()) refuse(ErrorCode::bad_type, cat("an operand is ", v.type(), ", expected a tensor"));
  if (!d.types.has(v.dtype()))
    refuse(ErrorCode::bad_type, cat("an operand is ", v.type(), ", expected ", d.words), {std::string(d.advice)});
}

Var strong_operand(const Arg& a) {
  if (const auto* t = std::get_if<Tensor>(&a.content())) return Tracer::current().constant(*t);
  return Tracer::current().here(std::get<Var>(a.content()));
}

}  // namespace

Var operand(const Arg& a, Domain domain) {
  const Var v = a.weak() ? Tracer::current().scalar(default_type(a), a) : strong_operand(a);
  expect_domain(v, domain);
  return v;
}

Var operand_like(const Arg& a, DType like) {
  return a.weak() ? Tracer::current().scalar(like, a) : strong_operand(a);
}

Var optional_operand(const Arg& a) {
  const auto* v = std::get_if<Var>(&a.content());
  return v && !v->defined() ? Var() : operand(a);
}

namespace {

const Var* weak_var(const Arg& a) {
  const auto* v = std::get_if<Var>(&a.content());
  return v && v->defined() && v->tracer()->is_weak(v->value()) ? v : nullptr;
}

// The common type of numbers and of what comes of numbers alone.
std::optional<DType> weak_type(const Args& args) {
  std::optional<DType> common;
  for (const Arg& a : args) {
    const Var* v = weak_var(a);
    const DType t = v ? v->dtype() : default_type(a);
    if (!common || dtypes::floats.has(t) || *common == DType::boolean) common = t;
  }
  return common;
}

// A value that comes of numbers alone, in the type of the tensor beside it.
Var weak_operand_like(const Var& v, DType like) {
  const DType own = v.dtype();
  if (own != like &&
      (!(dtypes::numeric | dtypes::complex).has(like) || (dtypes::floats.has(own) && dtypes::ints.has(like))))
    refuse(ErrorCode::bad_type, cat(v.type(), " does not go with a tensor of ", like),
           {cat("convert one of them: astype(x, tc::", own, ")")});
  const auto number = v.tracer()->number_of(v);
  return number ? Tracer::current().scalar(like, *number) : cast_to(Tracer::current().here(v), like);
}

}  // namespace

bool of_numbers(const Arg& a) {
  return a.weak() || weak_var(a);
}

Var like_numbers(Var result, const Arg& a, const Arg& b) {
  return of_numbers(a) && of_numbers(b) ? Tracer::weakened(result) : result;
}

std::vector<Var> promoted(const Args& args, Domain domain) {
  std::vector<Var> result(args.size());
  std::optional<DType> common;
  for (size_t i = 0; i < args.size(); ++i) {
    if (of_numbers(args[i])) continue;
    result[i] = strong_operand(args[i]);
    expect_domain(result[i], domain);
    if (!result[i].type().is_tensor())
      refuse(ErrorCode::bad_type, cat("an operand is ", result[i].type(), ", expected a tensor"));
    const DType t = result[i].dtype();
    if (common && !promote(*common, t)) {
      std::string types;
      for (size_t k = 0; k <= i; ++k)
        if (result[k].defined()) types += cat(types.empty() ? "" : " and ", result[k].type());
      refuse(
          ErrorCode::bad_type, cat(types, " have no common element type"),
          {cat("convert one of them, for example: astype(x, tc::", kind(t) == DTypeKind::floating ? t : *common, ")")});
    }
    common = common ? promote(*common, t) : t;
  }
  if (!common) common = weak_type(args);
  for (size_t i = 0; i < args.size(); ++i) {
    const Var* weak = weak_var(args[i]);
    result[i] = result[i].defined() ? cast_to(result[i], *common)
                : weak              ? weak_operand_like(*weak, *common)
                                    : Tracer::current().scalar(*common, args[i]);
  }
  if (!result.empty()) expect_domain(result[0], domain);
  return result;
}

std::pair<Var, Var> promoted(const Arg& a, const Arg& b, Domain domain) {
  std::vector<Var> both = promoted(Args{a, b}, domain);
  return {std::move(both[0]), std::move(both[1])};
}

int axis_of(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank)
    refuse(ErrorCode::bad_argument, cat("axis ", axis, " is out of range for rank ", rank),
           {rank ? cat("axes of rank ", rank, " are ", -rank, " to ", rank - 1) : "a scalar has no axes"});
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

std::vector<int64_t> axes_of(const Axes& axes, int rank) {
  std::vector<int64_t> result;
  if (axes.all())
    for (int i = 0; i < rank; ++i) result.push_back(i);
  for (const int64_t a : axes.list()) result.push_back(axis_of(a, rank));
  std::sort(result.begin(), result.end());
  const auto twice = std::adjacent_find(result.begin(), result.end());
  if (twice != result.end()) refuse(ErrorCode::bad_argument, cat("axis ", *twice, " is given twice"));
  return result;
}

Var ints(const std::vector<int64_t>& values) {
  return Tracer::current().constant(Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values));
}

namespace {

// i64[1] of a scalar integer.
Var extent_of_scalar(const Var& v) {
  if (!dtypes::ints.has(v.dtype()) || v.rank() > 1 || (v.rank() == 1 && !v.dim(0).is(1)))
    refuse(ErrorCode::bad_type, cat("an extent is given as ", v.type(), ", expected one integer"));
  const Var wide = cast_to(v, DType::i64);
  return v.rank() == 1 ? wide : make<Reshape>({wide, ints({1})});
}

}  // namespace

Var shape_tensor(const ShapeArg& shape) {
  Tracer& tracer = Tracer::current();
  if (shape.dynamic()) {
    tracer.use(shape.var());
    if (!dtypes::ints.has(shape.var().dtype()) || shape.var().rank() != 1)
      refuse(ErrorCode::bad_type, cat("a shape is given as ", shape.var().type(), ", expected integers of rank 1"));
    return cast_to(shape.var(), DType::i64);
  }
  std::vector<Var> parts;
  std::vector<int64_t> fixed;  // in front of the next part
  const auto flush = [&] {
    if (!fixed.empty()) parts.push_back(ints(fixed));
    fixed.clear();
  };
  for (const Extent& e : shape.extents()) {
    if (!e.dynamic() && e.dim().is_const()) {
      fixed.push_back(e.dim().value());
      continue;
    }
    flush();
    parts.push_back(e.dynamic() ? extent_of_scalar(e.var()) : tracer.extent(e.dim()));
  }
  flush();
  if (parts.empty()) return ints({});
  return parts.size() == 1 ? parts[0] : make<Concat>(parts, {.axis = 0});
}

}  // namespace tc::dsl

namespace tc {

std::optional<Dims> ShapeArg::dims() const {
  if (dynamic()) return std::nullopt;
  Dims result;
  for (const Extent& e : list_) {
    if (e.dynamic()) return std::nullopt;
    result.push_back(e.dim());
  }
  return result;
}

}  // namespace tc
