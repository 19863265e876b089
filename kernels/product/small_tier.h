// Products by where their operands lie: small ones, and sums along K. Only product_tier.cc includes it.
#pragma once
#include <type_traits>

#include "tc/kernels/gemm/pack_tier.h"
#include "tc/kernels/product/product.h"
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// a * b + c. Integers wrap around, and go by the compiler's vectors: not every tier has a product of 64 bits.
template <class T>
TC_INLINE Vec<T> multiply_add(Vec<T> a, Vec<T> b, Vec<T> c) {
  if constexpr (std::is_floating_point_v<T>) {
    return fma(a, b, c);
  } else {
    using Register = typename Vec<T>::register_type;
    typedef std::make_unsigned_t<T> Lanes __attribute__((vector_size(sizeof(Register))));
    return Vec<T>((Register)((Lanes)Register(a) * (Lanes)Register(b) + (Lanes)Register(c)));
  }
}

template <class T>
T plus_times(T a, T b, T c) {
  if constexpr (std::is_floating_point_v<T>) {
    return a * b + c;
  } else {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b) + static_cast<U>(c));
  }
}

// Where a tile goes, and what is added on the first block of K.
template <class T>
struct Target {
  T* c;
  int64_t row;
  bool first;
  T alpha, beta;
  const T* bias;      // per column, or null
  const T* row_bias;  // per row, or null
  const T* residual;  // or null
  int64_t residual_row, residual_col;
};

// One row of a tile: `cols` sums to the target.
template <class T>
void finish_row(const T* sums, int cols, const Target<T>& to, int64_t row) {
  T* c = to.c + row * to.row;
  const Vec<T> alpha(to.alpha), beta(to.beta);
  for (int j = 0; j < cols; j += kLanes<T>) {
    const Tail<T> tail(cols - j < kLanes<T> ? cols - j : kLanes<T>);
    Vec<T> x = load(sums + j);
    if (to.alpha != T{1}) x = x * alpha;
    if (!to.first) {
      store(c + j, x + load(c + j, tail), tail);
      continue;
    }
    if (to.bias != nullptr) x = x + load(to.bias + j, tail);
    if (to.row_bias != nullptr) x = x + Vec<T>(to.row_bias[row]);
    if (to.residual != nullptr) {
      const T* r = to.residual + row * to.residual_row + j * to.residual_col;
      x = multiply_add<T>(beta, to.residual_col == 0 ? Vec<T>(*r) : load(r, tail), x);
    }
    store(c + j, x, tail);
  }
}

// Pointers of one matrix of the batch.
template <class T>
struct Item {
  const T* a;
  const T* b;
  T* c;
  const T* residual;

  Item(const ProductArgs& args, int64_t batch) {
    const GemmShape& g = args.shape;
    const int64_t i = batch / g.batch[1], j = batch % g.batch[1];
    const auto at = [&](const int64_t(&strides)[2]) { return i * strides[0] + j * strides[1]; };
    a = static_cast<const T*>(args.a) + at(g.a_batch);
    b = static_cast<const T*>(args.b) + at(g.b_batch);
    c = static_cast<T*>(args.c) + at(g.c_batch);
    residual = args.residual == nullptr ? nullptr : static_cast<const T*>(args.residual) + at(g.residual_batch);
  }
};

// The element's sum, finished.
template <class T>
void finish_one(const ProductArgs& args, const Item<T>& it, int64_t i, int64_t j, T x) {
  const GemmShape& g = args.shape;
  if (args.alpha != 1) x = static_cast<T>(static_cast<double>(x) * args.alpha);
  if (args.bias != nullptr) x = plus_times(T{1}, static_cast<const T*>(args.bias)[j], x);
  if (it.residual != nullptr)
    x = plus_times(static_cast<T>(args.beta), it.residual[i * g.residual_rs + j * g.residual_cs], x);
  it.c[i * g.c_rs + j] = x;
}

template <class T>
T dot(const T* a, const T* b, int64_t k) {
  Vec<T> acc[4] = {Vec<T>(T{0}), Vec<T>(T{0}), Vec<T>(T{0}), Vec<T>(T{0})};
  int64_t p = 0;
  for (; p + 4 * kLanes<T> <= k; p += 4 * kLanes<T>) {
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q)
      acc[q] = multiply_add<T>(load(a + p + q * kLanes<T>), load(b + p + q * kLanes<T>), acc[q]);
  }
  for (; p < k; p += kLanes<T>) {
    const Tail<T> tail(static_cast<int>(least(kLanes<T>, k - p)));
    acc[0] = multiply_add<T>(load(a + p, tail), load(b + p, tail), acc[0]);
  }
  T lanes[kLanes<T>];
  store(lanes, (acc[0] + acc[1]) + (acc[2] + acc[3]));
  T sum = lanes[0];
  for (int i = 1; i < kLanes<T>; ++i) sum = plus_times(T{1}, lanes[i], sum);
  return sum;
}

