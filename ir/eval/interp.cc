#include "tc/ir/eval/interp.h"

#include <unordered_map>

#include "tc/ir/eval/move.h"
#include "tc/ir/eval/type_check.h"
#include "tc/ir/tensor_budget.h"

namespace tc {
namespace {

DType widened_dtype(DType t) {
  return t == DType::f32 || t == DType::f16 || t == DType::bf16 ? DType::f64 : t;
}

Datum widen_datum(const Datum& d) {
  if (d.is_tensor()) return converted(d.tensor(), widened_dtype(d.tensor().dtype()));
  if (d.is_sequence()) {
    Sequence s;
    for (const auto& item : d.items()) s.items.push_back(widen_datum(item));
    return s;
  }
  return d;
}

// Values live until their last use. Captured values are found in the frames of the enclosing graphs.
class Interpreter {
 public:
  Interpreter(const InterpOptions& options, uint64_t max_bytes) : options_(options) {
    env_.widened = options.widened;
    env_.max_steps = options.max_steps;
    env_.max_bytes = max_bytes;
    random_.start(options.seed ? *options.seed : fresh_seed(), 0);
    env_.random = &random_;
    env_.run_graph = [this](const Node&, const Graph& g, std::vector<Datum> args) { return run(g, std::move(args)); };
  }

  std::vector<Datum> run(const Graph& graph, std::vector<Datum> args) {
    if (++depth_ > kMaxDepth) fail(ErrorCode::limit_nesting, "graphs are nested more than ", kMaxDepth, " deep");
    std::vector<const Value*> defined;
    auto define = [&](const Value* v, Datum d) {
      values_[v] = std::move(d);
      defined.push_back(v);
    };
    TC_CHECK(static_cast<int>(args.size()) == graph.num_inputs(), "argument count of graph ", graph.name());
    const TypeChecker::Scope scope(types_);
    for (int i = 0; i < graph.num_inputs(); ++i) {
      check_type(*graph.input(i), args[static_cast<size_t>(i)]);
      define(graph.input(i), std::move(args[static_cast<size_t>(i)]));
    }
    std::vector<Datum> outputs;
    for (const auto& n : graph.nodes()) {
      if (n->op() == OpId::Return) {
        for (Value* v : n->operands()) outputs.push_back(v ? values_.at(v) : Datum());
        break;
      }
      std::vector<Datum> operands;
      for (Value* v : n->operands()) operands.push_back(v ? values_.at(v) : Datum());
      auto results = eval_node(*n, operands, env_);
      if (env_.widened && (n->op() == OpId::Constant || n->op() == OpId::Parameter))
        results[0] = widen_datum(results[0]);
      for (int j = 0; j < n->num_results(); ++j) check_type(*n->result(j), results[static_cast<size_t>(j)]);
      if (options_.observe) options_.observe(*n, results);
      for (int j = 0; j < n->num_results(); ++j)
        if (!n->result(j)->unused()) define(n->result(j), std::move(results[static_cast<size_t>(j)]));
      // A value whose last user in this graph this was can go, unless a region further on captures it.
      for (Value* v : n->operands())
        if (v && v->graph() == &graph && last_use(v) == n.get()) values_[v] = Datum();
    }
    for (const Value* v : defined) values_.erase(v);
    --depth_;
    return outputs;
  }

 private:
  static constexpr int kMaxDepth = 256;

  void check_type(const Value& v, const Datum& d) {
    if (!options_.check_types || env_.widened) return;
    const std::string contradiction = types_.contradiction(v, d);
    if (contradiction.empty()) return;
    const Node* n = v.def();
    throw Error({ErrorCode::internal,
                 n ? cat("result ", v.index(), " of ", n->op(), " ", contradiction)
                   : cat("input ", v.index(), " of graph '", v.graph()->name(), "' ", contradiction),
                 n ? n->location() : "",
                 {},
                 {}});
  }

