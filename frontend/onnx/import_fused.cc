#include "tc/frontend/onnx/microsoft.h"

namespace tc::onnx {

void rows_import_fused(ImportRows& rows) {
  rows_microsoft_fused(rows);
}

}  // namespace tc::onnx
