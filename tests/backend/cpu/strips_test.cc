// Rounding of elementwise programs.
#include <gtest/gtest.h>

#include <random>

#include "compare.h"
#include "tc/ir/builder.h"
#include "tc/ir/text/parse.h"

namespace tc {
namespace {

// Sums of bytes as quantised models scale them: x * scale + bias with two roundings, as one by one.
TEST(Strips, ScaledSumsAreRoundedBeforeTheBias) {
  constexpr int64_t kLength = 4096;
  Module m;
  Builder b(m.main());
  Value* x = m.main().add_input(Type::tensor(DType::i32, Shape({Dim(kLength)})));
  Value* bias = m.main().add_input(Type::tensor(DType::f32, Shape({Dim(kLength)})));
  Value* scale = m.main().add_input(Type::tensor(DType::f32, Shape(Dims{})));
  m.main().set_outputs(
      std::vector<Value*>{b.make<Add>({b.make<Mul>({b.make<Cast>({x}, {.to = DType::f32}), scale}), bias})});
  std::mt19937 rng(1);
  Tensor sums(DType::i32, {kLength}), shifts(DType::f32, {kLength});
  for (auto& v : sums.mutable_span<int32_t>()) v = static_cast<int32_t>(rng() % 100000) - 50000;
  for (auto& v : shifts.mutable_span<float>()) v = static_cast<float>(rng() % 1000) / 333.0F;
  const float by = 0.0123456789F;
  Tensor want(DType::f32, {kLength}), once(DType::f32, {kLength});
  for (size_t i = 0; i < static_cast<size_t>(kLength); ++i) {
    const auto sum = static_cast<float>(sums.span<int32_t>()[i]);
    // Of doubles, a product of two floats is exact.
    const double product = static_cast<double>(sum) * by;
    want.mutable_span<float>()[i] = static_cast<float>(product) + shifts.span<float>()[i];
    once.mutable_span<float>()[i] = static_cast<float>(product + static_cast<double>(shifts.span<float>()[i]));
  }
  ASSERT_FALSE(identical(want, once)) << "these numbers tell nothing";
  const auto executable = compiled(m);
  const auto context = executable->make_context(1);
  EXPECT_TRUE(identical(executable->run({sums, shifts, Tensor::scalar<float>(by)}, *context)[0], want));
}

// Doubles run in one sweep, too, and stay doubles: scalars, comparisons and choices among them.
TEST(Strips, ChainsOfDoublesAreDoubles) {
  constexpr std::string_view kChain = R"(graph @main(%x: f64[N,33], %y: f64[33]) {
  %tiny = constant dense<1.0e-12> : f64[]
  %0 = mul %x, %y : f64[N,33]
  %1 = add %0, %tiny : f64[N,33]
  %2 = tanh %1 : f64[N,33]
  %3 = less %2, %y : bool[N,33]
  %4 = where %3, %2, %1 : f64[N,33]
  %5 = sub %4, %0 : f64[N,33]
  return %5
})";
  const auto module = parse_module(kChain, "test");
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Tensor x(DType::f64, {70, 33}), y(DType::f64, {33});
  for (Tensor* t : {&x, &y})
    for (double& v : t->mutable_span<double>()) v = uniform(rng);
  const std::vector<Datum> inputs{x, y}, truth = widened(*module, inputs);
  for (const kernels::Tier tier : machine_tiers()) {
    CompileOptions options;
    options.isa = tier;
    const auto executable = compiled(*module, options);
    ASSERT_EQ(executable->plan().steps.size(), 1u) << "no single sweep";
    const auto context = executable->make_context(1);
    EXPECT_EQ(differences(executable->run(inputs, *context), truth, {.rtol = 1e-13, .atol = 1e-15}), "");
  }
}

TEST(Strips, ShrinkOfIntegers) {
  for (const char* type : {"i32", "i64"}) {
    for (const char* by : {"lambd = 2.0, bias = 1.0", "lambd = 1.5, bias = 0.5"}) {
      SCOPED_TRACE(cat(type, " ", by));
      const auto module = parse_module(
          cat("graph @main(%x: ", type, "[100]) {\n  %0 = shrink %x {", by, "} : ", type, "[100]\n  return %0\n}"),
          "test");
      Tensor x(module->main().input(0)->dtype(), {100});
      for (int64_t i = 0; i < 100; ++i)
        type == std::string_view("i32")
            ? void(x.mutable_span<int32_t>()[static_cast<size_t>(i)] = static_cast<int32_t>(i) - 50)
            : void(x.mutable_span<int64_t>()[static_cast<size_t>(i)] = i - 50);
      expect_agreement(*module, {{x}});
    }
  }
}

}  // namespace
}  // namespace tc
