// What lies between convolutions runs on blocks of channels, and agrees with the reference.
#include <gtest/gtest.h>

#include "tc/ir/builder.h"
#include "tc/ir/module.h"
#include "tests/backend/cpu/compare.h"

namespace tc {
namespace {

Tensor numbers(Extents extents, int step, float most = 1) {
  Tensor t(DType::f32, std::move(extents));
  int i = 0;
  for (float& v : t.mutable_span<float>()) v = static_cast<float>((i += step) % 211 - 105) / 105 * most;
  return t;
}

// conv, `middle`, conv on images of 24 by 20 pixels; channels fill 2.5 blocks. Results are about 1, and
// what lies between stays in blocks, so that only the result goes to planes.
template <class Middle>
void check_between(int64_t images, Middle middle, int ways_to_planes = 1) {
  Module m;
  Builder b(m.main());
  constexpr int64_t kChannels = 40;
  const Shape shape({Dim(images), Dim(8), Dim(24), Dim(20)});
  Value* x = m.main().add_input(Type::tensor(DType::f32, shape), "x");
  const auto conv = [&](Value* v, int64_t in, int64_t out) {
    return b.make<Conv>({v, b.constant(numbers({out, in, 3, 3}, 17, 0.125F))}, {.pads = {1, 1, 1, 1}});
  };
  Value* y = middle(b, conv(x, 8, kChannels), kChannels);
  m.main().set_outputs(std::vector{conv(y, kChannels, 24)});
  int to_planes = 0;
  walk_steps(compiled(m)->plan(), [&](const cpu::Step& step, int) {
    to_planes += step.kernel.find("reorder_f32__nchw16c_nchw") != std::string::npos;
  });
  EXPECT_EQ(to_planes, ways_to_planes);
  expect_agreement(m, {{numbers({images, 8, 24, 20}, 5)}});
}

Value* group_norm(Builder& b, Value* v, int64_t channels, int64_t groups) {
  return b.make<GroupNormalization>({v, b.constant(numbers({channels}, 3)), b.constant(numbers({channels}, 7))},
                                    {.num_groups = groups});
}

// A profile charges it to the node that reads the input so.
TEST(Layout, AReorderOfAnInputBelongsToItsReader) {
  Module m;
  Builder b(m.main());
  constexpr int64_t kChannels = 64;
  const Shape shape({Dim(int64_t{1}), Dim(kChannels), Dim(12), Dim(12)});
  Value* x = m.main().add_input(Type::tensor(DType::f32, shape), "x");
  Value* w = b.constant(numbers({kChannels, kChannels, 3, 3}, 17, 0.125F));
  m.main().set_outputs(std::vector{b.make<Conv>({x, w}, {.pads = {1, 1, 1, 1}})});
  int of_inputs = 0;
  const auto executable = compiled(m);
  walk_steps(executable->plan(), [&](const cpu::Step& step, int) {
    if (step.kernel.find("reorder_f32__nchw_nchw16c") == std::string::npos) return;
    ++of_inputs;
    EXPECT_EQ(step.node->op(), OpId::Conv);
  });
  EXPECT_EQ(of_inputs, 1);
}

TEST(Layout, NormsOfChannels) {
  for (const int64_t images : {1, 9}) {
    for (const int64_t groups : {1, 8, 40})
      check_between(images, [&](Builder& b, Value* v, int64_t channels) { return group_norm(b, v, channels, groups); });
  }
  check_between(2, [](Builder& b, Value* v, int64_t channels) {
    return b.make<InstanceNormalization>({v, b.constant(numbers({channels}, 3)), b.constant(numbers({channels}, 7))});
  });
}

// Planes of few groups are shared by pieces.
TEST(Layout, NormsOfFewPlanes) {
  Module m;
  Builder b(m.main());
  Value* x = m.main().add_input(Type::tensor(DType::f32, Shape({Dim(1), Dim(6), Dim(150), Dim(201)})), "x");
  Value* y = b.make<InstanceNormalization>({x, b.constant(numbers({6}, 3)), b.constant(numbers({6}, 7))});
  m.main().set_outputs(std::vector{y, group_norm(b, x, 6, 2)});
  expect_agreement(m, {{numbers({1, 6, 150, 201}, 5)}});
}

// As exporters write them before opset 18: groups are channels of an instance norm.
TEST(Layout, NormsOfGroupsAsChannels) {
  check_between(2, [](Builder& b, Value* v, int64_t channels) {
    Value* grouped = b.make<Reshape>({v, b.ints({0, 5, -1})});
    Value* normal = b.make<InstanceNormalization>({grouped, b.constant(numbers({5}, 31)), b.constant(numbers({5}, 7))});
    Value* y = b.make<Reshape>({normal, b.ints({2, channels, 24, 20})});
    y = b.make<Mul>({y, b.constant(numbers({channels, 1, 1}, 3))});
    return b.make<Add>({y, b.constant(numbers({channels, 1, 1}, 11))});
  });
}

TEST(Layout, PadsOfImages) {
  struct Padded {
    std::vector<int64_t> pads;
    int ways_to_planes;  // two where channels are padded
  };
  const Padded cases[] = {
      {{0, 0, 2, 1, 0, 0, 3, 4}, 1}, {{0, 0, -1, 2, 0, 0, 0, -3}, 1}, {{0, 1, 0, 0, 0, -1, 0, 0}, 2}};
  for (const PadMode mode : {PadMode::reflect, PadMode::edge, PadMode::wrap, PadMode::constant}) {
    for (const Padded& c : cases) {
      const auto pad = [&](Builder& b, Value* v, int64_t) {
        return b.make<Pad>({v, b.ints(c.pads), b.scalar<float>(0.5F)}, {.mode = mode});
      };
      check_between(2, pad, c.ways_to_planes);
    }
  }
}

}  // namespace
}  // namespace tc
