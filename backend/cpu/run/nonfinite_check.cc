#include "tc/backend/cpu/run/nonfinite_check.h"

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "tc/backend/cpu/run/frame.h"

namespace tc::cpu {
namespace {

thread_local bool in_scope = false;

struct Found {
  int64_t place;
  double value;
};

std::string_view spelled(double v) {
  return std::isnan(v) ? "NaN" : v > 0 ? "inf" : "-inf";
}

std::optional<Found> first_nonfinite(DType t, const void* data, int64_t count) {
  std::optional<Found> found;
  if (!dtypes::floats.has(t)) return found;
  visit_dtype(t, [&]<class T>() {
    if constexpr (requires(T v) { static_cast<double>(v); }) {
      const T* p = static_cast<const T*>(data);
      for (int64_t i = 0; i < count; ++i) {
        const double v = static_cast<double>(p[i]);
        if (std::isfinite(v)) continue;
        found = {i, v};
        return;
      }
    }
  });
  return found;
}

// What is wrong with a value; empty when nothing is.
std::string complaint(const Frame& f, Slot s) {
  const auto& value = f.plan().values[static_cast<size_t>(s)];
  if (!value.type.is_tensor()) return {};
  const DType t = value.type.dtype();
  if (value.layout != Layout::plain) {
    const int64_t count = static_cast<int64_t>(f.bytes(s)) * 8 / info(t).bits;
    const auto found = first_nonfinite(t, f.raw(s), count);
    return found ? std::string(spelled(found->value)) : std::string();
  }
  const Datum d = f.datum(s);
  if (!d.is_tensor()) return {};
  const Tensor& tensor = d.tensor();
  const auto found = first_nonfinite(t, tensor.data(), tensor.size());
  if (!found) return {};
  std::string index;
  int64_t rest = found->place;
  for (size_t i = tensor.extents().size(); i-- > 0;) {
    const int64_t extent = tensor.extents()[i];
    index = cat(rest % extent, index.empty() ? "" : ",", index);
    rest /= extent;
  }
  return cat(spelled(found->value), " at [", index, "] of ", tensor.type());
}

}  // namespace

NonFiniteCheck::Scope::Scope(bool on) : outer_(in_scope) {
  in_scope = on;
}
NonFiniteCheck::Scope::~Scope() {
  in_scope = outer_;
}

bool NonFiniteCheck::enabled() {
  static const bool always = [] {
    const char* checks = std::getenv("TC_CHECK");
    return checks && std::string_view(checks) == "finite";
  }();
  return always || in_scope;
}

void NonFiniteCheck::inputs(const Frame& f) {
  const Plan& plan = f.plan();
  if (plan.graph->owner()) return;  // what a body gets was checked when it was computed
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    const std::string what = complaint(f, plan.inputs[i]);
    if (!what.empty())
      tc::fail(ErrorCode::check_failed, "input '", plan.graph->input(static_cast<int>(i))->name(), "' has ", what);
  }
}

void NonFiniteCheck::after(const Frame& f, int step) {
  const Step& ran = *f.plan().steps[static_cast<size_t>(step)];
  for (const Slot s : ran.writes) {
    const std::string what = complaint(f, s);
    if (!what.empty())
      f.fail(*ran.node, ErrorCode::check_failed, cat(ran.node->info().name(), " (", ran.kernel, ") gave ", what));
  }
}

}  // namespace tc::cpu
