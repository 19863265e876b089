// Direct convolution into NCHW16c: register tiles of output pixels x channel blocks, over a table of taps that serves
// strides, dilations and transposed convolutions alike. A row of pixels leaves out the taps above and below the image,
// a tile those beside it. Regions that touch the padding left or right are copied with their zeros into the worker's
// scratch, a few parts in a thousand of the arithmetic, so that the rest of a tile knows no borders.
#include "tc/kernels/conv/algorithms_tier.h"

#include <cstring>
#include <utility>

#include "tc/kernels/gemm/micro_tier.h"

namespace tc::kernels {
namespace {

struct Tap {
  int64_t in, w;
};

// Weights that are read next, asked for a few cache lines at a time while there is arithmetic to hide their way behind:
// `streams` of `size` lines each, `stride` floats apart.
struct Ahead {
  const float* stream = nullptr;
  int64_t streams = 0, stride = 0, size = 0;
  int64_t line = 0;   // of the first stream
  int64_t lines = 0;  // at a time

  TC_INLINE void touch() {
    for (int64_t i = 0; i < lines && streams > 0; ++i) {
      __builtin_prefetch(stream + line * kChannelBlock, 0, 2);
      if (++line < size) continue;
      line = 0;
      stream += stride;
      --streams;
    }
  }
};

// A part of the table of taps.
struct Taps {
  const Tap* table;
  int64_t line;  // taps of a row of the table
  int64_t row0, row1, col0, col1;

  int64_t count() const { return (row1 - row0) * (col1 - col0); }
};

// What one tile of registers sums: blocks x taps x steps of K, or single steps at each of the taps (flat).
struct Sum {
  Taps taps;
  int64_t in_block;
  int64_t blocks;
  int64_t steps, last_steps;  // of K in a block, and in the last one
  int64_t pixel;              // floats between output columns' inputs
  int64_t a_cs;               // floats between steps
  const float* w;
  int64_t w_in_block, w_out_block;
};

constexpr int kBlockVecs = kChannelBlock / kVecFloats;

template <int R, int NV, bool kFlat>
void tile(const Sum& s, const float* in, Ahead& ahead, const Epilogue& e, const TileOut& out) {
  Tile<R, NV> t;
  t.zero();
  fetch_outputs<R, NV>(out);
  if constexpr (kFlat) {
    const float* w = s.w;
    for (int64_t row = s.taps.row0; row < s.taps.row1; ++row) {
      const Tap* line = s.taps.table + row * s.taps.line;
      for (const Tap* q = line + s.taps.col0; q != line + s.taps.col1; ++q)
        t.step(in + q->in, s.pixel, w + q->w, s.w_out_block);
    }
    t.finish(e, out);
    return;
  }
  const float* w_block = s.w;
  for (int64_t b = 0; b < s.blocks; ++b, in += s.in_block, w_block += s.w_in_block) {
    const int64_t steps = b + 1 == s.blocks ? s.last_steps : s.steps;
    for (int64_t row = s.taps.row0; row < s.taps.row1; ++row) {
      for (int64_t col = s.taps.col0; col < s.taps.col1; ++col) {
        const Tap& tap = s.taps.table[row * s.taps.line + col];
        const float* a = in + tap.in;
        const float* w = w_block + tap.w;
        ahead.touch();
        for (int64_t p = 0; p < steps; ++p, a += s.a_cs, w += kChannelBlock) t.step(a, s.pixel, w, s.w_out_block);
      }
    }
  }
  t.finish(e, out);
}

using TileFn = void (*)(const Sum&, const float*, Ahead&, const Epilogue&, const TileOut&);

// Output blocks of one pass.
constexpr int kGroup = kPanelVecs / kBlockVecs;

template <int NV, bool kFlat, int... R>
TileFn tile_of(int rows, std::integer_sequence<int, R...>) {
  static constexpr TileFn kByRows[] = {tile<R + 1, NV, kFlat>...};
  return kByRows[rows - 1];
}
template <int NV>
TileFn tile_of(int rows, bool flat) {
  constexpr std::make_integer_sequence<int, kMaxRows[NV]> all;
  return flat ? tile_of<NV, true>(rows, all) : tile_of<NV, false>(rows, all);
}

TileFn tile_of(int blocks, int rows, bool flat) {
#if defined(__AVX512F__)
  switch (blocks) {
    case 1:
      return tile_of<1>(rows, flat);
    case 2:
      return tile_of<2>(rows, flat);
    case 3:
      return tile_of<3>(rows, flat);
    default:
      return tile_of<4>(rows, flat);
  }
#else
  (void)blocks;
  return tile_of<kBlockVecs>(rows, flat);
#endif
}

TC_INLINE int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}
TC_INLINE int64_t most(int64_t a, int64_t b) {
  return a > b ? a : b;
}
TC_INLINE int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

// One axis of a phase: which input offset each kernel index reads, if any.
struct Axis {
  int64_t step = 1;     // between outputs of the phase
  int64_t in_step = 1;  // between their inputs
  int64_t first = 0;    // the phase's first output
  int64_t pad, dilation, kernel, stride;
  int64_t extent;  // of the input
  bool transposed;
  int64_t from = 0, to = 0;   // kernel indices that meet the image
  int64_t low = 0, high = 0;  // the least and greatest of their offsets
  int64_t count = 0;          // of the kernel indices between that the phase has

