// What turns floats into integers of 8 or 16 bits and back. For int8_tier.cc.
#pragma once
#include <limits>
#include <type_traits>

#include "tc/kernels/elem.h"
#include "tc/kernels/inverts.h"
#include "tc/kernels/simd/bytes.h"
#include "tc/kernels/simd/divide.h"

namespace tc::kernels {
namespace {

constexpr int kV = kLanes<int32_t>;

template <class T>
TC_INLINE Vec<T> load_some(const T* p, int64_t n) {
  return n >= kV ? load(p) : load(p, Tail<T>(static_cast<int>(n)));
}

// The bytes of a type, less a zero point, as floats: a conversion of a larger float is undefined.
struct Bounds {
  VecF low, high;
  Bounds(int32_t least, int32_t most, int32_t zero)
      : low(static_cast<float>(least - zero)), high(static_cast<float>(most - zero)) {}
  // Of bytes; with `relu` none below the zero point.
  Bounds(bool is_signed, int32_t zero, bool relu = false)
      : Bounds(relu        ? zero
               : is_signed ? -128
                           : 0,
               is_signed ? 127 : 255, zero) {}
  TC_INLINE VecF clamp(VecF x) const { return vmin(high, vmax(low, x)); }
};

struct Divider {
  VecF scale, inverse;
  bool inverts;
  explicit Divider(float by) : scale(by), inverse(1.0F / by), inverts(kernels::inverts(by)) {}
  TC_INLINE VecF operator()(VecF x) const { return inverts ? quotient(x, scale, inverse) : x / scale; }
};

// Floats to integers of type T, in the lanes of i32.
template <class T>
struct Quantise {
  Bounds bounds;
  Divider divide;
  VecI moved;
  VecF of_nan;
  Quantise(float scale, int32_t zero)
      : bounds(std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), zero),
        divide(scale),
        moved(zero),
        of_nan(static_cast<float>(-zero)) {}
  TC_INLINE VecI operator()(VecF x) const {
    const VecF v = divide(x);
    return round_to_i32(select(is_nan(v), of_nan, bounds.clamp(v))) + moved;
  }
};

// The same of four registers at a time by a scale that inverts, stored as bytes, which are clamped as integers where
// lanes are packed. 800 thousand floats 60 to 42 us. Returns how many have been stored.
template <class T>
int64_t quantise_quads(const float* x, int64_t n, float scale, int32_t zero, uint8_t* y) {
  const ByteQuotient<T> divide(scale, zero);
  const VecF of_nan(scale * static_cast<float>(-zero));
  constexpr int64_t kAhead = 1024;  // floats; fetching by itself stops at the ends of pages: 46 to 43 us
  int64_t i = 0;
  for (; i + 4 * kV <= n; i += 4 * kV) {
    VecI quad[4];
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) {
      if (r * kV % 16 == 0) __builtin_prefetch(x + i + r * kV + kAhead);
      const VecF from = load(x + i + r * kV);
      quad[r] = divide(select<float>(is_nan(from), of_nan, divide.clamp(from)));
    }
    store_low_bytes<std::is_signed_v<T>>(y + i, quad);
  }
  return i;
}

template <class T>
void quantise_to_bytes(const float* x, int64_t n, float scale, int32_t zero, uint8_t* y) {
  const Quantise<T> quantise(scale, zero);
  int64_t i = 0;
  if (kernels::inverts(scale)) i = quantise_quads<T>(x, n, scale, zero, y);
  for (; i < n; i += kV) {
    const int64_t rest = n - i;
    const VecI byte = quantise(load_some(x + i, rest));
    rest >= kV ? store_low_bytes(y + i, byte) : store_low_bytes(y + i, byte, rest);
  }
}

template <class T>
void quantise_to_words(const float* x, int64_t n, float scale, int32_t zero, T* y) {
  const Quantise<T> quantise(scale, zero);
  constexpr int64_t kPiece = 256;
  alignas(64) int32_t piece[kPiece];
  for (int64_t i = 0; i < n; i += kPiece) {
    const int64_t count = n - i < kPiece ? n - i : kPiece;
    for (int64_t j = 0; j < count; j += kV) store(piece + j, quantise(load_some(x + i + j, count - j)));
    for (int64_t j = 0; j < count; ++j) y[i + j] = static_cast<T>(piece[j]);
  }
}

// f(T{}) with T the integers of 8 or 16 bits.
template <class F>
void by_narrow(Elem type, F f) {
  switch (type) {
    case Elem::i8:
      return f(int8_t{});
    case Elem::u16:
      return f(uint16_t{});
    case Elem::i16:
      return f(int16_t{});
    default:
      return f(uint8_t{});
  }
}

void quantise(const float* x, int64_t n, float scale, int32_t zero, Elem type, void* y) {
  by_narrow(type, [&]<class T>(T) {
    if constexpr (sizeof(T) == 1)
      quantise_to_bytes<T>(x, n, scale, zero, static_cast<uint8_t*>(y));
    else
      quantise_to_words(x, n, scale, zero, static_cast<T*>(y));
  });
}

