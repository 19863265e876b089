#include "tc/ir/eval/interp.h"
#include "tc/ir/library.h"
#include "tc/passes/normalize/normalize.h"

namespace tc {
namespace {

bool all_constant(const Node& n) {
  if (n.num_operands() == 0) return false;
  for (const Value* v : n.operands())
    if (v && !v->constant()) return false;
  return true;
}

// Bytes of the results as inferred, the greatest number where they overflow; -1 when not known in advance.
int64_t result_bytes(const Node& n) {
  int64_t bytes = 0;
  for (int j = 0; j < n.num_results(); ++j) {
    const Type& t = n.result(j)->type();
    if (!t.is_tensor() || !t.shape().is_static()) return -1;
    auto size = static_cast<int64_t>(size_of(t.dtype()));
    for (const int64_t extent : t.shape().extents())
      if (__builtin_mul_overflow(size, extent, &size)) return INT64_MAX;
    if (__builtin_add_overflow(bytes, size, &bytes)) return INT64_MAX;
  }
  return bytes;
}

bool is_constant_like(const Node& n) {
  return n.op() == OpId::Constant || n.op() == OpId::Parameter;
}

// Ops that rearrange or convert weights, a step or two per element: worth doing at compile time up to the weights'
// budget, as long as no large tensor comes of a small one.
constexpr int64_t kGrowth = 8;
bool transforms_weight(const Node& n, int64_t result) {
  const Family family = n.info().family;
  if (family != Family::elementwise && family != Family::movement && family != Family::gather &&
      family != Family::quant && !n.is<Identity>())
    return false;
  int64_t bytes = 0;
  for (const Value* v : n.operands())
    if (v) bytes += static_cast<int64_t>(v->constant()->bytes());
  return result >= 0 && result / kGrowth <= bytes;
}

Patch fold_node(Rewrite& r) {
  Node& n = *r.root();
  if (is_constant_like(n) || (n.num_regions() && library_function(n).empty()) || n.op() == OpId::Call ||
      !all_constant(n))
    return r.miss("");
  for (int j = 0; j < n.num_results(); ++j)
    if (!n.result(j)->type().is_tensor()) return r.miss("the result is no tensor");
  const OpTraits& traits = n.info().traits;
  if (traits.nondeterministic || traits.effects) return r.miss("");
  int64_t work = 0;
  std::vector<Datum> operands;
  for (const Value* v : n.operands()) {
    if (v) work += v->constant()->size();
    operands.push_back(v ? Datum(*v->constant()) : Datum());
  }
  const int64_t bytes = result_bytes(n);
  const bool weight = transforms_weight(n, bytes);
  const int64_t budget = weight ? r.limits.weight_bytes : r.limits.fold_bytes;
  if (!weight && work > r.limits.fold_work) return r.miss("reads more than the folding budget");
  if (bytes > budget) return r.miss("the result exceeds the folding budget");
  EvalEnv env;
  env.max_bytes = static_cast<uint64_t>(budget);
  env.run_graph = [](const Node&, const Graph& g, std::vector<Datum> args) { return interpret(g, std::move(args)); };
  std::vector<Datum> results;
  try {
    results = eval_node(n, operands, env);
  } catch (const Error&) {
    return r.miss("evaluation fails; left for the run to report");
  }
  for (const Datum& d : operands)
    if (d.is_tensor()) d.tensor().discard_pages();
  std::vector<Value*> values;
  for (const Datum& d : results) {
    if (!d.empty() && !d.is_tensor()) return r.miss("the result is no tensor");
    if (d.empty() && !n.result(static_cast<int>(values.size()))->unused()) return r.miss("a result is missing");
    values.push_back(d.empty() ? nullptr : r.constant(d.tensor()));
  }
  return values;
}

// Files keep weights quantised: runtimes look for the pattern, and floats take four times the room.
Patch fold_dequantised(Rewrite& r) {
  return r.root()->is<DequantizeLinear>() ? fold_node(r) : r.miss("");
}
Patch fold_constants(Rewrite& r) {
  return r.root()->is<DequantizeLinear>() ? r.miss("") : fold_node(r);
}

// Elements that shape inference has followed to numbers.
Patch fold_contents(Rewrite& r) {
  Node& n = *r.root();
  if (is_constant_like(n) || n.info().traits.effects || n.num_results() != 1) return r.miss("");
  Value* v = n.result(0);
  if (!v->type().is_tensor() || (v->dtype() != DType::i64 && v->dtype() != DType::i32)) return r.miss("");
  const auto known = r.ints(v);
  if (!known || !v->contents()) return r.miss("");
  const Shape& s = v->shape();
  if (!s.ranked() || s.rank() > 1) return r.miss("");
  Extents extents;
  if (s.rank() == 1)
    extents.push_back(static_cast<int64_t>(known->size()));
  else if (known->size() != 1)
    return r.miss("");
  if (v->dtype() == DType::i64) return r.constant(Tensor::of<int64_t>(extents, *known));
  return r.constant(Tensor::of<int32_t>(extents, std::vector<int32_t>(known->begin(), known->end())));
}

}  // namespace

std::span<const Rule> fold_rules() {
  static const Rule kRules[] = {
      {"fold-known-contents", exact, any_node(), fold_contents},
      {"fold-constants", exact, any_node(), fold_constants},
      {"fold-dequantised", exact, any_node(), fold_dequantised},
  };
  return kRules;
}

}  // namespace tc
