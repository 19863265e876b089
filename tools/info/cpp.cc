#include "tc/tools/info/cpp.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "tc/ir/module.h"
#include "tc/ir/ops.h"
#include "tc/passes/import/import.h"

namespace tc {
namespace {

// Elements of a constant that stands in the source.
constexpr int64_t kMaxInline = 16;

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += cat("\\", std::string(1, c));
    else if (c == '?')
      out += "\\?";  // no trigraphs
    else if (byte >= 0x20 && byte < 0x7f)
      out += c;
    else {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\%03o", byte);
      out += escaped;
    }
  }
  return out + '"';
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& p : parts) text += cat(text.empty() ? "" : ", ", p);
  return text;
}

template <class T, class F>
std::string listed(const T& items, F&& item) {
  std::vector<std::string> parts;
  for (const auto& x : items) parts.push_back(item(x));
  return cat("{", joined(parts), "}");
}

std::string integer(int64_t v) {
  return v == INT64_MIN ? "INT64_MIN" : std::to_string(v);
}
std::string integers(const std::vector<int64_t>& list) {
  return listed(list, integer);
}

// With all of its digits, and as a number with a fraction.
std::string real(double v, const char* format = "%.17g", std::string_view suffix = "") {
  if (std::isnan(v)) return "std::numeric_limits<double>::quiet_NaN()";
  if (std::isinf(v)) return cat(v < 0 ? "-" : "", "std::numeric_limits<double>::infinity()");
  char text[40];
  std::snprintf(text, sizeof text, format, v);
  std::string spelled = text;
  if (spelled.find_first_of(".e") == spelled.npos) spelled += ".0";
  return cat(spelled, suffix);
}

std::string dtype_name(DType t) {
  static const char* const kNames[] = {
#define TC_DTYPE(id, spelling, storage, bits, kind, onnx, numpy) "tc::DType::" #id,
#include "tc/ir/dtype.def"
#undef TC_DTYPE
  };
  return kNames[static_cast<size_t>(t)];
}

// What safetensors files hold as they are.
bool storable(DType t) {
  return t == DType::boolean || (kind(t) != DTypeKind::string && !dtypes::complex.has(t) && info(t).bits >= 8 &&
                                 t != DType::f8e4m3fnuz && t != DType::f8e5m2fnuz && t != DType::f8e8m0);
}

template <class T>
bool finite(const Tensor& t) {
  const Tensor aligned = t.aligned_copy();
  const auto elements = aligned.span<T>();
  return std::all_of(elements.begin(), elements.end(), [](T v) { return std::isfinite(v); });
}

// A C++ expression for a small tensor of common numbers or of strings; empty for others.
std::string literal(const Tensor& t) {
  const auto tensor = [&](std::string_view type, auto zero, auto spell) {
    std::vector<std::string> parts;
    const Tensor aligned = t.aligned_copy();
    for (const auto& v : aligned.span<decltype(zero)>()) parts.push_back(spell(v));
    if (t.rank() == 0) return cat("tc::Tensor::scalar<", type, ">(", parts[0], ")");
    return cat("tc::Tensor::of<", type, ">(", integers(t.extents()), ", {", joined(parts), "})");
  };
  if (t.dtype() == DType::str) return tensor("std::string", std::string(), quoted);
  if (t.size() > kMaxInline) return {};
  switch (t.dtype()) {
    case DType::i64:
      return tensor("int64_t", int64_t{}, integer);
    case DType::i32:
      return tensor("int32_t", int32_t{}, [](int32_t v) { return integer(v); });
    case DType::boolean:
      return tensor("tc::Bool", Bool(), [](Bool v) { return cat("tc::Bool(", v ? "true" : "false", ")"); });
    case DType::f64:
      return finite<double>(t) ? tensor("double", 0.0, [](double v) { return real(v); }) : std::string();
    case DType::f32:
      return finite<float>(t) ? tensor("float", 0.f, [](float v) { return real(static_cast<double>(v), "%.9g", "f"); })
                              : std::string();
    default:
      return {};
  }
}

