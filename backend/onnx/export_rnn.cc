#include "tc/backend/onnx/export_rows.h"

namespace tc::onnx {
namespace {

// [batch, time, ...] as [time, batch, ...]: for opsets without `layout`, and for ONNX Runtime, which wants it to be 0.
template <class Op>
std::vector<Value*> time_first(Lowering& l) {
  auto a = l.attrs<Op>();
  if (a.layout == 0 || (l.opset() >= 14 && !l.ort())) return {};
  l.why = l.opset() < 14 ? "the batch axis moves: layout 1 exists from opset 14 on"
                         : "the batch axis moves: ONNX Runtime has no kernel for layout 1";
  a.layout = 0;
  const auto swapped = [&](Value* v) { return v ? l.b.make<Transpose>({v}, {{1, 0, 2}}) : nullptr; };
  std::vector<Value*> operands = l.node().operands();
  constexpr size_t kStates[] = {5, 6};  // initial_h, initial_c
  operands[0] = swapped(operands[0]);
  for (size_t i : kStates)
    if (i < operands.size()) operands[i] = swapped(operands[i]);
  auto results = l.again(operands, std::make_shared<attrs_t<Op>>(std::move(a)));
  results[0] = l.b.make<Transpose>({results[0]}, {{2, 0, 1, 3}});
  for (size_t j = 1; j < results.size(); ++j) results[j] = swapped(results[j]);
  return results;
}

// The hidden size follows from the weights, but ONNX Runtime wants to be told.
void with_hidden_size(NodeExport& n) {
  n.regular();
  const Shape& r = n.node().operand(2)->shape();
  if (r.ranked() && r[2].is_const()) n.set("hidden_size", r[2].value());
}

}  // namespace

void rows_export_rnn(ExportRows& rows) {
  rows.push_back({OpId::RNN, 1, with_hidden_size, time_first<RNN>});
  rows.push_back({OpId::GRU, 1, with_hidden_size, time_first<GRU>});
  rows.push_back({OpId::LSTM, 1, with_hidden_size, time_first<LSTM>});
}

}  // namespace tc::onnx
