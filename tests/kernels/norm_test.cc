#include "tc/kernels/norm/norm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "guard.h"
#include "tc/kernels/table.h"

namespace tc::kernels {
namespace {

using testing::Edge;
using testing::GuardedBuffer;
using testing::kEdges;
using testing::machine_tiers;
using testing::Random;

class Norm : public ::testing::TestWithParam<Tier> {
 protected:
  const NormTable& kernels() const { return table(GetParam()).norm; }
};

template <class T>
constexpr Elem kElem = std::is_same_v<T, double> ? Elem::f64 : Elem::f32;
// The tests' tolerances are those of floats.
template <class T>
constexpr double kScale = std::is_same_v<T, double> ? 1e-8 : 1;

template <class T>
std::vector<T> numbers(Random& random, std::size_t count, double low = -1, double high = 1) {
  std::vector<T> out(count);
  for (T& x : out) x = static_cast<T>(random.uniform(low, high));
  return out;
}

template <class T>
void check_softmax(const NormTable& kernels, Team& team, std::int64_t outer, std::int64_t n, std::int64_t inner,
                   bool log, Edge edge, bool in_place) {
  Random random(static_cast<std::uint64_t>(n * 7 + inner));
  const auto size = static_cast<std::size_t>(outer * n * inner);
  GuardedBuffer<T> in(numbers<T>(random, size, -30, 30), edge), out(size, edge);
  const std::vector<T> source(in.begin(), in.end());
  T* const target = in_place ? in.data() : out.data();
  softmax(kernels, team,
          {.type = kElem<T>, .input = in.data(), .output = target, .outer = outer, .n = n, .inner = inner, .log = log});
  for (std::int64_t i = 0; i < outer * inner; ++i) {
    const T* x = source.data() + i / inner * n * inner + i % inner;
    const T* y = target + i / inner * n * inner + i % inner;
    double peak = -INFINITY, sum = 0;
    for (std::int64_t k = 0; k < n; ++k) peak = std::max(peak, static_cast<double>(x[k * inner]));
    for (std::int64_t k = 0; k < n; ++k) sum += std::exp(x[k * inner] - peak);
    for (std::int64_t k = 0; k < n; ++k) {
      const double shifted = x[k * inner] - peak;
      if (log) {
        const double want = shifted - std::log(sum);
        ASSERT_NEAR(y[k * inner], want, kScale<T> * 4e-7 * std::max(1.0, std::fabs(want))) << n << "x" << inner;
      } else {
        // x - peak is rounded before e^x is taken.
        const double want = std::exp(shifted) / sum;
        ASSERT_NEAR(y[k * inner], want, kScale<T> * want * (1e-6 + 6e-8 * std::fabs(shifted))) << n << "x" << inner;
      }
    }
  }
}

template <class T>
void check_every_softmax(const NormTable& kernels) {
  Team team(2);
  for (const Edge edge : kEdges) {
    for (const bool log : {false, true}) {
      for (std::int64_t n = 1; n <= 70; ++n) {
        check_softmax<T>(kernels, team, 3, n, 1, log, edge, n % 2 == 0);
        check_softmax<T>(kernels, team, 37, n, 1, log, edge, n % 2 == 1);
        check_softmax<T>(kernels, team, 2, 5, n, log, edge, n % 2 == 1);
      }
      check_softmax<T>(kernels, team, 7, 1000, 1, log, edge, false);
      check_softmax<T>(kernels, team, 300, 97, 1, log, edge, true);
      for (const std::int64_t n : {255, 256, 257, 512, 513}) check_softmax<T>(kernels, team, 18, n, 1, log, edge, true);
      check_softmax<T>(kernels, team, 4, 60, 49, log, edge, false);
    }
  }
}

template <class T>
void check_streamed_softmax(const NormTable& kernels) {
  Team team(2);
  for (const bool log : {false, true}) check_softmax<T>(kernels, team, 4096, 1028, 1, log, Edge::kBack, false);
  for (const bool log : {false, true}) check_softmax<T>(kernels, team, 24000, 192, 1, log, Edge::kBack, false);
  check_softmax<T>(kernels, team, 800, 5300, 1, false, Edge::kBack, false);
}

// Large results go past the caches, where rows are aligned.
TEST_P(Norm, StreamedResults) {
  check_streamed_softmax<float>(kernels());
  check_streamed_softmax<double>(kernels());
}

TEST_P(Norm, Softmax) {
  check_every_softmax<float>(kernels());
}
TEST_P(Norm, SoftmaxF64) {
  check_every_softmax<double>(kernels());
}

TEST_P(Norm, SoftmaxOfSpecialValues) {
  Team team(1);
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const float in[] = {-kInf, 3, 3, -kInf};
  float out[4];
  softmax(kernels(), team, {.input = in, .output = out, .outer = 1, .n = 4, .inner = 1});
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[1], 0.5f);
  EXPECT_EQ(out[3], 0);
  const float far[] = {0, -87, -100, -1e30f};  // e^-100 is a subnormal number
  softmax(kernels(), team, {.input = far, .output = out, .outer = 1, .n = 4, .inner = 1});
  EXPECT_EQ(out[0], 1);
  EXPECT_NEAR(out[1] / 1.6458115e-38f, 1, 1e-5);
  EXPECT_EQ(out[2], 0);
  EXPECT_EQ(out[3], 0);
  const float masked[] = {-kInf, -kInf};
  softmax(kernels(), team, {.input = masked, .output = out, .outer = 1, .n = 2, .inner = 1});
  EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
}

template <class T>
void check_norm(const NormTable& kernels, Team& team, NormArgs args, Edge edge, bool with_scale, bool with_bias) {
  const std::int64_t n = args.channels * args.spatial;
  Random random(static_cast<std::uint64_t>(n));
  const auto size = static_cast<std::size_t>(args.rows * n),
             parameters = static_cast<std::size_t>(args.groups * args.channels);
  const auto rows = static_cast<std::size_t>(args.rows);
  GuardedBuffer<T> in(numbers<T>(random, size, 99, 101), edge), out(size, edge), mean(rows, edge), inv_std(rows, edge);
  GuardedBuffer<T> scale(numbers<T>(random, parameters), edge), bias(numbers<T>(random, parameters), edge);
  args.type = kElem<T>;
  args.input = in.data();
  args.output = out.data();
  args.mean = mean.data();
  args.inv_std = inv_std.data();
  if (with_scale) args.scale = scale.data();
  if (with_bias) args.bias = bias.data();
  normalize(kernels, team, args);
  for (std::int64_t r = 0; r < args.rows; ++r) {
    const T* x = in.data() + r * n;
    double m = 0, v = 0;
    for (std::int64_t i = 0; i < n; ++i) m += x[i] / static_cast<double>(n);
    if (args.rms) m = 0;
    for (std::int64_t i = 0; i < n; ++i) v += (x[i] - m) * (x[i] - m) / static_cast<double>(n);
    const double inv = 1 / std::sqrt(v + args.epsilon);
    ASSERT_NEAR(mean.data()[r], m, kScale<T> * 5e-5);
    ASSERT_NEAR(inv_std.data()[r], inv, kScale<T> * 2e-4 * inv);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t c = r % args.groups * args.channels + i / args.spatial;
      const double want = (x[i] - m) * inv * (with_scale ? scale.data()[c] : 1) + (with_bias ? bias.data()[c] : 0);
      // Means near 100 are known to about 1e-5.
      ASSERT_NEAR(out.data()[r * n + i], want, kScale<T> * 2e-4) << "row " << r << " of " << n;
    }
  }
}

