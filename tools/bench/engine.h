// Engines that `tc-bench` compares. Each runs one model in a process of its own (see protocol.h).
#pragma once

#include <memory>
#include <string>

#include "tc/frontend/api/files/npy.h"

namespace tc::bench {

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string version() const = 0;
  virtual void run() = 0;              // once, on the inputs it was made with
  virtual NamedTensors outputs() = 0;  // of the last run
  // Not every engine can tell.
  struct Counts {
    double flops = 0, steps = 0;  // of one run
    double step_ns = 0;           // what a step costs that has a single element to compute
  };
  virtual Counts counts() { return {}; }
};

struct EngineOptions {
  std::string model;    // .onnx; the tc engine also reads .tc
  NamedTensors inputs;  // for all of the model's inputs
  int threads = 1;
  std::string library;  // shared library of ONNX Runtime
  bool strict = false;  // tc: f32 by plain multiply-adds
  bool exact = false;   // ONNX Runtime: products of bytes that do not saturate on machines without VNNI
};

std::unique_ptr<Engine> make_tc_engine(const EngineOptions& options);
inline constexpr const char* kTcStrict = "tc-strict";
inline constexpr const char *kOrt = "ort", *kOrtExact = "ort-exact";
// ONNX Runtime through its C API. Errors: bad_file when the library cannot be loaded, check_failed with ONNX Runtime's
// own message when it refuses the model or fails.
std::unique_ptr<Engine> make_ort_engine(const EngineOptions& options);
// Reads the inputs and writes outputs of the model's extents, in a plain loop: what memory allows a model that does
// little else. Its outputs mean nothing.
inline constexpr const char* kStreams = "streams";
std::unique_ptr<Engine> make_streams_engine(const EngineOptions& options);

}  // namespace tc::bench
