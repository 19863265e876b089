// tc-bench: compares engines on models.
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "tc/backend/onnx/atomic_file.h"
#include "tc/bench/zoo/operators.h"
#include "tc/bench/zoo/zoo.h"
#include "tc/frontend/api/export.h"
#include "tc/frontend/api/files/npy.h"
#include "tc/ir/eval/interp.h"
#include "tc/kernels/cpu.h"
#include "tc/tools/bench/engine.h"
#include "tc/tools/bench/limit_isa.h"
#include "tc/tools/bench/report.h"
#include "tc/tools/bench/session.h"
#include "tc/tools/common/cli.h"
#include "tc/tools/common/inputs.h"

namespace {

using namespace tc;
using namespace tc::bench;
namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> models, engines{"tc", kOrt};
  std::vector<int> threads{1, 2};
  InputSpec inputs;
  double min_seconds = 2;
  int blocks = 8, loads = 3;
  std::optional<double> rtol, atol_of_max;  // the model's own if not given
  bool list = false, browser = false, errors = false;
  std::string isa;      // tier of instructions that engines see; empty: the machine's
  std::string command;  // this one's arguments
  std::string json, markdown, svg, ort_library, packages, worker, save_models;
};

constexpr const char* kBrowser = "ort-browser";
constexpr const char* kEngines[] = {"tc",     kTcStrict, kOrt,         kOrtExact, "ort-wasm",
                                    kBrowser, "tc-wasm", "tc-browser", kStreams};
const std::map<std::string, std::string> kScripts{{"ort-wasm", "bench/peers/ort_wasm.mjs"},
                                                  {kBrowser, "bench/peers/ort_browser.mjs"},
                                                  {"tc-wasm", "bench/peers/tc_wasm.mjs"},
                                                  {"tc-browser", "bench/peers/tc_browser.mjs"}};

// The folder with the npm packages of the peers.
std::string node_modules(const Options& o) {
  if (!o.packages.empty()) return o.packages;
  const char* given = std::getenv("TC_NODE_MODULES");
  if (given) return given;
  return is_installed() ? "node_modules" : data_path("node_modules");  // where npm puts them
}

std::string ort_library(const Options& o) {
  if (!o.ort_library.empty()) return o.ort_library;
  const fs::path bin = fs::path(node_modules(o)) / "onnxruntime-node" / "bin";
#if defined(__x86_64__)
  const fs::path place = fs::path("linux") / "x64" / "libonnxruntime.so.1";
#else
  const fs::path place = fs::path("linux") / "arm64" / "libonnxruntime.so.1";
#endif
  std::error_code missing;
  for (const auto& abi : fs::directory_iterator(bin, missing))
    if (fs::exists(abi.path() / place)) return (abi.path() / place).string();
  fail(ErrorCode::bad_argument, "no ONNX Runtime below ", bin.string(),
       is_installed() ? ": run `npm install onnxruntime-node`" : ": run `./dev install-deps`",
       ", or name one with --ort-library or TC_NODE_MODULES");
}

void write_file(const std::string& path, const std::string& text) {
  if (fs::path(path).has_parent_path()) fs::create_directories(fs::path(path).parent_path());
  onnx::write_file(path, text);
}

