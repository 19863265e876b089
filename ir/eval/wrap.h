// Arithmetic on widened values without undefined behaviour: integers wrap in 64 bits, and are cut to the element type
// when stored.
#pragma once

#include <cstdint>
#include <type_traits>

namespace tc {

template <class W, class F>
W wrapping(F&& f, W a, W b) {
  if constexpr (std::is_integral_v<W>)
    return static_cast<W>(f(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
  else
    return f(a, b);
}
template <class W>
W add(W a, W b) {
  return wrapping([](auto x, auto y) { return x + y; }, a, b);
}
template <class W>
W subtract(W a, W b) {
  return wrapping([](auto x, auto y) { return x - y; }, a, b);
}
template <class W>
W multiply(W a, W b) {
  return wrapping([](auto x, auto y) { return x * y; }, a, b);
}

// Truncated towards zero; NaN is 0, and what lies beyond the range its nearest end.
inline int64_t saturated_int(double v) {
  if (v != v) return 0;
  if (v >= 0x1p63) return INT64_MAX;
  if (v <= -0x1p63) return INT64_MIN;
  return static_cast<int64_t>(v);
}
// As above, but negative numbers wrap.
inline uint64_t saturated_uint(double v) {
  if (v >= 0x1p64) return UINT64_MAX;
  return v >= 0x1p63 ? static_cast<uint64_t>(v) : static_cast<uint64_t>(saturated_int(v));
}

}  // namespace tc
