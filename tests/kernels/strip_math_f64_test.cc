// The f64 micro-ops that compute elementary functions against extended precision: ordinary arguments within a stated
// error, special ones as the C library has them.
#include <gtest/gtest.h>

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

static_assert(std::numeric_limits<long double>::digits > std::numeric_limits<double>::digits);

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

using Real = long double;
using Reference = Real (*)(Real a, Real b, Real c);

// As the rows for f32: arguments come from `low`..`high`, the error is at most `ulp` units in the last place, or
// `absolute` where the definition cancels.
struct Row {
  MicroOp op;
  Reference exact;
  double low, high;
  double ulp;
  double absolute = 0;
};

Real sigmoid(Real x) {
  return 1 / (1 + std::exp(-x));
}
Real python_mod(Real a, Real b) {
  const Real r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
Real softplus(Real x) {
  return std::max<Real>(x, 0) + std::log1p(std::exp(-std::fabs(x)));
}

#define TC_F [](Real a, [[maybe_unused]] Real b, [[maybe_unused]] Real c) -> Real
// clang-format off
const Row kRows[] = {
    {MicroOp::elu, TC_F { return a < 0 ? b * std::expm1(a) : a; }, -50, 9, 3},
    {MicroOp::selu, TC_F { return c * (a < 0 ? b * std::expm1(a) : a); }, -50, 9, 3.5},
    {MicroOp::celu, TC_F { return a < 0 ? b * std::expm1(a / b) : a; }, -9, 9, 5, 1e-13},
    {MicroOp::sigmoid, TC_F { return sigmoid(a); }, -700, 700, 2.5},
    {MicroOp::silu, TC_F { return a * sigmoid(a); }, -700, 700, 3.5},
    {MicroOp::softplus, TC_F { return softplus(a); }, -700, 700, 3},
    {MicroOp::mish, TC_F { return a * std::tanh(softplus(a)); }, -600, 600, 4.5},
    {MicroOp::gelu, TC_F { return 0.5L * a * (1 + std::erf(a * std::sqrt(0.5L))); }, -9, 9, 4, 1e-15},
    {MicroOp::gelu_tanh, TC_F { return 0.5L * a * (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846L) * (a + 0.044715L * a * a * a))); },
     -9, 9, 4, 1e-15},
    {MicroOp::exp, TC_F { return std::exp(a); }, -745, 709.7, 1},
    {MicroOp::expm1, TC_F { return std::expm1(a); }, -50, 709.7, 1.5},
    {MicroOp::log, TC_F { return std::log(a); }, 1e-300, 1e300, 1},
    {MicroOp::log, TC_F { return std::log(a); }, 0.4, 2.5, 1},
    {MicroOp::log1p, TC_F { return std::log1p(a); }, -0.999, 10, 1},
    {MicroOp::pow, TC_F { return std::pow(a, b); }, 0, 30, 1},
    {MicroOp::mod, TC_F { return python_mod(a, b); }, -99, 99, 0.5},
    {MicroOp::fmod, TC_F { return std::fmod(a, b); }, -99, 99, 0},
    {MicroOp::fmod, TC_F { return std::fmod(a, b); }, -1e18, 1e18, 0},
    {MicroOp::tanh, TC_F { return std::tanh(a); }, -25, 25, 2},
    {MicroOp::erf, TC_F { return std::erf(a); }, -6, 6, 1.2},
    {MicroOp::erf, TC_F { return std::erf(a); }, 0.8, 1.5, 1.2},
    {MicroOp::sin, TC_F { return std::sin(a); }, -4, 4, 0.85},
    {MicroOp::cos, TC_F { return std::cos(a); }, -4, 4, 0.9},
    {MicroOp::tan, TC_F { return std::tan(a); }, -4, 4, 1.1},
    {MicroOp::sin, TC_F { return std::sin(a); }, -1e6, 1e6, 0.85},
    {MicroOp::cos, TC_F { return std::cos(a); }, -1e6, 1e6, 0.9},
    {MicroOp::tan, TC_F { return std::tan(a); }, -1e6, 1e6, 1.1},
    {MicroOp::sin, TC_F { return std::sin(a); }, -1e12, 1e12, 0.85},
    {MicroOp::asin, TC_F { return std::asin(a); }, -1, 1, 1},
    {MicroOp::acos, TC_F { return std::acos(a); }, -1, 1, 1.1},
    {MicroOp::atan, TC_F { return std::atan(a); }, -20, 20, 1},
    {MicroOp::sinh, TC_F { return std::sinh(a); }, -710.4, 710.4, 2},
    {MicroOp::sinh, TC_F { return std::sinh(a); }, -3, 3, 2},
    {MicroOp::cosh, TC_F { return std::cosh(a); }, -710.4, 710.4, 1.5},
    {MicroOp::asinh, TC_F { return std::asinh(a); }, -100, 100, 1.5},
    {MicroOp::asinh, TC_F { return std::asinh(a); }, -1e200, 1e200, 1.5},
    {MicroOp::acosh, TC_F { return std::acosh(a); }, 1, 100, 1.5},
    {MicroOp::acosh, TC_F { return std::acosh(a); }, 1, 1e200, 1.5},
    {MicroOp::atanh, TC_F { return std::atanh(a); }, -0.9999, 0.9999, 2},
};
// clang-format on
#undef TC_F

