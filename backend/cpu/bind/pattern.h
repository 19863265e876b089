// Rows of ops that write patterns.
#pragma once
#include "tc/backend/cpu/bind/bind.h"

namespace tc::cpu {

bool bind_one_hot(Binder& b);
bool bind_hardmax(Binder& b);
bool bind_trilu(Binder& b);
bool bind_reverse_sequence(Binder& b);
bool bind_range(Binder& b);

}  // namespace tc::cpu
