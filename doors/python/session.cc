#include "tc/doors/python/session.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cstring>
#include <filesystem>

#include "tc/doors/python/convert.h"
#include "tc/doors/python/errors.h"
#include "tc/doors/python/programs.h"
#include "tc/ir/module.h"

namespace tc::python {
namespace {

// As ONNX Runtime spells types: tensor(float), seq(tensor(int64)), optional(...), map(string,tensor(float)).
std::string_view onnx_word(DType t) {
  switch (t) {
    case DType::f32:
      return "float";
    case DType::f64:
      return "double";
    case DType::str:
      return "string";
    default:
      return type_name(t);
  }
}

std::string spelled(const Type& t) {
  switch (t.kind()) {
    case Type::Kind::tensor:
      return cat("tensor(", onnx_word(t.dtype()), ")");
    case Type::Kind::sequence:
      return cat("seq(", spelled(t.element()), ")");
    case Type::Kind::optional:
      return cat("optional(", spelled(t.element()), ")");
    case Type::Kind::map:
      return cat("map(", onnx_word(t.dtype()), ",", spelled(t.element()), ")");
    case Type::Kind::none:
      return "";
  }
  return "";
}

// Extents without a name are None, as are those of which only the place is known.
py::list extents_of(const ValueInfo& v) {
  py::list result;
  if (!v.type.is_tensor() || !v.type.shape().ranked()) return result;
  int axis = 0;
  for (const Dim& d : v.type.shape().dims()) {
    const std::string text = d.str();
    const bool nameless = text == cat(v.name, ".", axis++) || text.starts_with("?");
    if (d.is_const())
      result.append(d.value());
    else
      result.append(nameless ? py::object(py::none()) : py::object(py::str(text)));
  }
  return result;
}

Type type_of(const Datum& d, const Type& otherwise) {
  if (d.is_tensor()) return d.tensor().type();
  if (d.is_sequence() && !d.items().empty()) return Type::sequence(type_of(d.items()[0], {}));
  return otherwise;
}

Function with_dims(const Function& f, const py::object& dims) {
  if (dims.is_none() || py::len(dims) == 0) return f;
  // Fixed extents: the program as part of one whose inputs have them.
  const auto fixed = dims.cast<std::map<std::string, int64_t>>();
  std::vector<Input> declared;
  for (const ValueInfo& v : f.inputs()) {
    Input input{v.name, DType::f32, {}, v.type.str()};
    if (v.type.is_tensor() && v.type.shape().ranked()) {
      input = {v.name, v.type.dtype(), {}, {}};
      for (const Dim& d : v.type.shape().dims())
        input.shape.emplace_back(d.substitute([&](const std::string& name) -> std::optional<Dim> {
          const auto it = fixed.find(name);
          return it == fixed.end() ? std::nullopt : std::optional<Dim>(it->second);
        }));
    }
    declared.push_back(std::move(input));
  }
  const auto outputs = f.outputs();
  return dsl::trace(
      f.name(), declared, -1,
      [&](const std::vector<Var>& in) {
        Outputs out;
        for (Var& v : f(Args(in))) out.push_back({outputs[out.size()].name, std::move(v)});
        return out;
      },
      Location::current());
}

Function read(const py::object& model) {
  if (py::isinstance<py::bytes>(model)) {
    const auto bytes = py::reinterpret_borrow<py::bytes>(model);
    const std::string_view text = bytes;
    const auto owner = keep(bytes);
    const py::gil_scoped_release free;
    return load_onnx(text.data(), text.size(), owner);
  }
  const std::string path = py::str(py::module_::import("os").attr("fspath")(model));
  if (!std::filesystem::exists(path)) {
    const Error missing(ErrorCode::bad_file, "there is no file " + path);
    set_error(py::module_::import("tc._tc").attr("session_errors").attr("NoSuchFile").ptr(), missing);
    throw py::error_already_set();
  }
  const py::gil_scoped_release free;
  return load(path);
}

void refuse_terminated(const py::object& run_options) {
  if (run_options.is_none() || !run_options.attr("terminate").cast<bool>()) return;
  const Error e(ErrorCode::check_failed, "the run was terminated: its options say so");
  set_error(session_error(Stage::run, e.code()), e);
  throw py::error_already_set();
}

}  // namespace

Session::Session(const py::object& model, const py::dict& options, bool profile, const py::object& dims) {
  in_session(Stage::load, [&] {
    const CompilerOptions o = compiler_options(options);
    function_ = with_dims(read(model), dims);
    inputs_ = function_.inputs();
    outputs_ = function_.outputs();
    const py::gil_scoped_release free;
    compiled_ = compile(function_, o);
    if (profile) {
      context_ = compiled_.executable().make_context(o.threads);
      context_->profile_into(&timings_);
    }
  });
  for (const ValueInfo& v : inputs_)
    input_names_.push_back(py::reinterpret_steal<py::object>(PyUnicode_InternFromString(v.name.c_str())));
  for (size_t i = 0; i < outputs_.size(); ++i) output_places_[py::str(outputs_[i].name)] = i;
}

py::list Session::arguments(bool inputs) const {
  py::list result;
  for (const ValueInfo& v : inputs ? inputs_ : outputs_)
    result.append(py::make_tuple(v.name, spelled(v.type), extents_of(v)));
  return result;
}

py::list Session::timings() const {
  py::list result;
  for (const cpu::StepTiming& t : timings_) {
    const Node& n = *t.step->node;
    const std::string op(n.info().name());
    result.append(py::make_tuple(n.location().empty() ? op : n.location(), op, t.step->kernel, t.begin_ns,
                                 t.end_ns - t.begin_ns));
  }
  return result;
}

void Session::refuse_feed(const py::dict& feed) const {
  std::string names;
  for (const ValueInfo& v : inputs_) names += (names.empty() ? "" : ", ") + v.name;
  for (const auto& [key, value] : feed) {
    const std::string name = py::str(key);
    const bool known = std::any_of(inputs_.begin(), inputs_.end(), [&](const ValueInfo& v) { return v.name == name; });
    if (!known) {
      const Error e(ErrorCode::bad_input, cat("the model has no input '", name, "'; its inputs are ", names));
      set_error(session_error(Stage::run, e.code()), e);
      throw py::error_already_set();
    }
  }
  std::string missing;
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (!feed.contains(input_names_[i]) && inputs_[i].type.kind() != Type::Kind::optional)
      missing += (missing.empty() ? "" : ", ") + inputs_[i].name;
  throw py::value_error("inputs are missing: " + missing + "; the model's inputs are " + names);
}

std::vector<Datum> Session::inputs_of(const py::dict& feed, bool values) const {
  std::vector<Datum> result;
  result.reserve(inputs_.size());
  size_t found = 0;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    PyObject* value = PyDict_GetItemWithError(feed.ptr(), input_names_[i].ptr());
    if (!value) {
      if (PyErr_Occurred()) throw py::error_already_set();
      if (inputs_[i].type.kind() != Type::Kind::optional) refuse_feed(feed);
      result.emplace_back();
      continue;
    }
    ++found;
    if (values || py::isinstance<OrtValue>(value)) {
      result.push_back(py::cast<const OrtValue&>(py::handle(value)).datum);
      continue;
    }
    try {
      result.push_back(datum_of(value, inputs_[i].type));
    } catch (const py::type_error& e) {
      const Error wrong(ErrorCode::bad_input,
                        cat("input '", inputs_[i].name, "' is ", inputs_[i].type, ": ", e.what()));
      set_error(session_error(Stage::run, wrong.code()), wrong);
      throw py::error_already_set();
    }
  }
  if (found != static_cast<size_t>(PyDict_GET_SIZE(feed.ptr()))) refuse_feed(feed);
  return result;
}

