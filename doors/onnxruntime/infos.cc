// Types of values, as the API describes them.
#include <cstring>

#include "tc/doors/onnxruntime/api.h"

namespace tc::dropin {
namespace {

// A name that the model's author gave; extents that import has to name itself are unknown to callers.
std::string name_of(const Dim& d) {
  if (!d.is_symbol()) return "";
  const std::string& name = d.symbol_name();
  return name.empty() || name[0] == '?' ? "" : name;
}

}  // namespace

// The numbers are ONNX's.
int code_of(DType t) {
  return info(t).onnx;
}

DType dtype_of_code(int code) {
  const auto t = dtype_from_onnx(code);
  if (!t) throw Fault(Code::not_implemented, "element type ", code, " of the API is not known");
  return *t;
}

OrtTypeInfo::OrtTypeInfo(const Type& t) {
  switch (t.kind()) {
    case Type::Kind::none:
      return;
    case Type::Kind::tensor:
      kind = kTensor;
      tensor.type = code_of(t.dtype());
      tensor.has_shape = t.shape().ranked();
      if (!tensor.has_shape) return;
      for (const Dim& d : t.shape().dims()) {
        tensor.dims.push_back(d.is_const() ? d.value() : -1);
        tensor.symbols.push_back(name_of(d));
      }
      return;
    case Type::Kind::sequence:
      kind = kSequence;
      sequence.key_or_element = t.element();
      return;
    case Type::Kind::optional:
      kind = kOptional;
      optional.key_or_element = t.element();
      return;
    case Type::Kind::map:
      kind = kMap;
      map.key_or_element = Type::tensor(t.dtype(), Shape());
      map.value = t.element();
      return;
  }
}

namespace api {

void ReleaseTypeInfo(OrtTypeInfo* i) {
  release(i);
}
void ReleaseTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo* i) {
  release(i);
}
// Those that programs get are parts of an OrtTypeInfo: there is none to be released alone.
void ReleaseMapTypeInfo(OrtMapTypeInfo*) {}
void ReleaseSequenceTypeInfo(OrtSequenceTypeInfo*) {}

OrtStatus* GetOnnxTypeFromTypeInfo(const OrtTypeInfo* i, int* out) {
  return guard([&] { result(out) = checked(i).kind; });
}
OrtStatus* GetDenotationFromTypeInfo(const OrtTypeInfo* i, const char** out, size_t* length) {
  return guard([&] {
    checked(i);
    result(out) = "";
    needed(length, "len") = 0;
  });
}
OrtStatus* CastTypeInfoToTensorInfo(const OrtTypeInfo* i, const OrtTensorTypeAndShapeInfo** out) {
  return guard([&] { result(out) = checked(i).kind == kTensor ? &i->tensor : nullptr; });
}
OrtStatus* CastTypeInfoToMapTypeInfo(const OrtTypeInfo* i, const OrtMapTypeInfo** out) {
  return guard([&] { result(out) = checked(i).kind == kMap ? &i->map : nullptr; });
}
OrtStatus* CastTypeInfoToSequenceTypeInfo(const OrtTypeInfo* i, const OrtSequenceTypeInfo** out) {
  return guard([&] { result(out) = checked(i).kind == kSequence ? &i->sequence : nullptr; });
}
OrtStatus* CastTypeInfoToOptionalTypeInfo(const OrtTypeInfo* i, const OrtOptionalTypeInfo** out) {
  return guard([&] { result(out) = checked(i).kind == kOptional ? &i->optional : nullptr; });
}
OrtStatus* GetMapKeyType(const OrtMapTypeInfo* i, int* out) {
  return guard([&] { result(out) = code_of(checked(i).key_or_element.dtype()); });
}
OrtStatus* GetMapValueType(const OrtMapTypeInfo* i, OrtTypeInfo** out) {
  return guard([&] { make(out, [&] { return new OrtTypeInfo(checked(i).value); }); });
}
OrtStatus* GetSequenceElementType(const OrtSequenceTypeInfo* i, OrtTypeInfo** out) {
  return guard([&] { make(out, [&] { return new OrtTypeInfo(checked(i).key_or_element); }); });
}
OrtStatus* GetOptionalContainedTypeInfo(const OrtOptionalTypeInfo* i, OrtTypeInfo** out) {
  return guard([&] { make(out, [&] { return new OrtTypeInfo(checked(i).key_or_element); }); });
}

OrtStatus* CreateTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo** out) {
  return guard([&] { make(out, [&] { return new OrtTensorTypeAndShapeInfo; }); });
}
OrtStatus* SetTensorElementType(OrtTensorTypeAndShapeInfo* i, int type) {
  return guard([&] { checked(i).type = type; });
}
OrtStatus* SetDimensions(OrtTensorTypeAndShapeInfo* i, const int64_t* dims, size_t n) {
  return guard([&] {
    checked(i);
    list(dims, n, "dim_values");
    i->dims.assign(dims, dims + n);
    i->symbols.assign(n, "");
    i->has_shape = true;
  });
}
OrtStatus* SetSymbolicDimensions(OrtTensorTypeAndShapeInfo* i, const char** names, size_t n) {
  return guard([&] {
    checked(i);
    list(names, n, "dim_params");
    for (size_t k = 0; k < std::min(n, i->symbols.size()); ++k) i->symbols[k] = names[k] ? names[k] : "";
  });
}
OrtStatus* GetTensorElementType(const OrtTensorTypeAndShapeInfo* i, int* out) {
  return guard([&] { result(out) = checked(i).type; });
}
OrtStatus* GetDimensionsCount(const OrtTensorTypeAndShapeInfo* i, size_t* out) {
  return guard([&] { result(out) = checked(i).dims.size(); });
}
OrtStatus* GetDimensions(const OrtTensorTypeAndShapeInfo* i, int64_t* dims, size_t n) {
  return guard([&] {
    const size_t count = std::min(n, checked(i).dims.size());
    std::copy_n(i->dims.data(), count, list(dims, count, "dim_values"));
  });
}
OrtStatus* GetSymbolicDimensions(const OrtTensorTypeAndShapeInfo* i, const char** names, size_t n) {
  return guard([&] {
    const size_t count = std::min(n, checked(i).symbols.size());
    list(names, count, "dim_params");
    for (size_t k = 0; k < count; ++k) names[k] = i->symbols[k].c_str();
  });
}
OrtStatus* GetTensorShapeElementCount(const OrtTensorTypeAndShapeInfo* i, size_t* out) {
  return guard([&] {
    const auto& dims = checked(i).dims;
    const bool known = std::all_of(dims.begin(), dims.end(), [](int64_t d) { return d >= 0; });
    result(out) = known ? static_cast<size_t>(element_count(dims)) : static_cast<size_t>(-1);
  });
}
bool TensorTypeAndShape_HasShape(const OrtTensorTypeAndShapeInfo* i) {
  return i && i->genuine() && i->has_shape;
}

