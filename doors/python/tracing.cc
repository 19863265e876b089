#include <pybind11/stl.h>

#include "tc/doors/python/call.h"
#include "tc/doors/python/convert.h"
#include "tc/doors/python/errors.h"
#include "tc/doors/python/programs.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/core.h"

namespace tc::python {
namespace {

using dsl::Body;
using dsl::Tracer;

Body body_of(const py::object& f) {
  return {-1, flat_function(f)};
}

py::object list_of(std::vector<Var> vars) {
  py::list result(vars.size());
  for (size_t i = 0; i < vars.size(); ++i) result[i] = py::cast(std::move(vars[i]));
  return result;
}

// What a function is given: arrays, numbers that are as weak as those of Python, tensors of NumPy.
struct Leaves {
  dsl::JitCall call;
  std::vector<size_t> weak;
  std::vector<Tensor> foreign;  // whose memory others may write to
};

Leaves leaves_of(const py::list& list, const std::string& parameters) {
  Leaves result;
  std::string weak;
  for (const py::handle item : list) {
    const size_t place = result.call.inputs.size();
    if (py::isinstance<Var>(item)) {
      result.call.inputs.emplace_back(py::cast<const Var&>(item));
      continue;
    }
    if (py::isinstance<Param>(item)) {
      result.call.inputs.push_back(dsl::jit_input(py::cast<const Param&>(item)));
      continue;
    }
    PyObject* o = item.ptr();
    if (PyBool_Check(o)) {
      result.call.inputs.emplace_back(Tensor::scalar(o == Py_True));
    } else if (PyLong_Check(o) || PyFloat_Check(o)) {
      // An f64 loses nothing of Python's float; beside an array it takes that one's type.
      result.call.inputs.emplace_back(PyLong_Check(o) ? Tensor::scalar(From<int64_t>::get(o, {"jit", "argument"}))
                                                      : Tensor::scalar(PyFloat_AS_DOUBLE(o)));
      result.weak.push_back(place);
      weak += cat(weak.empty() ? "weak " : ",", place);
    } else {
      Tensor t = tensor_of_any(item);
      result.foreign.push_back(t);
      result.call.inputs.emplace_back(std::move(t));
    }
  }
  result.call.parameters = cat(parameters, parameters.empty() || weak.empty() ? "" : " ", weak);
  return result;
}

class PythonJit {
 public:
  PythonJit(std::string name, bool symbolic, size_t max_versions, const py::dict& options)
      : state_(JitOptions{std::move(name), symbolic ? JitShapes::ranks : JitShapes::exact, max_versions,
                          compiler_options(options)},
               caller()) {}

  py::object call(const py::list& list, const std::string& parameters, const py::object& f) {
    ensure_eager();
    const Leaves leaves = leaves_of(list, parameters);
    const dsl::FlatFunction inner = flat_function(f);
    const dsl::FlatFunction marked = [&](const std::vector<Var>& in) {
      std::vector<Var> args = in;
      for (const size_t i : leaves.weak) args[i] = Tracer::weakened(args[i]);
      return inner(args);
    };
    std::vector<Var> results;
    {
      const py::gil_scoped_release free;
      results = state_.call(leaves.call, marked);
    }
    for (Var& v : results) {
      if (leaves.foreign.empty() || !v.tracer()->is_array()) continue;
      for (const Tensor& t : leaves.foreign)
        if (v.tensor().owner() == t.owner()) v = Tracer::array(v.tensor().clone());
    }
    return list_of(std::move(results));
  }

  std::string key(const py::list& list, const std::string& parameters) const {
    return state_.key(leaves_of(list, parameters).call);
  }
  std::vector<std::string> versions() const { return state_.versions(); }
  Function graph(const std::string& key) const { return state_.graph(key); }

