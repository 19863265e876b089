#include "tc/frontend/onnx/import_rows.h"

namespace tc::onnx {

void rows_import_linalg(ImportRows&) {}

}  // namespace tc::onnx
