#include "tc/ir/ops/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tc/ir/eval/broadcast.h"
#include "tc/ir/eval/gemm.h"
#include "tc/ir/shape_math.h"

namespace tc {
namespace {

using Values = std::vector<double>;

constexpr double kHidden = -std::numeric_limits<double>::infinity();

// Memory beside the results, which the budget counts too.
Values zeros(EvalContext& ctx, const Extents& extents) {
  const auto count = static_cast<uint64_t>(element_count(extents));
  if (count > ctx.env().max_bytes / sizeof(double))
    ctx.fail(ErrorCode::limit_memory, count, " scores exceed the memory budget of ", ctx.env().max_bytes, " bytes");
  return Values(count);
}

// Where element (b, h, i, 0) of an operand lies.
struct Layout {
  int64_t batch, head, row;

  // Of an operand of `heads` heads with `length` rows of `size`, packed side by side or with an axis of their own.
  Layout(bool packed, int64_t heads, int64_t length, int64_t size)
      : batch(heads * length * size), head(packed ? size : length * size), row(packed ? heads * size : size) {}
  int64_t at(int64_t b, int64_t h, int64_t i) const { return b * batch + h * head + i * row; }
};

// An attention's extents as numbers.
struct Extent {
  int64_t batch, q_heads, kv_heads, q_length, kv_length, past_length, total, head_size, v_head_size, group;
  bool packed;

  explicit Extent(const AttentionDims& d)
      : batch(d.batch.value()),
        q_heads(d.q_heads.value()),
        kv_heads(d.kv_heads.value()),
        q_length(d.q_length.value()),
        kv_length(d.kv_length.value()),
        past_length(d.past_length.value()),
        total(d.total().value()),
        head_size(d.head_size.value()),
        v_head_size(d.v_head_size.value()),
        group(q_heads / kv_heads),
        packed(d.packed) {}
  double scale(const std::optional<double>& given) const {
    return given ? *given : 1 / std::sqrt(static_cast<double>(std::max<int64_t>(head_size, 1)));
  }
};

// Operand `past`, if any, followed by operand `now`: (batch, heads, total, size).
Values joined(EvalContext& ctx, const Extent& e, int now, int past, int64_t size) {
  const Values x = ctx.read<double>(now), before = ctx.has(past) ? ctx.read<double>(past) : Values();
  const Layout layout(e.packed, e.kv_heads, e.kv_length, size);
  Values out;
  out.reserve(static_cast<size_t>(element_count({e.batch, e.kv_heads, e.total, size})));
  if (out.capacity() == 0) return out;
  for (int64_t b = 0; b < e.batch; ++b)
    for (int64_t h = 0; h < e.kv_heads; ++h) {
      const auto first = before.begin() + (b * e.kv_heads + h) * e.past_length * size;
      out.insert(out.end(), first, first + e.past_length * size);
      for (int64_t i = 0; i < e.kv_length; ++i) {
        const auto row = x.begin() + layout.at(b, h, i);
        out.insert(out.end(), row, row + size);
      }
    }
  return out;
}

// scale * q k' of one head: rows of q are `row` apart, those of k follow each other.
void scaled_products(const Extent& e, const double* q, int64_t row, const double* k, double scale, double* scores) {
  std::fill_n(scores, e.q_length * e.total, 0.0);
  if (e.head_size == 0) return;
  Values transposed(static_cast<size_t>(e.head_size * e.total));
  for (int64_t t = 0; t < e.total; ++t)
    for (int64_t i = 0; i < e.head_size; ++i) transposed[static_cast<size_t>(i * e.total + t)] = k[t * e.head_size + i];
  gemm_accumulate(q, row, 1, transposed.data(), scores, e.q_length, e.total, e.head_size);
  for (int64_t i = 0; i < e.q_length * e.total; ++i) scores[i] *= scale;
}

void softmax(double* x, int64_t n) {
  const double greatest = *std::max_element(x, x + n);
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i] = std::exp(x[i] - greatest);
  for (int64_t i = 0; i < n; ++i) x[i] /= sum;
}

// Adds probabilities times values of one head to rows of y, which are `row` apart.
void weigh_values(const Extent& e, const double* probabilities, const double* v, double* y, int64_t row) {
  Values product(static_cast<size_t>(e.q_length * e.v_head_size));
  gemm_accumulate(probabilities, e.total, 1, v, product.data(), e.q_length, e.v_head_size, e.total);
  for (int64_t i = 0; i < e.q_length; ++i) std::copy_n(product.data() + i * e.v_head_size, e.v_head_size, y + i * row);
}

// What masks add to the scores: -infinity hides a key.
class Bias {
 public:
  Bias(EvalContext& ctx, const Extent& e) : e_(e), causal_(ctx.attrs<Attention>().is_causal) {
    if (ctx.has(6)) lengths_ = ctx.ints(6);
    if (!ctx.has(3)) return;
    mask_ = ctx.read<double>(3);
    if (ctx.in(3).dtype() == DType::boolean)
      for (double& m : mask_) m = m != 0 ? 0 : kHidden;
    const Extents& extents = ctx.in(3).extents();
    const Extents scores{e.batch, e.q_heads, e.q_length, e.total};
    mask_length_ = extents.empty() ? e.total : extents.back();
    strides_ = broadcast_strides(extents, scores);
    masked_ = true;
  }

