#include <numeric>

#include "tc/ir/grad.h"
#include "tc/ir/shape_math.h"

namespace tc {

void Reshape::grad(GradContext& ctx) {
  ctx.give(0, reshape_like(ctx.b, ctx.seed(), ctx.in(0)));
}
void Flatten::grad(GradContext& ctx) {
  ctx.give(0, reshape_like(ctx.b, ctx.seed(), ctx.in(0)));
}
void Squeeze::grad(GradContext& ctx) {
  ctx.give(0, ctx.has(1) ? ctx.b.make<Unsqueeze>({ctx.seed(), ctx.in(1)}) : reshape_like(ctx.b, ctx.seed(), ctx.in(0)));
}
void Unsqueeze::grad(GradContext& ctx) {
  ctx.give(0, ctx.b.make<Squeeze>({ctx.seed(), ctx.in(1)}));
}

void Transpose::grad(GradContext& ctx) {
  const auto& perm = ctx.attrs<Transpose>().perm;
  std::vector<int64_t> inverse(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) {
    const auto n = static_cast<int64_t>(perm.size());
    inverse[static_cast<size_t>(perm[i] < 0 ? perm[i] + n : perm[i])] = static_cast<int64_t>(i);
  }
  ctx.give(0, transpose(ctx.b, ctx.seed(), std::move(inverse)));
}

void Concat::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  const int n = ctx.node().num_operands(), rank = ctx.rank(0);
  int64_t axis = ctx.attrs<Concat>().axis;
  if (axis < 0) axis += rank;
  std::vector<Value*> extents;
  for (int i = 0; i < n; ++i) {
    ctx.rank(i);
    extents.push_back(extent_of(b, ctx.in(i), static_cast<int>(axis)));
  }
  const Node* parts = b.make_n<Split>({ctx.seed(), join_ints(b, extents)}, {axis, std::nullopt}, n);
  for (int i = 0; i < n; ++i) ctx.give(i, parts->result(i));
}

void Split::grad(GradContext& ctx) {
  const auto& a = ctx.attrs<Split>();
  int n = ctx.node().num_results();
  if (a.num_outputs) n = static_cast<int>(*a.num_outputs);
  if (ctx.has(1)) {
    const Shape& sizes = ctx.in(1)->shape();
    if (!sizes.ranked() || !sizes[0].is_const()) ctx.fail("split has an unknown number of parts");
    n = static_cast<int>(sizes[0].value());
  }
  std::vector<Value*> parts;
  for (int j = 0; j < n; ++j)
    parts.push_back(ctx.has_seed(j) ? ctx.seed(j) : Expr(ctx.b, zeros_like(ctx.b, ctx.out(j))));
  ctx.give(0, ctx.b.make<Concat>(parts, {a.axis}));
}

namespace {

struct SliceAxis {
  int axis;
  Value *start, *end, *step;  // one element each
};

// What is known of how a step of 1 or -1 cuts an axis.
struct Cut {
  int64_t before;  // elements in front of the part
  bool backwards;
};
std::optional<Cut> known_cut(const Dim& extent, const Dim& length, const SliceAxis& s) {
  const Dims *start = s.start->contents(), *end = s.end->contents(), *step = s.step->contents();
  if (!start || !end || !step || !((*step)[0].is(1) || (*step)[0].is(-1))) return std::nullopt;
  const auto range = slice_range(extent, (*start)[0], (*end)[0], (*step)[0].value());
  if (!range) return std::nullopt;
  const bool backwards = (*step)[0].is(-1);
  const Dim before = backwards ? range->start - length + 1 : range->start;
  if (!before.is_const() || before.value() < 0) return std::nullopt;
  return Cut{before.value(), backwards};
}

}  // namespace

// Padding with zeros puts a contiguous part back; others are scattered to the places that the same slice of 0, 1, ...
// names, axis by axis.
void Slice::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  const Expr x = ctx.in(0);
  const int rank = ctx.rank(0);
  std::vector<int64_t> axes;
  if (ctx.has(3)) {
    axes = ctx.ints(3);
  } else {
    const Shape& starts = ctx.in(1)->shape();
    if (!starts.ranked() || !starts[0].is_const()) ctx.fail("the number of sliced axes is not known");
    axes.resize(static_cast<size_t>(starts[0].value()));
    std::iota(axes.begin(), axes.end(), int64_t{0});
  }
  auto element = [&](int operand, size_t k, int64_t fallback) -> Value* {
    if (!ctx.has(operand)) return b.ints({fallback});
    Value* v = ctx.in(operand);
    if (const Dims* c = v->contents(); c && (*c)[k].is_const()) return b.ints({(*c)[k].value()});
    return Expr(b, b.make<Gather>({v, b.ints({static_cast<int64_t>(k)})})).cast(DType::i64);
  };
  Value* g = ctx.seed();
  std::vector<int64_t> padded, reversed;
  std::vector<Value*> before, after;
  std::vector<SliceAxis> scattered;
  for (size_t k = 0; k < axes.size(); ++k) {
    const int axis = static_cast<int>(axes[k] < 0 ? axes[k] + rank : axes[k]);
    const SliceAxis s{axis, element(1, k, 0), element(2, k, 0), element(4, k, 1)};
    const Dim &extent = x->shape()[axis], &length = g->shape()[axis];
    const auto cut = known_cut(extent, length, s);
    if (!cut) {
      scattered.push_back(s);
      continue;
    }
    const Dim rest = extent - length - cut->before;
    if (cut->backwards) reversed.push_back(axis);
    if (cut->before == 0 && rest.is(0)) continue;
    padded.push_back(axis);
    before.push_back(b.ints({cut->before}));
    after.push_back(rest.is_const() ? b.ints({rest.value()})
                                    : Expr(b, extent_of(b, x, axis)) - Expr(b, extent_of(b, g, axis)) -
                                          Expr(b, b.ints({cut->before})));
  }
  if (!reversed.empty()) {
    const std::vector<int64_t> minus_one(reversed.size(), -1),
        end(reversed.size(), std::numeric_limits<int64_t>::min());
    g = b.make<Slice>({g, b.ints(minus_one), b.ints(end), b.ints(reversed), b.ints(minus_one)});
  }
  if (!padded.empty()) {
    before.insert(before.end(), after.begin(), after.end());
    g = b.make<Pad>({g, join_ints(b, before), b.scalar_like(g->dtype(), 0), b.ints(padded)});
  }
  for (const SliceAxis& s : scattered) {
    Value* extent = extent_of(b, x, s.axis);
    Value* places = b.make<Slice>({iota(b, extent), s.start, s.end, b.ints({0}), s.step});
    g = scatter_add_along(b, g, places, extent, s.axis);
  }
  ctx.give(0, g);
}

