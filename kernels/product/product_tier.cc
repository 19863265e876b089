#include "tc/kernels/product/product.h"

#include <cstring>
#include <type_traits>

#include "tc/kernels/conv/gather_tier.h"
#include "tc/kernels/gemm/pack_tier.h"
#include "tc/kernels/product/small_tier.h"
#include "tc/kernels/simd/vec.h"
#include "tc/kernels/worker_stride.h"

namespace tc::kernels {
namespace {

// Registers across and rows of the tile: those of f32, and like there the last part of B is read anew by each row where
// registers run out.
constexpr int kAcross = kPanelVecs, kRows = kMaxRows[kPanelVecs];
constexpr int kHeld = held_vecs(kRows, kAcross);
template <class T>
constexpr int kPanelOf = kAcross* kLanes<T>;

// Sums of R rows of a panel, in registers and on their way to finish_row.
template <class T, int R>
struct Sums {
  Vec<T> v[R][kAcross];

  TC_INLINE Sums() {
#pragma GCC unroll 8
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < kAcross; ++j) v[i][j] = Vec<T>(T{0});
    }
  }
  TC_INLINE void store_to(T* sums) const {
#pragma GCC unroll 8
    for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
      for (int j = 0; j < kAcross; ++j) store(sums + i * kPanelOf<T> + j * kLanes<T>, v[i][j]);
    }
  }
};

// `rows` of kRows rows of sums over k steps of a packed panel. Rows beyond the last repeat it, and mean nothing.
template <class T>
void sum_rows(int64_t k, const T* a, int64_t a_rs, int64_t a_cs, int64_t rows, const T* b, T* sums) {
  // A panel's block is more than L1 holds beside A.
  constexpr int kLine = 64 / sizeof(T), kAhead = 8 * kPanelOf<T>;
  const T* p[kRows];
  for (int i = 0; i < kRows; ++i) p[i] = a + (i < rows ? i : rows - 1) * a_rs;
  Sums<T, kRows> sum;
  int64_t at = 0;
  for (int64_t s = 0; s < k; ++s, b += kPanelOf<T>, at += a_cs) {
    const T* last = b + kHeld * kLanes<T>;
    Vec<T> x[kHeld];
#pragma GCC unroll 4
    for (int j = 0; j < kHeld; ++j) x[j] = load(b + j * kLanes<T>);
#pragma GCC unroll 4
    for (int j = 0; j < kPanelOf<T>; j += kLine) __builtin_prefetch(b + kAhead + j);
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const Vec<T> y(p[i][at]);
#pragma GCC unroll 4
      for (int j = 0; j < kHeld; ++j) sum.v[i][j] = multiply_add<T>(y, x[j], sum.v[i][j]);
      if constexpr (kHeld < kAcross) {
        last = forget(last);
        sum.v[i][kHeld] = multiply_add<T>(y, load(last), sum.v[i][kHeld]);
      }
    }
  }
  sum.store_to(sums);
}
// R rows whose steps follow each other, where several steps go between two branches.
template <class T, int R>
void sum_rows_by_steps(int64_t k, const T* a, int64_t a_rs, const T* b, T* sums) {
  Sums<T, R> sum;
  run_steps<1>(sum.v, a, a_rs, b, k);
  sum.store_to(sums);
}

// rows x cols (at most a panel) of C over k steps.
template <class T>
void panel(int64_t k, const T* a, int64_t a_rs, int64_t a_cs, int64_t rows, const T* b, int cols, const Target<T>& to) {
  constexpr bool kSteps = std::is_floating_point_v<T> && kRunsSteps<kRows, kAcross>;
  alignas(64) T sums[kRows * kPanelOf<T>];
  for (int64_t r0 = 0; r0 < rows; r0 += kRows, a += kRows * a_rs) {
    const int64_t here = least(kRows, rows - r0);
    for (int i = 0; i < here; ++i) __builtin_prefetch(to.c + (r0 + i) * to.row, 1);
    bool done = false;
    if constexpr (kSteps) {
      done = a_cs == 1 && here >= 4;
      if (done && here == 6) sum_rows_by_steps<T, 6>(k, a, a_rs, b, sums);
      if (done && here == 5) sum_rows_by_steps<T, 5>(k, a, a_rs, b, sums);
      if (done && here == 4) sum_rows_by_steps<T, 4>(k, a, a_rs, b, sums);
    }
    if (!done) sum_rows(k, a, a_rs, a_cs, here, b, sums);
    for (int i = 0; i < here; ++i) finish_row(sums + i * kPanelOf<T>, cols, to, r0 + i);
  }
}

int64_t width(Elem type) {
  return type == Elem::i32 ? kPanelOf<int32_t> : kPanelOf<double>;
}

