// What becomes of ops that a program registered, before an export.
#include <algorithm>

#include "tc/backend/onnx/export.h"
#include "tc/ir/builder.h"
#include "tc/ir/custom_op.h"
#include "tc/ir/eval/eval.h"

namespace tc::onnx {
namespace {

class CustomOps {
 public:
  CustomOps(Module& module, const ExportOptions& options, ExportReport& report)
      : module_(module), options_(options), report_(report) {}

  void run() {
    std::vector<Node*> calls;
    const auto collect = [&](const Graph& g) {
      walk(g, [&](Node& n) {
        if (n.is<Call>() && !module_.find_function(n.attrs<Call>().callee)) calls.push_back(&n);
      });
    };
    for (const auto& f : module_.functions()) collect(*f);
    collect(module_.main());
    for (Node* call : calls) place(*call);
    // A function of the file has the op's own name, by which readers that have the op find it; not where it takes as
    // inputs what are attributes of the op.
    for (const auto& [call, body] : bodies_) {
      const std::string& callee = call->attrs<Call>().callee;
      const auto op = find_custom_op(callee);
      const std::string stem = op && op->attributes.empty() ? callee : callee + "_body";
      if (body->name().starts_with(stem) && body->name().find(kCustomBody) == std::string::npos) continue;
      std::string name = stem;
      for (int k = 1; module_.find_function(name); ++k) name = cat(stem, "_", k);
      body->set_name(name);
    }
    for (const auto& [call, body] : bodies_)
      call->set_attrs(std::make_shared<Call::Attrs>(Call::Attrs{body->name(), {}}));
  }

 private:
  void place(Node& call) {
    const Call::Attrs attrs = call.attrs<Call>();
    if (attrs.callee == kPrint) return place_print(call);
    Graph* body = body_of_custom(module_, attrs.gradient);
    if (body && options_.custom_ops == ExportCustomOps::bodies) {
      bodies_.emplace_back(&call, body);
      return;
    }
    report_.changes.push_back({call.location(), attrs.callee, "a node of its own domain, which the reader must know"});
  }

  void place_print(Node& call) {
    const Tensor* text = call.operand(1)->constant();
    const std::string message = text ? text->span<std::string>()[0] : std::string();
    const auto note = [&](std::string what) { report_.changes.push_back({call.location(), "debug_print", what}); };
    Graph& main = module_.main();
    Value* x = call.operand(0);
    call.result()->replace_all_uses_with(x);
    if (options_.prints == ExportPrints::dropped) {
      note(cat("dropped: '", message, "'"));
    } else if (call.graph() != &main) {
      note(cat("dropped, as it is in a loop, a branch or a function: '", message, "'"));
    } else {
      std::vector<Value*> outputs = main.outputs();
      auto& names = main.output_names;
      names.resize(outputs.size());
      std::string name = message.empty() ? "debug_print" : message;
      for (int i = 1; std::find(names.begin(), names.end(), name) != names.end(); ++i)
        name = cat(message.empty() ? "debug_print" : message, ".", i);
      outputs.push_back(x);
      names.push_back(name);
      main.set_outputs(outputs);
      note(cat("became the output '", name, "'"));
    }
    call.graph()->erase(&call);
  }

  Module& module_;
  const ExportOptions& options_;
  ExportReport& report_;
  std::vector<std::pair<Node*, Graph*>> bodies_;
};

}  // namespace

void place_custom_ops(Module& module, const ExportOptions& options, ExportReport& report) {
  CustomOps(module, options, report).run();
}

}  // namespace tc::onnx
