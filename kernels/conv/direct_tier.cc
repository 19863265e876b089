// Direct convolution into NCHW16c: register tiles of output pixels x channel blocks, over a table of taps that serves
// strides, dilations and transposed convolutions alike. A row of pixels leaves out the taps above and below the image,
// a tile those beside it. Regions that touch the padding left or right are copied with their zeros into the worker's
// scratch, a few parts in a thousand of the arithmetic, so that the rest of a tile knows no borders.
#include "tc/kernels/conv/algorithms_tier.h"

#include "tc/kernels/conv/direct_tiles_tier.h"
#include "tc/kernels/conv/held_tier.h"
#include "tc/kernels/conv/rows_tier.h"

namespace tc::kernels {
namespace {

// One axis of a phase: its outputs, and the kernel indices that they have. The i-th of these reads the input at
// i * apart + at from where the output's own place is.
struct Axis {
  int64_t step = 1;     // between outputs of the phase
  int64_t in_step = 1;  // between their inputs
  int64_t first = 0;    // the phase's first output
  int64_t extent = 0;   // of the input
  int64_t taps = 0, at = 0, apart = 1;
  int64_t from = 0, to = 0;   // those that meet the image
  int64_t low = 0, high = 0;  // the least and greatest of their offsets

  TC_INLINE int64_t count() const { return to - from; }
  TC_INLINE int64_t offset(int64_t i) const { return at + i * apart; }
  // Whether tap i reads the image for some output [o0, o1) of the phase.
  TC_INLINE bool meets(int64_t i, int64_t o0, int64_t o1) const {
    return o0 * in_step + offset(i) < extent && (o1 - 1) * in_step + offset(i) >= 0;
  }
  // Leaves out what lies in the padding for all outputs [o0, o1) of the phase: two thirds of 3x3 on an image of one
  // row.
  TC_INLINE void trim(int64_t o0, int64_t o1) {
    from = 0, to = taps;
    while (from < to && !meets(from, o0, o1)) ++from;
    while (from < to && !meets(to - 1, o0, o1)) --to;
    if (from == to) return;
    low = least(offset(from), offset(to - 1));
    high = most(offset(from), offset(to - 1));
  }
  // Whether output o sees the image with all of them.
  TC_INLINE bool inside(int64_t o) const { return o * in_step + low >= 0 && o * in_step + high < extent; }
  // Whether each of them reads the image for some output [o0, o1).
  TC_INLINE bool all_meet(int64_t o0, int64_t o1) const { return meets(from, o0, o1) && meets(to - 1, o0, o1); }
  // Of them the run [i0, i1), counted from the first, that reads the image for outputs [o0, o1).
  TC_INLINE void run(int64_t o0, int64_t o1, int64_t* i0, int64_t* i1) const {
    int64_t first_met = from, end = to;
    if (!inside(o0) || !inside(o1 - 1)) {
      while (first_met < end && !meets(first_met, o0, o1)) ++first_met;
      while (first_met < end && !meets(end - 1, o0, o1)) --end;
    }
    *i0 = first_met - from, *i1 = end - from;
  }
};

// Of transposed ones the outputs that see kernel indices whose offsets leave this remainder of the stride.
Axis axis_of(const ConvShape& s, int axis, int64_t remainder, int64_t extent) {
  const int64_t stride = s.stride[axis], dilation = s.dilation[axis], kernel = s.kernel[axis];
  Axis out;
  out.extent = extent;
  if (!s.transposed) {
    out.in_step = stride;
    out.taps = kernel, out.at = -s.pad[axis], out.apart = dilation;
    return out;
  }
  out.step = stride;
  out.first = (remainder + stride - s.pad[axis] % stride) % stride;
  const int64_t reached = out.first + s.pad[axis];
  int64_t k = 0, every = 1;
  while (k < kernel && k < stride && (reached - k * dilation) % stride != 0) ++k;
  while (every * dilation % stride != 0) ++every;
  if (k >= kernel || k >= stride) return out;
  out.taps = ceil_div(kernel - k, every), out.at = (reached - k * dilation) / stride;
  out.apart = -(every * dilation / stride);
  return out;
}

struct Job {
  const ConvArgs* args;
  const ConvPlan* plan;
  ConvShape shape;  // with groups of whole blocks
  bool plain, flat, few, lanes;
  int64_t image, group;
  int64_t region;                            // its number, for the scratch's head
  int64_t depth, height, width;              // of the input
  int64_t out_depth, out_height, out_width;  // of the output; pointwise ones are one row
  int64_t in_blocks, block_steps;            // of this group
  int64_t tap_weights;                       // of one tap, input and output block
  int64_t taps_before = 0;                   // of the phases before this one
  bool last_phase = true;
  int64_t oc_blocks;  // of all groups
  int64_t plane;      // of a phase, and its part
  int64_t row0, row1, col0, col1;
  int64_t block0, block1;  // of this group's output
  int64_t onward;          // where the worker goes on
  float* scratch;
};

// Whether the pixels that a tile of 1x1 reads at a distance are copied side by side first. Where they lie, blocks of
// channels a power of two apart meet in one set of the cache: 256 to 512 channels of 56 x 56 with stride 2 on Zen 3,
// one thread and two, 5.2 and 2.7 to 4.1 and 2.3 ms.
constexpr bool kGathersPixels = kPanelRunsSteps;

// Taps of a row that make up for the start of a sum, and pixels of which there are several tiles. A Xeon with AVX-512,
// 1 to 257 channels of 16000 by 512 with stride 160: 0.192 to 0.157 ms; 1 to 258 of 640 by 256 with stride 128, four
// pixels, 76 and 61 GFLOP/s; by 9x9 and 11x11 the same.
constexpr int64_t kLeastRun = 32, kLeastRunPixels = 16;

void gather_pixels(const float* from, int64_t rows, int64_t row, int64_t cols, int64_t pixel, float* to) {
  for (int64_t y = 0; y < rows; ++y, from += row) {
    for (int64_t x = 0; x < cols; ++x, to += kChannelBlock) Block16::load(from + x * pixel).store(to);
  }
}

void strip_rows(const Job& j, int64_t block, int64_t z, int64_t y0, int64_t y1, int64_t x0, int64_t x1) {
  const Epilogue& e = j.args->epilogue;
  const int64_t row = j.image * j.oc_blocks + block;
  const int64_t line = j.out_width * kChannelBlock;
  const int64_t plane = z * j.out_height * line;
  float* y = j.args->y + row * j.out_depth * j.out_height * line;
  if (x0 == 0 && x1 == j.out_width) {
    const int64_t from = plane + y0 * line, count = (y1 - y0) * line;
    e.strip(e.context, y + from, 1, count, count, row, from);
    return;
  }
  for (; y0 < y1; ++y0) {
    const int64_t from = plane + y0 * line + x0 * kChannelBlock, count = (x1 - x0) * kChannelBlock;
    e.strip(e.context, y + from, 1, count, count, row, from);
  }
}

// The weights after those of output blocks up to `block` and input blocks [b0, b1): the next pass's, or the next
// chunk's or phase's, or the next tile's.
Ahead weights_ahead(const Job& j, const Sum& sum, const float* weights, int64_t b0, int64_t b1, int64_t block,
                    bool last_pass) {
  Ahead a;
  const ConvShape& s = j.shape;
  const int64_t group_blocks = ceil_div(s.oc / s.groups, kChannelBlock);
  if (last_pass && b1 < j.in_blocks) {
    b0 = b1, block = j.block0;
  } else if (last_pass) {
    b0 = 0, block = j.last_phase ? j.onward : j.block0;
    weights = j.last_phase ? j.args->w : weights + j.in_blocks * sum.w_in_block;
  }
  if (block < 0 || block >= group_blocks || j.flat || j.few || j.lanes) return a;
  a.at = weights + (j.group * group_blocks + block) * sum.w_out_block + b0 * sum.w_in_block;
  a.streams = least(kGroup, group_blocks - block);
  a.stride = sum.w_out_block;
  a.size = least(sum.blocks, j.in_blocks - b0) * sum.w_in_block / kChannelBlock;
  return a;
}

void run_phase(const Job& j, Axis az, Axis ay, Axis ax) {
  const ConvArgs& args = *j.args;
  const ConvShape& s = j.shape;
  const ConvPlan& p = *j.plan;
  const Epilogue& e = args.epilogue;
  const int64_t out_z = j.plane * az.step + az.first;
  const int64_t rows = least(j.row1, ceil_div(j.out_height - ay.first, ay.step)) - j.row0;
  const int64_t cols = least(j.col1, ceil_div(j.out_width - ax.first, ax.step)) - j.col0;
  if (out_z >= j.out_depth || rows <= 0 || cols <= 0) return;
  az.trim(j.plane, j.plane + 1);
  ay.trim(j.row0, j.row0 + rows);
  ax.trim(j.col0, j.col0 + cols);

  const bool any = az.count() > 0 && ay.count() > 0 && ax.count() > 0;
  const int64_t unit = j.plain ? 1 : kChannelBlock;
  // What the tile reads: the planes and rows inside the image, and columns that may lie beside it.
  const int64_t z0 = j.plane * az.in_step + az.low;
  const int64_t y0 = most(0, j.row0 * ay.in_step + ay.low);
  const int64_t x0 = j.col0 * ax.in_step + ax.low;
  const int64_t in_planes = az.high - az.low + 1;
  const int64_t in_rows = least(j.height, (j.row0 + rows - 1) * ay.in_step + ay.high + 1) - y0;
  const int64_t in_cols = (cols - 1) * ax.in_step + ax.high - ax.low + 1;
  const int64_t kernel_taps = s.kernel[0] * s.kernel[1] * s.kernel[2];
  const bool one_phase = az.step == 1 && ay.step == 1 && ax.step == 1;
  const bool beside = x0 < 0 || x0 + in_cols > j.width;
  const bool all_inside = !beside && ay.low == 0 && in_rows == (rows - 1) * ay.in_step + 1;
  const bool gathers =
      kGathersPixels && any && !j.plain && one_phase && kernel_taps == 1 && ax.in_step > 1 && all_inside;
  const bool copies = gathers || (any && beside);
  const int64_t image_plane = j.height * j.width * unit;
  // Of what is copied, every so many rows and columns.
  const int64_t row_step = gathers ? ay.in_step : 1, col_step = gathers ? ax.in_step : 1;
  const int64_t line = (copies ? ceil_div(in_cols, col_step) : j.width) * unit;
  const int64_t plane = copies ? ceil_div(in_rows, row_step) * line : image_plane;
  const int64_t block = (copies ? in_planes : j.depth) * plane;  // or a channel, of plain ones

  // A row of one channel's taps is as the steps of a block, of pixels that may overlap.
  const bool runs = any && j.flat && !j.few && s.ic == 1 && ax.apart == 1 && ax.count() >= kLeastRun &&
                    rows * cols >= kLeastRunPixels;
  // A row of the table to each vertical tap and plane.
  Tap* taps = reinterpret_cast<Tap*>(j.scratch + kScratchHead);
  const int64_t steps_in_table = j.flat ? j.block_steps : 1, cols_in_table = runs ? 1 : ax.count();
  const int64_t phase_taps = az.taps * ay.taps * ax.taps;
  Tap* tap = taps;
  for (int64_t y = ay.from; any && y < ay.to; ++y) {
    for (int64_t z = az.from; z < az.to; ++z) {
      const int64_t row = (az.offset(z) - az.low) * plane + ay.offset(y) * line - ax.low * unit;
      int64_t w = ((z * ay.taps + y) * ax.taps + ax.from) * j.tap_weights;
      for (int64_t x = ax.from; x < ax.from + cols_in_table; ++x, w += j.tap_weights) {
        int64_t in = row + ax.offset(x) * unit;
        for (int64_t step = 0; step < steps_in_table; ++step, in += block) *tap++ = {in, w + step * kChannelBlock};
      }
    }
  }
  // Whether all rows of the table have their weights side by side.
  const bool side_by_side = az.count() == 1 && ax.count() == ax.taps;
  Sum sum;
  // Of the tiles [c0, c1) of row y.
  const auto taps_of = [&](int64_t y, int64_t c0, int64_t c1) {
    int64_t row0, row1, col0, col1;
    ay.run(j.row0 + y, j.row0 + y + 1, &row0, &row1);
    ax.run(j.col0 + c0, j.col0 + c1, &col0, &col1);
    Taps t;
    if (runs) col0 = 0, col1 = 1;
    t.line = cols_in_table * steps_in_table;
    t.rows = (row1 - row0) * az.count();
    t.cols = (col1 - col0) * steps_in_table;
    t.first = taps + row0 * az.count() * t.line + col0 * steps_in_table;
    if (t.rows == 0) t.cols = 0;
    if (t.cols == t.line && (side_by_side || !j.flat)) t.cols *= t.rows, t.rows = 1;
    return t;
  };
  sum.in_block = block;
  sum.steps = runs ? ax.count() : j.block_steps;
  sum.pixel = ax.in_step / col_step * unit;
  sum.a_cs = j.plain ? block : 1;
  sum.out_pixel = ax.step * kChannelBlock;
  sum.w_in_block = phase_taps * j.tap_weights;
  sum.w_out_block = j.in_blocks * kernel_taps * j.tap_weights;
  const float* weights = args.w + j.taps_before * j.in_blocks * j.tap_weights;
  Form form = runs ? Form::spread : j.flat ? Form::flat : j.plain ? Form::plain : Form::spread;
  if (!j.plain && sum.pixel == kChannelBlock && sum.out_pixel == kChannelBlock)
    form = az.count() * ay.count() * ax.count() == 1 && kernel_taps == 1 ? Form::pointwise : Form::dense;

  const int64_t planes_per_block = j.plain ? s.ic : 1;
  const int64_t image_block = j.depth * image_plane;
  const float* image = args.x + (j.image * s.groups + j.group) * j.in_blocks * planes_per_block * image_block +
                       z0 * image_plane + y0 * j.width * unit;
  const int64_t out_plane = j.out_height * j.out_width * kChannelBlock;
  const int64_t group_channels = s.oc / s.groups;
  const int64_t group_blocks = ceil_div(group_channels, kChannelBlock);
  const int64_t in_steps = runs ? sum.steps : j.plain ? s.ic : s.ic / s.groups;

  const bool kept = copies && p.keeps_region && holds(j.scratch, j.region);

  TileOut out;
  out.block = out.residual_block = j.out_depth * out_plane;
  out.ragged = false;
  for (int64_t b0 = 0; b0 < j.in_blocks; b0 += p.chunk) {
    const int64_t b1 = least(j.in_blocks, b0 + p.chunk);
    sum.blocks = b1 - b0;
    sum.last_steps = b1 == j.in_blocks ? in_steps - (j.in_blocks - 1) * sum.steps : sum.steps;
    out.first = b0 == 0;
    out.last = b1 == j.in_blocks;
    const float* in = image;
    if (copies) {
      float* region = j.scratch + kScratchHead + p.tap_floats + (p.keeps_region ? b0 * block : 0);
      if (!kept) {
        for (int64_t q = 0; q < sum.blocks * planes_per_block; ++q)
          if (gathers)
            gather_pixels(image + (b0 + q) * image_block + x0 * unit, rows, ay.in_step * j.width * unit, cols,
                          ax.in_step * unit, region + q * block);
          else
            copy_rows(image + (b0 * planes_per_block + q) * image_block, in_planes, image_plane, in_rows, j.width, unit,
                      x0, in_cols, region + q * block);
      }
      in = region;
    } else if (any) {
      in = image + b0 * image_block + x0 * unit;
    }
    const int64_t passes = ceil_div(j.block1 - j.block0, kGroup);
    for (int64_t pass = 0, out_block = j.block0; pass < passes; ++pass) {
      const int64_t count = ceil_div(j.block1 - out_block, passes - pass);
      const int64_t channel = j.group * group_channels + out_block * kChannelBlock;
      const int64_t global_block = j.group * group_blocks + out_block;
      sum.w = weights + global_block * sum.w_out_block + b0 * sum.w_in_block;
      out.cols = static_cast<int>(
          least(args.shape.oc - channel, least(count * kChannelBlock, group_channels - out_block * kChannelBlock)));
      out.bias = e.bias == nullptr ? nullptr : e.bias + channel;
      out.scale = e.scale == nullptr ? nullptr : e.scale + channel;
      const bool half = !j.lanes && kHalfVecs > 0 && out.cols <= kHalfVecs * kVecFloats;
      const int vecs = half ? kHalfVecs : static_cast<int>(count) * kBlockVecs;
      const Strips strips(cols, j.few ? few_pixels(static_cast<int>(s.oc)) : tile_rows(vecs, cols));
      Ahead ahead;
      // Where most taps lie in the padding, so do the weights; few weights the first tile has brought already.
      const int64_t used = any ? az.count() * ay.count() * ax.count() : 0;
      const bool first_tile = j.plane == 0 && j.row0 == 0 && j.col0 == 0;
      if (2 * used > phase_taps && (first_tile || group_blocks * sum.w_out_block > kKeptWeights)) {
        ahead = weights_ahead(j, sum, weights, b0, b1, out_block + count, pass + 1 == passes);
        const int64_t touches = rows * strips.count * (sum.blocks * used);
        ahead.lines = least(kLinesAtOnce, ceil_div(ahead.streams * ahead.size, touches));
      }
      for (int64_t y = 0; y < rows; ++y) {
        const int64_t out_y = (j.row0 + y) * ay.step + ay.first;
        const int64_t out_x = j.col0 * ax.step + ax.first;
        const int64_t at = ((j.image * j.oc_blocks + global_block) * j.out_depth + out_z) * out_plane +
                           (out_y * j.out_width + out_x) * kChannelBlock;
        const float* a = in + ((j.row0 + y) * ay.in_step - y0) / row_step * line;
        // Tiles that see the same taps run together.
        for (int64_t strip = 0; strip < strips.count;) {
          const int64_t first = strips.begin(strip);
          const int pixels = strips.rows(strip);
          sum.taps = taps_of(y, first, first + pixels);
          const int64_t same_width = strip < strips.taller ? strips.taller : strips.count;
          const auto sees_all = [&](int64_t i) {
            return ax.all_meet(j.col0 + strips.begin(i), j.col0 + strips.begin(i + 1));
          };
          int64_t next = strip + 1;
          if (sees_all(strip)) {
            while (next < same_width && sees_all(next)) ++next;
          }
          out.c = args.y + at + first * sum.out_pixel;
          out.residual = e.residual == nullptr ? nullptr : e.residual + at + first * sum.out_pixel;
          const TilesFn run = j.lanes ? lane_tiles_of(pixels)
                              : j.few ? few_tiles_of(static_cast<int>(s.oc), pixels)
                                      : tiles_of(vecs, pixels, form);
          run(sum, a + first * sum.pixel, next - strip, ahead, e, out);
          strip = next;
        }
      }
      if (out.last && one_phase && e.strip != nullptr) {
        for (int64_t b = 0; b < count; ++b) {
          strip_rows(j, global_block + b, out_z, j.row0, j.row0 + rows, j.col0, j.col0 + cols);
        }
      }
      out_block += count;
    }
  }
}

}  // namespace

void TC_TIER_NAME(conv_direct)(const ConvArgs& args, const ConvPlan& p, int64_t tile_index, int worker) {
  Job j;
  j.shape = conv_grouped(p.algorithm, args.shape);
  const ConvShape& s = j.shape;
  j.args = &args;
  j.plan = &p;
  j.plain = p.algorithm == ConvAlgorithm::direct_plain;
  j.flat = j.plain && s.ic <= kFlatChannels;
  j.few = conv_few_outputs(p.algorithm, args.shape);
  j.lanes = conv_by_lanes(p.algorithm, args.shape);
  // Neighbouring tiles share input.
  int64_t t = tile_index;
  const int64_t block_tile = t % p.block_tiles;
  t /= p.block_tiles;
  j.region = t;
  const int64_t col_tile = t % p.col_tiles;
  t /= p.col_tiles;
  const int64_t row_tile = t % p.row_tiles;
  t /= p.row_tiles;
  j.plane = t % p.planes;
  t /= p.planes;
  j.group = t % s.groups;
  j.image = t / s.groups;
  const auto extents = [&](const int64_t(&from)[3], int64_t* depth, int64_t* height, int64_t* width) {
    *depth = p.one_row ? 1 : from[0], *height = p.one_row ? 1 : from[1];
    *width = p.one_row ? from[0] * from[1] * from[2] : from[2];
  };
  extents(s.in, &j.depth, &j.height, &j.width);
  extents(s.out, &j.out_depth, &j.out_height, &j.out_width);
  j.in_blocks = j.plain ? 1 : ceil_div(s.ic / s.groups, kChannelBlock);
  j.block_steps = j.plain ? s.ic : kChannelBlock;
  j.tap_weights = (j.few ? s.oc : j.lanes ? 1 : j.block_steps) * kChannelBlock;
  const int64_t group_blocks = ceil_div(s.oc / s.groups, kChannelBlock);
  j.oc_blocks = s.groups * group_blocks;
  j.row0 = row_tile * p.row_tile;
  j.row1 = least(p.rows, j.row0 + p.row_tile);
  j.col0 = col_tile * p.col_tile;
  j.col1 = least(p.cols, j.col0 + p.col_tile);
  j.block0 = block_tile * p.block_tile;
  j.block1 = least(group_blocks, j.block0 + p.block_tile);
  // A worker that is not the caller goes down.
  j.onward = worker == 0 ? j.block1 : j.block0 - p.block_tile;
  j.scratch = args.scratch + worker * p.worker_floats_apart();
  const int64_t in[] = {j.depth, j.height, j.width};
  const auto axis = [&](int k, int64_t remainder) { return axis_of(s, k, remainder, in[k]); };
  if (!s.transposed) return run_phase(j, axis(0, 0), axis(1, 0), axis(2, 0));
  for (int64_t rz = 0; rz < s.stride[0]; ++rz) {
    for (int64_t ry = 0; ry < s.stride[1]; ++ry) {
      for (int64_t rx = 0; rx < s.stride[2]; ++rx) {
        const Axis az = axis(0, rz), ay = axis(1, ry), ax = axis(2, rx);
        j.last_phase = rz + 1 == s.stride[0] && ry + 1 == s.stride[1] && rx + 1 == s.stride[2];
        run_phase(j, az, ay, ax);
        j.taps_before += az.taps * ay.taps * ax.taps;
      }
    }
  }
  if (args.epilogue.strip == nullptr || s.stride[0] * s.stride[1] * s.stride[2] == 1) return;
  for (int64_t b = j.block0; b < j.block1; ++b) {
    for (int64_t z = j.plane * s.stride[0]; z < least(s.out[0], (j.plane + 1) * s.stride[0]); ++z)
      strip_rows(j, j.group * group_blocks + b, z, j.row0 * s.stride[1], least(s.out[1], j.row1 * s.stride[1]),
                 j.col0 * s.stride[2], least(s.out[2], j.col1 * s.stride[2]));
  }
}

}  // namespace tc::kernels
