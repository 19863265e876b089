// The machinery of strip programs: access to operands, conversions, tiles, threads, guard pages.
#include "tc/kernels/elementwise/strip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
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

class Strip : public ::testing::TestWithParam<Tier> {
 protected:
  const StripTable& strips() const { return table(GetParam()).strip; }
};

// y = relu(x * 0.5 + b)
constexpr StripOp kScaleBiasRelu[] = {{MicroOp::fma, 4, 0, 3, 1}, {MicroOp::relu, 2, 4}};
const Immediate kHalf[] = {{0.5, 0}};
const StripProgram kProgram{
    .type = Elem::f32, .inputs = 2, .outputs = 1, .registers = 1, .immediates = kHalf, .code = kScaleBiasRelu};
float expected(float x, float b) {
  return std::max(0.0f, std::fma(x, 0.5f, b));
}
constexpr float kFmaSlack = 1e-6f;  // the SSE4.2 tier rounds twice

// That one, and single ops, which have loops of their own.
constexpr StripOp kSub[] = {{MicroOp::sub, 2, 0, 1}}, kSubFrom[] = {{MicroOp::sub, 2, 1, 0}},
                  kClip[] = {{MicroOp::clip, 2, 0, 1, 3}}, kHalve[] = {{MicroOp::mul, 2, 0, 3}},
                  kLess[] = {{MicroOp::sub, 2, 3, 0}}, kSquare[] = {{MicroOp::mul, 2, 0, 0}},
                  kScaleBias[] = {{MicroOp::fma, 2, 0, 1, 1}}, kScale[] = {{MicroOp::fma, 2, 0, 1, 3}},
                  kBias[] = {{MicroOp::fnma, 2, 0, 3, 1}}, kBoth[] = {{MicroOp::fma, 2, 0, 0, 1}};
StripProgram of_two(std::span<const StripOp> code) {
  return {.type = Elem::f32, .inputs = 2, .outputs = 1, .registers = 1, .immediates = kHalf, .code = code};
}
const struct {
  StripProgram program;
  float (*expected)(float x, float b);
} kPrograms[] = {{kProgram, expected},
                 {of_two(kSub), [](float x, float b) { return x - b; }},
                 {of_two(kSubFrom), [](float x, float b) { return b - x; }},
                 {of_two(kClip), [](float x, float b) { return std::min(0.5f, std::max(b, x)); }},
                 {of_two(kHalve), [](float x, float) { return x * 0.5f; }},
                 {of_two(kLess), [](float x, float) { return 0.5f - x; }},
                 {of_two(kSquare), [](float x, float) { return x * x; }},
                 {of_two(kScaleBias), [](float x, float b) { return std::fma(x, b, b); }},
                 {of_two(kScale), [](float x, float b) { return std::fma(x, b, 0.5f); }},
                 {of_two(kBias), [](float x, float b) { return std::fma(x, -0.5f, b); }},
                 {of_two(kBoth), [](float x, float b) { return std::fma(x, x, b); }}};

TEST_P(Strip, EveryLengthBetweenGuardPages) {
  Random random;
  for (const Edge edge : kEdges) {
    for (int n = 1; n <= 70; ++n) {
      const auto size = static_cast<std::size_t>(n);
      GuardedBuffer<float> x(random.floats(size), edge), b(random.floats(size), edge), y(size, edge);
      StripInput inputs[] = {{x.data(), Elem::f32, {1}}, {b.data(), Elem::f32, {1}}};
      StripOutput outputs[] = {{y.data(), Elem::f32, {1}}};
      for (const auto& [program, expected] : kPrograms) {
        const StripArgs args{&program, 1, {n}, inputs, outputs};
        ASSERT_TRUE(strips().f32.fn(args, 0, n).ok());
        for (std::size_t i = 0; i < size; ++i) ASSERT_NEAR(y[i], expected(x[i], b[i]), kFmaSlack) << n << " " << i;
      }
    }
  }
}

