#include <numeric>

#include "tc/backend/onnx/export_rows.h"

namespace tc::onnx {
namespace {

using Values = std::vector<Value*>;

// Sums of narrow floats are taken in f32.
DType precise(DType t) {
  return t == DType::f64 ? t : DType::f32;
}

Value* mean(Lowering& l, Value* x, Value* axes) {
  return l.b.make<ReduceMean>({x, axes});
}

// The axes from `axis` on.
Value* trailing_axes(Lowering& l, int64_t axis) {
  const int rank = l.rank(0);
  std::vector<int64_t> axes(static_cast<size_t>(rank - (axis < 0 ? axis + rank : axis)));
  std::iota(axes.begin(), axes.end(), axis < 0 ? axis + rank : axis);
  return l.b.ints(axes);
}

Value* inverse_root(Lowering& l, Value* variance, double epsilon) {
  return l.b.make<Reciprocal>({l.b.make<Sqrt>({l.scalar_op<Add>(variance, epsilon)})});
}

Values layer_norm(Lowering& l) {
  const auto& a = l.attrs<LayerNormalization>();
  Value *axes = trailing_axes(l, a.axis), *x = l.cast(l.in(0), precise(l.in(0)->dtype()));
  Value* center = mean(l, x, axes);
  Value* offset = l.b.make<Sub>({x, center});
  Value* inverse = inverse_root(l, mean(l, l.b.make<Mul>({offset, offset}), axes), a.epsilon);
  Value* y = l.b.make<Mul>({l.cast(l.b.make<Mul>({offset, inverse}), l.in(0)->dtype()), l.in(1)});
  if (l.in(2)) y = l.b.make<Add>({y, l.in(2)});
  Values results{y};
  for (int j = 1; j < l.node().num_results(); ++j)
    results.push_back(l.cast(j == 1 ? center : inverse, l.node().result(j)->dtype()));
  return results;
}

Values rms_norm(Lowering& l) {
  const auto& a = l.attrs<RMSNormalization>();
  Value *axes = trailing_axes(l, a.axis), *x = l.cast(l.in(0), precise(l.in(0)->dtype()));
  Value* inverse = inverse_root(l, mean(l, l.b.make<Mul>({x, x}), axes), a.epsilon);
  return {l.b.make<Mul>({l.cast(l.b.make<Mul>({x, inverse}), l.in(1)->dtype()), l.in(1)})};
}

// One value per channel against [batch, channels, ...].
Value* per_channel(Lowering& l, Value* v, int rank) {
  std::vector<int64_t> axes(static_cast<size_t>(std::max(rank - 2, 0)));
  std::iota(axes.begin(), axes.end(), int64_t{1});
  return axes.empty() ? v : l.b.make<Unsqueeze>({v, l.b.ints(axes)});
}

// Until opset 21 scale and bias were per group. Groups as channels of an instance normalisation.
Values group_norm(Lowering& l) {
  const auto& a = l.attrs<GroupNormalization>();
  const int rank = l.rank(0);
  const DType t = precise(l.in(0)->dtype());
  Value* x = l.cast(l.in(0), t);
  const auto filled = [&](double v) { return l.b.make<Expand>({l.b.scalar_like(t, v), l.b.ints({a.num_groups})}); };
  Value* grouped = l.b.make<Reshape>({x, l.b.ints({0, a.num_groups, -1})});
  Value* y = l.b.make<InstanceNormalization>({grouped, filled(1), filled(0)}, {.epsilon = a.epsilon});
  y = l.cast(l.b.make<Reshape>({y, l.settled(l.b.make<ShapeOf>({x}))}), l.in(0)->dtype());
  return {l.b.make<Add>({l.b.make<Mul>({y, per_channel(l, l.in(1), rank)}), per_channel(l, l.in(2), rank)})};
}

Values instance_norm(Lowering& l) {
  const int rank = l.rank(0);
  const DType t = precise(l.in(0)->dtype());
  Value *x = l.cast(l.in(0), t), *axes = trailing_axes(l, 2);
  Value* offset = l.b.make<Sub>({x, mean(l, x, axes)});
  Value* variance = mean(l, l.b.make<Mul>({offset, offset}), axes);
  Value* y = l.b.make<Mul>({offset, inverse_root(l, variance, l.attrs<InstanceNormalization>().epsilon)});
  y = l.b.make<Mul>({y, per_channel(l, l.cast(l.in(1), t), rank)});
  y = l.b.make<Add>({y, per_channel(l, l.cast(l.in(2), t), rank)});
  return {l.cast(y, l.in(0)->dtype())};
}

Values batch_norm_outside_training(Lowering& l) {
  const int rank = l.rank(0);
  const DType t = DType::f64;
  const auto channel = [&](int i) { return per_channel(l, l.cast(l.in(i), t), rank); };
  Value* inverse = inverse_root(l, l.cast(l.in(4), t), l.attrs<BatchNormalization>().epsilon);
  Value* scale = l.b.make<Mul>({channel(1), per_channel(l, inverse, rank)});
  Value* y = l.b.make<Mul>({l.b.make<Sub>({l.cast(l.in(0), t), channel(3)}), scale});
  return {l.cast(l.b.make<Add>({y, channel(2)}), l.in(0)->dtype())};
}

// The batch's own statistics, and the running ones moved towards them.
Values batch_norm_in_training(Lowering& l) {
  const auto& a = l.attrs<BatchNormalization>();
  const int rank = l.rank(0);
  const DType t = precise(l.in(0)->dtype());
  std::vector<int64_t> axes{0};
  for (int64_t i = 2; i < rank; ++i) axes.push_back(i);
  Value *x = l.cast(l.in(0), t), *over = l.b.ints(axes);
  Value* center = mean(l, x, over);
  Value* offset = l.b.make<Sub>({x, center});
  Value* variance = mean(l, l.b.make<Mul>({offset, offset}), over);
  Value* y = l.b.make<Mul>({offset, inverse_root(l, variance, a.epsilon)});
  y = l.b.make<Mul>({y, per_channel(l, l.cast(l.in(1), t), rank)});
  y = l.b.make<Add>({y, per_channel(l, l.cast(l.in(2), t), rank)});
  Values results{l.cast(y, l.in(0)->dtype())};
  for (int j = 1; j < l.node().num_results(); ++j) {
    const DType m = l.node().result(j)->dtype();
    Value* batch = l.b.make<Squeeze>({j == 1 ? center : variance, over});
    Value* kept = l.scalar_op<Mul>(l.cast(l.in(2 + j), t), a.momentum);
    results.push_back(l.cast(l.b.make<Add>({kept, l.scalar_op<Mul>(batch, 1 - a.momentum)}), m));
  }
  return results;
}

Values batch_norm(Lowering& l) {
  return l.attrs<BatchNormalization>().training_mode ? batch_norm_in_training(l) : batch_norm_outside_training(l);
}

// Before opset 15 one type served all operands.
Values batch_norm_otherwise(Lowering& l) {
  if (l.attrs<BatchNormalization>().training_mode) {
    if (l.opset() >= 14 && !l.ort()) return {};
    l.why = l.ort() ? "decomposed: ONNX Runtime does not train" : "decomposed: training mode exists from opset 14 on";
    return batch_norm_in_training(l);
  }
  const DType t = l.in(0)->dtype();
  bool mixed = false;
  for (int i = 1; i < 5; ++i) mixed |= l.in(i)->dtype() != t;
  if (!mixed || (l.opset() >= 15 && !l.ort())) return {};
  l.why = "computed in one type";
  bool wide = false;
  for (int i = 0; i < 5; ++i) wide |= l.in(i)->dtype() == DType::f64;
  Values operands;
  for (int i = 0; i < 5; ++i) operands.push_back(l.cast(l.in(i), wide ? DType::f64 : DType::f32));
  return {l.cast(l.again(operands)[0], t)};
}

}  // namespace

void rows_export_norm(ExportRows& rows) {
  rows.insert(rows.end(), {{OpId::LayerNormalization, 1, nullptr, nullptr, layer_norm},
                           {OpId::RMSNormalization, 1, nullptr, nullptr, rms_norm},
                           {OpId::GroupNormalization, 1,
                            [](NodeExport& n) { n.refuse("scale and bias per channel exist from opset 21 on"); },
                            nullptr, group_norm},
                           {OpId::GroupNormalization, 21, nullptr, nullptr, group_norm},
                           {OpId::InstanceNormalization, 1, nullptr, nullptr, instance_norm},
                           {OpId::BatchNormalization, 1, nullptr, batch_norm_otherwise, batch_norm}});
}

}  // namespace tc::onnx
