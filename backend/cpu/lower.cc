#include "tc/backend/cpu/lower.h"

#include <algorithm>
#include <optional>

namespace tc::cpu {
namespace {

// An operand of an einsum, or the product of those so far: an axis for each label, in this order.
struct Labelled {
  Value* value;
  std::vector<int> labels;

  bool has(int label) const { return std::find(labels.begin(), labels.end(), label) != labels.end(); }
  const Dim& extent(int label) const {
    return value->shape()[static_cast<int>(std::find(labels.begin(), labels.end(), label) - labels.begin())];
  }
};

void sum_out(Builder& b, Labelled& x, const std::vector<int>& labels) {
  std::vector<int64_t> axes;
  for (size_t k = 0; k < x.labels.size(); ++k)
    if (std::count(labels.begin(), labels.end(), x.labels[k])) axes.push_back(static_cast<int64_t>(k));
  if (axes.empty()) return;
  x.value = b.make<ReduceSum>({x.value, b.ints(axes)}, {.keepdims = false});
  std::erase_if(x.labels, [&](int label) { return std::count(labels.begin(), labels.end(), label) > 0; });
}

void transpose_to(Builder& b, Labelled& x, const std::vector<int>& labels) {
  if (x.labels == labels) return;
  std::vector<int64_t> perm;
  for (const int label : labels) perm.push_back(std::find(x.labels.begin(), x.labels.end(), label) - x.labels.begin());
  x.value = b.make<Transpose>({x.value}, {std::move(perm)});
  x.labels = labels;
}

// A reshape to groups of axes that become one each; false when more than one of them is not known.
class Target {
 public:
  void add(const Dims& group) {
    Dim product(1);
    for (const Dim& d : group) product = product * d;
    if (!product.is_const()) ++unknown_;
    extents_.push_back(product.is_const() ? product.value() : -1);
  }
  bool known() const { return unknown_ <= 1 && std::count(extents_.begin(), extents_.end(), 0) == 0; }
  Value* apply(Builder& b, Value* v) const { return b.make<Reshape>({v, b.ints(extents_)}); }

