#include "tc/frontend/onnx/microsoft.h"

namespace tc::onnx {
namespace {

std::vector<Value*> top_k_1(NodeImport& n) {
  if (!n.has_attr("k")) n.fail(ErrorCode::bad_attribute, "attribute 'k' is missing");
  Value* k = n.b().ints({n.int_attr("k", 0)});
  auto attrs = n.attrs<TopK>();
  Node* top = n.b().make_n<TopK>({n.required(0), k}, std::move(attrs), 2);
  return {top->result(0), top->result(1)};
}

// In order of appearance; the places are those in the result.
std::vector<Value*> microsoft_unique(NodeImport& n) {
  Node* found = n.b().make_n<Unique>({n.required(0)}, {.axis = {}, .sorted = false}, 4);
  return {found->result(0), found->result(2), found->result(3)};
}

}  // namespace

void rows_import_search(ImportRows& rows) {
  rows.push_back({"TopK", 1, top_k_1});
  rows.push_back({"Unique", 1, microsoft_unique, kMicrosoft});
}

}  // namespace tc::onnx
