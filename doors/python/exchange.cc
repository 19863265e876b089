// Arrays of other libraries and ours: DLPack, the buffer protocol, NumPy.
#include <pybind11/numpy.h>

#include "tc/doors/python/array.h"
#include "tc/doors/python/call.h"
#include "tc/doors/python/convert.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc::python {
namespace {

// DLPack's structures, version 0 of the protocol, as its specification lays them out.
struct DLDevice {
  int32_t type, id;
};
struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor tensor;
  void* context;
  void (*deleter)(DLManagedTensor*);
};
constexpr int32_t kCpu = 1;
constexpr const char* kCapsule = "dltensor";
constexpr const char* kUsedCapsule = "used_dltensor";
enum Code : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBFloat = 4, kComplex = 5, kBool = 6 };

std::optional<Code> code_of(DType t) {
  if (t == DType::bf16) return kBFloat;
  if (dtypes::floats.has(t)) return kFloat;
  if (dtypes::signed_ints.has(t)) return kInt;
  if (dtypes::unsigned_ints.has(t)) return kUInt;
  if (dtypes::complex.has(t)) return kComplex;
  if (t == DType::boolean) return kBool;
  return {};
}

// Of a tensor given away: it, and its extents.
struct Lent {
  DLManagedTensor managed;
  Tensor tensor;
  Extents extents, strides;
};

py::capsule to_dlpack(const Tensor& t) {
  const auto code = code_of(t.dtype());
  if (!code) throw py::buffer_error("DLPack has no elements of type " + std::string(name(t.dtype())));
  auto* lent = new Lent{{}, t, t.extents(), row_major_strides(t.extents())};
  DLTensor& d = lent->managed.tensor;
  d.data = const_cast<void*>(lent->tensor.data());
  d.device = {kCpu, 0};
  d.ndim = t.rank();
  d.dtype = {*code, static_cast<uint8_t>(info(t.dtype()).bits), 1};
  d.shape = lent->extents.data();
  d.strides = lent->strides.data();
  lent->managed.context = lent;
  lent->managed.deleter = [](DLManagedTensor* m) { delete static_cast<Lent*>(m->context); };
  PyObject* capsule = PyCapsule_New(&lent->managed, kCapsule, [](PyObject* c) {
    if (!PyCapsule_IsValid(c, kCapsule)) return;  // somebody took it
    auto* m = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(c, kCapsule));
    if (m->deleter) m->deleter(m);
  });
  if (!capsule) throw py::error_already_set();
  return py::reinterpret_steal<py::capsule>(capsule);
}

std::optional<DType> type_of(const DLDataType& d) {
  if (d.lanes != 1) return {};
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto t = static_cast<DType>(i);
    if (code_of(t) == static_cast<Code>(d.code) && info(t).bits == d.bits) return t;
  }
  return {};
}

// The tensor of a capsule, without a copy where its elements lie one behind the other.
Tensor from_dlpack(const py::object& capsule) {
  if (!PyCapsule_IsValid(capsule.ptr(), kCapsule)) throw py::value_error("no DLPack capsule, or one that was used");
  auto* m = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), kCapsule));
  const DLTensor& d = m->tensor;
  const auto t = type_of(d.dtype);
  if (d.device.type != kCpu) throw py::buffer_error("the elements are not in the memory of this machine's CPU");
  if (!t) throw py::type_error("tc has no such elements");
  PyCapsule_SetName(capsule.ptr(), kUsedCapsule);
  const std::shared_ptr<const void> owner(m, [](const void* p) {
    auto* managed = static_cast<DLManagedTensor*>(const_cast<void*>(p));
    if (!managed->deleter || !Py_IsInitialized()) return;
    const PyGILState_STATE state = PyGILState_Ensure();  // it may be code of Python
    managed->deleter(managed);
    PyGILState_Release(state);
  });
  const Extents extents(d.shape, d.shape + d.ndim);
  const auto* data = static_cast<const std::byte*>(d.data) + d.byte_offset;
  const Extents dense = row_major_strides(extents);
  bool contiguous = true;
  for (size_t i = 0; d.strides && i < extents.size(); ++i)
    contiguous = contiguous && (extents[i] == 1 || d.strides[i] == dense[i]);
  if (contiguous || element_count(extents) == 0) return Tensor::view(*t, extents, data, owner);
  Tensor copy(*t, extents);
  const auto size = static_cast<int64_t>(size_of(*t));
  auto* to = static_cast<std::byte*>(copy.mutable_data());
  for (int64_t k = 0; k < copy.size(); ++k) {
    int64_t rest = k, from = 0;
    for (size_t i = extents.size(); i-- > 0;) {
      from += rest % extents[i] * d.strides[i];
      rest /= extents[i];
    }
    std::copy_n(data + from * size, size, to + k * size);
  }
  return copy;
}

