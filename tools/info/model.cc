#include "tc/tools/info/model.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "tc/ir/module.h"
#include "tc/ir/ops.h"
#include "tc/tools/common/histogram.h"

namespace tc {
namespace {

using Dimensions = std::map<std::string, int64_t>;

// Replaces symbols of the inputs by numbers and infers all types again. Error bad_argument for an unknown symbol, and
// what inference says of extents that do not fit.
void bind_symbols(Module& m, const Dimensions& dims, const std::vector<std::string>& symbols) {
  for (const auto& [name, extent] : dims)
    if (std::find(symbols.begin(), symbols.end(), name) == symbols.end()) {
      std::string known;
      for (const auto& s : symbols) known += (known.empty() ? "" : ", ") + s;
      fail(ErrorCode::bad_argument, "--dim ", name, "=", extent,
           ": no input has such an extent; the symbols are: ", known.empty() ? "none" : known);
    }
  if (dims.empty()) return;
  for (Value* v : m.main().inputs()) {
    if (!v->type().is_tensor() || !v->shape().ranked()) continue;
    Dims extents;
    for (const Dim& d : v->shape().dims())
      extents.push_back(d.substitute([&](const std::string& s) -> std::optional<Dim> {
        const auto it = dims.find(s);
        return it == dims.end() ? std::nullopt : std::optional<Dim>(it->second);
      }));
    v->set_type(Type::tensor(v->dtype(), Shape(std::move(extents))));
  }
  infer_types(m.main());
}

// Made by inference for what only a run can tell.
bool is_fresh(const Dim& d) {
  bool fresh = false;
  d.for_each_symbol([&](const std::string& s) { fresh |= s.starts_with('?'); });
  return fresh;
}

const Shape* shape_of(const Value* v) {
  return v && v->type().is_tensor() && v->shape().ranked() ? &v->shape() : nullptr;
}

// The product of the extents from axis `first` on.
Dim count_from(const Shape& s, int first) {
  Dim product = 1;
  for (int i = first; i < s.rank(); ++i) product *= s[i];
  return product;
}

// Multiply-adds of a node: 0 for what is neither product, convolution nor recurrence, nothing when extents are missing.
std::optional<Dim> multiply_adds(const Node& n) {
  const Shape *a = shape_of(n.operand(0)), *b = shape_of(n.operand(1));
  switch (n.op()) {
    case OpId::Conv:
    case OpId::ConvInteger:
    case OpId::FusedConv:
    case OpId::FusedConvInteger:
    case OpId::CausalConvWithState:
    case OpId::DeformConv: {
      const Shape* y = shape_of(n.result(0));
      if (!y || !b || b->rank() < 2) return std::nullopt;
      return y->count() * count_from(*b, 1);
    }
    case OpId::QLinearConv:
    case OpId::FusedQLinearConv: {
      const Shape *y = shape_of(n.result(0)), *w = shape_of(n.operand(3));
      if (!y || !w || w->rank() < 2) return std::nullopt;
      return y->count() * count_from(*w, 1);
    }
    case OpId::ConvTranspose:
      if (!a || !b || b->rank() < 2) return std::nullopt;
      return a->count() * count_from(*b, 1);
    case OpId::MatMul:
    case OpId::MatMulInteger:
    case OpId::FusedMatMul:
    case OpId::FusedMatMulInteger:
    case OpId::FusedDequantizeMatMul:
    case OpId::QLinearMatMul:
    case OpId::Gemm: {
      const Shape* y = shape_of(n.result(0));
      if (!y || !a || a->rank() < 1) return std::nullopt;
      bool transposed = false;
      if (n.is<Gemm>()) transposed = n.attrs<Gemm>().trans_a;
      if (n.is<FusedMatMul>()) transposed = n.attrs<FusedMatMul>().trans_a;
      if (transposed && a->rank() < 2) return std::nullopt;
      return y->count() * (*a)[a->rank() - (transposed ? 2 : 1)];
    }
    case OpId::Einsum: {
      std::vector<int> ranks;
      for (const Value* v : n.operands()) {
        if (!shape_of(v)) return std::nullopt;
        ranks.push_back(v->shape().rank());
      }
      const EinsumLabels labels = parse_einsum(n.attrs<Einsum>().equation, ranks);
      std::vector<Dim> extents(static_cast<size_t>(labels.count), 1);
      for (size_t i = 0; i < labels.operands.size(); ++i)
        for (size_t k = 0; k < labels.operands[i].size(); ++k) {
          Dim& e = extents[static_cast<size_t>(labels.operands[i][k])];
          e = broadcast(n.operand(static_cast<int>(i))->shape()[static_cast<int>(k)], e);
        }
      Dim product = 1;
      for (const Dim& e : extents) product *= e;
      return product;
    }
    case OpId::RNN:
    case OpId::GRU:
    case OpId::LSTM: {
      const Shape* r = shape_of(n.operand(2));
      if (!a || !b || !r || a->rank() != 3) return std::nullopt;
      return (*a)[0] * (*a)[1] * (b->count() + r->count());
    }
    default:
      return Dim(0);
  }
}

void count_values(const Graph& g, ModelInfo& m) {
  walk(g, [&](Node& n) {
    if (n.op() == OpId::Return) return;
    for (int i = 0; i < n.num_results(); ++i) {
      ++m.values;
      const Type& t = n.result(i)->type();
      if (!t.is_tensor()) continue;
      if (!t.shape().ranked())
        ++m.unknown_ranks;
      else if (std::any_of(t.shape().dims().begin(), t.shape().dims().end(), is_fresh))
        ++m.unknown_extents;
    }
  });
}

void count_weights(const Graph& g, ModelInfo& m, std::set<const void*>& seen) {
  walk(g, [&](Node& n) {
    const Tensor* t = n.is<Constant>()    ? &n.attrs<Constant>().value
                      : n.is<Parameter>() ? &n.attrs<Parameter>().value
                                          : nullptr;
    if (!t || !seen.insert(t->data()).second) return;
    ++m.weights;
    m.weight_bytes += t->bytes();
    if (kind(t->dtype()) == DTypeKind::floating) m.parameters += t->size();
  });
}

// 1234567 -> "1.23 M".
std::string scaled(double v) {
  constexpr const char* kUnits[] = {"", " k", " M", " G", " T", " P"};
  size_t unit = 0;
  while (v >= 1000 && unit + 1 < std::size(kUnits)) v /= 1000, ++unit;
  char text[32];
  std::snprintf(text, sizeof text, unit ? "%.3g%s" : "%.0f%s", v, kUnits[unit]);
  return text;
}

std::string flops_text(const ModelInfo& m) {
  std::string text = m.flops.is_const() ? scaled(static_cast<double>(m.flops.value())) : m.flops.str();
  if (m.flops_unknown) text += cat(" and ", m.flops_unknown, " nodes of unknown extents");
  return text;
}

}  // namespace

ModelInfo describe_model(const Function& given, const Dimensions& dims) {
  ModelInfo m;
  std::set<std::string> symbols;
  for (const auto& in : given.inputs())
    if (in.type.is_tensor() && in.type.shape().ranked())
      for (const Dim& d : in.type.shape().dims()) d.for_each_symbol([&](const std::string& s) { symbols.insert(s); });
  m.symbols.assign(symbols.begin(), symbols.end());
  std::shared_ptr<Module> copy = clone(given.module());
  bind_symbols(*copy, dims, m.symbols);
  const Function f(copy);
  const Module& module = *copy;
  m.inputs = f.inputs();
  m.outputs = f.outputs();
  for (const auto& [key, value] : module.metadata) {
    constexpr std::string_view kOpset = "opset.";
    if (key.starts_with(kOpset))
      m.opsets[key.substr(kOpset.size())] = value;
    else
      m.metadata[key] = value;
  }
  m.ops = count_ops(module);
  m.functions = static_cast<int64_t>(module.functions().size());
  std::set<const void*> seen;
  for (const auto& g : module.functions()) count_values(*g, m), count_weights(*g, m, seen);
  count_values(module.main(), m), count_weights(module.main(), m, seen);
  walk(module.main(), [&](Node& n) {
    try {
      const auto work = multiply_adds(n);
      if (!work || is_fresh(*work))
        ++m.flops_unknown;
      else
        m.flops += *work * Dim(2);
    } catch (const Error&) {  // beyond what an integer holds
      ++m.flops_unknown;
    }
  });
  return m;
}

std::string model_text(const ModelInfo& m) {
  std::string text;
  size_t width = 0;
  for (const auto* list : {&m.inputs, &m.outputs})
    for (const auto& v : *list) width = std::max(width, v.name.size());
  const auto interface = [&](const char* title, const std::vector<ValueInfo>& list) {
    text += cat(title, "\n");
    for (const auto& v : list) text += cat("  ", v.name, std::string(width - v.name.size(), ' '), "  ", v.type, "\n");
  };
  interface("inputs", m.inputs);
  interface("outputs", m.outputs);
  std::string opsets, symbols;
  for (const auto& [domain, version] : m.opsets) opsets += cat(opsets.empty() ? "" : ", ", domain, " ", version);
  for (const auto& s : m.symbols) symbols += cat(symbols.empty() ? "" : ", ", s);
  const auto fact = [&](std::string name, const std::string& value) {
    if (value.empty()) return;
    name.resize(std::max<size_t>(12, name.size()), ' ');
    text += cat(name, " ", value, "\n");
  };
  fact("symbols", symbols);
  fact("opsets", opsets);
  for (const auto& [key, value] : m.metadata) fact(key, value.substr(0, value.find('\n')));
  fact("weights", cat(m.weights, " tensors, ", scaled(static_cast<double>(m.parameters)), " parameters, ",
                      scaled(static_cast<double>(m.weight_bytes)), "B"));
  fact("flops", flops_text(m));
  fact("values", cat(m.values, ", ", m.unknown_ranks, " of unknown rank, ", m.unknown_extents,
                     " with extents that only a run tells"));
  if (m.functions) fact("functions", cat(m.functions));
  text += "ops\n";
  std::vector<std::pair<int64_t, std::string>> ops;
  for (const auto& [name, count] : m.ops) ops.emplace_back(-count, name);
  std::sort(ops.begin(), ops.end());
  for (const auto& [count, name] : ops) {
    char number[32];
    std::snprintf(number, sizeof number, "%7lld", static_cast<long long>(-count));
    text += cat(number, "  ", name, "\n");
  }
  return text;
}

nlohmann::json model_json(const ModelInfo& m) {
  const auto interface = [](const std::vector<ValueInfo>& list) {
    nlohmann::json out = nlohmann::json::array();
    for (const auto& v : list) out.push_back({{"name", v.name}, {"type", v.type.str()}});
    return out;
  };
  nlohmann::json out{{"inputs", interface(m.inputs)},
                     {"outputs", interface(m.outputs)},
                     {"opsets", m.opsets},
                     {"metadata", m.metadata},
                     {"ops", m.ops},
                     {"functions", m.functions},
                     {"weights", m.weights},
                     {"parameters", m.parameters},
                     {"weight_bytes", m.weight_bytes},
                     {"symbols", m.symbols},
                     {"values", m.values},
                     {"unknown_ranks", m.unknown_ranks},
                     {"unknown_extents", m.unknown_extents},
                     {"flops_unknown", m.flops_unknown}};
  if (m.flops.is_const())
    out["flops"] = m.flops.value();
  else
    out["flops"] = m.flops.str();
  return out;
}

}  // namespace tc
