#include <limits>
#include <type_traits>

#include "tc/kernels/int8/int8_engine.h"
#include "tc/kernels/int8/quantise_tier.h"
#include "tc/kernels/simd/look_up.h"
#include "tc/kernels/simd/transpose.h"

namespace tc::kernels {
namespace {

static_assert(kInt8Width % kV == 0);

// place(column, register) for the columns of a row.
template <class Place>
TC_INLINE void finish_row(const Int8Finish& f, int64_t r, Place&& place) {
  const int32_t* acc = f.acc + r * f.acc_row;
  const VecI bias(f.bias[r]);
  if (!f.factor || !f.factor[r]) {
    for (int64_t j = 0; j < f.cols; j += kV) place(j, load(acc + j) + bias);
    return;
  }
  const VecI factor(f.factor[r]);
  for (int64_t j = 0; j < f.cols; j += kV) place(j, load(acc + j) + bias - factor * load(f.minus + j));
}

// Sums to bytes, in the lanes of i32.
template <bool kAdds>
struct ToByte {
  Bounds bounds, sum_bounds;
  VecI moved, other_zero;
  VecF product_scale, other_scale, least;
  Divider divide;
  bool other_signed;
  ToByte(const Int8Output& out, const Int8Sum& sum)
      : bounds(out.kind == Int8Output::Kind::i8, out.zero, out.relu),
        sum_bounds(sum.is_signed, sum.zero),
        moved(kAdds ? sum.zero : out.zero),
        other_zero(sum.other_zero),
        product_scale(sum.product_scale),
        other_scale(sum.other_scale),
        least(sum.relu ? 0.0F : -std::numeric_limits<float>::infinity()),
        divide(sum.scale),
        other_signed(sum.other_signed) {}
  TC_INLINE VecI operator()(VecF sum, VecF factor, const uint8_t* other, int64_t rest) const {
    VecF x = bounds.clamp(sum * factor);
    if constexpr (kAdds) {
      const VecI there = other_signed ? load_i32<int8_t>(other, rest) : load_i32<uint8_t>(other, rest);
      x = fma(to_float(there - other_zero), other_scale, vround(x) * product_scale);
      x = sum_bounds.clamp(divide(vmax(least, x)));
    }
    return round_to_i32(x) + moved;
  }
};

template <bool kScales, bool kAdds>
void to_bytes(const Int8Finish& f) {
  const ToByte<kAdds> to_byte(f.output, f.sum);
  auto* y = static_cast<uint8_t*>(f.y);
  const uint8_t* other = f.sum.other;
  for (int64_t r = 0; r < f.rows; ++r, y += f.y_row, other += kAdds ? f.y_row : 0) {
    const float* scale = f.output.scale + r * f.output.scale_row;
    const VecF one(*scale);
    finish_row(f, r, [&](int64_t j, VecI sum) {
      const int64_t rest = f.cols - j;
      const VecI byte = to_byte(to_float(sum), kScales ? load_some(scale + j, rest) : one, other + j, rest);
      rest >= kV ? store_low_bytes(y + j, byte) : store_low_bytes(y + j, byte, rest);
    });
  }
}

template <bool kFloats, bool kAdds, bool kSigned>
void pixels_to_bytes(const Int8Pixels& p) {
  const ToByte<kAdds> to_byte(p.output, p.sum);
  for (int64_t c = 0; c < p.channels; c += kV) {
    const int64_t first = c / kChannelBlock * p.y_block + c % kChannelBlock;
    auto* y = static_cast<uint8_t*>(p.y) + first;
    const uint8_t* other = kAdds ? p.sum.other + first : nullptr;
    const VecF scale = load(p.output.scale + c);
    const VecI bias = kFloats ? VecI(0) : load(p.bias + c);
    const auto byte_at = [&](int64_t i) __attribute__((always_inline)) {
      const int64_t from = i * p.acc_row + c;
      const VecF sum = kFloats ? load(p.floats + from) : to_float(load(p.acc + from) + bias);
      return to_byte(sum, scale, other + (kAdds ? i * kChannelBlock : 0), kV);
    };
    int64_t i = 0;
#if defined(__AVX512F__)
    for (; i + 4 <= p.pixels; i += 4) {
      const VecI four[] = {byte_at(i), byte_at(i + 1), byte_at(i + 2), byte_at(i + 3)};
      store_low_bytes<kSigned>(y + i * kChannelBlock, four);
    }
#endif
    for (; i < p.pixels; ++i) store_low_bytes(y + i * kChannelBlock, byte_at(i));
  }
}

template <bool kFloats, bool kAdds>
void pixels_to_bytes(const Int8Pixels& p) {
  const bool is_signed = kAdds ? p.sum.is_signed : p.output.kind == Int8Output::Kind::i8;
  (is_signed ? pixels_to_bytes<kFloats, kAdds, true> : pixels_to_bytes<kFloats, kAdds, false>)(p);
}

template <bool kFloats>
void pixels_to_floats(const Int8Pixels& p) {
  const VecF least(p.output.relu ? 0.0F : -std::numeric_limits<float>::infinity());
  for (int64_t c = 0; c < p.channels; c += kV) {
    auto* y = static_cast<float*>(p.y) + c / kChannelBlock * p.y_block + c % kChannelBlock;
    const VecF scale = load(p.output.scale + c), shift = p.output.shift ? load(p.output.shift + c) : VecF(0.0F);
    const VecI bias = kFloats ? VecI(0) : load(p.bias + c);
    for (int64_t i = 0; i < p.pixels; ++i) {
      const int64_t from = i * p.acc_row + c;
      const VecF sum = kFloats ? load(p.floats + from) : to_float(load(p.acc + from) + bias);
      store(y + i * kChannelBlock, vmax(least, sum * scale + shift));
    }
  }
}

void finish_pixels(const Int8Pixels& p) {
  if (p.output.kind == Int8Output::Kind::f32) return (p.floats ? pixels_to_floats<true> : pixels_to_floats<false>)(p);
  if (p.output.kind != Int8Output::Kind::i32) {
    if (p.floats) return (p.sum.other ? pixels_to_bytes<true, true> : pixels_to_bytes<true, false>)(p);
    return (p.sum.other ? pixels_to_bytes<false, true> : pixels_to_bytes<false, false>)(p);
  }
  for (int64_t c = 0; c < p.channels; c += kV) {
    auto* y = static_cast<int32_t*>(p.y) + c / kChannelBlock * p.y_block + c % kChannelBlock;
    const VecI bias = p.floats ? VecI(0) : load(p.bias + c);
    for (int64_t i = 0; i < p.pixels; ++i) {
      const int64_t from = i * p.acc_row + c;
      store(y + i * kChannelBlock, p.floats ? round_to_i32(load(p.floats + from)) : load(p.acc + from) + bias);
    }
  }
}

// Sums or floats, four bytes each.
template <class T, class Of>
TC_INLINE void to_words(const Int8Finish& f, Of&& of) {
  auto* y = static_cast<T*>(f.y);
  for (int64_t r = 0; r < f.rows; ++r, y += f.y_row)
    finish_row(f, r, [&](int64_t j, VecI sum) {
      if (f.cols - j >= kV)
        store(y + j, of(r, j, sum));
      else
        store(y + j, of(r, j, sum), Tail<T>(static_cast<int>(f.cols - j)));
    });
}

template <bool kScales>
void to_floats(const Int8Finish& f) {
  const Int8Output& out = f.output;
  to_words<float>(f, [&](int64_t r, int64_t j, VecI sum) {
    const float* scale = out.scale + r * out.scale_row;
    VecF y = to_float(sum) * (kScales ? load_some(scale + j, f.cols - j) : VecF(*scale));
    if (out.shift) y = y + (out.scale_row ? VecF(out.shift[r]) : load_some(out.shift + j, f.cols - j));
    return out.relu ? vmax(VecF(0.0F), y) : y;
  });
}

void finish(const Int8Finish& f) {
  const Int8Output& out = f.output;
  if (out.kind == Int8Output::Kind::i32) return to_words<int32_t>(f, [](int64_t, int64_t, VecI sum) { return sum; });
  if (out.kind == Int8Output::Kind::f32) return (out.scale_col ? to_floats<true> : to_floats<false>)(f);
  if (f.sum.other) return to_bytes<false, true>(f);
  (out.scale_col ? to_bytes<true, false> : to_bytes<false, false>)(f);
}

// Reads channels that are not there from the last one.
void to_blocked(const uint8_t* x, int64_t plane, int channels, int64_t pixels, uint8_t* y) {
  const uint8_t* from[16];
  uint8_t* to[16];
  for (int64_t p = 0; p < pixels; p += kChannelBlock) {
    // The last square overlaps the one before.
    const int64_t at = pixels - p < kChannelBlock ? pixels - kChannelBlock : p;
    if (at < 0) {
      for (int64_t i = 0; i < pixels; ++i)
        for (int c = 0; c < kChannelBlock; ++c) y[i * kChannelBlock + c] = c < channels ? x[c * plane + i] : uint8_t{0};
      return;
    }
    for (int i = 0; i < kChannelBlock; ++i) {
      from[i] = x + (i < channels ? i : channels - 1) * plane + at;
      to[i] = y + (at + i) * kChannelBlock;
    }
    transpose_square<1>([&](int i) { return from[i]; }, [&](int i) { return to[i]; });
  }
}

void to_plain(const uint8_t* x, int64_t plane, int channels, int64_t pixels, uint8_t* y) {
  const uint8_t* from[16];
  uint8_t* to[16];
  uint8_t unused[16];
  for (int64_t p = 0; p < pixels; p += kChannelBlock) {
    const int64_t at = pixels - p < kChannelBlock ? pixels - kChannelBlock : p;
    if (at < 0) {
      for (int64_t i = 0; i < pixels; ++i)
        for (int c = 0; c < channels; ++c) y[c * plane + i] = x[i * kChannelBlock + c];
      return;
    }
    for (int i = 0; i < kChannelBlock; ++i) {
      from[i] = x + (at + i) * kChannelBlock;
      to[i] = i < channels ? y + i * plane + at : unused;
    }
    transpose_square<1>([&](int i) { return from[i]; }, [&](int i) { return to[i]; });
  }
}

int32_t copy_row(const uint8_t* from, int64_t n, uint8_t flip, int64_t piece, int64_t step, uint8_t* to) {
  constexpr int64_t kStep = sizeof(Bytes);
  const Bytes change = repeat_byte(flip);
  Bytes sums = no_bytes();
  int32_t sum = 0;
  if (!to || piece == step) piece = n;
  for (int64_t first = 0; first < n; first += piece, to += to ? step : 0) {
    const int64_t count = n - first < piece ? n - first : piece;
    int64_t p = 0;
    for (; p + kStep <= count; p += kStep) {
      const Bytes some = load_bytes(from + first + p) ^ change;
      sums = add_eights(sums, some);
      if (to) store_bytes(to + p, some);
    }
    for (; p < count; ++p) {
      const auto byte = static_cast<uint8_t>(from[first + p] ^ flip);
      sum += byte;
      if (to) to[p] = byte;
    }
  }
  alignas(64) int64_t parts[kStep / 8];
  store_bytes(parts, sums);
  for (const int64_t part : parts) sum += static_cast<int32_t>(part);
  return sum;
}

void sum_panel(const uint8_t* panel, int64_t depth, int64_t width, int32_t* sums) {
  const Quads<false, true> ones(repeat_byte(1));
  for (int64_t j = 0; j < width; j += kQuads) {
    Bytes sum = no_bytes();
    for (int64_t s = 0; s < depth; ++s)
      sum = dot4(sum, ones, Quads<true, true>(load_bytes(panel + (s * width + j) * 4)));
    store_bytes(sums + j, sum);
  }
}

template <int64_t kStep>
void interleave_four(const uint8_t* __restrict a, const uint8_t* __restrict b, const uint8_t* __restrict c,
                     const uint8_t* __restrict d, int64_t n, uint8_t flip, uint8_t* __restrict to) {
  const auto quad = [&](int64_t i) {
    to[4 * i] = static_cast<uint8_t>(a[i * kStep] ^ flip);
    to[4 * i + 1] = static_cast<uint8_t>(b[i * kStep] ^ flip);
    to[4 * i + 2] = static_cast<uint8_t>(c[i * kStep] ^ flip);
    to[4 * i + 3] = static_cast<uint8_t>(d[i * kStep] ^ flip);
  };
  // Fixed counts become shuffles; the last one may overlap the one before.
  const auto chunks = [&]<int64_t kCount>(std::integral_constant<int64_t, kCount>) {
    for (int64_t i = 0; i < n; i += kCount) {
      const int64_t first = i + kCount <= n ? i : n - kCount;
      for (int64_t j = 0; j < kCount; ++j) quad(first + j);
    }
  };
  if (n >= 16) return chunks(std::integral_constant<int64_t, 16>());
  if (n >= 4) return chunks(std::integral_constant<int64_t, 4>());
  for (int64_t i = 0; i < n; ++i) quad(i);
}

void interleave(const uint8_t* const rows[4], int64_t n, int64_t step, uint8_t flip, uint8_t* quads) {
  if (rows[0] && rows[1] && rows[2] && rows[3] && step <= 2)
    return (step == 1 ? interleave_four<1> : interleave_four<2>)(rows[0], rows[1], rows[2], rows[3], n, flip, quads);
  for (int64_t i = 0; i < n; ++i)
    for (int q = 0; q < 4; ++q)
      quads[4 * i + q] = rows[q] ? static_cast<uint8_t>(rows[q][i * step] ^ flip) : uint8_t{0};
}

template <int64_t kStep>
void gather_by(const uint8_t* from, int64_t stride, int64_t lines, std::span<const Int8Piece> pieces, int64_t step,
               uint8_t* to) {
  for (int64_t i = 0; i < lines; ++i, from += stride, to += step) {
    uint8_t* next = to;
    for (const Int8Piece& p : pieces) {
      // Whole steps where the next piece or line is written over what they write too much.
      if (i + 1 < lines)
        for (int64_t at = 0; at < p.count; at += kStep) std::memcpy(next + at, from + p.at + at, kStep);
      else
        std::memcpy(next, from + p.at, static_cast<size_t>(p.count));
      next += p.count;
    }
  }
}
void gather(const uint8_t* from, int64_t stride, int64_t lines, std::span<const Int8Piece> pieces, int64_t step,
            uint8_t* to) {
  int64_t longest = 0;
  for (const Int8Piece& p : pieces) longest = p.count > longest ? p.count : longest;
  (longest > 32 ? gather_by<64> : gather_by<32>)(from, stride, lines, pieces, step, to);
}

}  // namespace

extern constinit const Int8Table TC_TIER_NAME(int8_table);
constinit const Int8Table TC_TIER_NAME(int8_table) = {
    .traits = TC_KERNEL(int8_traits, "int8_traits"),
    .begin_blocks = {},
    .end_blocks = {},
    .block = TC_KERNEL(int8_block, "dot_i8__madd"),
    .row_traits = {},
    .row_block = {},
    .finish = TC_KERNEL(finish, "requantise"),
    .finish_pixels = TC_KERNEL(finish_pixels, "requantise__nchw16c"),
    .to_blocked = TC_KERNEL(to_blocked, "reorder_u8__nchw_nchw16c"),
    .to_plain = TC_KERNEL(to_plain, "reorder_u8__nchw16c_nchw"),
    .interleave = TC_KERNEL(interleave, "interleave_u8"),
    .gather = TC_KERNEL(gather, "gather_u8"),
    .copy_row = TC_KERNEL(copy_row, "copy_u8"),
    .look_up = TC_KERNEL(look_up, "look_up_u8"),
    .sum_panel = TC_KERNEL(sum_panel, "sum_i8"),
    .quantise = TC_KERNEL(quantise, "quantise_f32"),
    .dequantise = TC_KERNEL(dequantise, "dequantise_f32"),
    .quantise_blocks = TC_KERNEL(quantise_blocks, "quantise_f32__blocks"),
    .dequantise_blocks = TC_KERNEL(dequantise_blocks, "dequantise_f32__blocks"),
    .range = TC_KERNEL(range, "range_f32"),
};

}  // namespace tc::kernels
