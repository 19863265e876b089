#include "tc/kernels/reduce/reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
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

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class Reduce : public ::testing::TestWithParam<Tier> {
 protected:
  const ReduceTable& kernels() const { return table(GetParam()).reduce; }
};

// The reduction of a set of values, in double or in wrapping integers.
template <class T>
double exact(ReduceOp op, const std::vector<T>& values) {
  double sum = 0, product = 1, squares = 0, magnitudes = 0, low = INFINITY, high = -INFINITY;
  for (const T value : values) {
    const auto x = static_cast<double>(value);
    sum += x;
    product *= x;
    squares += x * x;
    magnitudes += std::fabs(x);
    low = std::isnan(low) || std::isnan(x) ? NAN : std::min(low, x);
    high = std::isnan(high) || std::isnan(x) ? NAN : std::max(high, x);
  }
  double exponentials = 0;
  const double peak = std::isfinite(high) ? high : 0;
  for (const T value : values) exponentials += std::exp(static_cast<double>(value) - peak);
  const auto n = static_cast<double>(values.size());
  switch (op) {
    case ReduceOp::sum:
      return sum;
    case ReduceOp::mean:
      return std::is_integral_v<T> ? std::trunc(sum / n) : sum / n;
    case ReduceOp::prod:
      return product;
    case ReduceOp::max:
      return high;
    case ReduceOp::min:
      return low;
    case ReduceOp::sum_square:
      return squares;
    case ReduceOp::l1:
      return magnitudes;
    case ReduceOp::l2:
      return std::sqrt(squares);
    case ReduceOp::log_sum:
      return std::log(sum);
    case ReduceOp::log_sum_exp:
      return std::log(exponentials) + peak;
  }
  return 0;
}

// Reduces a dense tensor of up to four dimensions over `axes`, and compares every result.
template <class T>
void check(const ReduceTable& kernels, Team& team, Elem type, ReduceOp op, const std::vector<std::int64_t>& shape,
           std::uint32_t axes, Edge edge, double relative) {
  const int rank = static_cast<int>(shape.size());
  std::int64_t stride[kMaxRank] = {}, total = 1;
  for (int d = rank - 1; d >= 0; --d) {
    stride[d] = total;
    total *= shape[static_cast<std::size_t>(d)];
  }
  Random random(17);
  GuardedBuffer<T> in(static_cast<std::size_t>(total), edge);
  const double low = op == ReduceOp::log_sum || op == ReduceOp::prod ? 0.9 : -3;
  const int most = type == Elem::boolean ? 1 : sizeof(T) == 1 ? 127 : 3;
  const int least = type == Elem::boolean ? 0 : sizeof(T) == 1 ? -128 : -3;
  for (T& x : in) {
    x = std::is_integral_v<T> ? static_cast<T>(random.integer(least, most)) : static_cast<T>(random.uniform(low, 1.1));
  }
  ReduceArgs args;
  args.op = op;
  args.type = type;
  set_axes(args, rank, shape.data(), stride, axes);
  const auto kept = static_cast<std::size_t>(args.kept());
  GuardedBuffer<T> out(kept, edge);
  args.input = in.data();
  args.output = out.data();
  reduce(kernels, team, args);

  std::vector<std::vector<T>> groups(kept);
  for (std::int64_t i = 0; i < total; ++i) {
    std::int64_t rest = i, at = 0, step = 1;
    for (int d = rank - 1; d >= 0; --d) {
      const std::int64_t n = shape[static_cast<std::size_t>(d)];
      if ((axes >> d & 1u) == 0) {
        at += rest % n * step;
        step *= n;
      }
      rest /= n;
    }
    groups[static_cast<std::size_t>(at)].push_back(in.data()[i]);
  }
  for (std::size_t i = 0; i < kept; ++i) {
    const double want = exact(op, groups[i]);
    // Sums are judged against what was summed.
    const double scale = std::max(
        std::fabs(want), op == ReduceOp::sum    ? exact(ReduceOp::l1, groups[i])
                         : op == ReduceOp::mean ? exact(ReduceOp::l1, groups[i]) / static_cast<double>(groups[i].size())
                                                : 0);
    ASSERT_LE(std::fabs(static_cast<double>(out[i]) - want), relative * (scale + (relative > 0 ? 1 : 0)))
        << reduce_op_name(op) << " " << elem_name(type) << " axes " << axes << " result " << i;
  }
}

