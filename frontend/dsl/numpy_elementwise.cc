#include "tc/frontend/dsl/numpy_elementwise.h"

#include <limits>

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/elementwise.h"

namespace tc {

using namespace dsl;

namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

bool has_fractions(const Var& v) {
  return dtypes::floats.has(v.dtype());
}

// x and y, without NaNs where only one of them has one.
Var ignoring_nan(const Arg& a, const Arg& b, bool larger) {
  const auto [x, y] = promoted(a, b, Domain::real);
  const Var result = larger ? maximum(x, y) : minimum(x, y);
  return has_fractions(x) ? where(isnan(x), y, where(isnan(y), x, result)) : result;
}

double largest_of(DType t) {
  return t == f16 ? 65504 : t == bf16 ? 0x1.fep127 : t == f32 ? 0x1.fffffep127 : std::numeric_limits<double>::max();
}

}  // namespace

Var fmod(Arg a, Arg b) {
  const Site site("fmod", a.at());
  const auto [x, y] = promoted(a, b, Domain::real);
  return make<Mod>({x, y}, {.fmod = true});
}

DivModResult divmod(Arg a, Arg b) {
  const Site site("divmod", a.at());
  const auto [x, y] = promoted(a, b, Domain::real);
  return {floor_divide(x, y), remainder(x, y)};
}

Var fmax(Arg a, Arg b) {
  const Site site("fmax", a.at());
  return ignoring_nan(a, b, true);
}
Var fmin(Arg a, Arg b) {
  const Site site("fmin", a.at());
  return ignoring_nan(a, b, false);
}

Var heaviside(Arg x, Arg at_zero) {
  const Site site("heaviside", x.at());
  const auto [v, h] = promoted(x, at_zero, Domain::floating);
  return where(isnan(v), v, where(v == 0, h, astype(v > 0, v.dtype())));
}

Var round_half_away(Arg x) {
  const Site site("round_half_away", x.at());
  const Var v = operand(x, Domain::real);
  if (!has_fractions(v)) return v;
  const Var whole = trunc(v);
  // What is cut off is exact; adding a half first would round it.
  return where(abs(v - whole) >= 0.5, whole + sign(v), whole);
}

namespace {

// Of f64: whole powers of two in two steps, each of which is finite.
Var scaled_by_power_of_two(const Var& x, const Var& exponent) {
  const Var all = clip(astype(exponent, i64), -2200, 2200);
  const Var first = all >> 1;
  const auto two_to = [](const Var& e) { return pow(astype(2, f64), astype(e, f64)); };
  const Var half = first >> 1;  // quarters, so that none of them over- or underflows
  const Var y = x * two_to(half) * two_to(first - half);
  const Var rest = all - first, quarter = rest >> 1;
  return y * two_to(quarter) * two_to(rest - quarter);
}

}  // namespace

Var ldexp(Arg x, Arg exponent) {
  const Site site("ldexp", x.at());
  const Var v = operand(x, Domain::floating), e = operand(exponent, Domain::integer);
  return astype(scaled_by_power_of_two(astype(v, f64), e), v.dtype());
}

FrexpResult frexp(Arg x) {
  const Site site("frexp", x.at());
  const Var v = operand(x, Domain::floating);
  const Var wide = astype(v, f64);
  const Var plain = (wide == 0) | ~isfinite(wide);
  // Numbers below the normal ones are scaled first, for the sake of the logarithm and of what is divided by.
  const Var tiny = abs(wide) < 0x1p-1000;
  const Var size = where(plain, 1, where(tiny, wide * 0x1p100, wide));
  const Var guess = astype(floor(log2(abs(size))), i64) + 1;
  const Var scaled = scaled_by_power_of_two(size, -guess);  // about 0.5 to 1: the logarithm may be off by a rounding
  const Var high = abs(scaled) >= 1, low = abs(scaled) < 0.5;
  const Var mantissa = where(high, scaled * 0.5, where(low, scaled * 2, scaled));
  const Var exponent = guess + astype(high, i64) - astype(low, i64) - where(tiny, 100, 0);
  return {where(plain, v, astype(mantissa, v.dtype())), astype(where(plain, 0, exponent), i32)};
}

ModfResult modf(Arg x) {
  const Site site("modf", x.at());
  const Var v = operand(x, Domain::floating);
  const Var whole = trunc(v);
  return {copysign(where(isinf(v), 0, v - whole), v), copysign(whole, v)};
}