  // The last node of v's graph that uses v, directly or inside its regions.
  const Node* last_use(const Value* v) {
    auto it = last_use_.find(v->graph());
    if (it == last_use_.end()) {
      it = last_use_.emplace(v->graph(), std::unordered_map<const Value*, const Node*>()).first;
      for (const auto& n : v->graph()->nodes()) {
        for (Value* o : n->operands())
          if (o) it->second[o] = n.get();
        for (int i = 0; i < n->num_regions(); ++i)
          for (Value* o : captures(n->region(i))) it->second[o] = n.get();
      }
    }
    const auto found = it->second.find(v);
    return found == it->second.end() ? nullptr : found->second;
  }

  const InterpOptions& options_;
  EvalEnv env_;
  RandomRun random_;
  TypeChecker types_;
  int depth_ = 0;
  std::unordered_map<const Value*, Datum> values_;
  std::unordered_map<const Graph*, std::unordered_map<const Value*, const Node*>> last_use_;
};

}  // namespace

bool has_type(const Datum& d, const Type& t) {
  switch (t.kind()) {
    case Type::Kind::none:
      return d.empty();
    case Type::Kind::optional:
      return d.empty() || has_type(d, t.element());
    case Type::Kind::map:
      if (!d.is_map()) return false;
      for (const auto& [key, value] : d.map().entries)
        if (std::holds_alternative<std::string>(key) != (t.dtype() == DType::str) || !has_type(value, t.element()))
          return false;
      return true;
    case Type::Kind::sequence:
      if (!d.is_sequence()) return false;
      for (const auto& item : d.items())
        if (!has_type(item, t.element())) return false;
      return true;
    case Type::Kind::tensor:
      return d.is_tensor() && compatible(t, d.tensor().type());
  }
  return false;
}

std::string describe(const Datum& d) {
  if (d.empty()) return "nothing";
  if (d.is_tensor()) return d.tensor().type().str();
  if (d.is_sequence()) return cat("a sequence of ", d.items().size());
  return cat("a map of ", d.map().entries.size());
}

std::map<std::string, int64_t> bind_symbols(const Graph& graph, const std::vector<Datum>& inputs, bool widened) {
  if (static_cast<int>(inputs.size()) != graph.num_inputs())
    fail(ErrorCode::bad_input, "expected ", graph.num_inputs(), " inputs, got ", inputs.size());
  std::map<std::string, int64_t> symbols;
  std::vector<std::string> from;
  for (int i = 0; i < graph.num_inputs(); ++i) {
    const Value* v = graph.input(i);
    const Datum& d = inputs[static_cast<size_t>(i)];
    const bool is_wide = widened && d.is_tensor() && v->type().is_tensor() && d.tensor().dtype() == DType::f64 &&
                         widened_dtype(v->dtype()) == DType::f64 &&
                         compatible(Type::tensor(DType::f64, v->shape()), d.tensor().type());
    if (!is_wide && !has_type(d, v->type()))
      fail(ErrorCode::bad_input, "input '", v->name(), "' must be ", v->type(), ", got ", describe(d));
    if (!d.is_tensor() || !v->type().is_tensor() || !v->shape().ranked()) continue;
    for (int k = 0; k < v->shape().rank(); ++k) {
      const Dim& dim = v->shape()[k];
      const int64_t extent = d.tensor().extent(k);
      if (!dim.is_symbol()) continue;
      const auto [it, fresh] = symbols.emplace(dim.symbol_name(), extent);
      if (!fresh && it->second != extent)
        fail(ErrorCode::bad_input, "input '", v->name(), "' has extent ", extent, " at dimension ", k, ", but '", dim,
             "' is ", it->second, " elsewhere");
    }
  }
  return symbols;
}

std::vector<Datum> interpret(const Graph& graph, std::vector<Datum> inputs, const InterpOptions& options) {
  bind_symbols(graph, inputs, options.widened);
  const auto budget = std::make_shared<Budget>(options.max_bytes);
  const Budget::Scope scope(budget);
  if (options.widened)
    for (auto& d : inputs) d = widen_datum(d);
  return Interpreter(options, budget->max_bytes()).run(graph, std::move(inputs));
}

std::vector<Datum> interpret(const Module& module, std::vector<Datum> inputs, const InterpOptions& options) {
  return interpret(module.main(), std::move(inputs), options);
}

}  // namespace tc
