// Convolutions of f32 with one to three spatial axes, and their transposes, for inference.
//
// Physical layouts: plain NCHW, and NCHW16c ("blocked": [n][ceil(c / 16)][pixels][16]) on every tier. The lanes of a
// last block beyond the channels are padding: kernels never let their values reach a real channel, and write what they
// like there.
//
// As with GEMM, a call is planned from shapes alone (conv_plan) and runs as independent tiles, whose results do not
// depend on the number of threads. Weights are packed once per algorithm (conv_pack).
#pragma once
#include <cstddef>
#include <cstdint>

#include "tc/kernels/gemm/epilogue.h"
#include "tc/kernels/tier.h"
#include "tc/kernels/worker_stride.h"

namespace tc::kernels {

class Team;

inline constexpr int kChannelBlock = 16;

// Spatial axes are [depth, height, width], of extent 1 where there are fewer; axis 2 is the innermost.
struct ConvShape {
  int64_t n = 1, ic = 1, oc = 1, groups = 1;
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, kernel[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1};
  int64_t pad[3] = {0, 0, 0};  // at the beginning of each axis; at the end, whatever `out` needs
  // out[p * stride + k * dilation - pad] += w[k] * in[p]; weights are [ic][oc / groups][kernel] instead of
  // [oc][ic / groups][kernel].
  bool transposed = false;
};

// What an algorithm of convolution takes and gives: blocked layouts or plain ones.
struct ConvAlgorithmFacts {
  const char* name;
  bool takes_blocked, gives_blocked;
  bool split_bf16;       // three products of two bf16 for each operand, which err by kSplitError
  int winograd_outputs;  // of a tile along an axis; 0 for other algorithms
};

// algorithms.def has a row for each.
enum class ConvAlgorithm : uint8_t {
#define TC_CONV_ALGORITHM(name, ...) name,
#include "tc/kernels/conv/algorithms.def"
#undef TC_CONV_ALGORITHM
};
constexpr ConvAlgorithmFacts kConvFacts[] = {
#define TC_CONV_ALGORITHM(name, tile, takes, gives, split, outputs) {#name, takes, gives, split, outputs},
#include "tc/kernels/conv/algorithms.def"
#undef TC_CONV_ALGORITHM
};
constexpr int kConvAlgorithms = static_cast<int>(sizeof(kConvFacts) / sizeof(kConvFacts[0]));
constexpr ConvAlgorithmFacts conv_facts(ConvAlgorithm a) {
  return kConvFacts[static_cast<int>(a)];
}
constexpr bool conv_takes_blocked(ConvAlgorithm a) {
  return conv_facts(a).takes_blocked;
}
constexpr bool conv_gives_blocked(ConvAlgorithm a) {
  return conv_facts(a).gives_blocked;
}
constexpr bool conv_in_split_bf16(ConvAlgorithm a) {
  return conv_facts(a).split_bf16;
}
constexpr bool conv_by_winograd(ConvAlgorithm a) {
  return conv_facts(a).winograd_outputs > 0;
}
constexpr int winograd_outputs(ConvAlgorithm a) {
  return conv_facts(a).winograd_outputs;
}

// Bounds on the error of the Winograd algorithms with zero-mean data, relative to the largest |output|, for up to 512
// input channels; direct convolution stays below 1e-6. Measured with uniform data and 256 channels: 5e-7, 3.2e-6
// and 2.3e-5, with stride 2 8e-7 and 2.0e-6; in split bf16 7e-6.
inline constexpr double kWinograd2Error = 3e-6, kWinograd4Error = 1.5e-5, kWinograd6Error = 5e-5;
inline constexpr double kSplitWinogradError = 3e-5;

struct ConvArgs {
  ConvShape shape;
  const float* x = nullptr;
  const float* w = nullptr;  // packed for the plan's algorithm
  float* y = nullptr;
  // bias and scale: one per output channel (scale only with blocked outputs). The residual has y's layout; row_bias is
  // unused.
  Epilogue epilogue;
  float* scratch = nullptr;  // 64-byte aligned
};

// Floats at the front of a worker's scratch that tell whose input it holds, transformed or with its padding: 1 + the
// number of the region in the running call, zero before.
inline constexpr int64_t kScratchHead = 16;

// Up to so many input channels direct_plain sums over a flat table of (tap, channel) pairs.
inline constexpr int64_t kFlatChannels = 8;

// Pixels whose taps split_plain gathers before it makes bf16 pairs of them.
inline constexpr int64_t kGatheredPixels = 8;

// Up to so many outputs of direct have lanes of input channels: [phase][input block][tap][output][16].
inline constexpr int64_t kFewOutputs = 4;
constexpr bool conv_few_outputs(ConvAlgorithm algorithm, const ConvShape& s) {
  return algorithm == ConvAlgorithm::direct && s.groups == 1 && s.oc <= kFewOutputs;
}

// Floats of what patches makes of a pixel: up to kMostPatchFloats, of kPatchPixels at a time.
inline constexpr int64_t kMostPatchFloats = 64, kPatchPixels = 48;
constexpr int64_t conv_patch_floats(const ConvShape& s) {
  return (s.kernel[0] * s.kernel[1] * s.kernel[2] * s.oc + 15) / 16 * 16;
}

// A channel to each group, transposed or of three axes: lanes are channels, [block][phase][tap][16].
constexpr bool conv_by_lanes(ConvAlgorithm algorithm, const ConvShape& s) {
  return algorithm == ConvAlgorithm::direct && s.groups > 1 && s.groups == s.ic && s.groups == s.oc;
}
// Neighbouring outputs read neighbouring pieces of lines, as patches of an image: im2col takes these apart in
// registers.
constexpr bool conv_by_patches(const ConvShape& s) {
  const int64_t k = s.kernel[2];
  return !s.transposed && k == s.stride[2] && s.dilation[2] == 1 && s.pad[2] == 0 && s.out[2] * k <= s.in[2] &&
         (k == 2 || k == 4 || k == 8 || k == 16);
}
// Outputs of a Winograd tile are so far apart.
constexpr int64_t winograd_apart(const ConvShape& s, int axis) {
  return s.kernel[axis] == 1 ? 1 : s.dilation[axis];
}
// As direct and Winograd see it: groups of whole blocks, with as many channels as they may have. For the latter several
// become one, with weights of zero between them (for 24 channels to a group it multiplies twice as much, and a quarter
// of it), across which infinities and NaN spread, as they do among the outputs of a tile; a last one may have fewer
// channels than the others.
constexpr ConvShape conv_grouped(ConvAlgorithm algorithm, ConvShape s) {
  if (conv_by_lanes(algorithm, s)) {
    s.groups = (s.oc + kChannelBlock - 1) / kChannelBlock;
    s.ic = s.oc = s.groups * kChannelBlock;
  }
  if (conv_by_winograd(algorithm) && s.groups > 1) {
    const int64_t in = s.ic / s.groups, out = s.oc / s.groups;
    int64_t together = 1;
    while (together * in % kChannelBlock != 0 || together * out % kChannelBlock != 0) together *= 2;
    s.groups = (s.groups + together - 1) / together;
    s.ic = s.groups * together * in, s.oc = s.groups * together * out;
  }
  return s;
}
// A group of that as an image of its own.
constexpr ConvShape conv_group(ConvAlgorithm algorithm, const ConvShape& given) {
  ConvShape s = conv_grouped(algorithm, given);
  s.n *= s.groups, s.ic /= s.groups, s.oc /= s.groups;
  s.groups = 1;
  return s;
}

// Floats that a line of the input has in the scratch of the nchw algorithms, for `cols` output columns.
constexpr int64_t nchw_line(const ConvShape& s, int64_t cols) {
  constexpr int64_t vec = 16;
  return ((cols + vec - 1) / vec * vec + (s.kernel[2] - 1) * s.dilation[2] / s.stride[2] + vec - 1) / vec * vec;
}

struct ConvPlan {
  ConvAlgorithm algorithm = ConvAlgorithm::direct;
  int64_t groups = 1;  // that tiles tell apart
  int64_t planes = 1;  // output grid of one phase; a transposed one has as many as its strides' product
  int64_t rows = 0, cols = 0;
  bool one_row = false;                // of a pointwise convolution: all pixels
  int64_t row_tile = 0, col_tile = 0;  // of that grid
  int64_t block_tile = 0;              // output blocks of a tile
  int64_t row_tiles = 0, col_tiles = 0, block_tiles = 0;
  int64_t chunk = 0;                          // input blocks, or im2col's K, at a time
  int64_t tap_floats = 0, worker_floats = 0;  // scratch of each worker
  bool keeps_region = false;                  // all input blocks of a tile's region stay in scratch

