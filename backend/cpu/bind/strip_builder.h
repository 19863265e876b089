// Elementwise nodes as strip programs (kernels/elementwise/strip.h): one node, or the nodes of a cluster's region.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tc/ir/graph.h"
#include "tc/kernels/elementwise/strip.h"

namespace tc::cpu {

// The kernels' spelling of an element type; nothing for types that they do not know.
std::optional<kernels::Elem> elem_of(DType t);
// The same for memory of a program that computes in `compute`: to one of as wide integers words have a sign.
std::optional<kernels::Elem> elem_of(DType t, kernels::Elem compute);

// A program and the memory it refers to.
struct CompiledStrip {
  std::vector<kernels::StripOp> code;
  std::vector<kernels::Immediate> immediates;
  kernels::StripProgram program;
};

// Builds a program value by value; ids of inputs, immediates and results are interchangeable.
class StripBuilder {
 public:
  explicit StripBuilder(kernels::Elem compute) : compute_(compute) {}
  int input();
  int immediate(double v);
  int op(kernels::MicroOp op, int a, int b = -1, int c = -1);
  // The node's result in terms of its operands' ids (-1 for absent ones); -1 when there are no micro-ops for it.
  int node(const Node& n, const std::vector<int>& operands);
  // A function of the library (ir/library.h) of x; -1 when there is no micro-op for it.
  int library(std::string_view function, int x);
  // The program whose outputs are `ids`; null when it needs more slots than there are.
  std::shared_ptr<const CompiledStrip> finish(const std::vector<int>& ids);

 private:
  enum class Kind : uint8_t { input, immediate, result };
  struct Item {
    Kind kind;
    int number;
    kernels::Immediate value;
    kernels::MicroOp op{};
    int a = -1, b = -1, c = -1;
  };
  int fold(kernels::MicroOp o, const std::vector<int>& ids);
  static void contract(std::vector<Item>& items, const std::vector<int>& output);
  kernels::Elem compute_;
  int inputs_ = 0;
  std::vector<Item> items_;
};

// Are there micro-ops for a function of the library?
bool has_library_kernel(std::string_view function);

// The type in which nodes over these values compute; nothing (and a reason) when there is none. Narrow integers wrap
// only when they are stored, so they compute in one op at a time.
std::optional<kernels::Elem> compute_type(const std::vector<const Value*>& values, bool single, std::string& reason);

}  // namespace tc::cpu
