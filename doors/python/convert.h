// Between NumPy's arrays and the library's values. Memory is shared both ways where that is possible.
//
// Element types that NumPy lacks (bf16, 8-bit floats, integers below 8 bits) are arrays of the unsigned integer of the
// same size, one element per byte or word, whose dtype has one field named for the type: "bfloat16", "int4", ... . Of
// other packages' dtypes those of such a name and size are taken, too.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <optional>

#include "tc/ir/tensor.h"

namespace tc::python {

namespace py = pybind11;

// Element types. A dtype may be spelled as NumPy takes it, or by the library's name: "bf16".
py::dtype numpy_dtype(DType t);
std::optional<DType> element_type(const py::dtype& t);
DType element_type_of(py::handle spelled);  // Python TypeError where it is none
const char* type_name(DType t);             // as NumPy and its extensions name it: "float32", "bfloat16"
void define_dtypes(py::module_& m);

// Keeps a Python object alive for as long as a Tensor needs it, whatever thread lets it go.
std::shared_ptr<const void> keep(py::handle object);

// A view of a C-contiguous array of the machine's byte order, of others a copy. Strings are copied. Python TypeError
// for elements that the library does not have. `as`: what words of a fitting size stand for.
Tensor tensor_of(const py::array& array, std::optional<DType> as = {});
// Of whatever numpy.asarray takes.
Tensor tensor_of_any(py::handle value, std::optional<DType> as = {});
// An array that shares the tensor's memory and keeps it: writable when nobody else sees it, else read-only.
py::object array_of(Tensor t);
// The same, but a writable copy where the memory is shared.
py::object own_array_of(Tensor t);

// None: nothing; list: sequence; dict: map; else a tensor.
Datum datum_of(py::handle value, const Type& declared);
py::object object_of(Datum d);

}  // namespace tc::python
