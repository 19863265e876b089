#include "tc/doors/python/array.h"

#include <pybind11/numpy.h>

#include "tc/doors/python/call.h"
#include "tc/doors/python/convert.h"
#include "tc/doors/python/errors.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc::python {
namespace {

bool is_array(const Var& v) {
  return v.defined() && v.tracer()->is_array();
}

py::object extent(const Dim& d) {
  return d.is_const() ? py::object(py::int_(d.value())) : py::cast(d);
}

py::tuple shape_of_array(const Var& v) {
  const Dims& dims = v.shape();
  py::tuple result(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) result[i] = extent(dims[i]);
  return result;
}

// As NumPy's numbers, also where it lacks the element type.
Tensor shown(const Tensor& t) {
  if (!info(t.dtype()).numpy.empty() || t.dtype() == DType::str) return t;
  const bool whole = kind(t.dtype()) != DTypeKind::floating;
  Tensor result(whole ? DType::i64 : DType::f32, t.extents());
  visit_dtype(t.dtype(), [&]<class T>() {
    if constexpr (requires(T x) { static_cast<double>(x), x.bits; }) {
      size_t i = 0;
      for (const T& x : t.span<T>()) {
        if (whole)
          result.mutable_span<int64_t>()[i++] = static_cast<int64_t>(static_cast<double>(x));
        else
          result.mutable_span<float>()[i++] = static_cast<float>(static_cast<double>(x));
      }
    }
  });
  return result;
}

// The one element as Python's number.
py::object item_of(const Var& v, const char* what) {
  const dsl::Site site(what, caller());
  const Tensor& t = v.tensor(caller());
  if (t.size() != 1)
    dsl::refuse(ErrorCode::bad_argument, cat("an array of ", t.size(), " elements is no single number"),
                {"all(x) and any(x) are single booleans"});
  return array_of(shown(t.reshaped({}))).attr("item")();
}

Bound bound_of(py::handle b) {
  if (b.is_none()) return {};
  if (py::isinstance<Var>(b)) {
    const Var& v = py::cast<const Var&>(b);
    if (!is_array(v)) return Bound(v);
  }
  if (py::isinstance<Dim>(b)) return Bound(py::cast<const Dim&>(b));
  return Bound(From<int64_t>::get(b.ptr(), {"x[...]", "slice"}));
}

Index index_of(py::handle i, const Location& at) {
  if (i.is_none()) return Index(newaxis, at);
  if (i.is(py::handle(Py_Ellipsis))) return Index(ellipsis, at);
  if (PySlice_Check(i.ptr()))
    return Index(IndexRange{bound_of(i.attr("start")), bound_of(i.attr("stop")), bound_of(i.attr("step"))}, at);
  if (PyLong_Check(i.ptr()) && !PyBool_Check(i.ptr()))
    return Index(From<int64_t>::get(i.ptr(), {"x[...]", "index"}), at);
  if (py::isinstance<Dim>(i)) return Index(asarray(Arg(py::cast<const Dim&>(i), at)), at);
  const Var v = From<Var>::get(i.ptr(), {"x[...]", "index"});
  // A single integer of an array selects, as a number does.
  if (is_array(v) && v.rank() == 0 && dtypes::ints.has(v.dtype())) return Index(to_i64(v.tensor())[0], at);
  return Index(v, at);
}

// f(); an index that is refused is an IndexError, too.
template <class F>
auto indexing(F f) {
  try {
    return f();
  } catch (const Error& e) {
    if (e.code() != ErrorCode::bad_argument && e.code() != ErrorCode::bad_value) throw;
    set_error(index_error(), e);
  }
  throw py::error_already_set();
}

Indexed part_of(const Var& x, py::handle index) {
  return Indexed(x, indices_of(index));
}

// x.at[...]: functional updates.
struct At {
  Var x;
};
struct AtPart {
  Indexed part;
};

using Binary = Var (*)(Arg, Arg);
void binary(py::class_<Var>& c, const char* name, Binary f, bool reflected = true) {
  const auto call = [f](const py::object& a, const py::object& b) -> py::object {
    // Other classes may know better: DataFrames, arrays of other libraries.
    for (const py::handle x : {a, b})
      if (!py::isinstance<Var>(x) && !PyFloat_Check(x.ptr()) && !PyLong_Check(x.ptr()) && !py::isinstance<Dim>(x) &&
          !py::isinstance<Param>(x) && !py::isinstance<py::array>(x) && !py::hasattr(x, "dtype"))
        return py::reinterpret_borrow<py::object>(Py_NotImplemented);
    const Arg x = From<Arg>::get(a.ptr(), {"operator", "left"}), y = From<Arg>::get(b.ptr(), {"operator", "right"});
    Var r = (Unlocked(), f(x, y));
    return py::cast(std::move(r));
  };
  c.def(("__" + std::string(name) + "__").c_str(), call);
  if (reflected)
    c.def(("__r" + std::string(name) + "__").c_str(),
          [call](const py::object& b, const py::object& a) { return call(a, b); });
}

void unary(py::class_<Var>& c, const char* name, Var (*f)(Arg)) {
  c.def(name, [f](const Var& x) {
    const Arg a(x, caller());
    Var r = (Unlocked(), f(a));
    return r;
  });
}

void define_operators(py::class_<Var>& c) {
  binary(c, "add", add);
  binary(c, "sub", subtract);
  binary(c, "mul", multiply);
  binary(c, "truediv", divide);
  binary(c, "floordiv", floor_divide);
  binary(c, "mod", remainder);
  binary(c, "pow", pow);
  binary(c, "matmul", matmul);
  binary(c, "and", bitwise_and);
  binary(c, "or", bitwise_or);
  binary(c, "xor", bitwise_xor);
  binary(c, "lshift", bitwise_left_shift);
  binary(c, "rshift", bitwise_right_shift);
  binary(c, "eq", equal, false);
  binary(c, "ne", not_equal, false);
  binary(c, "lt", less, false);
  binary(c, "le", less_equal, false);
  binary(c, "gt", greater, false);
  binary(c, "ge", greater_equal, false);
  unary(c, "__neg__", negative);
  unary(c, "__pos__", positive);
  unary(c, "__abs__", abs);
  unary(c, "__invert__", bitwise_invert);
  c.attr("__hash__") = py::none();  // == is elementwise
}

void define_numbers(py::class_<Var>& c) {
  c.def("__bool__", [](const Var& v) { return PyObject_IsTrue(item_of(v, "bool").ptr()) == 1; });
  c.def("__float__", [](const Var& v) { return py::float_(item_of(v, "float")); });
  c.def("__int__", [](const Var& v) { return py::int_(item_of(v, "int")); });
  c.def("__complex__", [](const Var& v) {
    return py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(&PyComplex_Type))(item_of(v, "complex"));
  });
  c.def("__index__", [](const Var& v) {
    if (!dtypes::ints.has(v.dtype())) throw py::type_error("only an array of integers is an index");
    return py::int_(item_of(v, "index"));
  });
  c.def(
      "item", [](const Var& v) { return item_of(v, "item"); }, "The only element as Python's number.");
  c.def(
      "tolist", [](const Var& v) { return array_of(shown(v.tensor(caller()))).attr("tolist")(); },
      "The elements as nested lists of Python's numbers.");
  c.def("__len__", [](const Var& v) -> int64_t {
    if (v.rank() == 0) throw py::type_error("an array without axes has no length");
    const Dim& d = v.shape()[0];
    if (!d.is_const()) throw py::type_error("the length of a traced array is not known: " + d.str());
    return d.value();
  });
  c.def("__iter__", [](const Var& v) {
    if (v.rank() == 0) throw py::type_error("an array without axes has no items");
    const Arg a(v, caller());
    std::vector<Var> items = (Unlocked(), unstack(a));
    return py::iter(py::reinterpret_steal<py::object>(result(std::move(items))));
  });
}