template <class T>
void pack_as(const GemmShape& g, const T* b, int64_t col0, int64_t col1, T* dst) {
  constexpr int64_t kTogether = kPanelsAtOnce * kPanelOf<T>;
  int64_t j = col0;
  for (; g.b_cs == 1 && j + kTogether <= col1; j += kTogether, dst += g.k * kTogether)
    pack_rows<kPanelsAtOnce>(b + j, g.b_rs, g.k, dst);
  for (; j < col1; j += kPanelOf<T>, dst += g.k * kPanelOf<T>) {
    const int cols = static_cast<int>(least(kPanelOf<T>, col1 - j));
    const T* src = b + j * g.b_cs;
    if (g.b_cs == 1) {
      for (int64_t p = 0; p < g.k; ++p) {
        std::memcpy(dst + p * kPanelOf<T>, src + p * g.b_rs, static_cast<size_t>(cols) * sizeof(T));
        for (int c = cols; c < kPanelOf<T>; ++c) dst[p * kPanelOf<T> + c] = T{0};
      }
      continue;
    }
    // Eight steps of K at a time: a cache line of each column.
    for (int64_t p0 = 0; p0 < g.k; p0 += 8) {
      const int64_t p1 = least(g.k, p0 + 8);
      for (int c = 0; c < kPanelOf<T>; ++c)
        for (int64_t p = p0; p < p1; ++p) dst[p * kPanelOf<T> + c] = c < cols ? src[p * g.b_rs + c * g.b_cs] : T{0};
    }
  }
}

// Adds Q rows of B, weighted by those of A, to M rows of sums: B is read as it comes from memory.
template <class T, int M, int Q>
void add_rows(const GemmShape& g, const T* a, const T* b, int64_t cols, T* sums, int64_t apart) {
  Vec<T> weight[M][Q];
#pragma GCC unroll 4
  for (int i = 0; i < M; ++i) {
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) weight[i][q] = Vec<T>(a[i * g.a_rs + q * g.a_cs]);
  }
  for (int64_t j = 0; j < cols; j += kLanes<T>) {
    const Tail<T> tail(static_cast<int>(least(kLanes<T>, cols - j)));
    Vec<T> x[Q];
#pragma GCC unroll 4
    for (int q = 0; q < Q; ++q) x[q] = load(b + q * g.b_rs + j, tail);
#pragma GCC unroll 4
    for (int i = 0; i < M; ++i) {
      Vec<T> sum = load(sums + i * apart + j);
#pragma GCC unroll 4
      for (int q = 0; q < Q; ++q) sum = multiply_add<T>(weight[i][q], x[q], sum);
      store(sums + i * apart + j, sum);
    }
  }
}

template <class T, int M>
void run_rows_of(const ProductArgs& args, const ProductPlan& p, const Item<T>& it, int64_t tile) {
  constexpr int64_t kMost = 512;  // columns, of which product_plan gives no more
  const GemmShape& g = args.shape;
  const int64_t col0 = tile * p.col_tile, cols = least(p.col_tile, g.n - col0);
  alignas(64) T sums[M * kMost];
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < cols; j += kLanes<T>) store(sums + i * kMost + j, Vec<T>(T{0}));
  int64_t q = 0;
  const T* b = it.b + col0;
  for (; q + 4 <= g.k; q += 4) add_rows<T, M, 4>(g, it.a + q * g.a_cs, b + q * g.b_rs, cols, sums, kMost);
  for (; q < g.k; ++q) add_rows<T, M, 1>(g, it.a + q * g.a_cs, b + q * g.b_rs, cols, sums, kMost);
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < cols; ++j) finish_one(args, it, i, col0 + j, sums[i * kMost + j]);
}
template <class T>
void run_rows(const ProductArgs& args, const ProductPlan& p, const Item<T>& it, int64_t tile) {
  switch (args.shape.m) {
    case 1:
      return run_rows_of<T, 1>(args, p, it, tile);
    case 2:
      return run_rows_of<T, 2>(args, p, it, tile);
    case 3:
      return run_rows_of<T, 3>(args, p, it, tile);
    default:
      return run_rows_of<T, 4>(args, p, it, tile);
  }
}

