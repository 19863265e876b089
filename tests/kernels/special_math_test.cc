// The micro-ops that are special functions against extended precision, on every tier: f32 and f64 within stated errors,
// and what SciPy's documentation says at their edges.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "guard.h"
#include "tc/kernels/table.h"

namespace tc::kernels {
namespace {

using testing::Edge;
using testing::GuardedBuffer;
using testing::kEdges;
using testing::machine_tiers;
using testing::Random;

using Real = long double;
constexpr Real kPi = 3.14159265358979323846264338327950288L, kRoot2 = 1.41421356237309504880168872420969808L;
constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

Real erfcx(Real x) {
  return std::exp(x * x) * std::erfc(x);
}
// By Newton's method for the logarithm, which is concave.
Real erfcinv(Real q) {
  if (q > 1) return -erfcinv(2 - q);
  if (q == 1) return 0;
  Real y = std::sqrt(-std::log(q) / 2);
  for (int k = 0; k < 60; ++k) y += (std::log(std::erfc(y)) - std::log(q)) * erfcx(y) * std::sqrt(kPi) / 2;
  return y;
}
Real erfinv(Real x) {
  if (std::fabs(x) > 0.5L) return std::copysign(erfcinv(1 - std::fabs(x)), x);
  Real y = x * std::sqrt(kPi) / 2;
  for (int k = 0; k < 20; ++k) y -= (std::erf(y) - x) * std::sqrt(kPi) / 2 * std::exp(y * y);
  return y;
}
Real log_ndtr(Real x) {
  return x > 0 ? std::log1p(-std::erfc(x / kRoot2) / 2) : std::log(std::erfc(-x / kRoot2) / 2);
}

// By recurrence to 20 and beyond, and the asymptotic series (DLMF 5.11.2, 5.15.8).
constexpr Real kBernoulli[] = {1 / 6.0L,  -1 / 30.0L,     1 / 42.0L, -1 / 30.0L,
                               5 / 66.0L, -691 / 2730.0L, 7 / 6.0L,  -3617 / 510.0L};
Real digamma(Real x) {
  if (x < 0) return digamma(1 - x) - kPi / std::tan(kPi * (x - std::round(x)));
  Real sum = 0;
  for (; x < 20; ++x) sum -= 1 / x;
  sum += std::log(x) - 1 / (2 * x);
  for (int k = 1; k <= 8; ++k) sum -= kBernoulli[k - 1] / (2 * k * std::pow(x, 2 * k));
  return sum;
}
Real trigamma(Real x) {
  if (x < 0) return std::pow(kPi / std::sin(kPi * (x - std::round(x))), 2) - trigamma(1 - x);
  Real sum = 0;
  for (; x < 20; ++x) sum += 1 / (x * x);
  sum += 1 / x + 1 / (2 * x * x);
  for (int k = 1; k <= 8; ++k) sum += kBernoulli[k - 1] / std::pow(x, 2 * k + 1);
  return sum;
}

// Arguments come from `low`..`high`; f32 is within half a unit of the last place and a little more, or where the
// function has zeros that no formula meets within `absolute` of such units of 1; f64 within `ulp` of them.
struct Row {
  MicroOp op;
  Real (*exact)(Real);
  double low, high;
  double ulp;
  double absolute = 0;
};
#define TC_F [](Real x) -> Real
// clang-format off
const Row kRows[] = {
    {MicroOp::erfc, TC_F { return std::erfc(x); }, -6, 26, 5},
    {MicroOp::erfcx, TC_F { return erfcx(x); }, -9, 90, 6},
    {MicroOp::erfinv, TC_F { return erfinv(x); }, -1, 1, 3},
    {MicroOp::erfcinv, TC_F { return erfcinv(x); }, 1e-300, 2, 3},
    {MicroOp::ndtr, TC_F { return std::erfc(-x / kRoot2) / 2; }, -37, 9, 5},
    {MicroOp::log_ndtr, TC_F { return log_ndtr(x); }, -90, 9, 7.5},
    {MicroOp::ndtri, TC_F { return -kRoot2 * erfcinv(2 * x); }, 1e-300, 1, 4},
    {MicroOp::logit, TC_F { return std::log(x) - std::log1p(-x); }, 0, 1, 3},
    {MicroOp::log1mexp, TC_F { return x > -0.7L ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x)); }, -80, 0, 3},
    {MicroOp::entr, TC_F { return -x * std::log(x); }, 0, 1e9, 3},
    {MicroOp::expit, TC_F { return 1 / (1 + std::exp(-x)); }, -87, 40, 3},
    {MicroOp::log_expit, TC_F { return -std::log1p(std::exp(-x)); }, -80, 80, 3},
    {MicroOp::log1pexp, TC_F { return std::log1p(std::exp(x)); }, -80, 80, 3},
    {MicroOp::exp2, TC_F { return std::exp2(x); }, -125, 127, 1.5},
    {MicroOp::exp10, TC_F { return std::pow(Real{10}, x); }, -37, 38, 1.5},
    {MicroOp::cbrt, TC_F { return std::cbrt(x); }, -1e30, 1e30, 2},
    {MicroOp::gamma, TC_F { return std::tgamma(x); }, 1e-30, 34, 5},
    {MicroOp::gamma, TC_F { return std::tgamma(x); }, -30, 0, 6},
    {MicroOp::gammaln, TC_F { return std::lgamma(x); }, 1e-30, 1e9, 4},
    {MicroOp::gammaln, TC_F { return std::lgamma(x); }, 0.4, 9, 4},
    {MicroOp::gammaln, TC_F { return std::lgamma(x); }, -30, 0, 4, 60},
    {MicroOp::digamma, TC_F { return digamma(x); }, 1e-30, 1e9, 8},
    {MicroOp::digamma, TC_F { return digamma(x); }, 0.9, 12, 8},
    {MicroOp::digamma, TC_F { return digamma(x); }, -30, 0, 5, 60},
    {MicroOp::trigamma, TC_F { return trigamma(x); }, 1e-15, 1e9, 4},
    {MicroOp::trigamma, TC_F { return trigamma(x); }, -30, 0, 6},
    {MicroOp::i0, TC_F { return std::cyl_bessel_i(Real{0}, std::fabs(x)); }, -88, 88, 6},
    {MicroOp::i0e, TC_F { return std::exp(-std::fabs(x)) * std::cyl_bessel_i(Real{0}, std::fabs(x)); }, -88, 88, 4},
    {MicroOp::i1, TC_F { return std::copysign(std::cyl_bessel_i(Real{1}, std::fabs(x)), x); }, -88, 88, 6},
    {MicroOp::i1e, TC_F { return std::copysign(std::exp(-std::fabs(x)) * std::cyl_bessel_i(Real{1}, std::fabs(x)), x); },
     -88, 88, 4},
    {MicroOp::j0, TC_F { return std::cyl_bessel_j(Real{0}, std::fabs(x)); }, -200, 200, 0, 8},
    {MicroOp::j1, TC_F { return (x < 0 ? -1 : 1) * std::cyl_bessel_j(Real{1}, std::fabs(x)); }, -200, 200, 0, 8},
};
// clang-format on
#undef TC_F

