// Convolutions and reorders on every tier of the machine.
#include <memory>
#include <string>
#include <utility>

#include "buffer.h"
#include "ceilings.h"
#include "tc/kernels/conv/conv.h"
#include "tc/kernels/cpu.h"
#include "tc/kernels/gemm/gemm.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/table.h"

namespace tc::kernels {
namespace {

struct Case {
  std::string name;
  ConvAlgorithm algorithm;
  int64_t ic, oc, size, kernel, stride, groups;
};

constexpr auto kDirect = ConvAlgorithm::direct;
constexpr auto kPlain = ConvAlgorithm::direct_plain;
constexpr auto kDepthwise = ConvAlgorithm::depthwise;
constexpr auto kSplit = ConvAlgorithm::split;
constexpr auto kSplitPlain = ConvAlgorithm::split_plain;

// 3x3 with stride 1, channels and size, by every algorithm.
struct Square {
  int64_t channels, size;
};
const Square kSquares[] = {{16, 56},  {32, 112}, {32, 28},  {64, 224}, {64, 112}, {128, 112},
                           {128, 56}, {256, 56}, {64, 56},  {64, 28},  {96, 28},  {128, 28},
                           {192, 14}, {256, 28}, {256, 14}, {512, 28}, {512, 14}, {512, 7}};
const std::pair<const char*, ConvAlgorithm> kSquareAlgorithms[] = {{"3x3_", kDirect},
                                                                   {"winograd2_", ConvAlgorithm::winograd2},
                                                                   {"winograd4_", ConvAlgorithm::winograd4},
                                                                   {"winograd6_", ConvAlgorithm::winograd6},
                                                                   {"split_3x3_", kSplit},
                                                                   {"split_winograd_", ConvAlgorithm::split_winograd}};

const Case kCases[] = {
    {"3x3_128_s2_56", kDirect, 128, 128, 56, 3, 2, 1},
    {"3x3_256_s2_28", kDirect, 256, 256, 28, 3, 2, 1},
    {"winograd2_256_s2_28", ConvAlgorithm::winograd2, 256, 256, 28, 3, 2, 1},
    {"winograd4_128_s2_56", ConvAlgorithm::winograd4, 128, 128, 56, 3, 2, 1},
    {"1x1_64_256_56", kDirect, 64, 256, 56, 1, 1, 1},
    {"1x1_256_64_56", kDirect, 256, 64, 56, 1, 1, 1},
    {"1x1_512_1024_14", kDirect, 512, 1024, 14, 1, 1, 1},
    {"1x1_24_144_56", kDirect, 24, 144, 56, 1, 1, 1},
    {"split_3x3_128_s2_56", kSplit, 128, 128, 56, 3, 2, 1},
    {"split_1x1_64_256_56", kSplit, 64, 256, 56, 1, 1, 1},
    {"split_1x1_256_64_56", kSplit, 256, 64, 56, 1, 1, 1},
    {"split_1x1_512_1024_14", kSplit, 512, 1024, 14, 1, 1, 1},
    {"7x7_s2_3_64_224", kPlain, 3, 64, 224, 7, 2, 1},
    {"split_7x7_s2_3_64_224", kSplitPlain, 3, 64, 224, 7, 2, 1},
    {"3x3_s2_3_32_224", kPlain, 3, 32, 224, 3, 2, 1},
    {"split_3x3_s2_3_32_224", kSplitPlain, 3, 32, 224, 3, 2, 1},
    {"8x8_s8_3_192_224", kPlain, 3, 192, 224, 8, 8, 1},
    {"split_8x8_s8_3_192_224", kSplitPlain, 3, 192, 224, 8, 8, 1},
    {"16x16_s16_3_192_224", kPlain, 3, 192, 224, 16, 16, 1},
    {"split_16x16_s16_3_192_224", kSplitPlain, 3, 192, 224, 16, 16, 1},
    {"9x9_3_64_64", kPlain, 3, 64, 64, 9, 1, 1},
    {"split_9x9_3_64_64", kSplitPlain, 3, 64, 64, 9, 1, 1},
    {"3x3_4_320_64", kPlain, 4, 320, 64, 3, 1, 1},
    {"split_3x3_4_320_64", kSplitPlain, 4, 320, 64, 3, 1, 1},
    {"7x7_s2_3_32_224", kPlain, 3, 32, 224, 7, 2, 1},
    {"split_7x7_s2_3_32_224", kSplitPlain, 3, 32, 224, 7, 2, 1},
    {"depthwise_144_56", kDepthwise, 144, 144, 56, 3, 1, 144},
    {"depthwise_144_s2_56", kDepthwise, 144, 144, 56, 3, 2, 144},
    {"depthwise_16_28", kDepthwise, 16, 16, 28, 3, 1, 16},
    {"depthwise_5x5_64_14", kDepthwise, 64, 64, 14, 5, 1, 64},
    {"im2col_3x3_64_56", ConvAlgorithm::im2col, 64, 64, 56, 3, 1, 1},
};

ConvShape shape_of(const Case& c) {
  ConvShape s;
  s.ic = c.ic, s.oc = c.oc, s.groups = c.groups;
  for (const int axis : {1, 2}) {
    s.in[axis] = c.size, s.kernel[axis] = c.kernel, s.stride[axis] = c.stride, s.pad[axis] = c.kernel / 2;
    s.out[axis] = (c.size + 2 * s.pad[axis] - c.kernel) / c.stride + 1;
  }
  return s;
}

struct Conv {
  const Table& kernels;
  Team team;
  ConvArgs args;
  ConvPlan plan;
  Buffer x, y, w, bias, scratch;

