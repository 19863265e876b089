// What the machine can do: instruction-set tiers, caches, usable cores.
//
// Facts are read once, on first use, and never change afterwards. A tier is a level of kernels, not a list of CPU
// flags: a machine "has" a tier when every instruction that the tier's objects may contain is usable (the operating
// system saves the registers too), and tiers are ordered, each one implying those before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tc/kernels/tier.h"

namespace tc::kernels {

// Whether this build has kernels of the tier.
bool is_built(Tier tier);

// The names of the tiers of this build, the lowest first: "sse42", "avx2", "avx512", "amx", as used by TC_ISA, by
// kernel names and by the command line.
std::vector<std::string> tier_names();
// The tier of this build that has the name.
std::optional<Tier> parse_tier(std::string_view name);

struct CpuInfo {
  std::string model;                  // brand string; empty if unknown
  Tier tier = Tier::portable;         // the highest tier of this build that the hardware and the operating system
                                      // support
  bool dotprod = false;               // sdot
  bool i8mm = false;                  // usdot
  bool avx_vnni = false;              // VEX-encoded vpdpbusd
  bool avx512_vnni = false;           // vpdpbusd on 512-bit registers
  bool avx512_bf16 = false;           // vdpbf16ps
  bool amd = false;                   // of that vendor, whose cores read memory in other ways
  int cores = 1;                      // cores that this process may run on (its affinity mask)
  std::size_t l1d_bytes = 32u << 10;  // per core; typical sizes stand in where the system does not tell
  std::size_t l2_bytes = 512u << 10;  // per core
  std::size_t l3_bytes = 0;           // shared; 0 if there is none or it is unknown

  // Of that vendor Zen 4 is the first with AVX-512.
  bool zen4_or_later() const { return amd && tier >= Tier::avx512; }
};

const CpuInfo& cpu_info();

// The tiers of this build that the machine has, the lowest first.
std::vector<Tier> usable_tiers();

// The tier to use: the machine's, capped by the environment variable TC_ISA. A value of TC_ISA that is no tier's name
// is ignored here; tools check it with parse_tier and say so.
Tier active_tier();

}  // namespace tc::kernels
