#include <algorithm>
#include <map>

#include "tc/backend/onnx/export_rows.h"
#include "tc/backend/onnx/reals.h"

namespace tc::onnx {
namespace {

std::string spelled(std::string_view domain, std::string_view name) {
  return domain.empty() ? std::string(name) : cat(domain, ".", name);
}

// The first opset of the domain, among those of the table, at which `has` holds.
template <class F>
int first_version(std::string_view domain, std::string_view name, F&& has) {
  for (const Schema& s : schemas_of(domain, name))
    if (has(s)) return s.since;
  return 0;
}

AttrValue onnx_value(const FieldInfo& f, AttrValue v) {
  if (const auto* flag = std::get_if<bool>(&v)) return int64_t{*flag};
  if (const auto* t = std::get_if<DType>(&v)) return int64_t{info(*t).onnx};
  if (f.kind == AttrKind::dims) throw Refusal{cat("attribute '", f.name, "' has no ONNX form")};
  return v;
}

bool empty_list(const AttrValue& v) {
  return std::visit(
      []<class T>(const T& list) {
        if constexpr (std::is_same_v<T, std::vector<int64_t>> || std::is_same_v<T, std::vector<double>> ||
                      std::is_same_v<T, std::vector<std::string>>)
          return list.empty();
        return false;
      },
      v);
}

bool is_default(const AttrValue& v, const AttrValue& fallback) {
  const auto* a = std::get_if<double>(&v);
  const auto* b = std::get_if<double>(&fallback);
  if (a && b) return static_cast<float>(*a) == static_cast<float>(*b);
  return equal(v, fallback);
}

// Problems of one side, inputs or outputs. `bound` has the element type that a variable took.
std::optional<NodeProblem> side_problem(const OnnxNode& node, const Dialect& dialect, bool inputs,
                                        std::map<int, const Value*>& bound) {
  const Schema& schema = *node.schema;
  const auto& values = inputs ? node.inputs : node.outputs;
  const auto& slots = inputs ? schema.inputs : schema.outputs;
  const char* side = inputs ? "input" : "output";
  size_t needed = 0;
  for (size_t i = 0; i < slots.size(); ++i)
    if (!slots[i].optional && !slots[i].variadic) needed = i + 1;
  for (size_t i = 0; i < std::max(values.size(), needed); ++i) {
    const SchemaSlot* slot = inputs ? schema.input(i) : schema.output(i);
    const Value* v = i < values.size() ? values[i] : nullptr;
    if (!slot) {
      if (!v) continue;
      return NodeProblem{cat(schema.name, " of opset ", dialect.opset, " has no ", side, " ", i), nullptr};
    }
    if (!v) {
      // An unused result needs no name: outputs may be absent wherever they come last or are optional.
      if (slot->optional || slot->variadic || !inputs) continue;
      return NodeProblem{cat(side, " ", i, " of ", schema.name, " is missing"), nullptr};
    }
    const Type& type = v->type();
    if (!schema.types(*slot).accepts(type))
      return NodeProblem{cat(schema.name, " of opset ", dialect.opset, " does not ", inputs ? "take " : "give ",
                             type.is_tensor() ? std::string(name(type.dtype())) : type.str()),
                         v};
    if (slot->variable < 0 || !type.is_tensor()) continue;
    const auto variable = schema.variables[static_cast<size_t>(slot->variable)].first;
    if (dialect.ort() && !has_ort_kernel(schema, variable, type.dtype()))
      return NodeProblem{cat("ONNX Runtime has no kernel for ", schema.name, " of ", type.dtype()), v};
    if (schema.heterogeneous()) continue;
    const auto [it, fresh] = bound.emplace(slot->variable, v);
    if (!fresh && it->second->type().is_tensor() && it->second->dtype() != type.dtype())
      return NodeProblem{cat(schema.name, " of opset ", dialect.opset, " wants one type for ", it->second->dtype(),
                             " and ", type.dtype()),
                         v};
  }
  return std::nullopt;
}

}  // namespace

OnnxNode& NodeExport::operator_named(std::string_view name, std::string_view domain) {
  const int version = dialect_.version_of(domain);
  if (version == 0 && domain == "com.microsoft") refuse(spelled(domain, name), " is not of the ONNX standard");
  if (version == 0) refuse(spelled(domain, name), " is newer than opset ", kMaxExportOpset);
  out_.domain = domain, out_.name = name;
  out_.schema = dialect_.find(domain, name);
  if (!out_.schema && has_schemas(domain)) {
    const int since = first_version(domain, name, [](auto&) { return true; });
    if (since)
      refuse(spelled(domain, name), " exists from opset ", since, " on");
    else
      refuse(spelled(domain, name), " is newer than opset ", kMaxExportOpset);
  }
  for (int i = 0; i < node_.num_operands(); ++i) out_.inputs.push_back(node_.operand(i));
  for (int j = 0; j < node_.num_results(); ++j) out_.outputs.push_back(node_.result(j));
  if (node_.num_regions() == 1 && out_.schema)
    if (const SchemaAttribute* a = out_.schema->graph_attribute())
      out_.attributes.push_back({a->name, {}, &node_.region(0)});
  return out_;
}

void NodeExport::set(std::string_view attribute, AttrValue value) {
  ignore(attribute);
  std::erase_if(out_.attributes, [&](const auto& a) { return a.name == attribute; });
  out_.attributes.push_back({attribute, std::move(value), nullptr});
}

OnnxNode& NodeExport::regular() {
  const OpInfo& op = node_.info();
  const OnnxName& onnx = op.facts->onnx;
  if (onnx.name.empty()) refuse("ONNX has no operator for ", op.name());
  std::vector<OnnxAttribute> set_before = std::move(out_.attributes);
  out_ = {};
  operator_named(onnx.name, onnx.domain);
  for (auto& a : set_before) out_.attributes.push_back(std::move(a));
  set_fields(op);
  return out_;
}

void NodeExport::set_fields(const OpInfo& op) {
  const auto defaults = op.attrs.make();
  for (size_t i = 0; i < op.attrs.fields.size(); ++i) {
    const FieldInfo& f = op.attrs.fields[i];
    if (std::find(ignored_.begin(), ignored_.end(), f.onnx) != ignored_.end()) continue;
    AttrValue v = op.attrs.get(node_.raw_attrs().get(), i);
    if (std::holds_alternative<std::monostate>(v)) continue;
    if (f.onnx == "-") {
      if (!equal(v, op.attrs.get(defaults.get(), i))) refuse("ONNX has no '", f.name, "' for ", op.name());
      continue;
    }
    const SchemaAttribute* known = out_.schema ? out_.schema->attribute(f.onnx) : nullptr;
    if (out_.schema && !known) {
      if (equal(v, op.attrs.get(defaults.get(), i))) continue;
      const int since = first_version(out_.domain, out_.name, [&](const Schema& s) { return s.attribute(f.onnx); });
      if (since)
        refuse("attribute '", f.onnx, "' of ", out_.name, " exists from opset ", since, " on");
      else
        refuse(out_.name, " of opset ", dialect_.opset, " has no attribute '", f.onnx, "'");
    }
    v = onnx_value(f, std::move(v));
    const bool required = known ? known->required : f.required;
    if (!required && known && is_default(v, known->fallback)) continue;
    // An empty list of strings stands for the default, which ONNX may spell out.
    const bool names = std::holds_alternative<std::vector<std::string>>(v);
    if (!required && empty_list(v) && (!known || names || std::holds_alternative<std::monostate>(known->fallback)))
      continue;
    out_.attributes.push_back({f.onnx, std::move(v), nullptr});
  }
}

std::vector<int64_t> NodeExport::known_ints(int i) const {
  const Value* v = node_.operand(i);
  if (const Tensor* t = v->constant()) return to_i64(*t);
  std::vector<int64_t> list;
  if (!v->contents())
    refuse(node_.info().facts->signature.operand(i).name, " of ",
           out_.name.empty() ? node_.info().facts->onnx.name : out_.name, " must be constant in opset ",
           dialect_.opset);
  for (const Dim& d : *v->contents()) {
    if (!d.is_const())
      refuse(node_.info().facts->signature.operand(i).name, " of ", node_.info().facts->onnx.name,
             " must be constant in opset ", dialect_.opset);
    list.push_back(d.value());
  }
  return list;
}

std::vector<Value*> Lowering::again(std::vector<Value*> operands, std::shared_ptr<const void> attrs) {
  Node* n = b.node(node_.op(), operands, attrs ? std::move(attrs) : node_.raw_attrs(), node_.num_results());
  std::vector<Value*> results;
  for (int j = 0; j < n->num_results(); ++j) results.push_back(n->result(j));
  return results;
}

Value* Lowering::settled(Value* v) {
  if (!v->contents() || !v->def() || v->def_as<Constant>()) return v;
  std::vector<int64_t> list;
  for (const Dim& d : *v->contents()) {
    if (!d.is_const()) return v;
    list.push_back(d.value());
  }
  if (v->dtype() != DType::i64 || !v->shape().ranked()) return v;
  return v->shape().rank() == 0 ? b.scalar(list.at(0)) : b.ints(list);
}

Value* Lowering::extent(Value* x, int axis) {
  return settled(b.make<Gather>({b.make<ShapeOf>({x}), b.scalar<int64_t>(axis)}));
}

int Lowering::rank(int i) const {
  const Value* v = node_.operand(i);
  if (!v->type().is_tensor() || !v->shape().ranked())
    refuse("the rank of ", node_.info().name(), "'s operand is not known");
  return v->shape().rank();
}

const ExportRow* find_row(OpId op, int opset) {
  static const std::map<OpId, ExportRows> table = [] {
    ExportRows rows;
#define TC_FAMILY(name) rows_export_##name(rows);
    TC_EXPORT_FAMILIES(TC_FAMILY)
#undef TC_FAMILY
    std::map<OpId, ExportRows> result;
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.since < b.since; });
    for (const ExportRow& r : rows) result[r.op].push_back(r);
    return result;
  }();
  const auto rows = table.find(op);
  const ExportRow* found = nullptr;
  if (rows != table.end())
    for (const ExportRow& r : rows->second)
      if (r.since <= opset) found = &r;
  return found;
}

