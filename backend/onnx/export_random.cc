#include "tc/backend/onnx/export_rows.h"

namespace tc::onnx {
namespace {

// A list without entries is none in a file: one number is drawn, and loses its axis.
template <class Op>
std::vector<Value*> scalar(Lowering& l) {
  auto a = l.attrs<Op>();
  if (!a.shape.empty()) return {};
  a.shape = {1};
  l.why = "drawn as a vector: a list without extents cannot be written";
  return {l.b.make<Squeeze>({l.again<Op>(std::move(a))[0], l.b.ints({0})})};
}

}  // namespace

void rows_export_random(ExportRows& rows) {
  rows.push_back({OpId::RandomNormal, 1, nullptr, scalar<RandomNormal>});
  rows.push_back({OpId::RandomUniform, 1, nullptr, scalar<RandomUniform>});
}

}  // namespace tc::onnx
