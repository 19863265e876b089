#include "tc/frontend/dsl/signal.h"

#include <cmath>
#include <numbers>

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc::signal {

using namespace dsl;

namespace {

// f(place / period, number of elements), in f64.
template <class F>
Var window(const Extent& n, const WindowOptions& options, F f) {
  const Var count = n.dynamic() ? astype(n.var(), i64) : asarray(n.dim());
  const Var period = options.periodic ? count : count - 1;
  const Var x = astype(arange(count), f64) / astype(maximum(period, 1), f64);
  const Var w = where(count == 1, 1.0, f(x));
  const DType type = options.dtype.value_or(f32);
  if (type != f32 && type != f64) refuse(ErrorCode::bad_type, cat("a window of ", type, ", expected f32 or f64"));
  return astype(w, type);
}

Var cosines(const Extent& n, const WindowOptions& options, double constant, double first, double second) {
  return window(n, options, [=](const Var& x) {
    const Var angle = x * (2 * std::numbers::pi);
    const Var w = constant - first * cos(angle);
    return second == 0 ? w : w + second * cos(2 * angle);
  });
}

void expect_axes(const Var& v, int count) {
  if (v.rank() < count) refuse(ErrorCode::bad_shape, cat("an operand is ", v.type(), ", expected ", count, " axes"));
}

// What a mode keeps of the m + n - 1 overlaps along an axis.
struct Kept {
  Dim start, length;
};
Kept kept(ConvolveMode mode, const Dim& m, const Dim& n) {
  const Dim all = m + n - Dim(1), shorter = min(m, n), longer = max(m, n);
  switch (mode) {
    case ConvolveMode::full:
      return {0, all};
    case ConvolveMode::same:
      return {floordiv(n - Dim(1), 2), m};
    case ConvolveMode::valid:
      return {shorter - Dim(1), longer - shorter + Dim(1)};
  }
  refuse(ErrorCode::bad_argument, "no such mode");
}

Dims with(const Dims& dims, size_t last, std::initializer_list<Dim> more) {
  Dims r(dims.begin(), dims.end() - static_cast<std::ptrdiff_t>(last));
  r.insert(r.end(), more);
  return r;
}

// The elements of x that meet those of a kernel of n, in its order, at each of the kept overlaps: [..., length, n].
// Where there is none it is the 0 that stands behind the last one.
Var overlaps(const Var& x, const Dim& n, const Kept& k) {
  const Dim m = x.dim(-1);
  const Var place = expand_dims(arange(k.length) + asarray(k.start), 1) - expand_dims(arange(n), 0);
  const Var longer = concat({x, zeros(with(x.shape(), 1, {Dim(1)}), {.dtype = x.dtype()})}, {.axis = -1});
  return take(longer, where((place >= 0) & (place < m), place, asarray(m)), {.axis = -1});
}

int64_t hop_of(int64_t hop, int64_t n_fft) {
  if (n_fft < 1) refuse(ErrorCode::bad_argument, cat("frames of ", n_fft, " elements"));
  if (hop < 0) refuse(ErrorCode::bad_argument, cat(hop, " elements between frames"));
  return hop ? hop : std::max<int64_t>(n_fft / 4, 1);
}

Var window_of(const Arg& w, int64_t n_fft, DType type) {
  if (w.absent()) return ones({n_fft}, {.dtype = type});
  const Var v = astype(operand(w, Domain::floating), type);
  if (v.rank() != 1 || (v.dim(0).is_const() && !v.dim(0).is(n_fft)))
    refuse(ErrorCode::bad_shape, cat("the window is ", v.type(), ", expected [", n_fft, "]"));
  return v;
}

Dim length_of(const Var& x) {
  return x.dim(-1);
}

// The transform of real numbers, and back to as many as `like` has, with the gradients that the op itself lacks: each
// is the other one, but that all elements except the first, and the last of an even number, stand for two.
Complex transformed(const Var& x) {
  const auto f = [](Var v) { return fft::rfft(v); };
  const auto rule = [](Var v, Var, Var g) {
    return fft::real(fft::ifft(g, {.n = length_of(v), .norm = fft::Norm::forward}));
  };
  return from_pairs(custom_vjp(f, rule)(x));
}

Var restored(const Complex& z, const Var& like) {
  // By the other half, the conjugates: files before opset 20 have no inverse of a half.
  const auto f = [](Var pairs, Var v) {
    const Var n = asarray(length_of(v)), k = arange(length_of(v)), given = k * 2 <= n;
    const Complex half = from_pairs(take(pairs, where(given, k, n - k), {.axis = -2}));
    return fft::real(fft::ifft(as_pairs(Complex{half.re, where(given, half.im, -half.im)})));
  };
  const auto rule = [](Var pairs, Var v, Var, Var g) {
    const Var n = asarray(length_of(v)), k = arange(pairs.dim(-2));
    const Var twice = astype(where((k == 0) | (k * 2 == n), 1, 2), v.dtype()) / astype(n, v.dtype());
    return std::pair{fft::rfft(g) * expand_dims(twice, -1), zeros_like(v)};
  };
  return custom_vjp(f, rule)(as_pairs(z), like);
}

}  // namespace

Var hann(Extent n, WindowOptions options, Location at) {
  const Site site("signal.hann", at);
  return cosines(n, options, 0.5, 0.5, 0);
}
Var hamming(Extent n, WindowOptions options, Location at) {
  const Site site("signal.hamming", at);
  return cosines(n, options, 0.54, 0.46, 0);
}
Var blackman(Extent n, WindowOptions options, Location at) {
  const Site site("signal.blackman", at);
  return cosines(n, options, 0.42, 0.5, 0.08);
}
Var bartlett(Extent n, WindowOptions options, Location at) {
  const Site site("signal.bartlett", at);
  return window(n, options, [](const Var& x) { return 1 - abs(2 * x - 1); });
}
Var kaiser(Extent n, Arg beta, WindowOptions options) {
  const Site site("signal.kaiser", beta.at());
  const Var b = astype(operand_like(beta, f64), f64);
  return window(n, options, [&](const Var& x) {
    const Var y = 2 * x - 1;
    return special::i0(b * sqrt(maximum(1 - y * y, 0))) / special::i0(b);
  });
}

Var convolve(Arg a, Arg b, ConvolveOptions options) {
  const Site site("signal.convolve", a.at());
  const auto [x, y] = promoted(a, b, Domain::real);
  expect_axes(x, 1);
  expect_axes(y, 1);
  const Dim m = x.dim(-1), n = y.dim(-1);
  return squeeze(tc::matmul(overlaps(x, n, kept(options.mode, m, n)), expand_dims(y, -1)), -1);
}

Var convolve2d(Arg a, Arg b, ConvolveOptions options) {
  const Site site("signal.convolve2d", a.at());
  const auto [x, y] = promoted(a, b, Domain::real);
  expect_axes(x, 2);
  expect_axes(y, 2);
  const Dim p = y.dim(-2), q = y.dim(-1);
  const Kept down = kept(options.mode, x.dim(-2), p), right = kept(options.mode, x.dim(-1), q);
  // [..., rows, columns, q], then [..., columns, q, rows, p] with the rows last, and both kernels' axes behind.
  const Var columns = overlaps(x, q, right);
  const Var both = overlaps(moveaxis(columns, -3, -1), p, down);
  const Var flat = reshape(moveaxis(both, -3, -1), with(both.shape(), 4, {right.length, down.length, p * q}));
  const Var kernel = reshape(y, with(y.shape(), 2, {Dim(1), p * q, Dim(1)}));
  return matrix_transpose(squeeze(tc::matmul(flat, kernel), -1));
}

Var fftconvolve(Arg a, Arg b, ConvolveOptions options) {
  const Site site("signal.fftconvolve", a.at());
  const auto [x, y] = promoted(a, b, Domain::floating);
  expect_axes(x, 1);
  expect_axes(y, 1);
  const Dim m = x.dim(-1), n = y.dim(-1), all = m + n - Dim(1);
  const auto wide = [&](const Var& v) {
    const Dim more = all - v.dim(-1);
    return more.is(0) ? v : concat({v, zeros(with(v.shape(), 1, {more}), {.dtype = v.dtype()})}, {.axis = -1});
  };
  const Var like = wide(x);
  const Complex product = transformed(like) * transformed(wide(y));
  const Kept k = kept(options.mode, m, n);
  return restored(product, like).at(ellipsis, slice(k.start, k.start + k.length)).get();
}

Complex stft(Arg x, int64_t n_fft, StftOptions options) {
  const Site site("signal.stft", x.at());
  const int64_t hop = hop_of(options.hop, n_fft);
  const Var v = operand(x, Domain::floating);
  expect_axes(v, 1);
  const Dim t = v.dim(-1);
  Dim count = t;
  Var shift = asarray(0);
  if (options.center) {
    count = t + Dim(n_fft / 2 * 2);
    shift = asarray(n_fft / 2);
  }
  const Dim frames = floordiv(count - Dim(n_fft), hop) + Dim(1);
  const Var place = expand_dims(arange(frames) * hop - shift, 1) + expand_dims(arange(n_fft), 0);
  // Mirrored at both ends without the end itself.
  const Var last = asarray(t) - 1, inside = abs(place), mirrored = where(inside > last, last * 2 - inside, inside);
  const Var framed = take(v, mirrored, {.axis = -1}) * window_of(options.window, n_fft, v.dtype());
  const Complex z = transformed(framed);
  return matrix_transpose(z);
}

Var istft(const Complex& z, int64_t n_fft, IstftOptions options, Location at) {
  const Site site("signal.istft", at);
  const int64_t hop = hop_of(options.hop, n_fft);
  expect_axes(z.re, 2);
  const DType type = z.re.dtype();
  const Var w = window_of(options.window, n_fft, type);
  const Var framed = restored(matrix_transpose(z), w) * w;  // [..., frames, n_fft]
  const Dim frames = framed.dim(-2), all = (frames - Dim(1)) * Dim(hop) + Dim(n_fft);
  const Var place =
      reshape(expand_dims(arange(frames) * hop, 1) + expand_dims(arange(n_fft), 0), {frames * Dim(n_fft)});
  const auto overlapped = [&](const Var& parts) {  // of the last two axes
    const Var flat = moveaxis(reshape(parts, with(parts.shape(), 2, {frames * Dim(n_fft)})), -1, 0);
    Dims dims = flat.shape();
    dims[0] = all;
    return moveaxis(zeros(dims, {.dtype = type}).at(place).add(flat), 0, -1);
  };
  const Var weight = overlapped(broadcast_to(w * w, {frames, Dim(n_fft)}));
  const Var some = weight > 1e-11;
  Var x = where(some, overlapped(framed) / where(some, weight, 1), 0);
  const Dim skipped = options.center ? Dim(n_fft / 2) : Dim(0);
  x = x.at(ellipsis, slice(skipped, all - skipped)).get();
  if (!options.length) return x;
  const Var length = options.length->dynamic() ? options.length->var() : asarray(options.length->dim());
  const Var have = asarray(x.dim(-1)), i = arange(length);
  return where(i < have, take(x, minimum(i, have - 1), {.axis = -1}), 0);
}

}  // namespace tc::signal
