#include "tc/backend/onnx/write.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "tc/backend/onnx/export_rows.h"
#include "tc/backend/onnx/names.h"
#include "tc/ir/custom_op.h"
#include "tc/ir/draws.h"
#include "tc/ir/infer.h"

namespace tc::onnx {
namespace {

constexpr std::string_view kFunctionDomain = "tc";
// Large tensors begin on pages, so that a reader can map them.
constexpr uint64_t kPage = 4096, kLarge = 1 << 20;

// Sub-byte elements: the first lies in the lowest bits.
std::string packed(const Tensor& t) {
  const int bits = info(t.dtype()).bits;
  if (bits >= 8) return {static_cast<const char*>(t.data()), t.bytes()};
  const auto per_byte = static_cast<size_t>(8 / bits);
  const auto* in = static_cast<const uint8_t*>(t.data());
  const auto n = static_cast<size_t>(t.size());
  std::string out((n + per_byte - 1) / per_byte, '\0');
  for (size_t i = 0; i < n; ++i) {
    const int code = (in[i] & ((1 << bits) - 1)) << (static_cast<int>(i % per_byte) * bits);
    out[i / per_byte] = static_cast<char>(static_cast<uint8_t>(out[i / per_byte]) | code);
  }
  return out;
}

// A name for the extent, or nothing where nothing is known.
std::string dim_name(const Dim& d) {
  std::string name = d.is_symbol() ? d.symbol_name() : d.str();
  bool known = true;
  d.for_each_symbol([&](const std::string& s) { known &= !fresh_number(s) && !s.empty() && s[0] != '?'; });
  return known ? name : std::string();
}

// `anonymous`: the value's name; extents that a reader would name after it stay unnamed.
void set_type(const Type& t, const std::string& anonymous, ::onnx::TypeProto& out) {
  switch (t.kind()) {
    case Type::Kind::none:
      return;
    case Type::Kind::tensor: {
      auto& tensor = *out.mutable_tensor_type();
      tensor.set_elem_type(info(t.dtype()).onnx);
      if (!t.shape().ranked()) return;
      auto& shape = *tensor.mutable_shape();
      for (int i = 0; i < t.shape().rank(); ++i) {
        auto& dim = *shape.add_dim();
        const Dim& d = t.shape()[i];
        if (d.is_const()) {
          dim.set_dim_value(d.value());
        } else if (const std::string name = dim_name(d); !name.empty() && name != cat(anonymous, ".", i)) {
          dim.set_dim_param(name);
        }
      }
      return;
    }
    case Type::Kind::sequence:
      return set_type(t.element(), anonymous, *out.mutable_sequence_type()->mutable_elem_type());
    case Type::Kind::optional:
      return set_type(t.element(), anonymous, *out.mutable_optional_type()->mutable_elem_type());
    case Type::Kind::map:
      out.mutable_map_type()->set_key_type(info(t.dtype()).onnx);
      return set_type(t.element(), anonymous, *out.mutable_map_type()->mutable_value_type());
  }
}

// IR functions are named "domain.name" when they come from a file.
struct FunctionName {
  std::string domain, name;
};

class Writer {
 public:
  Writer(const Module& module, const Dialect& dialect, const ExportOptions& options, ExternalSink* external)
      : module_(module), dialect_(dialect), options_(options), external_(external) {}

  ::onnx::ModelProto run();

 private:
  // One name space.
  struct Scope {
    explicit Scope(const Graph& g) : names(g) {}
    Names names;
    std::unordered_map<const Node*, OnnxNode> nodes;
    std::unordered_set<const Value*> used;
    bool function = false;
    std::set<std::string> domains;
  };

