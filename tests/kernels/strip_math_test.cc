// Every f32 micro-op against double precision: ordinary arguments within a stated error, special ones exactly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "guard.h"
#include "tc/kernels/table.h"

namespace tc::kernels {
namespace {

using testing::GuardedBuffer;
using testing::machine_tiers;
using testing::Random;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using Reference = double (*)(double a, double b, double c);

// `low`..`high` is where arguments are drawn from; `ulp` bounds the error there, in units in the last place of the
// correctly rounded result; `absolute` is an extra allowance for functions whose definition cancels.
struct Row {
  MicroOp op;
  Reference exact;
  double low, high;
  double ulp = 0.5;
  double absolute = 0;
};

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}
double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
}
double sign(double x) {
  return std::isnan(x) ? x : (x > 0) - (x < 0);
}
double min_nan(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::min(a, b);
}
double max_nan(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
}
double python_mod(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
double clamp(double x, double lo, double hi) {
  return std::isnan(x) ? x : std::min(std::max(x, lo), hi);
}

#define TC_F [](double a, [[maybe_unused]] double b, [[maybe_unused]] double c) -> double
// clang-format off
const Row kRows[] = {
    {MicroOp::copy, TC_F { return a; }, -9, 9, 0},
    {MicroOp::add, TC_F { return a + b; }, -9, 9},
    {MicroOp::sub, TC_F { return a - b; }, -9, 9},
    {MicroOp::mul, TC_F { return a * b; }, -9, 9},
    {MicroOp::div, TC_F { return a / b; }, -9, 9},
    {MicroOp::fma, TC_F { return a * b + c; }, -9, 9, 0.51, 1e-5},
    {MicroOp::fnma, TC_F { return c - a * b; }, -9, 9, 0.51, 1e-5},
    {MicroOp::dequantise, TC_F { return (a - b) * c; }, -9, 9, 1.51},
    {MicroOp::quotient, TC_F { return a / b; }, -9, 9},
    {MicroOp::to_u8, TC_F { return clamp(std::nearbyint(a) + b, 0, 255); }, -300, 300},
    {MicroOp::to_i8, TC_F { return clamp(std::nearbyint(a) + b, -128, 127); }, -300, 300},
    {MicroOp::to_u16, TC_F { return clamp(std::nearbyint(a) + b, 0, 65535); }, -90000, 90000},
    {MicroOp::to_i16, TC_F { return clamp(std::nearbyint(a) + b, -32768, 32767); }, -90000, 90000},
    {MicroOp::min, TC_F { return min_nan(a, b); }, -9, 9, 0},
    {MicroOp::max, TC_F { return max_nan(a, b); }, -9, 9, 0},
    {MicroOp::clip, TC_F { return clamp(a, b, c); }, -9, 9, 0},
    {MicroOp::neg, TC_F { return -a; }, -9, 9, 0},
    {MicroOp::abs, TC_F { return std::fabs(a); }, -9, 9, 0},
    {MicroOp::sign, TC_F { return sign(a); }, -9, 9, 0},
    {MicroOp::mod, TC_F { return python_mod(a, b); }, -9, 9},
    {MicroOp::fmod, TC_F { return std::fmod(a, b); }, -9, 9},
    {MicroOp::lt, TC_F { return a < b; }, -9, 9, 0},
    {MicroOp::le, TC_F { return a <= b; }, -9, 9, 0},
    {MicroOp::gt, TC_F { return a > b; }, -9, 9, 0},
    {MicroOp::ge, TC_F { return a >= b; }, -9, 9, 0},
    {MicroOp::eq, TC_F { return a == b; }, -9, 9, 0},
    {MicroOp::ne, TC_F { return a != b; }, -9, 9, 0},
    {MicroOp::logical_and, TC_F { return a != 0 && b != 0; }, -9, 9, 0},
    {MicroOp::logical_or, TC_F { return a != 0 || b != 0; }, -9, 9, 0},
    {MicroOp::logical_xor, TC_F { return (a != 0) != (b != 0); }, -9, 9, 0},
    {MicroOp::logical_not, TC_F { return a == 0; }, -9, 9, 0},
    {MicroOp::where, TC_F { return a != 0 ? b : c; }, -9, 9, 0},
    {MicroOp::is_inf, TC_F { return std::isinf(a); }, -9, 9, 0},
    {MicroOp::floor, TC_F { return std::floor(a); }, -99, 99, 0},
    {MicroOp::ceil, TC_F { return std::ceil(a); }, -99, 99, 0},
    {MicroOp::round, TC_F { return std::nearbyint(a); }, -99, 99, 0},
    {MicroOp::trunc, TC_F { return std::trunc(a); }, -99, 99, 0},
    {MicroOp::sqrt, TC_F { return std::sqrt(a); }, 0, 1e6},
    {MicroOp::rsqrt, TC_F { return 1 / std::sqrt(a); }, 0, 1e6, 1.5},
    {MicroOp::reciprocal, TC_F { return 1 / a; }, -9, 9},
    {MicroOp::square, TC_F { return a * a; }, -9, 9},
    {MicroOp::relu, TC_F { return std::isnan(a) ? a : std::max(a, 0.0); }, -9, 9, 0},
    {MicroOp::leaky_relu, TC_F { return a < 0 ? a * b : a; }, -9, 9},
    {MicroOp::thresholded_relu, TC_F { return a > b ? a : 0; }, -9, 9, 0},
    {MicroOp::elu, TC_F { return a < 0 ? b * std::expm1(a) : a; }, -20, 9, 2},
    {MicroOp::selu, TC_F { return c * (a < 0 ? b * std::expm1(a) : a); }, -20, 9, 3},
    {MicroOp::celu, TC_F { return a < 0 ? b * std::expm1(a / b) : a; }, -9, 9, 4, 1e-2},
    {MicroOp::hard_sigmoid, TC_F { return clamp(a * b + c, 0, 1); }, -2, 2, 1, 1e-6},
    {MicroOp::hard_swish, TC_F { return a * clamp(a / 6 + 0.5, 0, 1); }, -9, 9, 2, 1e-6},
    {MicroOp::sigmoid, TC_F { return sigmoid(a); }, -100, 100, 2},
    {MicroOp::silu, TC_F { return a * sigmoid(a); }, -80, 80, 3},
    {MicroOp::softplus, TC_F { return softplus(a); }, -80, 80, 2},
    {MicroOp::softsign, TC_F { return a / (1 + std::fabs(a)); }, -9, 9, 1.5},
    {MicroOp::mish, TC_F { return a * std::tanh(softplus(a)); }, -60, 60, 3.5},
    {MicroOp::gelu, TC_F { return 0.5 * a * (1 + std::erf(a * std::sqrt(0.5))); }, -9, 9, 3, 3e-7},
    {MicroOp::gelu_tanh, TC_F { return 0.5 * a * (1 + std::tanh(std::sqrt(2 / M_PI) * (a + 0.044715 * a * a * a))); },
     -9, 9, 3, 3e-7},
    {MicroOp::exp, TC_F { return std::exp(a); }, -103, 88, 1.5},
    {MicroOp::expm1, TC_F { return std::expm1(a); }, -20, 88, 2},
    {MicroOp::log, TC_F { return std::log(a); }, 1e-6, 1e6, 1.5},
    {MicroOp::log, TC_F { return std::log(a); }, 0.4, 2.5, 1.5},
    {MicroOp::log1p, TC_F { return std::log1p(a); }, -0.999, 10, 1.5},
    {MicroOp::pow, TC_F { return std::pow(a, b); }, 0, 30, 1},
    {MicroOp::tanh, TC_F { return std::tanh(a); }, -10, 10, 2},
    {MicroOp::erf, TC_F { return std::erf(a); }, -4.5, 4.5, 1.5},
    {MicroOp::sin, TC_F { return std::sin(a); }, -100, 100, 0.6},
    {MicroOp::cos, TC_F { return std::cos(a); }, -100, 100, 0.6},
    {MicroOp::tan, TC_F { return std::tan(a); }, -100, 100, 2},
    {MicroOp::sin, TC_F { return std::sin(a); }, -1e6, 1e6, 0.6},
    {MicroOp::cos, TC_F { return std::cos(a); }, -1e6, 1e6, 0.6},
    {MicroOp::tan, TC_F { return std::tan(a); }, -1e6, 1e6, 2},
    {MicroOp::asin, TC_F { return std::asin(a); }, -1, 1, 2},
    {MicroOp::acos, TC_F { return std::acos(a); }, -1, 1, 2},
    {MicroOp::atan, TC_F { return std::atan(a); }, -20, 20, 2},
    {MicroOp::sinh, TC_F { return std::sinh(a); }, -89, 89, 2},
    {MicroOp::cosh, TC_F { return std::cosh(a); }, -89, 89, 3},
    {MicroOp::asinh, TC_F { return std::asinh(a); }, -100, 100, 2},
    {MicroOp::acosh, TC_F { return std::acosh(a); }, 1, 100, 2},
    {MicroOp::atanh, TC_F { return std::atanh(a); }, -0.9999, 0.9999, 2},
};
// clang-format on
#undef TC_F

std::vector<float> run_one(const StripTable& table, MicroOp op, const std::vector<float>& a,
                           const std::vector<float>& b, const std::vector<float>& c) {
  std::vector<float> out(a.size());
  const StripOp code[] = {{op, 3, 0, 1, 2}};
  const StripProgram program{
      .type = Elem::f32, .inputs = 3, .outputs = 1, .registers = 0, .immediates = {}, .code = code};
  EXPECT_EQ(strip_program_error(program), nullptr);
  StripInput inputs[] = {{a.data(), Elem::f32, {1}}, {b.data(), Elem::f32, {1}}, {c.data(), Elem::f32, {1}}};
  StripOutput outputs[] = {{out.data(), Elem::f32, {1}}};
  const StripArgs args{&program, 1, {static_cast<std::int64_t>(a.size())}, inputs, outputs};
  EXPECT_TRUE(table.f32.fn(args, 0, args.elements()).ok());
  return out;
}

// The distance in units of the last place of the reference, rounded to float, where subnormals share one unit.
double ulps(float got, double exact) {
  const float rounded = static_cast<float>(exact);
  if (std::isnan(rounded)) return std::isnan(got) ? 0 : 1e9;
  if (std::isinf(rounded) || std::isinf(got)) {
    // Next to the overflow bound either answer is within one unit.
    if (got == rounded) return 0;
    return std::fabs(exact) > 3.4028234e38 && std::fabs(exact) < 3.4028239e38 ? 1 : 1e9;
  }
  const int exponent = std::max(std::ilogb(rounded == 0 ? 1e-45f : rounded), -126);
  return std::fabs(static_cast<double>(got) - exact) / std::ldexp(1.0, exponent - 23);
}

class StripMath : public ::testing::TestWithParam<Tier> {};

// Special functions, from erfc on, have a test of their own.
TEST_P(StripMath, EveryMicroOpHasARow) {
  for (int i = 0; i < static_cast<int>(MicroOp::erfc); ++i) {
    const auto op = static_cast<MicroOp>(i);
    if (!micro_op_supports(op, Elem::f32)) continue;
    const bool found = std::any_of(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.op == op; });
    EXPECT_TRUE(found) << micro_op_name(op);
  }
}

