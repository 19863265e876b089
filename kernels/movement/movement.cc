#include "tc/kernels/movement/movement.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

namespace tc::kernels {
namespace {

// Bytes moved per tile.
constexpr std::int64_t kGrain = 64 << 10;

// Dimensions in the order of the target's strides, largest first, without those of extent 1, neighbours merged.
CopyArgs normalized(const CopyArgs& in) {
  int order[kMaxRank], rank = 0;
  for (int d = 0; d < in.rank; ++d) {
    if (in.extent[d] != 1) order[rank++] = d;
  }
  // Insertion sort: stable, and nearly always there is nothing to do.
  for (int i = 1; i < rank; ++i) {
    for (int k = i; k > 0 && std::abs(in.dst_stride[order[k]]) > std::abs(in.dst_stride[order[k - 1]]); --k) {
      std::swap(order[k], order[k - 1]);
    }
  }
  CopyArgs out = in;
  out.rank = 0;
  for (int i = 0; i < rank; ++i) {
    const int d = order[i], last = out.rank - 1;
    if (last >= 0 && out.src_stride[last] == in.src_stride[d] * in.extent[d] &&
        out.dst_stride[last] == in.dst_stride[d] * in.extent[d]) {
      out.extent[last] *= in.extent[d];
      out.src_stride[last] = in.src_stride[d];
      out.dst_stride[last] = in.dst_stride[d];
      continue;
    }
    out.extent[out.rank] = in.extent[d];
    out.src_stride[out.rank] = in.src_stride[d];
    out.dst_stride[out.rank] = in.dst_stride[d];
    ++out.rank;
  }
  if (out.rank == 0) {
    out.rank = 1;
    out.extent[0] = 1;
    out.src_stride[0] = out.dst_stride[0] = 1;
  }
  return out;
}

std::int64_t product(const std::int64_t* extent, int rank) {
  std::int64_t n = 1;
  for (int d = 0; d < rank; ++d) n *= extent[d];
  return n;
}

// Runs `fn` over units x pieces of dimension `cut`, each tile moving about kGrain bytes.
void run_copy(const Slot<void(const CopyArgs&, std::int64_t, std::int64_t)>& slot, Team& team, const CopyArgs& args,
              std::int64_t units, int cut) {
  const std::int64_t unit_bytes = product(args.extent, args.rank) / std::max<std::int64_t>(units, 1) * args.elem_size;
  const std::int64_t wanted = units >= kMaxTiles ? 1 : std::min(kMaxTiles / units, unit_bytes / kGrain);
  const std::int64_t pieces = std::clamp<std::int64_t>(wanted, 1, args.extent[cut]);
  // Multiples of 64, so that pieces end at cache lines and at squares of registers.
  const Tiling part{args.extent[cut], ((args.extent[cut] + pieces - 1) / pieces + 63) / 64 * 64};
  const Tiling tiling = tile_by_cost(units, unit_bytes / part.count(), kGrain);
  parallel_for(team, tiling.count() * part.count(), [&](std::int64_t tile, int) {
    const std::int64_t first = part.begin(tile % part.count()), outer = tile / part.count();
    CopyArgs mine = args;
    mine.extent[cut] = part.end(tile % part.count()) - first;
    mine.src = static_cast<const std::byte*>(args.src) + first * args.src_stride[cut] * args.elem_size;
    mine.dst = static_cast<std::byte*>(args.dst) + first * args.dst_stride[cut] * args.elem_size;
    slot.fn(mine, tiling.begin(outer), tiling.end(outer));
  });
}

std::int64_t index_at(const IndexView& index, std::int64_t i) {
  std::int64_t wide = 0;
  std::int32_t narrow = 0;
  if (index.wide) {
    std::memcpy(&wide, static_cast<const std::byte*>(index.data) + i * 8, 8);
    return wide;
  }
  std::memcpy(&narrow, static_cast<const std::byte*>(index.data) + i * 4, 4);
  return narrow;
}

template <class F>
Status run_checked(Team& team, std::int64_t total, std::int64_t bytes, F f) {
  const Tiling tiling = tile_by_cost(total, bytes, kGrain);
  FirstFailure failure;
  parallel_for(team, tiling.count(), [&](std::int64_t tile, int) {
    const Status status = f(tiling.begin(tile), tiling.end(tile));
    if (!status.ok()) failure.report(status.at);
  });
  return failure.status(StatusCode::kIndexOutOfRange);
}

// A dimension that repeats what lies side by side in the target, if its rows are so short that copies of whole blocks
// are cheaper; else -1.
int repeated_blocks(const CopyArgs& args) {
  constexpr std::int64_t kShortRow = 512;  // bytes
  const int last = args.rank - 1;
  if (last < 1 || args.extent[last] * args.elem_size >= kShortRow || args.dst_stride[last] != 1) return -1;
  int found = -1;
  std::int64_t block = args.extent[last];
  for (int d = last - 1; d >= 0 && args.dst_stride[d] == block; --d) {
    if (args.src_stride[d] == 0 && block * args.elem_size >= kShortRow) found = d;
    block *= args.extent[d];
  }
  return found;
}

}  // namespace

void copy_box(const MoveTable& table, Team& team, const CopyArgs& given) {
  for (int d = 0; d < given.rank; ++d) {
    if (given.extent[d] == 0) return;
  }
  CopyArgs args = normalized(given);
  const int last = args.rank - 1;
  // One block from the source, the others from it. 64 planes of 14 x 14 four times either way, as bytes 28 to 10 us.
  if (const int d = repeated_blocks(args); d >= 0) {
    CopyArgs once = args, again = args;
    once.extent[d] = 1;
    copy_box(table, team, once);
    const std::int64_t block = args.dst_stride[d];
    again.rank = d + 2;
    again.src = args.dst, again.dst = static_cast<std::byte*>(args.dst) + block * args.elem_size;
    for (int k = 0; k < d; ++k) again.src_stride[k] = args.dst_stride[k];
    again.extent[d] -= 1;
    again.extent[d + 1] = block, again.src_stride[d + 1] = again.dst_stride[d + 1] = 1;
    return copy_box(table, team, again);
  }
  // A transposition: the target is contiguous along the last dimension, the source along another one.
  int along = -1;
  for (int d = 0; d < last && along < 0; ++d) {
    if (args.src_stride[d] == 1 && args.dst_stride[last] == 1 && args.src_stride[last] != 1 &&
        args.src_stride[last] != 0) {
      along = d;
    }
  }
  if (along < 0) {
    run_copy(table.copy_rows, team, args, product(args.extent, last), last);
    return;
  }
  for (int d = along; d < last - 1; ++d) {
    std::swap(args.extent[d], args.extent[d + 1]);
    std::swap(args.src_stride[d], args.src_stride[d + 1]);
    std::swap(args.dst_stride[d], args.dst_stride[d + 1]);
  }
  // The longer side of the plane is cut.
  run_copy(table.transpose, team, args, product(args.extent, last - 1),
           args.extent[last] > args.extent[last - 1] ? last : last - 1);
}

void pad(const MoveTable& table, Team& team, const PadArgs& args) {
  std::int64_t rows = 1;
  for (int d = 0; d < args.rank - 1; ++d) rows *= args.out_extent(d);
  const std::int64_t row = args.rank > 0 ? args.out_extent(args.rank - 1) : 1;
  if (rows <= 0 || row <= 0) return;
  const Tiling tiling = tile_by_cost(rows, row * args.elem_size, kGrain);
  parallel_for(team, tiling.count(),
               [&](std::int64_t tile, int) { table.pad.fn(args, tiling.begin(tile), tiling.end(tile)); });
}

Status gather(const MoveTable& table, Team& team, const GatherArgs& args) {
  return run_checked(team, args.outer * args.count, args.inner * args.elem_size,
                     [&](std::int64_t begin, std::int64_t end) { return table.gather.fn(args, begin, end); });
}

Status gather_nd(const MoveTable& table, Team& team, const SliceArgs& args) {
  return run_checked(team, args.batch * args.count, args.inner * args.elem_size,
                     [&](std::int64_t begin, std::int64_t end) { return table.gather_nd.fn(args, begin, end); });
}

bool scatter_supports(ScatterOp op, Elem type) {
  return op == ScatterOp::none || type == Elem::f32 || type == Elem::f64 || type == Elem::i32 || type == Elem::i64;
}

namespace {

struct Replace {
  template <class T>
  T operator()(const T&, const T& b) const {
    return b;
  }
};
struct Plus {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
    else
      return a + b;
  }
};
struct Times {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) * static_cast<std::make_unsigned_t<T>>(b));
    else
      return a * b;
  }
};
struct Larger {
  template <class T>
  T operator()(T a, T b) const {
    return a != a || a > b ? a : b;
  }
};
struct Smaller {
  template <class T>
  T operator()(T a, T b) const {
    return a != a || a < b ? a : b;
  }
};
// Sixteen bytes without alignment.
struct Wide {
  std::uint64_t half[2];
};

