#include "tc/ir/eval/move.h"

#include <algorithm>
#include <utility>

#include "tc/ir/eval/wide.h"

namespace tc {

void copy_strided(const Tensor& in, int64_t in_offset, const Extents& in_strides, Tensor& out, int64_t out_offset,
                  const Extents& out_strides, const Extents& extents) {
  TC_CHECK(in.dtype() == out.dtype(), "copy from ", in.dtype(), " to ", out.dtype());
  TC_CHECK(in_strides.size() == extents.size() && out_strides.size() == extents.size(), "rank of strides");
  if (element_count(extents) == 0) return;
  visit_element(in.dtype(), [&]<class E>() {
    const E* from = static_cast<const E*>(in.data()) + in_offset;
    E* to = static_cast<E*>(out.mutable_data()) + out_offset;
    if (extents.empty()) {
      *to = *from;
      return;
    }
    size_t last = extents.size() - 1;
    const int64_t n = extents[last], from_step = in_strides[last], to_step = out_strides[last];
    // Where one side goes down columns, the last two axes are walked in squares, whose cache lines are used up.
    const bool squares = last > 0 && from_step != 1 && in_strides[last - 1] == 1;
    if (squares) --last;
    constexpr int64_t kSide = 64;
    const auto copy_squares = [&] {
      const int64_t rows = extents[last], from_row = in_strides[last], to_row = out_strides[last];
      for (int64_t i0 = 0; i0 < rows; i0 += kSide)
        for (int64_t j0 = 0; j0 < n; j0 += kSide)
          for (int64_t i = i0; i < std::min(rows, i0 + kSide); ++i)
            for (int64_t j = j0; j < std::min(n, j0 + kSide); ++j)
              to[i * to_row + j * to_step] = from[i * from_row + j * from_step];
    };
    Extents index(last, 0);
    while (true) {
      if (squares)
        copy_squares();
      else if (from_step == 1 && to_step == 1)
        std::copy_n(from, n, to);
      else if (from_step == 0 && to_step == 1)
        std::fill_n(to, n, *from);
      else
        for (int64_t i = 0; i < n; ++i) to[i * to_step] = from[i * from_step];
      size_t k = last;
      while (k-- > 0) {
        from += in_strides[k], to += out_strides[k];
        if (++index[k] < extents[k]) break;
        from -= in_strides[k] * extents[k], to -= out_strides[k] * extents[k];
        index[k] = 0;
      }
      if (k == static_cast<size_t>(-1)) return;
    }
  });
}

void copy_indexed(const Tensor& in, const std::vector<int64_t>& sources, Tensor& out, const Tensor* fill) {
  TC_CHECK(in.dtype() == out.dtype() && (!fill || fill->dtype() == out.dtype()), "copy between element types");
  TC_CHECK(static_cast<int64_t>(sources.size()) == out.size(), "one source per element");
  visit_element(in.dtype(), [&]<class E>() {
    const E* from = static_cast<const E*>(in.data());
    E* to = static_cast<E*>(out.mutable_data());
    const E* rest = fill ? static_cast<const E*>(fill->data()) : nullptr;
    for (size_t i = 0; i < sources.size(); ++i) {
      if (sources[i] >= 0)
        to[i] = from[sources[i]];
      else if (rest)
        to[i] = *rest;
    }
  });
}

void place_indexed(const Tensor& in, const std::vector<int64_t>& targets, Tensor& out) {
  TC_CHECK(in.dtype() == out.dtype(), "copy from ", in.dtype(), " to ", out.dtype());
  TC_CHECK(static_cast<int64_t>(targets.size()) == in.size(), "one target per element");
  visit_element(in.dtype(), [&]<class E>() {
    const E* from = static_cast<const E*>(in.data());
    E* to = static_cast<E*>(out.mutable_data());
    for (size_t i = 0; i < targets.size(); ++i) to[targets[i]] = from[i];
  });
}

void fill_with(const Tensor& value, Tensor& out) {
  TC_CHECK(value.size() == 1, "one value");
  copy_strided(value, 0, {0}, out, 0, {1}, {out.size()});
}

Tensor converted(const Tensor& t, DType to) {
  if (t.dtype() == to) return t;
  Tensor result(to, t.extents());
  visit_wide(to, [&]<class W>() { convert<W>(t, result); });
  return result;
}

}  // namespace tc
