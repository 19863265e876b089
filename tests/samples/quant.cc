#include "tests/samples/sample.h"

namespace tc {

void samples_quant(std::vector<Sample>&) {}

}  // namespace tc
