// The transforms of Winograd's method, and which convolutions take them. Only winograd_tier.h includes it.
//
// Kernels of more than three taps along an axis are summed in pieces of three, which see the input at places of their
// own and meet in the sums of products: of a 5x5 kernel, 4 x 36 products to 4 x 4 outputs instead of 400. An axis with
// one tap is left as it is, and so is the depth of three: its taps are pieces too, of other planes.
//
// With stride 2 the taps of even index see the even pixels of the tile's input alone, the odd one the odd pixels: along
// an axis F(m, 2) and m plain products, of which the latter have the former's transform but for the point at infinity,
// where they are zero. So their products are summed before the output is transformed, and (2m + 1)^2 do for 9 m^2.
//
// The interpolation points are 0, +-1 (m = 2) and 0, +-3/4, +-3/2 (m = 4), and infinity. Of the points tried for m = 4
// in f32 with 256 input channels these and 1/sqrt(2), sqrt(2) err least: 3.2e-6 of the largest output against 1.5e-5
// for the usual 0, +-1, +-2; and they are exact. With stride 2: +-1 and +-1/2, +-5/4 (2.0e-6, 0, +-1, 2 have 5.4e-6).
// For m = 6 the usual ones, 0, +-1/2, +-1, +-2: with normal data, where m = 4 has 3.1e-6, 1.4e-5; of the others tried
// 0, +-9/16, +-1, +-7/4 err least, 1.2e-5.
#pragma once
#include "tc/kernels/simd/vec.h"
#include "tc/kernels/tier.h"

