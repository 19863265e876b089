// Resampling of every tier and layout against double precision, on buffers that end at guard pages.
#include "tc/kernels/resize/resize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "guard.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/table.h"

namespace tc::kernels {
namespace {

using testing::Edge;
using testing::GuardedBuffer;
using testing::Random;

size_t count(int64_t v) {
  return static_cast<size_t>(v);
}

// Random taps, the even ones rising and the odd ones falling, or, of several `floats` for one element, all rising; taps
// == 0 makes one tap without a weight.
struct RandomAxis {
  RandomAxis(int64_t in, int64_t out, int taps, Random& random, Edge edge, bool falls, int64_t floats = 1)
      : weights(random.floats(count(out * std::max(taps, 1)))), index(count(out * std::max(taps, 1)), edge) {
    for (size_t i = 0; i < weights.size(); i += 3) weights[i] = 0;
    const std::vector<float> places = random.floats(weights.size());
    for (size_t i = 0; i < places.size(); ++i)
      index[i] =
          static_cast<int32_t>(std::fmin((places[i] + 1) / 2 * static_cast<float>(in), static_cast<float>(in - 1)));
    for (int64_t k = 0; k < std::max(taps, 1); ++k) {
      int32_t* const first = index.data() + k * out;
      std::sort(first, first + out);
      if (floats == 1 && (k % 2 == 1) != falls) std::reverse(first, first + out);
    }
    if (floats > 1) {
      const int32_t n = static_cast<int32_t>(floats);
      for (int64_t i = 0; i < static_cast<int64_t>(weights.size()); ++i) {
        // Entry i of the elements' table stays where its first float is, so that the table need not grow.
        const int32_t first = index[count(i - i % out % floats)] / n * n;
        index[count(i)] = std::min(first + static_cast<int32_t>(i % out % floats), static_cast<int32_t>(in - 1));
      }
    }
    weight = std::make_unique<GuardedBuffer<float>>(weights, edge);
    axis = {in, out, std::max(taps, 1), index.data(), taps ? weight->data() : nullptr};
  }
  std::vector<float> weights;
  GuardedBuffer<int32_t> index;
  std::unique_ptr<GuardedBuffer<float>> weight;
  ResizeAxis axis;
};

enum class Kind { plain, spelled_out, points, long_points, blocked };

void check(const int64_t (&in)[3], const int64_t (&out)[3], const int (&taps)[3], int64_t planes) {
  Team team(2);
  for (const Tier tier : testing::machine_tiers())
    for (const Edge edge : testing::kEdges)
      for (const Kind kind : {Kind::plain, Kind::spelled_out, Kind::points, Kind::long_points, Kind::blocked}) {
        Random random(3);
        const bool blocked = kind == Kind::blocked;
        const int64_t lanes = blocked ? 16 : kind == Kind::points ? 5 : kind == Kind::long_points ? 39 : 1;
        const int64_t floats = kind == Kind::spelled_out ? 3 : 1;
        std::vector<RandomAxis> axes;
        for (int a = 0; a < 3; ++a)
          axes.emplace_back(in[a], out[a], taps[a], random, edge, planes % 2 == 0, a == 2 ? floats : 1);
        std::vector<float> values = random.floats(count(planes * in[0] * in[1] * in[2] * lanes));
        GuardedBuffer<float> x(values, edge);
        GuardedBuffer<float> y(count(planes * out[0] * out[1] * out[2] * lanes), edge);
        ResizeArgs args;
        args.planes = planes, args.blocked = blocked;
        args.point = blocked ? 1 : lanes, args.spread = floats - 1;
        for (int a = 0; a < 3; ++a) args.axis[a] = axes[count(a)].axis;
        args.x = x.data(), args.y = y.data();
        GuardedBuffer<float> scratch(count(resize_scratch_floats(args, team.threads())), edge);
        args.scratch = scratch.data();
        resize(team, table(tier).resize, args);

        size_t at = 0;
        for (int64_t p = 0; p < planes; ++p)
          for (int64_t o = 0; o < out[0] * out[1] * out[2]; ++o)
            for (int64_t lane = 0; lane < lanes; ++lane, ++at) {
              const int64_t place[3] = {o / out[2] / out[1], o / out[2] % out[1], o % out[2]};
              double truth = 0;
              for (int64_t t = 0; t < args.axis[0].taps * args.axis[1].taps * args.axis[2].taps; ++t) {
                const int64_t k[3] = {t / args.axis[2].taps / args.axis[1].taps,
                                      t / args.axis[2].taps % args.axis[1].taps, t % args.axis[2].taps};
                double w = 1;
                int64_t from = p;
                for (int a = 0; a < 3; ++a) {
                  const ResizeAxis& axis = args.axis[a];
                  const int64_t entry = k[a] * axis.out + place[a];
                  if (axis.weight) w *= double{axis.weight[entry]};
                  from = from * axis.in + axis.index[entry];
                }
                truth += w * double{values[count(from * lanes + lane)]};
              }
              ASSERT_NEAR(y[at], truth, 2e-6) << tier_name(tier) << " kind " << static_cast<int>(kind) << " at " << at;
            }
      }
}

TEST(Resize, EveryWidth) {
  for (int64_t out = 1; out <= 35; ++out) {
    check({1, 3, 7}, {1, 4, out}, {0, 2, 2}, 2);
    check({1, 2, out}, {1, 3, 9}, {0, 0, 2}, 1);
    check({1, 2, 5}, {1, 4, out}, {0, 0, 0}, 3);
  }
}

TEST(Resize, TapsOfEveryAxis) {
  check({3, 4, 5}, {4, 3, 11}, {2, 2, 2}, 2);
  check({1, 9, 10}, {1, 5, 6}, {0, 4, 4}, 2);
  check({1, 1, 40}, {1, 1, 17}, {0, 0, 7}, 1);
}

TEST(Resize, ManyTiles) {
  check({1, 20, 30}, {1, 200, 300}, {0, 0, 0}, 3);
  check({1, 200, 30}, {1, 100, 300}, {0, 2, 2}, 2);
}

// Twice as many elements by the nearest have a loop of their own.
TEST(Resize, Doubles) {
  Team team(2);
  for (const Tier tier : testing::machine_tiers())
    for (const Edge edge : testing::kEdges)
      for (int64_t in = 1; in <= 70; ++in) {
        Random random(5);
        const std::vector<float> values = random.floats(count(2 * in));
        GuardedBuffer<float> x(values, edge), y(count(8 * in), edge);
        GuardedBuffer<int32_t> index(count(2 * in), edge);
        for (int64_t i = 0; i < 2 * in; ++i) index[count(i)] = static_cast<int32_t>(i / 2);
        const int32_t rows[] = {0, 0, 1, 1}, zero = 0;
        ResizeArgs args;
        args.axis[0].index = &zero;
        args.axis[1] = {2, 4, 1, rows};
        args.axis[2] = {in, 2 * in, 1, index.data(), nullptr, true};
        args.x = x.data(), args.y = y.data();
        resize(team, table(tier).resize, args);
        for (int64_t i = 0; i < 8 * in; ++i)
          ASSERT_EQ(y[count(i)], values[count(i / (4 * in) * in + i % (2 * in) / 2)]) << tier_name(tier) << " " << i;
      }
}

// A tap without a weight reads nothing into the result.
TEST(Resize, UnweightedInfinities) {
  Team team(1);
  for (const Tier tier : testing::machine_tiers())
    for (const Kind kind : {Kind::plain, Kind::points, Kind::blocked}) {
      const bool blocked = kind == Kind::blocked;
      const int64_t lanes = blocked ? 16 : kind == Kind::points ? 5 : 1;
      std::vector<float> x(count(2 * lanes), 3.0f), y(count(lanes));
      for (int64_t i = 0; i < lanes; ++i) x[count(lanes + i)] = INFINITY;
      const int32_t index[] = {0, 1}, zero = 0;
      const float weight[] = {0.5f, 0.0f};
      std::vector<float> scratch(64);
      ResizeArgs args;
      args.blocked = blocked;
      args.point = blocked ? 1 : lanes;
      args.axis[0].index = args.axis[1].index = &zero;
      args.axis[2] = {2, 1, 2, index, weight};
      args.x = x.data(), args.y = y.data(), args.scratch = scratch.data();
      resize(team, table(tier).resize, args);
      EXPECT_EQ(y[0], 1.5f) << tier_name(tier);
    }
}

}  // namespace
}  // namespace tc::kernels
