#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tc/ir/eval/eval.h"
#include "tc/ir/eval/move.h"

namespace tc {
namespace {

// A strict weak order of all values: NaN is above everything else and equal to itself, as in NumPy's sort; complex
// numbers go by their real parts first.
template <class W>
bool below(const W& a, const W& b) {
  if constexpr (std::is_same_v<W, double>)
    return std::isnan(b) ? !std::isnan(a) : a < b;
  else if constexpr (std::is_same_v<W, std::complex<double>>)
    return below(a.real(), b.real()) || (!below(b.real(), a.real()) && below(a.imag(), b.imag()));
  else
    return a < b;
}

}  // namespace

template <>
void eval<TopK>(EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  const auto& a = ctx.attrs<TopK>();
  if (ctx.in(1).size() != 1) ctx.fail(ErrorCode::bad_shape, "k must be one element, got ", ctx.in(1).type());
  const int axis = ctx.axis(a.axis, x.rank());
  const int64_t k = ctx.ints(1)[0], n = x.extent(axis);
  if (k < 0 || k > n) ctx.fail(ErrorCode::bad_value, "the ", k, " largest of ", n, " elements");
  Extents extents = x.extents();
  extents[static_cast<size_t>(axis)] = k;
  const int64_t inner = row_major_strides(x.extents())[static_cast<size_t>(axis)];
  const int64_t outer = n == 0 ? 0 : x.size() / std::max<int64_t>(1, n * inner);
  Tensor& values = ctx.out(0, x.dtype(), extents);
  std::vector<int64_t> sources(static_cast<size_t>(values.size())), indices(sources.size());
  visit_real(x.dtype(), [&]<class W>() {
    const auto v = ctx.read<W>(0);
    std::vector<int64_t> order(static_cast<size_t>(n));
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i) {
        const int64_t base = o * n * inner + i;
        std::iota(order.begin(), order.end(), 0);
        std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int64_t p, int64_t q) {
          const W &b = v[static_cast<size_t>(base + p * inner)], &c = v[static_cast<size_t>(base + q * inner)];
          if (a.largest ? below(c, b) : below(b, c)) return true;
          if (a.largest ? below(b, c) : below(c, b)) return false;
          return p < q;
        });
        for (int64_t j = 0; j < k; ++j) {
          const auto to = static_cast<size_t>((o * k + j) * inner + i);
          sources[to] = base + order[static_cast<size_t>(j)] * inner;
          indices[to] = order[static_cast<size_t>(j)];
        }
      }
  });
  copy_indexed(x, sources, values);
  ctx.write(1, extents, indices);
}

template <>
void eval<NonZero>(EvalContext& ctx) {
  const Tensor& x = ctx.in(0);
  std::vector<std::vector<int64_t>> found(x.extents().size());
  int64_t n = 0;
  visit_wide(x.dtype(), [&]<class W>() {
    const auto v = ctx.read<W>(0);
    size_t at = 0;
    for_each_index(x.extents(), [&](const Extents& index) {
      if (v[at++] == W()) return;
      ++n;
      for (size_t k = 0; k < index.size(); ++k) found[k].push_back(index[k]);
    });
  });
  std::vector<int64_t> all;
  for (const auto& row : found) all.insert(all.end(), row.begin(), row.end());
  ctx.write(0, {x.rank(), n}, all);
}

template <>
void eval<Unique>(EvalContext& ctx) {
  const auto& a = ctx.attrs<Unique>();
  // Seen as rows of `width` elements: flat, or with the axis first.
  Tensor x = ctx.in(0);
  const int axis = a.axis ? ctx.axis(*a.axis, x.rank()) : 0;
  Extents extents = x.extents(), strides = row_major_strides(extents);
  if (a.axis) {
    std::rotate(extents.begin(), extents.begin() + axis, extents.begin() + axis + 1);
    std::rotate(strides.begin(), strides.begin() + axis, strides.begin() + axis + 1);
  } else {
    extents = {x.size()}, strides = {1};
  }
  Tensor rows(x.dtype(), extents);
  copy_strided(x, 0, strides, rows, 0, row_major_strides(extents), extents);
  const int64_t n = extents[0], width = n ? rows.size() / n : 0;
  std::vector<int64_t> first, inverse(static_cast<size_t>(n)), counts;
  visit_wide(x.dtype(), [&]<class W>() {
    const auto v = widen<W>(rows);
    const auto row = [&](int64_t i) { return v.begin() + static_cast<std::ptrdiff_t>(i * width); };
    const auto less = [&](int64_t i, int64_t j) {
      return std::lexicographical_compare(row(i), row(i) + width, row(j), row(j) + width, below<W>);
    };
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), less);
    for (size_t i = 0; i < order.size(); ++i) {
      if (i == 0 || less(order[i - 1], order[i])) first.push_back(order[i]), counts.push_back(0);
      ++counts.back();
      inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(first.size()) - 1;
    }
  });
  if (!a.sorted) {
    std::vector<int64_t> by_appearance(first.size()), rank(first.size()), old_first = first, old_counts = counts;
    std::iota(by_appearance.begin(), by_appearance.end(), 0);
    std::sort(by_appearance.begin(), by_appearance.end(),
              [&](int64_t i, int64_t j) { return first[static_cast<size_t>(i)] < first[static_cast<size_t>(j)]; });
    for (size_t i = 0; i < rank.size(); ++i) {
      const auto from = static_cast<size_t>(by_appearance[i]);
      rank[from] = static_cast<int64_t>(i);
      old_first[i] = first[from], old_counts[i] = counts[from];
    }
    first = std::move(old_first), counts = std::move(old_counts);
    for (int64_t& i : inverse) i = rank[static_cast<size_t>(i)];
  }
  const auto found = static_cast<int64_t>(first.size());
  Extents result = a.axis ? ctx.in(0).extents() : Extents{n};
  result[static_cast<size_t>(axis)] = found;
  Tensor& y = ctx.out(0, x.dtype(), result);
  const int64_t inner = a.axis ? row_major_strides(result)[static_cast<size_t>(axis)] : 1;
  const int64_t outer = inner && found ? y.size() / (inner * found) : 0;
  for (int64_t i = 0; i < found; ++i)
    copy_strided(x, first[static_cast<size_t>(i)] * inner, {n * inner, 1}, y, i * inner, {found * inner, 1},
                 {outer, inner});
  ctx.write(1, {found}, first);
  ctx.write(2, {n}, inverse);
  ctx.write(3, {found}, counts);
}

