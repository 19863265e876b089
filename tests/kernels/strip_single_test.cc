// Strip programs of one op, by every way that such have: integers, shifts, choices, comparisons.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <span>
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

class StripSingle : public ::testing::TestWithParam<Tier> {
 protected:
  const StripTable& strips() const { return table(GetParam()).strip; }
};

template <class T>
void check_integers(const StripTable& table, Elem type) {
  constexpr T kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
  constexpr T kLarge = std::min(kHigh, static_cast<T>((std::int64_t{1} << 50) - 1));
  struct Row {
    MicroOp op;
    T (*exact)(T, T);
  };
  using U = std::make_unsigned_t<T>;
  const Row rows[] = {
      {MicroOp::add, [](T a, T b) { return static_cast<T>(static_cast<U>(a) + static_cast<U>(b)); }},
      {MicroOp::sub, [](T a, T b) { return static_cast<T>(static_cast<U>(a) - static_cast<U>(b)); }},
      {MicroOp::mul, [](T a, T b) { return static_cast<T>(static_cast<U>(a) * static_cast<U>(b)); }},
      {MicroOp::div, [](T a, T b) { return b == -1 && a == kLow ? kLow : static_cast<T>(a / b); }},
      {MicroOp::fmod, [](T a, T b) { return b == -1 ? T{0} : static_cast<T>(a % b); }},
      {MicroOp::mod,
       [](T a, T b) {
         const auto r = b == -1 ? T{0} : static_cast<T>(a % b);
         return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
       }},
      {MicroOp::min, [](T a, T b) { return std::min(a, b); }},
      {MicroOp::max, [](T a, T b) { return std::max(a, b); }},
      {MicroOp::le, [](T a, T b) { return static_cast<T>(a <= b); }},
      {MicroOp::bit_xor, [](T a, T b) { return static_cast<T>(a ^ b); }},
      {MicroOp::unsigned_div, [](T a, T b) { return static_cast<T>(static_cast<U>(a) / static_cast<U>(b)); }},
      {MicroOp::unsigned_mod, [](T a, T b) { return static_cast<T>(static_cast<U>(a) % static_cast<U>(b)); }},
      {MicroOp::unsigned_min, [](T a, T b) { return static_cast<T>(std::min(static_cast<U>(a), static_cast<U>(b))); }},
      {MicroOp::unsigned_max, [](T a, T b) { return static_cast<T>(std::max(static_cast<U>(a), static_cast<U>(b))); }},
      {MicroOp::unsigned_lt, [](T a, T b) { return static_cast<T>(static_cast<U>(a) < static_cast<U>(b)); }},
      {MicroOp::unsigned_le, [](T a, T b) { return static_cast<T>(static_cast<U>(a) <= static_cast<U>(b)); }},
  };
  // Of every size; those that quotients of doubles are exact for; around their multiples.
  std::vector<T> any = {0, 1, -1, 2, -3, 7, -7, 100, kLow, kHigh}, exact = {0, 1, -1, 2, -3, 7, -7, kLarge, -kLarge};
  Random random(11);
  for (int bits = 3; bits < 50 && bits < static_cast<int>(8 * sizeof(T)) - 1; bits += 3) {
    const auto y = static_cast<T>(random.integer(2, std::int64_t{1} << bits));
    const T multiple = static_cast<T>(kLarge / y * y);
    for (const T x : {y, multiple, static_cast<T>(multiple - 1), static_cast<T>(1 - multiple)}) exact.push_back(x);
  }
  for (const Row& row : rows)
    for (const auto* values : {&any, &exact}) {
      const std::string name = micro_op_name(row.op);
      const bool divides = name.find("div") != name.npos || name.find("mod") != name.npos;
      std::vector<T> a, b;
      for (const T x : *values) {
        for (const T y : *values) {
          if (divides && y == 0) continue;
          a.push_back(x);
          b.push_back(y);
        }
      }
      const StripOp code[] = {{row.op, 2, 0, 1}};
      const StripProgram program{
          .type = type, .inputs = 2, .outputs = 1, .registers = 0, .immediates = {}, .code = code};
      GuardedBuffer<T> out(a.size());
      StripInput inputs[] = {{a.data(), type, {1}}, {b.data(), type, {1}}};
      StripOutput outputs[] = {{out.data(), type, {1}}};
      const StripArgs args{&program, 1, {static_cast<std::int64_t>(a.size())}, inputs, outputs};
      Team team(1);
      ASSERT_TRUE(run_strips(table, team, args).ok());
      for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(out[i], row.exact(a[i], b[i])) << micro_op_name(row.op) << "(" << a[i] << ", " << b[i] << ")";
      }
      // Every divisor alone, over all dividends, where these lie.
      for (const T y : *values) {
        if (divides && y == 0) continue;
        GuardedBuffer<T> over(*values);
        StripInput by[] = {{over.data(), type, {1}}, {&y, type, {0}}};
        StripOutput to[] = {{over.data(), type, {1}}};
        ASSERT_TRUE(run_strips(table, team, {&program, 1, {static_cast<std::int64_t>(over.size())}, by, to}).ok());
        for (std::size_t i = 0; i < over.size(); ++i)
          EXPECT_EQ(over[i], row.exact((*values)[i], y)) << name << "(" << (*values)[i] << ", " << y << ")";
      }
    }
}

