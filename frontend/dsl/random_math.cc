#include "tc/frontend/dsl/random_math.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "tc/frontend/dsl/custom.h"
#include "tc/frontend/dsl/elementwise.h"
#include "tc/frontend/dsl/index.h"
#include "tc/frontend/dsl/manipulation.h"
#include "tc/frontend/dsl/random_tables.h"
#include "tc/frontend/dsl/reduce.h"

namespace tc::random {

namespace {

using Coefficients = std::span<const double>;

Coefficients choose(const Var& x, Coefficients narrow, Coefficients wide) {
  return x.dtype() == f32 ? narrow : wide;
}

Var polynomial(const Var& t, Coefficients c) {
  Var y = t * c[c.size() - 1] - -c[c.size() - 2];
  for (size_t i = c.size() - 2; i-- > 0;) y = y * t - -c[i];
  return y;
}

// Brings what is too small up to sqrt(1/2), by powers of two that are chosen largest first.
Parts raised(Parts p, int largest) {
  for (int n = largest; n > 0; n /= 2) {
    const Var small = p.mantissa < std::ldexp(std::numbers::sqrt2, -n);
    p.mantissa = p.mantissa * where(small, std::ldexp(1, n), astype(1, p.mantissa.dtype()));
    p.exponent = p.exponent - where(small, n, astype(0, p.mantissa.dtype()));
  }
  return p;
}

// Brings what is too large down below sqrt(2).
Parts lowered(Parts p, int largest) {
  for (int n = largest; n > 0; n /= 2) {
    const Var big = p.mantissa >= std::ldexp(std::numbers::sqrt2, n - 1);
    p.mantissa = p.mantissa * where(big, std::ldexp(1, -n), astype(1, p.mantissa.dtype()));
    p.exponent = p.exponent + where(big, n, astype(0, p.mantissa.dtype()));
  }
  return p;
}

// log(2) in two parts: products of the first with whole numbers of 11 bits are exact.
struct Split {
  double high, low;
};
Split log_two(DType t) {
  if (t == f32) return {0x1.62ep-1, std::numbers::ln2 - 0x1.62ep-1};
  return {0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45};
}

// 2^n of whole n >= 0 below 2 `largest`.
Var power_of_two(Var n, int largest) {
  const DType t = n.dtype();
  Var y = n * 0 + 1;
  for (int step = largest; step > 0; step /= 2) {
    const Var big = n >= step;
    y = y * where(big, std::ldexp(1, step), astype(1, t));
    n = n - where(big, step, astype(0, t));
  }
  return y;
}

}  // namespace

Var plus(const Var& product, const Var& x) {
  return product - -x;
}

// log(m) = 2 atanh(s) = 2 s + s^3 P(s^2).
Var log_of(const Parts& p) {
  return log_by_ratio((p.mantissa - 1) / (p.mantissa + 1), p.exponent);
}

Var log_by_ratio(const Var& s, const Var& exponent) {
  const Split two = log_two(s.dtype());
  const Var square = s * s;
  const Var tail = square * s * polynomial(square, choose(s, tables::kLog32, tables::kLog64));
  const Var low = plus(exponent * two.low, plus(tail, s * 2));
  return exponent * two.high + low;
}

Parts exp_parts(const Var& x) {
  const Var n = round(x * std::numbers::log2e);
  const Split two = log_two(x.dtype());
  const Var r = plus(n * -two.low, plus(n * -two.high, x));
  const Var tail = r * r * polynomial(r, choose(x, tables::kExp32, tables::kExp64));
  return {plus(tail, r) + 1, n};
}

Var log_below_1(const Var& x) {
  return log_of(raised({x, x * 0}, 32));
}

Var log_any(const Var& x) {
  return log_of(lowered(raised({x, x * 0}, 64), 64));
}

Var exp_any(const Var& x) {
  const DType t = x.dtype();
  const int largest = t == f32 ? 64 : 512;
  const double top = largest * 2 - 1, bottom = -(top - 2);
  const Var low = x<bottom * std::numbers::ln2, high = x> top * std::numbers::ln2;
  const Var inside = where(low | high, 0, x);
  const auto [y, n] = exp_parts(inside);
  const Var size = power_of_two(abs(n), largest);
  const Var scaled = where(n < 0, y / size, y * size);
  const Var infinite = astype(std::numeric_limits<double>::infinity(), t);
  return where(low, 0, where(high, infinite, scaled));
}

Var log_gamma_from_1(const Var& x) {
  constexpr double kSeries[] = {1. / 12, -1. / 360, 1. / 1260, -1. / 1680, 1. / 1188, -691. / 360360, 1. / 156};
  constexpr double kHalfLogTwoPi = 0x1.d67f1c864beb5p-1;
  Var y = x, product = x * 0 + 1;
  for (int k = 0; k < 7; ++k) {
    const Var low = y < 8;
    product = where(low, product * y, product);
    y = where(low, y + 1, y);
  }
  const Var tail = polynomial(1 / (y * y), kSeries) / y;
  return plus((y - 0.5) * (log_any(y) - 1), tail + (kHalfLogTwoPi - 0.5 - log_any(product)));
}

Var normal_quantile(const Var& u) {
  const bool narrow = u.dtype() == f32;
  const Var rest = 1 - u;
  const Var w = -log_below_1(u * rest * 4);  // -log(1 - x^2) of x = 2 u - 1
  const double seam = narrow ? 5 : 6;
  const Var near = w < seam, root = sqrt(where(near, seam, w));
  const Var inner = where(near, w, 0) / (seam / 2) - 1;
  Var tail = polynomial(root - (narrow ? 3.2 : 5), choose(u, tables::kNormalFar32, tables::kNormalFar64));
  if (!narrow) tail = where(w < 16, polynomial(root - 3.2, tables::kNormalMiddle64), tail);
  const Var body = polynomial(inner, choose(u, tables::kNormalNear32, tables::kNormalNear64));
  return where(near, body, tail) * (u - rest);
}

Var cauchy_quantile(const Var& u) {
  const Var x = u - 0.5, a = abs(x), far = a > 0.25;
  const Var y = where(far, 0.5 - a, a), square = y * y;
  const Var sine = y * polynomial(square, choose(u, tables::kSine32, tables::kSine64));
  const Var cosine = polynomial(square, choose(u, tables::kCosine32, tables::kCosine64));
  const Var size = where(far, cosine, sine) / where(far, sine, cosine);
  return where(x < 0, -size, size);
}

Var ordered_sum(const Var& x) {
  if (!x.dim(-1).is_const() || x.dim(-1).value() == 0) return sum(x, {.axis = -1, .keepdims = true});
  const auto halves = [](Var y) {
    for (int64_t n = y.dim(-1).value(); n > 1; n = y.dim(-1).value()) {
      const int64_t half = n / 2;
      const Var both = y[{ellipsis, slice(half)}] + y[{ellipsis, slice(half, 2 * half)}];
      y = n % 2 ? concat({both, y[{ellipsis, slice(2 * half, n)}]}, {.axis = -1}) : both;
    }
    return y;
  };
  return custom_vjp(halves, [](Var y, Var, Var v) { return broadcast_to(v, y.shape()); })(x);
}

}  // namespace tc::random
