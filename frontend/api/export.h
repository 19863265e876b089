// ONNX out of the front door.
//
//   tc::export_onnx(f, "model.onnx", {.opset = 21});
//   tc::export_onnx(f, "model.onnx", {.target = tc::ort});   // only what ONNX Runtime's CPU kernels have
#pragma once

#include <string>

#include "tc/backend/onnx/export.h"

namespace tc {

class Function;

inline constexpr ExportTarget standard = ExportTarget::standard, ort = ExportTarget::ort;

// Writes an ONNX file, all or nothing, and says what had to be rewritten for the opset and target. Symbolic extents
// become named dimensions. Errors: bad_argument, unsupported (all nodes that cannot be expressed, with reasons),
// bad_file.
ExportReport export_onnx(const Function& f, const std::string& path, const ExportOptions& options = {});
// The bytes of such a file.
std::string export_onnx_bytes(const Function& f, const ExportOptions& options = {});

}  // namespace tc
