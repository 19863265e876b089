#include "tc/frontend/api/export.h"

#include "tc/frontend/api/tc.h"

namespace tc {

ExportReport export_onnx(const Function& f, const std::string& path, const ExportOptions& options) {
  return onnx::export_file(f.module(), path, options);
}

std::string export_onnx_bytes(const Function& f, const ExportOptions& options) {
  return onnx::export_bytes(f.module(), options);
}

}  // namespace tc
