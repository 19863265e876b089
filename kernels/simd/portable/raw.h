// Registers of 128 bits as the compiler's vectors (GCC's and clang's extension): they add, compare and select lane by
// lane on any machine, by its instructions where it has them and by scalars where not. Lanes are counted from the
// lowest address on; machines are little-endian.
#pragma once
#include <type_traits>
#include <utility>

#include "tc/kernels/simd/base.h"

namespace tc::kernels {
namespace {

template <class T>
struct RawOf {
  typedef T type __attribute__((vector_size(16)));
};
template <class T>
using Raw = typename RawOf<T>::type;
using F32 = Raw<float>;
using F64 = Raw<double>;
using I8 = Raw<int8_t>;
using U8 = Raw<uint8_t>;
using I16 = Raw<int16_t>;
using U16 = Raw<uint16_t>;
using I32 = Raw<int32_t>;
using U32 = Raw<uint32_t>;
using I64 = Raw<int64_t>;
using U64 = Raw<uint64_t>;

// Half of one: what widens to a register.
using HalfF32 [[gnu::vector_size(8)]] = float;
using HalfU16 [[gnu::vector_size(8)]] = uint16_t;
using HalfI32 [[gnu::vector_size(8)]] = int32_t;

// Integers of T's size, which wrap around, and those that comparisons give.
template <class T>
using Word = std::conditional_t<
    sizeof(T) == 1, uint8_t,
    std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;
template <class T>
using Truth = std::make_signed_t<Word<T>>;

template <class T>
TC_INLINE Raw<T> splat(T x) {
  return [x]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
    return Raw<T>{(static_cast<void>(i), x)...};
  }
  (std::make_integer_sequence<int, 16 / static_cast<int>(sizeof(T))>());
}

template <class V>
TC_INLINE V load_raw(const void* p) {
  V out;
  __builtin_memcpy(&out, p, sizeof out);
  return out;
}
template <class V>
TC_INLINE void store_raw(void* p, V x) {
  __builtin_memcpy(p, &x, sizeof x);
}

// The first n bytes, 0 <= n <= 8, in the low ones of a word, and back, without a call.
TC_INLINE uint64_t load_few(const void* from, int n) {
  const auto* p = static_cast<const unsigned char*>(from);
  if (n == 8) return load_raw<uint64_t>(p);
  if (n >= 4) return load_raw<uint32_t>(p) | uint64_t{load_raw<uint32_t>(p + n - 4)} << 8 * (n - 4);
  const auto byte = [&](int i) { return uint64_t{p[i]} << 8 * i; };
  return n == 0 ? 0 : byte(0) | byte(n / 2) | byte(n - 1);
}
TC_INLINE void store_few(void* to, uint64_t x, int n) {
  auto* p = static_cast<unsigned char*>(to);
  if (n == 8) return store_raw(p, x);
  if ((n & 4) != 0) store_raw(p, static_cast<uint32_t>(x)), x >>= 32, p += 4;
  if ((n & 2) != 0) store_raw(p, static_cast<uint16_t>(x)), x >>= 16, p += 2;
  if ((n & 1) != 0) *p = static_cast<unsigned char>(x);
}
// The same of a register, 0 <= n <= 16.
TC_INLINE U64 load_first(const void* from, int n) {
  if (n <= 8) return U64{load_few(from, n), 0};
  return U64{load_raw<uint64_t>(from), load_few(static_cast<const unsigned char*>(from) + 8, n - 8)};
}
TC_INLINE void store_first(void* to, U64 x, int n) {
  if (n <= 8) return store_few(to, x[0], n);
  store_raw(to, static_cast<uint64_t>(x[0]));
  store_few(static_cast<unsigned char*>(to) + 8, x[1], n - 8);
}

// The lanes of the lower or the upper bf16 pairs of a and b in turn.
template <bool kUpper, class V>
TC_INLINE V interleave(V a, V b) {
  constexpr int kCount = static_cast<int>(sizeof(V) / sizeof(a[0])), kFrom = kUpper ? kCount / 2 : 0;
  return [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
    return V(__builtin_shufflevector(a, b, (kFrom + i / 2 + (i % 2 == 0 ? 0 : kCount))...));
  }
  (std::make_integer_sequence<int, kCount>());
}

}  // namespace
}  // namespace tc::kernels