  Conv(Tier tier, int threads, const Case& c, const ConvShape& s)
      : kernels(table(tier)),
        team(threads),
        plan(conv_plan(c.algorithm, s, kernels.gemm.traits.fn().width)),
        x(blocked_floats(1, s.ic, c.size * c.size)),
        y(blocked_floats(1, s.oc, s.out[1] * s.out[2])),
        w(conv_packed_floats(c.algorithm, s)),
        bias(s.oc),
        scratch(static_cast<int64_t>(conv_scratch_bytes(plan, threads) / 4)) {
    args.shape = s;
    args.x = x.data, args.w = w.data, args.y = y.data, args.scratch = scratch.data;
    args.epilogue.bias = bias.data;
    args.epilogue.lo = 0;
  }
};

// As a direct convolution's multiply-adds count, whatever the algorithm.
Run conv_run(Tier tier, int threads, const Case& c) {
  const ConvShape s = shape_of(c);
  const auto work = std::make_shared<Conv>(tier, threads, c, s);
  const int64_t inputs = s.ic * c.size * c.size, outputs = s.oc * s.out[1] * s.out[2];
  return {{2.0 * static_cast<double>(outputs * (s.ic / s.groups) * c.kernel * c.kernel),
           4.0 * static_cast<double>(inputs + outputs + conv_packed_floats(c.algorithm, s))},
          [work] { conv(work->team, work->kernels.conv, work->args, work->plan); }};
}

Run reorder_run(Tier tier, int threads, bool blocked) {
  constexpr int64_t channels = 64, pixels = 56 * 56;
  const auto team = std::make_shared<Team>(threads);
  const auto x = std::make_shared<Buffer>(channels * pixels), y = std::make_shared<Buffer>(channels * pixels);
  return {{0, 8.0 * channels * pixels}, [=] {
            if (blocked)
              to_blocked(*team, table(tier).conv, x->data, 1, channels, pixels, y->data);
            else
              to_plain(*team, table(tier).conv, x->data, 1, channels, pixels, y->data);
          }};
}

}  // namespace

void register_conv() {
  for (const Tier tier : usable_tiers()) {
    const std::string prefix = std::string("/") + tier_name(tier) + "/";
    const auto add = [&](const Case& c) {
      if (table(tier).conv.tile(c.algorithm).fn == nullptr) return;
      register_runs("conv" + prefix + c.name, tier, [=](int threads) { return conv_run(tier, threads, c); });
    };
    for (const auto& [channels, size] : kSquares)
      for (const auto& [name, algorithm] : kSquareAlgorithms)
        add({name + std::to_string(channels) + "_" + std::to_string(size), algorithm, channels, channels, size, 3, 1,
             1});
    for (const Case& c : kCases) add(c);
    for (const bool blocked : {true, false})
      register_runs("reorder" + prefix + (blocked ? "to_blocked" : "to_plain"), tier,
                    [=](int threads) { return reorder_run(tier, threads, blocked); });
  }
}

}  // namespace tc::kernels
