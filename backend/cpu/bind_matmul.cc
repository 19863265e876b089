#include "tc/backend/cpu/bind.h"

namespace tc::cpu {

void rows_bind_matmul(BindRows&) {}

}  // namespace tc::cpu
