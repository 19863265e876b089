#include "tc/passes/rule.h"

#include "tc/ir/builder.h"

namespace tc {

std::string to_string(const Exactness& e) {
  switch (e.contract) {
    case Contract::exact:
      return "exact";
    case Contract::same_rounding:
      return "same-rounding";
    case Contract::reassociates:
      return "reassociates";
    case Contract::approximate:
      return cat("approximate(", e.bound, ")");
  }
  return "?";
}

double Rewrite::number(const Any& c) const {
  return scalar_f64(tensor(c));
}

bool Rewrite::single_use(const Value* v) const {
  int uses = 0;
  for (const Use* u = v->first_use(); u; u = u->next())
    if (u->user()->graph() && ++uses > 1) return false;
  return uses == 1;
}

std::optional<std::vector<int64_t>> Rewrite::ints(const Value* v) const {
  if (!v) return std::nullopt;
  std::vector<int64_t> values;
  if (const Dims* c = v->contents()) {
    for (const Dim& d : *c) {
      if (!d.is_const()) return std::nullopt;
      values.push_back(d.value());
    }
    return values;
  }
  const Tensor* t = v->constant();
  if (!t || (t->dtype() != DType::i64 && t->dtype() != DType::i32)) return std::nullopt;
  return to_i64(*t);
}

Node* Rewrite::node(OpId op, std::span<Value* const> operands, std::shared_ptr<const void> attrs, int num_results,
                    std::vector<std::unique_ptr<Graph>> regions) {
  made_.push_back(
      make_node(module(), op, operands, std::move(attrs), num_results, std::move(regions), root_.location()));
  return made_.back().get();
}

Value* Rewrite::constant(Tensor t) {
  return make<Constant>({}, {std::move(t)});
}

Value* Rewrite::scalar_like(DType t, double value) {
  Graph scratch(module());
  return constant(*Builder(scratch).scalar_like(t, value)->constant());
}

Value* Rewrite::ints(const std::vector<int64_t>& values) {
  return constant(Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values));
}

void Rewrite::drop() {
  while (!made_.empty()) made_.pop_back();  // users before what they use
}

bool same_type(const Value* a, const Value* b) {
  if (!(a->type() == b->type())) return false;
  return !a->type().is_tensor() || a->shape().ranked();
}

}  // namespace tc
