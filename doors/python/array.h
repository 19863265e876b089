// Arrays: Vars as Python sees them.
#pragma once

#include <pybind11/pybind11.h>

#include "tc/tc.h"

namespace tc::python {

namespace py = pybind11;

void define_array(py::module_& m);
void define_exchange(py::module_& m, py::class_<Var>& array);  // DLPack and the buffer protocol
std::vector<Index> indices_of(py::handle index);               // what stands in x[...]

}  // namespace tc::python
