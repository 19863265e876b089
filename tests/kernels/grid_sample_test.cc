// Sampling at points on every tier, on buffers that end at guard pages. What the numbers are is compared with the
// reference body by the samples of the op; here it is that of identity grids.
#include "tc/kernels/grid_sample/grid_sample.h"

#include <gtest/gtest.h>

#include <cmath>

#include "guard.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/table.h"

namespace tc::kernels {
namespace {

using testing::Edge;
using testing::GuardedBuffer;
using testing::Random;

constexpr SampleMode kModes[] = {SampleMode::linear, SampleMode::nearest, SampleMode::cubic};
constexpr SamplePadding kPaddings[] = {SamplePadding::zeros, SamplePadding::border, SamplePadding::reflection};

// Far points stay inside of the image, for every number of points.
TEST(GridSample, ReadsNothingOutside) {
  Team team(2);
  Random random(2);
  for (const Tier tier : testing::machine_tiers())
    for (const Edge edge : testing::kEdges)
      for (const SampleMode mode : kModes)
        for (const SamplePadding padding : kPaddings)
          for (int64_t points = 1; points <= 35; ++points) {
            GridSampleArgs a;
            a.mode = mode, a.padding = padding, a.align_corners = points % 2 != 0;
            a.images = 2, a.channels = 3, a.points = points, a.height = 1 + points % 4, a.width = 1 + points % 7;
            const auto elements = static_cast<size_t>(a.images * a.channels * a.height * a.width);
            GuardedBuffer<float> x(std::vector<float>(elements, 1.0f), edge);
            std::vector<float> places = random.floats(static_cast<size_t>(a.images * points * 2), -9, 9);
            places[0] = NAN, places[1] = -INFINITY;
            GuardedBuffer<float> grid(places, edge), y(static_cast<size_t>(a.images * a.channels * points), edge);
            a.x = x.data(), a.grid = grid.data(), a.y = y.data();
            grid_sample(team, table(tier).grid_sample, a);
            if (padding != SamplePadding::zeros)
              for (size_t i = 1; i < y.size(); ++i) {
                if (i % static_cast<size_t>(points) != 0) {
                  ASSERT_NEAR(y[i], 1, 1e-5) << tier_name(tier) << " at " << i << " of " << points;
                }
              }
          }
}

TEST(GridSample, IdentityGridCopies) {
  Team team(2);
  Random random(3);
  for (const Tier tier : testing::machine_tiers())
    for (const SampleMode mode : kModes) {
      GridSampleArgs a;
      a.mode = mode, a.align_corners = true;
      a.images = 2, a.channels = 5, a.height = 65, a.width = 129, a.points = a.height * a.width;
      const std::vector<float> x = random.floats(static_cast<size_t>(a.images * a.channels * a.points));
      std::vector<float> grid, y(x.size());
      for (int64_t n = 0; n < a.images; ++n)
        for (int64_t r = 0; r < a.height; ++r)
          for (int64_t c = 0; c < a.width; ++c) {
            grid.push_back(static_cast<float>(c) / 64 - 1);
            grid.push_back(static_cast<float>(r) / 32 - 1);
          }
      a.x = x.data(), a.grid = grid.data(), a.y = y.data();
      grid_sample(team, table(tier).grid_sample, a);
      EXPECT_EQ(x, y) << tier_name(tier);
    }
}

}  // namespace
}  // namespace tc::kernels
