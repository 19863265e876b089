#include "tc/doors/python/call.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <bit>
#include <map>
#include <unordered_map>

#include "tc/doors/python/convert.h"
#include "tc/doors/python/errors.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc::python {
namespace {

namespace py = pybind11;

// What std::source_location points to, as compilers lay it out; checked once below.
struct Place {
  const char* file;
  const char* function;
  unsigned line, column;
};
static_assert(sizeof(Location) == sizeof(const Place*) && std::is_trivially_copyable_v<Location>);

Location location_at(const char* file, unsigned line) {
  const auto* place = new Place{file, "", line, 0};  // nodes and errors may name it for as long as the process lives
  return std::bit_cast<Location>(place);
}

bool locations_work() {
  const Location here = location_at("file", 7);
  return std::string_view(here.file_name()) == "file" && here.line() == 7;
}

struct KeyHash {
  size_t operator()(const std::pair<void*, int>& k) const {
    return std::hash<void*>()(k.first) * 31 + static_cast<size_t>(k.second);
  }
};

// The folder of this package, ending in a slash: its frames are not the user's.
std::string& package_folder() {
  static auto* folder = new std::string;
  return *folder;
}

bool of_package(PyCodeObject* code) {
  static auto* known = new std::unordered_map<void*, bool>;
  if (const auto it = known->find(code); it != known->end()) return it->second;
  const char* file = PyUnicode_AsUTF8(code->co_filename);
  if (!file) PyErr_Clear();
  const std::string& folder = package_folder();
  const bool own = file && !folder.empty() && std::string_view(file).starts_with(folder);
  Py_INCREF(code);  // its address is not used again
  return (*known)[code] = own;
}

}  // namespace

void set_package_folder(std::string folder) {
  package_folder() = std::move(folder);
}

Location caller() {
  static const bool works = locations_work();
  PyFrameObject* frame = PyEval_GetFrame();
  if (!frame || !works) return Location::current();
  Py_INCREF(frame);
  PyCodeObject* code = PyFrame_GetCode(frame);
  while (of_package(code)) {
    PyFrameObject* outer = PyFrame_GetBack(frame);
    if (!outer) break;
    Py_DECREF(code);
    Py_DECREF(frame);
    frame = outer;
    code = PyFrame_GetCode(frame);
  }
  // Lines are decoded once per place of the bytecode.
  static auto* places = new std::unordered_map<std::pair<void*, int>, Location, KeyHash>;
  const std::pair<void*, int> key(code, PyFrame_GetLasti(frame));
  auto it = places->find(key);
  if (it == places->end()) {
    const char* file = PyUnicode_AsUTF8(code->co_filename);
    if (!file) PyErr_Clear();
    // of_package keeps the code, and so the name.
    it =
        places->emplace(key, location_at(file ? file : "?", static_cast<unsigned>(PyFrame_GetLineNumber(frame)))).first;
  }
  Py_DECREF(code);
  Py_DECREF(frame);
  return it->second;
}

void refuse_argument(const What& what, PyObject* value, const std::string& expected) {
  if (!PyErr_Occurred())
    PyErr_Format(PyExc_TypeError, "%s: argument '%s' is %s, not '%s'", what.function, what.parameter, expected.c_str(),
                 value ? Py_TYPE(value)->tp_name : "nothing");
  throw PythonError();
}

// --- Numbers and words

bool From<bool>::get(PyObject* value, const What&) {
  const int truth = PyObject_IsTrue(value);
  if (truth < 0) throw PythonError();
  return truth != 0;
}

int64_t From<int64_t>::get(PyObject* value, const What& what) {
  if (PyFloat_Check(value)) refuse_argument(what, value, "an integer");
  PyObject* number = PyNumber_Index(value);
  if (!number) {
    PyErr_Clear();
    refuse_argument(what, value, "an integer");
  }
  const long long result = PyLong_AsLongLong(number);
  Py_DECREF(number);
  if (result == -1 && PyErr_Occurred()) throw PythonError();
  return result;
}

int From<int>::get(PyObject* value, const What& what) {
  const int64_t wide = From<int64_t>::get(value, what);
  if (!std::in_range<int>(wide)) refuse_argument(what, value, "an integer of 32 bits");
  return static_cast<int>(wide);
}

uint64_t From<uint64_t>::get(PyObject* value, const What& what) {
  PyObject* number = PyNumber_Index(value);
  if (!number) {
    PyErr_Clear();
    refuse_argument(what, value, "an integer");
  }
  const unsigned long long result = PyLong_AsUnsignedLongLong(number);
  Py_DECREF(number);
  if (PyErr_Occurred()) throw PythonError();
  return result;
}

double From<double>::get(PyObject* value, const What& what) {
  const double result = PyFloat_AsDouble(value);
  if (result == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    refuse_argument(what, value, "a number");
  }
  return result;
}

