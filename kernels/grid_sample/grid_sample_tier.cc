#include "tc/kernels/grid_sample/grid_sample.h"

#include "tc/kernels/simd/stride2.h"

namespace tc::kernels {
namespace {

constexpr int kV = kLanes<float>;

// One axis: from coordinates to elements, in f64, so that far places are told apart as well as near ones.
class Axis {
 public:
  TC_INLINE Axis(const GridSampleArgs& a, int64_t extent)
      : a_(a),
        extent_(static_cast<double>(extent)),
        low_(a.align_corners ? 0 : -0.5),
        high_(a.align_corners ? extent_ - 1 : extent_ - 0.5) {}

  // The elements and weights that make up a register of coordinates; -1 where there is no element.
  TC_INLINE int taps(VecF coordinate, VecF (&at)[4], VecF (&weight)[4]) const {
    const VecF place = narrow(natural(low_f64(coordinate)), natural(high_f64(coordinate)));
    const VecD x[2] = {padded(low_f64(place)), padded(high_f64(place))};
    if (a_.mode == SampleMode::nearest) {
      at[0] = narrow(element(x[0]), element(x[1]));
      weight[0] = VecF(1.0f);
      return 1;
    }
    const VecD first[2] = {vfloor(x[0]), vfloor(x[1])};
    const VecF f = narrow(x[0] - first[0], x[1] - first[1]), one(1.0f);
    const auto tap = [&](int k, double offset, VecF w) {
      at[k] = narrow(element(first[0] + VecD(offset)), element(first[1] + VecD(offset)));
      weight[k] = w;
    };
    if (a_.mode == SampleMode::linear) {
      tap(0, 0, one - f);
      tap(1, 1, f);
      return 2;
    }
    tap(0, -1, outer_cubic(f + one));
    tap(1, 0, inner_cubic(f));
    tap(2, 1, inner_cubic(one - f));
    tap(3, 2, outer_cubic(VecF(2.0f) - f));
    return 4;
  }

 private:
  // In elements. NaN counts as -1.
  TC_INLINE VecD natural(VecD c) const {
    const VecD one(1.0), half(0.5), d(extent_);
    c = select<double>(is_nan(c), VecD(-1.0), c);
    return a_.align_corners ? (c + one) * half * (d - one) : ((c + one) * d - one) * half;
  }

  TC_INLINE VecD padded(VecD x) const {
    x = vmin(vmax(x, VecD(-1e15)), VecD(1e15));
    if (a_.mode == SampleMode::nearest) x = vround(x);
    const Mask<double> inside = (x >= VecD(low_)) & (x <= VecD(high_));
    if (a_.padding == SamplePadding::zeros || all(inside)) return x;
    return select<double>(inside, x, a_.padding == SamplePadding::border ? clamped(x) : reflected(x));
  }

  TC_INLINE VecD element(VecD x) const {
    const Mask<double> inside = (x >= VecD(0.0)) & (x < VecD(extent_));
    if (a_.padding == SamplePadding::zeros) return select<double>(inside, x, VecD(-1.0));
    if (a_.padding == SamplePadding::reflection && !all(inside)) x = select<double>(inside, x, reflected(x));
    return clamped(vtrunc(x));
  }

  TC_INLINE VecD clamped(VecD x) const { return vmin(vmax(x, VecD(0.0)), VecD(extent_ - 1)); }

  // Back and forth between the edges.
  TC_INLINE VecD reflected(VecD x) const {
    const double range = high_ - low_;
    const VecD low(low_), high(high_);
    if (range <= 0) return VecD(low_ > 0 ? low_ : 0.0);
    const Mask<double> under = x < low;
    const VecD beyond = select<double>(under, low - x, x - high);
    const VecD turns = vfloor(beyond / VecD(range)), rest = fnma(turns, VecD(range), beyond);
    const Mask<double> even = turns == vfloor(turns * VecD(0.5)) * VecD(2.0);
    const Mask<double> from_low = (under & even) | ~(under | even);
    return select<double>(from_low, low + rest, high - rest);
  }

  // Keys, "Cubic convolution interpolation for digital image processing", 1981, with a = -3/4.
  static TC_INLINE VecF inner_cubic(VecF x) { return ((VecF(1.25f) * x - VecF(2.25f)) * x * x) + VecF(1.0f); }
  static TC_INLINE VecF outer_cubic(VecF x) {
    return ((VecF(-0.75f) * x + VecF(3.75f)) * x - VecF(6.0f)) * x + VecF(3.0f);
  }

  const GridSampleArgs& a_;
  double extent_, low_, high_;
};

// Coordinates of up to kV points; those beyond `count` are 0.
struct Coordinates {
  VecF x, y;
  TC_INLINE Coordinates(const float* grid, int64_t count) {
    float padded[2 * kV] = {};
    if (count < kV) {
      for (int64_t i = 0; i < 2 * count; ++i) padded[i] = grid[i];
      grid = padded;
    }
    x = load_every_second(grid), y = load_every_second(grid + 1);
  }
};

// What some registers of points are made of: elements of a channel, in the order of points and then of taps.
struct Taps {
  static constexpr int kRegisters = 16;
  VecI at[kRegisters * 16];
  VecF weight[kRegisters * 16];
  Mask<float> there[kRegisters * 16];
  int n = 0;  // of a point
  bool everywhere = true;

  TC_INLINE const int32_t* place(int k) const { return reinterpret_cast<const int32_t*>(at + k); }

