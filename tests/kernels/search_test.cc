// Searches of every tier against their definitions, on buffers that end at guard pages.
#include "tc/kernels/search/search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

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

// Few different values, among them NaN and both zeros.
std::vector<float> values(Random& random, int64_t n) {
  std::vector<float> v(count(n));
  for (float& x : v) {
    const int pick = static_cast<int>(random.uniform(0, 40));
    x = pick == 0 ? NAN : pick == 1 ? -0.0f : static_cast<float>(pick % 20) - 2;
  }
  return v;
}

void check_top_k(int64_t outer, int64_t n, int64_t inner, int64_t k, bool largest) {
  Team team(2);
  Random random(7);
  const std::vector<float> x = values(random, outer * n * inner);
  const auto below = [](float a, float b) { return std::isnan(b) ? !std::isnan(a) : a < b; };
  for (const Tier tier : testing::machine_tiers())
    for (const Edge edge : testing::kEdges) {
      GuardedBuffer<float> in(x, edge), out(count(outer * k * inner), edge);
      GuardedBuffer<int64_t> indices(out.size(), edge);
      TopKArgs args;
      args.largest = largest;
      args.outer = outer, args.n = n, args.inner = inner, args.k = k;
      args.x = in.data(), args.values = out.data(), args.indices = indices.data();
      std::vector<std::byte> scratch(top_k_scratch(args, team.threads()));
      args.scratch = scratch.data();
      top_k(team, table(tier).search, args);
      for (int64_t row = 0; row < outer * inner; ++row) {
        const auto at = [&](int64_t i) { return x[count((row / inner * n + i) * inner + row % inner)]; };
        std::vector<int64_t> order(count(n));
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [&](int64_t a, int64_t b) { return largest ? below(at(b), at(a)) : below(at(a), at(b)); });
        for (int64_t j = 0; j < k; ++j) {
          const size_t to = count((row / inner * k + j) * inner + row % inner);
          ASSERT_EQ(indices[to], order[count(j)]) << tier_name(tier) << " row " << row << " rank " << j;
          const float expected = at(order[count(j)]);
          ASSERT_EQ(std::memcmp(&out[to], &expected, sizeof expected), 0);
        }
      }
    }
}

TEST(TopK, AgreesWithASort) {
  for (const bool largest : {false, true}) {
    for (int64_t n = 1; n <= 40; ++n) check_top_k(2, n, 1, (n + 2) / 3, largest);
    for (const int64_t k : {1, 3, 128, 129, 300, 1500, 5000}) check_top_k(1, 5000, 1, k, largest);
    for (const int64_t k : {1, 2, 70}) check_top_k(3, 70, 37, k, largest);
    check_top_k(1, 3, 2100, 1, largest);
  }
}

struct Corners {
  float y0, x0, y1, x1;
  float area() const { return (y1 - y0) * (x1 - x0); }
};

Corners corners(const float* p, bool centered) {
  if (centered) return {p[1] - p[3] / 2, p[0] - p[2] / 2, p[1] + p[3] / 2, p[0] + p[2] / 2};
  return {std::min(p[0], p[2]), std::min(p[1], p[3]), std::max(p[0], p[2]), std::max(p[1], p[3])};
}

float overlap(const Corners& p, const Corners& q) {
  const float height = std::min(p.y1, q.y1) - std::max(p.y0, q.y0);
  const float width = std::min(p.x1, q.x1) - std::max(p.x0, q.x0);
  if (height <= 0 || width <= 0 || p.area() <= 0 || q.area() <= 0) return 0;
  const volatile float both = height * width;  // never fused
  return both / (p.area() + q.area() - both);
}

