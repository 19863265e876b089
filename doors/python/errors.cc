#include "tc/doors/python/errors.h"

#include <array>
#include <map>
#include <new>
#include <string>

namespace tc::python {
namespace {

struct Row {
  ErrorCode code;
  const char* spelling;
  const char* doc;
};
constexpr Row kRows[] = {
#define TC_ERROR(id, spelling, doc) {ErrorCode::id, spelling, doc},
#include "tc/ir/diag.def"
#undef TC_ERROR
};
constexpr size_t kCodes = std::size(kRows);

// Kept for as long as the process lives: modules of C are not unloaded.
PyObject* base_class = nullptr;
PyObject* index_class = nullptr;
std::array<PyObject*, kCodes> classes{};
std::map<std::string, PyObject*> session_classes;

// What a Python programmer catches in such a case.
PyObject* python_base(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_argument:
    case ErrorCode::bad_shape:
    case ErrorCode::bad_value:
    case ErrorCode::bad_input:
    case ErrorCode::bad_attribute:
    case ErrorCode::bad_text:
    case ErrorCode::bad_graph:
      return PyExc_ValueError;
    case ErrorCode::bad_type:
      return PyExc_TypeError;
    case ErrorCode::bad_file:
    case ErrorCode::bad_external_data:
      return PyExc_OSError;
    case ErrorCode::unsupported:
    case ErrorCode::unknown_op:
    case ErrorCode::no_gradient:
      return PyExc_NotImplementedError;
    case ErrorCode::limit_memory:
      return PyExc_MemoryError;
    case ErrorCode::limit_size:
      return PyExc_OverflowError;
    case ErrorCode::limit_nesting:
      return PyExc_RecursionError;
    case ErrorCode::check_failed:
      return PyExc_AssertionError;
    default:
      return nullptr;
  }
}

// bad-argument: BadArgument.
std::string class_name(std::string_view spelling) {
  std::string name;
  bool upper = true;
  for (const char c : spelling) {
    if (c != '-') name += upper ? static_cast<char>(c - 'a' + 'A') : c;
    upper = c == '-';
  }
  return name;
}

PyObject* make_class(py::module_& m, const std::string& name, const char* doc, py::tuple bases) {
  PyObject* made = PyErr_NewExceptionWithDoc(("tc." + name).c_str(), doc, bases.ptr(), nullptr);
  if (!made) throw py::error_already_set();
  m.add_object(name.c_str(), py::handle(made));
  return made;
}

py::list strings(const std::vector<std::string>& list) {
  py::list result;
  for (const std::string& s : list) result.append(s);
  return result;
}

}  // namespace

void define_errors(py::module_& m) {
  const py::handle runtime(PyExc_RuntimeError);
  base_class = make_class(m, "Error", "What goes wrong in tc. Attributes: code, message, location, context, notes.",
                          py::make_tuple(runtime));
  const py::handle base(base_class);
  for (const Row& row : kRows) {
    PyObject* python = python_base(row.code);
    classes[static_cast<size_t>(row.code)] = make_class(
        m, class_name(row.spelling), row.doc, python ? py::make_tuple(base, py::handle(python)) : py::make_tuple(base));
  }
  const py::handle argument(classes[static_cast<size_t>(ErrorCode::bad_argument)]);
  index_class = make_class(m, "BadIndex", "an index is out of range or of no use for the array",
                           py::make_tuple(argument, py::handle(PyExc_IndexError)));
  py::module_ session = m.def_submodule("session_errors", "The exceptions of sessions, by ONNX Runtime's names.");
  for (const char* name : {"Fail", "InvalidArgument", "NoModel", "EngineError", "RuntimeException", "InvalidProtobuf",
                           "ModelLoaded", "NotImplemented", "InvalidGraph", "EPFail"})
    session_classes[name] = make_class(session, name, "As onnxruntime's exception of this name.", py::make_tuple(base));
  session_classes["NoSuchFile"] = make_class(session, "NoSuchFile", "There is no such model file.",
                                             py::make_tuple(base, py::handle(PyExc_FileNotFoundError)));
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const Error& e) {
      set_error(e);
    } catch (const PythonError&) {
    }
  });
}

void set_error(PyObject* type, const Error& e) {
  const Diagnostic& d = e.diagnostic();
  try {
    py::object exception = py::handle(type)(py::str(e.what()));
    exception.attr("code") = std::string(to_string(d.code));
    exception.attr("message") = d.message;
    exception.attr("location") = d.location;
    exception.attr("context") = strings(d.context);
    exception.attr("notes") = strings(d.notes);
    PyErr_SetObject(type, exception.ptr());
  } catch (py::error_already_set& failure) {
    failure.restore();
  }
}

void set_error(const Error& e) {
  set_error(classes[static_cast<size_t>(e.code())], e);
}

void set_current_exception() {
  try {
    throw;
  } catch (const PythonError&) {
  } catch (py::error_already_set& e) {
    e.restore();
  } catch (const py::builtin_exception& e) {
    e.set_error();
  } catch (const Error& e) {
    set_error(e);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

PyObject* index_error() {
  return index_class;
}

PyObject* session_error(Stage stage, ErrorCode code) {
  const auto by_name = [](const char* name) { return session_classes.at(name); };
  switch (code) {
    case ErrorCode::bad_input:
    case ErrorCode::bad_argument:
      return by_name("InvalidArgument");
    case ErrorCode::unsupported:
    case ErrorCode::unknown_op:
      return by_name("NotImplemented");
    case ErrorCode::bad_file:
      return by_name(stage == Stage::load ? "InvalidProtobuf" : "Fail");
    case ErrorCode::bad_graph:
    case ErrorCode::bad_type:
    case ErrorCode::bad_shape:
    case ErrorCode::bad_attribute:
      return by_name(stage == Stage::load ? "InvalidGraph" : "RuntimeException");
    default:
      return by_name(stage == Stage::load ? "Fail" : "RuntimeException");
  }
}

}  // namespace tc::python
