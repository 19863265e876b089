#include "tc/backend/cpu/bind.h"

namespace tc::cpu {

void rows_bind_core(BindRows&) {}

}  // namespace tc::cpu
