#include "tc/doors/python/convert.h"

#include <array>
#include <cstring>
#include <map>

#include "tc/doors/python/errors.h"

namespace tc::python {
namespace {

struct Names {
  const char* name;   // NumPy's, or that of its extensions
  const char* field;  // of types that NumPy lacks: as ONNX's Python package names it where that is another one
};
// By element type, in the order of dtype.def.
constexpr Names names_of(DType t) {
  switch (t) {
    case DType::f32:
      return {"float32", nullptr};
    case DType::u8:
      return {"uint8", nullptr};
    case DType::i8:
      return {"int8", nullptr};
    case DType::u16:
      return {"uint16", nullptr};
    case DType::i16:
      return {"int16", nullptr};
    case DType::i32:
      return {"int32", nullptr};
    case DType::i64:
      return {"int64", nullptr};
    case DType::str:
      return {"str", nullptr};
    case DType::boolean:
      return {"bool", nullptr};
    case DType::f16:
      return {"float16", nullptr};
    case DType::f64:
      return {"float64", nullptr};
    case DType::u32:
      return {"uint32", nullptr};
    case DType::u64:
      return {"uint64", nullptr};
    case DType::c64:
      return {"complex64", nullptr};
    case DType::c128:
      return {"complex128", nullptr};
    case DType::bf16:
      return {"bfloat16", "bfloat16"};
    case DType::f8e4m3fn:
      return {"float8_e4m3fn", "e4m3fn"};
    case DType::f8e4m3fnuz:
      return {"float8_e4m3fnuz", "e4m3fnuz"};
    case DType::f8e5m2:
      return {"float8_e5m2", "e5m2"};
    case DType::f8e5m2fnuz:
      return {"float8_e5m2fnuz", "e5m2fnuz"};
    case DType::u4:
      return {"uint4", "uint4"};
    case DType::i4:
      return {"int4", "int4"};
    case DType::f4e2m1:
      return {"float4_e2m1fn", "float4e2m1"};
    case DType::f8e8m0:
      return {"float8_e8m0fnu", "e8m0"};
    case DType::u2:
      return {"uint2", "uint2"};
    case DType::i2:
      return {"int2", "int2"};
  }
  return {"", nullptr};
}

// Made once and never released: interpreters of this process share the module.
struct Dtypes {
  std::array<PyObject*, kNumDTypes> numpy{};
  std::map<std::string, DType> by_name;
  std::map<int, DType> by_number;  // NumPy's type numbers

  Dtypes() {
    for (int i = 0; i < kNumDTypes; ++i) {
      const auto t = static_cast<DType>(i);
      const Names names = names_of(t);
      py::dtype made("O");
      if (!info(t).numpy.empty())
        made = py::dtype(std::string(info(t).numpy));
      else if (t != DType::str)
        made = worded(t, names.name);
      numpy[static_cast<size_t>(i)] = made.release().ptr();
      if (!info(t).numpy.empty()) by_number[number(numpy[static_cast<size_t>(i)])] = t;
      by_name[names.name] = t;
      if (names.field) by_name[names.field] = t;
    }
    // Names of one C type: what is `long` on one machine is `long long` on another.
    for (const char* code : {"l", "q", "i", "L", "Q", "I"}) {
      const py::dtype t{std::string(code)};
      const bool is_signed = t.kind() == 'i';
      const DType own = t.itemsize() == 8 ? (is_signed ? DType::i64 : DType::u64) : is_signed ? DType::i32 : DType::u32;
      by_number[number(t.ptr())] = own;
    }
  }
  static int number(PyObject* dtype) { return py::detail::array_descriptor_proxy(dtype)->type_num; }
  static py::dtype worded(DType t, const char* name) {
    const py::dtype word{std::string(size_of(t) == 2 ? "<u2" : "|u1")};
    py::dict field;
    field[name] = py::make_tuple(word, 0);
    return py::dtype::from_args(py::make_tuple(word, field));
  }
};
const Dtypes& dtypes_() {
  static const auto* made = new Dtypes;
  return *made;
}

// Whether it is spelled in the machine's byte order.
bool native(const py::dtype& t) {
  const char order = py::detail::array_descriptor_proxy(t.ptr())->byteorder;
  return order == '=' || order == '|' || order == '<';
}

std::optional<DType> by_name(const std::string& name) {
  const auto it = dtypes_().by_name.find(name);
  return it == dtypes_().by_name.end() ? std::nullopt : std::optional(it->second);
}

std::string text_of(py::handle item) {
  if (PyBytes_Check(item.ptr()))
    return std::string(PyBytes_AS_STRING(item.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(item.ptr())));
  const py::str text(item);
  const py::object bytes =
      py::reinterpret_steal<py::object>(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!bytes) throw py::error_already_set();
  return std::string(PyBytes_AS_STRING(bytes.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.ptr())));
}

Extents extents_of(const py::array& array) {
  return {array.shape(), array.shape() + array.ndim()};
}

Tensor strings_of(const py::array& array) {
  Tensor result(DType::str, extents_of(array));
  auto out = result.mutable_span<std::string>().begin();
  for (const py::handle item : array.attr("ravel")().attr("tolist")()) *out++ = text_of(item);
  return result;
}

py::object strings_as_array(const Tensor& t) {
  py::list items;
  for (const std::string& s : t.span<std::string>()) {
    PyObject* text = PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "surrogateescape");
    if (!text) throw py::error_already_set();
    items.append(py::reinterpret_steal<py::object>(text));
  }
  const py::module_ numpy = py::module_::import("numpy");
  py::object array = numpy.attr("empty")(py::cast(t.size()), "O");
  array[py::slice(0, static_cast<py::ssize_t>(t.size()), 1)] = items;
  py::tuple shape(t.extents().size());
  for (size_t i = 0; i < shape.size(); ++i) shape[i] = t.extents()[i];
  return array.attr("reshape")(shape);
}

}  // namespace

