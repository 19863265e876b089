#include "tc/backend/cpu/bind/bind.h"

namespace tc::cpu {

void rows_bind_text(BindRows&) {}

}  // namespace tc::cpu
