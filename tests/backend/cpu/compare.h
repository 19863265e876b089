// Runs of compiled modules, and comparisons of their outputs with the reference.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tc/backend/cpu/run/executable.h"
#include "tc/ir/module.h"

namespace tc {

struct Tolerance {
  double rtol = 1e-4, atol = 1e-5;  // of f32; 100 times that for narrower floats
};

// What differs between a value and its higher-precision truth (floats may be f64 there); empty: nothing. Integers,
// booleans and strings must be equal.
std::string difference(const Datum& actual, const Datum& truth, Tolerance tolerance = {});
// Bit for bit, types and extents included.
bool identical(const Datum& a, const Datum& b);

// Of random ops in `widened`.
inline constexpr uint64_t kRandomSeed = 1;

// The truth: interpretation without rounding between nodes.
std::vector<Datum> widened(const Module& module, const std::vector<Datum>& inputs);

// Tiers that this machine has.
std::vector<kernels::Tier> machine_tiers();

// Compiles a copy of the module.
std::shared_ptr<const Executable> compiled(const Module& module, const CompileOptions& options = {});

// The first difference among outputs, with its number; empty: none.
std::string differences(const std::vector<Datum>& actual, const std::vector<Datum>& truth, Tolerance tolerance = {});

// Runs each set of inputs in turn on one context, at both levels, against the reference.
void expect_agreement(const Module& m, const std::vector<std::vector<Datum>>& runs);

// The text of the Error that f throws; empty when it throws none.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

}  // namespace tc
