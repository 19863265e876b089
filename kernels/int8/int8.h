// Products and convolutions of bytes with 32-bit sums, and what turns floats into bytes and back.
//
// Unsigned bytes meet signed ones. Operands of the other signedness are moved by 128 while they are packed, and so are
// their zero points. Quads, four bytes of the inner axis, are what kernels multiply. One operand lies as panels of
// `vectors`, [quad][position][4] with `width` positions (a property of the kernel); the other one as groups of rows,
// [group][quad / side][row of the group][quad % side][4], where the side is 1 or that of a square tile. A GEMM has its
// B as vectors and reads A as rows, each a group of its own unless the side says otherwise; a convolution has pixels as
// vectors and filters as rows, as many to a group as a register tile takes. Both write rows of their results. Where
// tensors lie in blocks of 16 channels (see conv.h), a convolution has filters as vectors and finds its pixels' quads
// by offsets.
//
// Kernels do not allocate: callers give scratch. What a tile computes depends on shapes alone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "tc/kernels/conv/conv.h"
#include "tc/kernels/elem.h"
#include "tc/kernels/tier.h"

namespace tc::kernels {

class Team;

struct Int8Traits {
  int width;    // positions of a panel
  int lanes;    // of which a kernel computes a multiple of these
  int side;     // the inner axis is padded with zeros to a multiple of as many quads; rows of a group of A
  int filters;  // rows of a group of filters
  int rows;     // of results that a piece of work computes: whole groups
};

// acc[r][j] = sum over quads of vectors[quad][j] * rows[r][quad]
struct Int8Block {
  int64_t rows = 0, cols = 0, depth = 0;  // depth: quads, a multiple of the side
  const uint8_t* vectors = nullptr;
  const uint8_t* row = nullptr;  // of the first group
  int64_t group = 1;             // rows of a group
  bool signed_vectors = false;   // and unsigned rows; else the other way round
  bool cached_vectors = false;   // just written by this thread: need not be fetched
  // Row r's quad q is at row + at[r] + step[q]; null: as groups say. Kernels with a side of 1 alone.
  const int64_t *at = nullptr, *step = nullptr;
  int32_t* acc = nullptr;  // rows, rounded up to whole groups, by width; columns from cols on may be anything
};

// What a sum becomes: an i32; a byte: clamp(round(sum * scale) + zero) within the byte's type; or a float: sum * scale
// + shift, at least 0 with relu.
struct Int8Output {
  enum class Kind : uint8_t { i32, u8, i8, f32 } kind = Kind::i32;
  const float* scale = nullptr;
  int64_t scale_row = 0, scale_col = 0;  // strides: 0 or 1
  int32_t zero = 0;
  const float* shift = nullptr;  // of floats, one per column, with scale_row one per row; null: 0
  bool relu = false;             // of bytes: at least `zero`
  int64_t bytes() const { return kind == Kind::i32 || kind == Kind::f32 ? 4 : 1; }
  // The same for results from this row and column on.
  Int8Output from(int64_t row, int64_t col) const {
    Int8Output o = *this;
    if (scale) o.scale += row * scale_row + col * scale_col;
    if (shift) o.shift += scale_row ? row : col;
    return o;
  }
};

// Another quantised tensor that is added to the bytes p of an Int8Output: clamp(round(((p - its zero) product_scale +
// (other - other_zero) other_scale) / scale) + zero) within the type of the sum's bytes.
struct Int8Sum {
  const uint8_t* other = nullptr;  // laid out as the result; null: nothing is added
  bool other_signed = false, is_signed = false;
  bool relu = false;  // before it is divided
  int32_t other_zero = 0, zero = 0;
  float product_scale = 1, other_scale = 1, scale = 1;
};

// y[r][j] of acc[r][j] + bias[r] - factor[r] * minus[j] for the first `cols` columns j.
struct Int8Finish {
  int64_t rows = 0, cols = 0;
  const int32_t* acc = nullptr;
  int64_t acc_row = 0;                                                 // whole registers; likewise `minus`
  const int32_t *bias = nullptr, *factor = nullptr, *minus = nullptr;  // factor may be null: 0
  Int8Output output;  // its scales and shifts those of the first row and column
  Int8Sum sum = {};   // of bytes; its other operand that of the first row and column
  void* y = nullptr;
  int64_t y_row = 0;  // elements
};

// The same where a pixel's channels lie side by side, its blocks of 16 `y_block` elements apart: scale and bias have an
// element for each channel of whole blocks; lanes beyond the channels are written, too.
struct Int8Pixels {
  int64_t pixels = 0, channels = 0;
  const int32_t* acc = nullptr;
  const float* floats = nullptr;  // instead: whole numbers, bias included
  int64_t acc_row = 0;            // elements between pixels
  const int32_t* bias = nullptr;
  Int8Output output;  // its shift one per channel, too
  Int8Sum sum = {};
  void* y = nullptr;  // of the first pixel; the other operand of `sum` likewise
  int64_t y_block = 0;
};

// Bytes [at, at + count) of a line.
struct Int8Piece {
  int64_t at, count;
};

struct Int8Table {
  Slot<Int8Traits()> traits;
  // Around a thread's blocks, see Int8Blocks in int8_shapes.h; null where there is nothing to set up.
  Slot<void()> begin_blocks, end_blocks;
  Slot<void(const Int8Block&)> block;
  // The same with a side of 1, if that of the others is larger; null if not.
  Slot<Int8Traits()> row_traits;
  Slot<void(const Int8Block&)> row_block;
  Slot<void(const Int8Finish&)> finish;
  Slot<void(const Int8Pixels&)> finish_pixels;
  // Between 16 channels that are `plane` bytes apart, or fewer, and a block of them.
  Slot<void(const uint8_t* x, int64_t plane, int channels, int64_t pixels, uint8_t* y)> to_blocked;
  Slot<void(const uint8_t* x, int64_t plane, int channels, int64_t pixels, uint8_t* y)> to_plain;
  // Of four rows every step-th of n bytes, xor `flip`, as quads; rows may be null for zeros.
  Slot<void(const uint8_t* const rows[4], int64_t n, int64_t step, uint8_t flip, uint8_t* quads)> interleave;
  // To each of `lines` that are `step` bytes apart: the pieces of a line of `from`, `stride` apart, side by side. Reads
  // up to 63 bytes beyond a piece; what lies between the lines of `to` may be anything afterwards.
  Slot<void(const uint8_t* from, int64_t stride, int64_t lines, std::span<const Int8Piece> pieces, int64_t step,
            uint8_t* to)>
      gather;
  // n bytes, xor `flip`, in pieces of `piece` bytes that are `step` apart; returns their sum as unsigned bytes.
  Slot<int32_t(const uint8_t* from, int64_t n, uint8_t flip, int64_t piece, int64_t step, uint8_t* to)> copy_row;
  // y[i] = table[x[i]] of 256 bytes; y may be x.
  Slot<void(const uint8_t* table, const uint8_t* x, int64_t n, uint8_t* y)> look_up;
  // sums[j] of a panel's `depth` quads of signed bytes, for each of its positions.
  Slot<void(const uint8_t* panel, int64_t depth, int64_t width, int32_t* sums)> sum_panel;
  // Floats to bytes, x / scale rounded to nearest even + zero; bytes to floats; the range of floats, with 0 inside.
  // Between floats and integers of 8 or 16 bits; from i32, too, whose zero point is 0.
  Slot<void(const float* x, int64_t n, float scale, int32_t zero, Elem type, void* y)> quantise;
  Slot<void(const void* x, Elem type, int64_t n, float scale, int32_t zero, float* y)> dequantise;
  // The same of `blocks` times n elements, one after the other, each with its scale and, unless null, its zero point of
  // the type of the integers.
  Slot<void(const float* x, int64_t blocks, int64_t n, const float* scale, const void* zero, Elem type, void* y)>
      quantise_blocks;
  Slot<void(const void* x, Elem type, int64_t blocks, int64_t n, const float* scale, const void* zero, float* y)>
      dequantise_blocks;
  Slot<void(const float* x, int64_t n, float* low, float* high)> range;
};

// C = (A - a_zero) (B - b_zero) as sums or bytes; A is m x k, B k x n, C m x n, dense.
struct Int8GemmArgs {
  int64_t m = 0, n = 0, k = 0;
  const uint8_t* a = nullptr;
  bool a_signed = false;
  const uint8_t* packed_b = nullptr;  // by int8_pack; or:
  const uint8_t* b = nullptr;         // dense
  bool b_signed = true;               // of either
  const uint8_t* a_zero = nullptr;    // null: 0
  int64_t a_zero_step = 0;            // 1: one per row
  const uint8_t* b_zero = nullptr;    // null: 0
  int64_t b_zero_step = 0;            // 1: one per column
  Int8Output output;
  void* c = nullptr;
  std::byte* scratch = nullptr;  // int8_gemm_scratch bytes, 64-byte aligned
};
// Bytes of packed B: panels, then the sums of its columns.
size_t int8_packed_bytes(const Int8Table& table, int64_t k, int64_t n);
void int8_pack(Team& team, const Int8Table& table, const uint8_t* b, bool b_signed, int64_t k, int64_t n, uint8_t* to);
size_t int8_gemm_scratch(const Int8Table& table, const Int8GemmArgs& args, int threads);
void int8_gemm(Team& team, const Int8Table& table, const Int8GemmArgs& args);

enum class Int8ConvAlgorithm : uint8_t {
  gathered,   // plain -> plain: anything
  direct,     // plain or blocked -> blocked: one group, or groups of whole quads to whole blocks
  depthwise,  // blocked -> blocked: a channel to each group
};
constexpr bool int8_conv_gives_blocked(Int8ConvAlgorithm a) {
  return a != Int8ConvAlgorithm::gathered;
}

// Convolution of x [n, groups * channels, height, width] with filters [groups * out, channels, kernel]; y is [n, groups
// * out, out_height, out_width].
struct Int8ConvArgs {
  Int8ConvAlgorithm algorithm = Int8ConvAlgorithm::gathered;
  int64_t batch = 1, groups = 1, channels = 0, out = 0;
  int64_t in[2] = {1, 1}, kernel[2] = {1, 1}, stride[2] = {1, 1}, dilation[2] = {1, 1}, pad[2] = {0, 0},
          extent[2] = {1, 1};  // pad: at the start; extent: of y
  const uint8_t* x = nullptr;
  bool x_blocked = false;
  bool x_signed = false;
  uint8_t x_zero = 0;  // as it lies in memory
  bool w_signed = true;
  const uint8_t* packed_w = nullptr;  // by int8_pack_filters
  const uint8_t* w_zero = nullptr;    // null: the middle of the filters' range; of `gathered` alone
  int64_t w_zero_step = 0;            // 1: one per output channel
  const int32_t* bias = nullptr;      // one per output channel; null: 0
  Int8Output output;  // scale_row 1: one scale and shift per output channel; for blocked results, of whole blocks
  Int8Sum sum = {};   // of bytes
  void* y = nullptr;
  std::byte* scratch = nullptr;  // int8_conv_scratch bytes, 64-byte aligned
};
// The fastest algorithm for a shape; extents do not matter.
Int8ConvAlgorithm int8_conv_preferred(const Int8Table& table, const Int8ConvArgs& args);
const char* int8_conv_name(const Int8Table& table, const ConvTable& conv, Int8ConvAlgorithm algorithm);
// Bytes of packed filters, and what they hold besides.
size_t int8_filter_bytes(const Int8Table& table, const Int8ConvArgs& args);
void int8_pack_filters(Team& team, const Int8Table& table, const Int8ConvArgs& args, const uint8_t* w, uint8_t* to);
size_t int8_conv_scratch(const Int8Table& table, const Int8ConvArgs& args, int threads);
void int8_conv(Team& team, const Int8Table& table, const ConvTable& conv, const Int8ConvArgs& args);

// Whole tensors of bytes between the layouts: [n][c][pixels] and [n][ceil(c / 16)][pixels][16].
void to_blocked(Team& team, const Int8Table& table, const uint8_t* x, int64_t n, int64_t c, int64_t pixels, uint8_t* y);
void to_plain(Team& team, const Int8Table& table, const uint8_t* x, int64_t n, int64_t c, int64_t pixels, uint8_t* y);

}  // namespace tc::kernels
