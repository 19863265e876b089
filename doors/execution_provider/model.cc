#include "tc/doors/execution_provider/model.h"

#include <cstring>
#include <set>

#include "tc/frontend/onnx/model_writer.h"

namespace tc::provider {
namespace {

namespace w = model_writer;

// OrtOpAttrType.
enum AttributeType : int {
  kInt = 1,
  kInts = 2,
  kFloat = 3,
  kFloats = 4,
  kString = 5,
  kStrings = 6,
  kGraphType = 7,
  kTensorType = 8
};

int code_of(DType t) {
  return tc::info(t).onnx;
}

// The bytes of an attribute's value; how many is told by a call that has no room for them.
std::string bytes_of(const void* attribute, int type) {
  size_t size = 0;
  if (Status* s = call<Status*>(kReadOpAttr, attribute, type, static_cast<void*>(nullptr), size_t{0}, &size))
    call<void>(kReleaseStatus, s);
  std::string bytes(size, '\0');
  if (size) ok(kReadOpAttr, attribute, type, static_cast<void*>(bytes.data()), size, &size);
  return bytes;
}
template <class T>
std::vector<T> numbers_of(const void* attribute, int type) {
  const std::string bytes = bytes_of(attribute, type);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}
// Each ends with a zero.
std::vector<std::string> strings_of(const void* attribute) {
  std::vector<std::string> all;
  const std::string bytes = bytes_of(attribute, kStrings);
  for (size_t at = 0; at < bytes.size(); at += all.back().size() + 1) all.emplace_back(bytes.c_str() + at);
  return all;
}

std::string tensor_bytes(const std::string& name, const Tensor& t) {
  std::string out;
  for (const int64_t e : t.extents()) out += w::scalar(1, static_cast<uint64_t>(e));
  out += w::scalar(2, static_cast<uint64_t>(code_of(t.dtype()))) + w::field(8, name);
  if (t.dtype() == DType::str) return out + w::each(6, t.to_vector<std::string>());
  if (dtypes::sub_byte.has(t.dtype())) {
    // As numbers of 32 bits, which hold one byte of packed elements each.
    const int bits = tc::info(t.dtype()).bits, per_byte = 8 / bits;
    std::string packed(
        (static_cast<size_t>(t.size()) + static_cast<size_t>(per_byte) - 1) / static_cast<size_t>(per_byte), '\0');
    const auto* in = static_cast<const uint8_t*>(t.data());
    for (int64_t i = 0; i < t.size(); ++i) {
      char& byte = packed[static_cast<size_t>(i / per_byte)];
      byte = static_cast<char>(byte | (in[i] & ((1 << bits) - 1)) << (i % per_byte * bits));
    }
    return out + w::field(9, packed);
  }
  return out + w::field(9, std::string(static_cast<const char*>(t.data()), t.bytes()));
}

class Writer {
 public:
  explicit Writer(Model& model) : model_(model) {}

  // An initialiser of the main graph is a name, type and extents; its elements go beside the bytes.
  std::string initializer(const void* value_info, bool main) {
    const std::string name = name_of(value_info);
    const Tensor t = view_of(get<const void*>(kValueInfo_GetInitializerValue, value_info));
    if (!main) return tensor_bytes(name, t);
    std::string out;
    for (const int64_t e : t.extents()) out += w::scalar(1, static_cast<uint64_t>(e));
    model_.initializers.emplace(name, t);
    return out + w::scalar(2, static_cast<uint64_t>(code_of(t.dtype()))) + w::field(8, name);
  }

  std::string type(const void* info) {
    if (!info || !is_tensor(info)) fail(ErrorCode::unsupported, "a value that is no tensor");
    const void* tensor = get<const void*>(kCastTypeInfoToTensorInfo, info);
    const int code = get<int>(kGetTensorElementType, tensor);
    const auto dtype = dtype_from_onnx(code);
    if (!dtype) fail(ErrorCode::unsupported, "element type ", code, " of ONNX Runtime");
    std::string out = w::scalar(1, static_cast<uint64_t>(code_of(*dtype)));
    std::vector<int64_t> dims(get<size_t>(kGetDimensionsCount, tensor));
    std::vector<const char*> names(dims.size());
    if (!call<bool>(kTensorTypeAndShape_HasShape, tensor)) return w::field(1, out);
    ok(kGetDimensions, tensor, dims.data(), dims.size());
    ok(kGetSymbolicDimensions, tensor, names.data(), names.size());
    std::vector<w::Extent> extents;
    for (size_t i = 0; i < dims.size(); ++i)
      extents.push_back(dims[i] >= 0 ? w::Extent(dims[i]) : w::Extent(std::string(names[i] ? names[i] : "")));
    return w::field(1, out + w::field(2, w::shape(extents)));
  }

  std::string value(const void* value_info, bool typed) {
    const std::string name = w::field(1, name_of(value_info));
    return typed ? name + w::field(2, type(get<const void*>(kGetValueInfoTypeInfo, value_info))) : name;
  }

