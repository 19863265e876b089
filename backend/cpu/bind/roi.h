// Regions of interest, rows of bind_pool.cc.
#pragma once

#include "tc/backend/cpu/bind/bind.h"

namespace tc::cpu {

bool bind_roi_align(Binder& b);
bool bind_max_roi_pool(Binder& b);

}  // namespace tc::cpu
