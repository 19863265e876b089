#include "tc/frontend/onnx/import.h"

#include <algorithm>

#include "tc/frontend/onnx/importer.h"

namespace tc::onnx {
namespace {

constexpr int kMaxDepth = 32;         // of graphs within graphs and functions within functions
constexpr int64_t kNewestOpset = 28;  // of the default domain
constexpr size_t kMaxFindings = 50;

}  // namespace

Importer::Importer(const ModelProto& model, TensorSource source)
    : model_(model), source_(std::move(source)), module_(std::make_unique<Module>()) {}

Importer::Opsets Importer::opsets_of(const std::vector<OperatorSetIdProto>& imports, std::string_view where) {
  Opsets result;
  for (const auto& o : imports) {
    const std::string domain(canonical_domain(o.domain));
    if (domain.empty() && (o.version < 1 || o.version > kNewestOpset))
      fail(ErrorCode::unknown_op, where, " asks for opset ", o.version, " of ai.onnx; known are 1 to ", kNewestOpset);
    auto [it, fresh] = result.emplace(domain, o.version);
    if (!fresh) it->second = std::max(it->second, o.version);
  }
  return result;
}

Dim Importer::dim_of(const Dimension& d, std::string_view value_name, size_t axis) {
  if (d.dim_value && *d.dim_value >= 0) return *d.dim_value;
  if (!d.dim_param.empty()) return Dim::symbol(std::string(d.dim_param));
  return Dim::symbol(cat(value_name, ".", axis));
}

Type Importer::type_of(const TypeProto& t, std::string_view value_name) {
  auto element = [&] {
    if (!t.element) fail(ErrorCode::bad_file, "the type of '", value_name, "' lacks its element type");
    return type_of(*t.element, value_name);
  };
  auto dtype = [&] {
    const auto d = dtype_from_onnx(t.elem_type);
    if (!d) fail(ErrorCode::bad_type, "'", value_name, "' has the unknown element type ", t.elem_type);
    return *d;
  };
  switch (t.kind) {
    case TypeProto::Kind::none:
      return {};
    case TypeProto::Kind::sparse_tensor:
    case TypeProto::Kind::tensor: {
      if (t.elem_type == 0) return {};
      if (!t.shape) return Type::tensor(dtype(), Shape());
      Dims dims;
      for (size_t i = 0; i < t.shape->dim.size(); ++i) dims.push_back(dim_of(t.shape->dim[i], value_name, i));
      return Type::tensor(dtype(), Shape(std::move(dims)));
    }
    case TypeProto::Kind::sequence:
      return Type::sequence(element());
    case TypeProto::Kind::optional:
      return Type::optional(element());
    case TypeProto::Kind::map:
      return Type::map(dtype(), element());
    case TypeProto::Kind::opaque:
      break;
  }
  fail(ErrorCode::unsupported, "'", value_name, "' has an opaque type");
}

void Importer::note(ErrorCode code, const std::string& where, const std::string& text) {
  if (!seen_findings_.insert(text).second) return;
  if (findings_.size() < kMaxFindings) findings_.push_back({code, where.empty() ? text : cat(where, ": ", text)});
}

Value* Importer::lookup(Scope& scope, std::string_view name) {
  for (Scope* s = &scope; s; s = s->outer) {
    if (const auto it = s->values.find(name); it != s->values.end()) return it->second;
    const auto dense = s->initializers.find(name);
    const auto sparse = s->sparse.find(name);
    if (dense == s->initializers.end() && sparse == s->sparse.end()) continue;
    const Frame frame("initialiser", name);
    Tensor t =
        dense != s->initializers.end() ? to_tensor(*dense->second, source_) : to_tensor(*sparse->second, source_);
    // Before everything else in its graph, so that regions met earlier could have used it too.
    Builder b(*s->graph, s->graph->first());
    return s->values[name] = b.constant(std::move(t), std::string(name));
  }
  return nullptr;
}

bool Importer::is_poisoned(const Scope& scope, std::string_view name) const {
  for (const Scope* s = &scope; s; s = s->outer)
    if (s->poisoned.count(name)) return true;
  return false;
}

const FunctionProto* Importer::find_function(const NodeProto& n) const {
  for (const auto& f : model_.functions)
    if (f.name == n.op_type && canonical_domain(f.domain) == canonical_domain(n.domain) && f.overload == n.overload)
      return &f;
  return nullptr;
}

void Importer::import_node(const NodeProto& proto, Scope& scope) {
  const std::string where = describe_node(proto);
  auto poison = [&] {
    for (auto o : proto.output) scope.poisoned.insert(o);
  };

  const std::string_view domain = canonical_domain(proto.domain);
  const FunctionProto* function = find_function(proto);
  const OperatorRows* known = function ? nullptr : find_operator(domain, proto.op_type);
  const auto opset_it = body_.opsets->find(domain);
  const OperatorRows::Row* row = nullptr;
  if (!function) {
    const std::string spelled = cat(domain.empty() ? "" : cat(domain, "."), proto.op_type);
    if (!known) {
      std::vector<std::string_view> names;
      const auto operators = known_operators();
      for (const auto& o : operators)
        if (o.domain == domain) names.push_back(o.name);
      const std::string near = nearest(proto.op_type, names);
      note(ErrorCode::unknown_op, where,
           cat("unknown operator ", spelled, near.empty() ? "" : cat(" (did you mean ", near, "?)")));
      return poison();
    }
    if (opset_it == body_.opsets->end()) {
      note(ErrorCode::bad_graph, where,
           cat("operator ", spelled, " is of domain '", domain.empty() ? "ai.onnx" : domain,
               "', of which the model imports no opset"));
      return poison();
    }
    for (const auto& r : known->rows)
      if (r.since <= opset_it->second) {
        row = &r;
        break;
      }
    if (!row) {
      note(ErrorCode::unknown_op, where,
           cat("operator ", spelled, " is known from opset ", known->rows.back().since, " on, the model uses ",
               opset_it->second));
      return poison();
    }
  }

  std::vector<Value*> inputs;
  for (auto name : proto.input) {
    if (name.empty()) {
      inputs.push_back(nullptr);
      continue;
    }
    if (is_poisoned(scope, name)) return poison();
    Value* v = lookup(scope, name);
    if (!v)
      throw Error({ErrorCode::bad_graph,
                   cat("input '", name, "' is not defined before this node"),
                   where,
                   {},
                   {"nodes must be in topological order"}});
    inputs.push_back(v);
  }

  Builder builder(*scope.graph);
  builder.set_location(where);
  NodeImport node(*this, proto, opset_it == body_.opsets->end() ? 0 : opset_it->second, builder, std::move(inputs));
  std::vector<Value*> results;
  Scope* const outer_scope = std::exchange(scope_, &scope);
  try {
    if (function) {
      results = call_function(proto, *function, node);
    } else {
      results = row->import ? row->import(node) : node.regular(row->op);
      node.check_all_read();
    }
  } catch (const Error& e) {
    scope_ = outer_scope;
    if (e.code() == ErrorCode::unsupported || e.code() == ErrorCode::unknown_op) {
      note(e.code(), e.diagnostic().location.empty() ? where : e.diagnostic().location, e.diagnostic().message);
      return poison();
    }
    if (!e.diagnostic().location.empty()) throw;
    Diagnostic d = e.diagnostic();
    d.location = where;
    throw Error(std::move(d));
  }
  scope_ = outer_scope;
  for (size_t j = 0; j < proto.output.size(); ++j) {
    const std::string_view name = proto.output[j];
    if (name.empty()) continue;
    if (j >= results.size() || !results[j])
      throw Error({ErrorCode::bad_graph, cat(proto.op_type, " has no output ", j), where, {}, {}});
    if (scope.values.count(name) || scope.initializers.count(name))
      throw Error({ErrorCode::bad_graph, cat("'", name, "' is defined twice"), where, {}, {}});
    if (results[j]->name().empty() && results[j]->def()) results[j]->set_name(std::string(name));
    scope.values[name] = results[j];
  }
}

void Importer::import_nodes(const std::vector<NodeProto>& nodes, Scope& scope) {
  for (const auto& n : nodes) import_node(n, scope);
}

void Importer::fill_graph(const GraphProto& proto, Graph& graph, Scope& scope) {
  for (const auto& t : proto.initializer) scope.initializers[t.name] = &t;
  for (const auto& t : proto.sparse_initializer) scope.sparse[t.values.name] = &t;
  import_nodes(proto.node, scope);
  std::vector<Value*> outputs;
  graph.output_names.clear();
  for (const auto& o : proto.output) {
    graph.output_names.emplace_back(o.name);
    if (is_poisoned(scope, o.name)) {
      outputs.push_back(nullptr);
      continue;
    }
    Value* v = lookup(scope, o.name);
    if (!v) fail(ErrorCode::bad_graph, "output '", o.name, "' of graph '", proto.name, "' is not defined");
    if (o.type && findings_.empty()) {
      const Type declared = type_of(*o.type, o.name);
      if (declared.is_tensor() && v->type().is_tensor() && declared.dtype() != v->dtype())
        fail(ErrorCode::bad_type, "output '", o.name, "' is declared ", declared, " but is ", v->type());
      // A loop may carry what is absent before its first iteration only: the declaration says that it has a value by
      // now.
      if (v->type().kind() == Type::Kind::optional && declared.kind() == v->type().element().kind())
        v = Builder(graph).make<OptionalGetElement>({v});
    }
    outputs.push_back(v);
  }
  if (findings_.empty()) graph.set_outputs(outputs);
}

std::unique_ptr<Graph> Importer::import_region(const GraphProto& proto, const std::vector<Type>& input_types) {
  if (++depth_ > kMaxDepth) fail(ErrorCode::limit_nesting, "graphs are nested more than ", kMaxDepth, " deep");
  auto graph = std::make_unique<Graph>(*module_, std::string(proto.name));
  Scope inner;
  inner.outer = scope_;
  inner.graph = graph.get();
  for (size_t i = 0; i < proto.input.size(); ++i) {
    const auto& in = proto.input[i];
    inner.values[in.name] = graph->add_input(input_types[i], std::string(in.name));
  }
  fill_graph(proto, *graph, inner);
  --depth_;
  if (!findings_.empty()) fail(ErrorCode::unsupported, "its sub-graph uses what is not supported");
  return graph;
}

std::vector<Value*> Importer::call_function(const NodeProto& proto, const FunctionProto& f, NodeImport& node) {
  const std::string spelled = cat(f.domain, ".", f.name, f.overload.empty() ? "" : ":", f.overload);
  if (std::find(active_.begin(), active_.end(), &f) != active_.end())
    node.fail(ErrorCode::bad_graph, "function ", spelled, " calls itself");
  if (active_.size() >= kMaxDepth)
    node.fail(ErrorCode::limit_nesting, "functions call each other more than ", kMaxDepth, " deep");
  if (proto.input.size() > f.input.size())
    node.fail(ErrorCode::bad_graph, "function ", spelled, " takes ", f.input.size(), " inputs, got ",
              proto.input.size());

  // The attributes of the instance: those of the call, then the declared defaults.
  AttrEnv env;
  std::string signature = spelled;
  for (const auto& a : proto.attribute) {
    const bool declared = std::find(f.attribute.begin(), f.attribute.end(), a.name) != f.attribute.end() ||
                          std::any_of(f.attribute_proto.begin(), f.attribute_proto.end(),
                                      [&](const auto& d) { return d.name == a.name; });
    if (!declared) node.fail(ErrorCode::bad_attribute, "function ", spelled, " has no attribute '", a.name, "'");
    if (const AttributeProto* value = node.attr(a.name)) env[a.name] = value;
  }
  for (auto name : f.attribute)
    if (!env.count(name))
      node.fail(ErrorCode::bad_attribute, "function ", spelled, " needs the attribute '", name, "'");
  for (const auto& d : f.attribute_proto) env.emplace(d.name, &d);
  std::map<std::string_view, const AttributeProto*> ordered(env.begin(), env.end());
  for (const auto& [name, value] : ordered) signature += cat(" ", name, "=", static_cast<const void*>(value));
  for (size_t i = 0; i < f.input.size(); ++i)
    signature += cat(" ", node.has(static_cast<int>(i)) ? node.in(static_cast<int>(i))->type().str() : "none");

  auto [it, fresh] = instances_.emplace(signature, "");
  if (fresh) {
    it->second = spelled;
    for (int n = 1; module_->find_function(it->second); ++n) it->second = cat(spelled, "$", n);
    const std::string name = it->second;
    active_.push_back(&f);
    const Frame frame("function", spelled);
    Opsets opsets = opsets_of(f.opset_import, cat("function ", spelled));
    for (const auto& [domain, version] : opsets_) opsets.emplace(domain, version);  // for the model's own functions
    const Body outer_body = std::exchange(body_, Body{&opsets, &env});
    Graph& graph = module_->add_function(name);
    Scope scope;
    scope.graph = &graph;
    for (size_t i = 0; i < f.input.size(); ++i) {
      const int k = static_cast<int>(i);
      Value* v = graph.add_input(node.has(k) ? node.in(k)->type() : Type(), std::string(f.input[i]));
      scope.values[f.input[i]] = node.has(k) ? v : nullptr;
    }
    import_nodes(f.node, scope);
    std::vector<Value*> outputs;
    for (auto o : f.output) {
      graph.output_names.emplace_back(o);
      Value* v = is_poisoned(scope, o) ? nullptr : lookup(scope, o);
      if (!v && findings_.empty())
        fail(ErrorCode::bad_graph, "output '", o, "' of function ", spelled, " is not defined");
      outputs.push_back(v);
    }
    if (findings_.empty()) graph.set_outputs(outputs);
    body_ = outer_body;
    active_.pop_back();
  }
  if (!findings_.empty()) node.fail(ErrorCode::unsupported, "function ", spelled, " uses what is not supported");
  std::vector<Value*> args = node.inputs();
  const int outputs = std::max<int>(1, node.num_outputs());
  Node* call = node.b().make_n<Call>(std::move(args), {instances_.at(signature)}, outputs);
  std::vector<Value*> results;
  for (int j = 0; j < outputs; ++j) results.push_back(call->result(j));
  return results;
}

std::unique_ptr<Module> Importer::run() {
  opsets_ = opsets_of(model_.opset_import, "the model");
  if (model_.opset_import.empty()) opsets_[""] = 1;
  body_ = {&opsets_, nullptr};
  const GraphProto& proto = *model_.graph;
  Graph& main = module_->main();
  main.set_name(proto.name.empty() ? "main" : std::string(proto.name));
  auto set = [&](const char* key, std::string_view value) {
    if (!value.empty()) module_->metadata[key] = std::string(value);
  };
  set("producer_name", model_.producer_name);
  set("producer_version", model_.producer_version);
  set("domain", model_.domain);
  set("doc_string", model_.doc_string);
  if (model_.model_version) module_->metadata["model_version"] = std::to_string(model_.model_version);
  if (model_.ir_version) module_->metadata["ir_version"] = std::to_string(model_.ir_version);
  for (const auto& [domain, version] : opsets_)
    module_->metadata[cat("opset.", domain.empty() ? "ai.onnx" : domain)] = std::to_string(version);
  for (const auto& e : model_.metadata_props) module_->metadata.emplace(e.key, e.value);

  Scope scope;
  scope.graph = &main;
  std::unordered_set<std::string_view> initialised;
  for (const auto& t : proto.initializer) initialised.insert(t.name);
  for (const auto& t : proto.sparse_initializer) initialised.insert(t.values.name);
  for (const auto& in : proto.input) {
    if (initialised.count(in.name)) continue;  // a weight that may be overridden is a weight
    if (in.name.empty()) fail(ErrorCode::bad_graph, "an input of the model has no name");
    if (!in.type) fail(ErrorCode::bad_graph, "input '", in.name, "' has no type");
    if (scope.values.count(in.name)) fail(ErrorCode::bad_graph, "input '", in.name, "' is declared twice");
    const Type t = type_of(*in.type, in.name);
    if (t.is_none()) fail(ErrorCode::bad_graph, "input '", in.name, "' has no type");
    scope.values[in.name] = main.add_input(t, std::string(in.name));
  }
  fill_graph(proto, main, scope);
  if (!findings_.empty()) {
    Diagnostic d{findings_[0].code, findings_[0].text, {}, {}, {}};
    if (findings_.size() > 1) d.message = cat(findings_.size(), " findings, the first: ", d.message);
    for (size_t i = 1; i < findings_.size(); ++i) d.notes.push_back(findings_[i].text);
    throw Error(std::move(d));
  }
  return std::move(module_);
}

namespace {

std::unique_ptr<Module> import_model(Bytes bytes, std::shared_ptr<const void> owner, const MappedMemory* mapped,
                                     const std::string& name, const std::string& external_data_folder) {
  const Frame frame("model", name);
  ExternalData external(external_data_folder);
  ExternalData none;
  const ModelProto model = parse_model(bytes, name);
  return Importer(model, {std::move(owner), external_data_folder.empty() ? &none : &external, mapped}).run();
}

}  // namespace

std::unique_ptr<Module> import_bytes(const void* data, size_t size, std::shared_ptr<const void> owner,
                                     const std::string& name, const ImportOptions& options) {
  return import_model(Bytes(static_cast<const uint8_t*>(data), size), std::move(owner), nullptr, name,
                      options.external_data_folder);
}

std::unique_ptr<Module> import_file(const std::string& path, const ImportOptions& options) {
  auto file = MappedFile::open(path);
  const std::string folder =
      options.external_data_folder.empty() ? ExternalData::folder_of(path) : options.external_data_folder;
  return import_model(file->bytes(), file, file.get(), path, folder);
}

}  // namespace tc::onnx
