#include <algorithm>
#include <locale>
#include <map>
#include <set>
#include <unordered_map>

#include "tc/ir/eval/broadcast.h"
#include "tc/ir/eval/eval.h"

namespace tc {
namespace {

// The code point that begins at s[at], and its length in bytes; the byte itself where the text is not valid UTF-8.
std::pair<char32_t, size_t> code_point(std::string_view s, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char lead = byte(at);
  const size_t length = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 1;
  if (length == 1 || at + length > s.size()) return {lead, 1};
  char32_t c = lead & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return {lead, 1};
    c = c << 6 | (byte(at + i) & 0x3f);
  }
  const bool overlong = (length == 3 && c < 0x800) || (length == 4 && c < 0x10000);
  if (overlong || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return {lead, 1};
  return {c, length};
}

void append_code_point(std::string& out, char32_t c) {
  const auto byte = [&](char32_t b) { out += static_cast<char>(b); };
  if (c < 0x80) return byte(c);
  if (c < 0x800) {
    byte(0xc0 | c >> 6);
  } else {
    if (c < 0x10000) {
      byte(0xe0 | c >> 12);
    } else {
      byte(0xf0 | c >> 18);
      byte(0x80 | (c >> 12 & 0x3f));
    }
    byte(0x80 | (c >> 6 & 0x3f));
  }
  byte(0x80 | (c & 0x3f));
}

// What Python's str.split() takes for white space.
bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

// A named locale where the system has it, else Unicode's own rules.
std::locale locale_for(const std::optional<std::string>& name) {
  const std::string given = name.value_or("");
  for (const std::string& candidate : {given.empty() ? given : given + ".UTF-8", given, std::string("C.UTF-8")}) {
    if (candidate.empty()) continue;
    try {
      return std::locale(candidate);
    } catch (const std::runtime_error&) {
    }
  }
  return std::locale::classic();
}

class CaseChanger {
 public:
  CaseChanger(CaseChange change, const std::optional<std::string>& locale)
      : change_(change), locale_(locale_for(locale)), rules_(std::use_facet<std::ctype<wchar_t>>(locale_)) {}
  std::string operator()(const std::string& s) const {
    if (change_ == CaseChange::none) return s;
    std::string out;
    for (size_t at = 0; at < s.size();) {
      const auto [c, length] = code_point(s, at);
      if (c >= 0x80 && length == 1) {
        out += s[at];  // not UTF-8
      } else {
        const auto w = static_cast<wchar_t>(c);
        append_code_point(out,
                          static_cast<char32_t>(change_ == CaseChange::upper ? rules_.toupper(w) : rules_.tolower(w)));
      }
      at += length;
    }
    return out;
  }

 private:
  CaseChange change_;
  std::locale locale_;
  const std::ctype<wchar_t>& rules_;
};

using Parts = std::vector<std::string_view>;

Parts split_at_spaces(std::string_view s, int64_t most) {
  size_t at = 0;
  const auto skip = [&](bool spaces) {
    for (; at < s.size();) {
      const auto [c, length] = code_point(s, at);
      const bool valid = c < 0x80 || length > 1;
      if ((valid && is_space(c)) != spaces) return;
      at += length;
    }
  };
  Parts parts;
  for (skip(true); at < s.size(); skip(true)) {
    const size_t begin = at;
    if (most >= 0 && static_cast<int64_t>(parts.size()) == most)
      at = s.size();
    else
      skip(false);
    parts.push_back(s.substr(begin, at - begin));
  }
  return parts;
}

Parts split_at(std::string_view s, std::string_view delimiter, int64_t most) {
  Parts parts;
  for (size_t at = 0;;) {
    const bool full = most >= 0 && static_cast<int64_t>(parts.size()) == most;
    const size_t end = full ? s.npos : s.find(delimiter, at);
    parts.push_back(s.substr(at, end == s.npos ? end : end - at));
    if (end == s.npos) return parts;
    at = end + delimiter.size();
  }
}

// The n-grams of a pool as a tree of items, and the number of the n-gram that ends at each node.
class NgramTree {
 public:
  void add(const int64_t* items, int64_t n, int64_t number) {
    size_t at = 0;
    for (int64_t i = 0; i < n; ++i) {
      const auto [it, fresh] = next_.try_emplace({at, items[i]}, number_.size());
      if (fresh) number_.push_back(-1);
      at = it->second;
    }
    number_[at] = number;
  }
  // Calls f for every n-gram of min to max items that begins at the first of `count` items, `stride` apart.
  template <class F>
  void match(const int64_t* items, int64_t count, int64_t stride, int64_t min, int64_t max, F&& f) const {
    size_t at = 0;
    for (int64_t n = 1, i = 0; n <= max && i < count; ++n, i += stride) {
      const auto it = next_.find({at, items[i]});
      if (it == next_.end()) return;
      at = it->second;
      if (n >= min && number_[at] >= 0) f(static_cast<size_t>(number_[at]));
    }
  }