OrtStatus* GetTensorTypeAndShape(const OrtValue* v, OrtTensorTypeAndShapeInfo** out) {
  return guard([&] {
    auto i = std::make_unique<OrtTensorTypeAndShapeInfo>();
    i->type = code_of(dtype_of(checked(v)));
    i->dims = extents_of(*v);
    i->symbols.resize(i->dims.size());
    make(out, [&] { return i.release(); });
  });
}
OrtStatus* GetTypeInfo(const OrtValue* v, OrtTypeInfo** out) {
  return guard([&] { make(out, [&] { return new OrtTypeInfo(type_of(checked(v))); }); });
}
OrtStatus* GetValueType(const OrtValue* v, int* out) {
  return guard([&] {
    const Datum& d = checked(v).datum;
    result(out) = d.is_tensor() ? kTensor : d.is_sequence() ? kSequence : d.is_map() ? kMap : kUnknown;
  });
}
OrtStatus* GetTensorElementTypeAndShapeDataReference(const OrtValue* v, int* type, const int64_t** dims, size_t* rank) {
  return guard([&] {
    const Extents& e = extents_of(checked(v));
    needed(type, "elem_type") = code_of(dtype_of(*v));
    needed(dims, "shape_data") = e.data();
    needed(rank, "shape_data_count") = e.size();
  });
}

}  // namespace api
}  // namespace tc::dropin
