// What a model holds: interface, size, work.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tc/frontend/api/tc.h"

namespace tc {

struct ModelInfo {
  std::vector<ValueInfo> inputs, outputs;
  std::map<std::string, std::string> metadata;  // what the file says about itself
  std::map<std::string, std::string> opsets;    // by domain
  std::map<std::string, int64_t> ops;           // nodes, those of regions and functions included
  int64_t functions = 0;
  int64_t weights = 0, parameters = 0;  // distinct tensors; elements of those of floating types
  uint64_t weight_bytes = 0;
  std::vector<std::string> symbols;  // of the inputs' extents
  int64_t values = 0, unknown_ranks = 0,
          unknown_extents = 0;  // results; of unknown rank; with extents that only a run tells
  Dim flops;                    // of the main graph's products, convolutions and recurrences, 2 per multiply-add
  int64_t flops_unknown = 0;    // such nodes left out, because their extents are not known in advance
};

// Symbols in `dims` are replaced by numbers before. Regions count once, whatever the loop. Error bad_argument for a
// symbol that no input has, and what inference says of extents that do not fit.
ModelInfo describe_model(const Function& f, const std::map<std::string, int64_t>& dims);

std::string model_text(const ModelInfo& m);
nlohmann::json model_json(const ModelInfo& m);

}  // namespace tc
