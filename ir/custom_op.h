// Operators that a program adds at run time. In the IR one is a `call` of "domain.name" where the module has no
// function of that name; files have it as a node of its domain.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tc/ir/tensor.h"

namespace tc {

struct CustomArgument {
  Type type;
  const Tensor* value = nullptr;  // of a constant, else null
};

struct CustomOp {
  std::string domain, name;
  // Attributes of the node in files; in programs they are the last arguments, constants of any type. The tensor is the
  // default; an undefined one has none.
  std::vector<std::pair<std::string, Tensor>> attributes = {};
  // Types of the results from the arguments; one that is refused by a tc::Error or another exception.
  std::function<std::vector<Type>(const std::vector<CustomArgument>&)> infer = {};
  // Results from arguments. `reference` serves the interpreter, `kernel` plans, from several threads at once; one
  // stands in for the other. With neither, what is registered as its body runs.
  using Compute = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
  Compute reference = {}, kernel = {};

  std::string full_name() const { return domain + "." + name; }
  bool computes() const { return reference || kernel; }
};

// For the whole process, for good. Error bad_argument where it lacks what it needs, or the name is taken.
void register_custom_op(CustomOp op);
// Null where there is none of that full name.
std::shared_ptr<const CustomOp> find_custom_op(std::string_view full_name);
std::vector<std::string> custom_op_names();

// tc::debug_print(x, message): x, which a run prints.
inline constexpr std::string_view kPrint = "tc.debug.print";

// What a module may have of such an op beside the calls: a function that computes it in other ops, named as the op with
// the first ending, which is the call's `gradient`; or, where a rule for gradients is registered, that is, and the
// function of its name without the second ending computes the op.
inline constexpr std::string_view kCustomBody = ".body", kCustomGradient = ".gradient";
class Graph;
class Module;
// That function, or null.
Graph* body_of_custom(const Module& module, const std::string& gradient);

}  // namespace tc
