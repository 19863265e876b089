#include "vocabulary.h"

namespace tc::vocabulary {
namespace {

using Types = std::vector<std::string>;
const Types kFloats = {"f16", "f32", "f64"}, kSigned = {"i8", "i16", "i32", "i64"},
            kUnsigned = {"u8", "u16", "u32", "u64"}, kBool = {"bool"};

Types joined(std::initializer_list<Types> lists) {
  Types all;
  for (const Types& l : lists) all.insert(all.end(), l.begin(), l.end());
  return all;
}

enum class Domain { any, boolean, integer, integer_or_boolean, real, floating };
Types types_of(Domain d) {
  switch (d) {
    case Domain::boolean:
      return kBool;
    case Domain::floating:
      return kFloats;
    case Domain::integer:
      return joined({kSigned, kUnsigned});
    case Domain::integer_or_boolean:
      return joined({kSigned, kUnsigned, kBool});
    case Domain::real:
      return joined({kFloats, kSigned, kUnsigned});
    case Domain::any:
      return joined({kFloats, kSigned, kUnsigned, kBool});
  }
  return {};
}

// The function over all types of its domain: random values and the list of edges.
template <class F>
void unary(Group& g, const std::string& name, Domain d, F f, std::string numpy = {}, double tolerance = 0) {
  if (numpy.empty()) numpy = name + "(a)";
  for (const std::string& t : types_of(d)) {
    g.add(name, {t + "[3,17]"}, f, numpy).tolerance = tolerance;
    if (t != "bool") g.add(name, {t + "[21]{edge}"}, f, numpy).tolerance = tolerance;
  }
}
template <class F>
void binary(Group& g, const std::string& name, Domain d, F f, std::string numpy = {}, double tolerance = 0,
            bool nonzero = false) {
  if (numpy.empty()) numpy = name + "(a, b)";
  for (const std::string& t : types_of(d)) {
    const bool divides = nonzero && t[0] != 'f';  // an integer divided by 0 stops the run
    g.add(name, {t + "[3,17]", t + (divides ? "[17]{1,9}" : "[17]")}, f, numpy).tolerance = tolerance;
    if (t == "bool" || divides) continue;
    g.add(name, {t + "[21,1]{edge}", t + "[20]{edge}"}, f, numpy).tolerance = tolerance;
  }
}

}  // namespace

Group elementwise_rows() {
  Group g{"Elementwise", {}};
  const std::map<std::string, std::string> numpy = {{"abs", "np.abs(a)"},
                                                    {"add", "a + b"},
                                                    {"greater_equal", "a >= b"},
                                                    {"less_equal", "a <= b"},
                                                    {"divide", "a / b"},
                                                    {"hard_swish", "a * np.clip(a.astype('f8') / 6 + 0.5, 0, 1)"},
                                                    {"mish", "a * np.tanh(softplus(a))"},
                                                    {"softsign", "a / (1 + np.abs(a.astype('f8')))"},
                                                    {"prelu", "np.where(a < 0, a * b, a)"}};
  const auto expression = [&](const std::string& name, const std::string& args) {
    const auto it = numpy.find(name);
    if (it != numpy.end()) return it->second;
    for (const char* own : {"acos", "acosh", "asin", "asinh", "atan", "atanh", "erf", "sigmoid", "softplus"})
      if (name == own) return name + args;
    return "np." + name + args;
  };
#define TC_DSL_UNARY(name, Op, domain) \
  unary(                               \
      g, #name, Domain::domain, [](Var x) { return name(x); }, expression(#name, "(a)"));
#define TC_DSL_BINARY(name, Op, domain)   \
  if (std::string_view(#name) != "prelu") \
    binary(                               \
        g, #name, Domain::domain, [](Var x, Var y) { return name(x, y); }, expression(#name, "(a, b)"));
#include "tc/frontend/dsl/elementwise.def"
  binary(
      g, "divide", Domain::floating, [](Var x, Var y) { return divide(x, y); }, expression("divide", ""));
  g.add(
      "prelu", {"f32[2,3,5]", "f32[3,1]"}, [](Var x, Var w) { return prelu(x, w); }, "np.where(a < 0, a * b, a)");
  g.add(
      "celu", {"f32[33]"}, [](Var x) { return celu(x, 0.7); },
      "np.where(a < 0, 0.7 * np.expm1(a.astype('f8') / 0.7), a)");
  g.add(
      "elu", {"f32[33]"}, [](Var x) { return elu(x); }, "np.where(a < 0, np.expm1(a.astype('f8')), a)");
  g.add(
      "leaky_relu", {"f32[33]"}, [](Var x) { return leaky_relu(x, 0.2); }, "np.where(a < 0, 0.2 * a, a)");
  g.add(
      "swish", {"f32[33]"}, [](Var x) { return swish(x, 1.5); }, "a * sigmoid(1.5 * a)");
  g.add(
      "thresholded_relu", {"f32[33]"}, [](Var x) { return thresholded_relu(x, 0.5); }, "np.where(a > 0.5, a, 0)");
  g.add(
      "gelu", {"f32[33]{-5,5}"}, [](Var x) { return gelu(x); }, "0.5 * a * (1 + erf(a / np.sqrt(2)))");
  g.add(
      "gelu", {"f32[33]{-5,5}"}, [](Var x) { return gelu(x, GeluForm::tanh); },
      "0.5 * a * (1 + np.tanh(np.sqrt(2 / pi) * (a + 0.044715 * a.astype('f8') ** 3)))");
  g.add(
      "hard_sigmoid", {"f32[33]{-5,5}"}, [](Var x) { return hard_sigmoid(x); }, "np.clip(0.2 * a + 0.5, 0, 1)");
  unary(
      g, "relu", Domain::real, [](Var x) { return relu(x); }, "np.maximum(a, 0).astype(a.dtype)");
  g.add(
      "selu", {"f32[33]"}, [](Var x) { return selu(x); },
      "1.05070098 * np.where(a > 0, a, 1.67326324 * np.expm1(a.astype('f8')))");
  g.add(
      "silu", {"f32[33]"}, [](Var x) { return silu(x); }, "a * sigmoid(a)");
  g.add(
      "relu6", {"f32[33]{-9,9}"}, [](Var x) { return relu6(x); }, "np.clip(a, 0, 6)");
  g.add(
      "shrink", {"f32[33]"}, [](Var x) { return shrink(x, 0.75, 0.25); },
      "np.where(a < -0.75, a + 0.25, np.where(a > 0.75, a - 0.25, 0))");
  g.add(
      "swiglu", {"f32[33]", "f32[33]"}, [](Var x, Var y) { return swiglu(x, y); }, "a * sigmoid(a) * b");

  binary(g, "atan2", Domain::floating, [](Var y, Var x) { return atan2(y, x); });
  binary(
      g, "bitwise_and", Domain::integer_or_boolean, [](Var x, Var y) { return x & y; }, "a & b");
  binary(
      g, "bitwise_or", Domain::integer_or_boolean, [](Var x, Var y) { return x | y; }, "a | b");
  binary(
      g, "bitwise_xor", Domain::integer_or_boolean, [](Var x, Var y) { return x ^ y; }, "a ^ b");
  unary(
      g, "bitwise_invert", Domain::integer_or_boolean, [](Var x) { return ~x; }, "~a");
  for (const std::string& t : types_of(Domain::integer)) {
    g.add(
        "bitwise_left_shift", {t + "[21]{edge}", t + "[21]{0,6}"}, [](Var x, Var n) { return x << n; }, "a << b");
    g.add(
        "bitwise_right_shift", {t + "[21]{edge}", t + "[21]{0,6}"}, [](Var x, Var n) { return x >> n; }, "a >> b");
  }
  unary(
      g, "ceil", Domain::real, [](Var x) { return ceil(x); }, "np.ceil(a).astype(a.dtype)");
  unary(
      g, "floor", Domain::real, [](Var x) { return floor(x); }, "np.floor(a).astype(a.dtype)");
  unary(
      g, "round", Domain::real, [](Var x) { return round(x); }, "np.round(a)");
  unary(
      g, "trunc", Domain::real, [](Var x) { return trunc(x); }, "np.trunc(a).astype(a.dtype)");
  unary(
      g, "clip", Domain::real, [](Var x) { return clip(x, 1, 3); }, "np.clip(a, 1, 3).astype(a.dtype)");
  g.add(
      "clip", {"f32[9,9]", "f32[9]{-1,0}"}, [](Var x, Var low) { return clip(x, low); }, "np.maximum(a, b)");
  g.add(
      "clip", {"f32[9,9]", "f32[9]{0,1}"}, [](Var x, Var high) { return clip(x, {}, high); }, "np.minimum(a, b)");
  g.add(
      "clip", {"f64[9,9]", "f32[9,1]{-1,0}", "f32[]{0,1}"}, [](Var x, Var low, Var high) { return clip(x, low, high); },
      "np.clip(a, b, c)");
  unary(
      g, "conj", Domain::real, [](Var x) { return conj(x); }, "a");
  unary(
      g, "real", Domain::real, [](Var x) { return real(x); }, "a");
  unary(
      g, "imag", Domain::real, [](Var x) { return imag(x); }, "np.zeros_like(a)");
  unary(
      g, "positive", Domain::real, [](Var x) { return positive(x); }, "a");
  unary(
      g, "negative", Domain::real, [](Var x) { return -x; }, "-a");
  // The sign of a NaN cannot be told: it counts as plus.
  binary(
      g, "copysign", Domain::floating, [](Var x, Var s) { return copysign(x, s); },
      "np.copysign(a, np.where(np.isnan(b), 1, b)).astype(a.dtype)");
  unary(
      g, "signbit", Domain::floating, [](Var x) { return signbit(x); }, "np.signbit(a) & ~np.isnan(a)");
  unary(
      g, "expm1", Domain::floating, [](Var x) { return expm1(x); }, "np.expm1(a)");
  unary(
      g, "log1p", Domain::floating, [](Var x) { return log1p(x); }, "np.log1p(a)");
  for (const std::string t : {"f32", "f64"}) {
    // Relative accuracy where e^x - 1 and log(1 + x) cancel.
    for (const char* range : {"{1e-9,1e-8}", "{-1e-3,1e-3}", "{-0.6,0.6}"}) {
      g.add(
          "expm1", {t + "[33]" + range}, [](Var x) { return expm1(x) / x; }, "np.expm1(a) / a");
      g.add(
          "log1p", {t + "[33]" + range}, [](Var x) { return log1p(x) / x; }, "np.log1p(a) / a");
    }
  }
  unary(
      g, "log2", Domain::floating, [](Var x) { return log2(x); }, "np.log2(a)");
  unary(
      g, "log10", Domain::floating, [](Var x) { return log10(x); }, "np.log10(a)");
  binary(
      g, "logaddexp", Domain::floating, [](Var x, Var y) { return logaddexp(x, y); }, "np.logaddexp(a, b)");
  binary(
      g, "hypot", Domain::floating, [](Var x, Var y) { return hypot(x, y); }, "np.hypot(a, b)");
  g.add(
      "hypot", {"f32[9]{1e30,1e31}", "f32[9]{1e30,1e31}"}, [](Var x, Var y) { return hypot(x, y); }, "np.hypot(a, b)");
  unary(
      g, "isfinite", Domain::real, [](Var x) { return isfinite(x); }, "np.isfinite(a)");
  unary(
      g, "isinf", Domain::real, [](Var x) { return isinf(x); }, "np.isinf(a)");
  unary(
      g, "isnan", Domain::real, [](Var x) { return isnan(x); }, "np.isnan(a)");
  for (const std::string t : {"f32", "f64"})
    g.add(
         "nextafter", {t + "[21,1]{edge}", t + "[20]{edge}"}, [](Var x, Var y) { return nextafter(x, y); },
         "np.nextafter(a, b)")
        .tolerance = 1e-16;
  binary(
      g, "not_equal", Domain::any, [](Var x, Var y) { return x != y; }, "a != b");
  binary(
      g, "remainder", Domain::real, [](Var x, Var y) { return x % y; }, "a % b", 0, true);
  binary(
      g, "floor_divide", Domain::real, [](Var x, Var y) { return floor_divide(x, y); }, "a // b", 0, true);
  for (const std::string& t : joined({kFloats, kSigned})) {
    g.add(
        "remainder", {t + "[40]{-9,9}", t + "[40]{-9,-1}"}, [](Var x, Var y) { return x % y; }, "a % b");
    g.add(
        "floor_divide", {t + "[40]{-9,9}", t + "[40]{-9,-1}"}, [](Var x, Var y) { return floor_divide(x, y); },
        "a // b");
  }
  binary(
      g, "pow", Domain::floating, [](Var x, Var y) { return pow(x, y); }, "pow(a, b)");
  for (const std::string& t : types_of(Domain::integer))
    g.add(
        "pow", {t + "[20]{1,5}", t + "[20]{0,3}"}, [](Var x, Var y) { return pow(x, y); }, "pow(a, b)");
  g.add(
      "pow", {"f32[20]{0.1,3}"}, [](Var x) { return pow(x, 2); }, "a * a");
  unary(
      g, "square", Domain::real, [](Var x) { return square(x); }, "a * a");
  g.add(
      "where", {"bool[3,4]", "f32[4]", "f64[3,1]"}, [](Var c, Var x, Var y) { return where(c, x, y); },
      "np.where(a, b, c)");
  g.add(
      "where", {"bool[7]", "i32[7]"}, [](Var c, Var x) { return where(c, x, 0); }, "np.where(a, b, 0).astype('i4')");
  for (const std::string from : {"f32", "i64", "u8", "bool"})
    for (const std::string to : {"f64", "f16", "i32", "u8", "bool"}) {
      const DType t = *dtype_from_name(to);
      g.add(
          "astype", {from + "[20]{0,200}"}, [t](Var x) { return astype(x, t); },
          "a.astype('" + std::string(info(t).numpy) + "')");
    }
  return g;
}

}  // namespace tc::vocabulary
