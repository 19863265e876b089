#include "tc/ir/ops/control.h"

#include <set>
#include <string>

#include "tc/ir/ops/core.h"
#include "tc/ir/ops/sequence.h"
#include "tc/ir/shape_math.h"

namespace tc {
namespace {

using Symbols = std::set<std::string>;

void add_symbols(const Type& t, Symbols& symbols) {
  if (t.kind() == Type::Kind::none) return;
  if (!t.is_tensor()) return add_symbols(t.element(), symbols);
  for (const Dim& d : t.shape().dims()) d.for_each_symbol([&](const std::string& s) { symbols.insert(s); });
}

// The symbols that mean something outside the node's regions.
Symbols outer_symbols(InferContext& ctx) {
  Symbols symbols;
  const auto add = [&](const Value* v) {
    add_symbols(v->type(), symbols);
    if (v->contents())
      for (const Dim& d : *v->contents()) d.for_each_symbol([&](const std::string& s) { symbols.insert(s); });
  };
  for (Value* v : ctx.node().operands())
    if (v) add(v);
  for (int i = 0; i < ctx.node().num_regions(); ++i)
    for (const Value* v : captures(ctx.node().region(i))) add(v);
  return symbols;
}

bool within(const Dim& d, const Symbols& symbols) {
  bool all = true;
  d.for_each_symbol([&](const std::string& s) { all = all && symbols.count(s); });
  return all;
}

// `t` with a fresh extent wherever one depends on what only a region knows.
Type exported(InferContext& ctx, const Type& t, const Symbols& outer) {
  switch (t.kind()) {
    case Type::Kind::none:
      return t;
    case Type::Kind::sequence:
      return Type::sequence(exported(ctx, t.element(), outer));
    case Type::Kind::optional:
      return Type::optional(exported(ctx, t.element(), outer));
    case Type::Kind::map:
      return Type::map(t.dtype(), exported(ctx, t.element(), outer));
    case Type::Kind::tensor:
      break;
  }
  if (!t.shape().ranked()) return t;
  Dims dims = t.shape().dims();
  for (Dim& d : dims)
    if (!within(d, outer)) d = ctx.fresh();
  return Type::tensor(t.dtype(), Shape(std::move(dims)));
}

Graph& checked_region(InferContext& ctx, int i, int regions, int inputs, int least_outputs) {
  if (ctx.node().num_regions() != regions)
    ctx.fail(ErrorCode::bad_graph, ctx.node().info().name(), " needs ", regions, " regions, got ",
             ctx.node().num_regions());
  Graph& g = ctx.node().region(i);
  if (!g.terminator()) ctx.fail(ErrorCode::bad_graph, "region ", i, " does not return");
  if (g.num_inputs() != inputs)
    ctx.fail(ErrorCode::bad_graph, "region ", i, " takes ", g.num_inputs(), " inputs, expected ", inputs);
  if (g.num_outputs() < least_outputs)
    ctx.fail(ErrorCode::bad_graph, "region ", i, " has ", g.num_outputs(), " outputs, expected at least ",
             least_outputs);
  for (int j = 0; j < g.num_outputs(); ++j)
    if (!g.output(j)) ctx.fail(ErrorCode::bad_graph, "output ", j, " of region ", i, " is missing");
  return g;
}

// Symbols of extents that vary from one iteration to the next.
struct Varying {
  InferContext& ctx;
  const Symbols& outer;
  Symbols mine;

  // A symbol for an extent that varies; the one chosen last time, `before`, where that was one.
  Dim symbol(const Dim* before) {
    if (before && is_own(*before) && mine.insert(before->str()).second) return *before;
    const Dim d = ctx.fresh();
    mine.insert(d.str());
    return d;
  }