const std::set<std::string, std::less<>>& reserved() {
  static const std::set<std::string, std::less<>> kWords = {
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
      "char8_t", "char16_t", "char32_t", "class", "co_await", "co_return", "co_yield", "compl", "concept", "const",
      "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double",
      "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
      "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
      "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "return", "short",
      "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this",
      "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual",
      "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
      // What the source itself calls so, macros of the standard headers.
      "tc", "std", "in", "weight", "raw", "weights", "path", "int64_t", "int32_t", "main", "errno", "assert", "stdin",
      "stdout", "stderr", "unix", "linux", "NULL", "EOF", "INT64_MIN"};
  return kWords;
}

bool is_identifier(const std::string& s) {
  return !s.empty() && !std::isdigit(static_cast<unsigned char>(s[0])) && std::all_of(s.begin(), s.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  }) && !reserved().count(s);
}

class Writer {
 public:
  CppSource run(const Module& module, const std::string& function, const std::string& origin) {
    const Graph& g = module.main();
    indent_ = 2;
    for (int i = 0; i < g.num_inputs(); ++i) line(cat("const tc::Var ", declare(g.input(i)), " = in[", i, "];"));
    nodes(g);
    std::vector<std::string> outputs;
    for (int i = 0; i < g.num_outputs(); ++i) {
      const auto k = static_cast<size_t>(i);
      const std::string& name = k < g.output_names.size() ? g.output_names[k] : g.output(i)->name();
      outputs.push_back(cat("{", quoted(name), ", ", use(g.output(i)), "}"));
    }
    line(cat("return tc::Outputs{", joined(outputs), "};"));

    std::string text = cat("// Written by tc-info from ", origin, ": the program in the vocabulary of the DSL.\n");
    text += "#include <limits>\n\n#include \"tc/frontend/dsl/op.h\"\n#include \"tc/tc.h\"\n\n";
    text += cat("// `path` is the file of the weights.\ntc::Function ", function,
                "([[maybe_unused]] const std::string& path) {\n");
    if (!result_.weights.empty()) {
      text += "  const tc::NamedTensors weights = tc::load_tensors(path);\n";
      text += "  const auto tensor = [&](const std::string& name) {\n";
      text += "    for (const auto& [known, value] : weights)\n      if (known == name) return value;\n";
      text += "    throw tc::Error(tc::ErrorCode::bad_file, path + \" has no tensor '\" + name + \"'\");\n  };\n";
      text +=
          "  [[maybe_unused]] const auto weight = [&](const std::string& name) { return "
          "tc::asarray(tensor(name)); };\n";
      if (raw_) {
        text += "  // Of an element type that the file does not have: its bytes.\n";
        text += "  const auto raw = [&](const std::string& name, tc::DType type, tc::Extents extents) {\n";
        text += "    const tc::Tensor bytes = tensor(name);\n";
        text +=
            "    return tc::asarray(tc::Tensor::view(type, std::move(extents), bytes.data(), bytes.owner()));\n  };\n";
      }
    }
    text += cat("  return tc::trace(", quoted(g.name()), ", ", inputs(g),
                ", [&]([[maybe_unused]] const std::vector<tc::Var>& in) {\n", body_, "  });\n}\n");
    result_.text = std::move(text);
    return std::move(result_);
  }

 private:
  void line(const std::string& text) { body_ += cat(std::string(static_cast<size_t>(2 * indent_), ' '), text, "\n"); }

  std::string inputs(const Graph& g) {
    std::vector<std::string> list;
    for (const Value* v : g.inputs()) {
      const Type& t = v->type();
      bool plain = t.is_tensor() && t.shape().ranked();
      std::vector<std::string> extents;
      if (plain)
        for (const Dim& d : t.shape().dims()) {
          plain = plain && (d.is_const() || d.is_symbol());
          if (!plain) break;
          // The unknown ones have names of their own here.
          extents.push_back(d.is_const() ? integer(d.value()) : quoted(symbol(d.symbol_name())));
        }
      list.push_back(plain ? cat("{", quoted(v->name()), ", ", dtype_name(t.dtype()), ", {", joined(extents), "}}")
                           : cat("{.name = ", quoted(v->name()), ", .type = ", quoted(t.str()), "}"));
    }
    return cat("{", joined(list), "}");
  }

