#include "tc/tools/common/compare.h"

#include <algorithm>

#include "tc/ir/eval/interp.h"

namespace tc {
namespace {

std::string position(const Extents& extents, int64_t index) {
  std::string text;
  for (size_t i = extents.size(); i-- > 0;) {
    text = cat(index % extents[i], text.empty() ? "" : ",", text);
    index /= extents[i];
  }
  return cat("[", text, "]");
}

template <class W>
std::string exact_difference(const Tensor& a, const Tensor& e) {
  const auto x = widen<W>(a), y = widen<W>(e);
  size_t count = 0, first = 0;
  for (size_t i = 0; i < x.size(); ++i)
    if (!(x[i] == y[i]) && count++ == 0) first = i;
  if (!count) return {};
  return cat(count, " of ", x.size(), " elements differ, first at ", position(e.extents(), static_cast<int64_t>(first)),
             ": ", x[first], ", expected ", y[first]);
}

double largest_finite(const std::vector<double>& values) {
  double largest = 0;
  for (const double v : values)
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  return largest;
}

bool same(double x, double y) {
  return x == y || (std::isnan(x) && std::isnan(y));
}

std::string close_difference(const Tensor& a, const Tensor& e, const Tolerance& tolerance) {
  // Complex numbers compare as pairs of reals.
  auto reals = [](const Tensor& t) {
    if (kind(t.dtype()) != DTypeKind::complex) return widen<double>(t);
    std::vector<double> parts;
    for (const auto& c : widen<std::complex<double>>(t)) parts.push_back(c.real()), parts.push_back(c.imag());
    return parts;
  };
  const auto x = reals(a), y = reals(e);
  const double atol = tolerance.atol + tolerance.atol_of_max * largest_finite(y);
  size_t count = 0, worst = 0;
  double worst_excess = -1;
  for (size_t i = 0; i < x.size(); ++i) {
    if (same(x[i], y[i])) continue;
    const double error = std::abs(x[i] - y[i]), allowed = atol + tolerance.rtol * std::abs(y[i]);
    if (std::isfinite(error) && error <= allowed) continue;  // an infinite expectation allows nothing else
    ++count;
    const double excess =
        std::isfinite(error) ? error / std::max(allowed, 1e-300) : std::numeric_limits<double>::infinity();
    if (excess > worst_excess) worst_excess = excess, worst = i;
  }
  if (!count) return {};
  const auto place = static_cast<int64_t>(kind(e.dtype()) == DTypeKind::complex ? worst / 2 : worst);
  return cat(count, " of ", x.size(), " elements differ, worst at ", position(e.extents(), place), ": ", x[worst],
             ", expected ", y[worst]);
}

}  // namespace

double error_of_max(const Tensor& actual, const Tensor& expected) {
  const auto x = widen<double>(actual), y = widen<double>(expected);
  double error = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    if (same(x[i], y[i])) continue;
    const double off = std::abs(x[i] - y[i]);
    error = std::max(error, std::isnan(off) ? std::numeric_limits<double>::infinity() : off);
  }
  return error == 0 ? 0 : error / largest_finite(y);
}

std::string difference(const Datum& actual, const Datum& expected, const Tolerance& tolerance) {
  if (expected.empty()) return actual.empty() ? "" : cat("expected nothing, got ", describe(actual));
  if (expected.is_sequence()) {
    if (!actual.is_sequence()) return cat("expected a sequence, got ", describe(actual));
    if (actual.items().size() != expected.items().size())
      return cat("expected a sequence of ", expected.items().size(), ", got ", actual.items().size());
    for (size_t i = 0; i < expected.items().size(); ++i)
      if (auto d = difference(actual.items()[i], expected.items()[i], tolerance); !d.empty())
        return cat("item ", i, ": ", d);
    return {};
  }
  if (expected.is_map()) {
    if (!actual.is_map()) return cat("expected a map, got ", describe(actual));
    const auto &a = actual.map().entries, &e = expected.map().entries;
    if (a.size() != e.size()) return cat("expected a map of ", e.size(), ", got ", a.size());
    for (const auto& [key, value] : e) {
      const auto it = std::find_if(a.begin(), a.end(), [&](const auto& entry) { return entry.first == key; });
      if (it == a.end()) return "a key is missing";
      if (auto d = difference(it->second, value, tolerance); !d.empty()) return cat("an entry differs: ", d);
    }
    return {};
  }
  const Tensor& e = expected.tensor();
  if (!actual.is_tensor()) return cat("expected ", e.type(), ", got ", describe(actual));
  const Tensor& a = actual.tensor();
  if (a.dtype() != e.dtype() || a.extents() != e.extents()) return cat("expected ", e.type(), ", got ", a.type());
  switch (kind(e.dtype())) {
    case DTypeKind::floating:
    case DTypeKind::complex:
      return close_difference(a, e, tolerance);
    case DTypeKind::string:
      return exact_difference<std::string>(a, e);
    case DTypeKind::unsigned_int:
      return exact_difference<uint64_t>(a, e);
    default:
      return exact_difference<int64_t>(a, e);
  }
}

}  // namespace tc
