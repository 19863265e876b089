#include <cmath>
#include <numbers>
#include <random>

#include "tc/ir/eval/broadcast.h"
#include "tc/ir/eval/wrap.h"

namespace tc {
namespace {

double sigmoid(double x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}
double softplus(double x) {
  return (x > 0 ? x : 0.0) + std::log1p(std::exp(-std::abs(x)));
}
double clip01(double x) {
  return x < 0 ? 0.0 : x > 1 ? 1.0 : x;
}

template <class W>
W negate(W x) {
  if constexpr (std::is_integral_v<W>)
    return subtract(W(0), x);
  else
    return -x;
}
template <class W>
W keep_positive(W x) {
  if constexpr (std::is_integral_v<W>)
    return x;
  else
    return std::abs(x);  // clears the sign of -0
}
template <class W>
W sign_of(W x) {
  return x > 0 ? W(1) : x < 0 ? negate(W(1)) : x;
}
template <class W>
W flip_bits(W x) {
  if constexpr (std::is_integral_v<W>)
    return static_cast<W>(~x);
  else
    fail(ErrorCode::bad_type, "bits of a float");
}

template <class W>
W divide(W a, W b) {
  if constexpr (std::is_integral_v<W>) {
    if (b == 0) fail(ErrorCode::bad_value, "integer division by zero");
    if constexpr (std::is_signed_v<W>)
      if (b == -1) return negate(a);
    return static_cast<W>(a / b);
  } else {
    return a / b;
  }
}

template <class W>
W modulo(W a, W b, bool sign_of_dividend) {
  if constexpr (std::is_integral_v<W>) {
    if (b == 0) fail(ErrorCode::bad_value, "integer remainder of a division by zero");
    if constexpr (std::is_signed_v<W>) {
      if (b == -1) return 0;
      const W r = static_cast<W>(a % b);
      return !sign_of_dividend && r != 0 && (r < 0) != (b < 0) ? static_cast<W>(r + b) : r;
    } else {
      return static_cast<W>(a % b);
    }
  } else {
    const double r = std::fmod(a, b);
    if (sign_of_dividend || std::isnan(r)) return r;
    if (r == 0) return std::copysign(0.0, b);
    return (r < 0) != (b < 0) ? r + b : r;
  }
}

int64_t integer_power(int64_t base, uint64_t exponent) {
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (; exponent; exponent >>= 1, square *= square)
    if (exponent & 1) result *= square;
  return static_cast<int64_t>(result);
}

int64_t power(int64_t x, int64_t y) {
  if (y >= 0) return integer_power(x, static_cast<uint64_t>(y));
  if (x == 0) fail(ErrorCode::bad_value, "zero to the power of ", y);
  return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
}
int64_t power(int64_t x, uint64_t y) {
  return integer_power(x, y);
}
int64_t power(int64_t x, double y) {
  return saturated_int(std::pow(static_cast<double>(x), y));
}
double power(double x, double y) {
  return std::pow(x, y);
}
template <class Y>
double power(double x, Y y) {
  return std::pow(x, static_cast<double>(y));
}

template <class W, class R, class F>
void map_unary(EvalContext& ctx, F&& f) {
  Tensor& out = ctx.out(0, ctx.in(0).extents());
  std::vector<R> y;
  for_each_block<W>(ctx.in(0), [&](int64_t first, std::span<W> x) {
    y.resize(x.size());
    for (size_t i = 0; i < x.size(); ++i) y[i] = static_cast<R>(f(x[i]));
    narrow<R>(y, out, first);
  });
}

// An operand of a run of results: its elements from `first` on, or that one for all.
template <class W>
void widen_run(const Tensor& t, int64_t first, int64_t step, std::span<W> to) {
  widen(t, first, to.first(step ? to.size() : 1));
  if (!step) std::fill(to.begin() + 1, to.end(), to[0]);
}

template <class A, class B, class R, class F>
void map_binary(EvalContext& ctx, F&& f) {
  const Tensor a = ctx.in(0).aligned_copy(), b = ctx.in(1).aligned_copy();
  Tensor& out = ctx.out(0, broadcast_extents({&a.extents(), &b.extents()}));
  std::vector<A> x(kWideBlock);
  std::vector<B> y(kWideBlock);
  std::vector<R> z(kWideBlock);
  for_each_row<2>(out.extents(),
                  {broadcast_strides(a.extents(), out.extents()), broadcast_strides(b.extents(), out.extents())},
                  [&](int64_t first, int64_t count, const auto& at, const auto& step) {
                    for (int64_t j = 0; j < count; j += kWideBlock) {
                      const auto n = static_cast<size_t>(std::min(kWideBlock, count - j));
                      widen_run<A>(a, at[0] + j * step[0], step[0], std::span(x).first(n));
                      widen_run<B>(b, at[1] + j * step[1], step[1], std::span(y).first(n));
                      for (size_t i = 0; i < n; ++i) z[i] = static_cast<R>(f(x[i], y[i]));
                      narrow<R>(std::span(z).first(n), out, first + j);
                    }
                  });
}

template <class F>
void fold_operands(EvalContext& ctx, bool mean, F&& f) {
  std::vector<const Extents*> shapes;
  for (int i = 0; i < ctx.num_operands(); ++i) shapes.push_back(&ctx.in(i).extents());
  const Extents extents = broadcast_extents(shapes);
  Tensor& out = ctx.out(0, extents);
  visit_real(ctx.in(0).dtype(), [&]<class W>() {
    std::vector<W> sum(static_cast<size_t>(out.size()));
    for (int k = 0; k < ctx.num_operands(); ++k) {
      const auto x = ctx.read<W>(k);
      for_each_broadcast<1>(extents, {broadcast_strides(ctx.in(k).extents(), extents)}, [&](size_t i, const auto& at) {
        const W v = x[static_cast<size_t>(at[0])];
        sum[i] = k == 0 ? v : f(sum[i], v);
      });
    }
    if (mean)
      for (W& v : sum) v = static_cast<W>(v / static_cast<W>(ctx.num_operands()));
    narrow(sum, out);
  });
}

}  // namespace

#define TC_EVAL(Name) \
  template <>         \
  void eval<Name>(EvalContext & ctx)

#define TC_UNARY_FLOAT(Name, spelling, since, types, doc, f, dx) \
  TC_EVAL(Name) {                                                \
    map_unary<double, double>(ctx, [](double x) { return f; });  \
  }
#define TC_UNARY_REAL(Name, spelling, since, types, doc, f, dx)                                     \
  TC_EVAL(Name) {                                                                                   \
    visit_real(ctx.in(0).dtype(), [&]<class W>() { map_unary<W, W>(ctx, [](W x) { return f; }); }); \
  }
#define TC_UNARY_1(Name, spelling, since, types, doc, f, dx, p, p0) \
  TC_EVAL(Name) {                                                   \
    const double p = ctx.attrs<Name>().p;                           \
    map_unary<double, double>(ctx, [=](double x) { return f; });    \
  }
#define TC_UNARY_2(Name, spelling, since, types, doc, f, dx, p, p0, q, q0) \
  TC_EVAL(Name) {                                                          \
    const double p = ctx.attrs<Name>().p, q = ctx.attrs<Name>().q;         \
    map_unary<double, double>(ctx, [=](double x) { return f; });           \
  }
#define TC_BINARY(Name, spelling, since, types, commuting, doc, f, da, db)                                   \
  TC_EVAL(Name) {                                                                                            \
    visit_real(ctx.in(0).dtype(), [&]<class W>() { map_binary<W, W, W>(ctx, [](W a, W b) { return f; }); }); \
  }
#define TC_COMPARE(Name, spelling, since, types, commuting, doc, f)                                              \
  TC_EVAL(Name) {                                                                                                \
    auto compare = [&]<class W>() { map_binary<W, W, int64_t>(ctx, [](const W& a, const W& b) { return f; }); }; \
    if (ctx.in(0).dtype() == DType::str)                                                                         \
      compare.template operator()<std::string>();                                                                \
    else                                                                                                         \
      visit_real(ctx.in(0).dtype(), compare);                                                                    \
  }
#define TC_BITWISE(Name, spelling, since, types, doc, f)                                     \
  TC_EVAL(Name) {                                                                            \
    map_binary<uint64_t, uint64_t, uint64_t>(ctx, [](uint64_t a, uint64_t b) { return f; }); \
  }
#define TC_VARIADIC(Name, spelling, since, types, doc, f)                            \
  TC_EVAL(Name) {                                                                    \
    fold_operands(ctx, id_of<Name> == OpId::Mean, [](auto a, auto b) { return f; }); \
  }
#include "tc/ir/ops/elementwise.def"

TC_EVAL(Mod) {
  const bool fmod = ctx.attrs<Mod>().fmod;
  visit_real(ctx.in(0).dtype(),
             [&]<class W>() { map_binary<W, W, W>(ctx, [=](W a, W b) { return modulo(a, b, fmod); }); });
}

TC_EVAL(Pow) {
  visit_real(ctx.in(1).dtype(), [&]<class Y>() {
    if (kind(ctx.in(0).dtype()) == DTypeKind::floating)
      map_binary<double, Y, double>(ctx, [](double x, Y y) { return power(x, y); });
    else
      map_binary<int64_t, Y, int64_t>(ctx, [](int64_t x, Y y) { return power(x, y); });
  });
}

TC_EVAL(BitShift) {
  const bool left = ctx.attrs<BitShift>().direction == ShiftDirection::left;
  map_binary<uint64_t, uint64_t, uint64_t>(ctx, [=](uint64_t x, uint64_t y) {
    return y >= 64 ? 0 : left ? x << y : x >> y;
  });
}

TC_EVAL(IsNaN) {
  map_unary<double, int64_t>(ctx, [](double x) { return std::isnan(x); });
}

TC_EVAL(IsInf) {
  const auto& a = ctx.attrs<IsInf>();
  map_unary<double, int64_t>(
      ctx, [&](double x) { return std::isinf(x) && (x < 0 ? a.detect_negative : a.detect_positive); });
}

TC_EVAL(Where) {
  const Tensor &c = ctx.in(0), &x = ctx.in(1), &y = ctx.in(2);
  const Extents extents = broadcast_extents({&c.extents(), &x.extents(), &y.extents()});
  Tensor& out = ctx.out(0, extents);
  visit_wide(x.dtype(), [&]<class W>() {
    const auto chosen = ctx.read<int64_t>(0);
    const auto yes = ctx.read<W>(1), no = ctx.read<W>(2);
    std::vector<W> result(static_cast<size_t>(out.size()));
    for_each_broadcast<3>(extents,
                          {broadcast_strides(c.extents(), extents), broadcast_strides(x.extents(), extents),
                           broadcast_strides(y.extents(), extents)},
                          [&](size_t i, const auto& at) {
                            result[i] = chosen[static_cast<size_t>(at[0])] ? yes[static_cast<size_t>(at[1])]
                                                                           : no[static_cast<size_t>(at[2])];
                          });
    narrow(result, out);
  });
}

TC_EVAL(Clip) {
  visit_real(ctx.in(0).dtype(), [&]<class W>() {
    std::optional<W> bound[2];
    for (int i = 1; i <= 2; ++i) {
      if (!ctx.has(i)) continue;
      if (ctx.in(i).size() != 1)
        ctx.fail(ErrorCode::bad_shape, "a bound of clip must be a scalar, got ", ctx.in(i).type());
      bound[i - 1] = ctx.read<W>(i)[0];
    }
    map_unary<W, W>(ctx, [&](W x) {
      if (bound[0] && x < *bound[0]) x = *bound[0];
      if (bound[1] && x > *bound[1]) x = *bound[1];
      return x;
    });
  });
}

TC_EVAL(Gelu) {
  if (ctx.attrs<Gelu>().approximate == GeluApproximation::tanh)
    map_unary<double, double>(ctx, [](double x) {
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
    });
  else
    map_unary<double, double>(ctx, [](double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); });
}

