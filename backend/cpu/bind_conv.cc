#include "tc/backend/cpu/bind.h"

namespace tc::cpu {

void rows_bind_conv(BindRows&) {}

}  // namespace tc::cpu
