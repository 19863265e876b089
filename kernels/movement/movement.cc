#include "tc/kernels/movement/movement.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
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

namespace {

// Elements of 4 or 8 bytes at places of the flat tensor: gradients of pools and gathers.
template <class T>
void scatter_elements_of(const SliceArgs& args, std::int64_t total) {
  const std::int64_t n = args.extent[0];
  T* data = static_cast<T*>(args.data);
  const T* slices = static_cast<const T*>(args.slices);
  for (std::int64_t i = 0; i < total; ++i) {
    const std::int64_t at = index_at(args.index, i);
    data[at < 0 ? at + n : at] = slices[i];
  }
}

}  // namespace

Status scatter_nd(const SliceArgs& args) {
  const std::int64_t total = args.batch * args.count;
  int axis = 0;
  for (std::int64_t i = 0; i < total * args.depth; ++i) {
    const std::int64_t n = args.extent[axis], at = index_at(args.index, i);
    if (at < -n || at >= n) return {StatusCode::kIndexOutOfRange, i};
    if (++axis == args.depth) axis = 0;
  }
  const std::int64_t slice = args.inner * args.elem_size;
  if (slice == 0) return {};
  const bool elements = args.depth == 1 && args.inner == 1 && args.batch == 1;
  if (elements && args.elem_size == 4) return scatter_elements_of<std::uint32_t>(args, total), Status{};
  if (elements && args.elem_size == 8) return scatter_elements_of<std::uint64_t>(args, total), Status{};
  for (std::int64_t i = 0; i < total; ++i) {
    std::int64_t at = i / args.count;
    for (int d = 0; d < args.depth; ++d) {
      const std::int64_t index = index_at(args.index, i * args.depth + d);
      at = at * args.extent[d] + (index < 0 ? index + args.extent[d] : index);
    }
    std::memcpy(static_cast<std::byte*>(args.data) + at * slice, static_cast<const std::byte*>(args.slices) + i * slice,
                static_cast<std::size_t>(slice));
  }
  return {};
}

}  // namespace tc::kernels
