// Compiled for AVX2 with AVX-VNNI: chosen by int8_table where the machine has it.
#define TC_VNNI
#include "tc/kernels/int8/int8_vnni.h"

#include "tc/kernels/int8/int8_engine.h"

namespace tc::kernels {

void use_int8_avx_vnni(Int8Table& table) {
  table.traits = {int8_traits, "int8_traits__vnni__avx2"};
  table.block = {int8_block, "dot_i8__vnni__avx2"};
}

}  // namespace tc::kernels
