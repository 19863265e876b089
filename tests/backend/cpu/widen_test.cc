// Nodes that run in a wider element type.
#include <gtest/gtest.h>

#include <algorithm>

#include "compare.h"
#include "tc/ir/builder.h"

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

}  // namespace
}  // namespace tc
