// Donated inputs: reused when that is safe, harmless when it is not.
#include <gtest/gtest.h>

#include "compare.h"
#include "tc/ir/builder.h"

namespace tc {
namespace {

Tensor halves(Extents e, float first = 1) {
  Tensor t(DType::f32, std::move(e));
  for (float& x : t.mutable_span<float>()) x = first, first += 0.5f;
  return t;
}

struct Program {
  Module m;
  Builder b{m.main()};
  Value* input(Dims d, DType t = DType::f32) { return m.main().add_input(Type::tensor(t, Shape(std::move(d)))); }
  void outputs(std::vector<Value*> values, std::vector<std::pair<int, int>> donations) {
    m.main().set_outputs(values);
    m.main().donations = std::move(donations);
  }
};

// Runs with inputs that only the run holds; whether output `o` came back in the memory of input `i`.
bool reuses(const Program& p, const std::vector<Tensor>& given, int o, int i, int level = 0) {
  std::vector<Datum> inputs;
  for (const Tensor& t : given) inputs.emplace_back(t.clone());
  const void* memory = inputs[static_cast<size_t>(i)].tensor().data();
  CompileOptions options;
  options.level = level;
  const auto executable = compiled(p.m, options);
  const auto context = executable->make_context(1);
  const auto outputs = executable->run(std::move(inputs), *context);
  EXPECT_EQ(differences(outputs, widened(p.m, {given.begin(), given.end()})), "");
  return outputs[static_cast<size_t>(o)].tensor().data() == memory;
}

TEST(Donation, ElementwiseResultOverwritesItsOperand) {
  Program p;
  Value* x = p.input({Dim::symbol("N"), 8});
  p.outputs({p.b.make<Add>({x, p.b.scalar(1.0f)})}, {{0, 0}});
  EXPECT_TRUE(reuses(p, {halves({4, 8})}, 0, 0));
  EXPECT_TRUE(reuses(p, {halves({4, 8})}, 0, 0, 2));
}

TEST(Donation, ResultTakesMemoryThatIsNoLongerRead) {
  Program p;
  Value* x = p.input({Dim::symbol("N"), Dim::symbol("N")});
  Value* y = p.b.make<Transpose>({p.b.make<Tanh>({x})}, {{1, 0}});
  p.outputs({p.b.make<MatMul>({y, y})}, {{0, 0}});
  EXPECT_TRUE(reuses(p, {halves({5, 5}, -6)}, 0, 0));
}

TEST(Donation, ScatterUpdatesACache) {
  Program p;
  Value *cache = p.input({Dim::symbol("S"), 4}), *at = p.input({1, 1}, DType::i64), *row = p.input({1, 4});
  p.outputs({p.b.make<ScatterND>({cache, at, row})}, {{0, 0}});
  EXPECT_TRUE(reuses(p, {halves({6, 4}), Tensor::of<int64_t>({1, 1}, {3}), halves({1, 4}, -9)}, 0, 0));
}

TEST(Donation, NotWhileTheInputIsStillRead) {
  Program p;
  Value* x = p.input({Dim::symbol("N"), Dim::symbol("N")});
  Value* first = p.b.make<Transpose>({x}, {{1, 0}});
  p.outputs({first, p.b.make<Sub>({first, x})}, {{0, 0}});
  EXPECT_FALSE(reuses(p, {halves({4, 4})}, 0, 0));
  Program product;
  Value* y = product.input({3, 3});
  product.outputs({product.b.make<MatMul>({y, y})}, {{0, 0}});
  EXPECT_FALSE(reuses(product, {halves({3, 3})}, 0, 0));
  // Broadcasting reads elements after others were written.
  Program broadcast;
  Value *a = broadcast.input({4, 4}), *b = broadcast.input({4, 1});
  broadcast.outputs({broadcast.b.make<Add>({a, b})}, {{0, 1}});
  EXPECT_FALSE(reuses(broadcast, {halves({4, 4}), halves({4, 1})}, 0, 1));
}

TEST(Donation, NotForAnotherSizeOrType) {
  Program larger;
  Value* x = larger.input({Dim::symbol("N")});
  larger.outputs({larger.b.make<Concat>({larger.b.make<Tanh>({x}), larger.b.make<Sin>({x})}, {0})}, {{0, 0}});
  EXPECT_FALSE(reuses(larger, {halves({1000})}, 0, 0));
  Program smaller;
  Value* y = smaller.input({Dim::symbol("N"), 3});
  smaller.outputs({smaller.b.make<ReduceSum>({smaller.b.make<Tanh>({y}), smaller.b.ints({1})})}, {{0, 0}});
  EXPECT_FALSE(reuses(smaller, {halves({10, 3})}, 0, 0));
  Program cast;
  Value* z = cast.input({Dim::symbol("N")});
  cast.outputs({cast.b.make<Cast>({z}, {DType::i32})}, {{0, 0}});
  reuses(cast, {halves({10})}, 0, 0);
}

TEST(Donation, OneInputServesOneOutput) {
  Program p;
  Value* x = p.input({Dim::symbol("N")});
  Value* y = p.b.make<Tanh>({x});
  p.outputs({p.b.make<Softmax>({p.b.make<Neg>({y})}), p.b.make<Softmax>({y})}, {{0, 0}, {1, 0}});
  reuses(p, {halves({16})}, 0, 0);
}

TEST(Donation, SharedInputsStayAsTheyAre) {
  Program p;
  Value* x = p.input({Dim::symbol("N")});
  p.outputs({p.b.make<Neg>({x})}, {{0, 0}});
  const auto executable = compiled(p.m);
  const auto context = executable->make_context(1);
  const Tensor mine = halves({100});
  const auto outputs = executable->run({mine}, *context);
  EXPECT_NE(outputs[0].tensor().data(), mine.data());
  EXPECT_TRUE(mine.identical(halves({100})));
}

TEST(Donation, InputThatIsAnOutputStays) {
  Program p;
  Value* x = p.input({Dim::symbol("N")});
  p.outputs({p.b.make<Neg>({x}), x}, {{0, 0}});
  EXPECT_FALSE(reuses(p, {halves({9})}, 0, 0));
}

// A state that goes round and round stays in one place.
TEST(Donation, LoopsOfRunsKeepTheirMemory) {
  Program p;
  Value* x = p.input({Dim::symbol("N")});
  p.outputs({p.b.make<Add>({p.b.make<Mul>({x, p.b.scalar(0.5f)}), p.b.scalar(1.0f)})}, {{0, 0}});
  const auto executable = compiled(p.m);
  const auto context = executable->make_context(1);
  std::vector<Datum> state{halves({256})};
  const void* memory = state[0].tensor().data();
  for (int i = 0; i < 60; ++i) {
    state = executable->run(std::move(state), *context);
    ASSERT_EQ(state[0].tensor().data(), memory) << "run " << i;
  }
  for (float v : state[0].tensor().span<float>()) EXPECT_NEAR(v, 2, 1e-5);
}

}  // namespace
}  // namespace tc
