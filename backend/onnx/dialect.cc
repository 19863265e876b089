#include "tc/backend/onnx/dialect.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tc::onnx {
namespace {

// Per opset of ai.onnx: the least IR version, and the opset of ai.onnx.ml of the same release.
// https://github.com/onnx/onnx/blob/main/docs/Versioning.md
struct Release {
  int opset, ir, ml;
};
constexpr Release kReleases[] = {{13, 7, 2},  {14, 7, 2},  {15, 8, 2},  {16, 8, 3},  {17, 8, 3},  {18, 8, 3},
                                 {19, 9, 3},  {20, 9, 4},  {21, 10, 5}, {22, 10, 5}, {23, 11, 5}, {24, 12, 5},
                                 {25, 13, 5}, {26, 13, 5}, {27, 13, 5}, {28, 13, 5}};
static_assert(kReleases[0].opset == kMinExportOpset);
static_assert(kReleases[std::size(kReleases) - 1].opset == kMaxExportOpset);

const Release& release(int opset) {
  return kReleases[opset - kMinExportOpset];
}

using OrtKey = std::tuple<std::string_view, std::string_view, int, std::string_view>;

const std::map<OrtKey, DTypeSet>& ort_table() {
  static const std::map<OrtKey, DTypeSet> table = {
#define TC_ORT_NO_TENSORS(types)
#define TC_ORT(domain, name, since, variable, types) {{domain, name, since, variable}, parse_dtypes(types)},
#include "tc/backend/onnx/ort.def"
  };
  return table;
}

}  // namespace

int Dialect::ir_version() const {
  return release(opset).ir;
}

int Dialect::version_of(std::string_view domain) const {
  if (domain.empty()) return opset;
  if (domain == "ai.onnx.ml") return std::min(release(opset).ml, newest_ml);
  if (domain == "com.microsoft") return ort() ? 1 : 0;
  return domain == "ai.onnx.preview.training" ? 1 : 0;
}

bool has_ort_kernel(const Schema& schema) {
  return !ort_table().count({schema.domain, schema.name, schema.since, ""});
}

bool has_ort_kernel(const Schema& schema, std::string_view variable, DType t) {
  static const DTypeSet unknown = parse_dtypes(
#define TC_ORT_NO_TENSORS(types) types
#define TC_ORT(domain, name, since, variable, types)
#include "tc/backend/onnx/ort.def"
  );
  if (unknown.has(t)) return false;
  const auto row = ort_table().find({schema.domain, schema.name, schema.since, variable});
  return row == ort_table().end() || row->second.has(t);
}

}  // namespace tc::onnx
