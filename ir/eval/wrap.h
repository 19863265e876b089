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

}  // namespace tc
