#include "tc/frontend/onnx/import_rows.h"

namespace tc::onnx {
namespace {

std::vector<Value*> top_k_1(NodeImport& n) {
  if (!n.has_attr("k")) n.fail(ErrorCode::bad_attribute, "attribute 'k' is missing");
  Value* k = n.b().ints({n.int_attr("k", 0)});
  auto attrs = n.attrs<TopK>();
  Node* top = n.b().make_n<TopK>({n.required(0), k}, std::move(attrs), 2);
  return {top->result(0), top->result(1)};
}

}  // namespace

void rows_import_search(ImportRows& rows) {
  rows.push_back({"TopK", 1, top_k_1});
}

}  // namespace tc::onnx
