#include "tc/ir/ops/quant.h"

#include <array>
#include <cmath>
#include <limits>

#include "tc/ir/eval/conv.h"
#include "tc/ir/eval/matmul.h"

namespace tc {
namespace {

// v as an element of type t, a float; other types leave it as it is. What is quantised next is a matter of ties, so the
// declared type counts even where values are kept wider.
double rounded_to(DType t, double v) {
  switch (t) {
    case DType::f32:
      return static_cast<double>(static_cast<float>(v));
    case DType::f16:
      return static_cast<double>(Float16(v));
    case DType::bf16:
      return static_cast<double>(BFloat16(v));
    default:
      return v;
  }
}

// Values of type t next to their final conversion: integers rounded to nearest even, moved by zero and clamped; floats
// moved and, when asked to saturate, clamped.
class Quantizer {
 public:
  explicit Quantizer(DType t, bool saturate = true) : integer_(kind(t) != DTypeKind::floating) {
    if (integer_) {
      const int bits = info(t).bits;
      low_ = kind(t) == DTypeKind::signed_int ? -std::ldexp(1.0, bits - 1) : 0;
      high_ = kind(t) == DTypeKind::signed_int ? std::ldexp(1.0, bits - 1) - 1 : std::ldexp(1.0, bits) - 1;
    } else if (saturate || t == DType::f4e2m1) {
      high_ = visit_dtype(t, []<class S>() -> double {
        if constexpr (requires { S::max(); })
          return S::max();
        else
          return std::numeric_limits<double>::infinity();
      });
      low_ = -high_;
    }
  }
  double operator()(double v, double zero) const {
    v = (integer_ ? std::nearbyint(v) : v) + zero;
    if (std::isnan(v)) return integer_ ? 0 : v;
    return v < low_ ? low_ : v > high_ ? high_ : v;
  }

