// Samples: small graphs that exercise one op each, with inputs in the op's domain. Every generic suite (interpreter
// against widened interpreter, every kernel tier, text round trip, inference against actual shapes, ...) runs over
// them; an op without a sample fails a test.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tc/ir/builder.h"

namespace tc {

// A graph under construction, with the values of its inputs.
class SampleGraph {
 public:
  SampleGraph() : module(std::make_unique<Module>()), b(module->main()) {}

  // An input with uniform elements in [low, high] (integers inclusive, booleans 0/1). Deterministic.
  Value* input(DType t, Extents extents, double low = -2, double high = 2) {
    return input(random(t, std::move(extents), low, high));
  }
  // An input with these elements. `dims`, when given, declares symbolic extents instead of the actual ones.
  Value* input(Tensor value, Dims dims = {}) {
    Type type = dims.empty() ? value.type() : Type::tensor(value.dtype(), Shape(std::move(dims)));
    inputs.emplace_back(std::move(value));
    return module->main().add_input(std::move(type), "in" + std::to_string(inputs.size() - 1));
  }
  Value* input(Datum value, Type type) {
    inputs.push_back(std::move(value));
    return module->main().add_input(std::move(type), "in" + std::to_string(inputs.size() - 1));
  }
  void outputs(std::vector<Value*> values) { module->main().set_outputs(values); }
  Tensor random(DType t, Extents extents, double low = -2, double high = 2);

  std::unique_ptr<Module> module;
  Builder b;
  std::vector<Datum> inputs;

 private:
  std::mt19937_64 rng_{42};
};

struct Sample {
  std::string name;                 // "conv/strided"; the part before the slash is the op's name
  void (*build)(SampleGraph&);      // adds inputs, nodes, outputs
  double rtol = 1e-4, atol = 1e-5;  // of f32 results against the widened interpreter
  double halves = 0;                // further absolute tolerance where AMX computes by halves of factors
};

#define TC_FAMILY(name) void samples_##name(std::vector<Sample>& samples);
#include "tc/ir/families.def"
#undef TC_FAMILY

const std::vector<Sample>& all_samples();

}  // namespace tc