void define_indexing(py::module_& m, py::class_<Var>& c) {
  py::class_<At>(m, "_At").def("__getitem__", [](const At& at, const py::object& index) {
    return indexing([&] { return AtPart{part_of(at.x, index)}; });
  });
  py::class_<AtPart> part(m, "_AtPart");
  const auto update = [&](const char* name, Var (Indexed::*f)(Arg) const, const char* doc) {
    part.def(
        name,
        [f](const AtPart& p, const py::object& value) {
          const Arg a = From<Arg>::get(value.ptr(), {"at", "value"});
          return indexing([&] {
            Var r = (Unlocked(), (p.part.*f)(a));
            return r;
          });
        },
        doc, py::arg("value"));
  };
  update("set", &Indexed::set, "The array with the part replaced.");
  update("add", &Indexed::add, "The array with the value added to the part.");
  update("multiply", &Indexed::multiply, "The array with the part multiplied by the value.");
  update("min", &Indexed::min, "The array with the lesser of the part and the value.");
  update("max", &Indexed::max, "The array with the greater of the part and the value.");
  part.def(
      "get", [](const AtPart& p) { return p.part.get(); }, "The part.");
  c.def_property_readonly(
      "at", [](const Var& v) { return At{v}; },
      "x.at[index].set(value) is x with that part replaced; add, multiply, min, max combine.");
  c.def("__getitem__", [](const Var& v, const py::object& index) {
    const Indexed p = indexing([&] { return part_of(v, index); });
    return indexing([&] {
      Var r = (Unlocked(), p.get());
      return r;
    });
  });
  // The Python object stands for the new value; others that stood for the old one keep it.
  c.def("__setitem__", [](Var& v, const py::object& index, const py::object& value) {
    const Arg a = From<Arg>::get(value.ptr(), {"x[...] = value", "value"});
    const Indexed p = indexing([&] { return part_of(v, index); });
    const DType t = v.dtype();
    indexing([&] {
      Var r = (Unlocked(), astype(Arg(p.set(a)), t));
      v = std::move(r);
    });
  });
}

