// The decisions of support vector machines, on values of their kernels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tc/ir/ops/ml.h"

namespace tc {

class SvmVoter {
 public:
  using Dot = double (*)(const double* a, const double* b, int64_t n);
  // What a row needs, kept for the next one.
  struct Work {
    std::vector<double> row;  // the scores, before the transform
    std::vector<double> votes, pairs, q, qp;
  };

  explicit SvmVoter(const SVMClassifier::Attrs& a);
  int64_t features() const { return features_; }
  int64_t num_scores() const;  // per row

  // The class and the scores of a row: of the kernel's values at each vector; without vectors, of the linear scores,
  // rho included.
  size_t operator()(const double* k, Dot dot, Work& work) const;
  // Sums that the transform takes; true where it is still to come.
  bool expand(std::vector<double>& row) const;

 private:
  size_t vote(const double* k, Dot dot, Work& work) const;
  void couple(Work& work) const;

  const SVMClassifier::Attrs& a_;
  int64_t vectors_, features_;
  size_t classes_;
  bool probabilities_, positive_;
};

}  // namespace tc
