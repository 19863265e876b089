#include "tc/passes/check_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace tc {
namespace {

constexpr uint64_t kRandomSeed = 1;  // every evaluation draws the same numbers

double epsilon(DType t) {
  switch (t) {
    case DType::f32:
      return std::ldexp(1.0, -23);
    case DType::f64:
      return std::ldexp(1.0, -52);
    case DType::f16:
      return std::ldexp(1.0, -10);
    case DType::bf16:
      return std::ldexp(1.0, -7);
    default:
      return 0;
  }
}

bool is_float(DType t) {
  return epsilon(t) > 0;
}

std::string tensor_difference(const Tensor& a, const Tensor& b, double absolute) {
  if (a.dtype() != b.dtype() || a.extents() != b.extents()) return cat(a.type(), " became ", b.type());
  if (!is_float(a.dtype()) && (absolute < 1 || !dtypes::bytes.has(a.dtype())))
    return a.identical(b) ? "" : "elements differ";
  const auto x = widen<double>(a), y = widen<double>(b);
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
    if (std::abs(x[i] - y[i]) <= absolute) continue;
    return cat("element ", i, " was ", x[i], " and became ", y[i], "; allowed difference ", absolute);
  }
  return {};
}

}  // namespace

double tolerance(const Exactness& e, DType t, double scale, double terms) {
  const double eps = epsilon(t);
  switch (e.contract) {
    case Contract::exact:
      return 0;
    case Contract::same_rounding:
      return 4 * eps * scale;
    case Contract::reassociates:
      return (16 + 4 * std::sqrt(terms)) * eps * scale;
    case Contract::approximate:
      return eps > 0 ? (e.bound + 4 * eps) * scale : 1;  // a number close to the middle of two rounds to either
  }
  return 0;
}

double largest_magnitude(const Datum& d) {
  if (!d.is_tensor() || !is_float(d.tensor().dtype())) return 0;
  double largest = 0;
  for (double v : widen<double>(d.tensor()))
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  return largest;
}

std::string difference(const Datum& expected, const Datum& actual, double absolute) {
  if (expected.is_tensor() && actual.is_tensor())
    return tensor_difference(expected.tensor(), actual.tensor(), absolute);
  if (expected.is_sequence() && actual.is_sequence()) {
    if (expected.items().size() != actual.items().size()) return "sequence lengths differ";
    for (size_t i = 0; i < expected.items().size(); ++i)
      if (auto text = difference(expected.items()[i], actual.items()[i], absolute); !text.empty())
        return cat("item ", i, ": ", text);
    return {};
  }
  return describe(expected) == describe(actual) ? "" : cat(describe(expected), " became ", describe(actual));
}

ValueCheck::ValueCheck(Module& module, std::vector<Datum> inputs, PipelineReport& report)
    : module_(module), inputs_(std::move(inputs)), report_(report) {
  const Frame frame("value check", "of the program before any pass");
  env_.run_graph = [this](const Node&, const Graph& g, std::vector<Datum> args) { return run(g, std::move(args)); };
  random_.start(kRandomSeed, 0);
  env_.random = &random_;
  const Graph& main = module_.main();
  InterpOptions options;
  options.seed = kRandomSeed;
  options.observe = [&](const Node& n, const std::vector<Datum>& results) {
    if (n.graph() != &main) return;
    for (int j = 0; j < n.num_results(); ++j) shadows_[n.result(j)] = results[static_cast<size_t>(j)];
  };
  outputs_ = interpret(main, inputs_, options);
  for (int i = 0; i < main.num_inputs(); ++i) shadows_[main.input(i)] = inputs_[static_cast<size_t>(i)];
}

std::vector<Datum> ValueCheck::run(const Graph& g, std::vector<Datum> args) {
  for (int i = 0; i < g.num_inputs(); ++i) shadows_[g.input(i)] = std::move(args[static_cast<size_t>(i)]);
  std::vector<Datum> outputs;
  for (const auto& n : g.nodes()) {
    if (n->op() == OpId::Return) {
      for (const Value* v : n->operands()) outputs.push_back(v ? shadow(v) : Datum());
      break;
    }
    evaluate(*n);
  }
  for (const auto& n : g.nodes())
    for (int j = 0; j < n->num_results(); ++j) forget(n->result(j));
  for (const Value* v : g.inputs()) forget(v);
  return outputs;
}

const Datum& ValueCheck::shadow(const Value* v) {
  if (const auto it = shadows_.find(v); it != shadows_.end()) return it->second;
  TC_CHECK(v->def(), "a graph input without a shadow");
  evaluate(*v->def());
  return shadows_.at(v);
}

