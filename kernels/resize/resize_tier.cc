#include "tc/kernels/resize/resize.h"

#include <type_traits>

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

// f(pick) with pick(line) = line[index[i]] for i < count; `size` floats make a line, indices rise but for `spread`.
// What lies within a register of it, as neighbours do unless an image shrinks, or of two, as in an image that shrinks
// to half, is read at once: 64 planes of 28 x 28 to 56 x 56 by the nearest 0.096 to 0.036 ms, linearly 0.183 to 0.142.
template <class F>
TC_INLINE void with_pick(int64_t size, const int32_t* index, int count, int64_t spread, F&& f) {
  const VecI places = load(index, Tail<int32_t>(count));
  if constexpr (kPicksLanes) {
    const int64_t least = index[0] > spread ? index[0] - spread : 0, most = index[count - 1] + spread;
    const int64_t base = size < kV ? 0 : least < size - kV ? least : size - kV;
    if (most >= least && (size < kV || most - base < kV)) {
      const VecI lanes = places - VecI(static_cast<int32_t>(base));
      if (size < kV) {
        const Tail<float> all(static_cast<int>(size));
        return f([=](const float* line) __attribute__((always_inline)) { return pick_lanes(load(line, all), lanes); });
      }
      return f([=](const float* line) __attribute__((always_inline)) { return pick_lanes(load(line + base), lanes); });
    }
    const int64_t first = least < size - 2 * kV ? least : size - 2 * kV;
    if (most >= least && size >= 2 * kV && most - first < 2 * kV) {
      const VecI lanes = places - VecI(static_cast<int32_t>(first));
      return f([=](const float* line) __attribute__((always_inline)) {
        return pick_lanes(load(line + first), load(line + first + kV), lanes);
      });
    }
  }
  f([=](const float* line) __attribute__((always_inline)) { return gather(line, places); });
}

