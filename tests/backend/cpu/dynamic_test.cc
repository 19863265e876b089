// Values whose extents or ranks only a run tells, strings and sequences.
#include <gtest/gtest.h>

#include "compare.h"
#include "tc/ir/builder.h"

namespace tc {
namespace {

Type f32s(Dims d) {
  return Type::tensor(DType::f32, Shape(std::move(d)));
}

// A tensor with every `step`-th element nonzero.
Tensor sparse(Extents e, int step) {
  Tensor t(DType::f32, std::move(e));
  int i = 0;
  for (float& x : t.mutable_span<float>()) x = i++ % step ? 0.0f : static_cast<float>(i) * 0.5f;
  return t;
}

TEST(Dynamic, ExtentsThatDependOnData) {
  Module m;
  Builder b(m.main());
  Value* x = m.main().add_input(f32s({Dim::symbol("N"), Dim::symbol("M")}), "x");
  Value* places = b.make<Transpose>({b.make<NonZero>({x})}, {{1, 0}});
  Value* found = b.make<GatherND>({x, places});
  Value* y = b.make<Add>({b.make<Mul>({found, b.scalar(2.0f)}), b.scalar(1.0f)});
  Value* total = b.make<ReduceSum>({y, b.ints({0})});
  m.main().set_outputs(
      std::vector{y, total, b.make<Softmax>({b.make<Tanh>({y})}), b.make<ScatterND>({x, places, b.make<Neg>({y})})});
  std::vector<std::vector<Datum>> runs;
  for (int step : {2, 3, 1, 100, 2}) runs.push_back({sparse({5, 4}, step)});
  runs.push_back({sparse({3, 9}, 4)});
  runs.push_back({Tensor(DType::f32, {4, 4})});  // nothing found
  runs.push_back({sparse({5, 4}, 2)});
  expect_agreement(m, runs);
}

// What computes them depends on how large they are: a model that has met one kind meets the other.
TEST(Dynamic, ConvolutionsOfSmallAndLargeImages) {
  Module m;
  Builder b(m.main());
  Value* x = m.main().add_input(f32s({1, 64, Dim::symbol("H"), Dim::symbol("W")}), "x");
  const auto numbers = [](Extents e) {
    Tensor t(DType::f32, std::move(e));
    uint32_t i = 1;
    for (float& v : t.mutable_span<float>())
      v = static_cast<float>(static_cast<int>((i = i * 1664525 + 1013904223) >> 24) - 128) / 2048.0F;
    return t;
  };
  m.main().set_outputs(std::vector{b.make<Conv>({x, b.constant(numbers({80, 64, 3, 3}))}, {.pads = {1, 1, 1, 1}})});
  std::vector<std::vector<Datum>> runs;
  for (const auto& [height, width] :
       std::vector<std::pair<int64_t, int64_t>>{{40, 37}, {1, 40}, {40, 1}, {3, 2}, {40, 37}})
    runs.push_back({numbers({1, 64, height, width})});
  expect_agreement(m, runs);
}

// Boxes above a score, of those the ones that do not overlap, of those the best: each step finds out what the next has.
TEST(Dynamic, Detection) {
  Module m;
  Builder b(m.main());
  Value *boxes = m.main().add_input(f32s({Dim::symbol("N"), 4}), "boxes"),
        *scores = m.main().add_input(f32s({Dim::symbol("N")}), "scores"),
        *k = m.main().add_input(Type::tensor(DType::i64, Shape({1})), "k");
  Value* good = b.make<Greater>({scores, b.scalar(0.1F)});
  Value* kept_scores = b.make<Compress>({scores, good}, {0});
  Value* kept =
      b.make<NonMaxSuppression>({b.make<Unsqueeze>({b.make<Compress>({boxes, good}, {0}), b.ints({0})}),
                                 b.make<Unsqueeze>({kept_scores, b.ints({0, 1})}), b.ints({100}), b.scalar(0.1F)});
  Value* rows = b.make<Squeeze>({b.make<Slice>({kept, b.ints({2}), b.ints({3}), b.ints({1})}), b.ints({1})});
  Node* best = b.make_n<TopK>({b.make<Gather>({kept_scores, rows}), k}, {}, 2);
  Value* places = b.make<Gather>({rows, best->result(1)});
  Value* zero = b.constant(Tensor::of<int64_t>({}, {0}));
  Value* one = b.constant(Tensor::of<int64_t>({}, {1}));
  Value* numbered = b.make<Range>({zero, b.make<Size>({places}), one});
  m.main().set_outputs(
      std::vector{best->result(0), places, numbered,
                  b.make<OneHot>({places, b.make<Size>({rows}), b.constant(Tensor::of<float>({2}, {0, 1}))})});
  std::vector<std::vector<Datum>> runs;
  for (const int64_t n : {7, 30, 9, 30}) {
    Tensor box(DType::f32, {n, 4}), score(DType::f32, {n});
    for (int64_t i = 0; i < n; ++i) {
      const auto at = static_cast<float>(i * 5 % n);
      const float corners[] = {at, at * 0.5F, at + 1.5F, at * 0.5F + 4};
      std::copy_n(corners, 4, box.mutable_span<float>().begin() + 4 * i);
      score.mutable_span<float>()[static_cast<size_t>(i)] = static_cast<float>(i * 5 % 11) * 0.1F;
    }
    for (const int64_t best_of : {2, 0, 1}) runs.push_back({box, score, Tensor::of<int64_t>({1}, {best_of})});
  }
  expect_agreement(m, runs);
}

TEST(Dynamic, GatheredRowsOfDataDependentCount) {
  Module m;
  Builder b(m.main());
  Value *x = m.main().add_input(f32s({Dim::symbol("N"), 6}), "x"),
        *mask = m.main().add_input(Type::tensor(DType::boolean, Shape({Dim::symbol("N")})), "mask");
  Value* rows = b.make<Flatten>({b.make<NonZero>({mask})}, {0});
  Value* picked = b.make<Gather>({x, b.make<Squeeze>({rows, b.ints({0})})});
  Value* w = b.constant(Tensor::of<float>({6, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  m.main().set_outputs(std::vector{b.make<MatMul>({picked, w}), b.make<Concat>({picked, x}, {0})});
  std::vector<std::vector<Datum>> runs;
  for (int bits : {5, 0, 15, 2}) {
    Tensor flags(DType::boolean, {4});
    for (int i = 0; i < 4; ++i) flags.mutable_span<Bool>()[static_cast<size_t>(i)] = Bool((bits >> i & 1) != 0);
    runs.push_back({sparse({4, 6}, 2), flags});
  }
  expect_agreement(m, runs);
}

TEST(Dynamic, UnknownRanks) {
  Module m;
  Builder b(m.main());
  Value *x = m.main().add_input(Type::tensor(DType::f32, Shape()), "x"),
        *y = m.main().add_input(Type::tensor(DType::f32, Shape()), "y");
  Value* sum = b.make<Add>({b.make<Relu>({x}), y});
  Value* flat = b.make<Reshape>({sum, b.ints({-1})});
  m.main().set_outputs(std::vector{sum, b.make<Sigmoid>({flat}), b.make<ShapeOf>({sum})});
  expect_agreement(m, {{sparse({2, 3}, 2), sparse({3}, 1)},
                       {sparse({4}, 2), sparse({4}, 1)},
                       {sparse({2, 3}, 2), sparse({3}, 1)},
                       {Tensor::scalar(1.5f), sparse({2, 2, 2}, 3)}});
}

TEST(Dynamic, StringsMove) {
  Module m;
  Builder b(m.main());
  Value *s = m.main().add_input(Type::tensor(DType::str, Shape({Dim::symbol("N"), 2})), "s"),
        *i = m.main().add_input(Type::tensor(DType::i64, Shape({Dim::symbol("K")})), "i");
  Value* picked = b.make<Gather>({b.make<Transpose>({s}, {{1, 0}}), i}, {1});
  m.main().set_outputs(std::vector{b.make<Concat>({picked, picked}, {0}), b.make<Reshape>({s, b.ints({-1})}), s});
  const Tensor words =
      Tensor::of<std::string>({3, 2}, {"a", "bb", "a longer one than fits into a string object", "", "e", "f"});
  expect_agreement(m, {{words, Tensor::of<int64_t>({2}, {2, 0})}, {words, Tensor::of<int64_t>({3}, {1, 1, -1})}});
}

TEST(Dynamic, SequencesOfPlannedValues) {
  Module m;
  Builder b(m.main());
  Value *x = m.main().add_input(f32s({Dim::symbol("N"), 4}), "x"),
        *at = m.main().add_input(Type::tensor(DType::i64, Shape(Dims())), "at");
  Value *a = b.make<Tanh>({x}), *c = b.make<Sigmoid>({a});
  Value* list = b.make<SequenceConstruct>({a, c, x});
  Value* longer = b.make<SequenceInsert>({list, b.make<Neg>({c})});
  // The sequence outlives the arena memory that its items were computed in.
  Value* item = b.make<SequenceAt>({longer, at});
  m.main().set_outputs(std::vector{longer, b.make<Exp>({item}), b.make<ConcatFromSequence>({longer}, {.axis = 0}),
                                   b.make<SequenceLength>({longer})});
  std::vector<std::vector<Datum>> runs;
  for (int64_t n : {2, 5, 5})
    for (int64_t k : {0, 3, -2}) runs.push_back({sparse({n, 4}, 2), Tensor::scalar(k)});
  expect_agreement(m, runs);
}

}  // namespace
}  // namespace tc
