// Random numbers that are a function of a key: the same key gives the same numbers in every run, on every machine, on
// any number of threads, and in an exported file in other runtimes. A key is used once; new ones come from split and
// fold_in.
//
//   const tc::random::Key key = tc::random::key(42);
//   const auto keys = tc::random::split(key);
//   tc::Var noise = tc::random::bits(keys[0], {"batch", 16});
//
// The generator is Threefry2x32 of 20 rounds (J. Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011),
// of u32 sums, shifts and exclusive ors. Words are laid out as JAX lays them out with jax_threefry_partitionable, so
// that jax.random.key_data, split, fold_in and bits give the same ones.
//
// Errors: bad_type and bad_shape for a key that is not u32[2].
#pragma once

#include "tc/frontend/dsl/creation.h"

namespace tc::random {

struct Key {
  Var data;  // u32[2]
};

// Of a scalar integer: its high and low words. 32 bits and fewer have no high word.
Key key(Arg seed);
Key wrap_key_data(Arg data);
Var key_data(const Key& k, Location at = Location::current());

// New keys, which are independent of each other and of what else is drawn from k.
[[nodiscard]] std::vector<Key> split(const Key& k, int64_t n = 2, Location at = Location::current());
Var split_data(const Key& k, Extent n, Location at = Location::current());  // u32[n, 2]: for scan and map
Key fold_in(const Key& k, Arg data);  // one for each scalar integer, taken modulo 2^32

// Uniform words, u32 or u64.
Var bits(const Key& k, ShapeArg shape, DType dtype = u32, Location at = Location::current());

// --- Samplers
//
// Parameters broadcast against each other and to the shape. Samplers of real numbers take f32 and f64, and are of the
// parameters' type where no other is asked for, f32 otherwise. Gradients go through parameters; those of whole numbers
// and of permutations are zero.
//
// Level A: integers, the same in every runtime. Level B: floating-point numbers with the same bits in every runtime
// that rounds + - * / and square roots as IEEE 754 says, since logarithms and the like are sums of products here.
// Level C: the same distribution; bits depend on a runtime's own functions and order of summation.
//
// Errors: bad_type for another element type, bad_shape where parameters do not broadcast to the shape.

struct SampleOptions {
  ShapeArg shape = ShapeArg(std::vector<Extent>{});  // no extents: that of the parameters
  std::optional<DType> dtype = {};
};

// Level A for the bounds 0 and 1, which are the default, else B. From low on and below high, which rounding may reach.
// In steps of 2^-23 of the range for f32, 2^-52 for f64; JAX's numbers for f32 and the default bounds.
Var uniform(const Key& k, SampleOptions options = {}, Location at = Location::current());
Var uniform(const Key& k, Arg low, Arg high, SampleOptions options = {}, Location at = Location::current());

// Level A. Whole numbers from low on and below high: a word of 64 bits modulo high - low, so that the probabilities of
// two numbers differ by less than the range / 2^64. i64 unless dtype is another integer type. Error bad_argument for
// an empty range of constants; of others, low is drawn.
Var randint(const Key& k, Arg low, Arg high, SampleOptions options = {}, Location at = Location::current());

// Level A. true with probability p: uniform < p.
Var bernoulli(const Key& k, Arg p, SampleOptions options = {}, Location at = Location::current());

// Level A. -1 or 1, by the lowest bit; i32 unless dtype is another type of numbers.
Var rademacher(const Key& k, SampleOptions options = {}, Location at = Location::current());

// Level A. Slices of x along an axis in another order: that of words of 63 bits, whose ties, of chance n^2 / 2^64,
// keep their order. permutation(k, n) is of 0, ..., n - 1.
Var permutation(const Key& k, int64_t n, Location at = Location::current());
struct PermutationOptions {
  int64_t axis = 0;
};
Var permutation(const Key& k, Var x, PermutationOptions options = {}, Location at = Location::current());

// Level A. Slices of x along its first axis: `n` of them, each of any, or without replacement different ones. Error
// bad_argument for more of them than there are.
struct ChoiceOptions {
  bool replace = true;
};
Var choice(const Key& k, Arg x, int64_t n, ChoiceOptions options = {}, Location at = Location::current());

// Level B, by the inverse of the distribution function of one word each. The smallest probability is 2^-24 for f32
// (normal numbers end at 5.4) and 2^-53 for f64 (8.2).
Var normal(const Key& k, SampleOptions options = {}, Location at = Location::current());
Var normal(const Key& k, Arg mean, Arg stddev, SampleOptions options = {}, Location at = Location::current());
Var half_normal(const Key& k, Arg scale, SampleOptions options = {}, Location at = Location::current());
Var lognormal(const Key& k, Arg mean, Arg sigma, SampleOptions options = {}, Location at = Location::current());
Var exponential(const Key& k, Arg scale, SampleOptions options = {}, Location at = Location::current());
Var gumbel(const Key& k, Arg location, Arg scale, SampleOptions options = {}, Location at = Location::current());
Var laplace(const Key& k, Arg location, Arg scale, SampleOptions options = {}, Location at = Location::current());
Var logistic(const Key& k, Arg location, Arg scale, SampleOptions options = {}, Location at = Location::current());
Var half_cauchy(const Key& k, Arg scale, SampleOptions options = {}, Location at = Location::current());
Var cauchy(const Key& k, Arg location, Arg scale, SampleOptions options = {}, Location at = Location::current());
Var rayleigh(const Key& k, Arg scale, SampleOptions options = {}, Location at = Location::current());
Var weibull(const Key& k, Arg shape, Arg scale, SampleOptions options = {}, Location at = Location::current());
// From scale on, with density proportional to x^(-shape - 1).
Var pareto(const Key& k, Arg shape, Arg scale, SampleOptions options = {}, Location at = Location::current());
Var triangular(const Key& k, Arg left, Arg mode, Arg right, SampleOptions options = {},
               Location at = Location::current());

// Level B. Places along an axis with probabilities in proportion to exp(logits): the largest sum of a logit and a
// Gumbel number. i64, of the logits' shape without the axis; `shape` puts extents in front of it.
struct CategoricalOptions {
  int64_t axis = -1;
  ShapeArg shape = ShapeArg(std::vector<Extent>{});
};
Var categorical(const Key& k, Arg logits, CategoricalOptions options = {}, Location at = Location::current());

// Level B, by rejection of normal and uniform numbers in a loop over those that wait, 95 % of which are taken in each
// round (G. Marsaglia, W. Tsang, A Simple Method for Generating Gamma Variables, 2000); a below 1 by the power of a
// uniform number. Gradients go through scales, and through a as through the quantile of a fixed probability (M.
// Figurnov, S. Mohamed, A. Mnih, Implicit Reparameterization Gradients, 2018); those are made of the runtime's own
// functions. A parameter that is not positive gives NaN or any number.
Var gamma(const Key& k, Arg a, SampleOptions options = {}, Location at = Location::current());
Var gamma(const Key& k, Arg a, Arg scale, SampleOptions options = {}, Location at = Location::current());
Var loggamma(const Key& k, Arg a, SampleOptions options = {}, Location at = Location::current());  // for a near 0
Var inverse_gamma(const Key& k, Arg a, Arg scale, SampleOptions options = {}, Location at = Location::current());
// scale gamma(a)^(1 / power): scipy.stats.gengamma.
Var generalized_gamma(const Key& k, Arg a, Arg power, Arg scale, SampleOptions options = {},
                      Location at = Location::current());
Var chisquare(const Key& k, Arg df, SampleOptions options = {}, Location at = Location::current());
Var beta(const Key& k, Arg a, Arg b, SampleOptions options = {}, Location at = Location::current());
Var t(const Key& k, Arg df, SampleOptions options = {}, Location at = Location::current());
Var f(const Key& k, Arg numerator_df, Arg denominator_df, SampleOptions options = {},
      Location at = Location::current());
Var maxwell(const Key& k, Arg scale, SampleOptions options = {}, Location at = Location::current());

// Level B where the number of components is fixed, else C. Of alpha's shape, whose last axis are the components;
// `shape` puts extents in front of it.
struct DirichletOptions {
  ShapeArg shape = ShapeArg(std::vector<Extent>{});
};
Var dirichlet(const Key& k, Arg alpha, DirichletOptions options = {}, Location at = Location::current());

// Level B. With gradients of the quantile in both parameters (J. Michael, W.
// Schucany, R. Haas, Generating Random Variates Using Transformations with Multiple Roots, 1976).
Var wald(const Key& k, Arg mean, Arg scale, SampleOptions options = {}, Location at = Location::current());
// scale times an exponential number below `end`: scipy.stats.truncexpon.
Var trunc_exponential(const Key& k, Arg end, Arg scale, SampleOptions options = {}, Location at = Location::current());

// Level B. Whole numbers, i64 unless dtype is another integer type or f32 or f64, without gradients. Parameters
// broadcast; outside of their range any number may come. By inversion where the mean is below 10, else by rejection,
// both in f64 (random_discrete.cc names the methods).
Var poisson(const Key& k, Arg mean, SampleOptions options = {}, Location at = Location::current());
Var binomial(const Key& k, Arg n, Arg p, SampleOptions options = {}, Location at = Location::current());
Var geometric(const Key& k, Arg p, SampleOptions options = {}, Location at = Location::current());  // from 1 on
// Failures before n successes of probability p; n need not be whole.
Var negative_binomial(const Key& k, Arg n, Arg p, SampleOptions options = {}, Location at = Location::current());
Var beta_binomial(const Key& k, Arg n, Arg a, Arg b, SampleOptions options = {}, Location at = Location::current());
// Good ones among `drawn` of good + bad.
Var hypergeometric(const Key& k, Arg good, Arg bad, Arg drawn, SampleOptions options = {},
                   Location at = Location::current());
// How many of n fall to each kind, along a new last axis; p is a vector, of fixed extent, of any sum.
Var multinomial(const Key& k, Arg n, Arg p, SampleOptions options = {}, Location at = Location::current());

// Level C. Between low and high, which may be infinite, of a standard normal number; intervals beyond 37 are empty.
Var truncated_normal(const Key& k, Arg low, Arg high, SampleOptions options = {}, Location at = Location::current());
// An angle from -pi to pi; the gradient in kappa is that of the quantile.
Var vonmises(const Key& k, Arg mean, Arg kappa, SampleOptions options = {}, Location at = Location::current());
// mean + L z, where L is the covariance's Cholesky factor; `shape` puts extents in front.
Var multivariate_normal(const Key& k, Arg mean, Arg covariance, DirichletOptions options = {},
                        Location at = Location::current());
// Orthogonal n x n matrices of Haar's measure; `shape` puts extents in front.
Var orthogonal(const Key& k, int64_t n, SampleOptions options = {}, Location at = Location::current());

}  // namespace tc::random
