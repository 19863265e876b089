// Strip programs that combine two tensors of quantised bytes, against the same arithmetic on single floats.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "guard.h"
#include "tc/kernels/elementwise/strip.h"
#include "tc/kernels/table.h"

namespace tc::kernels {
namespace {

using testing::GuardedBuffer;
using testing::machine_tiers;
using testing::Random;

class StripBytes : public ::testing::TestWithParam<Tier> {};

struct Scales {
  float a, b, by;
  int a_zero, b_zero, zero;
};

template <class T>
void check(const StripTable& table, MicroOp op, bool relu, bool swapped, const Scales& s, std::int64_t cols) {
  constexpr Elem kType = std::is_signed_v<T> ? Elem::i8 : Elem::u8;
  const MicroOp to = std::is_signed_v<T> ? MicroOp::to_i8 : MicroOp::to_u8;
  const Immediate immediates[] = {{static_cast<double>(s.a)},      {static_cast<double>(s.b)},
                                  {static_cast<double>(s.by)},     {static_cast<double>(1 / s.by)},
                                  {static_cast<double>(s.a_zero)}, {static_cast<double>(s.b_zero)},
                                  {static_cast<double>(s.zero)}};
  // Slots: two inputs, the output, seven immediates, two registers.
  constexpr std::uint8_t kOut = 2, kA = 3, kB = 4, kBy = 5, kInverse = 6, kAZero = 7, kBZero = 8, kZero = 9, kR = 10,
                         kQ = 11;
  std::vector<StripOp> code{{MicroOp::dequantise, kR, 0, kAZero, kA}, {MicroOp::dequantise, kQ, 1, kBZero, kB}};
  if (s.b_zero == 0) code[1] = {MicroOp::mul, kQ, 1, kB};
  if (swapped) std::swap(code[0], code[1]);
  code.push_back({op, kR, kR, kQ});
  if (relu) code.push_back({MicroOp::relu, kR, kR});
  code.push_back({MicroOp::quotient, kR, kR, kBy, kInverse});
  code.push_back({to, kOut, kR, kZero});
  const StripProgram program{
      .type = Elem::f32, .inputs = 2, .outputs = 1, .registers = 2, .immediates = immediates, .code = code};
  ASSERT_EQ(strip_program_error(program), nullptr);

  const auto want = [&](T x, T y) {
    const float a = (static_cast<float>(x) - static_cast<float>(s.a_zero)) * s.a,
                b = (static_cast<float>(y) - static_cast<float>(s.b_zero)) * s.b;
    const float r = op == MicroOp::add ? a + b : op == MicroOp::sub ? a - b : a * b;
    const float q = std::nearbyint((relu ? std::max(r, 0.0F) : r) / s.by) + static_cast<float>(s.zero);
    using Limits = std::numeric_limits<T>;
    return static_cast<int>(std::clamp(q, static_cast<float>(Limits::min()), static_cast<float>(Limits::max())));
  };
  const std::int64_t rows = 3, forms[][2] = {{cols, 1}, {0, 1}, {1, 0}, {0, 0}};
  const auto n = static_cast<std::size_t>(rows * cols);
  Random random(9);
  GuardedBuffer<T> a(n), b(n), out(n);
  for (std::size_t i = 0; i < n; ++i) a[i] = static_cast<T>(random.bits()), b[i] = static_cast<T>(random.bits());
  for (const auto& x : forms)
    for (const auto& y : forms) {
      StripInput inputs[] = {{a.data(), kType, {x[0], x[1]}}, {b.data(), kType, {y[0], y[1]}}};
      StripOutput outputs[] = {{out.data(), kType, {cols, 1}}};
      std::fill(out.data(), out.data() + n, T{77});
      Team team(1);
      ASSERT_TRUE(run_strips(table, team, {&program, 2, {rows, cols}, inputs, outputs}).ok());
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < cols; ++c) {
          const T p = a[static_cast<std::size_t>(r * x[0] + c * x[1])],
                  q = b[static_cast<std::size_t>(r * y[0] + c * y[1])];
          ASSERT_EQ(static_cast<int>(out[static_cast<std::size_t>(r * cols + c)]), want(p, q))
              << micro_op_name(op) << (relu ? ", relu" : "") << " of " << +p << " and " << +q << " by " << s.by;
        }
    }
}

TEST_P(StripBytes, PairsRoundAsSingleFloats) {
  const StripTable& strips = table(GetParam()).strip;
  const Scales scales[] = {{0.02F, 0.03F, 0.05F, 3, 120, 100},
                           {0.02F, 0.02F, 0.04F, -5, 0, 7},  // halves
                           {1, -1, 0.04F, 100, 20, 90},      // beyond bytes, within words
                           {0.5F, 3e4F, 1e-9F, 0, -1, 0},    // far beyond every byte
                           {-0.1F, 0.7F, -0.9F, 1, 2, -3}};
  for (const Scales& s : scales)
    for (const MicroOp op : {MicroOp::add, MicroOp::sub, MicroOp::mul})
      for (const bool relu : {false, true})
        for (const std::int64_t cols : {7, 33, 150}) {
          check<std::uint8_t>(strips, op, relu, cols == 33, s, cols);
          check<std::int8_t>(strips, op, relu, cols == 33, s, cols);
        }
}

INSTANTIATE_TEST_SUITE_P(Tiers, StripBytes, ::testing::ValuesIn(machine_tiers()),
                         [](const auto& tier) { return std::string(tier_name(tier.param)); });

}  // namespace
}  // namespace tc::kernels
