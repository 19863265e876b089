// Compiled for aarch64 with dot products of bytes of both signednesses: chosen by table.cc where the machine has them.
#define TC_VNNI
#include "tc/kernels/int8/int8_engine.h"
#include "tc/kernels/int8/int8_neon.h"

namespace tc::kernels {

void use_int8_i8mm(Int8Table& table) {
  table.traits = {int8_traits, "int8_traits__i8mm__neon"};
  table.block = {int8_block, "dot_i8__i8mm__neon"};
}

}  // namespace tc::kernels