  std::string attribute(const void* a) {
    const std::string name = get<const char*>(kOpAttr_GetName, a);
    const int kind = get<int>(kOpAttr_GetType, a);
    switch (kind) {
      case kInt:
        return w::attr_i(name, numbers_of<int64_t>(a, kind).at(0));
      case kInts:
        return w::attr_ints(name, numbers_of<int64_t>(a, kind));
      case kFloat:
        return w::attr_f(name, numbers_of<float>(a, kind).at(0));
      case kFloats:
        return w::attr_floats(name, numbers_of<float>(a, kind));
      case kString:
        return w::attr_s(name, bytes_of(a, kind));
      case kStrings:
        return w::attr_strings(name, strings_of(a));
      case kTensorType: {
        void* value = get<void*>(kOpAttr_GetTensorAttributeAsOrtValue, a);
        const std::string bytes = tensor_bytes(name, view_of(value));
        call<void>(kReleaseValue, value);
        return w::attr_t(name, bytes);
      }
      case kGraphType:
        return {};  // it is among the subgraphs
      default:
        fail(ErrorCode::unsupported, "attribute '", name, "' of kind ", kind);
    }
  }

  std::string node(const void* n) {
    w::Messages attributes;
    for (const void* a : list(kNode_GetNumAttributes, kNode_GetAttributes, n))
      if (std::string bytes = attribute(a); !bytes.empty()) attributes.push_back(std::move(bytes));
    if (const auto count = get<size_t>(kNode_GetNumSubgraphs, n)) {
      std::vector<const void*> graphs(count);
      std::vector<const char*> names(count);
      ok(kNode_GetSubgraphs, n, graphs.data(), count, names.data());
      for (size_t i = 0; i < count; ++i) attributes.push_back(w::attr_g(names[i], subgraph(graphs[i])));
    }
    const auto names = [&](Slot count, Slot items) {
      w::Names all;
      for (const void* v : list(count, items, n)) all.push_back(v ? name_of(v) : "");
      return all;
    };
    return w::node(
        get<const char*>(kNode_GetOperatorType, n), names(kNode_GetNumInputs, kNode_GetInputs),
        names(kNode_GetNumOutputs, kNode_GetOutputs), attributes,
        {.domain = get<const char*>(kNode_GetDomain, n), .overload = {}, .name = get<const char*>(kNode_GetName, n)});
  }

  std::string subgraph(const void* g) {
    w::Messages nodes, inputs, outputs, initializers;
    for (const void* n : list(kGraph_GetNumNodes, kGraph_GetNodes, g)) nodes.push_back(node(n));
    for (const void* v : list(kGraph_GetNumInputs, kGraph_GetInputs, g)) inputs.push_back(value(v, false));
    for (const void* v : list(kGraph_GetNumOutputs, kGraph_GetOutputs, g)) outputs.push_back(value(v, false));
    for (const void* v : list(kGraph_GetNumInitializers, kGraph_GetInitializers, g))
      initializers.push_back(initializer(v, false));
    return w::graph(nodes, inputs, outputs, initializers, get<const char*>(kGraph_GetName, g));
  }

 private:
  Model& model_;
};

w::Opsets opsets_of(const void* graph) {
  const auto n = get<size_t>(kGraph_GetNumOperatorSets, graph);
  std::vector<const char*> domains(n);
  std::vector<int64_t> versions(n);
  ok(kGraph_GetOperatorSets, graph, domains.data(), versions.data(), n);
  w::Opsets result;
  for (size_t i = 0; i < n; ++i) result.emplace_back(domains[i], versions[i]);
  return result;
}

// Names that nodes and the graphs within them read.
void add_read(const void* n, std::set<std::string>& names) {
  for (const void* v : list(kNode_GetNumInputs, kNode_GetInputs, n))
    if (v) names.insert(name_of(v));
  for (const void* v : list(kNode_GetNumImplicitInputs, kNode_GetImplicitInputs, n)) names.insert(name_of(v));
}

}  // namespace

std::string name_of(const void* value_info) {
  return get<const char*>(kGetValueInfoName, value_info);
}

bool is_plain(const void* value_info) {
  const void* type = get<const void*>(kGetValueInfoTypeInfo, value_info);
  return type && is_tensor(type);
}

Model write(const Part& part) {
  Model model;
  Writer writer(model);
  w::Messages nodes, inputs, outputs, initializers;
  std::set<std::string> read, given;
  for (const void* n : part.nodes) {
    nodes.push_back(writer.node(n));
    add_read(n, read);
  }
  for (const void* v : part.inputs) {
    inputs.push_back(writer.value(v, true));
    given.insert(name_of(v));
  }
  for (const void* v : part.outputs) {
    outputs.push_back(writer.value(v, false));
    read.insert(name_of(v));
  }
  for (const void* v : list(kGraph_GetNumInitializers, kGraph_GetInitializers, part.graph))
    if (const std::string name = name_of(v); read.count(name) && !given.count(name))
      initializers.push_back(writer.initializer(v, true));
  w::ModelExtras extras;
  extras.opsets = opsets_of(part.graph);
  extras.ir_version = static_cast<uint64_t>(get<int64_t>(kGraph_GetOnnxIRVersion, part.graph));
  model.bytes =
      w::model(w::graph(nodes, inputs, outputs, initializers, get<const char*>(kGraph_GetName, part.graph)), extras);
  return model;
}

Function Model::load() const {
  LoadOptions options;
  options.initializers = initializers;
  return load_onnx(bytes.data(), bytes.size(), nullptr, options);
}

Function Model::load_own() const {
  LoadOptions options;
  for (const auto& [name, t] : initializers) options.initializers.emplace(name, t.owner() ? t : t.clone());
  return load_onnx(bytes.data(), bytes.size(), nullptr, options);
}

}  // namespace tc::provider
