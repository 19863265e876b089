#include "tc/kernels/roi/roi.h"

#include <limits>

#include "tc/kernels/simd/transpose.h"

namespace tc::kernels {
namespace {

// The two elements that a sample lies between, and how far it is from the first.
struct Between {
  int32_t low, high;
  float weight;
};

// False outside of the image.
TC_INLINE bool neighbours(const RoiBins& bins, int64_t bin, int64_t sample, int64_t extent, Between& result) {
  double v = bins.start + static_cast<double>(bin) * bins.size +
             (static_cast<double>(sample) + 0.5) * bins.size / static_cast<double>(bins.samples);
  if (!(v >= -1 && v <= static_cast<double>(extent))) return false;
  v = v > 0 ? v : 0;
  const auto low = static_cast<int64_t>(v);
  if (low >= extent - 1) {
    result.low = result.high = static_cast<int32_t>(extent - 1);
    result.weight = 0;
  } else {
    result.low = static_cast<int32_t>(low), result.high = result.low + 1;
    result.weight = static_cast<float>(v - static_cast<double>(low));
  }
  return true;
}

// The taps of every bin of an axis, by element, in rising order; weights make an average.
TC_INLINE void make_taps(const RoiBins& bins, int64_t count, int64_t extent, RoiTap* taps, int32_t* begin) {
  const float share = 1.0f / static_cast<float>(bins.samples > 0 ? bins.samples : 1);
  int32_t n = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t first = begin[i] = n;
    const auto add = [&](int32_t at, float weight) {
      // The sample before may have the same neighbours, or share one.
      for (int32_t k = n; k-- > first && k >= n - 2;)
        if (taps[k].at == at) {
          taps[k].weight += weight * share;
          return;
        }
      taps[n++] = {at, weight * share};
    };
    for (int64_t s = 0; s < bins.samples; ++s) {
      Between b;
      if (!neighbours(bins, i, bins.size < 0 ? bins.samples - 1 - s : s, extent, b)) continue;
      add(b.low, 1 - b.weight);
      add(b.high, b.weight);
    }
  }
  begin[count] = n;
}

// Lists the columns that taps read, and makes the taps places in that list.
TC_INLINE int32_t list_columns(RoiTap* taps, int32_t count, bool falling, int32_t* columns) {
  // Bins of a region follow each other; taps rise inside a bin. A column is found near the end of the list.
  int32_t n = 0;
  for (int32_t t = 0; t < count; ++t) {
    const int32_t at = taps[t].at;
    int32_t k = n;
    while (k > 0 && columns[k - 1] != at && (falling || columns[k - 1] > at)) --k;
    if (k > 0 && columns[k - 1] == at) {
      taps[t].at = k - 1;
    } else {
      columns[n] = at;
      taps[t].at = n++;
    }
  }
  return n;
}

// Bins [rows * columns][16] into the planes of a block of channels.
TC_INLINE void write_planes(const float* bins, int64_t count, int64_t channels, float* y) {
  constexpr int kSide = kLanes<float>;
  VecF m[kSide];
  for (int64_t bin = 0; bin < count; bin += kSide) {
    const Tail<float> tail(static_cast<int>(count - bin < kSide ? count - bin : kSide));
    for (int64_t c = 0; c < 16 && c < channels; c += kSide) {
      for (int i = 0; i < kSide; ++i) m[i] = load(bins + (bin + i) * 16 + c);
      transpose(m);
      const int64_t here = channels - c < kSide ? channels - c : kSide;
      for (int64_t i = 0; i < here; ++i) store(y + (c + i) * count + bin, m[i], tail);
    }
  }
}

// Calls f(plane) for each block of channels, which fills the bins, and writes them.
template <class F>
TC_INLINE void for_blocks(const RoiArgs& a, int64_t region, int64_t block0, int64_t block1, const float* bins, F&& f) {
  const int64_t plane = a.height * a.width * 16, count = a.rows * a.columns;
  const float* image = a.x + a.boxes[region].image * a.blocks() * plane;
  float* y = a.y + region * a.channels * count;
  for (int64_t block = block0; block < block1; ++block) {
    f(image + block * plane);
    write_planes(bins, count, a.channels - block * 16, y + block * 16 * count);
  }
}

// An average of bilinear samples on a grid is a weighted sum over rows of weighted sums over columns.
void average(const RoiArgs& a, int64_t region, int64_t block0, int64_t block1, int worker) {
  const RoiScratch s = roi_scratch(a, worker);
  const RoiBox& box = a.boxes[region];
  make_taps(box.y, a.rows, a.height, s.row_taps, s.row_begin);
  make_taps(box.x, a.columns, a.width, s.column_taps, s.column_begin);
  const int32_t columns = list_columns(s.column_taps, s.column_begin[a.columns], box.x.size < 0, s.used_columns);
  for_blocks(a, region, block0, block1, s.bins, [&](const float* plane) {
    for (int64_t row = 0; row < a.rows; ++row) {
      const RoiTap *from = s.row_taps + s.row_begin[row], *to = s.row_taps + s.row_begin[row + 1];
      for (int32_t k = 0; k < columns; ++k) {
        const float* column = plane + int64_t{s.used_columns[k]} * 16;
        Block16 sum = Block16::broadcast(0.0f);
        for (const RoiTap* t = from; t < to; ++t)
          sum = fma(Block16::broadcast(t->weight), Block16::load(column + t->at * a.width * 16), sum);
        sum.store(s.line + k * 16);
      }
      for (int64_t i = 0; i < a.columns; ++i) {
        Block16 sum = Block16::broadcast(0.0f);
        for (int32_t t = s.column_begin[i]; t < s.column_begin[i + 1]; ++t)
          sum = fma(Block16::broadcast(s.column_taps[t].weight),
                    Block16::load(s.line + int64_t{s.column_taps[t].at} * 16), sum);
        sum.store(s.bins + (row * a.columns + i) * 16);
      }
    }
  });
}

void maximum(const RoiArgs& a, int64_t region, int64_t block0, int64_t block1, int worker) {
  const RoiScratch s = roi_scratch(a, worker);
  const RoiBox& box = a.boxes[region];
  const bool none = box.y.samples <= 0 || box.x.samples <= 0;
  for_blocks(a, region, block0, block1, s.bins, [&](const float* plane) {
    for (int64_t bin = 0; bin < a.rows * a.columns; ++bin) {
      Block16 best = Block16::broadcast(none ? 0.0f : -std::numeric_limits<float>::infinity());
      for (int64_t i = 0; i < box.y.samples; ++i) {
        Between y{};
        const bool row = neighbours(box.y, bin / a.columns, i, a.height, y);
        for (int64_t j = 0; j < box.x.samples; ++j) {
          Between x{};
          if (!row || !neighbours(box.x, bin % a.columns, j, a.width, x)) {
            best = vmax(Block16::broadcast(0.0f), best);
            continue;
          }
          const auto take = [&](int64_t r, int64_t c, float w) {
            // Second operand: what NaN leaves as it is.
            best = vmax(Block16::broadcast(w) * Block16::load(plane + (r * a.width + c) * 16), best);
          };
          take(y.low, x.low, (1 - y.weight) * (1 - x.weight));
          take(y.low, x.high, (1 - y.weight) * x.weight);
          take(y.high, x.low, y.weight * (1 - x.weight));
          take(y.high, x.high, y.weight * x.weight);
        }
      }
      best.store(s.bins + bin * 16);
    }
  });
}

// Elements [begin, end) of a bin; what f32 makes of its edges counts.
struct Span {
  int64_t begin, end;
};
TC_INLINE Span elements(const RoiBins& bins, int64_t i, int64_t extent) {
  const auto size = static_cast<float>(bins.size);
  const auto edge = [&](float v) {
    const double at = double{v} + bins.start;
    return at <= 0 ? int64_t{0} : at >= static_cast<double>(extent) ? extent : static_cast<int64_t>(at);
  };
  return {edge(__builtin_floorf(static_cast<float>(i) * size)),
          edge(__builtin_ceilf(static_cast<float>(i + 1) * size))};
}

void max_pool(const RoiArgs& a, int64_t region, int64_t block0, int64_t block1, int worker) {
  const RoiScratch s = roi_scratch(a, worker);
  const RoiBox& box = a.boxes[region];
  for_blocks(a, region, block0, block1, s.bins, [&](const float* plane) {
    for (int64_t bin = 0; bin < a.rows * a.columns; ++bin) {
      const Span rows = elements(box.y, bin / a.columns, a.height);
      const Span columns = elements(box.x, bin % a.columns, a.width);
      const bool none = rows.begin >= rows.end || columns.begin >= columns.end;
      Block16 best = Block16::broadcast(none ? 0.0f : -std::numeric_limits<float>::infinity());
      for (int64_t r = rows.begin; r < rows.end; ++r)
        for (int64_t c = columns.begin; c < columns.end; ++c) {
          const Block16 v = Block16::load(plane + (r * a.width + c) * 16);
          for (int k = 0; k < Block16::kRegs; ++k)
            best.r[k] = select<float>((v.r[k] > best.r[k]) | is_nan(v.r[k]), v.r[k], best.r[k]);
        }
      best.store(s.bins + bin * 16);
    }
  });
}

}  // namespace

extern constinit const RoiTable TC_TIER_NAME(roi_table);
constinit const RoiTable TC_TIER_NAME(roi_table) = {
    .average = TC_KERNEL(average, "roi_align_f32__average"),
    .maximum = TC_KERNEL(maximum, "roi_align_f32__max"),
    .max_pool = TC_KERNEL(max_pool, "roi_max_pool_f32"),
};

}  // namespace tc::kernels
