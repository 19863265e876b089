// Direct convolution into NCHW16c: register tiles of output pixels x channel blocks, over a table of taps that serves
// strides, dilations and transposed convolutions alike. Regions that touch the padding are copied with their zeros into
// the worker's scratch, a few parts in a thousand of the arithmetic, so tiles know no borders.
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

// What one tile of registers sums: blocks x taps x steps of K, or single steps at each of the taps (flat).
struct Sum {
  const Tap* taps;
  int64_t tap_count;
  const float* in;
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
    for (const Tap* q = s.taps; q != s.taps + s.tap_count; ++q) t.step(in + q->in, s.pixel, w + q->w, s.w_out_block);
    t.finish(e, out);
    return;
  }
  const float* w_block = s.w;
  for (int64_t b = 0; b < s.blocks; ++b, in += s.in_block, w_block += s.w_in_block) {
    const int64_t steps = b + 1 == s.blocks ? s.last_steps : s.steps;
    for (int64_t q = 0; q < s.tap_count; ++q) {
      const float* a = in + s.taps[q].in;
      const float* w = w_block + s.taps[q].w;
      ahead.touch();
      for (int64_t p = 0; p < steps; ++p, a += s.a_cs, w += kChannelBlock) t.step(a, s.pixel, w, s.w_out_block);
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
  bool transposed;
  int64_t from = 0, to = 0;  // kernel indices that meet the image

  // Leaves out what lies in the padding for all outputs [o0, o1) of the phase: two thirds of 3x3 on an image of one
  // row.
  TC_INLINE void trim(int64_t o0, int64_t o1, int64_t extent) {
    from = 0, to = kernel;
    const auto outside = [&](int64_t k) {
      int64_t at;
      return !offset(k, &at) || o0 * in_step + at >= extent || (o1 - 1) * in_step + at < 0;
    };
    while (from < to && outside(from)) ++from;
    while (from < to && outside(to - 1)) --to;
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
  // The least and greatest offset; false when the phase has none.
  TC_INLINE bool span(int64_t* low, int64_t* high) const {
    bool found = false;
    for (int64_t k = 0; k < kernel; ++k) {
      int64_t at;
      if (!offset(k, &at)) continue;
      *low = found ? least(*low, at) : at;
      *high = found ? most(*high, at) : at;
      found = true;
    }
    return found;
  }
};

Axis axis_of(const ConvShape& s, int axis, int64_t phase) {
  Axis out;
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

// A rectangle of `planes` input planes whose pixels are `unit` floats, with zeros where it leaves the image.
void copy_region(const float* x, int64_t planes, int64_t height, int64_t width, int64_t unit, int64_t y0, int64_t rows,
                 int64_t x0, int64_t cols, float* dst) {
  const int64_t left = least(cols, most(0, -x0));
  const int64_t right = most(left, least(cols, width - x0));
  for (int64_t p = 0; p < planes; ++p) {
    const float* plane = x + p * height * width * unit;
    for (int64_t r = 0; r < rows; ++r, dst += cols * unit) {
      const int64_t y = y0 + r;
      if (y < 0 || y >= height) {
        std::memset(dst, 0, static_cast<size_t>(cols * unit) * sizeof(float));
        continue;
      }
      std::memset(dst, 0, static_cast<size_t>(left * unit) * sizeof(float));
      std::memcpy(dst + left * unit, plane + (y * width + x0 + left) * unit,
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
  int64_t region;                  // its number, for the scratch's head
  int64_t height, width;           // of the input
  int64_t out_height, out_width;   // of the output; pointwise ones are one row
  int64_t in_blocks, block_steps;  // of this group
  int64_t oc_blocks;               // of all groups
  int64_t row0, row1, col0, col1;  // of a phase
  int64_t block0, block1;          // of this group's output
  float* scratch;
};

void strip_rows(const Job& j, int64_t block, int64_t y0, int64_t y1, int64_t x0, int64_t x1) {
  const Epilogue& e = j.args->epilogue;
  const int64_t row = j.image * j.oc_blocks + block;
  float* plane = j.args->y + row * j.out_height * j.out_width * kChannelBlock;
  if (x0 == 0 && x1 == j.out_width) {
    const int64_t from = y0 * j.out_width * kChannelBlock;
    const int64_t count = (y1 - y0) * j.out_width * kChannelBlock;
    e.strip(e.context, plane + from, 1, count, count, row, from);
    return;
  }
  for (int64_t y = y0; y < y1; ++y) {
    const int64_t from = (y * j.out_width + x0) * kChannelBlock;
    const int64_t count = (x1 - x0) * kChannelBlock;
    e.strip(e.context, plane + from, 1, count, count, row, from);
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

void run_phase(const Job& j, Axis ay, Axis ax) {
  const ConvArgs& args = *j.args;
  const ConvShape& s = args.shape;
  const ConvPlan& p = *j.plan;
  const Epilogue& e = args.epilogue;
  const int64_t rows = least(j.row1, ceil_div(j.out_height - ay.first, ay.step)) - j.row0;
  const int64_t cols = least(j.col1, ceil_div(j.out_width - ax.first, ax.step)) - j.col0;
  if (rows <= 0 || cols <= 0) return;
  ay.trim(j.row0, j.row0 + rows, j.height);
  ax.trim(j.col0, j.col0 + cols, j.width);

  int64_t low_y = 0, high_y = 0, low_x = 0, high_x = 0;
  const bool any = ay.span(&low_y, &high_y) && ax.span(&low_x, &high_x);
  const int64_t unit = j.plain ? 1 : kChannelBlock;
  const int64_t y0 = j.row0 * ay.in_step + low_y;
  const int64_t x0 = j.col0 * ax.in_step + low_x;
  const int64_t in_rows = (rows - 1) * ay.in_step + high_y - low_y + 1;
  const int64_t in_cols = (cols - 1) * ax.in_step + high_x - low_x + 1;
  const bool inside = y0 >= 0 && x0 >= 0 && y0 + in_rows <= j.height && x0 + in_cols <= j.width;
  const bool copies = any && !inside;
  const int64_t line = (copies ? in_cols : j.width) * unit;
  const int64_t plane = copies ? in_rows * in_cols * unit : j.height * j.width * unit;

  Tap* taps = reinterpret_cast<Tap*>(j.scratch + kScratchHead);
  Sum sum;
  sum.taps = taps;
  sum.tap_count = 0;
  for (int64_t ky = 0; any && ky < s.kernel[1]; ++ky) {
    int64_t dy;
    if (!ay.offset(ky, &dy)) continue;
    for (int64_t kx = 0; kx < s.kernel[2]; ++kx) {
      int64_t dx;
      if (!ax.offset(kx, &dx)) continue;
      const Tap tap{(dy - low_y) * line + (dx - low_x) * unit, (ky * s.kernel[2] + kx) * j.block_steps * kChannelBlock};
      for (int64_t step = 0; step < (j.flat ? j.block_steps : 1); ++step)
        taps[sum.tap_count++] = {tap.in + step * plane, tap.w + step * kChannelBlock};
    }
  }
  sum.in_block = plane;
  sum.steps = j.block_steps;
  sum.pixel = ax.in_step * unit;
  sum.a_cs = j.plain ? plane : 1;
  sum.w_in_block = s.kernel[1] * s.kernel[2] * j.block_steps * kChannelBlock;
  sum.w_out_block = j.in_blocks * sum.w_in_block;

  const int64_t image_plane = j.height * j.width * unit;
  const int64_t planes_per_block = j.plain ? s.ic : 1;
  const int64_t group_planes = j.in_blocks * planes_per_block;
  const float* image = args.x + (j.image * s.groups + j.group) * group_planes * image_plane;
  const int64_t out_plane = j.out_height * j.out_width * kChannelBlock;
  const int64_t group_channels = s.oc / s.groups;
  const int64_t group_blocks = ceil_div(group_channels, kChannelBlock);
  const int64_t in_channels = j.plain ? s.ic : s.ic / s.groups;
  const bool one_phase = ay.step == 1 && ax.step == 1;

  int64_t held;
  std::memcpy(&held, j.scratch, sizeof held);
  const bool kept = p.keeps_region && held == j.region;

  TileOut out;
  out.row = out.residual_row = ax.step * kChannelBlock;
  out.block = out.residual_block = out_plane;
  out.ragged = false;
  for (int64_t b0 = 0; b0 < j.in_blocks; b0 += p.chunk) {
    const int64_t b1 = least(j.in_blocks, b0 + p.chunk);
    sum.blocks = b1 - b0;
    sum.last_steps = b1 == j.in_blocks ? in_channels - (j.in_blocks - 1) * j.block_steps : j.block_steps;
    out.first = b0 == 0;
    out.last = b1 == j.in_blocks;
    const float* in = image;
    if (copies) {
      float* region = j.scratch + kScratchHead + p.tap_floats + (p.keeps_region ? b0 * plane : 0);
      if (!kept)
        copy_region(image + b0 * planes_per_block * image_plane, sum.blocks * planes_per_block, j.height, j.width, unit,
                    y0, in_rows, x0, in_cols, region);
      in = region;
    } else if (any) {
      in = image + b0 * image_plane + (y0 * j.width + x0) * unit;
    }
    const int64_t passes = ceil_div(j.block1 - j.block0, kGroup);
    for (int64_t pass = 0, block = j.block0; pass < passes; ++pass) {
      const int64_t count = ceil_div(j.block1 - block, passes - pass);
      const int64_t channel = j.group * group_channels + block * kChannelBlock;
      const int64_t global_block = j.group * group_blocks + block;
      sum.w = args.w + global_block * sum.w_out_block + b0 * sum.w_in_block;
      out.cols = static_cast<int>(least(count * kChannelBlock, group_channels - block * kChannelBlock));
      out.bias = e.bias == nullptr ? nullptr : e.bias + channel;
      out.scale = e.scale == nullptr ? nullptr : e.scale + channel;
      const int most_rows = kMaxRows[static_cast<int>(count) * kBlockVecs];
      const int64_t strips = ceil_div(cols, most_rows);
      const int64_t height = cols / strips;
      const int64_t taller = cols % strips;
      const TileFn full = tile_of(static_cast<int>(count), static_cast<int>(height), j.flat);
      const TileFn fuller = taller == 0 ? full : tile_of(static_cast<int>(count), static_cast<int>(height) + 1, j.flat);
      Ahead ahead = weights_ahead(j, sum, b0, b1, block + count, pass + 1 == passes);
      if (ahead.streams > 0 && sum.tap_count > 0)
        ahead.lines = ceil_div(ahead.streams * ahead.size, rows * strips * sum.blocks * sum.tap_count);
      for (int64_t y = 0; y < rows; ++y) {
        const int64_t out_y = (j.row0 + y) * ay.step + ay.first;
        const int64_t out_x = j.col0 * ax.step + ax.first;
        const int64_t at =
            (j.image * j.oc_blocks + global_block) * out_plane + (out_y * j.out_width + out_x) * kChannelBlock;
        out.c = args.y + at;
        out.residual = e.residual == nullptr ? nullptr : e.residual + at;
        const float* a = in + y * ay.in_step * line;
        for (int64_t strip = 0; strip < strips; ++strip) {
          const int64_t width = height + (strip < taller ? 1 : 0);
          (strip < taller ? fuller : full)(sum, a, ahead, e, out);
          a += width * sum.pixel;
          out.c += width * out.row;
          if (out.residual != nullptr) out.residual += width * out.row;
        }
      }
      if (out.last && one_phase && e.strip != nullptr) {
        for (int64_t b = 0; b < count; ++b) {
          strip_rows(j, global_block + b, j.row0, j.row0 + rows, j.col0, j.col0 + cols);
        }
      }
      block += count;
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
  j.group = t % s.groups;
  j.image = t / s.groups;
  const int64_t step_y = s.transposed ? s.stride[1] : 1;
  const bool flat = p.rows != ceil_div(s.out[1], step_y);
  j.height = flat ? 1 : s.in[1];
  j.width = flat ? s.in[1] * s.in[2] : s.in[2];
  j.out_height = flat ? 1 : s.out[1];
  j.out_width = flat ? s.out[1] * s.out[2] : s.out[2];
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
  if (!s.transposed) return run_phase(j, axis_of(s, 1, 0), axis_of(s, 2, 0));
  for (int64_t py = 0; py < s.stride[1]; ++py) {
    for (int64_t px = 0; px < s.stride[2]; ++px) run_phase(j, axis_of(s, 1, py), axis_of(s, 2, px));
  }
  if (args.epilogue.strip != nullptr && (s.stride[1] > 1 || s.stride[2] > 1)) {
    for (int64_t b = j.block0; b < j.block1; ++b) {
      strip_rows(j, j.group * group_blocks + b, j.row0 * s.stride[1], least(s.out[1], j.row1 * s.stride[1]),
                 j.col0 * s.stride[2], least(s.out[2], j.col1 * s.stride[2]));
    }
  }
}

}  // namespace tc::kernels