  // The type of a carried value that is `now` before an iteration and `after` it.
  Type widen(const Type& now, const Type& after, const Type& before) {
    if (now == after) return now;
    // An optional's value is held as it is, so one that comes and goes needs no conversion.
    if ((now.kind() == Type::Kind::optional) != (after.kind() == Type::Kind::optional)) {
      if (now.kind() == Type::Kind::optional) return widen(now, Type::optional(after), before);
      return widen(Type::optional(now), after, before);
    }
    if (now.kind() != after.kind() || (now.is_tensor() && now.dtype() != after.dtype()))
      ctx.fail(ErrorCode::bad_type, "a carried value is ", now, " before and ", after, " after an iteration");
    switch (now.kind()) {
      case Type::Kind::none:
        return now;
      case Type::Kind::sequence:
        return Type::sequence(widen_element(now, after, before));
      case Type::Kind::optional:
        return Type::optional(widen_element(now, after, before));
      case Type::Kind::map:
        return Type::map(now.dtype(), widen_element(now, after, before));
      case Type::Kind::tensor:
        break;
    }
    const Shape &a = now.shape(), &b = after.shape();
    if (!a.ranked() || !b.ranked() || a.rank() != b.rank()) return Type::tensor(now.dtype(), Shape());
    const bool same_rank = before.is_tensor() && before.shape().ranked() && before.shape().rank() == a.rank();
    Dims dims;
    for (int i = 0; i < a.rank(); ++i) {
      const bool varies = a[i] != b[i] && !(a[i].is_symbol() && mine.count(a[i].str()));
      dims.push_back(varies ? symbol(same_rank ? &before.shape()[i] : nullptr) : a[i]);
    }
    return Type::tensor(now.dtype(), Shape(std::move(dims)));
  }
  Type widen_element(const Type& now, const Type& after, const Type& before) {
    return widen(now.element(), after.element(), before.kind() == now.kind() ? before.element() : Type());
  }

  // Could `before`, found earlier, be what a value that starts as `initial` widens to? Its own symbols are then kept.
  bool covers(const Type& before, const Type& initial) {
    if (before == initial) return true;
    if (before.kind() != initial.kind() || before.kind() == Type::Kind::none || before.dtype() != initial.dtype())
      return false;
    if (!before.is_tensor()) return covers(before.element(), initial.element());
    const Shape &a = before.shape(), &b = initial.shape();
    if (!a.ranked()) return true;
    if (!b.ranked() || a.rank() != b.rank()) return false;
    for (int i = 0; i < a.rank(); ++i)
      if (a[i] != b[i] && !is_own(a[i])) return false;
    for (int i = 0; i < a.rank(); ++i)
      if (a[i] != b[i]) mine.insert(a[i].str());
    return true;
  }

