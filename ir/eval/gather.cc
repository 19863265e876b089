#include <algorithm>
#include <cmath>

#include "tc/ir/eval/eval.h"
#include "tc/ir/eval/move.h"
#include "tc/ir/shape_math.h"

namespace tc {
namespace {

int64_t place(EvalContext& ctx, int64_t index, int64_t extent) {
  if (index < -extent || index >= extent)
    ctx.fail(ErrorCode::bad_value, "index ", index, " is out of range for an axis of extent ", extent);
  return index < 0 ? index + extent : index;
}

int64_t count(const Extents& extents, int from, int to) {
  return element_count(Extents(extents.begin() + from, extents.begin() + to));
}

// For each element of the indices its place in data, where the index replaces the axis.
std::vector<int64_t> element_places(EvalContext& ctx, int64_t given_axis) {
  const Tensor &data = ctx.in(0), &indices = ctx.in(1);
  const auto axis = static_cast<size_t>(ctx.axis(given_axis, data.rank()));
  if (indices.rank() != data.rank())
    ctx.fail(ErrorCode::bad_shape, "data is ", data.type(), ", indices are ", indices.type());
  for (size_t k = 0; k < data.extents().size(); ++k)
    if (k != axis && indices.extents()[k] > data.extents()[k])
      ctx.fail(ErrorCode::bad_shape, "indices ", indices.type(), " reach beyond data ", data.type());
  const auto values = ctx.ints(1);
  const Extents strides = row_major_strides(data.extents());
  std::vector<int64_t> places;
  places.reserve(values.size());
  for_each_index(indices.extents(), [&](const Extents& index) {
    int64_t at = 0;
    for (size_t k = 0; k < index.size(); ++k)
      at += strides[k] * (k == axis ? place(ctx, values[places.size()], data.extents()[k]) : index[k]);
    places.push_back(at);
  });
  return places;
}

// Where the sub-tensor of each index tuple begins in data.
std::vector<int64_t> tuple_places(EvalContext& ctx, int64_t batch_dims) {
  const Tensor &data = ctx.in(0), &indices = ctx.in(1);
  const auto values = ctx.ints(1);
  const auto length = static_cast<size_t>(indices.extents().back()), batch = static_cast<size_t>(batch_dims);
  const Extents strides = row_major_strides(data.extents());
  std::vector<int64_t> places;
  size_t next = 0;
  for_each_index(Extents(indices.extents().begin(), indices.extents().end() - 1), [&](const Extents& index) {
    int64_t at = 0;
    for (size_t k = 0; k < batch; ++k) at += strides[k] * index[k];
    for (size_t k = 0; k < length; ++k)
      at += strides[batch + k] * place(ctx, values[next++], data.extents()[batch + k]);
    places.push_back(at);
  });
  return places;
}

// Each place for `inner` elements in a row.
std::vector<int64_t> rows(const std::vector<int64_t>& places, int64_t inner) {
  std::vector<int64_t> result;
  result.reserve(places.size() * static_cast<size_t>(inner));
  for (int64_t p : places)
    for (int64_t i = 0; i < inner; ++i) result.push_back(p + i);
  return result;
}

template <class W>
W combine(EvalContext& ctx, ScatterReduction r, const W& a, const W& b) {
  if constexpr (std::is_same_v<W, std::string>) {
    ctx.fail(ErrorCode::bad_type, "strings cannot be reduced");
  } else if constexpr (std::is_same_v<W, std::complex<double>>) {
    if (r == ScatterReduction::add) return a + b;
    if (r == ScatterReduction::mul) return a * b;
    ctx.fail(ErrorCode::bad_type, "complex numbers are not ordered");
  } else {
    using U = std::conditional_t<std::is_integral_v<W>, uint64_t, W>;  // wraps
    switch (r) {
      case ScatterReduction::none:
        return b;
      case ScatterReduction::add:
        return static_cast<W>(static_cast<U>(a) + static_cast<U>(b));
      case ScatterReduction::mul:
        return static_cast<W>(static_cast<U>(a) * static_cast<U>(b));
      case ScatterReduction::max:
        return a != a || a > b ? a : b;
      case ScatterReduction::min:
        return a != a || a < b ? a : b;
    }
  }
  return b;
}

// Result 0: data with update i put at places[i].
void scatter(EvalContext& ctx, const std::vector<int64_t>& places, ScatterReduction r) {
  const Tensor &data = ctx.in(0), &updates = ctx.in(2);
  if (static_cast<int64_t>(places.size()) != updates.size())
    ctx.fail(ErrorCode::bad_shape, "updates ", updates.type(), " for ", places.size(), " places");
  Tensor& out = ctx.out(0, data.dtype(), data.extents());
  if (r == ScatterReduction::none) {
    copy_strided(data, 0, {1}, out, 0, {1}, {data.size()});
    return place_indexed(updates, places, out);
  }
  visit_wide(data.dtype(), [&]<class W>() {
    auto values = ctx.read<W>(0);
    const auto with = ctx.read<W>(2);
    for (size_t i = 0; i < places.size(); ++i) {
      W& v = values[static_cast<size_t>(places[i])];
      v = combine<W>(ctx, r, v, with[i]);
    }
    narrow(values, out);
  });
}

}  // namespace

template <>
void eval<Gather>(EvalContext& ctx) {
  const Tensor &data = ctx.in(0), &indices = ctx.in(1);
  const int axis = ctx.axis(ctx.attrs<Gather>().axis, data.rank());
  const int64_t outer = count(data.extents(), 0, axis), inner = count(data.extents(), axis + 1, data.rank()),
                n = indices.size();
  Extents extents(data.extents().begin(), data.extents().begin() + axis);
  extents.insert(extents.end(), indices.extents().begin(), indices.extents().end());
  extents.insert(extents.end(), data.extents().begin() + axis + 1, data.extents().end());
  Tensor& out = ctx.out(0, data.dtype(), extents);
  const auto values = ctx.ints(1);
  for (int64_t i = 0; i < n; ++i)
    copy_strided(data, place(ctx, values[static_cast<size_t>(i)], data.extent(axis)) * inner,
                 {data.extent(axis) * inner, 1}, out, i * inner, {n * inner, 1}, {outer, inner});
}

template <>
void eval<GatherElements>(EvalContext& ctx) {
  const auto places = element_places(ctx, ctx.attrs<GatherElements>().axis);
  copy_indexed(ctx.in(0), places, ctx.out(0, ctx.in(0).dtype(), ctx.in(1).extents()));
}

template <>
void eval<GatherND>(EvalContext& ctx) {
  const Tensor &data = ctx.in(0), &indices = ctx.in(1);
  const int64_t batch = ctx.attrs<GatherND>().batch_dims;
  const Extents extents = to_extents(gather_nd_dims(to_dims(data.extents()), to_dims(indices.extents()), batch));
  const int64_t inner = count(data.extents(), static_cast<int>(batch + indices.extents().back()), data.rank());
  Tensor& out = ctx.out(0, data.dtype(), extents);
  copy_indexed(data, rows(tuple_places(ctx, batch), inner), out);
}

template <>
void eval<ScatterElements>(EvalContext& ctx) {
  const auto& a = ctx.attrs<ScatterElements>();
  if (ctx.in(1).extents() != ctx.in(2).extents())
    ctx.fail(ErrorCode::bad_shape, "indices ", ctx.in(1).type(), " and updates ", ctx.in(2).type(),
             " must have one shape");
  scatter(ctx, element_places(ctx, a.axis), a.reduction);
}

template <>
void eval<ScatterND>(EvalContext& ctx) {
  const Tensor &data = ctx.in(0), &indices = ctx.in(1);
  const Extents expected = to_extents(gather_nd_dims(to_dims(data.extents()), to_dims(indices.extents()), 0));
  if (expected != ctx.in(2).extents())
    ctx.fail(ErrorCode::bad_shape, "updates ", ctx.in(2).type(), " must have shape ", Shape::of(expected));
  const int64_t inner = count(data.extents(), static_cast<int>(indices.extents().back()), data.rank());
  scatter(ctx, rows(tuple_places(ctx, 0), inner), ctx.attrs<ScatterND>().reduction);
}

template <>
void eval<OneHot>(EvalContext& ctx) {
  const Tensor& indices = ctx.in(0);
  const double given = scalar_f64(ctx.in(1));
  if (!(given >= 0 && given < 1e15)) ctx.fail(ErrorCode::bad_value, "one_hot of depth ", given);
  if (ctx.in(2).size() != 2) ctx.fail(ErrorCode::bad_shape, "one_hot needs two values, got ", ctx.in(2).type());
  const auto depth = static_cast<int64_t>(given);
  const int axis = ctx.axis(ctx.attrs<OneHot>().axis, indices.rank() + 1);
  Extents extents = indices.extents();
  extents.insert(extents.begin() + axis, depth);
  Tensor& out = ctx.out(0, ctx.in(2).dtype(), extents);
  const auto values = ctx.read<int64_t>(0);
  const int64_t inner = count(indices.extents(), axis, indices.rank());
  std::vector<int64_t> sources(static_cast<size_t>(out.size()), 0);
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t hot = values[i] < 0 ? values[i] + depth : values[i], outer = static_cast<int64_t>(i) / inner;
    if (hot >= 0 && hot < depth)
      sources[static_cast<size_t>((outer * depth + hot) * inner + static_cast<int64_t>(i) % inner)] = 1;
  }
  copy_indexed(ctx.in(2), sources, out);
}

