// The vector types of the portable target, over registers of 128 bits of the compiler's. vec.h includes it.
#pragma once
#include "tc/kernels/simd/portable/by_machine.h"

namespace tc::kernels {
namespace {

// Which lanes a comparison holds for.
template <class T>
struct Mask {
  using register_type = Raw<Truth<T>>;
  register_type data;

  Mask() = default;
  explicit TC_INLINE Mask(register_type m) : data(m) {}

  friend TC_INLINE Mask operator&(Mask a, Mask b) { return Mask(a.data & b.data); }
  friend TC_INLINE Mask operator|(Mask a, Mask b) { return Mask(a.data | b.data); }
  friend TC_INLINE Mask operator~(Mask a) { return Mask(~a.data); }
};

// A register of lanes of T. Integers wrap around.
template <class T>
struct Vec {
  using register_type = Raw<T>;
  // What arithmetic and logic are done in.
  using Sums = std::conditional_t<std::is_floating_point_v<T>, Raw<T>, Raw<Word<T>>>;
  using Bits = Raw<Word<T>>;
  static constexpr size_t size = 16 / sizeof(T);
  register_type data;

  Vec() = default;
  TC_INLINE Vec(T x) : data(splat<T>(x)) {}
  TC_INLINE Vec(register_type x) : data(x) {}
  TC_INLINE operator register_type() const { return data; }

  static TC_INLINE Vec load_unaligned(const T* p) { return Vec(load_raw<register_type>(p)); }
  static TC_INLINE Vec load_aligned(const T* p) { return load_unaligned(p); }
  TC_INLINE void store_unaligned(T* p) const { store_raw(p, data); }
  TC_INLINE void store_aligned(T* p) const { store_raw(p, data); }

  friend TC_INLINE Vec operator+(Vec a, Vec b) { return Vec((Raw<T>)((Sums)a.data + (Sums)b.data)); }
  friend TC_INLINE Vec operator-(Vec a, Vec b) { return Vec((Raw<T>)((Sums)a.data - (Sums)b.data)); }
  friend TC_INLINE Vec operator*(Vec a, Vec b) { return Vec((Raw<T>)((Sums)a.data * (Sums)b.data)); }
  friend TC_INLINE Vec operator/(Vec a, Vec b) { return Vec(a.data / b.data); }
  friend TC_INLINE Vec operator&(Vec a, Vec b) { return Vec((Raw<T>)((Bits)a.data & (Bits)b.data)); }
  friend TC_INLINE Vec operator|(Vec a, Vec b) { return Vec((Raw<T>)((Bits)a.data | (Bits)b.data)); }
  friend TC_INLINE Vec operator^(Vec a, Vec b) { return Vec((Raw<T>)((Bits)a.data ^ (Bits)b.data)); }
  friend TC_INLINE Vec operator~(Vec a) { return Vec((Raw<T>)~(Bits)a.data); }
  friend TC_INLINE Vec operator-(Vec a) { return Vec((Raw<T>)-(Sums)a.data); }
  TC_INLINE Vec& operator+=(Vec b) { return *this = *this + b; }
  TC_INLINE Vec& operator-=(Vec b) { return *this = *this - b; }
  TC_INLINE Vec& operator*=(Vec b) { return *this = *this * b; }

  friend TC_INLINE Mask<T> operator==(Vec a, Vec b) { return of(a.data == b.data); }
  friend TC_INLINE Mask<T> operator!=(Vec a, Vec b) { return of(a.data != b.data); }
  friend TC_INLINE Mask<T> operator<(Vec a, Vec b) { return of(a.data < b.data); }
  friend TC_INLINE Mask<T> operator<=(Vec a, Vec b) { return of(a.data <= b.data); }
  friend TC_INLINE Mask<T> operator>(Vec a, Vec b) { return of(a.data > b.data); }
  friend TC_INLINE Mask<T> operator>=(Vec a, Vec b) { return of(a.data >= b.data); }