// Sums along K of R rows by C columns, each contiguous: x[r * C + c].
template <class T, int R, int C>
void dots(const T* a, int64_t a_apart, const T* b, int64_t b_apart, int64_t k, T* x) {
  Vec<T> sum[R][C];
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int c = 0; c < C; ++c) sum[r][c] = Vec<T>(T{0});
  }
  const auto step = [&](const auto& fetch, int64_t p) __attribute__((always_inline)) {
    Vec<T> column[C];
#pragma GCC unroll 4
    for (int c = 0; c < C; ++c) column[c] = fetch(b + c * b_apart + p);
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      const Vec<T> row = fetch(a + r * a_apart + p);
#pragma GCC unroll 4
      for (int c = 0; c < C; ++c) sum[r][c] = multiply_add<T>(row, column[c], sum[r][c]);
    }
  };
  int64_t p = 0;
  for (; p + kLanes<T> <= k; p += kLanes<T>) step([](const T* from) { return load(from); }, p);
  if (p < k) {
    const Tail<T> tail(static_cast<int>(k - p));
    step([&](const T* from) { return load(from, tail); }, p);
  }
#pragma GCC unroll 4
  for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
    for (int c = 0; c < C; ++c) {
      T lanes[kLanes<T>];
      store(lanes, sum[r][c]);
      T total = lanes[0];
      for (int i = 1; i < kLanes<T>; ++i) total = plus_times(T{1}, lanes[i], total);
      x[r * C + c] = total;
    }
  }
}

// As many rows and columns at a time as registers have sums of.
template <class T>
void run_dots(const ProductArgs& args, const ProductPlan& p, const Item<T>& it, int64_t tile, T* scratch) {
  constexpr int kBoth = kLanes<float> == 16 ? 4 : 3;  // rows and columns of a tile of reals
  const GemmShape& g = args.shape;
  const T* few = p.swapped ? it.b : it.a;
  int64_t few_rs = p.swapped ? g.b_cs : g.a_rs;
  if (p.swapped && g.b_rs != 1) {
    for (int64_t s = 0; s < p.row_tile; ++s)
      for (int64_t q = 0; q < g.k; ++q) scratch[s * g.k + q] = few[s * few_rs + q * g.b_rs];
    few = scratch, few_rs = g.k;
  }
  const T* many = p.swapped ? it.a : it.b;
  const int64_t many_rs = p.swapped ? g.a_rs : g.b_cs;
  const int64_t end = least(p.swapped ? g.m : g.n, (tile + 1) * p.col_tile);
  int64_t s = 0, j = 0;
  const auto finish = [&](const T* x, int rows, int cols) {
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < cols; ++c)
        finish_one(args, it, p.swapped ? j + c : s + r, p.swapped ? s + r : j + c, x[r * cols + c]);
  };
  const auto run = [&]<int R, int C>() {
    T x[R * C];
    dots<T, R, C>(few + s * few_rs, few_rs, many + j * many_rs, many_rs, g.k, x);
    finish(x, R, C);
    j += C;
  };
  const auto columns = [&]<int R>() {
    for (j = tile * p.col_tile; j + kBoth <= end;) run.template operator()<R, kBoth>();
    if constexpr (kBoth > 3)
      if (j + 3 <= end) run.template operator()<R, 3>();
    while (j < end) run.template operator()<R, 1>();
    s += R;
  };
  if constexpr (std::is_floating_point_v<T>) {
    while (s + kBoth <= p.row_tile) columns.template operator()<kBoth>();
    while (s < p.row_tile && p.row_tile * (end - tile * p.col_tile) > 2) columns.template operator()<1>();
  }
  // One or two sums in several chains of additions.
  for (; s < p.row_tile; ++s)
    for (j = tile * p.col_tile; j < end; ++j) {
      const T x = dot(few + s * few_rs, many + j * many_rs, g.k);
      finish(&x, 1, 1);
    }
}

