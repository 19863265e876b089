#include <pybind11/stl.h>

#include "tc/doors/python/call.h"
#include "tc/doors/python/convert.h"
#include "tc/doors/python/programs.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc::python {
namespace {

NamedTensors named_tensors(const py::dict& d) {
  NamedTensors result;
  for (const auto& [name, value] : d)
    result.emplace_back(py::str(name), py::isinstance<Var>(value) ? py::cast<const Var&>(value).tensor(caller())
                                                                  : own_tensor_of(value.ptr()));
  return result;
}

// Arrays that do not change when the training goes on.
py::dict as_dict(const NamedTensors& tensors) {
  py::dict result;
  for (const auto& [name, t] : tensors) result[py::str(name)] = py::cast(dsl::Tracer::array(t.clone()));
  return result;
}

void define_parameters(py::module_& m) {
  py::class_<Param> p(m, "Param", "A named tensor that programs share and training changes: an initialiser of a file.");
  p.attr("__module__") = "tc.numpy";
  p.def(py::init([](std::string name, const py::object& value) {
          return Param(std::move(name), From<Var>::get(value.ptr(), {"Param", "value"}).tensor(), caller());
        }),
        py::arg("name"), py::arg("value"));
  p.def_property_readonly("name", &Param::name);
  p.def_property_readonly(
      "value", [](const Param& v) { return dsl::Tracer::array(v.value()); }, "What later traces begin with.");
  p.def_property_readonly(
      "array",
      [](const Param& v) {
        ensure_eager();
        return v.var(caller());
      },
      "The parameter in the program that is traced; else its value.");
  p.def(
      "assign",
      [](const Param& v, const py::object& value) {
        v.assign(From<Var>::get(value.ptr(), {"assign", "value"}).tensor(), caller());
      },
      "Gives it another value of the same type.", py::arg("value"));
  p.def("__repr__", [](const Param& v) { return cat("Param(", v.name(), ", ", v.value().type(), ")"); });
}

void define_init(py::module_& m) {
  py::class_<Init> i(m, "Init", "Random numbers for initial weights: a seed means the same on every machine.");
  i.attr("__module__") = "tc.numpy";
  i.def(py::init<uint64_t>(), py::arg("seed"));
  using Fan = Tensor (Init::*)(Extents, FanOptions);
  const auto fan = [&](const char* name, Fan f, const char* doc) {
    i.def(
        name,
        [f](Init& self, Extents shape, double gain, const py::object& dtype) {
          return dsl::Tracer::array((self.*f)(std::move(shape), {gain, element_type_of(dtype)}));
        },
        doc, py::arg("shape"), py::arg("gain") = 1.0, py::arg("dtype") = "float32");
  };
  fan("xavier_uniform", &Init::xavier_uniform, "Of variance 2 / (fan_in + fan_out).");
  fan("xavier_normal", &Init::xavier_normal, "Of variance 2 / (fan_in + fan_out).");
  fan("he_uniform", &Init::he_uniform, "Of variance 2 / fan_in.");
  fan("he_normal", &Init::he_normal, "Of variance 2 / fan_in.");
  fan("lecun_uniform", &Init::lecun_uniform, "Of variance 1 / fan_in.");
  fan("lecun_normal", &Init::lecun_normal, "Of variance 1 / fan_in.");
  using Range = Tensor (Init::*)(Extents, double, double, DType);
  const auto range = [&](const char* name, Range f, const char* a, const char* b, const char* doc) {
    i.def(
        name,
        [f](Init& self, Extents shape, double first, double second, const py::object& dtype) {
          return dsl::Tracer::array((self.*f)(std::move(shape), first, second, element_type_of(dtype)));
        },
        doc, py::arg("shape"), py::arg(a), py::arg(b), py::arg("dtype") = "float32");
  };
  range("uniform", &Init::uniform, "low", "high", "Uniform numbers.");
  range("normal", &Init::normal, "mean", "deviation", "Normal numbers.");
  range("truncated_normal", &Init::truncated_normal, "mean", "deviation",
        "Normal numbers that are drawn again beyond two deviations.");
}

void define_optimizers(py::module_& m) {
  py::class_<Schedule>(m, "Schedule", "A learning rate as a function of the number of steps done.")
      .def("__call__", [](const Schedule& s, const py::object& step) {
        const Var v = From<Var>::get(step.ptr(), {"schedule", "step"});
        Var r = (Unlocked(), s(v));
        return r;
      });
  py::class_<Optimizer> o(m, "Optimizer", "A rule that moves parameters along gradients.");
  o.def_property_readonly(
      "slots", [](const Optimizer& v) { return v.slots(); }, "The names of each parameter's state.");
  o.def(
      "__call__",
      [](const Optimizer& f, const py::object& step, const py::object& parameters, const py::object& gradients,
         const py::object& state) {
        const Var n = From<Var>::get(step.ptr(), {"optimizer", "step"});
        const std::vector<Var> p = vars_of_list(parameters), g = vars_of_list(gradients), s = vars_of_list(state);
        const Location at = caller();
        auto u = (Unlocked(), f(n, p, g, s, at));
        return py::make_tuple(py::reinterpret_steal<py::object>(result(std::move(u.parameters))),
                              py::reinterpret_steal<py::object>(result(std::move(u.state))));
      },
      "(new parameters, new state) after one update; the state of the first parameter comes first, in the order of "
      "slots.",
      py::arg("step"), py::arg("parameters"), py::arg("gradients"), py::arg("state"));
}

void define_trainer(py::module_& m) {
  py::class_<Trainer> t(m, "Trainer",
                        "A compiled train step with its state: loss, gradients and update are one program.");
  t.attr("__module__") = "tc.numpy";
  t.def(py::init([](const Function& loss, const Optimizer& optimizer, double clip_norm, const py::kwargs& options) {
          const CompilerOptions o = compiler_options(options);
          const py::gil_scoped_release free;
          return std::make_unique<Trainer>(loss, optimizer, TrainOptions{clip_norm}, o);
        }),
        py::arg("loss"), py::arg("optimizer"), py::arg("clip_norm") = 0.0);
  t.def(
      "step",
      [](Trainer& self, const py::args& args) {
        std::vector<Tensor> inputs;
        for (const py::handle a : args)
          inputs.push_back(py::isinstance<Var>(a) ? py::cast<const Var&>(a).tensor(caller()) : tensor_of_any(a));
        std::vector<Tensor> outputs;
        {
          const py::gil_scoped_release free;
          outputs = self.step(std::move(inputs));
        }
        py::tuple results(outputs.size());
        for (size_t i = 0; i < outputs.size(); ++i) results[i] = py::cast(dsl::Tracer::array(std::move(outputs[i])));
        return results;
      },
      "One update; the outputs of the loss before it, as a tuple of arrays.");
  t.def_property_readonly("steps", &Trainer::steps, "Updates done.");
  t.def(
      "parameters", [](const Trainer& self) { return as_dict(self.parameters()); }, "The parameters by name.");
  t.def(
      "state", [](const Trainer& self) { return as_dict(self.state()); },
      "All that training goes on from, by name: see set_state and tc.save_tensors.");
  t.def(
      "set_state", [](Trainer& self, const py::dict& state) { self.set_state(named_tensors(state)); },
      "Goes on from another state of the same names and types.", py::arg("state"));
  t.def_property_readonly(
      "function", [](const Trainer& self) { return self.function(); }, "The train step as a program.");
}

}  // namespace

void define_training(py::module_& m) {
  define_parameters(m);
  define_init(m);
  define_optimizers(m);
  define_trainer(m);
  m.def(
      "parameters_of", [](const Function& f) { return as_dict(parameters_of(f)); },
      "The parameters of a program by name.", py::arg("function"));
  m.def(
      "with_parameters",
      [](const Function& f, const py::dict& values) { return with_parameters(f, named_tensors(values)); },
      "A copy of a program whose parameters begin with other values.", py::arg("function"), py::arg("parameters"));
  m.def(
      "save_tensors",
      [](const py::object& path, const py::dict& tensors) {
        save_tensors(py::str(py::module_::import("os").attr("fspath")(path)), named_tensors(tensors));
      },
      "Writes arrays by name into a .safetensors or .npz file.", py::arg("path"), py::arg("tensors"));
  m.def(
      "load_tensors",
      [](const py::object& path) {
        py::dict result;
        for (auto& [name, t] : load_tensors(py::str(py::module_::import("os").attr("fspath")(path))))
          result[py::str(name)] = py::cast(dsl::Tracer::array(std::move(t)));
        return result;
      },
      "The arrays of such a file by name.", py::arg("path"));
}

}  // namespace tc::python
