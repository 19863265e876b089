#include "tc/frontend/onnx/import_rows.h"

namespace tc::onnx {
namespace {

// The axes were an attribute before they became an input.
template <class Op>
std::vector<Value*> axes_attribute(NodeImport& n) {
  ReduceOp::Attrs attrs;
  attrs.keepdims = n.int_attr("keepdims", 1) != 0;
  return {n.b().make<Op>({n.required(0), n.ints_as_input("axes")}, attrs)};
}

}  // namespace

void rows_import_reduce(ImportRows& rows) {
#define TC_REDUCE(Name, spelling, since, types, doc, start, step, finish) \
  rows.push_back({#Name, 1, axes_attribute<Name>});
#include "tc/ir/ops/reduce.def"
}

}  // namespace tc::onnx
