// The MNIST database of handwritten digits (Y. LeCun, C. Cortes, C. Burges): pictures of 28 x 28 grey values.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tc/tc.h"

namespace mnist {

inline constexpr int64_t kSide = 28, kPixels = kSide * kSide, kClasses = 10;

struct Digits {
  std::vector<uint8_t> pixels;  // picture after picture, row after row; 255 is ink
  std::vector<uint8_t> labels;
  int64_t size() const { return static_cast<int64_t>(labels.size()); }
};

// FOLDER/PREFIX-images-idx3-ubyte and -labels-idx1-ubyte; the prefixes are "train" and "t10k". Throws
// std::runtime_error when a file is missing or is not what it should be.
Digits read_digits(const std::string& folder, const std::string& prefix);

struct Batch {
  tc::Tensor images;  // f32[n,1,28,28], from 0 to 1
  tc::Tensor labels;  // i64[n]
};
// The chosen pictures. With random numbers each is moved by up to two pixels in each direction.
Batch make_batch(const Digits& digits, const std::vector<int64_t>& chosen, std::mt19937_64* random = nullptr);
// Pictures [first, first + count).
Batch make_batch(const Digits& digits, int64_t first, int64_t count);

}  // namespace mnist