  int64_t worker_floats_apart() const { return worker_stride<float>(worker_floats); }

  int64_t tiles(const ConvShape& s) const { return s.n * groups * planes * row_tiles * col_tiles * block_tiles; }
};

// The input of a tile of the split algorithm in scratch, as bytes: for each 32 channels the high bf16 pairs of every
// phase, one line of 64 to a pixel, and `low` behind them the low ones. A phase has the rows and columns that are a
// stride apart.
struct SplitRegion {
  int64_t rows, cols;  // of a phase
  int64_t phases[2];
  int64_t plane, low, block;  // bytes of a phase, to the low parts, of 32 channels
};
// The convolution of stride 1 whose outputs are those of a transposed one with the same remainder of the stride, for
// any remainder r: output g is g * stride + r - pad there, if that exists. The shape itself if it is not transposed.
ConvShape split_forward(const ConvShape& shape);
// What is left of a convolution by split_plain once its taps are gathered: a pointwise one of as many channels.
ConvShape split_gathered(const ConvShape& shape);
// For `rows` x `cols` outputs of one that is not transposed.
SplitRegion split_region(const ConvShape& shape, int64_t rows, int64_t cols);

struct ConvTraits {
  double weight_price;      // of a weight that is not near, in multiply-adds, what arithmetic does not hide
  double winograd6_number;  // what a number that F(6x6, 3x3) transforms costs, in multiply-adds
};
struct ConvTable {
  using Tile = Slot<void(const ConvArgs&, const ConvPlan&, int64_t tile, int worker)>;
  // One tile of conv_pack, of those that transform weights.
  using Pack = Slot<void(const ConvShape&, ConvAlgorithm, const float* w, int64_t tile, float* dst)>;
  Slot<ConvTraits()> traits;
  Pack winograd_pack, split_pack;
  // By algorithm: one tile of the plan. Empty where the machine has none.
  Tile tiles[kConvAlgorithms];
  // Up to 16 channels, `plane` floats apart in NCHW, to and from one block of NCHW16c. to_blocked fills padding with
  // zeros.
  Slot<void(const float* x, int64_t plane, int channels, int64_t pixels, float* y)> to_blocked;
  Slot<void(const float* x, int64_t plane, int channels, int64_t pixels, float* y)> to_plain;

