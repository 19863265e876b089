#include "tc/frontend/onnx/import_rows.h"

namespace tc::onnx {
namespace {

// The axis was an attribute before it was an input.
std::vector<Value*> dft_17(NodeImport& n) {
  Value* axis = n.b().scalar<int64_t>(n.int_attr("axis", 1));
  auto attrs = n.attrs<DFT>();
  return {n.b().make<DFT>({n.required(0), n.in(1), axis}, attrs)};
}

}  // namespace

void rows_import_signal(ImportRows& rows) {
  rows.push_back({"DFT", 17, dft_17});
}

}  // namespace tc::onnx
