#include "tc/ir/text/print.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "tc/ir/ops/core.h"
#include "tc/ir/text/spelling.h"

namespace tc {
namespace {

using text::quoted;
using text::spelled;

bool all_equal(const Tensor& t) {
  if (t.dtype() == DType::str) {
    const auto s = t.span<std::string>();
    return std::all_of(s.begin(), s.end(), [&](const std::string& x) { return x == s[0]; });
  }
  // Equal to itself shifted by one element.
  const size_t size = size_of(t.dtype());
  return std::memcmp(t.data(), static_cast<const char*>(t.data()) + size, t.bytes() - size) == 0;
}

// FNV-1a (Fowler, Noll, Vo) over 8-byte words; identifies elided weights.
uint64_t digest(const Tensor& t) {
  uint64_t h = 0xcbf29ce484222325u;
  const auto add = [&h](uint64_t word) { h = (h ^ word) * 0x100000001b3u; };
  const auto add_bytes = [&](const char* p, size_t n) {
    add(n);
    for (; n >= 8; p += 8, n -= 8) {
      uint64_t word;
      std::memcpy(&word, p, 8);
      add(word);
    }
    for (; n; ++p, --n) add(static_cast<unsigned char>(*p));
  };
  if (t.dtype() == DType::str)
    for (const auto& s : t.span<std::string>()) add_bytes(s.data(), s.size());
  else
    add_bytes(static_cast<const char*>(t.data()), t.bytes());
  return h;
}

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}

  std::string module(const Module& m) {
    for (const auto& [key, value] : m.metadata) out_ += cat("metadata ", quoted(key), " = ", quoted(value), "\n");
    for (const auto& f : m.functions()) function(*f, "func");
    function(m.main(), "graph");
    resources();
    return std::move(out_);
  }

  std::string graph(const Graph& g) {
    name_values(root(g));
    header(g, &g == &g.module().main() ? "graph" : "func");
    resources();
    return std::move(out_);
  }

  std::string node(const Node& n) {
    const Graph* scope = n.graph();
    for (int i = 0; !scope && i < n.num_operands(); ++i)
      if (n.operand(i)) scope = n.operand(i)->graph();
    if (scope) name_values(root(*scope));
    if (!n.graph())
      for (int i = 0; i < n.num_results(); ++i) name_value(n.result(i));
    bodies_ = false;
    line(n);
    return std::move(out_);
  }

 private:
  // Results are named before the values of the node's regions, in the order of the text.
  void name_values(const Graph& g) {
    for (int i = 0; i < g.num_inputs(); ++i) name_value(g.input(i));
    for (const auto& n : g.nodes()) {
      for (int i = 0; i < n->num_results(); ++i) name_value(n->result(i));
      for (int i = 0; i < n->num_regions(); ++i) name_values(n->region(i));
    }
  }

  void name_value(const Value* v) {
    std::string& name = names_[v];
    if (v->name().empty()) {
      name = cat("%", next_number_++);
      return;
    }
    const int repeat = repeats_[v->name()]++;
    name = cat("%", spelled(v->name()));
    if (repeat) name += cat("#", repeat);
  }

  std::string ref(const Value* v) const {
    if (!v) return "_";
    const auto it = names_.find(v);
    return it == names_.end() ? "%?" : it->second;
  }

  static const Graph& root(const Graph& g) {
    const Graph* r = &g;
    while (r->parent()) r = r->parent();
    return *r;
  }

  void function(const Graph& g, std::string_view keyword) {
    names_.clear(), repeats_.clear(), next_number_ = 0;
    name_values(g);
    header(g, keyword);
  }

  void header(const Graph& g, std::string_view keyword) {
    out_ += cat(keyword, " @", spelled(g.name()));
    parameters(g);
    donations(g);
    out_ += " ";
    body(g);
    out_ += "\n";
  }

  void parameters(const Graph& g) {
    out_ += "(";
    for (int i = 0; i < g.num_inputs(); ++i) out_ += cat(i ? ", " : "", ref(g.input(i)), ": ", g.input(i)->type());
    out_ += ")";
  }

  void donations(const Graph& g) {
    if (g.donations.empty()) return;
    out_ += " donate(";
    const char* separator = "";
    for (const auto& [output, input] : g.donations) out_ += cat(separator, input, " -> ", output), separator = ", ";
    out_ += ")";
  }

