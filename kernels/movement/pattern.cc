#include "tc/kernels/movement/pattern.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "tc/kernels/parallel.h"

namespace tc::kernels {
namespace {

// Bytes written per tile.
constexpr int64_t kGrain = 128 * 1024;

struct Wide {
  std::uint64_t half[2];
};

// Calls f with a value of the type that elements are copied as.
template <class F>
void visit_size(int elem_size, F&& f) {
  switch (elem_size) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    case 8:
      return f(std::uint64_t{});
    default:
      return f(Wide{});
  }
}

// Zeros, mostly, for which there is a faster way.
template <class T>
void fill(T* begin, T* end, const T& value) {
  constexpr T kZero{};
  if (std::memcmp(&value, &kZero, sizeof(T)) == 0)
    std::memset(static_cast<void*>(begin), 0, static_cast<size_t>(end - begin) * sizeof(T));
  else
    std::fill(begin, end, value);
}

// For indices [begin, end) of one o, or, where inner is 1, of all.
template <class T>
void one_hot_tile(const OneHotArgs& a, int64_t o, int64_t begin, int64_t end) {
  const T off = static_cast<const T*>(a.values)[0], on = static_cast<const T*>(a.values)[1];
  T* out = static_cast<T*>(a.out) + o * a.depth * a.inner;
  if (a.inner == 1) {
    fill(out + begin * a.depth, out + end * a.depth, off);
  } else {
    for (int64_t d = 0; d < a.depth; ++d) fill(out + d * a.inner + begin, out + d * a.inner + end, off);
  }
  for (int64_t i = begin; i < end; ++i) {
    const int64_t from = o * a.inner + i;
    int64_t hot = a.index.wide ? static_cast<const int64_t*>(a.index.data)[from]
                               : static_cast<const int32_t*>(a.index.data)[from];
    if (hot < 0) hot += a.depth;
    if (hot >= 0 && hot < a.depth) out[a.inner == 1 ? i * a.depth + hot : hot * a.inner + i] = on;
  }
}

}  // namespace

void one_hot(Team& team, const OneHotArgs& a) {
  if (a.outer * a.depth * a.inner == 0) return;
  const int64_t blocks = a.inner == 1 ? 1 : a.outer;
  const Tiling tiles = tile_by_cost(a.inner == 1 ? a.outer : a.inner, a.depth * a.elem_size, kGrain);
  visit_size(a.elem_size, [&]<class T>(T) {
    parallel_for(team, blocks * tiles.count(), [&](int64_t tile, int) {
      const int64_t t = tile % tiles.count();
      one_hot_tile<T>(a, tile / tiles.count(), tiles.begin(t), tiles.end(t));
    });
  });
}

void triangle(Team& team, const TriangleArgs& a) {
  const int64_t bytes = a.columns * a.elem_size;
  const Tiling tiles = tile_by_cost(a.matrices * a.rows, bytes, kGrain);
  const int64_t k = std::clamp(a.k, -a.rows, a.columns);
  parallel_for(team, tiles.count(), static_cast<double>(tiles.total * bytes) / 8, [&](int64_t tile, int) {
    for (int64_t row = tiles.begin(tile); row < tiles.end(tile); ++row) {
      const auto* from = static_cast<const std::byte*>(a.x) + row * bytes;
      auto* to = static_cast<std::byte*>(a.out) + row * bytes;
      // Where the diagonal crosses the row; the lower triangle has its element, too.
      const int64_t column = std::clamp<int64_t>(row % a.rows + k + (a.upper ? 0 : 1), 0, a.columns) * a.elem_size;
      const int64_t begin = a.upper ? column : 0, end = a.upper ? bytes : column;
      if (from != to) std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
      std::memset(to, 0, static_cast<size_t>(begin));
      std::memset(to + end, 0, static_cast<size_t>(bytes - end));
    }
  });
}

namespace {

// Lines [begin, end) along the second of steps and sequences, of rows of so many bytes.
template <class Bytes>
void reverse_lines(const ReverseArgs& a, int64_t begin, int64_t end, Bytes bytes) {
  auto* out = static_cast<std::byte*>(a.out);
  const auto* x = static_cast<const std::byte*>(a.x);
  const auto copy = [&](int64_t to, int64_t from) {
    std::memcpy(out + to * bytes, x + from * bytes, static_cast<size_t>(bytes));
  };
  for (int64_t line = begin; line < end; ++line) {
    if (a.steps_first) {
      const int64_t step = line % a.steps, first = (line - step) * a.sequences;
      for (int64_t s = 0; s < a.sequences; ++s) {
        const int64_t from = step < a.lengths[s] ? a.lengths[s] - 1 - step : step;
        copy(line * a.sequences + s, first + from * a.sequences + s);
      }
    } else {
      const int64_t first = line * a.steps, length = a.lengths[line % a.sequences];
      for (int64_t step = 0; step < length; ++step) copy(first + step, first + length - 1 - step);
      const int64_t rest = (first + length) * bytes;
      std::memcpy(out + rest, x + rest, static_cast<size_t>((a.steps - length) * bytes));
    }
  }
}

}  // namespace

void reverse_sequences(Team& team, const ReverseArgs& a) {
  const int64_t lines = a.outer * (a.steps_first ? a.steps : a.sequences);
  const int64_t length = a.steps_first ? a.sequences : a.steps;
  if (lines * length * a.row_bytes == 0) return;
  const Tiling tiles = tile_by_cost(lines, length * (a.row_bytes + 8), kGrain);
  parallel_for(team, tiles.count(), static_cast<double>(lines * length * (a.row_bytes + 16)) / 16,
               [&](int64_t tile, int) {
                 const int64_t begin = tiles.begin(tile), end = tiles.end(tile);
                 const auto run = [&](auto bytes) { reverse_lines(a, begin, end, bytes); };
                 switch (a.row_bytes) {
                   case 1:
                     return run(std::integral_constant<int64_t, 1>());
                   case 2:
                     return run(std::integral_constant<int64_t, 2>());
                   case 4:
                     return run(std::integral_constant<int64_t, 4>());
                   case 8:
                     return run(std::integral_constant<int64_t, 8>());
                   case 16:
                     return run(std::integral_constant<int64_t, 16>());
                   default:
                     return run(a.row_bytes);
                 }
               });
}

}  // namespace tc::kernels
