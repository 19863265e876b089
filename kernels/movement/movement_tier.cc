#include "tc/kernels/movement/movement.h"

#include <type_traits>

#include "tc/kernels/movement/elements.h"
#include "tc/kernels/simd/stride2.h"
#include "tc/kernels/simd/transpose.h"

namespace tc::kernels {
namespace {

// Up to 64 bytes, by moves of one size that may overlap; a call of memcpy costs more than they do. 64 x 14 rows of 14
// floats repeated 4 x 4 times: 51 to 26 us.
TC_INLINE void copy_short(std::byte* dst, const std::byte* src, int64_t bytes) {
  const auto ends = [&](auto moved) {
    using T = decltype(moved);
    const T first = read<T>(src), last = read<T>(src + bytes - static_cast<int64_t>(sizeof(T)));
    write(dst, first);
    write(dst + bytes - static_cast<int64_t>(sizeof(T)), last);
  };
  struct Wider {
    Wide half[2];
  };
  if (bytes >= 32) return ends(Wider{});
  if (bytes >= 16) return ends(Wide{});
  if (bytes >= 8) return ends(uint64_t{});
  if (bytes >= 4) return ends(uint32_t{});
  for (int64_t i = 0; i < bytes; ++i) dst[i] = src[i];
}

// Longer rows go by registers, of which the last may overlap the one before, up to where calls no longer matter. 64 x
// 100 rows of 100 floats 35 to 27 us.
TC_INLINE void copy_bytes(std::byte* dst, const std::byte* src, int64_t bytes) {
  constexpr int64_t kMost = 4096, kRegister = sizeof(VecI);
  if (bytes <= 64) return copy_short(dst, src, bytes);
  if (bytes > kMost) {
    std::memcpy(dst, src, static_cast<size_t>(bytes));
    return;
  }
  const auto move = [&](int64_t i) {
    store(reinterpret_cast<int32_t*>(dst + i), load(reinterpret_cast<const int32_t*>(src + i)));
  };
  for (int64_t i = 0; i + kRegister < bytes; i += kRegister) move(i);
  move(bytes - kRegister);
}

template <class T>
TC_INLINE void copy_row(std::byte* dst, int64_t dst_stride, const std::byte* src, int64_t src_stride, int64_t n) {
  constexpr int64_t kSize = sizeof(T);
  if (dst_stride == 1 && src_stride == 1) {
    copy_bytes(dst, src, n * kSize);
  } else if (dst_stride == 1 && src_stride == 0) {
    const T x = read<T>(src);
    for (int64_t i = 0; i < n; ++i) write(dst + i * kSize, x);
  } else if (dst_stride == 1) {
    // Compilers turn steps that they know into shuffles. 300000 rows of 4 floats, split into columns 1.47 to 1.14
    // ms, on two threads 0.75 to 0.53.
    const auto gather = [&](auto step) __attribute__((always_inline)) {
      for (int64_t i = 0; i < n; ++i) write(dst + i * kSize, read<T>(src + i * step * kSize));
    };
    if (src_stride == 2)
      gather(std::integral_constant<int64_t, 2>{});
    else if (src_stride == 3)
      gather(std::integral_constant<int64_t, 3>{});
    else if (src_stride == 4)
      gather(std::integral_constant<int64_t, 4>{});
    else
      gather(src_stride);
  } else {
    for (int64_t i = 0; i < n; ++i) write(dst + i * dst_stride * kSize, read<T>(src + i * src_stride * kSize));
  }
}

// Walks the first `rank` dimensions from a flat position on, with the offsets of both sides.
struct Walk {
  const CopyArgs& args;
  int rank;
  int64_t at[kMaxRank];
  int64_t src = 0, dst = 0;

