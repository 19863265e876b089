#include <unordered_map>
#include <unordered_set>

#include "tc/backend/cpu/bind/strip.h"
#include "tc/ir/library.h"

namespace tc::cpu {
namespace {

// A function of the library, of operands of one type.
bool bind_library(Binder& b) {
  const Node& n = b.node();
  std::string reason;
  const auto type = compute_type({n.operand(0), n.result(0)}, true, reason);
  if (!type) return b.refuse(reason);
  StripBuilder strip(*type);
  const int id = strip.node(n, {strip.input()});
  if (id < 0) return b.refuse(cat("no micro-op for ", n.region(0).name(), " on ", kernels::elem_name(*type)));
  return bind_strip(b, strip.finish({id}), {0}, {0});
}

// A cluster's region becomes one strip program; scalar constants become immediates.
bool bind_cluster(Binder& b) {
  const Node& n = b.node();
  if (!library_function(n).empty()) return bind_library(b);
  const Graph& region = n.region(0);
  // What is converted at the edges has no say in the type.
  std::unordered_set<const Value*> converted;
  for (const auto& inner : region.nodes()) {
    if (inner->is<Cast>() || inner->is<DequantizeLinear>()) converted.insert(inner->operand(0));
    if (inner->is<QuantizeLinear>()) converted.insert(inner->result(0));
    if (inner->is<QuantizeLinear>() || inner->is<DequantizeLinear>()) converted.insert(inner->operand(2));
  }
  std::vector<const Value*> values;
  const auto consider = [&](const Value* v) {
    if (!converted.count(v)) values.push_back(v);
  };
  for (const Value* v : region.inputs()) consider(v);
  for (const auto& inner : region.nodes())
    for (int j = 0; j < inner->num_results(); ++j) consider(inner->result(j));
  std::string reason;
  const auto type = compute_type(values, false, reason);
  if (!type) return b.refuse(reason);
  StripBuilder strip(*type);
  std::unordered_map<const Value*, int> ids;
  std::vector<int> operands, results;
  for (int i = 0; i < n.num_operands(); ++i) {
    const Tensor* t = b.constant(i);
    // Immediates of i64 programs travel through doubles: only small ones are exact.
    if (t && t->size() == 1 && kind(t->dtype()) != DTypeKind::string && std::abs(scalar_f64(*t)) < 4e15) {
      ids[region.input(i)] = strip.immediate(scalar_f64(*t));
      continue;
    }
    ids[region.input(i)] = strip.input();
    operands.push_back(i);
  }
  for (const auto& inner : region.nodes()) {
    if (inner->op() == OpId::Return) break;
    if (const Tensor* t = inner->is<Constant>() ? inner->result(0)->constant() : nullptr) {
      if (t->size() != 1) return b.refuse("a constant inside is no scalar");
      ids[inner->result(0)] = strip.immediate(scalar_f64(*t));
      continue;
    }
    std::vector<int> x;
    for (const Value* v : inner->operands()) x.push_back(v ? ids.at(v) : -1);
    const int id = inner->is<Cast>() ? strip.op(kernels::MicroOp::copy, x[0]) : strip.node(*inner, x);
    if (id < 0) return b.refuse(cat("no micro-op for ", inner->op()));
    ids[inner->result(0)] = id;
  }
  std::vector<int> outputs;
  for (int j = 0; j < n.num_results(); ++j) {
    outputs.push_back(ids.at(region.output(j)));
    results.push_back(j);
  }
  return bind_strip(b, strip.finish(outputs), operands, results);
}

}  // namespace

void rows_bind_fused(BindRows& rows) {
  rows.push_back({OpId::Cluster, "strip", bind_cluster});
}

}  // namespace tc::cpu