TEST_P(StripSingle, Integers) {
  check_integers<std::int32_t>(strips(), Elem::i32);
  check_integers<std::int64_t>(strips(), Elem::i64);
}

// Single ops on operands of one integer type or truth values, dense or repeated along an axis.
template <class T>
void check_single_ops(const StripTable& table, Elem program, Elem type, std::int64_t cols) {
  const bool truth = type == Elem::boolean;
  struct Row {
    MicroOp op;
    bool compares;
    std::int64_t (*exact)(std::int64_t, std::int64_t);
  };
  using I = std::int64_t;
  const Row numbers[] = {{MicroOp::add, false, [](I a, I b) { return a + b; }},
                         {MicroOp::sub, false, [](I a, I b) { return a - b; }},
                         {MicroOp::mul, false, [](I a, I b) { return a * b; }},
                         {MicroOp::min, false, [](I a, I b) { return std::min(a, b); }},
                         {MicroOp::max, false, [](I a, I b) { return std::max(a, b); }},
                         {MicroOp::neg, false, [](I a, I) { return -a; }},
                         {MicroOp::abs, false, [](I a, I) { return a < 0 ? -a : a; }},
                         {MicroOp::sign, false, [](I a, I) { return I{(a > 0) - (a < 0)}; }},
                         {MicroOp::relu, false, [](I a, I) { return a < 0 ? 0 : a; }},
                         {MicroOp::bit_or, false, [](I a, I b) { return a | b; }},
                         {MicroOp::bit_not, false, [](I a, I) { return ~a; }},
                         {MicroOp::lt, true, [](I a, I b) { return I{a < b}; }},
                         {MicroOp::le, true, [](I a, I b) { return I{a <= b}; }},
                         {MicroOp::gt, true, [](I a, I b) { return I{a > b}; }},
                         {MicroOp::ge, true, [](I a, I b) { return I{a >= b}; }},
                         {MicroOp::eq, true, [](I a, I b) { return I{a == b}; }},
                         {MicroOp::ne, true, [](I a, I b) { return I{a != b}; }}};
  const Row truths[] = {{MicroOp::logical_and, true, [](I a, I b) { return a & b; }},
                        {MicroOp::logical_or, true, [](I a, I b) { return a | b; }},
                        {MicroOp::logical_xor, true, [](I a, I b) { return a ^ b; }},
                        {MicroOp::logical_not, true, [](I a, I) { return I{a == 0}; }},
                        {MicroOp::eq, true, [](I a, I b) { return I{a == b}; }},
                        {MicroOp::ne, true, [](I a, I b) { return I{a != b}; }}};
  Random random(7);
  const std::int64_t rows = 5, forms[][2] = {{cols, 1}, {0, 1}, {1, 0}, {0, 0}};
  for (const Row& row : truth ? std::span<const Row>(truths) : std::span<const Row>(numbers)) {
    const StripOp code[] = {{row.op, 2, 0, 1}};
    const StripProgram strip{
        .type = program, .inputs = 2, .outputs = 1, .registers = 0, .immediates = {}, .code = code};
    for (const auto& x : forms) {
      for (const auto& y : forms) {
        GuardedBuffer<T> a(static_cast<std::size_t>(rows * cols)), b(a.size());
        for (std::size_t i = 0; i < a.size(); ++i) {
          a[i] = static_cast<T>(random.integer(truth ? 0 : -9, truth ? 2 : 200));
          b[i] = static_cast<T>(random.integer(truth ? 0 : -9, truth ? 2 : 200));
        }
        const auto at = [&](const GuardedBuffer<T>& v, const std::int64_t(&stride)[2], std::int64_t i) {
          const T value = v[static_cast<std::size_t>(i / cols * stride[0] + i % cols * stride[1])];
          return truth ? std::int64_t{value != 0} : static_cast<std::int64_t>(value);
        };
        // In a buffer of their own, and where the first operand lies.
        const bool over = x[0] == cols && x[1] == 1 && row.compares == truth;
        std::vector<std::int64_t> want;
        for (std::int64_t i = 0; i < rows * cols; ++i) want.push_back(row.exact(at(a, x, i), at(b, y, i)));
        GuardedBuffer<T> own(a.size());
        void* const out = over ? a.data() : own.data();
        StripInput inputs[] = {{a.data(), type, {x[0], x[1]}}, {b.data(), type, {y[0], y[1]}}};
        StripOutput outputs[] = {{out, row.compares ? Elem::boolean : type, {cols, 1}}};
        StripArgs args{&strip, 2, {rows, cols}, inputs, outputs};
        collapse(args);
        Team team(1);
        ASSERT_TRUE(run_strips(table, team, args).ok());
        for (std::size_t i = 0; i < want.size(); ++i) {
          const bool byte = row.compares;
          const std::int64_t got =
              byte ? static_cast<const std::uint8_t*>(out)[i] : std::int64_t{static_cast<const T*>(out)[i]};
          ASSERT_EQ(got, byte ? want[i] : std::int64_t{static_cast<T>(want[i])})
              << micro_op_name(row.op) << " of " << elem_name(type) << " at " << i << " of rows of " << cols;
        }
      }
    }
  }
}