  static std::string symbol(const std::string& name) {
    return name.starts_with('?') ? cat("unknown_", name.substr(1)) : name;
  }

  std::string identifier(const std::string& name) {
    std::string id;
    for (const char c : name) id += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    // No double underscores, which are the implementation's.
    id.erase(std::unique(id.begin(), id.end(), [](char a, char b) { return a == '_' && b == '_'; }), id.end());
    if (id.size() > 48) id = id.substr(id.size() - 48);
    while (!id.empty() && id[0] == '_') id.erase(0, 1);
    while (!id.empty() && id.back() == '_') id.pop_back();
    if (id.empty()) id = "v";
    if (std::isdigit(static_cast<unsigned char>(id[0]))) id = cat("v", id);
    std::string unique = id;
    for (int k = 2; reserved().count(unique) || !taken_.insert(unique).second; ++k) unique = cat(id, "_", k);
    return unique;
  }

  // The value has a variable from here on.
  std::string declare(const Value* v, std::string_view instead = "v") {
    return names_[v] = identifier(v->name().empty() ? std::string(instead) : v->name());
  }
  std::string use(const Value* v) const { return v ? names_.at(v) : "tc::Var()"; }
  std::vector<std::string> uses(const Node& n) const {
    std::vector<std::string> list;
    for (const Value* v : n.operands()) list.push_back(use(v));
    return list;
  }
  static std::string named(const Value* v) { return v->name().empty() ? "" : cat(".named(", quoted(v->name()), ")"); }

  void nodes(const Graph& g) {
    for (const auto& n : g.nodes())
      if (!n->is<Return>()) node(*n);
  }

  void node(const Node& n) {
    if (n.num_regions() == 0 && n.num_results() == 1) {
      const std::string expression = spelled(n);
      line(cat("const tc::Var ", declare(n.result(0), n.info().name()), " = ", expression, named(n.result(0)), ";"));
      return;
    }
    const std::string list = identifier(cat(n.info().name(), "_results"));
    body_ += std::string(static_cast<size_t>(2 * indent_), ' ');
    if (n.num_results()) body_ += cat("const std::vector<tc::Var> ", list, " = ");
    if (n.is<If>())
      branches(n);
    else
      generic_n(n);
    for (int j = 0; j < n.num_results(); ++j) {
      const Value* v = n.result(j);
      names_[v] = cat(list, "[", j, "]");
      if (!v->name().empty()) line(cat("const tc::Var ", declare(v), " = ", list, "[", j, "]", named(v), ";"));
    }
  }

  // A lambda, of which the opening stands already; `in` is its parameter.
  void body(const Graph& g, const std::string& in = {}) {
    ++indent_;
    for (int i = 0; i < g.num_inputs(); ++i)
      line(cat("const tc::Var ", declare(g.input(i)), " = ", in, "[", i, "]", named(g.input(i)), ";"));
    nodes(g);
    std::vector<std::string> outputs;
    for (const Value* v : g.outputs()) outputs.push_back(use(v));
    line(cat("return std::vector<tc::Var>{", joined(outputs), "};"));
    --indent_;
    body_ += cat(std::string(static_cast<size_t>(2 * indent_), ' '), "}");
  }

  void branches(const Node& n) {
    body_ += cat("tc::cond(", use(n.operand(0)), ", [&] {\n");
    body(n.region(0));
    body_ += ", [&] {\n";
    body(n.region(1));
    body_ += ");\n";
  }

