#include "tc/backend/cpu/bind.h"

namespace tc::cpu {

void rows_bind_quant(BindRows&) {}

}  // namespace tc::cpu
