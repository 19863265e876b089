// How strip programs reach their operands, for *_tier.cc files: conversions, places in the iteration space.
#pragma once

#include <cstring>
#include <type_traits>

#include "tc/kernels/elementwise/strip_loops.h"
#include "tc/kernels/streams.h"

namespace tc::kernels {
namespace {

struct Bool {
  uint8_t byte;
};

// The nearest thing to a C cast that is defined for every value.
template <class To, class From>
TC_INLINE To convert(From x) {
  if constexpr (std::is_same_v<From, Bool>) {
    return static_cast<To>(x.byte != 0);
  } else if constexpr (std::is_same_v<To, Bool>) {
    return Bool{static_cast<uint8_t>(x != From{0})};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if constexpr (std::is_same_v<To, int32_t>) {
      return x >= From(-0x1p31) && x < From(0x1p31) ? static_cast<To>(x) : std::numeric_limits<To>::min();
    } else {
      if constexpr (std::is_same_v<To, uint64_t>) {
        if (x >= From(0x1p63) && x < From(0x1p64)) return static_cast<To>(x);
      }
      if (x >= From(-0x1p63) && x < From(0x1p63)) return static_cast<To>(static_cast<int64_t>(x));
      // Narrower types take the low bits of the nearest i64.
      using Limits = std::numeric_limits<int64_t>;
      return static_cast<To>(sizeof(To) < 8 && x > From{0} ? Limits::max() : Limits::min());
    }
  } else {
    return static_cast<To>(x);
  }
}

// Copies n elements between a strip and memory: dst[i] = base[i * stride], or base[i * stride] = src[i].
template <class T>
using FetchFn = void(T* dst, const void* base, int64_t stride, int n);
template <class T>
using FlushFn = void(void* base, int64_t stride, const T* src, int n);

template <class T, class S>
void fetch(T* dst, const void* base, int64_t stride, int n) {
  const S* src = static_cast<const S*>(base);
  if (stride == 0) {
    const T value = convert<T>(src[0]);
    for (int i = 0; i < n; ++i) dst[i] = value;
  } else if (stride == 1) {
    if constexpr (std::is_same_v<T, S>) {
      std::memcpy(dst, src, static_cast<size_t>(n) * sizeof(T));
    } else {
      for (int i = 0; i < n; ++i) dst[i] = convert<T>(src[i]);
    }
  } else {
    for (int i = 0; i < n; ++i) dst[i] = convert<T>(src[i * stride]);
  }
}

// Elements that are converted the same way.
constexpr int kAtOnce = 512;

template <class T, class S>
void flush(void* base, int64_t stride, const T* src, int n) {
  S* dst = static_cast<S*>(base);
  if (stride == 1) {
    if constexpr (std::is_same_v<T, S>) {
      std::memcpy(dst, src, static_cast<size_t>(n) * sizeof(T));
    } else if constexpr (std::is_same_v<T, float> && std::is_integral_v<S> && !std::is_same_v<S, int32_t>) {
      // By way of 32 bits where these hold every value: vectors have such a conversion.
      for (int first = 0; first < n; first += kAtOnce) {
        const int end = std::min(n, first + kAtOnce);
        int beyond = 0;
        for (int i = first; i < end; ++i) beyond |= !(std::abs(src[i]) < 0x1p31F);
        if (beyond)
          for (int i = first; i < end; ++i) dst[i] = convert<S>(src[i]);
        else
          for (int i = first; i < end; ++i) dst[i] = static_cast<S>(static_cast<int32_t>(src[i]));
      }
    } else {
      for (int i = 0; i < n; ++i) dst[i] = convert<S>(src[i]);
    }
  } else {
    for (int i = 0; i < n; ++i) dst[i * stride] = convert<S>(src[i]);
  }
}

// 16-bit floats pass through a buffer of bits when they are strided.
template <bool kBrain>
void fetch_half(float* dst, const void* base, int64_t stride, int n) {
  const auto* src = static_cast<const uint16_t*>(base);
  uint16_t packed[kStripBytes / sizeof(float)];
  if (stride != 1) {
    for (int i = 0; i < n; ++i) packed[i] = src[i * stride];
    src = packed;
  }
  int i = 0;
  for (; i + kLanes<float> <= n; i += kLanes<float>) store(dst + i, kBrain ? load_bf16(src + i) : load_f16(src + i));
  if (i < n) {
    const Tail<float> tail(n - i);
    store(dst + i, kBrain ? load_bf16(src + i, tail) : load_f16(src + i, tail), tail);
  }
}
template <bool kBrain>
void flush_half(void* base, int64_t stride, const float* src, int n) {
  auto* dst = static_cast<uint16_t*>(base);
  uint16_t packed[kStripBytes / sizeof(float)];
  uint16_t* out = stride == 1 ? dst : packed;
  int i = 0;
  for (; i + kLanes<float> <= n; i += kLanes<float>) {
    if constexpr (kBrain)
      store_bf16(out + i, load(src + i));
    else
      store_f16(out + i, load(src + i));
  }
  if (i < n) {
    const Tail<float> tail(n - i);
    if constexpr (kBrain)
      store_bf16(out + i, load(src + i, tail), tail);
    else
      store_f16(out + i, load(src + i, tail), tail);
  }
  if (stride != 1) {
    for (i = 0; i < n; ++i) dst[i * stride] = packed[i];
  }
}

// Those of doubles, which are rounded once.
template <bool kBrain>
TC_INLINE VecD round_to_half(VecD x) {
  // Bits after the first, the least normal number, and what a larger number than any is rounded to as a float.
  constexpr double kShift = kBrain ? 0x1.8p45 : 0x1.8p42, kLeast = kBrain ? 0x1p-126 : 0x1p-14, kBeyond = 0x1p129;
  const VecD power = vmax(from_bits(bits(x) & bits(VecD(std::numeric_limits<double>::infinity()))), VecD(kLeast));
  const VecD shift = power * VecD(kShift);
  const VecD sign = from_bits(bits(x) & bits(VecD(-0.0)));
  const VecD rounded = from_bits(bits((x + shift) - shift) | bits(sign));
  return select<double>(vabs(x) < VecD(kBeyond), rounded, x);
}
template <bool kBrain>
void fetch_half(double* dst, const void* base, int64_t stride, int n) {
  constexpr int kStep = kLanes<float>;
  float floats[kStripBytes / sizeof(double)];
  const auto* src = static_cast<const uint16_t*>(base);
  for (int i = 0; i < n; i += static_cast<int>(std::size(floats))) {
    const int count = n - i < static_cast<int>(std::size(floats)) ? n - i : static_cast<int>(std::size(floats));
    fetch_half<kBrain>(floats, src + i * stride, stride, count);
    int k = 0;
    for (; k + kStep <= count; k += kStep) {
      const VecF v = load(floats + k);
      store(dst + i + k, low_f64(v)), store(dst + i + k + kLanes<double>, high_f64(v));
    }
    for (; k < count; ++k) dst[i + k] = floats[k];
  }
}
template <bool kBrain>
void flush_half(void* base, int64_t stride, const double* src, int n) {
  constexpr int kStep = kLanes<double>;
  float floats[kStripBytes / sizeof(double)];
  auto* dst = static_cast<uint16_t*>(base);
  for (int i = 0; i < n; i += static_cast<int>(std::size(floats))) {
    const int count = n - i < static_cast<int>(std::size(floats)) ? n - i : static_cast<int>(std::size(floats));
    for (int k = 0; k < count; k += kStep) {
      alignas(64) double rounded[kStep];
      const int rest = count - k < kStep ? count - k : kStep;
      store(rounded, round_to_half<kBrain>(load(src + i + k, Tail<double>(rest))));
      for (int lane = 0; lane < rest; ++lane) floats[k + lane] = static_cast<float>(rounded[lane]);
    }
    flush_half<kBrain>(dst + i * stride, stride, floats, count);
  }
}

// In the order of Elem.
template <class T>
inline constexpr FetchFn<T>* kFetch[kElemCount] = {
    fetch<T, float>,  fetch<T, double>,   fetch<T, int32_t>, fetch<T, int64_t>,  fetch<T, Bool>,     fetch<T, uint8_t>,
    fetch<T, int8_t>, fetch<T, uint16_t>, fetch<T, int16_t>, fetch<T, uint32_t>, fetch<T, uint64_t>, nullptr,
    nullptr};
template <class T>
inline constexpr FlushFn<T>* kFlush[kElemCount] = {
    flush<T, float>,  flush<T, double>,   flush<T, int32_t>, flush<T, int64_t>,  flush<T, Bool>,     flush<T, uint8_t>,
    flush<T, int8_t>, flush<T, uint16_t>, flush<T, int16_t>, flush<T, uint32_t>, flush<T, uint64_t>, nullptr,
    nullptr};
template <class T>
FetchFn<T>* fetch_fn(Elem type) {
  if constexpr (std::is_floating_point_v<T>) {
    if (type == Elem::f16) return fetch_half<false>;
    if (type == Elem::bf16) return fetch_half<true>;
  }
  return kFetch<T>[static_cast<int>(type)];
}
template <class T>
FlushFn<T>* flush_fn(Elem type) {
  if constexpr (std::is_floating_point_v<T>) {
    if (type == Elem::f16) return flush_half<false>;
    if (type == Elem::bf16) return flush_half<true>;
  }
  return kFlush<T>[static_cast<int>(type)];
}

// A place in the iteration space.
struct Cursor {
  int rank;
  const int64_t* extent;
  int64_t at[kMaxRank];