TEST_P(StripSingle, SingleOpsOnIntegers) {
  for (const std::int64_t cols : {7, 45, 200}) {
    check_single_ops<std::int32_t>(strips(), Elem::i32, Elem::i32, cols);
    check_single_ops<std::int64_t>(strips(), Elem::i64, Elem::i64, cols);
    check_single_ops<std::uint8_t>(strips(), Elem::i32, Elem::u8, cols);
    check_single_ops<std::int8_t>(strips(), Elem::i32, Elem::i8, cols);
    check_single_ops<std::uint16_t>(strips(), Elem::i32, Elem::u16, cols);
    check_single_ops<std::int16_t>(strips(), Elem::i32, Elem::i16, cols);
    check_single_ops<std::uint8_t>(strips(), Elem::i32, Elem::boolean, cols);
  }
}

// Shifts by no, few, all but one and more bits than there are.
template <class T>
void check_shifts(const StripTable& table, Elem program, Elem type) {
  const std::vector<T> by = {0, 1, 3, 8 * sizeof(T) - 1, 8 * sizeof(T), 100};
  for (const MicroOp op : {MicroOp::shift_left, MicroOp::shift_right}) {
    const StripOp code[] = {{op, 2, 0, 1}};
    const StripProgram strip{
        .type = program, .inputs = 2, .outputs = 1, .registers = 0, .immediates = {}, .code = code};
    const std::size_t n = 200;
    GuardedBuffer<T> a(n), b(n), out(n);
    Random random(3);
    for (std::size_t i = 0; i < n; ++i) a[i] = static_cast<T>(random.bits()), b[i] = by[i % by.size()];
    StripInput inputs[] = {{a.data(), type, {1}}, {b.data(), type, {1}}};
    StripOutput outputs[] = {{out.data(), type, {1}}};
    Team team(1);
    ASSERT_TRUE(run_strips(table, team, {&strip, 1, {static_cast<std::int64_t>(n)}, inputs, outputs}).ok());
    for (std::size_t i = 0; i < n; ++i) {
      const bool all = b[i] >= 8 * sizeof(T);
      const T want = all ? T{0} : static_cast<T>(op == MicroOp::shift_left ? a[i] << b[i] : a[i] >> b[i]);
      ASSERT_EQ(out[i], want) << micro_op_name(op) << " of " << +a[i] << " by " << +b[i];
    }
  }
}

