#pragma once

#include "tc/kernels/tier.h"

namespace tc::bench {

// Lets this process, libraries that it loads later and threads that it starts later see a processor of `tier`: CPUID
// leaves out the instructions of higher ones, VNNI with AVX-512 (Intel 64 manual, volume 2A, CPUID). Programs that it
// starts have to call this themselves; glibc's own functions avoid the instructions in these alone. To be called before
// anything asks what the machine has. Error unsupported where the system does not let CPUID be trapped.
void limit_isa(kernels::Tier tier);

}  // namespace tc::bench