std::string From<std::string>::get(PyObject* value, const What& what) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, &size) : nullptr;
  if (!text) refuse_argument(what, value, "a string");
  return std::string(text, static_cast<size_t>(size));
}

DType From<DType>::get(PyObject* value, const What&) {
  return element_type_of(value);
}

size_t word_of(PyObject* value, const What& what, std::span<const char* const> names) {
  const std::string word = From<std::string>::get(value, what);
  std::string all;
  for (size_t i = 0; i < names.size(); ++i) {
    if (word == names[i]) return i;
    all += (i ? ", '" : "'") + std::string(names[i]) + "'";
  }
  PyErr_Format(PyExc_ValueError, "%s: argument '%s' is one of %s, not '%s'", what.function, what.parameter, all.c_str(),
               word.c_str());
  throw PythonError();
}

// --- Arrays

Arg From<Arg>::get(PyObject* value, const What& what) {
  const Location at = caller();
  if (py::isinstance<Var>(value)) return Arg(py::cast<const Var&>(value), at);
  if (PyBool_Check(value)) return Arg(value == Py_True, at);
  if (PyLong_Check(value)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (!overflow) return Arg(static_cast<int64_t>(number), at);
  }
  if (PyFloat_Check(value)) return Arg(PyFloat_AS_DOUBLE(value), at);
  if (py::isinstance<Dim>(value)) return Arg(py::cast<const Dim&>(value), at);
  if (py::isinstance<Param>(value)) return Arg(py::cast<const Param&>(value), at);
  if (value == Py_None) return Arg(at);
  if (PyUnicode_Check(value)) refuse_argument(what, value, "an array");
  return Arg(own_tensor_of(value), at);
}

Tensor own_tensor_of(PyObject* value) {
  const bool is_array = py::isinstance<py::array>(value);
  py::object source = py::reinterpret_borrow<py::object>(value);
  if (!is_array && (PyList_Check(value) || PyTuple_Check(value))) {
    const py::sequence list = py::reinterpret_borrow<py::sequence>(value);
    const bool of_arrays = py::len(list) && py::isinstance<Var>(py::object(list[0]));
    if (of_arrays) {  // of equal shapes
      std::vector<Var> parts;
      for (const py::handle item : list) parts.push_back(From<Var>::get(item.ptr(), {"array", "value"}));
      return stack(Args(parts)).tensor();
    }
  }
  if (!is_array) source = py::module_::import("numpy").attr("asarray")(source);
  const py::array array = source.cast<py::array>();
  Tensor t = tensor_of(array);
  // Lists of Python's numbers are as narrow as new arrays.
  const bool of_numbers = PyList_Check(value) || PyTuple_Check(value);
  if (of_numbers && (t.dtype() == DType::f64)) t = tensor_of(array.attr("astype")("f4").cast<py::array>());
  // What NumPy's array becomes later must not change an array of ours.
  return is_array ? t.clone() : t;
}

Var From<Var>::get(PyObject* value, const What& what) {
  if (py::isinstance<Var>(value)) return py::cast<const Var&>(value);
  const Arg arg = From<Arg>::get(value, what);
  if (arg.absent()) refuse_argument(what, value, "an array");
  return asarray(arg);
}

Args From<Args>::get(PyObject* value, const What& what) {
  PyObject* owner = nullptr;
  std::vector<Arg> list;
  for (PyObject* item : items_of(value, owner, false)) list.push_back(From<Arg>::get(item, what));
  Py_XDECREF(owner);
  return Args(std::move(list));
}

std::vector<PyObject*> items_of(PyObject* value, PyObject*& owner, bool one_alone) {
  const bool list = PyList_Check(value) || PyTuple_Check(value);
  const bool iterable = !list && !PyUnicode_Check(value) && !py::isinstance<Param>(value) &&
                        (py::isinstance<py::array>(value) ? py::reinterpret_borrow<py::array>(value).ndim() > 0
                                                          : !py::isinstance<Var>(value) && PySequence_Check(value));
  const bool vector = py::isinstance<Var>(value) && !(one_alone && py::cast<const Var&>(value).rank() == 0);
  if (!list && !iterable && !vector) {
    if (one_alone) return {value};
    PyErr_SetString(PyExc_TypeError, "a list or tuple is expected");
    throw PythonError();
  }
  owner = PySequence_Tuple(value);
  if (!owner) throw PythonError();
  std::vector<PyObject*> items;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(owner); ++i) items.push_back(PyTuple_GET_ITEM(owner, i));
  return items;
}

std::vector<Var> vars_of(PyObject* value, const What& what, size_t count) {
  PyObject* owner = nullptr;
  std::vector<Var> result;
  for (PyObject* item : items_of(value, owner, false)) result.push_back(From<Var>::get(item, what));
  Py_XDECREF(owner);
  if (result.size() != count) {
    PyErr_Format(PyExc_ValueError, "%s: argument '%s' has %zu arrays, not %zu", what.function, what.parameter, count,
                 result.size());
    throw PythonError();
  }
  return result;
}

