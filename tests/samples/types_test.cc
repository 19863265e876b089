// Every op on every element type that it takes: each type variable of a node of the samples in turn gets each type of
// its set, and the results are those of the widest type of the same kind, rounded once.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "tc/backend/cpu/plan/plan.h"
#include "tc/backend/cpu/run/executable.h"
#include "tc/ir/eval/interp.h"
#include "tc/ir/grad.h"
#include "tc/kernels/cpu.h"
#include "tc/passes/autodiff/autodiff.h"
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
      else if constexpr (std::is_integral_v<W>)
        wide.push_back(std::isnan(v) ? 0 : static_cast<W>(v));
      else
        wide.push_back(static_cast<W>(v));
    narrow(wide, out);
  });
  return out;
}

// The node alone, and the values of its operands.
struct Alone {
  std::unique_ptr<Module> module = std::make_unique<Module>();
  Node* node = nullptr;
  std::vector<Datum> inputs;
};

Alone alone(const Trial& t, char variable, DType through, DType type) {
  const Signature& signature = t.node->info().facts->signature;
  Alone made;
  Module& module = *made.module;
  std::vector<Datum>& inputs = made.inputs;
  Builder b(module.main());
  std::vector<Value*> operands;
  for (int i = 0; i < t.node->num_operands(); ++i) {
    Datum d = t.operands[static_cast<size_t>(i)];
    if (d.is_tensor() && signature.operand(i).variable == variable) d = converted(converted(d.tensor(), through), type);
    const Value* v = t.node->operand(i);
    // Axes, shapes and the like, which kernels want to know.
    if (v && v->constant() && signature.operand(i).variable != variable) {
      operands.push_back(b.constant(d.tensor()));
      continue;
    }
    operands.push_back(v ? module.main().add_input(d.is_tensor() ? d.tensor().type() : v->type(), cat("in", i))
                         : nullptr);
    if (v) inputs.push_back(std::move(d));
  }
  Node* n = b.node(t.node->op(), operands, t.node->info().attrs.copy(t.node->raw_attrs().get()), t.node->num_results());
  std::vector<Value*> results;
  for (int j = 0; j < n->num_results(); ++j) results.push_back(n->result(j));
  module.main().set_outputs(results);
  made.node = n;
  return made;
}

std::vector<Datum> run(const Trial& t, char variable, DType through, DType type) {
  const Alone a = alone(t, variable, through, type);
  InterpOptions options;
  options.check_types = true;
  return interpret(*a.module, a.inputs, options);
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

// Whether some node of the samples runs with that type, which `found` then is; else why none does.
std::string try_type(const OpInfo& op, char variable, DType type, DTypeSet allowed, const Trial*& found) {
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
    found = &t;
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

// On the kernels of the least tier, which every machine has. A node without any step is a view of its operand.
bool has_kernel(const Trial& t, char variable, DType type) {
  const OpId op = t.node->op();
  Alone a = alone(t, variable, type, type);
  const auto expected = interpret(*a.module, a.inputs);
  CompileOptions options;
  options.level = 0;
  options.isa = kernels::usable_tiers().front();
  const auto compiled = compile(std::move(a.module), options);
  bool on_kernels = true;
  walk_steps(compiled->plan(), [&](const cpu::Step& s, int) {
    if (s.node && s.node->op() == op && s.is_ref) on_kernels = false;
  });
  if (!on_kernels || t.node->info().traits.nondeterministic) return on_kernels;
  const auto context = compiled->make_context(1);
  const auto got = compiled->run(a.inputs, *context);
  for (size_t j = 0; j < got.size(); ++j)
    if (got[j].is_tensor()) {
      EXPECT_EQ(difference(got[j].tensor(), expected[j].tensor()), "") << op << " of " << name(type) << ", compiled";
    }
  return true;
}

bool runs_on_kernels(OpId op, char variable, DType type) {
  for (const Trial& t : trials().at(op)) {
    try {
      if (has_kernel(t, variable, type)) return true;
    } catch (const Error& e) {
      EXPECT_NE(e.code(), ErrorCode::internal) << e.what();  // else a node that cannot have this type
    }
  }
  return false;
}

char main_variable(const Signature& s) {
  for (int i = 0; i < s.num_operands; ++i)
    if (s.operand(i).variable) return s.operand(i).variable;
  return 0;
}

// Is there a gradient with respect to what has a gradient, as near to that of f64 as the results are? Those of f32 and
// f64 are compared with differences elsewhere.
bool has_gradient(const Trial& t, char variable, DType type, DTypeSet allowed) {
  const auto gradient = [&](DType as) {
    Alone a = alone(t, variable, type, as);
    std::vector<Value*> outputs, wrt, seeds;
    for (int j = 0; j < a.node->num_results(); ++j)
      if (differentiable(a.node->result(j)->type())) outputs.push_back(a.node->result(j));
    for (Value* in : a.module->main().inputs())
      if (differentiable(in->type()) && in->type().is_tensor()) wrt.push_back(in);
    if (outputs.empty() || wrt.empty()) fail(ErrorCode::no_gradient, "nothing to differentiate");
    Builder b(a.module->main());
    for (Value* y : outputs) seeds.push_back(full_like(b, y, 1));
    a.module->main().set_outputs(gradients(b, outputs, wrt, seeds));
    return interpret(*a.module, a.inputs);
  };
  try {
    const auto got = gradient(type);
    const auto truth = gradient(widest(type, allowed));
    for (size_t i = 0; i < got.size(); ++i)
      if (!difference(got[i].tensor(), truth[i].tensor()).empty()) return false;
    return true;
  } catch (const Error& e) {
    EXPECT_NE(e.code(), ErrorCode::internal) << e.what();
    return false;
  }
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
        const Trial* trial = nullptr;
        const std::string reason = try_type(op, variable, type, allowed, trial);
        EXPECT_EQ(reason, "") << op.name() << " with " << variable << " = " << name(type);
        if (!reason.empty() || variable != main_variable(s)) continue;
        coverage::note("eval ", op.name(), " ", name(type));
        if (runs_on_kernels(op.id, variable, type)) coverage::note("kernel ", op.name(), " ", name(type));
        if (dtypes::floats.has(type) && has_gradient(*trial, variable, type, allowed))
          coverage::note("grad ", op.name(), " ", name(type));
      }
    }
  }
  std::cout << count << " combinations of an op, a type variable and an element type\n";
}

}  // namespace
}  // namespace tc