// All patterns of broadcasting and striding of a 4-dimensional space, against indexing by hand.
TEST_P(Strip, StridedAndBroadcastOperands) {
  Random random(3);
  const std::int64_t shapes[][4] = {{1, 1, 1, 1},    {2, 3, 4, 5},   {3, 1, 2, 700},  {2, 2, 150, 3},  {1, 5, 1, 49},
                                    {7, 16, 1, 128}, {2, 3, 1, 600}, {1, 1, 1, 5000}, {1, 3, 500, 16}, {1, 2, 450, 49}};
  for (const auto& shape : shapes) {
    const std::int64_t total = shape[0] * shape[1] * shape[2] * shape[3];
    for (int pattern = 0; pattern < 64; ++pattern) {
      // Bits 0-3: broadcast b in that dimension. Bit 4: x transposed. Bit 5: output with gaps.
      std::int64_t xs[4], bs[4], ys[4], bsize = 1, xsize = total, ysize = 1;
      for (int d = 3; d >= 0; --d) {
        bs[d] = (pattern >> d & 1) != 0 ? 0 : bsize;
        if (bs[d] != 0) bsize *= shape[d];
        ys[d] = ysize;
        ysize *= shape[d] + ((pattern & 32) != 0 && d == 3 ? 2 : 0);
      }
      std::int64_t step = 1;
      for (int i = 0; i < 4; ++i) {
        const int d = (pattern & 16) != 0 ? i : 3 - i;
        xs[d] = step;
        step *= shape[d];
      }
      if ((pattern & 32) != 0) ysize -= 2;  // no gap behind the last row
      for (const Edge edge : kEdges) {
        GuardedBuffer<float> x(random.floats(static_cast<std::size_t>(xsize)), edge);
        GuardedBuffer<float> b(random.floats(static_cast<std::size_t>(bsize)), edge);
        GuardedBuffer<float> y(static_cast<std::size_t>(ysize), edge);
        StripInput inputs[] = {{x.data(), Elem::f32, {}}, {b.data(), Elem::f32, {}}};
        StripOutput outputs[] = {{y.data(), Elem::f32, {}}};
        for (const auto& [program, expected] : kPrograms) {
          std::fill(y.begin(), y.end(), -7.0f);
          StripArgs args{&program, 4, {}, inputs, outputs};
          for (int d = 0; d < 4; ++d) {
            args.extent[d] = shape[d];
            inputs[0].stride[d] = xs[d];
            inputs[1].stride[d] = bs[d];
            outputs[0].stride[d] = ys[d];
          }
          collapse(args);
          Team team(2);
          ASSERT_TRUE(run_strips(strips(), team, args).ok());
          for (std::int64_t flat = 0; flat < total; ++flat) {
            std::int64_t rest = flat, xo = 0, bo = 0, yo = 0;
            for (int d = 3; d >= 0; --d) {
              const std::int64_t at = rest % shape[d];
              rest /= shape[d];
              xo += at * xs[d];
              bo += at * bs[d];
              yo += at * ys[d];
            }
            ASSERT_NEAR(y.data()[yo], expected(x.data()[xo], b.data()[bo]), kFmaSlack)
                << "pattern " << pattern << " at " << flat << ", " << micro_op_name(program.code[0].op);
          }
          ASSERT_EQ(std::count(y.begin(), y.end(), -7.0f), ysize - total);
        }
      }
    }
  }
}

TEST_P(Strip, RankZeroAndEmpty) {
  const float x = 3, b = 1;
  float y = 0;
  StripInput inputs[] = {{&x, Elem::f32, {}}, {&b, Elem::f32, {}}};
  StripOutput outputs[] = {{&y, Elem::f32, {}}};
  StripArgs args{&kProgram, 0, {}, inputs, outputs};
  collapse(args);
  Team team(1);
  ASSERT_TRUE(run_strips(strips(), team, args).ok());
  EXPECT_EQ(y, 2.5f);
  args.rank = 2;
  args.extent[0] = 0;
  args.extent[1] = 5;
  inputs[0].data = inputs[1].data = outputs[0].data = nullptr;
  EXPECT_TRUE(run_strips(strips(), team, args).ok());
}

TEST_P(Strip, OneAndTwoThreadsAgreeToTheBit) {
  Random random(5);
  const std::size_t n = 300007;
  const std::vector<float> x = random.floats(n, -5, 5), b = random.floats(n);
  const StripOp code[] = {{MicroOp::tanh, 4, 0}, {MicroOp::fma, 5, 4, 3, 1}, {MicroOp::exp, 2, 5}};
  const StripProgram program{
      .type = Elem::f32, .inputs = 2, .outputs = 1, .registers = 2, .immediates = kHalf, .code = code};
  std::vector<float> y[2] = {std::vector<float>(n), std::vector<float>(n)};
  for (int threads = 1; threads <= 2; ++threads) {
    Team team(threads);
    StripInput inputs[] = {{x.data(), Elem::f32, {1}}, {b.data(), Elem::f32, {1}}};
    StripOutput outputs[] = {{y[threads - 1].data(), Elem::f32, {1}}};
    const StripArgs args{&program, 1, {static_cast<std::int64_t>(n)}, inputs, outputs};
    ASSERT_TRUE(run_strips(strips(), team, args).ok());
  }
  EXPECT_EQ(y[0], y[1]);
}

