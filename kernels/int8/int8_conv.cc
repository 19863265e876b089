// Convolutions of bytes in blocks of 16 channels, and which algorithm a convolution takes.
#include <algorithm>
#include <cstring>

#include "tc/kernels/int8/int8_choice.h"
#include "tc/kernels/int8/int8_shapes.h"
#include "tc/kernels/parallel.h"

namespace tc::kernels {
namespace {

constexpr int64_t blocks(int64_t channels) {
  return (channels + kChannelBlock - 1) / kChannelBlock;
}

// --- direct: panels of a group's filters, [panel][line][quad of the line][filter][4], then the sums of filters.

// What a filter adds up, as lines of bytes that lie side by side in the image: a tap's channels, or where few channels
// leave most of a quad empty, the channels of a row of taps. The first layer of ResNet 0.82 to 0.73 ms.
struct Lines {
  int64_t taps, channels;  // of a line
  explicit Lines(const Int8ConvArgs& c) : taps(1), channels(c.channels) {
    const int64_t row = c.kernel[1];
    if (!c.x_blocked && c.groups == 1 && channels < 4 && c.dilation[1] == 1 && quads(row * channels) < row) taps = row;
  }
  int64_t bytes() const { return taps * channels; }
  int64_t depth(const Int8ConvArgs& c) const { return kernels::taps(c) / taps * quads(bytes()); }
};

int64_t group_panels(const Int8Traits& t, const Int8ConvArgs& c) {
  return (c.out + t.width - 1) / t.width;
}
int64_t panels(const Int8Traits& t, const Int8ConvArgs& c) {
  return c.groups * group_panels(t, c);
}
// The filters of a panel.
struct Filters {
  int64_t first, count;
  Filters(const Int8Traits& t, const Int8ConvArgs& c, int64_t panel) {
    const int64_t in_group = panel % group_panels(t, c) * t.width;
    first = panel / group_panels(t, c) * c.out + in_group, count = std::min<int64_t>(t.width, c.out - in_group);
  }
};
int64_t panel_bytes(const Int8Traits& t, const Int8ConvArgs& c) {
  return Lines(c).depth(c) * t.width * 4;
}

void pack_panels(Team& team, const Int8Traits& t, const Int8ConvArgs& c, const uint8_t* w, uint8_t* to) {
  const int64_t bytes = panel_bytes(t, c), size = c.channels * taps(c);
  auto* all_sums = reinterpret_cast<int32_t*>(to + panels(t, c) * bytes);
  std::fill(all_sums, all_sums + panels(t, c) * t.width, 0);
  const uint8_t change = flip(!c.w_signed);
  const Lines line(c);
  parallel_for(team, panels(t, c), [&](int64_t panel, int) {
    const Filters filters(t, c, panel);
    int32_t* sums = all_sums + panel * t.width;
    uint8_t* quad = to + panel * bytes;
    std::memset(quad, 0, static_cast<size_t>(bytes));
    for (int64_t tap = 0; tap < taps(c); tap += line.taps)
      for (int64_t i = 0; i < line.bytes(); i += 4, quad += t.width * 4) {
        const int64_t count = std::min<int64_t>(4, line.bytes() - i);
        for (int64_t f = 0; f < filters.count; ++f)
          for (int64_t q = 0; q < count; ++q) {
            const int64_t at = (i + q) % c.channels * taps(c) + tap + (i + q) / c.channels;
            const uint8_t byte = w[(filters.first + f) * size + at] ^ change;
            quad[f * 4 + q] = byte;
            sums[f] += static_cast<int8_t>(byte);
          }
      }
  });
}

// Where a pixel's quads lie: in the image itself, or in a copy with padding, as unsigned bytes, of whose channels there
// are blocks or, of a plain image, quads or, of lines of several taps, nothing but themselves.
struct Image {
  bool copied, dense;
  int64_t extent[2];             // rows and columns
  int64_t group, groups, plane;  // bytes of a pixel's group of channels; groups; bytes between them
  explicit Image(const Int8ConvArgs& c)
      : copied(!c.x_blocked || c.x_signed),
        dense(Lines(c).taps > 1),
        extent(),
        group(c.x_blocked ? kChannelBlock
              : dense     ? c.channels
                          : 4),
        groups((c.groups * c.channels + group - 1) / group) {
    for (int d = 0; d < 2; ++d) {
      extent[d] = (c.extent[d] - 1) * c.stride[d] + (c.kernel[d] - 1) * c.dilation[d] + 1;
      if (c.pad[d] > 0 || extent[d] > c.in[d]) copied = true;
    }
    if (!copied) std::copy_n(c.in, 2, extent);
    plane = extent[0] * extent[1] * group;
  }
  int64_t bytes() const { return copied ? groups * plane + 3 : 0; }  // the last quad of a line may reach so far
  int64_t offset(int64_t y, int64_t x) const { return (y * extent[1] + x) * group; }
};

// Pixels of up to three channels side by side, of quads whose last bytes the next one's overwrite.
void copy_dense(const Int8Table& table, const uint8_t* const rows[4], int64_t pixels, int64_t channels, uint8_t change,
                uint8_t* to) {
  constexpr int64_t kPixels = 64;
  uint8_t some[kPixels * 4];
  for (int64_t first = 0; first < pixels; first += kPixels) {
    const int64_t count = std::min(kPixels, pixels - first);
    const uint8_t* from[4];
    for (int q = 0; q < 4; ++q) from[q] = rows[q] + first;
    table.interleave.fn(from, count, 1, change, some);
    const int64_t whole = std::max<int64_t>(0, count - 3 / channels);  // that end a quad before the pixels do
    for (int64_t i = 0; i < whole; ++i, to += channels) std::memcpy(to, some + i * 4, 4);
    for (int64_t i = whole; i < count; ++i, to += channels)
      std::memcpy(to, some + i * 4, static_cast<size_t>(channels));
  }
}

double copy_ns(const Image& image) {
  return static_cast<double>(image.bytes()) * 0.05;
}

void copy_image(Team& team, const Int8Table& table, const Int8ConvArgs& c, const Image& image, const uint8_t* x,
                uint8_t* to_image) {
  const int64_t row = image.extent[1] * image.group, pixels = c.in[0] * c.in[1];
  const int64_t left = std::min(c.pad[1], image.extent[1]);
  const int64_t columns = std::clamp<int64_t>(image.extent[1] - left, 0, c.in[1]);
  const Tiling lines = tile_by_cost(image.extent[0], row, 1 << 14);
  parallel_for(team, image.groups * lines.count(), copy_ns(image), [&](int64_t tile, int) {
    const int64_t group = tile / lines.count(), end = lines.end(tile % lines.count());
    int64_t r = lines.begin(tile % lines.count());
    uint8_t* to = to_image + group * image.plane + r * row;
    for (; r < end; ++r, to += row) {
      const int64_t y = r - c.pad[0];
      const bool inside = y >= 0 && y < c.in[0];
      const int64_t from = inside ? left * image.group : 0, until = inside ? from + columns * image.group : 0;
      std::memset(to, c.x_zero ^ flip(c.x_signed), static_cast<size_t>(from));
      std::memset(to + until, c.x_zero ^ flip(c.x_signed), static_cast<size_t>(row - until));
      if (!inside || !columns) continue;
      if (!c.x_blocked) {
        // Filters are 0 where there is no channel, so any bytes will do.
        const uint8_t* rows[4];
        for (int64_t q = 0; q < 4; ++q)
          rows[q] = x + std::min(4 * group + q, c.groups * c.channels - 1) * pixels + y * c.in[1];
        if (!image.dense)
          table.interleave.fn(rows, columns, 1, flip(c.x_signed), to + from);
        else
          copy_dense(table, rows, columns, c.channels, flip(c.x_signed), to + from);
        continue;
      }
      const uint8_t* line = x + (group * pixels + y * c.in[1]) * kChannelBlock;
      if (!c.x_signed)
        std::memcpy(to + from, line, static_cast<size_t>(until - from));
      else
        table.copy_row.fn(line, until - from, flip(true), until - from, 0, to + from);
    }
  });
}

// Pixels that a piece of work multiplies a panel with: about as many as make good use of a part of the panel that was
// brought to L1, less where pieces would be few.
Tiling pixel_pieces(const Int8Traits& t, const Int8ConvArgs& c) {
  constexpr int64_t kWantedPieces = 8, kLeastRows = 12;
  const int64_t pixels = c.extent[0] * c.extent[1], others = c.batch * panels(t, c);
  int64_t count = std::max<int64_t>(1, (pixels + t.rows / 4) / t.rows);
  if (count * others < kWantedPieces)
    count = std::clamp<int64_t>(pixels / kLeastRows, count, (kWantedPieces + others - 1) / others);
  return {pixels, (pixels + count - 1) / count};
}

struct DirectScratch {
  // Whether each worker makes a copy of the image for itself: one that is too small to be made by several at once would
  // keep the others waiting, and be fetched from one core's cache by all. ResNet-18, two threads on cores of Zen 5 that
  // share no cache: 3.22 to 3.16 ms.
  bool apart;
  PerWorker<uint8_t> image;
  PerWorker<int64_t> held;  // the image of the batch that it has
  int64_t* step = nullptr;
  PerWorker<int64_t> at;
  PerWorker<int32_t> acc;
  int32_t* bias = nullptr;
  size_t bytes = 0;
  DirectScratch(const Int8Traits& t, const Int8ConvArgs& c, int threads) {
    ScratchPieces all(c.scratch);
    const int64_t rows = pixel_pieces(t, c).size;
    const Image whole(c);
    apart = whole.copied && threads > 1 && copy_ns(whole) < kLeastSharedNs;
    step = all.take<int64_t>(c.groups * Lines(c).depth(c));
    at = all.take_each<int64_t>(threads, rows);
    acc = all.take_each<int32_t>(threads, rows * t.width);
    bias = all.take<int32_t>(panels(t, c) * t.width);
    held = all.take_each<int64_t>(threads, 1);
    image = all.take_each<uint8_t>(apart ? threads : 1, whole.bytes());
    bytes = all.used();
  }
};

void direct_conv(Team& team, const Int8Table& table, const Int8ConvArgs& c) {
  const Int8Traits t = table.traits.fn();
  const DirectScratch scratch(t, c, team.threads());
  const Image image(c);
  const Lines line(c);
  const int64_t depth = line.depth(c), pixels = c.extent[0] * c.extent[1], bytes = panel_bytes(t, c);
  const int64_t channels = c.groups * c.channels, out_blocks = blocks(c.groups * c.out);
  // (x - zx) w = x w - zx w
  const auto* sums = reinterpret_cast<const int32_t*>(c.packed_w + panels(t, c) * bytes);
  const int32_t x_zero = static_cast<uint8_t>(c.x_zero ^ flip(c.x_signed));
  for (int64_t panel = 0; panel < panels(t, c); ++panel) {
    const Filters filters(t, c, panel);
    for (int64_t f = 0; f < t.width; ++f) {
      const int64_t at = panel * t.width + f;
      scratch.bias[at] = (c.bias && f < filters.count ? c.bias[filters.first + f] : 0) - x_zero * sums[at];
    }
  }
  for (int worker = 0; worker < team.threads(); ++worker) *scratch.held.of(worker) = -1;
  int64_t* step = scratch.step;
  for (int64_t group = 0; group < c.groups; ++group)
    for (int64_t ky = 0; ky < c.kernel[0]; ++ky)
      for (int64_t kx = 0; kx < c.kernel[1]; kx += line.taps) {
        const int64_t tap = image.offset(ky * c.dilation[0], kx * c.dilation[1]), channel = group * c.channels;
        int64_t in_group = image.dense ? 0 : channel % image.group;
        int64_t at = tap + in_group + (image.dense ? 0 : channel / image.group * image.plane);
        for (int64_t i = 0; i < line.bytes(); i += 4, at += 4, in_group += 4) {
          if (!image.dense && in_group >= image.group) in_group -= image.group, at += image.plane - image.group;
          *step++ = at;
        }
      }
  const Tiling pieces = pixel_pieces(t, c);
  const double ns = static_cast<double>(pixels * c.groups * c.out) * (0.1 + 0.015 * static_cast<double>(depth));
  for (int64_t n = 0; n < c.batch; ++n) {
    const uint8_t* x = c.x + n * c.in[0] * c.in[1] * (c.x_blocked ? blocks(channels) * kChannelBlock : channels);
    if (image.copied && !scratch.apart)
      copy_image(team, table, c, image, x, scratch.image.of(0)), x = scratch.image.of(0);
    parallel_for(team, panels(t, c) * pieces.count(), ns, [&](int64_t tile, int worker) {
      // Inside a region another one runs inline.
      if (int64_t& held = *scratch.held.of(worker); scratch.apart && held != n)
        copy_image(team, table, c, image, x, scratch.image.of(worker)), held = n;
      const int64_t piece = tile % pieces.count(), panel = tile / pieces.count();
      const int64_t begin = pieces.begin(piece), count = pieces.end(piece) - begin;
      const Filters filters(t, c, panel);
      int64_t* at = scratch.at.of(worker);
      int64_t oy = begin / c.extent[1], ox = begin % c.extent[1],
              next = image.offset(oy * c.stride[0], ox * c.stride[1]);
      const int64_t right = image.offset(0, c.stride[1]);
      for (int64_t p = 0; p < count; ++p, next += right) {
        if (ox++ == c.extent[1]) ox = 1, next = image.offset(++oy * c.stride[0], 0);
        at[p] = next;
      }
      int32_t* acc = scratch.acc.of(worker);
      table.block.fn({.rows = count,
                      .cols = filters.count,
                      .depth = depth,
                      .vectors = c.packed_w + panel * bytes,
                      .row = scratch.apart ? scratch.image.of(worker) : x,
                      .signed_vectors = true,
                      .at = at,
                      .step = scratch.step + panel / group_panels(t, c) * depth,
                      .acc = acc});
      // Panels are blocks, several of them or a half.
      const int64_t to = ((n * out_blocks + filters.first / kChannelBlock) * pixels + begin) * kChannelBlock +
                         filters.first % kChannelBlock;
      Int8Pixels p{.pixels = count,
                   .channels = filters.count,
                   .acc = acc,
                   .acc_row = t.width,
                   .bias = scratch.bias + panel * t.width,
                   .output = c.output.from(filters.first, 0),
                   .sum = c.sum,
                   .y = static_cast<std::byte*>(c.y) + to * c.output.bytes(),
                   .y_block = pixels * kChannelBlock};
      if (p.sum.other) p.sum.other += to;
      table.finish_pixels.fn(p);
    });
  }
}

// --- depthwise: as floats, which hold sums of up to 2^24 exactly; filters are packed as conv.h does. A piece of work
// is some rows of a block of channels.

// Of floats, those that a piece reads should stay in L2.
constexpr int64_t kRegionFloats = 32 << 10;
// Products are below 2^15.
constexpr int64_t kMostTaps = 1 << 9;

Tiling row_pieces(const Int8ConvArgs& c) {
  const int64_t reach = (c.kernel[0] - 1) * c.dilation[0], row = c.in[1] * kChannelBlock;
  const int64_t rows = (kRegionFloats / std::max<int64_t>(1, row) - reach) / c.stride[0];
  return {c.extent[0], std::clamp<int64_t>(rows, 1, c.extent[0])};
}

struct DepthwiseScratch {
  PerWorker<float> in, out;
  float* bias = nullptr;
  size_t bytes = 0;
  DepthwiseScratch(const Int8ConvArgs& c, int threads) {
    ScratchPieces all(c.scratch);
    const int64_t rows = row_pieces(c).size;
    const int64_t in_rows = (rows - 1) * c.stride[0] + (c.kernel[0] - 1) * c.dilation[0] + 1;
    in = all.take_each<float>(threads, in_rows * c.in[1] * kChannelBlock);
    out = all.take_each<float>(threads, rows * c.extent[1] * kChannelBlock);
    bias = all.take<float>(blocks(c.groups) * kChannelBlock);
    bytes = all.used();
  }
};

void pack_depthwise(const Int8ConvArgs& c, const uint8_t* w, float* to) {
  for (int64_t block = 0; block < blocks(c.groups); ++block)
    for (int64_t tap = 0; tap < taps(c); ++tap)
      for (int64_t lane = 0; lane < kChannelBlock; ++lane) {
        const int64_t channel = block * kChannelBlock + lane;
        const uint8_t byte = channel < c.groups ? w[channel * taps(c) + tap] ^ flip(!c.w_signed) : uint8_t{0};
        *to++ = static_cast<int8_t>(byte);
      }
}

void depthwise_conv(Team& team, const Int8Table& table, const ConvTable& conv, const Int8ConvArgs& c) {
  const DepthwiseScratch scratch(c, team.threads());
  for (int64_t f = 0; f < blocks(c.groups) * kChannelBlock; ++f)
    scratch.bias[f] = c.bias && f < c.groups ? static_cast<float>(c.bias[f]) : 0;
  const int32_t x_zero = c.x_signed ? static_cast<int8_t>(c.x_zero) : c.x_zero;
  const Tiling pieces = row_pieces(c);
  const int64_t line = c.in[1] * kChannelBlock, pixels = c.extent[0] * c.extent[1];
  const double ns = static_cast<double>(c.batch * c.groups * pixels) * static_cast<double>(taps(c)) * 0.05;
  parallel_for(team, c.batch * blocks(c.groups) * pieces.count(), ns, [&](int64_t tile, int worker) {
    const int64_t piece = tile % pieces.count(), plane = tile / pieces.count(), block = plane % blocks(c.groups);
    const int64_t begin = pieces.begin(piece), end = pieces.end(piece);
    // The rows that these see.
    const int64_t top = begin * c.stride[0] - c.pad[0];
    const int64_t bottom = (end - 1) * c.stride[0] - c.pad[0] + (c.kernel[0] - 1) * c.dilation[0] + 1;
    const int64_t first = std::clamp<int64_t>(top, 0, c.in[0]), last = std::clamp(bottom, first, c.in[0]);
    float *in = scratch.in.of(worker), *out = scratch.out.of(worker);
    table.dequantise.fn(c.x + (plane * c.in[0] + first) * line, c.x_signed ? Elem::i8 : Elem::u8, (last - first) * line,
                        1, x_zero, in);
    ConvArgs args;
    ConvShape& s = args.shape;
    s.ic = s.oc = s.groups = kChannelBlock;
    for (int d = 0; d < 2; ++d) {
      s.in[d + 1] = c.in[d], s.out[d + 1] = c.extent[d], s.kernel[d + 1] = c.kernel[d];
      s.stride[d + 1] = c.stride[d], s.dilation[d + 1] = c.dilation[d], s.pad[d + 1] = c.pad[d];
    }
    s.in[1] = last - first, s.out[1] = end - begin, s.pad[1] = first - top;
    args.x = in, args.y = out;
    args.w = reinterpret_cast<const float*>(c.packed_w) + block * taps(c) * kChannelBlock;
    args.epilogue.bias = scratch.bias + block * kChannelBlock;
    const ConvPlan plan = conv_plan(ConvAlgorithm::depthwise, s, kChannelBlock);
    for (int64_t i = 0; i < plan.tiles(s); ++i) conv.tile(ConvAlgorithm::depthwise).fn(args, plan, i, 0);
    const int64_t to = (plane * pixels + begin * c.extent[1]) * kChannelBlock;
    Int8Pixels p{.pixels = (end - begin) * c.extent[1],
                 .channels = std::min<int64_t>(kChannelBlock, c.groups - block * kChannelBlock),
                 .floats = out,
                 .acc_row = kChannelBlock,
                 .output = c.output.from(block * kChannelBlock, 0),
                 .sum = c.sum,
                 .y = static_cast<std::byte*>(c.y) + to * c.output.bytes()};
    if (p.sum.other) p.sum.other += to;
    table.finish_pixels.fn(p);
  });
}

// Direct ones find rows by offsets: the kernels with a side of 1.
Int8Table of_direct(Int8Table table) {
  if (table.row_block.fn == nullptr) return table;
  table.traits = table.row_traits, table.block = table.row_block;
  table.begin_blocks = table.end_blocks = {};
  return table;
}

// Squares are faster, but those of short sums are mostly padding, and want another layout than depthwise ones have.
// On a Xeon with AMX, one thread and two, qdq_efficientnet 5.9 and 4.1 to 5.4 and 3.7 ms, qdq_resnet18, whose first
// layer this is, 3.5 and 2.2 to 3.4 and 2.1.
bool prefers_squares(const Int8Table& table, const Int8ConvArgs& c) {
  constexpr int64_t kShortSum = 48, kFirstChannels = 3;
  return table.row_block.fn != nullptr && c.channels > kFirstChannels && taps(c) * c.channels > kShortSum;
}

}  // namespace

const char* int8_conv_refusal(const Int8ConvArgs& c, Int8ConvAlgorithm algorithm) {
  if (algorithm == Int8ConvAlgorithm::gathered) return nullptr;
  if (c.w_zero) return "filters have zero points";
  if (algorithm == Int8ConvAlgorithm::depthwise) {
    const bool depthwise = c.groups > 1 && c.channels == 1 && c.out == 1;
    return !depthwise ? "not one channel to each group" : taps(c) <= kMostTaps ? nullptr : "too many taps";
  }
  // Groups begin at a quad, and end with a block.
  const bool groups = c.groups == 1 || (c.channels % 4 == 0 && c.out % kChannelBlock == 0);
  return groups ? nullptr : "groups are not of whole blocks";
}

Int8ConvAlgorithm int8_conv_preferred(const Int8Table& table, const Int8ConvArgs& c) {
  for (const auto only : {Int8ConvAlgorithm::depthwise, Int8ConvAlgorithm::direct})
    if (int8_conv_refusal(c, only) == nullptr && (only == Int8ConvAlgorithm::depthwise || !prefers_squares(table, c)))
      return only;
  return Int8ConvAlgorithm::gathered;
}

const char* int8_conv_name(const Int8Table& table, const ConvTable& conv, Int8ConvAlgorithm algorithm) {
  return algorithm == Int8ConvAlgorithm::depthwise ? conv.tile(ConvAlgorithm::depthwise).name
         : algorithm == Int8ConvAlgorithm::direct  ? of_direct(table).block.name
                                                   : table.block.name;
}

size_t int8_filter_bytes(const Int8Table& table, const Int8ConvArgs& c) {
  const Int8Traits t = of_direct(table).traits.fn();
  switch (c.algorithm) {
    case Int8ConvAlgorithm::direct:
      return static_cast<size_t>(panels(t, c) * (panel_bytes(t, c) + t.width * 4));
    case Int8ConvAlgorithm::depthwise:
      return static_cast<size_t>(blocks(c.groups) * taps(c) * kChannelBlock) * sizeof(float);
    default:
      return gathered_filter_bytes(table, c);
  }
}

void int8_pack_filters(Team& team, const Int8Table& table, const Int8ConvArgs& c, const uint8_t* w, uint8_t* to) {
  switch (c.algorithm) {
    case Int8ConvAlgorithm::direct:
      return pack_panels(team, of_direct(table).traits.fn(), c, w, to);
    case Int8ConvAlgorithm::depthwise:
      return pack_depthwise(c, w, reinterpret_cast<float*>(to));
    default:
      return gathered_pack(team, table, c, w, to);
  }
}

namespace {

bool gives_nothing(const Int8ConvArgs& c) {
  return c.batch * c.groups * c.out * c.extent[0] * c.extent[1] == 0;
}

}  // namespace

size_t int8_conv_scratch(const Int8Table& table, const Int8ConvArgs& args, int threads) {
  Int8ConvArgs c = args;
  c.scratch = nullptr;
  if (gives_nothing(c)) return 0;
  switch (c.algorithm) {
    case Int8ConvAlgorithm::direct:
      return DirectScratch(of_direct(table).traits.fn(), c, threads).bytes;
    case Int8ConvAlgorithm::depthwise:
      return DepthwiseScratch(c, threads).bytes;
    default:
      return gathered_scratch(table, c, threads);
  }
}

void int8_conv(Team& team, const Int8Table& table, const ConvTable& conv, const Int8ConvArgs& c) {
  if (gives_nothing(c)) return;
  switch (c.algorithm) {
    case Int8ConvAlgorithm::direct:
      return direct_conv(team, of_direct(table), c);
    case Int8ConvAlgorithm::depthwise:
      return depthwise_conv(team, table, conv, c);
    default:
      return gathered_conv(team, table, c);
  }
}

namespace {

template <bool kToBlocked>
void reorder(Team& team, const Int8Table& table, const uint8_t* x, int64_t n, int64_t c, int64_t pixels, uint8_t* y) {
  const int64_t count = blocks(c), block_bytes = pixels * kChannelBlock;
  const auto fn = kToBlocked ? table.to_blocked.fn : table.to_plain.fn;
  parallel_for(team, n * count, static_cast<double>(n * c * pixels) * 0.1, [&](int64_t tile, int) {
    const int64_t image = tile / count, block = tile % count;
    const int64_t plain = (image * c + block * kChannelBlock) * pixels;
    const int channels = static_cast<int>(std::min<int64_t>(kChannelBlock, c - block * kChannelBlock));
    fn(x + (kToBlocked ? plain : tile * block_bytes), pixels, channels, pixels,
       y + (kToBlocked ? tile * block_bytes : plain));
  });
}

}  // namespace

void to_blocked(Team& team, const Int8Table& table, const uint8_t* x, int64_t n, int64_t c, int64_t pixels,
                uint8_t* y) {
  reorder<true>(team, table, x, n, c, pixels, y);
}

void to_plain(Team& team, const Int8Table& table, const uint8_t* x, int64_t n, int64_t c, int64_t pixels, uint8_t* y) {
  reorder<false>(team, table, x, n, c, pixels, y);
}

}  // namespace tc::kernels
