#include "tc/backend/onnx/export_rows.h"
#include "tc/ir/eval/wide.h"

namespace tc::onnx {
namespace {

// The axis was an attribute until opset 20.
void dft_17(NodeExport& n) {
  const int64_t axis = n.node().operand(2) ? n.known_ints(2).at(0) : DFT::kDefaultAxis;
  n.regular();
  n.drop_inputs_from(2);
  n.set("axis", axis);
}

// Until opset 20 a one-sided DFT had no inverse. The real part of the two-sided inverse of its spectrum, padded with
// zeros, is half of what is wanted of each pair of conjugates, and all of the frequencies that have no other: the
// others count twice.
std::vector<Value*> irfft_17(Lowering& l) {
  const auto& a = l.attrs<DFT>();
  if (!a.inverse || !a.onesided) return {};
  const Value* given_axis = l.node().operand(2);
  const Tensor* known_axis = given_axis ? given_axis->constant() : nullptr;
  if (given_axis && !known_axis) l.refuse("the axis is an attribute until opset 20, and computed here");
  const int64_t rank = l.rank(0);
  int64_t axis = DFT::kDefaultAxis;
  if (known_axis) axis = to_i64(*known_axis).at(0);
  if (axis < 0) axis += rank;
  Builder& b = l.b;
  Value *x = l.in(0), *two = b.scalar<int64_t>(2), *one = b.scalar<int64_t>(1), *zero = b.scalar<int64_t>(0);
  Value* n = l.in(1) ? b.make<Reshape>({l.cast(l.in(1), DType::i64), b.ints({})})
                     : b.make<Mul>({b.make<Sub>({l.extent(x, static_cast<int>(axis)), one}), two});
  Value* half = b.make<Add>({b.make<Div>({n, two}), one});
  Value* used = b.make<Slice>({x, b.ints({0}), b.make<Reshape>({half, b.ints({1})}), b.ints({axis})});
  Value* place = b.make<Range>({zero, l.extent(used, static_cast<int>(axis)), one});
  Value* alone = b.make<Or>({b.make<Equal>({place, zero}), b.make<Equal>({b.make<Mul>({place, two}), n})});
  Value* weight = b.make<Where>({alone, b.scalar_like(x->dtype(), 1), b.scalar_like(x->dtype(), 2)});
  std::vector<int64_t> along(static_cast<size_t>(rank - axis), 1);
  along[0] = -1;
  Value* weighted = b.make<Mul>({used, b.make<Reshape>({weight, b.ints(along)})});
  Value* y = b.make<DFT>({weighted, l.settled(n), b.scalar(axis)}, {.inverse = true, .onesided = false});
  l.why = "the inverse of a one-sided DFT, which exists from opset 20 on";
  return {b.make<Slice>({y, b.ints({0}), b.ints({1}), b.ints({rank - 1})})};
}

// That of ONNX Runtime 1.30 is right for even lengths alone.
std::vector<Value*> irfft_of_odd_length(Lowering& l) {
  const auto& a = l.attrs<DFT>();
  if (!l.ort() || !a.inverse || !a.onesided || !l.in(1)) return {};
  if (l.node().operand(2) && !l.node().operand(2)->constant()) return {};
  const Dims* length = l.in(1)->contents();
  const Tensor* given = l.in(1)->constant();
  const bool known = given || (length && length->size() == 1 && (*length)[0].is_const());
  const int64_t n = given ? to_i64(*given).at(0) : known ? (*length)[0].value() : 1;
  if (n % 2 == 0) return {};
  const auto y = irfft_17(l);
  l.why = "the inverse of a one-sided DFT of odd length, which ONNX Runtime gets wrong";
  return y;
}

// One type serves the step and the length.
std::vector<Value*> stft(Lowering& l) {
  if (!l.in(3) || l.in(1)->dtype() == l.in(3)->dtype()) return {};
  l.why = "step and length in one type";
  return l.again({l.in(0), l.cast(l.in(1), DType::i64), l.in(2), l.cast(l.in(3), DType::i64)});
}

}  // namespace

void rows_export_signal(ExportRows& rows) {
  rows.push_back({OpId::DFT, 17, dft_17, irfft_17});
  rows.push_back({OpId::DFT, 20, nullptr, irfft_of_odd_length});
  rows.push_back({OpId::STFT, 1, nullptr, stft});
}

}  // namespace tc::onnx
