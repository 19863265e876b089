#include "tc/backend/cpu/bind/algorithms.h"

#include <algorithm>
#include <cstdio>

#include "tc/ir/diag.h"

namespace tc::cpu {
namespace {

std::vector<std::string> conv_names() {
  std::vector<std::string> names;
  for (const kernels::ConvAlgorithmFacts& facts : kernels::kConvFacts) names.emplace_back(facts.name);
  return names;
}
std::vector<std::string> gemm_names() {
  std::vector<std::string> names;
#define TC_GEMM_ALGORITHM(name, ...) names.emplace_back(#name);
#include "tc/kernels/gemm/algorithms.def"
#undef TC_GEMM_ALGORITHM
  return names;
}

std::vector<std::string> int8_conv_names() {
  return {std::begin(kernels::kInt8ConvNames), std::end(kernels::kInt8ConvNames)};
}

struct AlgorithmKind {
  const char* name;
  std::vector<std::string> (*algorithms)();
};
constexpr AlgorithmKind kAlgorithmKinds[] = {
    {"conv", conv_names}, {"matmul", gemm_names}, {"conv_int8", int8_conv_names}};

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += " " + name;
  return text;
}

std::string microseconds(double ns) {
  char text[32];
  std::snprintf(text, sizeof text, ns < 1e5 ? " %.1f us" : " %.0f us", ns / 1e3);
  return text;
}

Candidate candidate(const char* name, const char* refused, const char* declined, bool chosen,
                    const std::string* forced) {
  Candidate c;
  c.name = name;
  c.usable = refused == nullptr, c.chosen = chosen, c.forced = forced && *forced == c.name;
  if (const char* why = refused ? refused : declined; why && !chosen) c.note = why;
  return c;
}

}  // namespace

std::vector<std::string> algorithm_kinds() {
  std::vector<std::string> names;
  for (const AlgorithmKind& kind : kAlgorithmKinds) names.emplace_back(kind.name);
  return names;
}

std::vector<std::string> algorithm_names(std::string_view kind) {
  for (const AlgorithmKind& row : kAlgorithmKinds)
    if (row.name == kind) return row.algorithms();
  return {};
}

void check_forced(const std::map<std::string, std::string>& force) {
  for (const auto& [kind, algorithm] : force) {
    const auto* row = std::find_if(std::begin(kAlgorithmKinds), std::end(kAlgorithmKinds),
                                   [&](const AlgorithmKind& k) { return k.name == kind; });
    if (row == std::end(kAlgorithmKinds))
      fail(ErrorCode::bad_argument, "force: unknown kind of kernels '", kind, "'; one of", listed(algorithm_kinds()));
    const std::vector<std::string> names = row->algorithms();
    if (std::find(names.begin(), names.end(), algorithm) == names.end())
      fail(ErrorCode::bad_argument, "force: unknown algorithm '", algorithm, "' of ", kind, "; one of", listed(names));
  }
}

std::string describe(const std::vector<Candidate>& candidates) {
  std::string text;
  for (const Candidate& c : candidates) {
    if (!text.empty()) text += "; ";
    text += c.name;
    if (c.ns > 0) text += microseconds(c.ns);
    if (c.chosen) text += c.forced ? " (forced)" : " (chosen)";
    if (!c.note.empty()) text += ": " + c.note;
  }
  return text;
}

kernels::ConvAlgorithm choose(const kernels::ConvQuery& query, const std::string* forced) {
  if (forced)
    if (const auto a = kernels::conv_algorithm(*forced); a && kernels::conv_refusal(query, *a) == nullptr) return *a;
  return kernels::conv_choice(query);
}

std::vector<Candidate> candidates(const kernels::ConvQuery& query, kernels::ConvAlgorithm chosen,
                                  const std::string* forced) {
  std::vector<Candidate> all;
  for (const kernels::ConvCandidate& c : kernels::conv_candidates(query)) {
    all.push_back(
        candidate(kernels::conv_facts(c.algorithm).name, c.refused, c.declined, c.algorithm == chosen, forced));
    all.back().ns = c.ns;
  }
  return all;
}

kernels::GemmAlgorithm choose(const kernels::GemmArgs& args, const kernels::GemmTraits& traits,
                              const std::string* forced) {
  if (forced)
    if (const auto a = kernels::gemm_algorithm(*forced); a && kernels::gemm_refusal(*a, args, traits) == nullptr)
      return *a;
  return kernels::gemm_choice(args, traits);
}

std::vector<Candidate> candidates(const kernels::GemmArgs& args, const kernels::GemmTraits& traits,
                                  const std::string* forced) {
  std::vector<Candidate> all;
  const kernels::GemmAlgorithm chosen = choose(args, traits, forced);
  for (const kernels::GemmCandidate& c : kernels::gemm_candidates(args, traits)) {
    const char* declined = c.declined ? c.declined : "an earlier one is faster";
    all.push_back(
        candidate(kernels::gemm_algorithm_name(c.algorithm), c.refused, declined, c.algorithm == chosen, forced));
  }
  return all;
}

kernels::Int8ConvAlgorithm choose(const kernels::Int8Table& table, const kernels::Int8ConvArgs& args,
                                  const std::string* forced) {
  for (int i = 0; forced && i < kernels::kInt8ConvAlgorithms; ++i) {
    const auto a = static_cast<kernels::Int8ConvAlgorithm>(i);
    if (*forced == kernels::kInt8ConvNames[i] && kernels::int8_conv_refusal(args, a) == nullptr) return a;
  }
  return kernels::int8_conv_preferred(table, args);
}

std::vector<Candidate> candidates(const kernels::Int8Table& table, const kernels::Int8ConvArgs& args,
                                  const std::string* forced) {
  std::vector<Candidate> all;
  const kernels::Int8ConvAlgorithm chosen = choose(table, args, forced);
  for (int i = 0; i < kernels::kInt8ConvAlgorithms; ++i) {
    const auto a = static_cast<kernels::Int8ConvAlgorithm>(i);
    all.push_back(candidate(kernels::kInt8ConvNames[i], kernels::int8_conv_refusal(args, a), "another one is faster",
                            a == chosen, forced));
  }
  return all;
}

}  // namespace tc::cpu
