#include "tc/frontend/onnx/import_rows.h"
#include "tc/ir/ops/rnn.h"

namespace tc::onnx {
namespace {

// Until opset 7 an attribute said whether the whole sequence was asked for; the outputs' names say so as well.
template <class Op>
std::vector<Value*> without_output_sequence(NodeImport& n) {
  n.ignore_attr("output_sequence");
  return n.regular(id_of<Op>);
}

}  // namespace

void rows_import_rnn(ImportRows& rows) {
  rows.push_back({"RNN", 1, without_output_sequence<RNN>});
  rows.push_back({"GRU", 1, without_output_sequence<GRU>});
  rows.push_back({"LSTM", 1, without_output_sequence<LSTM>});
}

}  // namespace tc::onnx
