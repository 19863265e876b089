// Rounding of elementwise programs.
#include <gtest/gtest.h>

#include <random>

#include "compare.h"
#include "tc/ir/builder.h"

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

}  // namespace
}  // namespace tc