Var bitwise_count(Arg x) {
  const Site site("bitwise_count", x.at());
  const Var v = operand(x, Domain::integer);
  const Var wide = astype(dtypes::signed_ints.has(v.dtype()) ? where(v < 0, -v, v) : v, u64);
  const Var bits = dtypes::signed_ints.has(v.dtype()) && v.dtype() != i64
                       ? wide & ((uint64_t{1} << info(v.dtype()).bits) - 1)  // the smallest number is its own negative
                       : wide;
  // Sums of neighbours in fields of 2, 4 and 8 bits, then all bytes by a product.
  const Var pairs = bits - ((bits >> 1) & 0x5555555555555555);
  const Var nibbles = (pairs & 0x3333333333333333) + ((pairs >> 2) & 0x3333333333333333);
  const Var bytes = (nibbles + (nibbles >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return astype((bytes * 0x0101010101010101) >> 56, u8);
}

namespace {

// Of integers that are not negative: Euclid's algorithm, all elements at once.
Var common_divisor(const Var& a, const Var& b) {
  const auto [divisor, rest] = while_loop([](Var, Var y) { return any(y != 0); },
                                          [](Var x, Var y) {
                                            const Var next = make<Mod>({x, where(y == 0, 1, y)});
                                            return std::pair{where(y == 0, x, y), where(y == 0, y, next)};
                                          },
                                          {a, b});
  return divisor;
}

std::pair<Var, Var> magnitudes(const Arg& a, const Arg& b) {
  auto [x, y] = promoted(a, b, Domain::integer);
  const std::vector<Var> both = broadcast_arrays({x, y});
  const auto size = [](const Var& v) { return dtypes::signed_ints.has(v.dtype()) ? abs(v) : v; };
  return {size(both[0]), size(both[1])};
}

}  // namespace

Var gcd(Arg a, Arg b) {
  const Site site("gcd", a.at());
  const auto [x, y] = magnitudes(a, b);
  return common_divisor(x, y);
}

Var lcm(Arg a, Arg b) {
  const Site site("lcm", a.at());
  const auto [x, y] = magnitudes(a, b);
  const Var divisor = common_divisor(x, y);
  return make<Div>({x, where(divisor == 0, 1, divisor)}) * y;
}

Var nan_to_num(Arg x, NanToNumOptions options) {
  const Site site("nan_to_num", x.at());
  const Var v = operand(x, Domain::real);
  if (!has_fractions(v)) return v;
  const double largest = largest_of(v.dtype());
  return where(isnan(v), options.nan,
               where(v == kUnbounded, options.posinf.value_or(largest),
                     where(v == -kUnbounded, options.neginf.value_or(-largest), v)));
}

Var isposinf(Arg x) {
  const Site site("isposinf", x.at());
  const Var v = operand(x, Domain::real);
  return has_fractions(v) ? v == kUnbounded : v != v;
}
Var isneginf(Arg x) {
  const Site site("isneginf", x.at());
  const Var v = operand(x, Domain::real);
  return has_fractions(v) ? v == -kUnbounded : v != v;
}

Var isclose(Arg a, Arg b, CloseOptions options) {
  const Site site("isclose", a.at());
  auto [x, y] = promoted(a, b, Domain::real);
  if (!has_fractions(x)) x = astype(x, f64), y = astype(y, f64);
  // Infinities are close to themselves alone; what is not finite must not meet the tolerance, which may be infinite.
  const Var finite = isfinite(x) & isfinite(y);
  const Var near = abs(x - y) <= options.atol + options.rtol * abs(y);
  const Var close = (finite & near) | (x == y);
  return options.equal_nan ? close | (isnan(x) & isnan(y)) : close;
}

Var allclose(Arg a, Arg b, CloseOptions options) {
  const Site site("allclose", a.at());
  return all(isclose(std::move(a), std::move(b), options));
}

Var array_equal(Arg a, Arg b) {
  const Site site("array_equal", a.at());
  const auto [x, y] = promoted(a, b);
  if (x.rank() != y.rank()) return asarray(false);
  bool same = true;
  for (int i = 0; i < x.rank(); ++i) {
    const Dim &m = x.dim(i), &n = y.dim(i);
    if (m.is_const() && n.is_const() && m != n) return asarray(false);
    same = same && m == n;
  }
  if (same) return all(x == y);
  // Extents that only a run tells: what they have in common is compared where they are the same.
  return cond(
      all(shape_of(x) == shape_of(y)), [&, p = x, q = y] { return all(p == reshape(q, shape_of(p))); },
      [] { return asarray(false); });
}

}  // namespace tc