const std::vector<std::int64_t> kShapes[] = {{1},         {70},         {5, 67},     {67, 5},
                                             {3, 17, 33}, {2, 3, 5, 7}, {9, 1, 129}, {4, 300, 20}};

TEST_P(Reduce, AllOperationsAndAxes) {
  Team team(2);
  for (int op = 0; op < kReduceOpCount; ++op) {
    for (const auto& shape : kShapes) {
      for (std::uint32_t axes = 0; axes < 1u << shape.size(); ++axes) {
        const auto reduce_op = static_cast<ReduceOp>(op);
        check<float>(kernels(), team, Elem::f32, reduce_op, shape, axes, kEdges[axes % 2], 2e-6);
        if (reduce_supports(reduce_op, Elem::f64))
          check<double>(kernels(), team, Elem::f64, reduce_op, shape, axes, Edge::kBack, 1e-14);
        if (reduce_op == ReduceOp::prod) continue;
        if (reduce_supports(reduce_op, Elem::i64))
          check<std::int64_t>(kernels(), team, Elem::i64, reduce_op, shape, axes, Edge::kBack, 0);
        if (reduce_supports(reduce_op, Elem::i32))
          check<std::int32_t>(kernels(), team, Elem::i32, reduce_op, shape, axes, Edge::kFront, 0);
        if (reduce_supports(reduce_op, Elem::u8))
          check<std::uint8_t>(kernels(), team, Elem::u8, reduce_op, shape, axes, kEdges[axes % 2], 0);
      }
    }
  }
}

TEST_P(Reduce, EveryLengthBetweenGuardPages) {
  Team team(1);
  for (const Edge edge : kEdges) {
    for (std::int64_t n = 1; n <= 150; ++n) {
      for (const ReduceOp op : {ReduceOp::sum, ReduceOp::max, ReduceOp::log_sum_exp}) {
        check<float>(kernels(), team, Elem::f32, op, {n}, 1, edge, 2e-6);
        check<float>(kernels(), team, Elem::f32, op, {3, n}, 1, edge, 2e-6);
        check<float>(kernels(), team, Elem::f32, op, {2, n, 3}, 2, edge, 2e-6);
        if (op != ReduceOp::max) continue;
        check<std::int8_t>(kernels(), team, Elem::i8, op, {n}, 1, edge, 0);
        check<std::int8_t>(kernels(), team, Elem::i8, op, {3, n}, 1, edge, 0);
        check<std::int8_t>(kernels(), team, Elem::i8, op, {3, n}, 2, edge, 0);
      }
    }
  }
}

template <class T>
void check_every_type_of(const ReduceTable& kernels, Elem type, const std::vector<std::int64_t>& shape,
                         std::uint32_t axes, double relative) {
  Team team(2);
  for (const ReduceOp op : {ReduceOp::sum, ReduceOp::max, ReduceOp::min, ReduceOp::l1, ReduceOp::log_sum_exp})
    if (reduce_supports(op, type))
      for (const Edge edge : kEdges) check<T>(kernels, team, type, op, shape, axes, edge, relative);
}
void check_types(const ReduceTable& kernels, const std::vector<std::int64_t>& shape, std::uint32_t axes) {
  check_every_type_of<float>(kernels, Elem::f32, shape, axes, 2e-6);
  check_every_type_of<double>(kernels, Elem::f64, shape, axes, 1e-14);
  check_every_type_of<std::int32_t>(kernels, Elem::i32, shape, axes, 0);
  check_every_type_of<std::int64_t>(kernels, Elem::i64, shape, axes, 0);
  check_every_type_of<std::uint8_t>(kernels, Elem::u8, shape, axes, 0);
  check_every_type_of<std::int8_t>(kernels, Elem::i8, shape, axes, 0);
  check_every_type_of<std::uint8_t>(kernels, Elem::boolean, shape, axes, 0);
}

// Several to a register, a register or less of them, and longer ones; numbers of them that leave lanes idle.
TEST_P(Reduce, ShortRows) {
  for (std::int64_t n = 1; n <= 70; n += n < 20 ? 1 : 5)
    for (const std::int64_t rows : {1, 7, 16, 37}) {
      check_types(kernels(), {rows, n}, 2);
      check_types(kernels(), {3, rows, n}, 5);
    }
}