// M rows of sums of NV registers over steps [k0, k1); the first steps begin them, later ones go on.
template <class T, int M, int NV>
void unpacked_rows(const ProductArgs& args, const Item<T>& it, int64_t row, int64_t col, int64_t k0, int64_t k1) {
  const GemmShape& g = args.shape;
  const int cols = static_cast<int>(least(NV * kLanes<T>, g.n - col));
  const Tail<T> tail(cols - (NV - 1) * kLanes<T>);
  const T* a = it.a + row * g.a_rs + k0 * g.a_cs;
  const T* b = it.b + k0 * g.b_rs + col;
  Vec<T> sum[M][NV];
#pragma GCC unroll 8
  for (int i = 0; i < M; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) sum[i][v] = Vec<T>(T{0});
  }
  for (int64_t p = k0; p < k1; ++p, a += g.a_cs, b += g.b_rs) {
    Vec<T> x[NV];
    if constexpr (NV == 2) x[0] = load(b);
    x[NV - 1] = load(b + (NV - 1) * kLanes<T>, tail);
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i) {
      const Vec<T> y(a[i * g.a_rs]);
#pragma GCC unroll 2
      for (int v = 0; v < NV; ++v) sum[i][v] = multiply_add<T>(y, x[v], sum[i][v]);
    }
  }
  T* c = it.c + row * g.c_rs + col;
  if (k0 == 0 && args.alpha == 1 && args.bias == nullptr && it.residual == nullptr) {
#pragma GCC unroll 8
    for (int i = 0; i < M; ++i, c += g.c_rs) {
      if constexpr (NV == 2) store(c, sum[i][0]);
      store(c + (NV - 1) * kLanes<T>, sum[i][NV - 1], tail);
    }
    return;
  }
  Target<T> to{};
  to.c = c, to.row = g.c_rs, to.first = k0 == 0;
  to.alpha = static_cast<T>(args.alpha), to.beta = static_cast<T>(args.beta);
  to.bias = args.bias == nullptr ? nullptr : static_cast<const T*>(args.bias) + col;
  to.residual = it.residual == nullptr ? nullptr : it.residual + row * g.residual_rs + col * g.residual_cs;
  to.residual_row = g.residual_rs, to.residual_col = g.residual_cs;
  alignas(64) T sums[NV * kLanes<T>];
#pragma GCC unroll 8
  for (int i = 0; i < M; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < NV; ++v) store(sums + v * kLanes<T>, sum[i][v]);
    finish_row(sums, cols, to, i);
  }
}

// Rows [row, end) of a panel of columns, as many at a time as keep both ports busy.
template <class T, int NV>
void unpacked_panel(const ProductArgs& args, const Item<T>& it, int64_t row, int64_t end, int64_t col, int64_t k0,
                    int64_t k1) {
  constexpr int kMost = 8 / NV;
  for (; row + kMost <= end; row += kMost) unpacked_rows<T, kMost, NV>(args, it, row, col, k0, k1);
  if constexpr (kMost > 4)
    for (; row + 4 <= end; row += 4) unpacked_rows<T, 4, NV>(args, it, row, col, k0, k1);
  for (; row + 2 <= end; row += 2) unpacked_rows<T, 2, NV>(args, it, row, col, k0, k1);
  if (row < end) unpacked_rows<T, 1, NV>(args, it, row, col, k0, k1);
}

// Rows [row, end) of C by registers of B where it lies.
template <class T>
void run_unpacked(const ProductArgs& args, const Item<T>& it, int64_t row, int64_t end) {
  const GemmShape& g = args.shape;
  int64_t k0 = 0;
  do {
    const int64_t k1 = least(g.k, k0 + kProductBlockK);
    for (int64_t col = 0; col < g.n; col += 2 * kLanes<T>) {
      if (g.n - col > kLanes<T>)
        unpacked_panel<T, 2>(args, it, row, end, col, k0, k1);
      else
        unpacked_panel<T, 1>(args, it, row, end, col, k0, k1);
    }
    k0 = k1;
  } while (k0 < g.k);
}

// `count` matrices of the batch from the first one on, each small.
template <class T>
void run_batch(const ProductArgs& args, int64_t first, int64_t count) {
  const GemmShape& g = args.shape;
  Item<T> it(args, first);
  int64_t j = first % g.batch[1];
  for (int64_t batch = first; batch < first + count; ++batch) {
    if (j == g.batch[1]) it = Item<T>(args, batch), j = 0;
    run_unpacked(args, it, 0, g.m);
    it.a += g.a_batch[1], it.b += g.b_batch[1], it.c += g.c_batch[1], ++j;
    if (it.residual != nullptr) it.residual += g.residual_batch[1];
  }
}

}  // namespace
}  // namespace tc::kernels
