// Operands of quantised, recurrent and other operators, of sequences and optionals.
#include <algorithm>

#include "writer.h"

namespace tc::fuzz {
bool Operands::quantised() {
  const auto scale = [&](DType t) {
    Tensor s(t, {});
    narrow(std::vector<double>{0.05 * static_cast<double>(w.between(1, 10))}, s);
    return w.constant(s);
  };
  const auto zero = [&](DType t) { return w.constant(random_tensor(t, {}, w.random_, false)); };
  switch (op) {
    case OpId::QuantizeLinear:
      start(DTypeSet(DType::f32) | DType::f16, 0, 4);
      attrs = info(op).attrs.make();
      values.push_back(scale(type()));
      values.push_back(zero(w.random_type(kBytes)));
      return true;
    case OpId::DequantizeLinear: {
      start(kBytes | DType::i32, 0, 4);
      attrs = info(op).attrs.make();
      values.push_back(scale(w.random_.chance(4) ? DType::f16 : DType::f32));
      if (type() != DType::i32 && w.random_.chance(2)) values.push_back(zero(type()));
      return true;
    }
    case OpId::DynamicQuantizeLinear:
      start(DType::f32, 1, 4);
      results = 3;
      return true;
    case OpId::QLinearConv: {
      start(kBytes, 4, 4);
      const Dims x = w.plain(values[0]);
      if (!x[1].is_const()) throw Writer::Rejected();
      const int64_t out = w.between(1, 3);
      Value* weight = fresh(w.random_type(kBytes), {out, x[1], w.between(1, 3), w.between(1, 3)});
      const DType y = w.random_type(kBytes);
      values = {values[0],         scale(DType::f32),     zero(type()),      weight,
                scale(DType::f32), zero(weight->dtype()), scale(DType::f32), zero(y)};
      if (w.random_.chance(2)) values.push_back(fresh(DType::i32, {out}));
      return true;
    }
    default:
      return false;
  }
}

bool Operands::recurrent() {
  const int64_t gates = op == OpId::RNN ? 1 : op == OpId::GRU ? 3 : op == OpId::LSTM ? 4 : 0;
  if (!gates) return false;
  values = {w.pick(kReal, 3, 3)};
  const Dims x = w.plain(values[0]);
  attrs = info(op).attrs.make();
  const int64_t hidden = w.between(1, 3);
  static const std::vector<std::string> kDirections = {"forward", "reverse", "bidirectional"};
  const std::string direction = w.one_of(kDirections);
  const int64_t both = direction == "bidirectional" ? 2 : 1;
  for (size_t i = 0; i < info(op).attrs.fields.size(); ++i) {
    const auto& field = info(op).attrs.fields[i];
    if (field.name == "direction") info(op).attrs.set(attrs.get(), i, direction);
    if (field.name == "hidden_size") info(op).attrs.set(attrs.get(), i, hidden);
    if (field.name == "linear_before_reset" && w.random_.chance(2)) {
      if (field.kind == AttrKind::boolean)
        info(op).attrs.set(attrs.get(), i, true);
      else
        info(op).attrs.set(attrs.get(), i, int64_t{1});
    }
  }
  values.push_back(fresh(type(), {both, gates * hidden, x[2]}));
  values.push_back(fresh(type(), {both, gates * hidden, hidden}));
  if (w.random_.chance(2)) values.push_back(fresh(type(), {both, 2 * gates * hidden}));
  if (values.size() == 4 && w.random_.chance(2)) {
    values.push_back(nullptr);
    values.push_back(fresh(type(), {both, x[1], hidden}));
  }
  results = op == OpId::LSTM ? 3 : 2;
  return true;
}

bool Operands::others() {
  const auto tensors = dtypes::numeric | DType::boolean | DType::str;
  const auto a_sequence = [&]() -> Value* {
    Value* s = w.pick([](const Value& v) { return v.type().kind() == Type::Kind::sequence; });
    if (s && !w.random_.chance(3)) return s;
    Value* x = w.pick(tensors, 0, 3);
    std::vector<Value*> items{x};
    for (int64_t n = w.between(0, 2); n > 0; --n)
      items.push_back(w.random_.chance(2) ? x : fresh(x->dtype(), w.plain(x)));
    return w.add(OpId::SequenceConstruct, items, nullptr, 1);
  };
  const auto like_an_item = [&](Value* s) {
    const auto& items = w.data_.at(s)[0].items();
    if (items.empty() || !items[0].is_tensor()) throw Writer::Rejected();
    Dims d;
    for (const int64_t e : items[0].tensor().extents()) d.push_back(e);
    return fresh(items[0].tensor().dtype(), d);
  };
  const auto place = [&](Value* s) {
    const auto n = static_cast<int64_t>(std::min(w.data_.at(s)[0].items().size(), w.data_.at(s)[1].items().size()));
    if (n == 0) throw Writer::Rejected();
    return w.constant(Tensor::scalar(w.between(-n, n - 1)));
  };
  switch (op) {
    case OpId::Identity:
      values = {w.pick(tensors)};
      return true;
    case OpId::SequenceConstruct:
      values = {w.pick(tensors, 0, 3)};
      if (w.random_.chance(2)) values.push_back(fresh(type(), w.plain(values[0])));
      return true;
    case OpId::SequenceAt:
    case OpId::SequenceErase: {
      Value* s = a_sequence();
      values = {s, place(s)};
      return true;
    }
    case OpId::SequenceInsert: {
      Value* s = a_sequence();
      values = {s, like_an_item(s)};
      if (w.random_.chance(2)) values.push_back(place(s));
      return true;
    }
    case OpId::SequenceLength:
    case OpId::ConcatFromSequence: {
      Value* s = a_sequence();
      values = {s};
      attrs = info(op).attrs.make();
      if (op == OpId::ConcatFromSequence) {
        of<ConcatFromSequence>().axis = 0;
        of<ConcatFromSequence>().new_axis = w.random_.chance(2);
      }
      return true;
    }
    case OpId::SplitToSequence:
      start(tensors, 1, 4);
      if (w.random_.chance(2)) values.push_back(w.constant(Tensor::scalar(w.between(1, 2))));
      return true;
    case OpId::Optional:
      values = {w.pick(tensors, 0, 3)};
      attrs = info(op).attrs.make();
      return true;
    case OpId::OptionalHasElement:
    case OpId::OptionalGetElement: {
      Value* x = w.add(OpId::Optional, {w.pick(tensors, 0, 3)}, nullptr, 1);
      values = {x};
      return true;
    }
    case OpId::HannWindow:
    case OpId::HammingWindow:
    case OpId::BlackmanWindow:
      values = {w.constant(Tensor::scalar(w.between(1, 6)))};
      return true;
    case OpId::DFT: {
      start(DTypeSet(DType::f32) | DType::f64, 2, 3);
      Dims d = w.plain(values[0]);
      d.back() = w.random_.chance(2) ? 1 : 2;
      values = {fresh(type(), d)};
      attrs = info(op).attrs.make();
      return true;
    }
    case OpId::Attention: {
      const DType t = w.random_type(DTypeSet(DType::f32) | DType::f16);
      const int64_t heads = w.between(1, 2), size = w.between(1, 4), keys = w.between(1, 4);
      values = {fresh(t, {1, heads, w.between(1, 3), size}), fresh(t, {1, heads, keys, size}),
                fresh(t, {1, heads, keys, w.between(1, 4)})};
      attrs = info(op).attrs.make();
      of<Attention>().is_causal = w.random_.chance(2);
      return true;
    }
    case OpId::Dropout:
      start(kReal);
      return true;
    case OpId::StringSplit:
      start(DType::str, 0, 2);
      attrs = info(op).attrs.make();
      results = 2;
      return true;
    default:
      return false;
  }
}

}  // namespace tc::fuzz
