#include "tc/frontend/api/export.h"

#include "tc/frontend/api/portable.h"
#include "tc/frontend/api/tc.h"
#include "tc/passes/fuse/fuse.h"
#include "tc/passes/pipeline.h"

namespace tc {

// Fusion stops where ONNX has no operator: of its rules those of weights stay.
PipelineOptions portable_passes() {
  PipelineOptions passes;
  passes.level = 1;
  passes.enable = {"simplify-scans", "fuse-linear"};
  passes.disable = {"fold-dequantised", "merge-equal-constants"};
  for (const Rule& rule : fuse_rules()) passes.disable.emplace(rule.name);
  for (const Rule& rule : weight_rules()) passes.disable.erase(std::string(rule.name));
  return passes;
}

namespace {

// The program as options.level asks for it.
std::unique_ptr<Module> optimised(const Function& f, const ExportOptions& options, ExportReport& report) {
  if (options.level < 0 || options.level > 1)
    fail(ErrorCode::bad_argument, "optimisation level ", options.level, " of an export is not 0 or 1");
  auto module = clone(f.module());
  onnx::place_custom_ops(*module, options, report);
  onnx::place_draws(*module, options, report);
  if (options.level == 0) return module;
  PipelineOptions passes = portable_passes();
  if (options.functions == ExportFunctions::local) passes.disable.insert("inline-functions");
  for (const auto& [name, rule] : optimize(*module, passes).rules)
    if (rule.fired) report.rewrites.emplace_back(name, rule.fired);
  if (options.opset >= kMinExportOpset && options.opset <= kMaxExportOpset)
    onnx::keep_portable(*module, f.module(), options.opset);
  return module;
}

}  // namespace

ExportReport export_onnx(const Function& f, const std::string& path, const ExportOptions& options) {
  ExportReport report;
  const auto module = optimised(f, options, report);
  ExportReport written = onnx::export_file(*module, path, options);
  std::move(written.changes.begin(), written.changes.end(), std::back_inserter(report.changes));
  onnx::write_draws_script(report, path);
  return report;
}

std::string export_onnx_bytes(const Function& f, const ExportOptions& options) {
  ExportReport report;
  return onnx::export_bytes(*optimised(f, options, report), options);
}

}  // namespace tc
