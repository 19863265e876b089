// tc-run: runs models and ONNX test suites.
#include <unistd.h>
#include <algorithm>

#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "tc/backend/cpu/bind/algorithms.h"
#include "tc/backend/cpu/run/executable.h"
#include "tc/frontend/api/files/npy.h"
#include "tc/frontend/api/tc.h"
#include "tc/ir/eval/interp.h"
#include "tc/ir/module.h"
#include "tc/kernels/cpu.h"
#include "tc/tools/common/cli.h"
#include "tc/tools/common/compare.h"
#include "tc/tools/common/inputs.h"
#include "tc/tools/run/deadline.h"
#include "tc/tools/run/report.h"
#include "tc/tools/run/suite.h"

namespace {

using namespace tc;
struct Options {
  std::string model;
  InputSpec inputs;
  std::optional<uint64_t> seed;
  std::string save, save_inputs, expect, trace, forbid_ref, reexport, level = "2", graph_view;
  Tolerance tolerance;
  int repeat = 1, idle_ms = 0;
  bool json = false, profile = false, candidates = false, memory = false, interpreter = false, widened = false;
  std::vector<std::string> force;
  CompilerOptions compile;
  SuiteOptions suite;
  std::optional<Deadline> deadline;
  bool worker = false;
};

// Steps that run on their reference body, of the given families ("" for all); one per line.
std::string reference_steps(const Executable& e, const std::string& families) {
  std::set<std::string> wanted;
  std::istringstream list(families);
  for (std::string f; std::getline(list, f, ',');) {
    bool known = false;
#define TC_FAMILY(name) known = known || f == #name;
#include "tc/ir/families.def"
#undef TC_FAMILY
    if (!known) fail(ErrorCode::bad_argument, "--forbid-ref: unknown family '", f, "'");
    wanted.insert(f);
  }
  std::string found;
  walk_steps(e.plan(), [&](const cpu::Step& s, int) {
    const OpInfo& op = s.node->info();
    if (!s.is_ref || op.family == Family::control ||
        (!wanted.empty() && !wanted.count(std::string(to_string(op.family)))))
      return;
    found += cat("\n  ", s.node->location().empty() ? std::string(op.name()) : s.node->location(), ": ", op.name());
    for (const auto& r : s.refusals) found += cat("; ", r);
  });
  return found;
}

// The tensors in a value: item i of a sequence is called NAME.i, the entry of a map NAME.key.
void add_tensors(NamedTensors& result, const std::string& name, const Datum& value) {
  if (value.is_tensor()) {
    result.emplace_back(name, value.tensor());
  } else if (value.is_sequence()) {
    for (size_t i = 0; i < value.items().size(); ++i) add_tensors(result, cat(name, ".", i), value.items()[i]);
  } else if (value.is_map()) {
    for (const auto& [key, entry] : value.map().entries)
      std::visit([&](const auto& k) { add_tensors(result, cat(name, ".", k), entry); }, key);
  }
}

// A model may list one value several times: from the second time on the name gets a number, as in `y#2`.
NamedTensors named(const std::vector<ValueInfo>& infos, const std::vector<Datum>& values) {
  NamedTensors result;
  std::map<std::string, int> times;
  for (size_t i = 0; i < values.size(); ++i) {
    const int n = ++times[infos[i].name];
    add_tensors(result, n == 1 ? infos[i].name : cat(infos[i].name, "#", n), values[i]);
  }
  return result;
}

// The exit status of comparing with --expect.
int compare(const Options& o, const std::vector<ValueInfo>& infos, const std::vector<Datum>& values,
            nlohmann::json& report) {
  if (o.expect.empty()) return 0;
  int status = 0;
  const NamedTensors outputs = named(infos, values);
  for (const auto& [name, expected] : read_npz(o.expect)) {
    const auto it = std::find_if(outputs.begin(), outputs.end(), [&](const auto& v) { return v.first == name; });
    if (it == outputs.end()) fail(ErrorCode::bad_input, "the model has no output '", name, "', a member of ", o.expect);
    const std::string d = difference(it->second, expected, o.tolerance);
    if (d.empty()) continue;
    status = 1;
    report["mismatches"][name] = d;
    if (!o.json) std::cout << "MISMATCH " << name << ": " << d << "\n";
  }
  if (status == 0 && !o.json) std::cout << "outputs match " << o.expect << "\n";
  return status;
}

std::vector<Datum> inputs_of(const Function& f, const Options& o) {
  auto inputs = gather_inputs(f, o.inputs);
  if (!o.save_inputs.empty()) write_npz(o.save_inputs, named(f.inputs(), inputs));
  return inputs;
}

int run_model(const Options& o) {
  auto start = Clock::now();
  const Function f = load(o.model, load_options(o.inputs));
  const auto infos = f.outputs();
  if (o.interpreter || o.widened) {
    InterpOptions io;
    io.widened = o.widened;
    io.check_types = true;
    io.max_steps = o.compile.max_steps;
    io.max_bytes = o.compile.max_memory;
    io.seed = o.compile.seed;
    const auto values = interpret(f.module(), inputs_of(f, o), io);
    nlohmann::json report = nlohmann::json::object();
    const int status = compare(o, infos, values, report);
    if (!o.save.empty()) write_npz(o.save, named(infos, values));
    if (o.json)
      std::cout << report.dump(2) << "\n";
    else if (o.save.empty() && o.expect.empty())
      print_outputs(std::cout, infos, values);
    return status;
  }
  const Compiled compiled = compile(f, o.compile);
  const Executable& e = compiled.executable();
  Timings timings;
  timings.load_ms = ms_since(start);
  if (o.forbid_ref != "-") {
    const std::string found = reference_steps(e, o.forbid_ref);
    if (!found.empty()) fail(ErrorCode::check_failed, "steps without a kernel:", found);
  }
  const auto inputs = inputs_of(f, o);
  const auto context = e.make_context(o.compile.threads);
  std::vector<cpu::StepTiming> profile;
  std::vector<cpu::StepCandidates> candidates;
  if (o.candidates || !o.compile.force.empty()) context->candidates_into(&candidates);
  start = Clock::now();
  std::vector<Datum> values = e.run(inputs, *context);
  timings.first_run_ms = ms_since(start);
  context->candidates_into(nullptr);
  print_unforced(std::cerr, candidates);
  const bool progress = isatty(STDERR_FILENO) && timings.first_run_ms * o.repeat > 2000;
  std::vector<double> run_ms;
  if (o.profile || !o.trace.empty()) context->profile_into(&profile);
  for (int i = 0; i < o.repeat; ++i) {
    if (o.repeat == 1 && !o.profile && o.trace.empty()) {
      run_ms.push_back(timings.first_run_ms);
      break;
    }
    if (o.idle_ms) usleep(static_cast<useconds_t>(o.idle_ms) * 1000);
    values.clear();
    start = Clock::now();
    values = e.run(inputs, *context);
    run_ms.push_back(ms_since(start));
    if (progress) std::cerr << "\rrun " << i + 1 << " of " << o.repeat << std::flush;
  }
  if (progress) std::cerr << "\n";
  set_percentiles(timings, run_ms);
  timings.peak_rss_mb = peak_rss_mb();

  nlohmann::json report;
  const int status = compare(o, infos, values, report);
  if (!o.save.empty()) write_npz(o.save, named(infos, values));
  if (!o.trace.empty()) write_trace(o.trace, profile);
  if (!o.graph_view.empty()) graph_view(compiled, o.graph_view, {.title = o.model, .inputs = inputs});
  const auto memory = context->memory();
  if (o.json) {
    report["median_ms"] = timings.median_ms;
    report["p10_ms"] = timings.p10_ms;
    report["p90_ms"] = timings.p90_ms;
    report["load_ms"] = timings.load_ms;
    report["first_run_ms"] = timings.first_run_ms;
    report["peak_rss_mb"] = timings.peak_rss_mb;
    report["runs"] = timings.runs;
    report["threads"] = context->threads();
    report["isa"] = kernels::tier_name(e.tier());
    report["memory"] = {{"planned_bytes", memory.planned},
                        {"arena_bytes", memory.capacity},
                        {"packed_bytes", e.packed_bytes()},
                        {"weights_bytes", e.constant_bytes()}};
    for (size_t i = 0; i < values.size(); ++i)
      report["outputs"].push_back({{"name", infos[i].name}, {"type", describe(values[i])}});
    std::cout << report.dump(2) << "\n";
    return status;
  }
  if (o.save.empty() && o.expect.empty()) print_outputs(std::cout, infos, values);
  if (o.repeat > 1)
    std::printf("%d runs: median %.3f ms, p10 %.3f, p90 %.3f; load %.1f ms, first run %.3f ms, peak memory %.1f MB\n",
                timings.runs, timings.median_ms, timings.p10_ms, timings.p90_ms, timings.load_ms, timings.first_run_ms,
                timings.peak_rss_mb);
  if (o.memory)
    std::printf("planned peak %.3f MB, arena %.3f MB, weights %.3f MB, packed %.3f MB in %d blocks\n",
                static_cast<double>(memory.planned) / 1e6, static_cast<double>(memory.capacity) / 1e6,
                static_cast<double>(e.constant_bytes()) / 1e6, static_cast<double>(e.packed_bytes()) / 1e6,
                e.packed_weights());
  if (o.profile) {
    std::cout << "\n";
    print_profile(std::cout, profile, o.repeat);
  }
  if (o.candidates) print_candidates(std::cout, candidates);
  return status;
}

std::map<std::string, std::string> forced(const std::vector<std::string>& all) {
  std::map<std::string, std::string> force;
  for (const std::string& one : all) {
    const size_t at = one.find('=');
    if (at == std::string::npos)
      throw CLI::ValidationError(cat("--force: '", one, "' is not KIND=ALGORITHM, as conv=direct"));
    force[one.substr(0, at)] = one.substr(at + 1);
  }
  cpu::check_forced(force);
  return force;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : ", ") + w;
  return text;
}