template <>
void eval<Compress>(EvalContext& ctx) {
  const Tensor& in = ctx.in(0);
  const auto condition = ctx.ints(1);
  const auto& given = ctx.attrs<Compress>().axis;
  const int axis = given ? ctx.axis(*given, in.rank()) : 0;
  const int64_t extent = given ? in.extent(axis) : in.size();
  if (static_cast<int64_t>(condition.size()) > extent)
    ctx.fail(ErrorCode::bad_shape, "a condition of ", condition.size(), " elements for ", extent);
  std::vector<int64_t> kept;
  for (size_t i = 0; i < condition.size(); ++i)
    if (condition[i]) kept.push_back(static_cast<int64_t>(i));
  const auto n = static_cast<int64_t>(kept.size());
  if (!given) return copy_indexed(in, kept, ctx.out(0, in.dtype(), {n}));
  const int64_t outer = count(in.extents(), 0, axis), inner = count(in.extents(), axis + 1, in.rank());
  Extents extents = in.extents();
  extents[static_cast<size_t>(axis)] = n;
  Tensor& out = ctx.out(0, in.dtype(), extents);
  for (int64_t i = 0; i < n; ++i)
    copy_strided(in, kept[static_cast<size_t>(i)] * inner, {extent * inner, 1}, out, i * inner, {n * inner, 1},
                 {outer, inner});
}