  void body(const Graph& g) {
    out_ += "{\n";
    depth_ += 2;
    for (const auto& n : g.nodes()) {
      out_.append(depth_, ' ');
      line(*n, &g);
      out_ += "\n";
    }
    depth_ -= 2;
    out_.append(depth_, ' ');
    out_ += "}";
  }

  void line(const Node& n, const Graph* in = nullptr) {
    for (int i = 0; i < n.num_results(); ++i) out_ += cat(i ? ", " : "", ref(n.result(i)));
    if (n.num_results()) out_ += " = ";
    out_ += n.info().name();
    const auto first_field = payload(n);
    for (int i = 0; i < n.num_operands(); ++i) out_ += cat(i ? ", " : " ", ref(n.operand(i)));
    attributes(n, first_field);
    regions(n);
    if (n.is<Return>() && in && !in->output_names.empty()) {
      const char* separator = " : ";
      for (const auto& name : in->output_names) out_ += cat(separator, quoted(name)), separator = ", ";
    }
    for (int i = 0; i < n.num_results(); ++i) out_ += cat(i ? ", " : " : ", n.result(i)->type());
    if (options_.locations && !n.location().empty()) out_ += cat("  loc(", quoted(n.location()), ")");
  }

  // Core ops show their attributes right after the op's name. Returns the first field that is still to be printed.
  size_t payload(const Node& n) {
    if (n.is<Constant>()) {
      const Tensor& t = n.attrs<Constant>().value;
      out_ += " ";
      if (t.defined())
        literal(t, n.num_results() == 1 && n.result(0)->type() == t.type(), n.num_results() ? n.result(0)->name() : "");
    } else if (n.is<Parameter>()) {
      const auto& a = n.attrs<Parameter>();
      out_ += cat(" @", spelled(a.name));
      const size_t start = out_.size();
      out_ += " ";
      if (a.value.defined()) literal(a.value, n.num_results() == 1 && n.result(0)->type() == a.value.type(), a.name);
      // The resource of the parameter's own name goes without saying.
      if (out_.compare(start, out_.npos, cat(" @", spelled(a.name))) == 0) out_.resize(start);
    } else if (n.is<Call>()) {
      out_ += cat(" @", spelled(n.attrs<Call>().callee));
      return 1;
    } else {
      return 0;
    }
    return n.info().attrs.fields.size();
  }

  void attributes(const Node& n, size_t first) {
    const AttrsInfo& info = n.info().attrs;
    const char* separator = " {";
    for (size_t i = first; i < info.fields.size(); ++i) {
      const FieldInfo& field = info.fields[i];
      const AttrValue v = info.get(n.raw_attrs().get(), i);
      if (!field.required && equal(v, info.get(defaults(n).get(), i))) continue;
      out_ += separator;
      out_ += field.name;
      const bool* flag = std::get_if<bool>(&v);
      if (!flag || !*flag) {
        out_ += " = ";
        attribute(field, v);
      }
      separator = ", ";
    }
    if (*separator == ',') out_ += "}";
  }

  const std::shared_ptr<void>& defaults(const Node& n) {
    auto& d = defaults_[static_cast<int>(n.op())];
    if (!d) d = n.info().attrs.make();
    return d;
  }

  void attribute(const FieldInfo& field, const AttrValue& v) {
    const auto list = [&](const auto& items, const auto& item) {
      const char* separator = "[";
      for (const auto& x : items) out_ += separator, out_ += item(x), separator = ", ";
      out_ += items.empty() ? "[]" : "]";
    };
    std::visit(
        [&]<class T>(const T& x) {
          if constexpr (std::is_same_v<T, std::monostate>)
            out_ += "unset";
          else if constexpr (std::is_same_v<T, bool>)
            out_ += x ? "true" : "false";
          else if constexpr (std::is_same_v<T, double>)
            out_ += text::spelled_real(x);
          else if constexpr (std::is_same_v<T, std::string>)
            out_ += field.kind == AttrKind::enumeration ? spelled(x) : quoted(x);
          else if constexpr (std::is_same_v<T, std::vector<int64_t>>)
            list(x, [](int64_t e) { return std::to_string(e); });
          else if constexpr (std::is_same_v<T, std::vector<double>>)
            list(x, text::spelled_real);
          else if constexpr (std::is_same_v<T, std::vector<std::string>>)
            list(x, quoted);
          else if constexpr (std::is_same_v<T, Dims>)
            list(x, [](const Dim& d) { return d.str(); });
          else if constexpr (std::is_same_v<T, Tensor>)
            x.defined() ? literal(x, false, field.name) : void(out_ += "unset");
          else
            out_ += cat(x);
        },
        v);
  }

