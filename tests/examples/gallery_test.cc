// The gallery: exported files give in ONNX Runtime what they give here, and what the textbooks say.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "../peers/peer.h"
#include "tc/examples/gallery/gallery.h"

namespace gallery {
namespace {

using tc::Tensor;

class GalleryTest : public testing::TestWithParam<Program> {};

TEST_P(GalleryTest, AgreesWithOnnxRuntime) {
  if (tc::peers::node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  tc::InputSpec spec;
  spec.dims = {"n=40", "features=5", "time=30", "batch=3"};
  EXPECT_EQ(tc::peers::compare_export(GetParam().make(), spec), "");
}

INSTANTIATE_TEST_SUITE_P(All, GalleryTest, testing::ValuesIn(kPrograms), [](const auto& p) { return p.param.name; });

TEST(Gallery, LogisticRegression) {
  const int64_t n = 17, features = 3;
  const Tensor x = tc::peers::random_f32({n, features}, 1), w = tc::peers::random_f32({features}, 2);
  Tensor y(tc::f32, {n});
  for (int64_t i = 0; i < n; ++i) y.mutable_span<float>()[static_cast<size_t>(i)] = i % 3 == 0;

  double density = 0;
  std::vector<double> slope(features);
  for (size_t i = 0; i < n; ++i) {
    double logit = 0;
    for (size_t k = 0; k < features; ++k) logit += double{x.span<float>()[i * features + k]} * w.span<float>()[k];
    const double p = 1 / (1 + std::exp(-logit)), label = y.span<float>()[i];
    density += std::log(label > 0 ? p : 1 - p);
    for (size_t k = 0; k < features; ++k) slope[k] += (label - p) * x.span<float>()[i * features + k];
  }
  for (size_t k = 0; k < features; ++k) {
    const double v = w.span<float>()[k];
    density -= v * v / 8;
    slope[k] -= v / 4;
  }
  const auto result = tc::compile(logistic_regression())({x, y, w});
  ASSERT_EQ(result.size(), 2u);
  EXPECT_NEAR(result[0].span<float>()[0], density, 1e-4);
  for (size_t k = 0; k < features; ++k) EXPECT_NEAR(result[1].span<float>()[k], slope[k], 1e-4) << k;
}

TEST(Gallery, KalmanFilter) {
  const int64_t time = 25;
  Tensor z(tc::f32, {time});
  for (size_t t = 0; t < time; ++t) z.mutable_span<float>()[t] = static_cast<float>(std::sin(0.3 * double(t)) * 4);
  const double noise = 0.5;
  const auto result = tc::compile(kalman_filter())({z, Tensor::scalar<float>(noise)});
  ASSERT_EQ(result.size(), 3u);

  double x = 0, v = 0, xx = 100, xv = 0, vv = 100, density = 0;
  for (size_t t = 0; t < time; ++t) {
    x += v;
    xx += 2 * xv + vv + 0.01;
    xv += vv;
    vv += 0.04;
    const double surprise = z.span<float>()[t] - x, variance = xx + noise, gx = xx / variance, gv = xv / variance;
    x += gx * surprise;
    v += gv * surprise;
    vv -= gv * xv;
    xv -= gx * xv;
    xx -= gx * xx;
    density -= 0.5 * (std::log(2 * std::numbers::pi * variance) + surprise * surprise / variance);
    EXPECT_NEAR(result[0].span<float>()[2 * t], x, 1e-3) << t;
    EXPECT_NEAR(result[0].span<float>()[2 * t + 1], v, 1e-3) << t;
    EXPECT_NEAR(result[1].span<float>()[4 * t], xx, 1e-3) << t;
  }
  EXPECT_NEAR(result[2].span<float>()[0], density, 1e-2);
}

}  // namespace
}  // namespace gallery