template <class T>
constexpr Elem kElem = std::is_same_v<T, float> ? Elem::f32 : Elem::f64;

// The op on every element, in buffers that end at guard pages.
template <class T>
std::vector<T> run(Tier tier, MicroOp op, const std::vector<T>& x, Edge edge = Edge::kBack) {
  GuardedBuffer<T> in(x, edge), out(x.size(), edge);
  const StripOp code[] = {{op, 1, 0}};
  const StripProgram program{
      .type = kElem<T>, .inputs = 1, .outputs = 1, .registers = 0, .immediates = {}, .code = code};
  EXPECT_EQ(strip_program_error(program), nullptr);
  StripInput inputs[] = {{in.data(), kElem<T>, {1}}};
  StripOutput outputs[] = {{out.data(), kElem<T>, {1}}};
  const StripArgs args{&program, 1, {static_cast<std::int64_t>(x.size())}, inputs, outputs};
  EXPECT_TRUE(table(tier).strip.of(kElem<T>).fn(args, 0, args.elements()).ok());
  return {out.begin(), out.end()};
}

// Units of the last place of the exact result.
template <class T>
double ulps(T got, Real exact) {
  const T rounded = static_cast<T>(exact);
  if (std::isnan(rounded) || std::isinf(rounded)) return std::isnan(got) == std::isnan(rounded) ? 0 : 1e9;
  constexpr int kLeast = std::numeric_limits<T>::min_exponent - 1;
  const int exponent = rounded == 0 ? kLeast : std::max(std::ilogb(rounded), kLeast);
  return static_cast<double>(std::fabs(static_cast<Real>(got) - exact) /
                             std::ldexp(Real{1}, exponent - std::numeric_limits<T>::digits + 1));
}