 private:
  std::map<std::pair<size_t, int64_t>, size_t> next_;
  std::vector<int64_t> number_{-1};
};

}  // namespace

template <>
void eval<StringConcat>(EvalContext& ctx) {
  const Extents extents = broadcast_extents({&ctx.in(0).extents(), &ctx.in(1).extents()});
  const auto x = ctx.in(0).span<std::string>(), y = ctx.in(1).span<std::string>();
  Tensor& z = ctx.out(0, extents);
  auto out = z.mutable_span<std::string>();
  for_each_broadcast<2>(
      extents, {broadcast_strides(ctx.in(0).extents(), extents), broadcast_strides(ctx.in(1).extents(), extents)},
      [&](size_t i, const auto& at) { out[i] = x[static_cast<size_t>(at[0])] + y[static_cast<size_t>(at[1])]; });
}

template <>
void eval<StringNormalizer>(EvalContext& ctx) {
  const auto& a = ctx.attrs<StringNormalizer>();
  const Tensor& in = ctx.in(0);
  if (in.rank() != 1 && !(in.rank() == 2 && in.extent(0) == 1))
    ctx.fail(ErrorCode::bad_shape, "string_normalizer takes [C] or [1,C], got ", in.type());
  const CaseChanger change(a.case_change_action, a.locale);
  const CaseChanger comparable(a.is_case_sensitive ? CaseChange::none : CaseChange::lower, a.locale);
  std::set<std::string> stopwords;
  for (const auto& word : a.stopwords) stopwords.insert(comparable(word));
  std::vector<std::string> kept;
  for (const std::string& s : in.span<std::string>())
    if (stopwords.empty() || !stopwords.count(comparable(s))) kept.push_back(change(s));
  if (kept.empty()) kept.emplace_back();
  Extents extents = in.extents();
  extents.back() = static_cast<int64_t>(kept.size());
  ctx.write(0, extents, kept);
}

template <>
void eval<StringSplit>(EvalContext& ctx) {
  const auto& a = ctx.attrs<StringSplit>();
  const std::string delimiter = a.delimiter.value_or("");
  const auto x = ctx.in(0).span<std::string>();
  std::vector<Parts> parts;
  std::vector<int64_t> counts;
  int64_t most = 0;
  for (const std::string& s : x) {
    parts.push_back(delimiter.empty() ? split_at_spaces(s, a.maxsplit.value_or(-1))
                                      : split_at(s, delimiter, a.maxsplit.value_or(-1)));
    counts.push_back(static_cast<int64_t>(parts.back().size()));
    most = std::max(most, counts.back());
  }
  Extents extents = ctx.in(0).extents();
  extents.push_back(most);
  auto out = ctx.out(0, extents).mutable_span<std::string>();
  for (size_t i = 0; i < parts.size(); ++i)
    for (size_t k = 0; k < parts[i].size(); ++k) out[i * static_cast<size_t>(most) + k] = parts[i][k];
  ctx.write(1, ctx.in(0).extents(), counts);
}

template <>
void eval<TfIdfVectorizer>(EvalContext& ctx) {
  const auto& a = ctx.attrs<TfIdfVectorizer>();
  const Tensor& x = ctx.in(0);
  if (x.rank() != 1 && x.rank() != 2)
    ctx.fail(ErrorCode::bad_shape, "tf_idf_vectorizer takes [C] or [N,C], got ", x.type());
  // Strings become numbers; one that is not in the pool gets -1, which is in no n-gram.
  std::vector<int64_t> pool = a.pool_int64s, items;
  if (x.dtype() == DType::str) {
    std::unordered_map<std::string_view, int64_t> numbers;
    for (const auto& s : a.pool_strings)
      pool.push_back(numbers.try_emplace(s, static_cast<int64_t>(numbers.size())).first->second);
    for (const std::string& s : x.span<std::string>()) {
      const auto it = numbers.find(s);
      items.push_back(it == numbers.end() ? -1 : it->second);
    }
  } else {
    items = ctx.ints(0);
  }
  NgramTree tree;
  int64_t ngrams = 0;
  for (size_t i = 0; i < a.ngram_counts.size(); ++i) {
    const auto n = static_cast<int64_t>(i) + 1;
    const int64_t end = i + 1 < a.ngram_counts.size() ? a.ngram_counts[i + 1] : static_cast<int64_t>(pool.size());
    for (int64_t at = a.ngram_counts[i]; at < end; at += n) tree.add(&pool[static_cast<size_t>(at)], n, ngrams++);
  }
  Extents extents = x.extents();
  const int64_t count = extents.back(), rows = x.rank() == 2 ? extents[0] : 1;
  const int64_t columns = *std::max_element(a.ngram_indexes.begin(), a.ngram_indexes.end()) + 1;
  extents.back() = columns;
  Tensor& out = ctx.out(0, DType::f32, extents);
  auto y = out.mutable_span<float>();
  for (int64_t row = 0; row < rows; ++row) {
    std::unordered_map<size_t, double> found;
    const int64_t* first = items.data() + row * count;
    // One item alone is the same for every distance to its neighbour.
    const int64_t strides = a.max_gram_length == 1 ? 1 : std::min(a.max_skip_count, count) + 1;
    for (int64_t stride = 1; stride <= strides; ++stride)
      for (int64_t i = 0; i < count; ++i)
        tree.match(first + i, count - i, stride,
                   stride == 1 ? a.min_gram_length : std::max<int64_t>(2, a.min_gram_length), a.max_gram_length,
                   [&](size_t ngram) { ++found[ngram]; });
    for (const auto& [ngram, times] : found) {
      const double weight = a.mode == TermWeighting::tf || a.weights.empty() ? 1 : a.weights[ngram];
      y[static_cast<size_t>(row * columns + a.ngram_indexes[ngram])] +=
          static_cast<float>(a.mode == TermWeighting::idf ? weight : times * weight);
    }
  }
}

}  // namespace tc
