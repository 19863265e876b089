// Both products in split bf16. A block's keys and values are split once for all rows of a tile; its scores
// are computed for 32 rows at a time and become split bf16 while they are in registers.
#include "tc/kernels/attention/attention_amx.h"

#include "tc/kernels/attention/attention_tier.h"
#include "tc/kernels/gemm/split_amx.h"
#include "tc/kernels/simd/transpose.h"

namespace tc::kernels {
namespace {

static_assert(kVecFloats == kSide);

// The table's own functions, which do what has few rows. Written once, with the tables.
AttentionTable other;

// A row of a block's scores is in registers.
constexpr int64_t kKeys = 128, kRowVecs = kKeys / kVecFloats;
constexpr int64_t kStepFloats = kStepBytes / static_cast<int64_t>(sizeof(float));
constexpr int64_t kTileSums = kStripRows * kStripCols;

std::byte* bytes(float* p) {
  return reinterpret_cast<std::byte*>(p);
}

// A worker's memory. split bf16 are in strips of 32 rows or columns, of steps of 32.
struct Scratch {
  float* queries;  // split bf16: left operand of the scores
  float* keys;     // bf16 pairs of a block's: the right one
  float* weights;  // bf16 pairs of 32 rows' exponentials: left operand of the result
  float* values;   // bf16 pairs of a block's: the right one
  float* scores;   // of 32 rows, strips of 32 x 32
  float* tile;     // 32 x 32 sums of the result
  float* out;      // rows x value size, rounded up to strips
  float* peak;     // of each row so far
  float* factor;   // that brings what a row has summed to its new peak
  float* sum;      // of each row's exponentials so far, a register each
  int64_t out_ld, head_steps, key_steps;

