// tc-opt: runs passes on a program and shows what became of it.
#include <unistd.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "tc/backend/onnx/atomic_file.h"
#include "tc/frontend/api/tc.h"
#include "tc/ir/module.h"
#include "tc/ir/text/parse.h"
#include "tc/ir/text/print.h"
#include "tc/ir/verbose.h"
#include "tc/passes/pipeline.h"
#include "tc/tools/common/cli.h"
#include "tc/tools/common/histogram.h"
#include "tc/tools/common/inputs.h"
#include "tc/tools/opt/dot.h"
#include "tc/tools/opt/quantize.h"
#include "tc/tools/opt/report.h"
#include "tc/tools/opt/wasm.h"

namespace {

using namespace tc;

struct Options {
  std::string model, output, level;
  std::vector<std::string> checks, disable, enable, caps, fixed;
  InputSpec inputs;
  PipelineOptions pipeline;
  ExportOptions exported;
  QuantizeFlags quantize;
  bool list = false, trace = false, stats = false, json = false, dot = false, quiet = false;
  std::optional<bool> elide;
  bool locations = true;
  std::string target;  // standard, ort or cpu
  WasmFlags wasm;
};

const std::map<std::string, ExportFunctions> kFunctionStyles = {{"inlined", ExportFunctions::inlined},
                                                                {"local", ExportFunctions::local}};
const std::map<std::string, ExportChecks> kChecks = {
    {"dropped", ExportChecks::dropped}, {"refused", ExportChecks::refused}, {"trap", ExportChecks::trap}};
const std::map<std::string, ExportRandom> kRandom = {{"generator", ExportRandom::generator},
                                                     {"keys", ExportRandom::keys},
                                                     {"inputs", ExportRandom::inputs},
                                                     {"onnx", ExportRandom::onnx}};
const std::map<std::string, ExternalData> kExternalData = {
    {"automatic", ExternalData::automatic}, {"never", ExternalData::never}, {"always", ExternalData::always}};
const std::map<std::string, Contract> kContracts = {{"exact", Contract::exact},
                                                    {"same_rounding", Contract::same_rounding},
                                                    {"reassociates", Contract::reassociates},
                                                    {"approximate", Contract::approximate}};

// An option whose value is one of these names; help and errors list the names.
template <typename T>
CLI::Option* add_choice(CLI::App& app, const char* option, T& field, const std::map<std::string, T>& values,
                        const char* help) {
  return app
      .add_option_function<std::string>(
          option, [&](const std::string& name) { field = values.at(name); }, help)
      ->check(CLI::IsMember(values));
}

int64_t count_of(const std::string& text, const std::string& option) {
  const size_t at = text.rfind('=');
  const std::string digits = at == text.npos ? "" : text.substr(at + 1);
  if (digits.empty() || digits.size() > 18 || digits.find_first_not_of("0123456789") != digits.npos)
    fail(ErrorCode::bad_argument, option, " ", text, ": expected NAME=N");
  return std::stoll(digits);
}

bool checks(const Options& o, std::string_view what) {
  return std::find(o.checks.begin(), o.checks.end(), what) != o.checks.end();
}

// Error check_failed when the text of the module does not read back as the same text.
void check_text(const Pass& pass, const Module& m) {
  const std::string text = print(m);
  const std::string again = print(*parse_module(text, cat("text after ", pass.name)));
  if (text == again) return;
  const size_t at =
      static_cast<size_t>(std::mismatch(text.begin(), text.end(), again.begin(), again.end()).first - text.begin());
  const size_t line = text.rfind('\n', at) + 1;
  fail(ErrorCode::check_failed, "after pass ", pass.name, " the text does not read back as itself, first in: ",
       text.substr(line, std::min<size_t>(200, text.find('\n', at) - line)));
}

// Prints each rewrite with its number, which --rewrite-limit counts.
void trace_rewrites() {
  set_verbose("rewrite");
  set_verbose_sink([number = 0](std::string_view line) mutable {
    // rewrite,RULE,fired,OP,LOCATION,
    const auto field = [&] {
      const std::string_view text = line.substr(0, line.find(','));
      line.remove_prefix(std::min(line.size(), text.size() + 1));
      return text;
    };
    const std::string_view topic = field(), rule = field(), verdict = field(), op = field();
    if (topic != "rewrite" || verdict != "fired") return;
    if (line.ends_with(',')) line.remove_suffix(1);
    std::cerr << ++number << " " << rule << ": " << op << (line.empty() ? "" : " at ") << line << "\n";
  });
}

void write_output(const std::string& path, const std::string& text) {
  if (path.empty()) {
    std::cout << text << std::flush;
    if (!std::cout) fail(ErrorCode::bad_file, "cannot write the output");
    return;
  }
  onnx::write_file(path, text);
}

PipelineReport run_pipeline(Module& module, const PipelineOptions& options) {
  try {
    return optimize(module, options);
  } catch (const Error& e) {
    // Made-up numbers often do not suit a program: then it fails before any pass has run.
    Diagnostic d = e.diagnostic();
    const auto of_inputs = [](const std::string& frame) { return frame.find("before any pass") != frame.npos; };
    if (!options.check_inputs.empty() || std::none_of(d.context.begin(), d.context.end(), of_inputs)) throw;
    d.notes.push_back("the inputs are made up: set their extents with --dim, or give them with --input or --inputs");
    throw Error(std::move(d));
  }
}

int run(Options& o) {
  if (o.list) {
    std::cout << (o.json ? list_passes_json().dump(2) + "\n" : list_passes());
    return 0;
  }
  if (!o.wasm.folder.empty()) write_wasm(o.model, o.wasm, o.inputs.dims);
  const bool to_onnx = o.output.ends_with(".onnx");
  if (to_onnx && o.dot) fail(ErrorCode::bad_argument, "-o ", o.output, ": --dot writes text");
  if (o.level.empty()) o.level = to_onnx ? "0" : "2";
  PipelineOptions& p = o.pipeline;
  if (o.target == "cpu") p.target = &machine_target();
  if (o.target == "ort") o.exported.target = ExportTarget::ort;
  p.level = o.level[0] - '0';
  p.disable.insert(o.disable.begin(), o.disable.end());
  p.enable.insert(o.enable.begin(), o.enable.end());
  for (const auto& cap : o.caps) p.limits.caps[cap.substr(0, cap.rfind('='))] = count_of(cap, "--cap");
  for (const auto& d : o.fixed) o.exported.dims[d.substr(0, d.rfind('='))] = count_of(d, "--fix");
  for (const auto& d : o.inputs.dims) p.dims[d.substr(0, d.rfind('='))] = count_of(d, "--dim");

  o.quantize.check = checks(o, "quantized");
  if ((o.quantize.check || o.quantize.cosine) && !o.quantize.asked())
    fail(ErrorCode::bad_argument, "--check=quantized and --least-cosine go with --quantize or --convert");
  if (o.quantize.asked() && !o.inputs.random_seed) o.inputs.random_seed = p.seed;
  Function f = load(o.model, load_options(o.inputs));
  // The report stays out of the way of a program on standard output.
  if (o.quantize.asked())
    f = quantized(f, o.quantize, o.inputs, o.quiet ? nullptr : o.output.empty() ? stderr : stdout);
  p.check_values = checks(o, "values");
  if (p.check_values && (!o.inputs.inputs.empty() || !o.inputs.npz.empty())) {
    o.inputs.random_seed = p.seed;
    p.check_inputs = gather_inputs(f, o.inputs);
  }
  if (checks(o, "text")) p.after_pass = check_text;
  if (o.trace) trace_rewrites();

  const auto module = clone(f.module());
  ExportReport exported;
  if (to_onnx) onnx::place_custom_ops(*module, o.exported, exported);
  if (to_onnx) onnx::place_draws(*module, o.exported, exported);
  OpCounts ops{count_ops(*module), {}};
  const PipelineReport report = run_pipeline(*module, p);
  ops.after = count_ops(*module);

  if (o.stats) std::cout << (o.json ? stats_json(report, ops).dump(2) + "\n" : format_stats(report, ops));
  if (p.check_values)
    std::cerr << "values agree: " << report.values_checked << " rewrites compared, " << report.values_unchecked
              << " only as part of a pass\n";
  if (to_onnx) {
    ExportReport changes = onnx::export_file(*module, o.output, o.exported);
    onnx::write_draws_script(exported, o.output);
    if (!o.quiet) std::cerr << exported.str() << changes.str();
    return 0;
  }
  const bool only_asked = o.stats || o.quiet || !o.checks.empty();
  if (o.output.empty() && only_asked && !o.dot) return 0;
  PrintOptions print_options;
  print_options.locations = o.locations;
  print_options.elide_weights = o.elide.value_or(o.output.empty() && isatty(STDOUT_FILENO));
  write_output(o.output, o.dot ? to_dot(*module) : print(*module, print_options));
  return 0;
}

constexpr const char* kExamples = R"(
The IR goes to standard output, unless -o, --stats, --check or --quiet is given.

Examples:
  tc-opt model.onnx                          the optimised program, weights left out on a terminal
  tc-opt model.onnx --target cpu             exactly what tc-run executes, which every option below can limit and check
  tc-opt model.onnx -O0 -o model.tc          the program as imported, as text that every tool reads
  tc-opt model.onnx -o out.onnx --opset 21   the same program in another opset
  tc-opt model.onnx -o out.onnx --target ort what ONNX Runtime lacks is said with other ops; prints each change
  tc-opt model.onnx --stats                  which rules fired, which declined and why, ops before and after
  tc-opt model.onnx --until=normalize        stop after a phase or pass (see --list)
  tc-opt model.onnx --check=values --dim N=2 compare the numbers before and after every rewrite
  tc-opt model.onnx --trace --quiet          number and name each rewrite ...
  tc-opt model.onnx --rewrite-limit 17       ... and stop after so many, to find the one that breaks something
  tc-opt model.onnx --disable=fuse --cap merge-clips=3
  tc-opt model.onnx -o small.onnx --opset 21 --quantize weights --bits 4 --check=quantized --dim N=2
  tc-opt model.onnx -o int8.onnx --quantize static --data folder --check=quantized --least-cosine 0.99
  tc-opt model.onnx --wasm web               a WebAssembly module with what this model needs, and a page that runs it
  tc-opt model.onnx --dot | dot -Tsvg > model.svg
  tc-opt --list                              phases, passes, and rules with their numeric contracts

Exit status: 0 success, 1 failure or difference, 2 wrong command line.)";

}  // namespace