namespace tc::kernels {
namespace {

TC_INLINE VecF scaled(VecF a, float f) {
  return a * VecF(f);
}
TC_INLINE VecF plus(VecF a, float f, VecF b) {
  return fma(VecF(f), b, a);
}

// What all transforms have: outputs, pixels of their input (and numbers it becomes), points, taps.
template <int M, int kStep, int kKernelTaps>
struct Extents {
  static constexpr int kOutputs = M, kStride = kStep, kTaps = kKernelTaps;
  static constexpr int kLine = kStep * (M - 1) + kKernelTaps;
  static constexpr int kPoints = (kLine + kStep - 1) / kStep;
  // An element is the sum of so many products.
  static constexpr int products(int point) { return point < kPoints - 1 ? kStride : 1; }
};

// The transforms of one line: B^T of the input, A^T of the elements, G of the kernel. Of the input's numbers the first
// kPoints are those of taps 0, 1, 2 (stride 1) or 0, 2 at every point, the others of tap 1 at all points but infinity.
template <int M, int kStride>
struct Transform;

// Of an axis on which the kernel has one tap.
struct NoTransform : Extents<1, 1, 1> {
  static TC_INLINE void input(const VecF (&d)[1], VecF (&v)[1]) { v[0] = d[0]; }
  static TC_INLINE void output(const VecF (&m)[1], VecF (&y)[1]) { y[0] = m[0]; }
  static constexpr double kKernel[1][1] = {{1}};
};

template <>
struct Transform<2, 1> : Extents<2, 1, 3> {
  static TC_INLINE void input(const VecF (&d)[4], VecF (&v)[4]) {
    v[0] = d[2] - d[0];
    v[1] = d[1] + d[2];
    v[2] = d[2] - d[1];
    v[3] = d[3] - d[1];
  }
  static TC_INLINE void output(const VecF (&m)[4], VecF (&y)[2]) {
    y[0] = m[0] + m[1] + m[2];
    y[1] = m[1] - m[2] + m[3];
  }
  static constexpr double kKernel[4][3] = {{-1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
};

template <>
struct Transform<2, 2> : Extents<2, 2, 3> {
  static TC_INLINE void input(const VecF (&d)[5], VecF (&v)[5]) {
    v[0] = d[2] + d[0];
    v[1] = d[2] - d[0];
    v[2] = d[4] - d[0];
    v[3] = d[3] + d[1];
    v[4] = d[3] - d[1];
  }
  static TC_INLINE void output(const VecF (&m)[3], VecF (&y)[2]) {
    y[0] = m[0] + m[1];
    y[1] = m[0] - m[1] + m[2];
  }
  static constexpr double kKernel[5][3] = {{0.5, 0, 0.5}, {-0.5, 0, 0.5}, {0, 0, 1}, {0, 0.5, 0}, {0, -0.5, 0}};
};

// Four points, +-a and +-b, in quarters.
template <int kQuartersA, int kQuartersB>
struct FourPoints {
  static constexpr double kA = kQuartersA / 4.0, kB = kQuartersB / 4.0, kA2 = kA * kA, kB2 = kB * kB;
  static constexpr float kSum = static_cast<float>(kA2 + kB2), kProduct = static_cast<float>(kA2 * kB2);
  // Of the input's pixels d0 to d3 without a point at 0, d1 to d4 with one.
  static TC_INLINE void input(VecF d0, VecF d1, VecF d2, VecF d3, VecF* v) {
    const VecF even_a = plus(d2, static_cast<float>(-kB2), d0), odd_a = plus(d3, static_cast<float>(-kB2), d1);
    const VecF even_b = plus(d2, static_cast<float>(-kA2), d0), odd_b = plus(d3, static_cast<float>(-kA2), d1);
    v[0] = plus(odd_a, static_cast<float>(kA), even_a);
    v[1] = plus(odd_a, static_cast<float>(-kA), even_a);
    v[2] = plus(odd_b, static_cast<float>(kB), even_b);
    v[3] = plus(odd_b, static_cast<float>(-kB), even_b);
  }
  // That of infinity: from every second pixel.
  static TC_INLINE VecF last(VecF d0, VecF d2, VecF d4) { return plus(plus(d4, -kSum, d2), kProduct, d0); }
  // m: the four points' elements.
  static TC_INLINE void output(const VecF* m, VecF infinity, VecF (&y)[4]) {
    const VecF sum_a = m[0] + m[1], sum_b = m[2] + m[3];
    const VecF diff_a = m[0] - m[1], diff_b = m[2] - m[3];
    y[0] = sum_a + sum_b;
    y[1] = plus(scaled(diff_a, static_cast<float>(kA)), static_cast<float>(kB), diff_b);
    y[2] = plus(scaled(sum_a, static_cast<float>(kA2)), static_cast<float>(kB2), sum_b);
    y[3] = plus(plus(infinity, static_cast<float>(kA * kA2), diff_a), static_cast<float>(kB * kB2), diff_b);
  }
};

template <>
struct Transform<4, 1> : Extents<4, 1, 3> {
  using P = FourPoints<3, 6>;
  static TC_INLINE void input(const VecF (&d)[6], VecF (&v)[6]) {
    v[0] = P::last(d[0], d[2], d[4]);
    P::input(d[1], d[2], d[3], d[4], v + 1);
    v[5] = P::last(d[1], d[3], d[5]);
  }
  static TC_INLINE void output(const VecF (&m)[6], VecF (&y)[4]) {
    P::output(m + 1, m[5], y);
    y[0] = m[0] + (m[1] + m[2]) + (m[3] + m[4]);
  }
  static constexpr double kFa = 2 * P::kA2 * (P::kA2 - P::kB2), kFb = 2 * P::kB2 * (P::kB2 - P::kA2);
  static constexpr double kKernel[6][3] = {{1 / (P::kA2 * P::kB2), 0, 0},         {1 / kFa, P::kA / kFa, P::kA2 / kFa},
                                           {1 / kFa, -P::kA / kFa, P::kA2 / kFa}, {1 / kFb, P::kB / kFb, P::kB2 / kFb},
                                           {1 / kFb, -P::kB / kFb, P::kB2 / kFb}, {0, 0, 1}};
};

template <>
struct Transform<6, 1> : Extents<6, 1, 3> {
  // Every second pixel, for the pair of points that is left by two of squares p and q.
  static TC_INLINE VecF pair(float p, float q, VecF d0, VecF d2, VecF d4) {
    return plus(plus(d4, -p - q, d2), p * q, d0);
  }
  // 1 + 1/4 + 4, and their products in pairs.
  static TC_INLINE VecF last(VecF d0, VecF d2, VecF d4, VecF d6) { return plus(d6 - d0, 5.25f, d2 - d4); }
  static TC_INLINE void input(const VecF (&d)[8], VecF (&v)[8]) {
    v[0] = last(d[0], d[2], d[4], d[6]);
    const VecF even_half = pair(1, 4, d[2], d[4], d[6]), odd_half = pair(1, 4, d[1], d[3], d[5]);
    const VecF even_one = pair(0.25f, 4, d[2], d[4], d[6]), odd_one = pair(0.25f, 4, d[1], d[3], d[5]);
    const VecF even_two = pair(0.25f, 1, d[2], d[4], d[6]), odd_two = pair(0.25f, 1, d[1], d[3], d[5]);
    v[1] = plus(even_half, 0.5f, odd_half);
    v[2] = plus(even_half, -0.5f, odd_half);
    v[3] = even_one + odd_one;
    v[4] = even_one - odd_one;
    v[5] = plus(even_two, 2.0f, odd_two);
    v[6] = plus(even_two, -2.0f, odd_two);
    v[7] = last(d[1], d[3], d[5], d[7]);
  }
  static TC_INLINE void output(const VecF (&m)[8], VecF (&y)[6]) {
    const VecF sum_half = m[1] + m[2], sum_one = m[3] + m[4], sum_two = m[5] + m[6];
    const VecF diff_half = m[1] - m[2], diff_one = m[3] - m[4], diff_two = m[5] - m[6];
    y[0] = m[0] + sum_half + (sum_one + sum_two);
    y[1] = plus(plus(diff_one, 0.5f, diff_half), 2.0f, diff_two);
    y[2] = plus(plus(sum_one, 0.25f, sum_half), 4.0f, sum_two);
    y[3] = plus(plus(diff_one, 0.125f, diff_half), 8.0f, diff_two);
    y[4] = plus(plus(sum_one, 0.0625f, sum_half), 16.0f, sum_two);
    y[5] = plus(plus(diff_one + m[7], 0.03125f, diff_half), 32.0f, diff_two);
  }
  // Of the point k: 1 / 2 k^2 (k^2 - p) (k^2 - q), with p and q the squares of the others.
  static constexpr double kH = 32.0 / 45, kO = -2.0 / 9, kT = 1.0 / 90;
  static constexpr double kKernel[8][3] = {{-1, 0, 0},    {kH, kH / 2, kH / 4}, {kH, -kH / 2, kH / 4}, {kO, kO, kO},
                                           {kO, -kO, kO}, {kT, 2 * kT, 4 * kT}, {kT, -2 * kT, 4 * kT}, {0, 0, 1}};
};

template <>
struct Transform<4, 2> : Extents<4, 2, 3> {
  using P = FourPoints<2, 5>;
  static TC_INLINE void input(const VecF (&d)[9], VecF (&v)[9]) {
    P::input(d[0], d[2], d[4], d[6], v);
    v[4] = P::last(d[0], d[4], d[8]);
    P::input(d[1], d[3], d[5], d[7], v + 5);
  }
  static TC_INLINE void output(const VecF (&m)[5], VecF (&y)[4]) { P::output(m, m[4], y); }
  static constexpr double kFa = 2 * P::kA * (P::kA2 - P::kB2), kFb = 2 * P::kB * (P::kB2 - P::kA2);
  static constexpr double kKernel[9][3] = {{1 / kFa, 0, P::kA / kFa},
                                           {-1 / kFa, 0, P::kA / kFa},
                                           {1 / kFb, 0, P::kB / kFb},
                                           {-1 / kFb, 0, P::kB / kFb},
                                           {0, 0, 1},
                                           {0, 1 / kFa, 0},
                                           {0, -1 / kFa, 0},
                                           {0, 1 / kFb, 0},
                                           {0, -1 / kFb, 0}};
};

// Of both axes.
template <class Y, class X>
struct Form {
  using Rows = Y;
  using Cols = X;
  static constexpr bool kDilates = X::kStride == 1 && X::kTaps > 1;  // pixels of a row may be apart

  // Element (i, j) of the points is the sum of so many products, of which all follow each other. Product (a, b) of a
  // tile's input is of element (a % Y::kPoints, b % X::kPoints).
  static constexpr int products(int i, int j) { return Y::products(i) * X::products(j); }
  static constexpr int place(int a, int b) {
    const int i = a % Y::kPoints, j = b % X::kPoints;
    return Y::kStride * i * X::kLine + Y::products(i) * X::kStride * j + a / Y::kPoints * X::products(j) +
           b / X::kPoints;
  }
};

}  // namespace
}  // namespace tc::kernels