// Calls f with a value of the element type and the function that joins two of them.
template <class F>
void by_join(ScatterOp op, Elem type, int elem_size, F f) {
  const auto by_type = [&](auto join) {
    switch (type) {
      case Elem::f64:
        return f(double{}, join);
      case Elem::i32:
        return f(std::int32_t{}, join);
      case Elem::i64:
        return f(std::int64_t{}, join);
      default:
        return f(float{}, join);
    }
  };
  switch (op) {
    case ScatterOp::add:
      return by_type(Plus{});
    case ScatterOp::mul:
      return by_type(Times{});
    case ScatterOp::max:
      return by_type(Larger{});
    case ScatterOp::min:
      return by_type(Smaller{});
    case ScatterOp::none:
      break;
  }
  switch (elem_size) {
    case 1:
      return f(std::uint8_t{}, Replace{});
    case 2:
      return f(std::uint16_t{}, Replace{});
    case 4:
      return f(std::uint32_t{}, Replace{});
    case 8:
      return f(std::uint64_t{}, Replace{});
    default:
      return f(Wide{}, Replace{});
  }
}

std::int64_t from_start(std::int64_t index, std::int64_t n) {
  return index < 0 ? index + n : index;
}

template <class Index>
std::int64_t read_index(const IndexView& index, std::int64_t i) {
  Index value;
  std::memcpy(&value, static_cast<const std::byte*>(index.data) + i * static_cast<std::int64_t>(sizeof(Index)),
              sizeof(Index));
  return value;
}

