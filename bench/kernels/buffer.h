// Memory for benchmarks, filled with small numbers.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace tc::kernels {

struct Buffer {
  explicit Buffer(int64_t floats = 0)
      : memory(static_cast<float*>(std::aligned_alloc(64, static_cast<size_t>(floats + 16) * 4 / 64 * 64 + 64))),
        data(memory.get()) {
    for (int64_t i = 0; i < floats; ++i) data[i] = static_cast<float>(i % 97) * 0.01f;
  }
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  std::unique_ptr<float, Free> memory;
  float* data;
};

}  // namespace tc::kernels