  explicit operator bool() const { return masked_ || causal_ || !lengths_.empty(); }

  // Row i of head h: what is added to its scores.
  void fill(int64_t b, int64_t h, int64_t i, Values& row) const {
    std::fill(row.begin(), row.end(), 0.0);
    const int64_t length = lengths_.empty() ? e_.total : lengths_[static_cast<size_t>(b)];
    // The queries are the last ones of what there is so far.
    const int64_t place = i + (lengths_.empty() ? e_.past_length : length - e_.q_length);
    for (int64_t t = 0; t < e_.total; ++t) {
      double& x = row[static_cast<size_t>(t)];
      if (masked_)
        x = t >= mask_length_
                ? kHidden
                : mask_[static_cast<size_t>(b * strides_[0] + h * strides_[1] + i * strides_[2] + t * strides_[3])];
      if (causal_ && t > place) x += kHidden;
      if (t >= length) x += kHidden;
    }
  }

 private:
  const Extent& e_;
  bool causal_, masked_ = false;
  std::vector<int64_t> lengths_;
  Values mask_;
  int64_t mask_length_ = 0;  // keys beyond it are hidden
  Extents strides_;
};

// The whole of one head's scores in place: cap, masks, softmax; `keep` gets a copy after the stage asked for.
void finish_scores(const Attention::Attrs& attrs, const Extent& e, const Bias& bias, int64_t b, int64_t h,
                   double* scores, double* keep) {
  const auto wanted = static_cast<ScoreStage>(attrs.qk_matmul_output_mode);
  const int64_t count = e.q_length * e.total;
  auto stage = [&](ScoreStage s) {
    if (keep && s == wanted) std::copy_n(scores, count, keep);
  };
  stage(ScoreStage::products);
  if (attrs.softcap != 0)
    for (int64_t i = 0; i < count; ++i) scores[i] = attrs.softcap * std::tanh(scores[i] / attrs.softcap);
  stage(ScoreStage::capped);
  std::vector<bool> hidden(static_cast<size_t>(e.q_length));
  if (bias) {
    Values row(static_cast<size_t>(e.total));
    for (int64_t i = 0; i < e.q_length; ++i) {
      bias.fill(b, h, i, row);
      for (int64_t t = 0; t < e.total; ++t) scores[i * e.total + t] += row[static_cast<size_t>(t)];
      hidden[static_cast<size_t>(i)] = std::all_of(row.begin(), row.end(), [](double x) { return x == kHidden; });
    }
  }
  stage(ScoreStage::biased);
  for (int64_t i = 0; i < e.q_length && e.total; ++i) {
    if (hidden[static_cast<size_t>(i)] && attrs.zero_hidden_rows)
      std::fill_n(scores + i * e.total, e.total, 0.0);
    else
      softmax(scores + i * e.total, e.total);
  }
  stage(ScoreStage::probabilities);
}

}  // namespace

