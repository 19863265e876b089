#include "tc/kernels/attention/attention_tier.h"
#include "tc/kernels/gemm/block_tier.h"
#include "tc/kernels/gemm/gemv_tier.h"
#include "tc/kernels/gemm/pack_tier.h"
#include "tc/kernels/reduce/lanes.h"
#include "tc/kernels/simd/transpose.h"

namespace tc::kernels {
namespace {

// Scores of a block stay in L1 or just beyond, keys and values of a block in L2.
constexpr int64_t kRowBlock = 64;
constexpr int64_t kKeyBlock = 128;
// So few rows leave lanes of a register idle that holds one score of each row: their scores lie along registers. 12
// heads of 64, 512 keys, 3 and 4 rows, so and otherwise: AVX-512 0.33, 0.38 and 0.43, 0.35 ms, AVX2 0.34, 0.41 and
// 0.45, 0.43, of 128 0.67, 0.84 and 0.86, 0.93.
constexpr int64_t kFewRows = kVecFloats == 16 ? 3 : 4;

// A worker's memory.
struct Scratch {
  float* scores;   // of a block: keys x rows, or rows x keys where they are few
  float* out;      // rows x value size, rounded up to registers
  float* peak;     // of each row so far
  float* sum;      // of each row's exponentials so far
  float* factor;   // that brings what a row has summed to its new peak
  float* queries;  // packed: of many rows
  float* values;   // packed: of many rows, when they cannot be read where they lie
  int64_t scores_ld, out_ld;
};

Scratch lay_out(const AttentionArgs& a, const AttentionPlan& p, ScratchPieces& pieces) {
  Scratch s;
  const bool few = p.row_block <= kFewRows, direct = a.v_head_size % kVecFloats == 0;
  const int64_t rows = round_up(p.row_block, kPanel);
  s.scores_ld = few ? round_up(p.key_block, kVecFloats) : rows, s.out_ld = round_up(a.v_head_size, kVecFloats);
  const auto take = [&](int64_t floats) { return pieces.take<float>(floats); };
  s.scores = take((few ? p.row_block : p.key_block) * s.scores_ld), s.out = take(p.row_block * s.out_ld);
  s.peak = take(rows), s.sum = take(rows), s.factor = take(rows);
  s.queries = take(few ? 0 : a.head_size * rows), s.values = take(few || direct ? 0 : p.key_block * kPanel);
  return s;
}

AttentionPlan make_plan(const AttentionArgs& a) {
  AttentionPlan p;
  p.grouped = a.q_length == 1;
  p.rows = p.grouped ? a.q_heads / a.kv_heads : a.q_length;
  p.units = a.batch * (p.grouped ? a.kv_heads : a.q_heads);
  const int64_t blocks = (p.rows + kRowBlock - 1) / kRowBlock;
  p.row_block = blocks == 0 ? 1 : (p.rows + blocks - 1) / blocks;
  p.key_block = least(kKeyBlock, a.kv_length < 1 ? 1 : a.kv_length);
  p.worker_floats = worker_floats(a, p, lay_out);
  return p;
}

// Few rows: scores of a row lie one after the other.

void score_few(const AttentionArgs& a, const Rows& r, const Scratch& s, const float* k, int64_t n) {
  for (int64_t i = 0; i < r.count; ++i) {
    const float* q = r.q + i * r.q_step;
    float* x = s.scores + i * s.scores_ld;
    for (int64_t j = 0; j < n; j += 4) {
      const int64_t count = least(4, n - j);
      float sums[4];
      if (count == 4) {
        dots<4>(a.head_size, q, k + j * a.k.row, a.k.row, sums);
      } else {
        for (int64_t c = 0; c < count; ++c) dots<1>(a.head_size, q, k + (j + c) * a.k.row, a.k.row, sums + c);
      }
      for (int64_t c = 0; c < count; ++c) x[j + c] = sums[c] * a.scale;
    }
  }
}

// Row i's first `n` scores become exponentials relative to its greatest score so far, those up to `width` zeros.
void soften_few(const AttentionArgs& a, const Rows& r, const Scratch& s, int64_t i, int64_t column, int64_t n,
                int64_t width, bool first) {
  float* x = s.scores + i * s.scores_ld;
  if (a.softcap != 0)
    each_register(n, [&](int64_t j, Tail<float> t) { store(x + j, capped(load(x + j, t), a.softcap), t); });
  if (masked(a)) {
    for (int64_t j = 0; j < n; j += kVecFloats) {
      const int count = static_cast<int>(least(kVecFloats, n - j));
      const Tail<float> t(count);
      store(x + j, load(x + j, t) + mask_lanes(a.mask, r.mask + i * r.mask_step, column + j, count), t);
    }
  }
  const float before = first ? kHidden : s.peak[i];
  float peak = n > 0 ? reduce_row<MaxStep<float>>(x, n, 0.0f) : kHidden;
  if (before > peak || before != before) peak = before;
  s.peak[i] = peak;
  // A row of which everything is hidden so far has exponentials of 0.
  const VecF base(peak == kHidden ? 0.0f : peak);
  VecF sum(0.0f);
  each_register(n, [&](int64_t j, Tail<float> t) {
    const VecF e = vexp_negative(load(x + j, t) - base);
    store(x + j, e, t);
    sum = sum + select(t.mask(), e, VecF(0.0f));
  });
  for (int64_t j = n < 0 ? 0 : n; j < width; ++j) x[j] = 0.0f;
  float factor[kVecFloats];
  store(factor, vexp_negative(VecF(before) - base));
  s.factor[i] = factor[0];
  s.sum[i] = (first ? 0.0f : s.sum[i] * factor[0]) + fold_lanes<SumStep<float>, float>(sum);
}

void weigh_few(const AttentionArgs& a, const Rows& r, const Scratch& s, const float* v, int64_t n, bool first) {
  for (int64_t i = 0; i < r.count; ++i) {
    float* out = s.out + i * s.out_ld;
    if (first) {
      for (int64_t j = 0; j < s.out_ld; ++j) out[j] = 0.0f;
    }
    for (int64_t p = 0; p < n; p += 8) {
      axpy_rows(static_cast<int>(least(8, n - p)), s.scores + i * s.scores_ld + p, 1, v + p * a.v.row, a.v.row,
                a.v_head_size, out);
    }
  }
}

// e^x for x <= 0: where no instruction scales by powers of two, the way of powers of two is shorter.
TC_INLINE VecF exponential(VecF x) {
#if defined(__AVX512F__)
  return vexp_negative(x);
#else
  return exp2_negative(x * VecF(1.44269504088896341f));
#endif
}

// Many rows: a register holds scores of neighbouring rows, so that the keys are read where they lie, a row's maximum
// and sum need no work across lanes, and the exponentials are the left operand of the product with the values.

void pack_queries(const AttentionArgs& a, const Rows& r, const Scratch& s) {
  for (int64_t i = 0; i < r.count; i += kPanel) {
    float* panel = s.queries + i * a.head_size;
    pack_columns(r.q + i * r.q_step, r.q_step, a.head_size, static_cast<int>(least(kPanel, r.count - i)), panel);
    const VecF scale(a.scale);
    for (int64_t j = 0; j < a.head_size * kPanel; j += kVecFloats) store(panel + j, load(panel + j) * scale);
  }
}

void score_many(const AttentionArgs& a, const Rows& r, const Scratch& s, const float* k, int64_t n) {
  const Epilogue epilogue;
  GemmBlock block;
  block.rows = n;
  block.k = a.head_size;
  block.a = k;
  block.a_rs = a.k.row;
  block.b_rs = kPanel;
  block.epilogue = &epilogue;
  block.out.row = s.scores_ld;
  for (int64_t i = 0; i < r.count; i += kPanel) {
    block.out.cols = static_cast<int>(least(kPanel, round_up(r.count - i, kVecFloats)));
    block.b = s.queries + i * a.head_size;
    block.out.c = s.scores + i;
    TC_TIER_NAME(gemm_block)(block);
  }
}

// A square of the mask, turned so that lanes are rows.
void add_mask(const AttentionArgs& a, const Rows& r, const Scratch& s, int64_t column, int64_t n, int64_t row) {
  const int64_t at = r.mask + row * r.mask_step;
  for (int64_t j = 0; j < n; j += kVecFloats) {
    const int count = static_cast<int>(least(kVecFloats, n - j));
    VecF square[kVecFloats];
    for (int i = 0; i < kVecFloats; ++i) {
      square[i] = row + i < r.count ? mask_lanes(a.mask, at + i * r.mask_step, column + j, count) : VecF(0.0f);
    }
    transpose(square);
    for (int c = 0; c < count; ++c) {
      float* x = s.scores + (j + c) * s.scores_ld + row;
      store(x, load(x) + square[c]);
    }
  }
}

void soften_many(const AttentionArgs& a, const Rows& r, const Scratch& s, int64_t column, int64_t n, bool first) {
  alignas(64) static constexpr float kIndex[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  for (int64_t row = 0; row < r.count; row += kVecFloats) {
    float* x = s.scores + row;
    const int64_t ld = s.scores_ld;
    if (a.softcap != 0) {
      for (int64_t j = 0; j < n; ++j) store(x + j * ld, capped(load(x + j * ld), a.softcap));
    }
    if (masked(a)) add_mask(a, r, s, column, n, row);
    if (a.causal && r.slope != 0) {
      // The rows before the one whose place a key has do not see it.
      for (int64_t j = r.place + row + 1 - column < 0 ? 0 : r.place + row + 1 - column; j < n; ++j) {
        const VecF blind(static_cast<float>(least(column + j - r.place - row, kVecFloats)));
        store(x + j * ld, select(load(kIndex) < blind, VecF(kHidden), load(x + j * ld)));
      }
    }
    // NaN are not compared with, but summed.
    const VecF before = first ? VecF(kHidden) : load(s.peak + row);
    VecF peak[4] = {before, before, before, before};
    int64_t j = 0;
    for (; j + 4 <= n; j += 4) {
#pragma GCC unroll 4
      for (int c = 0; c < 4; ++c) peak[c] = vmax(load(x + (j + c) * ld), peak[c]);
    }
    for (; j < n; ++j) peak[0] = vmax(load(x + j * ld), peak[0]);
    const VecF now = vmax(vmax(peak[0], peak[1]), vmax(peak[2], peak[3]));
    // A row of which everything is hidden so far has exponentials of 0.
    const VecF base = select(now == VecF(kHidden), VecF(0.0f), now);
    VecF sum[2] = {VecF(0.0f), VecF(0.0f)};
    const auto softened = [&](float* at) {
      const VecF e = exponential(load(at) - base);
      store(at, e);
      return e;
    };
    for (j = 0; j + 2 <= n; j += 2) {
      sum[0] = sum[0] + softened(x + j * ld);
      sum[1] = sum[1] + softened(x + (j + 1) * ld);
    }
    if (j < n) sum[0] = sum[0] + softened(x + j * ld);
    const VecF factor = exponential(before - base);
    store(s.peak + row, now);
    store(s.factor + row, factor);
    store(s.sum + row, first ? sum[0] + sum[1] : fma(load(s.sum + row), factor, sum[0] + sum[1]));
  }
}

void weigh_many(const AttentionArgs& a, const Rows& r, const Scratch& s, const float* v, int64_t n, bool first) {
  const bool direct = a.v_head_size % kVecFloats == 0;
  const Epilogue epilogue;
  GemmBlock block;
  block.rows = r.count;
  block.k = n;
  block.a = s.scores;
  block.a_rs = 1;
  block.a_cs = s.scores_ld;
  block.b_rs = direct ? a.v.row : kPanel;
  block.epilogue = &epilogue;
  block.out.row = s.out_ld;
  block.out.first = first;
  for (int64_t j = 0; j < a.v_head_size; j += kPanel) {
    block.out.cols = static_cast<int>(least(kPanel, a.v_head_size - j));
    block.b = v + j;
    if (!direct) {
      pack_rows(v + j, a.v.row, n, block.out.cols, s.values);
      block.b = s.values;
    }
    block.out.c = s.out + j;
    TC_TIER_NAME(gemm_block)(block);
  }
}

// What the rows have summed, at the scale of their new peaks.
void rescale(const Rows& r, const Scratch& s) {
  for (int64_t i = 0; i < r.count; ++i) {
    if (s.factor[i] == 1.0f) continue;
    const VecF f(s.factor[i]);
    float* out = s.out + i * s.out_ld;
    for (int64_t j = 0; j < s.out_ld; j += kVecFloats) store(out + j, load(out + j) * f);
  }
}

void run(const AttentionArgs& a, const AttentionPlan& p, int64_t tile, int worker) {
  const Rows r = rows_of(a, p, tile);
  const Scratch s = scratch_of(a, p, worker, lay_out);
  const bool few = p.row_block <= kFewRows;
  const int64_t keys = r.seen(r.count - 1, a.causal);
  if (!few) pack_queries(a, r, s);
  for (int64_t column = 0; column < keys; column += p.key_block) {
    const int64_t n = least(p.key_block, keys - column);
    const float *k = r.k + column * a.k.row, *v = r.v + column * a.v.row;
    const bool first = column == 0;
    if (few) {
      score_few(a, r, s, k, n);
      for (int64_t i = 0; i < r.count; ++i)
        soften_few(a, r, s, i, column, least(n, r.seen(i, a.causal) - column), n, first);
    } else {
      score_many(a, r, s, k, n);
      soften_many(a, r, s, column, n, first);
    }
    if (!first) rescale(r, s);
    if (few) {
      weigh_few(a, r, s, v, n, first);
    } else {
      weigh_many(a, r, s, v, n, first);
    }
  }
  for (int64_t i = 0; i < r.count; ++i) write_row(a, r, i, s.out + i * s.out_ld, keys > 0 ? s.sum[i] : 0.0f);
}

}  // namespace

extern constinit const AttentionTable TC_TIER_NAME(attention_table);
constinit const AttentionTable TC_TIER_NAME(attention_table) = {
    .plan = TC_KERNEL(make_plan, "attention_f32_plan"),
    .run = TC_KERNEL(run, "attention_f32"),
};

}  // namespace tc::kernels
