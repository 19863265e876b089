// Encoders of features, and maps.
#include "tc/ir/ops/ml.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <unordered_map>

#include "tc/ir/eval/scores.h"

namespace tc {
namespace {

using Key = std::variant<int64_t, std::string>;

// NaN is a key like any other.
template <class W>
W as_key(W v) {
  return v;
}
int64_t as_key(double v) {
  const double canonical = std::isnan(v) ? std::numeric_limits<double>::quiet_NaN() : v == 0 ? 0.0 : v;
  return std::bit_cast<int64_t>(canonical);
}

// The entries by key; of equal keys the first one counts.
std::vector<std::pair<Key, const Tensor*>> sorted_entries(const Map& map) {
  std::vector<std::pair<Key, const Tensor*>> entries;
  for (const auto& [key, value] : map.entries) entries.emplace_back(key, &value.tensor());
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return entries;
}

template <class W>
W only_element(EvalContext& ctx, const Tensor& t) {
  if (t.size() != 1) ctx.fail(ErrorCode::bad_shape, "a map's value is ", t.type(), ", expected one element");
  return widen<W>(t)[0];
}

template <class T>
T parsed(EvalContext& ctx, const std::string& text) {
  T v{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error != std::errc() || end == text.data()) ctx.fail(ErrorCode::bad_value, "'", text, "' is not a number");
  return v;
}

// A value of a map in the type that CastMap asks for.
template <class W>
W cast_value(EvalContext& ctx, const Tensor& t) {
  const bool from_text = t.dtype() == DType::str;
  if constexpr (std::is_same_v<W, std::string>) {
    if (from_text) return only_element<std::string>(ctx, t);
    char text[400];
    std::snprintf(text, sizeof text, "%f", only_element<double>(ctx, t));
    return text;
  } else if (from_text) {
    return parsed<W>(ctx, only_element<std::string>(ctx, t));
  } else {
    const auto v = only_element<double>(ctx, t);
    if constexpr (std::is_same_v<W, int64_t>)
      return widen<int64_t>(Tensor::scalar(v))[0];
    else
      return v;
  }
}

}  // namespace

template <>
void eval<LabelEncoder>(EvalContext& ctx) {
  const auto& a = ctx.attrs<LabelEncoder>();
  const Tensor keys = a.keys(), values = a.values();
  visit_wide(keys.dtype(), [&]<class K>() {
    if constexpr (!std::is_same_v<K, std::complex<double>>) {
      std::unordered_map<decltype(as_key(K())), size_t> places;
      size_t place = 0;
      for (const K& k : widen<K>(keys)) places.try_emplace(as_key(k), place++);
      visit_wide(values.dtype(), [&]<class W>() {
        if constexpr (!std::is_same_v<W, std::complex<double>>) {
          const auto list = widen<W>(values);
          W fallback{};
          if (a.default_tensor)
            fallback = widen<W>(*a.default_tensor)[0];
          else if constexpr (std::is_same_v<W, std::string>)
            fallback = a.default_string;
          else if constexpr (std::is_same_v<W, double>)
            fallback = a.default_float;
          else
            fallback = static_cast<W>(a.default_int64);
          std::vector<W> y;
          for (const K& k : ctx.read<K>(0)) {
            const auto it = places.find(as_key(k));
            y.push_back(it == places.end() ? fallback : list[it->second]);
          }
          ctx.write(0, ctx.in(0).extents(), y);
        }
      });
    }
  });
}

template <>
void eval<OneHotEncoder>(EvalContext& ctx) {
  const auto& a = ctx.attrs<OneHotEncoder>();
  const auto encode = [&]<class K>(const std::vector<K>& categories, const std::vector<K>& x) {
    std::unordered_map<K, size_t> places;
    for (size_t i = 0; i < categories.size(); ++i) places[categories[i]] = i;
    Extents extents = ctx.in(0).extents();
    extents.push_back(static_cast<int64_t>(categories.size()));
    Tensor& out = ctx.out(0, DType::f32, extents);
    auto y = out.mutable_span<float>();
    for (size_t i = 0; i < x.size(); ++i) {
      const auto it = places.find(x[i]);
      if (it != places.end())
        y[i * categories.size() + it->second] = 1;
      else if (!a.zeros)
        ctx.fail(ErrorCode::bad_value, "'", x[i], "' is none of the categories");
    }
  };
  if (ctx.in(0).dtype() == DType::str)
    encode(a.cats_strings, ctx.read<std::string>(0));
  else
    encode(a.cats_int64s, ctx.read<int64_t>(0));
}

template <>
void eval<FeatureVectorizer>(EvalContext& ctx) {
  const auto& widths = ctx.attrs<FeatureVectorizer>().inputdimensions;
  int64_t width = 0, at = 0;
  for (const int64_t w : widths) width += w;
  const auto rows_of = [&](int i) { return ctx.in(i).rank() == 1 ? 1 : ctx.in(i).extent(0); };
  const int64_t rows = rows_of(0);
  std::vector<double> y(static_cast<size_t>(ctx.out(0, {rows, width}).size()));
  for (int i = 0; i < ctx.num_operands(); ++i) {
    if (rows_of(i) != rows)
      ctx.fail(ErrorCode::bad_shape, "operand ", i, " has ", rows_of(i), " rows, expected ", rows);
    const auto x = ctx.read<double>(i);
    const int64_t w = widths[static_cast<size_t>(i)], given = rows ? static_cast<int64_t>(x.size()) / rows : 0;
    for (int64_t r = 0; r < rows; ++r)
      std::copy_n(x.begin() + r * given, std::min(w, given), y.begin() + r * width + at);
    at += w;
  }
  ctx.write(0, {rows, width}, y);
}

template <>
void eval<CastMap>(EvalContext& ctx) {
  const auto& a = ctx.attrs<CastMap>();
  const auto entries = sorted_entries(ctx.datum(0).map());
  const auto cast = [&]<class W>(const W& nothing) {
    std::vector<W> y;
    if (a.map_form == MapForm::dense) {
      for (const auto& [key, value] : entries) y.push_back(cast_value<W>(ctx, *value));
    } else {
      y.assign(static_cast<size_t>(ctx.out(0, {1, a.max_map}).size()), nothing);
      for (const auto& [key, value] : entries) {
        const int64_t place = std::get<int64_t>(key);
        if (place < 0) ctx.fail(ErrorCode::bad_value, "a map with the key ", place, " has no sparse form");
        if (place < a.max_map) y[static_cast<size_t>(place)] = cast_value<W>(ctx, *value);
      }
    }
    ctx.write(0, {1, static_cast<int64_t>(y.size())}, y);
  };
  if (a.cast_to == CastTo::to_float)
    cast(0.0);
  else if (a.cast_to == CastTo::to_int64)
    cast(int64_t{0});
  else
    cast(std::string("0.f"));  // as ONNX Runtime fills up
}

template <>
void eval<DictVectorizer>(EvalContext& ctx) {
  const auto& a = ctx.attrs<DictVectorizer>();
  std::unordered_map<Key, const Tensor*> found;
  for (const auto& [key, value] : ctx.datum(0).map().entries) found.try_emplace(key, &value.tensor());
  visit_wide(ctx.result_dtype(0), [&]<class W>() {
    const auto look_up = [&](const auto& vocabulary) {
      std::vector<W> y;
      for (const auto& word : vocabulary) {
        const auto it = found.find(word);
        y.push_back(it == found.end() ? W() : only_element<W>(ctx, *it->second));
      }
      ctx.write(0, {1, static_cast<int64_t>(y.size())}, y);
    };
    if (a.string_vocabulary.empty())
      look_up(a.int64_vocabulary);
    else
      look_up(a.string_vocabulary);
  });
}

template <>
void eval<ZipMap>(EvalContext& ctx) {
  const auto& a = ctx.attrs<ZipMap>();
  const FeatureRows x(ctx);
  const auto labels = static_cast<int64_t>(std::max(a.classlabels_strings.size(), a.classlabels_int64s.size()));
  if (x.features != labels) ctx.fail(ErrorCode::bad_shape, "rows of ", x.features, " elements for ", labels, " labels");
  Sequence maps;
  for (int64_t r = 0; r < x.rows; ++r) {
    Map map;
    for (int64_t i = 0; i < labels; ++i) {
      const auto k = static_cast<size_t>(i);
      map.entries.emplace_back(
          a.classlabels_strings.empty() ? Key(a.classlabels_int64s[k]) : Key(a.classlabels_strings[k]),
          Tensor::scalar(static_cast<float>(x.row(r)[i])));
    }
    maps.items.emplace_back(std::move(map));
  }
  ctx.set(0, std::move(maps));
}

}  // namespace tc
