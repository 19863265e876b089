// Rewrites a module until every node can be written in a dialect.
#pragma once

#include "tc/backend/onnx/dialect.h"

namespace tc::onnx {

// Calls are inlined or stay, as the options say. Error unsupported with every node that cannot be expressed.
ExportReport legalize(Module& module, const Dialect& dialect, const ExportOptions& options);

}  // namespace tc::onnx
