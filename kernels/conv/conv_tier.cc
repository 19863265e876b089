// The table of convolutions, and weight packing.
#include <cstring>

#include "tc/kernels/conv/algorithms_tier.h"
#include "tc/kernels/conv/blocks_tier.h"
#include "tc/kernels/conv/taps.h"
#include "tc/kernels/cpu.h"

namespace tc::kernels {
namespace {

// The weight of (output channel, input channel within its group, tap).
TC_INLINE float weight(const ConvShape& s, const float* w, int64_t oc, int64_t ic, int64_t tap, int64_t taps) {
  const int64_t in_channels = s.ic / s.groups, out_channels = s.oc / s.groups;
  if (!s.transposed) return w[(oc * in_channels + ic) * taps + tap];
  return w[((oc / out_channels * in_channels + ic) * out_channels + oc % out_channels) * taps + tap];
}

// One output block: [phase][input block][tap][step][16]; steps are the channels of an input block.
void pack_direct(const ConvShape& s, const float* w, int64_t steps, int64_t group, int64_t o0, float* dst) {
  const int64_t taps = s.kernel[0] * s.kernel[1] * s.kernel[2];
  const int64_t in_channels = s.ic / s.groups, out_channels = s.oc / s.groups;
  for_taps(s, steps, [&](int64_t i0, int64_t tap) {
    for (int64_t i = i0; i < i0 + steps; ++i) {
      for (int64_t o = o0; o < o0 + kChannelBlock; ++o) {
        *dst++ = i < in_channels && o < out_channels ? weight(s, w, group * out_channels + o, i, tap, taps) : 0.0f;
      }
    }
  });
}

void pack_few_outputs(const ConvShape& s, const float* w, float* dst) {
  const int64_t taps = s.kernel[0] * s.kernel[1] * s.kernel[2];
  for_taps(s, kChannelBlock, [&](int64_t i0, int64_t tap) {
    for (int64_t o = 0; o < s.oc; ++o) {
      for (int64_t i = i0; i < i0 + kChannelBlock; ++i) *dst++ = i < s.ic ? weight(s, w, o, i, tap, taps) : 0.0f;
    }
  });
}

void pack(const ConvShape& s, ConvAlgorithm algorithm, const float* w, int64_t tile, float* dst) {
  if (conv_by_winograd(algorithm)) return TC_TIER_NAME(conv_winograd_pack)(s, algorithm, w, tile, dst);
  if (conv_few_outputs(algorithm, s)) return pack_few_outputs(s, w, dst);
  const int64_t taps = s.kernel[0] * s.kernel[1] * s.kernel[2];
  dst += tile * (conv_packed_floats(algorithm, s) / conv_pack_tiles(algorithm, s));
  const int64_t group_blocks = (s.oc / s.groups + kChannelBlock - 1) / kChannelBlock;
  const int64_t first = tile * kChannelBlock;
  switch (algorithm) {
    case ConvAlgorithm::direct:
      if (conv_by_lanes(algorithm, s)) {
        for_taps(s, 1, [&](int64_t, int64_t tap) {
          for (int64_t c = first; c < first + kChannelBlock; ++c) *dst++ = c < s.oc ? w[c * taps + tap] : 0.0f;
        });
        return;
      }
      return pack_direct(s, w, kChannelBlock, tile / group_blocks, tile % group_blocks * kChannelBlock, dst);
    case ConvAlgorithm::direct_plain:
      return pack_direct(s, w, s.ic, 0, first, dst);
    case ConvAlgorithm::depthwise:
      for (int64_t tap = 0; tap < taps; ++tap) {
        for (int64_t c = first; c < first + kChannelBlock; ++c) *dst++ = c < s.oc ? w[c * taps + tap] : 0.0f;
      }
      return;
    case ConvAlgorithm::im2col:
    case ConvAlgorithm::nchw:
    case ConvAlgorithm::depthwise_nchw:
      for (int64_t i = 0; i < s.ic / s.groups; ++i) {
        for (int64_t tap = 0; tap < taps; ++tap) *dst++ = weight(s, w, tile, i, tap, taps);
      }
      return;
    case ConvAlgorithm::patches:
      // Lanes are [kz][ky][output][kx].
      for (int64_t i = 0; i < s.ic; ++i, dst += conv_patch_floats(s)) {
        std::memset(dst, 0, static_cast<size_t>(conv_patch_floats(s)) * sizeof(float));
        for (int64_t lane = 0; lane < taps * s.oc; ++lane) {
          const int64_t kx = lane % s.kernel[2], o = lane / s.kernel[2] % s.oc, row = lane / s.kernel[2] / s.oc;
          dst[lane] = weight(s, w, o, i, row * s.kernel[2] + kx, taps);
        }
      }
      return;
    case ConvAlgorithm::winograd2:
    case ConvAlgorithm::winograd4:
    case ConvAlgorithm::winograd6:
      return;  // above
    case ConvAlgorithm::split:
    case ConvAlgorithm::split_plain:
    case ConvAlgorithm::split_winograd:
      return;  // of no tier
  }
}

// One weight comes in the time of 28 multiply-adds of AVX-512 with one thread, of 51 with two (76 G of them and 11 GB/s
// per core, 12 GB/s for both), of which about half is hidden behind arithmetic. Cores of Zen 4 read faster and compute
// less: resnet18, one thread and two, with 24 19.0 and 10.2 ms, 16 17.3 and 9.7, 12 17.2 and 9.8, 6 20.2 and 12.1.
// Narrower registers compute less meanwhile. A Xeon, one thread, 512 channels of 7 x 7 by 3x3 directly, by m = 2 and by
// m = 4 with AVX2 3.3, 1.7 and 1.7 ms, with SSE4.2 7.9, 5.1 and 3.2.
ConvTraits traits() {
  constexpr int kNumbers = kLanes<float>;
  // Where addresses have 32 bits memory is scarce, too: resnet18 by m = 2 at 512 channels takes 63 MB less.
  if (kNumbers == 4) return {.weight_price = sizeof(void*) == 4 ? 8.0 : 4.0, .winograd6_number = 14};
  if (kNumbers == 8) return {.weight_price = cpu_info().amd ? 14.0 : 12.0, .winograd6_number = 18};
  return {.weight_price = cpu_info().amd ? 14.0 : 24.0, .winograd6_number = 25};
}

}  // namespace

extern constinit const ConvTable TC_TIER_NAME(conv_table);
constinit const ConvTable TC_TIER_NAME(conv_table) = {
    .traits = TC_KERNEL(traits, "conv_traits"),
    .pack = TC_KERNEL(pack, "conv_f32_pack"),
    .direct = TC_KERNEL(TC_TIER_NAME(conv_direct), "conv_f32_direct__nchw16c"),
    .depthwise = TC_KERNEL(TC_TIER_NAME(conv_depthwise), "conv_f32_depthwise__nchw16c"),
    .split = {},
    .split_winograd = {},
    .winograd = TC_KERNEL(TC_TIER_NAME(conv_winograd), "conv_f32_winograd__nchw16c"),
    .im2col = TC_KERNEL(TC_TIER_NAME(conv_im2col), "conv_f32_im2col__nchw"),
    .nchw = TC_KERNEL(TC_TIER_NAME(conv_nchw), "conv_f32_direct__nchw"),
    .depthwise_nchw = TC_KERNEL(TC_TIER_NAME(conv_depthwise_nchw), "conv_f32_depthwise__nchw"),
    .patches = TC_KERNEL(TC_TIER_NAME(conv_patches), "conv_f32_patches__nchw16c_nchw"),
    .to_blocked = TC_KERNEL(to_blocked, "reorder_f32__nchw_nchw16c"),
    .to_plain = TC_KERNEL(to_plain, "reorder_f32__nchw16c_nchw"),
};

}  // namespace tc::kernels
