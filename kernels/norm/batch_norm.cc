#include "tc/kernels/norm/batch_norm.h"

#include <algorithm>
#include <cmath>

namespace tc::kernels {
namespace {

// Elements per tile.
constexpr std::int64_t kGrain = 16384;

// The statistics of a channel, and what each image has to be shifted and scaled by for them.
void join_channel(const BatchNormArgs& args, std::int64_t channel) {
  const GroupNormArgs& a = args.pieces;
  const std::int64_t pieces = a.pieces();
  // f(mean, squares, pixels) of every piece.
  const auto each = [&](const auto& f) {
    for (std::int64_t image = 0; image < a.images; ++image) {
      const float* m = a.moments_of((image * a.channels + channel) * pieces);
      for (std::int64_t p = 0; p < pieces; ++p, m += 2)
        f(m[0], m[1], static_cast<double>(std::min(a.piece_pixels(), a.pixels - p * a.piece_pixels())));
    }
  };
  const double count = static_cast<double>(a.images * a.pixels);
  double sum = 0, squares = 0;
  each([&](double mean, double, double pixels) { sum += mean * pixels; });
  const double mean = sum / count;
  each([&](double m, double q, double pixels) { squares += q + (m - mean) * (m - mean) * pixels; });
  args.mean[channel] = mean;
  args.variance[channel] = squares / count;
  const auto factor = static_cast<float>(a.scale[channel] / std::sqrt(squares / count + a.epsilon));
  for (std::int64_t image = 0; image < a.images; ++image) {
    float* affine = a.affine_of(image) + channel;
    affine[0] = static_cast<float>(mean), affine[a.channels] = factor, affine[2 * a.channels] = a.bias[channel];
  }
}

}  // namespace

void normalize_batch(const NormTable& table, Team& team, const BatchNormArgs& args) {
  const GroupNormArgs& a = args.pieces;
  const Tiling pieces = tile_by_cost(a.images * a.channels * a.pieces(), std::min(a.pixels, a.kNormPiece), kGrain);
  const auto run = [&](const auto& slot) {
    parallel_for(team, pieces.count(),
                 [&](std::int64_t tile, int) { slot.fn(a, pieces.begin(tile), pieces.end(tile)); });
  };
  run(table.moments);
  const Tiling channels = tile_by_cost(a.channels, 2 * a.images * a.pieces(), kGrain);
  parallel_for(team, channels.count(), [&](std::int64_t tile, int) {
    for (std::int64_t c = channels.begin(tile); c < channels.end(tile); ++c) join_channel(args, c);
  });
  run(table.scale_groups);
}

}  // namespace tc::kernels
