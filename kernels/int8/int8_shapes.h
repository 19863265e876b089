// How products and convolutions of bytes lay out their operands and scratch; private to them.
#pragma once
#include "tc/kernels/int8/int8.h"
#include "tc/kernels/rounding.h"
#include "tc/kernels/scratch.h"

namespace tc::kernels {

constexpr int64_t quads(int64_t bytes) {
  return (bytes + 3) / 4;
}
constexpr uint8_t flip(bool yes) {
  return yes ? 0x80 : 0;
}

// The value of a zero point after the bytes were moved to the signedness wanted.
constexpr int32_t moved_zero(uint8_t zero, bool is_signed, bool want_signed) {
  const auto byte = static_cast<uint8_t>(zero ^ flip(is_signed != want_signed));
  return want_signed ? static_cast<int8_t>(byte) : byte;
}

// A thread calls `block` within its lifetime.
class Int8Blocks {
 public:
  explicit Int8Blocks(const Int8Table& table) : end_(table.end_blocks.fn) {
    if (table.begin_blocks.fn) table.begin_blocks.fn();
  }
  ~Int8Blocks() {
    if (end_) end_();
  }
  Int8Blocks(const Int8Blocks&) = delete;
  Int8Blocks& operator=(const Int8Blocks&) = delete;

 private:
  void (*end_)();
};

constexpr int64_t taps(const Int8ConvArgs& c) {
  return c.kernel[0] * c.kernel[1];
}

// The algorithm `gathered`.
size_t gathered_filter_bytes(const Int8Table& table, const Int8ConvArgs& args);
void gathered_pack(Team& team, const Int8Table& table, const Int8ConvArgs& args, const uint8_t* w, uint8_t* to);
size_t gathered_scratch(const Int8Table& table, const Int8ConvArgs& args, int threads);
void gathered_conv(Team& team, const Int8Table& table, const Int8ConvArgs& args);

// Where byte p of row r lies among groups of rows of `depth` quads, a multiple of the side.
constexpr int64_t row_offset(const Int8Traits& t, int64_t group, int64_t depth, int64_t r, int64_t p = 0) {
  const int64_t piece = 4 * t.side;
  return r / group * group * depth * 4 + p / piece * piece * group + r % group * piece + p % piece;
}

}  // namespace tc::kernels