py::dtype numpy_dtype(DType t) {
  return py::reinterpret_borrow<py::dtype>(dtypes_().numpy[static_cast<size_t>(t)]);
}

const char* type_name(DType t) {
  return names_of(t).name;
}

std::optional<DType> element_type(const py::dtype& t) {
  const auto* descr = py::detail::array_descriptor_proxy(t.ptr());
  if (descr->names && descr->names != Py_None) {
    const py::object names = t.attr("names");
    if (py::len(names) != 1) return std::nullopt;
    const auto named = by_name(py::str(names[py::int_(0)]));
    return named && static_cast<size_t>(t.itemsize()) == size_of(*named) ? named : std::nullopt;
  }
  const auto it = dtypes_().by_number.find(descr->type_num);
  if (it != dtypes_().by_number.end()) return it->second;
  const char kind = t.kind();
  if (kind == 'O' || kind == 'U' || kind == 'S') return DType::str;
  // Other packages' types.
  const auto named = by_name(py::str(t.attr("name")));
  return named && static_cast<size_t>(t.itemsize()) == size_of(*named) ? named : std::nullopt;
}

DType element_type_of(py::handle spelled) {
  if (PyUnicode_Check(spelled.ptr())) {
    const std::string name = py::str(spelled);
    if (const auto t = dtype_from_name(name)) return *t;
    if (const auto t = by_name(name)) return *t;
  }
  if (spelled.is(py::handle(reinterpret_cast<PyObject*>(&PyUnicode_Type)))) return DType::str;
  const py::dtype t = py::dtype::from_args(py::reinterpret_borrow<py::object>(spelled));
  if (const auto found = element_type(t)) return *found;
  throw py::type_error("tc has no elements of dtype " + std::string(py::str(t.attr("name"))));
}

void define_dtypes(py::module_& m) {
  py::dict table;
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto t = static_cast<DType>(i);
    table[type_name(t)] = py::make_tuple(numpy_dtype(t), std::string(name(t)), info(t).onnx);
  }
  m.attr("dtypes") = table;
  m.def(
      "dtype", [](const py::object& spelled) { return numpy_dtype(element_type_of(spelled)); },
      "The numpy.dtype of an element type, however it is spelled.", py::arg("spelled"));
  m.def(
      "dtype_name", [](const py::object& spelled) { return std::string(name(element_type_of(spelled))); },
      "tc's name of an element type: 'f32'.", py::arg("spelled"));
}

std::shared_ptr<const void> keep(py::handle object) {
  return {object.inc_ref().ptr(), [](const void* kept) {
            auto* o = static_cast<PyObject*>(const_cast<void*>(kept));
            if (!Py_IsInitialized()) return;  // the interpreter's memory has gone
            if (PyGILState_Check()) {
              Py_DECREF(o);
              return;
            }
            const PyGILState_STATE state = PyGILState_Ensure();
            Py_DECREF(o);
            PyGILState_Release(state);
          }};
}

