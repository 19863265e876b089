// Elements with their places as numbers that sort: a lower rank is a better element, or an equal one further to the
// front. Included by search_tier.cc.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "tc/kernels/elem.h"
#include "tc/kernels/simd/set_lanes.h"

namespace tc::kernels {
namespace {

// Integers in the order of the values. Sign and magnitude become two's complement, so zeros are equal.
template <Elem E>
struct KeyOf;
template <class B, class K, B kInfinity>
struct RealKey {
  using Raw = B;
  using Key = K;
  static TC_INLINE K key(B bits) {
    constexpr B kMagnitude = std::numeric_limits<B>::max();
    const K magnitude = static_cast<B>(bits & kMagnitude);
    const K value = bits < 0 ? -magnitude : magnitude;
    return magnitude > kInfinity ? std::numeric_limits<K>::max() : value;
  }
};
template <class T, class K>
struct IntKey {
  using Raw = T;
  using Key = K;
  static TC_INLINE K key(T x) { return static_cast<K>(x); }
};
template <class T, class S>
struct UnsignedKey {
  using Raw = T;
  using Key = S;
  static TC_INLINE S key(T x) { return static_cast<S>(x ^ (T{1} << (8 * sizeof(T) - 1))); }
};
// clang-format off
template <> struct KeyOf<Elem::f32> : RealKey<int32_t, int32_t, 0x7f800000> {};
template <> struct KeyOf<Elem::f16> : RealKey<int16_t, int32_t, 0x7c00> {};
template <> struct KeyOf<Elem::bf16> : RealKey<int16_t, int32_t, 0x7f80> {};
template <> struct KeyOf<Elem::f64> : RealKey<int64_t, int64_t, 0x7ff0000000000000> {};
template <> struct KeyOf<Elem::i32> : IntKey<int32_t, int32_t> {};
template <> struct KeyOf<Elem::i16> : IntKey<int16_t, int32_t> {};
template <> struct KeyOf<Elem::u16> : IntKey<uint16_t, int32_t> {};
template <> struct KeyOf<Elem::i8> : IntKey<int8_t, int32_t> {};
template <> struct KeyOf<Elem::u8> : IntKey<uint8_t, int32_t> {};
template <> struct KeyOf<Elem::boolean> : IntKey<uint8_t, int32_t> {};
template <> struct KeyOf<Elem::i64> : IntKey<int64_t, int64_t> {};
template <> struct KeyOf<Elem::u32> : UnsignedKey<uint32_t, int32_t> {};
template <> struct KeyOf<Elem::u64> : UnsignedKey<uint64_t, int64_t> {};
// clang-format on

// Calls f.operator()<E>() for the type.
template <class F>
TC_INLINE void visit_elem(Elem type, F&& f) {
  switch (type) {
#define TC_X(name) \
  case Elem::name: \
    return f.template operator()<Elem::name>();
    TC_X(f32)
    TC_X(f64)
    TC_X(i32) TC_X(i64) TC_X(boolean) TC_X(u8) TC_X(i8) TC_X(u16) TC_X(i16) TC_X(u32) TC_X(u64) TC_X(f16) TC_X(bf16)
#undef TC_X
  }
}

// Keys of n elements `stride` apart; `flip` is -1 where small is good.
template <Elem E, class K>
void make_keys(const void* x, int64_t n, int64_t stride, K flip, K* key) {
  const auto* p = static_cast<const typename KeyOf<E>::Raw*>(x);
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) key[i] = KeyOf<E>::key(p[i]) ^ flip;
  } else {
    for (int64_t i = 0; i < n; ++i) key[i] = KeyOf<E>::key(p[i * stride]) ^ flip;
  }
}

template <class K>
struct RankOf;
template <>
struct RankOf<int32_t> {
  using Rank = uint64_t;
  static TC_INLINE Rank rank(int32_t key, int64_t index) {
    return static_cast<uint64_t>(static_cast<uint32_t>(key) ^ 0x7fffffffu) << 32 | static_cast<uint64_t>(index);
  }
  static TC_INLINE int32_t key(Rank r) { return static_cast<int32_t>(static_cast<uint32_t>(r >> 32) ^ 0x7fffffffu); }
  static TC_INLINE int64_t index(Rank r) { return static_cast<int64_t>(r & 0xffffffffu); }
};
template <>
struct RankOf<int64_t> {
  struct Rank {
    int64_t key_, index_;
    bool operator<(const Rank& o) const { return key_ > o.key_ || (key_ == o.key_ && index_ < o.index_); }
  };
  static TC_INLINE Rank rank(int64_t key, int64_t index) { return {key, index}; }
  static TC_INLINE int64_t key(const Rank& r) { return r.key_; }
  static TC_INLINE int64_t index(const Rank& r) { return r.index_; }
};
template <class K>
using Rank = typename RankOf<K>::Rank;

// Calls f(i + lane) for each set lane.
template <class T, class F>
TC_INLINE void for_set_lanes(Mask<T> m, int64_t i, F&& f) {
  for (uint32_t lanes = set_lanes<T>(m); lanes != 0; lanes &= lanes - 1) f(i + __builtin_ctz(lanes));
}

// One pass over each of the digits, the least significant one first; stable.
template <int kBits>
uint64_t* sort_digits(uint64_t* ranks, uint64_t* spare, int64_t n) {
  constexpr int kDigits = (32 + kBits - 1) / kBits, kBuckets = 1 << kBits;
  const auto digit = [](uint64_t rank, int d) { return rank >> (32 + d * kBits) & (kBuckets - 1); };
  uint32_t from[kDigits][kBuckets] = {};
  for (int64_t i = 0; i < n; ++i)
    for (int d = 0; d < kDigits; ++d) ++from[d][digit(ranks[i], d)];
  for (int d = 0; d < kDigits; ++d) {
    if (from[d][digit(ranks[0], d)] == n) continue;  // all have the same digit
    uint32_t at = 0;
    for (uint32_t& c : from[d]) at += std::exchange(c, at);
    for (int64_t i = 0; i < n; ++i) spare[from[d][digit(ranks[i], d)]++] = ranks[i];
    std::swap(ranks, spare);
  }
  return ranks;
}

// Sorts ranks whose indices rise; `spare` is as long. The result is in either; returned.
inline uint64_t* sort_ranks(uint64_t* ranks, uint64_t* spare, int64_t n) {
  // A comparison sort is faster as long as the histograms take longer to set up than to use.
  if (n > 2048) return sort_digits<11>(ranks, spare, n);
  if (n > 128) return sort_digits<8>(ranks, spare, n);
  std::sort(ranks, ranks + n);
  return ranks;
}
inline RankOf<int64_t>::Rank* sort_ranks(RankOf<int64_t>::Rank* ranks, RankOf<int64_t>::Rank*, int64_t n) {
  std::sort(ranks, ranks + n);
  return ranks;
}

}  // namespace
}  // namespace tc::kernels
