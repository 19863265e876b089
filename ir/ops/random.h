// Ops of the family `random`. The numbers are a function of the node's seed, or, where it has none, of the run's seed
// and the node's location, and of how often the node has run before in this run: they depend neither on threads nor on
// the engine. A run that is given no seed takes a fresh one (see eval/random.h).
#pragma once

#include <optional>
#include <vector>

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

class Builder;

// Attributes of the ops that make a tensor of the given shape and of those that take the shape from an operand, whose
// element type is the default.
template <class Distribution>
struct RandomShaped : Distribution {
  DType dtype = DType::f32;
  std::optional<double> seed;
  std::vector<int64_t> shape;
  static constexpr auto fields = extend<RandomShaped>(
      Distribution::fields, Fields{field("dtype", &RandomShaped::dtype), field("seed", &RandomShaped::seed),
                                   field("shape", &RandomShaped::shape, required)});
};
template <class Distribution>
struct RandomLike : Distribution {
  std::optional<DType> dtype;
  std::optional<double> seed;
  static constexpr auto fields = extend<RandomLike>(
      Distribution::fields, Fields{field("dtype", &RandomLike::dtype), field("seed", &RandomLike::seed)});
};

struct NormalDistribution {
  double mean = 0, scale = 1;
  static constexpr auto fields =
      Fields{field("mean", &NormalDistribution::mean), field("scale", &NormalDistribution::scale)};
};
struct UniformDistribution {
  double low = 0, high = 1;
  static constexpr auto fields =
      Fields{field("low", &UniformDistribution::low), field("high", &UniformDistribution::high)};
};

struct RandomNormal {
  using Attrs = RandomShaped<NormalDistribution>;
  static constexpr bool nondeterministic = true;
  static constexpr OpFacts facts{"random_normal",
                                 {"RandomNormal", 1},
                                 "-> y:T",
                                 {{{'T', dtypes::floats}}},
                                 "numbers of a normal distribution with mean and standard deviation `scale`"};
  static void infer(InferContext& ctx);
};

struct RandomNormalLike {
  using Attrs = RandomLike<NormalDistribution>;
  static constexpr bool nondeterministic = true;
  static constexpr OpFacts facts{"random_normal_like",
                                 {"RandomNormalLike", 1},
                                 "x:T -> y:U",
                                 {{{'T', dtypes::all}, {'U', dtypes::floats}}},
                                 "random_normal in the shape of x"};
  static void infer(InferContext& ctx);
};

struct RandomUniform {
  using Attrs = RandomShaped<UniformDistribution>;
  static constexpr bool nondeterministic = true;
  static constexpr OpFacts facts{"random_uniform",
                                 {"RandomUniform", 1},
                                 "-> y:T",
                                 {{{'T', dtypes::floats}}},
                                 "evenly distributed numbers from `low` up to but without `high`"};
  static void infer(InferContext& ctx);
};

struct RandomUniformLike {
  using Attrs = RandomLike<UniformDistribution>;
  static constexpr bool nondeterministic = true;
  static constexpr OpFacts facts{"random_uniform_like",
                                 {"RandomUniformLike", 1},
                                 "x:T -> y:U",
                                 {{{'T', dtypes::all}, {'U', dtypes::floats}}},
                                 "random_uniform in the shape of x"};
  static void infer(InferContext& ctx);
};

struct Bernoulli {
  struct Attrs {
    std::optional<DType> dtype;  // that of the operand by default
    std::optional<double> seed;
    static constexpr auto fields = Fields{field("dtype", &Attrs::dtype), field("seed", &Attrs::seed)};
  };
  static constexpr bool nondeterministic = true;
  static constexpr OpFacts facts{"bernoulli",
                                 {"Bernoulli", 15},
                                 "p:T -> y:U",
                                 {{{'T', dtypes::floats}, {'U', dtypes::numeric | dtypes::boolean}}},
                                 "1 with probability p, else 0"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

// `x` holds a row of unnormalised log probabilities per result row.
struct Multinomial {
  struct Attrs {
    DType dtype = DType::i32;
    int64_t sample_size = 1;
    std::optional<double> seed;
    static constexpr auto fields =
        Fields{field("dtype", &Attrs::dtype), field("sample_size", &Attrs::sample_size), field("seed", &Attrs::seed)};
  };
  static constexpr bool nondeterministic = true;
  static constexpr OpFacts facts{"multinomial",
                                 {"Multinomial", 7},
                                 "x:T -> y:I",
                                 {{{'T', dtypes::floats}, {'I', dtypes::index}}},
                                 "classes drawn with the probabilities softmax(x), with replacement"};
  static void infer(InferContext& ctx);
};

}  // namespace tc
