// Direct convolution in split bf16, NCHW16c to NCHW16c. Compiled for AMX: chosen where the machine has it
// and the operating system lets us.
//
// A tile of the plan is a range of output rows and one of output blocks. The input that the rows read becomes split
// bf16, 32 channels to a line, in the worker's scratch, where the next blocks of the same rows find them again; with
// padding, so that tiles know no borders, and with what a stride skips sorted apart, so that neighbouring outputs
// always read neighbouring lines. 32 outputs in a row are then one strip of the product, whichever image rows they fall
// into; those between the end of one row and the beginning of the next are computed and dropped. The outputs of a
// transposed one that see the same kernel indices are a convolution of stride 1 each, whose results lie a stride apart:
// see split_forward.
#include "tc/kernels/conv/conv_amx.h"

#include <cstring>

#include "tc/kernels/conv/held_tier.h"
#include "tc/kernels/conv/taps.h"
#include "tc/kernels/gemm/split_amx.h"

namespace tc::kernels {
namespace {

// A strip of outputs: [phase][32 input channels][tap].
void pack(const ConvShape& shape, ConvAlgorithm algorithm, const float* w, int64_t tile, float* dst) {
  if (conv_by_winograd(algorithm)) return conv_winograd_amx_pack(shape, algorithm, w, tile, dst);
  const ConvShape s = algorithm == ConvAlgorithm::split_plain ? split_gathered(shape) : shape;
  const int64_t taps = s.kernel[1] * s.kernel[2], first = tile * kStripCols;
  const int64_t of_input = s.transposed ? s.oc * taps : taps, of_output = s.transposed ? taps : s.ic * taps;
  auto* to = reinterpret_cast<std::byte*>(dst) + tile * ceil_div(s.ic, kStep) * taps * kStepBytes;
  for_taps(s, kStep, [&](int64_t c, int64_t tap) {
    split_columns(w + first * of_output + c * of_input + tap, of_input, of_output, least(kStep, s.ic - c),
                  least(kStripCols, s.oc - first), to);
    to += kStepBytes;
  });
}

// Rows [y, y + rows) and columns [x, x + cols) of one phase of the input, which has every stride-th row and column.
struct Region {
  const ConvShape& s;
  const SplitRegion& shape;
  int64_t height, width;
  const float* image;
  std::byte* to;

  // 32 channels, in two blocks of which the second may not exist.
  void convert(int64_t c, int64_t row0, int64_t col0) const {
    const int64_t plane = height * width * kChannelBlock, left = s.ic - c * kStep;
    const float *even = image + 2 * c * plane, *odd = left > kChannelBlock ? even + plane : nullptr;
    const __mmask16 in_even = lanes_below(left), in_odd = lanes_below(left - kChannelBlock);
    for (int64_t py = 0; py < shape.phases[0]; ++py) {
      for (int64_t px = 0; px < shape.phases[1]; ++px) {
        std::byte* line = to + c * shape.block + (py * shape.phases[1] + px) * shape.plane;
        const int64_t x0 = col0 * s.stride[2] + px - s.pad[2];
        // Columns of the image: [first, last).
        const int64_t first = x0 >= 0 ? 0 : ceil_div(-x0, s.stride[2]);
        const int64_t last = least(shape.cols, x0 >= width ? 0 : ceil_div(width - x0, s.stride[2]));
        for (int64_t r = 0; r < shape.rows; ++r) {
          const int64_t y = (row0 + r) * s.stride[1] + py - s.pad[1];
          const bool inside = y >= 0 && y < height;
          const int64_t begin = inside ? least(first, shape.cols) : shape.cols;
          const int64_t end = inside && last > begin ? last : begin;
          for (int64_t x = 0; x < begin; ++x, line += kRowBytes) clear(line);
          const int64_t from = (y * width + x0 + begin * s.stride[2]) * kChannelBlock;
          const int64_t step = s.stride[2] * kChannelBlock;
          if (odd != nullptr) {
            const float *a = even + from, *b = odd + from;
            for (int64_t x = begin; x < end; ++x, line += kRowBytes, a += step, b += step)
              put(line, split(_mm512_loadu_ps(a), _mm512_maskz_loadu_ps(in_odd, b)));
          } else {
            const float* a = even + from;
            for (int64_t x = begin; x < end; ++x, line += kRowBytes, a += step)
              put(line, split(_mm512_maskz_loadu_ps(in_even, a), _mm512_setzero_ps()));
          }
          for (int64_t x = end; x < shape.cols; ++x, line += kRowBytes) clear(line);
        }
      }
    }
  }