std::vector<size_t> Session::places_of(const py::object& output_names) const {
  std::vector<size_t> places;
  const int none = output_names.is_none() ? 1 : PyObject_Not(output_names.ptr());
  if (none < 0) throw py::error_already_set();
  if (none) {
    for (size_t i = 0; i < outputs_.size(); ++i) places.push_back(i);
    return places;
  }
  for (const py::handle name : output_names) {
    PyObject* place = PyDict_GetItemWithError(output_places_.ptr(), name.ptr());
    if (!place) {
      if (PyErr_Occurred()) throw py::error_already_set();
      const Error e(ErrorCode::bad_argument, cat("the model has no output '", std::string(py::str(name)), "'"));
      set_error(session_error(Stage::run, e.code()), e);
      throw py::error_already_set();
    }
    places.push_back(PyLong_AsSize_t(place));
  }
  return places;
}

std::vector<Datum> Session::outputs_for(std::vector<Datum> inputs) {
  return in_session(Stage::run, [&] {
    const py::gil_scoped_release free;
    if (!context_) return compiled_.run(std::move(inputs));
    const std::lock_guard lock(profiling_);
    return compiled_.executable().run(std::move(inputs), *context_);
  });
}

py::list Session::run(const py::object& output_names, const py::dict& feed, const py::object& run_options) {
  const std::vector<size_t> places = places_of(output_names);
  refuse_terminated(run_options);
  std::vector<Datum> outputs = outputs_for(inputs_of(feed, false));
  py::list result(places.size());
  for (size_t k = 0; k < places.size(); ++k) {
    const bool again =
        std::find(places.begin() + static_cast<std::ptrdiff_t>(k) + 1, places.end(), places[k]) != places.end();
    result[k] = object_of(again ? outputs[places[k]] : std::move(outputs[places[k]]));
  }
  return result;
}