void define_properties(py::class_<Var>& c) {
  c.def_property_readonly("shape", shape_of_array, "The extents; one that is not known yet is a Dim.");
  c.def_property_readonly(
      "ndim", [](const Var& v) { return v.rank(); }, "The number of axes.");
  c.def_property_readonly(
      "size", [](const Var& v) { return extent(v.size()); }, "The number of elements.");
  c.def_property_readonly(
      "dtype", [](const Var& v) { return numpy_dtype(v.dtype()); }, "The type of the elements.");
  c.def_property_readonly(
      "device", [](const Var&) { return "cpu"; }, "Where the elements are: 'cpu'.");
  c.def(
      "to_device",
      [](const py::object& self, const py::object& device, const py::object&) {
        if (!py::str("cpu").equal(device)) throw py::value_error("the only device is 'cpu'");
        return self;
      },
      "The array itself: the only device is 'cpu'.", py::arg("device"), py::kw_only(), py::arg("stream") = py::none());
  c.def_property_readonly(
      "mT",
      [](const Var& v) {
        const Arg a(v, caller());
        Var r = (Unlocked(), matrix_transpose(a));
        return r;
      },
      "With the last two axes exchanged.");
  c.def_property_readonly(
      "T",
      [](const Var& v) {
        const Arg a(v, caller());
        std::vector<int64_t> axes;
        for (int i = v.rank(); i-- > 0;) axes.push_back(i);
        Var r = (Unlocked(), permute_dims(a, axes));
        return r;
      },
      "With the axes reversed.");
  c.def_property_readonly(
      "traced", [](const Var& v) { return !is_array(v); },
      "Whether it is a value of a program that is being traced, without elements yet.");
  c.def_property_readonly(
      "type", [](const Var& v) { return v.type().str(); }, "Element type and shape as text.");
  c.def(
      "named",
      [](const py::object& self, std::string name) {
        py::cast<const Var&>(self).named(std::move(name));
        return self;
      },
      "The array; its name in printed and exported programs is set.", py::arg("name"));
  c.def(
      "__array_namespace__", [](const Var&, const py::object&) { return py::module_::import("tc.numpy"); },
      py::kw_only(), py::arg("api_version") = py::none());
  c.def("__repr__", [](const Var& v) -> std::string {
    if (!v.defined()) return "Array(undefined)";
    if (!is_array(v)) return "Array(traced, " + v.type().str() + ")";
    const py::object a = array_of(shown(v.tensor()));
    const py::object text =
        py::module_::import("numpy").attr("array2string")(a, py::arg("separator") = ", ", py::arg("prefix") = "Array(");
    return "Array(" + std::string(py::str(text)) + ", dtype=" + type_name(v.dtype()) + ")";
  });
  c.def("__str__", [](const Var& v) -> std::string {
    if (!is_array(v)) return v.defined() ? "Array(traced, " + v.type().str() + ")" : "Array(undefined)";
    return py::str(array_of(shown(v.tensor())));
  });
  c.def("__reduce__", [](const Var& v) {
    return py::make_tuple(py::module_::import("tc.numpy").attr("asarray"),
                          py::make_tuple(own_array_of(v.tensor(caller()))));
  });
}

