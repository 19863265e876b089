#include "tc/backend/cpu/bind.h"

namespace tc::cpu {

void rows_bind_attention(BindRows&) {}

}  // namespace tc::cpu
