// Compiled for AVX-512 with VNNI: chosen by table.cc where the machine has it.
#define TC_VNNI
#include "tc/kernels/blockwise/blockwise_vnni.h"

#include "tc/kernels/blockwise/blockwise_engine.h"

namespace tc::kernels {

void use_blockwise_vnni(BlockwiseTable& table) {
  table.tile = {by_integers, "blockwise_f32__vnni__avx512"};
}

}  // namespace tc::kernels