  float* query_strip(int64_t row) const { return queries + row / kStripRows * head_steps * kStepFloats; }
};

Scratch lay_out(const AttentionArgs& a, const AttentionPlan& p, ScratchPieces& pieces) {
  Scratch s;
  s.head_steps = ceil_div(a.head_size, kStep), s.key_steps = ceil_div(p.key_block, kStep);
  const int64_t row_strips = ceil_div(p.row_block, kStripRows), value_strips = ceil_div(a.v_head_size, kStripCols);
  s.out_ld = value_strips * kStripCols;
  const auto take = [&](int64_t floats) { return pieces.take<float>(floats); };
  s.queries = take(row_strips * s.head_steps * kStepFloats), s.keys = take(s.key_steps * s.head_steps * kStepFloats);
  s.weights = take(s.key_steps * kStepFloats), s.values = take(value_strips * s.key_steps * kStepFloats);
  s.scores = take(s.key_steps * kTileSums), s.tile = take(kTileSums), s.out = take(p.row_block * s.out_ld);
  s.peak = take(p.row_block), s.factor = take(p.row_block), s.sum = take(p.row_block * kVecFloats);
  return s;
}

// One thread, products of f32 and these: 12 heads of 64, 512 queries and keys 7.2 and 4.3 ms, 72 queries and 512 or 128
// keys 1.70 and 1.44, 0.43 and 0.34, 48 and 512 0.70 and 0.78, 64 and 64 of size 128 0.75 and 0.74, 49 and 49 of size
// 32 0.47 and 0.63. While another has the core's second thread, 512 and 512 10.7 and 7.3, 56 and 512 1.26 and 1.20.
// Rows of a single query read keys and values at the speed of memory.
AttentionPlan make_plan(const AttentionArgs& a) {
  constexpr int64_t kFewestRows = 56, kFewestKeys = 96, kLeastSize = 32;
  AttentionPlan p = other.plan.fn(a);
  p.split = !p.grouped && p.units > 0 && p.rows >= kFewestRows && a.kv_length >= kFewestKeys &&
            least(a.head_size, a.v_head_size) >= kLeastSize;
  if (!p.split) return p;
  // Rows share what splitting keys and values costs, as many as their queries and results leave room for in the
  // L2, where there is enough else to do at the same time: 8 heads of 64, 1500 queries and keys by
  // blocks of 128, 256 and 512 rows 31.9, 27.9 and 24.6 ms.
  constexpr int64_t kFewestTiles = 8, kRowFloats = 1 << 16, kLeastRows = 64, kMostRows = 512;
  const int64_t shared = ceil_div(p.rows, ceil_div(kFewestTiles, p.units));
  const int64_t fit = least(kMostRows, kRowFloats / (a.head_size + a.v_head_size)), most = least(shared, fit);
  p.row_block = round_up(ceil_div(p.rows, ceil_div(p.rows, most < kLeastRows ? kLeastRows : most)), kStripRows);
  p.key_block = least(kKeys, a.kv_length);
  p.worker_floats = worker_floats(a, p, lay_out);
  return p;
}

void split_queries(const AttentionArgs& a, const Rows& r, const Scratch& s) {
  for (int64_t i = 0; i < r.count; ++i)
    split_row(r.q + i * r.q_step, 1, a.head_size, bytes(s.query_strip(i)) + i % kStripRows * kRowBytes, kStepBytes,
              2 * kTileBytes);
}

// Pairs of a key's elements become a column.
void turn(__m512i (&lines)[kSide], std::byte* to) {
  VecF square[kSide];
  for (int i = 0; i < kSide; ++i) square[i] = VecF(_mm512_castsi512_ps(lines[i]));
  transpose(square);
  for (int i = 0; i < kSide; ++i) store(reinterpret_cast<float*>(to + i * kRowBytes), square[i]);
}

void split_keys(const AttentionArgs& a, const float* k, int64_t n, const Scratch& s) {
  for (int64_t key = 0; key < n; key += kSide) {
    std::byte* to = bytes(s.keys + key / kStripCols * s.head_steps * kStepFloats) + key / kSide % 2 * 2 * kTileBytes;
    for (int64_t p = 0; p < a.head_size; p += kStep, to += kStepBytes) {
      const __mmask16 even = lanes_below(a.head_size - p), odd = lanes_below(a.head_size - p - kSide);
      __m512i high[kSide], low[kSide];
      for (int64_t i = 0; i < kSide; ++i) {
        const bool exists = key + i < n;
        const float* from = k + (exists ? key + i : 0) * a.k.row + p;
        const Halves h = split(_mm512_maskz_loadu_ps(exists ? even : __mmask16{0}, from),
                               _mm512_maskz_loadu_ps(exists ? odd : __mmask16{0}, from + kSide));
        high[i] = h.high, low[i] = h.low;
      }
      turn(high, to);
      turn(low, to + kTileBytes);
    }
  }
}

// Pairs are keys 16 apart, as split_weights has them.
void split_values(const AttentionArgs& a, const float* v, int64_t n, const Scratch& s) {
  for (int64_t j = 0; j < a.v_head_size; j += kSide) {
    std::byte* to = bytes(s.values + j / kStripCols * s.key_steps * kStepFloats) + j / kSide % 2 * 2 * kTileBytes;
    for (int64_t step = 0; step < n; step += kStep, to += kStepBytes) {
      for (int64_t key = step; key < step + kSide; ++key) {
        const float* row = v + key * a.v.row + j;
        const Halves h = split_pair(key < n ? row : nullptr, key + kSide < n ? row + kSide * a.v.row : nullptr, 1,
                                    a.v_head_size - j);
        _mm512_store_si512(to + (key - step) * kRowBytes, h.high);
        _mm512_store_si512(to + (key - step) * kRowBytes + kTileBytes, h.low);
      }
    }
  }
}

// Split bf16 of two registers of numbers from 0 to 1, or NaN: pairs of one of each.
TC_INLINE Halves split_weights(__m512 x, __m512 y) {
  const __m512i half = _mm512_set1_epi32(0x8000), upper = _mm512_set1_epi32(static_cast<int>(0xffff0000));
  const auto rounded = [&](__m512 f) { return _mm512_add_epi32(_mm512_castps_si512(f), half); };
  const auto rest = [&](__m512 f, __m512i bits) {
    return rounded(_mm512_sub_ps(f, _mm512_castsi512_ps(_mm512_and_si512(bits, upper))));
  };
  const auto paired = [](__m512i first, __m512i second) {
    return _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(first, 16), second);
  };
  const __m512i high_x = rounded(x), high_y = rounded(y);
  return {paired(high_x, high_y), paired(rest(x, high_x), rest(y, high_y))};
}

// Lanes from `seen` on are hidden.
TC_INLINE VecF first_lanes(VecF x, int64_t seen) {
  return seen >= kVecFloats ? x : VecF(_mm512_mask_mov_ps(_mm512_set1_ps(kHidden), lanes_below(seen), x));
}

// What a row of scores meets: nothing but its scale, a bias for each key, or any of what there is.
enum class Masked { no, by_bias, otherwise };

// Row i's scores of `n` keys from `column` on become exponentials relative to its greatest score so far, of which the
// split bf16 are written. NaN are not compared with, but summed.
template <Masked kMasked>
void soften(const AttentionArgs& a, const Rows& r, const Scratch& s, int64_t i, int64_t column, int64_t n, bool first) {
  const float* from = s.scores + i % kStripRows * kStripCols;
  const int64_t seen = least(n, r.seen(i, a.causal) - column), at = r.mask + i * r.mask_step;
  const bool any_mask = masked(a);
  const VecF scale(a.scale);
  VecF x[kRowVecs];
#pragma GCC unroll 8
  for (int64_t v = 0; v < kRowVecs; ++v) {
    const float* scores = from + v / 2 * kTileSums + v % 2 * kVecFloats;
    const int64_t key = v * kVecFloats, left = seen - key;
    if constexpr (kMasked == Masked::no) {
      x[v] = load(scores) * scale;
    } else if constexpr (kMasked == Masked::by_bias) {
      x[v] = fma(load(scores), scale, load(a.mask.bias + at + column + key));
    } else {
      x[v] = VecF(kHidden);
      if (left <= 0) continue;
      x[v] = load(scores) * scale;
      if (a.softcap != 0) x[v] = capped(x[v], a.softcap);
      if (any_mask) x[v] = x[v] + mask_lanes(a.mask, at, column + key, static_cast<int>(least(kVecFloats, left)));
      x[v] = first_lanes(x[v], left);
    }
  }
  __m512 peak = x[0];
#pragma GCC unroll 8
  for (int64_t v = 1; v < kRowVecs; ++v) peak = _mm512_max_ps(x[v], peak);
  const float before = first ? kHidden : s.peak[i], greatest = _mm512_reduce_max_ps(peak);
  const float now = before > greatest ? before : greatest;
  // A row of which everything is hidden so far has exponentials of 0.
  const VecF base(now == kHidden ? 0.0f : now);
  std::byte* to = bytes(s.weights) + i % kStripRows * kRowBytes;
  VecF sum(0.0f);
#pragma GCC unroll 4
  for (int64_t v = 0; v < kRowVecs; v += 2, to += kStepBytes) {
    if (kMasked == Masked::otherwise && v * kVecFloats >= n) break;
    const VecF even = vexp_negative(x[v] - base), odd = vexp_negative(x[v + 1] - base);
    sum = sum + (even + odd);
    const Halves h = split_weights(even, odd);
    _mm512_store_si512(to, h.high);
    _mm512_store_si512(to + 2 * kTileBytes, h.low);
  }
  s.peak[i] = now;
  if (first) return store(s.sum + i * kVecFloats, sum);
  VecF factor(1.0f);
  if (now != before) factor = vexp_negative(VecF(before) - base);
  s.factor[i] = factor.get(0);
  store(s.sum + i * kVecFloats, fma(load(s.sum + i * kVecFloats), factor, sum));
}

void soften_rows(const AttentionArgs& a, const Rows& r, const Scratch& s, int64_t row, int64_t rows, int64_t column,
                 int64_t n, bool first) {
  const bool plain = a.softcap == 0 && a.mask.visible == nullptr && (a.mask.bias == nullptr || a.mask.column != 0);
  const auto by = [&](int64_t i) {
    if (!plain || r.seen(i, a.causal) - column < kKeys) return soften<Masked::otherwise>;
    return a.mask.bias == nullptr ? soften<Masked::no> : soften<Masked::by_bias>;
  };
  for (int64_t i = row; i < row + rows; ++i) by(i)(a, r, s, i, column, n, first);
}

// 32 rows from `row` on and `n` keys from `column` on, split before.
void attend(const AttentionArgs& a, const Rows& r, const Scratch& s, int64_t row, int64_t column, int64_t n) {
  const int64_t rows = least(kStripRows, r.count - row);
  SplitAhead nothing;
  SplitSum sum = sum_of_strip();
  sum.a = bytes(s.query_strip(row));
  sum.blocks = s.head_steps;
  for (int64_t j = 0; j < n; j += kStripCols) {
    sum.b = bytes(s.keys + j / kStripCols * s.head_steps * kStepFloats);
    sum_split(rows, n - j, sum, nothing, s.scores + j / kStripCols * kTileSums);
  }
  const bool first = column == 0;
  soften_rows(a, r, s, row, rows, column, n, first);
  sum.a = bytes(s.weights);
  sum.blocks = ceil_div(n, kStep);
  for (int64_t j = 0; j < a.v_head_size; j += kStripCols) {
    sum.b = bytes(s.values + j / kStripCols * s.key_steps * kStepFloats);
    sum_split(rows, a.v_head_size - j, sum, nothing, s.tile);
    const int64_t vecs = least(2, ceil_div(a.v_head_size - j, kVecFloats));
    for (int64_t i = 0; i < rows; ++i) {
      float* out = s.out + (row + i) * s.out_ld + j;
      const float* sums = s.tile + i * kStripCols;
      const VecF factor(s.factor[row + i]);
      for (int64_t c = 0; c < vecs * kVecFloats; c += kVecFloats)
        store(out + c, first ? load(sums + c) : fma(load(out + c), factor, load(sums + c)));
    }
  }
}

void run(const AttentionArgs& a, const AttentionPlan& p, int64_t tile, int worker) {
  if (!p.split) return other.run.fn(a, p, tile, worker);
  const Rows r = rows_of(a, p, tile);
  const Scratch s = scratch_of(a, p, worker, lay_out);
  split_queries(a, r, s);
  const int64_t keys = r.seen(r.count - 1, a.causal);
  {
    const TileScope tiles;
    for (int64_t column = 0; column < keys; column += p.key_block) {
      const int64_t n = least(p.key_block, keys - column);
      split_keys(a, r.k + column * a.k.row, n, s);
      split_values(a, r.v + column * a.v.row, n, s);
      for (int64_t row = 0; row < r.count; row += kStripRows) {
        const int64_t last = least(r.count, row + kStripRows) - 1;
        const int64_t seen = least(n, r.seen(last, a.causal) - column);
        if (seen > 0) attend(a, r, s, row, column, seen);
      }
    }
  }
  for (int64_t i = 0; i < r.count; ++i) {
    const bool any = least(keys, r.seen(i, a.causal)) > 0;
    const float sum = any ? _mm512_reduce_add_ps(load(s.sum + i * kVecFloats)) : 0.0f;
    write_row(a, r, i, s.out + i * s.out_ld, sum);
  }
}

}  // namespace

void use_attention_amx(AttentionTable& table) {
  other = table;
  table.plan = {make_plan, "attention_f32_plan__amx"};
  table.run = {run, "attention_f32__amx"};
}

}  // namespace tc::kernels
