#include "tc/backend/cpu/bind.h"

namespace tc::cpu {

void rows_bind_vision(BindRows&) {}

}  // namespace tc::cpu
