#include "tc/kernels/search/search.h"

#include "tc/kernels/search/nms_tier.h"
#include "tc/kernels/search/top_k_tier.h"
#include "tc/kernels/search/unique_tier.h"

namespace tc::kernels {
namespace {

// Which of `n` <= 64 elements are not zero, as bits.
template <class T>
TC_INLINE uint64_t non_zero_bits(const T* x, int64_t n, T mask) {
  uint64_t bits = 0;
  for (int64_t i = 0; i < n; ++i) bits |= static_cast<uint64_t>((x[i] & mask) != 0) << i;
  return bits;
}

template <class T>
TC_INLINE int64_t count_non_zero(const T* x, int64_t n, T mask) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += (x[i] & mask) != 0;
  return count;
}

template <class T>
TC_INLINE int64_t find_non_zero(const T* x, int64_t n, T mask, int64_t from, int64_t* at) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; i += 64)
    for (uint64_t bits = non_zero_bits(x + i, std::min<int64_t>(64, n - i), mask); bits; bits &= bits - 1)
      at[count++] = from + i + __builtin_ctzll(bits);
  return count;
}

// Calls f(elements, what of them counts).
template <class F>
TC_INLINE int64_t visit_size(const NonZeroArgs& a, const void* x, F&& f) {
  const auto call = [&]<class T>(T) {
    const T all = static_cast<T>(~T{0});
    return f(static_cast<const T*>(x), a.real ? static_cast<T>(all >> 1) : all);
  };
  switch (a.elem_size) {
    case 1:
      return call(uint8_t{});
    case 2:
      return call(uint16_t{});
    case 4:
      return call(uint32_t{});
    default:
      return call(uint64_t{});
  }
}

int64_t non_zero_count(const NonZeroArgs& a, const void* x, int64_t n) {
  return visit_size(a, x, [&](const auto* p, auto mask) { return count_non_zero(p, n, mask); });
}

int64_t non_zero_find(const NonZeroArgs& a, const void* x, int64_t n, int64_t from, int64_t* at) {
  return visit_size(a, x, [&](const auto* p, auto mask) { return find_non_zero(p, n, mask, from, at); });
}

}  // namespace

extern constinit const SearchTable TC_TIER_NAME(search_table);
constinit const SearchTable TC_TIER_NAME(search_table) = {
    .top_k = TC_KERNEL(top_k, "top_k"),
    .nms_boxes = TC_KERNEL(nms_boxes, "nms_boxes_f32"),
    .nms_class = TC_KERNEL(nms_class, "nms_f32"),
    .non_zero_count = TC_KERNEL(non_zero_count, "non_zero_count"),
    .non_zero_find = TC_KERNEL(non_zero_find, "non_zero"),
    .unique = TC_KERNEL(unique, "unique"),
};

}  // namespace tc::kernels
