// Direct convolution in split bf16: what is to know of it without AMX, on which its tiles run (conv_amx.cc).
// split_plain gathers the taps of a first layer and is pointwise then.
#include <algorithm>

#include "tc/kernels/conv/conv_shapes.h"

namespace tc::kernels {
namespace {

// Of the split algorithm: the bf16 pairs of a tile's input take up to half a megabyte of L2, which machines with AMX
// have two of.
constexpr int64_t kSplitRegionFloats = 128 * 1024;
int64_t split_region_floats(const ConvShape& s, int64_t rows, int64_t cols) {
  return ceil_div(s.ic, kSplitChannels) * split_region(s, rows, cols).block / static_cast<int64_t>(sizeof(float));
}

void plan(ConvPlan& p, const ConvShape& shape, int) {
  const bool pointwise = is_pointwise(shape);
  const ConvShape s = split_forward(shape);
  p.rows = s.out[1];
  p.cols = s.out[2];
  if (pointwise) p.cols *= p.rows, p.rows = 1;
  p.row_tile = p.rows;
  p.col_tile = p.cols;
  p.block_tile = round_up(blocks(s.oc), 2);
  const auto halve = [](int64_t n, int64_t of) { return round_up(ceil_div(n, 2), of); };
  const auto shrink = [&] {
    if (pointwise ? p.col_tile <= 2 * kSplitOutputs : p.row_tile <= 2) return false;
    if (pointwise)
      p.col_tile = halve(p.col_tile, kSplitOutputs);
    else
      p.row_tile = ceil_div(p.row_tile, 2);
    return true;
  };
  while (split_region_floats(s, p.row_tile, p.col_tile) > kSplitRegionFloats && shrink()) {
  }
  const auto count = [&] {
    return s.n * ceil_div(p.rows, p.row_tile) * ceil_div(p.cols, p.col_tile) * ceil_div(blocks(s.oc), p.block_tile);
  };
  // Fewer output channels to a tile: every worker makes bf16 pairs of the region, but no weight is read twice.
  while (count() < kWantedFewTiles && p.block_tile > 4) p.block_tile = halve(p.block_tile, 2);
  while (count() < kWantedFewTiles && shrink()) {
  }
  p.block_tiles = ceil_div(blocks(s.oc), p.block_tile);
  p.tap_floats = round_up(2 * volume(shape.kernel), 16);
  // Strips of 32 lines end beyond the region.
  p.worker_floats = kScratchHead + p.tap_floats + split_region_floats(s, p.row_tile, p.col_tile) + 64 * kChannelBlock;
}

void plan_gathered(ConvPlan& p, const ConvShape& s, int width) {
  plan(p, split_gathered(s), width);
  p.worker_floats += kGatheredPixels * round_up(s.ic * volume(s.kernel), kSplitChannels) + kChannelBlock;
}

// In split bf16 on AMX: how many times as fast as multiply-adds at their peak, and what a number read or written costs
// beside them, and beside those of pointwise ones directly. The share that padding to whole tiles leaves is computed
// too, as is what lies between two rows of the image. Where a processor's other thread belongs to a busy guest, tiles
// take two to three times as long, multiply-adds 1.3 times, from second to second. So the method that loses less in the
// worse case is chosen. A Xeon, one thread, time by this / by Winograd's method, 3x3, quiet and busy: 16 channels of 56
// x 56 1.20 and 1.58, 32 of 28 x 28 1.03 and 1.59, of 112 x 112 0.85 and 1.66, 64 of 28 x 28 0.92 and 1.97, of 56 x 56
// 0.84 and 2.01, of 112 x 112 0.78 and 2.08, 96 of 28 x 28 0.94 and 1.92, 128 of it 0.88 and 1.90, 256 of it 0.94 and
// 2.22, 512 of it 1.01 and 1.99, 192 of 14 x 14 0.33 and 1.02, 256 of it 0.57 and 1.46, 512 of it 0.56 and 1.48, of 7 x
// 7 0.55 and 1.01; / directly, 1x1, quiet: 16 to 64 of 112 x 112 1.21, 32 to 16 of it 1.13, 24 to 72 of 56 x 56 0.92,
// 96 to 24 of it 0.70, 144 to 32 of 28 x 28 0.86, 80 to 200 of 14 x 14 0.41; quiet and busy: 64 to 256 of 56 x 56 0.50
// and 0.73, 256 to 64 of it 0.60 and 0.83, 512 to 1024 of 14 x 14 0.30 and 0.65.
constexpr double kSplitNumber = 18;
constexpr double kSplitPointwiseSpeed = 3.1, kSplitPointwiseNumber = 11;

const char* refuses(ConvAlgorithm, const ConvShape& s) {
  if (!is_flat(s)) return "three axes";
  if (s.groups != 1) return "there are groups";
  // Every remainder of a stride has taps.
  const bool forward = !s.transposed || (volume(s.dilation) == 1 && s.pad[1] >= 0 && s.pad[2] >= 0 &&
                                         s.kernel[1] >= s.stride[1] && s.kernel[2] >= s.stride[2]);
  return forward ? nullptr : "transposed, with outputs that no tap reaches";
}
const char* refuses_gathered(ConvAlgorithm, const ConvShape& s) {
  if (!is_flat(s)) return "three axes";
  if (s.groups != 1) return "there are groups";
  if (s.transposed) return "transposed";
  return s.dilation[2] == 1 ? nullptr : "taps of a row are apart";
}
const char* declines_gathered(ConvAlgorithm, const ConvQuery& q) {
  return is_first_layer(q.shape) ? nullptr : "not a first layer";
}

// Of those with their taps gathered first: what a row of up to 16 taps costs, in multiply-adds. `reordered`: what a
// number of the result costs afterwards. Time
// directly / so, one thread: 3 to 64 channels of 224 x 224 by 7x7 with stride 2 1.48, to 32 0.82, to 192 by 8x8 with
// stride 8 2.30, by 16x16 with stride 16 2.66, to 32 by 3x3 with stride 2 0.64; 3 to 64 of 64 x 64 by 9x9 1.55, 4 to
// 320 of it by 3x3 1.47. The first of them on plain planes / so and reordered, quiet and busy as above 1.15 and 0.85.
constexpr double kGatheredRow = 170, kReordered = 40;
double gathered_cost(const ConvQuery& q, double reordered) {
  const ConvShape& s = q.shape;
  const auto pixels = static_cast<double>(s.n * volume(s.out)), outputs = static_cast<double>(s.oc);
  const auto rows = static_cast<double>(s.ic * s.kernel[1] * ceil_div(s.kernel[2], kChannelBlock));
  // By a margin: large results wait for memory either way.
  return 1.15 * (split_cost(q.kernels, split_gathered(s)) + pixels * (rows * kGatheredRow + outputs * reordered));
}
const char* stays(const ConvQuery& q, ConvAlgorithm) {
  const bool pays = is_first_layer(q.shape) && gathered_cost(q, kReordered) < direct_plain_cost(q);
  return pays ? nullptr : "reorders take longer than it saves";
}

int64_t packed_floats(ConvAlgorithm, const ConvShape& s) {
  return round_up(s.oc, kSplitOutputs) * round_up(s.ic, kSplitChannels) * volume(s.kernel);
}

// A strip of outputs.
int64_t pack_tiles(ConvAlgorithm, const ConvShape& s) {
  return ceil_div(s.oc, kSplitOutputs);
}
void pack(const ConvTable& kernels, ConvAlgorithm a, const ConvShape& s, const float* w, int64_t tile, float* dst) {
  kernels.split_pack.fn(s, a, w, tile, dst);
}

}  // namespace

ConvShape split_forward(const ConvShape& s) {
  ConvShape forward = s;
  if (!s.transposed) return forward;
  forward.transposed = false;
  for (int i = 1; i < 3; ++i) {
    forward.kernel[i] = ceil_div(s.kernel[i], s.stride[i]);
    forward.stride[i] = 1;
    forward.pad[i] = forward.kernel[i] - 1;
    forward.out[i] = (s.out[i] - 1 + s.pad[i]) / s.stride[i] + 1;
  }
  return forward;
}

ConvShape split_gathered(const ConvShape& s) {
  ConvShape pointwise;
  pointwise.n = s.n;
  pointwise.ic = s.ic * volume(s.kernel);
  pointwise.oc = s.oc;
  std::copy(std::begin(s.out), std::end(s.out), std::begin(pointwise.in));
  std::copy(std::begin(s.out), std::end(s.out), std::begin(pointwise.out));
  return pointwise;
}

SplitRegion split_region(const ConvShape& s, int64_t rows, int64_t cols) {
  constexpr int64_t kLine = 64;
  const auto beyond = [&](int axis) { return (s.kernel[axis] - 1) * s.dilation[axis] / s.stride[axis]; };
  SplitRegion r;
  r.rows = rows + beyond(1);
  r.cols = cols + beyond(2);
  for (int i = 0; i < 2; ++i) r.phases[i] = s.kernel[1 + i] == 1 ? 1 : s.stride[1 + i];
  r.plane = r.rows * r.cols * kLine;
  // A few lines more, so that planes of a power of two do not meet in the same sets of a cache.
  r.low = r.phases[0] * r.phases[1] * r.plane + 4 * kLine;
  r.block = 2 * r.low;
  return r;
}

double split_cost(const ConvTable& kernels, const ConvShape& s) {
  const bool pointwise = is_pointwise(s);
  const auto padded =
      static_cast<double>(volume(s.kernel) * round_up(s.ic, kSplitChannels) * round_up(s.oc, kChannelBlock));
  const ConvShape forward = split_forward(s);
  const int64_t cols = pointwise ? s.out[2] : split_region(forward, 1, forward.out[2]).cols;
  const auto pixels = static_cast<double>(round_up(s.n * forward.out[1] * cols, kChannelBlock));
  const int64_t read = s.ic * std::min(volume(s.in), volume(s.out) * volume(s.kernel)), written = s.oc * volume(s.out);
  return padded * pixels / (pointwise ? kSplitPointwiseSpeed : kSplitSpeed) + weight_cost(kernels, padded) +
         (pointwise ? kSplitPointwiseNumber : kSplitNumber) * static_cast<double>(s.n * (read + written));
}

constexpr ConvRow conv_row_split{
    .refuses = refuses,
    .declines = declines_blocked,
    .cost = [](ConvAlgorithm, const ConvQuery& q) { return split_cost(q.kernels, q.shape); },
    .plan = plan,
    .packed_floats = packed_floats,
    .pack_tiles = pack_tiles,
    .pack = pack,
    .ns_per_flop = kNsPerSplitFlop,
    .constant_weights = true};
constexpr ConvRow conv_row_split_plain{
    .refuses = refuses_gathered,
    .declines = declines_gathered,
    .cost = [](ConvAlgorithm, const ConvQuery& q) { return gathered_cost(q, 0); },
    .plan = plan_gathered,
    .packed_floats = [](ConvAlgorithm a, const ConvShape& s) { return packed_floats(a, split_gathered(s)); },
    .pack_tiles = pack_tiles,
    .pack = pack,
    .ns_per_flop = kNsPerSplitFlop,
    .stays = stays,
    .constant_weights = true};

}  // namespace tc::kernels
