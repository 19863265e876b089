#include "tc/backend/cpu/bind.h"

namespace tc::cpu {

void rows_bind_pool(BindRows&) {}

}  // namespace tc::cpu
