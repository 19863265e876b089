// Weights of models: named, shared, updatable tensors, and numbers for them to start from.
//
//   struct Dense {                                            // modules are plain structs
//     tc::Param w, b;
//     Dense(tc::Init& init, const std::string& name, int64_t in, int64_t out)
//         : w(name + ".w", init.he_normal({in, out})), b(name + ".b", tc::Tensor(tc::f32, {out})) {}
//     tc::Var operator()(tc::Var x) const { return tc::matmul(x, w) + b; }
//   };
#pragma once

#include <cstdint>

#include "tc/frontend/dsl/index.h"

namespace tc {

namespace dsl {
struct ParameterState {
  std::string name;
  Tensor value;
};
}  // namespace dsl

// A cheap handle; copies are the same parameter. Wherever a program takes a tensor it can be given a Param, which is
// one value of that program however often it occurs: an initialiser on export.
class Param {
 public:
  Param() = default;  // undefined
  // Error bad_argument without a name or a value.
  Param(std::string name, Tensor value, Location at = Location::current());
  bool defined() const { return state_ != nullptr; }
  const std::string& name() const;
  const Tensor& value() const;
  // What later traces begin with. Error bad_type when element type or extents differ.
  void assign(Tensor value, Location at = Location::current()) const;
  // The value in the program that is being traced. Error bad_argument when another parameter there has the name.
  Var var(Location at = Location::current()) const;
  operator Var() const { return var(); }
  // As of a Var.
  Var operator[](Index i) const;
  Var operator[](std::initializer_list<Index> indices) const;
  template <class... I>
  Indexed at(Index first, I&&... more) const {
    return var(first.at()).at(std::move(first), std::forward<I>(more)...);
  }

 private:
  const dsl::ParameterState& state() const;
  std::shared_ptr<dsl::ParameterState> state_;
};

struct FanOptions {
  double gain = 1;  // factor of the standard deviation
  DType dtype = f32;
};

// Random numbers for initial weights. Each tensor draws from a stream of its own, of the seed and the number of tensors
// before it, so that a seed means the same weights on every machine.
//
// fan_in and fan_out are the connections of an output and of an input. A matrix is [in, out], as matmul(x, w) has it;
// a tensor of higher rank is the kernel of a convolution, [out, in, taps...]. Error bad_argument for lower ranks.
class Init {
 public:
  explicit Init(uint64_t seed) : seed_(seed) {}
  Tensor uniform(Extents extents, double low, double high, DType dtype = f32);
  Tensor normal(Extents extents, double mean, double deviation, DType dtype = f32);
  // Normal numbers that are drawn again beyond two deviations.
  Tensor truncated_normal(Extents extents, double mean, double deviation, DType dtype = f32);
  // X. Glorot, Y. Bengio, Understanding the difficulty of training deep feedforward neural networks, 2010: variance
  // 2 / (fan_in + fan_out).
  Tensor xavier_uniform(Extents extents, FanOptions options = {});
  Tensor xavier_normal(Extents extents, FanOptions options = {});
  // K. He et al., Delving deep into rectifiers, 2015: variance 2 / fan_in.
  Tensor he_uniform(Extents extents, FanOptions options = {});
  Tensor he_normal(Extents extents, FanOptions options = {});
  // Y. LeCun et al., Efficient BackProp, 1998: variance 1 / fan_in.
  Tensor lecun_uniform(Extents extents, FanOptions options = {});
  Tensor lecun_normal(Extents extents, FanOptions options = {});

 private:
  class Stream;
  Stream stream();
  uint64_t seed_, tensors_ = 0;
};

}  // namespace tc
