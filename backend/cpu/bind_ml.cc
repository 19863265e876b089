#include "tc/backend/cpu/bind.h"

namespace tc::cpu {

void rows_bind_ml(BindRows&) {}

}  // namespace tc::cpu
