#include <type_traits>

#include "tc/kernels/linalg/det.h"
#include "tc/kernels/simd/transpose.h"
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

constexpr int kWidth = kLanes<double>;

// Element e of matrix l in lane l of register e; the first one again beyond the last.
template <class T>
void load_matrices(const T* x, std::int64_t elements, std::int64_t count, double* work) {
  const T* from[kWidth];
  for (int l = 0; l < kWidth; ++l) from[l] = x + (l < count ? l : 0) * elements;
  std::int64_t e = 0;
  for (; e + kLanes<T> <= elements; e += kLanes<T>) {
    VecD low[kWidth], high[kWidth];
    for (int l = 0; l < kWidth; ++l) {
      const Vec<T> v = load(from[l] + e);
      if constexpr (std::is_same_v<T, float>)
        low[l] = low_f64(v), high[l] = high_f64(v);
      else
        low[l] = v;
    }
    transpose(low);
    for (int i = 0; i < kWidth; ++i) store(work + (e + i) * kWidth, low[i]);
    if constexpr (std::is_same_v<T, float>) {
      transpose(high);
      for (int i = 0; i < kWidth; ++i) store(work + (e + kWidth + i) * kWidth, high[i]);
    }
  }
  for (; e < elements; ++e)
    for (int l = 0; l < kWidth; ++l) work[e * kWidth + l] = static_cast<double>(from[l][e]);
}

// The product of the pivots. Factors are rounded quotients, and their products are rounded, as by plain loops: what
// cancels there does here.
VecD eliminate(double* work, std::int64_t n) {
  const auto at = [=](std::int64_t i, std::int64_t j) { return work + (i * n + j) * kWidth; };
  VecD product(1.0);
  for (std::int64_t k = 0; k < n; ++k) {
    VecD largest = vabs(load(at(k, k))), row(static_cast<double>(k));
    for (std::int64_t i = k + 1; i < n; ++i) {
      const VecD size = vabs(load(at(i, k)));
      const auto larger = size > largest;
      largest = select(larger, size, largest), row = select(larger, VecD(static_cast<double>(i)), row);
    }
    for (std::int64_t i = k + 1; i < n; ++i) {
      const auto swaps = row == VecD(static_cast<double>(i));
      if (!any<double>(swaps)) continue;
      product = select(swaps, VecD(0.0) - product, product);
      for (std::int64_t j = k; j < n; ++j) {
        const VecD upper = load(at(k, j)), lower = load(at(i, j));
        store(at(k, j), select(swaps, lower, upper)), store(at(i, j), select(swaps, upper, lower));
      }
    }
    const VecD pivot = load(at(k, k));
    product = product * pivot;
    // Of a column of zeros there is nothing to be taken away.
    const VecD by = select(pivot == VecD(0.0), VecD(1.0), pivot);
    for (std::int64_t i = k + 1; i < n; ++i) {
      const VecD factor = load(at(i, k)) / by;
      for (std::int64_t j = k + 1; j < n; ++j) store(at(i, j), load(at(i, j)) - factor * load(at(k, j)));
    }
  }
  return product;
}

template <class T>
void det_as(const DetArgs& a, std::int64_t first, std::int64_t count, double* work) {
  load_matrices(static_cast<const T*>(a.x) + first * a.n * a.n, a.n * a.n, count, work);
  alignas(64) double lanes[kWidth];
  store(lanes, eliminate(work, a.n));
  for (std::int64_t l = 0; l < count; ++l) static_cast<T*>(a.y)[first + l] = static_cast<T>(lanes[l]);
}

void det(const DetArgs& a, std::int64_t first, std::int64_t count, double* work) {
  a.type == Elem::f64 ? det_as<double>(a, first, count, work) : det_as<float>(a, first, count, work);
}

std::int64_t lanes() {
  return kWidth;
}

}  // namespace

extern constinit const LinalgTable TC_TIER_NAME(linalg_table);
constinit const LinalgTable TC_TIER_NAME(linalg_table) = {
    TC_KERNEL(det, "det"),
    TC_KERNEL(lanes, "det_lanes"),
};

}  // namespace tc::kernels
