#include "tc/ir/eval/type_check.h"

#include "tc/ir/eval/interp.h"

namespace tc {

std::optional<int64_t> TypeChecker::value_of(const Dim& d) const {
  return d.eval([&](const std::string& name) {
    const auto it = symbols_.find(name);
    return it == symbols_.end() ? std::nullopt : std::optional(it->second);
  });
}

std::string TypeChecker::contradiction(const Type& inferred, const Dims* contents, const Datum& d) {
  if (d.empty()) return {};  // an absent optional, or a result that nobody asked for
  const auto differs = [&](const auto&... how) {
    return cat("is inferred as ", inferred, ", but is ", describe(d), how...);
  };
  if (!has_type(d, inferred)) return differs();
  const Type& type = inferred.kind() == Type::Kind::optional ? inferred.element() : inferred;
  if (!type.is_tensor() || !type.shape().ranked()) return {};
  const Tensor& t = d.tensor();
  for (int k = 0; k < t.rank(); ++k) {
    const Dim& dim = type.shape()[k];
    if (dim.is_symbol()) symbols_.emplace(dim.symbol_name(), t.extent(k));
    if (const auto value = value_of(dim); value && *value != t.extent(k)) return differs(": ", dim, " is ", *value);
  }
  if (!contents) return {};
  const auto elements = to_i64(t);
  if (elements.size() != contents->size())
    return differs(" of ", elements.size(), " elements, of which ", contents->size(), " were inferred");
  for (size_t i = 0; i < elements.size(); ++i) {
    const Dim& e = (*contents)[i];
    if (const auto value = value_of(e); value && *value != elements[i])
      return differs(", element ", i, " of which is ", elements[i], " instead of ", e, " = ", *value);
  }
  return {};
}

}  // namespace tc
