#include "tc/backend/cpu/bind.h"

namespace tc::cpu {

void rows_bind_linalg(BindRows&) {}

}  // namespace tc::cpu
