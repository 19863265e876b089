#include "tc/frontend/onnx/import_rows.h"

namespace tc::onnx {

void rows_import_conv(ImportRows&) {}

}  // namespace tc::onnx
