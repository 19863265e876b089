// Graphs to differentiate beyond the samples of all ops: broadcasting, empty and symbolic extents, ties, modes.
#pragma once

#include "tests/samples/sample.h"

namespace tc {

std::vector<Sample> gradient_samples();
void control_samples(std::vector<Sample>& samples);
void window_samples(std::vector<Sample>& samples);

}  // namespace tc
