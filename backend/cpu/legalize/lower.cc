#include "tc/backend/cpu/legalize/lower.h"

#include <algorithm>
#include <optional>
#include <span>

#include "tc/backend/cpu/bind/bind.h"
#include "tc/ir/ops/window.h"

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

// With an axis for each label, of one element where it has none.
Value* spread(Builder& b, Labelled x, const std::vector<int>& labels) {
  std::vector<int> order;
  std::vector<int64_t> missing;
  for (size_t k = 0; k < labels.size(); ++k) {
    if (x.has(labels[k]))
      order.push_back(labels[k]);
    else
      missing.push_back(static_cast<int64_t>(k));
  }
  transpose_to(b, x, order);
  return missing.empty() ? x.value : b.make<Unsqueeze>({x.value, b.ints(missing)});
}

// A reshape to groups of axes that become one each; false when more than one of them is not known.
class GroupedReshape {
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

  if (sums.empty()) {
    // Element by element, in the order of what is made of it.
    Labelled y{nullptr, {}};
    for (const int label : kept)
      if ((a.has(label) || x.has(label)) && !y.has(label)) y.labels.push_back(label);
    y.value = b.make<Mul>({spread(b, a, y.labels), spread(b, x, y.labels)});
    return y;
  }
  Labelled y{nullptr, batch};
  y.labels.insert(y.labels.end(), rows.begin(), rows.end());
  y.labels.insert(y.labels.end(), columns.begin(), columns.end());
  const auto dims = [](const Labelled& of, const std::vector<int>& labels) {
    Dims result;
    for (const int label : labels) result.push_back(of.extent(label));
    return result;
  };
  GroupedReshape left, right, back;
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

// Axes of one label become one: every (n + 1)th element of those n x n. False when extents are not known.
bool take_diagonals(Builder& b, Labelled& x) {
  for (size_t p = 0; p < x.labels.size(); ++p) {
    const int label = x.labels[p];
    const auto again = std::find(x.labels.begin() + static_cast<std::ptrdiff_t>(p) + 1, x.labels.end(), label);
    if (again == x.labels.end()) continue;
    const auto q = static_cast<size_t>(again - x.labels.begin());
    const Dim &n = x.value->shape()[static_cast<int>(p)], &other = x.value->shape()[static_cast<int>(q)];
    if (!n.is_const() || !(n == other)) return false;
    GroupedReshape square;
    Labelled y{nullptr, {}};
    std::vector<int64_t> perm;
    for (size_t k = 0; k < x.labels.size(); ++k) {
      if (k == p || k == q) continue;
      perm.push_back(static_cast<int64_t>(k));
      y.labels.push_back(x.labels[k]);
      square.add({x.value->shape()[static_cast<int>(k)]});
    }
    perm.push_back(static_cast<int64_t>(p)), perm.push_back(static_cast<int64_t>(q));
    square.add({n, n});
    if (!square.known()) return false;
    const auto axis = static_cast<int64_t>(y.labels.size());
    y.labels.push_back(label);
    Value* last = std::is_sorted(perm.begin(), perm.end()) ? x.value : b.make<Transpose>({x.value}, {std::move(perm)});
    y.value = b.make<Slice>(
        {square.apply(b, last), b.ints({0}), b.ints({n.value() * n.value()}), b.ints({axis}), b.ints({n.value() + 1})});
    x = std::move(y);
    p = static_cast<size_t>(-1);  // from the start
  }
  return true;
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
  std::optional<Labelled> y;
  for (size_t i = 0; i < labels.operands.size(); ++i) {
    Labelled x{n.operand(static_cast<int>(i)), labels.operands[i]};
    if (!take_diagonals(b, x)) return {};
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
  const int64_t spatial = x->shape().rank() - 2;
  // The channels as the first spatial axis of an image of one channel. Padding that keeps the extents takes axes of
  // none.
  AveragePool::Attrs pool;
  pool.kernel_shape.assign(static_cast<size_t>(1 + spatial), 1);
  pool.kernel_shape[0] = a.size;
  pool.auto_pad = AutoPad::same_upper;
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

// By the statistics of the batch, in sums over all axes but that of channels.
std::vector<Value*> lower_batch_norm(Builder& b, const Node& n) {
  const auto& attrs = n.attrs<BatchNormalization>();
  Value* x = n.operand(0);
  const DType type = x->dtype();
  for (int i = 1; i < 5; ++i)
    if (n.operand(i)->dtype() != type) return {};
  if (!attrs.training_mode || !x->shape().ranked() || x->shape().rank() == 0) return {};
  const int rank = x->shape().rank();
  std::vector<int64_t> over{0}, places;
  for (int64_t k = 2; k < rank; ++k) over.push_back(k), places.push_back(k - 1);
  const auto of_channels = [&](Value* v) { return places.empty() ? v : b.make<Unsqueeze>({v, b.ints(places)}); };
  const auto mean_of = [&](Value* v) { return b.make<ReduceMean>({v, b.ints(over)}, {.keepdims = rank == 1}); };
  Value* mean = mean_of(x);
  Value* centred = b.make<Sub>({x, of_channels(mean)});
  Value* variance = mean_of(b.make<Mul>({centred, centred}));
  Value* deviation = b.make<Sqrt>({b.make<Add>({variance, b.scalar_like(type, attrs.epsilon)})});
  Value* factor = b.make<Div>({n.operand(1), deviation});
  std::vector<Value*> results{b.make<Add>({b.make<Mul>({centred, of_channels(factor)}), of_channels(n.operand(2))})};
  for (int j = 1; j < n.num_results(); ++j) {
    Value* old = b.make<Mul>({n.operand(j + 2), b.scalar_like(type, attrs.momentum)});
    Value* share = b.make<Mul>({j == 1 ? mean : variance, b.scalar_like(type, 1 - attrs.momentum)});
    results.push_back(b.make<Add>({old, share}));
  }
  return results;
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

// May a window go beyond the padding?
bool windows_reach_beyond(const LpPool::Attrs& a, const Node& n) {
  if (a.ceil_mode) return true;
  const Shape& x = n.operand(0)->shape();
  const WindowSpec spec = window_spec(NodeErrors{n}, a, a.kernel_shape);
  if (spec.auto_pad == AutoPad::same_upper || spec.auto_pad == AutoPad::same_lower) return false;
  for (int i = 0; i < spec.rank(); ++i) {
    const auto k = static_cast<size_t>(i);
    const int64_t least = x.ranked() ? x[i + 2].lower_bound() : 0;
    if (spec.strides[k] > 1 && least + spec.pads_begin[k] + spec.pads_end[k] < spec.reach(i)) return true;
  }
  return false;
}

std::vector<Value*> lower_lp_pool(Builder& b, const Node& n) {
  const auto& a = n.attrs<LpPool>();
  // Windows that go beyond the padding are divided by what lies before it.
  if ((a.p != 1 && a.p != 2) || windows_reach_beyond(a, n)) return {};
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

// Zeros, and the elements where they come from; of fixed extents.
std::vector<Value*> lower_max_unpool(Builder& b, const Node& n) {
  const Shape& result = n.result(0)->shape();
  if ((n.num_operands() > 2 && n.operand(2)) || !result.ranked() || !result.is_static()) return {};
  const Extents extents = result.extents();
  int64_t total = 1;
  for (const int64_t e : extents) total *= e;
  if (total == 0) return {};
  Value* zeros = b.make<Expand>({b.scalar_like(n.operand(0)->dtype(), 0), b.ints({total})});
  const auto flat = [&](int i) { return b.make<Reshape>({n.operand(i), b.ints({-1})}); };
  return {b.make<Reshape>({b.make<ScatterElements>({zeros, flat(1), flat(0)}), b.ints(extents)})};
}

// Samples of the image where offsets move the taps to, times their mask; then a product with the weights.
std::vector<Value*> lower_deform_conv(Builder& b, const Node& n) {
  const auto operand = [&](int i) { return n.num_operands() > i ? n.operand(i) : nullptr; };
  for (const int i : {0, 1, 2})
    if (!operand(i)->shape().ranked() || operand(i)->shape().rank() != 4 || !operand(i)->shape().is_static()) return {};
  const DType type = n.operand(0)->dtype();
  if (type == DType::f64) return {};
  const auto f32 = [&](Value* v) { return v->dtype() == DType::f32 ? v : b.make<Cast>({v}, {.to = DType::f32}); };
  const auto& a = n.attrs<DeformConv>();
  const Extents x = operand(0)->shape().extents(), w = operand(1)->shape().extents();
  const NodeErrors errors{n};
  const auto axes = window_axes(errors, window_spec(errors, a, {w[2], w[3]}), std::span(x).subspan(2));
  const int64_t taps = w[2] * w[3], rows = axes[0].out, columns = axes[1].out, moved = a.offset_group;
  const auto divides = [](int64_t d, int64_t k) { return d > 0 && k % d == 0; };
  if (!divides(moved, x[1]) || !divides(a.group, x[1]) || !divides(a.group, w[0]) || w[1] * a.group != x[1] ||
      operand(2)->shape().extents() != Extents{x[0], moved * taps * 2, rows, columns} ||
      x[0] * x[1] * x[2] * x[3] * w[0] * taps * rows * columns == 0)
    return {};
  // Places of elements become coordinates: (2 place + 1) / extent - 1. Vertical ones come first here.
  std::vector<float> regular;
  for (int64_t tap = 0; tap < taps; ++tap)
    for (const size_t axis : {size_t{0}, size_t{1}})
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column) {
          const int64_t k = axis == 0 ? tap / w[3] : tap % w[3], window = axis == 0 ? row : column;
          const int64_t place = window * axes[axis].stride - axes[axis].pad_begin + k * axes[axis].dilation;
          regular.push_back(
              static_cast<float>(static_cast<double>(2 * place + 1) / static_cast<double>(axes[axis].in) - 1));
        }
  const auto per_element = [&](size_t axis) { return 2 / static_cast<float>(axes[axis].in); };
  Value* scale = b.constant(Tensor::of<float>({2, 1, 1}, {per_element(0), per_element(1)}));
  Value* offset = b.make<Reshape>({f32(operand(2)), b.ints({x[0] * moved, taps, 2, rows, columns})});
  Value* grid = b.make<Add>(
      {b.make<Mul>({offset, scale}), b.constant(Tensor::of<float>({taps, 2, rows, columns}, std::move(regular)))});
  grid = b.make<Slice>({grid, b.ints({-1}), b.ints({INT64_MIN}), b.ints({2}), b.ints({-1})});
  grid = b.make<Transpose>({grid}, {{0, 1, 3, 4, 2}});
  grid = b.make<Reshape>({grid, b.ints({x[0] * moved, taps * rows, columns, 2})});
  Value* image = b.make<Reshape>({f32(operand(0)), b.ints({x[0] * moved, x[1] / moved, x[2], x[3]})});
  Value* samples = b.make<GridSample>({image, grid});
  if (operand(4))
    samples =
        b.make<Mul>({samples, b.make<Reshape>({f32(operand(4)), b.ints({x[0] * moved, 1, taps * rows, columns})})});
  samples = b.make<Reshape>({samples, b.ints({x[0], a.group, w[1] * taps, rows * columns})});
  Value* weights = b.make<Reshape>({f32(operand(1)), b.ints({a.group, w[0] / a.group, w[1] * taps})});
  Value* y = b.make<Reshape>({b.make<MatMul>({weights, samples}), b.ints({x[0], w[0], rows, columns})});
  if (operand(3)) y = b.make<Add>({y, b.make<Reshape>({f32(operand(3)), b.ints({w[0], 1, 1})})});
  return {type == DType::f32 ? y : b.make<Cast>({y}, {.to = type})};
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
    {OpId::BatchNormalization, lower_batch_norm},
    {OpId::LpPool, lower_lp_pool},
    {OpId::GlobalLpPool, lower_global_lp_pool},
    {OpId::MaxUnpool, lower_max_unpool},
    {OpId::DeformConv, lower_deform_conv},
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
