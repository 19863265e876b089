// A model that is run by names, as ONNX Runtime's Python package has it.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tc/backend/cpu/run/executable.h"
#include "tc/tc.h"

namespace tc::python {

namespace py = pybind11;

// A value that stays in the library's memory between runs.
struct OrtValue {
  Datum datum;
  Type type;  // of an absent value: what it would be
};

class Session {
 public:
  // `model`: a path, or bytes.
  Session(const py::object& model, const py::dict& options, bool profile, const py::object& dims);

  // Outputs by names, or all where that is None, for inputs by names; values are what NumPy takes.
  py::list run(const py::object& output_names, const py::dict& feed, const py::object& run_options);
  py::list run_values(const py::object& output_names, const py::dict& feed, const py::object& run_options);

  const Function& function() const { return function_; }
  py::list arguments(bool inputs) const;  // (name, ONNX Runtime's spelling of the type, shape)
  py::list timings() const;               // of all runs: (node, op, kernel, begin in ns, duration in ns)
  void trim() const { compiled_.trim(); }

 private:
  std::vector<Datum> inputs_of(const py::dict& feed, bool values) const;
  std::vector<Datum> outputs_for(std::vector<Datum> inputs);
  std::vector<size_t> places_of(const py::object& output_names) const;
  [[noreturn]] void refuse_feed(const py::dict& feed) const;

  Function function_;
  Compiled compiled_;
  std::vector<ValueInfo> inputs_, outputs_;
  std::vector<py::object> input_names_;  // Python's strings, looked up as they are
  py::dict output_places_;
  std::mutex profiling_;              // of what follows
  std::unique_ptr<Context> context_;  // of profiled runs; else null
  std::vector<cpu::StepTiming> timings_;
};

void define_session(py::module_& m);

}  // namespace tc::python
