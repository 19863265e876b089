// The MNIST example's reader and batches.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tc/examples/mnist/data.h"

namespace mnist {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(TC_BINARY_DIR) / "mnist_parts_test";

std::string header(std::vector<uint8_t> extents) {
  std::string text{'\0', '\0', '\x08', static_cast<char>(extents.size())};
  for (const uint8_t e : extents) text += {'\0', '\0', '\0', static_cast<char>(e)};
  return text;
}

void write(const std::string& images, const std::string& labels) {
  std::filesystem::create_directories(kFolder);
  std::ofstream(kFolder / "x-images-idx3-ubyte", std::ios::binary) << images;
  std::ofstream(kFolder / "x-labels-idx1-ubyte", std::ios::binary) << labels;
}

std::string two_pictures() {
  std::string pixels(2 * kPixels, '\0');
  pixels[0] = '\xff';
  pixels[kPixels + 5 * kSide + 7] = '\x33';
  return pixels;
}

TEST(Mnist, ReadsDigits) {
  write(header({2, 28, 28}) + two_pictures(), header({2}) + std::string("\x07\x02"));
  const Digits d = read_digits(kFolder, "x");
  ASSERT_EQ(d.size(), 2);
  EXPECT_EQ(d.labels, (std::vector<uint8_t>{7, 2}));
  const Batch batch = make_batch(d, {1, 0, 1});
  EXPECT_EQ(batch.images.extents(), (tc::Extents{3, 1, 28, 28}));
  const auto labels = batch.labels.span<int64_t>();
  EXPECT_EQ(std::vector<int64_t>(labels.begin(), labels.end()), (std::vector<int64_t>{2, 7, 2}));
  const auto pixels = batch.images.span<float>();
  EXPECT_EQ(pixels[kPixels], 1.0f);
  EXPECT_EQ(pixels[5 * kSide + 7], 0.2f);
  float sum = 0;
  for (const float v : pixels) sum += v;
  EXPECT_FLOAT_EQ(sum, 1.4f);
}

TEST(Mnist, MovesByUpToTwoPixels) {
  write(header({2, 28, 28}) + two_pictures(), header({2}) + std::string("\x07\x02"));
  const Digits d = read_digits(kFolder, "x");
  std::mt19937_64 random(3);
  std::vector<int> places(kPixels);
  for (int k = 0; k < 500; ++k) {
    const Batch batch = make_batch(d, {1}, &random);
    const auto pixels = batch.images.span<float>();
    for (size_t i = 0; i < pixels.size(); ++i) places[i] += pixels[i] != 0;
  }
  for (int64_t row = 0; row < kSide; ++row)
    for (int64_t col = 0; col < kSide; ++col)
      EXPECT_EQ(places[static_cast<size_t>(row * kSide + col)] > 0, row >= 3 && row <= 7 && col >= 5 && col <= 9)
          << row << " " << col;
}

TEST(Mnist, RefusesDamage) {
  const std::string images = header({2, 28, 28}) + two_pictures(), labels = header({2}) + std::string("\x07\x02");
  const std::pair<std::string, std::string> rows[] = {
      {images.substr(0, images.size() - 1), labels},                       // cut off
      {images + "x", labels},                                              // too long
      {images.substr(0, 3), labels},                                       // no header
      {header({2, 27, 28}) + two_pictures(), labels},                      // other extents
      {images, header({1}) + std::string("\x07")},                         // fewer labels
      {images, header({2}) + std::string("\x07\x0a")},                     // no digit
      {header({0xff, 28, 28}) + two_pictures(), header({0xff}) + labels},  // a count that lies
  };
  for (const auto& [i, l] : rows) {
    write(i, l);
    EXPECT_THROW(read_digits(kFolder, "x"), std::runtime_error);
  }
  EXPECT_THROW(read_digits(kFolder, "absent"), std::runtime_error);
}

}  // namespace
}  // namespace mnist
