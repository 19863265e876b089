// Kernels for nodes of which only a run tells rank or extents: from the first run on, for any extents.
#include <gtest/gtest.h>

#include <algorithm>

#include "compare.h"
#include "tc/backend/cpu/run/executable.h"
#include "tc/ir/text/parse.h"

namespace tc {
namespace {

// The rank of %s depends on %flat; the product goes by whatever it is.
constexpr const char* kProduct = R"(graph @main(%x: f32[N,M,8], %w: f32[K,5], %flat: bool[]) {
  %shape = constant dense<[-1, 8]> : i64[2]
  %s = if %flat (@then {
    %r = reshape %x, %shape
    return %r
  }, @else {
    %n = neg %x
    return %n
  })
  %p = matmul %s, %w
  %y = softmax %p
  return %y
}
)";

Tensor filled(Extents extents) {
  Tensor t(DType::f32, std::move(extents));
  int i = 0;
  for (float& v : t.mutable_span<float>()) v = static_cast<float>(i++ % 11) * 0.125F - 0.5F;
  return t;
}

std::vector<std::string> kernels_of(const std::vector<cpu::StepTiming>& timings) {
  std::vector<std::string> names;
  for (const auto& t : timings) names.push_back(t.step->kernel);
  return names;
}

bool has(const std::vector<std::string>& names, std::string_view part) {
  return std::any_of(names.begin(), names.end(), [&](const auto& n) { return n.find(part) != n.npos; });
}

TEST(Deferred, KernelsRunAtOnceForRanksThatOnlyARunTells) {
  const auto module = parse_module(kProduct, "program");
  const auto executable = compiled(*module, {});
  const auto context = executable->make_context(1);
  // More extents than any cache of whole plans holds; each is seen once.
  for (int64_t n = 3; n < 20; ++n)
    for (const bool flat : {true, false}) {
      const std::vector<Datum> in{filled({n, n + 20, 8}), filled({8, 5}),
                                  Tensor::scalar<Bool>(static_cast<Bool>(flat))};
      std::vector<cpu::StepTiming> timings;
      context->profile_into(&timings);
      EXPECT_EQ(differences(executable->run(in, *context), widened(*module, in)), "") << n;
      const auto names = kernels_of(timings);
      EXPECT_TRUE(has(names, "gemm")) << n << " " << flat;
      EXPECT_TRUE(has(names, "softmax")) << n << " " << flat;
    }
}

TEST(Deferred, IntegersThatOnlyARunHasArePartOfThePlan) {
  const auto module = parse_module(R"(graph @main(%x: f32[N,M], %axes: i64[K]) {
  %y = reduce_sum %x, %axes {keepdims = false}
  return %y
}
)",
                                   "program");
  const auto executable = compiled(*module, {});
  const auto context = executable->make_context(1);
  for (int round = 0; round < 2; ++round)
    for (const auto& axes : {std::vector<int64_t>{0}, {1}, {-1}, {0, 1}}) {
      const std::vector<Datum> in{filled({30, 40}), Tensor::of<int64_t>({static_cast<int64_t>(axes.size())}, axes)};
      std::vector<cpu::StepTiming> timings;
      context->profile_into(&timings);
      EXPECT_EQ(differences(executable->run(in, *context), widened(*module, in)), "") << axes.size();
      EXPECT_TRUE(has(kernels_of(timings), "reduce")) << axes.size();
    }
}

TEST(Deferred, WhatAPlanFailsAtTheReferenceBodyTells) {
  const auto module = parse_module(kProduct, "program");
  const auto executable = compiled(*module, {});
  const auto context = executable->make_context(1);
  const std::vector<Datum> in{filled({4, 30, 8}), filled({7, 5}), Tensor::scalar<Bool>(static_cast<Bool>(false))};
  try {
    executable->run(in, *context);
    FAIL() << "a product of 8 columns and 7 rows";
  } catch (const Error& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("matmul"), std::string::npos) << text;
    EXPECT_NE(text.find('7'), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace tc
