#include "tc/frontend/onnx/import.h"

#include <algorithm>

#include "tc/frontend/onnx/importer.h"
#include "tc/frontend/onnx/node_order.h"
#include "tc/ir/tensor_budget.h"

namespace tc::onnx {
namespace {

// The newest opset of each domain that import knows operators of.
constexpr std::pair<std::string_view, int64_t> kNewestOpsets[] = {
    {"", 28}, {"ai.onnx.ml", 5}, {"ai.onnx.preview", 1}, {"ai.onnx.preview.training", 1}, {"com.microsoft", 1}};
constexpr size_t kMaxFindings = 50;
// Earlier IR versions knew one set of operators.
constexpr int64_t kOpsetsImported = 3;
// Earlier ones declared every initialiser as an input.
constexpr int64_t kOverridable = 4;

}  // namespace

Importer::Importer(const ModelProto& model, TensorSource source, const ImportOptions& options)
    : model_(model), source_(std::move(source)), options_(options), module_(std::make_unique<Module>()) {
  index_functions();
}

Importer::Opsets Importer::opsets_of(const std::vector<OperatorSetIdProto>& imports, std::string_view where) {
  Opsets result;
  for (const auto& o : imports) {
    const std::string domain(canonical_domain(o.domain));
    for (const auto& [known, newest] : kNewestOpsets)
      if (domain == known && (o.version > newest || (domain.empty() && o.version < 1)))
        fail(ErrorCode::unknown_op, where, " asks for opset ", o.version, " of ", domain.empty() ? "ai.onnx" : domain,
             "; known are 1 to ", newest);
    auto [it, fresh] = result.emplace(domain, o.version);
    if (!fresh) it->second = std::max(it->second, o.version);
  }
  return result;
}

Dim Importer::dim_of(const Dimension& d, std::string_view value_name, size_t axis) {
  if (d.dim_value && *d.dim_value >= 0) return *d.dim_value;
  if (const auto it = options_.load.dims.find(std::string(d.dim_param)); it != options_.load.dims.end())
    return it->second;
  if (const auto it = options_.load.denoted_dims.find(std::string(d.denotation));
      it != options_.load.denoted_dims.end())
    return it->second;
  if (!d.dim_param.empty() && options_.load.shared_symbols) return Dim::symbol(std::string(d.dim_param));
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
      if (t.shape->dim.size() > kMaxRank)
        fail(ErrorCode::limit_rank, "'", value_name, "' has rank ", t.shape->dim.size(), ", the limit is ", kMaxRank);
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

std::optional<Value*> Importer::lookup(Scope& scope, std::string_view name) {
  for (Scope* s = &scope; s; s = s->outer) {
    if (const auto it = s->values.find(name); it != s->values.end()) return it->second;
    const auto dense = s->initializers.find(name);
    const auto sparse = s->sparse.find(name);
    if (dense == s->initializers.end() && sparse == s->sparse.end()) continue;
    const Frame frame("initialiser", name);
    const auto given = s->outer ? options_.load.initializers.end() : options_.load.initializers.find(std::string(name));
    Tensor t = given != options_.load.initializers.end() ? given->second
               : dense != s->initializers.end()          ? to_tensor(*dense->second, source_)
                                                         : to_tensor(*sparse->second, source_);
    // Before everything else in its graph, so that regions met earlier could have used it too.
    Builder b(*s->graph, s->graph->first());
    return s->values[name] = b.constant(std::move(t), std::string(name));
  }
  return std::nullopt;
}

bool Importer::is_poisoned(const Scope& scope, std::string_view name) const {
  for (const Scope* s = &scope; s; s = s->outer)
    if (s->poisoned.count(name)) return true;
  return false;
}

std::optional<Importer::Meaning> Importer::resolve(const NodeProto& proto) {
  const std::string_view domain = canonical_domain(proto.domain);
  // What a program registers goes before a function of the file, which says the same for those that do not know it.
  if (!domain.empty())
    if (auto op = find_custom_op(cat(domain, ".", proto.op_type)); op && op->computes())
      return Meaning{nullptr, nullptr, 0, std::move(op)};
  if (const FunctionProto* function = find_function(proto)) return Meaning{function, nullptr, 0};
  const std::string where = describe_node(proto), spelled = cat(domain, domain.empty() ? "" : ".", proto.op_type);
  const OperatorRows* known = find_operator(domain, proto.op_type);
  if (!known) {
    note(ErrorCode::unknown_op, where, cat("unknown operator ", spelled, hint(proto)));
    return {};
  }
  const auto opset = body_.opsets->find(domain);
  if (opset == body_.opsets->end()) {
    note(ErrorCode::bad_graph, where,
         cat("operator ", spelled, " is of domain '", domain.empty() ? "ai.onnx" : domain,
             "', of which the model imports no opset"));
    return {};
  }
  for (const auto& r : known->rows)
    if (r.since <= opset->second) return Meaning{nullptr, &r, opset->second};
  note(ErrorCode::unknown_op, where,
       cat("there is no operator ", spelled, " in opset ", opset->second,
           ", which the model uses: it is known from opset ", known->rows.back().since, " on"));
  return {};
}

void Importer::survey(const NodeProto& proto) {
  for (const auto& a : proto.attribute) {
    if (!a.g) continue;
    for (const auto& n : a.g->node) {
      resolve(n);
      survey(n);
    }
  }
  const FunctionProto* f = find_function(proto);
  if (!f || active_.size() >= kMaxDepth || !surveyed_.insert(f).second) return;
  const Active active(active_, f);
  const Opsets opsets = opsets_in(*f);
  const Scoped body(body_, Body{&opsets, nullptr, f});
  for (const auto& n : f->node) {
    resolve(n);
    survey(n);
  }
}

void Importer::import_node(const NodeProto& proto, Scope& scope) {
  Budget::poll();
  const std::string where = describe_node(proto);
  auto poison = [&] {
    for (auto o : proto.output) scope.poisoned.insert(o);
  };
  const std::optional<Meaning> meaning = resolve(proto);
  if (!meaning) return poison();

  std::vector<Value*> inputs;
  for (auto name : proto.input) {
    if (name.empty()) {
      inputs.push_back(nullptr);
      continue;
    }
    if (is_poisoned(scope, name)) {
      survey(proto);
      return poison();
    }
    const std::optional<Value*> v = lookup(scope, name);
    if (!v)
      throw Error({ErrorCode::bad_graph,
                   cat("input '", name, "' is not defined: it is no input, no initialiser and no node's result"),
                   where,
                   {},
                   {}});
    inputs.push_back(*v);
  }

  Builder builder(*scope.graph);
  builder.set_location(where);
  NodeImport node(*this, proto, meaning->opset, builder, std::move(inputs));
  std::vector<Value*> results;
  try {
    const Scoped inside(scope_, &scope);
    if (meaning->registered) {
      results = call_registered(proto, *meaning->registered, node);
      node.check_all_read();
    } else if (meaning->function) {
      results = call_function(proto, *meaning->function, node);
    } else {
      results = meaning->row->import ? meaning->row->import(node) : node.regular(meaning->row->op);
      node.check_all_read();
    }
  } catch (const Poisoned&) {
    return poison();
  } catch (const Error& e) {
    if (e.code() == ErrorCode::unsupported || e.code() == ErrorCode::unknown_op) {
      note(e.code(), e.diagnostic().location.empty() ? where : e.diagnostic().location, e.diagnostic().message);
      return poison();
    }
    if (!e.diagnostic().location.empty()) throw;
    Diagnostic d = e.diagnostic();
    d.location = where;
    throw Error(std::move(d));
  }
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
  const auto visible = [&](std::string_view name) {
    for (const Scope* s = &scope; s; s = s->outer)
      if (s->values.count(name) || s->initializers.count(name) || s->sparse.count(name) || s->poisoned.count(name))
        return true;
    return false;
  };
  for (const NodeProto* n : node_order(nodes, visible)) import_node(*n, scope);
}

// Whether callers feed an input that has an initialiser.
bool Importer::overridden(std::string_view name) const {
  return model_.ir_version >= kOverridable && (options_.load.overridable || options_.load.overridden.count(name));
}

void Importer::fill_graph(const GraphProto& proto, Graph& graph, Scope& scope) {
  const auto once = [](bool fresh, std::string_view name) {
    if (!fresh) fail(ErrorCode::bad_graph, "initialiser '", name, "' is given twice");
  };
  const auto is_weight = [&](std::string_view name) {
    return scope.outer || !overridden(name) || !scope.values.count(name);
  };
  for (const auto& t : proto.initializer)
    if (is_weight(t.name)) once(scope.initializers.emplace(t.name, &t).second, t.name);
  for (const auto& t : proto.sparse_initializer) {
    const std::string_view name = t.values.name;
    if (is_weight(name)) once(!scope.initializers.count(name) && scope.sparse.emplace(name, &t).second, name);
  }
  import_nodes(proto.node, scope);
  for (const auto& info : proto.value_info) {
    const auto it = scope.values.find(info.name);
    if (it == scope.values.end() || !it->second || !it->second->type().is_tensor()) continue;
    if (!info.type || info.type->kind != TypeProto::Kind::tensor) continue;
    const auto declared = dtype_from_onnx(info.type->elem_type);
    if (declared && *declared != it->second->dtype())
      fail(ErrorCode::bad_type, "value '", info.name, "' is declared ", *declared, " but is ", it->second->type());
  }
  std::vector<Value*> outputs;
  graph.output_names.clear();
  for (const auto& o : proto.output) {
    graph.output_names.emplace_back(o.name);
    if (is_poisoned(scope, o.name)) {
      outputs.push_back(nullptr);
      continue;
    }
    Value* v = lookup(scope, o.name).value_or(nullptr);
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
  const Scoped deeper(depth_, depth_ + 1);
  reach(depth_);
  auto graph = std::make_unique<Graph>(*module_, std::string(proto.name));
  Scope inner;
  inner.outer = scope_;
  inner.graph = graph.get();
  for (size_t i = 0; i < proto.input.size(); ++i) {
    const auto& in = proto.input[i];
    if (!inner.values.emplace(in.name, graph->add_input(input_types[i], std::string(in.name))).second)
      fail(ErrorCode::bad_graph, "input '", in.name, "' of graph '", proto.name, "' is declared twice");
  }
  fill_graph(proto, *graph, inner);
  if (!findings_.empty()) throw Poisoned();
  return graph;
}

void Importer::check_given_initializers() const {
  for (const auto& [name, tensor] : options_.load.initializers) {
    const auto& own = model_.graph->initializer;
    const auto it =
        std::find_if(own.begin(), own.end(), [&, &wanted = name](const auto& t) { return t.name == wanted; });
    if (it == own.end()) fail(ErrorCode::bad_input, "the model has no initialiser '", name, "' to be replaced");
    if (tensor.extents() != it->dims || dtype_from_onnx(it->data_type) != tensor.dtype())
      fail(ErrorCode::bad_input, "initialiser '", name, "' is replaced by ", tensor.type(), ", which it is not");
  }
}

void Importer::reach(int depth) {
  if (depth > kMaxDepth) fail(ErrorCode::limit_nesting, "graphs are nested more than ", kMaxDepth, " deep");
  deepest_ = std::max(deepest_, depth);
}

std::unique_ptr<Module> Importer::run() {
  opsets_ = opsets_of(model_.opset_import, "the model");
  if (model_.opset_import.empty()) {
    if (model_.ir_version >= kOpsetsImported)
      fail(ErrorCode::bad_file, "the model imports no opset, which IR version ", model_.ir_version, " requires");
    opsets_[""] = 1;
  }
  body_ = {&opsets_, nullptr, nullptr};
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
  // ONNX Runtime's optimiser leaves its own operators in models without saying so.
  opsets_.emplace("com.microsoft", 1);

  Scope scope;
  scope.graph = &main;
  std::unordered_set<std::string_view> initialised;
  for (const auto& t : proto.initializer) initialised.insert(t.name);
  for (const auto& t : proto.sparse_initializer) initialised.insert(t.values.name);
  check_given_initializers();
  for (const auto& in : proto.input) {
    if (initialised.count(in.name)) {
      // A weight that may be overridden is a weight, unless it is.
      std::map<std::string, Tensor>* defaults = options_.load.overridable;
      if (!overridden(in.name)) continue;
      const auto it = std::find_if(proto.initializer.begin(), proto.initializer.end(),
                                   [&](const auto& t) { return t.name == in.name; });
      if (it == proto.initializer.end() && !options_.load.overridden.count(in.name)) continue;
      if (defaults && it != proto.initializer.end()) (*defaults)[std::string(in.name)] = to_tensor(*it, source_);
    }
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
                                     const std::string& name, const std::string& external_data_folder,
                                     const ImportOptions& options) {
  const Frame frame("model", name);
  ExternalData external(external_data_folder);
  for (const auto& [location, contents] : options.load.external_files) external.add(location, contents);
  const ModelProto model = parse_model(bytes, name);
  return Importer(model, {std::move(owner), &external, mapped}, options).run();
}

}  // namespace

std::unique_ptr<Module> import_bytes(const void* data, size_t size, std::shared_ptr<const void> owner,
                                     const std::string& name, const ImportOptions& options) {
  return import_model(Bytes(static_cast<const uint8_t*>(data), size), std::move(owner), nullptr, name,
                      options.load.external_data_folder, options);
}

std::unique_ptr<Module> import_file(const std::string& path, const ImportOptions& options) {
  auto file = MappedFile::open(path);
  const std::string folder =
      options.load.external_data_folder.empty() ? ExternalData::folder_of(path) : options.load.external_data_folder;
  return import_model(file->bytes(), file, file.get(), path, folder, options);
}

}  // namespace tc::onnx
