// Names of values by which a program says what it draws and of which key, so that export can put something else in
// their place (ExportOptions::random). tc::random gives them.
#pragma once

#include <string_view>

namespace tc::draws {

// What is a function of a key and a shape alone: words; numbers in [0, 1), and in (0, 1); numbers of standard
// distributions, which are computed element by element of those in (0, 1).
inline constexpr std::string_view kBits = "random.bits", kUniform = "random.uniform", kOpen = "random.uniform_open",
                                  kNormal = "random.normal", kExponential = "random.exponential",
                                  kGumbel = "random.gumbel", kLaplace = "random.laplace", kLogistic = "random.logistic",
                                  kCauchy = "random.cauchy";
// Keys: of a seed; of another key and a number, whose low word is named, too; number i (after the dot) of those that
// another key is split into.
inline constexpr std::string_view kKey = "random.key", kFolded = "random.fold_in", kFoldedNumber = "random.fold_in.of",
                                  kSplit = "random.split.";

}  // namespace tc::draws
