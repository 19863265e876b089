#include "tc/ir/shape_math.h"

#include <algorithm>
#include <limits>

namespace tc {
namespace {

// Exporters write the largest integers for "to the end".
constexpr int64_t kFar = std::numeric_limits<int32_t>::max();

enum class DimSign { negative, nonnegative, unknown };

DimSign sign_of(const Dim& d) {
  if (d.lower_bound() >= 0) return DimSign::nonnegative;
  if (d.is_const() || (Dim(-1) - d).lower_bound() >= 0) return DimSign::negative;
  return DimSign::unknown;
}

}  // namespace

Dims to_dims(const Extents& extents) {
  return Dims(extents.begin(), extents.end());
}

Extents to_extents(const Dims& dims) {
  return Shape(dims).extents();
}

Dims reshape_dims(const Dims& in, const Dims& target, bool allow_zero) {
  // Extents on both sides cancel before anything is multiplied: (H+1)*(W+1) / (H+1) is found without polynomial
  // division, and a copied 0 does not make -1 ambiguous.
  Dims result = target, left = in, others;
  int inferred = -1;
  bool zero = false;
  for (size_t i = 0; i < target.size(); ++i) {
    const Dim& t = target[i];
    if (t.is(-1)) {
      if (inferred >= 0) fail(ErrorCode::bad_shape, "reshape to ", Shape(target), ": more than one -1");
      inferred = static_cast<int>(i);
      continue;
    }
    if (t.is_const() && t.value() < -1) fail(ErrorCode::bad_shape, "reshape to ", Shape(target), ": negative extent");
    if (t.is(0)) {
      zero = true;
      if (!allow_zero) {
        if (i >= in.size())
          fail(ErrorCode::bad_shape, "reshape of ", Shape(in), " to ", Shape(target),
               ": 0 copies an extent that is not there");
        result[i] = in[i];
      }
    }
    const auto same = std::find(left.begin(), left.end(), result[i]);
    if (same != left.end())
      left.erase(same);
    else
      others.push_back(result[i]);
  }
  const Dim have = Shape(left).count(), want = Shape(others).count();
  if (inferred >= 0) {
    if (allow_zero && zero) fail(ErrorCode::bad_shape, "reshape to ", Shape(target), ": both 0 and -1");
    if (want.is(0))
      fail(ErrorCode::bad_shape, "reshape of ", Shape(in), " to ", Shape(target), ": -1 could be anything");
    if (have.is_const() && want.is_const() && have.value() % want.value() != 0)
      fail(ErrorCode::bad_shape, "cannot reshape ", Shape(in), " to ", Shape(target));
    result[static_cast<size_t>(inferred)] = floordiv(have, want);
  } else if (have.is_const() && want.is_const() && have != want) {
    // Equal zeros were cancelled on one side only when the other has none.
    if (Shape(in).count() != Shape(result).count())
      fail(ErrorCode::bad_shape, "cannot reshape ", Shape(in), " to ", Shape(target));
  }
  return result;
}

std::optional<SliceRange> slice_range(const Dim& d, const Dim& start, const Dim& end, int64_t step) {
  if (step == 0) fail(ErrorCode::bad_value, "a slice's step is 0");
  // The place that a bound means, not yet clamped; the far ends stand for `low` and `high`.
  const auto place = [&](const Dim& x, const Dim& low, const Dim& high) -> std::optional<Dim> {
    if (x.is_const() && x.value() >= kFar && !d.is_const()) return high;
    if (x.is_const() && x.value() <= -kFar) return low;
    switch (sign_of(x)) {
      case DimSign::nonnegative:
        return x.is_const() && d.is_const() ? min(x, high) : x;
      case DimSign::negative:
        return x + d;
      case DimSign::unknown:
        break;
    }
    return std::nullopt;
  };
  // Only those clamps are written down that can make a difference to a length above 0: symbolic lengths stay short.
  if (step > 0) {
    const auto s = place(start, 0, d), e = place(end, 0, d);
    if (!s || !e) return std::nullopt;
    const Dim first = max(*s, 0);
    return SliceRange{first, max(ceildiv(min(*e, d) - first, step), 0)};
  }
  if (step == std::numeric_limits<int64_t>::min()) ++step;
  const Dim last = d - Dim(1);
  const auto s = place(start, 0, last), e = place(end, -1, last);
  if (!s || !e) return std::nullopt;
  const Dim first = *s == last ? last : min(max(*s, 0), last);
  return SliceRange{first, max(ceildiv(first - max(*e, -1), -step), 0)};
}

Dims split_evenly(const Dim& d, int64_t parts, bool equal) {
  if (parts <= 0) fail(ErrorCode::bad_attribute, "split into ", parts, " parts");
  if (equal) {
    if (d.is_const() && d.value() % parts)
      fail(ErrorCode::bad_shape, "an extent of ", d, " does not split into ", parts, " equal parts");
    return Dims(static_cast<size_t>(parts), floordiv(d, parts));
  }
  const Dim chunk = ceildiv(d, parts);
  const Dim last = d - chunk * Dim(parts - 1);
  if (last.is_const() && last.value() < 0)
    fail(ErrorCode::bad_shape, "an extent of ", d, " does not split into ", parts, " parts");
  Dims sizes(static_cast<size_t>(parts), chunk);
  sizes.back() = last;
  return sizes;
}

std::vector<int> distinct_axes(const std::vector<int64_t>& axes, int rank) {
  std::vector<int> result;
  for (int64_t a : axes) {
    if (a < -rank || a >= rank) fail(ErrorCode::bad_attribute, "axis ", a, " is out of range for rank ", rank);
    const int axis = static_cast<int>(a < 0 ? a + rank : a);
    if (std::find(result.begin(), result.end(), axis) != result.end())
      fail(ErrorCode::bad_attribute, "axis ", axis, " is given twice");
    result.push_back(axis);
  }
  return result;
}

Dims broadcast_dims(const Dims& a, const Dims& b) {
  Dims result(std::max(a.size(), b.size()), Dim(1));
  for (const Dims* s : {&a, &b})
    for (size_t i = 0; i < s->size(); ++i) {
      Dim& d = result[result.size() - s->size() + i];
      const Dim& e = (*s)[i];
      if (d.is_const() && e.is_const() && !d.is(1) && !e.is(1) && d != e)
        fail(ErrorCode::bad_shape, "shapes ", Shape(a), " and ", Shape(b), " do not broadcast: ", d, " against ", e);
      d = broadcast(d, e);
    }
  return result;
}

Dim same_extent(const Dim& a, const Dim& b, std::string_view what) {
  if (a.is_const() && b.is_const() && a != b)
    fail(ErrorCode::bad_shape, what, ": extents ", a, " and ", b, " must be equal");
  if (a.is_const() || b.is_const()) return a.is_const() ? a : b;
  return a.is_symbol() && fresh_number(a.symbol_name()) ? b : a;
}

Dims gather_nd_dims(const Dims& data, const Dims& indices, int64_t batch_dims) {
  const auto rank = static_cast<int64_t>(data.size()), q = static_cast<int64_t>(indices.size());
  if (rank < 1 || q < 1)
    fail(ErrorCode::bad_shape, "data and indices need at least one axis, got ", Shape(data), " and ", Shape(indices));
  if (batch_dims < 0 || batch_dims >= std::min(rank, q))
    fail(ErrorCode::bad_attribute, "batch_dims ", batch_dims, " must be below the ranks of ", Shape(data), " and ",
         Shape(indices));
  const Dim& tuple = indices.back();
  TC_CHECK(tuple.is_const(), "the length of index tuples is unknown");
  if (tuple.value() < 0 || tuple.value() > rank - batch_dims)
    fail(ErrorCode::bad_shape, "index tuples of ", tuple, " elements are too long for data of shape ", Shape(data));
  Dims result;
  for (int64_t i = 0; i + 1 < q; ++i) {
    const Dim& d = indices[static_cast<size_t>(i)];
    result.push_back(i < batch_dims ? same_extent(data[static_cast<size_t>(i)], d, "batch axes of data and indices")
                                    : d);
  }
  result.insert(result.end(), data.begin() + batch_dims + tuple.value(), data.end());
  return result;
}

std::optional<int64_t> known_length(InferContext& ctx, int i) {
  if (!ctx.has(i)) return std::nullopt;
  const Shape& s = ctx.shape(i);
  if (!s.ranked() || s.rank() != 1 || !s[0].is_const()) return std::nullopt;
  return s[0].value();
}

void keep_contents(InferContext& ctx, const Shape& shape, Dims contents) {
  if (ctx.num_results() == 0 || !shape.ranked() || shape.rank() > 1) return;
  if (static_cast<int64_t>(contents.size()) > kMaxContents) return;
  if (shape.rank() == 1 ? !shape[0].is(static_cast<int64_t>(contents.size())) : contents.size() != 1) return;
  ctx.set_contents(0, std::move(contents));
}

void keep_contents_of(InferContext& ctx, int i, const Shape& shape) {
  if (const Dims* c = ctx.contents(i)) keep_contents(ctx, shape, *c);
}

}  // namespace tc
