// Semantics at the edge: one ONNX node with given operands and the exact results that it must have. The rows are text
// (tests/edges/*.txt):
//
//   # What the rows below show, and where the standard or NumPy says so.
//   Max-13: f32[3] nan 1 -0; f32[] 0 -> f32[3] nan 1 0
//     numpy: np.maximum(a, b)
//   Div-14 attribute=1: i32[1] 1; i32[1] 0 -> error bad-value
//     ort: refuses
//     why: a division by zero has no result
//
// Operands and results are lists of tensors, `_` where one is left out; "7..." fills the rest of a tensor. A zero with
// a sign has to have that sign. Clauses, one a line: `within`: relative tolerance; `numpy`: the results as an
// expression of the operands a, b, c, ..., which a test evaluates; `ort`: what ONNX Runtime does where it is something
// else: results, `refuses`, `not run`; `why`: a sentence for the page that lists those differences.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tc/ir/tensor.h"

namespace edges {

struct Expected {
  tc::Tensor value;
  std::vector<bool> sign_counts;  // of zeros, by element
};

// A tensor as rows write it.
std::string spelled(const tc::Tensor& t);

struct Edge {
  std::string place;  // "reduce.txt:12"
  std::string topic;  // the comment above
  std::string text;   // the row itself
  std::string op, domain;
  int since = 0;
  std::vector<std::string> attributes;  // messages
  std::vector<std::optional<tc::Tensor>> inputs;
  std::vector<std::optional<Expected>> outputs;
  std::string error;  // code, where the operands are refused
  double within = 0;
  std::string numpy, why;
  enum class Runtime { agrees, differs, refuses, not_run } ort = Runtime::agrees;
  std::vector<std::optional<Expected>> ort_outputs;  // where it differs
  std::string ort_text;                              // the clause
};

// All rows; throws std::runtime_error that names the line where one cannot be read.
const std::vector<Edge>& all_edges();

// How the operands reach the node.
enum class Form { fed, symbolic, half_constant, constant };
inline constexpr Form kForms[] = {Form::fed, Form::symbolic, Form::half_constant, Form::constant};
const char* name_of(Form form);
// The model of the row, and the operands that it takes as inputs.
std::string model_of(const Edge& edge, Form form);
std::vector<std::pair<std::string, tc::Tensor>> inputs_of(const Edge& edge, Form form);

// Where results differ from what a row says; empty: nowhere.
std::string difference(const std::vector<tc::Tensor>& actual, const std::vector<std::optional<Expected>>& expected,
                       double within);

// docs/onnx-differences.md: the rows in which ONNX Runtime does something else.
std::string page_of_differences();

}  // namespace edges