  const Tile& tile(ConvAlgorithm a) const { return tiles[static_cast<int>(a)]; }
  Tile& tile(ConvAlgorithm a) { return tiles[static_cast<int>(a)]; }
};

// Of the kernel that an algorithm's tiles run on.
const char* conv_kernel_name(const ConvTable& kernels, ConvAlgorithm algorithm);
// Whether an algorithm can compute a shape, on machines that have it. choice.h says which one is the fastest.
bool conv_accepts(ConvAlgorithm algorithm, const ConvShape& shape);
// width: GemmTraits::width of the tier.
ConvPlan conv_plan(ConvAlgorithm algorithm, const ConvShape& shape, int width);
size_t conv_scratch_bytes(const ConvPlan& plan, int threads);
int64_t conv_packed_floats(ConvAlgorithm algorithm, const ConvShape& shape);
// Whether the packed form is the weights as they are, so that they need no copy.
bool conv_packed_is_plain(ConvAlgorithm algorithm, const ConvShape& shape);
int64_t conv_pack_tiles(ConvAlgorithm algorithm, const ConvShape& shape);
// dst: conv_packed_floats of them. Extents and pads do not matter.
void conv_pack(Team& team, const ConvTable& kernels, const ConvShape& shape, ConvAlgorithm algorithm, const float* w,
               float* dst);

void conv(Team& team, const ConvTable& kernels, const ConvArgs& args, const ConvPlan& plan);

// Whole tensors between the layouts: [n][c][pixels] and [n][ceil(c / 16)][pixels][16].
void to_blocked(Team& team, const ConvTable& kernels, const float* x, int64_t n, int64_t c, int64_t pixels, float* y);
void to_plain(Team& team, const ConvTable& kernels, const float* x, int64_t n, int64_t c, int64_t pixels, float* y);
inline constexpr int64_t blocked_floats(int64_t n, int64_t c, int64_t pixels) {
  return n * ((c + kChannelBlock - 1) / kChannelBlock) * kChannelBlock * pixels;
}

}  // namespace tc::kernels
