#include "tc/backend/onnx/reals.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tc::onnx {
namespace {

double stored(double x) {
  return static_cast<float>(x);
}

bool survives(double x) {
  return std::isnan(x) || stored(x) == x;
}

bool is_f64(const Value* v) {
  return v && v->type().is_tensor() && v->dtype() == DType::f64;
}

std::string spelled(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

}  // namespace

void round_reals(Node& node) {
  for (int j = 0; j < node.num_results(); ++j)
    if (is_f64(node.result(j))) return;
  const AttrsInfo& info = node.info().attrs;
  std::shared_ptr<void> copy;
  const auto set = [&](size_t field, const AttrValue& v) {
    if (!copy) copy = info.copy(node.raw_attrs().get());
    info.set(copy.get(), field, v);
  };
  for (size_t i = 0; i < info.fields.size(); ++i) {
    if (info.fields[i].kind != AttrKind::real && info.fields[i].kind != AttrKind::reals) continue;
    AttrValue v = info.get(node.raw_attrs().get(), i);
    if (const auto* x = std::get_if<double>(&v)) {
      if (!survives(*x)) set(i, stored(*x));
    } else if (auto* list = std::get_if<std::vector<double>>(&v)) {
      if (std::all_of(list->begin(), list->end(), survives)) continue;
      std::transform(list->begin(), list->end(), list->begin(), stored);
      set(i, v);
    }
  }
  if (copy) node.set_attrs(std::move(copy));
}

std::optional<std::string> unstorable_real(const OnnxNode& node) {
  if (std::none_of(node.outputs.begin(), node.outputs.end(), is_f64)) return std::nullopt;
  for (const OnnxAttribute& a : node.attributes) {
    if (a.name == "seed") continue;  // any number does
    std::vector<double> numbers;
    if (const auto* x = std::get_if<double>(&a.value)) numbers = {*x};
    if (const auto* list = std::get_if<std::vector<double>>(&a.value)) numbers = *list;
    const auto lost = std::find_if_not(numbers.begin(), numbers.end(), survives);
    if (lost != numbers.end())
      return cat("attribute '", a.name, "' of ", node.name, " holds 32 bits, too few for ", spelled(*lost), " in f64");
  }
  return std::nullopt;
}

}  // namespace tc::onnx
