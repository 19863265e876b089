// Products of floats with weights of 2, 4 or 8 bits that share a scale, and perhaps a zero point, among neighbours of
// the inner axis, as large language models keep theirs:
//
//   y[i][j] = sum over p of x[i][p] (w[p][j] - zero) scale, both those of column j and block p / block
//
// The weights stay as they are in memory: what a product of few rows takes is the time to read them. Groups of up to
// kBlockwiseGroup neighbours of a row of x become integers with a scale of their own, of two or three signed bytes,
// whose products with weights are summed exactly. With two an x errs by 2^-16 of the largest |x| in its group at most,
// kBlockwiseError; three, for rows so few that arithmetic hides behind reading, are as good as f32. A group with
// infinities or NaN takes part as floats. Without an instruction for products of bytes (VNNI) many rows take floats all
// the way.
//
// Packed weights lie in panels of `width` columns, and in these group by group: the numbers, [step][column][4 bytes],
// then a scale per column, then with own zero points a byte per column. A step is 4, 8 or 16 neighbours of the inner
// axis: byte b of a column holds number b in its lowest bits, then b + 4, and so on.
#pragma once
#include <cstddef>
#include <cstdint>

#include "tc/kernels/tier.h"

namespace tc::kernels {

class Team;

inline constexpr int64_t kBlockwiseGroup = 128;
inline constexpr double kBlockwiseError = 0x1p-16;
// Up to so many rows take three digits.
inline constexpr int kBlockwiseFineRows = 2;

struct BlockwiseShape {
  int64_t n = 0, k = 0;  // k > 0
  int bits = 4;
  int64_t group = 0;       // blockwise_group of them
  bool own_zeros = false;  // a zero point per block and column; else `zero` is that of all
  int32_t zero = 0;

  int64_t groups() const { return (k + group - 1) / group; }
};

// Weights as a model has them. A number is its byte + `moved`, below 2^bits; likewise zero points, below 256.
struct BlockwiseWeights {
  const uint8_t* w = nullptr;
  int64_t w_k = 0, w_n = 0;  // strides
  uint8_t moved = 0;
  int64_t block = 0;
  const float* scale = nullptr;
  const uint8_t* zero = nullptr;     // laid out as the scales; read with own_zeros only
  int64_t scale_k = 0, scale_n = 0;  // strides; scale_k from block to block
};

// Rows of x as integers: number p of its digits in base 256, the highest first, times the scale of its group. `sums`
// adds up the numbers of a group. A group that is not finite counts as zeros.
struct BlockwiseDigits {
  int count = 2;          // of digits, or 3
  int8_t* digit[3] = {};  // whole groups
  float* scale = nullptr;
  int32_t* sum = nullptr;
};

struct BlockwiseTraits {
  int width;  // columns of a panel
};

// y = x w for up to all rows and one panel.
struct BlockwiseTile {
  BlockwiseShape shape;
  int64_t rows = 0, cols = 0;  // cols <= width
  const float* x = nullptr;    // of the first row
  BlockwiseDigits digits;      // likewise; rows are groups() groups apart
  const std::byte* panel = nullptr;
  float* y = nullptr;
  int64_t y_row = 0;
};

struct BlockwiseTable {
  Slot<BlockwiseTraits()> traits;
  // A row of k floats; says whether all of it is finite.
  Slot<bool(const float* x, int64_t k, int64_t group, const BlockwiseDigits& to)> digits;
  Slot<void(const BlockwiseTile&)> tile;
};

// The longest group that blocks are made of; 0 where there is none. `block` >= k: one for all.
int64_t blockwise_group(int bits, int64_t k, int64_t block);
size_t blockwise_packed_bytes(const BlockwiseTable& table, const BlockwiseShape& shape);
void blockwise_pack(Team& team, const BlockwiseTable& table, const BlockwiseShape& shape, const BlockwiseWeights& w,
                    std::byte* to);

struct BlockwiseArgs {
  BlockwiseShape shape;
  int64_t m = 0;
  const float* x = nullptr;  // [m][k]
  const std::byte* packed = nullptr;
  float* y = nullptr;            // [m][n]
  std::byte* scratch = nullptr;  // blockwise_scratch bytes, 64-byte aligned
};
size_t blockwise_scratch(const BlockwiseArgs& args);
void blockwise(Team& team, const BlockwiseTable& table, const BlockwiseArgs& args);

}  // namespace tc::kernels