  void regions(const Node& n) {
    if (n.num_regions() == 0) return;
    out_ += " (";
    for (int i = 0; i < n.num_regions(); ++i) {
      const Graph& g = n.region(i);
      if (i) out_ += ", ";
      if (!g.name().empty()) out_ += cat("@", spelled(g.name()), " ");
      if (g.num_inputs()) parameters(g), out_ += " ";
      if (!g.donations.empty()) out_.pop_back(), donations(g), out_ += " ";
      bodies_ ? body(g) : void(out_ += "{...}");
    }
    out_ += ")";
  }

  // A tensor, inline or by the label of a resource. `typed`: its type follows anyway.
  void literal(const Tensor& tensor, bool typed, std::string_view hint) {
    const bool small = tensor.size() <= options_.max_inline;
    const Tensor t = small ? tensor.aligned_copy() : tensor;
    if (!small && !all_equal(t)) {
      out_ += cat("@", label(t, hint));
      return;
    }
    if (!typed) out_ += cat(t.type(), " ");
    dense(t, !small);
  }

  void dense(const Tensor& tensor, bool splat) {
    out_ += "dense<";
    if (splat) {
      // The first element alone, so that a large misaligned view is not copied.
      text::append_element(out_, first_element(tensor), 0);
    } else if (tensor.size() == 0) {
      out_ += "[]";
    } else {
      int64_t next = 0;
      elements(tensor, 0, next);
    }
    out_ += ">";
  }

  static Tensor first_element(const Tensor& t) {
    if (t.dtype() == DType::str) return t;
    return Tensor::view(t.dtype(), {}, t.data(), t.owner()).aligned_copy();
  }

  void elements(const Tensor& t, int axis, int64_t& next) {
    if (axis == t.rank()) {
      text::append_element(out_, t, next++);
      return;
    }
    out_ += "[";
    for (int64_t i = 0; i < t.extent(axis); ++i) {
      if (i) out_ += ", ";
      elements(t, axis + 1, next);
    }
    out_ += "]";
  }

  // Tensors that share data, type and extents share a resource.
  const std::string& label(const Tensor& t, std::string_view hint) {
    std::string& label = labels_[cat(t.data(), " ", t.type())];
    if (!label.empty()) return label;
    std::string name(hint);
    if (name.empty()) name = cat("c", next_resource_++);
    label = spelled(name);
    if (const int repeat = label_repeats_[name]++) label += cat("#", repeat);
    resources_.emplace_back(label, t);
    return label;
  }

  void resources() {
    constexpr char kHex[] = "0123456789abcdef";
    for (const auto& [label, t] : resources_) {
      out_ += cat("resource @", label, " : ", t.type(), " = ");
      if (options_.elide_weights) {
        out_ += cat("elided(0x", std::hex, digest(t), ")");
      } else if (t.dtype() == DType::str) {
        dense(t, false);
      } else {
        const auto* bytes = static_cast<const unsigned char*>(t.data());
        const size_t n = t.bytes(), start = out_.size() + 4;
        out_ += "hex\"";
        out_.resize(start + 2 * n);
        for (size_t i = 0; i < n; ++i)
          out_[start + 2 * i] = kHex[bytes[i] >> 4], out_[start + 2 * i + 1] = kHex[bytes[i] & 15];
        out_ += '"';
      }
      out_ += "\n";
    }
  }

  const PrintOptions& options_;
  std::string out_;
  size_t depth_ = 0;
  bool bodies_ = true;
  std::unordered_map<const Value*, std::string> names_;
  std::unordered_map<std::string, int> repeats_;
  int next_number_ = 0;
  std::unordered_map<int, std::shared_ptr<void>> defaults_;
  std::unordered_map<std::string, std::string> labels_;
  std::unordered_map<std::string, int> label_repeats_;
  std::vector<std::pair<std::string, Tensor>> resources_;
  int next_resource_ = 0;
};

}  // namespace

std::string print(const Module& module, const PrintOptions& options) {
  return Printer(options).module(module);
}
std::string print(const Graph& graph, const PrintOptions& options) {
  return Printer(options).graph(graph);
}
std::string print(const Node& node, const PrintOptions& options) {
  return Printer(options).node(node);
}

}  // namespace tc
