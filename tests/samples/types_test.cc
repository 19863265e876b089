// Every op on every element type that it takes: each type variable of a node of the samples in turn gets each type of
// its set, and the results are those of the widest type of the same kind, rounded once.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tc/ir/eval/interp.h"
#include "tests/common/coverage.h"
#include "tests/samples/sample.h"

namespace tc {
namespace {

// A node of a sample with the values of its operands there.
struct Trial {
  std::shared_ptr<SampleGraph> sample;
  const Node* node;
  std::vector<Datum> operands;
};

const std::map<OpId, std::vector<Trial>>& trials() {
  static const auto all = [] {
    std::map<OpId, std::vector<Trial>> result;
    for (const Sample& s : all_samples()) {
      auto g = std::make_shared<SampleGraph>();
      s.build(*g);
      std::map<const Value*, Datum> values;
      for (int i = 0; i < g->module->main().num_inputs(); ++i)
        values[g->module->main().input(i)] = g->inputs[static_cast<size_t>(i)];
      InterpOptions options;
      options.observe = [&](const Node& n, const std::vector<Datum>& results) {
        for (int j = 0; j < n.num_results(); ++j) values[n.result(j)] = results[static_cast<size_t>(j)];
      };
      interpret(*g->module, g->inputs, options);
      for (const auto& n : g->module->main().nodes()) {
        if (n->num_regions()) continue;  // regions bring types of their own
        Trial t{g, n.get(), {}};
        for (const Value* v : n->operands()) t.operands.push_back(v ? values[v] : Datum());
        result[n->op()].push_back(std::move(t));
      }
    }
    return result;
  }();
  return all;
}

// Through f64, or i64 and u64, which hold what the samples do; unsigned types take magnitudes.
Tensor converted(const Tensor& t, DType to) {
  Tensor out(to, t.extents());
  if (t.dtype() == to) return t.clone();
  std::vector<double> values;
  if (t.dtype() == DType::str)
    for (const std::string& s : widen<std::string>(t)) values.push_back(static_cast<double>(s.size()));
  else if (kind(t.dtype()) == DTypeKind::complex)
    for (const auto& c : widen<std::complex<double>>(t)) values.push_back(c.real());
  else
    values = widen<double>(t);
  if (kind(to) == DTypeKind::unsigned_int)
    for (double& v : values) v = std::abs(v);
  visit_wide(to, [&]<class W>() {
    std::vector<W> wide;
    for (const double v : values)
      if constexpr (std::is_same_v<W, std::string>)
        wide.push_back(cat(v));
      else
        wide.push_back(static_cast<W>(v));
    narrow(wide, out);
  });
  return out;
}

std::vector<Datum> run(const Trial& t, char variable, DType through, DType type) {
  const Signature& signature = t.node->info().facts->signature;
  Module module;
  Builder b(module.main());
  std::vector<Value*> operands;
  std::vector<Datum> inputs;
  for (int i = 0; i < t.node->num_operands(); ++i) {
    Datum d = t.operands[static_cast<size_t>(i)];
    if (d.is_tensor() && signature.operand(i).variable == variable) d = converted(converted(d.tensor(), through), type);
    const Value* v = t.node->operand(i);
    operands.push_back(v ? module.main().add_input(d.is_tensor() ? d.tensor().type() : v->type(), cat("in", i))
                         : nullptr);
    if (v) inputs.push_back(std::move(d));
  }
  Node* n = b.node(t.node->op(), operands, t.node->info().attrs.copy(t.node->raw_attrs().get()), t.node->num_results());
  std::vector<Value*> results;
  for (int j = 0; j < n->num_results(); ++j) results.push_back(n->result(j));
  module.main().set_outputs(results);
  InterpOptions options;
  options.check_types = true;
  return interpret(module, inputs, options);
}

// The type whose results are the truth for `t`.
DType widest(DType t, DTypeSet allowed) {
  const DType wide = kind(t) == DTypeKind::floating       ? DType::f64
                     : kind(t) == DTypeKind::signed_int   ? DType::i64
                     : kind(t) == DTypeKind::unsigned_int ? DType::u64
                     : kind(t) == DTypeKind::complex      ? DType::c128
                                                          : t;
  return allowed.has(wide) ? wide : t;
}

double epsilon(DType t) {
  switch (t) {
    case DType::f64:
      return 1e-12;
    case DType::f32:
      return 1e-6;
    case DType::f16:
      return 2e-3;
    case DType::bf16:
      return 2e-2;
    default:
      return 0.3;  // 8 and 4 bits: one step
  }
}

bool is_integer(DType t) {
  return kind(t) == DTypeKind::signed_int || kind(t) == DTypeKind::unsigned_int;
}

std::vector<uint64_t> low_bits(const Tensor& t) {
  if (kind(t.dtype()) == DTypeKind::unsigned_int) return widen<uint64_t>(t);
  std::vector<uint64_t> bits;
  for (const int64_t v : widen<int64_t>(t)) bits.push_back(static_cast<uint64_t>(v));
  return bits;
}

std::string difference(const Tensor& got, const Tensor& wide) {
  if (got.extents() != wide.extents()) return cat(got.type(), " instead of ", wide.type());
  if (is_integer(got.dtype()) && is_integer(wide.dtype())) {
    // Integers wrap around: the low bits are those of the wide type.
    const uint64_t mask = UINT64_MAX >> (64 - info(got.dtype()).bits);
    const auto a = low_bits(got), b = low_bits(wide);
    for (size_t i = 0; i < a.size(); ++i)
      if ((a[i] & mask) != (b[i] & mask)) return cat("element ", i, " is ", a[i], " instead of ", b[i]);
    return {};
  }
  const Tensor want = converted(wide, got.dtype());
  if (kind(got.dtype()) != DTypeKind::floating) return got.identical(want) ? "" : "other elements";
  const auto a = widen<double>(got), b = widen<double>(want);
  double largest = 1;
  for (const double v : b)
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i])) &&
        !(std::abs(a[i] - b[i]) <= 4 * epsilon(got.dtype()) * largest))
      return cat("element ", i, " is ", a[i], " instead of ", b[i]);
  return {};
}

