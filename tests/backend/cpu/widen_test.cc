// Nodes that run in a wider element type.
#include <gtest/gtest.h>

#include <algorithm>

#include "compare.h"
#include "tc/ir/builder.h"
#include "tc/ir/eval/move.h"
#include "tc/ir/eval/wide.h"

namespace tc {
namespace {

// Where all pixels are the same, so is what lies between them, although weights of thirds do not add up to one.
TEST(Widen, ResizedBytesOfOneColourKeepIt) {
  Module m;
  Builder b(m.main());
  Value* x = m.main().add_input(Type::tensor(DType::u8, Shape({Dim(1), Dim(1), Dim(50), Dim(60)})));
  std::vector<Value*> outputs;
  for (const float scale : {1.3F, 0.7F})
    outputs.push_back(b.make<Resize>({x, nullptr, b.constant(Tensor::of<float>({4}, {1, 1, scale, scale}))},
                                     {.mode = ResizeMode::linear}));
  m.main().set_outputs(outputs);
  const auto executable = compiled(m);
  const auto context = executable->make_context(1);
  for (int colour = 0; colour < 256; ++colour) {
    Tensor image(DType::u8, {1, 1, 50, 60});
    std::ranges::fill(image.mutable_span<uint8_t>(), static_cast<uint8_t>(colour));
    for (const Datum& d : executable->run({image}, *context))
      EXPECT_TRUE(std::ranges::all_of(d.tensor().span<uint8_t>(), [&](uint8_t v) { return v == colour; })) << colour;
  }
}

// 2049 is no f16: it stays 2049 on the way from one product to the next, not at level 0 and not where the program
// converts it.
TEST(Widen, PrecisionIsKeptBetweenNodesOfTheSameKind) {
  Module m;
  Builder b(m.main());
  const Type narrow = Type::tensor(DType::f16, Shape({Dim(1), Dim(2)}));
  Value *x = m.main().add_input(narrow), *y = m.main().add_input(narrow);
  Value* w = b.constant(converted(Tensor::of<float>({2, 1}, {1, 1}), DType::f16));
  const auto less = [&](Value* v, DType t) {
    return b.make<Sub>({v, b.constant(converted(Tensor::scalar<float>(2048), t))});
  };
  Value* product = b.make<MatMul>({x, w});
  Value* joined = b.make<Concat>({less(product, DType::f16), b.make<MatMul>({y, w})}, {.axis = 1});
  Value* wide = b.make<Cast>({product}, {.to = DType::f32});
  Value* wide_product = b.make<MatMul>({b.make<Cast>({x}, {.to = DType::f32}), b.make<Cast>({w}, {.to = DType::f32})});
  Value* rounded = b.make<Cast>({b.make<Cast>({wide_product}, {.to = DType::f16})}, {.to = DType::f32});
  Value* predicate = b.make<Greater>({product, b.constant(converted(Tensor::scalar<float>(2048), DType::f16))});
  m.main().set_outputs(std::vector{product, joined, b.make<MatMul>({joined, w}), less(wide, DType::f32),
                                   less(rounded, DType::f32), predicate});
  const auto run = [&](int level) {
    CompileOptions options;
    options.level = level;
    const auto executable = compiled(m, options);
    std::vector<double> values;
    for (const Datum& d : executable->run({converted(Tensor::of<float>({1, 2}, {2048, 1}), DType::f16),
                                           converted(Tensor::of<float>({1, 2}, {0.25, 0.5}), DType::f16)},
                                          *executable->make_context(1)))
      for (const double v : widen<double>(d.tensor())) values.push_back(v);
    return values;
  };
  // product; joined; their sum; the two differences; greater
  EXPECT_EQ(run(2), (std::vector<double>{2048, 1, 0.75, 1.75, 1, 0, 0}));
  EXPECT_EQ(run(0), (std::vector<double>{2048, 0, 0.75, 0.75, 0, 0, 0}));
}

}  // namespace
}  // namespace tc
