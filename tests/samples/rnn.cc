#include "tests/samples/sample.h"

namespace tc {

void samples_rnn(std::vector<Sample>&) {}

}  // namespace tc
