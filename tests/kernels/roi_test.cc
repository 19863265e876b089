// Regions of interest on every tier against double precision, on buffers that end at guard pages.
#include "tc/kernels/roi/roi.h"

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

enum class Kind { average, maximum, max_pool };

size_t count(int64_t v) {
  return static_cast<size_t>(v);
}

// One channel of one image: element (row, column).
struct Plane {
  const RoiArgs& args;
  const std::vector<float>& values;
  int64_t image, channel;
  double at(int64_t row, int64_t column) const {
    const int64_t block = image * args.blocks() + channel / 16;
    return double{values[count(((block * args.height + row) * args.width + column) * 16 + channel % 16)]};
  }
};

double sampled(const RoiArgs& a, const Plane& plane, const RoiBox& box, int64_t row, int64_t column, bool max) {
  double sum = 0, best = box.y.samples * box.x.samples > 0 ? -INFINITY : 0;
  const auto place = [](const RoiBins& b, int64_t bin, int64_t s) {
    return b.start + static_cast<double>(bin) * b.size +
           (static_cast<double>(s) + 0.5) * b.size / static_cast<double>(b.samples);
  };
  for (int64_t i = 0; i < box.y.samples; ++i)
    for (int64_t j = 0; j < box.x.samples; ++j) {
      double y = place(box.y, row, i), x = place(box.x, column, j);
      if (y < -1 || y > static_cast<double>(a.height) || x < -1 || x > static_cast<double>(a.width)) {
        best = std::fmax(best, 0.0);
        continue;
      }
      y = std::fmin(std::fmax(y, 0.0), static_cast<double>(a.height - 1));
      x = std::fmin(std::fmax(x, 0.0), static_cast<double>(a.width - 1));
      for (int corner = 0; corner < 4; ++corner) {
        const auto r = std::min(static_cast<int64_t>(y) + corner / 2, a.height - 1);
        const auto c = std::min(static_cast<int64_t>(x) + corner % 2, a.width - 1);
        const double fy = y - std::floor(y), fx = x - std::floor(x);
        const double v = (corner / 2 ? fy : 1 - fy) * (corner % 2 ? fx : 1 - fx) * plane.at(r, c);
        sum += v, best = std::fmax(best, v);
      }
    }
  return max ? best : sum / static_cast<double>(std::max<int64_t>(box.y.samples * box.x.samples, 1));
}

double pooled(const RoiArgs& a, const Plane& plane, const RoiBox& box, int64_t row, int64_t column) {
  double best = -INFINITY;
  for (int64_t r = 0; r < a.height; ++r)
    for (int64_t c = 0; c < a.width; ++c) {
      const auto inside = [](const RoiBins& b, int64_t bin, int64_t at) {
        const auto edge = [&](int64_t i) { return static_cast<float>(i) * static_cast<float>(b.size); };
        return static_cast<double>(at) >= double{std::floor(edge(bin))} + b.start &&
               static_cast<double>(at) < double{std::ceil(edge(bin + 1))} + b.start;
      };
      if (inside(box.y, row, r) && inside(box.x, column, c)) best = std::fmax(best, plane.at(r, c));
    }
  return std::isinf(best) ? 0 : best;
}

void check(Kind kind, RoiArgs args, int64_t images, int64_t most_samples) {
  Team team(2);
  Random random(5);
  std::vector<RoiBox> boxes(count(args.regions));
  for (RoiBox& box : boxes) {
    const auto axis = [&](int64_t extent, int64_t bins) {
      const auto e = static_cast<double>(extent);
      RoiBins b{random.uniform(-0.3 * e, 1.1 * e), random.uniform(-0.2, 1.2) * e / static_cast<double>(bins), 0};
      b.samples = most_samples ? most_samples : random.integer(0, 4);
      if (kind == Kind::max_pool) b.start = std::round(b.start), b.size = std::fabs(b.size) + 0.1;
      return b;
    };
    box.image = random.integer(0, images - 1);
    box.y = axis(args.height, args.rows), box.x = axis(args.width, args.columns);
    if (!most_samples) box.y.size = std::fabs(box.y.size), box.x.size = std::fabs(box.x.size);
  }
  args.boxes = boxes.data(), args.most_samples = most_samples;
  const std::vector<float> values = random.floats(count(images * args.blocks() * args.height * args.width * 16));
  for (const Tier tier : testing::machine_tiers())
    for (const Edge edge : testing::kEdges) {
      GuardedBuffer<float> x(values, edge), y(count(args.regions * args.channels * args.rows * args.columns), edge);
      GuardedBuffer<std::byte> scratch(roi_scratch_bytes(args, team.threads()));
      args.x = x.data(), args.y = y.data(), args.scratch = scratch.data();
      const RoiTable& t = table(tier).roi;
      roi(team, kind == Kind::average ? t.average : kind == Kind::maximum ? t.maximum : t.max_pool, args);
      size_t at = 0;
      for (int64_t r = 0; r < args.regions; ++r)
        for (int64_t c = 0; c < args.channels; ++c)
          for (int64_t bin = 0; bin < args.rows * args.columns; ++bin, ++at) {
            const RoiBox& box = boxes[count(r)];
            const Plane plane{args, values, box.image, c};
            const int64_t row = bin / args.columns, column = bin % args.columns;
            const double truth = kind == Kind::max_pool ? pooled(args, plane, box, row, column)
                                                        : sampled(args, plane, box, row, column, kind == Kind::maximum);
            ASSERT_NEAR(y[at], truth, 3e-6)
                << tier_name(tier) << ", region " << r << ", channel " << c << ", bin " << bin;
          }
    }
}

RoiArgs shape(int64_t regions, int64_t channels, int64_t height, int64_t width, int64_t rows, int64_t columns) {
  RoiArgs a;
  a.regions = regions, a.channels = channels, a.height = height, a.width = width, a.rows = rows, a.columns = columns;
  return a;
}

TEST(Roi, EveryNumberOfChannels) {
  for (const Kind kind : {Kind::average, Kind::maximum, Kind::max_pool})
    for (int64_t channels = 1; channels <= 34; ++channels) check(kind, shape(3, channels, 5, 7, 2, 3), 2, 2);
}

TEST(Roi, EveryNumberOfBins) {
  for (const Kind kind : {Kind::average, Kind::maximum, Kind::max_pool})
    for (int64_t columns = 1; columns <= 18; ++columns) check(kind, shape(6, 16, 9, 6, 3, columns), 1, 1);
}

TEST(Roi, SamplesByRegion) {
  for (const Kind kind : {Kind::average, Kind::maximum})
    for (const int64_t samples : {0, 3, 9}) check(kind, shape(40, 20, 12, 5, 4, 3), 3, samples);
}

TEST(Roi, ManyChannels) {
  check(Kind::average, shape(5, 600, 7, 7, 2, 2), 2, 2);
}

TEST(Roi, OneElement) {
  for (const Kind kind : {Kind::average, Kind::maximum, Kind::max_pool}) check(kind, shape(9, 4, 1, 1, 2, 2), 1, 2);
}

}  // namespace
}  // namespace tc::kernels
