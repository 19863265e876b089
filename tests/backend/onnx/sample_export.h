// Samples exported for every dialect: what the tests of this folder run over.
#pragma once

#include <cstdlib>
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
// TC_OTHER_OPSETS=1, of a test that `./dev test --full` adds: the opsets that are left out otherwise.
inline bool other_opsets() {
  return std::getenv("TC_OTHER_OPSETS") != nullptr;
}
inline std::vector<DialectCase> dialect_cases() {
  std::vector<int> opsets = {13, 15, 17, 18, 21, 25};
  if (other_opsets()) opsets = {14, 16, 19, 20, 22, 23, 24, 26};
  std::vector<DialectCase> cases;
  for (ExportTarget target : {ExportTarget::standard, ExportTarget::ort})
    for (int opset : opsets) cases.push_back({target, opset});
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

// The element type that says how exact results of f64 are: the narrowest of the program's floating types, in values and
// in attributes that ask for one.
inline DType precision_of(const Module& module) {
  DType least = DType::f64;
  const auto see = [&](DType t) {
    if (dtypes::floats.has(t) && info(t).bits < info(least).bits) least = t;
  };
  const auto see_value = [&](const Value* v) {
    if (v->type().is_tensor()) see(v->dtype());
  };
  for (const Value* v : module.main().inputs()) see_value(v);
  walk(module.main(), [&](Node& n) {
    for (int j = 0; j < n.num_results(); ++j) see_value(n.result(j));
    for (size_t i = 0; i < n.info().attrs.fields.size(); ++i) {
      const AttrValue v = n.info().attrs.get(n.raw_attrs().get(), i);
      if (const DType* t = std::get_if<DType>(&v)) see(*t);
    }
  });
  return least;
}

// How far results may move for what was changed: nothing where nothing was.
inline Tolerance export_tolerance(const Sample& s, const Module& module, const ExportReport& report, DType t) {
  if (report.changes.empty()) return {0, 0, 0};
  if (t == DType::f64) t = precision_of(module);
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