  void generic_n(const Node& n) {
    body_ += cat("tc::op_n(", quoted(std::string(n.info().name())), ", ", n.num_results(), ", {", joined(uses(n)), "}");
    const auto attrs = attributes(n);
    if (!attrs.empty() || n.num_regions()) body_ += cat(", {", joined(attrs), "}");
    for (int i = 0; i < n.num_regions(); ++i) {
      std::vector<std::string> types;
      for (const Value* v : n.region(i).inputs()) types.push_back(quoted(v->type().str()));
      const std::string in = identifier("inputs");
      body_ += cat(i ? ", " : ", {", "tc::region({", joined(types),
                   "}, [&]([[maybe_unused]] const std::vector<tc::Var>& ", in, ") {\n");
      body(n.region(i), in);
      body_ += ")";
    }
    body_ += n.num_regions() ? "});\n" : ");\n";
  }

  std::string tensor(const Tensor& t, const std::string& name) {
    if (const std::string text = literal(t); !text.empty()) return text;
    return cat("tensor(", quoted(store(t, name)), ")");
  }

  std::string store(const Tensor& t, const std::string& name) {
    std::string key = name.empty() ? "constant" : name;
    for (int k = 2; !keys_.insert(key).second; ++k) key = cat(name.empty() ? "constant" : name, "_", k);
    result_.weights.emplace_back(key, t);
    return key;
  }

  // A constant, or the value that a parameter begins with.
  std::string constant(const Tensor& t, const std::string& name) {
    if (const std::string text = literal(t); !text.empty()) return cat("tc::asarray(", text, ")");
    if (storable(t.dtype())) return cat("weight(", quoted(store(t, name)), ")");
    raw_ = true;
    const Tensor bytes =
        Tensor::view(DType::u8, {static_cast<int64_t>(t.bytes())}, t.data(), std::make_shared<Tensor>(t));
    return cat("raw(", quoted(store(bytes, name)), ", ", dtype_name(t.dtype()), ", ", integers(t.extents()), ")");
  }

  std::string attribute(const AttrValue& value) {
    return std::visit(
        [&]<class T>(const T& x) -> std::string {
          if constexpr (std::is_same_v<T, std::monostate>)
            return "std::monostate()";
          else if constexpr (std::is_same_v<T, bool>)
            return x ? "true" : "false";
          else if constexpr (std::is_same_v<T, int64_t>)
            return cat("int64_t{", integer(x), "}");
          else if constexpr (std::is_same_v<T, double>)
            return real(x);
          else if constexpr (std::is_same_v<T, std::string>)
            return cat("std::string(", quoted(x), ", ", x.size(), ")");
          else if constexpr (std::is_same_v<T, std::vector<int64_t>>)
            return cat("std::vector<int64_t>", integers(x));
          else if constexpr (std::is_same_v<T, std::vector<double>>)
            return cat("std::vector<double>", listed(x, [](double v) { return real(v); }));
          else if constexpr (std::is_same_v<T, std::vector<std::string>>)
            return cat("std::vector<std::string>", listed(x, quoted));
          else if constexpr (std::is_same_v<T, DType>)
            return dtype_name(x);
          else if constexpr (std::is_same_v<T, Tensor>)
            return tensor(x, "attribute");
          else if constexpr (std::is_same_v<T, Type>)
            return cat("tc::parse_type(", quoted(x.str()), ")");
          else
            return cat("tc::parse_type(", quoted(Type::tensor(DType::f32, Shape(x)).str()), ").shape().dims()");
        },
        value);
  }

  // {"name", value} for each that is not its default.
  std::vector<std::string> attributes(const Node& n) {
    std::vector<std::string> list;
    const AttrsInfo& attrs = n.info().attrs;
    if (attrs.fields.empty()) return list;
    const auto defaults = attrs.make();
    for (size_t i = 0; i < attrs.fields.size(); ++i) {
      const AttrValue v = attrs.get(n.raw_attrs().get(), i);
      if (!attrs.fields[i].required && equal(v, attrs.get(defaults.get(), i))) continue;
      list.push_back(cat("{", quoted(std::string(attrs.fields[i].name)), ", ", attribute(v), "}"));
    }
    return list;
  }