template <class T>
void check_layer_norms(const NormTable& kernels) {
  Team team(2);
  for (const Edge edge : kEdges) {
    for (std::int64_t n = 2; n <= 70; ++n) {
      for (int mode = 0; mode < 8; ++mode) {
        check_norm<T>(kernels, team, {.rows = 3, .channels = n, .epsilon = 1e-3, .rms = (mode & 4) != 0}, edge,
                      (mode & 1) != 0, (mode & 2) != 0);
      }
    }
  }
  check_norm<T>(kernels, team, {.rows = 200, .channels = 768}, Edge::kBack, true, true);
  check_norm<T>(kernels, team, {.rows = 4096, .channels = 1028}, Edge::kBack, true, true);  // streamed
}

template <class T>
void check_instance_and_group_norms(const NormTable& kernels) {
  Team team(2);
  for (std::int64_t spatial = 2; spatial <= 40; ++spatial) {
    check_norm<T>(kernels, team, {.rows = 6, .spatial = spatial, .groups = 3, .epsilon = 1e-3}, Edge::kBack, true,
                  true);
    check_norm<T>(kernels, team, {.rows = 4, .channels = 3, .spatial = spatial, .groups = 2, .epsilon = 1e-3},
                  Edge::kFront, true, true);
  }
}

TEST_P(Norm, LayerNormOfEveryLength) {
  check_layer_norms<float>(kernels());
}
TEST_P(Norm, LayerNormOfEveryLengthF64) {
  check_layer_norms<double>(kernels());
}
TEST_P(Norm, InstanceAndGroupNorm) {
  check_instance_and_group_norms<float>(kernels());
}
TEST_P(Norm, InstanceAndGroupNormF64) {
  check_instance_and_group_norms<double>(kernels());
}

