// Calls of rows: arguments by place and by name, and the functions of Python that rows become.
#include <pybind11/pybind11.h>

#include <memory>
#include <unordered_map>

#include "tc/doors/python/call.h"
#include "tc/doors/python/errors.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc::python {

namespace py = pybind11;

Call::~Call() {
  Py_XDECREF(rest_);
}

namespace {

// Arguments that the standard has and that change nothing here: there is one device, results are never views that
// writes go through, sorts are always stable.
bool of_the_standard(PyObject* key, PyObject* value) {
  if (PyUnicode_CompareWithASCIIString(key, "device") == 0)
    return value == Py_None || (PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, "cpu") == 0);
  if (PyUnicode_CompareWithASCIIString(key, "copy") == 0) return value == Py_None || value == Py_True;
  return PyUnicode_CompareWithASCIIString(key, "stable") == 0 && PyBool_Check(value);
}

}  // namespace

bool Call::take(PyObject* const* args, Py_ssize_t count, PyObject* names, std::string& why) {
  const auto n = static_cast<int>(overload_.parameters.size());
  int place = 0;
  for (Py_ssize_t i = 0; i < count; ++i, ++place) {
    if (place == overload_.list && !PyList_Check(args[i]) && !PyTuple_Check(args[i])) {
      // f(a, b, c) for f([a, b, c]).
      rest_ = PyTuple_New(count - i);
      if (!rest_) throw PythonError();
      for (Py_ssize_t k = i; k < count; ++k) PyTuple_SET_ITEM(rest_, k - i, Py_NewRef(args[k]));
      slots_[place] = rest_;
      break;
    }
    if (place >= n) {
      why = cat("takes at most ", n, " arguments, ", count, " are given");
      return false;
    }
    slots_[place] = args[i];
  }
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t k = 0; k < named; ++k) {
    PyObject* key = PyTuple_GET_ITEM(names, k);
    int at = 0;
    while (at < n && PyUnicode_CompareWithASCIIString(key, overload_.parameters[static_cast<size_t>(at)]) != 0) ++at;
    if (at == n && of_the_standard(key, args[count + k])) continue;
    if (at == n) {
      const char* text = PyUnicode_AsUTF8(key);
      if (!text) PyErr_Clear();
      why = cat("has no argument '", text ? text : "?", "'");
      return false;
    }
    if (slots_[at]) {
      why = cat("has two values for argument '", overload_.parameters[static_cast<size_t>(at)], "'");
      return false;
    }
    slots_[at] = args[count + k];
  }
  for (int i = 0; i < n; ++i) {
    if (!slots_[i]) {
      if (i >= overload_.required) continue;
      why = cat("lacks its argument '", overload_.parameters[static_cast<size_t>(i)], "'");
      return false;
    }
    if (overload_.kinds[i] == 'i' && (py::isinstance<Var>(slots_[i]) || !PyIndex_Check(slots_[i]))) {
      why = cat("takes an integer as '", overload_.parameters[static_cast<size_t>(i)], "'");
      return false;
    }
  }
  return true;
}

Arg Call::arg(int i) const {
  return slots_[i] ? From<Arg>::get(slots_[i], what(i)) : Arg(at_);
}

void ensure_eager() {
  if (dsl::Tracer::active()) return;
  // Ends with the thread, on which it must end.
  static thread_local const std::unique_ptr<Eager> eager = std::make_unique<Eager>();
}

Unlocked::Unlocked() : state_(nullptr) {
  ensure_eager();
  state_ = PyEval_SaveThread();
}
Unlocked::~Unlocked() {
  PyEval_RestoreThread(state_);
}

namespace {

// The row of a function by the object that it is bound to. That is a module of its own: what is bound to anything else
// shows as a method in Python's help.
std::unordered_map<PyObject*, const Row*>& rows_by_self() {
  static auto* rows = new std::unordered_map<PyObject*, const Row*>;
  return *rows;
}

extern "C" PyObject* call_row(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  const Row& row = *rows_by_self().find(self)->second;
  try {
    ensure_eager();
    std::string why;
    for (const Overload& overload : row.overloads) {
      Call call(row, overload);
      if (call.take(args, count, names, why)) return overload.run(call);
    }
    PyErr_Format(PyExc_TypeError, "%s %s", row.name, why.c_str());
  } catch (...) {
    set_current_exception();
  }
  return nullptr;
}

}  // namespace

void define_rows(py::module_& m) {
  for (const std::span<const Row> rows : all_rows())
    for (const Row& row : rows) {
      py::module_ home = *row.space ? m.def_submodule(row.space) : m;
      auto* def = new PyMethodDef{row.name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&call_row)),
                                  METH_FASTCALL | METH_KEYWORDS, row.doc};
      const py::str module("tc.numpy" + (*row.space ? "." + std::string(row.space) : ""));
      PyObject* self = PyModule_NewObject(module.ptr());  // lives as long as the process
      if (!self) throw py::error_already_set();
      rows_by_self()[self] = &row;
      PyObject* f = PyCFunction_NewEx(def, self, module.ptr());
      if (!f) throw py::error_already_set();
      home.add_object(row.name, py::reinterpret_steal<py::object>(f), true);
    }
}

}  // namespace tc::python
