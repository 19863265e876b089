// Internal to autodiff: forward mode.
#pragma once

#include <unordered_map>
#include <vector>

#include "tc/passes/autodiff/reverse.h"

namespace tc::autodiff {

// Rebuilds graphs with tangents next to values. Nodes with a differentiable operand that has a tangent are run in
// reverse with their own results as stand-ins for seeds; that is linear in the seeds, and its reverse maps tangents of
// operands to tangents of results.
class Forward {
 public:
  Forward() : reverse_(options_) {}
  JvpContext::Results run(Builder& b, const Graph& g, const std::vector<Value*>& values,
                          const std::vector<Value*>& tangents);
  // Of a value that a node of the graph to come defines.
  void set_tangent(const Value* original, Value* tangent) { given_[original] = tangent; }
  Value* copy_of(const Value* v) const;  // itself where there is none

 private:
  void rebuild(Builder& b, const Node& node);
  std::vector<Value*> transposed(Builder& b, Node& copy);
  Value* tangent_of(const Value* v) const;  // of an original value
  void define(const Value* original, Value* copy, Value* tangent);

  GradientOptions options_;
  Reverse reverse_;
  std::unordered_map<const Value*, Value*> copies_;
  std::unordered_map<const Value*, Value*> tangents_;  // by copy
  std::unordered_map<const Value*, Value*> given_;     // by original
};

}  // namespace tc::autodiff