  // The call that makes a node of one result.
  std::string spelled(const Node& n) {
    if (n.is<Constant>()) return constant(n.attrs<Constant>().value, n.result(0)->name());
    if (n.is<Parameter>()) {
      const auto& a = n.attrs<Parameter>();
      if (storable(a.value.dtype())) return cat("tc::Param(", quoted(a.name), ", ", tensor(a.value, a.name), ").var()");
    }
    if (std::string call = vocabulary(n); !call.empty()) return call;
    const auto attrs = attributes(n);
    return cat("tc::op(", quoted(std::string(n.info().name())), ", {", joined(uses(n)), "}",
               attrs.empty() ? "" : cat(", {", joined(attrs), "}"), ")");
  }

  enum class Domain : uint8_t { any, boolean, real, floating };
  static bool fits(const Node& n, Domain domain, int operands) {
    if (n.num_operands() != operands) return false;
    for (const Value* v : n.operands()) {
      if (!v || !v->type().is_tensor() || v->dtype() != n.operand(0)->dtype()) return false;
      const DType t = v->dtype();
      if (domain == Domain::boolean && t != DType::boolean) return false;
      if (domain == Domain::real && !dtypes::numeric.has(t)) return false;
      if (domain == Domain::floating && !dtypes::floats.has(t)) return false;
    }
    return true;
  }

  // The function of the vocabulary that is this op and nothing else; empty when there is none.
  std::string vocabulary(const Node& n) const {
    const auto call = [&](std::string_view name, const std::string& options = {}) {
      return cat("tc::", name, "(", joined(uses(n)), options.empty() ? "" : cat(", {", options, "}"), ")");
    };
    const auto infix = [&](std::string_view sign) { return cat(use(n.operand(0)), " ", sign, " ", use(n.operand(1))); };
    const auto operators = [&](std::string_view sign) { return cat("(", infix(sign), ")"); };
    switch (n.op()) {
      case OpId::Add:
        return fits(n, Domain::real, 2) ? operators("+") : "";
      case OpId::Sub:
        return fits(n, Domain::real, 2) ? operators("-") : "";
      case OpId::Mul:
        return fits(n, Domain::real, 2) ? operators("*") : "";
      case OpId::Div:
        return fits(n, Domain::floating, 2) ? operators("/") : "";
      case OpId::Greater:
        return fits(n, Domain::real, 2) ? operators(">") : "";
      case OpId::Less:
        return fits(n, Domain::real, 2) ? operators("<") : "";
      case OpId::Relu:
        return fits(n, Domain::floating, 1) ? call("relu") : "";
      case OpId::MatMul:
        return fits(n, Domain::floating, 2) ? call("matmul") : "";
      case OpId::Cast:
        if (attributes_given(n) != 1 || n.operand(0)->dtype() == n.result(0)->dtype()) return "";
        return cat("tc::astype(", use(n.operand(0)), ", ", dtype_name(n.result(0)->dtype()), ")");
      case OpId::Concat: {
        if (!fits(n, Domain::any, n.num_operands()) || !n.operand(0)->shape().ranked()) return "";
        return cat("tc::concat({", joined(uses(n)), "}, {.axis = ", n.attrs<Concat>().axis, "})");
      }
      case OpId::Transpose:
        if (n.attrs<Transpose>().perm.empty() || !n.operand(0)->shape().ranked()) return "";
        return cat("tc::permute_dims(", use(n.operand(0)), ", ", integers(n.attrs<Transpose>().perm), ")");
      case OpId::Softmax:
      case OpId::LogSoftmax: {
        const int64_t axis = n.is<Softmax>() ? n.attrs<Softmax>().axis : n.attrs<LogSoftmax>().axis;
        if (!n.operand(0)->shape().ranked()) return "";
        return call(n.is<Softmax>() ? "softmax" : "log_softmax", cat(".axis = ", axis));
      }
      case OpId::Conv:
        return convolution(n);
      case OpId::MaxPool:
        return max_pool(n);
      default:
        break;
    }
    struct Row {
      OpId op;
      std::string_view name;
      Domain domain;
      int operands;
    };
    static constexpr Row kRows[] = {
#define TC_DSL_UNARY(name, Op, domain) {OpId::Op, #name, Domain::domain, 1},
#define TC_DSL_BINARY(name, Op, domain) {OpId::Op, #name, Domain::domain, 2},
#include "tc/frontend/dsl/elementwise.def"
    };
    for (const Row& row : kRows)
      if (row.op == n.op() && attributes_given(n) == 0 && fits(n, row.domain, row.operands)) return call(row.name);
    return {};
  }

