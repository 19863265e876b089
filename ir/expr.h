// Arithmetic on values: `g * (1 - y * y)` appends the nodes that compute it. For gradients and decompositions. Numbers
// take the element type of the value they meet. Conditions (`x < 0`) are values of element type bool, for `where`.
#pragma once

#include "tc/ir/builder.h"

namespace tc {

class Expr {
 public:
  Expr(Builder& b, Value* v) : builder_(&b), value_(v) {}
  operator Value*() const { return value_; }
  Value* operator->() const { return value_; }
  Builder& builder() const { return *builder_; }
  DType dtype() const { return value_->dtype(); }

  template <class Op>
  Expr make(attrs_t<Op> attrs = {}) const {
    return {*builder_, builder_->make<Op>({value_}, std::move(attrs))};
  }
  template <class Op>
  Expr make(Expr other) const {
    return {*builder_, builder_->make<Op>({value_, other.value_})};
  }
  template <class Op>
  Expr make(double other) const {
    return make<Op>(number(other));
  }
  Expr number(double v) const { return {*builder_, builder_->scalar_like(dtype(), v)}; }
  Expr cast(DType to) const { return dtype() == to ? *this : make<Cast>({.to = to}); }

 private:
  Builder* builder_;
  Value* value_;
};

#define TC_EXPR_OPERATOR(symbol, Op)              \
  inline Expr operator symbol(Expr a, Expr b) {   \
    return a.make<Op>(b);                         \
  }                                               \
  inline Expr operator symbol(Expr a, double b) { \
    return a.make<Op>(b);                         \
  }                                               \
  inline Expr operator symbol(double a, Expr b) { \
    return b.number(a).make<Op>(b);               \
  }
TC_EXPR_OPERATOR(+, Add)
TC_EXPR_OPERATOR(-, Sub)
TC_EXPR_OPERATOR(*, Mul)
TC_EXPR_OPERATOR(/, Div)
TC_EXPR_OPERATOR(<, Less)
TC_EXPR_OPERATOR(<=, LessOrEqual)
TC_EXPR_OPERATOR(>, Greater)
TC_EXPR_OPERATOR(>=, GreaterOrEqual)
#undef TC_EXPR_OPERATOR
inline Expr operator-(Expr a) {
  return a.make<Neg>();
}

#define TC_EXPR_FUNCTION(name, Op) \
  inline Expr name(Expr x) {       \
    return x.make<Op>();           \
  }
TC_EXPR_FUNCTION(abs, Abs)
TC_EXPR_FUNCTION(ceil, Ceil)
TC_EXPR_FUNCTION(cos, Cos)
TC_EXPR_FUNCTION(cosh, Cosh)
TC_EXPR_FUNCTION(erf, Erf)
TC_EXPR_FUNCTION(exp, Exp)
TC_EXPR_FUNCTION(floor, Floor)
TC_EXPR_FUNCTION(log, Log)
TC_EXPR_FUNCTION(sigmoid, Sigmoid)
TC_EXPR_FUNCTION(sign, Sign)
TC_EXPR_FUNCTION(sin, Sin)
TC_EXPR_FUNCTION(sinh, Sinh)
TC_EXPR_FUNCTION(softplus, Softplus)
TC_EXPR_FUNCTION(sqrt, Sqrt)
TC_EXPR_FUNCTION(tanh, Tanh)
#undef TC_EXPR_FUNCTION
inline Expr square(Expr x) {
  return x * x;
}

inline Expr equal(Expr a, Expr b) {
  return a.make<Equal>(b);
}
inline Expr equal(Expr a, double b) {
  return a.make<Equal>(b);
}
inline Expr both(Expr a, Expr b) {
  return a.make<And>(b);
}
inline Expr max(Expr a, double b) {
  return a.make<Max>(b);
}
inline Expr min(Expr a, double b) {
  return a.make<Min>(b);
}
inline Expr pow(Expr a, Expr b) {
  return a.make<Pow>(b);
}
inline Expr where(Expr condition, Expr a, Expr b) {
  return {a.builder(), a.builder().make<Where>({condition, a, b})};
}
inline Expr where(Expr condition, Expr a, double b) {
  return where(condition, a, a.number(b));
}
inline Expr where(Expr condition, double a, Expr b) {
  return where(condition, b.number(a), b);
}

}  // namespace tc
