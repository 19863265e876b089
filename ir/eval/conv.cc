#include <cmath>

#include "tc/ir/eval/conv.h"
#include "tc/ir/eval/eval.h"

namespace tc {
namespace {

// Adds b[channel] to every plane of y [batch, channels, plane].
void add_bias(std::vector<double>& y, const std::vector<double>& b, int64_t batch, int64_t plane) {
  size_t at = 0;
  for (int64_t n = 0; n < batch; ++n)
    for (const double v : b)
      for (int64_t i = 0; i < plane; ++i) y[at++] += v;
}

// Kernel extents of the weight operand, checked against kernel_shape.
std::vector<int64_t> kernel_of(EvalContext& ctx, const std::vector<int64_t>& kernel_shape, const Tensor& w, int rank) {
  if (rank < 3 || w.rank() != rank)
    ctx.fail(ErrorCode::bad_shape, "the input has rank ", rank, ", the weight ", w.rank());
  std::vector<int64_t> kernel(w.extents().begin() + 2, w.extents().end());
  if (!kernel_shape.empty() && kernel_shape != kernel)
    ctx.fail(ErrorCode::bad_shape, "the weight's kernel is not kernel_shape");
  return kernel;
}

std::span<const int64_t> spatial(const Tensor& x) {
  return std::span(x.extents()).subspan(2);
}

Extents result_extents(int64_t batch, int64_t channels, const WindowAxes& axes) {
  Extents e{batch, channels};
  for (const auto& a : axes) e.push_back(a.out);
  return e;
}

void check_bias(EvalContext& ctx, int b, int64_t channels) {
  if (ctx.has(b) && ctx.in(b).size() != channels)
    ctx.fail(ErrorCode::bad_shape, ctx.in(b).size(), " biases for ", channels, " channels");
}

}  // namespace

template <class Attrs>
ConvGeometry conv_geometry(EvalContext& ctx, const Attrs& a, const Tensor& x, const Tensor& w) {
  ConvGeometry g;
  const WindowSpec spec = window_spec(ctx, a, kernel_of(ctx, a.kernel_shape, w, x.rank()));
  g.axes = window_axes(ctx, spec, spatial(x));
  g.batch = x.extent(0), g.channels = x.extent(1), g.rows = w.extent(0), g.group = a.group;
  if (a.group < 1 || g.channels != w.extent(1) * a.group || g.rows % a.group)
    ctx.fail(ErrorCode::bad_shape, "weight ", w.type(), " does not fit input ", x.type(), " in ", a.group, " groups");
  g.result = result_extents(g.batch, g.rows, g.axes);
  return g;
}
template ConvGeometry conv_geometry(EvalContext&, const ConvAttrs&, const Tensor&, const Tensor&);

std::vector<int64_t> integer_correlate(EvalContext& ctx, const ConvGeometry& g, int x, int w, int x_zero, int w_zero) {
  auto xs = ctx.read<int64_t>(x), ws = ctx.read<int64_t>(w);
  if (ctx.has(x_zero)) {
    const auto zero = ctx.read<int64_t>(x_zero);
    if (zero.size() != 1) ctx.fail(ErrorCode::bad_shape, "the zero point of the input must be a scalar");
    for (auto& v : xs) v -= zero[0];
  }
  if (ctx.has(w_zero)) {
    const auto zero = ctx.read<int64_t>(w_zero);
    if (zero.size() != 1 && zero.size() != static_cast<size_t>(g.rows))
      ctx.fail(ErrorCode::bad_shape, "the weight has ", zero.size(), " zero points for ", g.rows, " output channels");
    const size_t each = g.rows ? ws.size() / static_cast<size_t>(g.rows) : 1;
    for (size_t i = 0; i < ws.size(); ++i) ws[i] -= zero[zero.size() == 1 ? 0 : i / each];
  }
  return correlate(g.axes, g.batch, g.channels, g.rows, g.group, xs, ws);
}

template <>
void eval<Conv>(EvalContext& ctx) {
  const ConvGeometry g = conv_geometry(ctx, ctx.attrs<Conv>(), ctx.in(0), ctx.in(1));
  check_bias(ctx, 2, g.rows);
  auto y = correlate(g.axes, g.batch, g.channels, g.rows, g.group, ctx.read<double>(0), ctx.read<double>(1));
  if (ctx.has(2)) add_bias(y, ctx.read<double>(2), g.batch, element_count(out_extents(g.axes)));
  ctx.write(0, g.result, y);
}

template <>
void eval<ConvInteger>(EvalContext& ctx) {
  const ConvGeometry g = conv_geometry(ctx, ctx.attrs<ConvInteger>(), ctx.in(0), ctx.in(1));
  ctx.write(0, g.result, integer_correlate(ctx, g, 0, 1, 2, 3));
}

template <>
void eval<ConvTranspose>(EvalContext& ctx) {
  const auto& a = ctx.attrs<ConvTranspose>();
  const Tensor &x = ctx.in(0), &w = ctx.in(1);
  const WindowSpec spec = window_spec(ctx, a, kernel_of(ctx, a.kernel_shape, w, x.rank()));
  const Dims spatial_dims(x.extents().begin() + 2, x.extents().end());
  WindowAxes axes;
  for (const auto& axis : transposed_axes(ctx, a, spec, spatial_dims)) axes.push_back(actual(axis));
  const int64_t batch = x.extent(0), channels = x.extent(1), rows_each = w.extent(1);
  if (a.group < 1 || channels % a.group || w.extent(0) != channels)
    ctx.fail(ErrorCode::bad_shape, "weight ", w.type(), " does not fit input ", x.type(), " in ", a.group, " groups");
  const int64_t rows = rows_each * a.group, inner = channels / a.group, taps = spec.kernel_size();
  check_bias(ctx, 2, rows);
  const Extents result = result_extents(batch, rows, axes);
  const int64_t plane = element_count(in_extents(axes)), out_plane = element_count(out_extents(axes));
  Tensor& out = ctx.out(0, result);  // before anything of its size is computed: the memory budget is checked here
  const auto xs = ctx.read<double>(0), ws = ctx.read<double>(1);
  std::vector<double> y(static_cast<size_t>(out.size())), transposed(static_cast<size_t>(inner * rows_each * taps));
  const auto in = in_extents(axes), kernel = kernel_extents(axes);
  for (int64_t g = 0; g < a.group; ++g) {
    // w[c, (m, tap)] of the group as a matrix [(m, tap), c]
    for (int64_t c = 0; c < inner; ++c)
      for (int64_t r = 0; r < rows_each * taps; ++r)
        transposed[static_cast<size_t>(r * inner + c)] =
            ws[static_cast<size_t>((g * inner + c) * rows_each * taps + r)];
    for (int64_t n = 0; n < batch; ++n) {
      const double* from = xs.data() + (n * channels + g * inner) * plane;
      double* to = y.data() + (n * rows + g * rows_each) * out_plane;
      tiled_product(
          transposed.data(), rows_each * taps, inner, plane,
          [&](int64_t first, int64_t count, double* buffer, int64_t stride) {
            for (int64_t c = 0; c < inner; ++c) std::copy_n(from + c * plane + first, count, buffer + c * stride);
          },
          [&](int64_t r, int64_t first, int64_t count, const double* values) {
            const BoxWalk tap(kernel, r % taps);
            BoxWalk at(in, first);
            for (int64_t c = 0; c < count; ++c, at.next()) {
              int64_t place = 0;
              for (size_t i = 0; i < axes.size() && place >= 0; ++i) {
                const int64_t o = at[i] * axes[i].stride - axes[i].pad_begin + tap[i] * axes[i].dilation;
                place = o < 0 || o >= axes[i].out ? -1 : place * axes[i].out + o;
              }
              if (place >= 0) to[r / taps * out_plane + place] += values[c];
            }
          });
    }
  }
  if (ctx.has(2)) add_bias(y, ctx.read<double>(2), batch, out_plane);
  narrow(y, out);
}

namespace {

// x [in...] read at a fractional place: multilinear, zero outside.
double read_between(const double* x, const WindowAxes& axes, const std::vector<double>& at) {
  double sum = 0;
  const size_t n = axes.size();
  for (size_t corner = 0; corner < size_t{1} << n; ++corner) {
    double weight = 1;
    int64_t place = 0;
    for (size_t i = 0; i < n && weight != 0; ++i) {
      const double low = std::floor(at[i]), part = at[i] - low, c = low + static_cast<double>(corner >> i & 1);
      weight *= corner >> i & 1 ? part : 1 - part;
      if (!(c >= 0 && c < static_cast<double>(axes[i].in)))
        weight = 0;
      else
        place = place * axes[i].in + static_cast<int64_t>(c);
    }
    if (weight != 0) sum += weight * x[place];
  }
  return sum;
}

}  // namespace

template <>
void eval<DeformConv>(EvalContext& ctx) {
  const auto& a = ctx.attrs<DeformConv>();
  const ConvGeometry g = conv_geometry(ctx, a, ctx.in(0), ctx.in(1));
  check_bias(ctx, 3, g.rows);
  const size_t n = g.axes.size();
  const auto in = in_extents(g.axes), out = out_extents(g.axes), kernel = kernel_extents(g.axes);
  const int64_t plane = element_count(in), windows = element_count(out), taps = element_count(kernel);
  if (n > 8) ctx.fail(ErrorCode::limit_rank, "more than 8 spatial axes");
  if (a.offset_group < 1 || g.channels % a.offset_group)
    ctx.fail(ErrorCode::bad_attribute, g.channels, " channels do not divide into ", a.offset_group, " offset groups");
  const int64_t moved = g.channels / a.offset_group, axis_count = static_cast<int64_t>(n);
  const Tensor& offset = ctx.in(2);
  Extents expected = g.result;
  expected[1] = a.offset_group * taps * axis_count;
  if (offset.extents() != expected)
    ctx.fail(ErrorCode::bad_shape, "offsets are ", offset.type(), ", expected extents ", Shape::of(expected));
  expected[1] = a.offset_group * taps;
  if (ctx.has(4) && ctx.in(4).extents() != expected)
    ctx.fail(ErrorCode::bad_shape, "the mask is ", ctx.in(4).type(), ", expected extents ", Shape::of(expected));
  const auto xs = ctx.read<double>(0), ws = ctx.read<double>(1), offsets = ctx.read<double>(2);
  const auto mask = ctx.has(4) ? ctx.read<double>(4) : std::vector<double>();
  const int64_t inner = g.channels / g.group, rows_each = g.rows / g.group;
  std::vector<double> y(static_cast<size_t>(element_count(g.result))), at(n);
  for (int64_t b = 0; b < g.batch; ++b)
    for (int64_t group = 0; group < g.group; ++group) {
      double* to = y.data() + (b * g.rows + group * rows_each) * windows;
      tiled_product(
          ws.data() + group * rows_each * inner * taps, rows_each, inner * taps, windows,
          [&](int64_t first, int64_t count, double* buffer, int64_t stride) {
            for (int64_t c = 0; c < inner; ++c) {
              const int64_t channel = group * inner + c;
              BoxWalk tap(kernel, 0);
              for (int64_t t = 0; t < taps; ++t, tap.next()) {
                const int64_t o = (b * a.offset_group + channel / moved) * taps + t;
                BoxWalk window(out, first);
                for (int64_t k = 0; k < count; ++k, window.next()) {
                  for (size_t i = 0; i < n; ++i) {
                    const auto& axis = g.axes[i];
                    const auto regular =
                        static_cast<double>(window[i] * axis.stride - axis.pad_begin + tap[i] * axis.dilation);
                    at[i] =
                        regular +
                        offsets[static_cast<size_t>((o * axis_count + static_cast<int64_t>(i)) * windows + first + k)];
                  }
                  const double v = read_between(xs.data() + (b * g.channels + channel) * plane, g.axes, at);
                  buffer[(c * taps + t) * stride + k] =
                      mask.empty() ? v : v * mask[static_cast<size_t>(o * windows + first + k)];
                }
              }
            }
          },
          [&](int64_t r, int64_t first, int64_t count, const double* values) {
            std::copy_n(values, count, to + r * windows + first);
          });
    }
  if (ctx.has(3)) add_bias(y, ctx.read<double>(3), g.batch, windows);
  ctx.write(0, g.result, y);
}

template <>
void eval<Col2Im>(EvalContext& ctx) {
  const auto& a = ctx.attrs<Col2Im>();
  const Tensor& x = ctx.in(0);
  const auto image = ctx.ints(1), block = ctx.ints(2);
  if (image.size() != block.size() || image.empty()) ctx.fail(ErrorCode::bad_value, "image and block differ in rank");
  for (size_t i = 0; i < image.size(); ++i)
    if (image[i] < 0 || block[i] < 1)
      ctx.fail(ErrorCode::bad_value, "an image extent ", image[i], " with a block extent ", block[i]);
  const WindowAxes axes = window_axes(ctx, window_spec(ctx, a, block), std::span<const int64_t>(image));
  const int64_t taps = element_count(block), blocks = element_count(out_extents(axes)), plane = element_count(image);
  if (x.rank() != 3 || x.extent(1) % taps || x.extent(2) != blocks)
    ctx.fail(ErrorCode::bad_shape, "the input is ", x.type(), ", expected [N, ", taps, " * C, ", blocks, "]");
  const int64_t planes = x.extent(0) * (x.extent(1) / taps);
  Extents result{x.extent(0), x.extent(1) / taps};
  result.insert(result.end(), image.begin(), image.end());
  Tensor& out = ctx.out(0, result);
  visit_wide(x.dtype(), [&]<class W>() {
    const auto xs = ctx.read<W>(0);
    std::vector<W> y(static_cast<size_t>(out.size()));
    size_t from = 0;
    for (int64_t p = 0; p < planes; ++p) {
      BoxWalk tap(block, 0);
      for (int64_t t = 0; t < taps; ++t, tap.next()) {
        BoxWalk window(out_extents(axes), 0);
        for (int64_t b = 0; b < blocks; ++b, window.next(), ++from) {
          int64_t place = 0;
          for (size_t i = 0; i < axes.size() && place >= 0; ++i) {
            const int64_t k = window[i] * axes[i].stride - axes[i].pad_begin + tap[i] * axes[i].dilation;
            place = k < 0 || k >= axes[i].in ? -1 : place * axes[i].in + k;
          }
          if (place >= 0) y[static_cast<size_t>(p * plane + place)] += xs[from];
        }
      }
    }
    narrow(y, out);
  });
}

template <>
void eval<CausalConvWithState>(EvalContext& ctx) {
  const Tensor &x = ctx.in(0), &w = ctx.in(1);
  if (x.rank() != 3 || w.rank() != 3 || w.extent(0) != x.extent(1) || w.extent(1) != 1 || w.extent(2) < 1)
    ctx.fail(ErrorCode::bad_shape, "weight ", w.type(), " does not fit input ", x.type());
  const int64_t batch = x.extent(0), channels = x.extent(1), length = x.extent(2), taps = w.extent(2), kept = taps - 1;
  check_bias(ctx, 2, channels);
  if (ctx.has(3) && ctx.in(3).extents() != Extents{batch, channels, kept})
    ctx.fail(ErrorCode::bad_shape, "the state is ", ctx.in(3).type(), ", expected extents ",
             Shape{batch, channels, kept});
  const auto xs = ctx.read<double>(0), ws = ctx.read<double>(1);
  const auto bias = ctx.has(2) ? ctx.read<double>(2) : std::vector<double>(static_cast<size_t>(channels));
  const auto past =
      ctx.has(3) ? ctx.read<double>(3) : std::vector<double>(static_cast<size_t>(batch * channels * kept));
  const bool silu = ctx.attrs<CausalConvWithState>().activation != ConvActivation::none;
  std::vector<double> y(xs.size()), present(past.size()), line(static_cast<size_t>(kept + length));
  for (int64_t row = 0; row < batch * channels; ++row) {
    std::copy_n(past.begin() + row * kept, kept, line.begin());
    std::copy_n(xs.begin() + row * length, length, line.begin() + kept);
    const double* kernel = ws.data() + row % channels * taps;
    for (int64_t t = 0; t < length; ++t) {
      double sum = bias[static_cast<size_t>(row % channels)];
      for (int64_t k = 0; k < taps; ++k) sum += kernel[k] * line[static_cast<size_t>(t + k)];
      y[static_cast<size_t>(row * length + t)] = silu ? sum / (1 + std::exp(-sum)) : sum;
    }
    std::copy_n(line.end() - kept, kept, present.begin() + row * kept);
  }
  ctx.write(0, x.extents(), y);
  ctx.write(1, {batch, channels, kept}, present);
}

}  // namespace tc
