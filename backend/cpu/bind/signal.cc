#include <algorithm>
#include <memory>
#include <numbers>

#include "tc/backend/cpu/bind/bind.h"
#include "tc/ir/eval/fft.h"
#include "tc/kernels/fourier/fourier.h"

namespace tc::cpu {
namespace {

// A plan of some length, and the tables that it refers to.
template <class T>
class Fourier {
 public:
  explicit Fourier(int64_t n) {
    plan.n = n;
    int64_t left = n;
    for (const int64_t radix : {4, 2, 3, 5, 7})
      for (; left % radix == 0; left /= radix) plan.radix[plan.stages++] = static_cast<int8_t>(radix);
    turns_ = circle(n, n, [](int64_t k) { return k; });
    plan.turns = turns_.data();
    if (left == 1) return;
    plan.stages = 0;
    int64_t padded = 1;
    while (padded < 2 * n - 1) padded *= 2;
    padded_ = std::make_unique<Fourier>(padded);
    plan.padded = &padded_->plan;
    chirp_ = circle(n, 2 * n, [&](int64_t k) { return square(k, 2 * n); });
    plan.chirp = chirp_.data();
    std::vector<Fft::Complex> filter(static_cast<size_t>(padded));
    for (int64_t k = 0; k < n; ++k) {
      const Fft::Complex c = std::conj(turn(square(k, 2 * n), 2 * n)) / static_cast<double>(padded);
      filter[static_cast<size_t>(k)] = c;
      if (k > 0) filter[static_cast<size_t>(padded - k)] = c;
    }
    Fft(padded).run(filter.data(), false);
    for (const auto& c : filter) append(filter_, c);
    plan.filter = filter_.data();
  }
  Fourier(const Fourier&) = delete;
  Fourier& operator=(const Fourier&) = delete;
  kernels::FourierPlan<T> plan;

 private:
  static Fft::Complex turn(int64_t k, int64_t n) {
    return std::polar(1.0, -2 * std::numbers::pi * (static_cast<double>(k) / static_cast<double>(n)));
  }
  static int64_t square(int64_t k, int64_t n) { return static_cast<int64_t>(static_cast<__int128>(k) * k % n); }
  static void append(std::vector<T>& list, Fft::Complex c) {
    list.push_back(static_cast<T>(c.real()));
    list.push_back(static_cast<T>(c.imag()));
  }
  template <class F>
  static std::vector<T> circle(int64_t count, int64_t n, F place) {
    std::vector<T> list;
    for (int64_t k = 0; k < count; ++k) append(list, turn(place(k), n));
    return list;
  }

  std::vector<T> turns_, chirp_, filter_;
  std::unique_ptr<Fourier> padded_;
};

template <class T>
struct FourierState {
  kernels::FourierArgs<T> args;
  std::unique_ptr<Fourier<T>> fourier;
  std::vector<T> window;  // filled up with zeros