// A folder for the inputs and outputs of engines; removed at the end.
struct TemporaryFolder {
  TemporaryFolder() : path(fs::temp_directory_path() / cat("tc-bench-", getpid())) { fs::create_directories(path); }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

constexpr std::string_view kZoo = "zoo:", kOperator = "op:";

// The arguments with zoo:all, op:all and op:NAME spelled out.
std::vector<std::string> chosen_models(const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (const auto& name : given) {
    if (name == cat(kZoo, "all"))
      for (const auto& m : zoo::models()) names.push_back(cat(kZoo, m.name));
    else if (name.starts_with(kOperator) && name.find(' ') == name.npos)
      for (const auto& line : zoo::operator_lines(name.substr(kOperator.size()))) names.push_back(cat(kOperator, line));
    else
      names.push_back(name);
    if (names.back().starts_with(kZoo)) zoo::find(names.back().substr(kZoo.size()));
  }
  return names;
}

// Writes the model to `path` where it has no file, and sets what of the plan depends on it; its inputs.
NamedTensors prepare(const std::string& model, const Options& o, const std::string& path, Plan& plan) {
  plan.tolerance = Plan().tolerance;
  plan.name = fs::path(model).stem().string();
  plan.model = model;
  NamedTensors inputs;
  if (model.starts_with(kOperator)) {
    plan.name = model.substr(kOperator.size());
    plan.model = path;
    zoo::OperatorModel made = zoo::operator_model(plan.name);
    write_file(path, made.bytes);
    inputs = std::move(made.inputs);
  } else {
    InputSpec spec = o.inputs;
    if (model.starts_with(kZoo)) {
      const zoo::Model& entry = zoo::find(model.substr(kZoo.size()));
      plan.name = entry.name;
      plan.model = path;
      plan.tolerance.atol_of_max = entry.error;
      spec.dims.insert(spec.dims.begin(), entry.dims.begin(), entry.dims.end());
      export_onnx(entry.make(), path, {.opset = entry.opset});
    }
    const Function f = load(plan.model);
    const auto values = gather_inputs(f, spec);
    for (size_t i = 0; i < values.size(); ++i) {
      if (!values[i].is_tensor())
        fail(ErrorCode::unsupported, model, ": input '", f.inputs()[i].name, "' is not a tensor");
      inputs.emplace_back(f.inputs()[i].name, values[i].tensor());
    }
  }
  if (o.rtol) plan.tolerance.rtol = *o.rtol;
  if (o.atol_of_max) plan.tolerance.atol_of_max = *o.atol_of_max;
  return inputs;
}

// Floating outputs of the interpreter's run in f64.
NamedTensors truth_of(const std::string& model, const NamedTensors& inputs) {
  const Function f = load(model);
  std::vector<Datum> values;
  for (const auto& [name, tensor] : inputs) values.emplace_back(tensor);
  InterpOptions options;
  options.widened = true;
  const auto outputs = interpret(f.module(), values, options);
  NamedTensors truth;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].is_tensor() && kind(outputs[i].tensor().dtype()) == DTypeKind::floating)
      truth.emplace_back(f.outputs()[i].name, outputs[i].tensor());
  return truth;
}

// What made a table: the command, and the versions of the engines.
std::string origin(const Options& o, const std::vector<Result>& results) {
  std::set<std::string> versions;
  for (const auto& r : results)
    for (const auto& [name, e] : r.engines)
      if (!e.version.empty()) versions.insert(cat(name, " is ", e.version));
  std::string text = cat("\nWritten by `tc-bench", o.command, "`.");
  for (const auto& v : versions) text += cat(v == *versions.begin() ? " " : "; ", v);
  return text + "\n";
}

int run(const Options& o) {
  if (o.engines.front() == kStreams) fail(ErrorCode::bad_argument, kStreams, " is no engine to compare others with");
  const std::vector<std::string> models = chosen_models(o.models);
  Plan plan;
  plan.engines = o.engines;
  if (o.browser && !std::count(o.engines.begin(), o.engines.end(), kBrowser)) plan.engines.push_back(kBrowser);
  plan.min_seconds = o.min_seconds;
  plan.blocks = o.blocks;
  plan.loads = o.loads;
  plan.isa = o.isa;
  if (std::any_of(o.engines.begin(), o.engines.end(), [](const auto& e) { return e == kOrt || e == kOrtExact; }))
    plan.ort_library = ort_library(o);
  for (const auto& engine : plan.engines)
    if (const auto it = kScripts.find(engine); it != kScripts.end())
      plan.scripts.emplace(engine, data_path(it->second));
  setenv("TC_NODE_MODULES", fs::absolute(node_modules(o)).c_str(), 1);
  setenv("ORT_DISABLE_TELEMETRY", "1", 1);
  check_engines(plan);
  const bool progress = isatty(STDERR_FILENO);
  std::vector<Result> results;
  const TemporaryFolder folder;
  const std::string inputs_file = folder.path / "inputs.npz";
  for (const auto& model : models) {
    const NamedTensors inputs = prepare(model, o, folder.path / "model.onnx", plan);
    write_npz(inputs_file, inputs);
    plan.inputs = inputs_file;
    if (progress && o.errors) std::cerr << "\r\033[K" << plan.name << ": interpreter" << std::flush;
    if (o.errors) plan.truth = truth_of(plan.model, inputs);
    for (int threads : o.threads) {
      plan.threads = threads;
      results.push_back(compare_engines(plan, [&](const std::string& what) {
        if (progress) std::cerr << "\r\033[K" << plan.name << ", " << threads << " threads: " << what << std::flush;
      }));
      if (progress) std::cerr << "\r\033[K" << std::flush;
    }
  }
  std::cout << table(results, false);
  if (!o.markdown.empty()) write_file(o.markdown, table(results, true) + origin(o, results));
  if (!o.json.empty()) {
    nlohmann::json out{{"results", to_json(results)}};
    write_file(o.json, out.dump(2) + "\n");
  }
  if (!o.svg.empty() && plan.engines.size() > 1) write_file(o.svg, plot_svg(results, plan.engines[0], plan.engines[1]));
  for (const auto& r : results)
    for (const auto& [name, e] : r.engines)
      if (!e.mismatch.empty() || (name == o.engines.front() && !e.error.empty())) return 1;
  return 0;
}

