// ONNX → IR: any opset from 1 on, any IR version, over the mapped file. Weights stay views into it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tc/ir/module.h"

namespace tc::onnx {

struct ImportOptions {
  // Folder for external data when the model is given as bytes; empty: external data is an error.
  std::string external_data_folder;
};

// Error bad_file for malformed files; all unknown or unsupported operators and attributes of a model come in one error.
std::unique_ptr<Module> import_file(const std::string& path, const ImportOptions& options = {});
// `bytes` must stay unchanged while `owner` lives; weights are views into them.
std::unique_ptr<Module> import_bytes(const void* data, size_t size, std::shared_ptr<const void> owner,
                                     const std::string& name, const ImportOptions& options = {});

// Every (domain, operator, since) that import knows, for documentation and tests.
struct KnownOperator {
  std::string domain, name;
  int since;
};
std::vector<KnownOperator> known_operators();

}  // namespace tc::onnx
