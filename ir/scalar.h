// Storage types of the element types that C++ lacks. Each holds its bit pattern and converts to and from double
// with one rounding (to nearest, ties to even). Values a narrow float cannot represent become infinity where the
// format has one and NaN otherwise; Cast with `saturate` clamps before it converts.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>

namespace tc {

// How a format spends its top codes.
enum class FloatSpecials {
  ieee,  // exponent all ones: infinities and NaNs
  fn,    // no infinity; NaN is all ones (E4M3FN)
  fnuz,  // no infinity, no -0; NaN is the sign bit alone
  none,  // neither infinity nor NaN (E2M1)
};

// Encodes `value` as sign | exponent (E bits, `Bias`) | mantissa (M bits), rounding to nearest even.
template <int E, int M, int Bias, FloatSpecials S>
constexpr uint32_t encode_float(double value) {
  constexpr uint32_t sign_bit = 1u << (E + M);
  constexpr uint32_t all_ones = sign_bit - 1;
  constexpr uint32_t ieee_inf = ((1u << E) - 1) << M;
  constexpr uint32_t nan = S == FloatSpecials::ieee   ? (ieee_inf | (1u << (M - 1)))
                           : S == FloatSpecials::fnuz ? sign_bit
                                                      : all_ones;
  constexpr uint32_t largest = S == FloatSpecials::ieee ? ieee_inf - 1
                               : S == FloatSpecials::fn ? all_ones - 1
                                                        : all_ones;
  constexpr uint32_t overflow = S == FloatSpecials::ieee ? ieee_inf : S == FloatSpecials::none ? largest : nan;
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint32_t sign = (bits >> 63) ? sign_bit : 0;
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  uint64_t mantissa = bits & ((uint64_t{1} << 52) - 1);
  if (exponent == 0x7ff) {
    if (mantissa) return S == FloatSpecials::fnuz || S == FloatSpecials::none ? nan : nan | sign;
    return S == FloatSpecials::fnuz ? nan : overflow | sign;
  }
  if (exponent == 0) return S == FloatSpecials::fnuz ? 0 : sign;  // a double's denormals are below every format
  mantissa |= uint64_t{1} << 52;
  int target = exponent - 1023 + Bias;
  int shift = 52 - M;
  if (target <= 0) shift += 1 - target, target = 0;
  uint64_t kept = 0;
  if (shift < 64) {
    kept = mantissa >> shift;
    const uint64_t rest = mantissa & ((uint64_t{1} << shift) - 1), half = uint64_t{1} << (shift - 1);
    if (rest > half || (rest == half && (kept & 1))) ++kept;
  }
  // A normal number's implicit bit adds 1 to (target - 1); a carry of the rounding moves up by itself.
  const uint64_t code = (target > 0 ? static_cast<uint64_t>(target - 1) << M : 0) + kept;
  if (code > largest) return S == FloatSpecials::fnuz ? nan : overflow | sign;
  if (S == FloatSpecials::fnuz && code == 0) return 0;
  return static_cast<uint32_t>(code) | sign;
}

template <int E, int M, int Bias, FloatSpecials S>
constexpr double decode_float(uint32_t code) {
  constexpr uint32_t sign_bit = 1u << (E + M);
  constexpr uint32_t all_ones = sign_bit - 1;
  // By its bit: a branch on it would be taken at random.
  const auto sign = static_cast<uint64_t>(code & sign_bit) << (63 - E - M);
  const auto with_sign = [=](double v) { return std::bit_cast<double>(std::bit_cast<uint64_t>(v) | sign); };
  const uint32_t magnitude = code & all_ones;
  const uint32_t exponent = magnitude >> M, mantissa = magnitude & ((1u << M) - 1);
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  if (S == FloatSpecials::ieee && exponent == (1u << E) - 1)
    return mantissa ? kNaN : with_sign(std::numeric_limits<double>::infinity());
  if (S == FloatSpecials::fn && magnitude == all_ones) return kNaN;
  if (S == FloatSpecials::fnuz && code == sign_bit) return kNaN;
  const int e = exponent ? static_cast<int>(exponent) : 1;
  const double significand = static_cast<double>(mantissa) + (exponent ? static_cast<double>(1u << M) : 0.0);
  const int power = e - Bias - M;  // |power| < 1022 for every format here: exact
  const double scale = std::bit_cast<double>(static_cast<uint64_t>(power + 1023) << 52);
  return with_sign(significand * scale);
}

template <class Bits, int E, int M, int Bias, FloatSpecials S>
struct MiniFloat {
  Bits bits;
  MiniFloat() = default;
  explicit MiniFloat(double v) : bits(static_cast<Bits>(encode_float<E, M, Bias, S>(v))) {}
  explicit operator double() const { return decode_float<E, M, Bias, S>(bits); }
  // The largest finite value, for saturating casts.
  static double max() {
    constexpr uint32_t all_ones = (1u << (E + M)) - 1;
    constexpr uint32_t ieee_inf = ((1u << E) - 1) << M;
    return decode_float<E, M, Bias, S>(S == FloatSpecials::ieee ? ieee_inf - 1
                                       : S == FloatSpecials::fn ? all_ones - 1
                                                                : all_ones);
  }
};

using Float16 = MiniFloat<uint16_t, 5, 10, 15, FloatSpecials::ieee>;
using BFloat16 = MiniFloat<uint16_t, 8, 7, 127, FloatSpecials::ieee>;
using Float8E4M3FN = MiniFloat<uint8_t, 4, 3, 7, FloatSpecials::fn>;
using Float8E4M3FNUZ = MiniFloat<uint8_t, 4, 3, 8, FloatSpecials::fnuz>;
using Float8E5M2 = MiniFloat<uint8_t, 5, 2, 15, FloatSpecials::ieee>;
using Float8E5M2FNUZ = MiniFloat<uint8_t, 5, 2, 16, FloatSpecials::fnuz>;
using Float4E2M1 = MiniFloat<uint8_t, 2, 1, 1, FloatSpecials::none>;

// A power of two, exponent bias 127; 0xff is NaN (OCP microscaling formats, E8M0).
struct Float8E8M0 {
  uint8_t bits;
  Float8E8M0() = default;
  explicit Float8E8M0(double v) {
    if (!(v > 0) || std::isinf(v)) {
      bits = v == 0 ? 0 : 0xff;
      return;
    }
    int e = 0;
    const double f = std::frexp(v, &e);  // v = f * 2^e, f in [0.5, 1): nearest power of two, ties up
    const int code = (f >= 0.75 ? e : e - 1) + 127;
    bits = code < 0 ? 0 : code > 254 ? 0xff : static_cast<uint8_t>(code);
  }
  explicit operator double() const {
    return bits == 0xff ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, static_cast<int>(bits) - 127);
  }
  static double max() { return std::ldexp(1.0, 127); }
};

// One byte, 0 or 1. A type of its own so that byte-sized integers and booleans never mix.
struct Bool {
  uint8_t bits;
  Bool() = default;
  explicit Bool(bool v) : bits(v) {}
  explicit operator bool() const { return bits != 0; }
};

// Integers of `Width` bits in a byte, wrapping on conversion.
template <int Width, bool Signed>
struct NarrowInt {
  using Byte = std::conditional_t<Signed, int8_t, uint8_t>;
  Byte value;
  NarrowInt() = default;
  template <class Int>
  explicit NarrowInt(Int v) {
    const auto low = static_cast<uint8_t>(static_cast<uint64_t>(v) & ((1u << Width) - 1));
    const uint8_t sign = 1u << (Width - 1);
    value = static_cast<Byte>(Signed ? static_cast<int>(low ^ sign) - sign : low);
  }
  explicit operator int64_t() const { return value; }
  explicit operator uint64_t() const { return static_cast<uint64_t>(value); }
};
using Int4 = NarrowInt<4, true>;
using UInt4 = NarrowInt<4, false>;
using Int2 = NarrowInt<2, true>;
using UInt2 = NarrowInt<2, false>;

}  // namespace tc
