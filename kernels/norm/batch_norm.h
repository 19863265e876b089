// Normalisation of channels over a batch, as training does it.
#pragma once

#include "tc/kernels/norm/norm.h"

namespace tc::kernels {

// Each channel of all images with mean 0 and variance 1, times scale, plus bias. `pieces` is plain, of one group; its
// statistics are of the population, from the moments of pieces. In place is fine.
struct BatchNormArgs {
  GroupNormArgs pieces;
  double* mean = nullptr;      // of each channel
  double* variance = nullptr;  // likewise
};

void normalize_batch(const NormTable& table, Team& team, const BatchNormArgs& args);

}  // namespace tc::kernels
