// The algorithms of one tier, each in its own object, gathered by conv_tier.cc.
#pragma once
#include "tc/kernels/conv/conv.h"
#include "tc/kernels/tier.h"

namespace tc::kernels {

#define TC_CONV_TILE(function, ...) \
  void TC_TIER_NAME(function)(const ConvArgs& args, const ConvPlan& plan, int64_t tile, int worker);
#define TC_CONV_NO_TILE
#define TC_CONV_ALGORITHM(name, tile, ...) tile
#include "tc/kernels/conv/algorithms.def"
#undef TC_CONV_ALGORITHM
#undef TC_CONV_NO_TILE
#undef TC_CONV_TILE

void TC_TIER_NAME(conv_winograd_pack)(const ConvShape& s, ConvAlgorithm algorithm, const float* w, int64_t block,
                                      float* dst);

}  // namespace tc::kernels