int list_zoo() {
  for (const auto& m : zoo::models()) {
    std::cout << kZoo << m.name << std::string(20 - m.name.size(), ' ') << m.about;
    for (const auto& d : m.dims) std::cout << "  " << d;
    std::cout << "\n";
  }
  return 0;
}

int save_models(const Options& o) {
  fs::create_directories(o.save_models);
  std::map<std::string, int> saved;  // models of each operator
  for (const auto& name : chosen_models(o.models)) {
    if (name.starts_with(kOperator)) {
      const std::string line = name.substr(kOperator.size()), op = line.substr(0, line.find_first_of(": "));
      write_file(fs::path(o.save_models) / cat(op, "_", ++saved[op], ".onnx"), zoo::operator_model(line).bytes);
      continue;
    }
    if (!name.starts_with(kZoo)) fail(ErrorCode::bad_argument, name, " is no model of the zoo and no operator");
    const zoo::Model& entry = zoo::find(name.substr(kZoo.size()));
    export_onnx(entry.make(), fs::path(o.save_models) / cat(entry.name, ".onnx"), {.opset = entry.opset});
  }
  return 0;
}

constexpr const char* kExamples = R"(
Each engine runs in a process of its own on the same inputs; outputs are compared before anything is timed. Ratios are
other engine's time / first engine's time, block by block: above 1 the first engine is faster. "peak" is the share of
what f32 multiply-adds reach; products on AMX may exceed it. Where a model rounds to 16 or 8 bits within, engines differ
by more than the tolerances that others have: give some. "steps" are those of a run of tc, "ns each" what it costs to go
through one that computes a single element. With --errors a table says how far each engine is off, as a
share of the largest output: what Winograd's method and products by halves cost beside other orders of sums.

Engines: tc; tc-strict is tc with --precision strict; ort is ONNX Runtime; ort-exact is told to multiply bytes exactly,
which it does not by itself on machines without VNNI; ort-wasm is ONNX Runtime Web in node, ort-browser the same in
headless Chromium; tc-wasm and tc-browser are what ./dev wasm builds. The peak memory in Chromium is that of the process
that shows the page. streams is no engine but a loop that reads the inputs and writes as much as the
outputs are: the bound for models that do little else.

Models that need no file are zoo:NAME, all of them zoo:all; --list names them, --save-models keeps their ONNX files.
A single operator is op:LINE, where the line gives its operands, as tc-run's literals, and its attributes; operands are
random, those with a = are constants of the model. op:NAME is every line that bench/zoo/operators.txt has for an operator,
op:all every line.

