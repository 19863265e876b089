// Local functions. One IR function is made per signature of a call: the function, the values of its attributes, which
// of its inputs are there, and their types.
//
// Meaning: https://github.com/onnx/onnx/blob/main/docs/IR.md#functions
#include <algorithm>
#include <bit>

#include "tc/frontend/onnx/importer.h"
#include "tc/ir/library.h"

namespace tc::onnx {
namespace {

// Of all instances together, each counting for so many more: attributes that each call chooses anew make instances
// grow exponentially with nesting.
constexpr size_t kMaxInstanceNodes = size_t{1} << 18, kNodesPerInstance = 32;

std::string spell(std::string_view domain, std::string_view name, std::string_view overload) {
  return cat(domain, domain.empty() ? "" : ".", name, overload.empty() ? "" : ":", overload);
}

// Equal for equal values of the simple kinds, and for one value of the others.
std::string value_key(const AttributeProto& a) {
  std::string key = cat(a.kind(), ":");
  const auto list = [&](const auto& values) {
    for (const auto& v : values) key += cat(v, ",");
    return key;
  };
  switch (a.kind()) {
    case AttributeProto::kFloat:
      return cat(key, std::bit_cast<uint32_t>(a.f.value_or(0)));
    case AttributeProto::kInt:
      return cat(key, a.i.value_or(0));
    case AttributeProto::kString:
      return cat(key, a.s.value_or("").size(), ":", a.s.value_or(""));
    case AttributeProto::kInts:
      return list(a.ints);
    default:
      return cat(key, static_cast<const void*>(&a));
  }
}

}  // namespace

void Importer::index_functions() {
  for (const FunctionProto& f : model_.functions)
    if (!functions_.emplace(std::tuple(canonical_domain(f.domain), f.name, f.overload), &f).second)
      fail(ErrorCode::bad_graph, "function ", spell(f.domain, f.name, f.overload), " is defined twice");
}

Importer::Opsets Importer::opsets_in(const FunctionProto& f) {
  Opsets opsets = opsets_of(f.opset_import, cat("function ", spell(f.domain, f.name, f.overload)));
  for (const auto& [domain, version] : opsets_) opsets.emplace(domain, version);  // for the model's own functions
  return opsets;
}

const FunctionProto* Importer::find_function(const NodeProto& n) const {
  const auto it = functions_.find({canonical_domain(n.domain), n.op_type, n.overload});
  return it == functions_.end() ? nullptr : it->second;
}

std::string Importer::hint(const NodeProto& proto) const {
  const std::string_view domain = canonical_domain(proto.domain);
  auto operators = known_operators();
  for (const auto& [key, f] : functions_) {
    if (std::get<0>(key) == domain && f->name == proto.op_type)
      return cat(": the model defines that function, but not its overload '", proto.overload, "'");
    operators.push_back({std::string(std::get<0>(key)), std::string(f->name), 1});
  }
  // The same name elsewhere is nearer than a similar one in this domain, and that nearer than a similar one elsewhere.
  std::vector<std::string_view> domains, here, anywhere, with_that_name;
  for (const auto& o : operators) {
    domains.push_back(o.domain);
    anywhere.push_back(o.name);
    if (o.domain == domain) here.push_back(o.name);
    if (o.name == proto.op_type) with_that_name.push_back(o.domain);
  }
  const bool known_domain = !here.empty();
  const std::string lead = known_domain ? "" : cat(" of the unknown domain '", domain, "'");
  const auto meant = [&](std::string_view in, std::string_view name) {
    const std::string_view shown = in.empty() && !domain.empty() ? "ai.onnx" : in;
    return cat(lead, " (did you mean ", shown, shown.empty() ? "" : ".", name, "?)");
  };
  if (!with_that_name.empty()) {
    const std::string in = nearest(domain, with_that_name);
    return meant(in.empty() ? with_that_name[0] : std::string_view(in), proto.op_type);
  }
  if (const std::string near = nearest(proto.op_type, here); !near.empty()) return meant(domain, near);
  const std::string near = nearest(proto.op_type, anywhere);
  for (const auto& o : operators)
    if (!near.empty() && o.name == near) return meant(o.domain, near);
  const std::string near_domain = known_domain ? "" : nearest(domain, domains);
  return near_domain.empty() ? lead : cat(lead, " (did you mean '", near_domain, "'?)");
}

const AttributeProto* Importer::referred(const AttributeProto& a, const NodeImport& node) const {
  if (!body_.function)
    node.fail(ErrorCode::bad_attribute, "attribute '", a.name, "' refers to '", a.ref_attr_name,
              "' of the enclosing function, but lies in none");
  if (const auto it = body_.attrs->find(a.ref_attr_name); it != body_.attrs->end()) return it->second;
  const FunctionProto& f = *body_.function;
  if (std::find(f.attribute.begin(), f.attribute.end(), a.ref_attr_name) == f.attribute.end())
    node.fail(ErrorCode::bad_attribute, "attribute '", a.name, "' refers to '", a.ref_attr_name,
              "', which is no attribute of function ", spell(f.domain, f.name, f.overload));
  return nullptr;  // then the attribute is absent, and the operator's default holds
}

// The attributes of the instance: those of the call, then the declared defaults.
Importer::AttrEnv Importer::bind_attributes(const NodeProto& proto, const FunctionProto& f, NodeImport& node) const {
  std::vector<std::string_view> declared = f.attribute;
  for (const auto& d : f.attribute_proto) declared.push_back(d.name);
  AttrEnv env;
  for (const auto& a : proto.attribute) {
    if (std::find(declared.begin(), declared.end(), a.name) == declared.end()) {
      const std::string near = nearest(a.name, declared);
      node.fail(ErrorCode::bad_attribute, "function ", spell(f.domain, f.name, f.overload), " has no attribute '",
                a.name, "'", near.empty() ? "" : cat(" (did you mean ", near, "?)"));
    }
    if (const AttributeProto* value = node.attr(a.name)) env[a.name] = value;
  }
  for (const auto& d : f.attribute_proto) env.emplace(d.name, &d);
  return env;
}

std::vector<Value*> Importer::call_function(const NodeProto& proto, const FunctionProto& f, NodeImport& node) {
  const std::string spelled = spell(f.domain, f.name, f.overload);
  if (std::find(active_.begin(), active_.end(), &f) != active_.end())
    node.fail(ErrorCode::bad_graph, "function ", spelled, " calls itself");
  if (active_.size() >= kMaxDepth)
    node.fail(ErrorCode::limit_nesting, "functions call each other more than ", kMaxDepth, " deep");
  const auto check_count = [&](const char* what, size_t got, size_t most) {
    if (got > most)
      node.fail(ErrorCode::bad_graph, "function ", spelled, " has ", most, " ", what, most == 1 ? "" : "s",
                ", the call has ", got);
  };
  check_count("input", proto.input.size(), f.input.size());
  check_count("output", proto.output.size(), f.output.size());

  const AttrEnv env = bind_attributes(proto, f, node);
  std::string signature = cat(static_cast<const void*>(&f));
  const std::map<std::string_view, const AttributeProto*> ordered(env.begin(), env.end());
  for (const auto& [name, value] : ordered) signature += cat(" ", name, "=", value_key(*value));
  std::vector<Value*> arguments;
  for (int i = 0; i < static_cast<int>(f.input.size()); ++i) {
    signature += cat(" ", node.has(i) ? node.in(i)->type().str() : "none");
    if (node.has(i)) arguments.push_back(node.in(i));
  }
  auto instance = instances_.find(signature);
  if (instance == instances_.end())
    instance = instances_.emplace(signature, instantiate(f, spelled, env, node)).first;
  else
    reach(depth_ + instance->second.height);
  if (!findings_.empty()) throw Poisoned();
  Node* call = node.b().make_n<Call>(std::move(arguments), {instance->second.name}, node.num_outputs());
  std::vector<Value*> results;
  for (int j = 0; j < call->num_results(); ++j) results.push_back(call->result(j));
  return results;
}

// Attributes follow the inputs as constants.
std::vector<Value*> Importer::call_registered(const NodeProto& proto, const CustomOp& op, NodeImport& node) {
  std::vector<Value*> arguments;
  for (int i = 0; i < static_cast<int>(proto.input.size()); ++i) arguments.push_back(node.required(i));
  const auto list = [](const auto& v) { return Tensor::of({static_cast<int64_t>(v.size())}, v); };
  const auto value = [&](const std::string& name) -> std::optional<Tensor> {
    const AttributeProto* a = node.attr(name);
    if (!a) return std::nullopt;
    switch (a->kind()) {
      case AttributeProto::kInt:
        return Tensor::scalar<int64_t>(node.int_attr(name, 0));
      case AttributeProto::kFloat:
        return Tensor::scalar<float>(static_cast<float>(node.float_attr(name, 0)));
      case AttributeProto::kString:
        return Tensor::scalar<std::string>(node.string_attr(name, ""));
      case AttributeProto::kInts:
        return list(node.ints_attr(name).value());
      case AttributeProto::kFloats: {
        const auto v = node.floats_attr(name).value();
        return list(std::vector<float>(v.begin(), v.end()));
      }
      case AttributeProto::kStrings:
        return list(node.strings_attr(name).value());
      default:
        return node.tensor_attr(name);
    }
  };
  for (const auto& [name, fallback] : op.attributes) {
    const Tensor t = value(name).value_or(fallback);
    if (!t.defined()) node.fail(ErrorCode::bad_attribute, "attribute '", name, "' is missing");
    arguments.push_back(node.b().constant(t));
  }
  Node* call = node.b().make_n<Call>(std::move(arguments), {op.full_name()}, node.num_outputs());
  std::vector<Value*> results;
  for (int j = 0; j < call->num_results(); ++j) results.push_back(call->result(j));
  return results;
}

Importer::Instance Importer::instantiate(const FunctionProto& f, const std::string& spelled, const AttrEnv& env,
                                         NodeImport& node) {
  instance_nodes_ += f.node.size() + kNodesPerInstance;
  if (instance_nodes_ > kMaxInstanceNodes)
    node.fail(ErrorCode::limit_size, "the instances of the model's functions have more than ", kMaxInstanceNodes,
              " nodes");
  const Frame frame("function", spelled);
  const Opsets opsets = opsets_in(f);
  // The library's names mean what it says.
  const std::string name = library_function(spelled).empty() ? spelled : cat("file.", spelled);
  Instance instance{name};
  for (size_t n = instances_.size(); module_->find_function(instance.name); ++n) instance.name = cat(name, "$", n);
  Graph& graph = module_->add_function(instance.name);

  const Active active(active_, &f);
  const Scoped body(body_, Body{&opsets, &env, &f});
  const int outer_deepest = std::exchange(deepest_, depth_);

  // Inputs that the call leaves out are names without a value.
  Scope scope;
  scope.graph = &graph;
  for (size_t i = 0; i < f.input.size(); ++i) {
    const Value* argument = node.in(static_cast<int>(i));
    Value* v = argument ? graph.add_input(argument->type(), std::string(f.input[i])) : nullptr;
    if (!scope.values.emplace(f.input[i], v).second)
      node.fail(ErrorCode::bad_graph, "input '", f.input[i], "' of function ", spelled, " is declared twice");
  }
  import_nodes(f.node, scope);
  std::vector<Value*> outputs;
  for (auto o : f.output) {
    graph.output_names.emplace_back(o);
    const auto v = is_poisoned(scope, o) ? std::optional<Value*>(nullptr) : lookup(scope, o);
    if (!v) node.fail(ErrorCode::bad_graph, "output '", o, "' of function ", spelled, " is not defined");
    if (!*v && findings_.empty())
      node.fail(ErrorCode::bad_graph, "output '", o, "' of function ", spelled,
                " is an input that this call leaves out");
    outputs.push_back(*v);
  }
  if (findings_.empty()) graph.set_outputs(outputs);
  instance.height = deepest_ - depth_;
  deepest_ = std::max(deepest_, outer_deepest);
  return instance;
}

}  // namespace tc::onnx
