#include "tc/backend/cpu/bind.h"

namespace tc::cpu {

void rows_bind_search(BindRows&) {}

}  // namespace tc::cpu
