#include "tc/frontend/api/graph_view.h"

#include <graph_view_page.h>
#include <algorithm>

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "tc/backend/cpu/run/executable.h"
#include "tc/backend/onnx/atomic_file.h"
#include "tc/ir/module.h"
#include "tc/ir/text/print.h"

namespace tc {
namespace {

using nlohmann::json;

// What runs have shown of a node.
struct Seen {
  std::string kernel;
  int64_t ns = 0;  // of the run so far
  int64_t best_ns = INT64_MAX;
  double flops = 0;
};
using Times = std::unordered_map<const Node*, Seen>;

// Bytes of a value whose extents are known; -1 where they are not.
int64_t bytes_of(const Value& v) {
  if (!v.type().is_tensor() || !v.shape().ranked() || !v.shape().is_static()) return -1;
  return element_count(v.shape().extents()) * static_cast<int64_t>(size_of(v.dtype()));
}

class Description {
 public:
  explicit Description(const Times& times) : times_(times) {}

  json of(const Module& m, const std::string& title) {
    const size_t main = add(m.main(), m.main().name());
    for (const auto& f : m.functions()) add(*f, cat("function ", f->name()));
    return {{"title", title}, {"main", main}, {"timed", !times_.empty()}, {"graphs", graphs_}};
  }

 private:
  size_t add(const Graph& g, const std::string& name) {
    const size_t index = graphs_.size();
    graphs_.push_back({{"name", name}, {"nodes", json::array()}});
    json nodes = json::array();
    for (const Value* v : g.inputs()) {
      ids_[v] = next_;
      nodes.push_back({{"id", next_++}, {"kind", "input"}, {"op", "%" + v->name()}, {"type", v->type().str()}});
    }
    for (const auto& n : g.nodes()) n->is<Return>() ? outputs(*n, nodes) : node(*n, nodes);
    graphs_[index]["nodes"] = std::move(nodes);
    return index;
  }

  void outputs(const Node& terminator, json& nodes) {
    const auto& names = terminator.graph()->output_names;
    for (int i = 0; i < terminator.num_operands(); ++i) {
      const auto k = static_cast<size_t>(i);
      const Value* v = terminator.operand(i);
      if (!v) continue;
      nodes.push_back({{"id", next_++},
                       {"kind", "output"},
                       {"op", k < names.size() && !names[k].empty() ? names[k] : cat("result ", i)},
                       {"type", v->type().str()},
                       {"in", operands(terminator, i, i + 1)}});
    }
  }

  void node(const Node& n, json& nodes) {
    const bool constant = n.is<Constant>() || n.is<Parameter>();
    json out = {{"id", next_}, {"kind", constant ? "constant" : "op"}, {"op", n.info().name()}};
    for (int j = 0; j < n.num_results(); ++j) ids_[n.result(j)] = next_;
    ++next_;
    std::vector<std::string> types;
    int64_t bytes = 0;
    for (int j = 0; j < n.num_results(); ++j) {
      types.push_back(n.result(j)->type().str());
      const int64_t own = bytes_of(*n.result(j));
      bytes = own < 0 || bytes < 0 ? -1 : bytes + own;
    }
    out["type"] = types.empty() ? "" : types[0];
    if (types.size() > 1) out["types"] = types;
    if (bytes >= 0) out["bytes"] = bytes;
    if (!n.location().empty()) out["at"] = n.location();
    if (n.num_results() && !n.result(0)->name().empty()) out["name"] = n.result(0)->name();
    if (!constant) {
      out["text"] = print(n);
      out["in"] = operands(n, 0, n.num_operands());
      for (int r = 0; r < n.num_regions(); ++r)
        for (const Value* v : captures(n.region(r)))
          if (const auto it = ids_.find(v); it != ids_.end()) out["in"].push_back(it->second);
    }
    if (const auto it = times_.find(&n); it != times_.end()) {
      out["kernel"] = it->second.kernel;
      if (it->second.best_ns != INT64_MAX) out["us"] = static_cast<double>(it->second.best_ns) / 1e3;
      if (it->second.flops > 0) out["flops"] = it->second.flops;
    }
    json regions = json::array();
    for (int r = 0; r < n.num_regions(); ++r)
      regions.push_back(
          add(n.region(r), cat(n.info().name(), n.region(r).name().empty() ? "" : " @", n.region(r).name())));
    if (!regions.empty()) out["regions"] = std::move(regions);
    nodes.push_back(std::move(out));
  }

  json operands(const Node& n, int from, int to) const {
    json list = json::array();
    for (int i = from; i < to; ++i)
      if (const Value* v = n.operand(i))
        if (const auto it = ids_.find(v); it != ids_.end()) list.push_back(it->second);
    return list;
  }

  const Times& times_;
  json graphs_ = json::array();
  std::unordered_map<const Value*, int> ids_;
  int next_ = 0;
};

void write_page(const Module& m, const Times& times, const std::string& path, std::string title) {
  if (title.empty()) title = m.main().name();
  std::string data = Description(times).of(m, title).dump(-1, ' ', false, json::error_handler_t::replace);
  // Nothing in the data may end the script that holds it.
  for (size_t at = data.find("</"); at != data.npos; at = data.find("</", at + 3)) data.replace(at, 2, "<\\/");
  std::string page(kGraphViewPage);
  constexpr std::string_view kPlace = "/*DATA*/null";
  page.replace(page.find(kPlace), kPlace.size(), data);
  onnx::write_file(path, page);
}

void count(const cpu::StepTiming& t, Times& times) {
  Seen& seen = times[t.step->node];
  seen.ns += t.end_ns - t.begin_ns;
  seen.flops = t.flops;
}

Times measure(const Executable& e, const GraphViewOptions& options) {
  Times times;
  walk_steps(e.plan(), [&](const cpu::Step& s, int) { times[s.node].kernel = s.kernel; });
  if (options.inputs.empty() && e.graph().num_inputs() > 0) return times;
  const auto context = e.make_context();
  for (int run = 0; run < std::max(options.runs, 1); ++run) {
    std::vector<cpu::StepTiming> timings;
    context->profile_into(&timings);
    e.run(options.inputs, *context);
    for (auto& [node, seen] : times) seen.ns = 0;
    for (const auto& t : timings) count(t, times);
    for (auto& [node, seen] : times)
      if (seen.ns > 0) seen.best_ns = std::min(seen.best_ns, seen.ns);
  }
  return times;
}

}  // namespace

void graph_view(const Function& f, const std::string& path, const GraphViewOptions& options) {
  write_page(f.module(), {}, path, options.title);
}

void graph_view(const Compiled& f, const std::string& path, const GraphViewOptions& options) {
  const Executable& e = f.executable();
  write_page(e.module(), measure(e, options), path, options.title);
}

}  // namespace tc
