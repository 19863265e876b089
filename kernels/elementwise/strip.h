// Strip programs: elementwise graphs run as a list of vector micro-ops over short strips that stay in L1.
//
// A program computes every element of its outputs from the elements of its inputs at the same coordinates. It runs
// strip by strip: all micro-ops on the first few hundred elements, then on the next ones. Memory is read once and
// written once however many ops there are, without generating code at run time.
//
// A program has one compute type (f32, f64, i32 or i64). Operands in memory may have any element type that
// strip_converts() accepts; they are converted on loading and storing, so Cast at the edges of a cluster is free, f16
// and bf16 compute in f32, and booleans are 0 and 1 of the compute type inside.
//
// Slots name values: inputs first, then outputs, immediates and registers (see input_slot and friends). A micro-op
// reads up to three slots and writes one output or register. An output may be read after it was written. Registers
// cost 2 KB of L1 each, so a builder reuses them; at most kMaxStripSlots slots in all.
//
//   y = relu(x * 0.5 + b):  inputs x b, output y, immediate 0.5, one register
//     StripOp code[] = {{MicroOp::fma, 4, 0, 3, 1}, {MicroOp::relu, 2, 4}};   // r = x * 0.5 + b; y = relu(r)
//     StripProgram p{.type = Elem::f32, .inputs = 2, .outputs = 1, .registers = 1, .immediates = imm, .code = code};
//
// The iteration space is `extent`, outermost dimension first. Strides count elements; 0 broadcasts, negative ones are
// fine. Call collapse() first: it merges dimensions, and everything dense becomes one long dimension. Where all is
// dense, operands are used where they lie; others are gathered into a strip by row segments.
//
// Aliasing: an output may be the very memory of an input with the same strides and type. Any other overlap of an output
// with another operand is an error of the caller.
#pragma once

#include <cstdint>
#include <span>

#include "tc/kernels/elem.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/status.h"
#include "tc/kernels/tier.h"

namespace tc::kernels {

enum class MicroOp : std::uint8_t {
#define TC_STRIP_OP(name, arity, kinds, pace, vector, integer) name,
#include "tc/kernels/elementwise/strip_ops.def"
#undef TC_STRIP_OP
};

inline constexpr int kMicroOpCount = 0
#define TC_STRIP_OP(name, arity, kinds, pace, vector, integer) +1
#include "tc/kernels/elementwise/strip_ops.def"
#undef TC_STRIP_OP
    ;

enum class MicroPace : std::uint8_t { quick, zip, slow };  // see strip_ops.def

constexpr MicroPace micro_op_pace(MicroOp op) {
  constexpr MicroPace kPaces[] = {
#define TC_STRIP_OP(name, arity, kinds, pace, vector, integer) MicroPace::pace,
#include "tc/kernels/elementwise/strip_ops.def"
#undef TC_STRIP_OP
  };
  return kPaces[static_cast<int>(op)];
}

const char* micro_op_name(MicroOp op);
int micro_op_arity(MicroOp op);
bool micro_op_supports(MicroOp op, Elem compute_type);

// Whether operands of type `memory` can be loaded to and stored from the compute type. f16 and bf16 go with f32 and
// f64. Reals become integers by truncation; NaN and what does not fit become the lowest value. Reals become booleans by
// comparison with 0; integers narrow by dropping high bits.
bool strip_converts(Elem compute_type, Elem memory);

inline constexpr int kStripBytes = 2048;  // of one slot: 512 f32 or 256 f64
inline constexpr int kMaxStripSlots = 48;
inline constexpr int kMaxRank = 8;

struct StripOp {
  MicroOp op;
  std::uint8_t dst;
  std::uint8_t a = 0, b = 0, c = 0;
};

struct Immediate {
  double real = 0;           // used by f32 and f64 programs
  std::int64_t integer = 0;  // used by i32 and i64 programs
};

struct StripProgram {
  Elem type = Elem::f32;
  int inputs = 0;
  int outputs = 0;
  int registers = 0;
  std::span<const Immediate> immediates;
  std::span<const StripOp> code;