Examples:
  tc-bench zoo:resnet18 zoo:bert_base --threads 1       models of the zoo
  tc-bench model.onnx                                   tc against ONNX Runtime, 1 and 2 threads
  tc-bench 'op:Conv 1x64x56x56xf32 =128x64x3x3xf32 ; pads=1,1,1,1'
  tc-bench op:all --min-time 0.1 --blocks 3 --loads 1
  tc-bench model.onnx --dim batch=8 --threads 1 --min-time 5
  tc-bench model_fp16.onnx --atol-of-max 0.01
  tc-bench zoo:all --isa avx2                           as on a machine with AVX2 alone
  tc-bench model.onnx --engines tc,ort,ort-wasm --browser
  tc-bench zoo:resnet18 --engines tc-wasm,ort-wasm --threads 1
  tc-bench zoo:elementwise --engines tc,ort,streams
  tc-bench zoo:conv3_64 --errors --threads 1 --isa avx512
  tc-bench zoo:resnet18 --errors --engines tc,tc-strict,ort
  tc-bench a.onnx b.onnx --engines tc,ort,ort-wasm --md table.md --json out.json --svg plot.svg

Exit status: 0 success, 1 an engine failed or outputs differ, 2 wrong command line.)";

}  // namespace

int main(int argc, char** argv) {
  Options o;
  o.inputs.random_seed = 1;
  for (int i = 1; i < argc; ++i) o.command += cat(" ", argv[i]);
  const std::vector<std::string> tiers = kernels::tier_names();
  CLI::App app("Compares tc with ONNX Runtime, native and WebAssembly, on ONNX models.", "tc-bench");
  app.footer(kExamples);
  app.add_option("models", o.models, "model files, zoo:NAME, zoo:all, op:LINE, op:NAME or op:all")->allow_extra_args();
  app.add_option("--engines", o.engines, "the first is the one that others are compared with")
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kEngines), std::end(kEngines))))
      ->capture_default_str();
  app.add_flag("--browser", o.browser, cat(kBrowser, " too: ONNX Runtime Web in headless Chromium"));
  app.add_option("--isa", o.isa, "hide instructions above this tier from tc, ort and ort-exact (avx2: VNNI too)")
      ->check(CLI::IsMember(tiers));
  app.add_option("--threads", o.threads, "thread counts")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--min-time", o.min_seconds, "seconds of timed runs per engine and thread count")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--blocks", o.blocks, "blocks that these are split into")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--loads", o.loads, "fresh processes that load the model, per engine and thread count")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--rtol", o.rtol, "relative tolerance of outputs (default 1e-3)");
  app.add_option("--atol-of-max", o.atol_of_max, "absolute tolerance, times an output's largest (default 1e-4)");
  app.add_flag("--errors", o.errors,
               "report how far outputs are from the interpreter's in f64 (minutes for large models)");
  app.add_option("-i,--input", o.inputs.inputs, "NAME=FILE or NAME=LITERAL, as in tc-run")->allow_extra_args(false);
  app.add_option("--inputs", o.inputs.npz, ".npz file with members named as inputs");
  app.add_option("--random", o.inputs.random_seed, "seed of the inputs that are made up")->capture_default_str();
  app.add_option("--dim", o.inputs.dims, "SYMBOL=N: extent of a symbolic dimension of made-up inputs (default 1)")
      ->allow_extra_args(false);
  app.add_flag("--list", o.list, "list the models of the zoo");
  app.add_option("--save-models", o.save_models, "only write the ONNX files of models that need none to this folder");
  app.add_option("--json", o.json, "write all figures to this file");
  app.add_option("--md", o.markdown, "write the table as Markdown to this file");
  app.add_option("--svg", o.svg, "write a plot of the ratios to this file");
  app.add_option("--ort-library", o.ort_library, "shared library of ONNX Runtime (default: of the npm package)");
  app.add_option("--packages", o.packages, "node_modules folder with the peers' packages");
  app.add_option("--worker", o.worker)->group("");
  return run_tool(app, argc, argv, [&] {
    if (!o.isa.empty()) limit_isa(*kernels::parse_tier(o.isa));
    if (!o.worker.empty()) return serve(o.worker, o.ort_library);
    if (o.list) return list_zoo();
    if (!o.save_models.empty()) return save_models(o);
    if (o.models.empty()) throw CLI::ValidationError("give a model (see --help)");
    return run(o);
  });
}
