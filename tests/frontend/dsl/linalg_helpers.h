// What tests of matrix functions share: matrices, residuals in units of what is allowed, gradients by differences.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "helpers.h"
#include "tc/ir/eval/interp.h"
#include "tc/ir/verify.h"
#include "tc/tc.h"

namespace tc {

inline const std::vector<int64_t> kOrders = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 33, 65};

// Dense matrices in double, one after another.
struct Matrices {
  int64_t batch, m, n;
  std::vector<double> v;
  Matrices(int64_t b, int64_t rows, int64_t columns)
      : batch(b), m(rows), n(columns), v(static_cast<size_t>(b * rows * columns)) {}
  double& operator()(int64_t b, int64_t i, int64_t j) { return v[static_cast<size_t>((b * m + i) * n + j)]; }
  double operator()(int64_t b, int64_t i, int64_t j) const { return v[static_cast<size_t>((b * m + i) * n + j)]; }
  Tensor tensor(DType t) const {
    const Tensor x = Tensor::of<double>({batch, m, n}, v);
    if (t == f64) return x;
    return Tensor::of<float>({batch, m, n}, std::vector<float>(v.begin(), v.end()));
  }
};

inline std::vector<double> doubles(const Tensor& x) {
  if (x.dtype() == f64) return {x.span<double>().begin(), x.span<double>().end()};
  if (x.dtype() == i64) return {x.span<int64_t>().begin(), x.span<int64_t>().end()};
  return {x.span<float>().begin(), x.span<float>().end()};
}

// A tensor [..., m, n] as it is.
inline Matrices matrices(const Tensor& x) {
  const auto e = x.extents();
  const int64_t m = e[e.size() - 2], n = e[e.size() - 1];
  int64_t batch = 1;
  for (size_t i = 0; i + 2 < e.size(); ++i) batch *= e[i];
  Matrices r(batch, m, n);
  r.v = doubles(x);
  return r;
}

inline Matrices random_matrices(int64_t batch, int64_t m, int64_t n, unsigned seed) {
  Matrices r(batch, m, n);
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  for (double& x : r.v) x = static_cast<double>(static_cast<float>(normal(engine)));
  return r;
}

inline Matrices transposed(const Matrices& a) {
  Matrices r(a.batch, a.n, a.m);
  for (int64_t b = 0; b < a.batch; ++b)
    for (int64_t i = 0; i < a.m; ++i)
      for (int64_t j = 0; j < a.n; ++j) r(b, j, i) = a(b, i, j);
  return r;
}

// Products in long double.
inline Matrices operator*(const Matrices& a, const Matrices& c) {
  Matrices r(a.batch, a.m, c.n);
  for (int64_t b = 0; b < a.batch; ++b)
    for (int64_t i = 0; i < a.m; ++i)
      for (int64_t j = 0; j < c.n; ++j) {
        long double s = 0;
        for (int64_t k = 0; k < a.n; ++k) s += static_cast<long double>(a(b, i, k)) * c(b, k, j);
        r(b, i, j) = static_cast<double>(s);
      }
  return r;
}

inline Matrices operator-(Matrices a, const Matrices& c) {
  for (size_t i = 0; i < a.v.size(); ++i) a.v[i] -= c.v[i];
  return a;
}

inline Matrices unit(int64_t batch, int64_t n) {
  Matrices r(batch, n, n);
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t i = 0; i < n; ++i) r(b, i, i) = 1;
  return r;
}

// Symmetric with eigenvalues from about 1 to about n.
inline Matrices positive_matrices(int64_t batch, int64_t n, unsigned seed) {
  const Matrices a = random_matrices(batch, n, n, seed);
  Matrices r = a * transposed(a);
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j <= i; ++j) {
        const double x = r(b, i, j) / static_cast<double>(n) + (i == j ? 1 : 0);
        r(b, i, j) = r(b, j, i) = static_cast<double>(static_cast<float>(x));
      }
  return r;
}

inline double norm(const Matrices& a, int64_t b) {
  double s = 0;
  for (int64_t i = 0; i < a.m; ++i)
    for (int64_t j = 0; j < a.n; ++j) s += a(b, i, j) * a(b, i, j);
  return std::sqrt(s);
}

// Frobenius norms of residuals, over those of what they are residuals of, in units of sqrt(n) eps; the worst one.
inline double residual(const Matrices& r, const std::function<double(int64_t)>& scale, DType t) {
  const double eps = t == f32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  double worst = 0;
  for (int64_t b = 0; b < r.batch; ++b) {
    const double x = norm(r, b) / (scale(b) * std::sqrt(static_cast<double>(std::max(r.m, r.n))) * eps);
    if (!(x <= worst)) worst = x;
  }
  return worst;
}
inline double residual(const Matrices& r, const Matrices& of, DType t) {
  return residual(
      r, [&](int64_t b) { return norm(of, b); }, t);
}

inline Input batch_of(const char* name, DType t, Extent m, Extent n) {
  return {name, t, {"batch", std::move(m), std::move(n)}};
}

// The gradient of the program's scalar beside central differences of four points; the worst distance over the greatest
// element of the gradient.
inline double gradient_error(const Function& f, const std::vector<Tensor>& inputs) {
  const auto value = compile(f);
  const std::vector<Tensor> slopes = compile(grad(f))(inputs);
  double worst = 0;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const std::vector<double> x = doubles(inputs[k]), g = doubles(slopes[k]);
    const Extents extents(inputs[k].extents().begin(), inputs[k].extents().end());
    double greatest = 1e-3, error = 0;
    for (const double s : g) greatest = std::max(greatest, std::abs(s));
    for (size_t i = 0; i < x.size(); ++i) {
      const auto at = [&](double step) {
        std::vector<double> moved = x;
        moved[i] += step;
        std::vector<Tensor> in = inputs;
        in[k] = Tensor::of<double>(extents, moved);
        return doubles(value(in)[0])[0];
      };
      const double h = 2e-3 * std::max(1.0, std::abs(x[i])) / 4;
      const double slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      const double e = std::abs(slope - g[i]);
      if (!(e <= error)) error = e;
    }
    if (!(error / greatest <= worst)) worst = error / greatest;
  }
  return worst;
}

}  // namespace tc
