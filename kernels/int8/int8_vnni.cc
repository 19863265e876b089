// Compiled for AVX-512 with VNNI: chosen by int8_table where the machine has it.
#define TC_VNNI
#include "tc/kernels/int8/int8_vnni.h"

#include "tc/kernels/int8/int8_engine.h"

namespace tc::kernels {

void int8_block_vnni(const Int8Block& b) {
  int8_block(b);
}

}  // namespace tc::kernels
