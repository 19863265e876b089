#include "tc/kernels/resize/resize.h"

#include "tc/kernels/simd/stride2.h"
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

constexpr int kV = kLanes<float>;

// f(source row, weight) for every row that output row `row` is made of.
template <class F>
TC_INLINE void for_source_rows(const ResizeArgs& a, int64_t row, F&& f) {
  const ResizeAxis &depth = a.axis[0], &height = a.axis[1];
  const int64_t z = row / height.out, y = row % height.out;
  for (int kz = 0; kz < depth.taps; ++kz) {
    const float wz = depth.weight ? depth.weight[kz * depth.out + z] : 1.0f;
    const int64_t at = depth.index[kz * depth.out + z] * height.in;
    for (int ky = 0; ky < height.taps; ++ky) {
      const float w = wz * (height.weight ? height.weight[ky * height.out + y] : 1.0f);
      if (w != 0) f(at + height.index[ky * height.out + y], w);
    }
  }
}

// line[index[i]] for i < count; `size` floats make a line, indices rise but for `spread`. What lies within a register
// of it, as neighbours do unless an image shrinks, or of two, as in an image that shrinks to half, is read at once: 64
// planes of 28 x 28 to 56 x 56 by the nearest 0.096 to 0.036 ms, linearly 0.183 to 0.142.
TC_INLINE VecF pick(const float* line, int64_t size, const int32_t* index, int count, int64_t spread) {
  const VecI places = load(index, Tail<int32_t>(count));
#if defined(__AVX2__)
  const int64_t least = index[0] > spread ? index[0] - spread : 0, most = index[count - 1] + spread;
  const int64_t base = size < kV ? 0 : least < size - kV ? least : size - kV;
  if (most >= least && (size < kV || most - base < kV)) {
    const VecF near = size < kV ? load(line, Tail<float>(static_cast<int>(size))) : load(line + base);
    const VecI lanes = places - VecI(static_cast<int32_t>(base));
#if defined(__AVX512F__)
    return VecF(_mm512_permutexvar_ps(lanes, near));
#else
    return VecF(_mm256_permutevar8x32_ps(near, lanes));
#endif
  }
  if (most >= least && size >= 2 * kV) {
    const int64_t first = least < size - 2 * kV ? least : size - 2 * kV;
    if (most - first < 2 * kV) {
      const VecF near = load(line + first), far = load(line + first + kV);
      const VecI lanes = places - VecI(static_cast<int32_t>(first));
#if defined(__AVX512F__)
      return VecF(_mm512_permutex2var_ps(near, lanes, far));
#else
      const __m256 is_far = _mm256_castsi256_ps(_mm256_slli_epi32(lanes, 31 - 3));  // bit 3 of a lane's number
      return VecF(
          _mm256_blendv_ps(_mm256_permutevar8x32_ps(near, lanes), _mm256_permutevar8x32_ps(far, lanes), is_far));
#endif
    }
  }
#else
  static_cast<void>(size), static_cast<void>(spread);
#endif
  return gather(line, places);
}

// Of the rows whose elements are copies of the input's: those that come from the same one as the row before are copies
// of that; fill(to, from) makes the others.
template <class F>
TC_INLINE void copied_rows(const ResizeArgs& a, const float* image, int64_t row0, int64_t row1, float* to, F&& fill) {
  const ResizeAxis &depth = a.axis[0], &height = a.axis[1];
  const int64_t in = a.axis[2].in * a.point, out = a.axis[2].out * a.point;
  int64_t z = row0 / height.out, y = row0 % height.out, before = -1;
  const int64_t whole = out / kV * kV;
  const Tail<float> tail(static_cast<int>(out - whole));
  for (int64_t row = row0; row < row1; ++row, to += out) {
    const int64_t source = depth.index[z] * height.in + height.index[y];
    if (source == before) {
      const float* from = to - out;
      for (int64_t x = 0; x < whole; x += kV) store(to + x, load(from + x));
      if (whole < out) store(to + whole, load(from + whole, tail), tail);
    } else {
      fill(to, image + source * in);
    }
    before = source;
    if (++y == height.out) y = 0, ++z;
  }
}

// What output row `row` makes along depth and height, as long as an input row: such a row itself, or the scratch
// memory.
TC_INLINE const float* source_line(const ResizeArgs& a, const float* image, int64_t row) {
  const int64_t in = a.axis[2].in * a.point;
  const bool copies = !a.axis[0].weight && !a.axis[1].weight;
  const float* line = a.scratch;
  bool first = true;
  for_source_rows(a, row, [&](int64_t source, float w) {
    const float* from = image + source * in;
    if (copies) {
      line = from;
      return;
    }
    for (int64_t x = 0; x < in; x += kV) {
      const Tail<float> tail(in - x < kV ? static_cast<int>(in - x) : kV);
      const VecF v = load(from + x, tail) * VecF(w);
      store(a.scratch + x, first ? v : load(a.scratch + x, tail) + v, tail);
    }
    first = false;
  });
  if (!copies && first) {
    for (int64_t x = 0; x < in; ++x) a.scratch[x] = 0;
  }
  return line;
}

bool only_copies(const ResizeArgs& a) {
  return !a.axis[0].weight && !a.axis[1].weight && !a.axis[2].weight;
}

