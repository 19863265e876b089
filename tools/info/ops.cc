#include "tc/tools/info/ops.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tc/backend/cpu/bind/bind.h"
#include "tc/frontend/onnx/import.h"
#include "tc/ir/attrs.h"
#include "tc/ir/diag.h"
#include "tc/ir/op.h"

namespace tc {
namespace {

const std::vector<std::pair<std::string_view, DTypeSet>>& named_sets() {
  static const std::vector<std::pair<std::string_view, DTypeSet>> sets{{"all", dtypes::all},
                                                                       {"numeric", dtypes::numeric},
                                                                       {"floats", dtypes::floats},
                                                                       {"ints", dtypes::ints},
                                                                       {"f8", dtypes::f8},
                                                                       {"complex", dtypes::complex},
                                                                       {"sub_byte", dtypes::sub_byte},
                                                                       {"signed_ints", dtypes::signed_ints},
                                                                       {"index", dtypes::index},
                                                                       {"bool", dtypes::boolean},
                                                                       {"unsigned_ints", dtypes::unsigned_ints}};
  return sets;
}

// The largest named sets that fit, then what is left: "numeric bool".
std::string spelled(DTypeSet set) {
  std::string text;
  for (const auto& [name, members] : named_sets()) {
    if (!((members - set).empty()) || set.empty()) continue;
    text += cat(text.empty() ? "" : " ", name);
    set = set - members;
  }
  return set.empty() ? text : cat(text, text.empty() ? "" : " ", set);
}

std::string slots(const std::array<Slot, Signature::kMax>& list, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const Slot& s = list[static_cast<size_t>(i)];
    text += cat(i ? ", " : "", s.name, ":");
    text += s.any ? "any" : s.variable ? std::string(1, s.variable) : std::string(name(s.fixed));
    text += s.optional ? "?" : s.variadic ? "*" : "";
  }
  return text;
}

std::string signature(const Signature& s) {
  return cat(slots(s.operands, s.num_operands), s.num_operands ? " " : "", "->", s.num_results ? " " : "",
             slots(s.results, s.num_results));
}

struct Coverage {
  const OpInfo* op;
  std::string signature, types, onnx;
  std::vector<int> imported;         // versions at which the importer changes what it does
  std::vector<std::string> kernels;  // rows of the CPU backend, in order
};

std::string join(const auto& parts, std::string_view separator) {
  std::string text;
  for (const auto& p : parts) text += cat(text.empty() ? "" : separator, p);
  return text;
}

std::vector<Coverage> coverage() {
  cpu::BindRows rows;
#define TC_FAMILY(name) cpu::rows_bind_##name(rows);
#include "tc/ir/families.def"
#undef TC_FAMILY
  const auto operators = onnx::known_operators();
  std::vector<Coverage> result;
  for (const OpInfo& op : all_ops()) {
    const OpFacts& f = *op.facts;
    Coverage c{&op, signature(f.signature), {}, {}, {}, {}};
    for (const TypeVariable& t : f.types)
      if (t.letter) c.types += cat(c.types.empty() ? "" : "; ", t.letter, ": ", spelled(t.set));
    if (!f.onnx.name.empty()) {
      c.onnx = cat(f.onnx.domain, f.onnx.domain.empty() ? "" : ":", f.onnx.name, " ", f.onnx.since);
      std::set<int> versions;
      for (const auto& k : operators)
        if (k.name == f.onnx.name && k.domain == f.onnx.domain) versions.insert(k.since);
      c.imported.assign(versions.begin(), versions.end());
    }
    for (const auto& r : rows)
      if (r.op == op.id) c.kernels.push_back(r.name);
    result.push_back(std::move(c));
  }
  return result;
}

std::vector<Coverage> selected(const std::vector<std::string>& names) {
  std::vector<Coverage> result = coverage();
  if (names.empty()) return result;
  std::vector<std::string_view> known;
  for (int i = 0; i < kNumFamilies; ++i) known.push_back(to_string(static_cast<Family>(i)));
  for (const OpInfo& op : all_ops()) known.push_back(op.name());
  for (const auto& n : names)
    if (std::find(known.begin(), known.end(), n) == known.end()) {
      const std::string near = nearest(n, known);
      throw Error({ErrorCode::bad_argument,
                   cat("no op or family is named '", n, "'"),
                   {},
                   {},
                   near.empty() ? std::vector<std::string>() : std::vector{cat("did you mean '", near, "'?")}});
    }
  std::erase_if(result, [&](const Coverage& c) {
    return std::none_of(names.begin(), names.end(),
                        [&](const std::string& n) { return n == c.op->name() || n == to_string(c.op->family); });
  });
  return result;
}

std::string attributes(const OpInfo& op) {
  std::string text;
  for (const FieldInfo& f : op.attrs.fields) {
    text += cat("      ", f.name, ": ", to_string(f.kind),
                f.required   ? ", required"
                : f.optional ? ", may be unset"
                             : "");
    if (!f.enumerators.empty()) text += cat(" (", join(f.enumerators, " "), ")");
    if (f.onnx == "-")
      text += ", not in ONNX";
    else if (f.onnx != f.name)
      text += cat(", in ONNX ", f.onnx);
    text += "\n";
  }
  return text;
}

// Operators that have no op of their own name: retired forms and functions that the importer turns into others.
std::vector<std::string> import_only() {
  std::set<std::pair<std::string, std::string>> own;
  for (const OpInfo& op : all_ops()) own.emplace(op.facts->onnx.domain, op.facts->onnx.name);
  std::set<std::string> names;
  for (const auto& k : onnx::known_operators())
    if (!own.count({k.domain, k.name})) names.insert(cat(k.domain, k.domain.empty() ? "" : ":", k.name));
  return {names.begin(), names.end()};
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '<') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string ops_text(const std::vector<std::string>& names) {
  std::string text;
  size_t on_kernels = 0;
  const auto list = selected(names);
  const bool details = !names.empty();
  size_t width = 0, onnx_width = 0;
  for (const auto& c : list)
    width = std::max(width, c.op->name().size()), onnx_width = std::max(onnx_width, c.onnx.size());
  std::string_view family;
  for (const auto& c : list) {
    on_kernels += !c.kernels.empty();
    if (family != to_string(c.op->family))
      text += cat(text.empty() ? "" : "\n", family = to_string(c.op->family), "\n");
    std::string op(c.op->name()), onnx = c.onnx.empty() ? "-" : c.onnx;
    op.resize(std::max(width, op.size()), ' ');
    onnx.resize(std::max(onnx_width, onnx.size()), ' ');
    text += cat("  ", op, "  ", onnx, "  ", c.kernels.empty() ? "ref" : join(c.kernels, " "),
                c.op->decompose ? "; decomposes" : "", "\n");
    if (details)
      text += cat("      ", c.op->facts->doc, "\n      ", c.signature, c.types.empty() ? "" : "   ", c.types, "\n",
                  attributes(*c.op), c.imported.empty() ? "" : "      imported from version ", join(c.imported, " "),
                  c.imported.empty() ? "" : "\n");
  }
  return text + cat("\n", list.size(), " ops, ", on_kernels, " with kernel rows\n");
}

std::string ops_markdown() {
  const auto list = coverage();
  std::string text = R"(# Ops

Written by `tc-info ops --md`. Every op has type inference and a reference evaluation: it would not build otherwise.

- **signature**: `name:type` of operands and results; a letter is a variable that **types** constrains, `?` optional, `*` any number.
- **ONNX**: operator and the version since which its form is the op's own.
- **import**: versions at which the importer changes what it does; blank where ONNX has no such operator.
- **CPU**: rows of kernel bindings that are tried in order, before the reference evaluation; `ref` where there is none.
- **decomposes**: can be rewritten into simpler ops.

)";
  std::set<std::string_view> used;
  text += "| set | element types |\n|---|---|\n";
  for (const auto& [name, members] : named_sets()) text += cat("| ", name, " | ", members, " |\n");
  std::string_view family;
  for (const auto& c : list) {
    if (family != to_string(c.op->family)) {
      family = to_string(c.op->family);
      text += cat(
          "\n## ", family,
          "\n\n| op | signature | types | ONNX | import | CPU | decomposes | |\n|---|---|---|---|---|---|---|---|\n");
    }
    text += cat("| `", c.op->name(), "` | `", c.signature, "` | ", c.types, " | ", c.onnx, " | ", join(c.imported, " "),
                " | ", c.kernels.empty() ? "ref" : join(c.kernels, ", "), " | ", c.op->decompose ? "yes" : "", " | ",
                escaped(c.op->facts->doc), " |\n");
  }
  return text +
         cat("\n## Only imported\n\nOperators that import turns into other ops: ", join(import_only(), ", "), ".\n");
}

nlohmann::json ops_json(const std::vector<std::string>& names) {
  nlohmann::json out = nlohmann::json::array();
  for (const auto& c : selected(names)) {
    const OnnxName& onnx = c.op->facts->onnx;
    nlohmann::json row{{"name", c.op->name()},     {"family", to_string(c.op->family)},
                       {"signature", c.signature}, {"types", c.types},
                       {"doc", c.op->facts->doc},  {"decomposes", c.op->decompose != nullptr}};
    row["kernels"] = c.kernels;
    row["imported_since"] = c.imported;
    if (!onnx.name.empty()) row["onnx"] = {{"name", onnx.name}, {"domain", onnx.domain}, {"since", onnx.since}};
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace tc
