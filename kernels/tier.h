// Instruction-set tiers. A build has those of one architecture (TC_TIERS of CMake), in rising order: a machine that has
// one has all of them below it. Which one runs is chosen by cpu.h.
// Inside *_tier.cc files, compiled once per tier with TC_TIER defined, TC_TIER_NAME(x) is x_<tier>: the only names such
// a file defines with external linkage. Everything else there sits in an anonymous namespace.
#pragma once

namespace tc::kernels {

// portable: vectors of 128 bits as compilers have them for any machine. neon: what every aarch64 machine has. amx:
// AVX-512 with VNNI and BF16, and tiles of bytes and of bf16; it has no *_tier.cc objects of its own, but kernels that
// take the place of some of avx512's.
enum class Tier { portable, neon, sse42, avx2, avx512, amx };

inline constexpr int kTierCount = 6;

constexpr const char* tier_name(Tier tier) {
  constexpr const char* kNames[] = {"portable", "neon", "sse42", "avx2", "avx512", "amx"};
  return kNames[static_cast<int>(tier)];
}

// One kernel of a table: what to call, and its name as `op_types__tile__tier`. Empty where the tier has nothing better.
template <class Fn>
struct Slot {
  Fn* fn = nullptr;
  const char* name = nullptr;
};

}  // namespace tc::kernels

#define TC_TIER_CONCAT_(a, b) a##_##b
#define TC_TIER_CONCAT(a, b) TC_TIER_CONCAT_(a, b)
#define TC_TIER_NAME(x) TC_TIER_CONCAT(x, TC_TIER)
#define TC_TIER_STRING_(x) #x
#define TC_TIER_STRING(x) TC_TIER_STRING_(x)
// The name of a kernel in a slot: TC_KERNEL(gemm, "gemm_f32__14x32") gives {gemm, "gemm_f32__14x32__avx512"}.
#define TC_KERNEL(fn, name) \
  { fn, name "__" TC_TIER_STRING(TC_TIER) }
