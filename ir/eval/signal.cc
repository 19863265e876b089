#include "tc/ir/ops/signal.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tc/ir/eval/axis.h"
#include "tc/ir/eval/eval.h"
#include "tc/ir/eval/fft.h"

namespace tc {
namespace {

// The only element of operand i, at least `least`.
int64_t scalar(EvalContext& ctx, int i, int64_t least) {
  const auto name = ctx.node().info().facts->signature.operand(i).name;
  if (ctx.in(i).size() != 1)
    ctx.fail(ErrorCode::bad_shape, "operand '", name, "' must be a scalar, got ", ctx.in(i).type());
  const int64_t value = ctx.ints(i)[0];
  if (value < least) ctx.fail(ErrorCode::bad_value, "operand '", name, "' must be at least ", least, ", got ", value);
  return value;
}

// Whether the last axis of operand 0 holds complex numbers.
bool holds_complex(EvalContext& ctx, bool real_only) {
  const Extents& x = ctx.in(0).extents();
  if (x.size() < 2 || (x.back() != 1 && x.back() != 2))
    ctx.fail(ErrorCode::bad_shape, "the last axis of ", ctx.in(0).type(), " must hold real (1) or complex (2) numbers");
  if (real_only && x.back() == 2)
    ctx.fail(ErrorCode::bad_shape, "the one-sided spectrum is that of real numbers, got ", ctx.in(0).type());
  return x.back() == 2;
}

// Elements i of a line that starts at x, `stride` numbers apart.
class Line {
 public:
  Line(const double* x, int64_t stride, bool is_complex)
      : x_(x), stride_(is_complex ? 2 * stride : stride), is_complex_(is_complex) {}
  Fft::Complex operator[](int64_t i) const {
    const double* p = x_ + i * stride_;
    return {p[0], is_complex_ ? p[1] : 0.0};
  }

 private:
  const double* x_;
  int64_t stride_;
  bool is_complex_;
};

void cosine_window(EvalContext& ctx, const CosineWindow::Attrs& a, const CosineWindow::Terms& w) {
  const int64_t size = scalar(ctx, 0, 0);
  Tensor& out = ctx.out(0, {size});
  std::vector<double> y(static_cast<size_t>(size), 1.0);
  const double n = static_cast<double>(a.periodic ? size : size - 1);
  for (size_t i = 0; i < y.size() && size > 1; ++i) {
    const double angle = static_cast<double>(i) * 2 * std::numbers::pi / n;
    y[i] = w.a - w.b * std::cos(angle) + w.c * std::cos(2 * angle);
  }
  narrow(y, out);
}

}  // namespace

template <>
void eval<DFT>(EvalContext& ctx) {
  const auto& a = ctx.attrs<DFT>();
  const bool to_real = a.onesided && a.inverse, half = a.onesided && !a.inverse;
  const bool is_complex = holds_complex(ctx, half);
  Extents extents = ctx.in(0).extents();
  const int axis = ctx.axis(ctx.has(2) ? scalar(ctx, 2, INT64_MIN) : DFT::kDefaultAxis, ctx.in(0).rank());
  if (axis == ctx.in(0).rank() - 1)
    ctx.fail(ErrorCode::bad_attribute, "the last axis of ", ctx.in(0).type(), " holds the complex parts");
  int64_t& extent = extents[static_cast<size_t>(axis)];
  const int64_t given = extent;
  const int64_t n = ctx.has(1) ? scalar(ctx, 1, 1) : to_real ? std::max<int64_t>(2 * (given - 1), 0) : given;
  const int64_t bins = half ? n / 2 + 1 : n;
  extents.pop_back();
  const AxisView from(extents, axis);
  extents[static_cast<size_t>(axis)] = bins;
  const AxisView to(extents, axis);
  extents.push_back(to_real ? 1 : 2);
  Tensor& out = ctx.out(0, extents);
  if (out.size() == 0) return;
  const auto x = ctx.read<double>(0);
  std::vector<double> y(static_cast<size_t>(out.size()));
  Fft fft(std::max<int64_t>(n, 1));
  std::vector<Fft::Complex> line(static_cast<size_t>(fft.size()));
  for (int64_t o = 0; o < from.outer; ++o)
    for (int64_t i = 0; i < from.inner; ++i) {
      const Line source(x.data() + (o * given * from.inner + i) * (is_complex ? 2 : 1), from.inner, is_complex);
      std::fill(line.begin(), line.end(), Fft::Complex());
      const int64_t taken = std::min(given, to_real ? n / 2 + 1 : n);
      for (int64_t t = 0; t < taken; ++t) line[static_cast<size_t>(t)] = source[t];
      if (to_real)
        for (int64_t t = n / 2 + 1; t < n; ++t)
          line[static_cast<size_t>(t)] = std::conj(line[static_cast<size_t>(n - t)]);
      if (n > 0) fft.run(line.data(), a.inverse);
      for (int64_t k = 0; k < bins; ++k) {
        const Fft::Complex v = line[static_cast<size_t>(k)];
        const auto at = static_cast<size_t>((o * bins + k) * to.inner + i);
        if (to_real) {
          y[at] = v.real();
        } else {
          y[2 * at] = v.real();
          y[2 * at + 1] = v.imag();
        }
      }
    }
  narrow(y, out);
}

template <>
void eval<STFT>(EvalContext& ctx) {
  const bool onesided = ctx.attrs<STFT>().onesided, is_complex = holds_complex(ctx, onesided);
  if (ctx.in(0).rank() != 3) ctx.fail(ErrorCode::bad_shape, "the signal must have rank 3, got ", ctx.in(0).type());
  const int64_t batch = ctx.in(0).extent(0), signal = ctx.in(0).extent(1), step = scalar(ctx, 1, 1);
  const int64_t window = ctx.has(2) ? ctx.in(2).size() : signal;
  const int64_t length = ctx.has(3) ? scalar(ctx, 3, 1) : window;
  if (ctx.has(2) && window > length)
    ctx.fail(ErrorCode::bad_shape, "a window of ", window, " elements for frames of ", length);
  const int64_t frames = signal < length ? 0 : (signal - length) / step + 1, bins = onesided ? length / 2 + 1 : length;
  Tensor& out = ctx.out(0, {batch, frames, bins, 2});
  if (out.size() == 0) return;
  const auto x = ctx.read<double>(0);
  std::vector<double> weights(static_cast<size_t>(length), 1.0);
  if (ctx.has(2)) {
    weights = ctx.read<double>(2);
    weights.resize(static_cast<size_t>(length));
  }
  std::vector<double> y;
  y.reserve(static_cast<size_t>(out.size()));
  Fft fft(length);
  std::vector<Fft::Complex> line(weights.size());
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t f = 0; f < frames; ++f) {
      const Line source(x.data() + (b * signal + f * step) * (is_complex ? 2 : 1), 1, is_complex);
      for (int64_t t = 0; t < length; ++t) {
        const auto i = static_cast<size_t>(t);
        line[i] = source[t] * weights[i];
      }
      fft.run(line.data(), false);
      for (int64_t k = 0; k < bins; ++k) {
        y.push_back(line[static_cast<size_t>(k)].real());
        y.push_back(line[static_cast<size_t>(k)].imag());
      }
    }
  narrow(y, out);
}

