#include "tests/samples/sample.h"

namespace tc {
namespace {

Tensor words(Extents extents, const std::vector<std::string>& list) {
  return Tensor::of<std::string>(std::move(extents), list);
}

}  // namespace

void samples_text(std::vector<Sample>& samples) {
  const auto add = [&](const char* name, void (*build)(SampleGraph&)) { samples.push_back({name, build}); };
  add("string_concat", [](SampleGraph& g) {
    Value *x = g.input(DType::str, {2, 1}), *y = g.input(words({3}, {"", "π", "z"}));
    g.outputs({g.b.make<StringConcat>({x, y}), g.b.make<StringConcat>({g.input(DType::str, {0}), x})});
  });
  add("string_normalizer", [](SampleGraph& g) {
    Value* x = g.input(words({5}, {"Monday", "ÄRGER", "the", "THE", "end"}), {Dim::symbol("n")});
    Value* row = g.input(words({1, 2}, {"the", "The"}));
    g.outputs({g.b.make<StringNormalizer>({x}, {CaseChange::lower, true, {}, {"the"}}),
               g.b.make<StringNormalizer>({x}, {CaseChange::upper, false, {}, {"the", "ärger"}}),
               g.b.make<StringNormalizer>({row}, {CaseChange::none, false, "en_US", {"the"}}),
               g.b.make<StringNormalizer>({x})});
  });
  add("string_split", [](SampleGraph& g) {
    Value* x = g.input(words({2, 2}, {" a  b\tc ", "", "a,b,,c", ","}), {Dim::symbol("n"), 2});
    const auto split = [&](std::optional<std::string> delimiter, std::optional<int64_t> most) {
      Node* n = g.b.make_n<StringSplit>({x}, {std::move(delimiter), most}, 2);
      return std::pair(n->result(0), n->result(1));
    };
    const auto [a, a_count] = split({}, {});
    const auto [b, b_count] = split(",", {});
    const auto [c, c_count] = split("", 1);
    const auto [d, d_count] = split(",", 1);
    g.outputs({a, a_count, b, b_count, c, c_count, d, d_count});
  });
  add("regex_full_match", [](SampleGraph& g) {
    Value* x = g.input(words({3}, {"a@b.org", "a@b", "x a@b.org"}));
    g.outputs({g.b.make<RegexFullMatch>({x}, {R"((\w+)@(\w+)\.org)"})});
  });
  add("tf_idf_vectorizer", [](SampleGraph& g) {
    TfIdfVectorizer::Attrs a;
    a.max_gram_length = 2, a.max_skip_count = 1;
    a.ngram_counts = {0, 2}, a.ngram_indexes = {2, 0, 1, 3}, a.pool_int64s = {7, 8, 8, 7, 7, 9};
    TfIdfVectorizer::Attrs weighted = a, text = a;
    weighted.mode = TermWeighting::tfidf, weighted.weights = {1, 2, 0.5, -1};
    text.mode = TermWeighting::idf, text.weights = {1, 2, 0.5, -1};
    text.pool_int64s = {}, text.pool_strings = {"7", "8", "8", "7", "7", "9"};
    Value* x = g.input(Tensor::of<int64_t>({2, 5}, {7, 8, 7, 9, 1, 8, 8, 7, 7, 7}), {Dim::symbol("n"), 5});
    Value* narrow = g.input(Tensor::of<int32_t>({3}, {7, 7, 9}));
    g.outputs({g.b.make<TfIdfVectorizer>({x}, a), g.b.make<TfIdfVectorizer>({x}, weighted),
               g.b.make<TfIdfVectorizer>({narrow}, a),
               g.b.make<TfIdfVectorizer>({g.input(words({4}, {"8", "7", "", "9"}))}, text)});
  });
}

}  // namespace tc
