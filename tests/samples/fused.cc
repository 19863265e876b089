#include "tests/samples/sample.h"

namespace tc {

void samples_fused(std::vector<Sample>&) {}

}  // namespace tc