py::list Session::run_values(const py::object& output_names, const py::dict& feed, const py::object& run_options) {
  const std::vector<size_t> places = places_of(output_names);
  refuse_terminated(run_options);
  std::vector<Datum> outputs = outputs_for(inputs_of(feed, true));
  py::list result;
  for (const size_t i : places) result.append(OrtValue{outputs[i], type_of(outputs[i], outputs_[i].type)});
  return result;
}

namespace {

const Tensor& tensor_in(const OrtValue& v) {
  if (!v.datum.is_tensor()) throw py::type_error("the value is no tensor");
  return v.datum.tensor();
}

void define_value(py::module_& m) {
  py::class_<OrtValue> c(m, "OrtValue", "A value in the library's memory: a tensor, a sequence, a map, or nothing.");
  // Memory of its own: update_inplace writes to it, and what runs read does not move.
  c.def_static("from_numpy", [](const py::object& a) {
    Tensor t = tensor_of_any(a).clone();
    const Type type = t.type();
    return OrtValue{std::move(t), type};
  });
  c.def_static("from_numpy_as", [](const py::object& a, int onnx_type) {
    const auto t = dtype_from_onnx(onnx_type);
    if (!t) throw py::value_error("no ONNX element type " + std::to_string(onnx_type));
    Tensor own = tensor_of_any(a, t).clone();
    if (own.dtype() != *t) throw py::type_error("the array's words are not as large as the type's elements");
    const Type type = own.type();
    return OrtValue{std::move(own), type};
  });
  c.def_static("from_shape", [](const Extents& shape, const py::object& dtype) {
    Tensor t(element_type_of(dtype), shape);
    const Type type = t.type();
    return OrtValue{std::move(t), type};
  });
  c.def_static("from_list", [](const py::list& items) {
    Sequence s;
    for (const py::handle i : items) s.items.emplace_back(tensor_of_any(i).clone());
    const Type type = s.items.empty() ? Type() : Type::sequence(s.items[0].tensor().type());
    return OrtValue{std::move(s), type};
  });
  c.def("data_type", [](const OrtValue& v) { return spelled(v.type); });
  c.def("element_type", [](const OrtValue& v) { return info(tensor_in(v).dtype()).onnx; });
  c.def("shape", [](const OrtValue& v) { return tensor_in(v).extents(); });
  c.def("data_ptr", [](const OrtValue& v) { return reinterpret_cast<uintptr_t>(tensor_in(v).data()); });
  c.def("nbytes", [](const OrtValue& v) { return tensor_in(v).bytes(); });
  c.def("has_value", [](const OrtValue& v) { return !v.datum.empty(); });
  c.def("is_tensor", [](const OrtValue& v) { return v.datum.is_tensor(); });
  c.def("is_tensor_sequence", [](const OrtValue& v) { return v.datum.is_sequence(); });
  c.def("numpy", [](const OrtValue& v) { return object_of(v.datum); });
  c.def("update_inplace", [](const OrtValue& v, const py::object& a) {
    const Tensor from = tensor_of_any(a);
    const Tensor& to = tensor_in(v);
    if (from.dtype() != to.dtype() || from.extents() != to.extents())
      throw py::value_error(cat("the value is ", to.type(), ", the array ", from.type()));
    if (to.dtype() == DType::str) throw py::type_error("strings cannot be updated in place");
    std::memcpy(const_cast<void*>(to.data()), from.data(), from.bytes());  // memory that from_numpy made
  });
}

}  // namespace

void define_session(py::module_& m) {
  define_value(m);
  py::class_<Session> c(m, "Session", "A compiled ONNX model that is run by the names of its inputs and outputs.");
  c.def(py::init<const py::object&, const py::dict&, bool, const py::object&>(), py::arg("model"), py::arg("options"),
        py::arg("profile") = false, py::arg("dims") = py::none());
  c.def("run", &Session::run,
        "Outputs by their names, or all for None, as a list of arrays; `input_feed` has a value for each input's name.",
        py::arg("output_names"), py::arg("input_feed"), py::arg("run_options") = py::none());
  c.def("_run_values", &Session::run_values);
  c.def("_arguments", &Session::arguments);
  c.def("_timings", &Session::timings);
  c.def("_metadata", [](const Session& s) { return s.function().module().metadata; });
  c.def_property_readonly(
      "function", [](const Session& s) { return s.function(); }, "The program as a Function.");
  c.def("trim", &Session::trim, "Gives the memory and threads of idle callers back.");
}

}  // namespace tc::python