template <>
void eval<TensorScatter>(EvalContext& ctx) {
  const auto& a = ctx.attrs<TensorScatter>();
  const Tensor &cache = ctx.in(0), &update = ctx.in(1);
  const int axis = ctx.axis(a.axis, cache.rank());
  const int64_t capacity = cache.extent(axis);
  Extents expected = cache.extents();
  if (update.rank() == cache.rank()) expected[static_cast<size_t>(axis)] = update.extent(axis);
  if (axis == 0 || update.extents() != expected)
    ctx.fail(ErrorCode::bad_shape, "update ", update.type(), " does not fit the cache ", cache.type());
  const int64_t n = update.extent(axis), batch = cache.extent(0);
  const auto starts = ctx.has(2) ? ctx.ints(2) : Extents(static_cast<size_t>(batch), 0);
  if (static_cast<int64_t>(starts.size()) != batch)
    ctx.fail(ErrorCode::bad_shape, starts.size(), " write indices for a batch of ", batch);
  const bool circular = a.mode == TensorScatterMode::circular;
  for (int64_t s : starts)
    if (s < 0 || s > capacity || (!circular && s > capacity - n) || (circular && n > 0 && capacity == 0))
      ctx.fail(ErrorCode::bad_value, "writing ", n, " entries from ", s, " on into a cache of ", capacity);
  Tensor& out = ctx.out(0, cache.dtype(), cache.extents());
  copy_strided(cache, 0, {1}, out, 0, {1}, {cache.size()});
  const int64_t middle = count(cache.extents(), 1, axis), inner = count(cache.extents(), axis + 1, cache.rank());
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = (starts[static_cast<size_t>(b)] + i) % capacity;
      copy_strided(update, (b * middle * n + i) * inner, {n * inner, 1}, out, (b * middle * capacity + at) * inner,
                   {capacity * inner, 1}, {middle, inner});
    }
}

}  // namespace tc