  constexpr std::uint8_t input_slot(int i) const { return static_cast<std::uint8_t>(i); }
  constexpr std::uint8_t output_slot(int i) const { return static_cast<std::uint8_t>(inputs + i); }
  constexpr std::uint8_t immediate_slot(int i) const { return static_cast<std::uint8_t>(inputs + outputs + i); }
  constexpr std::uint8_t register_slot(int i) const {
    return static_cast<std::uint8_t>(inputs + outputs + static_cast<int>(immediates.size()) + i);
  }
  constexpr int slots() const { return inputs + outputs + static_cast<int>(immediates.size()) + registers; }
};

// Null if the program is well formed (types, slot numbers, everything written before it is read, all outputs written),
// else what is wrong with it. Running an invalid program is undefined: builders call this once.
const char* strip_program_error(const StripProgram& program);

struct StripInput {
  const void* data = nullptr;
  Elem type = Elem::f32;
  std::int64_t stride[kMaxRank] = {};
  // Of the last dimension: its elements begin again after so many; 0: they don't. Set by collapse().
  std::int64_t period = 0;
};

struct StripOutput {
  void* data = nullptr;
  Elem type = Elem::f32;
  std::int64_t stride[kMaxRank] = {};
};

struct StripArgs {
  const StripProgram* program = nullptr;
  int rank = 0;  // to run: at least 1
  std::int64_t extent[kMaxRank] = {};
  StripInput* inputs = nullptr;    // program->inputs of them
  StripOutput* outputs = nullptr;  // program->outputs of them

  // Where threads should cut by parts of the points of planes first, as convolutions do, not by planes: elements of a
  // point and of a plane, and how many planes an image has. 0: no planes. Two threads then find in their own caches
  // what they have written; densenet121 20.0 to 18.6 ms.
  std::int64_t point = 0, plane = 0, planes = 0;

  std::int64_t elements() const {
    std::int64_t n = 1;
    for (int d = 0; d < rank; ++d) n *= extent[d];
    return n;
  }
};

// Drops dimensions of extent 1 (a single element keeps one, where it is dense) and merges neighbours that every operand
// walks without a gap; short last dimensions also where inputs begin again in each of them (`period`). Done once per
// shape.
void collapse(StripArgs& args);

// Runs elements [begin, end), counted in row-major order over `extent`, on the calling thread. Fails with
// kDivisionByZero (integers only) at that count's position.
using StripRunFn = Status(const StripArgs& args, std::int64_t begin, std::int64_t end);

struct StripTable {
  Slot<StripRunFn> f32, f64, i32, i64;

  const Slot<StripRunFn>& of(Elem compute_type) const {
    switch (compute_type) {
      case Elem::f64:
        return f64;
      case Elem::i32:
        return i32;
      case Elem::i64:
        return i64;
      default:
        return f32;
    }
  }
};

// Runs the whole program, in tiles that depend on shapes alone.
Status run_strips(const StripTable& table, Team& team, const StripArgs& args);

// The program as an epilogue: on a tile of rows x cols floats, hot in L1, with `ld` floats from row to row. Input 0 and
// output 0 are the tile itself (unless the program has an output elsewhere: then set tile_out). Further inputs and
// outputs are given by pointer to their element of the tile's first row and column, with their own strides: per
// column {0, 1}, per row {1, 0}, full {ld', 1}.
struct StripTileOperand {
  void* data = nullptr;  // inputs are not written
  Elem type = Elem::f32;
  std::int64_t row_stride = 0;
  std::int64_t col_stride = 0;
};

struct StripTile {
  const StripProgram* program = nullptr;
  float* tile = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t ld = 0;
  float* tile_out = nullptr;  // null: in place
  std::int64_t ld_out = 0;
  std::span<const StripTileOperand> inputs;   // program->inputs - 1 of them
  std::span<const StripTileOperand> outputs;  // program->outputs - 1 of them
};

Status run_strip_tile(const StripTable& table, const StripTile& tile);

}  // namespace tc::kernels
