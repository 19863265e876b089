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

}  // namespace

void copy_box(const MoveTable& table, Team& team, const CopyArgs& given) {
  for (int d = 0; d < given.rank; ++d) {
    if (given.extent[d] == 0) return;
  }
  CopyArgs args = normalized(given);
  const int last = args.rank - 1;
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

Status gather_elements(const MoveTable& table, Team& team, const GatherElementsArgs& args) {
  return run_checked(team, product(args.extent, args.rank), args.elem_size,
                     [&](std::int64_t begin, std::int64_t end) { return table.gather_elements.fn(args, begin, end); });
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

// Columns [col0, col1) of rows [row0, row1) of the indices.
template <class T, class Join>
void scatter_rows(const ScatterElementsArgs& a, std::int64_t row0, std::int64_t row1, std::int64_t col0,
                  std::int64_t col1, Join join) {
  const int last = a.rank - 1;
  std::int64_t stride[kMaxRank];
  stride[last] = 1;
  for (int d = last; d-- > 0;) stride[d] = stride[d + 1] * a.data_extent[d + 1];
  const std::int64_t n = a.data_extent[a.axis], along = stride[a.axis], columns = a.extent[last];
  T* data = static_cast<T*>(a.data);
  const T* updates = static_cast<const T*>(a.updates);
  for (std::int64_t row = row0; row < row1; ++row) {
    std::int64_t base = 0, flat = row;
    for (int d = last; d-- > 0; flat /= a.extent[d])
      if (d != a.axis) base += flat % a.extent[d] * stride[d];
    const std::int64_t step = a.axis == last ? 0 : 1;
    for (std::int64_t c = col0; c < col1; ++c) {
      const std::int64_t at = row * columns + c;
      T& to = data[base + c * step + from_start(index_at(a.index, at), n) * along];
      to = join(to, updates[at]);
    }
  }
}

}  // namespace

Status scatter_elements(Team& team, const ScatterElementsArgs& args) {
  const int last = args.rank - 1;
  const std::int64_t rows = product(args.extent, last), columns = args.extent[last], n = args.data_extent[args.axis];
  if (rows * columns == 0) return {};
  const Status status = run_checked(team, rows * columns, 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      if (const std::int64_t at = index_at(args.index, i); at < -n || at >= n)
        return Status{StatusCode::kIndexOutOfRange, i};
    return Status{};
  });
  if (!status.ok()) return status;
  // Rows along the axis meet nowhere, and neither do columns across it: each place belongs to one tile.
  const bool by_rows = args.axis == last;
  const Tiling tiling = tile_by_cost(by_rows ? rows : columns, (by_rows ? columns : rows) * args.elem_size, kGrain);
  by_join(args.op, args.type, args.elem_size, [&](auto tag, auto join) {
    using T = decltype(tag);
    parallel_for(team, tiling.count(), [&](std::int64_t tile, int) {
      const std::int64_t begin = tiling.begin(tile), end = tiling.end(tile);
      by_rows ? scatter_rows<T>(args, begin, end, 0, columns, join) : scatter_rows<T>(args, 0, rows, begin, end, join);
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

}  // namespace tc::kernels
