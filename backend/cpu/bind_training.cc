#include "tc/backend/cpu/bind.h"

namespace tc::cpu {

void rows_bind_training(BindRows&) {}

}  // namespace tc::cpu
