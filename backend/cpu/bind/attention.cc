#include <algorithm>
#include <cmath>
#include <limits>

#include "tc/backend/cpu/bind/bind.h"
#include "tc/ir/shape_math.h"
#include "tc/kernels/attention/attention.h"

namespace tc::cpu {
namespace {

struct AttentionState {
  kernels::AttentionArgs args;
  kernels::AttentionPlan plan;
  // Keys and values behind the past ones: copies of both halves, and where they go.
  struct Present {
    kernels::CopyArgs past, now;
    size_t scratch = 0;  // offset in bytes, where the result is not wanted
    int64_t floats = 0;
  } key, value;
};

Dims dims_at(const Frame& f, Slot s) {
  const auto e = f.extents(s);
  return Dims(e.begin(), e.end());
}

// Strides of heads with an axis of their own, or side by side in rows of `width` or as wide as they are.
template <class T>
kernels::HeadsView<T> heads_view(bool packed, int64_t heads, int64_t length, int64_t size, int64_t width = 0) {
  if (width == 0) width = heads * size;
  if (packed) return {nullptr, length * width, size, width};
  return {nullptr, heads * length * size, length * size, size};
}

// `size` columns of a wider (batch, length, width) value, from `first` on.
struct Columns {
  Value* of = nullptr;
  int64_t first = 0, size = 0, width = 0;
};

// What a slice or a part of the last axis is taken from: attention reads it there. Else nothing.
Columns columns_of(const Node& user, Value* v) {
  const Node* n = v->def();
  if (!n || n->graph() != user.graph() || !v->shape().ranked() || v->shape().rank() != 3) return {};
  if (!n->is<Slice>() && !n->is<Split>()) return {};
  Columns c{n->operand(0)};
  const Dim width = c.of->shape()[2], size = v->shape()[2];
  if (!width.is_const() || !size.is_const()) return {};
  c.width = width.value(), c.size = size.value();
  if (n->is<Slice>()) {
    using Ints = std::vector<int64_t>;
    const auto starts = Binder::ints(n->operand(1)), axes = Binder::ints(n->operand(3));
    const bool plain = !n->operand(4) || Binder::ints(n->operand(4)) == Ints{1};
    if (!plain || (axes != Ints{2} && axes != Ints{-1}) || !starts || starts->size() != 1) return {};
    c.first = starts->front();
    return c.first >= 0 && c.first <= c.width ? c : Columns{};
  }
  const int64_t axis = n->attrs<Split>().axis;
  if (axis != 2 && axis != -1) return {};
  for (int j = 0; n->result(j) != v; ++j) {
    const Dim part = n->result(j)->shape()[2];
    if (!part.is_const()) return {};
    c.first += part.value();
  }
  return c;
}

kernels::AttentionMask mask_strides(std::span<const int64_t> extents, int64_t total) {
  kernels::AttentionMask m;
  m.length = extents.empty() ? total : extents.back();
  int64_t* strides[] = {&m.batch, &m.head, &m.row, &m.column};
  int64_t step = 1;
  for (size_t i = extents.size(); i-- > 0;) {
    *strides[i + 4 - extents.size()] = extents[i] == 1 ? 0 : step;
    step *= extents[i];
  }
  // What is hidden beyond a mask of one key is hidden whatever the stride.
  return m;
}

AttentionState::Present present_copies(const AttentionDims& d, int64_t size) {
  AttentionState::Present p;
  const int64_t batch = d.batch.value(), heads = d.kv_heads.value(), past = d.past_length.value(),
                now = d.kv_length.value(), total = past + now;
  const auto from = heads_view<const float>(d.packed, heads, now, size);
  p.floats = batch * heads * total * size;
  p.past.rank = 2, p.now.rank = 4;
  const int64_t past_extents[] = {batch * heads, past * size}, past_source[] = {past * size, 1},
                past_target[] = {total * size, 1};
  const int64_t now_extents[] = {batch, heads, now, size}, now_source[] = {from.batch, from.head, from.row, 1},
                now_target[] = {heads * total * size, total * size, size, 1};
  std::copy_n(past_extents, 2, p.past.extent), std::copy_n(past_source, 2, p.past.src_stride);
  std::copy_n(past_target, 2, p.past.dst_stride);
  std::copy_n(now_extents, 4, p.now.extent), std::copy_n(now_source, 4, p.now.src_stride);
  std::copy_n(now_target, 4, p.now.dst_stride);
  return p;
}

bool bind_attention(Binder& b) {
  for (int i = 0; i < 3; ++i)
    if (b.dtype(i) != DType::f32) return b.refuse(cat("operand ", i, " is ", b.dtype(i)));
  const auto& attrs = b.attrs<Attention>();
  if (b.wants(3)) return b.refuse("the scores are wanted");
  if (attrs.softmax_precision == DType::f64) return b.refuse("the softmax is asked for in f64");
  if (b.has(3) && b.dtype(3) != DType::f32 && b.dtype(3) != DType::boolean)
    return b.refuse(cat("the mask is ", b.dtype(3)));
  const kernels::Table& table = b.table();
  auto optional = [&](int i) { return b.has(i) ? b.in(i) : kNoSlot; };
  // Where queries, keys and values lie: as operands, or as columns of what these are taken from.
  struct Source {
    Slot slot;
    Columns columns;
    Dims dims(const Frame& f) const {
      Dims d = dims_at(f, slot);
      if (columns.of) d.back() = columns.size;
      return d;
    }
    const float* data(const Frame& f) const { return f.ptr<const float>(slot) + columns.first; }
  };
  const bool alone = !b.has(4) && !b.has(5) && !b.wants(1) && !b.wants(2);
  const auto source = [&](int i) -> Source {
    const Columns c = alone ? columns_of(b.node(), b.node().operand(i)) : Columns{};
    return {c.of ? b.value(c.of) : b.in(i), c};
  };
  const Source q = source(0), k = source(1), v = source(2);
  const Slot mask = optional(3), past_k = optional(4), past_v = optional(5), lengths = optional(6), y = b.out(0);
  const bool boolean_mask = b.has(3) && b.dtype(3) == DType::boolean;
  const Slot present_k = b.wants(1) ? b.out(1) : kNoSlot, present_v = b.wants(2) ? b.out(2) : kNoSlot;
  const Node* node = &b.node();
  auto dims_of = [=](const Frame& f) {
    Dims past_key, past_value;
    if (past_k != kNoSlot) past_key = dims_at(f, past_k), past_value = dims_at(f, past_v);
    const bool past = past_k != kNoSlot;
    return attention_dims(node->attrs<Attention>(), q.dims(f), k.dims(f), v.dims(f), past ? &past_key : nullptr,
                          past ? &past_value : nullptr);
  };
  b.flops = [=](const Frame& f) {
    const AttentionDims d = dims_of(f);
    const auto number = [](const Dim& x) { return static_cast<double>(x.value()); };
    return 2 * number(d.batch * d.q_heads) * number(d.q_length) * number(d.total()) *
           number(d.head_size + d.v_head_size);
  };
  b.step<AttentionState>(
      table.attention.run.name,
      [=, &table](Frame& f, AttentionState& s) {
        s = {};
        AttentionDims d;
        try {
          d = dims_of(f);
          if (mask != kNoSlot) expect_mask_fits(dims_at(f, mask), d);
          if (lengths != kNoSlot) same_extent(f.extents(lengths)[0], d.batch, "batch and nonpad_kv_seqlen");
        } catch (const Error& e) {
          f.fail(*node, e.code(), e.diagnostic().message);
        }
        kernels::AttentionArgs& a = s.args;
        const auto& at = node->attrs<Attention>();
        a.batch = d.batch.value(), a.q_heads = d.q_heads.value(), a.kv_heads = d.kv_heads.value();
        a.q_length = d.q_length.value(), a.kv_length = d.total().value();
        a.head_size = d.head_size.value(), a.v_head_size = d.v_head_size.value();
        a.q = heads_view<const float>(d.packed, a.q_heads, a.q_length, a.head_size, q.columns.width);
        a.y = heads_view<float>(d.packed, a.q_heads, a.q_length, a.v_head_size);
        const bool apart = past_k == kNoSlot && d.packed;
        a.k = heads_view<const float>(apart, a.kv_heads, a.kv_length, a.head_size, k.columns.width);
        a.v = heads_view<const float>(apart, a.kv_heads, a.kv_length, a.v_head_size, v.columns.width);
        a.scale = static_cast<float>(at.scale ? *at.scale
                                              : 1 / std::sqrt(static_cast<double>(std::max<int64_t>(a.head_size, 1))));
        a.softcap = static_cast<float>(at.softcap);
        a.causal = at.is_causal;
        a.first = d.past_length.value();
        if (!at.zero_hidden_rows) a.hidden_rows = std::numeric_limits<float>::quiet_NaN();
        if (mask != kNoSlot) a.mask = mask_strides(f.extents(mask), a.kv_length);
        s.plan = table.attention.plan.fn(a);
        size_t bytes = kernels::attention_scratch_bytes(s.plan, f.team().threads());
        s.key = present_copies(d, a.head_size), s.value = present_copies(d, a.v_head_size);
        if (past_k != kNoSlot) {
          auto reserve = [&](Slot present, AttentionState::Present& p) {
            p.scratch = bytes;
            if (present == kNoSlot) bytes += (static_cast<size_t>(p.floats) * sizeof(float) + 63) / 64 * 64;
          };
          reserve(present_k, s.key), reserve(present_v, s.value);
        }
        f.need_scratch(bytes);
      },
      [=, &table](Frame& f, AttentionState& s) {
        kernels::AttentionArgs& a = s.args;
        // The whole of keys or values; made where it is a result, or there is something to put before the new ones.
        auto whole = [&](AttentionState::Present& p, Slot present, Slot past, const Source& now) {
          if (present == kNoSlot && past == kNoSlot) return now.data(f);
          float* to = present == kNoSlot ? reinterpret_cast<float*>(f.scratch() + p.scratch) : f.ptr<float>(present);
          if (past != kNoSlot) {
            p.past.src = f.ptr<const float>(past), p.past.dst = to;
            kernels::copy_box(table.move, f.team(), p.past);
          }
          p.now.src = now.data(f), p.now.dst = to + p.past.extent[1];
          kernels::copy_box(table.move, f.team(), p.now);
          return past == kNoSlot ? now.data(f) : const_cast<const float*>(to);
        };
        a.k.data = whole(s.key, present_k, past_k, k);
        a.v.data = whole(s.value, present_v, past_v, v);
        a.q.data = q.data(f), a.y.data = f.ptr<float>(y);
        if (mask != kNoSlot) {
          if (boolean_mask)
            a.mask.visible = f.ptr<const uint8_t>(mask);
          else
            a.mask.bias = f.ptr<const float>(mask);
        }
        a.lengths = lengths == kNoSlot ? nullptr : f.ptr<const int64_t>(lengths);
        a.scratch = reinterpret_cast<float*>(f.scratch());
        if (f.count(y) > 0) kernels::attention(f.team(), table.attention, a, s.plan);
      });
  return true;
}

}  // namespace

void rows_bind_attention(BindRows& rows) {
  rows.push_back({OpId::Attention, "attention_f32", bind_attention});
}

}  // namespace tc::cpu
