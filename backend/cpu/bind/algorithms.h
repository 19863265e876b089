// Kinds of kernels that several algorithms compute. Binding takes the one of least cost; CompileOptions::force takes
// another wherever that can be used.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tc/backend/cpu/plan/plan.h"
#include "tc/kernels/conv/choice.h"
#include "tc/kernels/gemm/choice.h"
#include "tc/kernels/int8/int8_choice.h"

namespace tc::cpu {

// "conv" and "matmul" of f32, "conv_int8".
std::vector<std::string> algorithm_kinds();
// Of a kind; none where it does not exist.
std::vector<std::string> algorithm_names(std::string_view kind);
// Error bad_argument, with what there is, for a kind or an algorithm that does not exist.
void check_forced(const std::map<std::string, std::string>& force);

// For messages: "direct 12.3 us (chosen); winograd2 14.1 us; im2col: channels are blocks".
std::string describe(const std::vector<Candidate>& candidates);

// The algorithm of a convolution: `forced`, where that can be used, or the fastest.
kernels::ConvAlgorithm choose(const kernels::ConvQuery& query, const std::string* forced);
std::vector<Candidate> candidates(const kernels::ConvQuery& query, kernels::ConvAlgorithm chosen,
                                  const std::string* forced);

kernels::GemmAlgorithm choose(const kernels::GemmArgs& args, const kernels::GemmTraits& traits,
                              const std::string* forced);
std::vector<Candidate> candidates(const kernels::GemmArgs& args, const kernels::GemmTraits& traits,
                                  const std::string* forced);

kernels::Int8ConvAlgorithm choose(const kernels::Int8Table& table, const kernels::Int8ConvArgs& args,
                                  const std::string* forced);
std::vector<Candidate> candidates(const kernels::Int8Table& table, const kernels::Int8ConvArgs& args,
                                  const std::string* forced);

}  // namespace tc::cpu