 private:
  dsl::JitState state_;
};

// (name, dtype, shape) or (name, type as text).
Input input_of(const py::tuple& declared) {
  Input result;
  result.name = py::str(declared[0]);
  if (py::len(declared) == 2) {
    result.type = py::str(declared[1]);
    return result;
  }
  result.dtype = element_type_of(declared[1]);
  result.shape = From<std::vector<Extent>>::get(py::object(declared[2]).ptr(), {"trace", "shape"});
  return result;
}

Function trace_python(const std::string& name, const py::list& inputs, const py::object& f) {
  std::vector<Input> declared;
  for (const py::handle i : inputs) declared.push_back(input_of(py::reinterpret_borrow<py::tuple>(i)));
  const dsl::FlatFunction flat = flat_function(f);
  const Location at = caller();
  const py::gil_scoped_release free;
  return dsl::trace(name, declared, -1, flat, at);
}

Args args_of(const py::object& list) {
  return From<Args>::get(list.ptr(), {"loop", "values"});
}

void define_control(py::module_& m) {
  m.def("_cond", [](const py::object& predicate, const py::object& then, const py::object& otherwise) {
    const Arg p = From<Arg>::get(predicate.ptr(), {"cond", "predicate"});
    const Body a = body_of(then), b = body_of(otherwise);
    const Location at = caller();
    return list_of(unlocked([&] { return dsl::cond(p, a, b, at); }));
  });
  m.def("_while_loop", [](const py::object& condition, const py::object& body, const py::object& initial) {
    const Body a = body_of(condition), b = body_of(body);
    const Args args = args_of(initial);
    const Location at = caller();
    return list_of(unlocked([&] { return dsl::while_loop(a, b, args, at); }));
  });
  m.def("_fori_loop",
        [](const py::object& first, const py::object& end, const py::object& body, const py::object& initial) {
          const Arg a = From<Arg>::get(first.ptr(), {"fori_loop", "first"}),
                    b = From<Arg>::get(end.ptr(), {"fori_loop", "end"});
          const Body f = body_of(body);
          const Args args = args_of(initial);
          const Location at = caller();
          return list_of(unlocked([&] { return dsl::fori_loop(a, b, f, args, at); }));
        });
  m.def("_scan", [](const py::object& body, const py::object& initial, const py::object& slices, bool reverse,
                    int64_t axis, int64_t checkpoint) {
    const Body f = body_of(body);
    const Args carried = args_of(initial), inputs = args_of(slices);
    const ScanOptions options{reverse, axis, checkpoint};
    const Location at = caller();
    return list_of(unlocked([&] { return dsl::scan(f, carried, inputs, options, at); }));
  });
}

void define_gradients(py::module_& m) {
  m.def("_grad", [](const Var& y, const py::object& wrt) {
    const std::vector<Var> list = vars_of_list(wrt);
    const Location at = caller();
    return list_of(unlocked([&] { return grad(y, list, at); }));
  });
  m.def("_vjp", [](const py::object& outputs, const py::object& seeds, const py::object& wrt) {
    const std::vector<Var> ys = vars_of_list(outputs), gs = vars_of_list(seeds), xs = vars_of_list(wrt);
    const Location at = caller();
    return list_of(unlocked([&] { return vjp(ys, gs, xs, at); }));
  });
  // A value of its own in the program that is traced, so that gradients with respect to it are no other's.
  m.def("_fresh", [](const py::object& x) {
    const Arg a = From<Arg>::get(x.ptr(), {"grad", "argument"});
    const dsl::Site site("grad", caller());
    const Var v = dsl::operand(a);
    const bool weak = !v.tracer()->is_array() && v.tracer()->is_weak(v.value());
    const Var own = dsl::make<Identity>({v});
    return weak ? Tracer::weakened(own) : own;
  });
  m.def("_custom_vjp", [](const py::object& f, const py::object& rule, const py::object& args) {
    const Body a = body_of(f), b = body_of(rule);
    const Args list = args_of(args);
    const Location at = caller();
    return list_of(unlocked([&] { return dsl::call_custom(a, b, list, at); }));
  });
  m.def("_custom_jvp", [](const py::object& f, const py::object& rule, const py::object& args) {
    const Body a = body_of(f), forward = body_of(rule);
    const Args list = args_of(args);
    const size_t count = list.size();
    const Body backward{-1, [&forward, count](const std::vector<Var>& values) {
                          Outputs out;
                          for (Var& v : dsl::transposed(forward, count, values)) out.push_back({{}, std::move(v)});
                          return out;
                        }};
    const Location at = caller();
    return list_of(unlocked([&] { return dsl::call_custom(a, backward, list, at); }));
  });
}

}  // namespace

dsl::FlatFunction flat_function(const py::object& f) {
  const auto kept = keep(f);
  return [kept](const std::vector<Var>& in) {
    const py::gil_scoped_acquire locked;
    const py::handle function(static_cast<PyObject*>(const_cast<void*>(kept.get())));
    py::list args(in.size());
    for (size_t i = 0; i < in.size(); ++i) args[i] = py::cast(in[i]);
    const py::object results = function(args);
    Outputs out;
    for (const py::handle r : results) {
      if (!PyTuple_Check(r.ptr())) {
        out.push_back({{}, From<Var>::get(r.ptr(), {"function", "result"})});
        continue;
      }
      const auto pair = py::reinterpret_borrow<py::tuple>(r);
      out.push_back({py::str(pair[0]), From<Var>::get(py::object(pair[1]).ptr(), {"function", "result"})});
    }
    return out;
  };
}

std::vector<Var> vars_of_list(const py::object& list) {
  std::vector<Var> result;
  for (const py::handle item : list) result.push_back(From<Var>::get(item.ptr(), {"values", "item"}));
  return result;
}

void define_tracing(py::module_& m) {
  m.def("_trace", trace_python);
  // Whether functions append to a program; else they run at once.
  m.def("tracing", [] {
    const Tracer* t = Tracer::active();
    return t && !t->eager();
  });
  py::class_<PythonJit>(m, "_Jit")
      .def(py::init<std::string, bool, size_t, const py::dict&>())
      .def("call", &PythonJit::call)
      .def("key", &PythonJit::key)
      .def("versions", &PythonJit::versions)
      .def("graph", &PythonJit::graph);
  define_control(m);
  define_gradients(m);
}

}  // namespace tc::python
