#include "tc/ir/custom_op.h"

#include <map>
#include <mutex>

#include "tc/ir/diag.h"
#include "tc/ir/module.h"

namespace tc {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const CustomOp>, std::less<>> ops;
};

Registry& registry() {
  static auto& r = *new Registry;  // calls may outlive static objects
  return r;
}

}  // namespace

void register_custom_op(CustomOp op) {
  const std::string name = op.full_name();
  if (op.domain.empty() || op.name.empty()) fail(ErrorCode::bad_argument, "an op needs a domain and a name");
  if (op.domain == "ai.onnx" || op.domain.starts_with("ai.onnx.") || op.domain == "com.microsoft")
    fail(ErrorCode::bad_argument, "the op ", name, ": the domain ", op.domain, " has its owner");
  if (op.computes() && !op.infer) fail(ErrorCode::bad_argument, "the op ", name, " has no inference");
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  if (!r.ops.emplace(name, std::make_shared<const CustomOp>(std::move(op))).second)
    fail(ErrorCode::bad_argument, "an op ", name, " is registered already");
}

std::shared_ptr<const CustomOp> find_custom_op(std::string_view full_name) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  const auto it = r.ops.find(full_name);
  return it == r.ops.end() ? nullptr : it->second;
}

Graph* body_of_custom(const Module& module, const std::string& gradient) {
  if (!gradient.ends_with(kCustomGradient)) return module.find_function(gradient);
  return module.find_function(std::string_view(gradient).substr(0, gradient.size() - kCustomGradient.size()));
}

std::vector<std::string> custom_op_names() {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  std::vector<std::string> names;
  for (const auto& [name, op] : r.ops) names.push_back(name);
  return names;
}

}  // namespace tc