// Columns that are few, more than a register, more than are read side by side; few rows, blocks of them, and several.
TEST_P(Reduce, Columns) {
  for (const std::int64_t columns : {1, 3, 9, 16, 20, 40, 64, 67, 300, 1100})
    for (const std::int64_t n : {1, 5, 31, 64, 77, 300}) {
      check_types(kernels(), {n, columns}, 1);
      check_types(kernels(), {3, n, columns}, 2);
    }
  for (const std::int64_t columns : {3, 37, 300}) check_types(kernels(), {5, 70, 2, columns}, 5);
  // Pieces of the reduced dimension.
  for (const std::int64_t columns : {17, 300, 512}) check_types(kernels(), {80000 / columns, columns}, 1);
}

// A NaN anywhere wins maxima of short rows and of columns.
TEST_P(Reduce, NanInRowsAndColumns) {
  Team team(1);
  for (const std::int64_t n : {2, 3, 7, 16, 30, 100})
    for (const std::uint32_t axes : {1u, 2u})
      for (const ReduceOp op : {ReduceOp::max, ReduceOp::min}) {
        std::vector<float> in(static_cast<std::size_t>(n * n), 1.0f), out(static_cast<std::size_t>(n));
        for (std::int64_t i = 0; i < n; i += 2) in[static_cast<std::size_t>(i * n + (i + 1) % n)] = kNan;
        ReduceArgs args;
        args.op = op;
        const std::int64_t extent[] = {n, n}, stride[] = {n, 1};
        set_axes(args, 2, extent, stride, axes);
        args.input = in.data();
        args.output = out.data();
        reduce(kernels(), team, args);
        for (std::int64_t i = 0; i < n; ++i) {
          bool want = false;
          for (std::int64_t k = 0; k < n; ++k)
            want |= std::isnan(in[static_cast<std::size_t>(axes == 2u ? i * n + k : k * n + i)]);
          EXPECT_EQ(std::isnan(out[static_cast<std::size_t>(i)]), want) << n << " axes " << axes << " result " << i;
        }
      }
}

TEST_P(Reduce, LongSumsStayAccurateAndIndependentOfThreads) {
  const std::size_t n = 3000001;
  const std::vector<float> in = Random(23).floats(n, 0, 1);
  double want = 0;
  for (const float x : in) want += x;
  float got[3];
  for (int threads = 1; threads <= 3; ++threads) {
    Team team(threads);
    ReduceArgs args;
    const std::int64_t extent = n, stride = 1;
    set_axes(args, 1, &extent, &stride, 1);
    args.input = in.data();
    args.output = &got[threads - 1];
    reduce(kernels(), team, args);
  }
  EXPECT_LE(std::fabs(got[0] - want), want * 3e-7);
  EXPECT_EQ(std::memcmp(&got[0], &got[1], sizeof(float)), 0);
  EXPECT_EQ(std::memcmp(&got[0], &got[2], sizeof(float)), 0);
}

TEST_P(Reduce, NanInfinityAndEmpty) {
  Team team(1);
  const auto run = [&](ReduceOp op, std::vector<float> values) {
    ReduceArgs args;
    args.op = op;
    const auto extent = static_cast<std::int64_t>(values.size());
    const std::int64_t stride = 1;
    set_axes(args, 1, &extent, &stride, 1);
    float out = -1;
    args.input = values.data();
    args.output = &out;
    reduce(kernels(), team, args);
    return out;
  };
  for (std::size_t place = 0; place < 40; ++place) {
    std::vector<float> values(40, 2.0f);
    values[place] = kNan;
    EXPECT_TRUE(std::isnan(run(ReduceOp::max, values))) << place;
    EXPECT_TRUE(std::isnan(run(ReduceOp::min, values))) << place;
  }
  EXPECT_EQ(run(ReduceOp::log_sum_exp, {-kInf, -kInf}), -kInf);
  EXPECT_EQ(run(ReduceOp::log_sum_exp, {1, kInf}), kInf);
  EXPECT_FLOAT_EQ(run(ReduceOp::log_sum_exp, {1000, 1000}), 1000 + std::log(2.0f));
  EXPECT_EQ(run(ReduceOp::sum, {}), 0);
  EXPECT_EQ(run(ReduceOp::prod, {}), 1);
  EXPECT_EQ(run(ReduceOp::max, {}), -kInf);
  EXPECT_EQ(run(ReduceOp::min, {}), kInf);
  EXPECT_TRUE(std::isnan(run(ReduceOp::mean, {})));
  EXPECT_EQ(run(ReduceOp::log_sum_exp, {}), -kInf);
}