void check_nms(int64_t batches, int64_t classes, int64_t n, int64_t most, float iou, bool centered) {
  Team team(2);
  Random random(11);
  // On a coarse grid many overlaps are exactly as large as the limit.
  std::vector<float> boxes(count(batches * n * 4)), scores(count(batches * classes * n));
  for (float& x : boxes) x = static_cast<float>(std::floor(random.uniform(0, 12)));
  for (float& x : scores) x = static_cast<float>(std::floor(random.uniform(-20, 200))) / 8;
  if (n > 3) boxes[5] = NAN, boxes[8] = INFINITY, scores[1] = NAN, scores[2] = -0.0f;
  std::vector<int64_t> expected;
  for (int64_t task = 0; task < batches * classes; ++task) {
    const float* score = scores.data() + task * n;
    std::vector<int64_t> order, kept;
    for (int64_t i = 0; i < n; ++i)
      if (score[i] > 0.5f) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return score[a] > score[b]; });
    const auto box = [&](int64_t i) { return corners(boxes.data() + 4 * (task / classes * n + i), centered); };
    for (int64_t i : order) {
      if (static_cast<int64_t>(kept.size()) >= most) break;
      if (std::any_of(kept.begin(), kept.end(), [&](int64_t k) { return overlap(box(i), box(k)) > iou; })) continue;
      kept.push_back(i);
      expected.insert(expected.end(), {task / classes, task % classes, i});
    }
  }
  for (const Tier tier : testing::machine_tiers())
    for (const Edge edge : testing::kEdges) {
      GuardedBuffer<float> b(boxes, edge), s(scores, edge);
      NmsArgs args;
      args.centered = centered, args.iou = iou, args.least = 0.5f;
      args.batches = batches, args.classes = classes, args.n = n, args.most = std::min(most, n);
      args.boxes = b.data(), args.scores = s.data();
      std::vector<std::byte> scratch(nms_scratch(args, team.threads()));
      args.scratch = scratch.data();
      std::vector<int64_t> found(count(3 * nms(team, table(tier).search, args)));
      nms_write(args, found.data());
      EXPECT_EQ(found, expected) << tier_name(tier) << " n " << n << " iou " << iou;
    }
}

TEST(NonMaxSuppression, AgreesWithItsDefinition) {
  for (const bool centered : {false, true}) {
    for (int64_t n = 0; n <= 40; ++n) check_nms(1, 2, n, n, 0.5f, centered);
    for (const float iou : {-1.0f, 0.0f, 0.25f, 1.0f}) check_nms(2, 3, 700, 50, iou, centered);
    check_nms(1, 1, 6000, 1000, 0.75f, centered);
    check_nms(1, 2, 6000, 20, 0.01f, centered);
  }
}

template <class T>
void check_non_zero(const std::vector<int64_t>& extent, bool real) {
  Team team(2);
  Random random(5);
  int64_t n = 1;
  for (const int64_t e : extent) n *= e;
  std::vector<T> x(count(n));
  for (T& v : x) v = random.uniform(0, 3) < 1 ? T{} : random.uniform(0, 3) < 1 ? static_cast<T>(-T{}) : T{1};
  const int rank = static_cast<int>(extent.size());
  std::vector<int64_t> flat;
  for (int64_t i = 0; i < n; ++i)
    if (x[count(i)] != T{}) flat.push_back(i);
  for (const Tier tier : testing::machine_tiers())
    for (const Edge edge : testing::kEdges) {
      GuardedBuffer<T> in(x, edge);
      NonZeroArgs args;
      args.elem_size = sizeof(T), args.real = real;
      args.rank = rank, args.extent = extent.data(), args.x = in.data();
      std::vector<std::byte> scratch(non_zero_scratch(args));
      args.scratch = scratch.data();
      const int64_t found = non_zero_count(team, table(tier).search, args);
      ASSERT_EQ(found, static_cast<int64_t>(flat.size()));
      GuardedBuffer<int64_t> indices(count(rank * found), edge);
      non_zero_write(team, table(tier).search, args, found, indices.data());
      for (int64_t i = 0; i < found; ++i) {
        int64_t at = 0;
        for (int d = 0; d < rank; ++d) at = at * extent[count(d)] + indices[count(d * found + i)];
        ASSERT_EQ(at, flat[count(i)]) << tier_name(tier);
      }
    }
}

TEST(NonZero, AgreesWithItsDefinition) {
  for (int64_t n = 0; n <= 140; n += n < 70 ? 1 : 35)
    check_non_zero<float>({n}, true), check_non_zero<uint8_t>({n}, false);
  check_non_zero<double>({3, 5, 7}, true);
  check_non_zero<int64_t>({40000}, false);
  check_non_zero<int16_t>({300, 2, 130}, false);
  check_non_zero<float>({0, 5}, true);
}

}  // namespace
}  // namespace tc::kernels
