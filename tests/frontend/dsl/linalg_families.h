// Matrices that are hard for decompositions: ill conditioned, graded, rank deficient, with repeated eigenvalues.
#pragma once

#include "linalg_helpers.h"

namespace tc {

inline const std::vector<int64_t> kManyOrders = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                                 13, 14, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100};

inline double rounded(double x) {
  return static_cast<double>(static_cast<float>(x));
}

// One of each kind, [kinds, n, n]: a random one, Hilbert's, a graded one, one of rank n / 3, a reflection with
// eigenvalues 1 and -1, ones, zeros, and Wilkinson's, whose eigenvalues are pairs that almost agree.
inline Matrices symmetric_families(int64_t n) {
  Matrices r(8, n, n);
  const Matrices a = random_matrices(2, n, n, static_cast<unsigned>(n));
  double length = 0;
  for (int64_t i = 0; i < n; ++i) length += a(1, i, 0) * a(1, i, 0);
  const auto element = [&](int64_t kind, int64_t i, int64_t j) -> double {
    const auto x = static_cast<double>(i), y = static_cast<double>(j);
    double s = 0;
    switch (kind) {
      case 0:
        return a(0, i, j) + a(0, j, i);
      case 1:
        return 1 / (x + y + 1);
      case 2:
        return std::pow(4.0, -std::max(x, y)) * (i == j ? 3 : 1);
      case 3:
        for (int64_t k = 0; k < std::max<int64_t>(n / 3, 1); ++k) s += a(1, i, k) * a(1, j, k);
        return s;
      case 4:
        return (i == j) - 2 * a(1, i, 0) * a(1, j, 0) / length;
      case 5:
        return 1;
      case 6:
        return 0;
      default:
        return i == j ? std::abs(x - static_cast<double>(n / 2)) : std::abs(x - y) == 1;
    }
  };
  for (int64_t kind = 0; kind < r.batch; ++kind)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j <= i; ++j) r(kind, i, j) = r(kind, j, i) = rounded(element(kind, i, j));
  return r;
}

// Columns of a times numbers.
inline Matrices scaled_columns(Matrices a, const std::vector<double>& s) {
  for (int64_t b = 0; b < a.batch; ++b)
    for (int64_t i = 0; i < a.m; ++i)
      for (int64_t j = 0; j < a.n; ++j) a(b, i, j) *= s[static_cast<size_t>(b * a.n + j)];
  return a;
}

inline double orthogonality(const Matrices& q, DType t) {
  return residual(transposed(q) * q - unit(q.batch, q.n), unit(q.batch, q.n), t);
}

// The worst residual of matrices that may be zero: those residuals must be zero.
inline double residual_or_zero(const Matrices& r, const Matrices& of, DType t) {
  return residual(
      r, [&](int64_t b) { return norm(of, b) > 0 ? norm(of, b) : 1; }, t);
}

}  // namespace tc