template <class T>
std::int64_t first_or_last(const T* p, std::int64_t n, std::int64_t step, bool smallest, bool last) {
  std::int64_t at = 0;
  for (std::int64_t k = 1; k < n; ++k) {
    const T x = p[k * step], best = p[at * step];
    const bool wins = best != best ? false : x != x || (smallest ? x < best : x > best);
    const bool ties = x == best || (x != x && best != best);
    if (wins || (ties && last)) at = k;
  }
  return at;
}

template <class T>
void check_arg(const ReduceTable& kernels, Elem type, std::int64_t outer, std::int64_t n, std::int64_t inner,
               bool nan) {
  Team team(2);
  Random random(static_cast<std::uint64_t>(n));
  GuardedBuffer<T> in(static_cast<std::size_t>(outer * n * inner));
  for (T& x : in) x = static_cast<T>(random.integer(std::is_unsigned_v<T> ? 0 : -5, 4));
  if constexpr (std::is_floating_point_v<T>) {
    if (nan) in[in.size() / 2] = static_cast<T>(kNan);
  }
  for (int mode = 0; mode < 4; ++mode) {
    GuardedBuffer<std::int64_t> out(static_cast<std::size_t>(outer * inner));
    arg_reduce(kernels, team,
               {.type = type,
                .input = in.data(),
                .output = out.data(),
                .outer = outer,
                .n = n,
                .inner = inner,
                .smallest = (mode & 1) != 0,
                .last = (mode & 2) != 0});
    for (std::int64_t i = 0; i < outer * inner; ++i) {
      const T* p = in.data() + i / inner * n * inner + i % inner;
      ASSERT_EQ(out.data()[i], first_or_last(p, n, inner, (mode & 1) != 0, (mode & 2) != 0)) << n << "x" << inner;
    }
  }
}

TEST_P(Reduce, ArgMaxAndArgMin) {
  for (std::int64_t n = 1; n <= 70; ++n) {
    for (const bool nan : {false, true}) {
      check_arg<float>(kernels(), Elem::f32, 3, n, 1, nan);
      check_arg<float>(kernels(), Elem::f32, 2, n, 5, nan);
      check_arg<float>(kernels(), Elem::f32, 2, 5, n + 60, nan);
      check_arg<double>(kernels(), Elem::f64, 2, n, 3, nan);
    }
    check_arg<std::int64_t>(kernels(), Elem::i64, 2, n, 3, false);
    check_arg<std::uint8_t>(kernels(), Elem::u8, 2, n, 1, false);
  }
}

// Lines that are turned to be columns, and columns of every width.
TEST_P(Reduce, ArgMaxOfManyLines) {
  const auto every_type = [&](std::int64_t outer, std::int64_t n, std::int64_t inner) {
    for (const bool nan : {false, true}) {
      check_arg<float>(kernels(), Elem::f32, outer, n, inner, nan);
      check_arg<double>(kernels(), Elem::f64, outer, n, inner, nan);
    }
    check_arg<std::int32_t>(kernels(), Elem::i32, outer, n, inner, false);
    check_arg<std::int64_t>(kernels(), Elem::i64, outer, n, inner, false);
    check_arg<std::uint8_t>(kernels(), Elem::u8, outer, n, inner, false);
    check_arg<std::int8_t>(kernels(), Elem::i8, outer, n, inner, false);
  };
  for (const std::int64_t n : {1, 2, 3, 10, 16, 17, 33, 64, 65, 128, 129, 300})
    for (const std::int64_t outer : {1, 15, 37, 150}) every_type(outer, n, 1);
  for (std::int64_t inner = 2; inner < 150; inner += inner < 20 ? 1 : 13)
    every_type(7, 10, inner), every_type(2, 140, inner);
}

