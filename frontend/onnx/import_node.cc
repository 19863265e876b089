#include <algorithm>

#include "tc/frontend/onnx/importer.h"

namespace tc::onnx {
namespace {

std::string_view kind_name(AttributeProto::Type t) {
  constexpr std::string_view kNames[] = {
      "undefined", "float",   "int",    "string",        "tensor",         "graph",      "floats",     "ints",
      "strings",   "tensors", "graphs", "sparse_tensor", "sparse_tensors", "type_proto", "type_protos"};
  const auto i = static_cast<size_t>(t);
  return i < std::size(kNames) ? kNames[i] : "unknown";
}

std::string lower(std::string_view s) {
  std::string r(s);
  for (char& c : r) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return r;
}

}  // namespace

std::string describe_node(const NodeProto& n) {
  if (!n.name.empty()) return std::string(n.name);
  for (auto o : n.output)
    if (!o.empty()) return cat(n.op_type, " producing '", o, "'");
  return std::string(n.op_type);
}

NodeImport::NodeImport(Importer& importer, const NodeProto& proto, int64_t opset, Builder& builder,
                       std::vector<Value*> inputs)
    : importer_(importer),
      proto_(proto),
      opset_(opset),
      builder_(builder),
      inputs_(std::move(inputs)),
      read_(proto.attribute.size()) {}

void NodeImport::fail_text(ErrorCode code, std::string text) const {
  throw Error({code, cat(proto_.op_type, ": ", text), describe_node(proto_), {}, {}});
}

void NodeImport::unsupported(const std::string& what) const {
  fail_text(ErrorCode::unsupported, what);
}

Value* NodeImport::required(int i) const {
  if (!has(i)) fail(ErrorCode::bad_graph, "input ", i, " is missing");
  return in(i);
}

const AttributeProto* NodeImport::attr(std::string_view name) {
  for (size_t i = 0; i < proto_.attribute.size(); ++i) {
    const AttributeProto& a = proto_.attribute[i];
    if (a.name != name) continue;
    read_[i] = true;
    return a.ref_attr_name.empty() ? &a : importer_.referred(a, *this);
  }
  return nullptr;
}

bool NodeImport::has_attr(std::string_view name) const {
  return const_cast<NodeImport*>(this)->attr(name) != nullptr;
}

#define TC_EXPECT_KIND(a, expected)                                                                              \
  if ((a).kind() != AttributeProto::expected)                                                                    \
  fail(ErrorCode::bad_attribute, "attribute '", name, "' must be of kind ", kind_name(AttributeProto::expected), \
       ", got ", kind_name((a).kind()))

int64_t NodeImport::int_attr(std::string_view name, int64_t fallback) {
  const AttributeProto* a = attr(name);
  if (!a) return fallback;
  TC_EXPECT_KIND(*a, kInt);
  return a->i.value_or(0);
}

double NodeImport::float_attr(std::string_view name, double fallback) {
  const AttributeProto* a = attr(name);
  if (!a) return fallback;
  TC_EXPECT_KIND(*a, kFloat);
  return static_cast<double>(a->f.value_or(0));
}

std::string NodeImport::string_attr(std::string_view name, std::string_view fallback) {
  const AttributeProto* a = attr(name);
  if (!a) return std::string(fallback);
  TC_EXPECT_KIND(*a, kString);
  return std::string(a->s.value_or(""));
}

std::optional<std::vector<int64_t>> NodeImport::ints_attr(std::string_view name) {
  const AttributeProto* a = attr(name);
  if (!a) return std::nullopt;
  // An empty list may come without any value, and then looks like a kind of its own.
  if (a->type != AttributeProto::kInts) TC_EXPECT_KIND(*a, kInts);
  return a->ints;
}

std::optional<std::vector<double>> NodeImport::floats_attr(std::string_view name) {
  const AttributeProto* a = attr(name);
  if (!a) return std::nullopt;
  if (a->type != AttributeProto::kFloats) TC_EXPECT_KIND(*a, kFloats);
  return std::vector<double>(a->floats.begin(), a->floats.end());
}

std::optional<std::vector<std::string>> NodeImport::strings_attr(std::string_view name) {
  const AttributeProto* a = attr(name);
  if (!a) return std::nullopt;
  if (a->type != AttributeProto::kStrings) TC_EXPECT_KIND(*a, kStrings);
  return std::vector<std::string>(a->strings.begin(), a->strings.end());
}

std::optional<Tensor> NodeImport::tensor_attr(std::string_view name) {
  const AttributeProto* a = attr(name);
  if (!a) return std::nullopt;
  if (a->kind() == AttributeProto::kSparseTensor && a->sparse_tensor)
    return to_tensor(*a->sparse_tensor, importer_.source_);
  TC_EXPECT_KIND(*a, kTensor);
  if (!a->t) fail(ErrorCode::bad_attribute, "attribute '", name, "' holds no tensor");
  return to_tensor(*a->t, importer_.source_);
}

std::unique_ptr<Graph> NodeImport::region(std::string_view name, const std::vector<Type>& input_types) {
  const AttributeProto* a = attr(name);
  if (!a || !a->g) fail(ErrorCode::bad_attribute, "attribute '", name, "' must hold a graph");
  if (a->g->input.size() != input_types.size())
    fail(ErrorCode::bad_graph, "the graph in attribute '", name, "' has ", a->g->input.size(), " inputs, expected ",
         input_types.size());
  return importer_.import_region(*a->g, input_types);
}

std::vector<Type> NodeImport::region_input_types(std::string_view name) {
  const AttributeProto* a = attr(name);
  if (!a || !a->g) fail(ErrorCode::bad_attribute, "attribute '", name, "' must hold a graph");
  std::vector<Type> types;
  for (const auto& in : a->g->input) types.push_back(in.type ? importer_.type_of(*in.type, in.name) : Type());
  return types;
}

Value* NodeImport::visible(std::string_view name) const {
  if (importer_.is_poisoned(*importer_.scope_, name)) throw Importer::Poisoned();
  Value* v = importer_.lookup(*importer_.scope_, name).value_or(nullptr);
  if (!v) fail(ErrorCode::bad_graph, "'", name, "' is not defined before this node");
  return v;
}

const Differentiate& NodeImport::differentiate() const {
  return importer_.options_.differentiate;
}

void NodeImport::read_attrs(const OpInfo& op, void* attrs) {
  for (size_t i = 0; i < op.attrs.fields.size(); ++i) {
    const FieldInfo& f = op.attrs.fields[i];
    if (f.onnx == "-") continue;
    const std::string_view name = f.onnx;
    const AttributeProto* a = attr(name);
    if (!a) {
      if (f.required) fail(ErrorCode::bad_attribute, "attribute '", name, "' is missing");
      continue;
    }
    AttrValue v;
    switch (f.kind) {
      case AttrKind::boolean: {
        const int64_t i64 = int_attr(name, 0);
        v = i64 != 0;
        break;
      }
      case AttrKind::integer:
        v = int_attr(name, 0);
        break;
      case AttrKind::real:
        v = float_attr(name, 0);
        break;
      case AttrKind::text:
        v = string_attr(name, "");
        break;
      case AttrKind::integers:
        v = *ints_attr(name);
        break;
      case AttrKind::reals:
        v = *floats_attr(name);
        break;
      case AttrKind::texts:
        v = *strings_attr(name);
        break;
      case AttrKind::tensor:
        v = *tensor_attr(name);
        break;
      case AttrKind::dtype: {
        const int64_t code = int_attr(name, 0);
        if (code == 0 && f.optional) continue;  // UNDEFINED
        const auto t = dtype_from_onnx(code);
        if (!t) fail(ErrorCode::bad_attribute, "attribute '", name, "' names the unknown element type ", code);
        v = *t;
        break;
      }
      case AttrKind::type:
        TC_EXPECT_KIND(*a, kTypeProto);
        if (!a->tp) fail(ErrorCode::bad_attribute, "attribute '", name, "' holds no type");
        v = importer_.type_of(*a->tp, name);
        break;
      case AttrKind::enumeration: {
        std::string text = string_attr(name, "");
        for (std::string_view e : f.enumerators)
          if (lower(e) == lower(text)) text = e;
        v = std::move(text);
        break;
      }
      case AttrKind::dims:
        fail(ErrorCode::bad_attribute, "attribute '", name, "' has no ONNX form");
    }
    try {
      op.attrs.set(attrs, i, v);
    } catch (const Error& e) {
      fail(e.code(), e.diagnostic().message);
    }
  }
}

std::vector<Value*> NodeImport::regular(OpId op) {
  auto attrs = info(op).attrs.make();
  read_attrs(info(op), attrs.get());
  int results = num_outputs();
  while (results > 1 && !has_output(results - 1)) --results;
  Node* n = builder_.node(op, inputs_, std::move(attrs), results);
  std::vector<Value*> values;
  for (int j = 0; j < results; ++j) values.push_back(n->result(j));
  return values;
}

Value* NodeImport::ints_as_input(std::string_view name) {
  const auto v = ints_attr(name);
  return v ? builder_.ints(*v) : nullptr;
}

void NodeImport::check_all_read() const {
  const auto& all = proto_.attribute;
  for (size_t i = 0; i < read_.size(); ++i) {
    if (read_[i]) continue;
    const auto same = [&](const AttributeProto& a) { return a.name == all[i].name; };
    if (std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i), same))
      fail(ErrorCode::bad_attribute, "attribute '", all[i].name, "' is given twice");
    fail(ErrorCode::bad_attribute, "unknown attribute '", all[i].name, "' in opset ", opset_);
  }
}

#undef TC_EXPECT_KIND

Value* cast(NodeImport& n, Value* v, DType t) {
  return v->dtype() == t ? v : n.b().make<Cast>({v}, {t});
}

std::vector<Value*> results_of(Node* n) {
  std::vector<Value*> results;
  for (int j = 0; j < n->num_results(); ++j) results.push_back(n->result(j));
  return results;
}

}  // namespace tc::onnx
