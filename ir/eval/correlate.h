// The arithmetic that reference bodies of convolutions share: a product of a weight matrix with columns that a callback
// makes tile by tile, and the columns of sliding windows. On double for floats and on int64_t for quantised operands.
#pragma once

#include <algorithm>
#include <vector>

#include "tc/ir/ops/window.h"
#include "tc/ir/tensor_budget.h"

namespace tc {

// Columns are worked on in tiles of at most this many, a multiple of kLanes.
inline constexpr int64_t kLanes = 8, kMaxTile = 256;

// result[r, c] = sum over d of a[r, d] * column c[d]. fill(first, count, buffer, stride) writes `count` columns from
// `first` on, buffer[d * stride + c]; take(r, first, count, values) consumes a row's piece. The buffer holds about a
// level-2 cache.
template <class W, class Fill, class Take>
void tiled_product(const W* a, int64_t rows, int64_t depth, int64_t columns, const Fill& fill, const Take& take) {
  const int64_t budget =
      std::clamp<int64_t>((int64_t{1} << 15) / std::max<int64_t>(depth, 1) / kLanes * kLanes, kLanes, kMaxTile);
  const int64_t tile = std::min(budget, (columns + kLanes - 1) / kLanes * kLanes);
  if (columns <= 0 || rows <= 0) return;
  std::vector<W> buffer(static_cast<size_t>(depth * tile));
  constexpr int64_t kRows = 4;
  std::vector<W> sums(static_cast<size_t>(kRows * tile));
  for (int64_t first = 0; first < columns; first += tile) {
    Budget::poll();
    const int64_t count = std::min(tile, columns - first), padded = (count + kLanes - 1) / kLanes * kLanes;
    fill(first, count, buffer.data(), tile);
    for (int64_t r = 0; r < rows; r += kRows) {
      const int64_t live = std::min(kRows, rows - r);
      std::fill(sums.begin(), sums.end(), W(0));
      for (int64_t d = 0; d < depth; ++d) {
        const W* column = &buffer[static_cast<size_t>(d * tile)];
        for (int64_t k = 0; k < live; ++k) {
          const W factor = a[(r + k) * depth + d];
          W* sum = &sums[static_cast<size_t>(k * tile)];
          for (int64_t c = 0; c < padded; c += kLanes)
            for (int64_t lane = 0; lane < kLanes; ++lane) sum[c + lane] += factor * column[c + lane];
        }
      }
      for (int64_t k = 0; k < live; ++k) take(r + k, first, count, &sums[static_cast<size_t>(k * tile)]);
    }
  }
}

// Steps through the coordinates of a row-major box.
class BoxWalk {
 public:
  BoxWalk(std::vector<int64_t> extents, int64_t linear) : extents_(std::move(extents)), at_(extents_.size(), 0) {
    for (size_t i = extents_.size(); i-- > 0 && linear > 0;) {
      at_[i] = linear % extents_[i];
      linear /= extents_[i];
    }
  }
  const std::vector<int64_t>& at() const { return at_; }
  int64_t operator[](size_t i) const { return at_[i]; }
  void next() {
    for (size_t i = at_.size(); i-- > 0;) {
      if (++at_[i] < extents_[i]) return;
      at_[i] = 0;
    }
  }

 private:
  std::vector<int64_t> extents_, at_;
};

inline std::vector<int64_t> in_extents(const WindowAxes& axes) {
  std::vector<int64_t> e;
  for (const auto& a : axes) e.push_back(a.in);
  return e;
}
inline std::vector<int64_t> out_extents(const WindowAxes& axes) {
  std::vector<int64_t> e;
  for (const auto& a : axes) e.push_back(a.out);
  return e;
}
inline std::vector<int64_t> kernel_extents(const WindowAxes& axes) {
  std::vector<int64_t> e;
  for (const auto& a : axes) e.push_back(a.kernel);
  return e;
}

// Writes the windows `first` .. `first + count` of `channels` planes at `x` as columns (the `fill` of tiled_product);
// padding reads as 0. Rows of the buffer are [channel, kernel elements].
template <class W>
void fill_columns(const WindowAxes& axes, const W* x, int64_t channels, int64_t first, int64_t count, W* buffer,
                  int64_t stride) {
  const size_t n = axes.size();
  const auto in = in_extents(axes);
  const int64_t plane = element_count(in), taps = element_count(kernel_extents(axes));
  // Per tap and column: the place in the plane, or -1 in the padding. The same for every channel.
  std::vector<int64_t> place(static_cast<size_t>(count));
  BoxWalk tap(kernel_extents(axes), 0);
  for (int64_t t = 0; t < taps; ++t, tap.next()) {
    BoxWalk window(out_extents(axes), first);
    for (int64_t c = 0; c < count; ++c, window.next()) {
      int64_t at = 0;
      for (size_t i = 0; i < n && at >= 0; ++i) {
        const auto& axis = axes[i];
        const int64_t k = window[i] * axis.stride - axis.pad_begin + tap[i] * axis.dilation;
        at = k < 0 || k >= axis.in ? -1 : at * axis.in + k;
      }
      place[static_cast<size_t>(c)] = at;
    }
    for (int64_t channel = 0; channel < channels; ++channel) {
      const W* from = x + channel * plane;
      W* to = buffer + (channel * taps + t) * stride;
      for (int64_t c = 0; c < count; ++c) {
        const int64_t at = place[static_cast<size_t>(c)];
        to[c] = at < 0 ? W(0) : from[at];
      }
    }
  }
}

// Grouped cross-correlation of x [batch, channels, spatial...] with w [rows, channels / group, kernel...]; the result
// is [batch, rows, out...].
template <class W>
std::vector<W> correlate(const WindowAxes& axes, int64_t batch, int64_t channels, int64_t rows, int64_t group,
                         const std::vector<W>& x, const std::vector<W>& w) {
  const int64_t plane = element_count(in_extents(axes)), windows = element_count(out_extents(axes));
  const int64_t inner = channels / group, rows_each = rows / group, depth = inner * element_count(kernel_extents(axes));
  std::vector<W> y(static_cast<size_t>(element_count({batch, rows, windows})));
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t g = 0; g < group; ++g) {
      const W* from = x.data() + (n * channels + g * inner) * plane;
      W* to = y.data() + (n * rows + g * rows_each) * windows;
      tiled_product(
          w.data() + g * rows_each * depth, rows_each, depth, windows,
          [&](int64_t first, int64_t count, W* buffer, int64_t stride) {
            fill_columns(axes, from, inner, first, count, buffer, stride);
          },
          [&](int64_t r, int64_t first, int64_t count, const W* values) {
            std::copy_n(values, count, to + r * windows + first);
          });
    }
  return y;
}

}  // namespace tc