  Walk(const CopyArgs& a, int dims, int64_t flat) : args(a), rank(dims) {
    for (int d = rank - 1; d >= 0; --d) {
      at[d] = flat % a.extent[d];
      flat /= a.extent[d];
      src += at[d] * a.src_stride[d];
      dst += at[d] * a.dst_stride[d];
    }
  }
  // Steps that the last of these dimensions has left, 1 where there is none.
  int64_t left() const { return rank > 0 ? args.extent[rank - 1] - at[rank - 1] : 1; }
  void next(int64_t steps = 1) {
    for (int d = rank - 1; d >= 0; --d, steps = 1) {
      src += steps * args.src_stride[d];
      dst += steps * args.dst_stride[d];
      if ((at[d] += steps) < args.extent[d]) return;
      src -= args.extent[d] * args.src_stride[d];
      dst -= args.extent[d] * args.dst_stride[d];
      at[d] = 0;
    }
  }
};

void copy_rows(const CopyArgs& args, int64_t begin, int64_t end) {
  const int last = args.rank - 1;
  const int64_t n = args.extent[last], src_stride = args.src_stride[last], dst_stride = args.dst_stride[last];
  const auto* src = static_cast<const std::byte*>(args.src);
  auto* dst = static_cast<std::byte*>(args.dst);
  by_size(args.elem_size, [&](auto tag) {
    using T = decltype(tag);
    constexpr auto kSize = static_cast<int64_t>(sizeof(T));
    const bool is_short = src_stride == 1 && dst_stride == 1 && n * kSize <= 64;
    Walk walk(args, last, begin);
    for (int64_t i = begin, rows; i < end; i += rows, walk.next(rows)) {
      rows = walk.left() < end - i ? walk.left() : end - i;
      const std::byte* from = src + walk.src * kSize;
      std::byte* to = dst + walk.dst * kSize;
      const int64_t from_row = last > 0 ? args.src_stride[last - 1] * kSize : 0,
                    to_row = last > 0 ? args.dst_stride[last - 1] * kSize : 0;
      if (is_short) {
        for (int64_t r = 0; r < rows; ++r) copy_short(to + r * to_row, from + r * from_row, n * kSize);
      } else {
        for (int64_t r = 0; r < rows; ++r) copy_row<T>(to + r * to_row, dst_stride, from + r * from_row, src_stride, n);
      }
    }
  });
}

// N neighbours into as many lines, and back, which compilers do by shuffles.
template <int N, class T>
void split_lines(T* __restrict to, int64_t ld, const T* __restrict from, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
#pragma GCC unroll 4
    for (int k = 0; k < N; ++k) to[k * ld + i] = from[N * i + k];
  }
}
template <int N, class T>
void join_lines(T* __restrict to, const T* __restrict from, int64_t ld, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
#pragma GCC unroll 4
    for (int k = 0; k < N; ++k) to[N * i + k] = from[k * ld + i];
  }
}
// A plane (see below) of a picture's channels or of the corners of boxes, of which squares would be mostly empty: 224 x
// 224 x 3 floats 62 to 14 us, and back 59 to 14; bytes 133 to 5. False: it is something else.
template <class T>
bool transpose_narrow(std::byte* dst, int64_t dst_ld, const std::byte* src, int64_t src_ld, int64_t lines, int64_t n) {
  using Element = typename Loose<T>::type;
  auto* to = reinterpret_cast<Element*>(dst);
  const auto* from = reinterpret_cast<const Element*>(src);
  if (n == src_ld && n == 3) return split_lines<3>(to, dst_ld, from, lines), true;
  if (n == src_ld && n == 4) return split_lines<4>(to, dst_ld, from, lines), true;
  if (lines == dst_ld && lines == 3) return join_lines<3>(to, from, src_ld, n), true;
  if (lines == dst_ld && lines == 4) return join_lines<4>(to, from, src_ld, n), true;
  return false;
}

// A plane of `lines` source lines of n contiguous elements: dst[j * dst_ld + l] = src[l * src_ld + j].
template <class T>
void transpose_plane(std::byte* dst, int64_t dst_ld, const std::byte* src, int64_t src_ld, int64_t lines, int64_t n) {
  constexpr int kSize = sizeof(T);
  constexpr int64_t kBlock = kSize < 4 ? 64 / kSize : 16;  // whole cache lines of either side
  constexpr int64_t kSide = kSize <= 8 ? 16 / kSize : 1;
  for (int64_t l0 = 0; l0 < lines; l0 += kBlock) {
    const int64_t l1 = least(lines, l0 + kBlock);
    for (int64_t j0 = 0; j0 < n; j0 += kBlock) {
      const int64_t j1 = least(n, j0 + kBlock);
      for (int64_t j = j0; j < j1; j += kSide) {
        for (int64_t l = l0; l < l1; l += kSide) {
          std::byte* const to = dst + (j * dst_ld + l) * kSize;
          const std::byte* const from = src + (l * src_ld + j) * kSize;
          const int64_t high = least(kSide, j1 - j), wide = least(kSide, l1 - l);
          if constexpr (kSide > 1) {
            if (high == kSide && wide == kSide) {
              transpose_square<kSize>([=](int64_t i) { return from + i * src_ld * kSize; },
                                      [=](int64_t i) { return to + i * dst_ld * kSize; });
              continue;
            }
          }
          for (int64_t y = 0; y < high; ++y) {
            for (int64_t x = 0; x < wide; ++x)
              write(to + (y * dst_ld + x) * kSize, read<T>(from + (x * src_ld + y) * kSize));
          }
        }
      }
    }
  }
}