TEST_P(StripSingle, Shifts) {
  check_shifts<std::uint8_t>(strips(), Elem::i32, Elem::u8);
  check_shifts<std::uint16_t>(strips(), Elem::i32, Elem::u16);
  check_shifts<std::uint32_t>(strips(), Elem::i32, Elem::i32);
  check_shifts<std::uint64_t>(strips(), Elem::i64, Elem::i64);
}

// Bounds and choices: of three operands, dense or repeated.
template <class T>
void check_of_three(const StripTable& table, Elem program, Elem type) {
  const StripOp clip[] = {{MicroOp::clip, 3, 0, 1, 2}}, where[] = {{MicroOp::where, 3, 0, 1, 2}};
  Random random(5);
  for (const std::int64_t cols : {7, 100}) {
    const std::int64_t rows = 3, forms[][2] = {{cols, 1}, {0, 1}, {1, 0}, {0, 0}};
    const auto n = static_cast<std::size_t>(rows * cols);
    GuardedBuffer<T> x(n), y(n), out(n);
    GuardedBuffer<std::uint8_t> c(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = static_cast<T>(random.integer(-90, 90)), y[i] = static_cast<T>(random.integer(-90, 90));
      c[i] = static_cast<std::uint8_t>(random.integer(0, 2));
    }
    Team team(1);
    const auto run = [&](std::span<const StripOp> code, StripInput a, StripInput b, StripInput d) {
      StripInput inputs[] = {a, b, d};
      StripOutput outputs[] = {{out.data(), type, {cols, 1}}};
      const StripProgram strip{
          .type = program, .inputs = 3, .outputs = 1, .registers = 0, .immediates = {}, .code = code};
      StripArgs args{&strip, 2, {rows, cols}, inputs, outputs};
      collapse(args);
      ASSERT_TRUE(run_strips(table, team, args).ok());
    };
    for (const auto& p : forms)
      for (const auto& q : forms) {
        run(where, {c.data(), Elem::boolean, {cols, 1}}, {x.data(), type, {p[0], p[1]}},
            {y.data(), type, {q[0], q[1]}});
        for (std::int64_t i = 0; i < rows * cols; ++i) {
          const auto at = [&](const auto& form) {
            return static_cast<std::size_t>(i / cols * form[0] + i % cols * form[1]);
          };
          const auto k = static_cast<std::size_t>(i);
          ASSERT_EQ(out[k], c[k] ? x[at(p)] : y[at(q)]) << elem_name(type) << " at " << i << " of rows of " << cols;
        }
      }
    if (!micro_op_supports(MicroOp::clip, program)) continue;
    for (const auto& [low, high] : {std::pair{T(20), T(60)}, std::pair{T(60), T(20)}}) {
      run(clip, {x.data(), type, {cols, 1}}, {&low, type, {0, 0}}, {&high, type, {0, 0}});
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], std::min(std::max(x[i], low), high)) << elem_name(type);
    }
  }
}

TEST_P(StripSingle, SingleOpsOfThree) {
  check_of_three<float>(strips(), Elem::f32, Elem::f32);
  check_of_three<double>(strips(), Elem::f64, Elem::f64);
  check_of_three<std::int32_t>(strips(), Elem::i32, Elem::i32);
  check_of_three<std::int64_t>(strips(), Elem::i64, Elem::i64);
  check_of_three<std::uint8_t>(strips(), Elem::i32, Elem::u8);
  check_of_three<std::int8_t>(strips(), Elem::i32, Elem::i8);
  check_of_three<std::uint16_t>(strips(), Elem::i32, Elem::u16);
  check_of_three<std::int16_t>(strips(), Elem::i32, Elem::i16);
}

