// Semantics on the edge, against what NumPy gives (or the standard says where NumPy has no such operation).
#include <gtest/gtest.h>

#include <cmath>

#include "tc/ir/builder.h"
#include "tc/ir/eval/interp.h"
#include "tc/ir/eval/wide.h"

namespace tc {
namespace {

template <class T>
Tensor vec(std::vector<T> v) {
  return Tensor::of<T>({static_cast<int64_t>(v.size())}, v);
}

template <class Op>
Tensor run(std::vector<Tensor> inputs, attrs_t<Op> attrs = {}) {
  Module m;
  Builder b(m.main());
  std::vector<Value*> operands;
  std::vector<Datum> data;
  for (const Tensor& t : inputs) {
    operands.push_back(m.main().add_input(t.type(), "x" + std::to_string(data.size())));
    data.emplace_back(t);
  }
  m.main().set_outputs(std::vector<Value*>{b.make<Op>(operands, std::move(attrs))});
  return interpret(m, data)[0].tensor();
}

template <class T>
void expect(const Tensor& got, std::vector<T> want) {
  ASSERT_EQ(got.dtype(), dtype_of<T>);
  const auto span = got.span<T>();
  EXPECT_EQ(std::vector<T>(span.begin(), span.end()), want);
}

template <class Op>
ErrorCode error_of(std::vector<Tensor> inputs, attrs_t<Op> attrs = {}) {
  try {
    run<Op>(std::move(inputs), std::move(attrs));
  } catch (const Error& e) {
    return e.diagnostic().code;
  }
  ADD_FAILURE() << "no error";
  return ErrorCode::internal;
}

TEST(Integers, Wrap) {
  expect<int8_t>(run<Add>({vec<int8_t>({127, -128}), vec<int8_t>({1, -1})}), {-128, 127});
  expect<int64_t>(run<Mul>({vec<int64_t>({INT64_MAX}), vec<int64_t>({2})}), {-2});
  expect<uint8_t>(run<Sub>({vec<uint8_t>({0}), vec<uint8_t>({1})}), {255});
  expect<int64_t>(run<Neg>({vec<int64_t>({INT64_MIN})}), {INT64_MIN});
  expect<int32_t>(run<Abs>({vec<int32_t>({INT32_MIN, -3})}), {INT32_MIN, 3});
}

TEST(Div, TruncatesIntegers) {
  expect<int32_t>(run<Div>({vec<int32_t>({-7, 7, -7, 7}), vec<int32_t>({2, -2, -2, 2})}), {-3, -3, 3, 3});
  expect<int64_t>(run<Div>({vec<int64_t>({INT64_MIN}), vec<int64_t>({-1})}), {INT64_MIN});
  expect<uint64_t>(run<Div>({vec<uint64_t>({UINT64_MAX}), vec<uint64_t>({2})}), {UINT64_MAX / 2});
  EXPECT_EQ(error_of<Div>({vec<int32_t>({1}), vec<int32_t>({0})}), ErrorCode::bad_value);
}

TEST(Mod, TakesTheSignOfEitherSide) {
  expect<int32_t>(run<Mod>({vec<int32_t>({-7, 7, -7, 6}), vec<int32_t>({3, -3, -3, -3})}), {2, -2, -1, 0});
  expect<int32_t>(run<Mod>({vec<int32_t>({-7, 7, -7}), vec<int32_t>({3, -3, -3})}, {.fmod = true}), {-1, 1, -1});
  expect<float>(run<Mod>({vec<float>({-5.5f, 5.5f}), vec<float>({2, -2})}, {.fmod = true}), {-1.5f, 1.5f});
  expect<float>(run<Mod>({vec<float>({-5.5f, 5.5f}), vec<float>({2, -2})}), {0.5f, -0.5f});
  expect<int64_t>(run<Mod>({vec<int64_t>({INT64_MIN}), vec<int64_t>({-1})}), {0});
  EXPECT_EQ(error_of<Mod>({vec<uint8_t>({1}), vec<uint8_t>({0})}), ErrorCode::bad_value);
}

TEST(Pow, KeepsTheTypeOfTheBase) {
  expect<int32_t>(run<Pow>({vec<int32_t>({2, -2, 1, -1}), vec<int64_t>({10, 3, -5, -3})}), {1024, -8, 1, -1});
  expect<int32_t>(run<Pow>({vec<int32_t>({9, 2}), vec<float>({0.5f, 2.5f})}), {3, 5});
  expect<float>(run<Pow>({vec<float>({2, 4}), vec<int8_t>({-1, 2})}), {0.5f, 16});
  EXPECT_EQ(error_of<Pow>({vec<int32_t>({0}), vec<int32_t>({-1})}), ErrorCode::bad_value);
}

TEST(MinMax, NaNWins) {
  for (bool first : {false, true}) {
    const Tensor n = vec<float>({NAN}), x = vec<float>({1});
    EXPECT_TRUE(std::isnan(run<Max>(first ? std::vector{n, x} : std::vector{x, n}).span<float>()[0]));
    EXPECT_TRUE(std::isnan(run<Min>(first ? std::vector{n, x} : std::vector{x, n}).span<float>()[0]));
  }
}

TEST(Round, HalvesToEven) {
  expect<float>(run<Round>({vec<float>({0.5f, 1.5f, 2.5f, -0.5f, -1.5f})}), {0, 2, 2, 0, -2});
}

TEST(BitShift, BeyondTheWidthGivesZero) {
  expect<uint8_t>(run<BitShift>({vec<uint8_t>({255, 255, 1}), vec<uint8_t>({1, 8, 200})}, {ShiftDirection::left}),
                  {254, 0, 0});
  expect<uint64_t>(run<BitShift>({vec<uint64_t>({UINT64_MAX}), vec<uint64_t>({64})}, {ShiftDirection::right}), {0});
}

TEST(Clip, MaxWinsOverMin) {
  expect<float>(run<Clip>({vec<float>({-5, 0, 5}), Tensor::scalar(2.0f), Tensor::scalar(-2.0f)}), {-2, -2, -2});
}

TEST(Cast, FloatsToIntegersTruncate) {
  expect<int32_t>(run<Cast>({vec<float>({-1.9f, 1.9f, 0.5f})}, {.to = DType::i32}), {-1, 1, 0});
  expect<uint64_t>(run<Cast>({vec<double>({1e19, 0x1p63})}, {.to = DType::u64}),
                   {10000000000000000000u, uint64_t{1} << 63});
}

TEST(Cast, WideIntegersRoundOnce) {
  // A double would lie halfway between two floats, and round down.
  const int64_t v = (int64_t{1} << 60) + (int64_t{1} << 36) + 1;
  expect<float>(run<Cast>({vec<int64_t>({v})}, {.to = DType::f32}), {0x1.000002p60f});
}

TEST(Cast, EightBitFloatsSaturateOrOverflow) {
  const Tensor x = vec<float>({1e6f, -1e6f, INFINITY});
  auto as_float = [](const Tensor& t) { return widen<double>(t); };
  EXPECT_EQ(as_float(run<Cast>({x}, {.to = DType::f8e4m3fn})), (std::vector<double>{448, -448, 448}));
  for (double v : as_float(run<Cast>({x}, {.to = DType::f8e4m3fn, .saturate = false}))) EXPECT_TRUE(std::isnan(v));
  EXPECT_EQ(as_float(run<Cast>({x}, {.to = DType::f8e5m2, .saturate = false})),
            (std::vector<double>{INFINITY, -INFINITY, INFINITY}));
}

TEST(Cast, StringsAsPythonWritesThem) {
  const Tensor x = vec<float>({1, 0.1f, 1e-5f, 1e16f, -0.0f, 123456.75f, NAN, -INFINITY});
  expect<std::string>(run<Cast>({x}, {.to = DType::str}),
                      {"1.0", "0.1", "1e-05", "1e+16", "-0.0", "123456.75", "nan", "-inf"});
  expect<std::string>(run<Cast>({vec<Float16>({Float16(0.1)})}, {.to = DType::str}), {"0.1"});
  expect<float>(run<Cast>({vec<std::string>({"1e3", "+INF", "-inf", " 7"})}, {.to = DType::f32}),
                {1000, INFINITY, -INFINITY, 7});
  EXPECT_EQ(error_of<Cast>({vec<std::string>({"1x"})}, {.to = DType::f32}), ErrorCode::bad_value);
  EXPECT_EQ(error_of<Cast>({vec<std::string>({""})}, {.to = DType::i32}), ErrorCode::bad_value);
}

TEST(Reduce, OfNothing) {
  const Tensor f(DType::f32, {0}), i(DType::i8, {0});
  EXPECT_EQ(run<ReduceMax>({f}).span<float>()[0], -INFINITY);
  EXPECT_EQ(run<ReduceMin>({i}).span<int8_t>()[0], 127);
  EXPECT_EQ(run<ReduceMax>({i}).span<int8_t>()[0], -128);
  EXPECT_EQ(run<ReduceProd>({f}).span<float>()[0], 1);
  EXPECT_EQ(run<ReduceLogSumExp>({f}).span<float>()[0], -INFINITY);
  EXPECT_EQ(error_of<ReduceMean>({Tensor(DType::i32, {0})}), ErrorCode::bad_value);
  EXPECT_EQ(error_of<ArgMax>({f}), ErrorCode::bad_value);
}

TEST(Reduce, InfinitiesDoNotCancel) {
  EXPECT_EQ(run<ReduceLogSumExp>({vec<float>({-INFINITY, -INFINITY})}).span<float>()[0], -INFINITY);
  EXPECT_EQ(run<ReduceLogSumExp>({vec<float>({INFINITY, 0})}).span<float>()[0], INFINITY);
  EXPECT_TRUE(std::isnan(run<ReduceLogSumExp>({vec<float>({INFINITY, NAN})}).span<float>()[0]));
}

TEST(ArgMax, FirstNaNWins) {
  EXPECT_EQ(run<ArgMax>({vec<float>({1, NAN, 5, NAN})}).span<int64_t>()[0], 1);
  EXPECT_EQ(run<ArgMax>({vec<float>({1, NAN, 5, NAN})}, {.select_last_index = true}).span<int64_t>()[0], 3);
}

TEST(Einsum, MalformedEquationsAreErrors) {
  const Tensor m(DType::f32, {2, 3});
  for (const char* bad : {"i", "ij->ii", "ij->k", "i.j", "ij,jk", "i1", "..i..", "ij-j", "->", "......->"})
    EXPECT_NE(error_of<Einsum>({m}, {bad}), ErrorCode::internal) << bad;
}

TEST(Contents, FollowShapeArithmetic) {
  Module m;
  Builder b(m.main());
  const Dim n = Dim::symbol("N");
  Value* x = m.main().add_input(Type::tensor(DType::f32, Shape({n, Dim(6)})), "x");
  Value* shape = b.make<ShapeOf>({x});
  Value* half = b.make<Div>({b.make<Add>({shape, b.scalar<int64_t>(1)}), b.scalar<int64_t>(2)});
  ASSERT_TRUE(half->contents());
  EXPECT_EQ((*half->contents())[0], floordiv(n + Dim(1), Dim(2)));
  EXPECT_EQ((*half->contents())[1], Dim(3));
  Value* product = b.make<ReduceProd>({shape});
  ASSERT_TRUE(product->contents());
  EXPECT_EQ((*product->contents())[0], n * Dim(6));
  Value* chosen = b.make<Where>({b.make<Equal>({shape, b.ints({-1, -1})}), b.ints({7, 7}), shape});
  ASSERT_TRUE(chosen->contents()) << "an extent is never -1";
  EXPECT_EQ((*chosen->contents())[0], n);
  Value* far = b.make<Add>({b.ints({INT64_MAX}), b.ints({1})});
  EXPECT_FALSE(far->contents()) << "an overflow is not known, and no error";
}

// Longer than the squares in which columns become rows.
TEST(Movement, TransposesOfLongAxes) {
  const Extents e{2, 70, 131};
  Tensor x(DType::i32, e);
  for (int i = 0; int32_t & v : x.mutable_span<int32_t>()) v = i++;
  for (const auto& perm : {std::vector<int64_t>{0, 2, 1}, {2, 1, 0}, {2, 0, 1}, {1, 2, 0}}) {
    const Tensor y = run<Transpose>({x}, {.perm = perm});
    const int64_t steps[] = {e[1] * e[2], e[2], 1};
    const auto got = y.span<int32_t>();
    size_t at = 0;
    for (int64_t i = 0; i < y.extent(0); ++i)
      for (int64_t j = 0; j < y.extent(1); ++j)
        for (int64_t k = 0; k < y.extent(2); ++k)
          ASSERT_EQ(got[at++], i * steps[perm[0]] + j * steps[perm[1]] + k * steps[perm[2]]);
  }
}

TEST(Quantisation, SignedBytesBecomeNumbers) {
  expect<float>(run<DequantizeLinear>(
                    {vec<int8_t>({-128, -1, 0, 127}), Tensor::of<float>({}, {0.1F}), Tensor::of<int8_t>({}, {-3})}),
                {-125 * 0.1F, 2 * 0.1F, 3 * 0.1F, 130 * 0.1F});
}

}  // namespace
}  // namespace tc
