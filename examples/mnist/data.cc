#include "data.h"

#include <fstream>
#include <iterator>
#include <numeric>
#include <stdexcept>

namespace mnist {
namespace {

// A file of bytes in the IDX format: two zeros, 8 for bytes, the rank, and big-endian extents before the data.
std::vector<uint8_t> read_idx(const std::string& path, const std::vector<int64_t>& inner) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const size_t rank = inner.size() + 1, header = 4 + 4 * rank;
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  if (bytes.size() < header || byte(0) != 0 || byte(1) != 0 || byte(2) != 8 || byte(3) != rank)
    throw std::runtime_error(path + " is not an IDX file of bytes of rank " + std::to_string(rank));
  uint64_t expected = 1;
  for (size_t k = 0; k < rank; ++k) {
    const size_t at = 4 + 4 * k;
    const int64_t extent = int64_t{byte(at)} << 24 | byte(at + 1) << 16 | byte(at + 2) << 8 | byte(at + 3);
    if (k > 0 && extent != inner[k - 1])
      throw std::runtime_error(path + ": extent " + std::to_string(extent) + " where " + std::to_string(inner[k - 1]) +
                               " is expected");
    expected *= static_cast<uint64_t>(extent);
  }
  if (bytes.size() - header != expected) throw std::runtime_error(path + " is not as long as its header says");
  return {bytes.begin() + static_cast<std::ptrdiff_t>(header), bytes.end()};
}

}  // namespace

Digits read_digits(const std::string& folder, const std::string& prefix) {
  Digits d;
  d.pixels = read_idx(folder + "/" + prefix + "-images-idx3-ubyte", {kSide, kSide});
  d.labels = read_idx(folder + "/" + prefix + "-labels-idx1-ubyte", {});
  if (d.pixels.size() != d.labels.size() * kPixels)
    throw std::runtime_error(folder + ": " + prefix + " has another number of pictures than of labels");
  for (const uint8_t label : d.labels)
    if (label >= kClasses) throw std::runtime_error(folder + ": a label is " + std::to_string(label));
  return d;
}

Batch make_batch(const Digits& digits, const std::vector<int64_t>& chosen, std::mt19937_64* random) {
  const auto n = static_cast<int64_t>(chosen.size());
  Batch batch{tc::Tensor(tc::f32, {n, 1, kSide, kSide}), tc::Tensor(tc::i64, {n})};
  float* out = batch.images.mutable_span<float>().data();
  auto labels = batch.labels.mutable_span<int64_t>();
  for (size_t i = 0; i < chosen.size(); ++i, out += kPixels) {
    const uint8_t* in = digits.pixels.data() + chosen[i] * kPixels;
    labels[i] = digits.labels[static_cast<size_t>(chosen[i])];
    const uint64_t bits = random ? (*random)() : 0;
    const int64_t down = random ? static_cast<int64_t>(bits % 5) - 2 : 0;
    const int64_t right = random ? static_cast<int64_t>(bits / 5 % 5) - 2 : 0;
    for (int64_t row = 0; row < kSide; ++row)
      for (int64_t col = 0; col < kSide; ++col) {
        const int64_t r = row - down, c = col - right;
        const bool inside = r >= 0 && r < kSide && c >= 0 && c < kSide;
        out[row * kSide + col] = inside ? static_cast<float>(in[r * kSide + c]) / 255 : 0;
      }
  }
  return batch;
}

Batch make_batch(const Digits& digits, int64_t first, int64_t count) {
  std::vector<int64_t> chosen(static_cast<size_t>(count));
  std::iota(chosen.begin(), chosen.end(), first);
  return make_batch(digits, chosen);
}

}  // namespace mnist