  // Of linear interpolation, taps that are neighbours in a row: `at` has the left one's place.
  TC_INLINE void find_neighbours(const Axis& rows, const Axis& columns, int64_t width, int reg, const Coordinates& c) {
    const VecF zero(0.0f), one(1.0f), last(static_cast<float>(width - 2));
    VecF row[4], column[4], row_weight[4], column_weight[4];
    rows.taps(c.y, row, row_weight), columns.taps(c.x, column, column_weight);
    n = 4;
    const VecF left = vmin(vmax(select<float>(column[0] >= zero, column[0], column[1]), zero), last);
    for (int i = 0, k = 4 * reg; i < 2; ++i) {
      at[k] = to_i32(select<float>(row[i] >= zero, row[i], zero)) * VecI(static_cast<int32_t>(width)) + to_i32(left);
      for (int j = 0; j < 2; ++j, ++k) {
        const VecF here = j == 0 ? left : left + one;
        const Mask<float> first = column[0] == here, second = column[1] == here;
        there[k] = (row[i] >= zero) & (first | second);
        everywhere &= all(there[k]);
        weight[k] = row_weight[i] *
                    (select<float>(first, column_weight[0], zero) + select<float>(second, column_weight[1], zero));
      }
    }
  }

  TC_INLINE void find(const Axis& rows, const Axis& columns, int64_t width, int reg, const Coordinates& c) {
    const VecF zero(0.0f);
    VecF row[4], column[4], row_weight[4], column_weight[4];
    const int row_taps = rows.taps(c.y, row, row_weight), column_taps = columns.taps(c.x, column, column_weight);
    n = row_taps * column_taps;
    int k = reg * n;
    for (int i = 0; i < row_taps; ++i)
      for (int j = 0; j < column_taps; ++j, ++k) {
        there[k] = (row[i] >= zero) & (column[j] >= zero);
        everywhere &= all(there[k]);
        at[k] = to_i32(select<float>(there[k], row[i], zero)) * VecI(static_cast<int32_t>(width)) +
                to_i32(select<float>(there[k], column[j], zero));
        weight[k] = row_weight[i] * column_weight[j];
      }
  }
};

void sample(const GridSampleArgs& a, int64_t image, int64_t begin, int64_t end) {
  const Axis rows(a, a.height), columns(a, a.width);
  const int64_t plane = a.height * a.width;
  const float* grid = a.grid + image * a.points * 2;
  const VecF zero(0.0f);
  const bool neighbours = a.mode == SampleMode::linear && a.width > 1;
  // Channel by channel for many points, whose elements are near each other.
  for (int64_t p0 = begin; p0 < end; p0 += Taps::kRegisters * kV) {
    const int64_t p1 = end - p0 < Taps::kRegisters * kV ? end : p0 + Taps::kRegisters * kV;
    Taps taps;
    for (int64_t p = p0, reg = 0; p < p1; p += kV, ++reg) {
      const Coordinates c(grid + 2 * p, p1 - p);
      if (neighbours)
        taps.find_neighbours(rows, columns, a.width, static_cast<int>(reg), c);
      else
        taps.find(rows, columns, a.width, static_cast<int>(reg), c);
    }
    // sum(from, k) of the register of points whose taps begin with number k.
    const auto channels = [&](auto sum) {
      for (int64_t channel = image * a.channels; channel < (image + 1) * a.channels; ++channel) {
        const float* from = a.x + channel * plane;
        float* y = a.y + channel * a.points;
        int k = 0;
        for (int64_t p = p0; p < p1; p += kV, k += taps.n) {
          const VecF v = sum(from, k);
          if (p1 - p >= kV)
            store(y + p, v);
          else
            store(y + p, v, Tail<float>(static_cast<int>(p1 - p)));
        }
      }
    };
    const auto sum_of_neighbours = [&](auto there) {
      return [&, there](const float* from, int k) {
        VecF v[4];
        load_neighbours(from, taps.place(k), v[0], v[1]);
        load_neighbours(from, taps.place(k + 2), v[2], v[3]);
        VecF sum = there(v[0], k) * taps.weight[k];
        for (int i = 1; i < 4; ++i) sum = fma(taps.weight[k + i], there(v[i], k + i), sum);
        return sum;
      };
    };
    const auto sum_of_taps = [&](auto there) {
      return [&, there](const float* from, int k) {
        VecF sum = there(gather(from, taps.at[k]), k);
        // What is copied keeps its bits.
        if (taps.n > 1) sum = sum * taps.weight[k];
        for (int i = k + 1; i < k + taps.n; ++i) sum = fma(taps.weight[i], there(gather(from, taps.at[i]), i), sum);
        return sum;
      };
    };
    const auto always = [](VecF v, int) { return v; };
    const auto or_zero = [&](VecF v, int k) { return select<float>(taps.there[k], v, zero); };
    if (neighbours)
      taps.everywhere ? channels(sum_of_neighbours(always)) : channels(sum_of_neighbours(or_zero));
    else
      taps.everywhere ? channels(sum_of_taps(always)) : channels(sum_of_taps(or_zero));
  }
}

}  // namespace

extern constinit const GridSampleTable TC_TIER_NAME(grid_sample_table);
constinit const GridSampleTable TC_TIER_NAME(grid_sample_table) = {
    .sample = TC_KERNEL(sample, "grid_sample_f32"),
};

}  // namespace tc::kernels
