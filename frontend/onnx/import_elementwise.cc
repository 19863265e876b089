#include "tc/frontend/onnx/import_rows.h"

namespace tc::onnx {
namespace {

// Before the inputs `min` and `max` there were attributes.
std::vector<Value*> clip_with_attributes(NodeImport& n) {
  Value* x = n.required(0);
  n.ignore_attr("consumed_inputs");
  auto bound = [&](std::string_view name) -> Value* {
    return n.has_attr(name) ? n.b().scalar_like(x->dtype(), n.float_attr(name, 0)) : nullptr;
  };
  Value *min = bound("min"), *max = bound("max");
  return {n.b().make<Clip>({x, min, max})};
}

std::vector<Value*> cast_like(NodeImport& n) {
  Value* like = n.required(1);
  if (!like->type().is_tensor())
    n.fail(ErrorCode::bad_type, "CastLike needs a tensor as its target type, got ", like->type());
  Cast::Attrs attrs;
  attrs.to = like->dtype();
  attrs.saturate = n.int_attr("saturate", 1) != 0;
  const std::string mode = n.string_attr("round_mode", "up");
  bool found = false;
  for (size_t i = 0; i < std::size(kScaleRoundings); ++i)
    if (mode == kScaleRoundings[i]) attrs.round_mode = static_cast<ScaleRounding>(i), found = true;
  if (!found) n.fail(ErrorCode::bad_attribute, "round_mode must be up, down or nearest, got '", mode, "'");
  return {n.b().make<Cast>({n.required(0)}, attrs)};
}

// Inference only; the mask, which had the data's type before opset 10, is all ones.
std::vector<Value*> dropout_with_ratio(NodeImport& n) {
  n.ignore_attr("ratio");
  n.ignore_attr("is_test");
  n.ignore_attr("consumed_inputs");
  Value* x = n.required(0);
  Node* d = n.b().make_n<Dropout>({x}, {}, n.has_output(1) ? 2 : 1);
  std::vector<Value*> results{d->result(0)};
  if (n.has_output(1)) {
    Value* mask = d->result(1);
    results.push_back(n.opset() >= 10 ? mask : n.b().make<Cast>({mask}, {.to = x->dtype()}));
  }
  return results;
}

}  // namespace

void rows_import_elementwise(ImportRows& rows) {
  rows.insert(rows.end(), {
                              {"Clip", 1, clip_with_attributes},
                              {"CastLike", 15, cast_like},
                              {"Dropout", 1, dropout_with_ratio},
                          });
}

}  // namespace tc::onnx
