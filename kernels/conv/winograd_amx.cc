// Winograd's method, F(2x2, 3x3), with products in split bf16: winograd_tier.cc on the bf16 tiles of AMX.
// The numbers that a tile of the input is transformed to become split bf16, 32 channels to a line; the lines of 32
// tiles are a strip of the product.
#include "tc/kernels/conv/conv_amx.h"
#include "tc/kernels/conv/held_tier.h"
#include "tc/kernels/conv/winograd_tier.h"
#include "tc/kernels/gemm/split_amx.h"

namespace tc::kernels {
namespace {

using F = Form<Transform<2, 1>, Transform<2, 1>>;
constexpr int64_t kElements = F::Rows::kPoints * F::Cols::kPoints;
constexpr int64_t kStripBlocks = kStripCols / kChannelBlock;

// An element's input for a range of tiles is [piece of the kernel][32 channels][high and low][tile][32], its weights
// for a strip of outputs are [32 channels][piece].
struct Layout {
  int64_t pieces, steps;
  int64_t low;             // bytes from the input's high parts to the low ones
  int64_t piece, element;  // bytes of the input
  int64_t weights;         // bytes of an element's

  Layout(const ConvShape& s, int64_t tiles) : pieces(pieces_of<F>(s).all()), steps(ceil_div(s.ic, kStep)) {
    low = ceil_div(tiles, kSide) * kTileBytes;
    // A line more, so that those of a tile do not meet in one set of the cache.
    piece = steps * 2 * low + kRowBytes;
    element = pieces * piece;
    weights = pieces * steps * kStepBytes;
  }
};

void transform_range(const ConvShape& s, const float* image, const Range& range, int64_t out_z, const Layout& layout,
                     std::byte* to) {
  alignas(64) float numbers[kElements][kStep];
  for (int64_t piece = 0; piece < layout.pieces; ++piece) {
    const InputOf<F> input(s, range, out_z, piece);
    for (int64_t step = 0; step < layout.steps; ++step) {
      // What lies in the padding of the last block may be infinite or no number.
      const int64_t left = s.ic - step * kStep;
      const __mmask16 in_even = lanes_below(left), in_odd = lanes_below(left - kSide);
      std::byte* line = to + piece * layout.piece + step * 2 * layout.low;
      for (int64_t at = range.first; at < range.last; ++at, line += kRowBytes) {
        input.transform(image, 2 * step, at, numbers[0], kStep);
        if (left > kSide) input.transform(image, 2 * step + 1, at, numbers[0] + kSide, kStep);
        for (int64_t e = 0; e < kElements; ++e) {
          const Halves h =
              split(_mm512_maskz_load_ps(in_even, numbers[e]), _mm512_maskz_load_ps(in_odd, numbers[e] + kSide));
          _mm512_store_si512(line + e * layout.element, h.high);
          _mm512_store_si512(line + e * layout.element + layout.low, h.low);
        }
      }
    }
  }
}

}  // namespace

// A strip of outputs, element after element.
void conv_winograd_amx_pack(const ConvShape& s, ConvAlgorithm algorithm, const float* w, int64_t strip, float* dst) {
  const Part part(algorithm, s, 0);
  const Layout layout(s, 0);
  auto* to = reinterpret_cast<std::byte*>(dst) + strip * kElements * layout.weights;
  alignas(64) float pair[2][kElements][kStripCols];
  for (int64_t channel = 0; channel < layout.steps * kStep; channel += 2) {
    for (int64_t piece = 0; piece < layout.pieces; ++piece) {
      for (int64_t c = 0; c < 2; ++c)
        for (int64_t b = 0; b < kStripBlocks; ++b)
          transform_kernel<F>(s, part, w, strip * kStripBlocks + b, piece, channel + c, pair[c][0] + b * kChannelBlock,
                              kStripCols);
      std::byte* line = to + (channel / kStep * layout.pieces + piece) * kStepBytes + channel % kStep / 2 * kRowBytes;
      for (int64_t e = 0; e < kElements; ++e, line += layout.weights) {
        for (int64_t half = 0; half < 2; ++half) {
          const Halves h = split_pair(pair[0][e] + half * kSide, pair[1][e] + half * kSide, 1, kSide);
          _mm512_store_si512(line + half * 2 * kTileBytes, h.high);
          _mm512_store_si512(line + half * 2 * kTileBytes + kTileBytes, h.low);
        }
      }
    }
  }
}

void conv_winograd_amx(const ConvArgs& args, const ConvPlan& p, int64_t tile_index, int worker) {
  const int64_t block_tile = tile_index % p.block_tiles, source = tile_index / p.block_tiles;
  const int64_t image = source / p.col_tiles / p.planes, out_z = source / p.col_tiles % p.planes;
  const Part part(p.algorithm, args.shape, 0);
  const ConvShape& s = part.shape;
  const int64_t first_tile = source % p.col_tiles * p.col_tile;
  const Range range = range_of<F>(s, first_tile, least(p.cols, first_tile + p.col_tile));
  const Layout layout(s, range.tiles());

  // The offsets of pieces, the transformed input, then the elements: [strip of outputs][element][tile][32], with a
  // block more for each.
  float* scratch = args.scratch + worker * p.worker_floats_apart();
  auto* offsets = reinterpret_cast<int64_t*>(scratch + kScratchHead);
  auto* v = reinterpret_cast<std::byte*>(scratch + kScratchHead + p.tap_floats);
  auto* m = reinterpret_cast<float*>(v + kElements * layout.element);
  const int64_t m_element = layout.low / kRowBytes * kStripCols + kChannelBlock, m_strip = kElements * m_element;
  if (!holds(scratch, source)) {
    const int64_t volume = s.in[0] * s.in[1] * s.in[2] * kChannelBlock;
    transform_range(s, args.x + image * part.in_blocks * volume, range, out_z, layout, v);
  }

  SplitSum sum;
  sum.a_low = layout.low;
  sum.a_block = 2 * layout.low;
  sum.blocks = layout.steps;
  sum.taps = offsets;
  sum.tap_count = layout.pieces;
  for (int64_t piece = 0; piece < layout.pieces; ++piece) offsets[piece] = piece * layout.piece;
  const int64_t first = block_tile * p.block_tile, last = least(part.out_blocks, first + p.block_tile);
  const auto* w = reinterpret_cast<const std::byte*>(args.w) + first / kStripBlocks * kElements * layout.weights;
  {
    const TileScope registers;
    for (int64_t e = 0; e < kElements; ++e) {
      for (int64_t block = first, strip = 0; block < last; block += kStripBlocks, ++strip) {
        sum.b = w + (strip * kElements + e) * layout.weights;
        for (int64_t row = 0; row < range.tiles(); row += kStripRows) {
          SplitAhead ahead = row == 0 ? ahead_of_first(sum.b) : SplitAhead();
          sum.a = v + e * layout.element + row * kRowBytes;
          sum_split(range.tiles() - row, (last - block) * kChannelBlock, sum, ahead,
                    m + strip * m_strip + e * m_element + row * kStripCols);
        }
      }
    }
  }
  for (int64_t block = first; block < last; block += kStripBlocks, m += m_strip)
    write_outputs<F>(args, part, range, image, out_z, block, least(kStripBlocks, last - block), m, m_element,
                     kStripCols);
}

}  // namespace tc::kernels
