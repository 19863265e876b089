#include "tc/passes/autodiff/reverse.h"

#include <unordered_map>

namespace tc::autodiff {
namespace {

// Inlining grows a program; functions that call functions may do so exponentially.
constexpr size_t kMaxInlined = size_t{1} << 20;

// Replaces calls on the way by what they call, and outputs and leaves with them.
void inline_calls(std::vector<Value*>& outputs, std::vector<Value*>& leaves, const std::vector<Value*>& constants) {
  size_t inlined = 0;
  while (true) {
    const ValueSet stop(leaves.begin(), leaves.end());
    const auto visits = order(outputs, leaves, constants);
    const ValueSet active = active_values(visits, stop);
    std::vector<std::pair<Node*, const Graph*>> calls;
    for (const Visit& v : visits) {
      const Graph* callee = plain_callee(*v.node);
      if (!callee) continue;
      bool depends = false;
      for (const Value* in : v.inputs) depends = depends || active.count(in);
      if (depends) calls.emplace_back(v.node, callee);
    }
    if (calls.empty()) return;
    for (const auto& [call, callee] : calls) {
      inlined += callee->nodes().size();
      if (inlined > kMaxInlined)
        throw Error({ErrorCode::limit_size,
                     "the functions called grow too large for differentiation",
                     call->location(),
                     {},
                     {}});
      std::vector<Value*> old;
      for (int j = 0; j < call->num_results(); ++j) old.push_back(call->result(j));
      const auto results = inline_call(*call, *callee);
      for (auto* list : {&outputs, &leaves})
        for (Value*& v : *list)
          for (size_t j = 0; j < old.size(); ++j)
            if (v == old[j] && results[j]) v = results[j];
    }
  }
}

// Errors without a place get the node's.
template <class F>
auto located(const Node& node, F&& f) {
  try {
    return f();
  } catch (const Error& e) {
    if (!e.diagnostic().location.empty()) throw;
    Diagnostic d = e.diagnostic();
    d.location = node.location().empty() ? std::string(node.info().name()) : node.location();
    throw Error(std::move(d));
  }
}

class Location {
 public:
  Location(Builder& b, const std::string& location) : b_(b), before_(b.location()) { b.set_location(location); }
  ~Location() { b_.set_location(before_); }
  Location(const Location&) = delete;

 private:
  Builder& b_;
  std::string before_;
};

}  // namespace

std::vector<std::pair<Value*, Value*>> Reverse::apply(Builder& b, Node& node, std::vector<Value*> seeds,
                                                      const std::function<bool(const Value*)>& wanted) const {
  const OpInfo& op = node.info();
  const Location location(b, node.location());
  const Frame frame("gradient", op.name());
  auto recurse = [this](Builder& at, const std::vector<Value*>& outputs, const std::vector<Value*>& weights,
                        const std::vector<Value*>& leaves, const std::vector<Value*>& constants) {
    return pullback(at, outputs, weights, leaves, constants);
  };
  return located(node, [&] {
    if (op.grad) {
      GradContext ctx(node, b, std::move(seeds), wanted, recurse, options_.residuals);
      op.grad(ctx);
      return ctx.given();
    }
    std::vector<Value*> leaves, constants;
    for (Value* v : inputs_of(node)) (wanted(v) ? leaves : constants).push_back(v);
    if (op.decompose) {
      const auto grads = pullback(b, op.decompose(b, node), seeds, leaves, constants);
      std::vector<std::pair<Value*, Value*>> given;
      for (size_t i = 0; i < leaves.size(); ++i)
        if (grads[i]) given.emplace_back(leaves[i], grads[i]);
      return given;
    }
    const Value* v = leaves.at(0);
    int i = 0;
    while (i < node.num_operands() && node.operand(i) != v) ++i;
    Diagnostic d{ErrorCode::no_gradient,
                 cat("the gradient of ", op.name(), " is not defined, but ",
                     i < node.num_operands() ? cat("its operand '", op.facts->signature.operand(i).name, "'")
                                             : std::string("a value that its region captures"),
                     ", ", v->type(), ", depends on what the gradient is taken with respect to"),
                 {},
                 {},
                 {"stop_gradient in front of it makes it a constant"}};
    throw Error(std::move(d));
  });
}

std::vector<Value*> Reverse::pullback(Builder& b, std::vector<Value*> outputs, const std::vector<Value*>& seeds,
                                      std::vector<Value*> leaves, const std::vector<Value*>& constants) const {
  inline_calls(outputs, leaves, constants);
  const ValueSet stop(leaves.begin(), leaves.end());
  const auto visits = order(outputs, leaves, constants);
  const ValueSet active = active_values(visits, stop);
  std::unordered_map<const Value*, Value*> gradient;
  auto add = [&](const Value* to, Value* part) {
    Value*& sum = gradient[to];
    sum = sum ? add_values(b, sum, part) : part;
  };
  for (size_t k = 0; k < outputs.size(); ++k)
    if (outputs[k] && seeds[k] && active.count(outputs[k])) add(outputs[k], seeds[k]);
  auto wanted = [&](const Value* v) { return active.count(v) != 0; };
  for (auto visit = visits.rbegin(); visit != visits.rend(); ++visit) {
    Node& node = *visit->node;
    std::vector<Value*> of_results;
    bool any = false;
    for (int j = 0; j < node.num_results(); ++j) {
      const auto it = stop.count(node.result(j)) ? gradient.end() : gradient.find(node.result(j));
      of_results.push_back(it == gradient.end() ? nullptr : it->second);
      any = any || of_results.back();
    }
    if (!any) continue;
    for (const auto& [to, part] : apply(b, node, std::move(of_results), wanted)) add(to, part);
  }
  std::vector<Value*> result;
  for (const Value* v : leaves) {
    const auto it = gradient.find(v);
    result.push_back(it == gradient.end() ? nullptr : it->second);
  }
  return result;
}

}  // namespace tc::autodiff
