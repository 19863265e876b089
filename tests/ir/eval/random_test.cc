// Random ops: the generator against its published answers, the distributions against what they should be, and who gets
// the same numbers.
#include "tc/ir/eval/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tc/ir/builder.h"
#include "tc/ir/eval/interp.h"
#include "tc/ir/text/parse.h"

namespace tc {
namespace {

// The known answers that come with the authors' Random123 library.
TEST(Random, PhiloxKnownAnswers) {
  const auto b = RandomStream(0, 0).block(0);
  EXPECT_EQ(b.low, 0xe169c58d6627e8d5u);
  EXPECT_EQ(b.high, 0x9b00dbd8bc57ac4cu);
  const auto c = RandomStream(~uint64_t{0}, ~uint64_t{0}).block(~uint64_t{0});
  EXPECT_EQ(c.low, 0x41c83b0e408f276du);
  EXPECT_EQ(c.high, 0x6d5451fda20bc7c6u);
  const auto d = RandomStream(0x299f31d0a4093822u, 0x0370734413198a2eu).block(0x85a308d3243f6a88u);
  EXPECT_EQ(d.low, 0x94fdccebd16cfe09u);
  EXPECT_EQ(d.high, 0x24126ea15001e420u);
}

template <class Op>
std::vector<double> draw(attrs_t<Op> attrs, std::vector<Tensor> inputs = {}, uint64_t seed = 3) {
  Module m;
  Builder b(m.main());
  std::vector<Value*> operands;
  std::vector<Datum> data;
  for (const Tensor& t : inputs) {
    operands.push_back(m.main().add_input(t.type(), cat("x", data.size())));
    data.emplace_back(t);
  }
  m.main().set_outputs(std::vector<Value*>{b.make<Op>(operands, std::move(attrs))});
  InterpOptions options;
  options.seed = seed;
  options.check_types = true;
  return widen<double>(interpret(m, data, options)[0].tensor());
}

constexpr int64_t kDraws = 200000;

// The Kolmogorov-Smirnov statistic: beyond 1.95 / sqrt(n) with probability 0.001.
template <class F>
double deviation(std::vector<double> x, F&& distribution) {
  std::sort(x.begin(), x.end());
  double worst = 0;
  const auto n = static_cast<double>(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const double p = distribution(x[i]);
    worst = std::max({worst, std::abs(p - static_cast<double>(i) / n), std::abs(p - static_cast<double>(i + 1) / n)});
  }
  return worst * std::sqrt(n);
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  double sum_a = 0, sum_b = 0, ab = 0, aa = 0, bb = 0;
  const auto n = static_cast<double>(a.size());
  for (size_t i = 0; i < a.size(); ++i)
    sum_a += a[i], sum_b += b[i], ab += a[i] * b[i], aa += a[i] * a[i], bb += b[i] * b[i];
  return (ab - sum_a * sum_b / n) / std::sqrt((aa - sum_a * sum_a / n) * (bb - sum_b * sum_b / n));
}

template <class Op>
attrs_t<Op> shaped(DType t, std::optional<double> seed) {
  attrs_t<Op> a;
  a.dtype = t, a.seed = seed, a.shape = {kDraws};
  return a;
}

TEST(Random, UniformIsUniform) {
  for (const DType t : {DType::f32, DType::f64}) {
    auto a = shaped<RandomUniform>(t, {});
    a.low = -3, a.high = 5;
    const auto x = draw<RandomUniform>(a);
    EXPECT_LT(deviation(x, [](double v) { return (v + 3) / 8; }), 1.95) << t;
    EXPECT_GE(*std::min_element(x.begin(), x.end()), -3);
    EXPECT_LT(*std::max_element(x.begin(), x.end()), 5);
  }
}

// Few bits round to the end of the range often; it is not in it.
TEST(Random, NarrowUniformStaysBelowTheEnd) {
  for (const DType t : {DType::f16, DType::bf16}) {
    auto a = shaped<RandomUniform>(t, 1.0);
    a.low = 1, a.high = 2;
    const auto x = draw<RandomUniform>(a);
    EXPECT_EQ(*std::min_element(x.begin(), x.end()), 1);
    EXPECT_EQ(*std::max_element(x.begin(), x.end()), t == DType::f16 ? 2 - 0x1p-10 : 2 - 0x1p-7) << t;
  }
  auto a = shaped<RandomUniform>(DType::f32, 1.0);
  a.low = a.high = 0.3;
  EXPECT_EQ(draw<RandomUniform>(a), std::vector<double>(kDraws, static_cast<double>(0.3F)));
}

TEST(Random, NormalIsNormal) {
  auto a = shaped<RandomNormal>(DType::f64, {});
  a.mean = 10, a.scale = 2;
  const auto x = draw<RandomNormal>(a);
  EXPECT_LT(deviation(x, [](double v) { return 0.5 * std::erfc(-(v - 10) / 2 / std::sqrt(2.0)); }), 1.95);
  // Pairs of the Box-Muller method are independent.
  std::vector<double> even, odd;
  for (size_t i = 0; i + 1 < x.size(); i += 2) even.push_back(x[i]), odd.push_back(x[i + 1]);
  EXPECT_LT(std::abs(correlation(even, odd)), 4 / std::sqrt(static_cast<double>(even.size())));
  EXPECT_GT(*std::max_element(x.begin(), x.end()), 10 + 2 * 4);
}

TEST(Random, BernoulliHasItsProbability) {
  for (const double p : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    const Tensor probability = Tensor::of<double>({kDraws}, std::vector<double>(kDraws, p));
    double ones = 0;
    for (const double v : draw<Bernoulli>({DType::i8, {}}, {probability})) {
      EXPECT_TRUE(v == 0 || v == 1);
      ones += v;
    }
    EXPECT_NEAR(ones / kDraws, p, 4 * std::sqrt(p * (1 - p) / kDraws)) << p;
  }
  const auto odd = draw<Bernoulli>({DType::f32, {}}, {Tensor::of<float>({3}, {NAN, -1, 2})});
  EXPECT_EQ(odd, (std::vector<double>{0, 0, 1}));
}

TEST(Random, MultinomialHasItsProbabilities) {
  const Tensor x = Tensor::of<float>({2, 4}, {0, std::log(2.0F), -INFINITY, std::log(5.0F), 1000, 1000, 1000, 1000});
  const auto y = draw<Multinomial>({DType::i64, kDraws, {}}, {x});
  double counts[2][4] = {};
  for (size_t i = 0; i < y.size(); ++i) counts[i / kDraws][static_cast<size_t>(y[i])] += 1 / double{kDraws};
  const double expected[2][4] = {{1 / 8.0, 2 / 8.0, 0, 5 / 8.0}, {0.25, 0.25, 0.25, 0.25}};
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 4; ++c)
      EXPECT_NEAR(counts[r][c], expected[r][c], 4 * std::sqrt(expected[r][c] / kDraws)) << r << " " << c;
  EXPECT_THROW(draw<Multinomial>({DType::i32, 1, {}}, {Tensor::of<float>({1, 2}, {-INFINITY, -INFINITY})}), Error);
  EXPECT_THROW(draw<Multinomial>({DType::i32, 1, {}}, {Tensor::of<float>({1, 2}, {0, NAN})}), Error);
  EXPECT_THROW(draw<Multinomial>({DType::i32, 1, {}}, {Tensor(DType::f32, {1, 0})}), Error);
}

TEST(Random, SeedsDecide) {
  const auto normal = [](std::optional<double> seed, uint64_t run) {
    return draw<RandomNormal>(shaped<RandomNormal>(DType::f32, seed), {}, run);
  };
  EXPECT_EQ(normal(1.5, 1), normal(1.5, 2)) << "the node's seed counts, not the run's";
  EXPECT_EQ(normal({}, 1), normal({}, 1));
  EXPECT_NE(normal({}, 1), normal({}, 2));
  EXPECT_NE(normal(1.0, 1), normal(2.0, 1));
  EXPECT_LT(std::abs(correlation(normal(1.0, 1), normal(2.0, 1))), 4 / std::sqrt(double{kDraws}));
}

std::vector<Datum> run(std::string_view text, std::optional<uint64_t> seed) {
  InterpOptions options;
  options.seed = seed;
  return interpret(*parse_module(text, "test"), {}, options);
}

TEST(Random, NodesDrawTheirOwn) {
  constexpr std::string_view kText = R"(graph @g() {
  %0 = random_uniform {shape = [8]} : f32[8] loc("a")
  %1 = random_uniform {shape = [8]} : f32[8] loc("b")
  %2 = random_uniform {shape = [8]} : f32[8]
  %3 = random_uniform {shape = [8]} : f32[8]
  %4 = random_uniform {seed = 1.0, shape = [8]} : f32[8] loc("c")
  %5 = random_uniform {seed = 1.0, shape = [8]} : f32[8] loc("d")
  return %0, %1, %2, %3, %4, %5
}
)";
  const auto x = run(kText, 5), again = run(kText, 5), other = run(kText, {}), third = run(kText, {});
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_TRUE(x[i].tensor().identical(again[i].tensor())) << i;
    EXPECT_EQ(other[i].tensor().identical(third[i].tensor()), i >= 4) << i;
    for (size_t k = i + 1; k < 6; ++k) EXPECT_EQ(x[i].tensor().identical(x[k].tensor()), i == 4) << i << " " << k;
  }
}

}  // namespace
}  // namespace tc
