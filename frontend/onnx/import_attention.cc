#include "tc/frontend/onnx/microsoft.h"
#include "tc/ir/ops/attention.h"

namespace tc::onnx {
namespace {

// A mask of one key was broadcast, not one that hides all keys but the first.
std::vector<Value*> attention_with_whole_mask(NodeImport& n) {
  Builder& b = n.b();
  auto attrs = n.attrs<Attention>();
  std::vector<Value*> operands = n.inputs();
  if (n.has(3) && n.in(3)->shape().ranked() && n.in(3)->shape().rank() > 0) {
    const Shape &mask = n.in(3)->shape(), &key = n.required(1)->shape();
    const Dim& columns = mask[mask.rank() - 1];
    if (columns.is(1) || (!columns.is_const() && key.ranked())) {
      const int64_t length = key.ranked() ? key.rank() - 2 : -2;
      Value* total = b.make<ShapeOf>({n.in(1)}, {.start = length, .end = length + 1});
      if (n.has(4)) total = b.make<Add>({total, b.make<ShapeOf>({n.in(4)}, {.start = 2, .end = 3})});
      operands[3] = b.make<Expand>({n.in(3), total});
    }
  }
  return results_of(b.make_n<Attention>(operands, attrs, n.num_outputs()));
}

// An absent function changes nothing.
std::vector<Value*> flex_attention(NodeImport& n) {
  const auto attrs = n.attrs<FlexAttention>();
  const Type scores = flex_attention_scores(attrs, n.required(0)->type(), n.required(1)->type(), n.required(2)->type());
  std::vector<std::unique_ptr<Graph>> regions;
  for (const std::string_view name : {"score_mod", "prob_mod"}) {
    if (n.has_attr(name)) {
      regions.push_back(n.region(name, {scores}));
      continue;
    }
    auto same = std::make_unique<Graph>(n.module(), std::string(name));
    same->set_outputs(std::vector<Value*>{same->add_input(scores)});
    regions.push_back(std::move(same));
  }
  return results_of(n.b().make_n<FlexAttention>(n.inputs(), attrs, 1, std::move(regions)));
}

}  // namespace

void rows_import_attention(ImportRows& rows) {
  rows.push_back({"Attention", 23, attention_with_whole_mask});
  rows.push_back({"FlexAttention", 1, flex_attention, "ai.onnx.preview"});
  rows_microsoft_attention(rows);
}

}  // namespace tc::onnx
