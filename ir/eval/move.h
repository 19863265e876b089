// Moving elements without looking at them: bodies of movement ops work on 1, 2, 4, 8 or 16 bytes, or on strings, so one
// body serves every element type.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tc/ir/tensor.h"

namespace tc {

template <size_t N>
struct Bytes {
  std::byte bytes[N];
};

// Calls f.template operator()<E>() where E holds one element of type `t` as it lies in memory.
template <class F>
void visit_element(DType t, F&& f) {
  if (t == DType::str) return f.template operator()<std::string>();
  switch (size_of(t)) {
    case 1:
      return f.template operator()<Bytes<1>>();
    case 2:
      return f.template operator()<Bytes<2>>();
    case 4:
      return f.template operator()<Bytes<4>>();
    case 8:
      return f.template operator()<Bytes<8>>();
    case 16:
      return f.template operator()<Bytes<16>>();
    default:
      TC_CHECK(false, "element size of ", t);
  }
}

// For every index of `extents`: out[out_offset + Σ index·out_strides] = in[in_offset + Σ index·in_strides]. Offsets and
// strides count elements, may be negative, and must stay inside both tensors, which must have one element type.
void copy_strided(const Tensor& in, int64_t in_offset, const Extents& in_strides, Tensor& out, int64_t out_offset,
                  const Extents& out_strides, const Extents& extents);
// out[i] = in[sources[i]]; the only element of `fill` (null: zero) where sources[i] < 0.
void copy_indexed(const Tensor& in, const std::vector<int64_t>& sources, Tensor& out, const Tensor* fill = nullptr);
// out[targets[i]] = in[i], in order of i.
void place_indexed(const Tensor& in, const std::vector<int64_t>& targets, Tensor& out);
// Every element of `out` becomes the only element of `value`.
void fill_with(const Tensor& value, Tensor& out);
// The elements converted to another type of the same kind or a wider one (the widened mode).
Tensor converted(const Tensor& t, DType to);

// Calls f(index) for every index of `extents` in row-major order.
template <class F>
void for_each_index(const Extents& extents, F&& f) {
  Extents index(extents.size(), 0);
  for (int64_t n = element_count(extents); n > 0; --n) {
    f(static_cast<const Extents&>(index));
    for (size_t k = extents.size(); k-- > 0;) {
      if (++index[k] < extents[k]) break;
      index[k] = 0;
    }
  }
}

}  // namespace tc
