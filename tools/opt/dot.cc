#include "tc/tools/opt/dot.h"

#include <unordered_map>

#include "tc/ir/text/print.h"

namespace tc {
namespace {

// Text in double quotes, whatever it holds.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

class Drawing {
 public:
  std::string draw(const Module& m) {
    out_ =
        "digraph tc {\n  node [shape=box, fontname=monospace, fontsize=10];\n  edge [fontname=monospace, "
        "fontsize=8];\n";
    draw(m.main(), "");
    for (const auto& f : m.functions()) draw(*f, f->name());
    return out_ + edges_ + "}\n";
  }

 private:
  // `title` puts a box around the graph.
  void draw(const Graph& g, const std::string& title) {
    if (!title.empty()) out_ += cat("subgraph cluster_", next_++, " {\n  label=", quoted(title), ";\n");
    for (const Value* v : g.inputs()) {
      ids_[v] = next_;
      out_ += cat("  n", next_++, " [shape=ellipse, label=", quoted(cat("%", v->name(), "\n", v->type())), "];\n");
    }
    for (const auto& n : g.nodes()) draw(*n);
    if (!title.empty()) out_ += "}\n";
  }

  void draw(const Node& n) {
    if (n.is<Constant>() || n.is<Parameter>()) return;
    if (n.is<Return>()) {
      for (int i = 0; i < n.num_operands(); ++i) {
        const auto& names = n.graph()->output_names;
        const auto k = static_cast<size_t>(i);
        const int output = next_++;
        out_ += cat("  n", output, " [shape=ellipse, label=", quoted(k < names.size() ? names[k] : "return"), "];\n");
        if (n.operand(i)) edge(n.operand(i), output);
      }
      return;
    }
    const int id = next_++;
    out_ += cat("  n", id, " [label=", quoted(n.info().name()), ", tooltip=", quoted(print(n)), "];\n");
    for (int i = 0; i < n.num_results(); ++i) ids_[n.result(i)] = id;
    for (const Value* v : n.operands())
      if (v) edge(v, id);
    for (int r = 0; r < n.num_regions(); ++r)
      draw(n.region(r), cat(n.info().name(), n.region(r).name().empty() ? "" : " @", n.region(r).name()));
  }

  void edge(const Value* v, int to) {
    const Node* def = v->def();
    int from;
    if (def && (def->is<Constant>() || def->is<Parameter>())) {
      from = next_++;
      out_ += cat("  n", from,
                  " [shape=note, fontsize=8, label=", quoted(cat(v->name().empty() ? "" : v->name() + "\n", v->type())),
                  "];\n");
      edges_ += cat("  n", from, " -> n", to, ";\n");
      return;
    }
    const auto it = ids_.find(v);
    if (it == ids_.end()) return;
    edges_ += cat("  n", it->second, " -> n", to, " [label=", quoted(v->type().str()), "];\n");
  }

  std::string out_, edges_;  // edges last: Graphviz puts a node into the box where it is first named
  std::unordered_map<const Value*, int> ids_;
  int next_ = 0;
};

}  // namespace

std::string to_dot(const Module& m) {
  return Drawing().draw(m);
}

}  // namespace tc
