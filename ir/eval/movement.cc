#include <algorithm>
#include <cmath>

#include "tc/ir/eval/eval.h"
#include "tc/ir/eval/move.h"
#include "tc/ir/shape_math.h"

namespace tc {
namespace {

std::vector<int> axes_operand(EvalContext& ctx, int i, int rank) {
  if (ctx.has(i)) return distinct_axes(ctx.ints(i), rank);
  std::vector<int> all;
  for (int k = 0; k < rank; ++k) all.push_back(k);
  return all;
}

// Result 0 as a view of operand 0's elements: out[index] = in[offset + Σ index·strides].
void pick(EvalContext& ctx, Extents extents, int64_t offset, const Extents& strides) {
  const Tensor& in = ctx.in(0);
  Tensor& out = ctx.out(0, in.dtype(), extents);
  copy_strided(in, offset, strides, out, 0, row_major_strides(extents), extents);
}

template <class T>
T product(const std::vector<T>& v, size_t from, size_t to) {
  T p = 1;
  for (size_t i = from; i < to; ++i) p *= v[i];
  return p;
}

}  // namespace

template <>
void eval<Reshape>(EvalContext& ctx) {
  const Tensor& in = ctx.in(0);
  ctx.set(0, in.reshaped(to_extents(
                 reshape_dims(to_dims(in.extents()), to_dims(ctx.ints(1)), ctx.attrs<Reshape>().allow_zero))));
}

template <>
void eval<Flatten>(EvalContext& ctx) {
  const Tensor& in = ctx.in(0);
  int64_t axis = ctx.attrs<Flatten>().axis;
  if (axis < -in.rank() || axis > in.rank())
    ctx.fail(ErrorCode::bad_attribute, "axis ", axis, " is out of range for rank ", in.rank());
  const auto split = static_cast<size_t>(axis < 0 ? axis + in.rank() : axis);
  ctx.set(0, in.reshaped({product(in.extents(), 0, split), product(in.extents(), split, in.extents().size())}));
}

template <>
void eval<Squeeze>(EvalContext& ctx) {
  const Tensor& in = ctx.in(0);
  std::vector<bool> drop(in.extents().size(), false);
  if (ctx.has(1)) {
    for (int a : distinct_axes(ctx.ints(1), in.rank())) {
      if (in.extent(a) != 1) ctx.fail(ErrorCode::bad_shape, "axis ", a, " of ", in.type(), " is not of extent 1");
      drop[static_cast<size_t>(a)] = true;
    }
  } else {
    for (size_t i = 0; i < drop.size(); ++i) drop[i] = in.extents()[i] == 1;
  }
  Extents extents;
  for (size_t i = 0; i < drop.size(); ++i)
    if (!drop[i]) extents.push_back(in.extents()[i]);
  ctx.set(0, in.reshaped(std::move(extents)));
}

template <>
void eval<Unsqueeze>(EvalContext& ctx) {
  const Tensor& in = ctx.in(0);
  const auto axes = ctx.ints(1);
  if (axes.size() > kMaxRank) ctx.fail(ErrorCode::limit_rank, "unsqueeze inserts ", axes.size(), " axes");
  const int rank = in.rank() + static_cast<int>(axes.size());
  Extents extents(static_cast<size_t>(rank), -1);
  for (int a : distinct_axes(axes, rank)) extents[static_cast<size_t>(a)] = 1;
  int next = 0;
  for (int64_t& e : extents)
    if (e < 0) e = in.extent(next++);
  ctx.set(0, in.reshaped(std::move(extents)));
}

template <>
void eval<Transpose>(EvalContext& ctx) {
  const Tensor& in = ctx.in(0);
  const auto& perm = ctx.attrs<Transpose>().perm;
  if (!perm.empty() && static_cast<int>(perm.size()) != in.rank())
    ctx.fail(ErrorCode::bad_attribute, "perm has ", perm.size(), " entries for an operand of rank ", in.rank());
  auto axes = perm.empty() ? axes_operand(ctx, 1, in.rank()) : distinct_axes(perm, in.rank());
  if (perm.empty()) std::reverse(axes.begin(), axes.end());
  const Extents from = row_major_strides(in.extents());
  Extents extents, strides;
  for (int a : axes) extents.push_back(in.extent(a)), strides.push_back(from[static_cast<size_t>(a)]);
  pick(ctx, std::move(extents), 0, strides);
}

template <>
void eval<Concat>(EvalContext& ctx) {
  const int axis = ctx.axis(ctx.attrs<Concat>().axis, ctx.in(0).rank());
  Extents extents = ctx.in(0).extents();
  int64_t sum = 0;
  for (int i = 0; i < ctx.num_operands(); ++i) {
    const Tensor& in = ctx.in(i);
    if (in.rank() != ctx.in(0).rank())
      ctx.fail(ErrorCode::bad_shape, "concat of ", ctx.in(0).type(), " and ", in.type());
    for (int k = 0; k < in.rank(); ++k)
      if (k != axis && in.extent(k) != ctx.in(0).extent(k))
        ctx.fail(ErrorCode::bad_shape, "concat of ", ctx.in(0).type(), " and ", in.type());
    sum += in.extent(axis);
  }
  extents[static_cast<size_t>(axis)] = sum;
  const Extents strides = row_major_strides(extents);
  Tensor& out = ctx.out(0, ctx.in(0).dtype(), extents);
  int64_t at = 0;
  for (int i = 0; i < ctx.num_operands(); ++i) {
    const Tensor& in = ctx.in(i);
    copy_strided(in, 0, row_major_strides(in.extents()), out, at * strides[static_cast<size_t>(axis)], strides,
                 in.extents());
    at += in.extent(axis);
  }
}

template <>
void eval<Split>(EvalContext& ctx) {
  const auto& a = ctx.attrs<Split>();
  const Tensor& in = ctx.in(0);
  const int axis = ctx.axis(a.axis, in.rank());
  const Extents sizes =
      ctx.has(1) ? ctx.ints(1)
                 : to_extents(split_evenly(in.extent(axis), a.num_outputs.value_or(ctx.num_results()), !a.num_outputs));
  int64_t sum = 0;
  for (int64_t s : sizes) {
    if (s < 0 || s > in.extent(axis))
      ctx.fail(ErrorCode::bad_value, "split size ", s, " of an axis of extent ", in.extent(axis));
    sum += s;
  }
  if (sum != in.extent(axis) || static_cast<int>(sizes.size()) < ctx.num_results())
    ctx.fail(ErrorCode::bad_shape, sizes.size(), " split sizes with sum ", sum, " for ", ctx.num_results(),
             " parts of an axis of extent ", in.extent(axis));
  const Extents strides = row_major_strides(in.extents());
  int64_t at = 0;
  for (int j = 0; j < ctx.num_results(); ++j) {
    Extents extents = in.extents();
    extents[static_cast<size_t>(axis)] = sizes[static_cast<size_t>(j)];
    Tensor& out = ctx.out(j, in.dtype(), extents);
    copy_strided(in, at * strides[static_cast<size_t>(axis)], strides, out, 0, row_major_strides(extents), extents);
    at += sizes[static_cast<size_t>(j)];
  }
}

template <>
void eval<Slice>(EvalContext& ctx) {
  const Tensor& in = ctx.in(0);
  const auto starts = ctx.ints(1), ends = ctx.ints(2);
  const auto steps = ctx.has(4) ? ctx.ints(4) : Extents(starts.size(), 1);
  std::vector<int64_t> given;
  if (ctx.has(3))
    given = ctx.ints(3);
  else
    for (size_t k = 0; k < starts.size(); ++k) given.push_back(static_cast<int64_t>(k));
  const auto axes = distinct_axes(given, in.rank());
  if (starts.size() != axes.size() || ends.size() != axes.size() || steps.size() != axes.size())
    ctx.fail(ErrorCode::bad_shape, "slice has ", starts.size(), " starts, ", ends.size(), " ends and ", steps.size(),
             " steps for ", axes.size(), " axes");
  Extents extents = in.extents(), strides = row_major_strides(in.extents());
  int64_t offset = 0;
  for (size_t k = 0; k < axes.size(); ++k) {
    const auto a = static_cast<size_t>(axes[k]);
    const auto range = slice_range(in.extents()[a], starts[k], ends[k], steps[k]);
    extents[a] = range->length.value();
    if (extents[a] > 0) offset += range->start.value() * strides[a];
    // A step beyond the axis is taken at most once.
    strides[a] = extents[a] > 1 ? strides[a] * steps[k] : 0;
  }
  pick(ctx, std::move(extents), offset, strides);
}

template <>
void eval<Pad>(EvalContext& ctx) {
  const Tensor& in = ctx.in(0);
  const PadMode mode = ctx.attrs<Pad>().mode;
  const auto axes = axes_operand(ctx, 3, in.rank());
  const auto pads = ctx.ints(1);
  const size_t n = axes.size();
  if (pads.size() != 2 * n)
    ctx.fail(ErrorCode::bad_shape, "pad has ", pads.size(), " pads for ", n, " axes; expected ", 2 * n);
  // Negative pads crop first; `sources[k]` then says for each place of axis k where its elements come from.
  Extents extents = in.extents();
  std::vector<std::vector<int64_t>> sources(extents.size());
  for (size_t k = 0; k < n; ++k) {
    const auto a = static_cast<size_t>(axes[k]);
    extents[a] = (Dim(extents[a]) + Dim(pads[k]) + Dim(pads[n + k])).value();
    if (extents[a] < 0) ctx.fail(ErrorCode::bad_shape, "pads of axis ", a, " remove more than is there");
  }
  Tensor& out = ctx.out(0, in.dtype(), extents);
  if (out.size() == 0) return;
  Tensor fill(in.dtype(), {});
  if (ctx.has(2)) {
    if (ctx.in(2).size() != 1)
      ctx.fail(ErrorCode::bad_shape, "constant_value must be one element, got ", ctx.in(2).type());
    fill = converted(ctx.in(2), in.dtype());
  }
  const Extents strides = row_major_strides(in.extents());
  if (mode == PadMode::constant) {
    fill_with(fill, out);
    const Extents out_strides = row_major_strides(extents);
    Extents kept = in.extents();
    int64_t from = 0, to = 0;
    for (size_t k = 0; k < n; ++k) {
      const auto a = static_cast<size_t>(axes[k]);
      kept[a] += std::min<int64_t>(0, pads[k]) + std::min<int64_t>(0, pads[n + k]);
      from += std::max<int64_t>(0, -pads[k]) * strides[a];
      to += std::max<int64_t>(0, pads[k]) * out_strides[a];
    }
    if (std::all_of(kept.begin(), kept.end(), [](int64_t e) { return e > 0; }))
      copy_strided(in, from, strides, out, to, out_strides, kept);
    return;
  }
  for (size_t a = 0; a < sources.size(); ++a)
    for (int64_t i = 0; i < extents[a]; ++i) sources[a].push_back(i);
  for (size_t k = 0; k < n; ++k) {
    const auto a = static_cast<size_t>(axes[k]);
    const int64_t before = pads[k], low = std::max<int64_t>(0, -before);
    const int64_t size = in.extents()[a] - low - std::max<int64_t>(0, -pads[n + k]);
    if (size <= 0) ctx.fail(ErrorCode::bad_shape, "nothing to pad with: axis ", a, " is empty");
    for (int64_t i = 0; i < extents[a]; ++i) {
      int64_t s = i - std::max<int64_t>(before, 0);
      if (s < 0 || s >= size) switch (mode) {
          case PadMode::constant:
            break;
          case PadMode::edge:
            s = s < 0 ? 0 : size - 1;
            break;
          case PadMode::wrap:
            s = (s % size + size) % size;
            break;
          case PadMode::reflect: {
            const int64_t period = std::max<int64_t>(1, 2 * (size - 1));
            s = (s % period + period) % period;
            if (s >= size) s = period - s;
            break;
          }
        }
      sources[a][static_cast<size_t>(i)] = s + low;
    }
  }
  std::vector<int64_t> from;
  from.reserve(static_cast<size_t>(out.size()));
  for_each_index(extents, [&](const Extents& index) {
    int64_t s = 0;
    for (size_t k = 0; k < index.size(); ++k) s += sources[k][static_cast<size_t>(index[k])] * strides[k];
    from.push_back(s);
  });
  copy_indexed(in, from, out);
}

template <>
void eval<Expand>(EvalContext& ctx) {
  const Tensor& in = ctx.in(0);
  const Extents extents = to_extents(broadcast_dims(to_dims(in.extents()), to_dims(ctx.ints(1))));
  const Extents from = row_major_strides(in.extents());
  Extents strides(extents.size(), 0);
  const size_t added = extents.size() - from.size();
  for (size_t k = 0; k < from.size(); ++k)
    if (in.extents()[k] != 1) strides[added + k] = from[k];
  pick(ctx, extents, 0, strides);
}

template <>
void eval<Tile>(EvalContext& ctx) {
  const Tensor& in = ctx.in(0);
  const auto repeats = ctx.ints(1);
  if (static_cast<int>(repeats.size()) != in.rank())
    ctx.fail(ErrorCode::bad_shape, "tile has ", repeats.size(), " repeats for an operand of type ", in.type());
  const Extents from = row_major_strides(in.extents());
  Extents extents, split, strides;
  for (size_t k = 0; k < repeats.size(); ++k) {
    if (repeats[k] < 0) ctx.fail(ErrorCode::bad_value, "tile repeats ", repeats[k], " times");
    extents.push_back((Dim(in.extents()[k]) * Dim(repeats[k])).value());
    split.insert(split.end(), {repeats[k], in.extents()[k]});
    strides.insert(strides.end(), {0, from[k]});
  }
  Tensor& out = ctx.out(0, in.dtype(), extents);
  copy_strided(in, 0, strides, out, 0, row_major_strides(split), split);
}

template <>
void eval<DepthToSpace>(EvalContext& ctx) {
  const Tensor& in = ctx.in(0);
  const auto& a = ctx.attrs<DepthToSpace>();
  const int64_t b = a.blocksize, n = in.extent(0), h = in.extent(2), w = in.extent(3), c = in.extent(1) / (b * b);
  if (in.extent(1) % (b * b)) ctx.fail(ErrorCode::bad_shape, in.extent(1), " channels are not a multiple of ", b * b);
  const Extents split{n, c, h, b, w, b};
  const int64_t plane = h * w;
  // Channels are (b, b, c) in DCR order, (c, b, b) in CRD order.
  const bool dcr = a.mode == DepthToSpaceMode::dcr;
  const Extents strides{c * b * b * plane,    dcr ? plane : b * b * plane, w, (dcr ? b * c : b) * plane, 1,
                        (dcr ? c : 1) * plane};
  Tensor& out = ctx.out(0, in.dtype(), {n, c, h * b, w * b});
  copy_strided(in, 0, strides, out, 0, row_major_strides(split), split);
}

template <>
void eval<SpaceToDepth>(EvalContext& ctx) {
  const Tensor& in = ctx.in(0);
  const int64_t b = ctx.attrs<SpaceToDepth>().blocksize, n = in.extent(0), c = in.extent(1), h = in.extent(2) / b,
                w = in.extent(3) / b;
  if (in.extent(2) % b || in.extent(3) % b)
    ctx.fail(ErrorCode::bad_shape, in.type(), " does not divide into blocks of ", b);
  const Extents split{n, b, b, c, h, w};
  const int64_t row = w * b, plane = h * b * row;
  Tensor& out = ctx.out(0, in.dtype(), {n, c * b * b, h, w});
  copy_strided(in, 0, {c * plane, row, 1, plane, b * row, b}, out, 0, row_major_strides(split), split);
}

template <>
void eval<ReverseSequence>(EvalContext& ctx) {
  const Tensor& in = ctx.in(0);
  const auto& a = ctx.attrs<ReverseSequence>();
  const auto batch = static_cast<size_t>(ctx.axis(a.batch_axis, in.rank())),
             time = static_cast<size_t>(ctx.axis(a.time_axis, in.rank()));
  const auto lengths = ctx.ints(1);
  if (static_cast<int64_t>(lengths.size()) != in.extents()[batch])
    ctx.fail(ErrorCode::bad_shape, lengths.size(), " sequence lengths for a batch of ", in.extents()[batch]);
  for (int64_t n : lengths)
    if (n < 0 || n > in.extents()[time])
      ctx.fail(ErrorCode::bad_value, "sequence length ", n, " of ", in.extents()[time], " steps");
  const Extents strides = row_major_strides(in.extents());
  std::vector<int64_t> sources;
  int64_t at = 0;
  for_each_index(in.extents(), [&](const Extents& index) {
    const int64_t n = lengths[static_cast<size_t>(index[batch])], t = index[time];
    sources.push_back(t < n ? at + (n - 1 - 2 * t) * strides[time] : at);
    ++at;
  });
  copy_indexed(in, sources, ctx.out(0, in.dtype(), in.extents()));
}

template <>
void eval<CenterCropPad>(EvalContext& ctx) {
  const Tensor& in = ctx.in(0);
  const auto& given = ctx.attrs<CenterCropPad>().axes;
  const auto axes = given ? distinct_axes(*given, in.rank()) : axes_operand(ctx, 2, in.rank());
  const auto target = ctx.ints(1);
  if (target.size() != axes.size())
    ctx.fail(ErrorCode::bad_shape, "center_crop_pad has ", target.size(), " extents for ", axes.size(), " axes");
  Extents extents = in.extents(), common = in.extents();
  for (size_t k = 0; k < axes.size(); ++k) extents[static_cast<size_t>(axes[k])] = target[k];
  Tensor& out = ctx.out(0, in.dtype(), extents);
  const Extents from = row_major_strides(in.extents()), to = row_major_strides(extents);
  int64_t in_offset = 0, out_offset = 0;
  for (size_t k = 0; k < extents.size(); ++k) {
    common[k] = std::min(common[k], extents[k]);
    in_offset += (in.extents()[k] - common[k]) / 2 * from[k];
    out_offset += (extents[k] - common[k]) / 2 * to[k];
  }
  copy_strided(in, in_offset, from, out, out_offset, to, common);
}

template <>
void eval<ShapeOf>(EvalContext& ctx) {
  const Tensor& in = ctx.in(0);
  const auto& a = ctx.attrs<ShapeOf>();
  const auto range = slice_range(in.rank(), a.start, a.end.value_or(in.rank()), 1);
  const auto from = in.extents().begin() + range->start.value();
  ctx.set(0, Tensor::of<int64_t>({range->length.value()}, Extents(from, from + range->length.value())));
}

template <>
void eval<Size>(EvalContext& ctx) {
  ctx.set(0, Tensor::scalar<int64_t>(ctx.in(0).size()));
}

template <>
void eval<ConstantOfShape>(EvalContext& ctx) {
  const auto& value = ctx.attrs<ConstantOfShape>().value;
  Tensor& out = ctx.out(0, ctx.ints(0));
  if (value) fill_with(converted(*value, out.dtype()), out);
}

template <>
void eval<Range>(EvalContext& ctx) {
  for (int i = 0; i < 3; ++i)
    if (ctx.in(i).size() != 1) ctx.fail(ErrorCode::bad_shape, "range takes scalars, got ", ctx.in(i).type());
  visit_real(ctx.in(0).dtype(), [&]<class W>() {
    const W start = ctx.read<W>(0)[0], limit = ctx.read<W>(1)[0], delta = ctx.read<W>(2)[0];
    if (delta == 0) ctx.fail(ErrorCode::bad_value, "range with delta 0");
    double n;
    if constexpr (std::is_same_v<W, double>) {
      n = std::ceil((limit - start) / delta);
    } else {
      using Wide = __int128;
      const Wide distance = static_cast<Wide>(limit) - static_cast<Wide>(start), step = static_cast<Wide>(delta);
      Wide steps = distance / step;
      if (distance % step != 0 && (distance < 0) == (step < 0)) ++steps;
      n = static_cast<double>(steps);
    }
    if (!std::isfinite(n)) ctx.fail(ErrorCode::bad_value, "range from ", start, " to ", limit, " by ", delta);
    if (!(n < 0x1p47)) ctx.fail(ErrorCode::limit_size, "range of ", n, " elements");
    const auto count = static_cast<int64_t>(std::max(n, 0.0));
    ctx.out(0, {count});
    std::vector<W> values(static_cast<size_t>(count));
    if constexpr (std::is_same_v<W, double>) {
      for (size_t i = 0; i < values.size(); ++i) values[i] = start + static_cast<W>(i) * delta;
    } else {
      for (size_t i = 0; i < values.size(); ++i)
        values[i] =
            static_cast<W>(static_cast<uint64_t>(start) + static_cast<uint64_t>(i) * static_cast<uint64_t>(delta));
    }
    ctx.write(0, {count}, values);
  });
}

template <>
void eval<EyeLike>(EvalContext& ctx) {
  const Extents extents = ctx.in(0).extents();
  if (extents.size() != 2) ctx.fail(ErrorCode::bad_shape, "eye_like needs a matrix, got ", ctx.in(0).type());
  const int64_t rows = extents[0], columns = extents[1], k = ctx.attrs<EyeLike>().k;
  Tensor& out = ctx.out(0, extents);
  const Tensor one = converted(Tensor::scalar<float>(1), out.dtype());
  const int64_t first = k >= 0 ? 0 : k < -rows ? rows : -k;
  if (k >= columns || first >= rows) return;
  const int64_t n = std::min(rows - first, columns - (first + k));
  if (n > 0) copy_strided(one, 0, {0}, out, first * columns + first + k, {columns + 1}, {n});
}

template <>
void eval<Trilu>(EvalContext& ctx) {
  const Tensor& in = ctx.in(0);
  const bool upper = ctx.attrs<Trilu>().upper;
  if (in.rank() < 2) ctx.fail(ErrorCode::bad_shape, "trilu needs rank 2 or more, got ", in.type());
  const auto given = ctx.has(1) ? ctx.ints(1) : Extents{0};
  if (given.size() != 1) ctx.fail(ErrorCode::bad_shape, "k of trilu must be one element");
  const int64_t rows = in.extent(in.rank() - 2), columns = in.extent(in.rank() - 1);
  const int64_t k = std::clamp(given[0], -rows - 1, columns + 1);
  std::vector<int64_t> sources(static_cast<size_t>(in.size()));
  for (int64_t i = 0; i < in.size(); ++i) {
    const int64_t column = i % columns, row = i / columns % rows;
    sources[static_cast<size_t>(i)] = (upper ? column - row >= k : column - row <= k) ? i : -1;
  }
  copy_indexed(in, sources, ctx.out(0, in.dtype(), in.extents()));
}

}  // namespace tc
