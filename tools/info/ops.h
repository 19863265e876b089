// The table of ops, derived from their facts and from the rows of importer and backend.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tc {

// One line per op and family. `names`: only these ops and families; empty for all. Error bad_argument for an unknown
// one.
std::string ops_text(const std::vector<std::string>& names);
// As Markdown: docs/ops.md.
std::string ops_markdown();
nlohmann::json ops_json(const std::vector<std::string>& names);

}  // namespace tc
