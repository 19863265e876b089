// Random ops: the same seed gives the same numbers on every engine, tier, level and number of threads; what has no seed
// differs from run to run; no pass folds, merges or copies a draw.
#include <gtest/gtest.h>

#include "compare.h"
#include "tc/ir/eval/interp.h"
#include "tc/ir/text/parse.h"

namespace tc {
namespace {

constexpr std::string_view kNoise = R"(func @noise(%x: f32[N]) {
  %0 = random_normal_like %x : f32[N]  loc("in the function")
  return %0
}

graph @main(%x: f32[N], %n: i64[]) {
  %0 = random_uniform {shape = [300]} : f32[300]  loc("first")
  %1 = random_uniform {shape = [300]} : f32[300]  loc("second")
  %2 = random_uniform {seed = 4.0, shape = [300]} : f32[300]  loc("third")
  %3 = call @noise %x : f32[N]
  %4 = call @noise %x : f32[N]
  %half = constant dense<0.5> : f32[]
  %n1 = constant dense<[400]> : i64[1]
  %p = expand %half, %n1 : f32[400]
  %5 = bernoulli %p : f32[400]  loc("coin")
  %sum, %each = loop %n, _, %x (@body (%i: i64[], %go: bool[], %acc: f32[N]) {
    %6 = random_normal_like %x : f32[N]  loc("in the loop")
    %7 = random_normal_like %x {seed = 2.0} : f32[N]  loc("seeded in the loop")
    %8 = add %6, %7 : f32[N]
    %9 = add %acc, %8 : f32[N]
    return %go, %9, %8
  }) : f32[N], f32[?1,N]
  return %0, %1, %2, %3, %4, %5, %sum, %each
}
)";

std::unique_ptr<Module> program() {
  return parse_module(kNoise, "test");
}

std::vector<Datum> inputs() {
  return {Tensor(DType::f32, {1000}), Tensor::scalar<int64_t>(3)};
}

CompileOptions options(std::optional<uint64_t> seed, int level = 2) {
  CompileOptions o;
  o.seed = seed;
  o.level = level;
  return o;
}

bool all_identical(const std::vector<Datum>& a, const std::vector<Datum>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!identical(a[i], b[i])) return false;
  return true;
}

TEST(Random, SameSeedSameNumbersEverywhere) {
  const auto m = program();
  InterpOptions interp;
  interp.seed = 11;
  const auto reference = interpret(*m, inputs(), interp);
  for (const kernels::Tier tier : machine_tiers())
    for (const int level : {0, 1, 2})
      for (const int threads : {1, 2}) {
        auto o = options(11, level);
        o.isa = tier;
        const auto e = compiled(*m, o);
        const auto got = e->run(inputs(), *e->make_context(threads));
        for (size_t i = 0; i < reference.size(); ++i)
          EXPECT_TRUE(identical(got[i], reference[i]))
              << "output " << i << ", " << kernels::tier_name(tier) << ", -O" << level << ", " << threads << " threads";
      }
}

TEST(Random, RunsDifferButRepeat) {
  const auto m = program();
  const auto a = compiled(*m, options(11)), b = compiled(*m, options(11)), c = compiled(*m, options(12));
  const auto context_a = a->make_context(1), context_b = b->make_context(2), context_c = c->make_context(1);
  const auto first = a->run(inputs(), *context_a), second = a->run(inputs(), *context_a);
  const auto other = c->run(inputs(), *context_c);
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(identical(first[i], second[i]), i == 2) << "output " << i;
    EXPECT_EQ(identical(first[i], other[i]), i == 2) << "output " << i;
  }
  EXPECT_TRUE(all_identical(b->run(inputs(), *context_b), first));
  EXPECT_TRUE(all_identical(b->run(inputs(), *context_b), second));
  const auto d = compiled(*m, options({})), e = compiled(*m, options({}));
  EXPECT_FALSE(all_identical(d->run(inputs(), *d->make_context(1)), e->run(inputs(), *e->make_context(1))));
}

TEST(Random, EveryDrawIsItsOwn) {
  const auto m = program();
  const auto e = compiled(*m, options(11));
  const auto y = e->run(inputs(), *e->make_context(1));
  EXPECT_FALSE(identical(y[0], y[1])) << "equal nodes without a seed";
  EXPECT_FALSE(identical(y[3], y[4])) << "calls of one function";
  const auto each = y[7].tensor().span<float>();
  for (const size_t k : {size_t{0}, size_t{1}})
    EXPECT_FALSE(
        std::equal(each.begin(), each.begin() + 1000, each.begin() + static_cast<std::ptrdiff_t>(k + 1) * 1000))
        << "iterations of a loop";
  const auto coins = widen<double>(y[5].tensor());
  const auto heads = std::count(coins.begin(), coins.end(), 1.0);
  EXPECT_GT(heads, 120);
  EXPECT_LT(heads, 280);
}

// Nodes that look equal and have constant operands stay, and stay as many.
TEST(Random, PassesLeaveDrawsAlone) {
  const auto m = parse_module(R"(graph @main() {
  %p = constant dense<[0.5, 0.25, 0.75]> : f32[3]
  %l = constant dense<[[1, 2, 3]]> : f32[1,3]
  %0 = bernoulli %p {seed = 1.0} : f32[3]
  %1 = bernoulli %p {seed = 1.0} : f32[3]
  %2 = random_normal {shape = [3]} : f32[3]
  %3 = random_normal {shape = [3]} : f32[3]
  %4 = multinomial %l {sample_size = 4} : i32[1,4]
  %5 = multinomial %l {sample_size = 4} : i32[1,4]
  %6 = add %0, %1 : f32[3]
  %7 = add %2, %3 : f32[3]
  %8 = sub %4, %5 : i32[1,4]
  return %6, %7, %8
}
)",
                              "test");
  const auto e = compiled(*m, options(1));
  int draws = 0;
  walk(e->graph(), [&](Node& n) { draws += n.info().traits.nondeterministic; });
  EXPECT_EQ(draws, 6);
}

}  // namespace
}  // namespace tc
