#include "tc/ir/eval/scores.h"

#include <algorithm>
#include <cmath>

namespace tc {
namespace {

// The inverse of the normal distribution, by Winitzki's approximation of the inverse error function.
double probit(double p) {
  constexpr double kA = 0.147, kPi = 3.14159;
  const double x = 2 * p - 1, log = std::log((1 - x) * (1 + x)), v = 2 / (kPi * kA) + log / 2;
  const double inverse = std::sqrt(std::sqrt(v * v - log / kA) - v);
  return std::sqrt(2.0) * (x < 0 ? -inverse : inverse);
}

}  // namespace

FeatureRows::FeatureRows(EvalContext& ctx) : values(ctx.read<double>(0)) {
  const Tensor& x = ctx.in(0);
  if (x.rank() != 1 && x.rank() != 2)
    ctx.fail(ErrorCode::bad_shape, "expected rows [N,C] or one row [C], got ", x.type());
  rows = x.rank() == 1 ? 1 : x.extent(0);
  features = x.extent(x.rank() - 1);
}

double logistic(double v) {
  return 1 / (1 + std::exp(-v));
}

void transform_scores(PostTransform transform, std::span<double> scores) {
  if (transform == PostTransform::probit)
    for (double& v : scores) v = probit(v);
  if (scores.size() < 2) return;
  if (transform == PostTransform::logistic)
    for (double& v : scores) v = logistic(v);
  if (transform != PostTransform::softmax && transform != PostTransform::softmax_zero) return;
  const double most = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& v : scores) {
    // In the second form a score of 0 takes no part.
    if (transform == PostTransform::softmax_zero && std::abs(v) <= 1e-7) {
      v *= std::exp(-most);
    } else {
      v = std::exp(v - most);
      sum += v;
    }
  }
  for (double& v : scores) v /= sum;
}

void expand_score(PostTransform transform, SecondScore second, double score, double* both) {
  both[0] = second == SecondScore::complement ? 1 - score : -score;
  both[1] = score;
  if (transform == PostTransform::logistic) both[0] = logistic(-score), both[1] = logistic(score);
  if (transform == PostTransform::probit) both[0] = probit(score), both[1] = 0;
}

void write_labels(EvalContext& ctx, const std::vector<std::string>& strings, const std::vector<int64_t>& ints,
                  const std::vector<size_t>& classes) {
  const Extents extents{static_cast<int64_t>(classes.size())};
  const auto write = [&]<class T>(const std::vector<T>& labels) {
    std::vector<T> y;
    for (const size_t c : classes) y.push_back(labels[c]);
    ctx.write(0, extents, y);
  };
  if (strings.empty())
    write(ints);
  else
    write(strings);
}

}  // namespace tc