  void plan(const Graph& g, Scope& scope);
  void name_functions();
  void write_graph(const Graph& g, Scope& scope, ::onnx::GraphProto& out);
  std::shared_ptr<const CustomOp> registered(const Node& call) const;  // null: a function of the module
  FunctionName name_of_callee(const Node& call) const;
  int num_inputs(const Node& call) const;
  void write_custom_attribute(const Node& call, int operand, const std::string& name, Scope& scope,
                              ::onnx::AttributeProto& out);
  void write_keys(const Graph& g, Scope& scope, ::onnx::GraphProto& out);
  template <class Out>
  void write_nodes(const Graph& g, Scope& scope, Out& out, ::onnx::GraphProto* initializers);
  void write_node(const Node& n, Scope& scope, ::onnx::NodeProto& out);
  void write_attribute(const OnnxAttribute& a, const Node& n, Scope& scope, ::onnx::AttributeProto& out);
  void write_tensor(const Tensor& t, const std::string& name, ::onnx::TensorProto& out, bool weight);
  std::set<std::string> write_function(const Graph& g, ::onnx::FunctionProto& out);
  template <class Out>
  void import_opsets(const std::set<std::string>& domains, Out& out);

  const Module& module_;
  const Dialect& dialect_;
  const ExportOptions& options_;
  ExternalSink* external_;
  std::unordered_map<std::string, FunctionName> functions_;
};

void Writer::plan(const Graph& g, Scope& scope) {
  for (const auto& n : g.nodes()) {
    if (n->is<Constant>() || n->is<Parameter>()) continue;
    if (n->is<Return>() || n->is<Call>()) {
      const int inputs = n->is<Call>() ? num_inputs(*n) : n->num_operands();
      for (int i = 0; i < inputs; ++i)
        if (const Value* v = n->operand(i)) scope.used.insert(v);
      if (n->is<Call>()) scope.domains.insert(name_of_callee(*n).domain);
      continue;
    }
    OnnxNode out = onnx::write_node(*n, dialect_);
    const auto problem = find_problem(out, dialect_);
    TC_CHECK(!problem, n->info().name(), ": ", problem->reason);
    for (const Value* v : out.inputs)
      if (v) scope.used.insert(v);
    scope.domains.insert(std::string(out.domain));
    scope.nodes.emplace(n.get(), std::move(out));
    for (int r = 0; r < n->num_regions(); ++r) plan(n->region(r), scope);
  }
}

void Writer::name_functions() {
  std::set<std::pair<std::string, std::string>> taken;
  for (const auto& f : module_.functions()) {
    const std::string& full = f->name();
    const size_t dot = full.rfind('.');
    FunctionName n{std::string(kFunctionDomain), full};
    if (dot != full.npos && dot > 0) n = {full.substr(0, dot), full.substr(dot + 1)};
    if (dot == 0) n.name = full.substr(1);
    // Never one that the standard defines.
    if (has_schemas(n.domain) || n.domain == "com.microsoft") n.domain = kFunctionDomain;
    for (char& c : n.name)
      if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    const std::string stem = n.name;
    for (int k = 1; !taken.emplace(n.domain, n.name).second; ++k) n.name = cat(stem, "_", k);
    functions_[full] = std::move(n);
  }
}

void Writer::write_tensor(const Tensor& t, const std::string& name, ::onnx::TensorProto& out, bool weight) {
  out.set_name(name);
  out.set_data_type(info(t.dtype()).onnx);
  for (int64_t d : t.extents()) out.add_dims(d);
  if (t.dtype() == DType::str) {
    for (const std::string& s : t.span<std::string>()) out.add_string_data(s);
    return;
  }
  const uint64_t bytes = packed_bytes(t);
  if (!weight || !external_ || bytes < static_cast<uint64_t>(std::max<int64_t>(external_->threshold, 1))) {
    out.set_raw_data(packed(t));
    return;
  }
  const uint64_t align = bytes >= kLarge ? kPage : 64;
  const std::string padding((align - external_->file.size() % align) % align, '\0');
  external_->file.write(padding.data(), padding.size());
  const auto entry = [&](const char* key, const std::string& value) {
    auto& e = *out.add_external_data();
    e.set_key(key);
    e.set_value(value);
  };
  entry("location", external_->location);
  entry("offset", std::to_string(external_->file.size()));
  entry("length", std::to_string(bytes));
  out.set_data_location(::onnx::TensorProto::EXTERNAL);
  if (info(t.dtype()).bits >= 8) {
    external_->file.write(t.data(), t.bytes());
  } else {
    const std::string data = packed(t);
    external_->file.write(data.data(), data.size());
  }
}

void Writer::write_attribute(const OnnxAttribute& a, const Node& n, Scope& scope, ::onnx::AttributeProto& out) {
  using P = ::onnx::AttributeProto;
  out.set_name(std::string(a.name));
  if (a.graph) {
    out.set_type(P::GRAPH);
    write_graph(*a.graph, scope, *out.mutable_g());
    auto& g = *out.mutable_g();
    if (g.name().empty()) g.set_name(cat(n.info().name(), "_", a.name));
    return;
  }
  std::visit(
      [&]<class T>(const T& v) {
        if constexpr (std::is_same_v<T, int64_t>) {
          out.set_type(P::INT);
          out.set_i(v);
        } else if constexpr (std::is_same_v<T, double>) {
          out.set_type(P::FLOAT);
          out.set_f(static_cast<float>(v));
        } else if constexpr (std::is_same_v<T, std::string>) {
          out.set_type(P::STRING);
          out.set_s(v);
        } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
          out.set_type(P::INTS);
          for (int64_t e : v) out.add_ints(e);
        } else if constexpr (std::is_same_v<T, std::vector<double>>) {
          out.set_type(P::FLOATS);
          for (double e : v) out.add_floats(static_cast<float>(e));
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          out.set_type(P::STRINGS);
          for (const auto& e : v) out.add_strings(e);
        } else if constexpr (std::is_same_v<T, Tensor>) {
          out.set_type(P::TENSOR);
          write_tensor(v, "", *out.mutable_t(), false);
        } else if constexpr (std::is_same_v<T, Type>) {
          out.set_type(P::TYPE_PROTO);
          set_type(v, "", *out.mutable_tp());
        } else {
          TC_CHECK(false, "attribute ", a.name, " of ", n.info().name());
        }
      },
      a.value);
}

std::shared_ptr<const CustomOp> Writer::registered(const Node& call) const {
  const std::string& callee = call.attrs<Call>().callee;
  return functions_.count(callee) ? nullptr : find_custom_op(callee);
}

FunctionName Writer::name_of_callee(const Node& call) const {
  if (const auto op = registered(call)) return {op->domain, op->name};
  return functions_.at(call.attrs<Call>().callee);
}

// The last operands of a registered op are its attributes.
int Writer::num_inputs(const Node& call) const {
  const auto op = registered(call);
  return call.num_operands() - (op ? static_cast<int>(op->attributes.size()) : 0);
}

void Writer::write_custom_attribute(const Node& call, int operand, const std::string& name, Scope& scope,
                                    ::onnx::AttributeProto& out) {
  const Tensor* t = call.operand(operand)->constant();
  if (!t)
    throw Error({ErrorCode::unsupported,
                 cat(call.attrs<Call>().callee, ": the attribute '", name, "' is no constant"),
                 call.location(),
                 {},
                 {}});
  const auto list = [&](auto value) {
    // Lists have rank 1, single values rank 0.
    if (t->rank() == 1)
      write_attribute({name, value, nullptr}, call, scope, out);
    else
      write_attribute({name, value.at(0), nullptr}, call, scope, out);
  };
  if (t->dtype() == DType::i64 && t->rank() <= 1) return list(to_i64(*t));
  if (t->dtype() == DType::f32 && t->rank() <= 1) {
    const auto values = t->span<float>();
    return list(std::vector<double>(values.begin(), values.end()));
  }
  if (t->dtype() == DType::str && t->rank() <= 1) {
    const auto values = t->span<std::string>();
    return list(std::vector<std::string>(values.begin(), values.end()));
  }
  write_attribute({name, *t, nullptr}, call, scope, out);
}

void Writer::write_node(const Node& n, Scope& scope, ::onnx::NodeProto& out) {
  std::string doc;
  out.set_name(scope.names.node(n, &doc));
  if (!doc.empty()) out.set_doc_string(doc);
  if (n.is<Call>()) {
    const FunctionName f = name_of_callee(n);
    out.set_op_type(f.name);
    out.set_domain(f.domain);
    for (int i = 0; i < num_inputs(n); ++i) out.add_input(n.operand(i) ? scope.names.of(n.operand(i)) : "");
    for (int j = 0; j < n.num_results(); ++j) out.add_output(scope.names.of(n.result(j)));
    if (const auto op = registered(n))
      for (size_t k = 0; k < op->attributes.size(); ++k)
        write_custom_attribute(n, num_inputs(n) + static_cast<int>(k), op->attributes[k].first, scope,
                               *out.add_attribute());
    return;
  }
  const OnnxNode& written = scope.nodes.at(&n);
  out.set_op_type(std::string(written.name));
  if (!written.domain.empty()) out.set_domain(std::string(written.domain));
  for (const Value* v : written.inputs) out.add_input(v ? scope.names.of(v) : "");
  for (const Value* v : written.outputs) out.add_output(v ? scope.names.of(v) : "");
  // ONNX may ask for results that the program does not have.
  for (size_t j = written.outputs.size(); written.schema && j < written.schema->outputs.size(); ++j)
    if (const SchemaSlot& slot = written.schema->outputs[j]; !slot.optional && !slot.variadic)
      out.add_output(scope.names.unique(cat(n.info().name(), "_", j)));
  std::vector<const OnnxAttribute*> attributes;
  for (const auto& a : written.attributes) attributes.push_back(&a);
  std::sort(attributes.begin(), attributes.end(), [](auto* a, auto* b) { return a->name < b->name; });
  for (const auto* a : attributes) write_attribute(*a, n, scope, *out.add_attribute());
}

// `initializers` is null where constants have to be nodes.
template <class Out>
void Writer::write_nodes(const Graph& g, Scope& scope, Out& out, ::onnx::GraphProto* initializers) {
  for (const auto& n : g.nodes()) {
    if (n->is<Return>()) continue;
    if (!n->is<Constant>() && !n->is<Parameter>()) {
      write_node(*n, scope, *out.add_node());
      continue;
    }
    const Value* v = n->result(0);
    if (!scope.used.count(v)) continue;
    const Tensor& t = n->is<Constant>() ? n->attrs<Constant>().value : n->attrs<Parameter>().value;
    if (initializers) {
      write_tensor(t, scope.names.of(v), *initializers->add_initializer(), true);
      continue;
    }
    auto& node = *out.add_node();
    node.set_name(scope.names.of(v));
    node.set_op_type("Constant");
    node.add_output(scope.names.of(v));
    scope.domains.insert("");
    write_attribute({"value", t, nullptr}, *n, scope, *node.add_attribute());
  }
  for (int i = 0; i < g.num_outputs(); ++i) {
    const Value* v = g.output(i);
    const std::string& name = scope.names.output(g, i);
    if (!v || scope.names.of(v) == name) continue;
    auto& node = *out.add_node();
    node.set_name(scope.names.unique(cat(name, "/identity")));
    node.set_op_type("Identity");
    node.add_input(scope.names.of(v));
    node.add_output(name);
    scope.domains.insert("");
  }
}

void Writer::write_graph(const Graph& g, Scope& scope, ::onnx::GraphProto& out) {
  out.set_name(g.name());
  for (const Value* v : g.inputs()) {
    auto& in = *out.add_input();
    in.set_name(scope.names.of(v));
    set_type(v->type(), in.name(), *in.mutable_type());
  }
  if (options_.random == ExportRandom::keys && !g.owner()) write_keys(g, scope, out);
  write_nodes(g, scope, out, scope.function ? nullptr : &out);
  std::set<std::string> outputs;
  for (int i = 0; i < g.num_outputs(); ++i) {
    auto& o = *out.add_output();
    o.set_name(scope.names.output(g, i));
    outputs.insert(o.name());
    if (const Value* v = g.output(i)) set_type(v->type(), "", *o.mutable_type());
  }
  if (!options_.value_info || scope.function) return;
  for (const auto& n : g.nodes()) {
    if (n->is<Constant>() || n->is<Parameter>() || n->is<Return>()) continue;
    const auto written = scope.nodes.find(n.get());
    for (int j = 0; j < n->num_results(); ++j) {
      const Value* v = n->result(j);
      const std::string& name = scope.names.of(v);
      const bool absent =
          written != scope.nodes.end() &&
          std::find(written->second.outputs.begin(), written->second.outputs.end(), v) == written->second.outputs.end();
      if (outputs.count(name) || absent || v->type().is_none()) continue;
      auto& info = *out.add_value_info();
      info.set_name(name);
      set_type(v->type(), "", *info.mutable_type());
    }
  }
}

// Inputs with defaults.
void Writer::write_keys(const Graph& g, Scope& scope, ::onnx::GraphProto& out) {
  for (const auto& n : g.nodes()) {
    if (!n->is<Parameter>() || !n->attrs<Parameter>().name.starts_with(draws::kKey)) continue;
    const Value* v = n->result();
    if (!scope.used.count(v)) continue;
    auto& in = *out.add_input();
    in.set_name(scope.names.of(v));
    set_type(v->type(), in.name(), *in.mutable_type());
  }
}

template <class Out>
void Writer::import_opsets(const std::set<std::string>& domains, Out& out) {
  auto add = [&](const std::string& domain, int version) {
    auto& o = *out.add_opset_import();
    o.set_domain(domain);
    o.set_version(version);
  };
  add("", dialect_.opset);
  // Those of functions have a version 1.
  for (const auto& d : domains)
    if (!d.empty()) add(d, std::max(1, dialect_.version_of(d)));
}

// The domains that it uses.
std::set<std::string> Writer::write_function(const Graph& g, ::onnx::FunctionProto& out) {
  const FunctionName& name = functions_.at(g.name());
  Scope scope(g);
  scope.function = true;
  plan(g, scope);
  out.set_name(name.name);
  out.set_domain(name.domain);
  for (const Value* v : g.inputs()) out.add_input(scope.names.of(v));
  write_nodes(g, scope, out, nullptr);
  for (int i = 0; i < g.num_outputs(); ++i) out.add_output(scope.names.output(g, i));
  import_opsets(scope.domains, out);
  return scope.domains;
}

::onnx::ModelProto Writer::run() {
  ::onnx::ModelProto model;
  name_functions();
  model.set_ir_version(module_.functions().empty() ? dialect_.ir_version() : std::max(8, dialect_.ir_version()));
  model.set_producer_name(options_.producer_name);
  if (!options_.producer_version.empty()) model.set_producer_version(options_.producer_version);
  std::string doc = options_.doc_string;
  for (const auto& [key, value] : module_.metadata) {
    if (key == "doc_string") {
      if (doc.empty()) doc = value;
    } else if (key == "domain") {
      model.set_domain(value);
    } else if (key == "model_version") {
      model.set_model_version(std::strtoll(value.c_str(), nullptr, 10));
    } else if (key != "producer_name" && key != "producer_version" && key != "ir_version" &&
               !key.starts_with("opset.")) {
      auto& prop = *model.add_metadata_props();
      prop.set_key(key);
      prop.set_value(value);
    }
  }
  if (!doc.empty()) model.set_doc_string(doc);
  Scope scope(module_.main());
  plan(module_.main(), scope);
  write_graph(module_.main(), scope, *model.mutable_graph());
  if (!options_.graph_name.empty()) model.mutable_graph()->set_name(options_.graph_name);
  for (const auto& f : module_.functions()) {
    scope.domains.merge(write_function(*f, *model.add_functions()));
    scope.domains.insert(functions_.at(f->name()).domain);
  }
  import_opsets(scope.domains, model);
  return model;
}

}  // namespace

uint64_t packed_bytes(const Tensor& t) {
  if (t.dtype() == DType::str) return 0;
  return (static_cast<uint64_t>(t.size()) * static_cast<uint64_t>(info(t.dtype()).bits) + 7) / 8;
}

::onnx::ModelProto write_model(const Module& module, const Dialect& dialect, const ExportOptions& options,
                               ExternalSink* external) {
  return Writer(module, dialect, options, external).run();
}

}  // namespace tc::onnx