TEST_P(Reduce, ArgMinOfExtremes) {
  Team team(1);
  const std::int32_t lowest = std::numeric_limits<std::int32_t>::min();
  const std::vector<std::int32_t> in = {0, lowest, -1, lowest, 2147483647, -2147483647};
  for (const bool last : {false, true}) {
    std::int64_t out = -1;
    const ArgReduceArgs args{
        .type = Elem::i32, .input = in.data(), .output = &out, .n = 6, .smallest = true, .last = last};
    arg_reduce(kernels(), team, args);
    EXPECT_EQ(out, last ? 3 : 1);
  }
}

TEST_P(Reduce, RunningSums) {
  Team team(2);
  const std::vector<std::int32_t> in = {1, 2, 3, 4, 5, 6};
  std::vector<std::int32_t> out(6);
  const auto run = [&](std::int64_t outer, std::int64_t n, std::int64_t inner, bool exclusive, bool reverse,
                       bool product = false) {
    cumulate(kernels(), team,
             {.type = Elem::i32,
              .input = in.data(),
              .output = out.data(),
              .outer = outer,
              .n = n,
              .inner = inner,
              .exclusive = exclusive,
              .reverse = reverse,
              .product = product});
    return out;
  };
  using V = std::vector<std::int32_t>;
  EXPECT_EQ(run(1, 6, 1, false, false), (V{1, 3, 6, 10, 15, 21}));
  EXPECT_EQ(run(1, 6, 1, true, true), (V{20, 18, 15, 11, 6, 0}));
  EXPECT_EQ(run(2, 3, 1, true, false), (V{0, 1, 3, 0, 4, 9}));
  EXPECT_EQ(run(1, 3, 2, false, true), (V{9, 12, 8, 10, 5, 6}));
  EXPECT_EQ(run(1, 6, 1, false, false, true), (V{1, 2, 6, 24, 120, 720}));
  EXPECT_EQ(run(2, 3, 1, true, true, true), (V{6, 3, 1, 30, 6, 1}));
}

template <class T>
void check_running(const ReduceTable& kernels, Elem type, std::int64_t outer, std::int64_t n, std::int64_t inner) {
  Team team(2);
  std::vector<T> values(static_cast<std::size_t>(outer * n * inner));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i % 7) - T{3};
  for (const Edge edge : kEdges) {
    GuardedBuffer<T> in(values, edge), out(values.size(), edge);
    for (int form = 0; form < 8; ++form) {
      const bool product = form & 1, exclusive = form & 2, reverse = form & 4;
      cumulate(kernels, team,
               {.type = type,
                .input = in.data(),
                .output = out.data(),
                .outer = outer,
                .n = n,
                .inner = inner,
                .exclusive = exclusive,
                .reverse = reverse,
                .product = product});
      for (std::int64_t o = 0; o < outer; ++o)
        for (std::int64_t i = 0; i < inner; ++i) {
          T want = product ? T{1} : T{0};
          for (std::int64_t k = 0; k < n; ++k) {
            const auto at = static_cast<std::size_t>((o * n + (reverse ? n - 1 - k : k)) * inner + i);
            const T before = want;
            want = product ? want * values[at] : want + values[at];
            ASSERT_EQ(out[at], exclusive ? before : want) << outer << 'x' << n << 'x' << inner << " form " << form;
          }
        }
    }
  }
}

TEST_P(Reduce, RunningColumns) {
  for (std::int64_t inner = 1; inner <= 150; inner += inner < 20 ? 1 : 13) {
    check_running<float>(kernels(), Elem::f32, 2, 5, inner);
    check_running<double>(kernels(), Elem::f64, inner < 20 ? 7 : 2, 5, inner);
    check_running<std::int32_t>(kernels(), Elem::i32, 2, 5, inner);
    check_running<std::int64_t>(kernels(), Elem::i64, 2, 5, inner);
  }
}

// Rows shorter and longer than a register, and numbers of them that leave some of its lanes idle.
TEST_P(Reduce, RunningRows) {
  for (const std::int64_t rows : {1, 2, 7, 16, 17, 40})
    for (std::int64_t n = 1; n <= 70; n += n < 36 ? 1 : 7) check_running<float>(kernels(), Elem::f32, rows, n, 1);
}

INSTANTIATE_TEST_SUITE_P(Tiers, Reduce, ::testing::ValuesIn(machine_tiers()),
                         [](const auto& tier) { return std::string(tier_name(tier.param)); });

}  // namespace
}  // namespace tc::kernels
