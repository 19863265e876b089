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

namespace {

// Without dimensions that stay as they are: they join the one before where that stays, too, or, where rows are short,
// any one under a constant; another last one makes points. 96 channels of 56x56 of 64 ones 30 to 18 us.
PadArgs merged_pads(const PadArgs& given) {
  constexpr std::int64_t kShortRow = 1024;  // bytes
  PadArgs args = given;
  std::int64_t inner[kMaxRank + 1];  // elements of a row that begins with dimension d
  inner[given.rank] = 1;
  for (int d = given.rank; d-- > 0;) inner[d] = inner[d + 1] * given.extent[d];
  const auto stays = [&](int d) { return given.before[d] == 0 && given.after[d] == 0; };
  args.rank = 0;
  bool last_stays = false;
  for (int d = 0; d < given.rank; ++d) {
    const int last = args.rank - 1;
    const bool few = given.mode == PadMode::constant && inner[d] * given.elem_size < kShortRow;
    if (d > 0 && stays(d) && (last_stays || few)) {
      args.extent[last] *= given.extent[d], args.before[last] *= given.extent[d], args.after[last] *= given.extent[d];
      continue;
    }
    last_stays = stays(d);
    args.extent[args.rank] = given.extent[d], args.before[args.rank] = given.before[d];
    args.after[args.rank++] = given.after[d];
  }
  if (args.mode != PadMode::constant && args.rank > 1 && last_stays) args.point *= args.extent[--args.rank];
  return args;
}

}  // namespace

void pad(const MoveTable& table, Team& team, const PadArgs& given) {
  const PadArgs args = merged_pads(given);
  std::int64_t rows = 1;
  for (int d = 0; d < args.rank - 1; ++d) rows *= args.out_extent(d);
  const std::int64_t row = args.rank > 0 ? args.out_extent(args.rank - 1) : 1;
  if (rows <= 0 || row <= 0) return;
  const Tiling tiling = tile_by_cost(rows, row * args.point * args.elem_size, kGrain);
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

template <class Index>
std::int64_t read_index(const IndexView& index, std::int64_t i) {
  Index value;
  std::memcpy(&value, static_cast<const std::byte*>(index.data) + i * static_cast<std::int64_t>(sizeof(Index)),
              sizeof(Index));
  return value;
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
  const auto run = [&](std::int64_t row0, std::int64_t row1, std::int64_t col0, std::int64_t col1) {
    const Status status = table.gather_elements.fn(args, row0, row1, col0, col1);
    if (!status.ok()) failure.report(status.at);
  };
  // Whole rows where a cache holds what they take elements from: their indices lie side by side. 1000 rows of 1000 on
  // Zen 3 7.5 to 2.5 ms, 2000 of 2000 49 to 83.
  constexpr std::int64_t kCache = 8 << 20;  // bytes
  const std::int64_t columns = args.extent[args.rank - 1];
  const std::int64_t source = product(args.data_extent + args.axis, args.rank - args.axis) * args.elem_size;
  if (args.axis < args.rank - 1 && source <= kCache) {
    const Tiling rows = tile_by_cost(product(args.extent, args.rank - 1), columns * args.elem_size, kGrain);
    parallel_for(team, rows.count(),
                 [&](std::int64_t tile, int) { run(rows.begin(tile), rows.end(tile), 0, columns); });
  } else {
    for_line_tiles(team, args, true, run);
  }
  return failure.status(StatusCode::kIndexOutOfRange);
}

Status scatter_elements(const MoveTable& table, Team& team, const ScatterElementsArgs& given) {
  const ScatterElementsArgs args = merged_axes(given);
  const std::int64_t total = product(args.extent, args.rank);
  if (total == 0) return {};
  const Status status = run_checked(team, total, 8, [&](std::int64_t begin, std::int64_t end) {
    return table.check_indices.fn(args.index, args.data_extent[args.axis], begin, end);
  });
  if (!status.ok()) return status;
  for_line_tiles(team, args, false, [&](std::int64_t row0, std::int64_t row1, std::int64_t col0, std::int64_t col1) {
    table.scatter_elements.fn(args, row0, row1, col0, col1);
  });
  return {};
}

Status scatter_nd(const MoveTable& table, Team& team, const SliceArgs& args) {
  const std::int64_t total = args.batch * args.count;
  const auto check = [&]<class Index>(Index) {
    return run_checked(team, total, 8 * args.depth, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin * args.depth; i < end * args.depth;)
        for (int d = 0; d < args.depth; ++d, ++i) {
          const std::int64_t n = args.extent[d], at = read_index<Index>(args.index, i);
          if (at < -n || at >= n) return Status{StatusCode::kIndexOutOfRange, i};
        }
      return Status{};
    });
  };
  const Status status = args.index.wide ? check(std::int64_t{}) : check(std::int32_t{});
  if (!status.ok()) return status;
  // Slices are cut and not shared out, since of several for one place the order counts.
  constexpr std::int64_t kLeastPiece = 1024;  // bytes
  const std::int64_t wanted = kGrain / std::max<std::int64_t>(total, 1);
  const Tiling pieces{args.inner, std::max(kLeastPiece, wanted) / args.elem_size};
  parallel_for(team, pieces.count(),
               [&](std::int64_t piece, int) { table.scatter_nd.fn(args, pieces.begin(piece), pieces.end(piece)); });
  return {};
}

void range(const MoveTable& table, Team& team, const RangeArgs& args) {
  const Tiling tiles = tile_by_cost(args.count, 1, 16 * 1024);
  parallel_for(team, tiles.count(), static_cast<double>(args.count) / 4,
               [&](int64_t t, int) { table.range.fn(args, tiles.begin(t), tiles.end(t)); });
}

}  // namespace tc::kernels