// Cut by parts of planes' points, every element is computed once.
TEST_P(Strip, PartsOfPlanes) {
  Random random(7);
  Team team(2);
  constexpr std::int64_t kPlanes = 5, kPoint = 16;
  for (const std::int64_t images : {1, 3})
    for (const std::int64_t points : {97, 98, 333, 5001}) {
      const std::int64_t n = images * kPlanes * points * kPoint;
      GuardedBuffer<float> x(random.floats(static_cast<std::size_t>(n), -5, 5)), b(random.floats(kPlanes * kPoint)),
          y(static_cast<std::size_t>(n));
      std::fill(y.begin(), y.end(), -1.0f);  // no result is below 0
      StripInput inputs[] = {{x.data(), Elem::f32, {kPlanes * points * kPoint, points * kPoint, kPoint, 1}},
                             {b.data(), Elem::f32, {0, kPoint, 0, 1}}};
      StripOutput outputs[] = {{y.data(), Elem::f32, {kPlanes * points * kPoint, points * kPoint, kPoint, 1}}};
      StripArgs args{&kProgram, 4, {images, kPlanes, points, kPoint}, inputs, outputs};
      args.point = kPoint, args.plane = points * kPoint, args.planes = kPlanes;
      collapse(args);
      ASSERT_TRUE(run_strips(strips(), team, args).ok());
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t channel = i / args.plane % kPlanes * kPoint + i % kPoint;
        ASSERT_NEAR(y[static_cast<std::size_t>(i)],
                    expected(x[static_cast<std::size_t>(i)], b[static_cast<std::size_t>(channel)]), kFmaSlack)
            << images << " images, " << points << " points, element " << i;
      }
    }
}

// Large results are stored past the caches: the same bits, and nothing beyond them.
TEST_P(Strip, StreamedResults) {
  Team team(2);
  Random random(6);
  const std::size_t n = (std::size_t{1} << 22) + 7, part = 1000;
  for (const Edge edge : kEdges) {
    GuardedBuffer<float> x(random.floats(n), edge), b(random.floats(n), edge), y(n, edge);
    StripInput inputs[] = {{x.data(), Elem::f32, {1}}, {b.data(), Elem::f32, {1}}};
    StripOutput outputs[] = {{y.data(), Elem::f32, {1}}};
    ASSERT_TRUE(run_strips(strips(), team, {&kProgram, 1, {static_cast<std::int64_t>(n)}, inputs, outputs}).ok());
    std::vector<float> again(part);
    outputs[0].data = again.data();
    for (std::size_t at = 0; at < n; at += part) {
      const std::size_t here = std::min(part, n - at);
      inputs[0].data = x.data() + at, inputs[1].data = b.data() + at;
      const StripArgs args{&kProgram, 1, {static_cast<std::int64_t>(here)}, inputs, outputs};
      ASSERT_TRUE(strips().f32.fn(args, 0, args.extent[0]).ok());
      ASSERT_EQ(std::memcmp(y.data() + at, again.data(), here * sizeof(float)), 0) << at;
    }
  }
}

// In place, where the input is still needed after the output was first written.
TEST_P(Strip, OutputOverAnInputThatIsReadLater) {
  const StripOp code[] = {{MicroOp::square, 1, 0}, {MicroOp::add, 1, 1, 0}};
  const StripProgram program{
      .type = Elem::f32, .inputs = 1, .outputs = 1, .registers = 0, .immediates = {}, .code = code};
  std::vector<float> x(1300);
  std::iota(x.begin(), x.end(), 0.0f);
  StripInput inputs[] = {{x.data(), Elem::f32, {1}}};
  StripOutput outputs[] = {{x.data(), Elem::f32, {1}}};
  const StripArgs args{&program, 1, {1300}, inputs, outputs};
  ASSERT_TRUE(strips().f32.fn(args, 0, 1300).ok());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i], static_cast<float>(i * i + i));
}

