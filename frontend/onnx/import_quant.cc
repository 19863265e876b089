#include "tc/frontend/onnx/microsoft.h"

namespace tc::onnx {

void rows_import_quant(ImportRows& rows) {
  rows_microsoft_quant(rows);
}

}  // namespace tc::onnx