TEST_P(StripMath, WithinTheStatedError) {
  const StripTable& table = kernels::table(GetParam()).strip;
  for (const Row& row : kRows) {
    Random random(7);
    const std::size_t n = 200001;
    std::vector<float> a = random.floats(n, row.low, row.high);
    std::vector<float> b = random.floats(n, row.low, row.high);
    std::vector<float> c = random.floats(n, row.low, row.high);
    // A third of the arguments is spread over the magnitudes instead.
    for (std::size_t i = 0; i < n; i += 3) {
      const double small = row.low > 0 ? row.low : 1e-9;
      const double top = std::max(std::fabs(row.low), std::fabs(row.high));
      double x = std::exp(random.uniform(std::log(small), std::log(top)));
      if (row.low < 0 && (random.bits() & 1) != 0) x = -x;
      if (x >= row.low && x <= row.high) a[i] = static_cast<float>(x);
    }
    if (row.op == MicroOp::pow) {
      for (std::size_t i = 0; i < n; ++i) b[i] = static_cast<float>(random.uniform(-12, 12));
    }
    if (row.op == MicroOp::celu) {
      for (float& x : b) x = std::fabs(x) + 0.1f;
    }
    if (row.op == MicroOp::quotient) {
      for (float& x : b) x = std::fabs(x) + 0.1f;
      for (std::size_t i = 0; i < n; ++i) c[i] = 1 / b[i];
    }
    const std::vector<float> out = run_one(table, row.op, a, b, c);
    double worst = 0;
    std::size_t where = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double exact = row.exact(a[i], b[i], c[i]);
      if (std::fabs(out[i] - exact) <= row.absolute) continue;
      const double error = ulps(out[i], exact);
      if (error > worst) {
        worst = error;
        where = i;
      }
    }
    EXPECT_LE(worst, row.ulp + 1e-9) << micro_op_name(row.op) << "(" << a[where] << ", " << b[where] << ", " << c[where]
                                     << ") = " << out[where] << ", expected "
                                     << row.exact(a[where], b[where], c[where]);
    if (micro_op_arity(row.op) == 1 && worst > 0.5) {
      std::printf("%-10s %-8s %.2f ulp at %.9g\n", micro_op_name(row.op), tier_name(GetParam()), worst, a[where]);
    }
  }
}

