#include "tc/backend/cpu/bind.h"

namespace tc::cpu {

void rows_bind_signal(BindRows&) {}

}  // namespace tc::cpu
