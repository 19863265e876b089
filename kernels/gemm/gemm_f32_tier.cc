// f32 matrix products: register tiles over packed panels, and the narrow cases that memory bandwidth bounds.
#include <utility>

#include "tc/kernels/gemm/block_tier.h"
#include "tc/kernels/gemm/gemm.h"
#include "tc/kernels/gemm/gemv_tier.h"
#include "tc/kernels/gemm/int22_tier.h"
#include "tc/kernels/gemm/item.h"
#include "tc/kernels/gemm/pack_tier.h"
#include "tc/kernels/gemm/skinny_tier.h"
#include "tc/kernels/gemm/strassen.h"
#include "tc/kernels/gemm/strassen_tier.h"

namespace tc::kernels {
namespace {

using Path = GemmPlan::Path;
using Reach = GemmPlan::Reach;
using Source = GemmPlan::Source;

// Of 22-bit integers: widening takes five instructions for each register of B, which SSE4.2 does no faster than floats
// come (one row from L3 of a Xeon 0.82 of their speed, 2048 x 4096; AVX-512 1.45, AVX2 1.38).
constexpr int64_t kMostFew = kVecFloats == 4 ? 0 : kFewRows;

// AVX2's tiles leave little that Strassen's method or packed rows of A could win back. How many times as fast on Zen 3,
// by the method: 512x512x512 0.97, 1024x1024x1024 0.96, BERT 0.93 to 0.99, 2048x2048x2048 1.04, on two threads 1.07;
// with packed rows: 128x768x3072 1.03, 512x512x512 0.97, 1024x1024x1024 0.98.
GemmTraits traits() {
  constexpr bool kAvx2 = kVecFloats == 8;
  return {.rows = panel_rows(),
          .width = kPanel,
          .lanes = kVecFloats,
          .packed_rows = kPackedRows,
          .strassen_cost = kAvx2 ? 0.025 : 0.1,
          .packed_a_columns = kAvx2 ? 2048 : 512,
          .unit_steps = kPanelRunsSteps,
          .few_rows = kMostFew,
          .near_floats = static_cast<int64_t>(cpu_info().l2_bytes / sizeof(float))};
}

void pack_b(const float* b, int64_t rs, int64_t cs, int64_t k, int64_t col0, int64_t col1, float* dst) {
  int64_t j0 = col0;
  if constexpr (kPanelsAtOnce > 1) {
    for (; cs == 1 && j0 + kPanelsAtOnce * kPanel <= col1; j0 += kPanelsAtOnce * kPanel) {
      pack_rows<kPanelsAtOnce>(b + j0, rs, k, dst);
      dst += kPanelsAtOnce * k * kPanel;
    }
  }
  for (; j0 < col1; j0 += kPanel, dst += k * kPanel) {
    const int cols = static_cast<int>(least(kPanel, col1 - j0)), width = static_cast<int>(round_up(cols, kVecFloats));
    pack_panel(b + j0 * cs, rs, cs, k, cols, dst, width);
  }
}

// Panels of numbers of 16 bits.
template <class Rows>
void pack_short(const float* b, int64_t rs, int64_t cs, int64_t k, int64_t col0, int64_t col1, float* dst) {
  auto* to = reinterpret_cast<std::byte*>(dst);
  for (int64_t j0 = col0; j0 < col1; j0 += kPanel) {
    const int cols = static_cast<int>(least(kPanel, col1 - j0)), width = static_cast<int>(round_up(cols, kVecFloats));
    each_register(b + j0 * cs, rs, cs, k, cols, width, [&](int, VecF x) {
      Rows::put(to, x);
      to += Rows::bytes(kVecFloats);
    });
  }
}

void pack_fixed(const float* b, int64_t rs, int64_t cs, int64_t k, int64_t col0, int64_t col1, float* dst) {
  for (int64_t j0 = col0; j0 < col1; j0 += kPanel, dst += fixed_offset(k, kPanel)) {
    const int cols = static_cast<int>(least(kPanel, col1 - j0)), width = static_cast<int>(round_up(cols, kVecFloats));
    pack_fixed_panel(b + j0 * cs, rs, cs, k, cols, dst, width);
  }
}

// The most steps whose tiles run along the rows of C, and the least columns. On Zen 3, by panels and by rows, ms: 1024
// x 1024 of 32 steps 1.07 and 0.93, of 64 2.06 and 1.75, of 128 4.2 and 3.6, of 256 8.2 and 7.5, of 512 the same; 3136
// x 256 of 64 1.48 and 1.33; 1000 x 1008 of 64 the same. 8192 x 128 of 8 steps 0.106 and 0.109. With AVX-512 on a Xeon,
// 1024 x 1024 of 32 steps 0.53 and 0.43, of 64 0.85 and 0.81, of 128 and 256 the same.
constexpr int64_t kAcrossSteps = kVecFloats == 8 ? 256 : kVecFloats == 16 ? 64 : kGemmShortSum;
constexpr int64_t kLeastAcross = 192;

// B's steps from one on: panels of `depth` steps each, of which the first is step `from`; or where B lies, as GemmPlan
// has it.
struct Right {
  const float* at;
  int64_t depth, from;
};

// Steps k0 to k1. packed_a: the rows' strips, or null. onward: the panel that the worker reads after these, or null.
void run_steps(const GemmArgs& g, const GemmPlan& p, const Item& it, int64_t row0, int64_t row1, int64_t col0,
               int64_t col1, int64_t k0, int64_t k1, const Right& right, const float* packed_a, const float* onward) {
  GemmBlock block;
  block.rows = row1 - row0;
  block.a_rs = packed_a != nullptr ? 1 : g.a_rs;
  block.a_cs = packed_a != nullptr ? kPackedRows : g.a_cs;
  if (packed_a != nullptr) block.a_strip = p.strip_floats;
  block.epilogue = &g.epilogue;
  block.k = k1 - k0;
  block.a = (packed_a != nullptr ? packed_a : it.a + row0 * g.a_rs) + k0 * block.a_cs;
  // What a strip function rewrites is still in L1, unless sums are so short that this is all the
  // same.
  const int64_t longest = packed_a != nullptr ? 0 : g.epilogue.strip == nullptr ? kAcrossSteps : kGemmShortSum;
  int64_t finished = col0;
  for (int64_t j = col0, next; j < col1; j = next) {
    block.panels = g.k <= longest && col1 - j >= kLeastAcross ? (col1 - j) / kPanel : 1;
    next = j + block.panels * kPanel;
    block.out = out_at(g, it, row0, j, least(kPanel, col1 - j));
    block.out.first = k0 == 0;
    block.out.last = k1 == g.k;
    if (p.source == Source::direct) {
      block.b_rs = g.b_rs;
      block.b_panel = kPanel;
      block.b = right.at + j - col0 + k0 * g.b_rs;
    } else {
      block.b_rs = round_up(block.out.cols, kVecFloats);
      block.b_panel = right.depth * kPanel;
      block.b = right.at + (j - col0) * right.depth + right.from * block.b_rs;
      block.ahead = next < col1 ? block.b + right.depth * (next - j) : onward;
    }
    TC_TIER_NAME(gemm_block)(block);
    // The strip's operands and results of 64 or more columns are still in L1 or L2.
    if (block.out.last && g.epilogue.strip != nullptr && ((next - col0) % 64 == 0 || next >= col1)) {
      strip(g, it, row0, row1 - row0, finished, least(col1, next) - finished);
      finished = next;
    }
  }
}

void run_tiles(const GemmArgs& g, const GemmPlan& p, const Item& it, int64_t row0, int64_t row1, int64_t col0,
               int64_t col1, const float* packed, const float* packed_a, const float* onward) {
  int64_t k0 = 0;
  do {
    const int64_t k1 = least(g.k, k0 + p.k_block);
    const float* then = k1 < g.k ? packed + k1 * least(kPanel, round_up(col1 - col0, kVecFloats)) : onward;
    run_steps(g, p, it, row0, row1, col0, col1, k0, k1, {packed, g.k, k0}, packed_a, then);
    k0 = k1;
  } while (k0 < g.k);
}

// Each block of B's steps is packed for all of the rows.
void run_packing(const GemmArgs& g, const GemmPlan& p, const Item& it, int64_t row0, int64_t row1, int64_t col0,
                 int64_t col1, float* own) {
  int64_t k0 = 0;
  do {
    const int64_t k1 = least(g.k, k0 + p.k_block);
    pack_b(it.b + k0 * g.b_rs, g.b_rs, g.b_cs, k1 - k0, col0, col1, own);
    run_steps(g, p, it, row0, row1, col0, col1, k0, k1, {own, k1 - k0, 0}, nullptr, nullptr);
    k0 = k1;
  } while (k0 < g.k);
}

void run_strassen(const GemmArgs& g, const GemmPlan& p, const Item& it, int64_t row_tile, int64_t col0, int64_t col1,
                  const float* packed, const float* onward, float* scratch) {
  const int64_t row0 = row_tile * p.row_tile;
  if (row0 >= g.m) return;
  OwnLeft& own = own_left(scratch);
  float* const packed_a = scratch + kOwnLeftFloats;
  StrassenBlock s;
  s.rows = least(p.row_tile, g.m - row0);
  s.k = g.k, s.k_half = p.k_block, s.blocks = g.k / (2 * p.k_block);
  s.a = it.a + row0 * g.a_rs, s.a_rs = g.a_rs, s.a_cs = g.a_cs;
  s.packed_a = packed_a;
  s.scratch = packed_a + p.row_strips * p.strip_floats;
  s.epilogue = &g.epilogue;
  if (own.row_tile != row_tile) own = {row_tile, TC_TIER_NAME(strassen_pack)(s, packed_a)};
  for (int64_t j = col0, next; j < col1; j = next) {
    next = least(j + 2 * kPanel, col1);
    const float* panels = packed + (j - col0) * g.k;
    if (own.fits && next - j == 2 * kPanel) {
      s.b = panels;
      s.next = next + 2 * kPanel <= col1 ? panels + 2 * g.k * kPanel : onward;
      s.out = out_at(g, it, row0, j, next - j);
      if (TC_TIER_NAME(strassen_block)(s)) {
        strip(g, it, row0, s.rows, j, next - j);
        continue;
      }
    }
    run_tiles(g, p, it, row0, row0 + s.rows, j, next, panels, nullptr, nullptr);
  }
}

// Bytes of B that are fetched ahead, on into the panel that is read next: a page, which the machine's own prefetchers
// do not go beyond, or half of one for each of several streams. 4096 x 4096 from memory in one: 18.8 ms against 33.8
// without, on a busy machine. A step of GPT-2 on a Xeon, one thread and two, to the panel's end alone 24.0 and 11.9 ms;
// onward, 4 KB ahead 22.4 and 11.0, 2 KB 21.9 and 10.9, 1 KB 22.8 and 11.1. Four streams come faster by themselves on
// Zen 3: 4.6 to 3.8 ms, on two threads 2.9 to 2.4.
constexpr int64_t kStreamAhead = 4096, kStreamsAhead = 2048;
constexpr bool kAsksForStreams = kVecFloats != 8;
// Engines of WebAssembly cannot ask for lines: one way of reading is enough, and 0.3 MB less to download.
#if defined(__wasm__)
constexpr bool kHasReach = false;
#else
constexpr bool kHasReach = true;
#endif

// Registers of sums of a vector product.
#if defined(__AVX512F__)
constexpr int kGemvSums = 16;
#else
constexpr int kGemvSums = 8;
#endif

// M rows by NV registers of a packed panel, whose Rows are FloatRows, FixedRows, F16Rows or Bf16Rows. K has parts with
// sums of their own, so that the fused multiply-adds of one accumulator do not wait for each other: every few steps, or
// pieces that are streams. onward: bytes from the panel to the one that is read next.
template <class Rows, int M, int NV, Reach kReach>
void gemv_panel(const GemmArgs& g, const Item& it, const std::byte* panel, int64_t onward, const TileOut& out) {
  constexpr int kMost = kGemvSums / M / NV, kParts = kMost < 1 ? 1 : kMost < 4 ? kMost : 4;
  constexpr int64_t kStride = Rows::bytes(NV * kVecFloats);  // only the last panel is narrower than others
  const int64_t steps = g.k / kParts;
  constexpr bool kStreams = kReach == Reach::streams, kAsks = !kStreams || kAsksForStreams;
  const int64_t part_steps = kStreams ? steps : 1, step = kStreams ? 1 : kParts;
  const int64_t a_part = part_steps * g.a_cs, b_part = part_steps * kStride;
  Tile<M, NV> part[kParts];
  for (auto& t : part) t.zero();
  const float* a = it.a;
  const std::byte* b = panel;
  const int64_t stream = steps * step * kStride;
  for (int64_t p = 0; p < steps; ++p, a += step * g.a_cs, b += step * kStride) {
    const std::byte* ahead = b + (kStreams ? kStreamsAhead : kStreamAhead);
    if (ahead - panel >= stream) ahead += onward - stream;
#pragma GCC unroll 4
    for (int s = 0; s < kParts; ++s) {
      if constexpr (kAsks)
#pragma GCC unroll 4
        for (int64_t line = 0; line < kStride; line += 64)
          __builtin_prefetch(ahead + s * b_part + line, 0, kReach == Reach::stream ? 2 : 3);
      Rows::step(part[s], a + s * a_part, g.a_rs, b + s * b_part);
    }
  }
  a = it.a + kParts * steps * g.a_cs;
  b = panel + kParts * steps * kStride;
  for (int64_t p = kParts * steps; p < g.k; ++p, a += g.a_cs, b += kStride) Rows::step(part[0], a, g.a_rs, b);
#pragma GCC unroll 4
  for (int s = 1; s < kParts; ++s) part[0].add(part[s]);
  Rows::finish(part[0], panel + g.k * kStride);
  finish_tile(part[0], g.epilogue, out);
}

using GemvFn = void (*)(const GemmArgs&, const Item&, const std::byte*, int64_t, const TileOut&);
template <class Rows, Reach kReach, int M, int... kVec>
GemvFn gemv_of(int vecs, std::integer_sequence<int, kVec...>) {
  static constexpr GemvFn kByVecs[] = {gemv_panel<Rows, M, kVec + 1, kReach>...};
  return kByVecs[vecs - 1];
}
template <class Rows, Reach kReach>
GemvFn gemv_of(int64_t rows, int vecs) {
  constexpr auto kVecs = std::make_integer_sequence<int, kPanelVecs>{};
  switch (rows) {
    case 1:
      return gemv_of<Rows, kReach, 1>(vecs, kVecs);
    case 2:
      return gemv_of<Rows, kReach, 2>(vecs, kVecs);
    case 3:
      return gemv_of<Rows, kReach, 3>(vecs, kVecs);
    default:
      return gemv_of<Rows, kReach, 4>(vecs, kVecs);
  }
}
template <class Rows>
GemvFn gemv_of(Reach reach, int64_t rows, int vecs) {
  if constexpr (!kHasReach) return gemv_of<Rows, Reach::near>(rows, vecs);
  switch (reach) {
    case Reach::stream:
      return gemv_of<Rows, Reach::stream>(rows, vecs);
    case Reach::streams:
      return gemv_of<Rows, Reach::streams>(rows, vecs);
    default:
      return gemv_of<Rows, Reach::near>(rows, vecs);
  }
}

void widen(GemmForm form, const float* packed, int64_t count, float* to) {
  const auto* from = reinterpret_cast<const uint16_t*>(packed);
  for (int64_t i = 0; i < count; i += kVecFloats)
    store(to + i, form == GemmForm::f16 ? load_f16(from + i) : load_bf16(from + i));
}

// The panel from column j on.
template <class Rows>
const std::byte* panel_of(const GemmArgs& g, const Item& it, int64_t j) {
  return reinterpret_cast<const std::byte*>(it.b + Rows::offset(g.k, j));
}

// f of the Rows of a form.
template <class Fn>
auto with_rows(GemmForm form, Fn f) {
  switch (form) {
    case GemmForm::int22:
      return f(FixedRows{});
    case GemmForm::f16:
      return f(F16Rows{});
    case GemmForm::bf16:
      return f(Bf16Rows{});
    default:
      return f(FloatRows{});
  }
}

template <class Rows>
void gemv_packed(const GemmArgs& g, const GemmPlan& p, const Item& it, int64_t col0, int64_t col1, int worker) {
  const int64_t beyond = next_column(p, worker, col0, col1);
  for (int64_t j = col0; j < col1; j += kPanel) {
    const int64_t cols = least(kPanel, col1 - j);
    const int vecs = static_cast<int>((cols + kVecFloats - 1) / kVecFloats);
    const std::byte* const panel = panel_of<Rows>(g, it, j);
    const std::byte* const next = panel_of<Rows>(g, it, j + kPanel < col1 ? j + kPanel : beyond);
    gemv_of<Rows>(p.reach, g.m, vecs)(g, it, panel, next - panel, out_at(g, it, 0, j, cols));
  }
}

void gemv_fixed(const GemmArgs& args, const GemmPlan& p, const Item& item, int64_t col0, int64_t col1, int worker) {
  float* own = gemm_worker_scratch(args, p, worker);
  copy_left(args, item.a, own, args.k);
  GemmArgs g = args;
  Item it = item;
  it.a = own, g.a_rs = g.k, g.a_cs = 1;
  gemv_packed<FixedRows>(g, p, it, col0, col1, worker);
}

// Some steps of a panel are read by all rows, and those that follow are asked for meanwhile.
template <class Rows>
void few_rows(const GemmArgs& g, const GemmPlan& p, const Item& it, int64_t col0, int64_t col1, int worker) {
  float* const sums = gemm_worker_scratch(g, p, worker);
  float* const left = sums + g.m * kPanel;
  const int64_t rs = few_left_floats(g.k);
  copy_left(g, it.a, left, rs);
  const int64_t beyond = next_column(p, worker, col0, col1);
  for (int64_t j = col0; j < col1; j += kPanel) {
    const int64_t cols = least(kPanel, col1 - j);
    const int vecs = static_cast<int>((cols + kVecFloats - 1) / kVecFloats);
    const int64_t stride = Rows::bytes(vecs * kVecFloats);
    const std::byte* const panel = panel_of<Rows>(g, it, j);
    const std::byte* const next = panel_of<Rows>(g, it, j + kPanel < col1 ? j + kPanel : beyond);
    for (int64_t i = 0; i < g.m * kPanel; ++i) sums[i] = 0.0f;
    for (int64_t k0 = 0, k1; k0 < g.k; k0 = k1) {
      k1 = least(g.k, k0 + p.k_block);
      const std::byte* ahead = k1 < g.k ? panel + k1 * stride : next;
      for (int v = 0; v < vecs; v += kFewVecs) {
        const int here = vecs - v < kFewVecs ? vecs - v : kFewVecs;
        const auto run = few_of<Rows>(static_cast<int>(g.m), here, std::make_integer_sequence<int, kFewVecs>{});
        const std::byte* b = panel + k0 * stride + Rows::bytes(v * kVecFloats);
        run(left + k0, rs, b, stride, k1 - k0, ahead, sums + v * kVecFloats);
        ahead += (k1 - k0) * Rows::bytes(here * kVecFloats);
      }
    }
    for (int64_t i = 0; i < g.m; ++i) {
      Tile<1, kPanelVecs> t;
      for (int v = 0; v < kPanelVecs; ++v) {
        Tile<1, 1> x;
        x.v[0][0] = load(sums + i * kPanel + v * kVecFloats);
        if (v < vecs) Rows::finish(x, panel + g.k * stride + v * int64_t{sizeof(VecF)});
        t.v[0][v] = x.v[0][0];
      }
      finish_tile(t, g.epilogue, out_at(g, it, i, j, cols));
    }
  }
}

// Row-major B, eight rows at a time: eight streams that the prefetchers follow, sums in the worker's scratch.
void gemv_direct(const GemmArgs& g, const Item& it, int64_t col0, int64_t col1, int64_t col_tile, float* sums) {
  const int64_t cols = col1 - col0;
  for (int64_t i = 0; i < g.m * col_tile; ++i) sums[i] = 0.0f;
  for (int64_t p = 0; p < g.k; p += 8) {
    const int rows = static_cast<int>(least(8, g.k - p));
    for (int64_t i = 0; i < g.m; ++i) {
      axpy_rows(rows, it.a + i * g.a_rs + p * g.a_cs, g.a_cs, it.b + p * g.b_rs + col0, g.b_rs, cols,
                sums + i * col_tile);
    }
  }
  for (int64_t i = 0; i < g.m; ++i) {
    for (int64_t j = 0; j < cols; j += kPanel) {
      Tile<1, kPanelVecs> t;
      for (int v = 0; v < kPanelVecs; ++v) t.v[0][v] = load(sums + i * col_tile + j + v * kVecFloats);
      finish_tile(t, g.epilogue, out_at(g, it, i, col0 + j, least(kPanel, cols - j)));
    }
  }
}

// One element's epilogue, for the transposed output of `dot`.
void finish_one(const GemmArgs& g, const Item& it, int64_t i, int64_t j, float x) {
  const Epilogue& e = g.epilogue;
  x *= e.alpha;
  if (e.scale != nullptr) x *= e.scale[j];
  if (e.bias != nullptr) x += e.bias[j];
  if (e.row_bias != nullptr) x += e.row_bias[i];
  if (it.residual != nullptr) x += e.beta * it.residual[i * g.residual_rs + j * g.residual_cs];
  if (x < 0.0f) x *= e.slope;
  if (x < e.lo) x = e.lo;
  if (x > e.hi) x = e.hi;
  it.c[i * g.c_rs + j] = x;
}

void dot_tile(const GemmArgs& g, const GemmPlan& p, const Item& it, int64_t j0, int64_t j1, float* scratch) {
  const float* few = p.swapped ? it.b : it.a;
  int64_t few_rs = p.swapped ? g.b_cs : g.a_rs;
  const float* many = p.swapped ? it.a : it.b;
  const int64_t many_rs = p.swapped ? g.a_rs : g.b_cs;
  const int64_t rows = p.row_tile;
  if (p.swapped && g.b_rs != 1) {
    const int64_t ld = round_up(g.k, 16);
    for (int64_t s = 0; s < rows; ++s) {
      for (int64_t q = 0; q < g.k; ++q) scratch[s * ld + q] = few[s * few_rs + q * g.b_rs];
    }
    few = scratch;
    few_rs = ld;
  }
  TileOut out;
  out.scale = g.epilogue.scale, out.row_bias = g.epilogue.row_bias, out.residual = it.residual;
  const bool plain = out.simple(g.epilogue) && g.epilogue.bias == nullptr && !g.epilogue.clips();
  int64_t j = j0;
  // Sums that are short next to the way from a register's lanes to one number: a register of rows at a time.
  for (; p.swapped && j + kVecFloats <= j1; j += kVecFloats) {
    for (int64_t s = 0; s < rows; ++s) {
      const VecF x = dots_by_lanes(g.k, few + s * few_rs, many + j * many_rs, many_rs);
      float* c = it.c + j * g.c_rs + s;
      if (plain && g.c_rs == 1) {
        store(c, x);
        continue;
      }
      float sums[kVecFloats];
      store(sums, x);
      for (int q = 0; q < kVecFloats; ++q) {
        if (plain)
          c[q * g.c_rs] = sums[q];
        else
          finish_one(g, it, j + q, s, sums[q]);
      }
    }
  }
  for (; j < j1; j += 4) {
    const int64_t count = least(4, j1 - j);
    for (int64_t s = 0; s < rows; ++s) {
      float sums[4];
      if (count == 4) {
        dots<4>(g.k, few + s * few_rs, many + j * many_rs, many_rs, sums);
      } else {
        for (int64_t q = 0; q < count; ++q) dots<1>(g.k, few + s * few_rs, many + (j + q) * many_rs, many_rs, sums + q);
      }
      for (int64_t q = 0; q < count; ++q) {
        finish_one(g, it, p.swapped ? j + q : s, p.swapped ? s : j + q, sums[q]);
      }
    }
  }
}

// R rows by NV registers of columns, all that there are.
template <int R, int NV>
void small_tile(const GemmArgs& g, const Item& it, int64_t row) {
  const auto cols = static_cast<int>(g.n);
  const Tail<float> tail = tail_of(cols, NV - 1);
  Tile<R, NV> t;
  t.zero();
  const float *a = it.a + row * g.a_rs, *b = it.b;
  for (int64_t p = 0; p < g.k; ++p, a += g.a_cs, b += g.b_rs) {
    t.step_by(a, g.a_rs, [&](int j) { return j < NV - 1 ? load(b + j * kVecFloats) : load(b + j * kVecFloats, tail); });
  }
  finish_tile(t, g.epilogue, out_at(g, it, row, 0, cols));
}

// A product by itself.
void run_small(const GemmArgs& g, const Item& it) {
  using Fn = void (*)(const GemmArgs&, const Item&, int64_t);
  constexpr int kVecs = kSmallExtent / kVecFloats;
  const int vecs = static_cast<int>((g.n + kVecFloats - 1) / kVecFloats);
  const Strips strips(g.m, kMaxRows[vecs]);
  for (int64_t strip = 0; strip < strips.count; ++strip) {
    const Fn fn =
        tile_function<Fn, kVecs>(vecs, strips.rows(strip), [](auto r, auto nv) { return Fn{small_tile<r, nv>}; });
    fn(g, it, strips.begin(strip));
  }
}

void pack_a(const GemmArgs& g, const GemmPlan& p, int64_t tile) {
  const int64_t row_tile = tile / p.row_strips, row0 = row_tile * p.row_tile, strip = tile % p.row_strips;
  const Strips strips(least(p.row_tile, g.m - row0), panel_rows());
  if (strip >= strips.count) return;
  const float* a = g.a + (row0 + strips.begin(strip)) * g.a_rs;
  pack_strip(a, g.a_rs, g.a_cs, g.k, strips.rows(strip), g.scratch + tile * p.strip_floats);
}

void run(const GemmArgs& g, const GemmPlan& p, int phase, int64_t tile, int worker) {
  if (p.packs_a && phase-- == 0) return pack_a(g, p, tile);
  const auto [packing, slot, batch, row_tile, n0, col0, col1] = place_of(g, p, phase, tile);
  if (col0 >= col1) return;
  const Item it = item_of(g, g.packed_b != nullptr ? g.packed_b : g.b, batch);
  float* shared =
      p.source == Source::phase ? g.scratch + p.packed_a_floats + slot * p.n_block * g.k + (col0 - n0) * g.k : nullptr;
  if (packing) return pack_b(it.b, g.b_rs, g.b_cs, g.k, col0, col1, shared);
  if (p.path == Path::small) {
    run_small(g, it);
    return strip(g, it, 0, g.m, 0, g.n);
  }
  if (p.path == Path::dot) {
    dot_tile(g, p, it, col0, col1, gemm_worker_scratch(g, p, worker));
    return p.swapped ? strip(g, it, col0, col1 - col0, 0, g.n) : strip(g, it, 0, g.m, col0, col1 - col0);
  }
  if (p.path == Path::few) {
    with_rows(g.form, [&](auto rows) { few_rows<decltype(rows)>(g, p, it, col0, col1, worker); });
    return strip(g, it, 0, g.m, col0, col1 - col0);
  }
  if (p.path == Path::gemv) {
    if (g.form == GemmForm::int22) {
      gemv_fixed(g, p, it, col0, col1, worker);
    } else if (p.source == Source::packed) {
      with_rows(g.form, [&](auto rows) { gemv_packed<decltype(rows)>(g, p, it, col0, col1, worker); });
    } else {
      gemv_direct(g, it, col0, col1, p.col_tile, gemm_worker_scratch(g, p, worker));
    }
    return strip(g, it, 0, g.m, col0, col1 - col0);
  }
  const float* packed = it.b + (p.source == Source::direct ? col0 : col0 * g.k);
  if (p.source == Source::phase) packed = shared;
  const int64_t row0 = row_tile * p.row_tile, row1 = least(g.m, row0 + p.row_tile);
  if (p.source == Source::in_tile)
    return run_packing(g, p, it, row0, row1, col0, col1, gemm_worker_scratch(g, p, worker));
  // What a tile's neighbour reads is at hand when the worker goes on to it. Weights from memory, two threads: the
  // products of BERT 1.79 to 1.90 times as fast as with one.
  const int64_t beyond = next_column(p, worker, col0, col1);
  const int64_t least_beyond = p.strassen ? 2 * kPanel : 1;
  const bool goes_on = p.source == Source::packed && (p.strassen || p.row_tiles == 1) && beyond + least_beyond <= g.n;
  const float* onward = goes_on ? it.b + beyond * g.k : nullptr;
  if (p.strassen)
    return run_strassen(g, p, it, row_tile, col0, col1, packed, onward, gemm_worker_scratch(g, p, worker));
  const float* packed_a = p.packs_a ? g.scratch + row_tile * p.row_strips * p.strip_floats : nullptr;
  run_tiles(g, p, it, row0, row1, col0, col1, packed, packed_a, onward);
}

}  // namespace

extern constinit const GemmTable TC_TIER_NAME(gemm_table);
constinit const GemmTable TC_TIER_NAME(gemm_table) = {
    .traits = TC_KERNEL(traits, "gemm_f32_traits"),
    .packs = {TC_KERNEL(pack_b, "gemm_f32_pack"),
              {},
              TC_KERNEL(pack_fixed, "gemm_f32_pack_fixed"),
              TC_KERNEL(pack_short<F16Rows>, "gemm_f32_pack_f16"),
              TC_KERNEL(pack_short<Bf16Rows>, "gemm_f32_pack_bf16")},
    .widen = TC_KERNEL(widen, "gemm_f32_widen"),
    .run = TC_KERNEL(run, "gemm_f32__" TC_TILE_NAME),
};

}  // namespace tc::kernels