  void plan(int64_t n) {
    if (!fourier || fourier->plan.n != n) fourier = std::make_unique<Fourier<T>>(n);
    args.plan = &fourier->plan;
  }
};

// A length beyond which the blocks of lines leave every cache.
constexpr int64_t kLongest = 16384;

std::optional<int64_t> number(Binder& b, int i) {
  const auto list = b.ints(i);
  return list && list->size() == 1 ? std::optional((*list)[0]) : std::nullopt;
}

template <class T>
bool bind_dft_as(Binder& b) {
  const auto& a = b.attrs<DFT>();
  const int rank = b.rank(0);
  if (rank < 2) return b.refuse("there is no axis");
  if ((b.has(1) && !number(b, 1)) || (b.has(2) && !number(b, 2))) return b.refuse("length or axis are not constant");
  const Dim& last = b.shape(0)[rank - 1];
  if (!last.is_const() || (last.value() != 1 && last.value() != 2))
    return b.refuse("not known whether numbers are complex");
  const bool is_complex = last.value() == 2, to_real = a.onesided && a.inverse, half = a.onesided && !a.inverse;
  if (half && is_complex) return b.refuse("the one-sided spectrum of complex numbers");
  const int64_t axis_given = b.has(2) ? *number(b, 2) : DFT::kDefaultAxis;
  const int64_t axis = axis_given < 0 ? axis_given + rank : axis_given;
  if (axis < 0 || axis >= rank - 1) return b.refuse("not an axis of numbers");
  const Dim& extent = b.shape(0)[static_cast<int>(axis)];
  if (!extent.is_const()) return b.refuse("the extent along the axis is not fixed");
  const int64_t given = extent.value();
  const int64_t n = b.has(1) ? *number(b, 1) : to_real ? 2 * (given - 1) : given;
  if (n < 1 || n > kLongest) return b.refuse(cat("a length of ", n));
  const kernels::FourierTable& table = b.table().fourier;
  const Slot x = b.in(0), y = b.out(0);
  b.step<FourierState<T>>(
      table.of<T>().name,
      [=, &table](Frame& f, FourierState<T>& s) {
        s.plan(n);
        kernels::FourierArgs<T>& args = s.args;
        const auto e = f.extents(x);
        const auto at = static_cast<size_t>(axis);
        args.outer = product(e.first(at)), args.inner = product(e.subspan(at + 1, e.size() - at - 2));
        args.inverse = a.inverse, args.is_complex = is_complex, args.mirrored = to_real, args.real_only = to_real;
        args.taken = std::min(given, to_real ? n / 2 + 1 : n);
        args.bins = half ? n / 2 + 1 : n;
        const int64_t in = is_complex ? 2 : 1, out = to_real ? 1 : 2;
        args.from = {given * args.inner * in, in, args.inner * in};
        args.to = {args.bins * args.inner * out, out, args.inner * out};
        f.need_scratch(kernels::fourier_scratch_bytes(table, args, f.team().threads()));
      },
      [=, &table](Frame& f, FourierState<T>& s) {
        s.args.x = f.ptr<T>(x), s.args.y = f.ptr<T>(y), s.args.scratch = f.scratch();
        kernels::fourier(table, f.team(), s.args);
      });
  return true;
}

template <class T>
bool bind_stft_as(Binder& b) {
  if (b.rank(0) != 3) return b.refuse("the signal is not of rank 3");
  const auto step = number(b, 1), given = b.has(3) ? number(b, 3) : std::nullopt;
  if (!step || *step < 1 || (b.has(3) && !given)) return b.refuse("step or length are not constant");
  const Dim& last = b.shape(0)[2];
  if (!last.is_const() || (last.value() != 1 && last.value() != 2))
    return b.refuse("not known whether numbers are complex");
  const bool is_complex = last.value() == 2, onesided = b.attrs<STFT>().onesided;
  if (onesided && is_complex) return b.refuse("the one-sided spectrum of complex numbers");
  std::optional<int64_t> window;
  if (b.has(2)) {
    if (const auto count = b.shape(2).count(); count.is_const()) window = count.value();
    if (!window) return b.refuse("the length of the window is not fixed");
  }
  const auto length = given ? given : window;
  if (!length) return b.refuse("frames as long as the signal");
  if (*length < 1 || *length > kLongest) return b.refuse(cat("frames of ", *length));
  if (window && *window > *length) return b.refuse("the window is longer than frames");
  const kernels::FourierTable& table = b.table().fourier;
  const Slot x = b.in(0), w = b.in(2), y = b.out(0);
  b.step<FourierState<T>>(
      table.of<T>().name,
      [=, n = *length, hop = *step, &table](Frame& f, FourierState<T>& s) {
        s.plan(n);
        kernels::FourierArgs<T>& args = s.args;
        const auto e = f.extents(x);
        const int64_t in = is_complex ? 2 : 1;
        args.outer = e[0], args.inner = e[1] < n ? 0 : (e[1] - n) / hop + 1;
        args.is_complex = is_complex;
        args.taken = n;
        args.bins = onesided ? n / 2 + 1 : n;
        args.from = {e[1] * in, hop * in, in};
        args.to = {args.inner * args.bins * 2, args.bins * 2, 2};
        f.need_scratch(kernels::fourier_scratch_bytes(table, args, f.team().threads()));
      },
      [=, n = *length, &table](Frame& f, FourierState<T>& s) {
        if (w != kNoSlot) {
          const auto* weights = f.ptr<const T>(w);
          s.window.assign(weights, weights + f.count(w));
          s.window.resize(static_cast<size_t>(n));
          s.args.window = s.window.data();
        }
        s.args.x = f.ptr<T>(x), s.args.y = f.ptr<T>(y), s.args.scratch = f.scratch();
        kernels::fourier(table, f.team(), s.args);
      });
  return true;
}

// f(T{}) for the element type T of the numbers.
template <class F>
bool by_real(Binder& b, F f) {
  if (b.dtype(0) == DType::f32) return f(float{});
  return b.dtype(0) == DType::f64 ? f(double{}) : b.refuse("element type is not f32 or f64");
}
bool bind_dft(Binder& b) {
  return by_real(b, [&]<class T>(T) { return bind_dft_as<T>(b); });
}
bool bind_stft(Binder& b) {
  return by_real(b, [&]<class T>(T) { return bind_stft_as<T>(b); });
}

}  // namespace

void rows_bind_signal(BindRows& rows) {
  rows.push_back({OpId::DFT, "dft", bind_dft});
  rows.push_back({OpId::STFT, "stft", bind_stft});
}

}  // namespace tc::cpu
