#include "tc/backend/cpu/bind.h"

namespace tc::cpu {

void rows_bind_reduce(BindRows&) {}

}  // namespace tc::cpu
