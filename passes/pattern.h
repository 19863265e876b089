// Patterns over the tree of definitions above a node, written as expressions:
//
//   constexpr Any x, b;                      captures: a value of any kind
//   constexpr As<Conv> conv;                 a capture of a Conv's result, with or without its operands spelled out
//   pat<Add>(conv(x, w), b)                  Add of a Conv (without bias) and anything, in either order (Add commutes)
//   pat<Max>(x, 0.0)                         a number: a constant of elements equal to it (zeros of floats by sign, too)
//   pat<Min, Max>(x, scalar(b))              either op; a constant of one element
//   conv(x, w, maybe(b))                     an operand that may be absent (its capture is then null)
//
// A capture that occurs twice must match the same value both times. Inner ops match only in the graph of the root, so
// that a rewrite never moves work into a region. A number matches only where it does not widen the result by
// broadcasting.
#pragma once

#include <utility>
#include <vector>

#include "tc/ir/graph.h"
#include "tc/ir/ops.h"

namespace tc {

class Pattern;

// A capture is identified by its address: declare captures `constexpr` at namespace scope and never copy them.
struct Any {
  constexpr Any() = default;
  Any(const Any&) = delete;
};

template <class... Ops>
struct As {
  constexpr As() = default;
  As(const As&) = delete;
  template <class... Operands>
  Pattern operator()(const Operands&... operands) const;
};

class Pattern {
 public:
  enum class Kind : uint8_t { any, op, number, scalar, constant };

  Pattern(const Any& c) : kind(Kind::any), capture(&c) {}
  template <class... Ops>
  Pattern(const As<Ops...>& c) : kind(Kind::op), open(true), capture(&c), ops{id_of<Ops>...} {}
  Pattern(double n) : kind(Kind::number), number(n) {}
  Pattern(int n) : Pattern(static_cast<double>(n)) {}
  Pattern(std::vector<OpId> o, const void* c, std::vector<Pattern> args)
      : kind(Kind::op), capture(c), ops(std::move(o)), operands(std::move(args)) {}
  static Pattern leaf(Kind k, const Any& c) {
    Pattern p(c);
    p.kind = k;
    return p;
  }

  Kind kind;
  bool optional = false;
  bool open = false;  // whatever the operands are
  const void* capture = nullptr;
  double number = 0;
  std::vector<OpId> ops;  // none: any op
  std::vector<Pattern> operands;
};

template <class... Ops>
template <class... Operands>
Pattern As<Ops...>::operator()(const Operands&... operands) const {
  return Pattern({id_of<Ops>...}, this, {Pattern(operands)...});
}

template <class... Ops>
struct OpPattern {
  template <class... Operands>
  Pattern operator()(const Operands&... operands) const {
    return Pattern({id_of<Ops>...}, nullptr, {Pattern(operands)...});
  }
};
template <class... Ops>
inline constexpr OpPattern<Ops...> pat{};

inline Pattern scalar(const Any& c) {
  return Pattern::leaf(Pattern::Kind::scalar, c);
}  // a constant of one element
inline Pattern constant(const Any& c) {
  return Pattern::leaf(Pattern::Kind::constant, c);
}  // a constant tensor
inline Pattern maybe(Pattern p) {
  p.optional = true;
  return p;
}
// Any node at all, as root of a rule that decides by itself.
inline Pattern any_node() {
  Pattern p(std::vector<OpId>{}, nullptr, {});
  p.open = true;
  return p;
}

// What a pattern bound.
class Match {
 public:
  // Null when the capture stands for an absent operand or was not reached.
  Value* value(const void* capture) const {
    for (const auto& [c, v] : bound_)
      if (c == capture) return v;
    return nullptr;
  }
  // The ops that matched below the root.
  const std::vector<Node*>& inner() const { return inner_; }

 private:
  friend class Matcher;
  std::vector<std::pair<const void*, Value*>> bound_;
  std::vector<Node*> inner_;
};

bool match(const Pattern& pattern, Node& root, Match& out);

// Every element of the constant equals the number, rounded to its type when that is a float, with its sign where it is
// zero.
bool is_uniform(const Tensor& t, double number);
// Broadcasting a value of shape `small` against one of shape `big` provably gives `big`.
bool broadcasts_into(const Shape& small, const Shape& big);

}  // namespace tc