template <>
void eval<Attention>(EvalContext& ctx) {
  const auto& attrs = ctx.attrs<Attention>();
  auto dims = [&](int i) { return to_dims(ctx.in(i).extents()); };
  Dims past_key, past_value;
  if (ctx.has(4)) past_key = dims(4);
  if (ctx.has(5)) past_value = dims(5);
  const AttentionDims d = attention_dims(attrs, dims(0), dims(1), dims(2), ctx.has(4) ? &past_key : nullptr,
                                         ctx.has(5) ? &past_value : nullptr);
  const Extent e(d);
  if (ctx.has(6) && ctx.in(6).extents() != Extents{e.batch})
    ctx.fail(ErrorCode::bad_shape, "nonpad_kv_seqlen must have ", e.batch, " elements, got ", ctx.in(6).type());
  if (ctx.has(3)) expect_mask_fits(dims(3), d);
  const Bias bias(ctx, e);
  const Values q = ctx.read<double>(0);
  const Values k = joined(ctx, e, 1, 4, e.head_size), v = joined(ctx, e, 2, 5, e.v_head_size);
  const Layout in(e.packed, e.q_heads, e.q_length, e.head_size), out(e.packed, e.q_heads, e.q_length, e.v_head_size);
  Tensor& y = ctx.out(0, e.packed ? Extents{e.batch, e.q_length, e.q_heads * e.v_head_size}
                                  : Extents{e.batch, e.q_heads, e.q_length, e.v_head_size});
  Values result(static_cast<size_t>(y.size())), scores = zeros(ctx, {e.q_length, e.total}), kept;
  const auto count = static_cast<int64_t>(scores.size());
  if (ctx.wanted(3)) kept = zeros(ctx, {e.batch, e.q_heads, e.q_length, e.total});
  for (int64_t b = 0; b < e.batch; ++b)
    for (int64_t h = 0; h < e.q_heads; ++h) {
      const int64_t kv = (b * e.kv_heads + h / e.group) * e.total;
      scaled_products(e, q.data() + in.at(b, h, 0), in.row, k.data() + kv * e.head_size, e.scale(attrs.scale),
                      scores.data());
      finish_scores(attrs, e, bias, b, h, scores.data(),
                    kept.empty() ? nullptr : kept.data() + (b * e.q_heads + h) * count);
      weigh_values(e, scores.data(), v.data() + kv * e.v_head_size, result.data() + out.at(b, h, 0), out.row);
    }
  narrow(result, y);
  if (ctx.wanted(1)) ctx.write(1, {e.batch, e.kv_heads, e.total, e.head_size}, k);
  if (ctx.wanted(2)) ctx.write(2, {e.batch, e.kv_heads, e.total, e.v_head_size}, v);
  if (ctx.wanted(3)) ctx.write(3, {e.batch, e.q_heads, e.q_length, e.total}, kept);
}

