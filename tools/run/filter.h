// Which cases --filter chooses.
#pragma once

#include <functional>
#include <string>

namespace tc {

using NameFilter = std::function<bool(const std::string& name)>;

// Names in which the regular expression matches somewhere; in a build without RE2, names that contain the text. Empty
// chooses all. Error bad_argument for what is not a regular expression.
NameFilter name_filter(const std::string& pattern);

}  // namespace tc