 private:
  bool is_own(const Dim& d) const {
    return d.is_symbol() && fresh_number(d.symbol_name()) && !outer.count(d.symbol_name());
  }
};

// Gives the region's inputs from `first` on the types of carried values that start as `initial`, and widens them until
// the region's outputs from `first_output` on fit. Every round widens an extent or a rank for good, so it ends. It
// starts from what was found earlier where that still fits: inference that runs again then takes one round and changes
// nothing.
void infer_carried(InferContext& ctx, Graph& body, const Symbols& outer, int first, int first_output,
                   const std::vector<const Value*>& initial) {
  std::vector<Type> now, before;
  Varying varying{ctx, outer, {}};
  for (size_t i = 0; i < initial.size(); ++i) {
    now.push_back(initial[i]->type());
    before.push_back(body.input(first + static_cast<int>(i))->type());
    if (varying.covers(before[i], now[i])) now[i] = before[i];
    // A sequence that starts empty has elements like those that the region inserts, whatever they are.
    if (!initial[i]->def_as<SequenceEmpty>()) continue;
    const Node* insert = body.output(first_output + static_cast<int>(i))->def_as<SequenceInsert>();
    if (insert && insert->operand(0) == body.input(first + static_cast<int>(i)))
      now[i] = Type::sequence(insert->operand(1)->type());
  }
  while (true) {
    for (size_t i = 0; i < now.size(); ++i) body.input(first + static_cast<int>(i))->set_type(now[i]);
    infer_types(body);
    bool stable = true;
    for (size_t i = 0; i < now.size(); ++i) {
      Type next = varying.widen(now[i], body.output(first_output + static_cast<int>(i))->type(), before[i]);
      stable = stable && next == now[i];
      now[i] = std::move(next);
    }
    if (stable) return;
  }
}

Shape with_axis(InferContext& ctx, const Type& element, const Dim& extent, int64_t axis) {
  if (!element.is_tensor()) ctx.fail(ErrorCode::bad_type, "a scanned output must be a tensor, got ", element);
  if (!element.shape().ranked()) return {};
  Dims dims = element.shape().dims();
  dims.insert(dims.begin() + ctx.axis(axis, element.shape().rank() + 1), extent);
  return Shape(std::move(dims));
}

// Is the value always true, given that `self` is?
bool always_true(const Value* v, const Value* self) {
  while (v && v != self) {
    if (const Tensor* t = v->constant()) return t->size() == 1 && t->dtype() == DType::boolean && to_i64(*t)[0] != 0;
    const Node* copy = v->def_as<Identity>();
    v = copy ? copy->operand(0) : nullptr;
  }
  return v != nullptr;
}

int64_t entry(const std::vector<int64_t>& list, size_t i) {
  return list.empty() ? 0 : list[i];
}

}  // namespace

void If::infer(InferContext& ctx) {
  const Shape& cond = ctx.shape(0);
  if (cond.ranked() && cond.is_static() && !cond.count().is(1))
    ctx.fail(ErrorCode::bad_shape, "the condition must be one element, got ", ctx.type(0));
  const int n = ctx.num_results();
  Graph* branches[2];
  for (int i = 0; i < 2; ++i) {
    branches[i] = &checked_region(ctx, i, regions, 0, n);
    infer_types(*branches[i]);
  }
  if (branches[0]->num_outputs() != branches[1]->num_outputs())
    ctx.fail(ErrorCode::bad_graph, "the branches have ", branches[0]->num_outputs(), " and ",
             branches[1]->num_outputs(), " outputs");
  const Symbols outer = outer_symbols(ctx);
  const auto known = ctx.ints(0);
  for (int j = 0; j < n; ++j) {
    const Value *a = branches[0]->output(j), *b = branches[1]->output(j);
    if (known && known->size() == 1) {
      ctx.set(j, exported(ctx, ((*known)[0] ? a : b)->type(), outer));
      continue;
    }
    ctx.set(j, exported(ctx, join_types(ctx.module(), a->type(), b->type()), outer));
    if (a->contents() && b->contents() && *a->contents() == *b->contents())
      ctx.node().result(j)->set_contents(*a->contents());
  }
}

void Loop::infer(InferContext& ctx) {
  for (int i = 0; i < 2; ++i)
    if (ctx.has(i) && ctx.shape(i).is_static() && !ctx.shape(i).count().is(1))
      ctx.fail(ErrorCode::bad_shape, "operand '", facts.signature.operand(i).name,
               "' of loop must be one element, got ", ctx.type(i));
  const int carried = std::max(0, ctx.num_operands() - 2);
  Graph& body = checked_region(ctx, 0, regions, 2 + carried, 1 + carried);
  const int scanned = body.num_outputs() - 1 - carried;
  if (ctx.num_results() > carried + scanned)
    ctx.fail(ErrorCode::bad_graph, "loop has ", carried + scanned, " results, asked for ", ctx.num_results());
  std::vector<const Value*> initial;
  for (int i = 0; i < carried; ++i) {
    if (!ctx.has(2 + i)) ctx.fail(ErrorCode::bad_graph, "carried value ", i, " of loop is missing");
    initial.push_back(ctx.node().operand(2 + i));
  }
  // The iteration's number and the condition are scalars, or have one axis where the region was made so.
  for (int i = 0; i < 2; ++i) {
    const Type& t = body.input(i)->type();
    const bool axis = t.is_tensor() && t.shape().ranked() && t.shape().rank() == 1;
    body.input(i)->set_type(Type::tensor(i ? DType::boolean : DType::i64, axis ? Shape{Dim(1)} : Shape(Dims())));
  }
  const Symbols outer = outer_symbols(ctx);
  infer_carried(ctx, body, outer, 2, 1, initial);
  if (!body.output(0)->type().is_tensor() || body.output(0)->dtype() != DType::boolean)
    ctx.fail(ErrorCode::bad_type, "the body's condition must be a bool tensor, got ", body.output(0)->type());

  Dim trips = ctx.fresh();
  const bool counted = !ctx.has(1) || always_true(ctx.node().operand(1), nullptr);
  if (const Dims* m = ctx.contents(0); m && m->size() == 1 && counted && always_true(body.output(0), body.input(1)))
    trips = max((*m)[0], 0);
  for (int j = 0; j < ctx.num_results(); ++j) {
    if (j < carried) {
      ctx.set(j, exported(ctx, body.input(2 + j)->type(), outer));
      continue;
    }
    const Type element = exported(ctx, body.output(1 + j)->type(), outer);
    ctx.set(j, Type::tensor(element.dtype(), with_axis(ctx, element, trips, 0)));
  }
}

std::vector<Type> scan_region_inputs(const Scan::Attrs& a, const std::vector<Type>& operands) {
  const auto n = static_cast<int64_t>(operands.size());
  if (a.num_scan_inputs < 1 || a.num_scan_inputs > n)
    fail(ErrorCode::bad_attribute, "num_scan_inputs is ", a.num_scan_inputs, " of ", n, " operands");
  for (const auto* list : {&a.scan_input_axes, &a.scan_input_directions})
    if (!list->empty() && static_cast<int64_t>(list->size()) != a.num_scan_inputs)
      fail(ErrorCode::bad_attribute, "axes and directions need an entry for each of ", a.num_scan_inputs,
           " scanned operands, got ", list->size());
  std::vector<Type> types = operands;
  for (size_t k = 0; k < static_cast<size_t>(a.num_scan_inputs); ++k) {
    Type& t = types[operands.size() - static_cast<size_t>(a.num_scan_inputs) + k];
    if (!t.is_tensor()) fail(ErrorCode::bad_type, "a scanned operand must be a tensor, got ", t);
    if (!t.shape().ranked()) continue;
    if (t.shape().rank() == 0) fail(ErrorCode::bad_shape, "a scanned operand needs an axis");
    Dims dims = t.shape().dims();
    dims.erase(dims.begin() + distinct_axes({entry(a.scan_input_axes, k)}, t.shape().rank())[0]);
    t = Type::tensor(t.dtype(), Shape(std::move(dims)));
  }
  return types;
}

void Scan::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<Scan>();
  std::vector<Type> operands;
  for (int i = 0; i < ctx.num_operands(); ++i) {
    if (!ctx.has(i)) ctx.fail(ErrorCode::bad_graph, "operand ", i, " of scan is missing");
    operands.push_back(ctx.type(i));
  }
  std::vector<Type> inputs = scan_region_inputs(a, operands);
  const int scan_inputs = static_cast<int>(a.num_scan_inputs), states = ctx.num_operands() - scan_inputs;
  Graph& body = checked_region(ctx, 0, regions, ctx.num_operands(), states);
  const int scanned = body.num_outputs() - states;
  if (ctx.num_results() > body.num_outputs())
    ctx.fail(ErrorCode::bad_graph, "scan has ", body.num_outputs(), " results, asked for ", ctx.num_results());
  for (const auto* list : {&a.scan_output_axes, &a.scan_output_directions})
    if (!list->empty() && static_cast<int>(list->size()) != scanned)
      ctx.fail(ErrorCode::bad_attribute, "axes and directions need an entry for each of ", scanned,
               " scanned outputs, got ", list->size());
  std::optional<Dim> trips;
  for (int k = 0; k < scan_inputs; ++k) {
    body.input(states + k)->set_type(inputs[static_cast<size_t>(states + k)]);
    const Shape& s = ctx.shape(states + k);
    if (!s.ranked()) continue;
    const Dim& extent = s[ctx.axis(entry(a.scan_input_axes, static_cast<size_t>(k)), s.rank())];
    trips = trips ? same_extent(*trips, extent, "scanned operands") : extent;
  }
  if (!trips) trips = ctx.fresh();
  const Symbols outer = outer_symbols(ctx);
  const std::vector<Value*> all = ctx.node().operands();
  infer_carried(ctx, body, outer, 0, 0, {all.begin(), all.begin() + states});
  for (int j = 0; j < ctx.num_results(); ++j) {
    if (j < states) {
      ctx.set(j, exported(ctx, body.input(j)->type(), outer));
      continue;
    }
    const Type element = exported(ctx, body.output(j)->type(), outer);
    ctx.set(j, Type::tensor(element.dtype(), with_axis(ctx, element, *trips,
                                                       entry(a.scan_output_axes, static_cast<size_t>(j - states)))));
  }
}

