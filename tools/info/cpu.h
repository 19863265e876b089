// What `tc-info cpu` prints: facts from the system, and rates that are measured.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tc/tools/common/rates.h"

namespace tc {

std::string cpu_text(const MachineRates* rates);
nlohmann::json cpu_json(const MachineRates* rates);

}  // namespace tc