template <>
void eval<FlexAttention>(EvalContext& ctx) {
  const auto& attrs = ctx.attrs<FlexAttention>();
  auto dims = [&](int i) { return to_dims(ctx.in(i).extents()); };
  const Extent e(attention_dims({}, dims(0), dims(1), dims(2), nullptr, nullptr));
  const Values q = ctx.read<double>(0), k = ctx.read<double>(1), v = ctx.read<double>(2);
  const Extents shape{e.batch, e.q_heads, e.q_length, e.total};
  Values x = zeros(ctx, shape);
  const int64_t count = e.q_length * e.total;
  Tensor scores(ctx.env().widened ? DType::f64 : attrs.precision(ctx.in(0).dtype()), shape);
  for (int64_t n = 0; n < e.batch * e.q_heads; ++n)
    scaled_products(e, q.data() + n * e.q_length * e.head_size, e.head_size,
                    k.data() + n / e.group * e.total * e.head_size, e.scale(attrs.scale), x.data() + n * count);
  auto modified = [&](int region) {
    narrow(x, scores);
    const auto results = ctx.run_region(region, {scores});
    if (!results[0].is_tensor() || results[0].tensor().extents() != shape)
      ctx.fail(ErrorCode::bad_shape, "region ", region, " must keep the shape ", Shape::of(shape));
    x = widen<double>(results[0].tensor());
  };
  modified(0);
  for (int64_t i = 0; i < e.batch * e.q_heads * e.q_length && e.total; ++i) softmax(x.data() + i * e.total, e.total);
  modified(1);
  Tensor& y = ctx.out(0, {e.batch, e.q_heads, e.q_length, e.v_head_size});
  Values result(static_cast<size_t>(y.size()));
  for (int64_t n = 0; n < e.batch * e.q_heads; ++n)
    weigh_values(e, x.data() + n * count, v.data() + n / e.group * e.total * e.v_head_size,
                 result.data() + n * e.q_length * e.v_head_size, e.v_head_size);
  narrow(result, y);
}

template <>
void eval<RotaryEmbedding>(EvalContext& ctx) {
  const auto& attrs = ctx.attrs<RotaryEmbedding>();
  const Tensor &x = ctx.in(0), &cache = ctx.in(1);
  const RotaryDims d = rotary_dims(attrs, to_dims(x.extents()));
  const int64_t batch = d.batch.value(), heads = d.heads.value(), length = d.length.value(),
                half = d.rotary.value() / 2;
  const bool by_position = ctx.has(3);
  if (ctx.in(2).extents() != cache.extents())
    ctx.fail(ErrorCode::bad_shape, "cos_cache is ", cache.type(), ", sin_cache ", ctx.in(2).type());
  if (cache.rank() != (by_position ? 2 : 3) || cache.extents().back() < half ||
      (!by_position && (cache.extent(0) != batch || cache.extent(1) != length)))
    ctx.fail(ErrorCode::bad_shape, "caches of ", cache.type(), " do not fit ", x.type());
  std::vector<int64_t> positions;
  if (by_position) {
    if (ctx.in(3).extents() != Extents{batch, length})
      ctx.fail(ErrorCode::bad_shape, "position_ids must be ", Shape{batch, length}, ", got ", ctx.in(3).type());
    positions = ctx.ints(3);
    for (int64_t& p : positions) {
      if (p < -cache.extent(0) || p >= cache.extent(0))
        ctx.fail(ErrorCode::bad_value, "position ", p, " is beyond caches of ", cache.extent(0), " positions");
      if (p < 0) p += cache.extent(0);
    }
  }
  Tensor& out = ctx.out(0, x.extents());
  auto y = ctx.read<double>(0);
  const auto cosines = ctx.read<double>(1), sines = ctx.read<double>(2);
  const Layout layout(d.packed, heads, length, d.head_size.value());
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t s = 0; s < length; ++s) {
        const int64_t row = by_position ? positions[static_cast<size_t>(b * length + s)] : b * length + s;
        double* head = y.data() + layout.at(b, h, s);
        for (int64_t i = 0; i < half; ++i) {
          const auto angle = static_cast<size_t>(row * cache.extents().back() + i);
          double &first = head[attrs.interleaved ? 2 * i : i], &second = head[attrs.interleaved ? 2 * i + 1 : i + half];
          const double a = first, z = second;
          first = cosines[angle] * a - sines[angle] * z;
          second = sines[angle] * a + cosines[angle] * z;
        }
      }
  narrow(y, out);
}

