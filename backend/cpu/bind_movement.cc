#include "tc/backend/cpu/bind.h"

namespace tc::cpu {

void rows_bind_movement(BindRows&) {}

}  // namespace tc::cpu
