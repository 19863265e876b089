#include "tc/frontend/onnx/import_rows.h"

namespace tc::onnx {

void rows_import_gather(ImportRows& rows) {
  rows.push_back({"Scatter", 9, [](NodeImport& n) { return n.regular(OpId::ScatterElements); }});
}

}  // namespace tc::onnx