template <>
void eval<LinearAttention>(EvalContext& ctx) {
  const auto& attrs = ctx.attrs<LinearAttention>();
  auto dims = [&](int i) { return to_dims(ctx.in(i).extents()); };
  const LinearAttentionDims d = linear_attention_dims(attrs, dims(0), dims(1), dims(2));
  const int64_t batch = d.batch.value(), length = d.length.value(), key = d.key_size.value(),
                value = d.value_size.value(), q_heads = attrs.q_num_heads, heads = attrs.kv_num_heads;
  const Extents state_extents{batch, heads, key, value};
  // Values of decay or beta at a step, as many as `heads` or else `other`.
  auto per_step = [&](int i, int64_t other) {
    const Extents& s = ctx.in(i).extents();
    if (s.size() != 3 || s[0] != batch || s[1] != length || (s[2] != heads && s[2] != other))
      ctx.fail(ErrorCode::bad_shape, i == 4 ? "decay" : "beta", " must be ", Shape{batch, length, heads}, " or ",
               Shape{batch, length, other}, ", got ", ctx.in(i).type());
    return s[2];
  };
  const bool gated = is_gated(attrs.update_rule), delta = is_delta(attrs.update_rule);
  const int64_t decays = gated ? per_step(4, heads * key) : 0, betas = delta ? per_step(5, 1) : 0;
  if (ctx.has(3) && ctx.in(3).extents() != state_extents)
    ctx.fail(ErrorCode::bad_shape, "past_state must be ", Shape::of(state_extents), ", got ", ctx.in(3).type());
  const double scale = attrs.scale != 0 ? attrs.scale : 1 / std::sqrt(static_cast<double>(std::max<int64_t>(key, 1)));
  const Values q = ctx.read<double>(0), k = ctx.read<double>(1), v = ctx.read<double>(2);
  const Values decay = gated ? ctx.read<double>(4) : Values(), beta = delta ? ctx.read<double>(5) : Values();
  Tensor& out = ctx.out(0, {batch, length, q_heads * value});
  Values state = ctx.has(3) ? ctx.read<double>(3) : zeros(ctx, state_extents);
  Values y(static_cast<size_t>(out.size())), written(static_cast<size_t>(value));
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t t = 0; t < length; ++t)
      for (int64_t h = 0; h < heads; ++h) {
        const int64_t step = b * length + t;
        double* s = state.data() + (b * heads + h) * key * value;
        const double* k_t = k.data() + (step * heads + h) * key;
        const double* v_t = v.data() + (step * heads + h) * value;
        for (int64_t i = 0; i < key && gated; ++i) {
          const int64_t at = step * decays + (decays == heads ? h : h * key + i);
          for (int64_t j = 0; j < value; ++j) s[i * value + j] *= std::exp(decay[static_cast<size_t>(at)]);
        }
        std::copy_n(v_t, value, written.begin());
        if (delta) {
          for (int64_t i = 0; i < key; ++i)
            for (int64_t j = 0; j < value; ++j) written[static_cast<size_t>(j)] -= s[i * value + j] * k_t[i];
          for (double& w : written) w *= beta[static_cast<size_t>(step * betas + (betas == heads ? h : 0))];
        }
        for (int64_t i = 0; i < key; ++i)
          for (int64_t j = 0; j < value; ++j) s[i * value + j] += k_t[i] * written[static_cast<size_t>(j)];
        const int64_t group = q_heads / heads;
        for (int64_t g = h * group; g < (h + 1) * group; ++g)
          for (int64_t i = 0; i < key; ++i)
            for (int64_t j = 0; j < value; ++j)
              y[static_cast<size_t>((step * q_heads + g) * value + j)] +=
                  scale * q[static_cast<size_t>((step * q_heads + g) * key + i)] * s[i * value + j];
      }
  narrow(y, out);
  ctx.write(1, state_extents, state);
}

}  // namespace tc
