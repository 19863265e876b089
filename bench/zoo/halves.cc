// Models in half precision, as converters emit them: what was f32, inputs and outputs too, is f16.
#include "tc/bench/zoo/networks.h"
#include "tc/ir/eval/move.h"
#include "tc/ir/module.h"
#include "tc/ir/ops/core.h"
#include "tc/ir/ops/elementwise.h"

namespace tc::zoo {
namespace {

Function halved(const Function& f) {
  std::shared_ptr<Module> module = clone(f.module());
  Graph& graph = module->main();
  for (Value* v : graph.inputs())
    if (v->dtype() == DType::f32) v->set_type(Type::tensor(DType::f16, v->shape()));
  walk(graph, [](Node& n) {
    if (n.is<Constant>() && n.attrs<Constant>().value.dtype() == DType::f32)
      n.set_attrs(std::make_shared<Constant::Attrs>(Constant::Attrs{converted(n.attrs<Constant>().value, DType::f16)}));
    if (n.is<Cast>() && n.attrs<Cast>().to == DType::f32) {
      Cast::Attrs attrs = n.attrs<Cast>();
      attrs.to = DType::f16;
      n.set_attrs(std::make_shared<Cast::Attrs>(attrs));
    }
  });
  infer_types(graph);
  return Function(std::move(module));
}

}  // namespace

Function unet_f16() {
  return halved(unet());
}
Function speech_encoder_f16() {
  return halved(speech_encoder());
}
Function llama_f16() {
  return halved(llama_of<false>());
}

}  // namespace tc::zoo
