#include "tc/frontend/onnx/import_rows.h"

namespace tc::onnx {

void rows_import_random(ImportRows&) {}

}  // namespace tc::onnx
