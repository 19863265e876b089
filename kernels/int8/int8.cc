#include "tc/kernels/int8/int8.h"

#include <algorithm>
#include <cstring>

#include "tc/kernels/parallel.h"

namespace tc::kernels {
namespace {

// Rows of results that a tile computes: enough to read a panel from the first-level cache several times over.
constexpr int64_t kTileRows = 40;

constexpr int64_t quads(int64_t bytes) {
  return (bytes + 3) / 4;
}
constexpr int64_t round_up(int64_t n, int64_t to) {
  return (n + to - 1) / to * to;
}
constexpr uint8_t flip(bool yes) {
  return yes ? 0x80 : 0;
}

// Takes pieces of scratch one after the other; with a null base it only counts.
class Pieces {
 public:
  explicit Pieces(std::byte* base) : base_(base) {}
  template <class T>
  T* take(int64_t count) {
    T* piece = base_ ? reinterpret_cast<T*>(base_ + used_) : nullptr;
    used_ += static_cast<size_t>(round_up(count * static_cast<int64_t>(sizeof(T)), 64));
    return piece;
  }
  size_t used() const { return used_; }

 private:
  std::byte* base_;
  size_t used_ = 0;
};

struct GemmScratch {
  int32_t *row_sums = nullptr, *acc = nullptr;
  uint8_t *a = nullptr, *b = nullptr;
  size_t bytes = 0;
  GemmScratch(const Int8Table& table, const Int8GemmArgs& g, int threads) {
    Pieces pieces(g.scratch);
    if (g.b_zero || !g.b_signed) row_sums = pieces.take<int32_t>(g.m);
    if (g.a_signed || g.k % 4) a = pieces.take<uint8_t>(g.m * quads(g.k) * 4);
    if (!g.packed_b) b = pieces.take<uint8_t>(static_cast<int64_t>(int8_packed_bytes(table, g.k, g.n)));
    acc = pieces.take<int32_t>(threads * kTileRows * table.traits.fn().width);
    bytes = pieces.used();
  }
};

int64_t panel_bytes(const Int8Table& table, int64_t k) {
  return quads(k) * 4 * table.traits.fn().width;
}

// The value of a zero point after the bytes were moved to the signedness wanted.
int32_t moved_zero(uint8_t zero, bool is_signed, bool want_signed) {
  const auto byte = static_cast<uint8_t>(zero ^ flip(is_signed != want_signed));
  return want_signed ? static_cast<int8_t>(byte) : byte;
}

}  // namespace

size_t int8_packed_bytes(const Int8Table& table, int64_t k, int64_t n) {
  const int64_t width = table.traits.fn().width, panels = (n + width - 1) / width;
  return static_cast<size_t>(panels * (panel_bytes(table, k) + width * 4));
}

void int8_pack(Team& team, const Int8Table& table, const uint8_t* b, bool b_signed, int64_t k, int64_t n, uint8_t* to) {
  const int64_t width = table.traits.fn().width, panels = (n + width - 1) / width, bytes = panel_bytes(table, k);
  parallel_for(team, panels, [&](int64_t p, int) {
    const int64_t col = p * width, cols = std::min(width, n - col);
    uint8_t* panel = to + p * bytes;
    auto* sums = reinterpret_cast<int32_t*>(to + panels * bytes) + col;
    if (cols < width) std::memset(panel, 0, static_cast<size_t>(bytes));
    std::fill(sums, sums + width, 0);
    for (int64_t s = 0; s < quads(k); ++s) {
      const uint8_t* rows[4] = {};
      for (int64_t q = 0; q < 4 && 4 * s + q < k; ++q) {
        rows[q] = b + (4 * s + q) * n + col;
        for (int64_t j = 0; j < cols; ++j) sums[j] += moved_zero(rows[q][j], b_signed, true);
      }
      table.interleave.fn(rows, cols, 1, flip(!b_signed), panel + s * width * 4);
    }
  });
}

size_t int8_gemm_scratch(const Int8Table& table, const Int8GemmArgs& args, int threads) {
  Int8GemmArgs g = args;
  g.scratch = nullptr;
  return GemmScratch(table, g, threads).bytes;
}

void int8_gemm(Team& team, const Int8Table& table, const Int8GemmArgs& g) {
  if (g.m * g.n == 0) return;
  const GemmScratch scratch(table, g, team.threads());
  const int64_t width = table.traits.fn().width, panels = (g.n + width - 1) / width, bytes = panel_bytes(table, g.k);
  const int64_t row_bytes = scratch.a ? quads(g.k) * 4 : g.k;
  const Tiling rows{g.m, kTileRows};
  if (scratch.a || scratch.row_sums)
    parallel_for(team, rows.count(), [&](int64_t tile, int) {
      for (int64_t i = rows.begin(tile); i < rows.end(tile); ++i) {
        const uint8_t* from = g.a + i * g.k;
        if (scratch.a) {
          uint8_t* row = scratch.a + i * row_bytes;
          for (int64_t p = 0; p < g.k; ++p) row[p] = static_cast<uint8_t>(from[p] ^ flip(g.a_signed));
          std::fill(row + g.k, row + row_bytes, uint8_t{0});
        }
        if (!scratch.row_sums) continue;
        int32_t sum = 0;
        for (int64_t p = 0; p < g.k; ++p) sum += moved_zero(from[p], g.a_signed, false);
        scratch.row_sums[i] = sum;
      }
    });
  if (scratch.b) int8_pack(team, table, g.b, g.b_signed, g.k, g.n, scratch.b);
  const uint8_t *a = scratch.a ? scratch.a : g.a, *b = scratch.b ? scratch.b : g.packed_b;
  const auto* column_sums = reinterpret_cast<const int32_t*>(b + panels * bytes);
  const int64_t item = g.output.kind == Int8Output::Kind::i32 ? 4 : 1;
  parallel_for(team, rows.count() * panels, [&](int64_t tile, int worker) {
    const int64_t panel = tile % panels, first = rows.begin(tile / panels), last = rows.end(tile / panels);
    const int64_t col = panel * width, cols = std::min(width, g.n - col);
    int32_t* acc = scratch.acc + worker * kTileRows * width;
    table.block.fn({.rows = last - first,
                    .depth = quads(g.k),
                    .vectors = b + panel * bytes,
                    .vector_step = width * 4,
                    .row = a + first * row_bytes,
                    .row_stride = row_bytes,
                    .signed_vectors = true,
                    .acc = acc});
    for (int64_t i = first; i < last; ++i, acc += width) {
      const int32_t a_zero = moved_zero(g.a_zero ? g.a_zero[i * g.a_zero_step] : 0, g.a_signed, false);
      int32_t bias = 0;
      if (scratch.row_sums) {
        // (a - za)(b - zb) = a b - za b - zb (a - za)
        const auto b_zero_at = [&](int64_t j) {
          return moved_zero(g.b_zero ? g.b_zero[j * g.b_zero_step] : 0, g.b_signed, true);
        };
        const int32_t row = scratch.row_sums[i] - static_cast<int32_t>(g.k) * a_zero;
        if (g.b_zero_step == 0)
          bias = -b_zero_at(0) * row;
        else
          for (int64_t j = 0; j < cols; ++j) acc[j] -= b_zero_at(col + j) * row;
      }
      const float* scale =
          g.output.scale ? g.output.scale + i * g.output.scale_row + col * g.output.scale_col : nullptr;
      table.finish.fn(acc, cols, bias, column_sums + col, a_zero, scale, g.output.scale_col, g.output,
                      static_cast<std::byte*>(g.c) + (i * g.n + col) * item);
    }
  });
}

namespace {

// The padded image in parts, one for each residue of the stride, so that a tap reads neighbours at every stride: pixel
// (y, x) of the result needs element (y, x) of the tap's part, further on by a fixed distance. Rows of a part follow
// each other, and so do those of the result; what lies between them is computed and dropped.
struct Parts {
  int64_t extent[2], count[2] = {};  // rows and columns of a part; parts
  int64_t depth, plane, positions;   // quads of channels; bytes of a quad's plane; of the result
  explicit Parts(const Int8ConvArgs& c) : extent(), depth(quads(c.channels)) {
    for (int d = 0; d < 2; ++d) {
      const int64_t padded = (c.extent[d] - 1) * c.stride[d] + (c.kernel[d] - 1) * c.dilation[d] + 1;
      extent[d] = (padded + c.stride[d] - 1) / c.stride[d];
      count[d] = std::min(c.stride[d], (c.kernel[d] - 1) * c.dilation[d] + 1);
    }
    plane = extent[0] * extent[1] * 4;
    positions = (c.extent[0] - 1) * extent[1] + c.extent[1];
  }
  int64_t bytes(int64_t width) const { return count[0] * count[1] * depth * plane + 4 * width; }
};

int64_t taps(const Int8ConvArgs& c) {
  return c.kernel[0] * c.kernel[1];
}

struct ConvScratch {
  uint8_t* parts = nullptr;
  int64_t* offsets = nullptr;
  int32_t* acc = nullptr;
  uint8_t* finished = nullptr;
  size_t bytes = 0;
  ConvScratch(const Int8Table& table, const Int8ConvArgs& c, int threads) {
    Pieces pieces(c.scratch);
    const int64_t width = table.traits.fn().width;
    offsets = pieces.take<int64_t>(taps(c));
    parts = pieces.take<uint8_t>(Parts(c).bytes(width));
    acc = pieces.take<int32_t>(threads * kTileRows * width);
    finished = pieces.take<uint8_t>(threads * width * 4);
    bytes = pieces.used();
  }
};

// One row of a part from four channels' rows of x, of which columns outside are padding.
void fill_row(const Int8Table& table, const Int8ConvArgs& c, const Parts& parts, const uint8_t* const rows[4],
              int64_t part_x, uint8_t* to) {
  const uint8_t change = flip(c.x_signed), padding = static_cast<uint8_t>(c.x_zero ^ change);
  const int64_t stride = c.stride[1], shift = part_x - c.pad[1];  // x = column * stride + shift
  const int64_t first = std::clamp<int64_t>(shift < 0 ? (-shift + stride - 1) / stride : 0, 0, parts.extent[1]);
  const int64_t last = std::clamp<int64_t>((c.in[1] - shift + stride - 1) / stride, first, parts.extent[1]);
  std::memset(to, padding, static_cast<size_t>(first * 4));
  std::memset(to + last * 4, padding, static_cast<size_t>((parts.extent[1] - last) * 4));
  if (first == last) return;
  const uint8_t* from[4];
  // Filters are 0 where there is no channel, so any bytes will do.
  for (int q = 0; q < 4; ++q) from[q] = (rows[q] ? rows[q] : rows[0]) + first * stride + shift;
  table.interleave.fn(from, last - first, stride, change, to + first * 4);
}

}  // namespace

size_t int8_filter_bytes(const Int8ConvArgs& c) {
  return static_cast<size_t>(c.groups * c.out * (taps(c) * quads(c.channels) * 4 + 4));
}

void int8_pack_filters(const Int8ConvArgs& c, const uint8_t* w, bool w_signed, uint8_t* to) {
  const int64_t filters = c.groups * c.out, row_bytes = taps(c) * quads(c.channels) * 4;
  auto* sums = reinterpret_cast<int32_t*>(to + filters * row_bytes);
  std::memset(to, 0, static_cast<size_t>(filters * row_bytes));
  for (int64_t f = 0; f < filters; ++f) {
    sums[f] = 0;
    for (int64_t ch = 0; ch < c.channels; ++ch)
      for (int64_t t = 0; t < taps(c); ++t) {
        const uint8_t byte = static_cast<uint8_t>(*w++ ^ flip(!w_signed));
        to[f * row_bytes + (t * quads(c.channels) + ch / 4) * 4 + ch % 4] = byte;
        sums[f] += static_cast<int8_t>(byte);
      }
  }
}

size_t int8_conv_scratch(const Int8Table& table, const Int8ConvArgs& args, int threads) {
  Int8ConvArgs c = args;
  c.scratch = nullptr;
  return ConvScratch(table, c, threads).bytes;
}

void int8_conv(Team& team, const Int8Table& table, const Int8ConvArgs& c) {
  const int64_t pixels = c.extent[0] * c.extent[1];
  if (c.batch * c.groups * c.out * pixels == 0) return;
  const ConvScratch scratch(table, c, team.threads());
  const Parts parts(c);
  const int64_t width = table.traits.fn().width, row_bytes = taps(c) * parts.depth * 4;
  const int64_t image = c.in[0] * c.in[1], part_bytes = parts.depth * parts.plane;
  const auto* filter_sums = reinterpret_cast<const int32_t*>(c.packed_w + c.groups * c.out * row_bytes);
  const int32_t x_zero = static_cast<uint8_t>(c.x_zero ^ flip(c.x_signed));
  const int64_t item = c.output.kind == Int8Output::Kind::i32 ? 4 : 1;
  for (int64_t ky = 0; ky < c.kernel[0]; ++ky)
    for (int64_t kx = 0; kx < c.kernel[1]; ++kx) {
      const int64_t y = ky * c.dilation[0], x = kx * c.dilation[1];
      const int64_t part = y % c.stride[0] * parts.count[1] + x % c.stride[1];
      scratch.offsets[ky * c.kernel[1] + kx] =
          part * part_bytes + (y / c.stride[0] * parts.extent[1] + x / c.stride[1]) * 4;
    }
  const Tiling rows{c.out, kTileRows}, blocks{parts.positions, width};
  for (int64_t n = 0; n < c.batch * c.groups; ++n) {
    const int64_t group = n % c.groups;
    const uint8_t* x = c.x + n * c.channels * image;
    parallel_for(team, parts.count[0] * parts.count[1] * parts.depth, [&](int64_t tile, int) {
      const int64_t quad = tile % parts.depth, part = tile / parts.depth;
      const int64_t part_y = part / parts.count[1], part_x = part % parts.count[1];
      uint8_t* to = scratch.parts + part * part_bytes + quad * parts.plane;
      for (int64_t r = 0; r < parts.extent[0]; ++r, to += parts.extent[1] * 4) {
        const int64_t y = r * c.stride[0] + part_y - c.pad[0];
        if (y < 0 || y >= c.in[0]) {
          std::memset(to, c.x_zero ^ flip(c.x_signed), static_cast<size_t>(parts.extent[1] * 4));
          continue;
        }
        const uint8_t* from[4] = {};
        for (int64_t q = 0; q < 4 && 4 * quad + q < c.channels; ++q) from[q] = x + (4 * quad + q) * image + y * c.in[1];
        fill_row(table, c, parts, from, part_x, to);
      }
    });
    parallel_for(team, rows.count() * blocks.count(), [&](int64_t tile, int worker) {
      const int64_t first = rows.begin(tile / blocks.count()), last = rows.end(tile / blocks.count());
      const int64_t begin = blocks.begin(tile % blocks.count()), end = blocks.end(tile % blocks.count());
      int32_t* acc = scratch.acc + worker * kTileRows * width;
      uint8_t* finished = scratch.finished + worker * width * 4;
      const int64_t filter = group * c.out + first;
      table.block.fn({.rows = last - first,
                      .taps = taps(c),
                      .depth = parts.depth,
                      .vectors = scratch.parts + begin * 4,
                      .vector_step = parts.plane,
                      .offset = scratch.offsets,
                      .row = c.packed_w + filter * row_bytes,
                      .row_stride = row_bytes,
                      .signed_vectors = false,
                      .acc = acc});
      for (int64_t r = 0; r < last - first; ++r, acc += width) {
        const int64_t f = filter + r;
        const int32_t bias = (c.bias ? c.bias[f] : 0) - x_zero * filter_sums[f];
        table.finish.fn(acc, end - begin, bias, nullptr, 0,
                        c.output.scale ? c.output.scale + f * c.output.scale_row : nullptr, 0, c.output, finished);
        auto* y = static_cast<std::byte*>(c.y) + ((n - group) * c.out + f) * pixels * item;
        for (int64_t at = begin; at < end;) {
          const int64_t oy = at / parts.extent[1], ox = at % parts.extent[1];
          const int64_t next = std::min(end, (oy + 1) * parts.extent[1]);
          const int64_t count = std::min(next, oy * parts.extent[1] + c.extent[1]) - at;
          if (count > 0)
            std::memcpy(y + (oy * c.extent[1] + ox) * item, finished + (at - begin) * item,
                        static_cast<size_t>(count * item));
          at = next;
        }
      }
    });
  }
}

}  // namespace tc::kernels
