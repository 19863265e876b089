#include "tc/frontend/dsl/parameter.h"

#include <cmath>
#include <numbers>

#include "tc/frontend/dsl/tracer.h"

namespace tc {

using namespace dsl;

Param::Param(std::string name, Tensor value, Location at) {
  const Site site("Param", at);
  if (name.empty()) refuse(ErrorCode::bad_argument, "a parameter needs a name");
  if (!value.defined()) refuse(ErrorCode::bad_argument, cat("parameter '", name, "' needs a tensor to start from"));
  state_ = std::make_shared<ParameterState>(ParameterState{std::move(name), std::move(value)});
}

const ParameterState& Param::state() const {
  if (!state_)
    refuse(ErrorCode::bad_argument, "a parameter is undefined",
           {"it is a Param that was never given a name and value"});
  return *state_;
}

const std::string& Param::name() const {
  return state().name;
}

const Tensor& Param::value() const {
  return state().value;
}

void Param::assign(Tensor value, Location at) const {
  const Site site("assign", at);
  const ParameterState& old = state();
  if (!value.defined() || value.dtype() != old.value.dtype() || value.extents() != old.value.extents())
    refuse(ErrorCode::bad_type, cat("parameter '", old.name, "' is ", old.value.type(), ", got ",
                                    value.defined() ? value.type().str() : "an undefined tensor"));
  state_->value = std::move(value);
}

Var Param::var(Location at) const {
  const Site site("Param::var", at);
  state();
  return Tracer::current().parameter(state_);
}

Arg::Arg(const Param& p, Location at) : content_(p.var(at)), at_(at) {}

// splitmix64 (G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators, 2014).
class Init::Stream {
 public:
  explicit Stream(uint64_t state) : state_(state) {}
  uint64_t bits() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // [0, 1)
  // G. Box, M. Muller, A note on the generation of random normal deviates, 1958.
  double normal() {
    const double radius = std::sqrt(-2 * std::log1p(-unit()));
    return radius * std::cos(2 * std::numbers::pi * unit());
  }

 private:
  uint64_t state_;
};

Init::Stream Init::stream() {
  Stream mixer(seed_);
  mixer = Stream(mixer.bits() ^ tensors_++);
  return Stream(mixer.bits());
}

namespace {

template <class Draw>
Tensor filled(Extents extents, DType dtype, Draw draw) {
  if (!dtypes::floats.has(dtype))
    refuse(ErrorCode::bad_type, cat("initial weights cannot be ", dtype), {"one of tc::f16, bf16, f32, f64"});
  Tensor t(dtype, std::move(extents));
  visit_dtype(dtype, [&]<class T>() {
    if constexpr (std::is_floating_point_v<T>)
      for (T& v : t.mutable_span<T>()) v = static_cast<T>(draw());
    else if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)
      for (T& v : t.mutable_span<T>()) v = T(draw());
  });
  return t;
}

struct Fans {
  double in, out;
};
Fans fans(const Extents& extents) {
  const size_t rank = extents.size();
  if (rank < 2)
    refuse(ErrorCode::bad_argument, cat("a tensor of rank ", rank, " has no fan-in"),
           {"biases start at zero: tc::Tensor(tc::f32, {n})"});
  if (rank == 2) return {static_cast<double>(extents[0]), static_cast<double>(extents[1])};
  double taps = 1;
  for (size_t k = 2; k < rank; ++k) taps *= static_cast<double>(extents[k]);
  return {static_cast<double>(extents[1]) * taps, static_cast<double>(extents[0]) * taps};
}

double deviation(double variance, const FanOptions& options) {
  return options.gain * std::sqrt(std::isfinite(variance) ? variance : 0);  // no connections: an empty tensor
}

}  // namespace

Tensor Init::uniform(Extents extents, double low, double high, DType dtype) {
  Stream s = stream();
  return filled(std::move(extents), dtype, [&] { return low + (high - low) * s.unit(); });
}

Tensor Init::normal(Extents extents, double mean, double deviation, DType dtype) {
  Stream s = stream();
  return filled(std::move(extents), dtype, [&] { return mean + deviation * s.normal(); });
}

Tensor Init::truncated_normal(Extents extents, double mean, double deviation, DType dtype) {
  Stream s = stream();
  return filled(std::move(extents), dtype, [&] {
    double z = s.normal();
    while (std::abs(z) > 2) z = s.normal();
    return mean + deviation * z;
  });
}

// A uniform distribution of deviation d reaches sqrt(3) d to both sides.
#define TC_FAN_INIT(name, variance)                                                    \
  Tensor Init::name##_normal(Extents extents, FanOptions options) {                    \
    const Fans fan = fans(extents);                                                    \
    return normal(std::move(extents), 0, deviation(variance, options), options.dtype); \
  }                                                                                    \
  Tensor Init::name##_uniform(Extents extents, FanOptions options) {                   \
    const Fans fan = fans(extents);                                                    \
    const double reach = std::sqrt(3.0) * deviation(variance, options);                \
    return uniform(std::move(extents), -reach, reach, options.dtype);                  \
  }
TC_FAN_INIT(xavier, 2 / (fan.in + fan.out))
TC_FAN_INIT(he, 2 / fan.in)
TC_FAN_INIT(lecun, 1 / fan.in)
#undef TC_FAN_INIT

}  // namespace tc
