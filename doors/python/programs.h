// Programs: traced, compiled, differentiated, trained and written to files from Python.
#pragma once

#include <pybind11/pybind11.h>

#include "tc/tc.h"

namespace tc::python {

namespace py = pybind11;

void define_programs(py::module_& m);  // Function, Compiled, load, export
void define_tracing(py::module_& m);   // trace, Jit, gradients, control flow
void define_training(py::module_& m);  // Param, Init, Optimizer, Trainer, files of tensors

// Options of a call by their names, each of which is one of the members; Python TypeError for others.
CompilerOptions compiler_options(const py::dict& named);
// f as a function of Vars. It is called with a list and returns arrays, or pairs of a name and an array.
dsl::FlatFunction flat_function(const py::object& f);
std::vector<Var> vars_of_list(const py::object& list);

}  // namespace tc::python