Tensor tensor_of(const py::array& array, std::optional<DType> as) {
  const py::dtype dtype = array.dtype();
  std::optional<DType> t = element_type(dtype);
  if (!t) throw py::type_error("tc has no elements of dtype " + std::string(py::str(dtype.attr("name"))));
  if (*t == DType::str) return strings_of(array);
  // Words without a name of their own.
  if (as && *as != *t && info(*as).numpy.empty() && (*t == DType::u8 || *t == DType::u16) &&
      size_of(*as) == size_of(*t))
    t = as;
  if (!native(dtype)) return tensor_of(array.attr("astype")(dtype.attr("newbyteorder")("=")).cast<py::array>(), as);
  if (!(array.flags() & py::array::c_style)) {
    const py::module_ numpy = py::module_::import("numpy");
    const py::array copy = numpy.attr("array")(array, py::arg("order") = "C");
    return Tensor::view(*t, extents_of(copy), copy.data(), keep(copy));
  }
  return Tensor::view(*t, extents_of(array), array.data(), keep(array));
}

Tensor tensor_of_any(py::handle value, std::optional<DType> as) {
  if (py::isinstance<py::array>(value)) return tensor_of(py::reinterpret_borrow<py::array>(value), as);
  const py::module_ numpy = py::module_::import("numpy");
  return tensor_of(numpy.attr("asarray")(py::reinterpret_borrow<py::object>(value)).cast<py::array>(), as);
}

py::object array_of(Tensor t) {
  if (t.dtype() == DType::str) return strings_as_array(t);
  const bool writable = t.exclusive();
  auto kept = std::make_unique<Tensor>(std::move(t));
  const Tensor& held = *kept;
  const py::capsule owner(kept.get(), [](void* p) { delete static_cast<Tensor*>(p); });
  static_cast<void>(kept.release());
  py::array result(numpy_dtype(held.dtype()), held.extents(), {}, held.data(), owner);
  if (!writable) py::detail::array_proxy(result.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return result;
}

py::object own_array_of(Tensor t) {
  if (t.dtype() == DType::str || t.exclusive()) return array_of(std::move(t));
  return array_of(t.clone());
}

Datum datum_of(py::handle value, const Type& declared) {
  if (value.is_none()) return {};
  if (declared.kind() == Type::Kind::optional) return datum_of(value, declared.element());
  if (declared.kind() == Type::Kind::sequence) {
    if (!py::isinstance<py::sequence>(value)) throw py::type_error("a sequence is given as a list");
    Sequence s;
    for (const py::handle item : value) s.items.push_back(datum_of(item, declared.element()));
    return s;
  }
  if (declared.kind() == Type::Kind::map) {
    if (!py::isinstance<py::dict>(value)) throw py::type_error("a map is given as a dict");
    Map m;
    for (const auto& [key, item] : py::reinterpret_borrow<py::dict>(value)) {
      if (declared.dtype() == DType::str)
        m.entries.emplace_back(text_of(key), datum_of(item, declared.element()));
      else
        m.entries.emplace_back(key.cast<int64_t>(), datum_of(item, declared.element()));
    }
    return m;
  }
  return tensor_of_any(value, declared.is_tensor() ? std::optional(declared.dtype()) : std::nullopt);
}

py::object object_of(Datum d) {
  if (d.empty()) return py::none();
  if (d.is_tensor()) {
    Tensor t = d.tensor();
    d = Datum();  // so that the tensor may be exclusive
    return own_array_of(std::move(t));
  }
  if (d.is_sequence()) {
    py::list result;
    for (const Datum& item : d.items()) result.append(object_of(item));
    return result;
  }
  py::dict result;
  for (const auto& [key, item] : d.map().entries) {
    const py::object name = std::visit([](const auto& k) -> py::object { return py::cast(k); }, key);
    // Values of maps are numbers: Python's own, as ONNX Runtime gives them.
    const py::object value = object_of(item);
    result[name] =
        py::isinstance<py::array>(value) && value.attr("ndim").cast<int>() == 0 ? value.attr("item")() : value;
  }
  return result;
}

}  // namespace tc::python
