#include <algorithm>
#include <cmath>

#include "tc/backend/cpu/bind.h"
#include "tc/backend/cpu/bind_resize.h"
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
  kernels::ResizeAxis axis(int64_t in, int64_t out) const {
    return {in, out, taps, index.data(), weight.empty() ? nullptr : weight.data()};
  }
};

struct ResizeState {
  kernels::ResizeArgs args;
  Table tables[3];
};

}  // namespace

bool bind_resize(Binder& b) {
  const auto& attrs = b.attrs<Resize>();
  const int rank = b.rank(0);
  if (b.dtype(0) != DType::f32) return b.refuse("element type is not f32");
  if (rank < 3 || rank > 5) return b.refuse("not one to three spatial axes");
  if (attrs.coordinates == ResizeCoordinates::tf_crop_and_resize) return b.refuse("crops to a region of interest");
  if (attrs.aspect != ResizeAspect::stretch) return b.refuse("keeps the aspect ratio");
  for (int axis : {0, 1})
    if (!(b.shape(0)[axis] == b.result_shape(0)[axis])) return b.refuse("resizes other axes than spatial ones");
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
    if (scales[0] != 1 || scales[1] != 1) return b.refuse("resizes other axes than spatial ones");
  }
  const Layout layout = b.layout(0);
  const bool blocked = layout == Layout::blocked16;
  const kernels::ResizeTable& table = b.table().resize;
  const Slot x = b.in(0, layout), y = b.out(0, layout);
  const Node* node = &b.node();
  b.step<ResizeState>(
      blocked ? table.blocked.name : table.plain.name,
      [=](Frame& f, ResizeState& s) {
        const auto xe = f.extents(x), ye = f.extents(y);
        s.args = {};
        s.args.blocked = blocked;
        s.args.planes = xe[0] * (blocked ? (xe[1] + 15) / 16 : xe[1]);
        for (size_t k = 2; k < xe.size(); ++k) {
          if (xe[k] == 0 && ye[k] > 0) fail(ErrorCode::bad_shape, "resize of nothing to ", ye[k], " elements");
          ResizeAxisSpec spec;
          spec.in = xe[k], spec.out = ye[k];
          spec.scale = sized ? (spec.in ? static_cast<double>(spec.out) / static_cast<double>(spec.in) : 1) : scales[k];
          spec.width = sized ? static_cast<double>(spec.out) : spec.scale * static_cast<double>(spec.in);
          const size_t place = 3 - xe.size() + k;
          s.tables[place].fill(node->attrs<Resize>(), spec);
          s.args.axis[place] = s.tables[place].axis(spec.in, spec.out);
        }
        static constexpr int32_t kZero = 0;
        for (auto& axis : s.args.axis)
          if (!axis.index) axis.index = &kZero;
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
