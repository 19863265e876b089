#include "tc/frontend/dsl/vmap.h"

#include <algorithm>

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/vmap_rules.h"
#include "tc/ir/ops/control.h"
#include "tc/ir/ops/core.h"
#include "tc/ir/ops/movement.h"

namespace tc::dsl {
namespace {

// Goes through the graph of one element and appends what it is for the batch.
class Batch {
 public:
  explicit Batch(Dim elements) : elements_(std::move(elements)) {}
  void set(const Value* v, Batched b) { values_[v] = std::move(b); }
  void append(const Node& node);
  // With the axis of the elements.
  Var mapped(const Value* v) const;

 private:
  // A value that is not of the graph is the same for all elements.
  Batched of(Value* v) const;
  std::vector<Var> copied(const Node& node, const std::function<Var(Value*)>& operand) const;
  std::vector<Var> one_by_one(const Node& node, const std::vector<Value*>& inputs) const;

  Dim elements_;
  std::unordered_map<const Value*, Batched> values_;
};

Batched Batch::of(Value* v) const {
  if (!v) return {};
  const auto it = values_.find(v);
  return it == values_.end() ? Batched{Tracer::current().var(v), false} : it->second;
}

Var Batch::mapped(const Value* v) const {
  const Batched b = of(const_cast<Value*>(v));
  if (b.mapped) return b.value;
  Dims shape = b.value.shape();
  shape.insert(shape.begin(), elements_);
  return broadcast_to(b.value, shape);
}

// The node once more, on other operands.
std::vector<Var> Batch::copied(const Node& node, const std::function<Var(Value*)>& operand) const {
  Tracer& tracer = Tracer::current();
  std::vector<Var> operands;
  for (int i = 0; i < node.num_operands(); ++i) operands.push_back(node.operand(i) ? operand(node.operand(i)) : Var());
  std::vector<std::unique_ptr<Graph>> regions;
  for (int i = 0; i < node.num_regions(); ++i) {
    std::vector<std::pair<Value*, Value*>> captured;
    for (Value* v : captures(node.region(i))) captured.emplace_back(v, tracer.use(operand(v)));
    regions.push_back(clone(node.region(i), *tracer.module(), std::move(captured)));
  }
  return tracer.emit(node.op(), operands, node.raw_attrs(), node.num_results(), std::move(regions));
}

// A scan over the elements of what is mapped among the inputs, with the node as its body.
std::vector<Var> Batch::one_by_one(const Node& node, const std::vector<Value*>& inputs) const {
  Tracer& tracer = Tracer::current();
  std::vector<Value*> elements;
  std::vector<Var> operands;
  for (Value* v : inputs) {
    const Batched b = of(v);
    if (!b.mapped || std::count(elements.begin(), elements.end(), v)) continue;
    elements.push_back(v);
    operands.push_back(b.value);
  }
  std::vector<std::unique_ptr<Graph>> body;
  {
    Tracer::Body region(tracer, "element");
    std::unordered_map<const Value*, Var> slices;
    for (Value* v : elements) slices[v] = tracer.input(v->type(), {});
    const std::vector<Var> results = copied(node, [&](Value* v) {
      const auto it = slices.find(v);
      return it == slices.end() ? of(v).value : it->second;
    });
    for (const Var& v : results)
      if (!v.type().is_tensor())
        refuse(ErrorCode::bad_type, cat(node.info().name(), " gives ", v.type(), ", which cannot be batched"));
    body.push_back(region.finish(results));
  }
  Scan::Attrs attrs;
  attrs.num_scan_inputs = static_cast<int64_t>(operands.size());
  const int count = body[0]->num_outputs();
  return tracer.emit(id_of<Scan>, operands, std::make_shared<Scan::Attrs>(std::move(attrs)), count, std::move(body));
}

void Batch::append(const Node& node) {
  std::vector<Value*> inputs;
  std::vector<Batched> operands;
  for (int i = 0; i < node.num_operands(); ++i) {
    operands.push_back(of(node.operand(i)));
    if (node.operand(i)) inputs.push_back(node.operand(i));
  }
  for (int i = 0; i < node.num_regions(); ++i)
    for (Value* v : captures(node.region(i))) inputs.push_back(v);
  const bool any = std::any_of(inputs.begin(), inputs.end(), [&](Value* v) { return of(v).mapped; });
  std::vector<Var> results;
  bool mapped_results = any;
  if (node.is<Constant>()) {
    results = {Tracer::current().constant(node.attrs<Constant>().value)};
  } else if (!any) {
    results = copied(node, [&](Value* v) { return of(v).value; });
  } else if (node.is<ShapeOf>() && operands[0].value.type().shape().ranked()) {
    // That of an element is the same for all.
    const Var all = shape_of(operands[0].value)[slice(1, {})];
    const auto& attrs = node.attrs<ShapeOf>();
    results = {attrs.end ? all[slice(attrs.start, *attrs.end)] : all[slice(attrs.start, {})]};
    mapped_results = false;
  } else if (auto ruled = by_rule(node, operands)) {
    results = std::move(*ruled);
  } else {
    results = one_by_one(node, inputs);
  }
  for (size_t j = 0; j < results.size(); ++j) set(node.result(static_cast<int>(j)), {results[j], mapped_results});
}

// The arguments with mapped axes in front, and how many elements they have.
std::vector<Batched> with_elements_first(const Args& args, const VmapOptions& options, Dim& elements) {
  if (!options.in_axes.empty() && options.in_axes.size() != args.size())
    refuse(ErrorCode::bad_argument, cat(options.in_axes.size(), " axes are given for ", args.size(), " arguments"));
  std::vector<Batched> list;
  bool any = false;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::optional<int64_t> axis = options.in_axes.empty() ? 0 : options.in_axes[i];
    const Var v = operand(args[i]);
    if (!axis) {
      list.push_back({v, false});
      continue;
    }
    list.push_back({moveaxis(v, axis_of(*axis, v.rank()), 0), true});
    const Dim n = list.back().value.dim(0);
    if (any && n.is_const() && elements.is_const() && n != elements)
      refuse(ErrorCode::bad_shape, cat("arguments have ", elements, " and ", n, " elements"));
    if (!any || n.is_const()) elements = n;
    any = true;
  }
  if (!any) refuse(ErrorCode::bad_argument, "no argument is mapped");
  return list;
}

}  // namespace

