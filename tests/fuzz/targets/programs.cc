// Programs: ONNX files up to the optimised graph, and textual IR, which is printed and read back.
#include <memory>

#include "target.h"
#include "tc/frontend/onnx/import.h"
#include "tc/frontend/onnx/proto.h"
#include "tc/ir/text/parse.h"
#include "tc/ir/text/print.h"
#include "tc/ir/verify.h"
#include "tc/passes/pipeline.h"

namespace tc::fuzz {
namespace {

constexpr size_t kMaxGenerated = 1 << 20;  // bytes that a text makes from nothing

}  // namespace

void run_onnx(std::string_view bytes) {
  guarded([&] {
    const auto kept = std::make_shared<const std::string>(bytes);
    const auto module = onnx::import_bytes(kept->data(), kept->size(), kept, "model.onnx");
    verify(*module);
    PipelineOptions options;
    options.enable = {"inline-functions"};
    options.limits.rules.fold_bytes = 1 << 16;
    optimize(*module, options);
  });
}

void run_text(std::string_view bytes) {
  guarded([&] {
    const ParseOptions options{.max_generated = kMaxGenerated};
    const auto module = parse_module(bytes, "program.tc", options);
    const std::string text = print(*module);
    try {
      require(print(*parse_module(text, "printed.tc", options)) == text, "a program reads back as another one");
    } catch (const Error& e) {
      require(false, cat("a printed program is refused: ", e.what()));
    }
  });
}

void run_wire(std::string_view bytes) {
  const onnx::Bytes data(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  guarded([&] { onnx::parse_model(data, "model"); });
  guarded([&] { onnx::parse_tensor(data, "tensor"); });
  guarded([&] { onnx::parse_sequence(data, "sequence"); });
  guarded([&] { onnx::parse_map(data, "map"); });
}

}  // namespace tc::fuzz