void define_dim(py::module_& m) {
  py::class_<Dim> dim(m, "Dim", "An extent that a run will know: a symbol, or an expression of symbols.");
  dim.def(py::init([](const std::string& name) { return Dim::symbol(name); }), py::arg("name"));
  const auto other = [](const py::object& o) {
    return py::isinstance<Dim>(o) ? py::cast<Dim>(o) : Dim(From<int64_t>::get(o.ptr(), {"Dim", "other"}));
  };
  const auto both = [&](const char* name, Dim (*f)(const Dim&, const Dim&)) {
    dim.def(("__" + std::string(name) + "__").c_str(),
            [f, other](const Dim& a, const py::object& b) { return extent(f(a, other(b))); });
    dim.def(("__r" + std::string(name) + "__").c_str(),
            [f, other](const Dim& a, const py::object& b) { return extent(f(other(b), a)); });
  };
  both("add", [](const Dim& a, const Dim& b) { return a + b; });
  both("sub", [](const Dim& a, const Dim& b) { return a - b; });
  both("mul", [](const Dim& a, const Dim& b) { return a * b; });
  both("floordiv", [](const Dim& a, const Dim& b) { return floordiv(a, b); });
  both("mod", [](const Dim& a, const Dim& b) { return mod(a, b); });
  dim.def("__eq__", [other](const Dim& a, const py::object& b) {
    return (py::isinstance<Dim>(b) || PyLong_Check(b.ptr())) && a == other(b);
  });
  dim.def("__hash__", [](const Dim& d) { return py::hash(py::str(d.str())); });
  dim.def("__str__", &Dim::str);
  dim.def("__repr__", [](const Dim& d) { return "Dim(" + d.str() + ")"; });
}

}  // namespace

std::vector<Index> indices_of(py::handle index) {
  ensure_eager();
  const Location at = caller();
  std::vector<Index> result;
  if (!PyTuple_Check(index.ptr())) {
    result.push_back(index_of(index, at));
    return result;
  }
  for (const py::handle i : index) result.push_back(index_of(i, at));
  return result;
}

void define_array(py::module_& m) {
  define_dim(m);
  py::class_<Var> c(m, "Array", py::buffer_protocol(),
                    "A tensor: one with elements, or a value of a program that is being traced.\n\n"
                    "Made by functions of tc.numpy. Arrays do not change: x[i] = y makes x stand for a new one.");
  c.attr("__module__") = "tc.numpy";
  c.attr("__array_priority__") = 1000;
  c.attr("__array_ufunc__") = py::none();  // NumPy's operators leave mixed operands to ours
  define_operators(c);
  define_numbers(c);
  define_indexing(m, c);
  define_properties(c);
  define_exchange(m, c);
}

}  // namespace tc::python