OnnxNode write_node(const Node& node, const Dialect& dialect) {
  NodeExport n(node, dialect);
  const ExportRow* row = find_row(node.op(), dialect.opset);
  if (row && row->write)
    row->write(n);
  else
    n.regular();
  OnnxNode out = n.take();
  while (!out.inputs.empty() && !out.inputs.back()) out.inputs.pop_back();
  // Optional results that nobody uses are not asked for.
  for (size_t j = 0; out.schema && j < out.outputs.size(); ++j)
    if (const SchemaSlot* slot = out.schema->output(j);
        slot && slot->optional && out.outputs[j] && out.outputs[j]->unused())
      out.outputs[j] = nullptr;
  while (!out.outputs.empty() && !out.outputs.back()) out.outputs.pop_back();
  return out;
}

std::optional<NodeProblem> find_problem(const OnnxNode& node, const Dialect& dialect) {
  if (!node.schema) return std::nullopt;
  const Schema& schema = *node.schema;
  if (dialect.ort() && !has_ort_kernel(schema))
    return NodeProblem{cat("ONNX Runtime has no kernel for ", schema.name), nullptr};
  for (const SchemaAttribute& a : schema.attributes) {
    const bool given =
        std::any_of(node.attributes.begin(), node.attributes.end(), [&](auto& g) { return g.name == a.name; });
    if (a.required && !given) return NodeProblem{cat(schema.name, " needs the attribute '", a.name, "'"), nullptr};
  }
  std::map<int, const Value*> bound;
  if (auto problem = side_problem(node, dialect, true, bound)) return problem;
  if (auto problem = side_problem(node, dialect, false, bound)) return problem;
  if (auto reason = unstorable_real(node)) return NodeProblem{*reason, nullptr};
  return std::nullopt;
}

}  // namespace tc::onnx
