// Linear models and support vector machines.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "tc/ir/eval/scores.h"
#include "tc/ir/eval/svm.h"
#include "tc/ir/ops/ml.h"

namespace tc {
namespace {

double dot(const double* a, const double* b, int64_t n) {
  return std::inner_product(a, a + n, b, 0.0);
}

void expect_features(EvalContext& ctx, const FeatureRows& x, int64_t features) {
  if (x.features != features)
    ctx.fail(ErrorCode::bad_shape, "rows of ", x.features, " features for a model of ", features);
}

int64_t ssize(size_t n) {
  return static_cast<int64_t>(n);
}

size_t argmax(std::span<const double> v) {
  return static_cast<size_t>(std::max_element(v.begin(), v.end()) - v.begin());
}

// A machine's kernel, of a row and each of its vectors.
class Kernel {
 public:
  Kernel(const SvmAttrs& a, int64_t vectors, int64_t features) : a_(a), vectors_(vectors), features_(features) {
    if (a.kernel_params.size() == 3)
      gamma_ = a.kernel_params[0], coef0_ = a.kernel_params[1], degree_ = a.kernel_params[2];
  }
  std::vector<double> operator()(const double* x) const {
    std::vector<double> k;
    for (int64_t v = 0; v < vectors_; ++v) k.push_back(one(x, a_.support_vectors.data() + v * features_));
    return k;
  }

 private:
  double one(const double* x, const double* v) const {
    if (a_.kernel_type == SvmKernel::rbf) {
      double sum = 0;
      for (int64_t i = 0; i < features_; ++i) sum += (x[i] - v[i]) * (x[i] - v[i]);
      return std::exp(-gamma_ * sum);
    }
    const double product = dot(x, v, features_);
    switch (a_.kernel_type) {
      case SvmKernel::poly:
        return std::pow(gamma_ * product + coef0_, degree_);
      case SvmKernel::sigmoid:
        return std::tanh(gamma_ * product + coef0_);
      default:
        return product;
    }
  }
  const SvmAttrs& a_;
  int64_t vectors_, features_;
  double gamma_ = 0, coef0_ = 0, degree_ = 0;
};

}  // namespace

SvmVoter::SvmVoter(const SVMClassifier::Attrs& a)
    : a_(a),
      vectors_(a.num_vectors()),
      classes_(static_cast<size_t>(a.num_classes())),
      probabilities_(!a.prob_a.empty()),
      positive_(std::all_of(a.coefficients.begin(), a.coefficients.end(), [](double v) { return v >= 0; })) {
  features_ = vectors_ ? ssize(a.support_vectors.size()) / vectors_ : ssize(a.coefficients.size() / classes_);
}

int64_t SvmVoter::num_scores() const {
  return ssize(vectors_ && !probabilities_ && classes_ > 2 ? classes_ * (classes_ - 1) / 2 : classes_);
}

// The probabilities of classes that go best with those of all pairs: pairs[i * n + j] is that of i against j. The
// second method of Wu, Lin, Weng, "Probability estimates for multi-class classification by pairwise coupling" (2004).
void SvmVoter::couple(Work& work) const {
  const size_t n = classes_;
  const auto& r = work.pairs;
  auto &q = work.q, &qp = work.qp, &p = work.row;
  q.assign(n * n, 0), qp.assign(n, 0), p.assign(n, 1.0 / static_cast<double>(n));
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      q[i * n + i] += r[j * n + i] * r[j * n + i];
      q[i * n + j] = -r[j * n + i] * r[i * n + j];
    }
  for (int round = 0; round < 100; ++round) {
    double pqp = 0, error = 0;
    for (size_t i = 0; i < n; ++i) {
      qp[i] = dot(&q[i * n], p.data(), ssize(n));
      pqp += p[i] * qp[i];
    }
    for (size_t i = 0; i < n; ++i) error = std::max(error, std::abs(qp[i] - pqp));
    if (error < 0.005 / static_cast<double>(n)) break;
    for (size_t i = 0; i < n; ++i) {
      const double step = (pqp - qp[i]) / q[i * n + i];
      p[i] += step;
      pqp = (pqp + step * (step * q[i * n + i] + 2 * qp[i])) / ((1 + step) * (1 + step));
      for (size_t j = 0; j < n; ++j) {
        qp[j] = (qp[j] + step * q[i * n + j]) / (1 + step);
        p[j] /= 1 + step;
      }
    }
  }
}

// Every pair of classes has its own decision.
size_t SvmVoter::vote(const double* k, Dot dot, Work& work) const {
  const size_t n = classes_;
  auto &row = work.row, &pairs = work.pairs;
  work.votes.assign(n, 0), pairs.assign(n * n, 0);
  int64_t at_i = 0;
  for (size_t i = 0; i < n; ++i) {
    int64_t at_j = at_i + a_.vectors_per_class[i];
    for (size_t j = i + 1; j < n; ++j) {
      // Row c of the coefficients holds each vector's weights against the c-th of the other classes.
      const auto weighted = [&](size_t row_of, int64_t from, int64_t count) {
        return dot(&a_.coefficients[row_of * static_cast<size_t>(vectors_) + static_cast<size_t>(from)], k + from,
                   count);
      };
      const double score = weighted(j - 1, at_i, a_.vectors_per_class[i]) + weighted(i, at_j, a_.vectors_per_class[j]) +
                           a_.rho[row.size()];
      ++work.votes[score > 0 ? i : j];
      if (probabilities_) {
        const double p = 1 - logistic(score * a_.prob_a[row.size()] + a_.prob_b[row.size()]);
        pairs[i * n + j] = std::clamp(p, 1e-7, 1 - 1e-7);
        pairs[j * n + i] = 1 - pairs[i * n + j];
      }
      row.push_back(score);
      at_j += a_.vectors_per_class[j];
    }
    at_i += a_.vectors_per_class[i];
  }
  if (probabilities_) couple(work);
  return argmax(work.votes);
}

