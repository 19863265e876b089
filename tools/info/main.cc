// tc-info: what the compiler covers, what the machine can do, what a model holds.
#include <charconv>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tc/tools/common/cli.h"
#include "tc/tools/info/cpp.h"
#include "tc/tools/info/cpu.h"
#include "tc/tools/info/model.h"
#include "tc/tools/info/ops.h"

namespace {

using namespace tc;

std::map<std::string, int64_t> parse_dims(const std::vector<std::string>& list) {
  std::map<std::string, int64_t> dims;
  for (const auto& text : list) {
    const size_t at = text.rfind('=');
    int64_t extent = -1;
    if (at != text.npos) {
      const char* end = text.data() + text.size();
      if (const auto [stop, error] = std::from_chars(text.data() + at + 1, end, extent);
          error != std::errc() || stop != end)
        extent = -1;
    }
    if (extent < 0) fail(ErrorCode::bad_argument, "--dim ", text, ": expected SYMBOL=N");
    dims[text.substr(0, at)] = extent;
  }
  return dims;
}

void print(const nlohmann::json& json) {
  std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

constexpr const char* kExamples = R"(
Examples:
  tc-info ops                       every op: ONNX name and version, kernels
  tc-info ops conv softmax          these ops or families in detail: signature, types, attributes
  tc-info ops --md > docs/ops.md    the table of the documentation
  tc-info cpu                       instruction sets, caches, measured GFLOP/s and GB/s
  tc-info model model.onnx          inputs, outputs, opsets, ops, weights, FLOPs
  tc-info model model.onnx --dim batch=1 --json
  tc-info --cpp model.onnx > model.cc
                                    the model as a C++ function of the DSL; its weights go to model.safetensors

Exit status: 0 success, 1 failure, 2 wrong command line.)";

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Says what the compiler covers, what the machine can do, and what a model holds.", "tc-info");
  app.footer(kExamples);
  app.require_subcommand(0, 1);
  bool json = false, markdown = false, no_measure = false;
  std::vector<std::string> names, dims;
  std::string file, cpp, weights, function = "build_model";

  auto* as_cpp = app.add_option("--cpp", cpp, "print a model, .onnx or .tc, as C++ source that builds it with the DSL");
  app.add_option("--weights", weights, "with --cpp: the file of the weights, .safetensors (default: the model's name)")
      ->needs(as_cpp);
  app.add_option("--function", function, "with --cpp: the name of the function")->needs(as_cpp)->capture_default_str();

  CLI::App* ops = app.add_subcommand("ops", "the table of ops");
  ops->add_option("names", names, "only these ops and families, in detail");
  auto* md = ops->add_flag("--md", markdown, "as Markdown");
  ops->add_flag("--json", json, "for a program to read")->excludes(md);

  CLI::App* cpu = app.add_subcommand("cpu", "what the machine can do");
  cpu->add_flag("--json", json, "for a program to read");
  cpu->add_flag("--no-measure", no_measure, "only what the system says");

  CLI::App* model = app.add_subcommand("model", "what a model holds");
  model->add_option("file", file, "model file, .onnx or .tc")->required();
  model->add_option("--dim", dims, "SYMBOL=N: replace a symbolic extent by a number")->allow_extra_args(false);
  model->add_flag("--json", json, "for a program to read");

  return run_tool(app, argc, argv, [&] {
    if (app.get_subcommands().empty() == cpp.empty())
      throw CLI::ValidationError("one of the subcommands or --cpp is needed (see --help)");
    if (!cpp.empty()) {
      const CppSource source = cpp_source(load(cpp), function, std::filesystem::path(cpp).filename().string());
      if (weights.empty()) weights = std::filesystem::path(cpp).stem().string() + ".safetensors";
      if (!source.weights.empty()) save_tensors(weights, source.weights);
      std::cout << source.text;
    } else if (ops->parsed()) {
      if (markdown && !names.empty()) throw CLI::ValidationError("--md writes the whole table (see --help)");
      if (json)
        print(ops_json(names));
      else
        std::cout << (markdown ? ops_markdown() : ops_text(names));
    } else if (cpu->parsed()) {
      MachineRates rates;
      if (!no_measure) rates = measure_machine();
      const MachineRates* measured = no_measure ? nullptr : &rates;
      if (json)
        print(cpu_json(measured));
      else
        std::cout << cpu_text(measured);
    } else {
      const ModelInfo info = describe_model(load(file), parse_dims(dims));
      if (json)
        print(model_json(info));
      else
        std::cout << model_text(info);
    }
    return 0;
  });
}
