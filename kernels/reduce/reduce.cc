#include "tc/kernels/reduce/reduce.h"

#include <algorithm>
#include <cstddef>

namespace tc::kernels {
namespace {

// Elements read per tile.
constexpr std::int64_t kGrain = 32768;
// Columns that are read side by side, at the least, where there are so many.
constexpr std::int64_t kColumns = 256;

constexpr const char* kNames[kReduceOpCount] = {"sum",        "mean", "prod", "max",     "min",
                                                "sum_square", "l1",   "l2",   "log_sum", "log_sum_exp"};

void append(int& rank, std::int64_t* extents, std::int64_t* strides, std::int64_t extent, std::int64_t stride) {
  if (extent == 1) return;
  if (rank > 0 && strides[rank - 1] == stride * extent) {
    extents[rank - 1] *= extent;
    strides[rank - 1] = stride;
    return;
  }
  extents[rank] = extent;
  strides[rank] = stride;
  ++rank;
}

std::int64_t product(int rank, const std::int64_t* extents) {
  std::int64_t n = 1;
  for (int d = 0; d < rank; ++d) n *= extents[d];
  return n;
}

// Few results of many elements each: the reduced dimension is cut too, and the pieces are combined in order. Of
// columns, which lie side by side in memory, more are few.
constexpr std::int64_t kFewResults = 16, kFewColumns = 512;
constexpr std::int64_t kMaxPieces = 64, kMaxPartials = 4096;

// Results [begin, end) per tile: of columns whole lines, or pieces of one.
struct ResultTiling {
  std::int64_t kept, line;  // line: 1, or the columns that lie side by side
  Tiling lines, pieces;     // tiles of lines, tiles of a line
  ResultTiling(const ReduceArgs& args, bool columns)
      : kept(args.kept()), line(columns ? args.kept_extent[args.kept_rank - 1] : 1) {
    const Tiling tiling = tile_by_cost(kept, args.reduced(), kGrain);
    const std::int64_t width = columns ? std::max(kColumns, tiling.size) : tiling.size;
    lines = {kept / line, std::max<std::int64_t>(1, width / line)};
    pieces = {line, columns ? std::min(line, width) : 1};
  }
  std::int64_t count() const { return lines.count() * pieces.count(); }
  std::int64_t begin(std::int64_t tile) const {
    return lines.begin(tile / pieces.count()) * line + pieces.begin(tile % pieces.count());
  }
  std::int64_t end(std::int64_t tile) const {
    const std::int64_t last = lines.end(tile / pieces.count()) - 1;
    return last * line + pieces.end(tile % pieces.count());
  }
};

// Lines side by side are read by rows, of which long pieces are read fastest; but where there are few of them, threads
// are next to each other, and fetch what the other one is writing. Running sums of 1000 x 1000 along the first axis on
// two threads of Zen 5 by 64 columns 0.079 ms, by 128 0.060, by 512 up to 0.24; of Zen 3 by 128 0.22 to 0.30, by 256
// 0.21, by 512 0.17. One thread takes them all: 0.34 to 0.22.
Tiling lines_of(const Team& team, std::int64_t outer, std::int64_t inner, std::int64_t n) {
  const std::int64_t least_columns = team.threads() == 1 ? inner : 256;
  Tiling tiling = tile_by_cost(outer * inner, n, kGrain);
  tiling.size = std::max(tiling.size, std::min(inner, least_columns));
  return tiling;
}

}  // namespace

const char* reduce_op_name(ReduceOp op) {
  return kNames[static_cast<int>(op)];
}

bool reduce_supports(ReduceOp op, Elem type) {
  switch (type) {
    case Elem::f32:
    case Elem::f64:
      return true;
    case Elem::i32:
    case Elem::i64:
      return op != ReduceOp::l2 && op != ReduceOp::log_sum && op != ReduceOp::log_sum_exp;
    case Elem::u8:
    case Elem::i8:
    case Elem::boolean:
      return op == ReduceOp::max || op == ReduceOp::min;
    default:
      return false;
  }
}

std::int64_t ReduceArgs::kept() const {
  return product(kept_rank, kept_extent);
}
std::int64_t ReduceArgs::reduced() const {
  return product(reduced_rank, reduced_extent);
}

void set_axes(ReduceArgs& args, int rank, const std::int64_t* extent, const std::int64_t* stride, std::uint32_t axes) {
  args.kept_rank = args.reduced_rank = 0;
  for (int d = 0; d < rank; ++d) {
    if ((axes >> d & 1u) != 0) {
      append(args.reduced_rank, args.reduced_extent, args.reduced_stride, extent[d], stride[d]);
    } else {
      append(args.kept_rank, args.kept_extent, args.kept_stride, extent[d], stride[d]);
    }
  }
}

void reduce(const ReduceTable& table, Team& team, const ReduceArgs& args) {
  const std::int64_t kept = args.kept(), reduced = args.reduced();
  if (kept == 0) return;
  const std::int64_t first_extent = args.reduced_rank > 0 ? args.reduced_extent[0] : 1;
  const auto bytes = static_cast<std::size_t>(elem_bytes(args.type));
  auto* const out = static_cast<std::byte*>(args.output);

  const bool columns = args.kept_adjoin() && args.reduced_rank > 0;
  if (args.op != ReduceOp::log_sum_exp && kept <= (columns ? kFewColumns : kFewResults) &&
      kept * reduced >= 2 * kGrain && first_extent > 1) {
    const std::int64_t pieces = std::min({first_extent, kept * reduced / kGrain, kMaxPieces, kMaxPartials / kept});
    const Tiling cut{first_extent, (first_extent + pieces - 1) / pieces};
    alignas(64) std::byte partial[kMaxPartials * 8];
    parallel_for(team, cut.count(), [&](std::int64_t tile, int) {
      std::byte* const mine = partial + static_cast<std::size_t>(tile * kept) * bytes;
      table.accumulate.fn(args, 0, kept, cut.begin(tile), cut.end(tile), mine);
    });
    // The pieces form a dense [pieces, kept] tensor, whose reduction is the rest of the work. Squares and magnitudes
    // have been taken already.
    ReduceArgs rest = args;
    const bool summed = args.op != ReduceOp::prod && args.op != ReduceOp::max && args.op != ReduceOp::min;
    if (summed) rest.op = ReduceOp::sum;
    rest.input = partial;
    rest.kept_rank = rest.reduced_rank = 1;
    rest.kept_extent[0] = kept;
    rest.kept_stride[0] = 1;
    rest.reduced_extent[0] = cut.count();
    rest.reduced_stride[0] = kept;
    table.accumulate.fn(rest, 0, kept, 0, cut.count(), out);
    table.finish.fn(args, out, kept);
    return;
  }

  const ResultTiling tiling(args, columns);
  parallel_for(team, tiling.count(), [&](std::int64_t tile, int) {
    const std::int64_t begin = tiling.begin(tile), end = tiling.end(tile);
    if (args.op == ReduceOp::log_sum_exp) return table.log_sum_exp.fn(args, begin, end);
    std::byte* const mine = out + static_cast<std::size_t>(begin) * bytes;
    table.accumulate.fn(args, begin, end, 0, first_extent, mine);
    table.finish.fn(args, mine, end - begin);
  });
}

void arg_reduce(const ReduceTable& table, Team& team, const ArgReduceArgs& args) {
  const Tiling tiling = lines_of(team, args.outer, args.inner, args.n);
  parallel_for(team, tiling.count(),
               [&](std::int64_t tile, int) { table.arg_reduce.fn(args, tiling.begin(tile), tiling.end(tile)); });
}

void cumulate(const ReduceTable& table, Team& team, const CumulateArgs& args) {
  const Tiling tiling = lines_of(team, args.outer, args.inner, args.n);
  parallel_for(team, tiling.count(),
               [&](std::int64_t tile, int) { table.cumulate.fn(args, tiling.begin(tile), tiling.end(tile)); });
}

}  // namespace tc::kernels