const char* format_of(DType t) {
  switch (t) {
    case DType::f16:
      return "e";
    case DType::f32:
      return "f";
    case DType::f64:
      return "d";
    case DType::boolean:
      return "?";
    case DType::i8:
      return "b";
    case DType::i16:
      return "h";
    case DType::i32:
      return "i";
    case DType::i64:
      return "q";
    case DType::u16:
    case DType::bf16:
      return "H";
    case DType::u32:
      return "I";
    case DType::u64:
      return "Q";
    case DType::c64:
      return "Zf";
    case DType::c128:
      return "Zd";
    default:
      return size_of(t) == 1 ? "B" : nullptr;
  }
}

py::buffer_info buffer_of(const Var& v) {
  if (!v.defined() || !v.tracer()->is_array())
    throw py::buffer_error("a traced array has no elements before its program runs");
  const Tensor& t = v.tensor();
  const char* format = format_of(t.dtype());
  if (!format) throw py::buffer_error("elements of type " + std::string(name(t.dtype())) + " have no buffer format");
  const auto size = static_cast<py::ssize_t>(size_of(t.dtype()));
  std::vector<py::ssize_t> shape, strides;
  for (const int64_t e : t.extents()) shape.push_back(static_cast<py::ssize_t>(e));
  for (const int64_t s : row_major_strides(t.extents())) strides.push_back(static_cast<py::ssize_t>(s) * size);
  return py::buffer_info(const_cast<void*>(t.data()), size, format, t.rank(), shape, strides, true);
}

}  // namespace

void define_exchange(py::module_& m, py::class_<Var>& c) {
  c.def_buffer(buffer_of);
  c.def(
      "numpy", [](const Var& v) { return array_of(v.tensor(caller())); },
      "The elements as an array of NumPy, which shares their memory and is read-only.");
  c.def(
      "__array__",
      [](const Var& v, const py::object& dtype, const py::object& copy) {
        py::object a = copy.is_none() || !PyObject_IsTrue(copy.ptr()) ? array_of(v.tensor(caller()))
                                                                      : own_array_of(v.tensor(caller()).clone());
        return dtype.is_none() ? a : py::object(a.attr("astype")(dtype, py::arg("copy") = false));
      },
      py::arg("dtype") = py::none(), py::arg("copy") = py::none());
  c.def("__dlpack_device__", [](const Var&) { return py::make_tuple(kCpu, 0); });
  c.def(
      "__dlpack__",
      [](const Var& v, const py::object&, const py::object&, const py::object&, const py::object& copy) {
        const Tensor& t = v.tensor(caller());
        return to_dlpack(!copy.is_none() && PyObject_IsTrue(copy.ptr()) ? t.clone() : t);
      },
      py::kw_only(), py::arg("stream") = py::none(), py::arg("max_version") = py::none(),
      py::arg("dl_device") = py::none(), py::arg("copy") = py::none());
  m.def(
      "from_dlpack",
      [](const py::object& x) {
        return dsl::Tracer::array(from_dlpack(py::hasattr(x, "__dlpack__") ? x.attr("__dlpack__")() : x));
      },
      "The array that an object with __dlpack__ is; memory is shared where the elements are contiguous.", py::arg("x"));
  m.def(
      "view", [](const py::object& x) { return dsl::Tracer::array(tensor_of_any(x)); },
      "An array that shares the memory of one of NumPy, which must not change while it is used.", py::arg("x"));
}

}  // namespace tc::python
