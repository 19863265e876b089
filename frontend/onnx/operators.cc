// The table of operators that import knows: derived from the ops' facts and the families' rows.
#include <algorithm>
#include <map>

#include "tc/frontend/onnx/importer.h"

namespace tc::onnx {
namespace {

using Table = std::map<std::pair<std::string_view, std::string_view>, OperatorRows>;

const Table& table() {
  static const Table t = [] {
    Table result;
    for (const auto& op : all_ops())
      if (const auto& onnx = op.facts->onnx; !onnx.name.empty())
        result[{canonical_domain(onnx.domain), onnx.name}].rows.push_back({onnx.since, nullptr, op.id});
    ImportRows rows;
#define TC_FAMILY(name) rows_import_##name(rows);
#include "tc/ir/families.def"
#undef TC_FAMILY
    for (const auto& r : rows) {
      auto& list = result[{canonical_domain(r.domain), r.name}].rows;
      // A row for the very version of the regular import replaces it.
      std::erase_if(list, [&](const auto& e) { return e.since == r.since && !e.import; });
      list.push_back({r.since, r.import, OpId()});
    }
    for (auto& [key, entry] : result)
      std::stable_sort(entry.rows.begin(), entry.rows.end(),
                       [](const auto& a, const auto& b) { return a.since > b.since; });
    return result;
  }();
  return t;
}

}  // namespace

std::string_view canonical_domain(std::string_view domain) {
  return domain == "ai.onnx" ? "" : domain;
}

const OperatorRows* find_operator(std::string_view domain, std::string_view name) {
  const auto it = table().find({canonical_domain(domain), name});
  return it == table().end() ? nullptr : &it->second;
}

std::vector<KnownOperator> known_operators() {
  std::vector<KnownOperator> result;
  for (const auto& [key, entry] : table())
    for (const auto& r : entry.rows) result.push_back({std::string(key.first), std::string(key.second), r.since});
  return result;
}

}  // namespace tc::onnx