// `pairs` neighbours into two lines, and back.
void split_pairs(float* first, float* second, const float* from, int64_t pairs) {
  int64_t i = 0;
  for (; i + kLanes<float> <= pairs; i += kLanes<float>) {
    store(first + i, load_every_second(from + 2 * i));
    store(second + i, load_every_second(from + 2 * i + 1));
  }
  for (; i < pairs; ++i) first[i] = from[2 * i], second[i] = from[2 * i + 1];
}
void join_pairs(float* to, const float* first, const float* second, int64_t pairs) {
  int64_t i = 0;
  for (; i + kLanes<float> <= pairs; i += kLanes<float>) store_pairs(to + 2 * i, load(first + i), load(second + i));
  for (; i < pairs; ++i) to[2 * i] = first[i], to[2 * i + 1] = second[i];
}

// Floats in squares of registers; squares that hang over the edge load and store fewer lanes and lines.
template <>
void transpose_plane<uint32_t>(std::byte* dst, int64_t dst_ld, const std::byte* src, int64_t src_ld, int64_t lines,
                               int64_t n) {
  constexpr int kSide = kLanes<float>;
  const auto* in = reinterpret_cast<const float*>(src);
  auto* out = reinterpret_cast<float*>(dst);
  if (n == 2 && src_ld == 2) return split_pairs(out, out + dst_ld, in, lines);
  if (lines == 2 && dst_ld == 2) return join_pairs(out, in, in + src_ld, n);
  VecF m[kSide];
  for (int64_t l = 0; l < lines; l += kSide) {
    const int high = static_cast<int>(lines - l < kSide ? lines - l : kSide);
    for (int64_t j = 0; j < n; j += kSide) {
      const int wide = static_cast<int>(n - j < kSide ? n - j : kSide);
      const float* from = in + l * src_ld + j;
      float* to = out + j * dst_ld + l;
      if (high == kSide && wide == kSide) {
        for (int i = 0; i < kSide; ++i) m[i] = load(from + i * src_ld);
        transpose(m);
        for (int i = 0; i < kSide; ++i) store(to + i * dst_ld, m[i]);
      } else {
        const Tail<float> columns(wide), rows(high);
        for (int i = 0; i < kSide; ++i) m[i] = i < high ? load(from + i * src_ld, columns) : VecF(0.0f);
        transpose(m);
        for (int i = 0; i < wide; ++i) store(to + i * dst_ld, m[i], rows);
      }
    }
  }
}

void transpose_planes(const CopyArgs& args, int64_t begin, int64_t end) {
  const int last = args.rank - 1, along = last - 1;
  const auto* src = static_cast<const std::byte*>(args.src);
  auto* dst = static_cast<std::byte*>(args.dst);
  by_size(args.elem_size, [&](auto tag) {
    using T = decltype(tag);
    constexpr auto kSize = static_cast<int64_t>(sizeof(T));
    Walk walk(args, along, begin);
    const int64_t dst_ld = args.dst_stride[along], src_ld = args.src_stride[last];
    const int64_t lines = args.extent[last], n = args.extent[along];
    for (int64_t i = begin; i < end; ++i, walk.next()) {
      std::byte* const to = dst + walk.dst * kSize;
      const std::byte* const from = src + walk.src * kSize;
      if (!transpose_narrow<T>(to, dst_ld, from, src_ld, lines, n))
        transpose_plane<T>(to, dst_ld, from, src_ld, lines, n);
    }
  });
}

