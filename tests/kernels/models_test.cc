// Products with packed vectors, functions of them, and Fourier transforms of every tier against plain loops, on buffers
// that end at guard pages.
#include "tc/kernels/models/models.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "guard.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/table.h"

namespace tc::kernels {
namespace {

using testing::Edge;
using testing::GuardedBuffer;
using testing::Random;

GuardedBuffer<double> random_buffer(Random& random, int64_t n, Edge edge) {
  GuardedBuffer<double> b(static_cast<size_t>(n), edge);
  for (double& x : b) x = random.uniform(-2, 2);
  return b;
}

TEST(Models, Products) {
  Random random;
  for (const Tier tier : testing::machine_tiers())
    for (const Edge edge : testing::kEdges)
      for (const bool distances : {false, true})
        for (const int64_t rows : {1, 3, 9})
          for (const int64_t padded : {8, 16, 40}) {
            constexpr int64_t kFeatures = 5;
            auto x = random_buffer(random, rows * kFeatures, edge), v = random_buffer(random, padded * kFeatures, edge),
                 start = random_buffer(random, padded, edge), y = random_buffer(random, rows * padded, edge);
            table(tier).models.products.fn(
                {x.data(), rows, kFeatures, v.data(), nullptr, start.data(), padded, distances, y.data()});
            for (int64_t r = 0; r < rows; ++r)
              for (int64_t i = 0; i < padded; ++i) {
                double sum = start.data()[i];
                for (int64_t k = 0; k < kFeatures; ++k) {
                  const double a = x.data()[r * kFeatures + k], b = v.data()[i / kModelLanes * kModelLanes * kFeatures +
                                                                             k * kModelLanes + i % kModelLanes];
                  sum += distances ? (a - b) * (a - b) : a * b;
                }
                ASSERT_NEAR(y.data()[r * padded + i], sum, 1e-12) << tier_name(tier);
              }
          }
}

TEST(Models, Functions) {
  Random random;
  for (const Tier tier : testing::machine_tiers())
    for (const Edge edge : testing::kEdges)
      for (const int64_t n : {1, 2, 3, 7, 8, 9, 31, 33, 100}) {
        const ModelTable& models = table(tier).models;
        auto a = random_buffer(random, n, edge), b = random_buffer(random, n, edge),
             v = random_buffer(random, 3 * n, edge);
        double dot = 0;
        for (int64_t i = 0; i < n; ++i) dot += a.data()[i] * b.data()[i];
        ASSERT_NEAR(models.dot.fn(a.data(), b.data(), n), dot, 1e-12);
        std::vector<double> truth(v.begin(), v.end());
        for (int64_t r = 0; r < 3; ++r) {
          double sum = 0;
          for (int64_t k = 0; k < n; ++k) sum += std::exp(truth[static_cast<size_t>(r * n + k)]);
          for (int64_t k = 0; k < n; ++k) {
            double& t = truth[static_cast<size_t>(r * n + k)];
            t = std::exp(t) / sum;
          }
        }
        models.softmax.fn(v.data(), 3, n);
        for (size_t i = 0; i < truth.size(); ++i) ASSERT_NEAR(v[i], truth[i], 1e-13) << tier_name(tier);
        models.map.fn(ModelMap::power, 0.5, 1, 3, a.data(), n);
        models.map.fn(ModelMap::tanh, 0.5, 1, 0, b.data(), n);
        for (int64_t i = 0; i < n; ++i) ASSERT_LE(std::abs(b.data()[i]), 1.0);
        GuardedBuffer<float> narrow(static_cast<size_t>(n), edge);
        models.narrow.fn(a.data(), n, narrow.data());
        models.widen.fn(Elem::f32, narrow.data(), n, b.data());
        for (int64_t i = 0; i < n; ++i) ASSERT_EQ(b.data()[i], static_cast<float>(a.data()[i]));
      }
}

template <class T>
void check_fourier_lines(double tolerance) {
  Random random;
  for (const Tier tier : testing::machine_tiers())
    for (const Edge edge : testing::kEdges)
      for (const bool is_complex : {false, true})
        for (const int64_t lines : {1, 5, 19}) {
          constexpr int64_t kN = 21;
          const int64_t parts = is_complex ? 2 : 1;
          std::vector<T> turns;
          for (int64_t k = 0; k < kN; ++k) {
            const auto w = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / kN);
            turns.push_back(static_cast<T>(w.real())), turns.push_back(static_cast<T>(w.imag()));
          }
          FourierPlan<T> plan{.n = kN, .stages = 2, .radix = {3, 7}, .turns = turns.data()};
          GuardedBuffer<T> x(static_cast<size_t>(lines * kN * parts), edge);
          for (T& v : x) v = static_cast<T>(random.uniform(-1, 1));
          GuardedBuffer<T> y(static_cast<size_t>(lines * kN * 2), edge);
          FourierArgs<T> a;
          a.plan = &plan, a.outer = lines, a.inner = 1;
          a.x = x.data(), a.from = {kN * parts, 0, parts}, a.is_complex = is_complex, a.taken = kN;
          a.y = y.data(), a.to = {kN * 2, 0, 2}, a.bins = kN;
          Team team(2);
          GuardedBuffer<T> scratch(fourier_scratch_bytes(table(tier).fourier, a, 2) / sizeof(T), edge);
          a.scratch = reinterpret_cast<std::byte*>(scratch.data());
          fourier(table(tier).fourier, team, a);
          for (int64_t line = 0; line < lines; ++line)
            for (int64_t k = 0; k < kN; ++k) {
              std::complex<double> sum;
              for (int64_t t = 0; t < kN; ++t) {
                const T* p = x.data() + (line * kN + t) * parts;
                sum += std::complex<double>(p[0], is_complex ? p[1] : T{0}) *
                       std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k * t % kN) / kN);
              }
              ASSERT_NEAR(y.data()[(line * kN + k) * 2], sum.real(), tolerance) << tier_name(tier);
              ASSERT_NEAR(y.data()[(line * kN + k) * 2 + 1], sum.imag(), tolerance) << tier_name(tier);
            }
        }
}
TEST(Fourier, Lines) {
  check_fourier_lines<float>(1e-5);
  check_fourier_lines<double>(1e-13);
}

}  // namespace
}  // namespace tc::kernels
