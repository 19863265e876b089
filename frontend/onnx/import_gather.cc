#include "tc/frontend/onnx/microsoft.h"

namespace tc::onnx {

void rows_import_gather(ImportRows& rows) {
  rows.push_back({"Scatter", 9, [](NodeImport& n) { return n.regular(OpId::ScatterElements); }});
  rows.push_back({"GatherND", 1,
                  [](NodeImport& n) -> std::vector<Value*> {
                    return {n.b().make<GatherND>({n.required(0), cast(n, n.required(1), DType::i64)})};
                  },
                  kMicrosoft});
}

}  // namespace tc::onnx
