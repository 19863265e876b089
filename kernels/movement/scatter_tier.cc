#include <type_traits>

#include "tc/kernels/movement/elements.h"

namespace tc::kernels {

Status TC_TIER_NAME(check_indices)(const IndexView& index, int64_t n, int64_t begin, int64_t end);
void TC_TIER_NAME(scatter_elements)(const ScatterElementsArgs& args, int64_t row0, int64_t row1, int64_t col0,
                                    int64_t col1);
void TC_TIER_NAME(scatter_nd)(const SliceArgs& args, int64_t first, int64_t last);

namespace {

struct Replace {
  template <class T>
  T operator()(const T&, const T& b) const {
    return b;
  }
};
struct Plus {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
    else
      return a + b;
  }
};
struct Times {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) * static_cast<std::make_unsigned_t<T>>(b));
    else
      return a * b;
  }
};
struct Larger {
  template <class T>
  T operator()(T a, T b) const {
    return a != a || a > b ? a : b;
  }
};
struct Smaller {
  template <class T>
  T operator()(T a, T b) const {
    return a != a || a < b ? a : b;
  }
};

// Calls f with a value of the element type and the function that joins two of them.
template <class F>
void by_join(ScatterOp op, Elem type, int elem_size, F f) {
  const auto by_type = [&](auto join) { by_number(type, [&](auto tag) { f(tag, join); }); };
  switch (op) {
    case ScatterOp::add:
      return by_type(Plus{});
    case ScatterOp::mul:
      return by_type(Times{});
    case ScatterOp::max:
      return by_type(Larger{});
    case ScatterOp::min:
      return by_type(Smaller{});
    case ScatterOp::none:
      break;
  }
  by_size(elem_size, [&](auto tag) { f(tag, Replace{}); });
}

template <class Index>
Status check_indices_as(const IndexView& index, int64_t n, int64_t begin, int64_t end) {
  constexpr int64_t kRun = 512;
  const auto* indices = static_cast<const typename Loose<Index>::type*>(index.data);
  for (int64_t run = begin; run < end; run += kRun) {
    const int64_t stop = least(end, run + kRun);
    Index low = 0, high = -1;
    for (int64_t i = run; i < stop; ++i) {
      const Index at = indices[i];
      low = at < low ? at : low, high = at > high ? at : high;
    }
    if (low >= -n && high < n) continue;
    for (int64_t i = run; i < stop; ++i)
      if (indices[i] < -n || indices[i] >= n) return {StatusCode::kIndexOutOfRange, i};
  }
  return {};
}

// Columns [col0, col1) of rows [row0, row1) of the indices.
template <class T, class Index, class Join>
void scatter_rows(const ScatterElementsArgs& a, int64_t row0, int64_t row1, int64_t col0, int64_t col1, Join join) {
  const int last = a.rank - 1;
  int64_t stride[kMaxRank], at[kMaxRank], base = 0, rest = row0;
  stride[last] = 1;
  for (int d = last; d-- > 0;) stride[d] = stride[d + 1] * a.data_extent[d + 1];
  const int64_t n = a.data_extent[a.axis], along = stride[a.axis], columns = a.extent[last];
  const int64_t step = a.axis == last ? 0 : 1;
  stride[a.axis] = 0;
  for (int d = last; d-- > 0; rest /= a.extent[d]) base += (at[d] = rest % a.extent[d]) * stride[d];
  const T* updates = static_cast<const T*>(a.updates);
  const auto* index = static_cast<const typename Loose<Index>::type*>(a.index.data);
  for (int64_t row = row0; row < row1; ++row) {
    T* data = static_cast<T*>(a.data) + base;
    for (int64_t c = col0; c < col1; ++c) {
      const int64_t from = row * columns + c;
      T& to = data[c * step + from_start(index[from], n) * along];
      to = join(to, updates[from]);
    }
    for (int d = last; d-- > 0;) {
      base += stride[d];
      if (++at[d] < a.extent[d]) break;
      base -= a.extent[d] * stride[d];
      at[d] = 0;
    }
  }
}

// Elements [first, last) of all slices.
template <class T, class Index, class Join>
void scatter_slices(const SliceArgs& a, int64_t first, int64_t last, Join join) {
  T* data = static_cast<T*>(a.data) + first;
  const T* slices = static_cast<const T*>(a.slices) + first;
  const auto* index = static_cast<const typename Loose<Index>::type*>(a.index.data);
  for (int64_t batch = 0; batch < a.batch; ++batch)
    for (int64_t i = 0; i < a.count; ++i, slices += a.inner) {
      int64_t at = batch;
      for (int d = 0; d < a.depth; ++d) at = at * a.extent[d] + from_start(*index++, a.extent[d]);
      T* to = data + at * a.inner;
      if (last - first == 1) {
        *to = join(*to, *slices);
        continue;
      }
      // Slices are not part of the data.
#pragma GCC ivdep
      for (int64_t k = 0; k < last - first; ++k) to[k] = join(to[k], slices[k]);
    }
}

}  // namespace

Status TC_TIER_NAME(check_indices)(const IndexView& index, int64_t n, int64_t begin, int64_t end) {
  return index.wide ? check_indices_as<int64_t>(index, n, begin, end) : check_indices_as<int32_t>(index, n, begin, end);
}

void TC_TIER_NAME(scatter_elements)(const ScatterElementsArgs& args, int64_t row0, int64_t row1, int64_t col0,
                                    int64_t col1) {
  by_join(args.op, args.type, args.elem_size, [&](auto tag, auto join) {
    using T = decltype(tag);
    args.index.wide ? scatter_rows<T, int64_t>(args, row0, row1, col0, col1, join)
                    : scatter_rows<T, int32_t>(args, row0, row1, col0, col1, join);
  });
}

void TC_TIER_NAME(scatter_nd)(const SliceArgs& args, int64_t first, int64_t last) {
  by_join(args.op, args.type, args.elem_size, [&](auto tag, auto join) {
    using T = decltype(tag);
    args.index.wide ? scatter_slices<T, int64_t>(args, first, last, join)
                    : scatter_slices<T, int32_t>(args, first, last, join);
  });
}

}  // namespace tc::kernels
