// The algorithms of one tier, each in its own object, gathered by conv_tier.cc.
#pragma once
#include "tc/kernels/conv/conv.h"
#include "tc/kernels/tier.h"

namespace tc::kernels {

void TC_TIER_NAME(conv_direct)(const ConvArgs& args, const ConvPlan& plan, int64_t tile, int worker);
void TC_TIER_NAME(conv_depthwise)(const ConvArgs& args, const ConvPlan& plan, int64_t tile, int worker);
void TC_TIER_NAME(conv_winograd)(const ConvArgs& args, const ConvPlan& plan, int64_t tile, int worker);
void TC_TIER_NAME(conv_winograd_pack)(const ConvShape& s, ConvAlgorithm algorithm, const float* w, int64_t block,
                                      float* dst);
void TC_TIER_NAME(conv_im2col)(const ConvArgs& args, const ConvPlan& plan, int64_t tile, int worker);
void TC_TIER_NAME(conv_patches)(const ConvArgs& args, const ConvPlan& plan, int64_t tile, int worker);
void TC_TIER_NAME(conv_nchw)(const ConvArgs& args, const ConvPlan& plan, int64_t tile, int worker);
void TC_TIER_NAME(conv_depthwise_nchw)(const ConvArgs& args, const ConvPlan& plan, int64_t tile, int worker);

}  // namespace tc::kernels
