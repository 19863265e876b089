#include "tc/passes/autodiff/autodiff.h"

#include <unordered_map>

#include "tc/passes/autodiff/forward.h"

namespace tc {
namespace {

using namespace autodiff;

void expect_differentiable(const Value* v, std::string_view what) {
  if (differentiable(v->type())) return;
  Diagnostic d{ErrorCode::no_gradient,
               cat(what, v->name().empty() ? "" : cat(" '", v->name(), "'"), " is ", v->type(),
                   "; only floating-point values can be differentiated"),
               v->def() ? v->def()->location() : std::string(),
               {},
               {}};
  throw Error(std::move(d));
}

}  // namespace

std::vector<Value*> gradients(Builder& b, const std::vector<Value*>& outputs, const std::vector<Value*>& wrt,
                              const std::vector<Value*>& seeds, const GradientOptions& options) {
  if (!seeds.empty() && seeds.size() != outputs.size())
    fail(ErrorCode::bad_argument, seeds.size(), " seeds for ", outputs.size(), " outputs");
  for (const Value* v : wrt) expect_differentiable(v, "a value to differentiate with respect to");
  Node* mark = last_before(b);
  std::vector<Value*> weights = seeds;
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (!seeds.empty() && !seeds[k]) continue;
    Value* y = outputs[k];
    expect_differentiable(y, "an output to differentiate");
    if (seeds.empty()) {
      const bool scalar =
          y->type().is_tensor() && !(y->shape().ranked() && y->shape().count().is_const() && !y->shape().count().is(1));
      if (!scalar) fail(ErrorCode::bad_argument, "an output of type ", y->type(), " needs a seed: it is no scalar");
      weights.push_back(full_like(b, y, 1));
    } else if (!compatible(y->type(), seeds[k]->type())) {
      fail(ErrorCode::bad_argument, "the seed of an output is ", seeds[k]->type(), ", the output ", y->type());
    }
  }
  auto result = Reverse(options).pullback(b, outputs, weights, wrt);
  for (size_t i = 0; i < wrt.size(); ++i)
    if (!result[i]) result[i] = zeros_like(b, wrt[i]);
  erase_unused(b.graph(), mark, last_before(b), ValueSet(result.begin(), result.end()));
  return result;
}

std::vector<Value*> gradients_at(Builder& b, Value* y, const std::vector<Value*>& xs, const std::vector<Value*>& zs,
                                 const std::vector<Value*>& point) {
  std::vector<Value*> variables = xs;
  variables.insert(variables.end(), zs.begin(), zs.end());
  if (point.size() != variables.size())
    fail(ErrorCode::bad_argument, "a point of ", point.size(), " values for ", variables.size(), " variables");
  if (point != variables) {
    std::unordered_map<const Value*, Value*> copies;
    const auto copy_of = [&](Value* v) {
      const auto it = copies.find(v);
      return it == copies.end() ? v : it->second;
    };
    const auto visits = order({y}, variables, {});
    for (size_t i = 0; i < point.size(); ++i) {
      // One value may stand for several variables.
      Value* at = b.make<Identity>({point[i]});
      copies[variables[i]] = at;
      variables[i] = at;
    }
    for (const Visit& v : visits) {
      bool depends = false;
      for (const Value* in : v.inputs) depends = depends || copies.count(in);
      if (!depends) continue;
      const Node* copy = copy_node(b, *v.node, copy_of);
      for (int j = 0; j < v.node->num_results(); ++j) copies.emplace(v.node->result(j), copy->result(j));
    }
    y = copy_of(y);
  }
  expect_differentiable(y, "an output to differentiate");
  const size_t wanted = xs.size();
  for (size_t i = variables.size(); i-- > wanted;)
    if (!differentiable(variables[i]->type())) variables.erase(variables.begin() + static_cast<std::ptrdiff_t>(i));
  auto result = gradients(b, {y}, variables, {full_like(b, y, 1)});
  result.resize(wanted);
  return result;
}

Pushforward pushforward(Builder& b, const Graph& f, const std::vector<Value*>& arguments,
                        const std::vector<Value*>& tangents) {
  if (static_cast<int>(arguments.size()) != f.num_inputs() || tangents.size() != arguments.size())
    fail(ErrorCode::bad_argument, "a function of ", f.num_inputs(), " inputs got ", arguments.size(), " arguments and ",
         tangents.size(), " tangents");
  Node* mark = last_before(b);
  std::vector<Value*> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    values.push_back(arguments[i]);
    if (!tangents[i]) continue;
    expect_differentiable(arguments[i], "an argument with a tangent");
    if (!compatible(arguments[i]->type(), tangents[i]->type()))
      fail(ErrorCode::bad_argument, "the tangent of argument ", i, " is ", tangents[i]->type(), ", the argument ",
           arguments[i]->type());
    // One value may be given twice, with different tangents.
    values.back() = b.make<Identity>({arguments[i]});
  }
  auto r = Forward().run(b, f, values, tangents);
  ValueSet keep(r.values.begin(), r.values.end());
  keep.insert(r.tangents.begin(), r.tangents.end());
  erase_unused(b.graph(), mark, last_before(b), keep);
  return {std::move(r.values), std::move(r.tangents)};
}

}  // namespace tc
