// Widened values: what reference bodies compute on. Every element type widens to one of double, int64_t, uint64_t,
// std::complex<double> and std::string, and is rounded or wrapped once when a result is stored.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "tc/ir/tensor.h"

namespace tc {

// The elements as W. Booleans widen to int64_t 0 or 1. Integers and floats convert to each other like static_cast
// (checked against undefined behaviour by saturation).
template <class W>
std::vector<W> widen(const Tensor& t);

// Stores `values` into `out`, rounding to nearest even, wrapping integers; nonzero becomes true.
template <class W>
void narrow(const std::vector<W>& values, Tensor& out);

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
