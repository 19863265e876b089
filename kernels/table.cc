#include "tc/kernels/table.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "tc/kernels/cpu.h"
#if TC_WITH_AVX512
#include "tc/kernels/attention/attention_amx.h"
#include "tc/kernels/conv/conv_amx.h"
#include "tc/kernels/gemm/gemm_amx.h"
#include "tc/kernels/int8/int8_amx.h"
#include "tc/kernels/rnn/rnn_amx.h"
#endif
#if TC_WITH_NEON
#include "tc/kernels/blockwise/blockwise_neon.h"
#include "tc/kernels/int8/int8_neon.h"
#endif
#if TC_WITH_AVX512 || TC_WITH_AVX2
#include "tc/kernels/blockwise/blockwise_vnni.h"
#include "tc/kernels/int8/int8_vnni.h"
#endif

namespace tc::kernels {

#define TC_X(name, Struct)                   \
  extern const Struct name##_table_portable; \
  extern const Struct name##_table_neon;     \
  extern const Struct name##_table_sse42;    \
  extern const Struct name##_table_avx2;     \
  extern const Struct name##_table_avx512;
TC_KERNEL_FAMILIES(TC_X)
#undef TC_X

namespace {

// Every slot is a function pointer and a name, whatever the function's type.
struct AnySlot {
  void (*fn)();
  const char* name;
};

template <class T>
[[maybe_unused]] T merged(const T& better, const T& lesser) {
  using Slots = std::array<AnySlot, sizeof(T) / sizeof(AnySlot)>;
  Slots out = std::bit_cast<Slots>(better);
  const Slots fallback = std::bit_cast<Slots>(lesser);
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i].fn == nullptr) out[i] = fallback[i];
  }
  return std::bit_cast<T>(out);
}

// Of the tiers of this build each one's own slots over those of the one below; CMake says which there are.
struct Tables {
  Table by_tier[kTierCount] = {};
  Table& of(Tier tier) { return by_tier[static_cast<int>(tier)]; }
  Tables() {
    [[maybe_unused]] Table best{};
#define TC_ADD(tier, name, Struct) of(Tier::tier).name = best.name = merged<Struct>(name##_table_##tier, best.name);
#if TC_WITH_PORTABLE
#define TC_X(name, Struct) TC_ADD(portable, name, Struct)
    TC_KERNEL_FAMILIES(TC_X)
#undef TC_X
#endif
#if TC_WITH_NEON
#define TC_X(name, Struct) TC_ADD(neon, name, Struct)
    TC_KERNEL_FAMILIES(TC_X)
#undef TC_X
    if (cpu_info().i8mm)
      use_int8_i8mm(of(Tier::neon).int8), use_blockwise_i8mm(of(Tier::neon).blockwise);
    else if (cpu_info().dotprod)
      use_int8_dotprod(of(Tier::neon).int8), use_blockwise_dotprod(of(Tier::neon).blockwise);
#endif
#if TC_WITH_SSE42
#define TC_X(name, Struct) TC_ADD(sse42, name, Struct)
    TC_KERNEL_FAMILIES(TC_X)
#undef TC_X
#endif
#if TC_WITH_AVX2
#define TC_X(name, Struct) TC_ADD(avx2, name, Struct)
    TC_KERNEL_FAMILIES(TC_X)
#undef TC_X
    // Not every machine of a tier has what these files are compiled for, to copy a table included.
    if (cpu_info().avx_vnni) use_int8_avx_vnni(of(Tier::avx2).int8), use_blockwise_avx_vnni(of(Tier::avx2).blockwise);
#endif
#if TC_WITH_AVX512
#define TC_X(name, Struct) TC_ADD(avx512, name, Struct)
    TC_KERNEL_FAMILIES(TC_X)
#undef TC_X
    if (cpu_info().avx512_vnni) use_int8_vnni(of(Tier::avx512).int8), use_blockwise_vnni(of(Tier::avx512).blockwise);
    of(Tier::amx) = of(Tier::avx512);
    // Beside tiles, which only runs touch, the files are compiled for these; with tiles in software they run as they
    // are.
    if (!cpu_info().avx512_vnni || !cpu_info().avx512_bf16) return;
    use_attention_amx(of(Tier::amx).attention);
    use_conv_amx(of(Tier::amx).conv);
    use_gemm_amx(of(Tier::amx).gemm);
    use_int8_amx(of(Tier::amx).int8);
    use_rnn_amx(of(Tier::amx).rnn);
#endif
#undef TC_ADD
  }
};

}  // namespace

const Table& table(Tier tier) {
  static const Tables tables;
  return tables.by_tier[static_cast<int>(tier)];
}

}  // namespace tc::kernels
