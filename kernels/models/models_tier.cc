#include "tc/kernels/elementwise/vec_pow.h"
#include "tc/kernels/models/models.h"

namespace tc::kernels {
namespace {

constexpr int kWidth = kLanes<double>;
constexpr int kRegs = static_cast<int>(kModelLanes) / kWidth;  // of a block

// R rows times B blocks of vectors, which fill the registers without waiting for sums.
template <bool kDistances, int R, int B>
TC_INLINE void tile(const ModelProducts& p, std::int64_t row, std::int64_t first) {
  VecD acc[R][B * kRegs];
  for (int r = 0; r < R; ++r)
    for (int b = 0; b < B * kRegs; ++b) acc[r][b] = load(p.start + first + b * kWidth);
  const double* x = p.x + row * p.features;
  const double* v = p.vectors + first * p.features;
  for (std::int64_t k = 0; k < p.features; ++k) {
    VecD w[B * kRegs];
    for (int b = 0; b < B * kRegs; ++b)
      w[b] = load(v + b / kRegs * kModelLanes * p.features + k * kModelLanes + b % kRegs * kWidth);
    for (int r = 0; r < R; ++r) {
      const VecD each(x[r * p.features + k]);
      for (int b = 0; b < B * kRegs; ++b) {
        if constexpr (kDistances) {
          const VecD d = each - w[b];
          acc[r][b] = fma(d, d, acc[r][b]);
        } else {
          acc[r][b] = fma(each, w[b], acc[r][b]);
        }
      }
    }
  }
  for (int r = 0; r < R; ++r)
    for (int b = 0; b < B * kRegs; ++b) store(p.y + (row + r) * p.padded + first + b * kWidth, acc[r][b]);
}

template <bool kDistances, int R>
void rows(const ModelProducts& p, std::int64_t row) {
  constexpr int kBlocks = kRegs == 1 ? (R == 1 ? 4 : 2) : 1;
  std::int64_t v = 0;
  for (; v + kBlocks * kModelLanes <= p.padded; v += kBlocks * kModelLanes) tile<kDistances, R, kBlocks>(p, row, v);
  for (; v < p.padded; v += kModelLanes) tile<kDistances, R, 1>(p, row, v);
}

template <bool kDistances>
void all_rows(const ModelProducts& p) {
  constexpr int kRows = 8 / kRegs;
  std::int64_t r = 0;
  for (; r + kRows <= p.rows; r += kRows) rows<kDistances, kRows>(p, r);
  for (; r < p.rows; ++r) rows<kDistances, 1>(p, r);
}

double dot(const double* a, const double* b, std::int64_t n) {
  constexpr int kAcc = 4;
  VecD acc[kAcc] = {VecD(0.0), VecD(0.0), VecD(0.0), VecD(0.0)};
  std::int64_t i = 0;
  for (; i + kAcc * kWidth <= n; i += kAcc * kWidth)
    for (int j = 0; j < kAcc; ++j) acc[j] = fma(load(a + i + j * kWidth), load(b + i + j * kWidth), acc[j]);
  for (; i + kWidth <= n; i += kWidth) acc[0] = fma(load(a + i), load(b + i), acc[0]);
  if (i < n) {
    const Tail<double> tail(static_cast<int>(n - i));
    acc[1] = fma(load(a + i, tail), load(b + i, tail), acc[1]);
  }
  return sum((acc[0] + acc[1]) + (acc[2] + acc[3]));
}

// One vector would leave most lanes empty: features take them.
void one_vector(const ModelProducts& p) {
  for (std::int64_t r = 0; r < p.rows; ++r)
    p.y[r * p.padded] = p.start[0] + dot(p.x + r * p.features, p.single, p.features);
}

void products(const ModelProducts& p) {
  if (p.single) return one_vector(p);
  if (p.distances)
    all_rows<true>(p);
  else
    all_rows<false>(p);
}

template <class F>
TC_INLINE void each(double* v, std::int64_t n, F f) {
  std::int64_t i = 0;
  for (; i + kWidth <= n; i += kWidth) store(v + i, f(load(v + i)));
  if (i < n) {
    const Tail<double> tail(static_cast<int>(n - i));
    store(v + i, f(load(v + i, tail)), tail);
  }
}

void map(ModelMap m, double a, double b, double c, double* v, std::int64_t n) {
  const VecD va(a), vb(b);
  constexpr double kMostMultiplications = 16;
  switch (m) {
    case ModelMap::exp:
      return each(v, n, [&](VecD x) { return vexp(va * x); });
    case ModelMap::tanh:
      return each(v, n, [&](VecD x) { return vtanh(fma(va, x, vb)); });
    case ModelMap::sigmoid:
      return each(v, n, [&](VecD x) { return vsigmoid(x); });
    case ModelMap::power:
      if (c >= 0 && c <= kMostMultiplications && c == static_cast<double>(static_cast<int>(c)))
        return each(v, n, [&, times = static_cast<int>(c)](VecD x) {
          const VecD base = fma(va, x, vb);
          VecD y(1.0);
          for (int i = 0; i < times; ++i) y = y * base;
          return y;
        });
      return each(v, n, [&](VecD x) { return vpow(fma(va, x, vb), VecD(c)); });
  }
}

// Rows side by side: a register of short ones would be mostly empty, and wait for what has just been stored.
constexpr std::int64_t kShort = 32;
void softmax_short(double* v, int rows, std::int64_t n) {
  alignas(64) double t[kShort * kWidth];
  for (std::int64_t i = 0; i < n * kWidth; ++i) t[i] = 0;
  for (int r = 0; r < rows; ++r)
    for (std::int64_t k = 0; k < n; ++k) t[k * kWidth + r] = v[r * n + k];
  VecD most = load(t), sums(0.0);
  for (std::int64_t k = 1; k < n; ++k) most = vmax(most, load(t + k * kWidth));
  for (std::int64_t k = 0; k < n; ++k) {
    const VecD e = vexp(load(t + k * kWidth) - most);
    sums = sums + e;
    store(t + k * kWidth, e);
  }
  const VecD scale = VecD(1.0) / sums;
  for (std::int64_t k = 0; k < n; ++k) store(t + k * kWidth, load(t + k * kWidth) * scale);
  for (int r = 0; r < rows; ++r)
    for (std::int64_t k = 0; k < n; ++k) v[r * n + k] = t[k * kWidth + r];
}

void softmax(double* v, std::int64_t rows, std::int64_t n) {
  if (n <= kShort) {
    for (std::int64_t r = 0; r < rows; r += kWidth)
      softmax_short(v + r * n, static_cast<int>(rows - r < kWidth ? rows - r : kWidth), n);
    return;
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    double* row = v + r * n;
    double most = row[0], sum = 0;
    for (std::int64_t k = 1; k < n; ++k) most = row[k] > most ? row[k] : most;
    const VecD all(most);
    each(row, n, [&](VecD x) { return vexp(x - all); });
    for (std::int64_t k = 0; k < n; ++k) sum += row[k];
    const VecD scale(1 / sum);
    each(row, n, [&](VecD x) { return x * scale; });
  }
}

template <class T>
void widen_from(const T* x, std::int64_t n, double* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<double>(x[i]);
}

void widen(Elem type, const void* x, std::int64_t n, double* y) {
  if (type == Elem::f32) return widen_from(static_cast<const float*>(x), n, y);
  if (type == Elem::f64) return widen_from(static_cast<const double*>(x), n, y);
  if (type == Elem::i32) return widen_from(static_cast<const std::int32_t*>(x), n, y);
  widen_from(static_cast<const std::int64_t*>(x), n, y);
}

void narrow(const double* x, std::int64_t n, float* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(x[i]);
}

}  // namespace

extern constinit const ModelTable TC_TIER_NAME(models_table);
constinit const ModelTable TC_TIER_NAME(models_table) = {
    TC_KERNEL(products, "model_products_f64"), TC_KERNEL(map, "model_map_f64"),
    TC_KERNEL(dot, "model_dot_f64"),           TC_KERNEL(softmax, "model_softmax_f64"),
    TC_KERNEL(widen, "model_widen_f64"),       TC_KERNEL(narrow, "model_narrow_f64"),
};

}  // namespace tc::kernels