std::vector<Var> vmap(const Body& f, const Args& args, const VmapOptions& options, const Location& at) {
  const Site site("vmap", at);
  Tracer& tracer = Tracer::current();
  Dim elements;
  const std::vector<Batched> arguments = with_elements_first(args, options, elements);
  Batch batch(elements);
  std::unique_ptr<Graph> graph;
  {
    Tracer::Body body(tracer, "element");
    std::vector<Var> inputs;
    for (const Batched& a : arguments) {
      if (!a.mapped) {
        inputs.push_back(a.value);
        continue;
      }
      Dims shape = a.value.shape();
      shape.erase(shape.begin());
      inputs.push_back(tracer.input(Type::tensor(a.value.dtype(), Shape(std::move(shape))), {}));
      batch.set(inputs.back().value(), a);
    }
    std::vector<Var> outputs;
    {
      const Site::Suspension user;
      for (const Output& o : f.f(inputs)) outputs.push_back(o.value);
    }
    graph = body.finish(outputs);
  }
  for (const auto& node : graph->nodes())
    if (!node->is<Return>()) batch.append(*node);
  std::vector<Var> results;
  for (const Value* v : graph->outputs()) {
    const Var y = batch.mapped(v);
    results.push_back(options.out_axis ? moveaxis(y, 0, axis_of(options.out_axis, y.rank())) : y);
  }
  tracer.discard(std::move(graph));
  return results;
}

}  // namespace tc::dsl
