// The arithmetic of quantising: weights to bytes and scales, and ranges of activations from histograms.
#pragma once

#include <cmath>
#include <vector>

#include "tc/ir/tensor.h"

namespace tc::quantization {

// Root mean square of what was changed, relative to that of what there was.
struct ErrorSum {
  double squares = 0, errors = 0;
  void add(double before, double after) {
    squares += before * before;
    errors += (before - after) * (before - after);
  }
  double relative() const { return squares > 0 ? std::sqrt(errors / squares) : 0; }
};

struct QuantizedWeight {
  Tensor values, scales, zeros;  // zeros: undefined where all are 0
  double error = 0;              // root mean square, relative to that of the weight
  int64_t bytes() const;         // in a file
};
// One scale to each index of `axis`, symmetric, i8.
QuantizedWeight per_channel(const Tensor& weight, int axis);
// Of a matrix: one scale to `block` neighbours along `axis`, and a zero point; u8 or u4. The last block may be shorter.
QuantizedWeight by_blocks(const Tensor& weight, int axis, int64_t block, int bits);

// What an activation's values were.
class SeenRange {
 public:
  void see(const Tensor& values);    // f32; first all of them, for the bounds ...
  void count(const Tensor& values);  // ... then all again, for the histogram
  float low() const { return low_; }
  float high() const { return high_; }
  // Cuts off what is larger than all but so many percent.
  void cut_to_percentile(double percent);
  // Cuts off where the relative entropy of what is left in 128 steps to what was seen is the least (S. Migacz, "8-bit
  // inference with TensorRT", 2017).
  void cut_to_entropy();

 private:
  static constexpr size_t kBins = 2048;
  void cut(size_t bins);
  float low_ = 0, high_ = 0;
  std::vector<double> bins_;  // of magnitudes up to the largest
};
// u8: a scale and a zero point such that 0 is exact.
struct Affine {
  float scale = 1;
  uint8_t zero = 0;
};
Affine affine_of(float low, float high);

}  // namespace tc::quantization
