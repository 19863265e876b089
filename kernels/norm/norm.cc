#include "tc/kernels/norm/norm.h"

#include <cmath>

#include "tc/kernels/simd/subnormals.h"

namespace tc::kernels {
namespace {

// Elements per tile.
constexpr std::int64_t kGrain = 16384;

// So many images are normalised one after the other, each while a cache holds it.
constexpr std::int64_t kImagesApart = 8;

// What the groups of an image have to be shifted and scaled by, from the moments of its pieces.
void join_moments(const GroupNormArgs& a, std::int64_t image) {
  const std::int64_t lanes = a.lanes(), padded = a.lines() * lanes, pieces = a.pieces(),
                     together = a.channels / a.groups;
  const float* moments = a.moments_of(image * a.lines() * pieces);
  float* affine = a.affine_of(image);
  // f(mean, squares, pixels) of every piece of a group's channels.
  const auto each = [&](std::int64_t group, const auto& f) {
    for (std::int64_t c = group * together; c < (group + 1) * together; ++c) {
      const float* m = moments + c / lanes * pieces * 2 * lanes + c % lanes;
      for (std::int64_t p = 0; p < pieces; ++p, m += 2 * lanes)
        f(m[0], m[lanes], static_cast<double>(std::min(a.piece_pixels(), a.pixels - p * a.piece_pixels())));
    }
  };
  for (std::int64_t group = 0; group < a.groups; ++group) {
    const double count = static_cast<double>(together * a.pixels);
    double sum = 0, squares = 0;
    each(group, [&](double mean, double, double pixels) { sum += mean * pixels; });
    const double mean = sum / count;
    each(group, [&](double m, double q, double pixels) { squares += q + (m - mean) * (m - mean) * pixels; });
    const double inverse = 1 / std::sqrt(squares / count + a.epsilon);
    for (std::int64_t c = group * together; c < (group + 1) * together; ++c) {
      affine[c] = static_cast<float>(mean);
      affine[padded + c] = static_cast<float>(inverse * a.scale[c]);
      affine[2 * padded + c] = a.bias[c];
    }
  }
  for (int part = 0; part < 3; ++part)
    std::fill(affine + part * padded + a.channels, affine + (part + 1) * padded, 0.0f);
}

}  // namespace

void softmax(const NormTable& table, Team& team, const SoftmaxArgs& args) {
  const Tiling tiling = tile_by_cost(args.outer * args.inner, args.n, kGrain);
  parallel_for(team, tiling.count(), [&](std::int64_t tile, int) {
    const NoSubnormals flushed;
    table.softmax.fn(args, tiling.begin(tile), tiling.end(tile));
  });
}

void normalize(const NormTable& table, Team& team, const NormArgs& args) {
  const Tiling tiling = tile_by_cost(args.rows, args.channels * args.spatial, kGrain);
  parallel_for(team, tiling.count(),
               [&](std::int64_t tile, int) { table.normalize.fn(args, tiling.begin(tile), tiling.end(tile)); });
}

void normalize_groups(const NormTable& table, Team& team, const GroupNormArgs& args) {
  const std::int64_t of_image = args.lines() * args.pieces();
  if (args.images >= kImagesApart) {
    const Tiling images = tile_by_cost(args.images, args.channels * args.pixels, kGrain);
    parallel_for(team, images.count(), [&](std::int64_t tile, int) {
      for (std::int64_t image = images.begin(tile); image < images.end(tile); ++image) {
        table.moments.fn(args, image * of_image, (image + 1) * of_image);
        join_moments(args, image);
        table.scale_groups.fn(args, image * of_image, (image + 1) * of_image);
      }
    });
    return;
  }
  const Tiling pieces =
      tile_by_cost(args.images * of_image, std::min(args.pixels * args.lanes(), args.kNormPiece), kGrain);
  const auto run = [&](const auto& slot) {
    parallel_for(team, pieces.count(),
                 [&](std::int64_t tile, int) { slot.fn(args, pieces.begin(tile), pieces.end(tile)); });
  };
  run(table.moments);
  for (std::int64_t image = 0; image < args.images; ++image) join_moments(args, image);
  run(table.scale_groups);
}

}  // namespace tc::kernels