 private:
  bool integer_;
  double low_ = -std::numeric_limits<double>::infinity(), high_ = std::numeric_limits<double>::infinity();
};

std::vector<double> zero_points(EvalContext& ctx, int i, size_t count) {
  if (!ctx.has(i)) return std::vector<double>(count);
  auto zeros = ctx.read<double>(i);
  if (zeros.size() == count) return zeros;
  if (zeros.size() != 1) ctx.fail(ErrorCode::bad_shape, zeros.size(), " zero points for ", count, " scales");
  return std::vector<double>(count, zeros[0]);
}

}  // namespace

template <>
void eval<QuantizeLinear>(EvalContext& ctx) {
  const auto& a = ctx.attrs<QuantizeLinear>();
  const ScaleLayout layout = scale_layout(ctx, ctx.in(0).extents(), ctx.in(1).extents(), a.axis, a.block_size);
  const auto scale = ctx.read<double>(1), zero = zero_points(ctx, 2, scale.size());
  auto x = ctx.read<double>(0);
  const DType precision = a.precision.value_or(ctx.node().operand(1)->dtype()), t = ctx.node().result(0)->dtype();
  const Quantizer quantize(t, a.saturate);
  for (size_t i = 0; i < x.size(); ++i) {
    const auto k = static_cast<size_t>(layout.of(static_cast<int64_t>(i)));
    x[i] = quantize(rounded_to(precision, x[i] / scale[k]), zero[k]);
  }
  ctx.write(0, ctx.in(0).extents(), x);
}

template <>
void eval<DequantizeLinear>(EvalContext& ctx) {
  const auto& a = ctx.attrs<DequantizeLinear>();
  const ScaleLayout layout = scale_layout(ctx, ctx.in(0).extents(), ctx.in(1).extents(), a.axis, a.block_size);
  const auto scale = ctx.read<double>(1), zero = zero_points(ctx, 2, scale.size());
  const DType bytes = ctx.in(0).dtype();
  if (scale.size() == 1 && (bytes == DType::u8 || bytes == DType::i8) && ctx.result_dtype(0) == DType::f32) {
    // Embedding tables have tens of millions of elements, but these are 256 numbers.
    std::array<float, 256> numbers;
    for (int i = 0; i < 256; ++i) {
      const double byte = bytes == DType::u8 ? i : static_cast<double>(static_cast<int8_t>(i));
      numbers[static_cast<size_t>(i)] = static_cast<float>((byte - zero[0]) * scale[0]);
    }
    const auto* from = static_cast<const uint8_t*>(ctx.in(0).data());
    for (float& y : ctx.out(0, ctx.in(0).extents()).mutable_span<float>()) y = numbers[*from++];
    return;
  }
  auto x = ctx.read<double>(0);
  for (size_t i = 0; i < x.size(); ++i) {
    const auto k = static_cast<size_t>(layout.of(static_cast<int64_t>(i)));
    x[i] = (x[i] - zero[k]) * scale[k];
  }
  ctx.write(0, ctx.in(0).extents(), x);
}

template <>
void eval<DynamicQuantizeLinear>(EvalContext& ctx) {
  auto x = ctx.read<double>(0);
  double low = 0, high = 0;
  for (const double v : x) low = std::min(low, v), high = std::max(high, v);
  // Where all is zero the standard's scale leaves 0 / 0. Exporters divide biases by it: 1 keeps them.
  double scale = rounded_to(DType::f32, rounded_to(DType::f32, high - low) / 255);
  if (scale == 0) scale = 1;
  const Quantizer quantize(DType::u8);
  // The zero point is rounded only after it is clamped, as in the standard's definition.
  const double zero = quantize(rounded_to(DType::f32, -low / scale), 0);
  for (double& v : x) v = quantize(rounded_to(DType::f32, v / scale), zero);
  ctx.write(0, ctx.in(0).extents(), x);
  ctx.write(1, {}, std::vector<double>{scale});
  ctx.write(2, {}, std::vector<double>{zero});
}

template <>
void eval<QLinearMatMul>(EvalContext& ctx) {
  const MatMulShape s(ctx.in(0).extents(), ctx.in(3).extents());
  Extents full = s.batch;
  full.insert(full.end(), {s.m, s.n});
  // Scales of a go with rows, those of b with columns; the result's may go with rows.
  auto strides = [&](int operand, bool per_row) {
    const Extents e = parameter_extents(ctx.in(operand).extents(), per_row);
    if (broadcast_extents({&full, &e}) != full)
      ctx.fail(ErrorCode::bad_shape, "operand ", operand, ", ", ctx.in(operand).type(), ", does not fit a product of ",
               Shape::of(full));
    return broadcast_strides(e, full);
  };
  const auto a_scale = ctx.read<double>(1), b_scale = ctx.read<double>(4), y_scale = ctx.read<double>(6),
             y_zero = ctx.read<double>(7);
  auto y = multiply(s, without_zero_point<double>(ctx, 0, 2, true), without_zero_point<double>(ctx, 3, 5, false));
  const Quantizer quantize(ctx.node().result(0)->dtype());
  for_each_broadcast<4>(
      full, {strides(1, true), strides(4, false), strides(6, true), strides(7, true)}, [&](size_t i, const auto& at) {
        const double scale =
            rounded_to(DType::f32, a_scale[static_cast<size_t>(at[0])] * b_scale[static_cast<size_t>(at[1])]);
        const double factor = rounded_to(DType::f32, scale / y_scale[static_cast<size_t>(at[2])]);
        y[i] = quantize(rounded_to(DType::f32, y[i] * factor), y_zero[static_cast<size_t>(at[3])]);
      });
  ctx.write(0, s.result, y);
}

template <>
void eval<QLinearConv>(EvalContext& ctx) {
  const ConvGeometry g = conv_geometry(ctx, ctx.attrs<QLinearConv>(), ctx.in(0), ctx.in(3));
  const auto sums = integer_correlate(ctx, g, 0, 3, 2, 5);
  auto scalar = [&](int i) {
    if (ctx.in(i).size() != 1)
      ctx.fail(ErrorCode::bad_shape, "operand ", i, " must be a scalar, got ", ctx.in(i).type());
    return ctx.read<double>(i)[0];
  };
  const double x_scale = scalar(1), y_scale = scalar(6), y_zero = scalar(7);
  const auto w_scale = ctx.read<double>(4);
  const auto rows = static_cast<size_t>(g.rows);
  if (w_scale.size() != 1 && w_scale.size() != rows)
    ctx.fail(ErrorCode::bad_shape, w_scale.size(), " weight scales for ", g.rows, " channels");
  const auto bias = ctx.has(8) ? ctx.ints(8) : std::vector<int64_t>(rows);
  if (bias.size() != rows) ctx.fail(ErrorCode::bad_shape, bias.size(), " biases for ", g.rows, " channels");
  const Quantizer quantize(ctx.node().result(0)->dtype());
  const auto plane = static_cast<size_t>(element_count(out_extents(g.axes)));
  std::vector<double> y(sums.size());
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t row = i / plane % rows;
    const double factor =
        rounded_to(DType::f32, rounded_to(DType::f32, x_scale * w_scale[w_scale.size() == 1 ? 0 : row]) / y_scale);
    y[i] = quantize(rounded_to(DType::f32, static_cast<double>(sums[i] + bias[row]) * factor), y_zero);
  }
  ctx.write(0, g.result, y);
}

}  // namespace tc
