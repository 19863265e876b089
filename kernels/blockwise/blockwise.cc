#include "tc/kernels/blockwise/blockwise.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tc/kernels/parallel.h"
#include "tc/kernels/scratch.h"
#include "tc/kernels/simd/subnormals.h"

namespace tc::kernels {
namespace {

// Rows whose digits stay in L2 beside a panel.
constexpr int64_t kRows = 64;
// What one core computes, roughly, of a product of few rows.
constexpr double kNsPerWeight = 0.03;

// Neighbours of the inner axis that four bytes hold.
int64_t step(int bits) {
  return 4 * (8 / bits);
}

// Bytes of a panel's group, and where in it things are.
struct Record {
  int64_t scales, zeros, bytes;
  Record(const BlockwiseShape& s, int64_t width) {
    scales = s.group / step(s.bits) * width * 4;
    zeros = scales + width * static_cast<int64_t>(sizeof(float));
    bytes = zeros + (s.own_zeros ? width : 0);
  }
};

int64_t panels(const BlockwiseShape& s, int64_t width) {
  return (s.n + width - 1) / width;
}

struct Scratch {
  BlockwiseDigits all;
  uint8_t* finite;
  size_t bytes;
  explicit Scratch(const BlockwiseArgs& a) {
    all.count = a.m <= kBlockwiseFineRows ? 3 : 2;
    const int64_t groups = a.m * a.shape.groups(), numbers = groups * a.shape.group;
    ScratchPieces pieces(a.scratch);
    for (int d = 0; d < all.count; ++d) all.digit[d] = pieces.take<int8_t>(numbers);
    all.scale = pieces.take<float>(groups);
    all.sum = pieces.take<int32_t>(groups);
    finite = pieces.take<uint8_t>(a.m);
    bytes = pieces.used();
  }
  BlockwiseDigits row(const BlockwiseShape& s, int64_t i) const {
    const int64_t group = i * s.groups();
    BlockwiseDigits row = all;
    for (int d = 0; d < all.count; ++d) row.digit[d] += group * s.group;
    row.scale += group, row.sum += group;
    return row;
  }
};

// Adds what the groups of a row that are not finite contribute.
void add_as_floats(const BlockwiseArgs& a, int64_t width, const float* x, float* y) {
  const BlockwiseShape& s = a.shape;
  const Record record(s, width);
  const int64_t per_step = step(s.bits);
  for (int64_t g = 0; g < s.groups(); ++g) {
    const int64_t first = g * s.group, last = std::min(s.k, first + s.group);
    if (std::all_of(x + first, x + last, [](float v) { return std::isfinite(v); })) continue;
    for (int64_t j = 0; j < s.n; ++j) {
      const int64_t column = j % width;
      const std::byte* from = a.packed + (j / width * s.groups() + g) * record.bytes;
      float scale;
      std::memcpy(&scale, from + record.scales + column * 4, sizeof scale);
      const int zero = s.own_zeros ? static_cast<int>(from[record.zeros + column]) : s.zero;
      for (int64_t p = first; p < last; ++p) {
        const int64_t at = p - first, part = at % per_step / 4;
        const int byte = static_cast<int>(from[(at / per_step * width + column) * 4 + at % 4]);
        const int number = byte >> (part * s.bits) & ((1 << s.bits) - 1);
        y[j] += x[p] * (static_cast<float>(number - zero) * scale);
      }
    }
  }
}

// Up to four numbers, in a byte each.
uint32_t quad(const uint8_t* from, int64_t step, int64_t count, uint8_t moved) {
  uint32_t bytes = 0;
  if (step == 1 && count >= 4) {
    std::memcpy(&bytes, from, sizeof bytes);
    const uint32_t less = bytes & 0x7f7f7f7f, more = moved * 0x01010101U;
    return (less + (more & 0x7f7f7f7f)) ^ ((bytes ^ more) & 0x80808080);  // no carry from byte to byte
  }
  for (int64_t i = 0; i < std::min<int64_t>(4, count); ++i)
    bytes |= uint32_t{static_cast<uint8_t>(from[i * step] + moved)} << (8 * i);
  return bytes;
}

}  // namespace

int64_t blockwise_group(int bits, int64_t k, int64_t block) {
  const int64_t unit = step(bits);
  if (block >= k) return std::min(kBlockwiseGroup, (k + unit - 1) / unit * unit);
  for (int64_t group = kBlockwiseGroup / unit * unit; group > 0; group -= unit)
    if (block % group == 0) return group;
  return 0;
}

size_t blockwise_packed_bytes(const BlockwiseTable& table, const BlockwiseShape& s) {
  const int64_t width = table.traits.fn().width;
  return static_cast<size_t>(panels(s, width) * s.groups() * Record(s, width).bytes);
}

void blockwise_pack(Team& team, const BlockwiseTable& table, const BlockwiseShape& s, const BlockwiseWeights& w,
                    std::byte* to) {
  const int64_t width = table.traits.fn().width, per_step = step(s.bits);
  const Record record(s, width);
  parallel_for(team, panels(s, width), [&](int64_t panel, int) {
    const int64_t first = panel * width, cols = std::min(width, s.n - first);
    std::byte* at = to + panel * s.groups() * record.bytes;
    for (int64_t g = 0; g < s.groups(); ++g, at += record.bytes) {
      std::memset(at, 0, static_cast<size_t>(record.bytes));
      auto* numbers = reinterpret_cast<uint8_t*>(at);
      const int64_t p0 = g * s.group, count = std::min(s.group, s.k - p0), block = p0 / w.block;
      for (int64_t c = 0; c < cols; ++c) {
        const int64_t j = first + c;
        const uint8_t* from = w.w + p0 * w.w_k + j * w.w_n;
        uint8_t* line = numbers + c * 4;
        for (int64_t p = 0; p < count; p += per_step, line += width * 4) {
          uint32_t quads = 0;
          for (int64_t q = 0; q < per_step && p + q < count; q += 4, from += 4 * w.w_k)
            quads |= quad(from, w.w_k, count - p - q, w.moved) << (q / 4 * s.bits);
          std::memcpy(line, &quads, sizeof quads);
        }
        std::memcpy(at + record.scales + c * 4, w.scale + block * w.scale_k + j * w.scale_n, sizeof(float));
        if (s.own_zeros)
          at[record.zeros + c] = std::byte(static_cast<uint8_t>(w.zero[block * w.scale_k + j * w.scale_n] + w.moved));
      }
    }
  });
}

size_t blockwise_scratch(const BlockwiseArgs& args) {
  BlockwiseArgs a = args;
  a.scratch = nullptr;
  return Scratch(a).bytes;
}

void blockwise(Team& team, const BlockwiseTable& table, const BlockwiseArgs& a) {
  const BlockwiseShape& s = a.shape;
  if (a.m * s.n == 0) return;
  const Scratch scratch(a);
  const int64_t width = table.traits.fn().width, panel_bytes = s.groups() * Record(s, width).bytes;
  const Tiling some = tile_by_cost(a.m, s.k, 1 << 14);
  parallel_for(team, some.count(), static_cast<double>(a.m * s.k), [&](int64_t tile, int) {
    const NoSubnormals flushed;
    for (int64_t i = some.begin(tile); i < some.end(tile); ++i)
      scratch.finite[i] = table.digits.fn(a.x + i * s.k, s.k, s.group, scratch.row(s, i));
  });
  const Tiling rows{a.m, kRows};
  const int64_t across = panels(s, width);
  const double ns = kNsPerWeight * static_cast<double>(a.m * s.n) * static_cast<double>(s.k);
  parallel_for(team, across * rows.count(), ns, [&](int64_t tile, int) {
    const NoSubnormals flushed;
    const int64_t panel = tile % across, first = rows.begin(tile / across), col = panel * width;
    table.tile.fn({.shape = s,
                   .rows = rows.end(tile / across) - first,
                   .cols = std::min(width, s.n - col),
                   .x = a.x + first * s.k,
                   .digits = scratch.row(s, first),
                   .panel = a.packed + panel * panel_bytes,
                   .y = a.y + first * s.n + col,
                   .y_row = s.n});
  });
  for (int64_t i = 0; i < a.m; ++i)
    if (!scratch.finite[i]) add_as_floats(a, width, a.x + i * s.k, a.y + i * s.n);
}

}  // namespace tc::kernels
