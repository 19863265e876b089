// Decoding of picture files: every format, and files that lie or break off.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "image_files.h"
#include "tc/ir/builder.h"
#include "tc/ir/eval/interp.h"

namespace tc {
namespace {

using namespace testing_image;

Tensor decoded(const File& file, PixelFormat format = PixelFormat::rgb, uint64_t max_bytes = UINT64_MAX) {
  Module module;
  Builder b(module.main());
  const Tensor bytes = Tensor::of<uint8_t>({static_cast<int64_t>(file.size())}, file);
  Value* x = module.main().add_input(bytes.type(), "x");
  const std::vector<Value*> outputs{b.make<ImageDecoder>({x}, {format})};
  module.main().set_outputs(outputs);
  InterpOptions options;
  options.max_bytes = max_bytes;
  return interpret(module, {bytes}, options).at(0).tensor();
}

class ImageFormats : public testing::TestWithParam<NamedFile> {};

TEST_P(ImageFormats, GiveTheirPixels) {
  const auto& [name, file, picture, tolerance] = GetParam();
  const Tensor got = decoded(file);
  ASSERT_EQ(got.extents(), (Extents{picture.height, picture.width, 3}));
  const auto bytes = got.span<uint8_t>();
  for (size_t i = 0; i < bytes.size(); ++i)
    ASSERT_LE(std::abs(bytes[i] - picture.bytes[i]), tolerance) << "byte " << i << " of " << bytes.size();
  const Tensor reversed = decoded(file, PixelFormat::bgr), gray = decoded(file, PixelFormat::grayscale);
  ASSERT_EQ(gray.extents(), (Extents{picture.height, picture.width, 1}));
  for (size_t i = 0; i + 2 < bytes.size(); i += 3) {
    ASSERT_EQ(reversed.span<uint8_t>()[i], bytes[i + 2]);
    ASSERT_NEAR(gray.span<uint8_t>()[i / 3], 0.299 * bytes[i] + 0.587 * bytes[i + 1] + 0.114 * bytes[i + 2], 0.51);
  }
}

// A file that breaks off, or whose bytes have been changed, gives a picture, nothing, or an error, and that soon.
TEST_P(ImageFormats, SurviveDamage) {
  const File& file = GetParam().file;
  const auto survives = [](const File& damaged) {
    try {
      decoded(damaged);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::limit_memory) << e.what();
    }
  };
  for (size_t n = 0; n < file.size(); n += 1 + file.size() / 64)
    survives(File(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(n)));
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    File damaged = file;
    // Headers matter most.
    const size_t reach = round % 2 ? damaged.size() : std::min<size_t>(damaged.size(), 80);
    for (int k = 0; k < 1 + round % 4; ++k) damaged[random() % reach] = static_cast<uint8_t>(random());
    survives(damaged);
  }
}

TEST_P(ImageFormats, KeepToTheMemoryBudget) {
  try {
    decoded(GetParam().file, PixelFormat::rgb, 1000);
    FAIL() << "37 by 21 pixels in 1000 bytes";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::limit_memory) << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(All, ImageFormats, testing::ValuesIn(all_files()), [](const auto& p) { return p.param.name; });

TEST(ImageDecoding, OfNothingIsEmpty) {
  EXPECT_EQ(decoded({}).extents(), (Extents{0, 0, 3}));
  EXPECT_EQ(decoded({'G', 'I', 'F', '8', '9', 'a'}, PixelFormat::grayscale).extents(), (Extents{0, 0, 1}));
}

// A few bytes that promise a huge picture.
TEST(ImageDecoding, BelievesNoHeader) {
  const std::string pgm = "P2\n100000 100000\n255\n1 2 3";
  File png = png_file(gradient(4, 4), false, false, 8);
  const uint8_t big[] = {0, 0, 0x7f, 0xff, 0, 0, 0x7f, 0xff};
  std::copy(std::begin(big), std::end(big), png.begin() + 16);
  File bmp = bmp_file(gradient(4, 4), 8, false);
  bmp[20] = bmp[24] = 0x70, bmp[30] = 1;
  for (const File& file : {File(pgm.begin(), pgm.end()), png, bmp}) {
    try {
      EXPECT_EQ(decoded(file).size(), 0);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::limit_memory) << e.what();
    }
  }
}

}  // namespace
}  // namespace tc