 private:
  template <class M>
  static TC_INLINE Mask<T> of(M compared) {
    return Mask<T>((typename Mask<T>::register_type)compared);
  }
};

using VecF = Vec<float>;
using VecD = Vec<double>;
using VecI = Vec<int32_t>;
using VecL = Vec<int64_t>;

template <class T>
inline constexpr int kLanes = static_cast<int>(Vec<T>::size);

template <class T>
TC_INLINE Vec<T> broadcast(T x) {
  return Vec<T>(x);
}
template <class T>
TC_INLINE Vec<T> load(const T* p) {
  return Vec<T>::load_unaligned(p);
}
template <class T>
TC_INLINE void store(T* p, Vec<T> v) {
  v.store_unaligned(p);
}
template <class T>
TC_INLINE Vec<T> select(Mask<T> m, Vec<T> if_true, Vec<T> if_false) {
  return Vec<T>(m.data ? if_true.data : if_false.data);
}
template <class T>
TC_INLINE Vec<T> vmin(Vec<T> a, Vec<T> b) {
  return Vec<T>(a.data < b.data ? a.data : b.data);
}
template <class T>
TC_INLINE Vec<T> vmax(Vec<T> a, Vec<T> b) {
  return Vec<T>(a.data > b.data ? a.data : b.data);
}
template <class T>
TC_INLINE Vec<T> fma(Vec<T> a, Vec<T> b, Vec<T> c) {
  if constexpr (std::is_floating_point_v<T>) return Vec<T>(multiply_add(a.data, b.data, c.data));
  return a * b + c;
}
template <class T>
TC_INLINE Vec<T> fnma(Vec<T> a, Vec<T> b, Vec<T> c) {
  if constexpr (std::is_floating_point_v<T>) return Vec<T>(subtract_product(a.data, b.data, c.data));
  return c - a * b;
}
template <class T>
TC_INLINE Vec<T> vsqrt(Vec<T> a) {
  return Vec<T>(root(a.data));
}
template <class T>
TC_INLINE Vec<T> vround(Vec<T> a) {
  return Vec<T>(nearest<T>(a.data));
}
template <class T>
TC_INLINE Vec<T> vfloor(Vec<T> a) {
  return Vec<T>(floor_of<T>(a.data));
}
template <class T>
TC_INLINE Vec<T> vceil(Vec<T> a) {
  return Vec<T>(ceil_of<T>(a.data));
}
template <class T>
TC_INLINE Vec<T> vtrunc(Vec<T> a) {
  return Vec<T>(trunc_of<T>(a.data));
}
template <class T>
TC_INLINE Vec<T> vabs(Vec<T> a) {
  if constexpr (std::is_floating_point_v<T>) return Vec<T>(magnitude<T>(a.data));
  return select(a < Vec<T>(T{0}), -a, a);
}
template <class T>
TC_INLINE Mask<T> not_equal(Vec<T> a, Vec<T> b) {
  return a != b;
}
template <class T>
TC_INLINE Mask<T> is_nan(Vec<T> a) {
  return a != a;
}
template <class T>
TC_INLINE Mask<T> exclusive_or(Mask<T> a, Mask<T> b) {
  return Mask<T>(a.data ^ b.data);
}
TC_INLINE VecI bits(VecF a) {
  return VecI((I32)a.data);
}
TC_INLINE VecL bits(VecD a) {
  return VecL((I64)a.data);
}
TC_INLINE VecF from_bits(VecI a) {
  return VecF((F32)a.data);
}
TC_INLINE VecD from_bits(VecL a) {
  return VecD((F64)a.data);
}

template <class T>
struct Tail {
  int n;
  explicit TC_INLINE Tail(int count) : n(count) {}
  TC_INLINE Mask<T> mask() const {
    using I = Truth<T>;
    if constexpr (sizeof(T) == 4) return Mask<T>(Raw<I>{0, 1, 2, 3} < splat<I>(n));
    if constexpr (sizeof(T) == 8) return Mask<T>(Raw<I>{0, 1} < splat<I>(n));
  }
};
template <class T>
TC_INLINE Vec<T> load(const T* p, Tail<T> t) {
  return Vec<T>((Raw<T>)load_first(p, t.n * static_cast<int>(sizeof(T))));
}
template <class T>
TC_INLINE void store(T* p, Vec<T> v, Tail<T> t) {
  store_first(p, (U64)v.data, t.n * static_cast<int>(sizeof(T)));
}

template <int N>
TC_INLINE VecI shift_left(VecI a) {
  return VecI((I32)((U32)a.data << N));
}
template <int N>
TC_INLINE VecL shift_left(VecL a) {
  return VecL((I64)((U64)a.data << N));
}
template <int N>
TC_INLINE VecI shift_right(VecI a) {
  return VecI((I32)((U32)a.data >> N));
}
template <int N>
TC_INLINE VecL shift_right(VecL a) {
  return VecL((I64)((U64)a.data >> N));
}
template <int N>
TC_INLINE VecI shift_right_arith(VecI a) {
  return VecI(a.data >> N);
}

TC_INLINE VecI to_i32(VecF a) {
  return VecI(cut_to_i32(a.data));
}
TC_INLINE VecI round_to_i32(VecF a) {
  return VecI(nearest_i32(a.data));
}
TC_INLINE VecF to_float(VecI a) {
  return VecF(__builtin_convertvector(a.data, F32));
}
TC_INLINE VecL to_i64(VecD a) {
  const auto cut = [](double x) { return x >= -0x1p63 && x < 0x1p63 ? static_cast<int64_t>(x) : INT64_MIN; };
  return VecL(I64{cut(a.data[0]), cut(a.data[1])});
}
TC_INLINE VecD to_double(VecL a) {
  return VecD(__builtin_convertvector(a.data, F64));
}

TC_INLINE VecF load_f16(const uint16_t* p) {
  return VecF(half_to_float(load_raw<uint64_t>(p)));
}
TC_INLINE VecF load_f16(const uint16_t* p, Tail<float> t) {
  return VecF(half_to_float(load_few(p, 2 * t.n)));
}
TC_INLINE void store_f16(uint16_t* p, VecF v) {
  store_raw(p, float_to_half(v.data));
}
TC_INLINE void store_f16(uint16_t* p, VecF v, Tail<float> t) {
  store_few(p, float_to_half(v.data), 2 * t.n);
}
TC_INLINE VecF bf16_to_float(uint64_t four) {
  return VecF((F32)(__builtin_convertvector(load_raw<HalfU16>(&four), U32) << 16));
}
TC_INLINE uint64_t float_to_bf16(VecF v) {
  const U32 x = (U32)v.data, odd = (x >> 16) & splat(1U);
  const U32 rounded = (x + odd + splat(0x7fffU)) >> 16, quiet = (x >> 16) | splat(0x40U);
  return low_halves((I32)(v.data != v.data ? quiet : rounded));
}
TC_INLINE VecF load_bf16(const uint16_t* p) {
  return bf16_to_float(load_raw<uint64_t>(p));
}
TC_INLINE VecF load_bf16(const uint16_t* p, Tail<float> t) {
  return bf16_to_float(load_few(p, 2 * t.n));
}
TC_INLINE void store_bf16(uint16_t* p, VecF v) {
  store_raw(p, float_to_bf16(v));
}
TC_INLINE void store_bf16(uint16_t* p, VecF v, Tail<float> t) {
  store_few(p, float_to_bf16(v), 2 * t.n);
}

TC_INLINE VecI load_u8(const uint8_t* p) {
  return VecI(widen_bytes<false>(load_raw<uint32_t>(p)));
}
TC_INLINE VecI load_u8(const uint8_t* p, Tail<int32_t> t) {
  return VecI(widen_bytes<false>(static_cast<uint32_t>(load_few(p, t.n))));
}
TC_INLINE VecI load_i8(const int8_t* p) {
  return VecI(widen_bytes<true>(load_raw<uint32_t>(p)));
}
TC_INLINE VecI load_i8(const int8_t* p, Tail<int32_t> t) {
  return VecI(widen_bytes<true>(static_cast<uint32_t>(load_few(p, t.n))));
}

TC_INLINE VecD low_f64(VecF a) {
  return VecD(__builtin_convertvector(HalfF32(__builtin_shufflevector(a.data, a.data, 0, 1)), F64));
}
TC_INLINE VecD high_f64(VecF a) {
  return VecD(__builtin_convertvector(HalfF32(__builtin_shufflevector(a.data, a.data, 2, 3)), F64));
}
TC_INLINE VecF narrow(VecD low, VecD high) {
  const HalfF32 a = __builtin_convertvector(low.data, HalfF32), b = __builtin_convertvector(high.data, HalfF32);
  return VecF(__builtin_shufflevector(a, b, 0, 1, 2, 3));
}
TC_INLINE VecD load_real(const int32_t* p) {
  return VecD(__builtin_convertvector(load_raw<HalfI32>(p), F64));
}
// What is 2^31 is stored as -2^31.
TC_INLINE void store_whole(int32_t* p, VecD x) {
  const U32 words = (U32)to_i64(x).data;
  store_raw(p, ((U64)__builtin_shufflevector(words, words, 0, 2, 0, 2))[0]);
}

TC_INLINE float sum(VecF a) {
  return (a.data[0] + a.data[2]) + (a.data[1] + a.data[3]);
}
TC_INLINE double sum(VecD a) {
  return a.data[0] + a.data[1];
}
TC_INLINE int32_t sum(VecI a) {
  const U32 x = (U32)a.data;
  return static_cast<int32_t>((x[0] + x[2]) + (x[1] + x[3]));
}
TC_INLINE int64_t sum(VecL a) {
  const U64 x = (U64)a.data;
  return static_cast<int64_t>(x[0] + x[1]);
}
template <class T>
TC_INLINE T hmax(Vec<T> a) {
  const auto more = [](T x, T y) { return x > y ? x : y; };
  if constexpr (sizeof(T) == 4) return more(more(a.data[0], a.data[2]), more(a.data[1], a.data[3]));
  return more(a.data[0], a.data[1]);
}
template <class T>
TC_INLINE T hmin(Vec<T> a) {
  const auto less = [](T x, T y) { return x < y ? x : y; };
  if constexpr (sizeof(T) == 4) return less(less(a.data[0], a.data[2]), less(a.data[1], a.data[3]));
  return less(a.data[0], a.data[1]);
}

template <class T>
TC_INLINE bool any(Mask<T> m) {
  return any_set((U64)m.data);
}
template <class T>
TC_INLINE bool all(Mask<T> m) {
  return all_set((U64)m.data);
}

TC_INLINE VecI permute(VecI x, VecI index) {
  const auto lane = [&](int i) { return x.data[index.data[i] & 3]; };
  return VecI(I32{lane(0), lane(1), lane(2), lane(3)});
}
TC_INLINE VecF gather(const float* base, VecI at) {
  return VecF(F32{base[at.data[0]], base[at.data[1]], base[at.data[2]], base[at.data[3]]});
}
TC_INLINE VecI gather(const int32_t* base, VecI at) {
  return VecI(I32{base[at.data[0]], base[at.data[1]], base[at.data[2]], base[at.data[3]]});
}

// near[lanes[i]], or that of `near` and `far` one after the other; kPicksLanes: by instructions.
inline constexpr bool kPicksLanes = false;
TC_INLINE VecF pick_lanes(VecF near, VecI lanes) {
  return from_bits(permute(bits(near), lanes));
}
TC_INLINE VecF pick_lanes(VecF near, VecF far, VecI lanes) {
  float both[2 * kLanes<float>];
  store(both, near), store(both + kLanes<float>, far);
  return gather(both, lanes);
}

// The value in a register: it is not read from memory anew by every operation that takes it.
TC_INLINE VecF held(VecF x) {
#if defined(__x86_64__)
  asm("" : "+x"(x.data));
#elif defined(__aarch64__)
  asm("" : "+w"(x.data));
#endif
  return x;
}

}  // namespace
}  // namespace tc::kernels
