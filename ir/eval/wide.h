// Widened values: what reference bodies compute on. Every element type widens to one of double, int64_t, uint64_t,
// std::complex<double> and std::string, and is rounded or wrapped once when a result is stored.
#pragma once

#include <algorithm>
#include <complex>
#include <span>
#include <string>
#include <vector>

#include "tc/ir/tensor.h"

namespace tc {

// The elements as W. Booleans widen to int64_t 0 or 1. Integers and floats convert to each other like static_cast
// (checked against undefined behaviour by saturation).
template <class W>
std::vector<W> widen(const Tensor& t);
// As many of them as `to` has room for, from element `first` of an aligned tensor on.
template <class W>
void widen(const Tensor& t, int64_t first, std::span<W> to);

// Stores `values` into `out`, rounding to nearest even, wrapping integers; nonzero becomes true.
template <class W>
void narrow(const std::vector<W>& values, Tensor& out);
// From element `first` on.
template <class W>
void narrow(std::span<const W> values, Tensor& out, int64_t first);

// Calls f(first, values) with the widened elements, block by block: large tensors, as weights are that get folded,
// would go through memory several times as wide ones.
constexpr int64_t kWideBlock = 2048;
template <class W, class F>
void for_each_block(const Tensor& tensor, F&& f) {
  const Tensor t = tensor.aligned_copy();
  std::vector<W> x(static_cast<size_t>(std::min(kWideBlock, t.size())));
  for (int64_t first = 0; first < t.size(); first += kWideBlock) {
    const std::span<W> block(x.data(), static_cast<size_t>(std::min(kWideBlock, t.size() - first)));
    widen(t, first, block);
    f(first, block);
  }
}

// The elements of `t`, widened to W, stored into `out`, which has as many.
template <class W>
void convert(const Tensor& t, Tensor& out) {
  for_each_block<W>(t, [&](int64_t first, std::span<W> x) { narrow<W>(x, out, first); });
}

// Calls f.template operator()<W>() with the widened type of `t`.
template <class F>
decltype(auto) visit_wide(DType t, F&& f) {
  switch (kind(t)) {
    case DTypeKind::boolean:
    case DTypeKind::signed_int:
      return f.template operator()<int64_t>();
    case DTypeKind::unsigned_int:
      return f.template operator()<uint64_t>();
    case DTypeKind::floating:
      return f.template operator()<double>();
    case DTypeKind::complex:
      return f.template operator()<std::complex<double>>();
    case DTypeKind::string:
      return f.template operator()<std::string>();
  }
  __builtin_unreachable();
}

// As visit_wide, for bodies that make sense on real numbers only; Error bad_type otherwise.
template <class F>
decltype(auto) visit_real(DType t, F&& f) {
  switch (kind(t)) {
    case DTypeKind::boolean:
    case DTypeKind::signed_int:
      return f.template operator()<int64_t>();
    case DTypeKind::unsigned_int:
      return f.template operator()<uint64_t>();
    case DTypeKind::floating:
      return f.template operator()<double>();
    case DTypeKind::complex:
    case DTypeKind::string:
      break;
  }
  fail(ErrorCode::bad_type, "expected real numbers, got ", name(t));
}

}  // namespace tc
