// The OCR example without its network.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>

#include "tc/examples/ocr/picture.h"
#include "tc/examples/ocr/text_line.h"

namespace ocr {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(TC_SOURCE_DIR) / "examples/ocr";

Picture filled(int width, int height, const std::function<int(int x, int y, int channel)>& value) {
  Picture p{width, height, {}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c) p.rgb.push_back(static_cast<uint8_t>(value(x, y, c)));
  return p;
}

TEST(Picture, EveryShippedPictureIsRead) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".png") continue;
    ++count;
    const Picture p = read_png(entry.path());
    EXPECT_GT(p.width, 4 * p.height) << entry.path();
    EXPECT_EQ(p.rgb.size(), size_t{3} * static_cast<size_t>(p.width * p.height));
    EXPECT_TRUE(std::filesystem::exists(entry.path().parent_path() / entry.path().stem().concat(".txt")));
  }
  EXPECT_GE(count, 4);
  const Picture plain = read_png(kFolder / "plain.png");
  EXPECT_EQ(plain.rgb[0], 255) << "its background is white";
}

TEST(Picture, DamagedFilesAreErrors) {
  EXPECT_THROW(read_png(kFolder / "absent.png"), std::runtime_error);
  EXPECT_THROW(read_png(kFolder / "plain.txt"), std::runtime_error);
  const std::string cut = std::filesystem::temp_directory_path() / "ocr_parts_test_cut.png";
  std::ifstream whole(kFolder / "plain.png", std::ios::binary);
  std::string bytes(1000, '\0');
  whole.read(bytes.data(), 1000);
  std::ofstream(cut, std::ios::binary) << bytes;
  EXPECT_THROW(read_png(cut), std::runtime_error);
  std::filesystem::remove(cut);
}

TEST(TextLine, ScalingKeepsConstantsAndRange) {
  for (const int height : {2, 20, 48, 96, 301}) {
    const LineInput line = prepare(filled(200, height, [](int, int, int c) { return c == 0 ? 255 : c == 1 ? 0 : 51; }));
    EXPECT_EQ(line.width, static_cast<int>(std::ceil(48.0 * 200 / height)));
    const size_t plane = size_t{48} * static_cast<size_t>(line.width);
    ASSERT_EQ(line.values.size(), 3 * plane);
    for (size_t i = 0; i < plane; ++i) {
      ASSERT_NEAR(line.values[i], -0.6f, 1e-5f) << "blue comes first";
      ASSERT_NEAR(line.values[plane + i], -1.0f, 1e-5f);
      ASSERT_NEAR(line.values[2 * plane + i], 1.0f, 1e-5f);
    }
  }
}

TEST(TextLine, WidthIsLimited) {
  const auto grey = [](int, int, int) { return 128; };
  EXPECT_EQ(prepare(filled(2000, 1, grey)).width, kMaxLineWidth);
  EXPECT_EQ(prepare(filled(1, 100, grey)).width, 8);
}

TEST(TextLine, ScalingToTheSameSizeIsTheIdentity) {
  const Picture p = filled(60, 48, [](int x, int y, int c) { return (x * 7 + y * 13 + c * 50) % 256; });
  const LineInput line = prepare(p);
  ASSERT_EQ(line.width, 60);
  for (size_t i = 0; i < 60 * 48; ++i)
    ASSERT_NEAR(line.values[i], static_cast<float>(p.rgb[3 * i + 2]) / 127.5f - 1, 1e-5f);
}

TEST(TextLine, ShrinkingAverages) {
  // Rows alternate between black and white; at a third of the size everything is near grey.
  const LineInput line = prepare(filled(300, 144, [](int, int y, int) { return y % 2 ? 255 : 0; }));
  for (const float v : line.values) ASSERT_NEAR(v, 0.0f, 0.12f);
}

TEST(TextLine, DecodesGreedily) {
  const std::vector<std::string> dictionary = {"", "a", "字", " "};
  const auto steps = [](std::initializer_list<size_t> best) {
    std::vector<float> p;
    for (const size_t b : best)
      for (size_t c = 0; c < 4; ++c) p.push_back(c == b ? 0.7f : 0.1f);
    return p;
  };
  const Reading r = decode(steps({3, 0, 1, 1, 0, 1, 3, 2, 2, 0, 3}), 4, dictionary);
  EXPECT_EQ(r.text, "aa 字");
  EXPECT_NEAR(r.confidence, 0.7, 1e-6);
  EXPECT_EQ(decode(steps({0, 0}), 4, dictionary).text, "");
  EXPECT_EQ(decode({}, 4, dictionary).text, "");
  EXPECT_THROW(decode(steps({0}), 3, dictionary), std::runtime_error);
}

}  // namespace
}  // namespace ocr
