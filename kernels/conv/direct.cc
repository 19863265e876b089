// Direct convolution: see direct_tier.cc for its tiles. direct_plain is the same with one block of all input channels.
#include <algorithm>

#include "tc/kernels/conv/conv_shapes.h"
#include "tc/kernels/conv/taps.h"
#include "tc/kernels/cpu.h"

namespace tc::kernels {
namespace {

// Long pointwise sums do better in pieces whose weights stay in L1: 2048 to 512 channels at 7 x 7 by 7-14 %, 1024 to
// 256 at 14 x 14 by 4-11 %; of up to 512 channels there is no difference.
constexpr int64_t kLongSteps = 1024, kLongChunkSteps = 128;
// So do those of images that are no wider than a tile, which read the weights for a row's few pixels, where L1 holds
// what a tile of one input block has: 512 channels of 3x3 at 7 x 7 with AVX-512 1.79 to 1.63 ms, two threads 0.88 to
// 0.81. Tiles of AVX2 take longer, 2.60 and 2.80.
constexpr int64_t kNarrow = 7;
// Up to this size it is kept for the next tile, which may want it for other output channels. Of a 3x3 convolution of
// 256 channels at 28 x 28 with stride 2, eight tiles, the copies took a fifth of the time.
constexpr int64_t kKeptFloats = 160 * 1024;
// Pointwise tiles read all of their weights for so few pixels that they do better with more of these: 576 to 96
// channels at 14 x 14 in pieces of 25 pixels 91 GFLOP/s, of 49 100, of 98 104.
constexpr int64_t kFewestPointwisePixels = 49;
// Groups of this many output blocks share a pass over the input.
constexpr int64_t kBlockGroup = 4;

// Of these the ones that are read: a kernel smaller than the stride leaves gaps, and a wide one reaches beyond the
// image.
int64_t reads(const ConvShape& s, int axis, int64_t count) {
  return std::min({reach(s, axis, count), s.transposed ? s.in[axis] : count * s.kernel[axis], s.in[axis]});
}

void plan(ConvPlan& p, const ConvShape& given, int width) {
  const ConvShape s = conv_grouped(p.algorithm, given);
  const bool plain = p.algorithm == ConvAlgorithm::direct_plain;
  const auto step = [&](int axis) { return s.transposed ? s.stride[axis] : 1; };
  p.planes = ceil_div(s.out[0], step(0));
  p.rows = ceil_div(s.out[1], step(1));
  p.cols = ceil_div(s.out[2], step(2));
  const bool pointwise = p.one_row = is_pointwise(s);
  if (pointwise) p.cols = volume(s.out), p.rows = p.planes = 1;
  const int64_t taps = volume(s.kernel);
  const int64_t in_blocks = plain ? 1 : blocks(s.ic / s.groups);
  const int64_t block = plain ? s.ic : kChannelBlock;
  const int64_t chunk_steps = pointwise && in_blocks * block >= kLongSteps ? kLongChunkSteps : kChunkSteps;
  const auto block_weights = static_cast<size_t>(taps * block * kBlockGroup * kChannelBlock);
  const bool narrow = !pointwise && !s.transposed && p.cols <= kNarrow && width >= kBlockGroup * kChannelBlock &&
                      block_weights * sizeof(float) <= cpu_info().l1d_bytes;
  p.chunk = narrow ? 1 : std::clamp<int64_t>(ceil_div(chunk_steps, taps * block), 1, in_blocks);
  p.chunk = ceil_div(in_blocks, ceil_div(in_blocks, p.chunk));
  const int64_t chunk_floats = p.chunk * block;
  p.block_tile = blocks(s.oc / s.groups);
  p.row_tile = p.rows;
  p.col_tile = p.cols;
  const auto region = [&] {
    if (pointwise) return p.col_tile * chunk_floats;
    return reads(s, 0, 1) * reads(s, 1, p.row_tile) * reads(s, 2, p.col_tile) * chunk_floats;
  };
  // The phases of a transposed one share its taps.
  const auto flops = [&] {
    return 2.0 * static_cast<double>(p.row_tile * p.col_tile) *
           static_cast<double>(std::min(p.block_tile * kChannelBlock, s.oc)) *
           static_cast<double>(in_blocks * block * taps);
  };
  const auto count = [&] {
    return s.n * s.groups * p.planes * ceil_div(p.rows, p.row_tile) * ceil_div(p.cols, p.col_tile) *
           ceil_div(blocks(s.oc / s.groups), p.block_tile);
  };
  while (region() > kRegionFloats && (p.row_tile > 1 || p.col_tile > 56)) {
    if (p.row_tile > 4 || p.col_tile <= 112) {
      if (p.row_tile == 1) break;
      p.row_tile = ceil_div(p.row_tile, 2);
    } else {
      p.col_tile = ceil_div(p.col_tile, 2);
    }
  }
  const int64_t per_block = kChannelBlock * in_blocks * block * taps;
  const bool few = pointwise || per_block * p.block_tile >= kHeavyWeights;
  const int64_t wanted = few ? kWantedFewTiles : kWantedTiles;
  const int64_t least_cols = pointwise ? 2 * kFewestPointwisePixels : 28;
  while (count() < wanted && flops() > 2 * kLeastTileFlops) {
    // Tiles of fewer output channels read the input anew, tiles of fewer pixels the weights: the smaller of both.
    if (p.block_tile > kBlockGroup && per_block * p.block_tile > region() / p.chunk * in_blocks) {
      p.block_tile = ceil_div(ceil_div(p.block_tile, 2), kBlockGroup) * kBlockGroup;
    } else if (p.row_tile > 4) {
      p.row_tile = ceil_div(p.row_tile, 2);
    } else if (pointwise && p.col_tile > 112) {
      p.col_tile = ceil_div(p.col_tile, 2);
    } else if (p.block_tile > kBlockGroup) {
      p.block_tile = ceil_div(ceil_div(p.block_tile, 2), kBlockGroup) * kBlockGroup;
    } else if (p.row_tile > 1) {
      p.row_tile = ceil_div(p.row_tile, 2);
    } else if (p.col_tile > least_cols) {
      p.col_tile = ceil_div(p.col_tile, 2);
    } else {
      break;
    }
  }
  const int64_t out_blocks = blocks(s.oc / s.groups);
  p.block_tiles = ceil_div(out_blocks, p.block_tile);
  // Of three or five tiles two threads get one more than half. 960 to 320 channels of 7 x 7: 0.170 to 0.148 ms, one
  // thread 0.274 to 0.282.
  if (p.block_tiles > 1 && count() < kWantedFewTiles && count() % 2 == 1) --p.block_tiles;
  p.block_tile = ceil_div(out_blocks, p.block_tiles);
  p.tap_floats = ceil_div(4 * taps * (plain && s.ic <= kFlatChannels ? s.ic : 1), 16) * 16;
  const int64_t region_floats = pointwise
                                    ? 0
                                    : std::min(reach(s, 0, 1), s.in[0]) * std::min(reach(s, 1, p.row_tile), s.in[1]) *
                                          reach(s, 2, p.col_tile) * block;
  p.keeps_region = !s.transposed && region_floats * in_blocks <= kKeptFloats;
  p.worker_floats = p.tap_floats + kScratchHead + region_floats * (p.keeps_region ? in_blocks : p.chunk);
  p.block_tiles = ceil_div(out_blocks, p.block_tile);
}

// One output block: [phase][input block][tap][step][16]; steps are the channels of an input block.
void pack_direct(const ConvShape& s, const float* w, int64_t steps, int64_t group, int64_t o0, float* dst) {
  const int64_t taps = s.kernel[0] * s.kernel[1] * s.kernel[2];
  const int64_t in_channels = s.ic / s.groups, out_channels = s.oc / s.groups;
  for_taps(s, steps, [&](int64_t i0, int64_t tap) {
    for (int64_t i = i0; i < i0 + steps; ++i) {
      for (int64_t o = o0; o < o0 + kChannelBlock; ++o) {
        *dst++ = i < in_channels && o < out_channels ? conv_weight(s, w, group * out_channels + o, i, tap, taps) : 0.0f;
      }
    }
  });
}

void pack_few_outputs(const ConvShape& s, const float* w, float* dst) {
  const int64_t taps = s.kernel[0] * s.kernel[1] * s.kernel[2];
  for_taps(s, kChannelBlock, [&](int64_t i0, int64_t tap) {
    for (int64_t o = 0; o < s.oc; ++o) {
      for (int64_t i = i0; i < i0 + kChannelBlock; ++i) *dst++ = i < s.ic ? conv_weight(s, w, o, i, tap, taps) : 0.0f;
    }
  });
}

const char* refuses(ConvAlgorithm a, const ConvShape& s) {
  if (s.groups == 1 || conv_by_lanes(a, s)) return nullptr;
  const bool whole = s.ic / s.groups % kChannelBlock == 0 && s.oc / s.groups % kChannelBlock == 0;
  return whole ? nullptr : "groups are not of 16 channels";
}
const char* refuses_plain(ConvAlgorithm, const ConvShape& s) {
  return s.groups == 1 ? nullptr : "there are groups";
}

const char* declines(ConvAlgorithm, const ConvQuery& q) {
  return is_first_layer(q.shape) ? "blocks would be mostly padding" : nullptr;
}
const char* declines_plain(ConvAlgorithm, const ConvQuery& q) {
  return is_first_layer(q.shape) ? nullptr : "not a first layer";
}

// Of groups, short sums for few outputs, the share of what direct reaches that it has with them. Zen 3 at 90 GFLOP/s,
// one thread: 32 groups of 16 channels of 14 x 14 directly 0.49, by m = 2 0.41.
constexpr double kGroupsShare = 0.75;
double cost(ConvAlgorithm, const ConvQuery& q) {
  return direct_cost(q.kernels, q.shape) / (q.shape.groups == 1 ? 1 : kGroupsShare);
}

int64_t packed_floats(ConvAlgorithm a, const ConvShape& s) {
  const int64_t taps = volume(s.kernel);
  if (conv_few_outputs(a, s)) return blocks(s.ic) * taps * s.oc * kChannelBlock;
  if (conv_by_lanes(a, s)) return blocks(s.oc) * taps * kChannelBlock;
  return s.groups * blocks(s.oc / s.groups) * blocks(s.ic / s.groups) * taps * kChannelBlock * kChannelBlock;
}
int64_t packed_floats_plain(ConvAlgorithm, const ConvShape& s) {
  return blocks(s.oc) * s.ic * volume(s.kernel) * kChannelBlock;
}

// An output block of a group.
int64_t pack_tiles(ConvAlgorithm a, const ConvShape& s) {
  const ConvShape grouped = conv_grouped(a, s);
  return grouped.groups * blocks(grouped.oc / grouped.groups);
}
int64_t pack_tiles_plain(ConvAlgorithm, const ConvShape& s) {
  return blocks(s.oc);
}

void pack(const ConvTable&, ConvAlgorithm a, const ConvShape& s, const float* w, int64_t tile, float* dst) {
  if (conv_few_outputs(a, s)) return pack_few_outputs(s, w, dst);
  const int64_t taps = volume(s.kernel), group_blocks = blocks(s.oc / s.groups), first = tile * kChannelBlock;
  dst += tile * (packed_floats(a, s) / pack_tiles(a, s));
  if (!conv_by_lanes(a, s))
    return pack_direct(s, w, kChannelBlock, tile / group_blocks, tile % group_blocks * kChannelBlock, dst);
  for_taps(s, 1, [&](int64_t, int64_t tap) {
    for (int64_t c = first; c < first + kChannelBlock; ++c) *dst++ = c < s.oc ? w[c * taps + tap] : 0.0f;
  });
}
void pack_plain(const ConvTable&, ConvAlgorithm a, const ConvShape& s, const float* w, int64_t tile, float* dst) {
  pack_direct(s, w, s.ic, 0, tile * kChannelBlock, dst + tile * (packed_floats_plain(a, s) / pack_tiles_plain(a, s)));
}

// Kernel indices that meet the image for some output, and for how many outputs each does.
struct UsedTaps {
  int64_t taps = 0, pairs = 0;
};
UsedTaps used_taps(const ConvShape& s, int axis) {
  UsedTaps used;
  for (int64_t k = 0; k < s.kernel[axis]; ++k) {
    const int64_t at = k * s.dilation[axis] - s.pad[axis], stride = s.stride[axis];
    const int64_t first = at >= 0 ? 0 : ceil_div(-at, stride);
    const int64_t last = std::min(s.out[axis], ceil_div(s.in[axis] - at, stride));
    if (last <= first) continue;
    ++used.taps;
    used.pairs += last - first;
  }
  return used;
}

}  // namespace

// The share of the peak of transposed ones: 512 to 256 channels of 4 x 4, 256 to 128 of 8 x 8 and 128 to 64 of 16 x 16
// by 4x4 with stride 2, four images, 153, 169 and 172 of 241 GFLOP/s.
constexpr double kTransposedShare = 0.7;
double direct_cost(const ConvTable& kernels, const ConvShape& s) {
  if (s.transposed) {
    const auto weights = static_cast<double>(s.ic / s.groups * s.oc * volume(s.kernel));
    return weights * static_cast<double>(s.n * volume(s.in)) / kTransposedShare + weight_cost(kernels, weights);
  }
  const UsedTaps planes = used_taps(s, 0), rows = used_taps(s, 1), cols = used_taps(s, 2);
  const int64_t channels = s.ic / s.groups * s.oc;
  const auto weights = static_cast<double>(planes.taps * rows.taps * cols.taps * channels);
  // What lies in the padding of a dilated kernel is left out by rows, and by tiles of some columns.
  const bool apart = volume(s.dilation) > 1;
  const int64_t pairs = planes.pairs * (apart ? rows.pairs * cols.pairs : rows.taps * s.out[1] * cols.taps * s.out[2]);
  return static_cast<double>(s.n * channels) * static_cast<double>(pairs) / (apart ? 0.8 : 0.9) +
         weight_cost(kernels, weights);
}

// In multiply-adds, what a number costs that is written.
double direct_plain_cost(const ConvQuery& q) {
  constexpr double kShare = 0.75, kWritten = 11;
  const ConvShape& s = q.shape;
  const auto pixels = static_cast<double>(s.n * volume(s.out)), outputs = static_cast<double>(s.oc);
  const auto weights = outputs * static_cast<double>(s.ic * volume(s.kernel));
  return pixels * (weights / kShare + outputs * kWritten) + weight_cost(q.kernels, weights);
}

constexpr ConvRow conv_row_direct{.refuses = refuses,
                                  .declines = declines,
                                  .cost = cost,
                                  .plan = plan,
                                  .packed_floats = packed_floats,
                                  .pack_tiles = pack_tiles,
                                  .pack = pack,
                                  .ns_per_flop = kNsPerFlop};
constexpr ConvRow conv_row_direct_plain{.refuses = refuses_plain,
                                        .declines = declines_plain,
                                        .cost = [](ConvAlgorithm, const ConvQuery& q) { return direct_plain_cost(q); },
                                        .plan = plan,
                                        .packed_floats = packed_floats_plain,
                                        .pack_tiles = pack_tiles_plain,
                                        .pack = pack_plain,
                                        .ns_per_flop = kNsPerFlop};

}  // namespace tc::kernels