  TC_INLINE void put(std::byte* line, const Halves& h) const {
    _mm512_store_si512(line, h.high);
    _mm512_store_si512(line + shape.low, h.low);
  }
  TC_INLINE void clear(std::byte* line) const { put(line, {_mm512_setzero_si512(), _mm512_setzero_si512()}); }
};

// Outputs [first, first + count) of an image's plane, whose taps lie side by side, [channel][row][column]: one pixel of
// so many channels each.
struct Gathered {
  const ConvShape& s;
  const SplitRegion& shape;
  const float* image;  // plain
  std::byte* to;

  // Some pixels of a row are gathered before they become split bf16: a load must not meet stores that it spans in
  // flight.
  void convert(int64_t first, int64_t count, float* steps, int64_t steps_apart) const {
    const int64_t end = first + count;
    for (int64_t at = first, pixels = 0; at < end; at += pixels) {
      const int64_t y = at / s.out[2], x = at % s.out[2];
      pixels = least(least(kGatheredPixels, s.out[2] - x), end - at);
      for (int64_t kx = 0; kx < s.kernel[2]; kx += kSide) gather(y, x, pixels, kx, steps + kx, steps_apart);
      std::byte* line = to + (at - first) * kRowBytes;
      for (int64_t i = 0; i < pixels; ++i, line += kRowBytes) {
        const float* from = steps + i * steps_apart;
        for (int64_t b = 0; b * kStep < steps_apart; ++b, from += kStep) {
          const Halves h = split(_mm512_load_ps(from), _mm512_load_ps(from + kSide));
          _mm512_store_si512(line + b * shape.block, h.high);
          _mm512_store_si512(line + b * shape.block + shape.low, h.low);
        }
      }
    }
  }

