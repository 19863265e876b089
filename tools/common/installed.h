// Where a program finds what belongs to it: beside it, wherever it was installed or moved to, else in the source tree.
#pragma once

#include <string>

namespace tc {

std::string version();  // as 0.1.0

// Whether the program is an installed one, with its data in share/tc beside it.
bool is_installed();
// A data file, by its path in the source tree.
std::string data_path(const std::string& file);

}  // namespace tc
