#include "tc/frontend/onnx/import_rows.h"

namespace tc::onnx {

void rows_import_text(ImportRows&) {}

}  // namespace tc::onnx