// The op on every element, in buffers that end at guard pages.
std::vector<double> run_one(const StripTable& table, MicroOp op, const std::vector<double>& a,
                            const std::vector<double>& b, const std::vector<double>& c, Edge edge = Edge::kBack) {
  GuardedBuffer<double> x(a, edge), y(b, edge), z(c, edge), out(a.size(), edge);
  const StripOp code[] = {{op, 3, 0, 1, 2}};
  const StripProgram program{
      .type = Elem::f64, .inputs = 3, .outputs = 1, .registers = 0, .immediates = {}, .code = code};
  EXPECT_EQ(strip_program_error(program), nullptr);
  StripInput inputs[] = {{x.data(), Elem::f64, {1}}, {y.data(), Elem::f64, {1}}, {z.data(), Elem::f64, {1}}};
  StripOutput outputs[] = {{out.data(), Elem::f64, {1}}};
  const StripArgs args{&program, 1, {static_cast<std::int64_t>(a.size())}, inputs, outputs};
  EXPECT_TRUE(table.f64.fn(args, 0, args.elements()).ok());
  return {out.begin(), out.end()};
}

// The distance in units of the last place of the reference, where subnormals share one unit.
double ulps(double got, Real exact) {
  const double rounded = static_cast<double>(exact);
  if (std::isnan(rounded)) return std::isnan(got) ? 0 : 1e9;
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : 1e9;
  const int exponent = rounded == 0 ? -1022 : std::max(std::ilogb(rounded), -1022);
  return static_cast<double>(std::fabs(static_cast<Real>(got) - exact) / std::ldexp(Real{1}, exponent - 52));
}

class StripMathF64 : public ::testing::TestWithParam<Tier> {
 protected:
  const StripTable& kernels() const { return table(GetParam()).strip; }
};

TEST_P(StripMathF64, WithinTheStatedError) {
  for (const Row& row : kRows) {
    Random random(7);
    const std::size_t n = 20001;
    std::vector<double> a(n), b(n), c(n);
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = random.uniform(row.low, row.high);
      b[i] = row.op == MicroOp::pow ? random.uniform(-12, 12) : random.uniform(0.1, 9);
      c[i] = random.uniform(-9, 9);
      if (i % 3 != 0) continue;
      // A third of the arguments is spread over the magnitudes instead.
      const double small = row.low > 0 ? row.low : 1e-15, top = std::max(std::fabs(row.low), std::fabs(row.high));
      double x = std::exp(random.uniform(std::log(small), std::log(top)));
      if (row.low < 0 && (random.bits() & 1) != 0) x = -x;
      if (x >= row.low && x <= row.high) a[i] = x;
    }
    const std::vector<double> out = run_one(kernels(), row.op, a, b, c);
    double worst = 0;
    std::size_t where = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Real exact = row.exact(a[i], b[i], c[i]);
      if (std::fabs(out[i] - exact) <= row.absolute) continue;
      if (const double error = ulps(out[i], exact); error > worst) worst = error, where = i;
    }
    EXPECT_LE(worst, row.ulp) << micro_op_name(row.op) << "(" << a[where] << ", " << b[where] << ", " << c[where]
                              << ") = " << out[where];
    std::printf("%-10s %-8s %.2f ulp at %.17g\n", micro_op_name(row.op), tier_name(GetParam()), worst, a[where]);
  }
}

