#include "tc/backend/onnx/export_rows.h"

namespace tc::onnx {
namespace {

// Until opset 24 a mask of one key was broadcast; since then it hides the other keys.
void attention_23(NodeExport& n) {
  const Node& node = n.node();
  if (const Value* mask = node.operand(3)) {
    const Value *key = node.operand(1), *past = node.operand(4);
    const Shape &m = mask->shape(), &k = key->shape();
    const bool ranked = m.ranked() && m.rank() > 0 && k.ranked() && (!past || past->shape().ranked());
    if (!ranked) n.refuse("the extent of the mask is not known");
    Dim total = k[k.rank() - 2];
    if (past) total += past->shape()[2];
    if (!(m[m.rank() - 1] == total)) n.refuse("a mask of fewer keys exists from opset 24 on");
  }
  n.regular();
}

}  // namespace

void rows_export_attention(ExportRows& rows) {
  rows.push_back({OpId::Attention, 23, attention_23});
  rows.push_back({OpId::Attention, 24});
}

}  // namespace tc::onnx