void SequenceMap::infer(InferContext& ctx) {
  Graph& body = checked_region(ctx, 0, regions, ctx.num_operands(), ctx.num_results());
  const Symbols outer = outer_symbols(ctx);
  std::vector<Type> inputs;
  for (int i = 0; i < ctx.num_operands(); ++i) {
    if (!ctx.has(i)) ctx.fail(ErrorCode::bad_graph, "operand ", i, " of sequence_map is missing");
    const Type& t = ctx.type(i);
    if (i == 0 && t.kind() != Type::Kind::sequence)
      ctx.fail(ErrorCode::bad_type, "sequence_map needs a sequence, got ", t);
    Type& input = inputs.emplace_back(t.kind() == Type::Kind::sequence ? element_type(ctx, t) : t);
    // The extents of an element are symbols of the region; those chosen last time stay.
    if (const Type& before = body.input(i)->type();
        compatible(input, before) && before.is_tensor() && before.shape().ranked() && input.shape().ranked()) {
      Dims dims = input.shape().dims();
      for (size_t k = 0; k < dims.size(); ++k)
        if (before.shape().dims()[k].is_symbol() && dims[k].is_symbol() && !outer.count(before.shape().dims()[k].str()))
          dims[k] = before.shape().dims()[k];
      input = Type::tensor(input.dtype(), Shape(std::move(dims)));
    }
    body.input(i)->set_type(input);
  }
  infer_types(body);
  for (int j = 0; j < ctx.num_results(); ++j) ctx.set(j, Type::sequence(exported(ctx, body.output(j)->type(), outer)));
}

}  // namespace tc