std::vector<std::string> worker_command(const Options& o, const char* self) {
  std::vector<std::string> args = {self,    "--suite-worker", "-O",
                                   o.level, "--threads",      std::to_string(o.compile.threads)};
  if (!o.compile.isa.empty()) args.insert(args.end(), {"--isa", o.compile.isa});
  if (!o.compile.precision.empty()) args.insert(args.end(), {"--precision", o.compile.precision});
  if (o.compile.compact_weights) args.push_back("--compact-weights");
  for (const auto& [kind, algorithm] : o.compile.force) args.insert(args.end(), {"--force", cat(kind, "=", algorithm)});
  if (o.interpreter) args.push_back("--interpreter");
  if (!o.reexport.empty()) args.insert(args.end(), {"--reexport", o.reexport});
  if (o.compile.max_memory != UINT64_MAX)
    args.insert(args.end(), {"--max-memory", std::to_string(o.compile.max_memory)});
  if (o.compile.max_steps != UINT64_MAX) args.insert(args.end(), {"--max-steps", std::to_string(o.compile.max_steps)});
  return args;
}

// What a reader makes of the ONNX file that we write of it; `opset` is a number, or "own" for the model's.
Function reexported(const Function& f, const std::string& opset) {
  ExportOptions options;
  const auto& known = f.module().metadata;
  const auto own = known.find("opset.ai.onnx");
  const std::string wanted = opset != "own" ? opset : own == known.end() ? "" : own->second;
  options.opset = std::clamp(std::atoi(wanted.c_str()), kMinExportOpset, kMaxExportOpset);
  try {
    const auto bytes = std::make_shared<const std::string>(export_onnx_bytes(f, options));
    return load_onnx(bytes->data(), bytes->size(), bytes);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::unsupported) throw NotApplicable(e.diagnostic().message);
    throw;
  }
}

