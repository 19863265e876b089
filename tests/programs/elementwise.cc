#include <algorithm>
#include <cmath>

#include "writer.h"

namespace tc::programs {
namespace {

using Binary = Var (*)(Arg, Arg);

// What an operand has to be for a function to be smooth enough.
enum class Domain { any, bounded, unit, positive };

struct Unary {
  const char* text;  // % stands for the operand
  Var (*apply)(Var);
  Domain domain;
  double (*size)(double);
};

double same(double s) {
  return s;
}
double one(double) {
  return 1;
}
double at_most_two(double s) {
  return std::min(s, 2.0);
}
double grown(double s) {
  return std::exp(s);
}
double more(double s) {
  return s + 1;
}

#define TC_UNARY(function, domain, size)                                         \
  {                                                                              \
#function "(%)", [](Var x) { return tc::function(x); }, Domain::domain, size \
  }
constexpr Unary kUnary[] = {
    TC_UNARY(abs, any, same),
    TC_UNARY(negative, any, same),
    TC_UNARY(sin, any, one),
    TC_UNARY(cos, any, one),
    TC_UNARY(tanh, any, one),
    TC_UNARY(atan, any, at_most_two),
    TC_UNARY(asinh, any, at_most_two),
    TC_UNARY(erf, any, one),
    TC_UNARY(sigmoid, any, one),
    TC_UNARY(softsign, any, one),
    TC_UNARY(softplus, any, more),
    TC_UNARY(relu, any, same),
    TC_UNARY(relu6, any, same),
    TC_UNARY(silu, any, same),
    TC_UNARY(mish, any, same),
    TC_UNARY(selu, any, same),
    TC_UNARY(gelu, any, same),
    TC_UNARY(hard_swish, any, same),
    TC_UNARY(hard_sigmoid, any, one),
    TC_UNARY(square, any, [](double s) { return s * s; }),
    TC_UNARY(exp, bounded, grown),
    TC_UNARY(expm1, bounded, grown),
    TC_UNARY(sinh, bounded, grown),
    TC_UNARY(cosh, bounded, grown),
    TC_UNARY(tan, unit, at_most_two),
    TC_UNARY(asin, unit, at_most_two),
    TC_UNARY(acos, unit, [](double) { return 3.0; }),
    TC_UNARY(atanh, unit, at_most_two),
    TC_UNARY(log1p, unit, [](double) { return 2.0; }),
    TC_UNARY(log, positive, at_most_two),
    TC_UNARY(log2, positive, at_most_two),
    TC_UNARY(log10, positive, at_most_two),
    TC_UNARY(sqrt, positive, same),
    TC_UNARY(reciprocal, positive, [](double) { return 2.0; }),
    {"elu(%, 0.7)", [](Var x) { return elu(x, 0.7); }, Domain::any, same},
    {"celu(%, 1.3)", [](Var x) { return celu(x, 1.3); }, Domain::any, same},
    {"leaky_relu(%, 0.1)", [](Var x) { return leaky_relu(x, 0.1); }, Domain::any, same},
    {"swish(%, 1.2)", [](Var x) { return swish(x, 1.2); }, Domain::any, same},
    {"gelu(%, GeluForm::tanh)", [](Var x) { return gelu(x, GeluForm::tanh); }, Domain::any, same},
    {"acosh(1 + %)", [](Var x) { return acosh(1 + x); }, Domain::positive, at_most_two},
    {"clip(%, -0.6, 0.9)", [](Var x) { return clip(x, -0.6, 0.9); }, Domain::any, one},
    {"% ** 3", [](Var x) { return pow(x, 3); }, Domain::unit, one},
    {"% ** -0.5", [](Var x) { return pow(x, -0.5); }, Domain::positive, at_most_two},
    {"2 / %", [](Var x) { return 2 / x; }, Domain::positive, [](double) { return 4.0; }},
    {"1.5 - %", [](Var x) { return 1.5 - x; }, Domain::any, [](double s) { return s + 1.5; }},
    {"% * 0.75", [](Var x) { return x * 0.75; }, Domain::any, same},
};
#undef TC_UNARY

std::string with_operand(std::string text, const std::string& name) {
  return text.replace(text.find('%'), 1, name);
}

void unary(Writer& w) {
  const Unary& u = kUnary[static_cast<size_t>(w.below(std::ssize(kUnary)))];
  Item x = w.any();
  if (u.domain == Domain::any) x = w.bounded(x, 4);
  if (u.domain == Domain::bounded) x = w.bounded(x, 2);
  if (u.domain == Domain::unit) x = w.unit(x);
  if (u.domain == Domain::positive) x = w.positive(x);
  w.add(with_operand(u.text, x.name), u.apply(x.v), u.size(x.size));
}

void arithmetic(Writer& w) {
  const Item a = w.any();
  Item b = w.partner(a);
  switch (w.below(4)) {
    case 0:
      w.add(cat(a.name, " + ", b.name), a.v + b.v, a.size + b.size);
      return;
    case 1:
      w.add(cat(b.name, " - ", a.name), b.v - a.v, a.size + b.size);
      return;
    case 2:
      w.add(cat(a.name, " * ", b.name), a.v * b.v, a.size * b.size);
      return;
    default:
      b = w.positive(b);
      w.add(cat(a.name, " / ", b.name), a.v / b.v, a.size * 2);
  }
}

void of_two(Writer& w) {
  Item a = w.any(), b = w.partner(a);
  switch (w.below(7)) {
    case 0:
      w.add(cat("maximum(", a.name, ", ", b.name, ")"), maximum(a.v, b.v), std::max(a.size, b.size));
      return;
    case 1:
      w.add(cat("minimum(", b.name, ", ", a.name, ")"), minimum(b.v, a.v), std::max(a.size, b.size));
      return;
    case 2:
      a = w.positive(w.bounded(a, 2)), b = w.bounded(b, 2);
      w.add(cat("pow(", a.name, ", ", b.name, ")"), pow(a.v, b.v), 6);
      return;
    case 3:
      a = w.positive(a);
      w.add(cat("hypot(", a.name, ", ", b.name, ")"), hypot(a.v, b.v), a.size + b.size);
      return;
    case 4:
      b = w.positive(b);
      w.add(cat("atan2(", a.name, ", ", b.name, ")"), atan2(a.v, b.v), 2);
      return;
    case 5:
      w.add(cat("logaddexp(", a.name, ", ", b.name, ")"), logaddexp(a.v, b.v), std::max(a.size, b.size) + 1);
      return;
    default:
      b = w.fresh(a.rank() ? Extents{a.extents.back()} : Extents{});
      w.add(cat("prelu(", a.name, ", ", b.name, ")"), prelu(a.v, b.v), a.size * std::max(1.0, b.size));
  }
}

void choice(Writer& w) {
  const Item a = w.any(), c = w.condition(a);
  if (w.chance(0.3)) {
    const double other = w.number(-1, 1);
    w.add(cat("where(", c.name, ", ", a.name, ", ", other, ")"), where(c.v, a.v, other), a.size);
    return;
  }
  const Item b = w.partner(a);
  w.add(cat("where(", c.name, ", ", a.name, ", ", b.name, ")"), where(c.v, a.v, b.v), std::max(a.size, b.size));
}

// Integers among themselves, and back to floats.
void integers(Writer& w) {
  const DType t = w.chance(0.5) ? i32 : i64;
  const Extents extents = w.random_extents(static_cast<int>(w.between(1, 3)));
  Item x = w.fresh_ints(extents, -9, 9, t);
  for (int64_t i = w.between(1, 3); i > 0; --i) {
    const Item y = w.fresh_ints(extents, 1, 5, t);
    const Item before = x;
    const auto apply = [&](const char* name, const Var& v, double size) {
      x = w.aside(cat(name, "(", before.name, ", ", y.name, ")"), v, size, true);
    };
    switch (w.below(8)) {
      case 0:
        apply("add", x.v + y.v, x.size + 5);
        break;
      case 1:
        apply("subtract", y.v - x.v, x.size + 5);
        break;
      case 2:
        apply("multiply", x.v * y.v, x.size * 5);
        break;
      case 3:
        apply("floor_divide", floor_divide(x.v, y.v), x.size);
        break;
      case 4:
        apply("remainder", remainder(x.v, y.v), 5);
        break;
      case 5:
        apply("maximum", maximum(x.v, y.v), x.size);
        break;
      case 6:
        apply("where <", where(x.v < y.v, x.v, -y.v), x.size);
        break;
      default:
        x = w.aside(cat("cumulative_sum(", before.name, ", 0)"), astype(cumulative_sum(x.v, {.axis = 0}), t),
                    x.size * static_cast<double>(extents[0]), true);
    }
  }
  w.add(cat("astype(", x.name, ", float) * 0.125"), astype(x.v, w.dtype()) * 0.125, x.size / 8);
}

// Functions with jumps, of values that every engine has alike.
void jump(Writer& w) {
  const Item x = w.fresh(w.random_extents(static_cast<int>(w.between(1, 3))));
  switch (w.below(5)) {
    case 0:
      w.add(cat("floor(", x.name, ")"), floor(x.v), 2);
      return;
    case 1:
      w.add(cat("round(", x.name, ")"), round(x.v), 2);
      return;
    case 2:
      w.add(cat("sign(", x.name, ")"), sign(x.v), 1);
      return;
    case 3:
      w.add(cat("trunc(", x.name, ")"), trunc(x.v), 2);
      return;
    default:
      w.add(cat("ceil(", x.name, ") + ", x.name), ceil(x.v) + x.v, 4);
  }
}

constexpr Statement kElementwiseStatements[] = {unary,      unary,  unary,  unary,    arithmetic,
                                                arithmetic, of_two, choice, integers, jump};

}  // namespace

std::span<const Statement> elementwise_statements() {
  return kElementwiseStatements;
}

}  // namespace tc::programs
