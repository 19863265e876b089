#include <cmath>

#include "tc/ir/eval/wide.h"
#include "tc/passes/fuse/fuse.h"

namespace tc {
namespace weights_patterns {
namespace {

constexpr Any x, w, b, c, scale, offset, mean, variance;
constexpr As<Conv, ConvTranspose> conv;
constexpr As<InstanceNormalization, GroupNormalization> norm;

constexpr const char* kShared = "the convolution has other users";

Tensor from_doubles(DType t, Extents extents, const std::vector<double>& values) {
  Tensor result(t, std::move(extents));
  narrow(values, result);
  return result;
}

// `t` as so many rows, each times its factor.
template <class F>
Tensor multiply_rows(const Tensor& t, int64_t rows, F&& factor_of) {
  const auto step = static_cast<size_t>(t.size() / rows);
  const auto multiply = [&](auto from, auto to) {
    for (size_t row = 0, i = 0; row < static_cast<size_t>(rows); ++row) {
      const double factor = factor_of(static_cast<int64_t>(row));
      for (const size_t end = i + step; i < end; ++i)
        to[i] = static_cast<typename decltype(to)::value_type>(from[i] * factor);
    }
  };
  Tensor result(t.dtype(), t.extents());
  if (t.dtype() == DType::f32) {  // those are often too many to be widened all at once
    const Tensor from = t.aligned_copy();
    multiply(from.span<float>(), result.mutable_span<float>());
  } else {
    auto values = widen<double>(t);
    multiply(std::span(values), std::span(values));
    narrow(values, result);
  }
  t.discard_pages();
  return result;
}

// What a convolution adds and is multiplied by, per output channel.
struct Affine {
  std::vector<double> factor, addend;
};

// y = conv(x, w, b) becomes conv(x, factor * w, factor * b + addend).
Patch rebuild(Rewrite& r, const Affine& change) {
  if (!r.single_use(conv)) return r.miss(kShared);
  const Node& n = *r.node(conv);
  const bool transposed = n.is<ConvTranspose>();
  const auto channels = static_cast<int64_t>(change.addend.size());
  if (r[b] && !r[b]->constant()) return r.miss("the bias is no constant");
  if (n.result(0)->dtype() != r.root()->result(0)->dtype() || !same_type(n.result(0), r.root()->result(0)))
    return r.miss("the shape changes");

  Value* weight = r[w];
  if (!change.factor.empty()) {
    const Tensor* t = r[w]->constant();
    if (!t) return r.miss("the weight is no constant");
    if (static_cast<int64_t>(t->bytes()) > r.limits.weight_bytes) return r.miss("the weight exceeds the budget");
    const int64_t groups = transposed ? n.attrs<ConvTranspose>().group : 1;
    // [out, in / groups, kernel...], or transposed [in, out / groups, kernel...].
    const int64_t in = t->extent(0), per_group = transposed ? t->extent(1) : channels;
    if (in == 0 || per_group == 0) return r.miss("no channels");
    const int64_t rows = transposed ? in * per_group : channels;
    const auto factor_of = [&](int64_t row) {
      const int64_t channel = transposed ? row / per_group / (in / groups) * per_group + row % per_group : row;
      return change.factor[static_cast<size_t>(channel)];
    };
    weight = r.constant(multiply_rows(*t, rows, factor_of));
    weight->set_name(r[w]->name());
  }
  std::vector<double> bias =
      r[b] ? widen<double>(*r[b]->constant()) : std::vector<double>(static_cast<size_t>(channels));
  bool any = r[b] != nullptr;
  for (size_t i = 0; i < bias.size(); ++i) {
    if (!change.factor.empty()) bias[i] *= change.factor[i];
    bias[i] += change.addend[i];
    any |= bias[i] != 0;
  }
  Value* new_bias = any ? r.constant(from_doubles(r[w]->dtype(), {channels}, bias)) : nullptr;
  const std::vector<Value*> operands{r[x], weight, new_bias};
  return r.node(n.op(), operands, n.raw_attrs(), 1)->result(0);
}

struct BatchNorm {
  std::vector<double> factor, addend;
};

// y = factor * x + addend, per channel, when the parameters are constants; else null and why.
std::optional<BatchNorm> batch_norm(Rewrite& r, const char*& why) {
  const Node& n = *r.root();
  const auto& a = n.attrs<BatchNormalization>();
  if (a.training_mode) return why = "training", std::nullopt;
  for (int j = 1; j < n.num_results(); ++j)
    if (!n.result(j)->unused()) return why = "the statistics are used", std::nullopt;
  for (const Any* p : {&scale, &offset, &mean, &variance})
    if (!r[*p]->constant()) return why = "a parameter is no constant", std::nullopt;
  const auto s = widen<double>(r.tensor(scale)), o = widen<double>(r.tensor(offset)), m = widen<double>(r.tensor(mean)),
             v = widen<double>(r.tensor(variance));
  BatchNorm result;
  for (size_t i = 0; i < s.size(); ++i) {
    result.factor.push_back(s[i] / std::sqrt(v[i] + a.epsilon));
    result.addend.push_back(o[i] - m[i] * result.factor[i]);
  }
  return result;
}

Patch batch_norm_into_conv(Rewrite& r) {
  const char* why = nullptr;
  const auto bn = batch_norm(r, why);
  if (!bn) return r.miss(why);
  return rebuild(r, {bn->factor, bn->addend});
}

Patch batch_norm_is_multiply_add(Rewrite& r) {
  const char* why = nullptr;
  const auto bn = batch_norm(r, why);
  if (!bn) return r.miss(why);
  const Shape& s = r[x]->shape();
  if (!s.ranked() || s.rank() < 2) return r.miss("unknown rank");
  if (const Node* def = r[x]->def(); def && (def->is<Conv>() || def->is<ConvTranspose>()) &&
                                     def->graph() == r.root()->graph() && r.single_use(r[x]) &&
                                     def->operand(1)->constant() && (!def->operand(2) || def->operand(2)->constant()))
    return r.miss("goes into the convolution");
  Extents extents(static_cast<size_t>(s.rank() - 1), 1);
  extents[0] = static_cast<int64_t>(bn->factor.size());
  const DType t = r[x]->dtype();
  Value* scaled = r.make<Mul>({r[x], r.constant(from_doubles(t, extents, bn->factor))});
  return r.make<Add>({scaled, r.constant(from_doubles(t, extents, bn->addend))});
}

// Channels of the convolution's result; 0 when not known.
int64_t out_channels(Rewrite& r) {
  const Shape& s = r[conv]->shape();
  return s.ranked() && s.rank() >= 3 && s[1].is_const() ? s[1].value() : 0;
}

template <int Sign>
Patch add_into_bias(Rewrite& r) {
  if (!out_channels(r)) return r.miss("unknown channels");
  auto addend = channel_vector(r.tensor(c), r[conv]->shape());
  if (!addend) return r.miss("not one addend per channel");
  for (double& v : *addend) v *= Sign;
  return rebuild(r, {{}, std::move(*addend)});
}

template <bool Reciprocal>
Patch multiply_into_weights(Rewrite& r) {
  const int64_t channels = out_channels(r);
  if (!channels) return r.miss("unknown channels");
  auto factor = channel_vector(r.tensor(c), r[conv]->shape());
  if (!factor) return r.miss("not one factor per channel");
  if (Reciprocal)
    for (double& v : *factor) v = 1 / v;
  return rebuild(r, {std::move(*factor), std::vector<double>(static_cast<size_t>(channels))});
}

// norm(x, scale, offset) * c + addend, of which one is there.
template <bool Multiplies>
Patch into_norm(Rewrite& r) {
  if (!r.single_use(norm)) return r.miss("the norm has other users");
  if (!same_type(r[norm], r.root()->result(0))) return r.miss("the shape changes");
  const auto change = channel_vector(r.tensor(c), r[norm]->shape());
  if (!change) return r.miss("not one number per channel");
  const auto changed = [&](const Any& parameter) {
    auto values = widen<double>(r.tensor(parameter));
    for (size_t i = 0; i < values.size(); ++i) Multiplies ? values[i] *= (*change)[i] : values[i] += (*change)[i];
    return r.constant(from_doubles(r[parameter]->dtype(), r.tensor(parameter).extents(), values));
  };
  const std::vector<Value*> operands{r[x], Multiplies ? changed(scale) : r[scale], changed(offset)};
  return r.node(r.node(norm)->op(), operands, r.node(norm)->raw_attrs(), 1)->result(0);
}

}  // namespace
}  // namespace weights_patterns

std::optional<std::vector<double>> channel_vector(const Tensor& t, const Shape& shape) {
  if (!shape.ranked() || shape.rank() < 2 || !shape[1].is_const() || t.rank() > shape.rank()) return std::nullopt;
  const int64_t channels = shape[1].value();
  const int axis = 1 - (shape.rank() - t.rank());  // of the channels, in t
  for (int i = 0; i < t.rank(); ++i)
    if (t.extent(i) != 1 && (i != axis || t.extent(i) != channels)) return std::nullopt;
  auto values = widen<double>(t);
  if (values.size() == 1) values.resize(static_cast<size_t>(channels), values[0]);
  return values;
}

std::span<const Rule> weight_rules() {
  using namespace weights_patterns;
  static const Rule kRules[] = {
      {"batch-norm-into-conv", reassociates,
       pat<BatchNormalization>(conv(x, w, maybe(b)), scale, offset, mean, variance), batch_norm_into_conv},
      {"batch-norm-is-multiply-add", reassociates, pat<BatchNormalization>(x, scale, offset, mean, variance),
       batch_norm_is_multiply_add},
      {"add-into-conv-bias", same_rounding, pat<Add>(conv(x, w, maybe(b)), constant(c)), add_into_bias<1>},
      {"subtract-into-conv-bias", same_rounding, pat<Sub>(conv(x, w, maybe(b)), constant(c)), add_into_bias<-1>},
      {"multiply-into-conv-weights", reassociates, pat<Mul>(conv(x, w, maybe(b)), constant(c)),
       multiply_into_weights<false>},
      {"divide-into-conv-weights", reassociates, pat<Div>(conv(x, w, maybe(b)), constant(c)),
       multiply_into_weights<true>},
      {"multiply-into-norm-scale", reassociates, pat<Mul>(norm(x, constant(scale), constant(offset)), constant(c)),
       into_norm<true>},
      {"add-into-norm-bias", same_rounding, pat<Add>(norm(x, constant(scale), constant(offset)), constant(c)),
       into_norm<false>},
  };
  return kRules;
}

}  // namespace tc
