#include <algorithm>
#include <cmath>
#include <numeric>

#include "tc/backend/cpu/bind/bind.h"
#include "tc/backend/cpu/bind/resize.h"
#include "tc/ir/eval/resize.h"
#include "tc/ir/eval/wide.h"
#include "tc/kernels/resize/resize.h"

namespace tc::cpu {
namespace {

// The table of an axis in the form of the kernels.
struct Table {
  std::vector<int32_t> index;
  std::vector<float> weight;
  int taps = 1;

  void fill(const Resize::Attrs& attrs, const ResizeAxisSpec& spec) {
    const auto rows = resize_taps(attrs, spec);
    size_t most = 1;
    for (const auto& r : rows) most = std::max(most, r.weights.size());
    const bool nearest = attrs.mode == ResizeMode::nearest;
    taps = nearest ? 1 : static_cast<int>(most);
    index.assign(rows.size() * static_cast<size_t>(taps), 0);
    weight.assign(nearest ? 0 : index.size(), 0);
    for (size_t i = 0; i < rows.size(); ++i)
      for (size_t k = 0; k < static_cast<size_t>(taps); ++k) {
        const int64_t at = rows[i].first + (nearest ? rows[i].weights[1] != 0 : static_cast<int64_t>(k));
        index[k * rows.size() + i] = static_cast<int32_t>(std::clamp<int64_t>(at, 0, spec.in - 1));
        if (!nearest && k < rows[i].weights.size())
          weight[k * rows.size() + i] = static_cast<float>(rows[i].weights[k]);
      }
  }
  // Every element as it is.
  void fill_same(int64_t n) {
    taps = 1;
    index.resize(static_cast<size_t>(n));
    std::iota(index.begin(), index.end(), 0);
    weight.clear();
  }
  // An entry for each of the floats that stood for one element.
  void spell_out(int64_t floats) {
    const size_t entries = index.size(), n = static_cast<size_t>(floats);
    index.resize(entries * n), weight.resize(weight.size() * n);
    for (size_t i = entries; i-- > 0;)
      for (size_t k = n; k-- > 0;) {
        index[i * n + k] = index[i] * static_cast<int32_t>(floats) + static_cast<int32_t>(k);
        if (!weight.empty()) weight[i * n + k] = weight[i];
      }
  }
  kernels::ResizeAxis axis(int64_t in, int64_t out) const {
    bool doubles = taps == 1 && out == 2 * in;
    for (size_t i = 0; doubles && i < index.size(); ++i) doubles = index[i] == static_cast<int32_t>(i / 2);
    return {in, out, taps, index.data(), weight.empty() ? nullptr : weight.data(), doubles};
  }
};

struct ResizeState {
  kernels::ResizeArgs args;
  Table tables[3];
};

// Points of fewer floats are cheaper as a longer width; an axis of points as long as rows is not cut anywhere else.
constexpr int64_t kLeastPoint = 8, kRow = 64;

// Axes [begin, end) of the operand as one of the kernels'; those that stay as they are stand together.
struct AxisGroup {
  int begin, end;
  bool resampled;
};

}  // namespace

bool bind_resize(Binder& b) {
  const auto& attrs = b.attrs<Resize>();
  const int rank = b.rank(0);
  const bool nearest = attrs.mode == ResizeMode::nearest;
  // What is only copied may be anything that is made of floats.
  const int words = nearest && b.dtype(0) != DType::str ? elem_size(b.dtype(0)) / 4 : b.dtype(0) == DType::f32;
  if (words == 0) return b.refuse("element type is not f32");
  if (attrs.coordinates == ResizeCoordinates::tf_crop_and_resize) return b.refuse("crops to a region of interest");
  if (attrs.aspect != ResizeAspect::stretch) return b.refuse("keeps the aspect ratio");
  // Per axis of the operand; empty when extents are given instead.
  std::vector<double> scales;
  const bool sized = b.has(3) && !(b.constant(3) && b.constant(3)->size() == 0);
  if (!sized) {
    if (!b.constant(2)) return b.refuse("scales are not constant");
    const auto given = widen<double>(*b.constant(2));
    scales.assign(static_cast<size_t>(rank), 1);
    for (size_t k = 0; k < given.size(); ++k) {
      const int64_t axis = attrs.axes ? (*attrs.axes)[k] : static_cast<int64_t>(k);
      scales[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = given[k];
    }
  }
  const Layout layout = b.layout(0);
  const bool blocked = layout == Layout::blocked16;
  // These round the place half an element on up.
  const bool shifts =
      nearest && attrs.coordinates == ResizeCoordinates::tf_half_pixel_for_nn &&
      (attrs.nearest_mode == ResizeNearest::ceil || attrs.nearest_mode == ResizeNearest::round_prefer_ceil);
  const auto resampled = [&](int k) {
    const bool same = sized ? b.shape(0)[k] == b.result_shape(0)[k] : scales[static_cast<size_t>(k)] == 1;
    return !same || shifts;
  };
  // The axes before the first that is resampled are planes, those behind the last a point.
  int first = blocked ? 2 : 0, last = rank;
  while (first < rank - 1 && !resampled(first)) ++first;
  while (!blocked && last > first + 1 && !resampled(last - 1)) --last;
  if (blocked && (resampled(0) || resampled(1))) return b.refuse("resizes channels that lie in blocks");
  std::vector<AxisGroup> groups;
  for (int k = first; k < last; ++k) {
    if (k > first && !resampled(k) && !groups.back().resampled)
      groups.back().end = k + 1;
    else
      groups.push_back({k, k + 1, resampled(k)});
  }
  if (groups.empty() || groups.size() > 3) return b.refuse("not one to three axes");
  const kernels::ResizeTable& table = b.table().resize;
  const auto width = [&](int k) { return b.shape(0)[k].is_const() ? b.shape(0)[k].value() : kRow; };
  int64_t floats = words;
  for (int k = last; k < rank; ++k) floats *= width(k);
  const bool points = !blocked && floats >= kLeastPoint;
  const size_t places = points && floats >= kRow && groups.size() == 1 ? 2 : 3;  // the last group's, counted from 1
  const Slot x = b.in(0, layout), y = b.out(0, layout);
  const Node* node = &b.node();
  b.step<ResizeState>(
      (blocked  ? table.blocked
       : points ? table.points
                : table.plain)
          .name,
      [=](Frame& f, ResizeState& s) {
        const auto xe = f.extents(x), ye = f.extents(y);
        s.args = {};
        s.args.blocked = blocked;
        const int64_t floats_of_point = words * product(xe.subspan(static_cast<size_t>(last)));
        for (int k = blocked ? 2 : 0; k < first; ++k) s.args.planes *= xe[static_cast<size_t>(k)];
        if (blocked) s.args.planes *= xe[0] * ((xe[1] + 15) / 16);
        if (points)
          s.args.point = floats_of_point;
        else if (!blocked)
          s.args.spread = floats_of_point - 1;
        static constexpr int32_t kZero = 0;
        for (auto& axis : s.args.axis) axis.index = &kZero;
        for (size_t g = 0; g < groups.size(); ++g) {
          const auto begin = static_cast<size_t>(groups[g].begin), end = static_cast<size_t>(groups[g].end);
          ResizeAxisSpec spec;
          spec.in = product(xe.subspan(begin, end - begin)), spec.out = product(ye.subspan(begin, end - begin));
          if (spec.in == 0 && spec.out > 0) fail(ErrorCode::bad_shape, "resize of nothing to ", spec.out, " elements");
          const size_t place = places - groups.size() + g;
          Table& taps = s.tables[place];
          if (groups[g].resampled) {
            spec.scale =
                sized ? (spec.in ? static_cast<double>(spec.out) / static_cast<double>(spec.in) : 1) : scales[begin];
            spec.width = sized ? static_cast<double>(spec.out) : spec.scale * static_cast<double>(spec.in);
            taps.fill(node->attrs<Resize>(), spec);
          } else {
            taps.fill_same(spec.in);
          }
          if (place == 2 && !points && !blocked)
            taps.spell_out(floats_of_point), spec.in *= floats_of_point, spec.out *= floats_of_point;
          s.args.axis[place] = taps.axis(spec.in, spec.out);
        }
        f.need_scratch(static_cast<size_t>(kernels::resize_scratch_floats(s.args, f.team().threads())) * sizeof(float));
      },
      [=, &table](Frame& f, ResizeState& s) {
        s.args.x = f.ptr<const float>(x);
        s.args.y = f.ptr<float>(y);
        s.args.scratch = reinterpret_cast<float*>(f.scratch());
        kernels::resize(f.team(), table, s.args);
      });
  return true;
}

}  // namespace tc::cpu