int serve_suite(const Options& o) {
  return run_suite_worker([&](const std::string& path, const auto& inputs) {
    const Function original = load(path);
    const Function f = o.reexport.empty() ? original : reexported(original, o.reexport);
    auto values = inputs(original.module().main());
    if (o.interpreter) {
      InterpOptions io;
      io.check_types = true;
      return interpret(f.module(), std::move(values), io);
    }
    return compile(f, o.compile).run(std::move(values));
  });
}

constexpr const char* kExamples = R"(
Examples:
  tc-run model.onnx --random                        random inputs, a summary of each output
  tc-run model.onnx --input x=image.npy --save out.npz
  tc-run model.onnx --input x=1x3x224x224xf32@random --repeat 100 --profile
  tc-run model.onnx --random --graph-view m.html    a page of the graph with the time of each node, for a browser
  tc-run model.onnx --random --candidates --force conv=direct
  tc-run model.onnx --random --dim batch=4 --json   times for a program to read
  tc-run model.onnx --inputs in.npz --expect out.npz --rtol 1e-3 --atol 1e-4
  tc-run --suite /usr/share/libonnx-testdata/data   the ONNX backend test cases

Exit status: 0 success, 1 failure or mismatch, 2 wrong command line.)";

}  // namespace

int main(int argc, char** argv) {
  Options o;
  CLI::App app("Runs ONNX models (.onnx) and textual IR (.tc) on the CPU.", "tc-run");
  app.footer(kExamples);
  app.add_option("model", o.model, "model file, .onnx or .tc");
  app.add_option("-i,--input", o.inputs.inputs,
                 "NAME=FILE (.npy, .npz[:member], .pb) or NAME=LITERAL (2xi64=3,4; 1x3xf32@random; 9xi32@0..5)")
      ->allow_extra_args(false);
  app.add_option("--inputs", o.inputs.npz, ".npz file with members named as inputs");
  app.add_option("--random", o.seed, "make up the remaining inputs, from this seed (default 1)")
      ->expected(0, 1)
      ->default_str("1");
  app.add_option("--dim", o.inputs.dims, "SYMBOL=N: extent of a symbolic dimension of made-up inputs (default 1)")
      ->allow_extra_args(false);
  app.add_flag("!--distinct-symbols", o.inputs.shared_symbols,
               "let dimensions differ that inputs of the model declare under one name");
  app.add_option("--save", o.save,
                 "write the outputs to this .npz file; what a sequence or map holds as NAME.0 or NAME.key");
  app.add_option("--save-inputs", o.save_inputs,
                 "write the inputs to this .npz file, made-up ones included, for a run elsewhere");
  app.add_option("--expect", o.expect, "compare with the outputs in this .npz file");
  app.add_option("--rtol", o.tolerance.rtol, "relative tolerance of --expect")->capture_default_str();
  app.add_option("--atol", o.tolerance.atol, "absolute tolerance of --expect")->capture_default_str();
  app.add_option("--atol-of-max", o.tolerance.atol_of_max,
                 "further absolute tolerance, times the largest expected magnitude");
  app.add_option("--repeat", o.repeat, "timed runs after a first one")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--idle", o.idle_ms, "milliseconds of sleep before each run")->check(CLI::NonNegativeNumber);
  app.add_flag("--json", o.json, "print times and memory as JSON");
  app.add_option("--threads", o.compile.threads, "threads, 0 for one per core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_option("--isa", o.compile.isa, "cap of the instruction set")->check(CLI::IsMember(kernels::tier_names()));
  app.add_option("--precision", o.compile.precision,
                 "of f32 products and convolutions (default: TC_PRECISION, else default)")
      ->check(CLI::IsMember({"strict", "default", "fast"}));
  app.add_flag("--compact-weights", o.compile.compact_weights, "one packed form of weights for all numbers of rows");
  app.add_option("-O,--level", o.level, "optimisation level")
      ->check(CLI::IsMember({"0", "1", "2"}))
      ->capture_default_str();
  app.add_option("--forbid-ref", o.forbid_ref, "fail when a step of these families (default: any) has no kernel")
      ->expected(0, 1)
      ->default_str("");
  app.add_flag("--mem", o.memory, "print planned and used memory");
  app.add_option("--max-memory", o.compile.max_memory,
                 "bytes of working memory of a run (suffixes kb, mb, gb); default: 80 % of the machine's")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--max-steps", o.compile.max_steps, "loop iterations of a run");
  app.add_option("--seed", o.compile.seed, "of random ops that have none: makes their numbers repeatable");
  app.add_option("--force", o.force,
                 cat("KIND=ALGORITHM: compute a kind of kernels (", joined(cpu::algorithm_kinds()),
                     ") by this algorithm wherever it can be used"))
      ->allow_extra_args(false);
  app.add_flag("--candidates", o.candidates, "print which algorithms each node was chosen from, with cost or refusal");
  app.add_flag("--profile", o.profile, "print time by node and by op");
  app.add_option("--trace", o.trace, "write a Chrome/Perfetto trace to this .json file");
  app.add_option("--graph-view", o.graph_view, "write a page (.html) of the graph as it is executed, with times");
  app.add_flag("--interpreter", o.interpreter, "run the reference interpreter");
  app.add_flag("--widened", o.widened, "run the interpreter in f64 throughout: the truth for accuracy tests");
  app.add_option("--suite", o.suite.folder, "run all ONNX backend test cases below this folder");
  app.add_option("--reexport", o.reexport,
                 "--suite: run what becomes of a model by export at this opset, or at its own, and import")
      ->check(CLI::IsMember({"own"}) | CLI::Range(kMinExportOpset, kMaxExportOpset));
  app.add_option("--filter", o.suite.filter, "--suite: only cases whose name matches this regular expression");
  app.add_option("--known-failures", o.suite.known_failures, "--suite: file of cases that may fail, and must");
  app.add_option("--jobs", o.suite.jobs, "--suite: worker processes")->check(CLI::Range(1, 64))->capture_default_str();
  app.add_option("--timeout", o.suite.timeout_seconds,
                 "seconds that loading, compiling and running a model may take; of --suite, each case (default 120)")
      ->check(CLI::PositiveNumber);
  app.add_flag("--suite-worker", o.worker)->group("");
  o.forbid_ref = "-";
  return run_tool(app, argc, argv, [&] {
    if (o.worker + !o.suite.folder.empty() + !o.model.empty() != 1)
      throw CLI::ValidationError("give a model, or --suite FOLDER (see --help)");
    if (app.count("--forbid-ref") && o.forbid_ref == "-") o.forbid_ref.clear();
    if (app.count("--random")) o.inputs.random_seed = o.seed.value_or(1);
    o.compile.level = std::stoi(o.level);
    o.compile.force = forced(o.force);
    if (o.worker) return serve_suite(o);
    if (o.suite.folder.empty()) {
      if (app.count("--timeout")) o.deadline.emplace(o.suite.timeout_seconds);
      return run_model(o);
    }
    o.suite.progress = isatty(STDERR_FILENO);
    o.suite.worker_args = worker_command(o, argv[0]);
    return run_suite(o.suite);
  });
}
