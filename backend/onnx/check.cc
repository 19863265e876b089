#include <onnx/checker.h>

#include <map>
#include <set>

#include "tc/backend/onnx/schema.h"
#include "tc/backend/onnx/write.h"
#include "tc/ir/custom_op.h"

namespace tc::onnx {
namespace {

// What the installed libonnx (1.12) knows.
constexpr int kLibraryOpset = 17, kLibraryIr = 8;

class Checker {
 public:
  explicit Checker(const ::onnx::ModelProto& model) : model_(model) {}

  void run() {
    for (const auto& f : model_.functions()) {
      require(functions_.emplace(std::pair(f.domain(), f.name()), &f).second, "function ", f.name(),
              " is defined twice");
      require(!has_schemas(f.domain()), "function ", f.name(), " takes the name of an operator");
    }
    opsets_ = opsets(model_.opset_import());
    graph(model_.graph(), nullptr);
    for (const auto& f : model_.functions()) {
      opsets_ = opsets(f.opset_import());
      Scope scope;
      for (const auto& name : f.input()) define(scope, name);
      for (const auto& n : f.node()) node(n, scope);
      for (const auto& name : f.output())
        require(scope.sees(name), "output '", name, "' of ", f.name(), " is not defined");
    }
  }

 private:
  struct Scope {
    const Scope* outer = nullptr;
    std::set<std::string> names;
    bool sees(const std::string& name) const { return names.count(name) || (outer && outer->sees(name)); }
  };

  template <class... Parts>
  static void require(bool holds, const Parts&... parts) {
    if (!holds) fail(ErrorCode::internal, "the exported model is malformed: ", parts...);
  }

  template <class List>
  static std::map<std::string, int64_t> opsets(const List& imports) {
    std::map<std::string, int64_t> result;
    for (const auto& o : imports)
      require(result.emplace(o.domain(), o.version()).second, "domain '", o.domain(), "' is imported twice");
    return result;
  }

  static void define(Scope& scope, const std::string& name) {
    require(!name.empty(), "a value has no name");
    require(!scope.sees(name), "'", name, "' is defined twice");
    scope.names.insert(name);
  }

  void graph(const ::onnx::GraphProto& g, const Scope* outer) {
    Scope scope{outer, {}};
    require(!g.name().empty(), "a graph has no name");
    for (const auto& v : g.input()) {
      define(scope, v.name());
      require(outer || v.has_type(), "input '", v.name(), "' has no type");
    }
    // Those of the main graph may have defaults.
    std::set<std::string> without_default;
    if (!outer) without_default = scope.names;
    for (const auto& t : g.initializer()) {
      if (!without_default.erase(t.name())) define(scope, t.name());
      tensor(t);
    }
    for (const auto& n : g.node()) node(n, scope);
    for (const auto& v : g.output()) {
      require(scope.names.count(v.name()), "output '", v.name(), "' is not defined in its graph");
      require(outer || v.has_type(), "output '", v.name(), "' has no type");
    }
    for (const auto& v : g.value_info())
      require(scope.names.count(v.name()), "'", v.name(), "' is typed but not defined");
  }

  void tensor(const ::onnx::TensorProto& t) {
    const auto dtype = dtype_from_onnx(t.data_type());
    require(dtype.has_value(), "tensor '", t.name(), "' has the element type ", t.data_type());
    require(storable(static_cast<int>(opsets_.at(""))).has(*dtype), "tensor '", t.name(), "' is of ", *dtype);
    const uint64_t count = static_cast<uint64_t>(element_count({t.dims().begin(), t.dims().end()}));
    if (*dtype == DType::str)
      return require(static_cast<uint64_t>(t.string_data_size()) == count, "strings of '", t.name(), "'");
    const uint64_t bytes = (count * static_cast<uint64_t>(info(*dtype).bits) + 7) / 8;
    if (t.data_location() == ::onnx::TensorProto::EXTERNAL) {
      for (const auto& e : t.external_data())
        if (e.key() == "length") require(e.value() == std::to_string(bytes), "length of '", t.name(), "'");
      return;
    }
    require(t.raw_data().size() == bytes, "tensor '", t.name(), "' has ", t.raw_data().size(), " bytes, not ", bytes);
  }

