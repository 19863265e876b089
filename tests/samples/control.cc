#include "tests/samples/sample.h"

namespace tc {

void samples_control(std::vector<Sample>&) {}

}  // namespace tc