TEST_P(Strip, SeveralOutputsAndMixedTypesAtTheEdges) {
  // mask = x > b (bool), z = where(mask, x, b) (f16)
  const StripOp code[] = {{MicroOp::gt, 2, 0, 1}, {MicroOp::where, 3, 2, 0, 1}};
  const StripProgram program{
      .type = Elem::f32, .inputs = 2, .outputs = 2, .registers = 0, .immediates = {}, .code = code};
  for (int n = 1; n < 70; ++n) {
    const auto size = static_cast<std::size_t>(n);
    GuardedBuffer<std::int64_t> x(size);
    GuardedBuffer<std::int8_t> b(size);
    GuardedBuffer<std::uint8_t> mask(size);
    GuardedBuffer<std::uint16_t> z(size);
    for (std::size_t i = 0; i < size; ++i) {
      x[i] = static_cast<std::int64_t>(i) - 20;
      b[i] = static_cast<std::int8_t>(5 - static_cast<int>(i));
    }
    StripInput inputs[] = {{x.data(), Elem::i64, {1}}, {b.data(), Elem::i8, {1}}};
    StripOutput outputs[] = {{mask.data(), Elem::boolean, {1}}, {z.data(), Elem::bf16, {1}}};
    const StripArgs args{&program, 1, {n}, inputs, outputs};
    ASSERT_TRUE(strips().f32.fn(args, 0, n).ok());
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_EQ(mask[i], x[i] > b[i] ? 1 : 0);
      const float big = static_cast<float>(std::max<std::int64_t>(x[i], b[i]));
      std::uint32_t bits;
      std::memcpy(&bits, &big, 4);
      ASSERT_EQ(z[i], bits >> 16);  // small integers are exact
    }
  }
}

template <class To, class From>
std::vector<To> cast(const StripTable& table, Elem compute, const std::vector<From>& in, Elem from, Elem to,
                     std::int64_t stride = 1) {
  const StripOp code[] = {{MicroOp::copy, 1, 0}};
  const StripProgram program{
      .type = compute, .inputs = 1, .outputs = 1, .registers = 0, .immediates = {}, .code = code};
  const auto n = (static_cast<std::int64_t>(in.size()) + stride - 1) / stride;
  GuardedBuffer<From> source(in);
  GuardedBuffer<To> out(static_cast<std::size_t>(n));
  StripInput inputs[] = {{source.data(), from, {stride}}};
  StripOutput outputs[] = {{out.data(), to, {1}}};
  const StripArgs args{&program, 1, {n}, inputs, outputs};
  EXPECT_TRUE(table.of(compute).fn(args, 0, n).ok());
  return {out.begin(), out.end()};
}

