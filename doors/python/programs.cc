#include "tc/doors/python/programs.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <functional>
#include <map>

#include "tc/doors/python/array.h"
#include "tc/doors/python/call.h"
#include "tc/doors/python/convert.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/text/parse.h"

namespace tc::python {
namespace {

template <class Options>
using Setters = std::map<std::string, std::function<void(Options&, py::handle)>>;

template <class Options>
Options options_of(const py::dict& named, const Setters<Options>& setters) {
  Options result;
  for (const auto& [key, value] : named) {
    const auto it = setters.find(py::str(key));
    if (it == setters.end()) {
      std::string all;
      for (const auto& [name, set] : setters) all += (all.empty() ? "" : ", ") + name;
      throw py::type_error("no option '" + std::string(py::str(key)) + "'; one of " + all);
    }
    if (!value.is_none()) it->second(result, value);
  }
  return result;
}

template <class T>
T one_of(py::handle word, std::initializer_list<std::pair<const char*, T>> words) {
  const std::string text = py::str(word);
  std::string all;
  for (const auto& [name, value] : words) {
    if (text == name) return value;
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  throw py::value_error("'" + text + "' is not one of " + all);
}

ExportOptions export_options(const py::dict& named) {
  static const Setters<ExportOptions> kSetters = {
      {"opset", [](auto& o, py::handle v) { o.opset = v.cast<int>(); }},
      {"target",
       [](auto& o, py::handle v) {
         o.target = one_of<ExportTarget>(v, {{"standard", ExportTarget::standard}, {"ort", ExportTarget::ort}});
       }},
      {"functions",
       [](auto& o, py::handle v) {
         o.functions =
             one_of<ExportFunctions>(v, {{"inlined", ExportFunctions::inlined}, {"local", ExportFunctions::local}});
       }},
      {"checks",
       [](auto& o, py::handle v) {
         o.checks = one_of<ExportChecks>(
             v, {{"dropped", ExportChecks::dropped}, {"refused", ExportChecks::refused}, {"trap", ExportChecks::trap}});
       }},
      {"random",
       [](auto& o, py::handle v) {
         o.random = one_of<ExportRandom>(v, {{"generator", ExportRandom::generator},
                                             {"keys", ExportRandom::keys},
                                             {"inputs", ExportRandom::inputs},
                                             {"onnx", ExportRandom::onnx}});
       }},
      {"external_data",
       [](auto& o, py::handle v) {
         o.external_data = one_of<ExternalData>(v, {{"automatic", ExternalData::automatic},
                                                    {"never", ExternalData::never},
                                                    {"always", ExternalData::always}});
       }},
      {"dims", [](auto& o, py::handle v) { o.dims = v.cast<std::map<std::string, int64_t>>(); }},
      {"external_threshold", [](auto& o, py::handle v) { o.external_threshold = v.cast<int64_t>(); }},
      {"value_info", [](auto& o, py::handle v) { o.value_info = v.cast<bool>(); }},
      {"graph_name", [](auto& o, py::handle v) { o.graph_name = py::str(v); }},
      {"doc_string", [](auto& o, py::handle v) { o.doc_string = py::str(v); }},
      {"producer_name", [](auto& o, py::handle v) { o.producer_name = py::str(v); }},
      {"producer_version", [](auto& o, py::handle v) { o.producer_version = py::str(v); }},
      {"level", [](auto& o, py::handle v) { o.level = v.cast<int>(); }},
  };
  return options_of(named, kSetters);
}

py::list described(const std::vector<ValueInfo>& values) {
  py::list result;
  for (const ValueInfo& v : values) {
    py::object shape = py::none(), dtype = py::none();
    if (v.type.is_tensor()) {
      dtype = numpy_dtype(v.type.dtype());
      if (v.type.shape().ranked()) {
        py::list extents;
        for (const Dim& d : v.type.shape().dims())
          extents.append(d.is_const() ? py::object(py::int_(d.value())) : py::object(py::str(d.str())));
        shape = py::tuple(extents);
      }
    }
    result.append(py::make_tuple(v.name, v.type.str(), dtype, shape));
  }
  return result;
}

// Host tensors of arguments; those of NumPy share its memory.
std::vector<Tensor> tensors_of(const py::args& args) {
  std::vector<Tensor> result;
  for (const py::handle a : args)
    result.push_back(py::isinstance<Var>(a) ? py::cast<const Var&>(a).tensor(caller()) : tensor_of_any(a));
  return result;
}

py::object arrays_of(std::vector<Tensor> tensors, const std::vector<Tensor>& inputs) {
  py::tuple result(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    // What the caller may write to is no array of ours.
    const bool shared = std::any_of(inputs.begin(), inputs.end(),
                                    [&](const Tensor& t) { return t.owner() && t.owner() == tensors[i].owner(); });
    result[i] = py::cast(dsl::Tracer::array(shared ? tensors[i].clone() : std::move(tensors[i])));
  }
  return result;
}

void define_function(py::module_& m) {
  py::class_<Function> c(m, "Function", "A program: traced from Python, read from a file, or a gradient of another.");
  c.attr("__module__") = "tc.numpy";
  c.def_property_readonly("name", &Function::name);
  c.def_property_readonly(
      "inputs", [](const Function& f) { return described(f.inputs()); }, "(name, type, dtype, shape) of each input.");
  c.def_property_readonly(
      "outputs", [](const Function& f) { return described(f.outputs()); },
      "(name, type, dtype, shape) of each output.");
  c.def_property_readonly(
      "metadata", [](const Function& f) { return f.module().metadata; }, "What the file says about itself.");
  c.def("__str__", &Function::str);
  c.def("__repr__", [](const Function& f) {
    return cat("<tc.Function ", f.name(), ": ", f.inputs().size(), " inputs, ", f.outputs().size(), " outputs>");
  });
  c.def(
      "__call__",
      [](const Function& f, const py::args& args) {
        const Args list = From<Args>::get(args.ptr(), {"call", "arguments"});
        const Location at = caller();
        std::vector<Var> results = (Unlocked(), f(list, at));
        return py::reinterpret_steal<py::object>(result(std::move(results)));
      },
      "The outputs as a tuple; inside of a trace the program becomes part of the one that is traced.");
  c.def(
      "compile",
      [](const Function& f, const py::kwargs& options) {
        const CompilerOptions o = compiler_options(options);
        const py::gil_scoped_release free;
        return compile(f, o);
      },
      "compile(level=2, threads=0, isa='', max_memory=..., max_steps=..., seed=None, idle_contexts=0): a Compiled.");
  c.def(
      "export_onnx",
      [](const Function& f, const py::object& path, const py::kwargs& options) {
        const ExportOptions o = export_options(options);
        const std::string file = py::str(py::module_::import("os").attr("fspath")(path));
        const py::gil_scoped_release free;
        return export_onnx(f, file, o).str();
      },
      "export_onnx(path, opset=18, target='standard', ...): writes an ONNX file; says what had to be rewritten.",
      py::arg("path"));
  c.def(
      "onnx_bytes",
      [](const Function& f, const py::kwargs& options) {
        const ExportOptions o = export_options(options);
        std::string bytes;
        {
          const py::gil_scoped_release free;
          bytes = export_onnx_bytes(f, o);
        }
        return py::bytes(bytes);
      },
      "The bytes of an ONNX file; options as of export_onnx.");
  using Of = Function (*)(const Function&, const std::vector<std::string>&);
  const auto derived = [&](const char* name, Of f, const char* doc) {
    c.def(name, f, doc, py::arg("wrt") = std::vector<std::string>(), py::call_guard<py::gil_scoped_release>());
  };
  derived(
      "grad", [](const Function& f, const std::vector<std::string>& wrt) { return grad(f, wrt); },
      "The gradients of output 0 with respect to inputs and parameters by name; without names, to all parameters.");
  derived(
      "value_and_grad", [](const Function& f, const std::vector<std::string>& wrt) { return value_and_grad(f, wrt); },
      "The outputs, and behind them the gradients of output 0.");
  derived(
      "vjp", [](const Function& f, const std::vector<std::string>& wrt) { return vjp(f, wrt); },
      "(inputs, seeds of the outputs) -> (outputs, gradients of the sum of <output, seed>).");
  derived(
      "jvp", [](const Function& f, const std::vector<std::string>& wrt) { return jvp(f, wrt); },
      "(inputs, tangents) -> (outputs, tangents of the outputs).");
}

}  // namespace

CompilerOptions compiler_options(const py::dict& named) {
  static const Setters<CompilerOptions> kSetters = {
      {"level", [](auto& o, py::handle v) { o.level = v.cast<int>(); }},
      {"threads", [](auto& o, py::handle v) { o.threads = v.cast<int>(); }},
      {"isa", [](auto& o, py::handle v) { o.isa = py::str(v); }},
      {"max_memory", [](auto& o, py::handle v) { o.max_memory = v.cast<uint64_t>(); }},
      {"max_steps", [](auto& o, py::handle v) { o.max_steps = v.cast<uint64_t>(); }},
      {"seed", [](auto& o, py::handle v) { o.seed = v.cast<uint64_t>(); }},
      {"idle_contexts", [](auto& o, py::handle v) { o.idle_contexts = v.cast<int>(); }},
  };
  return options_of(named, kSetters);
}

void define_programs(py::module_& m) {
  define_function(m);
  py::class_<Compiled> c(m, "Compiled", "A compiled program. Calls from several threads run at the same time.");
  c.attr("__module__") = "tc.numpy";
  c.def(
      "__call__",
      [](const Compiled& f, const py::args& args) {
        const std::vector<Tensor> inputs = tensors_of(args);
        std::vector<Tensor> outputs;
        {
          const py::gil_scoped_release free;
          outputs = f(inputs);
        }
        return arrays_of(std::move(outputs), inputs);
      },
      "The outputs as a tuple of arrays.");
  c.def("trim", &Compiled::trim, "Gives the memory and threads of idle callers back.");
  m.def(
      "load",
      [](const py::object& path) {
        const std::string file = py::str(py::module_::import("os").attr("fspath")(path));
        const py::gil_scoped_release free;
        return load(file);
      },
      "The program of an .onnx file or of textual IR (.tc).", py::arg("path"));
  m.def(
      "load_onnx",
      [](const py::bytes& bytes) {
        const std::string_view text = bytes;
        const auto owner = keep(bytes);
        const py::gil_scoped_release free;
        return load_onnx(text.data(), text.size(), owner);
      },
      "The program of an ONNX model in memory.", py::arg("bytes"));
  m.def(
      "parse", [](const std::string& text) { return parse(text); }, "The program of textual IR.", py::arg("text"));
}

}  // namespace tc::python
