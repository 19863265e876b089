// Samples exported for every dialect: what the tests of this folder run over.
#pragma once

#include <string>
#include <vector>

#include "tc/tc.h"
#include "tc/tools/common/compare.h"
#include "tests/samples/sample.h"

namespace tc {

struct DialectCase {
  ExportTarget target;
  int opset;
};
inline std::vector<DialectCase> dialect_cases() {
  std::vector<DialectCase> cases;
  for (ExportTarget target : {ExportTarget::standard, ExportTarget::ort})
    for (int opset : {13, 15, 17, 18, 21, 25}) cases.push_back({target, opset});
  return cases;
}
inline std::string to_string(const DialectCase& d) {
  return cat(d.target == ExportTarget::ort ? "ort" : "standard", d.opset);
}

struct BuiltSample {
  explicit BuiltSample(const Sample& s) { s.build(graph); }
  SampleGraph graph;
  bool random() const {
    bool found = false;
    walk(graph.module->main(), [&](Node& n) { found |= n.info().traits.nondeterministic; });
    return found;
  }
};

// The exported bytes, or why not.
struct Exported {
  std::string bytes, refusal;
  ExportReport report;
};
inline Exported export_sample(const Module& module, const DialectCase& d, ExportOptions options = {}) {
  options.opset = d.opset, options.target = d.target;
  Exported e;
  try {
    e.bytes = onnx::export_bytes(module, options, &e.report);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    e.refusal = error.diagnostic().message;
  }
  return e;
}

// How far results may move for what was changed: nothing where nothing was.
inline Tolerance export_tolerance(const Sample& s, const ExportReport& report, DType t) {
  if (report.changes.empty()) return {0, 0, 0};
  bool lossy = false;
  for (const auto& c : report.changes) lossy |= c.what.find("loses precision") != std::string::npos;
  switch (t) {
    case DType::f64:
      return lossy ? Tolerance{s.rtol, s.atol, 0} : Tolerance{1e-9, 1e-10, 0};
    case DType::f16:
      return {4e-3, 2e-3, 0};
    case DType::bf16:
      return {2e-2, 2e-2, 0};
    default:
      return {s.rtol, s.atol, 0};
  }
}

}  // namespace tc