Datum ValueCheck::recompute(const Value* v, const Edit& edit, std::unordered_map<const Value*, Datum>& memo) {
  const Node* n = v->def();
  if (!n || n->num_results() != 1 || std::find(edit.sources.begin(), edit.sources.end(), n) == edit.sources.end())
    return shadow(v);
  if (const auto it = memo.find(v); it != memo.end()) return it->second;
  std::vector<Datum> operands;
  for (const Value* o : n->operands()) operands.push_back(o ? recompute(o, edit, memo) : Datum());
  return memo[v] = eval_node(*n, operands, env_)[0];
}

void ValueCheck::evaluate(const Node& n) {
  std::vector<Datum> operands;
  for (const Value* v : n.operands()) operands.push_back(v ? shadow(v) : Datum());
  auto results = eval_node(n, operands, env_);
  for (int j = 0; j < n.num_results(); ++j) shadows_[n.result(j)] = std::move(results[static_cast<size_t>(j)]);
}

void ValueCheck::before_commit(const Edit& edit) {
  if (edit.replaced.empty()) return;
  if (edit.before->graph() != &module_.main()) {
    ++report_.values_unchecked;
    return;
  }
  const Frame frame("value check of rule", edit.rule);
  if (edit.exactness.contract == Contract::approximate) bound_ = std::max(bound_, edit.exactness.bound);
  for (const auto& [from, to] : edit.replaced) {
    std::unordered_map<const Value*, Datum> memo;
    const Datum expected = recompute(from, edit, memo), actual = shadow(to);
    double scale = std::max(largest_magnitude(expected), std::numeric_limits<double>::min()), terms = 1;
    const DType t = from->dtype();
    if (from->def() && from->type().is_tensor())
      for (const Value* v : from->def()->operands()) {
        if (!v || !v->type().is_tensor()) continue;
        const Datum& d = shadow(v);
        if (!is_float(v->dtype())) continue;
        scale = std::max(scale, largest_magnitude(d));
        terms = std::max(terms, static_cast<double>(d.tensor().size()));
      }
    const std::string text = difference(expected, actual, tolerance(edit.exactness, t, scale, terms));
    if (!text.empty()) {
      const std::string where = from->def() ? from->def()->location() : from->name();
      throw Error({ErrorCode::check_failed,
                   cat("rule ", edit.rule, " (", to_string(edit.exactness), ") changes numbers: ", text),
                   where,
                   {},
                   {}});
    }
    if (to->def() && to->def()->graph() == nullptr) shadows_[to] = shadow(from);
  }
  ++report_.values_checked;
}

void ValueCheck::after_pass(std::string_view pass) {
  const Frame frame("value check of pass", pass);
  InterpOptions options;
  options.seed = kRandomSeed;
  const auto now = interpret(module_.main(), inputs_, options);
  TC_CHECK(now.size() == outputs_.size(), "pass ", pass, " changed the number of outputs");
  for (size_t i = 0; i < now.size(); ++i) {
    // Roundings that rules may change travel through the rest of the program: what runtimes are compared with, and what
    // approximate rules may do to their own results.
    constexpr double kRelative = 1e-3;
    const std::string text = difference(outputs_[i], now[i], (kRelative + bound_) * largest_magnitude(outputs_[i]));
    if (!text.empty()) fail(ErrorCode::check_failed, "pass ", pass, " changes output ", i, ": ", text);
  }
}

std::vector<Datum> sample_inputs(const Graph& graph, const std::map<std::string, int64_t>& dims, uint64_t seed) {
  std::map<std::string, int64_t> symbols = dims;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Datum> inputs;
  int64_t next = 2;
  for (const Value* v : graph.inputs()) {
    if (!v->type().is_tensor() || !v->shape().ranked() || v->dtype() == DType::str)
      fail(ErrorCode::bad_argument, "no sample can be made up for input '", v->name(), "' of type ", v->type(),
           "; give one");
    Extents extents;
    for (const Dim& d : v->shape().dims()) {
      d.for_each_symbol([&](const std::string& s) {
        if (symbols.emplace(s, next).second) ++next;
      });
      const auto extent = d.eval([&](const std::string& s) { return std::optional<int64_t>(symbols.at(s)); });
      if (!extent || *extent < 0)
        fail(ErrorCode::bad_argument, "extent '", d, "' of input '", v->name(), "' has no value");
      extents.push_back(*extent);
    }
    Tensor t(v->dtype(), extents);
    std::vector<double> values(static_cast<size_t>(t.size()));
    for (double& e : values) e = is_float(t.dtype()) ? normal(random) : static_cast<double>(random() % 2);
    if (kind(t.dtype()) == DTypeKind::complex)
      narrow(std::vector<std::complex<double>>(values.begin(), values.end()), t);
    else if (kind(t.dtype()) == DTypeKind::floating)
      narrow(values, t);
    else
      narrow(std::vector<int64_t>(values.begin(), values.end()), t);
    inputs.emplace_back(std::move(t));
  }
  return inputs;
}

}  // namespace tc
