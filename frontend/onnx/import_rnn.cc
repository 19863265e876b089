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

// The default that the standard spells out, Tanh twice, holds for one direction too.
std::vector<Value*> rnn(NodeImport& n) {
  if (n.opset() < 7) n.ignore_attr("output_sequence");
  auto attrs = n.attrs<RNN>();
  if (attrs.activations == std::vector<std::string>{"Tanh", "Tanh"}) attrs.activations.clear();
  int results = n.num_outputs();
  while (results > 1 && !n.has_output(results - 1)) --results;
  Node* node = n.b().make_n<RNN>(n.inputs(), std::move(attrs), results);
  std::vector<Value*> values;
  for (int j = 0; j < results; ++j) values.push_back(node->result(j));
  return values;
}

}  // namespace

void rows_import_rnn(ImportRows& rows) {
  rows.push_back({"RNN", 1, rnn});
  rows.push_back({"RNN", 7, rnn});
  rows.push_back({"GRU", 1, without_output_sequence<GRU>});
  rows.push_back({"LSTM", 1, without_output_sequence<LSTM>});
}

}  // namespace tc::onnx