TC_EVAL(SwiGLU) {
  const double alpha = ctx.attrs<SwiGLU>().alpha;
  map_binary<double, double, double>(ctx, [=](double a, double b) { return a * sigmoid(alpha * a) * b; });
}

// Draws as numpy.random.seed(seed); numpy.random.uniform() does (53 bits of two words of MT19937), so a seeded mask is
// the one that the operator's reference implementation in NumPy gives.
TC_EVAL(Dropout) {
  const Tensor& t = ctx.in(0);
  const bool training = ctx.has(2) && scalar_f64(ctx.in(2)) != 0;
  const double ratio = ctx.has(1) ? scalar_f64(ctx.in(1)) : 0.5;
  if (!(ratio >= 0 && ratio < 1) && training)
    ctx.fail(ErrorCode::bad_value, "the ratio of dropout must be in [0, 1), got ", ratio);
  auto x = ctx.read<double>(0);
  std::vector<int64_t> mask(x.size(), 1);
  if (training && ratio > 0) {
    const auto& seed = ctx.attrs<Dropout>().seed;
    std::mt19937 words(
        static_cast<uint32_t>(seed ? static_cast<uint64_t>(*seed) : random_stream(ctx, {}).block(0).low));
    for (size_t i = 0; i < x.size(); ++i) {
      const double high = static_cast<double>(words() >> 5), low = static_cast<double>(words() >> 6);
      mask[i] = (high * 0x1p26 + low) / 0x1p53 >= ratio;
      x[i] = mask[i] ? x[i] / (1 - ratio) : 0.0;
    }
  }
  ctx.write(0, t.extents(), x);
  if (ctx.wanted(1)) ctx.write(1, t.extents(), mask);
}

}  // namespace tc