// Where a padded coordinate comes from in a dimension of n elements; -1 for the constant.
TC_INLINE int64_t source_of(PadMode mode, int64_t i, int64_t n) {
  if (i >= 0 && i < n) return i;
  switch (mode) {
    case PadMode::constant:
      return -1;
    case PadMode::edge:
      return i < 0 ? 0 : n - 1;
    case PadMode::wrap:
      if (i >= -n && i < 2 * n) return i < 0 ? i + n : i - n;
      return (i % n + n) % n;
    case PadMode::reflect: {
      if (n == 1) return 0;
      if (i < 0 && i > -n) return -i;
      if (i > 0 && i < 2 * n - 1) return 2 * (n - 1) - i;
      const int64_t period = 2 * (n - 1), r = (i % period + period) % period;
      return r < n ? r : period - r;
    }
  }
  return -1;
}

// The same of place i in dimension d of what is padded.
TC_INLINE int64_t source_along(const PadArgs& args, int d, int64_t i) {
  const int64_t at = source_of(args.mode, i - args.padded(d), args.kept(d));
  return at < 0 ? -1 : at + args.cropped(d);
}

// Rows of the output; where the last dimension stays as it is, of points of so many elements along the one before.
void pad_rows(const PadArgs& args, int64_t begin, int64_t end) {
  const auto* src = static_cast<const std::byte*>(args.src);
  auto* dst = static_cast<std::byte*>(args.dst);
  const int last = args.rank - 1;
  const int64_t n = args.rank > 0 ? args.extent[last] : 1, kept = args.rank > 0 ? args.kept(last) : 1;
  const int64_t before = args.rank > 0 ? args.padded(last) : 0, low = args.rank > 0 ? args.cropped(last) : 0;
  const int64_t row = args.rank > 0 ? args.out_extent(last) : 1;
  // The row's points that are copied as they are: [from, to).
  const auto inside = [&](int64_t i) { return i < 0 ? 0 : i > row ? row : i; };
  const int64_t from = inside(before), to = inside(before + kept) < from ? from : inside(before + kept);
  by_size(args.elem_size, [&](auto tag) {
    using T = decltype(tag);
    const int64_t point = args.point, size = point * static_cast<int64_t>(sizeof(T));
    const T value = args.value != nullptr ? read<T>(static_cast<const std::byte*>(args.value)) : T{};
    const auto fill = [&](std::byte* target, int64_t count) {
      for (int64_t i = 0; i < count; ++i) write(target + i * static_cast<int64_t>(sizeof(T)), value);
    };
    // Where the points at the ends of a row come from, if they are few.
    constexpr int64_t kFew = 32;
    const bool constant = args.mode == PadMode::constant, few = !constant && from + row - to <= kFew;
    int64_t sources[kFew];
    if (few) {
      for (int64_t i = 0; i < from; ++i) sources[i] = source_along(args, last, i);
      for (int64_t i = to; i < row; ++i) sources[i - to + from] = source_along(args, last, i);
    }
    int64_t place[kMaxRank];  // the row's, in the padded tensor
    for (int64_t d = last - 1, rest = begin; d >= 0; rest /= args.out_extent(static_cast<int>(d)), --d)
      place[d] = rest % args.out_extent(static_cast<int>(d));
    const auto next = [&] {
      for (int d = last - 1; d >= 0 && ++place[d] == args.out_extent(d); --d) place[d] = 0;
    };
    // Of the lines that dimensions [0, dims) name, the one that the row comes from; -1 for none.
    const auto line_of = [&](int dims) {
      int64_t line = 0;
      for (int d = 0; d < dims && line >= 0; ++d) {
        const int64_t at = source_along(args, d, place[d]);
        line = at < 0 ? -1 : line * args.extent[d] + at;
      }
      return line;
    };
    int64_t plane = line_of(last - 1);
    for (int64_t r = begin; r < end; ++r, next()) {
      if (last > 0 && place[last - 1] == 0) plane = line_of(last - 1);
      int64_t line = plane;
      if (last > 0 && plane >= 0) {
        const int64_t at = source_along(args, last - 1, place[last - 1]);
        line = at < 0 ? -1 : plane * args.extent[last - 1] + at;
      }
      std::byte* const target = dst + r * row * size;
      if (line < 0) {
        fill(target, row * point);
        continue;
      }
      const std::byte* const source = src + line * n * size;
      if (to > from) copy_bytes(target + from * size, source + (low + from - before) * size, (to - from) * size);
      if (constant) {
        fill(target, from * point);
        fill(target + to * size, (row - to) * point);
        continue;
      }
      const auto edge = [&](int64_t i, int64_t at) {
        point == 1 ? write(target + i * size, read<T>(source + at * size))
                   : copy_bytes(target + i * size, source + at * size, size);
      };
      if (few) {
        for (int64_t i = 0; i < from; ++i) edge(i, sources[i]);
        for (int64_t i = to; i < row; ++i) edge(i, sources[i - to + from]);
      } else {
        for (int64_t i = 0; i < from; ++i) edge(i, source_along(args, last, i));
        for (int64_t i = to; i < row; ++i) edge(i, source_along(args, last, i));
      }
    }
  });
}