  void node(const ::onnx::NodeProto& n, Scope& scope) {
    const auto domain = opsets_.find(n.domain());
    require(domain != opsets_.end(), "domain '", n.domain(), "' of ", n.op_type(), " is not imported");
    for (const auto& name : n.input())
      require(name.empty() || scope.sees(name), "input '", name, "' of ", n.name(), " is not defined before it");
    if (const auto f = functions_.find({n.domain(), n.op_type()}); f != functions_.end()) {
      require(n.input_size() <= f->second->input_size() && n.output_size() <= f->second->output_size(), "call of ",
              n.op_type());
    } else if (has_schemas(n.domain())) {
      const Schema* schema = find_schema(n.domain(), n.op_type(), static_cast<int>(domain->second));
      require(schema, n.op_type(), " is not of opset ", domain->second);
      against(n, *schema);
    } else {
      require(n.domain() == "com.microsoft" || find_custom_op(cat(n.domain(), ".", n.op_type())), "operator ",
              n.op_type(), " of domain '", n.domain(), "'");
    }
    for (const auto& a : n.attribute())
      if (a.has_g()) graph(a.g(), &scope);
    for (const auto& name : n.output())
      if (!name.empty()) define(scope, name);
  }

  static void against(const ::onnx::NodeProto& n, const Schema& schema) {
    const auto side = [&](const auto& given, const auto& slots, auto&& slot_of, const char* what) {
      for (int i = 0; i < given.size(); ++i) require(slot_of(static_cast<size_t>(i)), what, " ", i, " of ", n.name());
      for (size_t i = 0; i < slots.size(); ++i) {
        const bool absent = static_cast<int>(i) >= given.size() || given[static_cast<int>(i)].empty();
        require(!absent || slots[i].optional || slots[i].variadic, what, " ", i, " of ", n.name(), " is missing");
      }
    };
    side(
        n.input(), schema.inputs, [&](size_t i) { return schema.input(i); }, "input");
    side(
        n.output(), schema.outputs, [&](size_t i) { return schema.output(i); }, "output");
    std::set<std::string> given;
    for (const auto& a : n.attribute()) {
      const SchemaAttribute* known = schema.attribute(a.name());
      require(known && given.insert(a.name()).second, "attribute '", a.name(), "' of ", n.name());
      require(kind_of(a.type()) == known->kind, "attribute '", a.name(), "' of ", n.name(), " is of kind ",
              kind_of(a.type()));
    }
    for (const SchemaAttribute& a : schema.attributes)
      require(!a.required || given.count(std::string(a.name)), n.name(), " lacks the attribute '", a.name, "'");
  }

  static std::string_view kind_of(::onnx::AttributeProto::AttributeType t) {
    using P = ::onnx::AttributeProto;
    switch (t) {
      case P::FLOAT:
        return "float";
      case P::INT:
        return "int";
      case P::STRING:
        return "string";
      case P::TENSOR:
        return "tensor";
      case P::GRAPH:
        return "graph";
      case P::FLOATS:
        return "floats";
      case P::INTS:
        return "ints";
      case P::STRINGS:
        return "strings";
      case P::TYPE_PROTO:
        return "type_proto";
      default:
        return "unknown";
    }
  }

  const ::onnx::ModelProto& model_;
  std::map<std::pair<std::string, std::string>, const ::onnx::FunctionProto*> functions_;
  std::map<std::string, int64_t> opsets_;
};

bool is_external(const ::onnx::GraphProto& g) {
  for (const auto& t : g.initializer())
    if (t.data_location() == ::onnx::TensorProto::EXTERNAL) return true;
  for (const auto& n : g.node())
    for (const auto& a : n.attribute())
      if (a.has_g() && is_external(a.g())) return true;
  return false;
}

bool lacks_shape(const ::onnx::ValueInfoProto& v) {
  return v.type().has_tensor_type() && !v.type().tensor_type().has_shape();
}

// The model with some rank for what has none.
::onnx::ModelProto with_ranks(::onnx::ModelProto model) {
  for (auto* list : {model.mutable_graph()->mutable_input(), model.mutable_graph()->mutable_output()})
    for (auto& v : *list)
      if (lacks_shape(v)) v.mutable_type()->mutable_tensor_type()->mutable_shape();
  return model;
}

}  // namespace

std::vector<std::string> values_without_rank(const ::onnx::ModelProto& model) {
  std::vector<std::string> names;
  for (const auto* list : {&model.graph().input(), &model.graph().output()})
    for (const auto& v : *list)
      if (lacks_shape(v)) names.push_back(v.name());
  return names;
}

void check_model(const ::onnx::ModelProto& model) {
  Checker(model).run();
  const bool known = model.ir_version() <= kLibraryIr && model.opset_import(0).version() <= kLibraryOpset;
  // It would look for external data beside the current folder.
  if (!known || is_external(model.graph())) return;
  try {
    ::onnx::checker::check_model(values_without_rank(model).empty() ? model : with_ranks(model));
  } catch (const std::runtime_error& e) {
    fail(ErrorCode::internal, "libonnx finds the exported model malformed: ", e.what());
  }
}

}  // namespace tc::onnx
