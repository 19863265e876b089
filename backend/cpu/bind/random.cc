#include "tc/backend/cpu/bind/bind.h"

namespace tc::cpu {

void rows_bind_random(BindRows&) {}

}  // namespace tc::cpu
