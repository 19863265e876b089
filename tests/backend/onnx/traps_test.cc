#include <gtest/gtest.h>

#include "tc/ir/eval/interp.h"
#include "tc/tools/common/compare.h"
#include "tests/backend/onnx/sample_export.h"
#include "tests/backend/onnx/traps.h"

namespace tc {
namespace {

class Traps : public testing::TestWithParam<size_t> {};

TEST_P(Traps, ReadBackRight) {
  const Trap& trap = traps()[GetParam()];
  SampleGraph g;
  trap.build(g);
  for (const DialectCase& d : dialect_cases()) {
    SCOPED_TRACE(to_string(d));
    const Exported e = export_sample(*g.module, d);
    ASSERT_EQ(e.refusal, "");
    const Function back = load_onnx(e.bytes.data(), e.bytes.size(), std::make_shared<std::string>(e.bytes));
    const auto actual = interpret(back.module(), g.inputs);
    ASSERT_EQ(actual.size(), trap.expected.size());
    for (size_t i = 0; i < actual.size(); ++i)
      EXPECT_EQ(difference(actual[i], trap.expected[i], {2e-6, 0, 0}), "") << "output " << i << "\n" << back.str();
  }
}

INSTANTIATE_TEST_SUITE_P(All, Traps, testing::Range<size_t>(0, traps().size()),
                         [](const auto& p) { return traps()[p.param].name; });

TEST(Extents, StaticOnesStayStatic) {
  SampleGraph g;
  Value* x = g.input(g.random(DType::f32, {2, 3}), {Dim::symbol("batch"), Dim(3)});
  Value* y = g.b.make<Concat>({x, x}, {0});
  g.outputs({g.b.make<Transpose>({y}), g.b.make<Reshape>({y, g.b.ints({-1})})});
  const Exported e = export_sample(*g.module, {ExportTarget::standard, 18});
  const Function back = load_onnx(e.bytes.data(), e.bytes.size(), std::make_shared<std::string>(e.bytes));
  EXPECT_EQ(back.inputs()[0].type.str(), "f32[batch,3]");
  EXPECT_EQ(back.outputs()[0].type.str(), "f32[3,2*batch]");
  EXPECT_EQ(back.outputs()[1].type.str(), "f32[6*batch]");
}

TEST(Extents, BecomeStaticOnRequest) {
  SampleGraph g;
  Value* x = g.input(g.random(DType::f32, {2, 3}), {Dim::symbol("batch"), Dim::symbol("width")});
  g.outputs({g.b.make<Concat>({x, x}, {1})});
  const auto type_of = [&](const ExportOptions& options) {
    const std::string bytes = onnx::export_bytes(*g.module, options);
    const Function back = load_onnx(bytes.data(), bytes.size(), std::make_shared<std::string>(bytes));
    return cat(back.inputs()[0].type, " -> ", back.outputs()[0].type);
  };
  EXPECT_EQ(type_of({.dims = {{"width", 5}}}), "f32[batch,5] -> f32[batch,10]");
  EXPECT_EQ(type_of({.example_inputs = {Tensor(DType::f32, {4, 1})}}), "f32[4,1] -> f32[4,2]");
  EXPECT_THROW(type_of({.dims = {{"height", 5}}}), Error);
  EXPECT_THROW(type_of({.example_inputs = {Tensor(DType::f64, {4, 1})}}), Error);
  EXPECT_THROW(type_of({.example_inputs = {Tensor(DType::f32, {4, 1}), Tensor(DType::f32, {1})}}), Error);
}

}  // namespace
}  // namespace tc
