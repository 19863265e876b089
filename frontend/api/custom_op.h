// Operators of your own, and values that print themselves.
//
//   tc::register_op({.domain = "my.ops", .name = "Shrink",
//                    .infer = [](const auto& x) { return std::vector<tc::Type>{x[0].type}; },
//                    .kernel = shrink},                              // std::vector<Tensor>(const std::vector<Tensor>&)
//                   {.body = tc::rule([](tc::Var x) { return x / (1 + tc::abs(x)); })});
//   tc::Var y = tc::custom_op("my.ops.Shrink", {x});
//
// The kernel runs in plans; models from files that have nodes of that domain find it. The body says the same in tc's
// own functions: it is differentiated, unless there is a rule for gradients, and stands for the op in exported files
// (ExportOptions::custom_ops).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tc/frontend/dsl/control.h"
#include "tc/ir/attrs.h"
#include "tc/ir/custom_op.h"

namespace tc {

using Attributes = std::vector<std::pair<std::string, AttrValue>>;  // as of tc::op

struct OpRules {
  dsl::Body body = {-1, nullptr};  // of the arguments, attributes among them
  // As of custom_vjp: from arguments, results and gradients of results to gradients of arguments.
  dsl::Body gradient = {-1, nullptr};
};
// A function of Vars, for OpRules.
template <class F>
dsl::Body rule(F f) {
  const auto kept = std::make_shared<F>(std::move(f));
  return {dsl::Flat<F>::kArity, [kept](const std::vector<Var>& v) { return dsl::Flat<F>{*kept}(v); }};
}

// For the whole process. Error bad_argument where the op has neither a kernel, a reference nor a body, lacks inference,
// or is registered already.
void register_op(CustomOp op, OpRules rules = {});

// A registered op in a program, by its domain and name. Errors: unknown_op; bad_attribute for attributes that it does
// not have, or that are missing; bad_argument for another number of results than the body has; and what inference
// finds.
Var custom_op(std::string_view name, const Args& arguments, const Attributes& attributes = {},
              Location at = Location::current());
std::vector<Var> custom_op_n(std::string_view name, int results, const Args& arguments,
                             const Attributes& attributes = {}, Location at = Location::current());

// x, which is printed to standard error, after the message, whenever the value is computed in a run. What nobody uses
// is not computed. Files cannot say it: see ExportOptions::prints.
Var debug_print(Arg x, std::string message = {}, Location at = Location::current());

}  // namespace tc
