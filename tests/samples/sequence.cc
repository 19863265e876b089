#include "tests/samples/sample.h"

namespace tc {

void samples_sequence(std::vector<Sample>&) {}

}  // namespace tc