  // Whether kernel index k reads the image for some output [o0, o1) of the phase.
  TC_INLINE bool meets(int64_t k, int64_t o0, int64_t o1) const {
    int64_t at;
    return offset(k, &at) && o0 * in_step + at < extent && (o1 - 1) * in_step + at >= 0;
  }
  // Leaves out what lies in the padding for all outputs [o0, o1) of the phase: two thirds of 3x3 on an image of one
  // row.
  TC_INLINE void trim(int64_t o0, int64_t o1) {
    from = 0, to = kernel;
    while (from < to && !meets(from, o0, o1)) ++from;
    while (from < to && !meets(to - 1, o0, o1)) --to;
    count = 0;
    for (int64_t k = from; k < to; ++k) {
      int64_t at;
      if (!offset(k, &at)) continue;
      low = count == 0 ? at : least(low, at);
      high = count == 0 ? at : most(high, at);
      ++count;
    }
  }
  // Of the `count` kernel indices the run [i0, i1) that reads the image for outputs [o0, o1).
  TC_INLINE void run(int64_t o0, int64_t o1, int64_t* i0, int64_t* i1) const {
    *i0 = 0, *i1 = count;
    if (o0 * in_step + low >= 0 && (o1 - 1) * in_step + high < extent) return;
    *i1 = 0;
    int64_t i = 0;
    bool found = false;
    for (int64_t k = from; k < to; ++k) {
      int64_t at;
      if (!offset(k, &at)) continue;
      if (meets(k, o0, o1)) {
        if (!found) *i0 = i;
        found = true;
        *i1 = i + 1;
      }
      ++i;
    }
  }
  TC_INLINE bool offset(int64_t k, int64_t* at) const {
    if (k < from || k >= to) return false;
    if (!transposed) {
      *at = k * dilation - pad;
      return true;
    }
    const int64_t t = first + pad - k * dilation;
    if (t % stride != 0) return false;
    *at = t / stride;
    return true;
  }
};

Axis axis_of(const ConvShape& s, int axis, int64_t phase, int64_t extent) {
  Axis out;
  out.extent = extent;
  out.pad = s.pad[axis];
  out.dilation = s.dilation[axis];
  out.kernel = s.kernel[axis];
  out.stride = s.stride[axis];
  out.transposed = s.transposed;
  out.step = s.transposed ? s.stride[axis] : 1;
  out.in_step = s.transposed ? 1 : s.stride[axis];
  out.first = phase;
  return out;
}

// Rows of `planes` input planes, whose pixels are `unit` floats, with zeros where they leave the image.
void copy_rows(const float* x, int64_t planes, int64_t plane, int64_t rows, int64_t width, int64_t unit, int64_t x0,
               int64_t cols, float* dst) {
  const int64_t left = least(cols, most(0, -x0));
  const int64_t right = most(left, least(cols, width - x0));
  for (int64_t p = 0; p < planes; ++p) {
    for (int64_t r = 0; r < rows; ++r, dst += cols * unit) {
      std::memset(dst, 0, static_cast<size_t>(left * unit) * sizeof(float));
      std::memcpy(dst + left * unit, x + p * plane + (r * width + x0 + left) * unit,
                  static_cast<size_t>((right - left) * unit) * sizeof(float));
      std::memset(dst + right * unit, 0, static_cast<size_t>((cols - right) * unit) * sizeof(float));
    }
  }
}

struct Job {
  const ConvArgs* args;
  const ConvPlan* plan;
  bool plain, flat;
  int64_t image, group;
  int64_t region;                            // its number, for the scratch's head
  int64_t depth, height, width;              // of the input
  int64_t out_depth, out_height, out_width;  // of the output; pointwise ones are one row
  int64_t in_blocks, block_steps;            // of this group
  int64_t oc_blocks;                         // of all groups
  int64_t plane;                             // of a phase, and its part
  int64_t row0, row1, col0, col1;
  int64_t block0, block1;  // of this group's output
  float* scratch;
};

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
// chunk's, or the next tile's.
Ahead weights_ahead(const Job& j, const Sum& sum, int64_t b0, int64_t b1, int64_t block, bool last_pass) {
  Ahead a;
  const ConvShape& s = j.args->shape;
  const int64_t group_blocks = ceil_div(s.oc / s.groups, kChannelBlock);
  if (last_pass) {
    b0 = b1 < j.in_blocks ? b1 : 0;
    block = b1 < j.in_blocks ? j.block0 : j.block1;
  }
  if (block >= group_blocks || s.transposed || j.flat) return a;
  a.stream = j.args->w + (j.group * group_blocks + block) * sum.w_out_block + b0 * sum.w_in_block;
  a.streams = least(kGroup, group_blocks - block);
  a.stride = sum.w_out_block;
  a.size = least(sum.blocks, j.in_blocks - b0) * sum.w_in_block / kChannelBlock;
  return a;
}

void run_phase(const Job& j, Axis az, Axis ay, Axis ax) {
  const ConvArgs& args = *j.args;
  const ConvShape& s = args.shape;
  const ConvPlan& p = *j.plan;
  const Epilogue& e = args.epilogue;
  const int64_t out_z = j.plane * az.step + az.first;
  const int64_t rows = least(j.row1, ceil_div(j.out_height - ay.first, ay.step)) - j.row0;
  const int64_t cols = least(j.col1, ceil_div(j.out_width - ax.first, ax.step)) - j.col0;
  if (out_z >= j.out_depth || rows <= 0 || cols <= 0) return;
  az.trim(j.plane, j.plane + 1);
  ay.trim(j.row0, j.row0 + rows);
  ax.trim(j.col0, j.col0 + cols);

  const bool any = az.count > 0 && ay.count > 0 && ax.count > 0;
  const int64_t unit = j.plain ? 1 : kChannelBlock;
  // What the tile reads: the planes and rows inside the image, and columns that may lie beside it.
  const int64_t z0 = j.plane * az.in_step + az.low;
  const int64_t y0 = most(0, j.row0 * ay.in_step + ay.low);
  const int64_t x0 = j.col0 * ax.in_step + ax.low;
  const int64_t in_planes = az.high - az.low + 1;
  const int64_t in_rows = least(j.height, (j.row0 + rows - 1) * ay.in_step + ay.high + 1) - y0;
  const int64_t in_cols = (cols - 1) * ax.in_step + ax.high - ax.low + 1;
  const bool copies = any && (x0 < 0 || x0 + in_cols > j.width);
  const int64_t image_plane = j.height * j.width * unit;
  const int64_t line = (copies ? in_cols : j.width) * unit;
  const int64_t plane = copies ? in_rows * line : image_plane;
  const int64_t block = (copies ? in_planes : j.depth) * plane;  // or a channel, of plain ones

  // A row of the table to each vertical tap and plane.
  Tap* taps = reinterpret_cast<Tap*>(j.scratch + kScratchHead);
  const int64_t steps_in_table = j.flat ? j.block_steps : 1;
  for (int64_t ky = 0, count = 0; any && ky < s.kernel[1]; ++ky) {
    int64_t dz, dy, dx;
    if (!ay.offset(ky, &dy)) continue;
    for (int64_t kz = 0; kz < s.kernel[0]; ++kz) {
      if (!az.offset(kz, &dz)) continue;
      for (int64_t kx = 0; kx < s.kernel[2]; ++kx) {
        if (!ax.offset(kx, &dx)) continue;
        const int64_t in = (dz - az.low) * plane + dy * line + (dx - ax.low) * unit;
        const int64_t w = ((kz * s.kernel[1] + ky) * s.kernel[2] + kx) * j.block_steps * kChannelBlock;
        for (int64_t step = 0; step < steps_in_table; ++step)
          taps[count++] = {in + step * block, w + step * kChannelBlock};
      }
    }
  }
  Sum sum;
  sum.taps.table = taps;
  sum.taps.line = ax.count * steps_in_table;
  const auto row_of_taps = [&](int64_t y) {
    ay.run(j.row0 + y, j.row0 + y + 1, &sum.taps.row0, &sum.taps.row1);
    sum.taps.row0 *= az.count, sum.taps.row1 *= az.count;
  };
  const auto cols_of_taps = [&](int64_t c0, int64_t c1) {
    ax.run(j.col0 + c0, j.col0 + c1, &sum.taps.col0, &sum.taps.col1);
    sum.taps.col0 *= steps_in_table, sum.taps.col1 *= steps_in_table;
  };
  const int64_t kernel_taps = s.kernel[0] * s.kernel[1] * s.kernel[2];
  sum.in_block = block;
  sum.steps = j.block_steps;
  sum.pixel = ax.in_step * unit;
  sum.a_cs = j.plain ? block : 1;
  sum.w_in_block = kernel_taps * j.block_steps * kChannelBlock;
  sum.w_out_block = j.in_blocks * sum.w_in_block;

  const int64_t planes_per_block = j.plain ? s.ic : 1;
  const int64_t image_block = j.depth * image_plane;
  const float* image = args.x + (j.image * s.groups + j.group) * j.in_blocks * planes_per_block * image_block +
                       z0 * image_plane + y0 * j.width * unit;
  const int64_t out_plane = j.out_height * j.out_width * kChannelBlock;
  const int64_t group_channels = s.oc / s.groups;
  const int64_t group_blocks = ceil_div(group_channels, kChannelBlock);
  const int64_t in_channels = j.plain ? s.ic : s.ic / s.groups;
  const bool one_phase = az.step == 1 && ay.step == 1 && ax.step == 1;

  int64_t held;
  std::memcpy(&held, j.scratch, sizeof held);
  const bool kept = p.keeps_region && held == j.region;

  TileOut out;
  out.row = out.residual_row = ax.step * kChannelBlock;
  out.block = out.residual_block = j.out_depth * out_plane;
  out.ragged = false;
  for (int64_t b0 = 0; b0 < j.in_blocks; b0 += p.chunk) {
    const int64_t b1 = least(j.in_blocks, b0 + p.chunk);
    sum.blocks = b1 - b0;
    sum.last_steps = b1 == j.in_blocks ? in_channels - (j.in_blocks - 1) * j.block_steps : j.block_steps;
    out.first = b0 == 0;
    out.last = b1 == j.in_blocks;
    const float* in = image;
    if (copies) {
      float* region = j.scratch + kScratchHead + p.tap_floats + (p.keeps_region ? b0 * block : 0);
      if (!kept) {
        for (int64_t q = 0; q < sum.blocks * planes_per_block; ++q)
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
      sum.w = args.w + global_block * sum.w_out_block + b0 * sum.w_in_block;
      out.cols = static_cast<int>(least(count * kChannelBlock, group_channels - out_block * kChannelBlock));
      out.bias = e.bias == nullptr ? nullptr : e.bias + channel;
      out.scale = e.scale == nullptr ? nullptr : e.scale + channel;
      const int most_rows = kMaxRows[static_cast<int>(count) * kBlockVecs];
      const int64_t strips = ceil_div(cols, most_rows);
      const int64_t height = cols / strips;
      const int64_t taller = cols % strips;
      const TileFn full = tile_of(static_cast<int>(count), static_cast<int>(height), j.flat);
      const TileFn fuller = taller == 0 ? full : tile_of(static_cast<int>(count), static_cast<int>(height) + 1, j.flat);
      Ahead ahead;
      // Where most taps lie in the padding, so do the weights.
      const int64_t used = any ? az.count * ay.count * ax.count : 0;
      if (2 * used > kernel_taps) {
        ahead = weights_ahead(j, sum, b0, b1, out_block + count, pass + 1 == passes);
        ahead.lines = ceil_div(ahead.streams * ahead.size, rows * strips * sum.blocks * used);
      }
      for (int64_t y = 0; y < rows; ++y) {
        const int64_t out_y = (j.row0 + y) * ay.step + ay.first;
        const int64_t out_x = j.col0 * ax.step + ax.first;
        const int64_t at = ((j.image * j.oc_blocks + global_block) * j.out_depth + out_z) * out_plane +
                           (out_y * j.out_width + out_x) * kChannelBlock;
        out.c = args.y + at;
        out.residual = e.residual == nullptr ? nullptr : e.residual + at;
        const float* a = in + ((j.row0 + y) * ay.in_step - y0) * line;
        row_of_taps(y);
        for (int64_t strip = 0, col = 0; strip < strips; ++strip) {
          const int64_t width = height + (strip < taller ? 1 : 0);
          cols_of_taps(col, col + width);
          col += width;
          (strip < taller ? fuller : full)(sum, a, ahead, e, out);
          a += width * sum.pixel;
          out.c += width * out.row;
          if (out.residual != nullptr) out.residual += width * out.row;
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
  if (copies && p.keeps_region) std::memcpy(j.scratch, &j.region, sizeof j.region);
}

}  // namespace

void TC_TIER_NAME(conv_direct)(const ConvArgs& args, const ConvPlan& p, int64_t tile_index, int worker) {
  const ConvShape& s = args.shape;
  Job j;
  j.args = &args;
  j.plan = &p;
  j.plain = p.algorithm == ConvAlgorithm::direct_plain;
  j.flat = j.plain && s.ic <= kFlatChannels;
  // Neighbouring tiles share input.
  int64_t t = tile_index;
  const int64_t block_tile = t % p.block_tiles;
  t /= p.block_tiles;
  j.region = t + 1;
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
  const int64_t group_blocks = ceil_div(s.oc / s.groups, kChannelBlock);
  j.oc_blocks = s.groups * group_blocks;
  j.row0 = row_tile * p.row_tile;
  j.row1 = least(p.rows, j.row0 + p.row_tile);
  j.col0 = col_tile * p.col_tile;
  j.col1 = least(p.cols, j.col0 + p.col_tile);
  j.block0 = block_tile * p.block_tile;
  j.block1 = least(group_blocks, j.block0 + p.block_tile);
  j.scratch = args.scratch + worker * ((p.worker_floats + 15) / 16 * 16);
  const int64_t in[] = {j.depth, j.height, j.width};
  const auto axis = [&](int k, int64_t phase) { return axis_of(s, k, phase, in[k]); };
  if (!s.transposed) return run_phase(j, axis(0, 0), axis(1, 0), axis(2, 0));
  for (int64_t pz = 0; pz < s.stride[0]; ++pz) {
    for (int64_t py = 0; py < s.stride[1]; ++py) {
      for (int64_t px = 0; px < s.stride[2]; ++px) run_phase(j, axis(0, pz), axis(1, py), axis(2, px));
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