TEST_P(Strip, Conversions) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::int64_t low64 = std::numeric_limits<std::int64_t>::min();
  const std::int32_t low32 = std::numeric_limits<std::int32_t>::min();
  const std::vector<double> reals = {0, -0.9, 1.5, -7.99, 255, 256, 1e10, -1e10, 1e30, kInf, -kInf, std::nan("")};
  EXPECT_EQ((cast<std::int64_t>(strips(), Elem::f64, reals, Elem::f64, Elem::i64)),
            (std::vector<std::int64_t>{0, 0, 1, -7, 255, 256, 10000000000, -10000000000, low64, low64, low64, low64}));
  EXPECT_EQ((cast<std::int32_t>(strips(), Elem::f64, reals, Elem::f64, Elem::i32)),
            (std::vector<std::int32_t>{0, 0, 1, -7, 255, 256, low32, low32, low32, low32, low32, low32}));
  EXPECT_EQ((cast<std::uint8_t>(strips(), Elem::f64, reals, Elem::f64, Elem::u8)),
            (std::vector<std::uint8_t>{0, 0, 1, 249, 255, 0, 0, 0, 255, 255, 0, 0}));  // low bits of the nearest i64
  EXPECT_EQ((cast<std::uint8_t>(strips(), Elem::f64, reals, Elem::f64, Elem::boolean)),
            (std::vector<std::uint8_t>{0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  // With and without numbers beyond 32 bits, which take another way.
  const std::vector<float> within = {0,       -0.9f,     1.5f,          -7.9f,         0x1p31f - 128,
                                     0x1p31f, 0x1.8p31f, 0x1p32f - 256, -0x1p31f + 128};
  const std::vector<std::uint32_t> words = {0,           0,           1,           ~6u,        0x7fffff80u,
                                            0x80000000u, 0xc0000000u, 0xffffff00u, 0x80000080u};
  EXPECT_EQ((cast<std::uint32_t>(strips(), Elem::f32, within, Elem::f32, Elem::u32)), words);
  for (const float beyond : {0x1p32f, -0x1p31f, 0x1p40f, std::nanf("")}) {
    std::vector<float> all = within;
    all.push_back(beyond);
    std::vector<std::uint32_t> want = words;
    want.push_back(beyond == -0x1p31f ? 0x80000000u : 0u);
    EXPECT_EQ((cast<std::uint32_t>(strips(), Elem::f32, all, Elem::f32, Elem::u32)), want) << beyond;
  }
  const std::vector<std::int64_t> big = {16777217, -16777219, low64, 9007199254740993, 1};
  EXPECT_EQ((cast<float>(strips(), Elem::f32, big, Elem::i64, Elem::f32)),
            (std::vector<float>{16777216.0f, -16777220.0f, -0x1p63f, 9007199254740992.0f, 1.0f}));
  EXPECT_EQ((cast<std::int16_t>(strips(), Elem::i64, big, Elem::i64, Elem::i16)),
            (std::vector<std::int16_t>{1, -3, 0, 1, 1}));
  const std::vector<std::uint8_t> truth = {0, 1, 7, 0, 255};
  EXPECT_EQ((cast<std::int64_t>(strips(), Elem::i64, truth, Elem::boolean, Elem::i64)),
            (std::vector<std::int64_t>{0, 1, 1, 0, 1}));
  const std::vector<std::uint64_t> huge = {~0ull, 1ull << 63, 5};
  EXPECT_EQ((cast<double>(strips(), Elem::f64, huge, Elem::u64, Elem::f64)), (std::vector<double>{0x1p64, 0x1p63, 5}));
  // 1, -2, 65504, smallest subnormal, infinity; and every second element only.
  const std::vector<std::uint16_t> halves = {0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00};
  EXPECT_EQ((cast<float>(strips(), Elem::f32, halves, Elem::f16, Elem::f32)),
            (std::vector<float>{1, -2, 65504, 0x1p-24f, std::numeric_limits<float>::infinity()}));
  EXPECT_EQ((cast<float>(strips(), Elem::f32, halves, Elem::f16, Elem::f32, 2)),
            (std::vector<float>{1, 65504, std::numeric_limits<float>::infinity()}));
  // Halves round to even: 1 + 2^-11 is a tie, 65520 overflows.
  const std::vector<float> floats = {1.0f + 0x1p-11f, 1.0f + 3 * 0x1p-11f, 65519.0f, 65520.0f, 0x1p-25f};
  EXPECT_EQ((cast<std::uint16_t>(strips(), Elem::f32, floats, Elem::f32, Elem::f16)),
            (std::vector<std::uint16_t>{0x3c00, 0x3c02, 0x7bff, 0x7c00, 0x0000}));
}

// Doubles to halves: every half, what lies halfway to the next one, and just beside.
void check_halves(const StripTable& table, Elem half) {
  const int last = half == Elem::f16 ? 0x7c00 : 0x7f80;  // infinity
  std::vector<std::uint16_t> bits;
  for (int b = 0; b <= last; ++b) bits.push_back(static_cast<std::uint16_t>(b));
  const std::vector<double> values = cast<double>(table, Elem::f64, bits, half, Elem::f64);
  EXPECT_EQ((cast<std::uint16_t>(table, Elem::f64, values, Elem::f64, half)), bits);
  std::vector<double> reals;
  std::vector<std::uint16_t> want;
  for (std::size_t b = 0; b + 1 < bits.size(); ++b) {
    // What would come after the largest one.
    const double next = b + 2 < bits.size() ? values[b + 1] : 2 * values[b] - values[b - 1];
    const double tie = (values[b] + next) / 2;
    const auto even = static_cast<std::uint16_t>(b + b % 2), down = static_cast<std::uint16_t>(b);
    for (const double sign : {1.0, -1.0})
      for (const auto& [x, to] : {std::pair{tie, even},
                                  {std::nextafter(tie, 0), down},
                                  {std::nextafter(tie, next), static_cast<std::uint16_t>(b + 1)}}) {
        reals.push_back(sign * x);
        want.push_back(sign < 0 ? to | 0x8000 : to);
      }
  }
  for (const double x : {1e300, 0x1p129, 1e-300, -0.0}) {
    reals.push_back(x);
    want.push_back(static_cast<std::uint16_t>(x > 1 ? last : std::signbit(x) ? 0x8000 : 0));
  }
  EXPECT_EQ((cast<std::uint16_t>(table, Elem::f64, reals, Elem::f64, half)), want);
  const std::vector<double> nan = {std::nan("")};
  const auto got = cast<std::uint16_t>(table, Elem::f64, nan, Elem::f64, half);
  EXPECT_GT(got[0] & 0x7fff, last);
}

TEST_P(Strip, DoublesToHalvesRoundOnce) {
  check_halves(strips(), Elem::f16);
  check_halves(strips(), Elem::bf16);
}

TEST_P(Strip, BytesAndTruths) {
  std::vector<std::uint8_t> bytes(200), want(200);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i % 5), want[i] = bytes[i] != 0;
  EXPECT_EQ((cast<std::uint8_t>(strips(), Elem::i32, bytes, Elem::u8, Elem::boolean)), want);
  EXPECT_EQ((cast<std::uint8_t>(strips(), Elem::i32, bytes, Elem::boolean, Elem::u8)), want);
}

TEST_P(Strip, Doubles) {
  const StripOp code[] = {{MicroOp::sqrt, 3, 0}, {MicroOp::fnma, 2, 3, 1, 0}};
  const StripProgram program{
      .type = Elem::f64, .inputs = 2, .outputs = 1, .registers = 1, .immediates = {}, .code = code};
  for (int n = 1; n < 40; ++n) {
    const auto size = static_cast<std::size_t>(n);
    GuardedBuffer<double> x(size), b(size), y(size);
    for (std::size_t i = 0; i < size; ++i) {
      x[i] = static_cast<double>(i) + 0.1;
      b[i] = 1.0 / (static_cast<double>(i) + 3);
    }
    StripInput inputs[] = {{x.data(), Elem::f64, {1}}, {b.data(), Elem::f64, {1}}};
    StripOutput outputs[] = {{y.data(), Elem::f64, {1}}};
    const StripArgs args{&program, 1, {n}, inputs, outputs};
    ASSERT_TRUE(strips().f64.fn(args, 0, n).ok());
    for (std::size_t i = 0; i < size; ++i) ASSERT_NEAR(y[i], x[i] - std::sqrt(x[i]) * b[i], 1e-14);
  }
}

// The epilogue form: bias per column, scale per row, a residual, in place on a tile with gaps between its rows.
TEST_P(Strip, Tiles) {
  const StripOp code[] = {
      {MicroOp::mul, 5, 0, 1}, {MicroOp::add, 5, 5, 2}, {MicroOp::add, 5, 5, 3}, {MicroOp::relu, 4, 5}};
  const StripProgram program{
      .type = Elem::f32, .inputs = 4, .outputs = 1, .registers = 1, .immediates = {}, .code = code};
  ASSERT_EQ(strip_program_error(program), nullptr);
  Random random(11);
  for (const std::int64_t rows : {1, 6, 14, 40}) {
    for (const std::int64_t cols : {1, 8, 31, 32, 64, 257}) {
      const std::int64_t ld = cols + 3, ld_residual = cols + 1;
      const auto size = static_cast<std::size_t>((rows - 1) * ld + cols);
      GuardedBuffer<float> tile(random.floats(size)), scale(random.floats(static_cast<std::size_t>(rows)));
      GuardedBuffer<float> bias(random.floats(static_cast<std::size_t>(cols)));
      GuardedBuffer<float> residual(random.floats(static_cast<std::size_t>((rows - 1) * ld_residual + cols)));
      const std::vector<float> before(tile.begin(), tile.end());
      const StripTileOperand inputs[] = {{scale.data(), Elem::f32, 1, 0},
                                         {bias.data(), Elem::f32, 0, 1},
                                         {residual.data(), Elem::f32, ld_residual, 1}};
      const StripTile args{&program, tile.data(), rows, cols, ld, nullptr, 0, inputs, {}};
      ASSERT_TRUE(run_strip_tile(strips(), args).ok());
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(size); ++i) {
        const std::int64_t r = i / ld, c = i % ld;
        float want = before[static_cast<std::size_t>(i)];
        if (c < cols) {
          want = want * scale.data()[r] + bias.data()[c] + residual.data()[r * ld_residual + c];
          want = std::max(want, 0.0f);
        }
        ASSERT_NEAR(tile.data()[i], want, 1e-6) << rows << "x" << cols << " at " << r << "," << c;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tiers, Strip, ::testing::ValuesIn(machine_tiers()),
                         [](const auto& tier) { return std::string(tier_name(tier.param)); });

TEST(StripProgram, ReportsWhatIsWrong) {
  EXPECT_EQ(strip_program_error(kProgram), nullptr);
  const auto broken = [](std::span<const StripOp> code, Elem type = Elem::f32) {
    const char* error =
        strip_program_error({.type = type, .inputs = 1, .outputs = 1, .registers = 1, .immediates = {}, .code = code});
    return std::string(error == nullptr ? "" : error);
  };
  const StripOp unwritten[] = {{MicroOp::add, 1, 0, 2}};
  const StripOp into_input[] = {{MicroOp::copy, 0, 0}, {MicroOp::copy, 1, 0}};
  const StripOp outside[] = {{MicroOp::copy, 9, 0}};
  const StripOp real_only[] = {{MicroOp::exp, 1, 0}};
  EXPECT_EQ(broken(unwritten), "a slot is read before it is written");
  EXPECT_EQ(broken(into_input), "an input or immediate is written");
  EXPECT_EQ(broken(outside), "a slot number is out of range");
  EXPECT_EQ(broken(real_only, Elem::i64), "a micro-op does not support the compute type");
  EXPECT_EQ(broken({}), "an output is never written");
  EXPECT_EQ(broken({}, Elem::f16), "the compute type is none of f32, f64, i32, i64");
}

TEST(StripProgram, CollapseMergesWhatIsDense) {
  float data[1];
  StripInput inputs[] = {{data, Elem::f32, {60, 20, 5, 1}}, {data, Elem::f32, {0, 1, 0, 0}}};
  StripOutput outputs[] = {{data, Elem::f32, {60, 20, 5, 1}}};
  StripArgs args{&kProgram, 4, {2, 3, 4, 5}, inputs, outputs};
  collapse(args);
  ASSERT_EQ(args.rank, 3);
  EXPECT_EQ(args.extent[2], 20);
  EXPECT_EQ(inputs[1].stride[2], 0);
  EXPECT_EQ(outputs[0].stride[1], 20);
}

TEST(StripProgram, CollapseMergesShortRowsThatInputsRepeat) {
  float data[1];
  // 16 channels side by side: a value for each of them, and one for each pixel.
  StripInput inputs[] = {{data, Elem::f32, {640, 16, 1}}, {data, Elem::f32, {16, 0, 1}}};
  StripOutput outputs[] = {{data, Elem::f32, {640, 16, 1}}};
  StripArgs args{&kProgram, 3, {2, 40, 16}, inputs, outputs};
  collapse(args);
  ASSERT_EQ(args.rank, 2);
  EXPECT_EQ(args.extent[1], 640);
  EXPECT_EQ(inputs[1].period, 16);
  EXPECT_EQ(inputs[1].stride[0], 16);
  // Again, for a shape in which nothing repeats.
  args = {&kProgram, 3, {2, 1, 16}, inputs, outputs};
  for (StripInput& in : inputs) std::copy_n(std::begin({16L, 16L, 1L}), 3, in.stride);
  std::copy_n(std::begin({16L, 16L, 1L}), 3, outputs[0].stride);
  collapse(args);
  EXPECT_EQ(args.rank, 1);
  EXPECT_EQ(inputs[1].period, 0);
  outputs[0] = {data, Elem::f32, {640, 16, 1}};
  StripInput by_pixel[] = {{data, Elem::f32, {640, 16, 1}}, {data, Elem::f32, {40, 1, 0}}};
  args = {&kProgram, 3, {2, 40, 16}, by_pixel, outputs};
  outputs[0] = {data, Elem::f32, {640, 16, 1}};
  collapse(args);
  EXPECT_EQ(args.rank, 2);
  EXPECT_EQ(by_pixel[1].period, 0);
}

}  // namespace
}  // namespace tc::kernels
