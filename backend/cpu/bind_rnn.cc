#include "tc/backend/cpu/bind.h"

namespace tc::cpu {

void rows_bind_rnn(BindRows&) {}

}  // namespace tc::cpu
