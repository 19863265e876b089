// What the kernels of attention share: the rows of a tile and what they see of the keys, masks and caps. Included by
// *_tier and *_amx files alone.
#pragma once
#include "tc/kernels/attention/attention.h"
#include "tc/kernels/elementwise/vec_math.h"
#include "tc/kernels/gemm/micro_tier.h"
#include "tc/kernels/scratch.h"

namespace tc::kernels {
namespace {

constexpr float kHidden = -infinity<float>;

// What a worker's memory takes of what lay_out(args, plan, pieces) cuts it into, and one's own.
template <class LayOut>
int64_t worker_floats(const AttentionArgs& a, const AttentionPlan& p, LayOut lay_out) {
  ScratchPieces count(nullptr);
  lay_out(a, p, count);
  return static_cast<int64_t>(count.used_apart() / sizeof(float));
}
template <class LayOut>
auto scratch_of(const AttentionArgs& a, const AttentionPlan& p, int worker, LayOut lay_out) {
  ScratchPieces own(reinterpret_cast<std::byte*>(a.scratch + worker * p.worker_floats));
  return lay_out(a, p, own);
}

// The rows of a tile: all from one head, or one from each of several.
struct Rows {
  int64_t batch, count, q_step, y_step, mask_step;
  const float *q, *k, *v;
  float* y;
  int64_t mask;   // offset of the first row's
  int64_t keys;   // that exist, and that a mask does not cut off
  int64_t place;  // the last key that the first row sees, when causal; each further row sees one more
  int64_t slope;  // unless they are all of one place: 0

  int64_t seen(int64_t i, bool causal) const { return causal ? least(keys, place + slope * i + 1) : keys; }
};

inline bool masked(const AttentionArgs& a) {
  return a.mask.bias != nullptr || a.mask.visible != nullptr;
}

inline Rows rows_of(const AttentionArgs& a, const AttentionPlan& p, int64_t tile) {
  Rows r;
  const int64_t unit = tile / p.blocks(), heads = p.grouped ? a.kv_heads : a.q_heads, group = a.q_heads / a.kv_heads;
  const int64_t first = tile % p.blocks() * p.row_block;
  r.batch = unit / heads;
  r.count = least(p.row_block, p.rows - first);
  const int64_t head = p.grouped ? unit % heads * group + first : unit % heads;
  const int64_t kv_head = p.grouped ? unit % heads : unit % heads / group;
  const int64_t row = p.grouped ? 0 : first;
  r.q_step = p.grouped ? a.q.head : a.q.row;
  r.y_step = p.grouped ? a.y.head : a.y.row;
  r.mask_step = p.grouped ? a.mask.head : a.mask.row;
  r.q = a.q.data + r.batch * a.q.batch + head * a.q.head + row * a.q.row;
  r.y = a.y.data + r.batch * a.y.batch + head * a.y.head + row * a.y.row;
  r.k = a.k.data + r.batch * a.k.batch + kv_head * a.k.head;
  r.v = a.v.data + r.batch * a.v.batch + kv_head * a.v.head;
  r.mask = r.batch * a.mask.batch + head * a.mask.head + row * a.mask.row;
  r.keys = a.kv_length;
  int64_t place = a.first;
  if (a.lengths) {
    place = a.lengths[r.batch] - a.q_length;
    r.keys = least(r.keys, a.lengths[r.batch]);
  }
  if (masked(a)) r.keys = least(r.keys, a.mask.length);
  r.place = place + row;
  r.slope = p.grouped ? 0 : 1;
  return r;
}

// Calls f(offset, tail) for n floats in steps of a register.
template <class F>
TC_INLINE void each_register(int64_t n, F f) {
  for (int64_t j = 0; j < n; j += kVecFloats) f(j, Tail<float>(static_cast<int>(least(kVecFloats, n - j))));
}

// What the mask adds to a register of scores, the first `count` keys from `column` on; `at` is the row's offset.
TC_INLINE VecF mask_lanes(const AttentionMask& m, int64_t at, int64_t column, int count) {
  if (m.bias) return m.column == 0 ? VecF(m.bias[at]) : load(m.bias + at + column, Tail<float>(count));
  const VecI hidden = bits(VecF(kHidden)), zero(0);
  if (m.column == 0) return m.visible[at] ? VecF(0.0f) : VecF(kHidden);
  return from_bits(select(load_u8(m.visible + at + column, Tail<int32_t>(count)) == zero, hidden, zero));
}

TC_INLINE VecF capped(VecF x, float cap) {
  return vtanh(x * VecF(1.0f / cap)) * VecF(cap);
}

// Row i of the result, of the values that its exponentials have weighed and of the exponentials' sum: 0 when there is
// no key that is not hidden.
inline void write_row(const AttentionArgs& a, const Rows& r, int64_t i, const float* weighed, float sum) {
  float* y = r.y + i * r.y_step;
  const bool nothing = sum == 0.0f;
  const VecF factor(nothing ? a.hidden_rows : 1.0f / sum);
  each_register(a.v_head_size,
                [&](int64_t j, Tail<float> t) { store(y + j, nothing ? factor : load(weighed + j) * factor, t); });
}

}  // namespace
}  // namespace tc::kernels
