#include "tc/backend/onnx/export_rows.h"

namespace tc::onnx {
namespace {

// The axis was an attribute until opset 20.
void dft_17(NodeExport& n) {
  const auto& a = n.attrs<DFT>();
  if (a.inverse && a.onesided) n.refuse("the inverse of a one-sided DFT exists from opset 20 on");
  const int64_t axis = n.node().operand(2) ? n.known_ints(2).at(0) : DFT::kDefaultAxis;
  n.regular();
  n.drop_inputs_from(2);
  n.set("axis", axis);
}

// One type serves the step and the length.
std::vector<Value*> stft(Lowering& l) {
  if (!l.in(3) || l.in(1)->dtype() == l.in(3)->dtype()) return {};
  l.why = "step and length in one type";
  return l.again({l.in(0), l.cast(l.in(1), DType::i64), l.in(2), l.cast(l.in(3), DType::i64)});
}

}  // namespace

void rows_export_signal(ExportRows& rows) {
  rows.push_back({OpId::DFT, 17, dft_17});
  rows.push_back({OpId::DFT, 20});
  rows.push_back({OpId::STFT, 1, nullptr, stft});
}

}  // namespace tc::onnx
