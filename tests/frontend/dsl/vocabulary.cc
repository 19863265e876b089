#include "vocabulary.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <sstream>

#include "tc/ir/ops/core.h"

namespace tc::vocabulary {

Row& Group::push(std::string name, std::vector<std::string> inputs, int arity, std::string numpy,
                 dsl::FlatFunction call) {
  return rows.emplace_back(Row{std::move(name), std::move(inputs), arity, std::move(call), std::move(numpy)});
}
namespace {

Tensor from_doubles(DType t, Extents extents, const std::vector<double>& values) {
  Tensor result(t, std::move(extents));
  visit_dtype(t, [&]<class T>() {
    auto out = result.mutable_span<T>();
    for (size_t i = 0; i < out.size(); ++i) {
      if constexpr (std::is_same_v<T, Bool>)
        out[i] = Bool(values[i] != 0);
      else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, Float16>)
        out[i] = T(values[i]);
      else
        TC_CHECK(false, "inputs are not made of ", t);
    }
  });
  return result;
}

std::vector<double> numbers(const std::string& list) {
  std::vector<double> result;
  std::istringstream in(list);
  for (std::string item; std::getline(in, item, ',');)
    result.push_back(std::strtod(item.c_str(), nullptr));  // also of subnormal numbers
  return result;
}

std::vector<double> edges(DType t) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  if (kind(t) == DTypeKind::floating)
    return {0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, inf, -inf, nan, 1e-7, -1e-7, 3, -3, 1e4, -1e4, 0.999, 100, -100};
  const bool is_signed = kind(t) == DTypeKind::signed_int;
  const double high = std::ldexp(1, std::min(info(t).bits, 52) - is_signed) - 1;
  if (!is_signed) return {0, 1, 2, 3, 7, high, high - 1, high / 2, 100};
  return {0, 1, -1, 2, -2, 7, -7, high, -high - 1, 100, -100};
}

}  // namespace

Tensor make_input(const std::string& spec, uint64_t seed) {
  const size_t open = spec.find('['), close = spec.find(']');
  const std::string type = spec.substr(0, open), rest = spec.substr(close + 1);
  const auto t = dtype_from_name(type);
  TC_CHECK(t, spec);
  Extents extents;
  for (const double d : numbers(spec.substr(open + 1, close - open - 1))) extents.push_back(static_cast<int64_t>(d));
  const auto n = static_cast<size_t>(element_count(extents));
  std::vector<double> values(n);
  std::mt19937_64 random(seed);
  if (!rest.empty() && rest[0] == '=') {
    values = numbers(rest.substr(1));
    TC_CHECK(values.size() == n, spec);
  } else if (rest == "{edge}") {
    // Each value of the list meets every other one when two operands have coprime lengths: the second list is turned.
    const std::vector<double> list = edges(*t);
    for (size_t i = 0; i < n; ++i) values[i] = list[(i + i / list.size() * (seed % 7)) % list.size()];
  } else if (!rest.empty()) {
    const std::vector<double> range = numbers(rest.substr(1, rest.size() - 2));
    const bool whole = kind(*t) != DTypeKind::floating;
    for (double& v : values) {
      const double u = std::ldexp(static_cast<double>(random() >> 11), -53);
      v = whole ? range[0] + std::floor(u * (range[1] - range[0] + 1)) : range[0] + u * (range[1] - range[0]);
    }
  } else {
    const bool natural = kind(*t) == DTypeKind::unsigned_int;
    std::normal_distribution<double> normal(0, 1);
    for (double& v : values) {
      const double x = normal(random);
      v = kind(*t) == DTypeKind::floating  ? x
          : kind(*t) == DTypeKind::boolean ? static_cast<double>(x > 0)
                                           : std::floor((natural ? std::abs(x) : x) * 5);
    }
  }
  return from_doubles(*t, std::move(extents), values);
}

std::string lowering(const Graph& g) {
  std::string text;
  std::string pending;
  int count = 0;
  const auto flush = [&] {
    if (count) text += cat(text.empty() ? "" : ", ", count > 1 ? cat(count, " ") : "", pending);
    count = 0;
  };
  for (const auto& n : g.nodes()) {
    if (n->is<Constant>() || n->is<Parameter>() || n->is<Return>()) continue;
    std::string name(n->info().name());
    for (int i = 0; i < n->num_regions(); ++i) name += cat(i ? " else " : "(", lowering(n->region(i)));
    if (n->num_regions()) name += ")";
    if (name != pending) flush(), pending = name;
    ++count;
  }
  flush();
  return text;
}

}  // namespace tc::vocabulary