// Constants are cut off again by the opposite pads; what other modes repeat is added up where it came from.
void Pad::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  const Expr x = ctx.in(0), pads = ctx.in(1);
  Value* g = ctx.seed();
  const PadMode mode = ctx.attrs<Pad>().mode;
  if (mode == PadMode::constant) {
    Value* axes = ctx.has(3) ? ctx.in(3) : Expr(b, nullptr);
    ctx.give(0, b.make<Pad>({g, -pads, nullptr, axes}));
    if (!ctx.wanted(2)) return;
    Value* added = b.make<Pad>({zeros_like(b, x), pads, b.scalar_like(x.dtype(), 1), axes});
    return ctx.give(2, b.make<ReduceSum>({Expr(b, g) * Expr(b, added)}, {.keepdims = false}));
  }
  const int rank = ctx.rank(0);
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), int64_t{0});
  if (ctx.has(3)) axes = ctx.ints(3);
  const auto n = static_cast<int64_t>(axes.size());
  for (int64_t k = 0; k < n; ++k) {
    const int64_t given = axes[static_cast<size_t>(k)];
    const int axis = static_cast<int>(given < 0 ? given + rank : given);
    if (g->shape()[axis] == x->shape()[axis] && pads->contents() && (*pads->contents())[static_cast<size_t>(k)].is(0))
      continue;
    Value* extent = extent_of(b, x, axis);
    Value* places = b.make<Pad>({iota(b, extent), b.make<Gather>({pads, b.ints({k, n + k})})}, {mode});
    g = scatter_add_along(b, g, places, extent, axis);
  }
  ctx.give(0, g);
}

void Expand::grad(GradContext& ctx) {
  ctx.give(0, ctx.seed());
}

// Each axis as [repeats, extent], summed over the repeats.
void Tile::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  const int rank = ctx.rank(0);
  std::vector<Value*> extents;
  std::vector<int64_t> repeats;
  for (int k = 0; k < rank; ++k) {
    const Dims* known = ctx.in(1)->contents();
    const auto i = static_cast<size_t>(k);
    extents.push_back(known && (*known)[i].is_const() ? b.ints({(*known)[i].value()})
                                                      : b.make<Gather>({ctx.in(1), b.ints({k})}));
    extents.push_back(extent_of(b, ctx.in(0), k));
    repeats.push_back(2 * k);
  }
  if (rank == 0) return ctx.give(0, ctx.seed());
  Value* parts = reshape(b, ctx.seed(), join_ints(b, extents));
  ctx.give(0, sum_over(b, parts, repeats, false));
}

void DepthToSpace::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  const auto& a = ctx.attrs<DepthToSpace>();
  Value* g = ctx.seed();
  if (a.mode == DepthToSpaceMode::dcr) return ctx.give(0, b.make<SpaceToDepth>({g}, {a.blocksize}));
  Value *x = ctx.in(0), *y = ctx.out(), *block = b.ints({a.blocksize});
  ctx.rank(0);
  Value* six = reshape(
      b, g,
      join_ints(b, {extent_of(b, x, 0), extent_of(b, y, 1), extent_of(b, x, 2), block, extent_of(b, x, 3), block}));
  ctx.give(0, reshape_like(b, transpose(b, six, {0, 1, 3, 5, 2, 4}), x));
}

void SpaceToDepth::grad(GradContext& ctx) {
  ctx.give(0, ctx.b.make<DepthToSpace>({ctx.seed()}, {ctx.attrs<SpaceToDepth>().blocksize}));
}

void ReverseSequence::grad(GradContext& ctx) {
  ctx.give(0, ctx.b.make<ReverseSequence>({ctx.seed(), ctx.in(1)}, ctx.attrs<ReverseSequence>()));
}

// Cropping and padding put the odd element on the same side, so each undoes the other.
void CenterCropPad::grad(GradContext& ctx) {
  ctx.give(0, ctx.b.make<CenterCropPad>({ctx.seed(), shape_of(ctx.b, ctx.in(0))}));
}

void Range::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  const Expr g = ctx.seed();
  ctx.give(0, b.make<ReduceSum>({g}, {.keepdims = false}));
  if (!ctx.wanted(2)) return;
  const Expr steps = Expr(b, iota(b, extent_of(b, ctx.out(), 0))).cast(g.dtype());
  ctx.give(2, b.make<ReduceSum>({g * steps}, {.keepdims = false}));
}

void Trilu::grad(GradContext& ctx) {
  Value* k = ctx.has(1) ? ctx.in(1) : Expr(ctx.b, nullptr);
  ctx.give(0, ctx.b.make<Trilu>({ctx.seed(), k}, ctx.attrs<Trilu>()));
}

}  // namespace tc