// Columns [col0, col1) of rows [row0, row1) of the indices.
template <class T, class Index, class Join>
void scatter_rows(const ScatterElementsArgs& a, std::int64_t row0, std::int64_t row1, std::int64_t col0,
                  std::int64_t col1, Join join) {
  const int last = a.rank - 1;
  std::int64_t stride[kMaxRank], at[kMaxRank], base = 0, rest = row0;
  stride[last] = 1;
  for (int d = last; d-- > 0;) stride[d] = stride[d + 1] * a.data_extent[d + 1];
  const std::int64_t n = a.data_extent[a.axis], along = stride[a.axis], columns = a.extent[last];
  const std::int64_t step = a.axis == last ? 0 : 1;
  stride[a.axis] = 0;
  for (int d = last; d-- > 0; rest /= a.extent[d]) base += (at[d] = rest % a.extent[d]) * stride[d];
  const T* updates = static_cast<const T*>(a.updates);
  for (std::int64_t row = row0; row < row1; ++row) {
    T* data = static_cast<T*>(a.data) + base;
    for (std::int64_t c = col0; c < col1; ++c) {
      const std::int64_t from = row * columns + c;
      T& to = data[c * step + from_start(read_index<Index>(a.index, from), n) * along];
      to = join(to, updates[from]);
    }
    for (int d = last; d-- > 0;) {
      base += stride[d];
      if (++at[d] < a.extent[d]) break;
      base -= a.extent[d] * stride[d];
      at[d] = 0;
    }
  }
}

// The first of the indices [begin, end) that is out of range.
template <class Index>
Status check_indices(const IndexView& index, std::int64_t n, std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t kRun = 512;
  for (std::int64_t run = begin; run < end; run += kRun) {
    const std::int64_t stop = std::min(end, run + kRun);
    std::int64_t least = 0, most = -1;
    for (std::int64_t i = run; i < stop; ++i) {
      const std::int64_t at = read_index<Index>(index, i);
      least = std::min(least, at), most = std::max(most, at);
    }
    if (least >= -n && most < n) continue;
    for (std::int64_t i = run; i < stop; ++i)
      if (const std::int64_t at = read_index<Index>(index, i); at < -n || at >= n)
        return {StatusCode::kIndexOutOfRange, i};
  }
  return {};
}

// Neighbouring axes become one where the indices cover the data's second one.
template <class Args>
Args merged_axes(const Args& given) {
  Args a = given;
  a.rank = 0;
  for (int d = 0; d < given.rank; ++d) {
    const int last = a.rank - 1;
    if (d > 0 && d != given.axis && d - 1 != given.axis && given.extent[d] == given.data_extent[d]) {
      a.extent[last] *= given.extent[d], a.data_extent[last] *= given.data_extent[d];
      continue;
    }
    if (d == given.axis) a.axis = a.rank;
    a.extent[a.rank] = given.extent[d], a.data_extent[a.rank] = given.data_extent[d];
    ++a.rank;
  }
  return a;
}

