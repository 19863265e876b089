// tc-opt --quantize and --convert.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>
#include <string>

#include "tc/frontend/api/quantize.h"
#include "tc/tools/common/inputs.h"

namespace tc {

struct QuantizeFlags {
  std::string mode, convert, calibration = "min-max", data;  // empty mode and convert: nothing is asked for
  ModelQuantization options;
  std::optional<double> cosine;  // that outputs must reach
  bool check = false;
  bool asked() const { return !mode.empty() || !convert.empty(); }
};
void add_quantize_options(CLI::App& app, QuantizeFlags& flags);

// What f becomes; a report by layer goes to that stream, null: nowhere. Error check_failed when outputs differ by
// more than was asked for.
Function quantized(const Function& f, const QuantizeFlags& flags, const InputSpec& inputs, std::FILE* report);

}  // namespace tc