  Cursor(const StripArgs& args, int64_t flat) : rank(args.rank), extent(args.extent) {
    for (int d = rank - 1; d >= 0; --d) {
      at[d] = flat % extent[d];
      flat /= extent[d];
    }
  }
  int64_t row_rest() const { return extent[rank - 1] - at[rank - 1]; }
  int64_t row_offset(const int64_t* stride) const {  // of the row's first element
    int64_t sum = 0;
    for (int d = 0; d < rank - 1; ++d) sum += at[d] * stride[d];
    return sum;
  }
  int64_t offset(const int64_t* stride) const { return row_offset(stride) + at[rank - 1] * stride[rank - 1]; }
  // Moves on by at most one row's rest, and returns how far an operand with these strides moves.
  int64_t advance(int64_t n, const int64_t* stride) {
    int d = rank - 1;
    int64_t moved = n * stride[d];
    at[d] += n;
    while (at[d] == extent[d] && d > 0) {
      moved -= extent[d] * stride[d];
      at[d] = 0;
      --d;
      ++at[d];
      moved += stride[d];
    }
    return moved;
  }
};

// How an operand is reached.
enum class Access : uint8_t {
  splat,    // one value for the whole run, written into its strip once
  flat,     // dense over the iteration space
  strided,  // anything else
};

inline Access access_of(const StripArgs& args, const int64_t* stride, int64_t period, bool input) {
  bool flat = !period, splat = input;
  int64_t dense = 1;
  for (int d = args.rank - 1; d >= 0; --d) {
    if (args.extent[d] == 1) continue;
    flat &= stride[d] == dense;
    splat &= stride[d] == 0;
    dense *= args.extent[d];
  }
  return splat ? Access::splat : flat ? Access::flat : Access::strided;
}

// Whether output slot `k` lies in the memory of an input that is read after the output was written. Such an output is
// computed in its strip, and stored when the strip is done.
inline bool written_too_early(const StripArgs& args, int k) {
  const StripProgram& p = *args.program;
  for (int i = 0; i < p.inputs; ++i) {
    if (args.inputs[i].data != args.outputs[k - p.inputs].data) continue;
    bool written = false;
    for (const StripOp& op : p.code) {
      if (written && (op.a == i || op.b == i || op.c == i)) return true;
      written |= op.dst == k;
    }
  }
  return false;
}

inline bool streams(const StripArgs& args) {
  int64_t bytes = 0;
  for (int k = 0; k < args.program->outputs; ++k) bytes += elem_bytes(args.outputs[k].type);
  return args.elements() * bytes >= kStreamedBytes;
}

template <class T>
struct Place {
  Access access;
  bool native;  // elements of the compute type, usable where they lie
  int size;
  union {
    FetchFn<T>* fetch;
    FlushFn<T>* flush;
  };
  int64_t inner;            // stride of the last dimension
  int64_t period;           // as StripInput's
  const void* filled_from;  // source of a row's constant or period that the strip holds already
  int64_t filled_phase;
  int filled;
};

// n elements of a row that begins again after at.period, from element `first` on.
template <class T>
void fetch_repeated(const Place<T>& at, T* dst, const std::byte* row, int64_t first, int n) {
  int64_t phase = first % at.period;
  int have = 0;
  while (have < n && have < at.period) {
    const int64_t rest = std::min(at.period - phase, at.period - have);
    const int part = n - have < rest ? n - have : static_cast<int>(rest);
    at.fetch(dst + have, row + phase * at.inner * at.size, at.inner, part);
    have += part;
    phase = 0;
  }
  for (int part; have < n; have += part) {  // a whole number of periods, twice as many each time
    part = std::min(have, n - have);
    std::memcpy(dst + have, dst, static_cast<size_t>(part) * sizeof(T));
  }
}

}  // namespace
}  // namespace tc::kernels