TEST_P(StripMathF64, SpecialValues) {
  const std::vector<double> values = {0.0, -0.0, 1.0, -1.0, kInf, -kInf, kNan, 5e-324, -5e-324, 1e-310, -1e-310,
                                      2.2250738585072014e-308, 1.7976931348623157e308, -1.7976931348623157e308, 709.78,
                                      709.79, 720.5, -745.1, -745.2, -760.0, -1e10, 1e10, 1e-20, -1e-20, 0.5, -0.5, 2.5,
                                      // Nearest to multiples of pi/2.
                                      1.5707963267948966, 3.141592653589793, 45.553093477052, 2915.397982531328,
                                      5830.795965062656, 321307.9594422229, 642615.9188844458};
  const std::vector<double> one(values.size(), 1.5);
  for (const Row& row : kRows) {
    if (row.op < MicroOp::exp && row.op != MicroOp::sigmoid && row.op != MicroOp::softplus) continue;  // inf * 0
    const std::vector<double> out = run_one(kernels(), row.op, values, one, one);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Real exact = row.exact(values[i], 1.5, 1.5);
      EXPECT_LE(ulps(out[i], exact), row.ulp + 0.6)
          << micro_op_name(row.op) << "(" << values[i] << ") = " << out[i] << ", expected " << exact;
      if (exact == 0) {
        EXPECT_EQ(std::signbit(out[i]), std::signbit(exact)) << micro_op_name(row.op) << "(" << values[i] << ")";
      }
    }
  }
}

TEST_P(StripMathF64, PowersAndRemaindersOfSpecialValues) {
  const double values[] = {
      0.0,  -0.0, 1.0,    -1.0,  kInf, -kInf, kNan, 5e-324, -5e-324, 1e-310, 1.7976931348623157e308,
      -0.5, 0.5,  1e-300, 1e300, 2.0,  3.0,   -3.0, 2.5,    -2.5,    1e16,   9007199254740993.0};
  std::vector<double> a, b;
  for (const double x : values)
    for (const double y : values) a.push_back(x), b.push_back(y);
  const std::vector<double> power = run_one(kernels(), MicroOp::pow, a, b, b);
  const std::vector<double> rest = run_one(kernels(), MicroOp::fmod, a, b, b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double expected = std::pow(a[i], b[i]), left = std::fmod(a[i], b[i]);
    EXPECT_LE(ulps(power[i], expected), 1) << a[i] << " ^ " << b[i] << " = " << power[i] << ", expected " << expected;
    EXPECT_LE(ulps(rest[i], left), 0) << a[i] << " mod " << b[i] << " = " << rest[i] << ", expected " << left;
    if (expected == 0) {
      EXPECT_EQ(std::signbit(power[i]), std::signbit(expected)) << a[i] << " ^ " << b[i];
    }
    if (left == 0) {
      EXPECT_EQ(std::signbit(rest[i]), std::signbit(left)) << a[i] << " mod " << b[i];
    }
  }
}

TEST_P(StripMathF64, EveryLength) {
  for (const Row& row : kRows)
    for (std::size_t n = 1; n <= 17; ++n)
      for (const Edge edge : kEdges) {
        const std::vector<double> x(n, 0.5 + (row.low >= 1 ? 1 : 0));
        for (const double got : run_one(kernels(), row.op, x, x, x, edge))
          EXPECT_LE(ulps(got, row.exact(x[0], x[0], x[0])), row.ulp) << micro_op_name(row.op) << " of " << n;
      }
}

INSTANTIATE_TEST_SUITE_P(Tiers, StripMathF64, ::testing::ValuesIn(machine_tiers()),
                         [](const auto& tier) { return std::string(tier_name(tier.param)); });

}  // namespace
}  // namespace tc::kernels
