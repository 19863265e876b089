// Convolutions of bytes in plain layout: pixels are gathered to panels, rows are filters.
#include <algorithm>
#include <cstring>

#include "tc/kernels/int8/int8_shapes.h"
#include "tc/kernels/parallel.h"

namespace tc::kernels {
namespace {

// The padded image in parts, one for each residue of the stride, so that a tap reads neighbours at every stride: pixel
// (y, x) of the result needs element (y, x) of the tap's part, further on by a fixed distance.
struct Parts {
  int64_t extent[2], count[2] = {};  // rows and columns of a part; parts
  int64_t depth, plane;              // quads of channels; bytes of a quad's plane
  explicit Parts(const Int8ConvArgs& c) : extent(), depth(quads(c.channels)) {
    for (int d = 0; d < 2; ++d) {
      const int64_t padded = (c.extent[d] - 1) * c.stride[d] + (c.kernel[d] - 1) * c.dilation[d] + 1;
      extent[d] = (padded + c.stride[d] - 1) / c.stride[d];
      count[d] = std::min(c.stride[d], (c.kernel[d] - 1) * c.dilation[d] + 1);
    }
    plane = extent[0] * extent[1] * 4;
  }
  int64_t bytes(int64_t width) const { return count[0] * count[1] * depth * plane + 4 * width; }
};

// Quads of a filter.
int64_t filter_depth(const Int8Traits& t, const Int8ConvArgs& c) {
  return round_up(taps(c) * quads(c.channels), t.side);
}
int64_t group_bytes(const Int8Traits& t, const Int8ConvArgs& c) {
  return round_up(c.out, t.filters) * filter_depth(t, c) * 4;
}
int64_t ones_bytes(const Int8Traits& t, const Int8ConvArgs& c) {
  return t.filters * filter_depth(t, c) * 4;
}

int64_t panel_bytes(const Int8Traits& t, const Int8ConvArgs& c) {
  return filter_depth(t, c) * t.width * 4;
}

// The pixels' panels: whole registers, evenly split.
struct Panels {
  int64_t pixels, lanes, registers, count;
  Panels(const Int8Traits& t, const Int8ConvArgs& c)
      : pixels(c.extent[0] * c.extent[1]),
        lanes(t.lanes),
        registers((pixels + t.lanes - 1) / t.lanes),
        count((pixels + t.width - 1) / t.width) {}
  int64_t begin(int64_t panel) const { return std::min(pixels, registers * panel / count * lanes); }
};

// The filters that a piece of work multiplies a panel of pixels with: all of them, or, where panels are few, some; then
// the panels are gathered before.
Tiling filter_rows(const Int8Traits& t, const Int8ConvArgs& c) {
  constexpr int64_t kWantedPieces = 16;
  const int64_t splits = std::max<int64_t>(1, kWantedPieces / Panels(t, c).count);
  return {c.out, round_up((c.out + splits - 1) / splits, t.rows)};
}

struct ConvScratch {
  uint8_t *parts = nullptr, *panels = nullptr;
  int64_t* offsets = nullptr;
  PerWorker<Int8Piece> pieces;
  PerWorker<int32_t> acc, pixel_sums;
  int32_t *bias = nullptr, *factor = nullptr;
  size_t bytes = 0;
  ConvScratch(const Int8Table& table, const Int8ConvArgs& c, int threads) {
    ScratchPieces all(c.scratch);
    const Int8Traits t = table.traits.fn();
    offsets = all.take<int64_t>(taps(c));
    parts = all.take<uint8_t>(Parts(c).bytes(t.width));
    panels = all.take<uint8_t>(filter_rows(t, c).count() > 1 ? Panels(t, c).count * panel_bytes(t, c)
                                                             : threads * worker_stride<uint8_t>(panel_bytes(t, c)));
    pieces = all.take_each<Int8Piece>(threads, t.width);
    acc = all.take_each<int32_t>(threads, t.rows * t.width);
    bias = all.take<int32_t>(c.groups * c.out);
    if (c.w_zero) {
      pixel_sums = all.take_each<int32_t>(threads, t.side * t.width);
      factor = all.take<int32_t>(c.groups * c.out);
    }
    bytes = all.used();
  }
};

void fill_parts(Team& team, const Int8Table& table, const Int8ConvArgs& c, const Parts& parts, const uint8_t* x,
                uint8_t* to_parts) {
  const int64_t image = c.in[0] * c.in[1], stride = c.stride[1];
  const Tiling lines = tile_by_cost(parts.extent[0], parts.extent[1] * 4, 1 << 13);
  parallel_for(team, parts.count[0] * parts.count[1] * parts.depth * lines.count(), [&](int64_t tile, int) {
    const int64_t plane = tile / lines.count(), begin = lines.begin(tile % lines.count());
    const int64_t quad = plane % parts.depth, part = plane / parts.depth;
    const int64_t part_y = part / parts.count[1], part_x = part % parts.count[1];
    const int64_t end = lines.end(tile % lines.count()), row = parts.extent[1] * 4;
    uint8_t* to = to_parts + plane * parts.plane + begin * row;
    std::memset(to, c.x_zero ^ flip(c.x_signed), static_cast<size_t>((end - begin) * row));
    // Columns outside of the image are padding: x = column * stride + shift.
    const int64_t shift = part_x - c.pad[1];
    const int64_t first = std::clamp<int64_t>(shift < 0 ? (-shift + stride - 1) / stride : 0, 0, parts.extent[1]);
    const int64_t last = std::clamp<int64_t>((c.in[1] - shift + stride - 1) / stride, first, parts.extent[1]);
    if (first == last) return;
    const uint8_t* planes[4];
    for (int64_t q = 0; q < 4; ++q) {
      // Filters are 0 where there is no channel, so any bytes will do.
      const int64_t channel = std::min(4 * quad + q, c.channels - 1);
      planes[q] = x + channel * image + first * stride + shift;
    }
    for (int64_t r = begin; r < end; ++r, to += row) {
      const int64_t y = r * c.stride[0] + part_y - c.pad[0];
      if (y < 0 || y >= c.in[0]) continue;
      const uint8_t* from[4];
      for (int q = 0; q < 4; ++q) from[q] = planes[q] + y * c.in[1];
      table.interleave.fn(from, last - first, stride, flip(c.x_signed), to + first * 4);
    }
  });
}

}  // namespace

size_t gathered_filter_bytes(const Int8Table& table, const Int8ConvArgs& c) {
  const Int8Traits t = table.traits.fn();
  return static_cast<size_t>(c.groups * (group_bytes(t, c) + c.out * 4) + ones_bytes(t, c));
}

void gathered_pack(Team& team, const Int8Table& table, const Int8ConvArgs& c, const uint8_t* w, uint8_t* to) {
  const Int8Traits t = table.traits.fn();
  const int64_t depth = filter_depth(t, c), bytes = group_bytes(t, c), size = c.channels * taps(c);
  uint8_t* ones = to + c.groups * bytes;
  auto* sums = reinterpret_cast<int32_t*>(ones + ones_bytes(t, c));
  std::memset(to, 0, static_cast<size_t>(c.groups * bytes + ones_bytes(t, c)));
  // The next tap's byte is `tap` further on, the next channel's `channel`.
  const auto pack_row = [&](const uint8_t* from, int64_t channel, int64_t tap, uint8_t change, uint8_t* row) {
    const uint32_t changes = change * 0x01010101U;
    int64_t in_piece = 0;
    for (int64_t k = 0; k < taps(c); ++k, from += tap) {
      const uint8_t* next = from;
      for (int64_t left = c.channels; left > 0; left -= 4, next += 4 * channel) {
        if (left >= 4) {
          const uint32_t quad = uint32_t{next[0]} | uint32_t{next[channel]} << 8 | uint32_t{next[2 * channel]} << 16 |
                                uint32_t{next[3 * channel]} << 24;
          const uint32_t changed = quad ^ changes;
          std::memcpy(row, &changed, sizeof changed);
        } else {
          for (int64_t q = 0; q < left; ++q) row[q] = next[q * channel] ^ change;
        }
        row += 4;
        if (++in_piece == t.side) in_piece = 0, row += 4 * t.side * (t.filters - 1);
      }
    }
  };
  const uint8_t one = 1, change = flip(!c.w_signed);
  pack_row(&one, 0, 0, 0, ones);
  parallel_for(team, c.groups * c.out, [&](int64_t f, int) {
    const uint8_t* filter = w + f * size;
    pack_row(filter, taps(c), 1, change, to + f / c.out * bytes + row_offset(t, t.filters, depth, f % c.out));
    // As unsigned bytes, each 128 more than the signed one.
    const uint8_t up = change ^ flip(true);
    sums[f] = table.copy_row.fn(filter, size, up, size, 0, nullptr) - static_cast<int32_t>(128 * size);
  });
}

size_t gathered_scratch(const Int8Table& table, const Int8ConvArgs& args, int threads) {
  Int8ConvArgs c = args;
  c.scratch = nullptr;
  return ConvScratch(table, c, threads).bytes;
}

void gathered_conv(Team& team, const Int8Table& table, const Int8ConvArgs& c) {
  const int64_t pixels = c.extent[0] * c.extent[1];
  if (c.batch * c.groups * c.out * pixels == 0) return;
  const ConvScratch scratch(table, c, team.threads());
  const Parts parts(c);
  const Int8Traits t = table.traits.fn();
  const int64_t depth = filter_depth(t, c), step = t.width * 4, image = c.in[0] * c.in[1];
  const int64_t part_bytes = parts.depth * parts.plane;
  const uint8_t* ones = c.packed_w + c.groups * group_bytes(t, c);
  const auto* filter_sums = reinterpret_cast<const int32_t*>(ones + ones_bytes(t, c));
  const int32_t x_zero = static_cast<uint8_t>(c.x_zero ^ flip(c.x_signed));
  // (x - zx)(w - zw) = x w - zx w - zw (x - zx)
  for (int64_t f = 0; f < c.groups * c.out; ++f) {
    const int32_t w_zero = c.w_zero ? moved_zero(c.w_zero[f * c.w_zero_step], c.w_signed, true) : 0;
    if (scratch.factor) scratch.factor[f] = w_zero;
    scratch.bias[f] =
        (c.bias ? c.bias[f] : 0) - x_zero * (filter_sums[f] - static_cast<int32_t>(taps(c) * c.channels) * w_zero);
  }
  for (int64_t ky = 0; ky < c.kernel[0]; ++ky)
    for (int64_t kx = 0; kx < c.kernel[1]; ++kx) {
      const int64_t y = ky * c.dilation[0], x = kx * c.dilation[1];
      const int64_t part = y % c.stride[0] * parts.count[1] + x % c.stride[1];
      scratch.offsets[ky * c.kernel[1] + kx] =
          part * part_bytes + (y / c.stride[0] * parts.extent[1] + x / c.stride[1]) * 4;
    }
  const Panels panels(t, c);
  const Tiling rows = filter_rows(t, c);
  const auto gather = [&](int64_t index, int64_t first_tap, int64_t last_tap, int worker, uint8_t* panel) {
    Int8Piece* pieces = scratch.pieces.of(worker);
    size_t count = 0;
    const int64_t end = panels.begin(index + 1);
    for (int64_t at = panels.begin(index), next = at; at < end; at = next) {
      const int64_t y = at / c.extent[1], x = at % c.extent[1], from = (y * parts.extent[1] + x) * 4;
      next = std::min(end, (y + 1) * c.extent[1]);
      if (count && pieces[count - 1].at + pieces[count - 1].count == from)
        pieces[count - 1].count += (next - at) * 4;
      else
        pieces[count++] = {from, (next - at) * 4};
    }
    for (int64_t tap = first_tap; tap < last_tap; ++tap)
      table.gather.fn(scratch.parts + scratch.offsets[tap], parts.plane, parts.depth, {pieces, count}, step,
                      panel + tap * parts.depth * step);
  };
  for (int64_t n = 0; n < c.batch * c.groups; ++n) {
    const int64_t group = n % c.groups;
    fill_parts(team, table, c, parts, c.x + n * c.channels * image, scratch.parts);
    const bool ahead = rows.count() > 1;
    if (ahead) {
      // Also by taps, of which there are more.
      parallel_for(team, panels.count * taps(c), [&](int64_t tile, int worker) {
        const int64_t index = tile / taps(c), tap = tile % taps(c);
        gather(index, tap, tap + 1, worker, scratch.panels + index * panel_bytes(t, c));
      });
    }
    parallel_for(team, rows.count() * panels.count, [&](int64_t tile, int worker) {
      const int64_t index = tile % panels.count, begin = panels.begin(index), end = panels.begin(index + 1);
      const int64_t last = rows.end(tile / panels.count);
      uint8_t* panel =
          scratch.panels + (ahead ? index * panel_bytes(t, c) : worker * worker_stride<uint8_t>(panel_bytes(t, c)));
      if (!ahead) gather(index, 0, taps(c), worker, panel);
      const Int8Blocks blocks(table);
      int32_t* sums = nullptr;
      if (scratch.factor) {
        sums = scratch.pixel_sums.of(worker);
        table.block.fn({.rows = 1,
                        .cols = end - begin,
                        .depth = depth,
                        .vectors = panel,
                        .row = ones,
                        .group = t.filters,
                        .cached_vectors = true,
                        .acc = sums});
      }
      int32_t* acc = scratch.acc.of(worker);
      for (int64_t first = rows.begin(tile / panels.count); first < last; first += t.rows) {
        const int64_t filter = group * c.out + first;
        Int8Finish f{
            .rows = std::min<int64_t>(t.rows, last - first),
            .cols = end - begin,
            .acc = acc,
            .acc_row = t.width,
            .bias = scratch.bias + filter,
            .factor = scratch.factor ? scratch.factor + filter : nullptr,
            .minus = sums,
            .output = c.output.from(filter, 0),
            .sum = c.sum,
            .y = static_cast<std::byte*>(c.y) + (((n - group) * c.out + filter) * pixels + begin) * c.output.bytes(),
            .y_row = pixels};
        if (f.sum.other) f.sum.other += static_cast<std::byte*>(f.y) - static_cast<std::byte*>(c.y);
        table.block.fn({.rows = f.rows,
                        .cols = f.cols,
                        .depth = depth,
                        .vectors = panel,
                        .row = c.packed_w + group * group_bytes(t, c) + row_offset(t, t.filters, depth, first),
                        .group = t.filters,
                        .cached_vectors = true,
                        .acc = acc});
        table.finish.fn(f);
      }
    });
  }
}

}  // namespace tc::kernels
