#include "tc/tools/run/report.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tc/backend/cpu/bind/algorithms.h"
#include "tc/backend/onnx/atomic_file.h"
#include "tc/ir/eval/interp.h"

namespace tc {
namespace {

std::string format(const char* pattern, double v) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, v);
  return text;
}

std::string pad(std::string s, size_t width, bool right = false) {
  if (s.size() > width) s = s.substr(0, width - 1) + "~";
  return right ? std::string(width - s.size(), ' ') + s : s + std::string(width - s.size(), ' ');
}

std::string summary(const Datum& d);

// The first few of a sequence's items or a map's entries, each by `text`.
template <class List, class Text>
std::string summary_of(const List& list, Text&& text) {
  std::string result;
  for (size_t i = 0; i < std::min<size_t>(4, list.size()); ++i) result += (i ? "  " : "") + text(list[i]);
  return result + (list.size() > 4 ? "  ..." : "");
}

// A scalar alone says more without its statistics.
std::string brief(const Datum& d) {
  const bool number = d.is_tensor() && d.tensor().size() == 1 && dtypes::numeric.has(d.tensor().dtype());
  return number ? format("%.5g", scalar_f64(d.tensor())) : d.is_tensor() ? summary(d) : "{" + summary(d) + "}";
}

std::string summary(const Datum& d) {
  if (d.empty()) return "nothing";
  if (d.is_sequence()) return summary_of(d.items(), [](const Datum& item) { return brief(item); });
  if (d.is_map())
    return summary_of(d.map().entries, [](const auto& entry) {
      return std::visit([&](const auto& key) { return cat(key, ": ", brief(entry.second)); }, entry.first);
    });
  const Tensor& t = d.tensor();
  if (t.size() == 0) return "empty";
  if (kind(t.dtype()) == DTypeKind::string) {
    std::string text;
    for (size_t i = 0; i < std::min<size_t>(4, static_cast<size_t>(t.size())); ++i)
      text += cat(i ? " " : "", '"', t.span<std::string>()[i], '"');
    return text;
  }
  if (kind(t.dtype()) == DTypeKind::complex) return "complex";
  const auto v = widen<double>(t);
  double low = v[0], high = v[0], sum = 0;
  size_t nans = 0;
  for (double x : v) {
    if (std::isnan(x)) ++nans;
    low = std::min(low, x), high = std::max(high, x), sum += x;
  }
  std::string text = cat("min ", format("%.5g", low), "  max ", format("%.5g", high), "  mean ",
                         format("%.5g", sum / static_cast<double>(v.size())), "  [");
  for (size_t i = 0; i < std::min<size_t>(4, v.size()); ++i) text += cat(i ? " " : "", format("%.5g", v[i]));
  text += v.size() > 4 ? " ...]" : "]";
  if (nans) text += cat("  ", nans, " NaN");
  return text;
}

std::string place(const Node& n) {
  return n.location().empty() ? std::string(n.info().name()) : n.location();
}

std::string rate(double flops, double bytes, double ns) {
  if (ns <= 0) return "";
  if (flops > 0) return format("%.1f GFLOP/s", flops / ns);
  return format("%.1f GB/s", bytes / ns);
}

}  // namespace

void print_outputs(std::ostream& out, const std::vector<ValueInfo>& infos, const std::vector<Datum>& values) {
  size_t width = 0;
  for (const auto& i : infos) width = std::max(width, i.name.size());
  for (size_t i = 0; i < values.size(); ++i)
    out << pad(infos[i].name, std::max<size_t>(width, 1)) << "  " << describe(values[i]) << "  " << summary(values[i])
        << "\n";
}

void set_percentiles(Timings& t, std::vector<double> ms) {
  if (ms.empty()) return;
  t.median_ms = percentile(ms, 0.5), t.p10_ms = percentile(ms, 0.1), t.p90_ms = percentile(ms, 0.9);
  t.runs = static_cast<int>(ms.size());
}

