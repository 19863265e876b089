#include "tc/tools/opt/quantize.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace tc {
namespace {

namespace fs = std::filesystem;

// The inputs of a run for each .npz file of the folder, or of one run as `spec` says.
std::vector<std::vector<Datum>> gather_runs(const Function& f, const std::string& folder, InputSpec spec) {
  if (folder.empty()) return {gather_inputs(f, spec)};
  std::vector<std::string> files;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing))
    if (entry.path().extension() == ".npz") files.push_back(entry.path().string());
  if (files.empty()) fail(ErrorCode::bad_argument, "--data ", folder, ": no folder with .npz files");
  std::sort(files.begin(), files.end());
  std::vector<std::vector<Datum>> runs;
  for (const auto& file : files) {
    spec.npz = file;
    runs.push_back(gather_inputs(f, spec));
  }
  return runs;
}

void print_layers(std::FILE* to, const QuantizedModel& q) {
  int64_t before = 0, after = 0;
  std::fprintf(to, "%-48s %-10s %12s %12s %10s\n", "layer", "operator", "bytes", "then", "error");
  for (const auto& l : q.layers) {
    before += l.bytes_before, after += l.bytes_after;
    std::fprintf(to, "%-48s %-10s %12lld %12lld %10.2g\n", l.node.c_str(), l.op.c_str(),
                 static_cast<long long>(l.bytes_before), static_cast<long long>(l.bytes_after), l.error);
  }
  std::fprintf(to, "%zu layers, %lld bytes of weights, then %lld (%.3f)\n", q.layers.size(),
               static_cast<long long>(before), static_cast<long long>(after),
               before ? static_cast<double>(after) / static_cast<double>(before) : 1.0);
}

}  // namespace

void add_quantize_options(CLI::App& app, QuantizeFlags& flags) {
  app.add_option("--quantize", flags.mode,
                 "weights: constants in 8 or 4 bits; dynamic: products of bytes, by the range of each input; static: "
                 "quantised activations, by ranges measured on --data")
      ->check(CLI::IsMember({"weights", "dynamic", "static"}));
  app.add_option("--bits", flags.options.bits, "of weights of products with --quantize weights")
      ->check(CLI::IsMember({8, 4}))
      ->capture_default_str();
  app.add_option("--block", flags.options.block, "neighbours that share a scale with --quantize weights; 0: all")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--data", flags.data,
                 "folder of .npz files, each with the inputs of a run: for static, and for checks");
  app.add_option("--calibration", flags.calibration, "what of the measured ranges --quantize static keeps")
      ->check(CLI::IsMember({"min-max", "percentile", "entropy"}))
      ->capture_default_str();
  app.add_option("--percentile", flags.options.percentile, "that --calibration percentile keeps")
      ->capture_default_str();
  app.add_option("--exclude", flags.options.exclude, "nodes or operators that stay as they are")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--convert", flags.convert, "keep f32 weights in this type")->check(CLI::IsMember({"f16", "bf16"}));
  app.add_option("--least-cosine", flags.cosine,
                 "with --check=quantized: fail when an output's cosine with the one before is less");
}

Function quantized(const Function& f, const QuantizeFlags& flags, const InputSpec& inputs, std::FILE* to) {
  if (!flags.mode.empty() && !flags.convert.empty())
    fail(ErrorCode::bad_argument, "--quantize and --convert exclude each other");
  ModelQuantization o = flags.options;
  o.mode = flags.mode == "dynamic"  ? QuantizeMode::dynamic
           : flags.mode == "static" ? QuantizeMode::calibrated
                                    : QuantizeMode::weights;
  o.calibration = flags.calibration == "entropy"      ? Calibration::entropy
                  : flags.calibration == "percentile" ? Calibration::percentile
                                                      : Calibration::min_max;
  if (o.mode == QuantizeMode::calibrated && flags.data.empty())
    fail(ErrorCode::bad_argument, "--quantize static measures ranges: give inputs with --data FOLDER");
  std::vector<std::vector<Datum>> runs;
  if (o.mode == QuantizeMode::calibrated || flags.check) runs = gather_runs(f, flags.data, inputs);
  const QuantizedModel q = flags.convert.empty()
                               ? quantize(f, o, runs)
                               : convert_weights(f, flags.convert == "f16" ? DType::f16 : DType::bf16);
  if (to) print_layers(to, q);
  if (flags.check)
    for (const auto& e : compare_outputs(f, q.function, runs)) {
      if (to)
        std::fprintf(to, "output %s: cosine %.6f, largest difference %.2g of the largest value, same top-1 %.2f %%\n",
                     e.output.c_str(), e.cosine, e.relative, 100 * e.same_top1);
      if (flags.cosine && !(e.cosine >= *flags.cosine))
        fail(ErrorCode::check_failed, "output '", e.output, "' has a cosine of ", e.cosine, ", less than ",
             *flags.cosine);
    }
  return q.function;
}

}  // namespace tc
