// The table of convolutions.
#include "tc/kernels/conv/algorithms_tier.h"
#include "tc/kernels/conv/blocks_tier.h"
#include "tc/kernels/cpu.h"

namespace tc::kernels {
namespace {

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
    .winograd_pack = TC_KERNEL(TC_TIER_NAME(conv_winograd_pack), "conv_f32_winograd_pack"),
    .split_pack = {},
    .tiles =
        {
#define TC_CONV_TILE(function, kernel) TC_KERNEL(TC_TIER_NAME(function), kernel)
#define TC_CONV_NO_TILE \
  {}
#define TC_CONV_ALGORITHM(name, tile, ...) tile,
#include "tc/kernels/conv/algorithms.def"
#undef TC_CONV_ALGORITHM
#undef TC_CONV_NO_TILE
#undef TC_CONV_TILE
        },
    .to_blocked = TC_KERNEL(to_blocked, "reorder_f32__nchw_nchw16c"),
    .to_plain = TC_KERNEL(to_plain, "reorder_f32__nchw16c_nchw"),
};

}  // namespace tc::kernels
