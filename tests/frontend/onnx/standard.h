// What the ONNX standard says about each version of each operator, from operators.json, or the file that TC_ONNX_OPS
// names: a JSON list of {domain, name, since, inputs, outputs, attributes, types}, where a slot is "name:type"
// ("name?:type" optional, "name*:type" variadic) with a type of its own or a variable of `types`, and an attribute
// "kind", "kind!" (required) or "kind=default".
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tc/ir/type.h"

namespace standard {

struct Slot {
  std::string name, variable;  // of `types`, which has an entry for fixed types too
  bool optional = false, variadic = false;
};

struct Attribute {
  std::string name, kind;
  bool required = false;
  std::string fallback;  // JSON; empty: none
};

struct Version {
  std::string domain, name;
  int since = 1, until = 1;  // first and last opset in which this version holds
  bool deprecated = false;
  std::vector<Slot> inputs, outputs;
  std::vector<Attribute> attributes;
  std::map<std::string, std::vector<tc::Type>> types;  // by variable
  std::string str() const;                             // "Add-7", "ai.onnx.ml.Scaler-1"
};

// Tensors have unknown ranks.
const std::vector<Version>& versions();
// The newest opset of a domain.
int newest(const std::string& domain);

}  // namespace standard
