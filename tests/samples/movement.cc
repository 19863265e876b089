#include "tests/samples/sample.h"

namespace tc {

void samples_movement(std::vector<Sample>&) {}

}  // namespace tc