void print_profile(std::ostream& out, const std::vector<cpu::StepTiming>& timings, int runs) {
  struct Row {
    const cpu::Step* step = nullptr;
    double ns = 0, flops = 0, bytes = 0;
    int64_t calls = 0;
  };
  std::map<const cpu::Step*, Row> by_step;
  std::map<std::string, Row> by_op;
  double total = 0;
  for (const auto& t : timings) {
    const auto ns = static_cast<double>(t.end_ns - t.begin_ns);
    // Time inside a region is counted by the region's steps; the step that runs it shows in the first table only.
    const bool runs_region = t.step->node->num_regions() > 0 && t.step->is_ref;
    for (Row* r :
         {&by_step[t.step], runs_region ? nullptr : &by_op[cat(t.step->node->op(), t.step->is_ref ? " (ref)" : "")]}) {
      if (!r) continue;
      r->step = t.step;
      r->ns += ns, r->flops += t.flops, r->bytes += static_cast<double>(t.bytes), ++r->calls;
    }
    if (!runs_region) total += ns;
  }
  auto line = [&](const std::string& name, const Row& r, const std::string& last) {
    out << pad(name, 36) << pad(format("%.3f", r.ns / 1e6 / runs), 10, true)
        << pad(format("%.1f%%", total > 0 ? 100 * r.ns / total : 0), 8, true) << pad(cat(r.calls / runs), 7, true)
        << pad(rate(r.flops, r.bytes, r.ns), 18, true) << "  " << last << "\n";
  };
  auto header = [&](const char* name, const char* last) {
    out << pad(name, 36) << pad("ms", 10, true) << pad("share", 8, true) << pad("calls", 7, true)
        << pad("rate", 18, true) << "  " << last << "\n";
  };
  std::vector<Row> rows;
  for (auto& [step, r] : by_step) rows.push_back(r);
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.ns > b.ns; });
  header("node", "kernel");
  for (size_t i = 0; i < std::min<size_t>(rows.size(), 40); ++i) {
    line(place(*rows[i].step->node), rows[i], rows[i].step->kernel);
  }
  if (rows.size() > 40) out << "(" << rows.size() - 40 << " more)\n";
  out << "\n";
  std::vector<std::pair<std::string, Row>> ops(by_op.begin(), by_op.end());
  std::sort(ops.begin(), ops.end(), [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
  header("op", "");
  for (const auto& [name, r] : ops) line(name, r, "");
}

void print_candidates(std::ostream& out, const std::vector<cpu::StepCandidates>& candidates) {
  std::set<const cpu::Step*> shown;
  for (const auto& [step, all] : candidates)
    if (shown.insert(step).second)
      out << "\n" << place(*step->node) << " (" << step->kernel << ")\n  " << cpu::describe(all) << "\n";
}

void print_unforced(std::ostream& out, const std::vector<cpu::StepCandidates>& candidates) {
  std::set<const cpu::Step*> shown;
  for (const auto& [step, all] : candidates) {
    for (const cpu::Candidate& c : all)
      if (c.forced && !c.chosen && shown.insert(step).second)
        out << "note: " << place(*step->node) << ": " << c.name << " cannot be used: " << c.note << "\n";
  }
}

void write_trace(const std::string& path, const std::vector<cpu::StepTiming>& timings) {
  nlohmann::json events = nlohmann::json::array();
  const int64_t origin =
      timings.empty() ? 0 : std::min_element(timings.begin(), timings.end(), [](const auto& a, const auto& b) {
                              return a.begin_ns < b.begin_ns;
                            })->begin_ns;
  for (const auto& t : timings) {
    const auto& n = *t.step->node;
    events.push_back({{"name", n.location().empty() ? std::string(n.info().name()) : n.location()},
                      {"cat", std::string(n.info().name())},
                      {"ph", "X"},
                      {"pid", 1},
                      {"tid", t.depth},
                      {"ts", static_cast<double>(t.begin_ns - origin) / 1e3},
                      {"dur", static_cast<double>(t.end_ns - t.begin_ns) / 1e3},
                      {"args", {{"kernel", t.step->kernel}, {"flops", t.flops}, {"bytes", t.bytes}}}});
  }
  onnx::write_file(path, nlohmann::json{{"traceEvents", events}, {"displayTimeUnit", "ms"}}.dump() + "\n");
}

}  // namespace tc
