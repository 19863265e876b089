#include "tc/frontend/onnx/import_rows.h"

namespace tc::onnx {
namespace {

// c always broadcasts now.
std::vector<Value*> gemm_with_broadcast(NodeImport& n) {
  n.ignore_attr("broadcast");
  return n.regular(OpId::Gemm);
}

}  // namespace

void rows_import_matmul(ImportRows& rows) {
  rows.push_back({"Gemm", 1, gemm_with_broadcast});
}

}  // namespace tc::onnx