 private:
  std::vector<int64_t> extents_;
  int unknown_ = 0;
};

// The product of a and x, summed over labels that are not `kept`; nothing when a shape it takes is not known.
std::optional<Labelled> multiply(Builder& b, Labelled a, Labelled x, const std::vector<int>& kept) {
  const auto is_kept = [&](int label) { return std::find(kept.begin(), kept.end(), label) != kept.end(); };
  // An extent of 1 that the other operand has more of is no axis of this one.
  const auto drop_ones = [&](Labelled& one, const Labelled& other) {
    std::vector<int> ones;
    for (const int label : one.labels)
      if (other.has(label) && one.extent(label).is(1) && !other.extent(label).is(1)) ones.push_back(label);
    sum_out(b, one, ones);
  };
  drop_ones(a, x);
  drop_ones(x, a);
  std::vector<int> batch, sums, rows, columns, alone_a, alone_x;
  for (const int label : a.labels) {
    if (x.has(label)) {
      if (!(a.extent(label) == x.extent(label))) return std::nullopt;
      (is_kept(label) ? batch : sums).push_back(label);
    } else {
      (is_kept(label) ? rows : alone_a).push_back(label);
    }
  }
  for (const int label : x.labels)
    if (!a.has(label)) (is_kept(label) ? columns : alone_x).push_back(label);
  sum_out(b, a, alone_a);
  sum_out(b, x, alone_x);

  Labelled y{nullptr, batch};
  y.labels.insert(y.labels.end(), rows.begin(), rows.end());
  y.labels.insert(y.labels.end(), columns.begin(), columns.end());
  const auto dims = [](const Labelled& of, const std::vector<int>& labels) {
    Dims result;
    for (const int label : labels) result.push_back(of.extent(label));
    return result;
  };
  Target left, right, back;
  for (const int label : batch) {
    left.add({a.extent(label)}), right.add({a.extent(label)}), back.add({a.extent(label)});
  }
  left.add(dims(a, rows)), left.add(dims(a, sums));
  right.add(dims(a, sums)), right.add(dims(x, columns));
  for (const int label : rows) back.add({a.extent(label)});
  for (const int label : columns) back.add({x.extent(label)});
  const bool plain_a = rows.size() == 1 && sums.size() == 1, plain_x = columns.size() == 1 && sums.size() == 1,
             plain_y = rows.size() == 1 && columns.size() == 1;
  if ((!plain_a && !left.known()) || (!plain_x && !right.known()) || (!plain_y && !back.known())) return std::nullopt;

  std::vector<int> a_order = batch, x_order = batch;
  a_order.insert(a_order.end(), rows.begin(), rows.end());
  a_order.insert(a_order.end(), sums.begin(), sums.end());
  x_order.insert(x_order.end(), sums.begin(), sums.end());
  x_order.insert(x_order.end(), columns.begin(), columns.end());
  transpose_to(b, a, a_order);
  transpose_to(b, x, x_order);
  y.value = b.make<MatMul>({plain_a ? a.value : left.apply(b, a.value), plain_x ? x.value : right.apply(b, x.value)});
  if (!plain_y) y.value = back.apply(b, y.value);
  return y;
}

std::vector<Value*> lower_einsum(Builder& b, const Node& n) {
  constexpr DTypeSet kProducts = dtypes::floats | DType::i32 | DType::i64 | DType::u32 | DType::u64;
  if (n.num_operands() == 0 || !kProducts.has(n.operand(0)->dtype())) return {};
  std::vector<int> ranks;
  for (const Value* v : n.operands()) {
    if (!v->shape().ranked()) return {};
    ranks.push_back(v->shape().rank());
  }
  const EinsumLabels labels = parse_einsum(n.attrs<Einsum>().equation, ranks);
  for (const auto& axes : labels.operands)
    for (const int label : axes)
      if (std::count(axes.begin(), axes.end(), label) > 1) return {};  // a diagonal
  std::optional<Labelled> y;
  for (size_t i = 0; i < labels.operands.size(); ++i) {
    const Labelled x{n.operand(static_cast<int>(i)), labels.operands[i]};
    if (!y) {
      y = x;
      continue;
    }
    std::vector<int> kept = labels.result;
    for (size_t k = i + 1; k < labels.operands.size(); ++k)
      kept.insert(kept.end(), labels.operands[k].begin(), labels.operands[k].end());
    y = multiply(b, *y, x, kept);
    if (!y) return {};
  }
  std::vector<int> rest;
  for (const int label : y->labels)
    if (!std::count(labels.result.begin(), labels.result.end(), label)) rest.push_back(label);
  sum_out(b, *y, rest);
  transpose_to(b, *y, labels.result);
  return {y->value == n.operand(0) ? b.make<Identity>({y->value}) : y->value};
}

std::vector<Value*> lower_lrn(Builder& b, const Node& n) {
  Value* x = n.operand(0);
  const auto& a = n.attrs<LRN>();
  if (!x->shape().ranked() || x->shape().rank() < 3 || x->shape().rank() > 4 || a.size < 1) return {};
  const int64_t spatial = x->shape().rank() - 2, before = (a.size - 1) / 2, after = a.size - 1 - before;
  // The channels as the first spatial axis of an image of one channel.
  AveragePool::Attrs pool;
  pool.kernel_shape.assign(static_cast<size_t>(1 + spatial), 1);
  pool.kernel_shape[0] = a.size;
  pool.pads.assign(static_cast<size_t>(2 * (1 + spatial)), 0);
  pool.pads[0] = before, pool.pads[static_cast<size_t>(1 + spatial)] = after;
  pool.count_include_pad = true;
  Value* axis = b.ints({1});
  Value* mean = b.make<AveragePool>({b.make<Unsqueeze>({b.make<Mul>({x, x}), axis})}, pool);
  const DType t = x->dtype();
  Value* base =
      b.make<Add>({b.make<Mul>({b.make<Squeeze>({mean, axis}), b.scalar_like(t, a.alpha)}), b.scalar_like(t, a.bias)});
  return {b.make<Div>({x, b.make<Pow>({base, b.scalar_like(t, a.beta)})})};
}

std::vector<Value*> lower_mean_variance(Builder& b, const Node& n) {
  const auto& axes = n.attrs<MeanVarianceNormalization>().axes;
  if (axes.empty()) return {};
  Value* over = b.ints(axes);
  Value* deviation = b.make<Sub>({n.operand(0), b.make<ReduceMean>({n.operand(0), over})});
  Value* variance = b.make<ReduceMean>({b.make<Mul>({deviation, deviation}), over});
  Value* scale = b.make<Add>({b.make<Sqrt>({variance}), b.scalar_like(n.operand(0)->dtype(), 1e-9)});
  return {b.make<Div>({deviation, scale})};
}

std::vector<Value*> lower_lp(Builder& b, const Node& n) {
  Value* x = n.operand(0);
  if (!x->shape().ranked() || x->shape().rank() == 0) return {};
  const auto& a = n.attrs<LpNormalization>();
  Value* axis = b.ints({a.axis});
  Value* norm = a.p == 1 ? b.make<ReduceL1>({x, axis}) : b.make<ReduceL2>({x, axis});
  // Zeros stay.
  const DType t = x->dtype();
  Value* divisor = b.make<Where>({b.make<Equal>({norm, b.scalar_like(t, 0)}), b.scalar_like(t, 1), norm});
  return {b.make<Div>({x, divisor})};
}

// |x|^p of sums of windows; powers other than these are rare.
Value* to_power(Builder& b, Value* x, int64_t p) {
  return p == 1 ? b.make<Abs>({x}) : b.make<Mul>({x, x});
}

std::vector<Value*> lower_lp_pool(Builder& b, const Node& n) {
  const auto& a = n.attrs<LpPool>();
  // Windows that go beyond the padding are divided by what lies before it.
  if ((a.p != 1 && a.p != 2) || a.ceil_mode) return {};
  double window = 1;
  for (const int64_t k : a.kernel_shape) window *= static_cast<double>(k);
  Value* mean = b.make<AveragePool>({to_power(b, n.operand(0), a.p)}, {.kernel_shape = a.kernel_shape,
                                                                       .strides = a.strides,
                                                                       .pads = a.pads,
                                                                       .dilations = a.dilations,
                                                                       .auto_pad = a.auto_pad,
                                                                       .count_include_pad = true});
  Value* sum = b.make<Mul>({mean, b.scalar_like(mean->dtype(), window)});
  return {a.p == 1 ? sum : b.make<Sqrt>({sum})};
}

std::vector<Value*> lower_global_lp_pool(Builder& b, const Node& n) {
  Value* x = n.operand(0);
  const int64_t p = n.attrs<GlobalLpPool>().p;
  if ((p != 1 && p != 2) || !x->shape().ranked() || x->shape().rank() < 3) return {};
  std::vector<int64_t> axes;
  for (int k = 2; k < x->shape().rank(); ++k) axes.push_back(k);
  return {p == 1 ? b.make<ReduceL1>({x, b.ints(axes)}) : b.make<ReduceL2>({x, b.ints(axes)})};
}

// Rows next to each other, where their widths are known.
std::vector<Value*> lower_feature_vectorizer(Builder& b, const Node& n) {
  std::vector<Value*> parts;
  for (int i = 0; i < n.num_operands(); ++i) {
    Value* x = n.operand(i);
    if (!x->shape().ranked() || x->shape().rank() < 1 || x->shape().rank() > 2) return {};
    const Dim& given = x->shape()[x->shape().rank() - 1];
    if (!given.is_const() || given.value() == 0) return {};
    if (x->shape().rank() == 1) x = b.make<Reshape>({x, b.ints({1, given.value()})});
    if (x->dtype() != DType::f32) x = b.make<Cast>({x}, {.to = DType::f32});
    const int64_t width = n.attrs<FeatureVectorizer>().inputdimensions[static_cast<size_t>(i)];
    if (width < given.value()) x = b.make<Slice>({x, b.ints({0}), b.ints({width}), b.ints({1})});
    if (width > given.value()) x = b.make<Pad>({x, b.ints({0, 0, 0, width - given.value()})});
    parts.push_back(x);
  }
  return {b.make<Concat>(parts, {.axis = 1})};
}

// A classifier whose labels are strings: kernels give the places of labels.
template <class Op>
std::vector<Value*> lower_labels(Builder& b, const Node& n) {
  auto a = n.attrs<Op>();
  if (a.classlabels_strings.empty()) return {};
  std::vector<int64_t> places;
  for (size_t k = 0; k < a.classlabels_strings.size(); ++k) places.push_back(static_cast<int64_t>(k));
  const auto count = static_cast<int64_t>(places.size());
  Value* labels = b.constant(Tensor::of<std::string>({count}, a.classlabels_strings));
  a.classlabels_strings.clear();
  if constexpr (requires { a.classlabels_ints; })
    a.classlabels_ints = std::move(places);
  else
    a.classlabels_int64s = std::move(places);
  const Node* c = b.make_n<Op>(n.operands(), std::move(a), n.num_results());
  std::vector<Value*> results{b.make<Gather>({labels, c->result(0)})};
  for (int j = 1; j < n.num_results(); ++j) results.push_back(c->result(j));
  return results;
}

struct Lowering {
  OpId op;
  std::vector<Value*> (*lower)(Builder&, const Node&);
};
constexpr Lowering kLowerings[] = {
    {OpId::Einsum, lower_einsum},
    {OpId::LRN, lower_lrn},
    {OpId::MeanVarianceNormalization, lower_mean_variance},
    {OpId::LpNormalization, lower_lp},
    {OpId::LpPool, lower_lp_pool},
    {OpId::GlobalLpPool, lower_global_lp_pool},
    {OpId::FeatureVectorizer, lower_feature_vectorizer},
    {OpId::LinearClassifier, lower_labels<LinearClassifier>},
    {OpId::SVMClassifier, lower_labels<SVMClassifier>},
    {OpId::TreeEnsembleClassifier, lower_labels<TreeEnsembleClassifier>},
};

}  // namespace

bool has_lowering(OpId op) {
  return std::any_of(std::begin(kLowerings), std::end(kLowerings), [&](const Lowering& l) { return l.op == op; });
}

std::vector<Value*> lowered(Builder& b, const Node& node) {
  for (const Lowering& l : kLowerings)
    if (l.op == node.op()) return l.lower(b, node);
  return {};
}

}  // namespace tc::cpu
