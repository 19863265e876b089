// More losses of predictions against targets, and similarities. Reductions are those of nn.h.
#pragma once

#include "tc/frontend/dsl/nn.h"

namespace tc {

// Of probabilities, which are kept away from 0 and 1 by epsilon.
struct CrossEntropyOfProbabilitiesOptions {
  Reduction reduction = Reduction::mean;
  double epsilon = 1e-7;
  int64_t axis = -1;  // of the classes
};
Var binary_cross_entropy(Arg probabilities, Arg target, CrossEntropyOfProbabilitiesOptions options = {});
// Targets are probabilities, too; the classes' axis goes.
Var categorical_cross_entropy(Arg probabilities, Arg target, CrossEntropyOfProbabilitiesOptions options = {});

struct SmoothL1Options {
  Reduction reduction = Reduction::mean;
  double beta = 1;  // below, half a square over beta
};
Var smooth_l1_loss(Arg x, Arg target, SmoothL1Options options = {});
struct MarginOptions {
  Reduction reduction = Reduction::mean;
  double margin = 1;
};
Var hinge_loss(Arg x, Arg target, MarginOptions options = {});  // max(0, margin - x target) of targets 1 and -1
struct PoissonNllOptions {
  Reduction reduction = Reduction::mean;
  bool log_input = true;  // x is the logarithm of the expected number
};
Var poisson_nll_loss(Arg x, Arg target, PoissonNllOptions options = {});
struct GaussianNllOptions {
  Reduction reduction = Reduction::mean;
  double epsilon = 1e-6;  // the least variance
};
Var gaussian_nll_loss(Arg x, Arg target, Arg variance, GaussianNllOptions options = {});

struct SimilarityOptions {
  int64_t axis = 1;
  double epsilon = 1e-8;  // the least product of lengths
};
Var cosine_similarity(Arg a, Arg b, SimilarityOptions options = {});
struct TripletOptions {
  Reduction reduction = Reduction::mean;
  double margin = 1, p = 2, epsilon = 1e-6;  // epsilon is added to the differences
};
// max(0, |anchor - positive| - |anchor - negative| + margin) along the last axis.
Var triplet_margin_loss(Arg anchor, Arg positive, Arg negative, TripletOptions options = {});

struct CtcOptions {
  Reduction reduction = Reduction::mean;  // of each loss over the length of its target
  int64_t blank = 0;
};
// Connectionist temporal classification (A. Graves et al., ICML 2006): minus the logarithm of the probability that the
// steps' classes, repetitions merged and blanks dropped, spell the target. log_probabilities are [time, batch,
// classes], targets [batch, longest], lengths [batch].
Var ctc_loss(Arg log_probabilities, Arg targets, Arg input_lengths, Arg target_lengths, CtcOptions options = {});

}  // namespace tc
