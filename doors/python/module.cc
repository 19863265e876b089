// The extension module tc._tc, under the packages of doors/python/tc.
#include <pybind11/pybind11.h>

#include "tc/doors/python/array.h"
#include "tc/doors/python/call.h"
#include "tc/doors/python/convert.h"
#include "tc/doors/python/errors.h"
#include "tc/doors/python/programs.h"
#include "tc/doors/python/session.h"
#include "tc/frontend/dsl/promote.h"

PYBIND11_MODULE(_tc, m) {
  using namespace tc::python;
  m.doc() = "tc, a tensor compiler for CPUs: what the packages tc.onnxruntime and tc.numpy stand on.";
  m.attr("__version__") = TC_VERSION;
  m.def("_set_package_folder", set_package_folder);
  define_errors(m);
  define_dtypes(m);
  define_array(m);
  define_programs(m);
  define_tracing(m);
  define_training(m);
  define_session(m);
  define_rows(m);
  m.def(
      "promote",
      [](const py::object& a, const py::object& b) -> py::object {
        const auto t = tc::promote(element_type_of(a), element_type_of(b));
        return t ? py::object(numpy_dtype(*t)) : py::object(py::none());
      },
      "The element type of the result of mixing two, or None where the standard defines none.");
}
