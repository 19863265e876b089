// Operators on strings against ONNX Runtime.
#include <gtest/gtest.h>

#include "nodes.h"

namespace tc::peers {
namespace {

using namespace tc::model_writer;

Tensor words(const std::vector<std::string>& v) {
  return Tensor::of<std::string>({static_cast<int64_t>(v.size())}, v);
}

TEST(PeerText, Strings) {
  const Tensor text = words({"Monday", "ÄRGER", "ärger", "monday", "ÉTÉ"});
  // An empty string is one piece, as in Python; in ONNX Runtime none. Without a delimiter it splits at blanks alone.
  const Tensor csv = words({"a,b,,c", ",", "abc"});
  const Tensor spaced = words({" a  b c ", "x", "y z"});
  const auto normalizer = [](const char* change, int64_t sensitive, const std::vector<std::string>& stop) {
    return Messages{attr_s("case_change_action", change), attr_i("is_case_sensitive", sensitive),
                    attr_s("locale", "C.UTF-8"), attr_strings("stopwords", stop)};
  };
  expect_agreement({"",
                    {{"", 20}},
                    {{"concat", "StringConcat", {Tensor::of<std::string>({2, 1}, {"a", "ü"}), words({"", "x", "→"})}},
                     {"lower", "StringNormalizer", {text}, normalizer("LOWER", 1, {"monday"})},
                     {"upper", "StringNormalizer", {text}, normalizer("UPPER", 0, {"MONDAY", "ärger"})},
                     {"kept", "StringNormalizer", {text}, normalizer("NONE", 0, {"été"})},
                     {"nothing_left", "StringNormalizer", {words({"a", "A"})}, normalizer("NONE", 0, {"a"})},
                     {"split", "StringSplit", {csv}, {attr_s("delimiter", ",")}, 2},
                     {"split_once", "StringSplit", {csv}, {attr_s("delimiter", ","), attr_i("maxsplit", 1)}, 2},
                     {"split_spaces", "StringSplit", {spaced}, {}, 2},
                     {"regex",
                      "RegexFullMatch",
                      {words({"www.a.com", "wwwXa.com", "a\n"})},
                      {attr_s("pattern", R"(www\.[\w.-]+\.com\b)")}}}});
}

TEST(PeerText, TermFrequencies) {
  std::vector<NodeCase> cases;
  const Tensor x = Tensor::of<int64_t>({2, 7}, {1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8, 3, 3});
  for (const char* mode : {"TF", "IDF", "TFIDF"})
    for (int64_t skip : {0, 1, 5})
      for (int64_t shortest : {1, 2})
        cases.push_back({cat(mode, skip, shortest),
                         "TfIdfVectorizer",
                         {x},
                         {attr_s("mode", mode), attr_i("min_gram_length", shortest), attr_i("max_gram_length", 2),
                          attr_i("max_skip_count", skip), attr_ints("ngram_counts", {0, 4}),
                          attr_ints("ngram_indexes", {0, 1, 2, 3, 4, 5, 6}),
                          attr_ints("pool_int64s", {3, 5, 7, 8, 5, 6, 7, 8, 6, 7}),
                          attr_floats("weights", {1, 2, 0.5f, 3, -1, 0.25f, 4})}});
  cases.push_back(
      {"text",
       "TfIdfVectorizer",
       {words({"b", "a", "", "b"})},
       {attr_s("mode", "TF"), attr_i("min_gram_length", 1), attr_i("max_gram_length", 1), attr_i("max_skip_count", 0),
        attr_ints("ngram_counts", {0}), attr_ints("ngram_indexes", {2, 0}), attr_strings("pool_strings", {"a", "b"})}});
  expect_agreement({"", {{"", 20}}, std::move(cases)});
}

}  // namespace
}  // namespace tc::peers
