// Stands in for the exporter in a build without libonnx and protobuf.
#include "tc/backend/onnx/export.h"

namespace tc::onnx {
namespace {

[[noreturn]] void refuse() {
  fail(ErrorCode::unsupported,
       "this build of tc cannot write ONNX files: it was configured with TC_WITH_ONNX_WRITER=OFF");
}

}  // namespace

ExportReport export_file(const Module&, const std::string&, const ExportOptions&) {
  refuse();
}

std::string export_bytes(const Module&, const ExportOptions&, ExportReport*) {
  refuse();
}

void keep_portable(Module&, const Module&, int) {}
void place_draws(Module&, const ExportOptions&, ExportReport&) {}
void place_custom_ops(Module&, const ExportOptions&, ExportReport&) {}
void write_draws_script(const ExportReport&, const std::string&) {}

}  // namespace tc::onnx

std::string tc::ExportReport::str() const {
  return {};
}
