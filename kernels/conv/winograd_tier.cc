// Winograd's minimal filtering, blocked -> blocked (Lavin and Gray, "Fast Algorithms for Convolutional Neural
// Networks", 2015): for 3x3 kernels m x m outputs from (m + 2)^2 products per pair of channels instead of 9 m^2. What
// else goes this way is in winograd_forms_tier.h. A dilated convolution is as many of them, one to each phase of pixels
// that are a dilation apart.
//
// A tile of the plan is a range of output tiles, counted along rows of phases, and a panel of output channels. The
// range's input is transformed into the worker's scratch, where the next panel of the same range finds it again; then
// comes one product per transform element and the inverse transform, straight into the output: nothing of the size of
// the image is written in between.
#include "tc/kernels/conv/winograd_tier.h"
#include "tc/kernels/conv/held_tier.h"
#include "tc/kernels/cpu.h"

namespace tc::kernels {
namespace {

constexpr int kGroup = kPanel / kChannelBlock;
constexpr int kBlockVecs = kChannelBlock / kVecFloats;

// An output block, counted over all groups of channels, of [group of channels][group][product][piece][input
// channel][width of the group].
template <class F>
void pack(ConvAlgorithm algorithm, const ConvShape& given, const float* w, int64_t block, float* dst) {
  using Y = typename F::Rows;
  using X = typename F::Cols;
  const int64_t most_blocks = ceil_div(conv_group(algorithm, given).oc, kChannelBlock);
  const int64_t index = block / most_blocks, of_part = block % most_blocks;
  const Part part(algorithm, given, index);
  const ConvShape& s = part.shape;
  const int64_t blocks = ceil_div(s.oc, kChannelBlock);
  if (of_part >= blocks) return;
  const int64_t all = pieces_of<F>(s).all(), group = of_part / kGroup;
  const int64_t width = least(kGroup, blocks - group * kGroup) * kChannelBlock;
  dst += part.weights(Y::kLine * X::kLine * all) + group * kPanel * Y::kLine * X::kLine * all * s.ic +
         of_part % kGroup * kChannelBlock;
  for (int64_t piece = 0; piece < all; ++piece)
    for (int64_t i = 0; i < s.ic; ++i)
      transform_kernel<F>(given, part, w, block, piece, i, dst + (piece * s.ic + i) * width, all * s.ic * width);
}

// What is multiplied for one element, for all tiles of a range.
struct Factors {
  const float* a;  // [product][input block][tile][16]
  int64_t a_product, a_block;
  int64_t products, ic;
  const float* b;  // [product][input channel][width]
};

// C = A B for R tiles from a on and NV registers of output channels. `ahead`: what is read next after B, of which
// `lines` cache lines are asked for with each block of input channels.
template <int R, int NV>
void product(const Factors& f, const float* a, float* c, const float* ahead, int64_t lines) {
  constexpr int64_t width = NV * kVecFloats;
  Tile<R, NV> t;
  t.zero();
  const float* b = f.b;
  for (int64_t q = 0; q < f.products; ++q, a += f.a_product) {
    const float* block = a;
    for (int64_t left = f.ic; left > 0; left -= kChannelBlock, block += f.a_block) {
      for (int64_t i = 0; i < lines; ++i, ahead += kChannelBlock) __builtin_prefetch(ahead, 0, 2);
      const int64_t steps = least(left, kChannelBlock);
      t.steps(block, kChannelBlock, b, steps);
      b += steps * width;
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < NV; ++j) store(c + i * width + j * kVecFloats, t.v[i][j]);
  }
}

using ProductFn = void (*)(const Factors&, const float*, float*, const float*, int64_t);

template <int NV, int... R>
ProductFn product_of(int64_t rows, std::integer_sequence<int, R...>) {
  static constexpr ProductFn kByRows[] = {product<R + 1, NV>...};
  return kByRows[rows - 1];
}
template <int NV>
ProductFn product_of(int64_t rows) {
  return product_of<NV>(rows, std::make_integer_sequence<int, kMaxRows[NV]>{});
}

// The products of all tiles with one element's panel of `blocks` output blocks.
template <int Blocks>
void products(const Factors& f, int64_t tiles, float* c) {
  constexpr int NV = Blocks * kBlockVecs;
  const Strips strips(tiles, tile_rows(NV, tiles));
  // The strips share the lines of the next element's panel, which lies behind this one. Not on Zen 4 and 5, whose
  // prefetchers follow the panels by themselves, and whose requests wait for a place among the loads: resnet18 on Zen
  // 5, one thread and two, 15.2 and 9.9 ms with them, 12.5 and 8.6 without, resnet50 40.0 and 25.1 for 37.7 and 23.8.
  // On Zen 3 resnet18 26.5 and 14.4 without, 23.6 and 12.7 with them, resnet50 86.0 and 43.4, 81.6 and 41.8.
  const bool by_themselves = cpu_info().zen4_or_later();
  const int64_t lines = by_themselves ? 0 : ceil_div(kChannelBlock * Blocks, strips.count);
  const float *a = f.a, *ahead = f.b + f.products * f.ic * Blocks * kChannelBlock;
  for (int64_t strip = 0; strip < strips.count; ++strip) {
    const int64_t rows = strips.rows(strip);
    product_of<NV>(rows)(f, a, c, ahead, lines);
    ahead += f.products * ceil_div(f.ic, kChannelBlock) * lines * kChannelBlock;
    a += rows * kChannelBlock;
    c += rows * Blocks * kChannelBlock;
  }
}

void products(int64_t blocks, const Factors& f, int64_t tiles, float* c) {
#if defined(__AVX512F__)
  switch (blocks) {
    case 2:
      return products<2>(f, tiles, c);
    case 3:
      return products<3>(f, tiles, c);
    case 4:
      return products<4>(f, tiles, c);
    default:
      break;
  }
#endif
  static_cast<void>(blocks);
  products<1>(f, tiles, c);
}

// v: [product][piece][input block][tile][16], `v_product` floats to a piece. out_z: the plane of the output.
template <class F>
void transform_range(const ConvShape& s, const float* image, const Range& range, int64_t out_z, float* v,
                     int64_t v_product) {
  const int64_t in_blocks = ceil_div(s.ic, kChannelBlock), all = pieces_of<F>(s).all();
  for (int64_t piece = 0; piece < all; ++piece) {
    const InputOf<F> input(s, range, out_z, piece);
    float* to = v + piece * v_product;
    for (int64_t b = 0; b < in_blocks; ++b)
      for (int64_t i = 0; i < range.tiles(); ++i, to += kChannelBlock)
        input.transform(image, b, range.first + i, to, all * v_product);
  }
}

template <class F>
void run(const ConvArgs& args, const ConvPlan& p, int64_t tile_index, int worker) {
  using Y = typename F::Rows;
  using X = typename F::Cols;
  const int64_t block_tile = tile_index % p.block_tiles, source = tile_index / p.block_tiles;
  const int64_t group = source / p.col_tiles / p.planes, image = group / p.groups;
  const int64_t out_z = source / p.col_tiles % p.planes;
  const Part part(p.algorithm, args.shape, group % p.groups);
  const ConvShape& s = part.shape;
  const int64_t first_tile = source % p.col_tiles * p.col_tile;
  const Range range = range_of<F>(s, first_tile, least(p.cols, first_tile + p.col_tile));
  const int64_t tiles = range.tiles();
  const int64_t in_blocks = ceil_div(s.ic, kChannelBlock), out_blocks = ceil_div(s.oc, kChannelBlock);

  if (block_tile * p.block_tile >= out_blocks) return;  // of a last group with fewer channels

  // The transformed input, then [element][tile][width]; a block more for each, so that those of a tile do not meet in
  // one set of the cache.
  float* scratch = args.scratch + worker * p.worker_floats_apart();
  float* v = scratch + kScratchHead;
  const int64_t v_block = tiles * kChannelBlock, v_product = in_blocks * v_block + kChannelBlock;
  const int64_t all = pieces_of<F>(s).all(), products_of_tile = Y::kLine * X::kLine * all;
  float* m = v + products_of_tile * v_product;
  if (!holds(scratch, source)) {
    const int64_t volume = s.in[0] * s.in[1] * s.in[2] * kChannelBlock;
    transform_range<F>(s, args.x + (image * part.in_blocks + part.in_block) * volume, range, out_z, v, v_product);
  }
  const int64_t last = least(out_blocks, (block_tile + 1) * p.block_tile);
  for (int64_t first = block_tile * p.block_tile; first < last; first += kGroup) {
    const int64_t blocks = least(kGroup, out_blocks - first);
    const int64_t panel = blocks * kChannelBlock, m_element = tiles * panel + kChannelBlock;
    const float* w = args.w + part.weights(products_of_tile) + first * kChannelBlock * products_of_tile * s.ic;
    for (int element = 0; element < Y::kPoints * X::kPoints; ++element) {
      const int i = element / X::kPoints, j = element % X::kPoints;
      const int64_t place = F::place(i, j) * all;
      const Factors f{v + place * v_product,   v_product, v_block,
                      F::products(i, j) * all, s.ic,      w + place * s.ic * panel};
      products(blocks, f, tiles, m + element * m_element);
    }
    write_outputs<F>(args, part, range, image, out_z, first, blocks, m, m_element, panel);
  }
}

// f of the form that an algorithm and a shape have.
template <class Fn>
void with_form(ConvAlgorithm algorithm, const ConvShape& s, Fn f) {
  using Line4 = Transform<4, 1>;
  using Line4By2 = Transform<4, 2>;
  const bool by_2 = s.stride[2] == 2;
  if (s.kernel[1] == 1) return by_2 ? f(Form<NoTransform, Line4By2>{}) : f(Form<NoTransform, Line4>{});
  if (s.kernel[2] == 1) return f(Form<Line4, NoTransform>{});
  if (algorithm == ConvAlgorithm::winograd6) return f(Form<Transform<6, 1>, Transform<6, 1>>{});
  if (algorithm == ConvAlgorithm::winograd4) return by_2 ? f(Form<Line4By2, Line4By2>{}) : f(Form<Line4, Line4>{});
  by_2 ? f(Form<Transform<2, 2>, Transform<2, 2>>{}) : f(Form<Transform<2, 1>, Transform<2, 1>>{});
}

}  // namespace

void TC_TIER_NAME(conv_winograd_pack)(const ConvShape& s, ConvAlgorithm algorithm, const float* w, int64_t block,
                                      float* dst) {
  with_form(algorithm, s, [&](auto form) { pack<decltype(form)>(algorithm, s, w, block, dst); });
}

void TC_TIER_NAME(conv_winograd)(const ConvArgs& args, const ConvPlan& p, int64_t tile, int worker) {
  with_form(p.algorithm, args.shape, [&](auto form) { run<decltype(form)>(args, p, tile, worker); });
}

}  // namespace tc::kernels
