#include "tests/samples/sample.h"

namespace tc {

void samples_softmax(std::vector<Sample>&) {}

}  // namespace tc