class SpecialMath : public ::testing::TestWithParam<Tier> {
 protected:
  template <class T>
  void compare(const Row& row, double bound) const {
    Random random(7);
    const std::size_t n = 4001;
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i) {
      double v = random.uniform(row.low, row.high);
      // A third of the arguments is spread over the magnitudes instead.
      if (i % 3 == 0) {
        const double small = row.low > 0 ? row.low : 1e-15, top = std::max(std::fabs(row.low), std::fabs(row.high));
        v = std::exp(random.uniform(std::log(small), std::log(top)));
        if (row.high <= 0 || (row.low < 0 && (random.bits() & 1) != 0)) v = -v;
      }
      const T rounded = static_cast<T>(v);
      // No poles; rounding may have made one, or left the interval.
      const bool inside = rounded > row.low && rounded < row.high && std::floor(rounded) != rounded;
      x[i] = inside ? rounded : static_cast<T>((row.low + row.high) / 2.3);
    }
    const std::vector<T> y = run(GetParam(), row.op, x);
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Real exact = row.exact(x[i]);
      if (std::fabs(static_cast<Real>(y[i]) - exact) <= row.absolute * std::numeric_limits<T>::epsilon() / 2) continue;
      if (const double error = ulps(y[i], exact); error > worst) worst = error, at = i;
    }
    EXPECT_LE(worst, bound) << micro_op_name(row.op) << "(" << x[at] << ") = " << y[at] << " for "
                            << elem_name(kElem<T>);
    std::printf("%-9s %-8s %s %.2f ulp at %.17g\n", micro_op_name(row.op), tier_name(GetParam()), elem_name(kElem<T>),
                worst, static_cast<double>(x[at]));
  }
};

TEST_P(SpecialMath, EverySpecialFunctionHasARow) {
  for (int i = static_cast<int>(MicroOp::erfc); i < kMicroOpCount; ++i) {
    const bool found =
        std::any_of(std::begin(kRows), std::end(kRows), [&](const Row& r) { return static_cast<int>(r.op) == i; });
    EXPECT_TRUE(found) << micro_op_name(static_cast<MicroOp>(i));
  }
}

TEST_P(SpecialMath, WithinTheStatedError) {
  for (const Row& row : kRows) {
    compare<float>(row, 0.55);
    compare<double>(row, row.ulp);
  }
}

TEST_P(SpecialMath, EveryLength) {
  for (const Row& row : kRows)
    for (std::size_t n = 1; n <= 17; ++n)
      for (const Edge edge : kEdges) {
        const double x = row.high <= 0 ? -0.75 : 0.75;
        for (const float y : run(GetParam(), row.op, std::vector<float>(n, static_cast<float>(x)), edge))
          EXPECT_LE(ulps(y, row.exact(x)), 0.55) << micro_op_name(row.op) << " of " << n;
        for (const double y : run(GetParam(), row.op, std::vector<double>(n, x), edge))
          EXPECT_LE(ulps(y, row.exact(x)), std::max(row.ulp, 4.0)) << micro_op_name(row.op) << " of " << n;
      }
}

