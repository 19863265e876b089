#include "compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "tc/ir/eval/interp.h"
#include "tc/ir/eval/wide.h"
#include "tc/kernels/cpu.h"

namespace tc {
namespace {

bool close(double a, double b, double rtol, double atol) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  return std::abs(a - b) <= atol + rtol * std::abs(b);
}
bool close(std::complex<double> a, std::complex<double> b, double rtol, double atol) {
  return std::abs(a - b) <= atol + rtol * std::abs(b);
}

template <class W>
std::string element_difference(const Tensor& a, const Tensor& b, double rtol, double atol) {
  const auto x = widen<W>(a), y = widen<W>(b);
  for (size_t i = 0; i < x.size(); ++i) {
    if constexpr (std::is_same_v<W, double> || std::is_same_v<W, std::complex<double>>) {
      if (!close(x[i], y[i], rtol, atol))
        return cat("element ", i, " of ", x.size(), " is ", x[i], ", expected ", y[i]);
    } else {
      if (x[i] != y[i]) return cat("element ", i, " of ", x.size(), " is ", x[i], ", expected ", y[i]);
    }
  }
  return {};
}

}  // namespace

std::string difference(const Datum& actual, const Datum& truth, Tolerance tolerance) {
  if (actual.is_tensor() && truth.is_tensor()) {
    const Tensor &a = actual.tensor(), &b = truth.tensor();
    if (a.extents() != b.extents()) return cat(a.type(), " instead of ", b.type());
    const bool floats = kind(a.dtype()) == DTypeKind::floating;
    if (floats ? kind(b.dtype()) != DTypeKind::floating : kind(a.dtype()) != kind(b.dtype()))
      return cat(a.type(), " instead of ", b.type());
    const double looser = floats && size_of(a.dtype()) < 4 ? 100 : 1;
    return visit_wide(a.dtype(), [&]<class W>() {
      return element_difference<W>(a, b, looser * tolerance.rtol, looser * tolerance.atol);
    });
  }
  if (actual.is_sequence() && truth.is_sequence()) {
    if (actual.items().size() != truth.items().size())
      return cat(actual.items().size(), " items instead of ", truth.items().size());
    for (size_t i = 0; i < actual.items().size(); ++i)
      if (const auto d = difference(actual.items()[i], truth.items()[i], tolerance); !d.empty())
        return cat("item ", i, ": ", d);
    return {};
  }
  if (actual.empty() && truth.empty()) return {};
  if (actual.is_map() && truth.is_map()) {
    const auto &a = actual.map().entries, &b = truth.map().entries;
    if (a.size() != b.size()) return cat(a.size(), " entries instead of ", b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i].first != b[i].first) return cat("entry ", i, " has another key");
      if (const auto d = difference(a[i].second, b[i].second, tolerance); !d.empty()) return cat("entry ", i, ": ", d);
    }
    return {};
  }
  return cat(describe(actual), " instead of ", describe(truth));
}

bool identical(const Datum& a, const Datum& b) {
  if (a.is_tensor() && b.is_tensor()) return a.tensor().identical(b.tensor());
  if (a.is_sequence() && b.is_sequence()) {
    if (a.items().size() != b.items().size()) return false;
    for (size_t i = 0; i < a.items().size(); ++i)
      if (!identical(a.items()[i], b.items()[i])) return false;
    return true;
  }
  if (a.is_map() && b.is_map())
    return std::equal(a.map().entries.begin(), a.map().entries.end(), b.map().entries.begin(), b.map().entries.end(),
                      [](const auto& p, const auto& q) { return p.first == q.first && identical(p.second, q.second); });
  return a.empty() && b.empty();
}

std::vector<Datum> widened(const Module& module, const std::vector<Datum>& inputs) {
  InterpOptions options;
  options.widened = true;
  options.seed = kRandomSeed;
  return interpret(module, inputs, options);
}

std::vector<kernels::Tier> machine_tiers() {
  std::vector<kernels::Tier> tiers;
  for (const kernels::Tier t : kernels::usable_tiers())
    if (t <= kernels::active_tier()) tiers.push_back(t);
  return tiers;
}

std::shared_ptr<const Executable> compiled(const Module& module, const CompileOptions& options) {
  return compile(clone(module), options);
}

std::string differences(const std::vector<Datum>& actual, const std::vector<Datum>& truth, Tolerance tolerance) {
  if (actual.size() != truth.size()) return cat(actual.size(), " outputs instead of ", truth.size());
  for (size_t i = 0; i < actual.size(); ++i)
    if (const auto d = difference(actual[i], truth[i], tolerance); !d.empty()) return cat("output ", i, ": ", d);
  return {};
}

void expect_agreement(const Module& m, const std::vector<std::vector<Datum>>& runs) {
  for (const int level : {0, 2}) {
    CompileOptions options;
    options.level = level;
    const auto executable = compiled(m, options);
    const auto context = executable->make_context(2);
    for (size_t i = 0; i < runs.size(); ++i)
      EXPECT_EQ(differences(executable->run(runs[i], *context), widened(m, runs[i])), "")
          << "run " << i << " at -O" << level;
  }
}

}  // namespace tc
