#include "tc/kernels/elementwise/strip.h"

#include <algorithm>
#include <atomic>

namespace tc::kernels {
namespace {

enum Kinds : unsigned { kFloat = 1, kDouble = 2, kInt = 4, kReal = kFloat | kDouble, kAll = kReal | kInt };

struct OpRow {
  const char* name;
  int arity;
  unsigned kinds;
};
constexpr OpRow kRows[kMicroOpCount] = {
#define TC_STRIP_OP(name, arity, kinds, pace, vector, integer) {#name, arity, kinds},
#include "tc/kernels/elementwise/strip_ops.def"
#undef TC_STRIP_OP
};
const OpRow& row(MicroOp op) {
  return kRows[static_cast<int>(op)];
}

// Elements per tile: large enough that claiming one is nothing, small enough to stay in L2 with a few operands.
constexpr std::int64_t kTileElements = 16384;
// Planes of fewer are small pieces, and convolutions cut them by channels, too.
constexpr std::int64_t kLeastPoints = 98;

// Of last dimensions that merge with the one before although inputs begin again in each: one channel per lane of
// blocked layouts, few columns with a value for each. Longer ones are rows.
constexpr std::int64_t kMostRepeated = 128;

}  // namespace

const char* micro_op_name(MicroOp op) {
  return row(op).name;
}
int micro_op_arity(MicroOp op) {
  return row(op).arity;
}

bool micro_op_supports(MicroOp op, Elem compute_type) {
  switch (compute_type) {
    case Elem::f32:
      return (row(op).kinds & kFloat) != 0;
    case Elem::f64:
      return (row(op).kinds & kDouble) != 0;
    case Elem::i32:
    case Elem::i64:
      return (row(op).kinds & kInt) != 0;
    default:
      return false;
  }
}

bool strip_converts(Elem compute_type, Elem memory) {
  if (memory == Elem::f16 || memory == Elem::bf16) return compute_type == Elem::f32 || compute_type == Elem::f64;
  return compute_type == Elem::f32 || compute_type == Elem::f64 || compute_type == Elem::i32 ||
         compute_type == Elem::i64;
}

const char* strip_program_error(const StripProgram& p) {
  if (p.type != Elem::f32 && p.type != Elem::f64 && p.type != Elem::i32 && p.type != Elem::i64) {
    return "the compute type is none of f32, f64, i32, i64";
  }
  if (p.inputs < 0 || p.outputs < 1 || p.registers < 0) return "a count of slots is out of range";
  if (p.slots() > kMaxStripSlots) return "too many slots";
  bool written[kMaxStripSlots] = {};
  for (int s = 0; s < p.slots(); ++s) written[s] = s < p.inputs || (s >= p.immediate_slot(0) && s < p.register_slot(0));
  for (const StripOp& op : p.code) {
    if (static_cast<int>(op.op) >= kMicroOpCount) return "unknown micro-op";
    if (!micro_op_supports(op.op, p.type)) return "a micro-op does not support the compute type";
    if (op.dst >= p.slots() || op.a >= p.slots() || op.b >= p.slots() || op.c >= p.slots()) {
      return "a slot number is out of range";
    }
    const int arity = row(op.op).arity;
    if (!written[op.a] || (arity > 1 && !written[op.b]) || (arity > 2 && !written[op.c])) {
      return "a slot is read before it is written";
    }
    if (op.dst < p.inputs || (op.dst >= p.immediate_slot(0) && op.dst < p.register_slot(0))) {
      return "an input or immediate is written";
    }
    written[op.dst] = true;
  }
  for (int i = 0; i < p.outputs; ++i) {
    if (!written[p.output_slot(i)]) return "an output is never written";
  }
  return nullptr;
}

void collapse(StripArgs& args) {
  const int inputs = args.program->inputs, outputs = args.program->outputs;
  const auto stride = [&](int k, int d) -> std::int64_t& {
    return k < inputs ? args.inputs[k].stride[d] : args.outputs[k - inputs].stride[d];
  };
  for (int k = 0; k < inputs; ++k) args.inputs[k].period = 0;  // as it was for another shape
  int rank = 0;
  for (int d = 0; d < args.rank; ++d) {
    if (args.extent[d] == 1) continue;
    bool joins = rank > 0;
    for (int k = 0; joins && k < inputs + outputs; ++k) joins = stride(k, rank - 1) == stride(k, d) * args.extent[d];
    if (joins) {
      args.extent[rank - 1] *= args.extent[d];
    } else {
      args.extent[rank++] = args.extent[d];
    }
    for (int k = 0; k < inputs + outputs; ++k) stride(k, rank - 1) = stride(k, d);
  }
  args.rank = rank;
  if (rank == 0) {  // a single element is dense
    args.rank = 1, args.extent[0] = 1;
    for (int k = 0; k < inputs + outputs; ++k) stride(k, 0) = 1;
  }

  const auto repeats = [&](int k, int d) {
    return k < inputs && stride(k, d - 1) == 0 && (stride(k, d) != 0 || args.inputs[k].period);
  };
  while (args.rank > 1 && args.extent[args.rank - 1] <= kMostRepeated) {
    const int d = args.rank - 1;
    bool joins = true;
    for (int k = 0; joins && k < inputs + outputs; ++k) {
      const bool periodic = k < inputs && args.inputs[k].period;
      joins = repeats(k, d) || (!periodic && stride(k, d - 1) == stride(k, d) * args.extent[d]);
    }
    if (!joins) break;
    for (int k = 0; k < inputs; ++k)
      if (repeats(k, d) && !args.inputs[k].period) args.inputs[k].period = args.extent[d];
    for (int k = 0; k < inputs + outputs; ++k) stride(k, d - 1) = stride(k, d);
    args.extent[d - 1] *= args.extent[d];
    --args.rank;
  }
}

Status run_strips(const StripTable& table, Team& team, const StripArgs& args) {
  StripRunFn* const run = table.of(args.program->type).fn;
  const std::int64_t total = args.elements();
  if (total <= kTileElements) return run(args, 0, total);
  FirstFailure failure;
  const auto elements = [&](std::int64_t begin, std::int64_t end) {
    const Status status = run(args, begin, end);
    if (!status.ok()) failure.report(status.at);
  };
  if (team.threads() == 1 || args.plane == 0 || args.plane / args.point < kLeastPoints) {
    const Tiling tiling{total, kTileElements};
    parallel_for(team, tiling.count(), [&](std::int64_t tile, int) { elements(tiling.begin(tile), tiling.end(tile)); });
  } else {
    // An even number of parts, for two threads: the second takes the last ones.
    const std::int64_t points = args.plane / args.point;
    const std::int64_t count = std::max<std::int64_t>(2, (args.plane + kTileElements) / (2 * kTileElements) * 2);
    const Tiling parts{points, (points + count - 1) / count};
    const Tiling groups = tile_by_cost(args.planes, parts.size * args.point, kTileElements);
    const std::int64_t of_image = parts.count() * groups.count();
    parallel_for(team, total / args.plane / args.planes * of_image, [&](std::int64_t tile, int) {
      const std::int64_t image = tile / of_image * args.planes, part = tile % of_image / groups.count();
      const std::int64_t group = tile % groups.count();
      for (std::int64_t p = image + groups.begin(group); p < image + groups.end(group); ++p)
        elements(p * args.plane + parts.begin(part) * args.point, p * args.plane + parts.end(part) * args.point);
    });
  }
  return failure.status(StatusCode::kDivisionByZero);
}

namespace {

// Most programs have few operands: places for as many as there may be take longer to clear than a small tile takes.
template <int kMost>
Status run_tile(const StripTable& table, const StripTile& tile) {
  const StripProgram& p = *tile.program;
  StripInput inputs[kMost];
  StripOutput outputs[kMost];
  inputs[0] = {tile.tile, Elem::f32, {tile.ld, 1}};
  outputs[0] = tile.tile_out == nullptr ? StripOutput{tile.tile, Elem::f32, {tile.ld, 1}}
                                        : StripOutput{tile.tile_out, Elem::f32, {tile.ld_out, 1}};
  for (int i = 1; i < p.inputs; ++i) {
    const StripTileOperand& o = tile.inputs[static_cast<std::size_t>(i - 1)];
    inputs[i] = {o.data, o.type, {o.row_stride, o.col_stride}};
  }
  for (int i = 1; i < p.outputs; ++i) {
    const StripTileOperand& o = tile.outputs[static_cast<std::size_t>(i - 1)];
    outputs[i] = {o.data, o.type, {o.row_stride, o.col_stride}};
  }
  StripArgs args{tile.program, 2, {tile.rows, tile.cols}, inputs, outputs};
  return table.of(p.type).fn(args, 0, tile.rows * tile.cols);
}

}  // namespace

Status run_strip_tile(const StripTable& table, const StripTile& tile) {
  constexpr int kFew = 4;
  const StripProgram& p = *tile.program;
  const bool few = p.inputs <= kFew && p.outputs <= kFew;
  return few ? run_tile<kFew>(table, tile) : run_tile<kMaxStripSlots>(table, tile);
}

}  // namespace tc::kernels