  // How many attributes differ from their defaults.
  static int attributes_given(const Node& n) {
    const AttrsInfo& attrs = n.info().attrs;
    if (attrs.fields.empty()) return 0;
    const auto defaults = attrs.make();
    int count = 0;
    for (size_t i = 0; i < attrs.fields.size(); ++i)
      count += attrs.fields[i].required || !equal(attrs.get(n.raw_attrs().get(), i), attrs.get(defaults.get(), i));
    return count;
  }

  template <class A>
  static std::string windows(const A& a) {
    std::vector<std::string> options;
    const auto ones = [](const std::vector<int64_t>& v) {
      return std::all_of(v.begin(), v.end(), [](int64_t x) { return x == 1; });
    };
    if (!ones(a.strides)) options.push_back(cat(".strides = ", integers(a.strides)));
    if (!ones(a.dilations)) options.push_back(cat(".dilations = ", integers(a.dilations)));
    if (std::any_of(a.pads.begin(), a.pads.end(), [](int64_t x) { return x != 0; }))
      options.push_back(cat(".padding = ", integers(a.pads)));
    return joined(options);
  }

  std::string convolution(const Node& n) const {
    const auto& a = n.attrs<Conv>();
    const Shape &x = n.operand(0)->shape(), &w = n.operand(1)->shape();
    if (!fits(n, Domain::floating, n.num_operands()) || !x.ranked() || x.rank() < 3 || !w.ranked() ||
        a.auto_pad != AutoPad::notset)
      return {};
    for (size_t i = 0; i < a.kernel_shape.size(); ++i)
      if (!w[static_cast<int>(i) + 2].is(a.kernel_shape[i])) return {};
    std::string options = windows(a);
    if (a.group != 1) options += cat(options.empty() ? "" : ", ", ".groups = ", a.group);
    return cat("tc::conv(", joined(uses(n)), options.empty() ? "" : cat(", {", options, "}"), ")");
  }

  std::string max_pool(const Node& n) const {
    const auto& a = n.attrs<MaxPool>();
    if (!fits(n, Domain::floating, 1) || !n.operand(0)->shape().ranked() || n.operand(0)->shape().rank() < 3 ||
        a.auto_pad != AutoPad::notset || a.ceil_mode || a.storage_order)
      return {};
    const std::string options = windows(a);
    return cat("tc::max_pool(", use(n.operand(0)), ", ", integers(a.kernel_shape),
               options.empty() ? "" : cat(", {", options, "}"), ")");
  }

  CppSource result_;
  std::string body_;
  int indent_ = 0;
  bool raw_ = false;
  std::map<const Value*, std::string> names_;
  std::set<std::string> taken_, keys_;
};

}  // namespace

CppSource cpp_source(const Function& model, const std::string& function, const std::string& origin) {
  if (!is_identifier(function)) fail(ErrorCode::bad_argument, "'", function, "' is no name for a function in C++");
  const auto module = clone(model.module());
  PipelineReport report;
  Editor editor(report, {}, nullptr);
  PassContext ctx{*module, editor};
  inline_functions(ctx);
  return Writer().run(*module, function, origin);
}

}  // namespace tc