// Quotients of all sizes up to those that no fast way covers, many of them whole or next to it: to the bit.
TEST_P(StripMath, Remainders) {
  const StripTable& table = kernels::table(GetParam()).strip;
  Random random(8);
  const std::size_t n = 200000, vectors = n / 16;
  std::vector<float> a(n), b(n), c(n);
  for (std::size_t v = 0; v < vectors; ++v) {
    const int bits = static_cast<int>(v % 26), exponent = static_cast<int>(v % 200) - 100;  // of the whole vector
    for (std::size_t i = v * 16; i < v * 16 + 16; ++i) {
      const float sign = (random.bits() & 1) != 0 ? -1.0f : 1.0f;
      b[i] = std::ldexp(static_cast<float>(random.uniform(1, 2)), exponent);
      a[i] = sign * b[i] * static_cast<float>(std::floor(std::ldexp(random.uniform(0, 1), bits)));
      const auto near = static_cast<int>(random.bits() & 3);
      if (near == 1) a[i] = std::nextafter(a[i], 0.0f);
      if (near == 2) a[i] = std::nextafter(a[i], std::numeric_limits<float>::infinity());
      if (near == 3) a[i] += b[i] * static_cast<float>(random.uniform(0, 1));
    }
  }
  const std::vector<float> out = run_one(table, MicroOp::fmod, a, b, c);
  for (std::size_t i = 0; i < n; ++i) {
    const float exact = std::fmod(a[i], b[i]);
    ASSERT_EQ(std::memcmp(&out[i], &exact, sizeof exact), 0)
        << "fmod(" << a[i] << ", " << b[i] << ") = " << out[i] << ", expected " << exact;
  }
}