// Of `channels` planes, or of blocks whose lanes beyond the last channel are no numbers.
void check_groups(const NormTable& kernels, GroupNormArgs args, Edge edge, bool in_place) {
  Random random(static_cast<std::uint64_t>(args.channels * args.pixels));
  const std::int64_t lanes = args.lanes(), lines = args.lines(), together = args.channels / args.groups;
  const auto channels = static_cast<std::size_t>(args.channels);
  const auto at = [&](std::int64_t image, std::int64_t c, std::int64_t pixel) {
    return static_cast<std::size_t>(((image * lines + c / lanes) * args.pixels + pixel) * lanes + c % lanes);
  };
  std::vector<float> x(static_cast<std::size_t>(args.images * lines * lanes * args.pixels),
                       std::numeric_limits<float>::quiet_NaN());
  for (std::int64_t image = 0; image < args.images; ++image)
    for (std::int64_t c = 0; c < args.channels; ++c)
      for (std::int64_t p = 0; p < args.pixels; ++p)
        x[at(image, c, p)] =
            static_cast<float>(random.uniform(static_cast<double>(c % 3), static_cast<double>(2 + c % 5)));
  GuardedBuffer<float> in(x, edge), out(x.size(), edge);
  GuardedBuffer<float> scale(random.floats(channels), edge), bias(random.floats(channels), edge);
  std::vector<float> scratch(static_cast<std::size_t>(args.scratch_floats()));
  args.input = in.data(), args.output = in_place ? in.data() : out.data();
  args.scale = scale.data(), args.bias = bias.data(), args.scratch = scratch.data();
  std::vector<float> alone;
  for (const int threads : {1, 2}) {
    std::copy(x.begin(), x.end(), in.data());
    Team team(threads);
    normalize_groups(kernels, team, args);
    const std::vector<float> result(args.output, args.output + x.size());
    if (threads == 1) alone = result;
    ASSERT_EQ(std::memcmp(alone.data(), result.data(), x.size() * sizeof(float)), 0);
  }
  for (std::int64_t image = 0; image < args.images; ++image) {
    for (std::int64_t group = 0; group < args.groups; ++group) {
      const auto each = [&](const auto& f) {
        for (std::int64_t c = group * together; c < (group + 1) * together; ++c)
          for (std::int64_t p = 0; p < args.pixels; ++p) f(c, at(image, c, p));
      };
      const auto count = static_cast<double>(together * args.pixels);
      double mean = 0, variance = 0;
      each([&](std::int64_t, std::size_t i) { mean += x[i] / count; });
      each([&](std::int64_t, std::size_t i) { variance += (x[i] - mean) * (x[i] - mean) / count; });
      each([&](std::int64_t c, std::size_t i) {
        const double want = (x[i] - mean) / std::sqrt(variance + args.epsilon) * scale.data()[c] + bias.data()[c];
        ASSERT_NEAR(alone[i], want, 3e-6) << args.channels << " channels, " << args.pixels << " pixels, " << i;
      });
    }
  }
}

TEST_P(Norm, GroupsByPieces) {
  for (const bool blocked : {false, true}) {
    for (std::int64_t pixels = 1; pixels <= 20; ++pixels)
      check_groups(kernels(), {.images = 2, .channels = 20, .pixels = pixels, .groups = 4, .blocked = blocked},
                   Edge::kBack, pixels % 2 == 0);
    for (const std::int64_t groups : {1, 5, 40})
      check_groups(kernels(), {.images = 1, .channels = 40, .pixels = 1031, .groups = groups, .blocked = blocked},
                   Edge::kFront, false);
    // An image after the other.
    check_groups(kernels(), {.images = 9, .channels = 33, .pixels = 600, .groups = 3, .blocked = blocked}, Edge::kBack,
                 true);
  }
  check_groups(kernels(), {.images = 1, .channels = 2, .pixels = 20001, .groups = 1}, Edge::kBack, false);
}

TEST_P(Norm, OneAndTwoThreadsAgreeToTheBit) {
  const std::size_t size = 500 * 257;
  const std::vector<float> in = Random(9).floats(size, -4, 4);
  std::vector<float> soft[2], norm[2];
  for (std::size_t t = 0; t < 2; ++t) {
    Team team(static_cast<int>(t) + 1);
    soft[t].resize(size);
    norm[t].resize(size);
    softmax(kernels(), team, {.input = in.data(), .output = soft[t].data(), .outer = 500, .n = 257, .inner = 1});
    normalize(kernels(), team, {.input = in.data(), .output = norm[t].data(), .rows = 500, .channels = 257});
  }
  EXPECT_EQ(std::memcmp(soft[0].data(), soft[1].data(), size * sizeof(float)), 0);
  EXPECT_EQ(std::memcmp(norm[0].data(), norm[1].data(), size * sizeof(float)), 0);
}

INSTANTIATE_TEST_SUITE_P(Tiers, Norm, ::testing::ValuesIn(machine_tiers()),
                         [](const auto& tier) { return std::string(tier_name(tier.param)); });

}  // namespace
}  // namespace tc::kernels
