// ONNX → IR: any opset from 1 on, any IR version, over the mapped file. Weights stay views into it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tc/frontend/onnx/load_options.h"
#include "tc/ir/builder.h"
#include "tc/ir/module.h"

namespace tc::onnx {

// Appends the gradients of `y` with respect to `xs` at the point where xs and zs have other values: those of `inputs`,
// first of xs, then of zs.
using Differentiate =
    std::function<std::vector<Value*>(Builder&, Value* y, const std::vector<Value*>& xs, const std::vector<Value*>& zs,
                                      const std::vector<Value*>& inputs)>;

struct ImportOptions {
  // What the operator Gradient stands for (tc::gradients_at); empty: it is unsupported.
  Differentiate differentiate = {};
  LoadOptions load = {};
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
