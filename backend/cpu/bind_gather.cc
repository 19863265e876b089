#include "tc/backend/cpu/bind.h"

namespace tc::cpu {

void rows_bind_gather(BindRows&) {}

}  // namespace tc::cpu