Status gather_slices(const GatherArgs& args, int64_t begin, int64_t end) {
  const auto* data = static_cast<const std::byte*>(args.data);
  auto* out = static_cast<std::byte*>(args.out);
  const int64_t slice = args.inner * args.elem_size;
  Status status;
  const auto run = [&](auto copy) {
    if (begin == end) return;
    int64_t outer = begin / args.count, k = begin % args.count;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t index = index_at(args.index, k);
      if (index < -args.n || index >= args.n) {
        status = {StatusCode::kIndexOutOfRange, k};
        return;
      }
      const int64_t at = outer * args.n + from_start(index, args.n);
      copy(out + i * slice, data + at * slice);
      if (++k == args.count) ++outer, k = 0;
    }
  };
  switch (slice) {
    case 0:
      run([](std::byte*, const std::byte*) {});
      break;
    case 1:
      run([](std::byte* d, const std::byte* s) { std::memcpy(d, s, 1); });
      break;
    case 2:
      run([](std::byte* d, const std::byte* s) { std::memcpy(d, s, 2); });
      break;
    case 4:
      run([](std::byte* d, const std::byte* s) { std::memcpy(d, s, 4); });
      break;
    case 8:
      run([](std::byte* d, const std::byte* s) { std::memcpy(d, s, 8); });
      break;
    case 16:
      run([](std::byte* d, const std::byte* s) { std::memcpy(d, s, 16); });
      break;
    default:
      run([&](std::byte* d, const std::byte* s) { std::memcpy(d, s, static_cast<size_t>(slice)); });
      break;
  }
  return status;
}

template <class T, class Index>
Status gather_rows(const GatherElementsArgs& args, int64_t row0, int64_t row1, int64_t col0, int64_t col1) {
  const auto* data = static_cast<const typename Loose<T>::type*>(args.data);
  const auto* indices = static_cast<const typename Loose<Index>::type*>(args.index.data);
  auto* out = static_cast<typename Loose<T>::type*>(args.out);
  const int last = args.rank - 1;
  int64_t stride[kMaxRank], at[kMaxRank], step = 1;
  for (int d = last; d >= 0; --d) {
    stride[d] = step;
    step *= args.data_extent[d];
  }
  const int64_t n = args.data_extent[args.axis], along = stride[args.axis], columns = args.extent[last];
  const bool across = args.axis != last;
  stride[args.axis] = 0;
  int64_t base = 0, rest = row0;  // of the row, without its coordinate along the axis
  for (int d = last - 1; d >= 0; --d) {
    at[d] = rest % args.extent[d];
    rest /= args.extent[d];
    base += at[d] * stride[d];
  }
  for (int64_t row = row0; row < row1; ++row) {
    const auto* from = data + base;
    const int64_t first = row * columns;
    // One load after the other: lanes of a gather take longer, and a look at all indices before once more.
    const auto all = [&](auto together, auto place) {
      constexpr int kTogether = together();
      int64_t c = col0;
      for (; kTogether > 1 && c + kTogether <= col1; c += kTogether) {
        int64_t index[kTogether];
        bool wrong = false;
        for (int i = 0; i < kTogether; ++i) {
          index[i] = from_start(indices[first + c + i], n);
          wrong |= static_cast<uint64_t>(index[i]) >= static_cast<uint64_t>(n);
        }
        if (wrong) break;
        for (int i = 0; i < kTogether; ++i) out[first + c + i] = from[place(c + i, index[i])];
      }
      for (; c < col1; ++c) {
        const int64_t index = from_start(indices[first + c], n);
        if (static_cast<uint64_t>(index) >= static_cast<uint64_t>(n)) break;
        out[first + c] = from[place(c, index)];
      }
      return c;
    };
    const auto along_columns = [](int64_t, int64_t index) { return index; };
    const auto along_others = [&](int64_t c, int64_t index) { return c + index * along; };
    const int64_t done = across ? all(std::integral_constant<int, 1>(), along_others)
                                : all(std::integral_constant<int, 8>(), along_columns);
    if (done < col1) return {StatusCode::kIndexOutOfRange, first + done};
    for (int d = last - 1; d >= 0; --d) {
      base += stride[d];
      if (++at[d] < args.extent[d]) break;
      base -= args.extent[d] * stride[d];
      at[d] = 0;
    }
  }
  return {};
}

