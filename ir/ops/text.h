// Strings: joined, cut, normalised, matched, and counted as n-grams.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

struct StringConcat : Broadcasting {
  static constexpr OpFacts facts{
      "string_concat", {"StringConcat", 20}, "x:str, y:str -> z:str", {}, "each string of x followed by that of y"};
};

enum class CaseChange : uint8_t { none, lower, upper };
template <>
inline constexpr auto kEnumNames<CaseChange> = std::array<std::string_view, 3>{"NONE", "LOWER", "UPPER"};

struct StringNormalizer {
  struct Attrs {
    CaseChange case_change_action = CaseChange::none;
    bool is_case_sensitive = false;  // of the comparison with stop words
    std::optional<std::string> locale;
    std::vector<std::string> stopwords;
    static constexpr auto fields = Fields{field("case_change_action", &Attrs::case_change_action),
                                          field("is_case_sensitive", &Attrs::is_case_sensitive),
                                          field("locale", &Attrs::locale), field("stopwords", &Attrs::stopwords)};
  };
  static constexpr OpFacts facts{"string_normalizer",
                                 {"StringNormalizer", 10},
                                 "x:str -> y:str",
                                 {},
                                 "strings [C] or [1,C] without stop words, in one case; one empty string if none stay"};
  static void infer(InferContext& ctx);
};

struct StringSplit {
  struct Attrs {
    std::optional<std::string> delimiter;  // absent or empty: any run of white space
    std::optional<int64_t> maxsplit;       // absent or negative: as many as there are
    static constexpr auto fields = Fields{field("delimiter", &Attrs::delimiter), field("maxsplit", &Attrs::maxsplit)};
  };
  static constexpr OpFacts facts{"string_split",
                                 {"StringSplit", 20},
                                 "x:str -> y:str, num_splits:i64?",
                                 {},
                                 "the parts of each string along a new last axis, padded with empty strings"};
  static void infer(InferContext& ctx);
};

struct RegexFullMatch {
  struct Attrs {
    std::string pattern;  // RE2's syntax
    static constexpr auto fields = Fields{field("pattern", &Attrs::pattern, required)};
  };
  static constexpr OpFacts facts{
      "regex_full_match", {"RegexFullMatch", 20}, "x:str -> y:bool", {}, "does the whole string match the pattern?"};
  static void infer(InferContext& ctx);
};

enum class TermWeighting : uint8_t { tf, idf, tfidf };
template <>
inline constexpr auto kEnumNames<TermWeighting> = std::array<std::string_view, 3>{"TF", "IDF", "TFIDF"};

struct TfIdfVectorizer {
  struct Attrs {
    TermWeighting mode = TermWeighting::tf;
    int64_t min_gram_length = 1, max_gram_length = 1;
    int64_t max_skip_count = 0;          // items left out between neighbours of an n-gram, at most
    std::vector<int64_t> ngram_counts;   // [n - 1]: where the n-grams begin in the pool
    std::vector<int64_t> ngram_indexes;  // of each n-gram of the pool: its column of the result
    std::vector<int64_t> pool_int64s;    // the items of the n-grams, one after the other
    std::vector<std::string> pool_strings;
    std::vector<double> weights;  // of each n-gram of the pool; empty: all 1
    static constexpr auto fields = Fields{field("mode", &Attrs::mode, required),
                                          field("min_gram_length", &Attrs::min_gram_length, required),
                                          field("max_gram_length", &Attrs::max_gram_length, required),
                                          field("max_skip_count", &Attrs::max_skip_count, required),
                                          field("ngram_counts", &Attrs::ngram_counts, required),
                                          field("ngram_indexes", &Attrs::ngram_indexes, required),
                                          field("pool_int64s", &Attrs::pool_int64s),
                                          field("pool_strings", &Attrs::pool_strings),
                                          field("weights", &Attrs::weights)};
  };
  static constexpr OpFacts facts{"tf_idf_vectorizer",
                                 {"TfIdfVectorizer", 9},
                                 "x:T -> y:f32",
                                 {{{'T', dtypes::strings | dtypes::index}}},
                                 "how often the n-grams of a pool occur in [C] or in each row of [N,C]"};
  static void infer(InferContext& ctx);
};

}  // namespace tc