template <class T>
void dequantise_as(const void* from, int64_t n, float scale, int32_t zero, float* __restrict y) {
  const T* __restrict x = static_cast<const T*>(from);
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(x[i] - zero) * scale;
}
void dequantise(const void* x, Elem type, int64_t n, float scale, int32_t zero, float* y) {
  if (type == Elem::i32) return dequantise_as<int32_t>(x, n, scale, 0, y);
  by_narrow(type, [&]<class T>(T) { dequantise_as<T>(x, n, scale, zero, y); });
}

// Blocks of few registers, for whose scales bounds and inverses are found side by side; kRegs registers of a block,
// all of them or a multiple of four, stand beside those of others as what is stored at a time. A million floats in
// blocks of 32 on a Xeon 0.83 ms by strips, 0.18 so. Returns how many blocks have been stored.
template <class T, int kRegs>
int64_t quantise_short_blocks(const float* x, int64_t blocks, int64_t n, const float* scale, const T* zero,
                              uint8_t* y) {
  using Limits = std::numeric_limits<T>;
  constexpr int kBeside = 4 / kRegs;
  alignas(64) float low[kV], high[kV], inverse[kV], of_nan[kV];
  alignas(64) int32_t moved[kV];
  int64_t b = 0;
  for (; b + kV <= blocks; b += kV) {
    const VecF by = load(scale + b), size = vabs(by);
    if (!all<float>((size > VecF(0x1p-100F)) & (size < VecF(0x1p100F)))) break;
    const VecI at = zero ? load_i32<T>(reinterpret_cast<const uint8_t*>(zero + b), kV) : VecI(0);
    const VecF first = by * to_float(VecI(Limits::min()) - at), last = by * to_float(VecI(Limits::max()) - at);
    store(low, vmin(first, last)), store(high, vmax(first, last));
    store(inverse, VecF(1.0F) / by), store(of_nan, by * to_float(VecI(0) - at)), store(moved, at);
    for (int64_t k = 0; k < kV; k += kBeside) {
      for (int64_t i = 0; i < n * kBeside; i += 4 * kV) {
        const int64_t from = (b + k) * n + i;
        VecI quad[4];
#pragma GCC unroll 4
        for (int r = 0; r < 4; ++r) {
          const int64_t q = k + r / kRegs;
          const VecF v = load(x + from + r * kV);
          const ByteQuotient<T> divide{VecF(low[q]), VecF(high[q]), VecF(scale[b + q]), VecF(inverse[q]),
                                       VecI(moved[q])};
          quad[r] = divide(select<float>(is_nan(v), VecF(of_nan[q]), divide.clamp(v)));
        }
        store_low_bytes<Limits::is_signed>(y + from, quad);
      }
    }
  }
  return b;
}

void quantise_blocks(const float* x, int64_t blocks, int64_t n, const float* scale, const void* zero, Elem type,
                     void* y) {
  by_narrow(type, [&]<class T>(T) {
    const T* const zeros = static_cast<const T*>(zero);
    T* const to = static_cast<T*>(y);
    for (int64_t b = 0; b < blocks; ++b) {
      if constexpr (sizeof(T) == 1) {
        const auto several = [&](auto regs) {
          return quantise_short_blocks<T, regs()>(x + b * n, blocks - b, n, scale + b, zeros ? zeros + b : zeros,
                                                  reinterpret_cast<uint8_t*>(to + b * n));
        };
        if (n == kV)
          b += several(std::integral_constant<int, 1>());
        else if (n == 2 * kV)
          b += several(std::integral_constant<int, 2>());
        else if (n % (4 * kV) == 0)
          b += several(std::integral_constant<int, 4>());
        if (b == blocks) break;
      }
      quantise(x + b * n, n, scale[b], zeros ? zeros[b] : 0, type, to + b * n);
    }
  });
}

void dequantise_blocks(const void* x, Elem type, int64_t blocks, int64_t n, const float* scale, const void* zero,
                       float* y) {
  by_narrow(type, [&]<class T>(T) {
    const T *const from = static_cast<const T*>(x), *const zeros = static_cast<const T*>(zero);
    for (int64_t b = 0; b < blocks; ++b) dequantise_as<T>(from + b * n, n, scale[b], zeros ? zeros[b] : 0, y + b * n);
  });
}

// NaN takes no part.
void range(const float* x, int64_t n, float* low, float* high) {
  constexpr int kParts = 4;
  VecF lo[kParts], hi[kParts];
  for (int p = 0; p < kParts; ++p) lo[p] = hi[p] = VecF(0.0f);
  int64_t i = 0;
  for (; i + kParts * kV <= n; i += kParts * kV)
    for (int p = 0; p < kParts; ++p) {
      const VecF v = load(x + i + p * kV);
      lo[p] = vmin(v, lo[p]), hi[p] = vmax(v, hi[p]);
    }
  for (; i < n; i += kV) {
    const VecF v = load_some(x + i, n - i);
    lo[0] = vmin(v, lo[0]), hi[0] = vmax(v, hi[0]);
  }
  *low = hmin(vmin(vmin(lo[0], lo[1]), vmin(lo[2], lo[3])));
  *high = hmax(vmax(vmax(hi[0], hi[1]), vmax(hi[2], hi[3])));
}

}  // namespace
}  // namespace tc::kernels
