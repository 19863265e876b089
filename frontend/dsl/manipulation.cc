#include "tc/frontend/dsl/manipulation.h"

#include <algorithm>
#include <numeric>

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/movement.h"
#include "tc/ir/shape_math.h"

namespace tc {

using namespace dsl;

namespace {

std::vector<int64_t> counted(const std::vector<int64_t>& axes, int rank) {
  std::vector<int64_t> result;
  for (const int64_t a : axes) {
    result.push_back(axis_of(a, rank));
    if (std::count(result.begin(), result.end(), result.back()) > 1)
      refuse(ErrorCode::bad_argument, cat("axis ", result.back(), " is given twice"));
  }
  return result;
}

int64_t only_axis(const Axes& axes) {
  if (axes.list().size() != 1) refuse(ErrorCode::bad_argument, "one axis is needed");
  return axes.list()[0];
}

}  // namespace

Var broadcast_to(Arg x, ShapeArg shape) {
  const Site site("broadcast_to", x.at());
  const Var v = operand(x);
  const auto dims = shape.dims();
  if (dims && *dims == v.shape()) return v;
  if (dims && dims->size() < v.shape().size())
    refuse(ErrorCode::bad_shape, cat(v.type(), " does not broadcast to ", Shape(*dims)));
  if (dims)
    for (size_t i = 1; i <= v.shape().size(); ++i) {
      const Dim &have = v.shape()[v.shape().size() - i], &want = (*dims)[dims->size() - i];
      if (have.is_const() && want.is_const() && !have.is(1) && have != want)
        refuse(ErrorCode::bad_shape,
               cat(v.type(), " does not broadcast to ", Shape(*dims), ": ", have, " against ", want));
    }
  return make<Expand>({v, shape_tensor(shape)});
}

std::vector<Var> broadcast_arrays(const Args& args) {
  const Site site("broadcast_arrays", location_of(args));
  std::vector<Var> list;
  Dims common;
  for (const Arg& a : args) {
    list.push_back(operand(a));
    common = located([&] { return broadcast_dims(common, list.back().shape()); });
  }
  for (Var& v : list) v = broadcast_to(v, common);
  return list;
}

Var concat(const Args& args, JoinOptions options) {
  const Site site("concat", location_of(args));
  if (args.empty()) refuse(ErrorCode::bad_argument, "there is nothing to join");
  std::vector<Var> list = promoted(args);
  if (options.axis.all())
    for (Var& v : list) v = flatten(v);
  const int64_t axis = options.axis.all() ? 0 : axis_of(only_axis(options.axis), list[0].rank());
  return list.size() == 1 ? list[0] : make<Concat>(list, {.axis = axis});
}

Var stack(const Args& args, JoinOptions options) {
  const Site site("stack", location_of(args));
  if (args.empty()) refuse(ErrorCode::bad_argument, "there is nothing to join");
  std::vector<Var> list = promoted(args);
  const int axis = axis_of(only_axis(options.axis), list[0].rank() + 1);
  for (Var& v : list) v = expand_dims(v, axis);
  return concat(list, {.axis = axis});
}

std::vector<Var> split(Arg x, std::vector<int64_t> extents, SplitOptions options) {
  const Site site("split", x.at());
  const Var v = operand(x);
  const int axis = axis_of(options.axis, v.rank());
  if (extents.empty()) refuse(ErrorCode::bad_argument, "no extents are given");
  return make_n<Split>({v, ints(extents)}, {.axis = axis, .num_outputs = {}}, static_cast<int>(extents.size()));
}

std::vector<Var> split_equally(Arg x, int64_t n, SplitOptions options) {
  const Site site("split", x.at());
  const Var v = operand(x);
  const int axis = axis_of(options.axis, v.rank());
  const Dim d = v.dim(axis);
  if (n < 1) refuse(ErrorCode::bad_argument, cat("split into ", n, " parts"));
  if (d.is_const() && d.value() % n)
    refuse(ErrorCode::bad_shape, cat("axis ", axis, " of ", v.type(), " does not split into ", n, " equal parts"),
           {"give the extents of the parts: split(x, {2, 3})"});
  if (d.is_const()) return split(v, std::vector<int64_t>(static_cast<size_t>(n), d.value() / n), {.axis = axis});
  const std::vector<Extent> parts(static_cast<size_t>(n), floordiv(d, n));
  return make_n<Split>({v, shape_tensor(parts)}, {.axis = axis, .num_outputs = {}}, static_cast<int>(n));
}

std::vector<Var> unstack(Arg x, UnstackOptions options) {
  const Site site("unstack", x.at());
  const Var v = operand(x);
  const int axis = axis_of(options.axis, v.rank());
  const Dim d = v.dim(axis);
  if (!d.is_const())
    refuse(ErrorCode::bad_shape, cat("axis ", axis, " of ", v.type(), " has no fixed extent"),
           {"tc::scan and tc::map go over an axis of any extent"});
  if (d.is(0)) return {};
  std::vector<Var> parts =
      d.is(1) ? std::vector<Var>{v} : split(v, std::vector<int64_t>(static_cast<size_t>(d.value()), 1), {.axis = axis});
  for (Var& p : parts) p = squeeze(p, axis);
  return parts;
}

Var expand_dims(Arg x, Axes axis) {
  const Site site("expand_dims", x.at());
  const Var v = operand(x);
  if (axis.all()) refuse(ErrorCode::bad_argument, "say where the new axes go");
  return make<Unsqueeze>({v, ints(counted(axis.list(), v.rank() + static_cast<int>(axis.list().size())))});
}

Var squeeze(Arg x, Axes axis) {
  const Site site("squeeze", x.at());
  const Var v = operand(x);
  if (axis.all()) refuse(ErrorCode::bad_argument, "say which axes go");
  return make<Squeeze>({v, ints(counted(axis.list(), v.rank()))});
}

Var flip(Arg x, FlipOptions options) {
  const Site site("flip", x.at());
  const Var v = operand(x);
  std::vector<Index> indices(static_cast<size_t>(v.rank()), slice({}, {}));
  for (const int64_t a : axes_of(options.axis, v.rank())) indices[static_cast<size_t>(a)] = slice({}, {}, -1);
  return Indexed(v, indices);
}

Var permute_dims(Arg x, std::vector<int64_t> axes) {
  const Site site("permute_dims", x.at());
  const Var v = operand(x);
  if (static_cast<int>(axes.size()) != v.rank())
    refuse(ErrorCode::bad_argument, cat(axes.size(), " axes are given for ", v.type()));
  axes = counted(axes, v.rank());
  return std::is_sorted(axes.begin(), axes.end()) ? v : make<Transpose>({v}, {.perm = axes});
}

Var moveaxis(Arg x, Axes source, Axes destination) {
  const Site site("moveaxis", x.at());
  const Var v = operand(x);
  const std::vector<int64_t> from = counted(source.list(), v.rank()), to = counted(destination.list(), v.rank());
  if (from.size() != to.size())
    refuse(ErrorCode::bad_argument, cat(from.size(), " axes move to ", to.size(), " places"));
  std::vector<int64_t> perm(static_cast<size_t>(v.rank()), -1);
  for (size_t i = 0; i < from.size(); ++i) perm[static_cast<size_t>(to[i])] = from[i];
  int64_t next = 0;
  for (int64_t& p : perm) {
    if (p >= 0) continue;
    while (std::count(from.begin(), from.end(), next)) ++next;
    p = next++;
  }
  return permute_dims(v, perm);
}

Var reshape(Arg x, ShapeArg shape) {
  const Site site("reshape", x.at());
  const Var v = operand(x);
  const auto dims = shape.dims();
  if (!dims) return make<Reshape>({v, shape_tensor(shape)}, {.allow_zero = true});
  // Extents that are copied or follow from the others need no computation, and make programs that read well.
  std::vector<int64_t> target;
  int64_t unknown = 0;
  bool zeros = false;
  for (size_t i = 0; i < dims->size(); ++i) {
    const Dim& d = (*dims)[i];
    zeros = zeros || d.is(0);
    const bool copied = i < v.shape().size() && !d.is_const() && d == v.shape()[i];
    unknown += !d.is_const() && !copied;
    target.push_back(d.is_const() ? d.value() : copied ? 0 : -1);
  }
  const bool copies = std::any_of(target.begin(), target.end(), [](int64_t d) { return d == 0; }) && !zeros;
  const bool asked = std::count_if(dims->begin(), dims->end(), [](const Dim& d) { return d.is(-1); }) > 0;
  if (unknown <= 1 && !(unknown && asked) && !(zeros && copies)) {
    const Dims wanted(target.begin(), target.end());
    const bool certain =
        zeros ? unknown == 0 : asked || located([&] { return reshape_dims(v.shape(), wanted, false); }) == *dims;
    if (certain) return make<Reshape>({v, ints(target)}, {.allow_zero = zeros});
  }
  return make<Reshape>({v, shape_tensor(shape)}, {.allow_zero = true});
}

Var flatten(Arg x) {
  const Site site("flatten", x.at());
  const Var v = operand(x);
  return v.rank() == 1 ? v : reshape(v, {-1});
}

Var repeat(Arg x, Arg repeats, RepeatOptions options) {
  const Site site("repeat", x.at());
  const Var v = options.axis ? operand(x) : flatten(x);
  const int axis = options.axis ? axis_of(*options.axis, v.rank()) : 0;
  const auto* n = std::get_if<int64_t>(&repeats.content());
  if (n) {
    if (*n < 0) refuse(ErrorCode::bad_argument, cat("repeated ", *n, " times"));
    Dims wide = v.shape(), joined = v.shape();
    wide.insert(wide.begin() + axis + 1, Dim(*n));
    joined[static_cast<size_t>(axis)] *= Dim(*n);
    return reshape(broadcast_to(expand_dims(v, axis + 1), wide), joined);
  }
  Var counts = astype(operand(repeats, Domain::integer), i64);
  if (counts.rank() == 0) counts = broadcast_to(counts, {v.dim(axis)});
  // Result element i comes from the first element whose running count is above i.
  const Var ends = cumulative_sum(counts);
  return take(v, searchsorted(ends, arange(sum(counts)), {.side = Side::right}), {.axis = axis});
}

Var roll(Arg x, int64_t shift, RollOptions options) {
  const Site site("roll", x.at());
  return roll(x, std::vector<int64_t>{shift}, options);
}
Var roll(Arg x, std::vector<int64_t> shift, RollOptions options) {
  const Site site("roll", x.at());
  const Var v = operand(x);
  std::vector<int64_t> axes;
  for (const int64_t a : options.axis.list()) axes.push_back(axis_of(a, v.rank()));
  if (options.axis.all()) {
    if (shift.size() != 1) refuse(ErrorCode::bad_argument, cat(shift.size(), " shifts of a flattened tensor"));
    if (v.rank() != 1) return reshape(roll(flatten(v), shift, {.axis = 0}), v.shape());
    axes = {0};
  }
  if (shift.size() == 1) shift.resize(axes.size(), shift[0]);
  if (shift.size() != axes.size())
    refuse(ErrorCode::bad_argument, cat(shift.size(), " shifts along ", axes.size(), " axes"));
  Var y = v;
  for (size_t i = 0; i < axes.size(); ++i) {
    const Dim n = v.dim(static_cast<int>(axes[i]));
    const Dim start = n.is(0) ? n : n - mod(Dim(shift[i]), max(n, 1));  // what comes first afterwards
    if (start.is(0) || start == n) continue;
    std::vector<Index> back(static_cast<size_t>(v.rank()), slice({}, {})), front = back;
    back[static_cast<size_t>(axes[i])] = slice(start, {});
    front[static_cast<size_t>(axes[i])] = slice({}, start);
    y = concat({Indexed(y, back).get(), Indexed(y, front).get()}, {.axis = axes[i]});
  }
  return y;
}

Var tile(Arg x, std::vector<int64_t> repetitions) {
  const Site site("tile", x.at());
  Var v = operand(x);
  const auto rank = static_cast<size_t>(v.rank());
  if (repetitions.size() < rank) repetitions.insert(repetitions.begin(), rank - repetitions.size(), 1);
  if (repetitions.size() > rank) {
    std::vector<int64_t> front(repetitions.size() - rank);
    std::iota(front.begin(), front.end(), 0);
    v = expand_dims(v, front);
  }
  return make<Tile>({v, ints(repetitions)});
}

namespace {

// What one end of an axis gets, `width` elements; the near ones are those at the tensor.
Var padding_of(const Var& v, int axis, int64_t width, bool before, const PadOptions& o) {
  Dims shape = v.shape();
  shape[static_cast<size_t>(axis)] = width;
  const Var edge = take(v, ints({before ? 0 : -1}), {.axis = axis});
  const auto everywhere = [&](const Var& y) { return broadcast_to(y, shape); };
  switch (o.mode) {
    case PadKind::maximum:
      return everywhere(max(v, {.axis = axis, .keepdims = true}));
    case PadKind::minimum:
      return everywhere(min(v, {.axis = axis, .keepdims = true}));
    case PadKind::mean:
      return everywhere(mean(v, {.axis = axis, .keepdims = true}));
    case PadKind::median:
      return everywhere(median(v, {.axis = axis, .keepdims = true}));
    case PadKind::linear_ramp: {
      const Var far = operand_like(o.value, v.dtype());
      const Var steps = astype(before ? arange(width) : arange(width - 1, -1, -1), v.dtype());
      std::vector<int64_t> trailing;
      for (int i = axis + 1; i < v.rank(); ++i) trailing.push_back(i - axis);
      const Var part = (trailing.empty() ? steps : expand_dims(steps, trailing)) / static_cast<double>(width);
      return far + (edge - far) * part;
    }
    default: {
      // The reflections go to and fro: places of twice the extent.
      const Var n = operand(Arg(v.dim(axis)));
      const Var place = remainder(before ? arange(-width, 0) : n + arange(width), n * 2);
      return take(v, where(place < n, place, n * 2 - 1 - place), {.axis = axis});
    }
  }
}

}  // namespace

Var pad(Arg x, std::vector<PadWidth> axes, PadOptions options) {
  const Site site("pad", x.at());
  const Var v = operand(x);
  const auto rank = static_cast<size_t>(v.rank());
  if (axes.size() > rank) refuse(ErrorCode::bad_argument, cat(axes.size(), " axes are given for ", v.type()));
  if (options.mode >= PadKind::symmetric) {
    if (options.mode != PadKind::symmetric && dtypes::ints.has(v.dtype()) && options.mode != PadKind::maximum &&
        options.mode != PadKind::minimum)
      refuse(ErrorCode::bad_type, cat("an operand is ", v.type(), ", expected floating-point numbers"),
             {"convert it: astype(x, tc::f32)"});
    Var y = v;
    for (size_t i = 0; i < axes.size(); ++i) {
      const int axis = static_cast<int>(rank - axes.size() + i);
      std::vector<Var> parts = {y};
      if (axes[i].before > 0) parts.insert(parts.begin(), padding_of(y, axis, axes[i].before, true, options));
      if (axes[i].after > 0) parts.push_back(padding_of(y, axis, axes[i].after, false, options));
      y = concat(parts, {.axis = axis});
    }
    return y;
  }
  std::vector<int64_t> pads(2 * rank);
  for (size_t i = 0; i < axes.size(); ++i) {
    pads[rank - axes.size() + i] = axes[i].before;
    pads[2 * rank - axes.size() + i] = axes[i].after;
  }
  std::vector<Var> operands = {v, ints(pads)};
  if (options.mode == PadKind::constant) operands.push_back(operand_like(options.value, v.dtype()));
  return make<Pad>(operands, {static_cast<PadMode>(options.mode)});
}

Var depth_to_space(Arg x, int64_t block, BlockOptions options) {
  const Site site("depth_to_space", x.at());
  return make<DepthToSpace>(
      {operand(x)},
      {.blocksize = block, .mode = options.columns_first ? DepthToSpaceMode::crd : DepthToSpaceMode::dcr});
}

Var space_to_depth(Arg x, int64_t block) {
  const Site site("space_to_depth", x.at());
  return make<SpaceToDepth>({operand(x)}, {.blocksize = block});
}

}  // namespace tc
