#include "tc/tools/bench/session.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "tc/tools/bench/engine.h"
#include "tc/tools/common/timing.h"
#include "tc/tools/common/worker.h"

namespace tc::bench {
namespace {

using nlohmann::json;

constexpr int kTimeoutSeconds = 600;
constexpr double kWarmUpMs = 20;
constexpr size_t kMaxTimes = 4000;  // of a block that are sent; a block with more is thinned out evenly

std::string outputs_file(const Plan& plan, const std::string& engine) {
  return std::filesystem::path(plan.inputs).replace_filename(engine + ".npz");
}

struct Contestant {
  std::string engine;
  std::unique_ptr<Worker> worker;
  std::vector<double> load_ms, first_run_ms, peak_mb, times, block_medians;
  EngineResult result;

  json ask(const json& request) {
    json answer = json::parse(worker->ask(request.dump(), kTimeoutSeconds));
    if (answer.contains("error")) fail(ErrorCode::check_failed, answer["error"].get<std::string>());
    return answer;
  }
  void load(const Plan& plan) {
    const json answer = ask({{"op", "load"},
                             {"model", std::filesystem::absolute(plan.model)},
                             {"threads", plan.threads},
                             {"inputs", plan.inputs},
                             {"outputs", outputs_file(plan, engine)}});
    result.version = answer["version"];
    load_ms.push_back(answer["load_ms"]);
    first_run_ms.push_back(answer["first_run_ms"]);
    peak_mb.push_back(answer["peak_mb"]);
  }
};

std::unique_ptr<Worker> start(const std::string& engine, const Plan& plan) {
  if (const auto it = plan.scripts.find(engine); it != plan.scripts.end())
    return std::make_unique<Worker>("node", std::vector<std::string>{"node", "--no-warnings", it->second}, true);
  std::vector<std::string> args{"tc-bench", "--worker", engine};
  if (!plan.isa.empty()) args.insert(args.end(), {"--isa", plan.isa});
  if (!plan.ort_library.empty()) args.insert(args.end(), {"--ort-library", plan.ort_library});
  return std::make_unique<Worker>("/proc/self/exe", args, true);
}

const Tensor* named(const NamedTensors& tensors, const std::string& name) {
  const auto it = std::find_if(tensors.begin(), tensors.end(), [&](const auto& t) { return t.first == name; });
  return it == tensors.end() ? nullptr : &it->second;
}

std::string mismatch(const NamedTensors& actual, const NamedTensors& expected, const Tolerance& tolerance) {
  for (const auto& [name, reference] : expected) {
    const Tensor* value = named(actual, name);
    if (!value) return cat("output '", name, "' is missing");
    if (const std::string d = difference(*value, reference, tolerance); !d.empty())
      return cat("output '", name, "': ", d);
  }
  return {};
}

std::optional<double> error_of_max(const NamedTensors& actual, const NamedTensors& truth) {
  std::optional<double> most;
  for (const auto& [name, expected] : truth)
    if (const Tensor* value = named(actual, name); value && value->extents() == expected.extents())
      most = std::max(most.value_or(0), tc::error_of_max(*value, expected));
  return most;
}

double median(std::vector<double> values) {
  return values.empty() ? 0 : percentile(std::move(values), 0.5);
}

}  // namespace

Result compare_engines(const Plan& plan, const std::function<void(const std::string&)>& progress) {
  Result result;
  result.name = plan.name;
  result.threads = plan.threads;
  std::vector<Contestant> contestants;
  for (const auto& engine : plan.engines) contestants.emplace_back().engine = engine;
  for (int load = 0; load < plan.loads; ++load)
    for (auto& c : contestants) {
      if (!c.result.error.empty()) continue;
      progress(cat(c.engine, " loads ", load + 1, "/", plan.loads));
      c.worker = start(c.engine, plan);
      try {
        c.load(plan);
        if (c.engine == "tc" && load + 1 == plan.loads) {
          const json counts = c.ask({{"op", "count"}});
          result.flops = counts["flops"], result.steps = counts["steps"], result.step_ns = counts["step_ns"];
        }
      } catch (const Error& e) {
        c.result.error = e.diagnostic().message;
      }
      c.worker->pause();
    }
  NamedTensors reference;
  for (auto& c : contestants) {
    if (!c.result.error.empty()) continue;
    if (c.engine == kStreams) continue;
    c.result.load_ms = median(c.load_ms);
    c.result.first_run_ms = median(c.first_run_ms);
    c.result.peak_mb = median(c.peak_mb);
    try {
      const NamedTensors values = read_npz(outputs_file(plan, c.engine));
      c.result.error_of_max = error_of_max(values, plan.truth);
      if (&c == &contestants.front())
        reference = values;
      else
        c.result.mismatch = mismatch(reference, values, plan.tolerance);
    } catch (const Error& e) {
      c.result.error = e.diagnostic().message;
    }
  }
  std::vector<double> peak, hand_over, read;
  for (int block = 0; block < plan.blocks; ++block) {
    const Probe probe = probe_machine(plan.threads);
    peak.push_back(probe.peak_gflops);
    hand_over.push_back(probe.hand_over_ns), read.push_back(probe.read_gbs);
    for (auto& c : contestants) {
      if (!c.result.error.empty()) continue;
      progress(cat(c.engine, " ", block + 1, "/", plan.blocks));
      try {
        const json answer = c.ask({{"op", "run"}, {"ms", plan.min_seconds * 1e3 / plan.blocks}});
        const auto times = answer["times"].get<std::vector<double>>();
        c.times.insert(c.times.end(), times.begin(), times.end());
        c.block_medians.push_back(median(times));
        c.result.runs += answer["runs"].get<int>();
      } catch (const Error& e) {
        c.result.error = e.diagnostic().message;
      }
      c.worker->pause();
    }
  }
  result.probe = {median(peak), median(hand_over), median(read)};
  const auto& first = contestants.front();
  for (auto& c : contestants) {
    if (c.result.error.empty()) {
      c.result.median_ms = median(c.times);
      c.result.p10_ms = percentile(c.times, 0.1);
      c.result.p90_ms = percentile(c.times, 0.9);
      std::vector<double> ratios;
      for (size_t i = 0; i < std::min(c.block_medians.size(), first.block_medians.size()); ++i)
        ratios.push_back(c.block_medians[i] / first.block_medians[i]);
      c.result.ratio = median(ratios);
    }
    result.engines[c.engine] = c.result;
  }
  return result;
}

void check_engines(const Plan& plan) {
  for (const auto& [engine, script] : plan.scripts) {
    const json answer = json::parse(start(engine, plan)->ask(json{{"op", "check"}}.dump(), kTimeoutSeconds));
    if (answer.contains("error")) fail(ErrorCode::bad_argument, engine, ": ", answer["error"].get<std::string>());
  }
}

int serve(const std::string& name, const std::string& ort_library) {
  std::unique_ptr<Engine> engine;
  const auto load = [&](const json& request) -> json {
    EngineOptions options;
    options.model = request["model"];
    options.threads = request["threads"];
    options.inputs = read_npz(request["inputs"]);
    options.library = ort_library;
    options.exact = name == kOrtExact;
    options.strict = name == kTcStrict;
    auto start = Clock::now();
    engine = name == "tc" || name == kTcStrict ? make_tc_engine(options)
             : name == kStreams                ? make_streams_engine(options)
                                               : make_ort_engine(options);
    const double load_ms = ms_since(start);
    start = Clock::now();
    engine->run();
    const double first_run_ms = ms_since(start), peak = peak_rss_mb();
    write_npz(request["outputs"], engine->outputs());
    return {{"version", engine->version()}, {"load_ms", load_ms}, {"first_run_ms", first_run_ms}, {"peak_mb", peak}};
  };
  const auto count = [&]() -> json {
    const Engine::Counts counts = engine->counts();
    return {{"flops", counts.flops}, {"steps", counts.steps}, {"step_ns", counts.step_ns}};
  };
  const auto run = [&](const json& request) -> json {
    for (const auto start = Clock::now(); ms_since(start) < kWarmUpMs;) engine->run();
    const double least_ms = request["ms"];
    std::vector<double> times;
    const auto begin = Clock::now();
    for (auto now = begin;
         times.size() < 3 || std::chrono::duration<double, std::milli>(now - begin).count() < least_ms;) {
      engine->run();
      const auto end = Clock::now();
      times.push_back(std::chrono::duration<double, std::milli>(end - now).count());
      now = end;
    }
    const size_t runs = times.size();
    if (runs > kMaxTimes) {
      for (size_t i = 0; i < kMaxTimes; ++i) times[i] = times[i * runs / kMaxTimes];
      times.resize(kMaxTimes);
    }
    return {{"times", times}, {"runs", runs}};
  };
  for (std::string line; std::getline(std::cin, line);) {
    json answer;
    try {
      const json request = json::parse(line);
      const auto& op = request["op"];
      answer = op == "load" ? load(request) : op == "count" ? count() : run(request);
    } catch (const Error& e) {
      answer = {{"error", e.diagnostic().message}};
    } catch (const std::exception& e) {
      answer = {{"error", e.what()}};
    }
    std::cout << answer.dump() << std::endl;
  }
  return 0;
}

}  // namespace tc::bench
