#include "tc/kernels/conv/conv.h"

#include <algorithm>
#include <cstring>

#include "tc/kernels/conv/conv_shapes.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/simd/subnormals.h"

namespace tc::kernels {

const ConvRow& conv_row(ConvAlgorithm algorithm) {
  static constexpr const ConvRow* kRows[] = {
#define TC_CONV_ALGORITHM(name, ...) &conv_row_##name,
#include "tc/kernels/conv/algorithms.def"
#undef TC_CONV_ALGORITHM
  };
  return *kRows[static_cast<int>(algorithm)];
}

const char* conv_kernel_name(const ConvTable& kernels, ConvAlgorithm algorithm) {
  return kernels.tile(algorithm).name;
}

bool conv_accepts(ConvAlgorithm algorithm, const ConvShape& s) {
  return conv_row(algorithm).refuses(algorithm, s) == nullptr;
}

ConvPlan conv_plan(ConvAlgorithm algorithm, const ConvShape& s, int width) {
  ConvPlan p;
  p.algorithm = algorithm;
  p.groups = conv_grouped(algorithm, s).groups;
  if (s.n == 0 || s.oc == 0 || volume(s.out) == 0) return p;
  conv_row(algorithm).plan(p, s, width);
  p.row_tiles = ceil_div(p.rows, p.row_tile);
  p.col_tiles = ceil_div(p.cols, p.col_tile);
  return p;
}

size_t conv_scratch_bytes(const ConvPlan& plan, int threads) {
  return static_cast<size_t>(threads * plan.worker_floats_apart()) * sizeof(float);
}

int64_t conv_packed_floats(ConvAlgorithm algorithm, const ConvShape& s) {
  return conv_row(algorithm).packed_floats(algorithm, s);
}

bool conv_packed_is_plain(ConvAlgorithm algorithm, const ConvShape& s) {
  return !conv_gives_blocked(algorithm) && !s.transposed;
}

int64_t conv_pack_tiles(ConvAlgorithm algorithm, const ConvShape& s) {
  return conv_row(algorithm).pack_tiles(algorithm, s);
}

void conv_pack(Team& team, const ConvTable& kernels, const ConvShape& s, ConvAlgorithm algorithm, const float* w,
               float* dst) {
  parallel_for(team, conv_pack_tiles(algorithm, s), [&](int64_t tile, int) {
    const NoSubnormals flushed;  // transforms make more of them
    conv_row(algorithm).pack(kernels, algorithm, s, w, tile, dst);
  });
}

void conv(Team& team, const ConvTable& kernels, const ConvArgs& args, const ConvPlan& plan) {
  const auto run = kernels.tile(plan.algorithm).fn;
  if (plan.row_tiles == 0) return;
  if (conv_gives_blocked(plan.algorithm) && plan.worker_floats > 0) {
    for (int worker = 0; worker < team.threads(); ++worker)
      std::memset(args.scratch + worker * plan.worker_floats_apart(), 0, kScratchHead * sizeof(float));
  }
  const ConvShape& s = args.shape;
  const auto flops = 2.0 * static_cast<double>(s.n * s.oc * volume(s.transposed ? s.in : s.out)) *
                     static_cast<double>(s.ic / s.groups * volume(s.kernel));
  const double ns = flops * conv_row(plan.algorithm).ns_per_flop;
  parallel_for(team, plan.tiles(s), ns, [&](int64_t tile, int worker) {
    const NoSubnormals flushed;
    run(args, plan, tile, worker);
  });
}

namespace {

// What shows whether a call is worth a second thread.
constexpr double kNsPerReordered = 0.25;

template <bool kToBlocked>
void reorder(Team& team, const ConvTable& kernels, const float* x, int64_t n, int64_t c, int64_t pixels, float* y) {
  const int64_t per_image = blocks(c);
  // Pieces of about 128 KB.
  const Tiling pieces{pixels, std::max<int64_t>(256, std::min<int64_t>(pixels, 2048))};
  const double ns = kNsPerReordered * static_cast<double>(n * c * pixels);
  parallel_for(team, n * per_image * pieces.count(), ns, [&](int64_t tile, int) {
    const int64_t piece = tile % pieces.count();
    const int64_t image = tile / pieces.count() / per_image;
    const int64_t block = tile / pieces.count() % per_image;
    const int channels = static_cast<int>(std::min<int64_t>(kChannelBlock, c - block * kChannelBlock));
    const int64_t begin = pieces.begin(piece);
    const int64_t plain = (image * c + block * kChannelBlock) * pixels + begin;
    const int64_t blocked = ((image * per_image + block) * pixels + begin) * kChannelBlock;
    if constexpr (kToBlocked) {
      kernels.to_blocked.fn(x + plain, pixels, channels, pieces.end(piece) - begin, y + blocked);
    } else {
      kernels.to_plain.fn(x + blocked, pixels, channels, pieces.end(piece) - begin, y + plain);
    }
  });
}

}  // namespace

void to_blocked(Team& team, const ConvTable& kernels, const float* x, int64_t n, int64_t c, int64_t pixels, float* y) {
  reorder<true>(team, kernels, x, n, c, pixels, y);
}

void to_plain(Team& team, const ConvTable& kernels, const float* x, int64_t n, int64_t c, int64_t pixels, float* y) {
  reorder<false>(team, kernels, x, n, c, pixels, y);
}

}  // namespace tc::kernels