int main(int argc, char** argv) {
  Options o;
  CLI::App app("Runs passes on ONNX models (.onnx) and textual IR (.tc), and prints what became of them.", "tc-opt");
  app.footer(kExamples);
  auto* model = app.add_option("model", o.model, "model file, .onnx or .tc");
  app.add_option("-o,--output", o.output, "write the program to this file: textual IR, or ONNX when it ends in .onnx");
  app.add_option("--opset", o.exported.opset, "of an .onnx output")
      ->check(CLI::Range(kMinExportOpset, kMaxExportOpset))
      ->capture_default_str();
  add_quantize_options(app, o.quantize);
  app.add_option("--target", o.target,
                 "standard or ort (what ONNX Runtime's CPU kernels have) of an .onnx output; cpu: what tc-run executes "
                 "on this machine")
      ->check(CLI::IsMember({"standard", "ort", "cpu"}));
  add_choice(app, "--functions", o.exported.functions, kFunctionStyles, "of an .onnx output: inlined or local");
  add_choice(app, "--checks", o.exported.checks, kChecks,
             "of an .onnx output, which cannot hold them: dropped, refused, or trap (a lookup that fails)");
  add_choice(
      app, "--draws", o.exported.random, kRandom,
      "random numbers of an .onnx output: generator, keys (inputs with defaults), inputs (with a script beside the "
      "file that makes them), or onnx (its own operators)");
  add_choice(app, "--external-data", o.exported.external_data, kExternalData,
             "weights in FILE.onnx.data: automatic (beyond 2 GiB), never or always");
  app.add_option("--external-threshold", o.exported.external_threshold, "bytes of the least tensor that goes there")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--fix", o.fixed, "SYMBOL=N: a symbolic dimension of an .onnx output becomes fixed")
      ->allow_extra_args(false);
  app.add_option("-O,--level", o.level,
                 "optimisation level: 0 as imported, 1 simplified, 2 fused; by default 2, or 0 for an .onnx output")
      ->check(CLI::IsMember({"0", "1", "2"}));
  app.add_option("--until", o.pipeline.until, "the last phase or pass to run");
  app.add_option("--disable", o.disable, "phases, passes or rules to leave out")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--enable", o.enable, "phases or passes to run beyond the level")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--rewrite-limit", o.pipeline.limits.rewrites, "stop after N rewrites")->check(CLI::NonNegativeNumber);
  app.add_option("--cap", o.caps, "RULE=N: let a rule fire at most N times")->allow_extra_args(false);
  add_choice(app, "--contract", o.pipeline.limits.loosest, kContracts, "the loosest numeric contract of rules")
      ->default_str("approximate");
  app.add_option(
         "--check", o.checks,
         "values: compare numbers before and after each rewrite; text: read the printed IR back after each pass; "
         "quantized: compare outputs before and after --quantize or --convert")
      ->check(CLI::IsMember({"values", "text", "quantized"}))
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--dim", o.inputs.dims,
                 "SYMBOL=N: extent of a symbolic dimension of made-up inputs of --check=values and --wasm")
      ->allow_extra_args(false);
  app.add_option("-i,--input", o.inputs.inputs,
                 "NAME=FILE or NAME=LITERAL: an input of --check=values (see tc-run --help)")
      ->allow_extra_args(false);
  app.add_option("--inputs", o.inputs.npz, ".npz file with inputs of --check=values; the rest is made up");
  add_wasm_options(app, o.wasm);
  app.add_option("--seed", o.pipeline.seed, "of made-up inputs")->capture_default_str();
  app.add_flag("--trace", o.trace, "print each rewrite on standard error");
  app.add_flag("--stats", o.stats, "print passes, rules and ops instead of the IR");
  app.add_flag("--json", o.json, "--stats and --list for a program to read");
  app.add_flag("--dot", o.dot, "the graph in Graphviz's language instead of the IR");
  app.add_flag("--elide,!--no-elide", o.elide,
               "leave out the weights (default on a terminal); such text cannot be read back");
  app.add_flag("!--no-locations", o.locations, "leave out where nodes come from");
  app.add_flag("-q,--quiet", o.quiet, "do not print the IR");
  app.add_flag("--list", o.list, "list phases, passes and rules")->excludes(model);
  return run_tool(app, argc, argv, [&] {
    if (!o.list && o.model.empty()) throw CLI::RequiredError("model (see --help)");
    return run(o);
  });
}
