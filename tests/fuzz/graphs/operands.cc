// Operands that fit each other, by families of operators; where any will do, by the signature.
#include <algorithm>

#include "writer.h"

namespace tc::fuzz {
void Operands::start(DTypeSet types, int least_rank, int most_rank) {
  values = {w.pick(types, least_rank, most_rank)};
  attrs = w.attributes(info(op), values[0]);
}

// The other operand of a product has a row for each of the first one's columns.
bool Operands::products() {
  const auto after = [&](int64_t n) {
    const Dims d = w.plain(values[0]);
    return Dims{d.back(), n};
  };
  switch (op) {
    case OpId::MatMul: {
      start(kSums, 1, 4);
      Dims b = after(w.between(1, 4));
      if (w.random_.chance(4)) b.pop_back();
      const Dims a = w.plain(values[0]);
      if (a.size() > 2 && b.size() == 2 && w.random_.chance(2))
        b.insert(b.begin(), w.random_.chance(2) ? Dim(1) : a[a.size() - 3]);
      values.push_back(fresh(type(), b));
      return true;
    }
    case OpId::Gemm: {
      start(kSums, 2, 2);
      auto& a = of<Gemm>();
      const Dims d = w.plain(values[0]);
      const Dim k = d[a.trans_a ? 0 : 1];
      const int64_t n = w.between(1, 4);
      values.push_back(fresh(type(), a.trans_b ? Dims{n, k} : Dims{k, n}));
      if (w.random_.chance(2)) values.push_back(fresh(type(), w.random_.chance(2) ? Dims{n} : Dims{1, n}));
      return true;
    }
    case OpId::MatMulInteger:
      start(kBytes, 2, 3);
      values.push_back(fresh(w.random_type(kBytes), after(w.between(1, 4))));
      if (w.random_.chance(2)) values.push_back(w.constant(random_tensor(type(), {}, w.random_, false)));
      return true;
    case OpId::QLinearMatMul: {
      start(kBytes, 2, 3);
      Value* b = fresh(w.random_type(kBytes), after(w.between(1, 4)));
      const auto zero = [&](DType t) { return w.constant(random_tensor(t, {}, w.random_, false)); };
      const auto scale = [&] { return w.constant(Tensor::scalar(0.05f * static_cast<float>(w.between(1, 8)))); };
      const DType y = w.random_type(kBytes), bt = b->dtype();
      values = {values[0], scale(), zero(type()), b, scale(), zero(bt), scale(), zero(y)};
      return true;
    }
    case OpId::Einsum: {
      static const std::vector<std::pair<const char*, int>> kEquations = {
          {"ij,jk->ik", 2},    {"ij->ji", 2},  {"ij->i", 2}, {"ij,ij->", 2},
          {"bij,bjk->bik", 3}, {"i,j->ij", 1}, {"ii->i", 2}, {"...i,i->...", 2}};
      const auto& [equation, r] = w.one_of(kEquations);
      start(kReal | DType::i64 | DType::i32, r, r);
      of<Einsum>().equation = equation;
      const std::string text = equation;
      const Dims d = w.plain(values[0]);
      if (text.find(',') == text.npos) return true;
      if (text == "ij,ij->")
        values.push_back(fresh(type(), d));
      else if (text == "i,j->ij")
        values.push_back(fresh(type(), {w.between(1, 4)}));
      else if (text == "...i,i->...")
        values.push_back(fresh(type(), {d.back()}));
      else if (r == 3)
        values.push_back(fresh(type(), {d[0], d[2], w.between(1, 4)}));
      else
        values.push_back(fresh(type(), {d[1], w.between(1, 4)}));
      return true;
    }
    case OpId::Det:
      values = {fresh(w.random_type(kReal), [&] {
        const int64_t n = w.between(1, 3);
        return w.random_.chance(2) ? Dims{n, n} : Dims{w.between(1, 3), n, n};
      }())};
      return true;
    default:
      return false;
  }
}

bool Operands::windows() {
  switch (op) {
    case OpId::Conv:
    case OpId::ConvInteger: {
      start(op == OpId::Conv ? kReal : kBytes, 3, 5);
      const Dims x = w.plain(values[0]);
      if (!x[1].is_const()) throw Writer::Rejected();
      auto& a = *static_cast<ConvAttrs*>(attrs.get());
      const int64_t channels = x[1].value();
      if (channels > 1 && w.random_.chance(3)) a.group = channels;
      const int64_t out = a.group * w.between(1, 3);
      Dims weight{out, channels / std::max<int64_t>(a.group, 1)};
      for (size_t i = 2; i < x.size(); ++i) weight.push_back(w.between(1, 3));
      values.push_back(fresh(op == OpId::Conv ? type() : w.random_type(kBytes), weight));
      if (op == OpId::Conv && w.random_.chance(2)) values.push_back(fresh(type(), {out}));
      return true;
    }
    case OpId::ConvTranspose: {
      start(kReal, 3, 4);
      const Dims x = w.plain(values[0]);
      const int64_t out = w.between(1, 3);
      Dims weight{x[1], out};
      for (size_t i = 2; i < x.size(); ++i) weight.push_back(w.between(1, 3));
      values.push_back(fresh(type(), weight));
      if (w.random_.chance(2)) values.push_back(fresh(type(), {out}));
      return true;
    }
    case OpId::MaxPool:
      start(kReal | kBytes, 3, 5);
      results = static_cast<int>(w.between(1, 2));
      return true;
    case OpId::AveragePool:
    case OpId::LpPool:
    case OpId::GlobalAveragePool:
    case OpId::GlobalMaxPool:
    case OpId::GlobalLpPool:
      start(kReal, 3, 5);
      return true;
    case OpId::GridSample: {
      start(kReal, 4, 4);
      const Dims x = w.plain(values[0]);
      values.push_back(fresh(w.random_.chance(2) ? type() : DType::f32, {x[0], w.between(1, 3), w.between(1, 3), 2}));
      return true;
    }
    case OpId::AffineGrid:
      values = {fresh(w.random_type(kReal), {2, 2, 3}), w.ints({2, 1, w.between(1, 3), w.between(1, 4)})};
      attrs = w.attributes(info(op), values[0]);
      return true;
    case OpId::RoiAlign: {
      start(kReal, 4, 4);
      values.push_back(w.constant(random_tensor(type(), {2, 4}, w.random_, false)));
      values.push_back(w.ints({0, 0}));
      return true;
    }
    case OpId::MaxRoiPool:
      start(kReal, 4, 4);
      values.push_back(w.constant(converted_rois()));
      return true;
    default:
      return false;
  }
}

Tensor Operands::converted_rois() const {
  const std::vector<double> rois = {0, 0, 0, 1, 1, 0, 1, 0, 2, 2};
  Tensor t(type(), {2, 5});
  narrow(rois, t);
  return t;
}

bool Operands::norms() {
  const auto channels = [&](int n) {
    const Dims x = w.plain(values[0]);
    for (int i = 0; i < n; ++i) values.push_back(fresh(type(), {x[1]}));
  };
  switch (op) {
    case OpId::BatchNormalization: {
      start(kReal, 2, 5);
      of<BatchNormalization>().training_mode = false;
      channels(3);
      const Dims x = w.plain(values[0]);
      // A variance is not negative.
      values.push_back(w.add(OpId::Abs, {fresh(type(), {x[1]})}, nullptr, 1));
      return true;
    }
    case OpId::InstanceNormalization:
      start(kReal, 3, 5);
      channels(2);
      return true;
    case OpId::GroupNormalization:
      start(kReal, 3, 5);
      channels(2);
      return true;
    case OpId::LayerNormalization:
    case OpId::RMSNormalization: {
      start(kReal, 1, 4);
      auto& a = of<LayerNormalization>();
      a.stash_type = 1;
      const Dims x = w.plain(values[0]);
      const int r = static_cast<int>(x.size());
      const Dims scale(x.begin() + (a.axis < 0 ? a.axis + r : a.axis), x.end());
      values.push_back(fresh(type(), scale));
      if (op == OpId::LayerNormalization && w.random_.chance(2)) values.push_back(fresh(type(), scale));
      return true;
    }
    case OpId::LRN:
      start(kReal, 3, 4);
      of<LRN>().size = w.between(1, 3);
      return true;
    case OpId::PRelu: {
      start(kReal, 1, 4);
      Dims slope = w.plain(values[0]);
      for (Dim& d : slope)
        if (w.random_.chance(2)) d = 1;
      values.push_back(fresh(type(), slope));
      return true;
    }
    case OpId::NegativeLogLikelihoodLoss:
    case OpId::SoftmaxCrossEntropyLoss: {
      start(kReal, 2, 3);
      const Dims x = w.plain(values[0]);
      if (!x[1].is_const() || x[1].value() == 0) throw Writer::Rejected();
      Dims labels = x;
      labels.erase(labels.begin() + 1);
      Data data;
      for (size_t b = 0; b < kBindings; ++b) {
        Extents e = w.extents(values[0], static_cast<int>(b));
        e.erase(e.begin() + 1);
        std::vector<int64_t> list;
        for (int64_t n = element_count(e); n > 0; --n) list.push_back(w.between(0, x[1].value() - 1));
        data[b] = Tensor::of<int64_t>(e, list);
      }
      values.push_back(w.input(DType::i64, labels, data));
      if (w.random_.chance(3)) values.push_back(fresh(type(), {x[1]}));
      return true;
    }
    default:
      return false;
  }
}

void Operands::by_signature() {
  const OpInfo& op_info = info(op);
  const Signature& s = op_info.facts->signature;
  std::map<char, DType> bound;
  const bool broadcasts = op_info.family == Family::elementwise || op_info.traits.elementwise;
  for (int i = 0; i < s.num_operands; ++i) {
    const tc::Slot& slot = s.operands[static_cast<size_t>(i)];
    const int64_t times = slot.variadic ? w.between(values.empty() ? 1 : 0, 2) : 1;
    if (slot.any) throw Writer::Rejected();
    if (slot.optional && w.random_.chance(2)) break;
    for (int64_t k = 0; k < times; ++k) {
      const DTypeSet types = slot.variable ? (bound.count(slot.variable) ? DTypeSet(bound[slot.variable])
                                                                         : op_info.facts->set_of(slot.variable))
                                           : DTypeSet(slot.fixed);
      if (values.empty()) {
        values.push_back(w.pick(types));
      } else if (w.random_.chance(3)) {
        values.push_back(w.pick(types));  // inference says whether it fits
      } else {
        Dims d = w.plain(values[0]);
        if (broadcasts) {
          for (Dim& n : d)
            if (w.random_.chance(4)) n = 1;
          if (!d.empty() && w.random_.chance(4)) d.erase(d.begin());
        }
        values.push_back(fresh(w.random_type(types), d));
      }
      if (slot.variable) bound[slot.variable] = values.back()->dtype();
    }
  }
  attrs = w.attributes(op_info, values.empty() ? nullptr : values[0]);
}

void Operands::draw() {
  if (!(products() || windows() || norms() || movement() || gathers() || searches() || quantised() || recurrent() ||
        others()))
    by_signature();
  if (!attrs) attrs = w.attributes(info(op), values.empty() ? nullptr : values[0]);
}

}  // namespace tc::fuzz
