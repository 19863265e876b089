// Conversions between element types.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "tc/ir/eval/eval.h"
#include "tc/ir/eval/move.h"
#include "tc/ir/eval/wrap.h"

namespace tc {
namespace {

// The value as `t` stores it.
double rounded(double v, DType t) {
  Tensor one(t, {});
  narrow(std::vector<double>{v}, one);
  return widen<double>(one)[0];
}

// The shortest decimal that reads back as the same value of type `t`, laid out as Python prints floats.
std::string float_to_string(double v, DType t) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  char text[40];
  for (int precision = 0; precision < 17; ++precision) {
    std::snprintf(text, sizeof(text), "%.*e", precision, v);
    if (rounded(std::strtod(text, nullptr), t) == v) break;
  }
  const std::string_view s(text);
  const size_t e = s.find('e');
  const int exponent = std::atoi(text + e + 1);
  std::string digits;
  for (char c : s.substr(0, e))
    if (c >= '0' && c <= '9') digits += c;
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  std::string result = std::signbit(v) ? "-" : "";
  if (v != 0 && (exponent < -4 || exponent >= 16)) {
    result += digits[0];
    if (digits.size() > 1) result += "." + digits.substr(1);
    std::snprintf(text, sizeof(text), "e%c%02d", exponent < 0 ? '-' : '+', std::abs(exponent));
    return result + text;
  }
  if (exponent < 0) return result + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) return result + digits + std::string(whole - digits.size(), '0') + ".0";
  return result + digits.substr(0, whole) + "." + digits.substr(whole);
}

std::string_view trimmed(std::string_view s) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const size_t first = s.find_first_not_of(kSpace);
  return first == s.npos ? std::string_view() : s.substr(first, s.find_last_not_of(kSpace) - first + 1);
}

double parse_float(const std::string& text) {
  std::string_view s = trimmed(text);
  const bool plus = s.starts_with('+');
  if (plus) s.remove_prefix(1);
  double v = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (error == std::errc::result_out_of_range && end == s.data() + s.size())
    return std::strtod(std::string(s).c_str(), nullptr);
  if (error != std::errc() || end != s.data() + s.size() || (plus && s.starts_with('-')))
    fail(ErrorCode::bad_value, "'", text, "' is not a number");
  return v;
}

template <class Int>
bool parse_int(const std::string& text, Int& v) {
  std::string_view s = trimmed(text);
  if (s.size() > 1 && s[0] == '+' && s[1] != '-') s.remove_prefix(1);
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
  return error == std::errc() && end == s.data() + s.size();
}

bool parse_bool(const std::string& text) {
  std::string s(trimmed(text));
  std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (s == "true") return true;
  if (s == "false") return false;
  return parse_float(text) != 0;
}

void from_strings(EvalContext& ctx, DType to, Tensor& out) {
  const auto x = ctx.read<std::string>(0);
  auto convert = [&]<class W>(W (*f)(const std::string&)) {
    std::vector<W> y(x.size());
    std::transform(x.begin(), x.end(), y.begin(), f);
    narrow(y, out);
  };
  switch (kind(to)) {
    case DTypeKind::string:
      narrow(x, out);
      return;
    case DTypeKind::boolean:
      convert(+[](const std::string& s) { return static_cast<int64_t>(parse_bool(s)); });
      return;
    case DTypeKind::unsigned_int:
      convert(+[](const std::string& s) {
        uint64_t v = 0;
        if (parse_int(s, v)) return v;
        return saturated_uint(parse_float(s));
      });
      return;
    case DTypeKind::signed_int:
      convert(+[](const std::string& s) {
        int64_t v = 0;
        if (parse_int(s, v)) return v;
        return saturated_int(parse_float(s));
      });
      return;
    default:
      convert(+[](const std::string& s) { return parse_float(s); });
      return;
  }
}

void to_strings(EvalContext& ctx, DType from, Tensor& out) {
  std::vector<std::string> y;
  auto convert = [&]<class W>(const std::vector<W>& x, auto&& f) {
    for (const W& v : x) y.push_back(f(v));
  };
  switch (kind(from)) {
    case DTypeKind::boolean:
      convert(ctx.read<int64_t>(0), [](int64_t v) { return std::string(v ? "True" : "False"); });
      break;
    case DTypeKind::signed_int:
      convert(ctx.read<int64_t>(0), [](int64_t v) { return std::to_string(v); });
      break;
    case DTypeKind::unsigned_int:
      convert(ctx.read<uint64_t>(0), [](uint64_t v) { return std::to_string(v); });
      break;
    default:
      convert(ctx.read<double>(0), [&](double v) { return float_to_string(v, from); });
      break;
  }
  narrow(y, out);
}

