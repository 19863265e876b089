// What tc-bench leaves: a table for the terminal, Markdown, JSON, and a plot.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tc/tools/bench/session.h"

namespace tc::bench {

// `markdown`: the same columns between bars.
std::string table(const std::vector<Result>& results, bool markdown);
nlohmann::json to_json(const std::vector<Result>& results);
// A bar per result: the second engine's time over the first one's, on a logarithmic axis through 1.
std::string plot_svg(const std::vector<Result>& results, const std::string& first, const std::string& second);

}  // namespace tc::bench