struct Ends {
  MicroOp op;
  std::vector<double> x, y;
};
const std::vector<Ends>& ends() {
  static const std::vector<Ends> kEnds = {
      {MicroOp::erfc, {0, -0.0, kInf, -kInf}, {1, 1, 0, 2}},
      {MicroOp::erfcx, {0, -0.0, kInf, -kInf, -27}, {1, 1, 0, kInf, kInf}},
      {MicroOp::erfinv, {0, 1, -1, 1.5, -1.5, kInf}, {0, kInf, -kInf, kNan, kNan, kNan}},
      {MicroOp::erfcinv, {1, 0, 2, -0.5, 2.5, -kInf}, {0, kInf, -kInf, kNan, kNan, kNan}},
      {MicroOp::ndtr, {0, kInf, -kInf}, {0.5, 1, 0}},
      {MicroOp::log_ndtr, {kInf, -kInf}, {0, -kInf}},
      {MicroOp::ndtri, {0.5, 0, 1, -0.5, 1.5}, {0, -kInf, kInf, kNan, kNan}},
      {MicroOp::logit, {0.5, 0, 1, -0.5, 1.5}, {0, -kInf, kInf, kNan, kNan}},
      {MicroOp::log1mexp, {0, -kInf, 1, 1000, kInf}, {-kInf, 0, kNan, kNan, kNan}},
      {MicroOp::entr, {0, 1, -1, kInf, -kInf}, {0, 0, -kInf, -kInf, -kInf}},
      {MicroOp::expit, {0, kInf, -kInf}, {0.5, 1, 0}},
      {MicroOp::log_expit, {kInf, -kInf, -1e30}, {0, -kInf, -1e30}},
      {MicroOp::log1pexp, {kInf, -kInf}, {kInf, 0}},
      {MicroOp::exp2, {0, 3, kInf, -kInf}, {1, 8, kInf, 0}},
      {MicroOp::exp10, {0, 2, kInf, -kInf}, {1, 100, kInf, 0}},
      {MicroOp::cbrt, {0, -27, kInf, -kInf}, {0, -3, kInf, -kInf}},
      {MicroOp::gamma,
       {0, -0.0, 1, 2, 5, -1, -2, kInf, -kInf, 200},
       {kInf, -kInf, 1, 1, 24, kNan, kNan, kInf, kNan, kInf}},
      {MicroOp::gammaln, {0, -0.0, 1, 2, -1, -2, kInf, -kInf}, {kInf, kInf, 0, 0, kInf, kInf, kInf, kInf}},
      {MicroOp::digamma, {0, -0.0, -1, -2, kInf, -kInf}, {-kInf, kInf, kNan, kNan, kInf, kNan}},
      {MicroOp::trigamma, {0, -1, kInf}, {kInf, kInf, 0}},
      {MicroOp::i0, {0, kInf, -kInf, 800}, {1, kInf, kInf, kInf}},
      {MicroOp::i0e, {0, kInf, -kInf}, {1, 0, 0}},
      {MicroOp::i1, {0, kInf, -kInf, -800}, {0, kInf, -kInf, -kInf}},
      {MicroOp::i1e, {0, kInf, -kInf}, {0, 0, 0}},
      {MicroOp::j0, {0, kInf, -kInf}, {1, 0, 0}},
      {MicroOp::j1, {0, kInf, -kInf}, {0, 0, 0}},
  };
  return kEnds;
}

template <class T>
void compare_ends(Tier tier, const Ends& e) {
  std::vector<T> x(e.x.begin(), e.x.end());
  std::vector<double> want = e.y;
  x.push_back(static_cast<T>(kNan)), want.push_back(kNan);
  const std::vector<T> y = run(tier, e.op, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(want[i]))
      EXPECT_TRUE(std::isnan(y[i])) << micro_op_name(e.op) << "(" << x[i] << ") = " << y[i];
    else
      EXPECT_EQ(y[i], static_cast<T>(want[i])) << micro_op_name(e.op) << "(" << x[i] << ")";
  }
}

TEST_P(SpecialMath, EndsAreSciPys) {
  for (const Ends& e : ends()) {
    compare_ends<float>(GetParam(), e);
    compare_ends<double>(GetParam(), e);
  }
}

INSTANTIATE_TEST_SUITE_P(Tiers, SpecialMath, ::testing::ValuesIn(machine_tiers()),
                         [](const auto& tier) { return std::string(tier_name(tier.param)); });

}  // namespace
}  // namespace tc::kernels