TEST_P(StripMath, SpecialValues) {
  const StripTable& table = kernels::table(GetParam()).strip;
  const float values[] = {
      0.0f,    -0.0f,   1.0f,    -1.0f,           kInf,          -kInf,          kNan,       1e-45f,
      -1e-45f, 1e-39f,  -1e-39f, 1.17549435e-38f, 3.4028235e38f, -3.4028235e38f, 0.5f,       -0.5f,
      2.0f,    -2.0f,   3.0f,    -3.0f,           88.7f,         88.73f,         89.5f,      -87.5f,
      -103.5f, -104.5f, 1e10f,   -1e10f,          1e30f,         16777216.0f,    8388607.5f, 2.5f,
      3.5f,    -2.5f,   1e-20f,  -1e-20f,         262144.0f,     300000.0f,      1.0000001f, 0.99999994f};
  std::vector<float> a, b, c;
  for (const float x : values) {
    for (const float y : values) {
      a.push_back(x);
      b.push_back(y);
      c.push_back(1.5f);
    }
  }
  for (const Row& row : kRows) {
    // Composites whose definition meets inf * 0 or inf - inf on the way have no agreed special values.
    switch (row.op) {
      case MicroOp::silu:
      case MicroOp::mish:
      case MicroOp::gelu:
      case MicroOp::gelu_tanh:
      case MicroOp::hard_swish:
      case MicroOp::softsign:
      case MicroOp::celu:
      case MicroOp::selu:
      case MicroOp::elu:
      case MicroOp::hard_sigmoid:
      case MicroOp::clip:
      case MicroOp::fma:
      case MicroOp::fnma:
      case MicroOp::dequantise:
      case MicroOp::quotient:
      case MicroOp::to_u8:
      case MicroOp::to_i8:
      case MicroOp::to_u16:
      case MicroOp::to_i16:
        continue;
      default:
        break;
    }
    const std::vector<float> out = run_one(table, row.op, a, b, c);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double exact = row.exact(a[i], b[i], c[i]);
      const double allowed = std::max(row.ulp, 0.5) + 0.6;
      EXPECT_LE(ulps(out[i], exact), allowed)
          << micro_op_name(row.op) << "(" << a[i] << ", " << b[i] << ") = " << out[i] << ", expected " << exact;
      // Signs of zeros, where the operation defines them; min, max and relu leave them open.
      if (exact == 0 && row.op != MicroOp::min && row.op != MicroOp::max && row.op != MicroOp::relu &&
          row.op != MicroOp::fmod && row.op != MicroOp::mod && row.op != MicroOp::sign) {
        EXPECT_EQ(std::signbit(out[i]), std::signbit(exact))
            << micro_op_name(row.op) << "(" << a[i] << ", " << b[i] << ")";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tiers, StripMath, ::testing::ValuesIn(machine_tiers()),
                         [](const auto& tier) { return std::string(tier_name(tier.param)); });

}  // namespace
}  // namespace tc::kernels