random::Key From<random::Key>::get(PyObject* value, const What& what) {
  return random::wrap_key_data(Arg(From<Var>::get(value, what), caller()));
}

// --- Shapes and axes

Extent From<Extent>::get(PyObject* value, const What& what) {
  if (PyUnicode_Check(value)) return Extent(From<std::string>::get(value, what));
  if (py::isinstance<Dim>(value)) return Extent(py::cast<const Dim&>(value));
  if (py::isinstance<Var>(value)) {
    const Var& v = py::cast<const Var&>(value);
    return v.tracer()->is_array() ? Extent(From<int64_t>::get(value, what)) : Extent(v);
  }
  return Extent(From<int64_t>::get(value, what));
}

ShapeArg From<ShapeArg>::get(PyObject* value, const What& what) {
  if (py::isinstance<Var>(value) && py::cast<const Var&>(value).rank() == 1) {
    const Var& v = py::cast<const Var&>(value);
    return v.tracer()->is_array() ? ShapeArg(to_i64(v.tensor())) : ShapeArg(v);
  }
  return ShapeArg(From<std::vector<Extent>>::get(value, what));
}

Axes From<Axes>::get(PyObject* value, const What& what) {
  if (value == Py_None) return {};
  return Axes(From<std::vector<int64_t>>::get(value, what));
}

PerAxis From<PerAxis>::get(PyObject* value, const What& what) {
  if (PyLong_Check(value)) return PerAxis(From<int64_t>::get(value, what));
  return PerAxis(From<std::vector<int64_t>>::get(value, what));
}

Padding From<Padding>::get(PyObject* value, const What& what) {
  static constexpr const char* kRules[] = {"valid", "same_upper", "same_lower", "full", "half"};
  if (PyUnicode_Check(value)) return Padding(static_cast<Padding::Rule>(word_of(value, what, kRules)));
  if (PyLong_Check(value)) return Padding(From<int64_t>::get(value, what));
  return Padding(From<std::vector<int64_t>>::get(value, what));
}

PadWidth From<PadWidth>::get(PyObject* value, const What& what) {
  const auto both = From<std::vector<int64_t>>::get(value, what);
  if (both.size() == 1) return {both[0], both[0]};
  if (both.size() != 2) refuse_argument(what, value, "pairs (before, after)");
  return {both[0], both[1]};
}

TensordotAxes From<TensordotAxes>::get(PyObject* value, const What& what) {
  if (PyLong_Check(value)) return TensordotAxes(From<int>::get(value, what));
  const auto both = From<std::vector<std::vector<int64_t>>>::get(value, what);
  if (both.size() != 2) refuse_argument(what, value, "a number, or axes of both arrays");
  return {both[0], both[1]};
}

// --- Optimisers: a schedule of Python is a function of the step.

Schedule From<Schedule>::get(PyObject* value, const What& what) {
  if (py::isinstance<Schedule>(value)) return py::cast<const Schedule&>(value);
  if (!PyCallable_Check(value)) refuse_argument(what, value, "a schedule");
  const auto kept = keep(value);
  return [kept, what](Var step) {
    const py::gil_scoped_acquire locked;
    const py::handle f(static_cast<PyObject*>(const_cast<void*>(kept.get())));
    return From<Var>::get(f(std::move(step)).ptr(), what);
  };
}

LearningRate From<LearningRate>::get(PyObject* value, const What& what) {
  if (PyFloat_Check(value) || PyLong_Check(value)) return LearningRate(PyFloat_AsDouble(value));
  return LearningRate(From<Schedule>::get(value, what));
}

// --- Results

PyObject* result(Var v) {
  return py::cast(std::move(v)).release().ptr();
}

PyObject* result(std::vector<Var> list) {
  py::tuple made(list.size());
  for (size_t i = 0; i < list.size(); ++i) made[i] = py::cast(std::move(list[i]));
  return made.release().ptr();
}

PyObject* result(const random::Key& k) {
  return result(k.data);
}

PyObject* result(std::vector<random::Key> keys) {
  std::vector<Var> list;
  for (random::Key& k : keys) list.push_back(std::move(k.data));
  return result(std::move(list));
}

PyObject* result(Schedule s) {
  return py::cast(std::move(s)).release().ptr();
}

PyObject* result(Optimizer o) {
  return py::cast(std::move(o)).release().ptr();
}

PyObject* result_tuple(const char* type, std::span<const char* const> fields, std::vector<Var> values) {
  static auto* types = new std::map<std::string, py::object>;
  py::object& made = (*types)[type];
  if (!made) {
    py::list names;
    for (const char* f : fields) names.append(f);
    made = py::module_::import("collections").attr("namedtuple")(type, names, py::arg("module") = "tc.numpy");
  }
  py::tuple list(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    list[i] = values[i].defined() ? py::cast(std::move(values[i])) : py::object(py::none());
  return made(*list).release().ptr();
}

}  // namespace tc::python
