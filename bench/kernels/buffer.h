// Memory for benchmarks, filled with small numbers.
#pragma once
#include <cstdint>
#include <cstdlib>

namespace tc::kernels {

struct Buffer {
  explicit Buffer(int64_t floats)
      : data(static_cast<float*>(std::aligned_alloc(64, static_cast<size_t>(floats + 16) * 4 / 64 * 64 + 64))) {
    for (int64_t i = 0; i < floats; ++i) data[i] = static_cast<float>(i % 97) * 0.01f;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { std::free(data); }
  float* data;
};

}  // namespace tc::kernels
