#include "tc/tools/bench/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

namespace tc::bench {
namespace {

std::string number(double v) {
  if (v == 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, v < 10 ? "%.3f" : v < 100 ? "%.2f" : v < 1000 ? "%.1f" : "%.0f", v);
  return text;
}

std::string exponent(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", v);
  return text;
}

std::string fixed(double v, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, v);
  return text;
}

// Lines of operators may be long; a terminal shows what fits.
std::string title(const std::string& name, bool markdown) {
  constexpr size_t kMost = 48;
  return markdown || name.size() <= kMost ? name : name.substr(0, kMost - 3) + "...";
}

using Row = std::vector<std::string>;

std::string layout(const std::vector<Row>& rows, bool markdown) {
  std::vector<size_t> width;
  for (const auto& r : rows) {
    width.resize(std::max(width.size(), r.size()));
    for (size_t i = 0; i < r.size(); ++i) width[i] = std::max(width[i], r[i].size());
  }
  std::string text;
  for (size_t k = 0; k < rows.size(); ++k) {
    for (size_t i = 0; i < rows[k].size(); ++i) {
      const std::string& cell = rows[k][i];
      const std::string padding(width[i] - cell.size(), ' ');
      text += markdown ? (i ? " | " : "| ") : (i ? "  " : "");
      text += i == 0 ? cell + padding : padding + cell;
    }
    text += markdown ? " |\n" : "\n";
    if (markdown && k == 0) {
      for (size_t i = 0; i < width.size(); ++i) text += "|" + std::string(width[i] + 1, '-') + (i ? ":" : "-");
      text += "|\n";
    }
  }
  return text;
}

// Of many models, how each engine does against the first.
std::string summary(const std::vector<Result>& results, const std::string& first) {
  struct Sum {
    int models = 0, slower = 0;
    double logs = 0;
  };
  std::map<std::pair<std::string, int>, Sum> sums;
  for (const auto& r : results)
    for (const auto& [name, e] : r.engines)
      if (name != first && e.ratio > 0) {
        Sum& s = sums[{name, r.threads}];
        ++s.models;
        s.slower += e.ratio < 1;
        s.logs += std::log(e.ratio);
      }
  std::string text;
  for (const auto& [key, s] : sums)
    if (s.models > 1)
      text += cat("x ", key.first, ", ", key.second, key.second == 1 ? " thread" : " threads", ": geometric mean ",
                  fixed(std::exp(s.logs / s.models), 2), ", below 1 ", s.slower, " of ", s.models, "\n");
  return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string table(const std::vector<Result>& results, bool markdown) {
  std::vector<std::string> engines;
  for (const auto& r : results)
    for (const auto& [name, e] : r.engines)
      if (std::find(engines.begin(), engines.end(), name) == engines.end()) engines.push_back(name);
  std::sort(engines.begin(), engines.end(), [](const auto& a, const auto& b) {
    return (a != "tc") < (b != "tc") || ((a != "tc") == (b != "tc") && a < b);
  });
  Row header{"model", "thr"};
  for (const auto& e : engines) header.push_back(e + " ms");
  for (const auto& e : engines)
    if (e != engines.front()) header.push_back("x " + e);
  header.insert(header.end(), {"GFLOP/s", "peak"});
  Row cost_header{"load to first result, memory", "thr"};
  for (const auto& e : engines) cost_header.push_back(e + " ms");
  for (const auto& e : engines) cost_header.push_back(e + " MB");
  cost_header.insert(cost_header.end(), {"steps", "ns each"});
  Row error_header{"error / largest output", "thr"};
  for (const auto& e : engines) error_header.push_back(e);
  std::vector<Row> rows{header}, costs{cost_header}, errors{error_header};
  std::string notes;
  for (const auto& r : results) {
    Row row{title(r.name, markdown), std::to_string(r.threads)};
    const auto of = [&](const std::string& e) { return r.engines.count(e) ? r.engines.at(e) : EngineResult{}; };
    for (const auto& e : engines) {
      const EngineResult x = of(e);
      row.push_back(!x.error.empty() ? "fails" : number(x.median_ms) + (x.mismatch.empty() ? "" : " WRONG"));
      if (!x.error.empty()) notes += cat(r.name, ", ", e, ": ", x.error, "\n");
      if (!x.mismatch.empty()) notes += cat(r.name, ", ", e, " disagrees: ", x.mismatch, "\n");
    }
    for (const auto& e : engines)
      if (e != engines.front()) row.push_back(of(e).ratio > 0 ? fixed(of(e).ratio, 2) : "-");
    const double gflops = of(engines.front()).median_ms > 0 ? r.flops / of(engines.front()).median_ms / 1e6 : 0;
    row.push_back(gflops >= 0.05 ? fixed(gflops, 1) : "-");
    row.push_back(gflops >= 0.05 && r.probe.peak_gflops > 0 ? fixed(100 * gflops / r.probe.peak_gflops, 0) + "%" : "-");
    rows.push_back(row);
    Row cost{title(r.name, markdown), std::to_string(r.threads)};
    for (const auto& e : engines) cost.push_back(number(of(e).load_ms + of(e).first_run_ms));
    for (const auto& e : engines) cost.push_back(of(e).peak_mb > 0 ? fixed(of(e).peak_mb, 0) : "-");
    cost.push_back(r.steps > 0 ? fixed(r.steps, 0) : "-");
    cost.push_back(r.step_ns > 0 ? fixed(r.step_ns, 0) : "-");
    costs.push_back(cost);
    Row error{title(r.name, markdown), std::to_string(r.threads)};
    for (const auto& e : engines) error.push_back(of(e).error_of_max ? exponent(*of(e).error_of_max) : "-");
    if (std::any_of(engines.begin(), engines.end(), [&](const auto& e) { return of(e).error_of_max.has_value(); }))
      errors.push_back(error);
  }
  return layout(rows, markdown) + summary(results, engines.front()) + "\n" + layout(costs, markdown) +
         (errors.size() > 1 ? "\n" + layout(errors, markdown) : "") + (notes.empty() ? "" : "\n" + notes);
}

nlohmann::json to_json(const std::vector<Result>& results) {
  nlohmann::json out = nlohmann::json::array();
  for (const auto& r : results) {
    nlohmann::json row{{"model", r.name},
                       {"threads", r.threads},
                       {"flops", r.flops},
                       {"steps", r.steps},
                       {"step_ns", r.step_ns},
                       {"peak_gflops", r.probe.peak_gflops},
                       {"hand_over_ns", r.probe.hand_over_ns},
                       {"read_gbs", r.probe.read_gbs}};
    for (const auto& [name, e] : r.engines) {
      auto& x = row["engines"][name];
      if (!e.error.empty()) {
        x["error"] = e.error;
        continue;
      }
      x = {{"version", e.version},
           {"median_ms", e.median_ms},
           {"p10_ms", e.p10_ms},
           {"p90_ms", e.p90_ms},
           {"runs", e.runs},
           {"load_ms", e.load_ms},
           {"first_run_ms", e.first_run_ms},
           {"peak_mb", e.peak_mb},
           {"ratio", e.ratio}};
      if (e.error_of_max) x["error_of_max"] = *e.error_of_max;
      if (!e.mismatch.empty()) x["mismatch"] = e.mismatch;
    }
    out.push_back(row);
  }
  return out;
}

std::string plot_svg(const std::vector<Result>& results, const std::string& first, const std::string& second) {
  std::vector<const Result*> rows;
  double most = 2;
  for (const auto& r : results) {
    const auto it = r.engines.find(second);
    if (it == r.engines.end() || it->second.ratio <= 0) continue;
    rows.push_back(&r);
    most = std::max({most, it->second.ratio, 1 / it->second.ratio});
  }
  constexpr double kLeft = 230, kWidth = 520, kRow = 20, kTop = 46;
  const double span = std::log2(most) * 1.05, height = kTop + kRow * static_cast<double>(rows.size()) + 16;
  const auto x_of = [&](double ratio) { return kLeft + kWidth * (std::log2(ratio) + span) / (2 * span); };
  std::string svg =
      cat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", kLeft + kWidth + 60, "\" height=\"", height,
          "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
          "fill=\"white\"/>\n<text x=\"",
          kLeft + kWidth / 2,
          "\" y=\"18\" text-anchor=\"middle\" "
          "font-size=\"14\">time of ",
          second, " / time of ", first, " (right of 1: ", first, " is faster)</text>\n");
  for (double tick = std::exp2(-std::floor(span)); tick <= std::exp2(span); tick *= 2)
    svg += cat("<line x1=\"", x_of(tick), "\" x2=\"", x_of(tick), "\" y1=\"", kTop - 8, "\" y2=\"", height - 10,
               "\" stroke=\"", tick == 1 ? "black" : "#ccc", "\"/>\n<text x=\"", x_of(tick), "\" y=\"", kTop - 12,
               "\" text-anchor=\"middle\">", tick, "</text>\n");
  double y = kTop;
  for (const Result* r : rows) {
    const double ratio = r->engines.at(second).ratio, a = std::min(x_of(1), x_of(ratio)),
                 b = std::max(x_of(1), x_of(ratio));
    const std::string threads = cat(r->threads, r->threads == 1 ? " thread" : " threads");
    svg += cat("<text x=\"", kLeft - 8, "\" y=\"", y + 13, "\" text-anchor=\"end\">", r->name, ", ", threads,
               "</text>\n<rect x=\"", a, "\" y=\"", y + 2, "\" width=\"", b - a, "\" height=\"", kRow - 6, "\" fill=\"",
               ratio >= 1 ? "#2a7f62" : "#c0504d", "\"/>\n<text x=\"", b + 4, "\" y=\"", y + 13, "\">", fixed(ratio, 2),
               "</text>\n");
    y += kRow;
  }
  return svg + "</svg>\n";
}

}  // namespace tc::bench