template <>
void eval<HannWindow>(EvalContext& ctx) {
  cosine_window(ctx, ctx.attrs<HannWindow>(), HannWindow::terms);
}

template <>
void eval<HammingWindow>(EvalContext& ctx) {
  cosine_window(ctx, ctx.attrs<HammingWindow>(), HammingWindow::terms);
}

template <>
void eval<BlackmanWindow>(EvalContext& ctx) {
  cosine_window(ctx, ctx.attrs<BlackmanWindow>(), BlackmanWindow::terms);
}

template <>
void eval<MelWeightMatrix>(EvalContext& ctx) {
  const int64_t mels = scalar(ctx, 0, 0), length = scalar(ctx, 1, 0), rate = scalar(ctx, 2, 1), bins = length / 2 + 1;
  const double low = scalar_f64(ctx.in(3)), high = scalar_f64(ctx.in(4));
  if (!(low >= 0 && low <= high && high < 1e15))
    ctx.fail(ErrorCode::bad_value, "mel filters from ", low, " to ", high, " Hz");
  Tensor& out = ctx.out(0, {bins, mels});
  std::vector<double> y(static_cast<size_t>(out.size()));
  const auto to_mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  // The spacing divides by two more than there are gaps, as the standard's reference does.
  const double first = to_mel(low), spacing = (to_mel(high) - first) / static_cast<double>(mels + 2);
  const auto bin = [&](int64_t i) {
    const double hertz = 700 * (std::pow(10, (static_cast<double>(i) * spacing + first) / 2595) - 1);
    const double place = std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate));
    return static_cast<int64_t>(std::min(place, 1e15));
  };
  for (int64_t m = 0; m < mels; ++m) {
    const int64_t left = bin(m), peak = bin(m + 1), right = bin(m + 2);
    if (std::max(right - 1, peak) >= bins)
      ctx.fail(ErrorCode::bad_value, "mel filter ", m, " reaches beyond half the sample rate, ", rate, " Hz");
    const auto weight = [&](int64_t j) -> double& { return y[static_cast<size_t>(j * mels + m)]; };
    for (int64_t j = left; j < peak; ++j) weight(j) = static_cast<double>(j - left) / static_cast<double>(peak - left);
    weight(peak) = 1;
    for (int64_t j = peak; j < right; ++j)
      weight(j) = static_cast<double>(right - j) / static_cast<double>(right - peak);
  }
  narrow(y, out);
}

}  // namespace tc
