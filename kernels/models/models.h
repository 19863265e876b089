// What linear models and support vector machines compute, in f64: rows of features times packed vectors, or their
// distances, and functions of the results. One order of summation whatever the number of rows.
#pragma once

#include <cstdint>

#include "tc/kernels/elem.h"
#include "tc/kernels/tier.h"

namespace tc::kernels {

// Vectors are packed in blocks of so many, [feature][lane], the last block filled up with zeros.
inline constexpr std::int64_t kModelLanes = 8;
constexpr std::int64_t model_padded(std::int64_t vectors) {
  return (vectors + kModelLanes - 1) / kModelLanes * kModelLanes;
}

struct ModelProducts {
  const double* x = nullptr;  // [rows, features]
  std::int64_t rows = 0, features = 0;
  const double* vectors = nullptr;  // packed
  const double* single = nullptr;   // the only vector as it is, of products: y then has one column of `padded`
  const double* start = nullptr;    // [padded], added to the sums
  std::int64_t padded = 0;
  bool distances = false;  // sums of (x - v)^2 instead of x v
  double* y = nullptr;     // [rows, padded]
};

enum class ModelMap : std::uint8_t {
  exp,      // e^(a v)
  tanh,     // tanh(a v + b)
  power,    // (a v + b)^c
  sigmoid,  // 1 / (1 + e^-v)
};

struct ModelTable {
  Slot<void(const ModelProducts&)> products;
  Slot<void(ModelMap map, double a, double b, double c, double* v, std::int64_t n)> map;
  Slot<double(const double* a, const double* b, std::int64_t n)> dot;
  // e^v over its sum, of each row of [rows, n].
  Slot<void(double* v, std::int64_t rows, std::int64_t n)> softmax;
  Slot<void(Elem type, const void* x, std::int64_t n, double* y)> widen;  // of f32, f64, i32 or i64
  Slot<void(const double* x, std::int64_t n, float* y)> narrow;
};

}  // namespace tc::kernels