template <>
void eval<NonMaxSuppression>(EvalContext& ctx) {
  const Tensor &boxes = ctx.in(0), &scores = ctx.in(1);
  const bool centered = ctx.attrs<NonMaxSuppression>().center_point_box;
  if (boxes.rank() != 3 || boxes.extent(2) != 4 || scores.rank() != 3 || scores.extent(0) != boxes.extent(0) ||
      scores.extent(2) != boxes.extent(1))
    ctx.fail(ErrorCode::bad_shape, "boxes ", boxes.type(), " and scores ", scores.type(), " do not fit");
  const auto optional = [&](int i, auto fallback, auto&& read) {
    return ctx.has(i) && ctx.in(i).size() == 1 ? read(i) : fallback;
  };
  const int64_t most = optional(2, int64_t{0}, [&](int i) { return ctx.ints(i)[0]; });
  const auto iou = optional(3, 0.0F, [&](int i) { return static_cast<float>(scalar_f64(ctx.in(i))); });
  const double least =
      optional(4, -std::numeric_limits<double>::infinity(), [&](int i) { return scalar_f64(ctx.in(i)); });
  const auto b = ctx.read<double>(0), s = ctx.read<double>(1);
  // Whether an overlap is above the limit is told by the arithmetic of the operands' type, f32.
  struct Box {
    float y0, x0, y1, x1;
    float area() const { return (y1 - y0) * (x1 - x0); }
  };
  const int64_t batches = scores.extent(0), classes = scores.extent(1), n = scores.extent(2);
  std::vector<Box> list;
  for (size_t i = 0; i + 3 < b.size(); i += 4) {
    const float p[4] = {static_cast<float>(b[i]), static_cast<float>(b[i + 1]), static_cast<float>(b[i + 2]),
                        static_cast<float>(b[i + 3])};
    list.push_back(centered
                       ? Box{p[1] - p[3] / 2, p[0] - p[2] / 2, p[1] + p[3] / 2, p[0] + p[2] / 2}
                       : Box{std::min(p[0], p[2]), std::min(p[1], p[3]), std::max(p[0], p[2]), std::max(p[1], p[3])});
  }
  const auto overlap = [](const Box& p, const Box& q) {
    const float height = std::min(p.y1, q.y1) - std::max(p.y0, q.y0),
                width = std::min(p.x1, q.x1) - std::max(p.x0, q.x0);
    if (height <= 0 || width <= 0 || p.area() <= 0 || q.area() <= 0) return 0.0F;
    return height * width / (p.area() + q.area() - height * width);
  };
  std::vector<int64_t> result;
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t c = 0; c < classes; ++c) {
      const auto score = [&](int64_t i) { return s[static_cast<size_t>((batch * classes + c) * n + i)]; };
      std::vector<int64_t> order, kept;
      for (int64_t i = 0; i < n; ++i)
        if (score(i) > least) order.push_back(i);
      std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return score(i) > score(j); });
      for (int64_t i : order) {
        if (static_cast<int64_t>(kept.size()) >= most) break;
        const auto box = [&](int64_t k) -> const Box& { return list[static_cast<size_t>(batch * n + k)]; };
        if (std::any_of(kept.begin(), kept.end(), [&](int64_t k) { return overlap(box(i), box(k)) > iou; })) continue;
        kept.push_back(i);
        result.insert(result.end(), {batch, c, i});
      }
    }
  ctx.write(0, {static_cast<int64_t>(result.size() / 3), 3}, result);
}

}  // namespace tc
