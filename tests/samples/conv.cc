#include "tests/samples/sample.h"

namespace tc {

void samples_conv(std::vector<Sample>&) {}

}  // namespace tc
