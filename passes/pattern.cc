#include "tc/passes/pattern.h"

#include <cmath>

#include <algorithm>

namespace tc {

bool is_uniform(const Tensor& t, double number) {
  constexpr int64_t kMaxElements = 1 << 20;  // larger tensors are weights
  if (!t.defined() || t.size() == 0 || t.size() > kMaxElements) return false;
  const Tensor aligned = t.aligned_copy();
  return visit_dtype(t.dtype(), [&]<class T>() {
    auto all = [&](auto equal) {
      for (const T& e : aligned.span<T>())
        if (!equal(e)) return false;
      return true;
    };
    if constexpr (std::is_same_v<T, Bool>)
      return all([&](T e) { return static_cast<bool>(e) == (number != 0); });
    else if constexpr (std::is_integral_v<T>)
      return all([&](T e) { return static_cast<double>(e) == number; });
    // A float's neighbour of the number counts: sqrt(2) is never exact. The sign of a zero counts too.
    else if constexpr (std::is_constructible_v<T, double> && std::is_constructible_v<double, T>)
      return all([rounded = static_cast<double>(static_cast<T>(number))](T e) {
        const auto v = static_cast<double>(e);
        return v == rounded && (v != 0 || std::signbit(v) == std::signbit(rounded));
      });
    else
      return false;
  });
}

bool broadcasts_into(const Shape& small, const Shape& big) {
  if (!small.ranked() || !big.ranked() || small.rank() > big.rank()) return false;
  for (int i = 0; i < small.rank(); ++i) {
    const Dim& s = small[i];
    if (!s.is(1) && !(s == big[big.rank() - small.rank() + i])) return false;
  }
  return true;
}

// Solves a list of goals with backtracking over the operand orders of commuting ops.
class Matcher {
 public:
  Matcher(Node& root, Match& out) : root_(root), out_(out) {}
  bool run(const Pattern& p) { return enter(p, root_, {}); }

 private:
  struct Goal {
    const Pattern* pattern;
    Value* value;
    const Node* user;
  };
  using Goals = std::vector<Goal>;

  bool solve(Goals goals) {
    if (goals.empty()) return true;
    const Goal g = goals.back();
    goals.pop_back();
    const Pattern& p = *g.pattern;
    if (!g.value) return p.optional && bind(p.capture, nullptr, std::move(goals));
    switch (p.kind) {
      case Pattern::Kind::any:
        return bind(p.capture, g.value, std::move(goals));
      case Pattern::Kind::constant:
        return g.value->constant() && bind(p.capture, g.value, std::move(goals));
      case Pattern::Kind::scalar: {
        const Tensor* t = g.value->constant();
        return t && t->size() == 1 && t->dtype() != DType::str && bind(p.capture, g.value, std::move(goals));
      }
      case Pattern::Kind::number: {
        const Tensor* t = g.value->constant();
        return t && is_uniform(*t, p.number) && keeps_shape(*g.value, *g.user) && solve(std::move(goals));
      }
      case Pattern::Kind::op: {
        Node* n = g.value->def();
        if (!n || n->graph() != root_.graph() || g.value->index() != 0) return false;
        return enter(p, *n, std::move(goals));
      }
    }
    return false;
  }

  bool enter(const Pattern& p, Node& n, Goals goals) {
    if (!p.ops.empty() && std::find(p.ops.begin(), p.ops.end(), n.op()) == p.ops.end()) return false;
    const size_t bound = out_.bound_.size(), inner = out_.inner_.size();
    if (&n != &root_) out_.inner_.push_back(&n);
    const bool ok = capture_node(p, n) && operands(p, n, goals);
    if (!ok) {
      out_.bound_.resize(bound);
      out_.inner_.resize(inner);
    }
    return ok;
  }

  bool capture_node(const Pattern& p, Node& n) {
    if (!p.capture) return true;
    Value* v = n.num_results() ? n.result(0) : nullptr;
    for (const auto& [c, b] : out_.bound_)
      if (c == p.capture) return b == v;
    out_.bound_.emplace_back(p.capture, v);
    return true;
  }

  bool operands(const Pattern& p, Node& n, const Goals& goals) {
    if (p.open) return solve(goals);
    const int count = static_cast<int>(p.operands.size());
    for (int i = count; i < n.num_operands(); ++i)
      if (n.operand(i)) return false;
    auto in_order = [&](bool swapped) {
      Goals next = goals;
      for (int i = count - 1; i >= 0; --i) {
        const int from = swapped && i < 2 ? 1 - i : i;
        next.push_back({&p.operands[static_cast<size_t>(i)], n.operand(from), &n});
      }
      return solve(std::move(next));
    };
    return in_order(false) || (count >= 2 && n.info().traits.commutes && n.num_operands() == count && in_order(true));
  }

  bool bind(const void* capture, Value* v, Goals goals) {
    for (const auto& [c, b] : out_.bound_)
      if (c == capture) return b == v && solve(std::move(goals));
    const size_t bound = out_.bound_.size();
    if (capture) out_.bound_.emplace_back(capture, v);
    if (solve(std::move(goals))) return true;
    out_.bound_.resize(bound);
    return false;
  }

  static bool keeps_shape(const Value& number, const Node& user) {
    if (!user.info().traits.elementwise) return true;
    const Shape& s = number.shape();
    if (s.rank() == 0) return true;
    for (Value* v : user.operands())
      if (v && v != &number && v->type().is_tensor() && broadcasts_into(s, v->shape())) return true;
    return false;
  }

  Node& root_;
  Match& out_;
};

bool match(const Pattern& pattern, Node& root, Match& out) {
  out = Match();
  return Matcher(root, out).run(pattern);
}

}  // namespace tc