  // Up to 16 taps of every row of the kernel, from tap kx on.
  void gather(int64_t y, int64_t x, int64_t pixels, int64_t kx, float* steps, int64_t steps_apart) const {
    const int64_t width = s.in[2], y0 = y * s.stride[1] - s.pad[1], x0 = x * s.stride[2] - s.pad[2] + kx;
    const int64_t taps = least(s.kernel[2] - kx, kSide);
    const __mmask16 all = lanes_below(taps);
    __mmask16 inside[kGatheredPixels];
    bool whole = pixels == kGatheredPixels;
    for (int64_t i = 0; i < pixels; ++i) {
      const int64_t at = x0 + i * s.stride[2];
      inside[i] = static_cast<__mmask16>(lanes_below(least(taps, width - at)) & ~uint32_t{lanes_below(-at)});
      whole = whole && inside[i] == all;
    }
    for (int64_t c = 0; c < s.ic; ++c) {
      for (int64_t ky = 0; ky < s.kernel[1]; ++ky, steps += s.kernel[2]) {
        const int64_t row = y0 + ky * s.dilation[1];
        const float* from = image + (c * s.in[1] + row) * width + x0;
        float* dst = steps;
        const bool in_image = row >= 0 && row < s.in[1];
        if (in_image && whole) {
#pragma GCC unroll 8
          for (int64_t i = 0; i < kGatheredPixels; ++i, dst += steps_apart, from += s.stride[2])
            _mm512_mask_storeu_ps(dst, all, _mm512_maskz_loadu_ps(all, from));
        } else {
          for (int64_t i = 0; i < pixels; ++i, dst += steps_apart, from += s.stride[2])
            _mm512_mask_storeu_ps(dst, all, _mm512_maskz_loadu_ps(in_image ? inside[i] : 0, from));
        }
      }
    }
  }
};

void strips(const ConvArgs& args, int64_t plane_row, int64_t out_plane, int64_t from, int64_t count) {
  const Epilogue& e = args.epilogue;
  float* plane = args.y + plane_row * out_plane * kChannelBlock;
  e.strip(e.context, plane + from, 1, count, count, plane_row, from);
}

void run(const ConvArgs& args, const ConvPlan& p, int64_t tile_index, int worker) {
  const bool gathers = p.algorithm == ConvAlgorithm::split_plain;
  const ConvShape s = gathers ? split_gathered(args.shape) : args.shape;
  const ConvShape forward = split_forward(s);
  const int64_t block_tile = tile_index % p.block_tiles, source = tile_index / p.block_tiles;
  const int64_t col_tile = source % p.col_tiles, row_tile = source / p.col_tiles % p.row_tiles;
  const int64_t image = source / p.col_tiles / p.row_tiles;
  const int64_t row0 = row_tile * p.row_tile, rows = least(p.rows - row0, p.row_tile);
  const int64_t col0 = col_tile * p.col_tile, cols = least(p.cols - col0, p.col_tile);
  const int64_t in_blocks = ceil_div(s.ic, kChannelBlock), out_blocks = ceil_div(s.oc, kChannelBlock);
  const int64_t channels = ceil_div(s.ic, kStep), taps = s.kernel[1] * s.kernel[2];
  // Pointwise ones are one row.
  const bool flat = p.rows != forward.out[1];
  const int64_t height = flat ? 1 : s.in[1], width = flat ? s.in[1] * s.in[2] : s.in[2];
  const int64_t out_width = flat ? s.out[1] * s.out[2] : s.out[2], out_plane = s.out[1] * s.out[2];

  const SplitRegion shape = split_region(forward, rows, cols);
  float* scratch = args.scratch + worker * p.worker_floats_apart();
  auto* region = reinterpret_cast<std::byte*>(scratch + kScratchHead + p.tap_floats);
  const bool held = holds(scratch, source);
  if (!held && gathers) {
    const int64_t steps_apart = channels * kStep;
    auto* steps = reinterpret_cast<float*>(region) + channels * shape.block / 4 + kStripRows * kRowBytes / 4;
    std::memset(steps, 0, static_cast<size_t>(kGatheredPixels * steps_apart) * sizeof(float));
    const ConvShape& of = args.shape;
    Gathered{of, shape, args.x + image * of.ic * of.in[1] * of.in[2], region}.convert(col0, cols, steps, steps_apart);
  } else if (!held) {
    const float* x = args.x + image * in_blocks * height * width * kChannelBlock;
    const Region from{forward, shape, height, width, x, region};
    for (int64_t c = 0; c < channels; ++c) from.convert(c, row0, col0);
  }

  // Phase after phase.
  auto* offsets = reinterpret_cast<int64_t*>(scratch + kScratchHead);
  for (int64_t phase = 0, tap = 0; phase < conv_phases(s); ++phase) {
    for_phase_taps(s, phase, [&](int64_t, int64_t ky, int64_t kx) {
      const int64_t y = s.transposed ? forward.kernel[1] - 1 - ky / s.stride[1] : ky * s.dilation[1];
      const int64_t x = s.transposed ? forward.kernel[2] - 1 - kx / s.stride[2] : kx * s.dilation[2];
      const int64_t plane = y % forward.stride[1] * shape.phases[1] + x % forward.stride[2];
      offsets[tap++] = plane * shape.plane + (y / forward.stride[1] * shape.cols + x / forward.stride[2]) * kRowBytes;
    });
  }
  // Output (y, x) of a phase is at (y * down + top, x * across + left) of the image.
  const int64_t down = s.transposed ? s.stride[1] : 1, across = s.transposed ? s.stride[2] : 1;
  SplitSum sum;
  sum.a_low = shape.low;
  sum.a_block = shape.block;
  sum.blocks = channels;
  const Epilogue& e = args.epilogue;
  TileOut out;
  out.row = out.residual_row = across * kChannelBlock;
  out.block = out.residual_block = out_plane * kChannelBlock;
  out.ragged = false;
  alignas(64) float sums[kStripRows * kStripCols];
  const int64_t outputs = (rows - 1) * shape.cols + cols, panel = channels * taps * kStepBytes;
  const int64_t block0 = block_tile * p.block_tile, block1 = least(out_blocks, block0 + p.block_tile);
  const auto* weights_end = reinterpret_cast<const std::byte*>(args.w) + ceil_div(out_blocks, 2) * panel;
  const TileScope tiles;
  for (int64_t block = block0; block < block1; block += 2) {
    const int64_t channel = block * kChannelBlock, count = least(2, block1 - block);
    out.cols = static_cast<int>(least(count * kChannelBlock, s.oc - channel));
    out.bias = e.bias == nullptr ? nullptr : e.bias + channel;
    out.scale = e.scale == nullptr ? nullptr : e.scale + channel;
    sum.b = reinterpret_cast<const std::byte*>(args.w) + block / 2 * panel;
    sum.taps = offsets;
    const int64_t base = (image * out_blocks + block) * out_plane;
    for (int64_t phase = 0; phase < conv_phases(s); ++phase) {
      sum.tap_count = 0;
      for_phase_taps(s, phase, [&](int64_t, int64_t, int64_t) { ++sum.tap_count; });
      const std::byte* next = sum.b + channels * sum.tap_count * kStepBytes;
      SplitAhead first_ahead = ahead_of_first(sum.b), later_ahead;
      if (next < weights_end) later_ahead = ahead_of_later(next, ceil_div(outputs, kStripRows));
      const int64_t top = s.transposed ? phase / across - s.pad[1] : 0,
                    left = s.transposed ? phase % across - s.pad[2] : 0;
      // Columns that lie in the image.
      const int64_t begin = left >= 0 ? 0 : ceil_div(-left, across);
      const int64_t end = least(cols, ceil_div(out_width - left - col0 * across, across));
      for (int64_t first = 0; first < outputs; first += kStripRows) {
        const int64_t last = least(outputs, first + kStripRows);
        sum.a = region + first * kRowBytes;
        sum_split(last - first, count * kChannelBlock, sum, first == 0 ? first_ahead : later_ahead, sums);
        for (int64_t y = first / shape.cols; y * shape.cols < last; ++y) {
          const int64_t start = y * shape.cols, image_row = (row0 + y) * down + top;
          const int64_t from = first > start + begin ? first : start + begin, to = least(start + end, last);
          if (from >= to || image_row < 0 || (!flat && image_row >= s.out[1])) continue;
          const int64_t image_col = (col0 + from - start) * across + left;
          const int64_t at = (base + image_row * out_width + image_col) * kChannelBlock;
          out.c = args.y + at;
          out.residual = e.residual == nullptr ? nullptr : e.residual + at;
          finish_split(sums + (from - first) * kStripCols, to - from, e, out);
        }
      }
      sum.b = next;
      sum.taps += sum.tap_count;
    }
    for (int64_t b = block; e.strip != nullptr && b < block + count; ++b) {
      const int64_t plane_row = image * out_blocks + b;
      if (!s.transposed) {
        strips(args, plane_row, out_plane, (row0 * out_width + col0) * kChannelBlock,
               ((rows - 1) * out_width + cols) * kChannelBlock);
        continue;
      }
      const int64_t y0 = row0 * down - s.pad[1], y1 = least(s.out[1], y0 + rows * down), from = y0 < 0 ? 0 : y0;
      if (from < y1)
        strips(args, plane_row, out_plane, from * out_width * kChannelBlock, (y1 - from) * out_width * kChannelBlock);
    }
  }
}

}  // namespace

void use_conv_amx(ConvTable& table) {
  table.split_pack = {pack, "conv_f32_split_pack__amx"};
  table.tile(ConvAlgorithm::split) = {run, "conv_f32_split__nchw16c__amx"};
  table.tile(ConvAlgorithm::split_plain) = table.tile(ConvAlgorithm::split);
  table.tile(ConvAlgorithm::split_winograd) = {conv_winograd_amx, "conv_f32_split_winograd__nchw16c__amx"};
}

}  // namespace tc::kernels
