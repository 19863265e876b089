// What is written for: an opset of ai.onnx with all that follows from it, and the runtime that shall read it.
#pragma once

#include <climits>
#include <string_view>

#include "tc/backend/onnx/export.h"
#include "tc/backend/onnx/schema.h"

namespace tc::onnx {

// The newest opset that ONNX Runtime 1.30 loads files of.
inline constexpr int kMaxOrtOpset = 26;

struct Dialect {
  int opset;
  ExportTarget target;
  int newest_ml = INT_MAX;  // of ai.onnx.ml: later ones have withdrawn operators that the program needs

  bool ort() const { return target == ExportTarget::ort; }
  int ir_version() const;                         // the least that has this opset
  int version_of(std::string_view domain) const;  // the opset of a domain; 0: it is not for this dialect
  // The version in effect of an operator; null when the dialect lacks it.
  const Schema* find(std::string_view domain, std::string_view name) const {
    return find_schema(domain, name, version_of(domain));
  }
};

// What ONNX Runtime's CPU kernels have, as found by experiment (ort.def): any for this version of the operator, one for
// this element type of a type variable.
bool has_ort_kernel(const Schema& schema);
bool has_ort_kernel(const Schema& schema, std::string_view variable, DType t);

}  // namespace tc::onnx
