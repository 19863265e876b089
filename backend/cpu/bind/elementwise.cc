#include "tc/backend/cpu/bind/strip.h"

namespace tc::cpu {
namespace {

bool bind_elementwise(Binder& b) {
  const Node& n = b.node();
  std::vector<const Value*> values;
  for (const Value* v : n.operands())
    if (v) values.push_back(v);
  values.push_back(n.result(0));
  std::string reason;
  const auto type = compute_type(values, true, reason);
  if (!type) return b.refuse(reason);
  StripBuilder strip(*type);
  std::vector<int> ids, operands;
  for (int i = 0; i < n.num_operands(); ++i) {
    ids.push_back(b.has(i) ? strip.input() : -1);
    if (b.has(i)) operands.push_back(i);
  }
  const int result = strip.node(n, ids);
  if (result < 0) return b.refuse(cat("no micro-op for ", n.op(), " on ", kernels::elem_name(*type)));
  return bind_strip(b, strip.finish({result}), operands, {0});
}

// A conversion is a copy between two element types: the edges of a strip program convert.
bool bind_cast(Binder& b) {
  const DType from = b.dtype(0), to = b.result_dtype(0);
  if (from == to) {
    b.alias(0, 0);
    return true;
  }
  const auto source = elem_of(from), target = elem_of(to);
  if (!source || !target) return b.refuse(cat("no strip kernel from ", from, " to ", to));
  auto integral = [](kernels::Elem e) {
    return e != kernels::Elem::f32 && e != kernels::Elem::f64 && e != kernels::Elem::f16 && e != kernels::Elem::bf16;
  };
  kernels::Elem compute = kernels::Elem::f32;
  const auto within_i32 = [](DType t) { return size_of(t) < 4 || t == DType::i32; };
  if (integral(*source) && integral(*target))
    compute = within_i32(from) && within_i32(to) ? kernels::Elem::i32 : kernels::Elem::i64;
  else if (from == DType::f64 || to == DType::f64)
    compute = kernels::Elem::f64;
  // One rounding only: i32 does not fit f32, and what of i64 does not fit f64 is infinite as f16.
  const bool wide = integral(*source) && size_of(from) >= 4;
  if (wide && (to == DType::f16 || to == DType::bf16)) compute = kernels::Elem::f64;
  if (!kernels::strip_converts(compute, *source) || !kernels::strip_converts(compute, *target))
    return b.refuse(cat("no strip kernel from ", from, " to ", to));
  if (size_of(from) == 8 && wide && to == DType::bf16) return b.refuse("would round twice");
  if (!integral(*source) && to == DType::u64) return b.refuse("out-of-range values saturate");
  StripBuilder strip(compute);
  const int x = strip.input();
  return bind_strip(b, strip.finish({x}), {0}, {0});
}

}  // namespace

void rows_bind_elementwise(BindRows& rows) {
  for (const OpInfo& op : all_ops()) {
    if (op.id == OpId::Cast)
      rows.push_back({op.id, "cast", bind_cast});
    else if (op.family == Family::elementwise && op.facts->signature.num_results == 1)
      rows.push_back({op.id, "strip", bind_elementwise});
  }
}

}  // namespace tc::cpu
