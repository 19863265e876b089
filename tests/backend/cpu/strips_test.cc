// Rounding of elementwise programs.
#include <gtest/gtest.h>

#include <random>

#include "compare.h"
#include "tc/backend/cpu/bind/strip_builder.h"
#include "tc/ir/builder.h"
#include "tc/ir/text/parse.h"
#include "tc/passes/fuse/fuse.h"

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

// What a strip computes of floats, or of booleans, joins a cluster: two lists that would part unnoticed.
TEST(Strips, WhatAStripComputesJoinsAFusionGroup) {
  int computed = 0;
  for (int i = 0; i < kNumOps; ++i) {
    const auto op = static_cast<OpId>(i);
    const OpInfo& op_info = info(op);
    // Copies and conversions join where they are the edge of a chain.
    if (!op_info.traits.elementwise || op == OpId::Identity || op == OpId::Cast) continue;
    for (const DType type : {DType::f32, DType::boolean}) {
      Module m;
      std::vector<Value*> operands;
      std::vector<int> ids;
      cpu::StripBuilder strip(type == DType::f32 ? kernels::Elem::f32 : kernels::Elem::i32);
      const int count = std::max(op_info.facts->signature.min_operands(), 1);
      for (int k = 0; k < count; ++k) {
        // The choice between two values takes a condition first.
        const DType t = op == OpId::Where && k == 0 ? DType::boolean : type;
        operands.push_back(m.main().add_input(Type::tensor(t, Shape({Dim(int64_t{8})}))));
        ids.push_back(strip.input());
      }
      try {
        Node* n = m.main().insert(make_node(m, op, operands, op_info.attrs.make(), 1, {}, {}));
        if (strip.node(*n, ids) < 0) continue;
        ++computed;
        EXPECT_TRUE(clusterable(*n)) << op_info.name() << " of " << type;
      } catch (const Error&) {  // the op has no such operands
      }
    }
  }
  EXPECT_GE(computed, 60);
}

// Where lambd is negative both rules of Shrink hold for small numbers: the first one is taken.
TEST(Strips, ShrinkTakesItsFirstRuleFirst) {
  const auto module = parse_module(R"(graph @main(%x: f32[N]) {
  %y = shrink %x {lambd = -6.0, bias = 5.0} : f32[N]
  return %y
})",
                                   "test");
  const Tensor x = Tensor::of<float>({4}, {-1.5F, 0, 7, -8});
  const auto executable = compiled(*module);
  const auto context = executable->make_context(1);
  EXPECT_TRUE(identical(executable->run({x}, *context)[0], Tensor::of<float>({4}, {3.5F, 5, 2, -3})));
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

// Parts that splits and slices cut out are read where they lie; nobody needs the copies.
TEST(Strips, PartsAreReadWhereTheyLie) {
  constexpr const char* kCases[] = {
      // Halves of rows.
      R"((%x: f32[N,3,160]) { %p, %q = split %x {axis = -1, num_outputs = 2} %0 = sigmoid %q %1 = mul %p, %0 return %1 })",
      // Parts of unequal extents, the second of which broadcasts.
      R"((%x: f32[2,5,70]) { %s = constant dense<[4, 1]> : i64[2] %p, %q = split %x, %s {axis = 1} %0 = exp %q
        %1 = mul %p, %0 %2 = sub %1, %q return %2 })",
      // Cuts of two axes, counted from the end, beside the whole.
      R"((%x: f32[2,3,40,80]) { %s = constant dense<[1, -70]> : i64[2] %e = constant dense<[3, 9223372036854775807]> : i64[2]
        %a = constant dense<[1, 3]> : i64[2] %f = constant dense<[2, 70]> : i64[2] %z = constant dense<[0, 0]> : i64[2]
        %p = slice %x, %s, %e, %a %q = slice %x, %z, %f, %a %r = sigmoid %p %t = mul %q, %r %u = exp %x return %t, %u })",
      // Bytes.
      R"((%x: u8[3,2,128]) { %p, %q = split %x {axis = 1, num_outputs = 2} %0 = max %p, %q return %0 })",
  };
  for (const char* text : kCases) {
    const auto m = parse_module(cat("graph @main", text), "case");
    std::vector<Datum> inputs;
    for (const Value* v : m->main().inputs()) {
      Extents extents;
      for (const Dim& d : v->shape().dims()) extents.push_back(d.is_const() ? d.value() : 7);
      Tensor t(v->dtype(), extents);
      if (t.dtype() == DType::u8)
        for (int i = 0; auto& x : t.mutable_span<uint8_t>()) x = static_cast<uint8_t>(i += 37);
      else
        for (int i = 0; auto& x : t.mutable_span<float>()) x = static_cast<float>((i += 37) % 101 - 50) / 25;
      inputs.emplace_back(t);
    }
    walk_steps(compiled(*m)->plan(), [&](const cpu::Step& step, int) {
      EXPECT_FALSE(step.node->is<Split>() || step.node->is<Slice>()) << text;
    });
    expect_agreement(*m, {inputs});
  }
}

// Rows that are too short to be read one by one are copied, and so is what steps over elements.
TEST(Strips, OtherPartsAreCopied) {
  const auto m = parse_module(R"(graph @main(%x: f32[9,85]) {
    %z = constant dense<[0]> : i64[1]  %f = constant dense<[2]> : i64[1]  %a = constant dense<[1]> : i64[1]
    %e = constant dense<[85]> : i64[1]  %two = constant dense<[2]> : i64[1]
    %p = slice %x, %z, %f, %a
    %q = slice %x, %z, %e, %a, %two
    %0 = exp %p
    %1 = exp %q
    return %0, %1 })",
                              "case");
  Tensor x(DType::f32, {9, 85});
  for (int i = 0; auto& v : x.mutable_span<float>()) v = static_cast<float>((i += 37) % 101 - 50) / 25;
  int copies = 0;
  walk_steps(compiled(*m)->plan(), [&](const cpu::Step& step, int) { copies += step.node->is<Slice>(); });
  EXPECT_EQ(copies, 2);
  expect_agreement(*m, {{x}});
}

}  // namespace
}  // namespace tc