// Whether some node of the samples runs with that type; else why none does.
std::string try_type(const OpInfo& op, char variable, DType type, DTypeSet allowed) {
  std::string refusal = "no sample has a node with such an operand";
  const auto it = trials().find(op.id);
  if (it == trials().end()) return refusal;
  for (const Trial& t : it->second) {
    std::vector<Datum> narrow_results;
    try {
      narrow_results = run(t, variable, type, type);
    } catch (const Error& e) {
      refusal = e.what();
      continue;
    }
    const DType wide = widest(type, allowed);
    std::string difference_found;
    if (wide != type && !op.traits.nondeterministic) {
      std::vector<Datum> truth;
      try {
        truth = run(t, variable, type, wide);
      } catch (const Error& e) {
        if (e.code() == ErrorCode::internal) throw;
        return {};  // attributes that are of the type, too: there is no wider node
      }
      for (size_t j = 0; j < truth.size() && difference_found.empty(); ++j)
        if (truth[j].is_tensor() && narrow_results[j].is_tensor())
          difference_found = difference(narrow_results[j].tensor(), truth[j].tensor());
    }
    if (!difference_found.empty()) return cat("differs from ", name(wide), ": ", difference_found);
    return {};
  }
  return refusal;
}

TEST(ElementTypes, EveryOpOnEveryTypeThatItTakes) {
  int count = 0;
  for (const OpInfo& op : all_ops()) {
    std::set<char> variables;
    const Signature& s = op.facts->signature;
    for (int i = 0; i < s.num_operands; ++i)
      if (s.operand(i).variable) variables.insert(s.operand(i).variable);
    if (op.regions) continue;
    for (const char variable : variables) {
      const DTypeSet allowed = op.facts->set_of(variable);
      for (int k = 0; k < kNumDTypes; ++k) {
        const auto type = static_cast<DType>(k);
        if (!allowed.has(type)) continue;
        ++count;
        const std::string reason = try_type(op, variable, type, allowed);
        EXPECT_EQ(reason, "") << op.name() << " with " << variable << " = " << name(type);
        if (reason.empty() && variable == *variables.begin()) coverage::note("eval ", op.name(), " ", name(type));
      }
    }
  }
  std::cout << count << " combinations of an op, a type variable and an element type\n";
}

}  // namespace
}  // namespace tc