Status gather_single(const GatherElementsArgs& args, int64_t row0, int64_t row1, int64_t col0, int64_t col1) {
  Status status;
  by_size(args.elem_size, [&](auto tag) {
    using T = decltype(tag);
    status = args.index.wide ? gather_rows<T, int64_t>(args, row0, row1, col0, col1)
                             : gather_rows<T, int32_t>(args, row0, row1, col0, col1);
  });
  return status;
}

Status gather_tuples(const SliceArgs& args, int64_t begin, int64_t end) {
  const auto* data = static_cast<const std::byte*>(args.data);
  auto* out = static_cast<std::byte*>(args.slices);
  const int64_t slice = args.inner * args.elem_size;
  for (int64_t i = begin; i < end; ++i) {
    int64_t at = i / args.count;
    for (int d = 0; d < args.depth; ++d) {
      const int64_t n = args.extent[d], index = index_at(args.index, i * args.depth + d);
      if (index < -n || index >= n) return {StatusCode::kIndexOutOfRange, i * args.depth + d};
      at = at * n + from_start(index, n);
    }
    if (slice > 0) std::memcpy(out + i * slice, data + at * slice, static_cast<size_t>(slice));
  }
  return {};
}

template <class T, class Wide>
void range_as(const RangeArgs& args, int64_t begin, int64_t end) {
  const Wide from = static_cast<Wide>(*static_cast<const T*>(args.from));
  const Wide step = static_cast<Wide>(*static_cast<const T*>(args.step));
  T* out = static_cast<T*>(args.out);
  for (int64_t i = begin; i < end; ++i) out[i] = static_cast<T>(from + static_cast<Wide>(i) * step);
}

void range(const RangeArgs& args, int64_t begin, int64_t end) {
  switch (args.type) {
    case Elem::f32:
      return range_as<float, double>(args, begin, end);
    case Elem::f64:
      return range_as<double, double>(args, begin, end);
    case Elem::i32:
      return range_as<int32_t, uint32_t>(args, begin, end);
    default:
      return range_as<int64_t, uint64_t>(args, begin, end);
  }
}

}  // namespace

Status TC_TIER_NAME(check_indices)(const IndexView& index, int64_t n, int64_t begin, int64_t end);
void TC_TIER_NAME(scatter_elements)(const ScatterElementsArgs& args, int64_t row0, int64_t row1, int64_t col0,
                                    int64_t col1);
void TC_TIER_NAME(scatter_nd)(const SliceArgs& args, int64_t first, int64_t last);

extern constinit const MoveTable TC_TIER_NAME(move_table){
    .copy_rows = TC_KERNEL(copy_rows, "copy_rows"),
    .transpose = TC_KERNEL(transpose_planes, "transpose"),
    .pad = TC_KERNEL(pad_rows, "pad"),
    .gather = TC_KERNEL(gather_slices, "gather"),
    .gather_elements = TC_KERNEL(gather_single, "gather_elements"),
    .check_indices = TC_KERNEL(TC_TIER_NAME(check_indices), "check_indices"),
    .scatter_elements = TC_KERNEL(TC_TIER_NAME(scatter_elements), "scatter_elements"),
    .scatter_nd = TC_KERNEL(TC_TIER_NAME(scatter_nd), "scatter_nd"),
    .gather_nd = TC_KERNEL(gather_tuples, "gather_nd"),
    .range = TC_KERNEL(range, "range"),
};

}  // namespace tc::kernels
