#include "tc/kernels/table.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "tc/kernels/cpu.h"
#if defined(__x86_64__)
#include "tc/kernels/attention/attention_amx.h"
#include "tc/kernels/blockwise/blockwise_vnni.h"
#include "tc/kernels/conv/conv_amx.h"
#include "tc/kernels/gemm/gemm_amx.h"
#include "tc/kernels/int8/int8_amx.h"
#include "tc/kernels/int8/int8_vnni.h"
#include "tc/kernels/rnn/rnn_amx.h"
#endif

namespace tc::kernels {

#define TC_X(name, Struct)                \
  extern const Struct name##_table_sse42; \
  extern const Struct name##_table_avx2;  \
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

struct Tables {
  Table by_tier[kTierCount] = {};
  Tables() {
#define TC_X(name, Struct)                                              \
  by_tier[0].name = name##_table_sse42;                                 \
  by_tier[1].name = merged<Struct>(name##_table_avx2, by_tier[0].name); \
  by_tier[2].name = merged<Struct>(name##_table_avx512, by_tier[1].name);
    TC_KERNEL_FAMILIES(TC_X)
#undef TC_X
#if defined(__x86_64__)
    // Not every machine of a tier has what these files are compiled for, to copy a table included.
    if (cpu_info().avx_vnni) use_int8_avx_vnni(by_tier[1].int8), use_blockwise_avx_vnni(by_tier[1].blockwise);
    if (cpu_info().avx512_vnni) use_int8_vnni(by_tier[2].int8), use_blockwise_vnni(by_tier[2].blockwise);
#endif
    by_tier[3] = by_tier[2];
#if defined(__x86_64__)
    // Beside tiles, which only runs touch, the files are compiled for these; with tiles in software they run as they are.
    if (!cpu_info().avx512_vnni || !cpu_info().avx512_bf16) return;
    use_attention_amx(by_tier[3].attention);
    use_conv_amx(by_tier[3].conv);
    use_gemm_amx(by_tier[3].gemm);
    use_int8_amx(by_tier[3].int8);
    use_rnn_amx(by_tier[3].rnn);
#endif
  }
};

}  // namespace

const Table& table(Tier tier) {
  static const Tables tables;
  return tables.by_tier[static_cast<int>(tier)];
}

}  // namespace tc::kernels