// Calls f(row0, row1, col0, col1) for tiles of the indices, rows along the last axis. All rows of one place before the
// axis are in one tile, and so are those of a column across it: what the indices of a tile name belongs to it alone,
// and is little enough for the caches. Lines along the last axis are cut only when `cut_lines`.
template <class Args, class F>
void for_line_tiles(Team& team, const Args& args, bool cut_lines, F f) {
  constexpr std::int64_t kLongLine = 16 << 10, kLeastColumns = 128, kTileBytes = 128 << 10;
  const std::int64_t columns = args.extent[args.rank - 1], outer = product(args.extent, args.axis);
  const bool along = args.axis == args.rank - 1;
  const std::int64_t rows = product(args.extent, args.rank) / columns / outer;
  // Of the data that a column's indices name.
  const std::int64_t depth = std::max<std::int64_t>(args.data_extent[args.axis], 1) * args.elem_size;
  const std::int64_t wide = std::max(kLeastColumns, kTileBytes / depth);
  const Tiling parts{columns, !along ? wide : cut_lines ? kLongLine : columns};
  const Tiling tiling = tile_by_cost(outer, rows * std::min(parts.size, columns) * args.elem_size, kGrain);
  parallel_for(team, tiling.count() * parts.count(), [&](std::int64_t tile, int) {
    const std::int64_t part = tile % parts.count(), place = tile / parts.count();
    f(tiling.begin(place) * rows, tiling.end(place) * rows, parts.begin(part), parts.end(part));
  });
}

}  // namespace

Status gather_elements(const MoveTable& table, Team& team, const GatherElementsArgs& given) {
  const GatherElementsArgs args = merged_axes(given);
  if (product(args.extent, args.rank) == 0) return {};
  FirstFailure failure;
  for_line_tiles(team, args, true, [&](std::int64_t row0, std::int64_t row1, std::int64_t col0, std::int64_t col1) {
    const Status status = table.gather_elements.fn(args, row0, row1, col0, col1);
    if (!status.ok()) failure.report(status.at);
  });
  return failure.status(StatusCode::kIndexOutOfRange);
}

Status scatter_elements(Team& team, const ScatterElementsArgs& given) {
  const ScatterElementsArgs args = merged_axes(given);
  const std::int64_t total = product(args.extent, args.rank);
  if (total == 0) return {};
  const Status status = run_checked(team, total, 8, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t n = args.data_extent[args.axis];
    return args.index.wide ? check_indices<std::int64_t>(args.index, n, begin, end)
                           : check_indices<std::int32_t>(args.index, n, begin, end);
  });
  if (!status.ok()) return status;
  by_join(args.op, args.type, args.elem_size, [&](auto tag, auto join) {
    using T = decltype(tag);
    for_line_tiles(team, args, false, [&](std::int64_t row0, std::int64_t row1, std::int64_t col0, std::int64_t col1) {
      if (args.index.wide)
        scatter_rows<T, std::int64_t>(args, row0, row1, col0, col1, join);
      else
        scatter_rows<T, std::int32_t>(args, row0, row1, col0, col1, join);
    });
  });
  return {};
}

Status scatter_nd(const SliceArgs& args) {
  const std::int64_t total = args.batch * args.count;
  int axis = 0;
  for (std::int64_t i = 0; i < total * args.depth; ++i) {
    const std::int64_t n = args.extent[axis], at = index_at(args.index, i);
    if (at < -n || at >= n) return {StatusCode::kIndexOutOfRange, i};
    if (++axis == args.depth) axis = 0;
  }
  if (args.inner * args.elem_size == 0) return {};
  by_join(args.op, args.type, args.elem_size, [&](auto tag, auto join) {
    using T = decltype(tag);
    T* data = static_cast<T*>(args.data);
    const T* slices = static_cast<const T*>(args.slices);
    for (std::int64_t i = 0; i < total; ++i, slices += args.inner) {
      std::int64_t at = i / args.count;
      for (int d = 0; d < args.depth; ++d)
        at = at * args.extent[d] + from_start(index_at(args.index, i * args.depth + d), args.extent[d]);
      T* to = data + at * args.inner;
      if constexpr (std::is_same_v<decltype(join), Replace>) {
        std::memcpy(to, slices, static_cast<std::size_t>(args.inner) * sizeof(T));
      } else {
        for (std::int64_t k = 0; k < args.inner; ++k) to[k] = join(to[k], slices[k]);
      }
    }
  });
  return {};
}

void range(const MoveTable& table, Team& team, const RangeArgs& args) {
  const Tiling tiles = tile_by_cost(args.count, 1, 16 * 1024);
  parallel_for(team, tiles.count(), static_cast<double>(args.count) / 4,
               [&](int64_t t, int) { table.range.fn(args, tiles.begin(t), tiles.end(t)); });
}

}  // namespace tc::kernels