template <class T>
void run_as(const ProductArgs& args, const ProductPlan& p, int64_t batch, int64_t block0, int64_t tile, int worker) {
  using Path = ProductPlan::Path;
  const GemmShape& g = args.shape;
  if (p.path == Path::alone && p.worker_bytes == 0 && p.row_tiles == 1) return run_batch<T>(args, batch, tile);
  const Item<T> it(args, batch);
  auto* own = reinterpret_cast<T*>(static_cast<std::byte*>(args.scratch) + p.shared_bytes +
                                   static_cast<size_t>(worker) * p.worker_bytes);
  if (p.path == Path::dots) return run_dots(args, p, it, tile, own);
  if (p.path == Path::rows) return run_rows(args, p, it, tile);
  const int64_t block1 = p.path == Path::shared ? least(g.n, block0 + p.n_block) : g.n;
  const int64_t row0 = tile % p.row_tiles * p.row_tile, rows = least(p.row_tile, g.m - row0);
  const int64_t col0 = block0 + tile / p.row_tiles * p.col_tile, col1 = least(block1, col0 + p.col_tile);
  if (col0 >= col1) return;
  if (p.path == Path::alone && p.worker_bytes == 0) return run_unpacked(args, it, row0, row0 + rows);
  const T* packed = own;
  if (p.path == Path::alone)
    pack_as(g, it.b, 0, g.n, own);
  else
    packed = static_cast<const T*>(args.scratch) + (col0 - block0) * g.k;
  Target<T> to{};
  to.row = g.c_rs;
  to.alpha = static_cast<T>(args.alpha), to.beta = static_cast<T>(args.beta);
  to.residual_row = g.residual_rs, to.residual_col = g.residual_cs;
  int64_t k0 = 0;
  do {
    const int64_t k = least(kProductBlockK, g.k - k0);
    to.first = k0 == 0;
    for (int64_t j = col0; j < col1; j += kPanelOf<T>) {
      to.c = it.c + row0 * g.c_rs + j;
      to.bias = args.bias == nullptr ? nullptr : static_cast<const T*>(args.bias) + j;
      to.residual = it.residual == nullptr ? nullptr : it.residual + row0 * g.residual_rs + j * g.residual_cs;
      panel(k, it.a + row0 * g.a_rs + k0 * g.a_cs, g.a_rs, g.a_cs, rows, packed + (j - col0) * g.k + k0 * kPanelOf<T>,
            static_cast<int>(least(kPanelOf<T>, col1 - j)), to);
    }
    k0 += k;
  } while (k0 < g.k);
}

void pack(const ProductArgs& args, const void* b, int64_t col0, int64_t col1, void* dst) {
  switch (args.type) {
    case Elem::i32:
      return pack_as(args.shape, static_cast<const int32_t*>(b), col0, col1, static_cast<int32_t*>(dst));
    default:  // eight bytes are moved
      return pack_as(args.shape, static_cast<const int64_t*>(b), col0, col1, static_cast<int64_t*>(dst));
  }
}

void run(const ProductArgs& args, const ProductPlan& p, int64_t batch, int64_t col0, int64_t tile, int worker) {
  switch (args.type) {
    case Elem::f32:
      if (p.path == ProductPlan::Path::alone) return run_batch<float>(args, batch, tile);
      return run_dots<float>(args, p, Item<float>(args, batch), tile, nullptr);
    case Elem::i32:
      return run_as<int32_t>(args, p, batch, col0, tile, worker);
    case Elem::i64:
      return run_as<int64_t>(args, p, batch, col0, tile, worker);
    default:
      return run_as<double>(args, p, batch, col0, tile, worker);
  }
}

// As for f32 (conv/im2col_tier.cc): panels of output pixels are gathered, a block of K at a time.
void conv(const ConvF64Args& args, int64_t tile, int worker) {
  constexpr int kColumns = kPanelOf<double>;
  const ConvShape& s = args.shape;
  const int64_t pixels = s.out[0] * s.out[1] * s.out[2], col_tiles = (pixels + args.col_tile - 1) / args.col_tile;
  const int64_t group = tile / col_tiles % s.groups, image = tile / col_tiles / s.groups;
  const int64_t in_channels = s.ic / s.groups, out_channels = s.oc / s.groups;
  const int64_t in_plane = s.in[0] * s.in[1] * s.in[2], taps = s.kernel[0] * s.kernel[1] * s.kernel[2];
  const int64_t steps = in_channels * taps, channel = group * out_channels, row0 = image * s.oc + channel;
  const double* x = args.x + (image * s.groups + group) * in_channels * in_plane;
  double* panels =
      args.scratch + worker * worker_stride<double>(least(kProductBlockK, steps < 1 ? 1 : steps) * kColumns);
  Target<double> to{};
  to.row = to.residual_row = pixels;
  to.alpha = to.beta = 1;
  to.residual_col = 1;
  to.row_bias = args.bias == nullptr ? nullptr : args.bias + channel;
  const int64_t begin = tile % col_tiles * args.col_tile, end = least(pixels, begin + args.col_tile);
  for (int64_t pixel = begin; pixel < end; pixel += kColumns) {
    const int cols = static_cast<int>(least(kColumns, end - pixel));
    const Runs<kColumns> runs(s, pixel, cols);
    to.c = args.y + row0 * pixels + pixel;
    to.residual = args.residual == nullptr ? nullptr : args.residual + row0 * pixels + pixel;
    int64_t k0 = 0;
    do {
      const int64_t k = least(kProductBlockK, steps - k0);
      for (int64_t q = k0; q < k0 + k; ++q)
        runs.gather(s, x + q / taps * in_plane, q % taps, panels + (q - k0) * kColumns);
      to.first = k0 == 0;
      panel(k, args.rows + channel * steps + k0, steps, 1, out_channels, static_cast<const double*>(panels), cols, to);
      k0 += k;
    } while (k0 < steps);
  }
}

}  // namespace

extern constinit const ProductTable TC_TIER_NAME(product_table);
constinit const ProductTable TC_TIER_NAME(product_table) = {
    .width = TC_KERNEL(width, "product_width"),
    .pack = TC_KERNEL(pack, "product_pack"),
    .run = TC_KERNEL(run, "product"),
    .conv = TC_KERNEL(conv, "conv_f64"),
};

}  // namespace tc::kernels
