// Errors of the library as Python exceptions: one class per error code, each a tc.Error and, where Python has a class
// for such a thing, one of that, too. They carry code, message, location, context and notes.
#pragma once

#include <pybind11/pybind11.h>

#include "tc/ir/diag.h"

namespace tc::python {

namespace py = pybind11;

// Thrown where Python's error state is set already.
struct PythonError {};

void define_errors(py::module_& m);
// Set Python's error state: for the error by its code, with another class, and for what is being handled.
void set_error(const Error& e);
void set_error(PyObject* type, const Error& e);
void set_current_exception();
// The class for a code with one more base, so that both can be caught: BadArgument as an IndexError.
PyObject* index_error();

// What ONNX Runtime's Python package raises in such a case (Fail, InvalidArgument, NoSuchFile, ...).
enum class Stage { load, run };
PyObject* session_error(Stage stage, ErrorCode code);
// Calls f(); library errors become those of sessions.
template <class F>
auto in_session(Stage stage, F f) {
  try {
    return f();
  } catch (const Error& e) {
    set_error(session_error(stage, e.code()), e);
  }
  throw py::error_already_set();
}

}  // namespace tc::python
