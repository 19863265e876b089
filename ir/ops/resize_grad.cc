#include "tc/ir/grad.h"

namespace tc {
namespace {

bool given(GradContext& ctx, int i) {
  return ctx.has(i) && !(ctx.in(i)->shape().is_static() && ctx.in(i)->shape().count().is(0));
}

}  // namespace

// Resampling is a matrix per axis: what the same resampling makes of the unit vectors. The gradient multiplies by the
// transposes.
void Resize::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  const int rank = ctx.rank(0);
  auto attrs = ctx.attrs<Resize>();
  const bool by_sizes = given(ctx, 3), crop = attrs.coordinates == ResizeCoordinates::tf_crop_and_resize;
  if (by_sizes && attrs.aspect != ResizeAspect::stretch) ctx.fail("resize that keeps the aspect ratio has no gradient");
  const auto axes = attrs.axes.value_or(std::vector<int64_t>());
  const int count = attrs.axes ? static_cast<int>(axes.size()) : rank;
  attrs.axes = {{1}};
  attrs.extrapolation_value = 0;
  Value *x = ctx.in(0), *y = ctx.out(), *g = ctx.seed();
  for (int k = 0; k < count; ++k) {
    int axis = k;
    if (!axes.empty()) axis = static_cast<int>(axes[static_cast<size_t>(k)]);
    if (axis < 0) axis += rank;
    const Tensor* scales = by_sizes ? nullptr : ctx.in(2)->constant();
    const bool proportional = by_sizes || (scales && scales->aligned_copy().span<float>()[static_cast<size_t>(k)] == 1);
    if (!crop && proportional && x->shape()[axis] == y->shape()[axis]) continue;
    auto pick = [&](int operand, std::vector<int64_t> places) {
      return b.make<Gather>({ctx.in(operand), b.ints(places)});
    };
    Value* extent = extent_of(b, x, axis);
    Value* units = b.make<EyeLike>({full(b, join_ints(b, {extent, extent}), x->dtype(), 0)});
    Value* roi = crop ? pick(1, {k, count + k}) : nullptr;
    Value* matrix = by_sizes ? b.make<Resize>({units, roi, nullptr, extent_of(b, y, axis)}, attrs)
                             : b.make<Resize>({units, roi, pick(2, {k})}, attrs);
    std::vector<int64_t> last;
    for (int i = 0; i < rank; ++i)
      if (i != axis) last.push_back(i);
    last.push_back(axis);
    std::vector<int64_t> back;
    for (int i = 0; i < rank; ++i) back.push_back(i < axis ? i : i == axis ? rank - 1 : i - 1);
    if (axis != rank - 1) g = transpose(b, g, last);
    g = b.make<MatMul>({g, swap_last_axes(b, matrix)});
    if (axis != rank - 1) g = transpose(b, g, back);
  }
  ctx.give(0, g);
}

}  // namespace tc
