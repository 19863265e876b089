#include "tc/ir/ops/text.h"

#include <algorithm>

namespace tc {
namespace {

// Items [C], or rows of items [N,C].
const Shape& expect_rows(InferContext& ctx) {
  const Shape& s = ctx.shape(0);
  if (s.ranked() && s.rank() != 1 && s.rank() != 2)
    ctx.fail(ErrorCode::bad_shape, ctx.node().op(), " takes [C] or [N,C], got ", ctx.type(0));
  return s;
}

}  // namespace

void StringNormalizer::infer(InferContext& ctx) {
  const Shape& in = expect_rows(ctx);
  if (!in.ranked()) return ctx.set(0, Shape());
  if (in.rank() == 2 && in[0].is_const() && !in[0].is(1))
    ctx.fail(ErrorCode::bad_shape, "string_normalizer takes [C] or [1,C], got ", ctx.type(0));
  Dims dims = in.dims();
  if (dims.size() == 2) dims[0] = 1;
  if (ctx.attrs<StringNormalizer>().stopwords.empty())
    dims.back() = max(dims.back(), 1);
  else if (!dims.back().is(1) && !dims.back().is(0))
    dims.back() = ctx.fresh();
  else
    dims.back() = 1;
  ctx.set(0, Shape(std::move(dims)));
}

void StringSplit::infer(InferContext& ctx) {
  const Shape& in = ctx.shape(0);
  ctx.set(1, in);
  if (!in.ranked()) return ctx.set(0, Shape());
  Dims dims = in.dims();
  const bool none = std::any_of(dims.begin(), dims.end(), [](const Dim& d) { return d.is(0); });
  dims.push_back(none ? Dim(0) : ctx.fresh());
  ctx.set(0, Shape(std::move(dims)));
}

void RegexFullMatch::infer(InferContext& ctx) {
  ctx.set(0, ctx.shape(0));
}

void TfIdfVectorizer::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<TfIdfVectorizer>();
  const auto bad = [&](const auto&... parts) { ctx.fail(ErrorCode::bad_attribute, parts...); };
  if (a.min_gram_length < 1 || a.max_gram_length < a.min_gram_length)
    bad("n-grams of ", a.min_gram_length, " to ", a.max_gram_length, " items");
  if (a.max_skip_count < 0) bad("max_skip_count is ", a.max_skip_count);
  const bool strings = ctx.dtype(0) == DType::str;
  if ((strings ? a.pool_strings.empty() : a.pool_int64s.empty()) ||
      (strings ? !a.pool_int64s.empty() : !a.pool_strings.empty()))
    bad("items of type ", ctx.dtype(0), " need a pool of ", strings ? "strings" : "integers", " and no other");
  const auto pool = static_cast<int64_t>(strings ? a.pool_strings.size() : a.pool_int64s.size());
  if (static_cast<int64_t>(a.ngram_counts.size()) < a.max_gram_length)
    bad("ngram_counts has ", a.ngram_counts.size(), " entries for n-grams of up to ", a.max_gram_length, " items");
  size_t ngrams = 0;
  for (size_t i = 0; i < a.ngram_counts.size(); ++i) {
    const int64_t begin = a.ngram_counts[i], end = i + 1 < a.ngram_counts.size() ? a.ngram_counts[i + 1] : pool;
    const auto n = static_cast<int64_t>(i) + 1;
    if (begin < 0 || end < begin || end > pool || (end - begin) % n != 0)
      bad("ngram_counts puts the n-grams of ", n, " items at [", begin, ", ", end, ") of a pool of ", pool);
    ngrams += static_cast<size_t>((end - begin) / n);
  }
  if (a.ngram_indexes.size() != ngrams || ngrams == 0)
    bad(a.ngram_indexes.size(), " ngram_indexes for ", ngrams, " n-grams");
  if (!a.weights.empty() && a.weights.size() != ngrams) bad(a.weights.size(), " weights for ", ngrams, " n-grams");
  const auto [least, most] = std::minmax_element(a.ngram_indexes.begin(), a.ngram_indexes.end());
  if (*least < 0 || *most == INT64_MAX) bad("ngram_indexes has the column ", *least < 0 ? *least : *most);
  const Shape& in = expect_rows(ctx);
  if (!in.ranked()) return ctx.set(0, Shape());
  Dims dims = in.dims();
  dims.back() = *most + 1;
  ctx.set(0, Shape(std::move(dims)));
}

}  // namespace tc