void plain(const ResizeArgs& a, int64_t plane, int64_t row0, int64_t row1, int) {
  const ResizeAxis& width = a.axis[2];
  const float* image = a.x + plane * a.axis[0].in * a.axis[1].in * width.in;
  float* to = a.y + (plane * a.axis[0].out * a.axis[1].out + row0) * width.out;
  if (only_copies(a)) {
    const int64_t whole = width.out / kV * kV;
    const int rest = static_cast<int>(width.out - whole);
    const Tail<float> tail(rest);
    if (width.doubles && width.in >= kV)
      return copied_rows(a, image, row0, row1, to, [&](float* out, const float* from) {
        int64_t x = 0;
        for (; x + kV <= width.in; x += kV) store_pairs(out + 2 * x, load(from + x), load(from + x));
        if (x < width.in) {
          x = width.in - kV;
          store_pairs(out + 2 * x, load(from + x), load(from + x));
        }
      });
    return copied_rows(a, image, row0, row1, to, [&](float* out, const float* from) {
      for (int64_t x = 0; x < whole; x += kV) store(out + x, pick(from, width.in, width.index + x, kV, a.spread));
      if (rest > 0) store(out + whole, pick(from, width.in, width.index + whole, rest, a.spread), tail);
    });
  }
  for (int64_t row = row0; row < row1; ++row, to += width.out) {
    const float* line = source_line(a, image, row);
    for (int64_t x = 0; x < width.out; x += kV) {
      const int count = width.out - x < kV ? static_cast<int>(width.out - x) : kV;
      const Tail<float> tail(count);
      VecF sum(0.0f);
      for (int k = 0; k < width.taps; ++k) {
        const int64_t at = k * width.out + x;
        const VecF v = pick(line, width.in, width.index + at, count, a.spread);
        if (!width.weight) {
          sum = v;
          continue;
        }
        // What has no weight has no part in the result, be it infinite or NaN.
        const VecF w = load(width.weight + at, tail), zero(0.0f);
        sum = fma(w, select<float>(w == zero, zero, v), sum);
      }
      store(to + x, sum, tail);
    }
  }
}

void points(const ResizeArgs& a, int64_t plane, int64_t row0, int64_t row1, int) {
  const ResizeAxis& width = a.axis[2];
  const int64_t out = width.out * a.point;
  const float* image = a.x + plane * a.axis[0].in * a.axis[1].in * width.in * a.point;
  float* to = a.y + (plane * a.axis[0].out * a.axis[1].out + row0) * out;
  const auto copy_points = [&](float* row, const float* line) {
    for (int64_t x = 0; x < width.out; ++x) {
      const float* from = line + width.index[x] * a.point;
      for_registers(a.point, [&](int64_t c, Tail<float> tail) { store(row + c, load(from + c, tail), tail); });
      row += a.point;
    }
  };
  if (only_copies(a)) return copied_rows(a, image, row0, row1, to, copy_points);
  for (int64_t row = row0; row < row1; ++row, to += out) {
    const float* line = source_line(a, image, row);
    if (!width.weight) {
      copy_points(to, line);
      continue;
    }
    for (int64_t x = 0; x < width.out; ++x) {
      for_registers(a.point, [&](int64_t c, Tail<float> tail) {
        VecF sum(0.0f);
        for (int k = 0; k < width.taps; ++k) {
          const float w = width.weight[k * width.out + x];
          const float* from = line + width.index[k * width.out + x] * a.point + c;
          if (w != 0) sum = fma(VecF(w), load(from, tail), sum);
        }
        store(to + x * a.point + c, sum, tail);
      });
    }
  }
}

void blocked(const ResizeArgs& a, int64_t plane, int64_t row0, int64_t row1, int) {
  const ResizeAxis& width = a.axis[2];
  const float* image = a.x + plane * a.axis[0].in * a.axis[1].in * width.in * 16;
  float* to = a.y + (plane * a.axis[0].out * a.axis[1].out + row0) * width.out * 16;
  const bool copies = !a.axis[0].weight && !a.axis[1].weight && !width.weight;
  for (int64_t row = row0; row < row1; ++row, to += width.out * 16) {
    bool first = true;
    for_source_rows(a, row, [&](int64_t source, float w) {
      const float* from = image + source * width.in * 16;
      for (int64_t x = 0; x < width.out; ++x) {
        if (copies) {
          Block16::load(from + width.index[x] * 16).store(to + x * 16);
          continue;
        }
        Block16 sum = first ? Block16::broadcast(0.0f) : Block16::load(to + x * 16);
        for (int k = 0; k < width.taps; ++k) {
          const int64_t at = k * width.out + x;
          const float weight = width.weight ? width.weight[at] * w : w;
          if (weight != 0) sum = fma(Block16::broadcast(weight), Block16::load(from + width.index[at] * 16), sum);
        }
        sum.store(to + x * 16);
      }
      first = false;
    });
    if (!copies && first) {
      for (int64_t x = 0; x < width.out; ++x) Block16::broadcast(0.0f).store(to + x * 16);
    }
  }
}

}  // namespace

extern constinit const ResizeTable TC_TIER_NAME(resize_table);
constinit const ResizeTable TC_TIER_NAME(resize_table) = {
    .plain = TC_KERNEL(plain, "resize_f32__nchw"),
    .points = TC_KERNEL(points, "resize_f32__points"),
    .blocked = TC_KERNEL(blocked, "resize_f32__nchw16c"),
};

}  // namespace tc::kernels
