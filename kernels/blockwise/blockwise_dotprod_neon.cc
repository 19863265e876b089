// Compiled for aarch64 with dot products of bytes: chosen by table.cc where the machine has them.
#define TC_VNNI
#include "tc/kernels/blockwise/blockwise_engine.h"
#include "tc/kernels/blockwise/blockwise_neon.h"

namespace tc::kernels {

void use_blockwise_dotprod(BlockwiseTable& table) {
  table.tile = {by_integers, "blockwise_f32__dotprod__neon"};
}

}  // namespace tc::kernels
