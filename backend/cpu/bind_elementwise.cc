#include "tc/backend/cpu/bind.h"

namespace tc::cpu {

void rows_bind_elementwise(BindRows&) {}

}  // namespace tc::cpu
