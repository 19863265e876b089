#include "tc/frontend/api/derivatives.h"

#include <cmath>
#include <limits>
#include <random>

#include "tc/frontend/api/parameters.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/frontend/dsl/vmap.h"
#include "tc/ir/grad.h"
#include "tc/ir/ops/core.h"

namespace tc {

using namespace dsl;

namespace {

// dy/dx with the elements of `by` in front: of a function of one of its tangents or seeds, which is linear.
template <class F>
std::vector<Var> for_each_element(const Var& by, const Location& at, F linear) {
  const Dim n = by.size();
  Dims shape = by.shape();
  shape.insert(shape.begin(), n);
  const Var basis = reshape(eye(n, {.dtype = by.dtype()}), ShapeArg(shape));
  const Body body{1, [&](const std::vector<Var>& seed) {
                    const Site site("jacobian", at);
                    Outputs out;
                    for (Var& v : linear(seed[0])) out.push_back({{}, std::move(v)});
                    return out;
                  }};
  return vmap(body, {basis}, {}, at);
}

Dims joined(const Dims& a, const Dims& b) {
  Dims all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

void expect_scalar(const Var& y) {
  if (!y.size().is(1))
    refuse(ErrorCode::bad_shape, cat("what is differentiated is ", y.type(), ", expected one element"));
}

void expect_differentiable(const Var& v) {
  if (!differentiable(v.type()))
    refuse(ErrorCode::bad_type, cat("a value of type ", v.type(), " has no derivative"),
           {"convert it: astype(x, tc::f32)"});
}

}  // namespace

std::vector<Var> jacobian(Var y, const std::vector<Var>& wrt, JacobianOptions options, Location at) {
  const Site site("jacobian", at);
  expect_differentiable(y);
  for (const Var& x : wrt) expect_differentiable(x);
  std::vector<Var> result;
  if (options.mode == DiffMode::reverse) {
    if (y.rank() == 0) return grad(y, wrt, at);
    inline_calls();  // before a body looks at them
    const std::vector<Var> rows = for_each_element(y, at, [&](const Var& seed) { return vjp({y}, {seed}, wrt, at); });
    for (size_t i = 0; i < wrt.size(); ++i)
      result.push_back(reshape(rows[i], ShapeArg(joined(y.shape(), wrt[i].shape()))));
    return result;
  }
  const Linearized linear = linearize({y}, wrt, at);
  for (size_t i = 0; i < wrt.size(); ++i) {
    const std::vector<Var> columns = for_each_element(wrt[i], at, [&](const Var& tangent) {
      std::vector<Var> tangents;
      for (size_t k = 0; k < wrt.size(); ++k) tangents.push_back(k == i ? tangent : zeros_like(wrt[k]));
      return linear(tangents, at);
    });
    result.push_back(reshape(moveaxis(columns[0], 0, -1), ShapeArg(joined(y.shape(), wrt[i].shape()))));
  }
  return result;
}

Var jacobian(Var y, const Var& x, JacobianOptions options, Location at) {
  return jacobian(std::move(y), std::vector<Var>{x}, options, at)[0];
}

Var hessian(Var y, const Var& x, JacobianOptions options, Location at) {
  const Site site("hessian", at);
  expect_scalar(y);
  return jacobian(grad(y, x, at), x, options, at);
}

std::vector<Var> hvp(Var y, const std::vector<Var>& wrt, const std::vector<Var>& vectors, Location at) {
  const Site site("hvp", at);
  expect_scalar(y);
  if (vectors.size() != wrt.size())
    refuse(ErrorCode::bad_argument, cat(vectors.size(), " vectors are given for ", wrt.size(), " values"));
  return vjp(grad(y, wrt, at), vectors, wrt, at);
}
Var hvp(Var y, const Var& x, const Var& vector, Location at) {
  return hvp(std::move(y), std::vector<Var>{x}, std::vector<Var>{vector}, at)[0];
}

Linearized linearize(const std::vector<Var>& outputs, const std::vector<Var>& wrt, Location at) {
  const Site site("linearize", at);
  Linearized result;
  result.outputs_ = outputs, result.wrt_ = wrt;
  // Gradients are linear in their seeds, whatever those are: the transpose of this map is the derivative.
  for (const Var& y : outputs) {
    expect_differentiable(y);
    result.seeds_.push_back(zeros_like(y));
  }
  result.gradients_ = vjp(outputs, result.seeds_, wrt, at);
  return result;
}

std::vector<Var> Linearized::operator()(const std::vector<Var>& tangents, Location at) const {
  const Site site("linearize", at);
  if (tangents.size() != wrt_.size())
    refuse(ErrorCode::bad_argument, cat(tangents.size(), " tangents are given for ", wrt_.size(), " values"));
  return vjp(gradients_, tangents, seeds_, at);
}
std::vector<Var> Linearized::transposed(const std::vector<Var>& seeds, Location at) const {
  const Site site("linearize", at);
  return vjp(outputs_, seeds, wrt_, at);
}

std::vector<Var> jvp(const std::vector<Var>& outputs, const std::vector<Var>& wrt, const std::vector<Var>& tangents,
                     Location at) {
  const Site site("jvp", at);
  return linearize(outputs, wrt, at)(tangents, at);
}

std::vector<Var> dsl::differentiable_ones(const std::vector<Var>& values) {
  std::vector<Var> result;
  for (const Var& v : values)
    if (differentiable(v.type())) result.push_back(v);
  return result;
}

// --- of functions

namespace {

struct Traced {
  std::vector<Var> outputs, wrt;
  std::vector<std::string> names;  // of wrt
};

// A function of the inputs of f and others, which has f in it.
template <class F>
Function around(const std::string& prefix, const Function& f, const std::vector<std::string>& wrt,
                const std::vector<Input>& more, F build) {
  std::vector<Input> inputs;
  for (const ValueInfo& v : f.inputs()) inputs.push_back({.name = v.name, .type = v.type.str()});
  const size_t own = inputs.size();
  inputs.insert(inputs.end(), more.begin(), more.end());
  const FlatFunction body = [&](const std::vector<Var>& args) {
    const Site site(prefix, Location::current());
    const auto end = args.begin() + static_cast<std::ptrdiff_t>(own);
    Traced t;
    const Results<Var> results = f(Args(std::vector<Var>(args.begin(), end)));
    t.outputs = results;
    for (const std::string& name : wrt) {
      Var found;
      for (size_t i = 0; i < own; ++i)
        if (inputs[i].name == name) found = args[i];
      Tracer& tracer = Tracer::current();
      for (const auto& n : tracer.module()->main().nodes())
        if (n->is<Parameter>() && n->attrs<Parameter>().name == name) found = tracer.var(n->result(0));
      if (!found.defined())
        refuse(ErrorCode::bad_argument, cat("'", f.name(), "' has no input or parameter '", name, "'"));
      t.wrt.push_back(found);
    }
    Outputs out;
    for (Var& v : build(t, std::vector<Var>(end, args.end()))) out.push_back({{}, std::move(v)});
    return out;
  };
  return dsl::trace(cat(prefix, "_", f.name()), inputs, -1, body, Location::current());
}

// What is meant where nothing is named: all parameters, or all differentiable inputs where there are none.
std::vector<std::string> names_or_all(const Function& f, const std::vector<std::string>& wrt) {
  if (!wrt.empty()) return wrt;
  std::vector<std::string> names;
  for (const auto& [name, value] : parameters_of(f))
    if (differentiable(value.type())) names.push_back(name);
  if (!names.empty()) return names;
  for (const ValueInfo& v : f.inputs())
    if (differentiable(v.type)) names.push_back(v.name);
  return names;
}

}  // namespace

Function jacobian(const Function& f, const std::vector<std::string>& wrt, JacobianOptions options) {
  return around("jacobian", f, names_or_all(f, wrt), {}, [&](const Traced& t, const std::vector<Var>&) {
    std::vector<Var> all;
    for (const Var& y : t.outputs)
      if (differentiable(y.type()))
        for (Var& j : jacobian(y, t.wrt, options)) all.push_back(std::move(j));
    return all;
  });
}

Function hessian(const Function& f, const std::vector<std::string>& wrt, JacobianOptions options) {
  return around("hessian", f, names_or_all(f, wrt), {}, [&](const Traced& t, const std::vector<Var>&) {
    expect_scalar(t.outputs.at(0));
    std::vector<Var> all;
    for (const Var& g : grad(t.outputs.at(0), t.wrt))
      for (Var& h : jacobian(g, t.wrt, options)) all.push_back(std::move(h));
    return all;
  });
}

Function hvp(const Function& f, const std::vector<std::string>& wrt) {
  const std::vector<std::string> names = names_or_all(f, wrt);
  std::vector<Input> vectors;
  const NamedTensors parameters = parameters_of(f);
  for (const std::string& name : names) {
    std::string type;
    for (const ValueInfo& v : f.inputs())
      if (v.name == name) type = v.type.str();
    for (const auto& [parameter, value] : parameters)
      if (parameter == name) type = value.type().str();
    if (type.empty()) refuse(ErrorCode::bad_argument, cat("'", f.name(), "' has no input or parameter '", name, "'"));
    vectors.push_back({.name = name + "_vector", .type = type});
  }
  return around("hvp", f, names, vectors,
                [&](const Traced& t, const std::vector<Var>& v) { return hvp(t.outputs.at(0), t.wrt, v); });
}

// --- against differences

namespace {

std::vector<double> as_doubles(const Tensor& t) {
  std::vector<double> values;
  visit_dtype(t.dtype(), [&]<class T>() {
    if constexpr (std::is_arithmetic_v<T> || requires(T v) {
                    v.bits;
                    static_cast<double>(v);
                  })
      for (const T& v : t.span<T>()) values.push_back(static_cast<double>(v));
  });
  return values;
}

// t with one element replaced.
Tensor replaced(const Tensor& t, size_t place, double value) {
  Tensor copy = t.clone();
  visit_dtype(t.dtype(), [&]<class T>() {
    if constexpr (std::is_floating_point_v<T>)
      copy.mutable_span<T>()[place] = static_cast<T>(value);
    else if constexpr (requires(T v) { T(1.0).bits; })
      copy.mutable_span<T>()[place] = T(value);
  });
  return copy;
}

Extents place_in(const Extents& extents, int64_t flat) {
  Extents index(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    index[i] = flat % extents[i];
    flat /= extents[i];
  }
  return index;
}

std::string spelled_index(const Extents& index) {
  std::string text;
  for (const int64_t i : index) text += cat(text.empty() ? "" : ",", i);
  return cat("[", text, "]");
}

}  // namespace

GradientError verify_grad(const Function& f, const std::vector<Tensor>& inputs, const VerifyGradOptions& options) {
  const std::vector<std::string> names = names_or_all(f, options.wrt);
  const Function open = parameters_as_inputs(f);
  std::vector<Tensor> values = inputs;
  for (const auto& [name, value] : parameters_of(f)) values.push_back(value);
  const Compiled run = compile(open), derive = compile(vjp(open, names));
  std::vector<Tensor> seeds, seeded = values;
  std::mt19937_64 random(options.seed);
  const std::vector<Tensor> outputs = run(values);
  for (const Tensor& y : outputs) {
    if (!differentiable(y.type())) continue;
    Tensor seed = y.clone();
    for (int64_t i = 0; i < y.size(); ++i)
      seed = replaced(seed, static_cast<size_t>(i), 0.5 + std::ldexp(static_cast<double>(random() >> 11), -53));
    seeds.push_back(seed);
    seeded.push_back(seed);
  }
  const std::vector<Tensor> derived = derive(seeded);
  // The weighted sum of what changes between two points: less rounding than a difference of sums.
  const auto change = [&](const std::vector<Tensor>& low, const std::vector<Tensor>& high) {
    double total = 0;
    size_t k = 0;
    for (size_t j = 0; j < low.size(); ++j) {
      if (!differentiable(low[j].type())) continue;
      const std::vector<double> a = as_doubles(low[j]), b = as_doubles(high[j]), s = as_doubles(seeds[k++]);
      for (size_t i = 0; i < a.size(); ++i) total += s[i] * (b[i] - a[i]);
    }
    return total;
  };
  GradientError worst;
  double allowed = 1;
  bool beyond = false;
  for (size_t k = 0; k < names.size(); ++k) {
    const std::vector<ValueInfo> infos = open.inputs();
    size_t at = 0;
    while (at < infos.size() && infos[at].name != names[k]) ++at;
    const Tensor original = values.at(at);
    const DType t = original.dtype();
    const double epsilon = t == f64   ? std::numeric_limits<double>::epsilon()
                           : t == f32 ? std::numeric_limits<float>::epsilon()
                                      : std::ldexp(1, t == f16 ? -10 : -7);
    const double step = options.step > 0 ? options.step : std::cbrt(epsilon);
    const double tolerance = options.tolerance > 0 ? options.tolerance : t == f64 ? 1e-6 : t == f32 ? 1e-2 : 0.1;
    const std::vector<double> gradient = as_doubles(derived[outputs.size() + k]), here = as_doubles(original);
    for (size_t i = 0; i < here.size(); ++i) {
      const double h = step * std::max(1.0, std::abs(here[i]));
      const Tensor low = replaced(original, i, here[i] - h), high = replaced(original, i, here[i] + h);
      values[at] = low;
      const std::vector<Tensor> below = run(values);
      values[at] = high;
      const double apart = as_doubles(high)[i] - as_doubles(low)[i];  // as rounded to the type
      const double difference = change(below, run(values)) / apart;
      const double error =
          std::abs(gradient[i] - difference) / std::max({1.0, std::abs(gradient[i]), std::abs(difference)});
      if (std::isnan(worst.error) || error / tolerance <= worst.error / allowed) continue;
      worst = {names[k], place_in(original.extents(), static_cast<int64_t>(i)), gradient[i], difference, error};
      allowed = tolerance;
      beyond = beyond || !(error <= tolerance);
    }
    values[at] = original;
  }
  if (beyond)
    throw Error({ErrorCode::check_failed,
                 cat("the gradient of '", f.name(), "' with respect to ", worst.name, spelled_index(worst.index),
                     " is ", worst.gradient, ", differences say ", worst.difference),
                 {},
                 {},
                 {cat("an error of ", worst.error, ", allowed are ", allowed)}});
  return worst;
}

}  // namespace tc