double largest(DType t) {
  return visit_dtype(t, []<class T>() -> double {
    if constexpr (requires {
                    { T::max() } -> std::same_as<double>;
                  })
      return T::max();
    else
      return INFINITY;
  });
}

bool is_narrow_float(DType t) {
  return dtypes::f8.has(t) || t == DType::f4e2m1;
}

// To a power of two, within the range of f8e8m0 when saturating.
double scale_of(double v, const Cast::Attrs& a) {
  if (std::isnan(v)) return v;
  v = std::abs(v);
  if (a.saturate) v = std::clamp(v, 0x1p-127, 0x1p127);
  if (v == 0 || std::isinf(v)) return v;
  int e = 0;
  const double f = std::frexp(v, &e);  // v = f * 2^e with f in [0.5, 1)
  const double down = std::ldexp(1.0, e - 1);
  switch (a.round_mode) {
    case ScaleRounding::up:
      return f == 0.5 ? down : 2 * down;
    case ScaleRounding::down:
      return down;
    case ScaleRounding::nearest:
      return f >= 0.75 ? 2 * down : down;
  }
  return v;
}

void from_floats(EvalContext& ctx, DType to, Tensor& out) {
  const auto& a = ctx.attrs<Cast>();
  std::vector<uint64_t> words;
  for_each_block<double>(ctx.in(0), [&](int64_t first, std::span<double> x) {
    if (to == DType::u64) {
      words.resize(x.size());
      std::transform(x.begin(), x.end(), words.begin(), saturated_uint);
      return narrow<uint64_t>(words, out, first);
    }
    if (to == DType::f8e8m0) {
      for (double& v : x) v = scale_of(v, a);
    } else if (is_narrow_float(to) && a.saturate) {
      const double limit = largest(to);
      // f4e2m1 has no NaN; what becomes of one is taken from ml_dtypes.
      for (double& v : x)
        if (!std::isnan(v))
          v = std::clamp(v, -limit, limit);
        else if (to == DType::f4e2m1)
          v = -0.0;
    } else if (to == DType::i32 || to == DType::i64) {
      // Out of range the least, as conversions of processors, NumPy and ONNX Runtime have it.
      const double limit = to == DType::i32 ? 0x1p31 : 0x1p63;
      for (double& v : x)
        if (v = std::trunc(v); !(v >= -limit && v < limit)) v = -limit;
    } else if (dtypes::few_bits.has(to)) {
      // Unlike wider integers: rounded to nearest, ties to even; then the low bits are kept, as ONNX's cases have it.
      for (double& v : x) v = std::nearbyint(v);
    }
    narrow<double>(x, out, first);
  });
}

}  // namespace

template <>
void eval<Cast>(EvalContext& ctx) {
  const Tensor& t = ctx.in(0);
  const DType from = ctx.node().operand(0)->dtype(), to = ctx.attrs<Cast>().to;
  Tensor& out = ctx.out(0, t.extents());
  if (from == DType::str) return from_strings(ctx, to, out);
  if (to == DType::str) return to_strings(ctx, from, out);
  if (kind(from) == DTypeKind::floating || is_narrow_float(to) || to == DType::f8e8m0) return from_floats(ctx, to, out);
  visit_real(from, [&]<class W>() { convert<W>(t, out); });
}

template <>
void eval<BitCast>(EvalContext& ctx) {
  const DType from = ctx.node().operand(0)->dtype(), to = ctx.attrs<BitCast>().to;
  // The bits are those of the declared type, also where elements are wider.
  const Tensor source = converted(ctx.in(0), from).aligned_copy();
  Tensor bits(to, source.extents());
  std::memcpy(bits.mutable_data(), source.data(), source.bytes());
  auto* bytes = static_cast<uint8_t*>(bits.mutable_data());
  const int width = tc::info(to).bits;
  for (int64_t i = 0; i < bits.size() && (width < 8 || to == DType::boolean); ++i) {
    uint8_t& b = bytes[i];
    const int low = b & ((1 << width) - 1);
    if (to == DType::boolean)
      b = b != 0;
    else
      b = static_cast<uint8_t>(kind(to) == DTypeKind::signed_int ? (low ^ (1 << (width - 1))) - (1 << (width - 1))
                                                                 : low);
  }
  Tensor& out = ctx.out(0, source.extents());
  out = converted(bits, out.dtype());
}

}  // namespace tc
