// Which algorithm computes a product of f32.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "tc/kernels/gemm/gemm.h"

namespace tc::kernels {

// algorithms.def has a row for each.
enum class GemmAlgorithm : uint8_t {
#define TC_GEMM_ALGORITHM(name, ...) name,
#include "tc/kernels/gemm/algorithms.def"
#undef TC_GEMM_ALGORITHM
};

// Of args only extents, strides and how B is given count.

// Why it cannot compute a product; null: it can.
const char* gemm_refusal(GemmAlgorithm algorithm, const GemmArgs& args, const GemmTraits& traits);
// The one that gemm_plan takes.
GemmAlgorithm gemm_choice(const GemmArgs& args, const GemmTraits& traits);
// By an algorithm that does not refuse.
GemmPlan gemm_plan(GemmAlgorithm algorithm, const GemmArgs& args, const GemmTraits& traits);

// What the choice was made from, for people.
struct GemmCandidate {
  GemmAlgorithm algorithm;
  const char* refused = nullptr;   // it cannot compute the product
  const char* declined = nullptr;  // others are faster
};
std::vector<GemmCandidate> gemm_candidates(const GemmArgs& args, const GemmTraits& traits);

const char* gemm_algorithm_name(GemmAlgorithm algorithm);
std::optional<GemmAlgorithm> gemm_algorithm(std::string_view name);

}  // namespace tc::kernels