size_t SvmVoter::operator()(const double* k, Dot dot, Work& work) const {
  work.row.clear();
  if (vectors_) return vote(k, dot, work);
  work.row.assign(k, k + classes_);
  const size_t best = argmax(work.row);
  // Of two classes, a score that is large enough speaks for the second one.
  return classes_ == 2 && !probabilities_ && (positive_ ? work.row[best] >= 0.5 : work.row[best] > 0) ? 1 : best;
}

bool SvmVoter::expand(std::vector<double>& row) const {
  if (row.size() != 1 || classes_ != 2) return true;
  row.resize(2);
  expand_score(a_.post_transform,
               a_.post_transform == PostTransform::none ? SecondScore::opposite : SecondScore::complement, row[0],
               row.data());
  return false;
}

template <>
void eval<LinearClassifier>(EvalContext& ctx) {
  const auto& a = ctx.attrs<LinearClassifier>();
  const FeatureRows x(ctx);
  const int64_t n = a.num_scores(), labels = a.num_labels(), features = ssize(a.coefficients.size()) / n;
  expect_features(ctx, x, features);
  const bool second = n == 1 && labels == 2;
  const size_t width = second ? 2 : static_cast<size_t>(n);
  std::vector<double> scores(static_cast<size_t>(x.rows) * width);
  std::vector<size_t> classes;
  for (int64_t r = 0; r < x.rows; ++r) {
    const std::span<double> row(scores.data() + static_cast<size_t>(r) * width, width);
    for (size_t k = 0; k < static_cast<size_t>(n); ++k)
      row[k] = dot(x.row(r), &a.coefficients[k * static_cast<size_t>(features)], features) +
               (a.intercepts.empty() ? 0 : a.intercepts[k]);
    classes.push_back(n > 1 ? argmax(row) : labels == 2 ? row[0] > 0 : 0);
    if (second)
      expand_score(a.post_transform, SecondScore::complement, row[0], row.data());
    else
      transform_scores(a.post_transform, row);
  }
  write_labels(ctx, a.classlabels_strings, a.classlabels_ints, classes);
  ctx.write(1, {x.rows, ssize(width)}, scores);
}

template <>
void eval<LinearRegressor>(EvalContext& ctx) {
  const auto& a = ctx.attrs<LinearRegressor>();
  const FeatureRows x(ctx);
  const int64_t features = ssize(a.coefficients.size()) / a.targets;
  expect_features(ctx, x, features);
  const auto targets = static_cast<size_t>(a.targets);
  std::vector<double> y(static_cast<size_t>(x.rows) * targets);
  for (int64_t r = 0; r < x.rows; ++r) {
    const std::span<double> row(y.data() + static_cast<size_t>(r) * targets, targets);
    for (size_t k = 0; k < targets; ++k)
      row[k] = dot(x.row(r), &a.coefficients[k * static_cast<size_t>(features)], features) +
               (a.intercepts.empty() ? 0 : a.intercepts[k]);
    transform_scores(a.post_transform, row);
  }
  ctx.write(0, {x.rows, a.targets}, y);
}

template <>
void eval<SVMClassifier>(EvalContext& ctx) {
  const auto& a = ctx.attrs<SVMClassifier>();
  const FeatureRows x(ctx);
  const int64_t vectors = a.num_vectors();
  const auto n = static_cast<size_t>(a.num_classes());
  const SvmVoter voter(a);
  expect_features(ctx, x, voter.features());
  const Kernel kernel(a, vectors, voter.features());
  SvmVoter::Work work;
  std::vector<double> scores;
  std::vector<size_t> classes;
  for (int64_t r = 0; r < x.rows; ++r) {
    std::vector<double> k;
    if (vectors) k = kernel(x.row(r));
    for (size_t c = 0; c < n && !vectors; ++c)
      k.push_back(dot(x.row(r), &a.coefficients[c * static_cast<size_t>(voter.features())], voter.features()) +
                  a.rho[0]);
    classes.push_back(voter(k.data(), dot, work));
    if (voter.expand(work.row)) transform_scores(a.post_transform, work.row);
    scores.insert(scores.end(), work.row.begin(), work.row.end());
  }
  write_labels(ctx, a.classlabels_strings, a.classlabels_ints, classes);
  ctx.write(1, {x.rows, voter.num_scores()}, scores);
}

template <>
void eval<SVMRegressor>(EvalContext& ctx) {
  const auto& a = ctx.attrs<SVMRegressor>();
  const FeatureRows x(ctx);
  const bool linear = a.n_supports == 0;
  const int64_t features = linear ? ssize(a.coefficients.size()) : ssize(a.support_vectors.size()) / a.n_supports;
  expect_features(ctx, x, features);
  const Kernel kernel(a, a.n_supports, features);
  std::vector<double> y;
  for (int64_t r = 0; r < x.rows; ++r) {
    const double v = a.rho[0] + (linear ? dot(x.row(r), a.coefficients.data(), features)
                                        : dot(kernel(x.row(r)).data(), a.coefficients.data(), a.n_supports));
    y.push_back(a.one_class ? v > 0 ? 1 : -1 : v);
  }
  ctx.write(0, {x.rows, 1}, y);
}

}  // namespace tc
