// Non-maximum suppression of one class. Included by search_tier.cc.
#pragma once
#include <algorithm>
#include <cstring>

#include "tc/kernels/search/rank_tier.h"
#include "tc/kernels/search/search.h"

namespace tc::kernels {
namespace {

void nms_boxes(const NmsArgs& a, const NmsBoxes& to, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    const float *p = a.boxes + 4 * i, p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
    const float y0 = a.centered ? p1 - p3 / 2 : std::min(p0, p2), x0 = a.centered ? p0 - p2 / 2 : std::min(p1, p3);
    const float y1 = a.centered ? p1 + p3 / 2 : std::max(p0, p2), x1 = a.centered ? p0 + p2 / 2 : std::max(p1, p3);
    to.y0[i] = y0, to.x0[i] = x0, to.y1[i] = y1, to.x1[i] = x1;
    to.area[i] = (y1 - y0) * (x1 - x0);
  }
}

struct NmsBox {
  VecF y0, x0, y1, x1, area;
};

// Which of the kept boxes q overlap p by more than `iou`. Boxes that do not overlap, or are empty, do so by 0. Operands
// of minima and maxima stand as in std::min(p, q) and std::max(p, q), which tells for NaN.
template <class Load>
TC_INLINE Mask<float> overlaps(const NmsBox& p, const NmsBoxes& q, int64_t at, VecF iou, bool skips, Load&& load_at) {
  const VecF zero(0.0f);
  const VecF width = vmin(load_at(q.x1 + at), p.x1) - vmax(load_at(q.x0 + at), p.x0);
  Mask<float> none = width <= zero;
  if (skips && all(none)) return ~none;
  const VecF height = vmin(load_at(q.y1 + at), p.y1) - vmax(load_at(q.y0 + at), p.y0);
  none = none | (height <= zero);
  if (skips && all(none)) return ~none;
  const VecF area = load_at(q.area + at);
  none = none | (p.area <= zero) | (area <= zero);
  const VecF both = height * width;
  return select(none, zero, both / (p.area + area - both)) > iou;
}

bool is_suppressed(const NmsBox& p, const NmsBoxes& kept, int64_t count, float iou) {
  const VecF limit(iou);
  const bool skips = !(iou < 0);  // an overlap of 0 is not above the limit
  int64_t i = 0;
  for (; i + kLanes<float> <= count; i += kLanes<float>)
    if (any(overlaps(p, kept, i, limit, skips, [](const float* f) { return load(f); }))) return true;
  if (i == count) return false;
  const Tail<float> tail(static_cast<int>(count - i));
  return any(overlaps(p, kept, i, limit, skips, [&](const float* f) { return load(f, tail); }) & tail.mask());
}

// Ranks of the scores above `least`.
int64_t find_candidates(const float* scores, int64_t n, float least, uint64_t* ranks) {
  const VecF limit(least);
  int64_t found = 0;
  const auto take = [&](int64_t i) {
    int32_t bits;
    std::memcpy(&bits, scores + i, sizeof bits);
    ranks[found++] = RankOf<int32_t>::rank(KeyOf<Elem::f32>::key(bits), i);
  };
  int64_t i = 0;
  for (; i + kLanes<float> <= n; i += kLanes<float>) for_set_lanes<float>(load(scores + i) > limit, i, take);
  for (; i < n; ++i)
    if (scores[i] > least) take(i);
  return found;
}

// Moves about `portion` of the best ranks, or more, to `best`, and closes the gaps; how many. Order is kept.
int64_t take_best(uint64_t* ranks, int64_t n, int64_t portion, uint64_t* best) {
  constexpr int kBits = 13;
  uint32_t buckets[1 << kBits] = {};
  for (int64_t i = 0; i < n; ++i) ++buckets[ranks[i] >> (64 - kBits)];
  uint64_t last = 0;
  for (int64_t before = buckets[0]; before < portion;) before += buckets[++last];
  int64_t taken = 0, left = 0;
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t rank = ranks[i];
    const bool good = rank >> (64 - kBits) <= last;
    best[taken] = ranks[left] = rank;
    taken += good, left += !good;
  }
  return taken;
}

int64_t nms_class(const NmsArgs& a, const NmsBoxes& boxes, const float* scores, const NmsWork& work, int32_t* kept) {
  int64_t found = find_candidates(scores, a.n, a.least, work.ranks), count = 0;
  // Of many candidates the best ones are likely to do: they are sorted in portions that grow.
  for (int64_t portion = std::max<int64_t>(2 * std::min(a.most, found), 256); found > 0 && count < a.most;
       portion *= 4) {
    uint64_t* ranks = work.ranks;
    int64_t n = found;
    if (portion < found / 4) n = take_best(work.ranks, found, portion, ranks = work.best);
    found -= n;
    ranks = sort_ranks(ranks, work.spare, n);
    for (int64_t i = 0; i < n && count < a.most; ++i) {
      const int64_t box = RankOf<int32_t>::index(ranks[i]);
      const float y0 = boxes.y0[box], x0 = boxes.x0[box], y1 = boxes.y1[box], x1 = boxes.x1[box];
      const float area = boxes.area[box];
      if (is_suppressed({VecF(y0), VecF(x0), VecF(y1), VecF(x1), VecF(area)}, work.kept, count, a.iou)) continue;
      const NmsBoxes& to = work.kept;
      to.y0[count] = y0, to.x0[count] = x0, to.y1[count] = y1, to.x1[count] = x1, to.area[count] = area;
      kept[count++] = static_cast<int32_t>(box);
    }
  }
  return count;
}

}  // namespace
}  // namespace tc::kernels
