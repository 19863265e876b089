#include "tc/frontend/dsl/elementwise.h"

#include <limits>
#include <numbers>

#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/elementwise.h"

namespace tc {

using namespace dsl;

namespace {

bool is_float(const Var& x) {
  return dtypes::floats.has(x.dtype());
}
bool is_signed(const Var& x) {
  return dtypes::signed_ints.has(x.dtype());
}

}  // namespace

#define TC_DSL_UNARY(name, Op, domain)             \
  Var name(Arg x) {                                \
    const Site site(#name, x.at());                \
    return make<Op>({operand(x, Domain::domain)}); \
  }
#define TC_DSL_BINARY(name, Op, domain)                 \
  Var name(Arg a, Arg b) {                              \
    const Site site(#name, a.at());                     \
    const auto [x, y] = promoted(a, b, Domain::domain); \
    return like_numbers(make<Op>({x, y}), a, b);        \
  }
#define TC_DSL_ACTIVATION(name, Op, parameter, preset)                                    \
  Var name(Arg x, double parameter) {                                                     \
    const Site site(#name, x.at());                                                       \
    return make<Op>({operand(x, Domain::floating)}, {.parameter = attribute(parameter)}); \
  }
#include "tc/frontend/dsl/elementwise.def"

Var astype(Arg x, DType type) {
  const Site site("astype", x.at());
  const Var v = operand_like(x, type);
  return v.dtype() == type ? v : make<Cast>({v}, {.to = type});
}

Var where(Arg condition, Arg x, Arg y) {
  const Site site("where", condition.at());
  const Var c = operand(condition, Domain::boolean);
  const auto [a, b] = promoted(x, y);
  return like_numbers(make<Where>({c, a, b}), x, y);
}

// --- integers and booleans

#define TC_DSL_BITWISE(name, OnBooleans, OnIntegers)                \
  Var name(Arg a, Arg b) {                                          \
    const Site site(#name, a.at());                                 \
    const auto [x, y] = promoted(a, b, Domain::integer_or_boolean); \
    if (x.dtype() == bool_) return make<OnBooleans>({x, y});        \
    return make<OnIntegers>({x, y});                                \
  }
TC_DSL_BITWISE(bitwise_and, And, BitwiseAnd)
TC_DSL_BITWISE(bitwise_or, Or, BitwiseOr)
TC_DSL_BITWISE(bitwise_xor, Xor, BitwiseXor)
#undef TC_DSL_BITWISE

Var bitwise_invert(Arg x) {
  const Site site("bitwise_invert", x.at());
  const Var v = operand(x, Domain::integer_or_boolean);
  return v.dtype() == bool_ ? make<Not>({v}) : make<BitwiseNot>({v});
}

namespace {

DType unsigned_twin(DType t) {
  switch (t) {
    case i8:
      return u8;
    case i16:
      return u16;
    case i32:
      return u32;
    case i64:
      return u64;
    default:
      return t;
  }
}

// The op shifts unsigned integers only; casts between the twins keep the bits.
Var shift(const Var& x, const Var& bits, ShiftDirection direction) {
  const DType t = unsigned_twin(x.dtype());
  return astype(make<BitShift>({astype(x, t), astype(bits, t)}, {direction}), x.dtype());
}

}  // namespace

Var bitwise_left_shift(Arg x, Arg bits) {
  const Site site("bitwise_left_shift", x.at());
  const auto [v, n] = promoted(x, bits, Domain::integer);
  return shift(v, n, ShiftDirection::left);
}

Var bitwise_right_shift(Arg x, Arg bits) {
  const Site site("bitwise_right_shift", x.at());
  const auto [v, n] = promoted(x, bits, Domain::integer);
  if (!is_signed(v)) return shift(v, n, ShiftDirection::right);
  // Of a negative number the flipped bits are shifted: zeros that enter become ones.
  const Var negative = v < 0;
  const Var shifted = shift(where(negative, ~v, v), n, ShiftDirection::right);
  return where(negative, ~shifted, shifted);
}

// --- rounding and division

#define TC_DSL_ROUNDING(name, ...)          \
  Var name(Arg x) {                         \
    const Site site(#name, x.at());         \
    const Var v = operand(x, Domain::real); \
    if (!is_float(v)) return v;             \
    return __VA_ARGS__;                     \
  }
TC_DSL_ROUNDING(ceil, make<Ceil>({v}))
TC_DSL_ROUNDING(floor, make<Floor>({v}))
TC_DSL_ROUNDING(round, make<Round>({v}))
TC_DSL_ROUNDING(trunc, where(v < 0, ceil(v), floor(v)))
#undef TC_DSL_ROUNDING

Var divide(Arg a, Arg b) {
  const Site site("divide", a.at());
  const auto whole = [](const Arg& x) {
    if (const auto* t = std::get_if<Tensor>(&x.content())) return dtypes::ints.has(t->dtype());
    return !x.weak() && dtypes::ints.has(std::get<Var>(x.content()).dtype());
  };
  const bool integers = whole(a) ? of_numbers(b) || whole(b) : of_numbers(a) && whole(b);
  const auto fraction = [&](const Arg& x) { return x.weak() ? x : Arg(astype(x, f32), x.at()); };
  const auto [x, y] = integers ? promoted(fraction(a), fraction(b)) : promoted(a, b, Domain::floating);
  return like_numbers(make<Div>({x, y}), a, b);
}

Var remainder(Arg a, Arg b) {
  const Site site("remainder", a.at());
  const auto [x, y] = promoted(a, b, Domain::real);
  if (!is_float(x)) return make<Mod>({x, y});
  const Var r = make<Mod>({x, y}, {.fmod = true});
  return where((r != 0) & ((r < 0) != (y < 0)), r + y, r);
}

Var floor_divide(Arg a, Arg b) {
  const Site site("floor_divide", a.at());
  const auto [x, y] = promoted(a, b, Domain::real);
  if (is_float(x)) {
    // As in Python: the quotient less the remainder is nearly whole, whatever rounding does to x / y.
    const Var r = make<Mod>({x, y}, {.fmod = true});
    const Var down = astype((r != 0) & ((r < 0) != (y < 0)), x.dtype());
    return where(y == 0, x / y, round((x - r) / y - down));
  }
  const Var q = make<Div>({x, y});
  if (!is_signed(x)) return q;
  return q - astype((q * y != x) & ((x < 0) != (y < 0)), x.dtype());
}

Var pow(Arg x, Arg exponent) {
  const Site site("pow", x.at());
  const auto [v, e] = promoted(x, exponent, Domain::real);
  const DType t = v.dtype();
  if (is_float(v) || t == i32 || t == i64) return make<Pow>({v, e});
  return astype(make<Pow>({astype(v, i64), astype(e, i64)}), t);
}

// --- signs and classes

Var negative(Arg x) {
  const Site site("negative", x.at());
  const Var v = operand(x, Domain::real);
  return dtypes::unsigned_ints.has(v.dtype()) ? 0 - v : like_numbers(make<Neg>({v}), x, x);
}

Var positive(Arg x) {
  const Site site("positive", x.at());
  return operand(x, Domain::numeric);
}

Var conj(Arg x) {
  const Site site("conj", x.at());
  return operand(x, Domain::real);
}

Var real(Arg x) {
  const Site site("real", x.at());
  return operand(x, Domain::real);
}

Var imag(Arg x) {
  const Site site("imag", x.at());
  const Var v = operand(x, Domain::real);
  return where(v == v, 0, astype(0, v.dtype())) * astype(0, v.dtype());
}

Var not_equal(Arg a, Arg b) {
  const Site site("not_equal", a.at());
  return make<Not>({equal(a, b)});
}

Var isnan(Arg x) {
  const Site site("isnan", x.at());
  const Var v = operand(x, Domain::real);
  return is_float(v) ? make<IsNaN>({v}) : v != v;
}

Var isinf(Arg x) {
  const Site site("isinf", x.at());
  const Var v = operand(x, Domain::real);
  return is_float(v) ? make<IsInf>({v}) : v != v;
}

Var isfinite(Arg x) {
  const Site site("isfinite", x.at());
  const Var v = operand(x, Domain::real);
  return is_float(v) ? abs(v) < std::numeric_limits<double>::infinity() : v == v;
}

Var signbit(Arg x) {
  const Site site("signbit", x.at());
  const Var v = operand(x, Domain::floating);
  return where(v == 0, reciprocal(v), v) < 0;  // 1 / -0 is minus infinity
}

Var copysign(Arg x, Arg sign) {
  const Site site("copysign", x.at());
  const auto [v, s] = promoted(x, sign, Domain::floating);
  const Var size = abs(v);
  return where(signbit(s), -size, size);
}

Var nextafter(Arg x, Arg towards) {
  const Site site("nextafter", x.at());
  const auto [v, to] = promoted(x, towards, Domain::floating);
  if (v.dtype() != f32 && v.dtype() != f64)
    refuse(ErrorCode::bad_type, cat("operands are ", v.type(), ", expected f32 or f64"));
  const DType bits = v.dtype() == f32 ? i32 : i64;
  // The bits of floats of one sign are in the order of their sizes, so a neighbour is one away.
  const Var outwards = (to > v) == (v > 0);
  const Var step = make<BitCast>({v}, {bits}) + where(outwards, 1, astype(-1, bits));
  const Var neighbour = make<BitCast>({step}, {v.dtype()});
  const double tiny =
      v.dtype() == f32 ? std::numeric_limits<float>::denorm_min() : std::numeric_limits<double>::denorm_min();
  const Var next = where(v == 0, copysign(astype(tiny, v.dtype()), to), neighbour);
  return where(v == to, to, where(isnan(v) | isnan(to), v + to, next));
}

// --- exponentials and logarithms

Var expm1(Arg x) {
  const Site site("expm1", x.at());
  const Var v = operand(x, Domain::floating);
  return tanh(v * 0.5) * (exp(v) + 1);  // (e^x - 1) / (e^x + 1) = tanh(x / 2): nothing cancels
}

Var log1p(Arg x) {
  const Site site("log1p", x.at());
  const Var v = operand(x, Domain::floating);
  // 2 atanh(x / (x + 2)) near 0. Each branch sees only operands that suit it, for the sake of gradients.
  const Var near = abs(v) < 0.5;
  const Var small = where(near, v, 0);
  return where(near, atanh(small / (small + 2)) * 2, log(where(near, 0, v) + 1));
}

Var log2(Arg x) {
  const Site site("log2", x.at());
  return log(x) / std::numbers::ln2;
}

Var log10(Arg x) {
  const Site site("log10", x.at());
  return log(x) / std::numbers::ln10;
}

Var logaddexp(Arg a, Arg b) {
  const Site site("logaddexp", a.at());
  const auto [x, y] = promoted(a, b, Domain::floating);
  const Var distance = where(x == y, 0, abs(x - y));  // also of equal infinities
  return maximum(x, y) + softplus(-distance);
}

Var square(Arg x) {
  const Site site("square", x.at());
  const Var v = operand(x, Domain::real);
  return v * v;
}

// --- geometry

Var hypot(Arg a, Arg b) {
  const Site site("hypot", a.at());
  const auto [p, q] = promoted(a, b, Domain::floating);
  const Var x = abs(p), y = abs(q), large = maximum(x, y);
  // Scaled by the larger one, squares neither overflow nor vanish.
  const Var ratio = minimum(x, y) / where(large == 0, 1, large);
  const double infinity = std::numeric_limits<double>::infinity();
  return where((x == infinity) | (y == infinity), astype(infinity, x.dtype()), large * sqrt(ratio * ratio + 1));
}

Var atan2(Arg y, Arg x) {
  const Site site("atan2", y.at());
  const auto [v, u] = promoted(y, x, Domain::floating);
  const Var height = abs(v), width = abs(u);
  const Var large = maximum(height, width), small = minimum(height, width);
  const Var ratio = where(small == std::numeric_limits<double>::infinity(), 1, small / where(large == 0, 1, large));
  const Var octant = atan(ratio);
  const Var quadrant = where(height > width, std::numbers::pi / 2 - octant, octant);
  return copysign(where(signbit(u), std::numbers::pi - quadrant, quadrant), v);
}

Var clip(Arg x, Arg min, Arg max) {
  const Site site("clip", x.at());
  if (!x.weak() && (min.weak() || min.absent()) && (max.weak() || max.absent())) {
    const Var v = operand(x, Domain::real);
    const auto bound = [&](const Arg& b) { return b.absent() ? Var() : operand_like(b, v.dtype()); };
    return make<Clip>({v, bound(min), bound(max)});
  }
  Var v = operand(x, Domain::real);
  if (!min.absent()) v = maximum(v, min);
  return max.absent() ? v : minimum(v, max);
}

// --- activations with parameters of their own

Var gelu(Arg x, GeluForm form) {
  const Site site("gelu", x.at());
  return make<Gelu>({operand(x, Domain::floating)},
                    {form == GeluForm::exact ? GeluApproximation::none : GeluApproximation::tanh});
}

Var hard_sigmoid(Arg x, double alpha, double beta) {
  const Site site("hard_sigmoid", x.at());
  return make<HardSigmoid>({operand(x, Domain::floating)}, {.alpha = attribute(alpha), .beta = attribute(beta)});
}

Var relu(Arg x) {
  const Site site("relu", x.at());
  const Var v = operand(x, Domain::real);
  return dtypes::unsigned_ints.has(v.dtype()) ? v : make<Relu>({v});
}

Var selu(Arg x) {
  const Site site("selu", x.at());
  return make<Selu>({operand(x, Domain::floating)});
}

Var silu(Arg x) {
  const Site site("silu", x.at());
  return swish(x);
}

Var relu6(Arg x) {
  const Site site("relu6", x.at());
  return clip(operand(x, Domain::real), 0, 6);
}

Var shrink(Arg x, double lambda, double bias) {
  const Site site("shrink", x.at());
  return make<Shrink>({operand(x, Domain::real)}, {.bias = attribute(bias), .lambd = attribute(lambda)});
}

Var swiglu(Arg a, Arg b, double alpha) {
  const Site site("swiglu", a.at());
  const auto [x, y] = promoted(a, b, Domain::floating);
  return make<SwiGLU>({x, y}, {.alpha = attribute(alpha)});
}

// --- operators

#define TC_DSL_OPERATOR(op, name)            \
  Var operator op(Arg a, Arg b) {            \
    return name(std::move(a), std::move(b)); \
  }
TC_DSL_OPERATOR(+, add)
TC_DSL_OPERATOR(-, subtract)
TC_DSL_OPERATOR(*, multiply)
TC_DSL_OPERATOR(/, divide)
TC_DSL_OPERATOR(%, remainder)
TC_DSL_OPERATOR(&, bitwise_and)
TC_DSL_OPERATOR(|, bitwise_or)
TC_DSL_OPERATOR(^, bitwise_xor)
TC_DSL_OPERATOR(<<, bitwise_left_shift)
TC_DSL_OPERATOR(>>, bitwise_right_shift)
TC_DSL_OPERATOR(&&, logical_and)
TC_DSL_OPERATOR(||, logical_or)
TC_DSL_OPERATOR(<, less)
TC_DSL_OPERATOR(<=, less_equal)
TC_DSL_OPERATOR(>, greater)
TC_DSL_OPERATOR(>=, greater_equal)
TC_DSL_OPERATOR(==, equal)
TC_DSL_OPERATOR(!=, not_equal)
#undef TC_DSL_OPERATOR
Var operator-(Arg x) {
  return negative(std::move(x));
}
Var operator~(Arg x) {
  return bitwise_invert(std::move(x));
}
Var operator!(Arg x) {
  return logical_not(std::move(x));
}

#define TC_DSL_OPERATOR(op)            \
  Var& operator op##=(Var& x, Arg y) { \
    return x = x op std::move(y);      \
  }
TC_DSL_OPERATOR(+)
TC_DSL_OPERATOR(-)
TC_DSL_OPERATOR(*)
TC_DSL_OPERATOR(/)
#undef TC_DSL_OPERATOR

}  // namespace tc