TC_INLINE VecF pick(const float* line, int64_t size, const int32_t* index, int count, int64_t spread) {
  VecF out;
  with_pick(
      size, index, count, spread, [&](auto of) __attribute__((always_inline)) { out = of(line); });
  return out;
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

// One or two of the rows that an output row is made of.
struct SourceRows {
  int64_t row[2] = {};
  float weight[2] = {};
  int count = 0;
  bool first = true;  // of them all
};

// f(rows) for all that output row `row` is made of, two at a time; false: nothing has a weight.
template <class F>
TC_INLINE bool for_source_pairs(const ResizeArgs& a, int64_t row, F&& f) {
  SourceRows rows;
  const auto flush = [&] {
    if (rows.count == 0) return;
    f(rows);
    rows.count = 0, rows.first = false;
  };
  for_source_rows(a, row, [&](int64_t source, float weight) {
    rows.row[rows.count] = source, rows.weight[rows.count] = weight;
    if (++rows.count == 2) flush();
  });
  flush();
  return !rows.first;
}

// What output row `row` makes along depth and height, as long as an input row: such a row itself, or `made`.
TC_INLINE const float* source_line(const ResizeArgs& a, const float* image, int64_t row, float* made) {
  const int64_t in = a.axis[2].in * a.point;
  if (!a.axis[0].weight && !a.axis[1].weight) {
    const float* line = nullptr;
    for_source_rows(a, row, [&](int64_t source, float) { line = image + source * in; });
    return line;
  }
  const bool any_row = for_source_pairs(a, row, [&](const SourceRows& rows) {
    const float *from = image + rows.row[0] * in, *next = image + rows.row[1] * in;
    const VecF w(rows.weight[0]), next_w(rows.weight[1]);
    const auto add = [&](auto two, auto anew) __attribute__((always_inline)) {
      for_registers(
          in, [&](int64_t x, Tail<float> tail) __attribute__((always_inline)) {
            VecF sum = load(from + x, tail) * w;
            if constexpr (two()) sum = fma(load(next + x, tail), next_w, sum);
            store(made + x, anew() ? sum : sum + load(made + x, tail), tail);
          });
    };
    constexpr std::true_type kYes;
    constexpr std::false_type kNo;
    if (rows.count == 2)
      rows.first ? add(kYes, kYes) : add(kYes, kNo);
    else
      rows.first ? add(kNo, kYes) : add(kNo, kNo);
  });
  if (!any_row) {
    for (int64_t x = 0; x < in; ++x) made[x] = 0;
  }
  return made;
}

bool only_copies(const ResizeArgs& a) {
  return !a.axis[0].weight && !a.axis[1].weight && !a.axis[2].weight;
}

// Output rows [row0, row1) of a plane, kRows at a time, for which places and weights along a line are worked out once;
// what is left over half as many at a time. Linearly on Zen 3, each row by itself and so: 64 planes of 56 x 56 to twice
// the size 1.14 and 0.53 ms, 3 of 480 x 640 to half the size 0.44 and 0.26, 3 of 540 x 960 to twice the size 34 and 14.
template <int kRows>
void weighted_rows(const ResizeArgs& a, const float* image, int64_t row0, int64_t row1, float* to) {
  const ResizeAxis& width = a.axis[2];
  for (; row1 - row0 >= kRows; row0 += kRows, to += kRows * width.out) {
    const float* line[kRows];
    for (int r = 0; r < kRows; ++r) line[r] = source_line(a, image, row0 + r, a.scratch + r * width.in);
    for_registers(
        width.out, [&](int64_t x, Tail<float> tail) __attribute__((always_inline)) {
          const int count = width.out - x < kV ? static_cast<int>(width.out - x) : kV;
          const VecF zero(0.0f);
          VecF sum[kRows];
          for (VecF& s : sum) s = zero;
          for (int k = 0; k < width.taps; ++k) {
            const int64_t at = k * width.out + x;
            const VecF w = width.weight ? load(width.weight + at, tail) : VecF(1.0f);
            // What has no weight has no part in the result, be it infinite or NaN.
            const auto hidden = w == zero;
            const bool hides = any(hidden);
            with_pick(
                width.in, width.index + at, count, a.spread, [&](auto of) __attribute__((always_inline)) {
                  if (hides) {
                    for (int r = 0; r < kRows; ++r) sum[r] = fma(w, select<float>(hidden, zero, of(line[r])), sum[r]);
                  } else {
                    for (int r = 0; r < kRows; ++r) sum[r] = fma(w, of(line[r]), sum[r]);
                  }
                });
          }
          for (int r = 0; r < kRows; ++r) store(to + r * width.out + x, sum[r], tail);
        });
  }
  if constexpr (kRows > 1) {
    if (row0 < row1) weighted_rows<kRows / 2>(a, image, row0, row1, to);
  }
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
  // More rows of many taps would take turns in the registers: cubic 480 x 640 to twice the size 5.0 to 6.3 ms.
  width.taps <= 2 ? weighted_rows<kResizeRows>(a, image, row0, row1, to)
                  : weighted_rows<kResizeRows / 2>(a, image, row0, row1, to);
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
    const float* line = source_line(a, image, row, a.scratch);
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
  for (int64_t row = row0; row < row1; ++row, to += width.out * 16) {
    if (only_copies(a)) {
      for_source_rows(a, row, [&](int64_t source, float) {
        const float* from = image + source * width.in * 16;
        for (int64_t x = 0; x < width.out; ++x) Block16::load(from + width.index[x] * 16).store(to + x * 16);
      });
      continue;
    }
    const bool any_row = for_source_pairs(a, row, [&](const SourceRows& rows) {
      const float* const from[] = {image + rows.row[0] * width.in * 16, image + rows.row[1] * width.in * 16};
      for (int64_t x = 0; x < width.out; ++x) {
        Block16 sum = rows.first ? Block16::broadcast(0.0f) : Block16::load(to + x * 16);
        for (int k = 0; k < width.taps; ++k) {
          const int64_t tap = k * width.out + x, at = width.index[tap] * 16;
          const float weight = width.weight ? width.weight[tap] : 1.0f;
          if (weight == 0) continue;
          for (int r = 0; r < rows.count; ++r)
            sum = fma(Block16::broadcast(weight * rows.weight[r]), Block16::load(from[r] + at), sum);
        }
        sum.store(to + x * 16);
      }
    });
    if (!any_row) {
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
