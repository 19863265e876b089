#include "tc/frontend/dsl/tracer.h"

namespace tc::dsl {
namespace {

bool ranked(const Type& t) {
  return t.is_tensor() && t.shape().ranked();
}

bool may_meet(const Dim& a, const Dim& b) {
  return !a.is_const() || !b.is_const() || a == b;
}

bool broadcasts(const Dims& a, const Dims& b) {
  for (size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const Dim &x = a[a.size() - i], &y = b[b.size() - i];
    if (!x.is(1) && !y.is(1) && !may_meet(x, y)) return false;
  }
  return true;
}

Dims matrix_transposed(Dims d) {
  if (d.size() >= 2) std::swap(d[d.size() - 1], d[d.size() - 2]);
  return d;
}

// Shapes a and b that do not broadcast: would they with one of them changed?
std::string broadcasting(const Dims& a, const Dims& b) {
  const Dims& less = a.size() <= b.size() ? a : b;
  const Dims& more = a.size() <= b.size() ? b : a;
  const std::string_view name = a.size() <= b.size() ? "first" : "second";
  Dims padded = less;
  for (size_t axes = 1; less.size() + axes <= more.size(); ++axes) {
    padded.push_back(1);
    if (broadcasts(padded, more)) {
      std::string advice = cat("did you mean expand_dims(", name, ", -1)");
      if (axes > 1) advice = cat("did you mean to give the ", name, " operand ", axes, " trailing axes of extent 1");
      return cat(advice, "? shapes are aligned at their last axes");
    }
  }
  if (a.size() >= 2 && a.size() == b.size() && broadcasts(matrix_transposed(a), b))
    return "did you mean matrix_transpose of one of them?";
  return "shapes are aligned at their last axes; an extent of 1 goes with any";
}

std::string multiplying(const Dims& a, const Dims& b) {
  if (a.empty() || b.empty()) return "matmul takes no scalars: write a * b";
  const Dim& inner = a.back();
  if (b.size() >= 2 && may_meet(inner, b.back()) && !may_meet(inner, b[b.size() - 2]))
    return "did you mean matmul(a, matrix_transpose(b))?";
  if (a.size() >= 2 && b.size() >= 2 && may_meet(a[a.size() - 2], b[b.size() - 2]))
    return "did you mean matmul(matrix_transpose(a), b)?";
  return "the last extent of the first must equal the last but one of the second";
}

std::string convolving(const Dims& x, const Dims& w) {
  if (w.size() < 3) return "weights are [out channels, in channels / groups, kernel...]";
  if (x.size() + 1 == w.size()) return "is a batch axis missing? expand_dims(x, 0)";
  if (x.size() == w.size() && !may_meet(x[1], w[1]) && may_meet(x.back(), w[1])) {
    std::string perm = cat("0, ", x.size() - 1);
    for (size_t i = 1; i + 1 < x.size(); ++i) perm += cat(", ", i);
    return cat("activations are [batch, channels, spatial...]: permute_dims(x, {", perm, "})?");
  }
  return "activations are [batch, channels, spatial...], weights [out channels, in channels / groups, kernel...]";
}

}  // namespace

std::vector<std::string> suggestions(OpId op, ErrorCode code, const std::vector<Type>& operands) {
  if (code != ErrorCode::bad_shape || operands.size() < 2) return {};
  const size_t first = op == OpId::Where ? 1 : 0;
  if (operands.size() < first + 2 || !ranked(operands[first]) || !ranked(operands[first + 1])) return {};
  const Dims &a = operands[first].shape().dims(), &b = operands[first + 1].shape().dims();
  if (op == OpId::MatMul) return {multiplying(a, b)};
  if (op == OpId::Conv || op == OpId::ConvTranspose) return {convolving(a, b)};
  if (info(op).traits.elementwise) return {broadcasting(a, b)};
  return {};
}

}  // namespace tc::dsl
