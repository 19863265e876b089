#include "tc/frontend/dsl/control.h"

#include <exception>
#include <set>

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/builder.h"
#include "tc/ir/ops/control.h"
#include "tc/ir/ops/core.h"

namespace tc::dsl {
namespace {

using Values = std::vector<Var>;

Values call(const Body& body, const std::vector<Var>& args) {
  if (body.arity >= 0 && static_cast<size_t>(body.arity) != args.size())
    refuse(ErrorCode::bad_argument, cat("the body takes ", body.arity, " arguments, it is given ", args.size()));
  std::vector<Var> result;
  const Site::Suspension user;
  for (const Output& o : body.f(args)) result.push_back(o.value);
  return result;
}

// Values that a body takes over from one iteration to the next.
struct Carried {
  std::vector<Var> initial;
  std::vector<bool> weak;  // a number: its type is the body's to choose

  explicit Carried(const Args& args) {
    for (const Arg& a : args) {
      initial.push_back(operand(a));
      weak.push_back(a.weak());
    }
  }
  // Whether there were integers of no type of their own.
  bool integers_become_floats() {
    bool any = false;
    for (size_t i = 0; i < initial.size(); ++i)
      if (weak[i] && initial[i].dtype() == i64) initial[i] = astype(initial[i], f32), any = true;
    return any;
  }
  std::vector<Type> types() const {
    std::vector<Type> result;
    for (const Var& v : initial) result.push_back(v.type());
    return result;
  }
};

// The type that covers `before` and `after` an iteration. Extents that vary are symbols, which `varying` collects.
Type widened(Module& module, std::set<std::string>& varying, size_t i, const Type& before, const Type& after) {
  if (before == after) return before;
  const auto mismatch = [&](std::string_view what) {
    refuse(ErrorCode::bad_type,
           cat("carried value ", i, " is ", before, " before and ", after, " after an iteration: ", what),
           {"give it its final element type and rank from the start"});
  };
  if (!before.is_tensor() || !after.is_tensor()) mismatch("its kind changes");
  if (before.dtype() != after.dtype()) mismatch("its element type changes");
  if (!before.shape().ranked() || !after.shape().ranked()) return Type::tensor(before.dtype(), Shape());
  if (before.shape().rank() != after.shape().rank()) mismatch("its rank changes");
  Dims dims = before.shape().dims();
  for (size_t k = 0; k < dims.size(); ++k) {
    if (dims[k] == after.shape().dims()[k] || varying.count(dims[k].str())) continue;
    dims[k] = module.fresh_symbol();
    varying.insert(dims[k].str());
  }
  return Type::tensor(before.dtype(), Shape(std::move(dims)));
}

// Traces a body until the types of the carried values, which are its inputs from `first` on, cover its own results:
// `trace` gets the inputs' types and fills the graph, whose outputs from `first_output` on are the carried values.
template <class F>
std::unique_ptr<Graph> trace_until_stable(Carried& carried, int first_output, F trace) {
  Tracer& tracer = Tracer::current();
  std::vector<Type> types = carried.types();
  std::set<std::string> varying;
  std::exception_ptr first_error;
  while (true) {
    std::unique_ptr<Graph> graph;
    try {
      graph = trace(types);
    } catch (const Error& e) {
      if (first_error) std::rethrow_exception(first_error);
      // An integer that meets fractions was meant as one.
      if (e.code() != ErrorCode::bad_type || !carried.integers_become_floats()) throw;
      first_error = std::current_exception();
      types = carried.types();
      continue;
    }
    bool stable = true;
    for (size_t i = 0; i < types.size(); ++i) {
      const Type& after = graph->output(first_output + static_cast<int>(i))->type();
      if (carried.weak[i] && after.is_tensor() && after.dtype() != types[i].dtype()) {
        carried.initial[i] = astype(carried.initial[i], after.dtype());
        carried.weak[i] = false;
        types = carried.types();
        stable = false;
        break;
      }
      Type next = widened(*tracer.module(), varying, i, types[i], after);
      stable = stable && next == types[i];
      types[i] = std::move(next);
    }
    if (stable) return graph;
    tracer.discard(std::move(graph));
  }
}

std::vector<std::unique_ptr<Graph>> one(std::unique_ptr<Graph> g) {
  std::vector<std::unique_ptr<Graph>> list;
  list.push_back(std::move(g));
  return list;
}

void expect_count(const Values& outputs, size_t expected) {
  if (outputs.size() != expected)
    refuse(ErrorCode::bad_argument, cat("the body returns ", outputs.size(), " values, ", expected, " are carried"));
}

Var scalar_condition(const Var& c) {
  if (!c.type().is_tensor() || c.dtype() != bool_ || (c.type().shape().ranked() && !c.size().is(1)))
    refuse(ErrorCode::bad_type, cat("the condition is ", c.type(), ", expected one boolean"),
           {"tc::any and tc::all make one of many"});
  return c;
}

}  // namespace

std::vector<Var> cond(const Arg& predicate, const Body& then, const Body& otherwise, const Location& at) {
  const Site site("cond", at);
  Tracer& tracer = Tracer::current();
  const Var p = scalar_condition(operand(predicate));
  std::vector<std::unique_ptr<Graph>> branches;
  for (const Body* b : {&then, &otherwise}) {
    Tracer::Body body(tracer, branches.empty() ? "then" : "else");
    branches.push_back(body.finish(call(*b, {})));
  }
  const int n = branches[0]->num_outputs();
  if (branches[1]->num_outputs() != n)
    refuse(ErrorCode::bad_argument, cat("the branches return ", n, " and ", branches[1]->num_outputs(), " values"));
  return tracer.emit(id_of<If>, {p}, nullptr, n, std::move(branches));
}

Var value_of(const Arg& x) {
  const Site site("cond", x.at());
  return operand(x);
}

Var cond(const Arg& predicate, const Arg& then, const Arg& otherwise, const Location& at) {
  const Site site("cond", at);
  const auto [a, b] = promoted(then, otherwise);
  const auto value = [](const Var& v) { return Body{0, [v](const std::vector<Var>&) { return Outputs{{{}, v}}; }}; };
  return dsl::cond(predicate, value(a), value(b), at)[0];
}

std::vector<Var> while_loop(const Body& condition, const Body& body, const Args& initial, const Location& at) {
  const Site site("while_loop", at);
  Tracer& tracer = Tracer::current();
  Carried carried(initial);
  const auto holds = [&](const std::vector<Var>& values) {
    const Values c = call(condition, values);
    if (c.size() != 1) refuse(ErrorCode::bad_argument, cat("the condition returns ", c.size(), " values"));
    return scalar_condition(c[0]);
  };
  std::unique_ptr<Graph> graph = trace_until_stable(carried, 1, [&](const std::vector<Type>& types) {
    Tracer::Body region(tracer, "body");
    static_cast<void>(tracer.input(Type::tensor(i64, Shape(Dims())), "iteration"));
    static_cast<void>(tracer.input(Type::tensor(bool_, Shape(Dims())), "condition"));
    std::vector<Var> values;
    for (const Type& t : types) values.push_back(tracer.input(t, {}));
    Values next = call(body, values);
    expect_count(next, types.size());
    next.insert(next.begin(), holds(next));
    return region.finish(next);
  });
  std::vector<Var> operands = {Var(), holds(carried.initial)};
  operands.insert(operands.end(), carried.initial.begin(), carried.initial.end());
  return tracer.emit(id_of<Loop>, operands, nullptr, static_cast<int>(carried.initial.size()), one(std::move(graph)));
}

std::vector<Var> fori_loop(const Arg& first, const Arg& end, const Body& body, const Args& initial,
                           const Location& at) {
  const Site site("fori_loop", at);
  Tracer& tracer = Tracer::current();
  Carried carried(initial);
  const auto* zero = std::get_if<int64_t>(&first.content());
  const bool from_zero = zero && *zero == 0;
  const Var low = astype(operand(first, Domain::integer), i64), high = astype(operand(end, Domain::integer), i64);
  if (low.rank() || high.rank())
    refuse(ErrorCode::bad_shape, cat("the bounds are ", low.type(), " and ", high.type(), ", expected scalars"));
  std::unique_ptr<Graph> graph = trace_until_stable(carried, 1, [&](const std::vector<Type>& types) {
    Tracer::Body region(tracer, "body");
    const Var iteration = tracer.input(Type::tensor(i64, Shape(Dims())), "iteration");
    const Var go_on = tracer.input(Type::tensor(bool_, Shape(Dims())), "condition");
    std::vector<Var> values = {from_zero ? iteration : iteration + low};
    for (const Type& t : types) values.push_back(tracer.input(t, {}));
    Values next = call(body, values);
    expect_count(next, types.size());
    next.insert(next.begin(), go_on);
    return region.finish(next);
  });
  const auto fixed = [](const Arg& a) { return std::get_if<int64_t>(&a.content()); };
  const Var trips = fixed(first) && fixed(end) ? asarray(std::max<int64_t>(*fixed(end) - *fixed(first), 0))
                    : from_zero                ? high
                                               : high - low;
  std::vector<Var> operands = {trips, Var()};
  operands.insert(operands.end(), carried.initial.begin(), carried.initial.end());
  return tracer.emit(id_of<Loop>, operands, nullptr, static_cast<int>(carried.initial.size()), one(std::move(graph)));
}

std::vector<Var> counted_loop(const Body& body, const Var& trips, bool conditional, const Args& initial) {
  Tracer& tracer = Tracer::current();
  Carried carried(initial);
  std::unique_ptr<Graph> graph = trace_until_stable(carried, 1, [&](const std::vector<Type>& types) {
    Tracer::Body region(tracer, "body");
    std::vector<Var> values = {tracer.input(Type::tensor(i64, Shape(Dims())), "iteration")};
    const Var go_on = tracer.input(Type::tensor(bool_, Shape(Dims())), "condition");
    for (const Type& t : types) values.push_back(tracer.input(t, {}));
    Values next = call(body, values);
    if (conditional)
      next[0] = scalar_condition(next[0]);
    else
      next.insert(next.begin(), go_on);
    return region.finish(next);
  });
  std::vector<Var> operands = {trips, Var()};
  operands.insert(operands.end(), carried.initial.begin(), carried.initial.end());
  const int results = graph->num_outputs() - 1;
  return tracer.emit(id_of<Loop>, operands, nullptr, results, one(std::move(graph)));
}

namespace {

// Random numbers that running `g` draws.
const Node* random_node(const Graph& g) {
  const Node* found = nullptr;
  walk(g, [&](const Node& n) {
    if (found) return;
    if (n.info().traits.nondeterministic) found = &n;
    if (!n.is<Call>()) return;
    if (const Graph* callee = g.module().find_function(n.attrs<Call>().callee)) found = random_node(*callee);
  });
  return found;
}

// A body that calls a function which does what `body` does. What that captures becomes arguments, but for constants.
// The function is its own gradient: reverse mode keeps the arguments and runs it again.
std::unique_ptr<Graph> run_again_by_reverse_mode(Tracer& tracer, std::unique_ptr<Graph> body) {
  Module& module = *tracer.module();
  std::string name = "body";
  for (int k = 1; module.find_function(name); ++k) name = cat("body_", k);
  Graph& f = module.add_function(name);
  auto calling = std::make_unique<Graph>(module, body->name());
  std::vector<std::pair<Value*, Value*>> map;
  std::vector<Value*> arguments;
  for (Value* v : body->inputs()) {
    map.emplace_back(v, f.add_input(v->type(), v->name()));
    arguments.push_back(calling->add_input(v->type(), v->name()));
  }
  for (Value* v : captures(*body)) {
    if (const Tensor* t = v->constant()) {
      map.emplace_back(v, Builder(f).constant(*t));
      continue;
    }
    map.emplace_back(v, f.add_input(v->type(), v->name()));
    arguments.push_back(v);
  }
  f.set_outputs(clone_into(*body, f, nullptr, std::move(map)));
  const Site* site = Site::current();
  Builder b(*calling);
  b.set_location(site ? site->location(false) : std::string());
  const Node* call = b.make_n<Call>(arguments, {name, name}, body->num_outputs());
  std::vector<Value*> results;
  for (int j = 0; j < call->num_results(); ++j) results.push_back(call->result(j));
  calling->set_outputs(results);
  tracer.discard(std::move(body));
  return calling;
}

// The first slices as whole segments of n, each an iteration that is itself a scan and runs again in reverse mode, then
// those that are left.
std::vector<Var> scan_by_segments(const Body& body, const std::vector<Var>& initial, const std::vector<Var>& inputs,
                                  const ScanOptions& options, size_t outputs, const Location& at) {
  const int64_t n = options.checkpoint;
  const size_t states = initial.size();
  std::vector<Var> whole, rest;
  const int first_axis = axis_of(options.axis, inputs[0].rank());
  const Dim trips = inputs[0].dim(first_axis), segments = floordiv(trips, n), covered = segments * n;
  const bool exact = covered == trips;
  for (const Var& input : inputs) {
    const Var x = options.axis ? moveaxis(input, options.axis, 0) : input;
    Dims dims = x.shape();
    dims[0] = n;
    dims.insert(dims.begin(), segments);
    whole.push_back(reshape(exact ? x : x.at(slice({}, covered)).get(), ShapeArg(dims)));
    if (!exact) rest.push_back(x.at(slice(covered, {})));
  }
  const Body segment{
      -1, [&](const std::vector<Var>& values) {
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(states);
        Outputs result;
        for (Var& v : scan(body, Args(std::vector<Var>(values.begin(), middle), at),
                           Args(std::vector<Var>(middle, values.end()), at), {.reverse = options.reverse}, at))
          result.push_back({{}, std::move(v)});
        return result;
      }};
  std::vector<Var> carried = initial, parts(outputs);
  const auto run_rest = [&] {
    if (exact) return;
    const auto results = scan(body, Args(carried, at), Args(rest, at), {.reverse = options.reverse}, at);
    for (size_t j = 0; j < states; ++j) carried[j] = results[j];
    for (size_t j = 0; j < outputs; ++j) parts[j] = results[states + j];
  };
  if (options.reverse) run_rest();
  std::vector<Var> results =
      scan(segment, Args(carried, at), Args(whole, at), {.reverse = options.reverse, .checkpoint = 1}, at);
  for (size_t j = 0; j < states; ++j) carried[j] = results[j];
  if (!options.reverse) run_rest();
  for (size_t j = 0; j < outputs; ++j) {
    Var y = results[states + j];
    Dims dims = y.shape();
    dims.erase(dims.begin());
    dims[0] = covered;
    y = reshape(y, ShapeArg(dims));
    if (!exact) y = concat({y, parts[j]});
    carried.push_back(options.axis ? moveaxis(y, 0, options.axis) : y);
  }
  return carried;
}

}  // namespace

std::vector<Var> scan(const Body& body, const Args& initial, const Args& slices, const ScanOptions& options,
                      const Location& at) {
  const Site site(initial.empty() ? "map" : "scan", at);
  Tracer& tracer = Tracer::current();
  Carried carried(initial);
  std::vector<Var> inputs;
  Scan::Attrs attrs;
  attrs.num_scan_inputs = static_cast<int64_t>(slices.size());
  std::vector<Type> slice_types;
  for (const Arg& a : slices) {
    inputs.push_back(operand(a));
    const Var& v = inputs.back();
    const int axis = axis_of(options.axis, v.rank());
    Dims dims = v.shape();
    dims.erase(dims.begin() + axis);
    slice_types.push_back(Type::tensor(v.dtype(), Shape(std::move(dims))));
    if (options.axis) attrs.scan_input_axes.push_back(axis);
    if (options.reverse) attrs.scan_input_directions.push_back(1);
  }
  if (inputs.empty())
    refuse(ErrorCode::bad_argument, "there is nothing to go over", {"tc::fori_loop repeats a body a number of times"});
  if (options.checkpoint < 0)
    refuse(ErrorCode::bad_argument, cat("a checkpoint before every ", options.checkpoint, "-th iteration"),
           {"0 keeps everything, 1 the carried values of each iteration"});
  const size_t states = carried.initial.size();
  std::unique_ptr<Graph> graph = trace_until_stable(carried, 0, [&](const std::vector<Type>& types) {
    Tracer::Body region(tracer, "body");
    std::vector<Var> values;
    for (const Type& t : types) values.push_back(tracer.input(t, {}));
    for (const Type& t : slice_types) values.push_back(tracer.input(t, {}));
    const Values next = call(body, values);
    if (next.size() < states)
      refuse(ErrorCode::bad_argument, cat("the body returns ", next.size(), " values, ", states, " are carried"));
    return region.finish(next);
  });
  if (options.checkpoint && !tracer.eager()) {
    if (const Node* n = random_node(*graph))
      refuse(ErrorCode::bad_argument,
             cat("the body draws random numbers (", n->info().name(), ", ", n->location(),
                 "), which differ when it runs again for gradients"),
             {"draw them before the scan and go over them, or set checkpoint to 0"});
    const Dim trips = inputs[0].dim(axis_of(options.axis, inputs[0].rank()));
    if (options.checkpoint == 1) {
      graph = run_again_by_reverse_mode(tracer, std::move(graph));
    } else if (!trips.is_const() || trips.value() > options.checkpoint) {
      const size_t outputs = static_cast<size_t>(graph->num_outputs()) - states;
      tracer.discard(std::move(graph));
      return scan_by_segments(body, carried.initial, inputs, options, outputs, at);
    }
  }
  for (int j = static_cast<int>(states); j < graph->num_outputs(); ++j) {
    if (options.axis) {
      const Type& t = graph->output(j)->type();
      if (!t.shape().ranked()) refuse(ErrorCode::bad_shape, cat("the rank of output ", j, " is unknown"));
      attrs.scan_output_axes.push_back(axis_of(options.axis, t.shape().rank() + 1));
    }
    if (options.reverse) attrs.scan_output_directions.push_back(1);
  }
  const int results = graph->num_outputs();
  std::vector<Var> operands = carried.initial;
  operands.insert(operands.end(), inputs.begin(), inputs.end());
  return tracer.emit(id_of<Scan>, operands, std::make_shared<Scan::Attrs>(std::move(attrs)), results,
                     one(std::move(graph)));
}

}  // namespace tc::dsl