// Single comparisons of numbers, NaN and infinities and zeros of either sign among them, dense and with one number.
template <class T>
void check_comparisons(const StripTable& table, Elem type) {
  struct Row {
    MicroOp op;
    bool (*exact)(T, T);
  };
  const Row rows[] = {{MicroOp::lt, [](T a, T b) { return a < b; }},  {MicroOp::le, [](T a, T b) { return a <= b; }},
                      {MicroOp::gt, [](T a, T b) { return a > b; }},  {MicroOp::ge, [](T a, T b) { return a >= b; }},
                      {MicroOp::eq, [](T a, T b) { return a == b; }}, {MicroOp::ne, [](T a, T b) { return a != b; }}};
  constexpr T kInf = std::numeric_limits<T>::infinity(), kNaN = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> values = {T(-kInf), T(-2), T(-0.0), T(0.0), T(1.5), kInf, kNaN};
  const std::size_t n = values.size() * values.size();
  GuardedBuffer<T> a(n), b(n);
  for (std::size_t i = 0; i < n; ++i) a[i] = values[i / values.size()], b[i] = values[i % values.size()];
  for (const Row& row : rows) {
    const StripOp code[] = {{row.op, 2, 0, 1}};
    const StripProgram program{.type = type, .inputs = 2, .outputs = 1, .registers = 0, .immediates = {}, .code = code};
    for (std::size_t one = 0; one <= values.size(); ++one) {  // the last: dense
      for (const bool swapped : {false, true}) {
        const std::int64_t step = one == values.size() ? 1 : 0;
        StripInput inputs[] = {{a.data(), type, {1}}, {step == 1 ? b.data() : &b[one], type, {step}}};
        if (swapped) std::swap(inputs[0], inputs[1]);
        GuardedBuffer<std::uint8_t> out(n);
        StripOutput outputs[] = {{out.data(), Elem::boolean, {1}}};
        Team team(1);
        ASSERT_TRUE(run_strips(table, team, {&program, 1, {static_cast<std::int64_t>(n)}, inputs, outputs}).ok());
        for (std::size_t i = 0; i < n; ++i) {
          const T x = a[i], y = step == 1 ? b[i] : b[one];
          ASSERT_EQ(out[i] != 0, swapped ? row.exact(y, x) : row.exact(x, y))
              << micro_op_name(row.op) << " of " << elem_name(type) << ": " << x << ", " << y << ", swapped "
              << swapped;
        }
      }
    }
  }
}

TEST_P(StripSingle, SingleComparisons) {
  check_comparisons<float>(strips(), Elem::f32);
  check_comparisons<double>(strips(), Elem::f64);
}

TEST_P(StripSingle, DivisionByZeroNamesTheLowestPlace) {
  const std::size_t n = 100000;
  std::vector<std::int64_t> a(n, 6), b(n, 2), out(n);
  b[99999] = b[54321] = b[54322] = 0;
  const StripOp code[] = {{MicroOp::div, 2, 0, 1}};
  const StripProgram program{
      .type = Elem::i64, .inputs = 2, .outputs = 1, .registers = 0, .immediates = {}, .code = code};
  StripInput inputs[] = {{a.data(), Elem::i64, {1}}, {b.data(), Elem::i64, {1}}};
  StripOutput outputs[] = {{out.data(), Elem::i64, {1}}};
  const StripArgs args{&program, 1, {static_cast<std::int64_t>(n)}, inputs, outputs};
  for (int threads = 1; threads <= 3; ++threads) {
    Team team(threads);
    const Status status = run_strips(strips(), team, args);
    EXPECT_EQ(status.code, StatusCode::kDivisionByZero);
    EXPECT_EQ(status.at, 54321);
  }
}

INSTANTIATE_TEST_SUITE_P(Tiers, StripSingle, ::testing::ValuesIn(machine_tiers()),
                         [](const auto& tier) { return std::string(tier_name(tier.param)); });

}  // namespace
}  // namespace tc::kernels
