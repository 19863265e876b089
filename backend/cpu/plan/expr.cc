#include "tc/backend/cpu/plan/plan.h"

namespace tc::cpu {

std::string_view to_string(Layout l) {
  return l == Layout::plain ? "plain" : "blocked16";
}

void ExprTable::bind(const std::string& symbol, int ready) {
  const auto [it, fresh] = symbols_.emplace(symbol, static_cast<int>(symbol_ready_.size()));
  if (fresh) symbol_ready_.push_back(ready);
}

int ExprTable::symbol_index(const std::string& symbol) const {
  const auto it = symbols_.find(symbol);
  return it == symbols_.end() ? -1 : it->second;
}

int ExprTable::add(Expr e) {
  if (e.a >= 0) e.ready = std::max(e.ready, ready(e.a));
  if (e.b >= 0) e.ready = std::max(e.ready, ready(e.b));
  exprs_.push_back(e);
  return static_cast<int>(exprs_.size()) - 1;
}

int ExprTable::intern(const Dim& d) {
  const std::string key = d.str();
  if (const auto it = memo_.find(key); it != memo_.end()) return it->second;
  if (d.is_const()) return memo_[key] = add({Expr::Op::constant, d.value()});
  int sum = -1;
  for (const auto& term : d.poly()->terms) {
    int product = -1;
    auto times = [&](int factor) { product = product < 0 ? factor : add({Expr::Op::mul, 0, product, factor}); };
    if (term.coefficient != 1 || term.atoms.empty()) times(intern(Dim(term.coefficient)));
    for (const auto& atom : term.atoms) {
      int e = -1;
      if (atom->op == Dim::Op::symbol) {
        const int s = symbol_index(atom->key);
        if (s < 0) return -1;  // not remembered: it may be bound later
        const std::string name = "$" + atom->key;
        const auto it = memo_.find(name);
        e = it != memo_.end() ? it->second
                              : memo_[name] = add({Expr::Op::symbol, s, -1, -1, symbol_ready_[static_cast<size_t>(s)]});
      } else {
        const int a = intern(atom->args[0]), b = intern(atom->args[1]);
        if (a < 0 || b < 0) return -1;
        Expr::Op op = Expr::Op::floordiv;
        switch (atom->op) {
          case Dim::Op::symbol:
          case Dim::Op::floordiv:
            break;
          case Dim::Op::mod:
            op = Expr::Op::mod;
            break;
          case Dim::Op::max:
            op = Expr::Op::max;
            break;
          case Dim::Op::min:
            op = Expr::Op::min;
            break;
          case Dim::Op::broadcast:
            op = Expr::Op::broadcast;
            break;
        }
        e = add({op, 0, a, b});
      }
      times(e);
    }
    sum = sum < 0 ? product : add({Expr::Op::add, 0, sum, product});
  }
  return memo_[key] = sum;
}

void ExprTable::renumber(const std::vector<int>& renumbered) {
  for (Expr& e : exprs_)
    if (e.ready >= 0) e.ready = renumbered[static_cast<size_t>(e.ready)];
}

void ExprTable::evaluate(int step, const std::vector<int64_t>& symbol_values, std::vector<int64_t>& values) const {
  values.resize(exprs_.size());
  auto overflow = [] { fail(ErrorCode::limit_size, "extent arithmetic overflows"); };
  for (size_t i = 0; i < exprs_.size(); ++i) {
    const Expr& e = exprs_[i];
    if (e.ready != step) continue;
    const int64_t a = e.a >= 0 ? values[static_cast<size_t>(e.a)] : 0,
                  b = e.b >= 0 ? values[static_cast<size_t>(e.b)] : 0;
    int64_t& r = values[i];
    switch (e.op) {
      case Expr::Op::constant:
        r = e.value;
        break;
      case Expr::Op::symbol:
        r = symbol_values[static_cast<size_t>(e.value)];
        break;
      case Expr::Op::add:
        if (__builtin_add_overflow(a, b, &r)) overflow();
        break;
      case Expr::Op::mul:
        if (__builtin_mul_overflow(a, b, &r)) overflow();
        break;
      // A zero divisor stands for a shape that has no elements anyway.
      case Expr::Op::floordiv:
        r = b ? floordiv(a, b) : 0;
        break;
      case Expr::Op::mod:
        r = b ? a - b * floordiv(a, b) : 0;
        break;
      case Expr::Op::max:
        r = std::max(a, b);
        break;
      case Expr::Op::min:
        r = std::min(a, b);
        break;
      case Expr::Op::broadcast:
        r = a == 1 ? b : a;
        break;
    }
  }
}

}  // namespace tc::cpu
