// Gradients of ops with regions. The gradient of a region is built apart from it, using its values; what the gradient
// uses is then either computed again or handed over: by additional results of the op, which loops stack over their
// iterations. Results of random ops are always handed over, so that both directions see the same numbers.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "tc/ir/grad.h"

namespace tc {
namespace {

using ValueMap = std::unordered_map<const Value*, Value*>;
using ValueSet = std::unordered_set<const Value*>;

bool is_random(const Node& n) {
  bool random = n.info().traits.nondeterministic;
  for (int i = 0; i < n.num_regions() && !random; ++i)
    walk(n.region(i), [&](Node& inner) { random = random || inner.info().traits.nondeterministic; });
  return random;
}

void add_unique(std::vector<Value*>& to, const std::vector<Value*>& values) {
  for (Value* v : values)
    if (std::find(to.begin(), to.end(), v) == to.end()) to.push_back(v);
}

// Values of `body` that the nodes of `apart` use.
std::vector<Value*> used_of(const Graph& body, const Graph& apart) {
  std::vector<Value*> used;
  ValueSet seen;
  walk(apart, [&](Node& n) {
    for (Value* v : n.operands())
      if (v && v->graph() == &body && seen.insert(v).second) used.push_back(v);
  });
  return used;
}

// Results of the body's nodes, inputs and captured values that depend differentiably on `sources`.
ValueSet dependents(const Graph& body, ValueSet sources) {
  for (const auto& n : body.nodes()) {
    if (n->info().traits.piecewise_constant) continue;
    bool depends = false;
    for (const Value* v : n->operands()) depends = depends || sources.count(v);
    for (int i = 0; i < n->num_regions() && !depends; ++i)
      for (const Value* v : captures(n->region(i))) depends = depends || sources.count(v);
    for (int j = 0; depends && j < n->num_results(); ++j)
      if (differentiable(n->result(j)->type())) sources.insert(n->result(j));
  }
  return sources;
}

// How to get values of `body` elsewhere: the nodes to copy, in order, and the values that have to be handed over
// because `stop` says so or because they cannot be computed again.
struct Closure {
  std::vector<const Node*> copied;
  std::vector<Value*> handed;
};
Closure closure_of(const Graph& body, std::vector<Value*> values, const ValueSet& stop) {
  Closure c;
  std::unordered_set<const Node*> copied;
  ValueSet seen;
  while (!values.empty()) {
    Value* v = values.back();
    values.pop_back();
    if (v->graph() != &body || !seen.insert(v).second) continue;
    if (stop.count(v) || !v->def() || is_random(*v->def())) {
      c.handed.push_back(v);
      continue;
    }
    if (!copied.insert(v->def()).second) continue;
    for (Value* o : v->def()->operands())
      if (o) values.push_back(o);
    for (int i = 0; i < v->def()->num_regions(); ++i)
      for (Value* o : captures(v->def()->region(i))) values.push_back(o);
  }
  for (const auto& n : body.nodes())
    if (copied.count(n.get())) c.copied.push_back(n.get());
  // In the order of the body, for output that does not depend on addresses.
  std::vector<Value*> ordered;
  for (Value* v : body.inputs())
    if (std::find(c.handed.begin(), c.handed.end(), v) != c.handed.end()) ordered.push_back(v);
  for (const auto& n : body.nodes())
    for (int j = 0; j < n->num_results(); ++j)
      if (std::find(c.handed.begin(), c.handed.end(), n->result(j)) != c.handed.end()) ordered.push_back(n->result(j));
  c.handed = std::move(ordered);
  return c;
}

// Copies the nodes to the start of `to`, and makes `to` use what `map` gives for values of elsewhere.
void bring_in(const std::vector<const Node*>& nodes, Graph& to, ValueMap map) {
  Node* first = to.first();
  for (const Node* n : nodes) {
    std::vector<Value*> operands = n->operands();
    auto mapped = [&](Value* v) {
      const auto it = map.find(v);
      return it == map.end() ? v : it->second;
    };
    for (Value*& v : operands) v = mapped(v);
    std::vector<std::unique_ptr<Graph>> regions;
    for (int i = 0; i < n->num_regions(); ++i) {
      std::vector<std::pair<Value*, Value*>> captured;
      for (Value* v : captures(n->region(i))) captured.emplace_back(v, mapped(v));
      regions.push_back(clone(n->region(i), to.module(), std::move(captured)));
    }
    Node* copy = to.insert(
        make_node(to.module(), n->op(), operands, n->raw_attrs(), n->num_results(), std::move(regions), n->location()),
        first);
    for (int j = 0; j < n->num_results(); ++j) map[n->result(j)] = copy->result(j);
  }
  walk(to, [&](Node& n) {
    for (int i = 0; i < n.num_operands(); ++i)
      if (const auto it = map.find(n.operand(i)); it != map.end()) n.set_operand(i, it->second);
  });
}

// Values that the regions of the node capture, each once.
std::vector<Value*> all_captures(const Node& node) {
  std::vector<Value*> all;
  for (int i = 0; i < node.num_regions(); ++i) add_unique(all, captures(node.region(i)));
  return all;
}

std::vector<Value*> wanted_captures(GradContext& ctx) {
  std::vector<Value*> wanted;
  for (Value* v : all_captures(ctx.node()))
    if (ctx.wanted(v)) wanted.push_back(v);
  return wanted;
}

// Gives the node results for all outputs of its region and `added` more.
void extend_results(Node& node, int results) {
  while (node.num_results() < results) node.add_result();
  infer_types(node);
}

// A value of the type for a branch that has no better one: zeros, none along extents that are not known.
Value* placeholder(Builder& b, const Type& t) {
  std::vector<int64_t> extents;
  for (const Dim& d : t.shape().dims()) extents.push_back(d.is_const() ? d.value() : 0);
  return full(b, b.ints(extents), t.dtype(), 0);
}

}  // namespace

// Each branch of the gradient runs its branch again.
void If::grad(GradContext& ctx) {
  Node& node = ctx.node();
  const auto wanted = wanted_captures(ctx), all = all_captures(node);
  std::vector<std::unique_ptr<Graph>> regions;
  std::vector<Closure> closures;
  for (int i = 0; i < 2; ++i) {
    const Graph& branch = node.region(i);
    auto g = std::make_unique<Graph>(ctx.b.module());
    Builder inner(*g);
    std::vector<Value*> outputs, seeds;
    for (int j = 0; j < node.num_results(); ++j) {
      if (!ctx.has_seed(j)) continue;
      outputs.push_back(branch.output(j));
      seeds.push_back(ctx.seed(j));
    }
    auto grads = ctx.pullback(inner, outputs, seeds, wanted, all);
    for (size_t k = 0; k < wanted.size(); ++k)
      if (!grads[k]) grads[k] = zeros_like(inner, wanted[k]);
    g->set_outputs(grads);
    closures.push_back(closure_of(branch, used_of(branch, *g), {}));
    regions.push_back(std::move(g));
  }
  for (int i = 0; i < 2; ++i) {
    ValueMap map;
    const Closure& c = closures[static_cast<size_t>(i)];
    for (Value* v : c.handed) {
      if (!v->type().is_tensor() || !v->shape().ranked())
        ctx.fail("a value of type ", v->type(), " that a branch draws at random cannot be kept for the gradient");
      for (int r = 0; r < 2; ++r) {
        Graph& branch = node.region(r);
        Builder inner(branch);
        auto outputs = branch.outputs();
        outputs.push_back(r == i ? v : placeholder(inner, v->type()));
        branch.set_outputs(outputs);
      }
      extend_results(node, node.region(0).num_outputs());
      map[v] = node.result(node.num_results() - 1);
    }
    bring_in(c.copied, *regions[static_cast<size_t>(i)], std::move(map));
  }
  const Node* made = ctx.b.make_n<If>({ctx.in(0)}, {}, static_cast<int>(wanted.size()),
                                      region_list(std::move(regions[0]), std::move(regions[1])));
  for (size_t k = 0; k < wanted.size(); ++k) ctx.give_exactly(wanted[k], made->result(static_cast<int>(k)));
}

namespace {

// What loops have in common. Body: (leading inputs, carried..., slices...) -> (leading outputs, carried...,
// scanned...).
struct LoopForm {
  int first_input, first_output;  // of the carried values in the body
  int first_operand;              // of the node
  int carried, slices;
  const Scan::Attrs* scan;  // null for loop

  static LoopForm of(const Node& node) {
    if (node.is<Loop>()) return {2, 1, 2, std::max(0, node.num_operands() - 2), 0, nullptr};
    const auto& attrs = node.attrs<Scan>();
    const int slices = static_cast<int>(attrs.num_scan_inputs);
    return {0, 0, 0, node.num_operands() - slices, slices, &attrs};
  }
  int scanned(const Graph& body) const { return body.num_outputs() - first_output - carried; }
  static int64_t entry(const std::vector<int64_t>& list, int i) {
    return list.empty() ? 0 : list[static_cast<size_t>(i)];
  }
  int64_t input_axis(int k) const { return entry(scan->scan_input_axes, k); }
  int64_t input_direction(int k) const { return entry(scan->scan_input_directions, k); }
  int64_t output_axis(int k) const { return scan ? entry(scan->scan_output_axes, k) : 0; }
  int64_t output_direction(int k) const { return scan ? entry(scan->scan_output_directions, k) : 0; }
};

// The carried values that depend on `sources`: carried ones that do from the start, captured values and slices.
std::vector<bool> moving_carried(const LoopForm& form, const Graph& body, std::vector<bool> carried,
                                 const ValueSet& sources) {
  while (true) {
    ValueSet from = sources;
    for (int k = 0; k < form.carried; ++k)
      if (carried[static_cast<size_t>(k)]) from.insert(body.input(form.first_input + k));
    const ValueSet moving = dependents(body, std::move(from));
    bool stable = true;
    for (int k = 0; k < form.carried; ++k) {
      const bool moves = moving.count(body.output(form.first_output + k)) != 0;
      if (!moves || carried[static_cast<size_t>(k)]) continue;
      carried[static_cast<size_t>(k)] = true;
      stable = false;
    }
    if (stable) return carried;
  }
}

// The gradient of a loop is a scan backwards over its iterations. It carries the gradients of the carried values and
// sums of those of captured values; it reads what the loop kept, and the gradients of scanned outputs.
class LoopGradient {
 public:
  explicit LoopGradient(GradContext& ctx)
      : ctx_(ctx),
        b_(ctx.b),
        node_(ctx.node()),
        body_(node_.region(0)),
        form_(LoopForm::of(node_)),
        back_(std::make_unique<Graph>(b_.module())) {}

  void run() {
    const auto all = captures(body_), captured = wanted_captures(ctx_);
    ValueSet sources(captured.begin(), captured.end());
    std::vector<bool> starts;
    for (int k = 0; k < form_.carried; ++k) starts.push_back(ctx_.wanted(form_.first_operand + k));
    std::vector<int> slices;
    for (int k = 0; k < form_.slices; ++k)
      if (ctx_.wanted(form_.carried + k)) {
        slices.push_back(k);
        sources.insert(slice(k));
      }
    const auto moves = moving_carried(form_, body_, std::move(starts), sources);

    Builder inner(*back_);
    inner.set_location(node_.location());
    std::vector<Value*> outputs, seeds, leaves, results;
    std::vector<int> carried;
    for (int k = 0; k < form_.carried; ++k) {
      if (!moves[static_cast<size_t>(k)]) continue;
      Value* state = body_.input(form_.first_input + k);
      if (!state->type().is_tensor()) ctx_.fail("a carried value of type ", state->type(), " has no gradient");
      carried.push_back(k);
      leaves.push_back(state);
      outputs.push_back(body_.output(form_.first_output + k));
      seeds.push_back(back_->add_input(state->type()));
      operands_.push_back(ctx_.has_seed(k) ? ctx_.seed(k) : Expr(b_, zeros_like(b_, ctx_.out(k))));
    }
    std::vector<Value*> sums;
    for (Value* v : captured) {
      leaves.push_back(v);
      sums.push_back(back_->add_input(v->type()));
      operands_.push_back(zeros_like(b_, v));
    }
    const size_t states = operands_.size();
    for (int k : slices) leaves.push_back(slice(k));
    for (int j = 0; j < form_.scanned(body_); ++j) {
      if (!ctx_.has_seed(form_.carried + j)) continue;
      Value* scanned = body_.output(form_.first_output + form_.carried + j);
      outputs.push_back(scanned);
      seeds.push_back(
          read(ctx_.seed(form_.carried + j), scanned->type(), form_.output_axis(j), form_.output_direction(j)));
    }

    const auto grads = ctx_.pullback(inner, outputs, seeds, leaves, all);
    for (size_t i = 0; i < leaves.size(); ++i) {
      Value* g = grads[i];
      if (i < carried.size())
        results.push_back(g ? g : zeros_like(inner, seeds[i]));
      else if (i < states)
        results.push_back(g ? add_values(inner, sums[i - carried.size()], g) : sums[i - carried.size()]);
      else
        results.push_back(g ? g : zeros_like(inner, leaves[i]));
    }
    back_->set_outputs(results);
    hand_over();

    Scan::Attrs attrs{static_cast<int64_t>(operands_.size() - states), axes_, directions_, {}, {}};
    for (int k : slices) {
      attrs.scan_output_axes.push_back(form_.input_axis(k));
      attrs.scan_output_directions.push_back(1 - form_.input_direction(k));
    }
    const Node* made =
        b_.make_n<Scan>(operands_, std::move(attrs), static_cast<int>(results.size()), region_list(std::move(back_)));
    int next = 0;
    for (int k : carried) ctx_.give_exactly(node_.operand(form_.first_operand + k), made->result(next++));
    for (Value* v : captured) ctx_.give_exactly(v, made->result(next++));
    for (int k : slices) ctx_.give_exactly(node_.operand(form_.carried + k), made->result(next++));
  }

 private:
  Value* slice(int k) const { return body_.input(form_.first_input + form_.carried + k); }

  // One more input of the backward body: slices of `v`, which lie in the order of iterations unless `direction`.
  Value* read(Value* v, const Type& element, int64_t axis, int64_t direction) {
    operands_.push_back(v);
    axes_.push_back(axis);
    directions_.push_back(1 - direction);
    return back_->add_input(element);
  }

  // Has every iteration keep the values: further scanned outputs, which are returned.
  std::vector<Value*> keep(const std::vector<Value*>& values) {
    if (values.empty()) return {};
    Builder inner(body_);
    auto outputs = body_.outputs();
    for (Value* v : values) outputs.push_back(v->def() ? v : Expr(inner, inner.make<Identity>({v})));
    body_.set_outputs(outputs);
    if (form_.scan) {
      auto attrs = std::make_shared<Scan::Attrs>(*form_.scan);
      for (auto* list : {&attrs->scan_output_axes, &attrs->scan_output_directions})
        if (!list->empty()) list->resize(list->size() + values.size(), 0);
      node_.set_attrs(std::move(attrs));
      form_.scan = &node_.attrs<Scan>();
    }
    const int first = body_.num_outputs() - form_.first_output - static_cast<int>(values.size());
    extend_results(node_, body_.num_outputs() - form_.first_output);
    std::vector<Value*> kept;
    for (int j = first; j < node_.num_results(); ++j) kept.push_back(node_.result(j));
    return kept;
  }

  // The extents of v are the same in all iterations, as far as the types say.
  bool same_extents(const Value* v) const {
    if (!v->type().is_tensor() || !v->shape().ranked()) return false;
    std::unordered_set<std::string> outer;
    auto add = [&](const Value* o) {
      if (!o || !o->type().is_tensor()) return;
      for (const Dim& d : o->shape().dims()) d.for_each_symbol([&](const std::string& s) { outer.insert(s); });
    };
    for (const Value* o : node_.operands()) add(o);
    for (const Value* o : captures(body_)) add(o);
    bool same = true;
    for (const Dim& d : v->shape().dims())
      d.for_each_symbol([&](const std::string& s) { same = same && outer.count(s); });
    return same;
  }

  void hand_over() {
    const auto used = used_of(body_, *back_);
    ValueSet kept;
    if (ctx_.residuals == Residuals::save)
      for (Value* v : used)
        if (!closure_of(body_, {v}, {}).handed.empty() && same_extents(v)) kept.insert(v);
    const Closure c = closure_of(body_, used, kept);
    ValueMap map;
    std::vector<Value*> stacked;
    for (Value* v : c.handed) {
      const int k = v->def() ? -1 : v->index() - form_.first_input - form_.carried;
      if (!form_.scan && v == body_.input(1)) {
        Builder start(*back_, back_->first());
        map[v] = full(start, shape_of(start, v), DType::boolean, 1);  // the iteration ran
      } else if (k >= 0) {
        map[v] = read(node_.operand(form_.carried + k), v->type(), form_.input_axis(k), form_.input_direction(k));
      } else {
        if (!v->type().is_tensor())
          ctx_.fail("the gradient needs a carried value of type ", v->type(), ", which cannot be kept");
        stacked.push_back(v);
      }
    }
    // The scan needs something to tell the number of iterations.
    if (axes_.empty() && stacked.empty() && form_.scan)
      read(node_.operand(form_.carried), slice(0)->type(), form_.input_axis(0), 0);
    if (axes_.empty() && stacked.empty()) stacked.push_back(body_.input(0));
    const auto stacks = keep(stacked);
    for (size_t i = 0; i < stacked.size(); ++i) map[stacked[i]] = read(stacks[i], stacked[i]->type(), 0, 0);
    bring_in(c.copied, *back_, std::move(map));
  }

  GradContext& ctx_;
  Builder& b_;
  Node& node_;
  Graph& body_;
  LoopForm form_;
  std::unique_ptr<Graph> back_;
  std::vector<Value*> operands_;            // of the scan
  std::vector<int64_t> axes_, directions_;  // of its slices
};

// Values and tangents run together; carried and scanned tangents stand after carried and scanned values.
void loop_jvp(JvpContext& ctx) {
  const Node& node = ctx.node();
  const Graph& body = node.region(0);
  const LoopForm form = LoopForm::of(node);
  Builder& b = ctx.b;
  ValueSet sources;
  for (Value* v : captures(body))
    if (ctx.tangent(v)) sources.insert(v);
  std::vector<bool> starts;
  for (int k = 0; k < form.carried; ++k) starts.push_back(ctx.tangent(node.operand(form.first_operand + k)) != nullptr);
  for (int k = 0; k < form.slices; ++k)
    if (ctx.tangent(node.operand(form.carried + k))) sources.insert(body.input(form.carried + k));
  const auto moves = moving_carried(form, body, std::move(starts), sources);

  auto both = std::make_unique<Graph>(b.module());
  std::vector<Value*> operands, values, tangents(static_cast<size_t>(body.num_inputs()));
  auto pass = [&](int input, int operand) {
    values.push_back(both->add_input(body.input(input)->type()));
    operands.push_back(node.operand(operand) ? ctx.copy(node.operand(operand)) : nullptr);
  };
  auto pass_tangent = [&](int input, int operand) {
    Value* v = node.operand(operand);
    tangents[static_cast<size_t>(input)] = both->add_input(body.input(input)->type());
    operands.push_back(ctx.tangent(v) ? ctx.tangent(v) : zeros_like(b, ctx.copy(v)));
  };
  for (int i = 0; i < form.first_input + form.carried; ++i) pass(i, i);
  std::vector<int> carried, slices;
  for (int k = 0; k < form.carried; ++k)
    if (moves[static_cast<size_t>(k)]) {
      carried.push_back(k);
      pass_tangent(form.first_input + k, form.first_operand + k);
    }
  for (int k = 0; k < form.slices; ++k) pass(form.carried + k, form.carried + k);
  for (int k = 0; k < form.slices; ++k)
    if (ctx.tangent(node.operand(form.carried + k))) {
      slices.push_back(k);
      pass_tangent(form.carried + k, form.carried + k);
    }

  Builder inner(*both);
  const auto r = ctx.run(inner, body, values, tangents);
  const int first_scanned = form.first_output + form.carried, scanned = form.scanned(body);
  std::vector<Value*> outputs(r.values.begin(), r.values.begin() + first_scanned);
  for (int k : carried) {
    const auto at = static_cast<size_t>(form.first_output + k);
    outputs.push_back(r.tangents[at] ? r.tangents[at] : zeros_like(inner, r.values[at]));
  }
  outputs.insert(outputs.end(), r.values.begin() + first_scanned, r.values.end());
  std::vector<int> scanned_tangents;
  for (int j = 0; j < scanned; ++j)
    if (Value* t = r.tangents[static_cast<size_t>(first_scanned + j)]) {
      scanned_tangents.push_back(j);
      outputs.push_back(t);
    }
  both->set_outputs(outputs);

  const int moving = static_cast<int>(carried.size());
  const int results = static_cast<int>(outputs.size()) - form.first_output;
  Node* made = nullptr;
  if (form.scan) {
    Scan::Attrs attrs{form.slices + static_cast<int64_t>(slices.size()), {}, {}, {}, {}};
    auto add_input = [&](int k) {
      attrs.scan_input_axes.push_back(form.input_axis(k));
      attrs.scan_input_directions.push_back(form.input_direction(k));
    };
    auto add_output = [&](int j) {
      attrs.scan_output_axes.push_back(form.output_axis(j));
      attrs.scan_output_directions.push_back(form.output_direction(j));
    };
    for (int k = 0; k < form.slices; ++k) add_input(k);
    for (int k : slices) add_input(k);
    for (int j = 0; j < scanned; ++j) add_output(j);
    for (int j : scanned_tangents) add_output(j);
    made = b.make_n<Scan>(operands, std::move(attrs), results, region_list(std::move(both)));
  } else {
    made = b.make_n<Loop>(operands, {}, results, region_list(std::move(both)));
  }
  JvpContext::Results out;
  out.tangents.resize(static_cast<size_t>(node.num_results()));
  for (int j = 0; j < node.num_results(); ++j) out.values.push_back(made->result(j < form.carried ? j : j + moving));
  auto set_tangent = [&](int j, int result) {
    if (j < node.num_results()) out.tangents[static_cast<size_t>(j)] = made->result(result);
  };
  for (int i = 0; i < moving; ++i) set_tangent(carried[static_cast<size_t>(i)], form.carried + i);
  for (size_t i = 0; i < scanned_tangents.size(); ++i)
    set_tangent(form.carried + scanned_tangents[i], form.carried + moving + scanned + static_cast<int>(i));
  ctx.set(std::move(out));
}

}  // namespace

void Loop::grad(GradContext& ctx) {
  LoopGradient(ctx).run();
}
void Scan::grad(GradContext& ctx) {
  LoopGradient(ctx).run();
}
void Loop::jvp(JvpContext& ctx) {
  loop_jvp(ctx);
}
void Scan::jvp(JvpContext& ctx) {
  loop_jvp(ctx);
}

void If::jvp(JvpContext& ctx) {
  const Node& node = ctx.node();
  std::vector<std::unique_ptr<Graph>> regions;
  std::vector<JvpContext::Results> results;
  for (int i = 0; i < 2; ++i) {
    regions.push_back(std::make_unique<Graph>(ctx.b.module()));
    Builder inner(*regions.back());
    results.push_back(ctx.run(inner, node.region(i), {}, {}));
  }
  std::vector<int> moving;
  const int n = node.num_results();
  for (int j = 0; j < n; ++j)
    if (results[0].tangents[static_cast<size_t>(j)] || results[1].tangents[static_cast<size_t>(j)]) moving.push_back(j);
  for (size_t i = 0; i < 2; ++i) {
    Builder inner(*regions[i]);
    std::vector<Value*> outputs(results[i].values.begin(), results[i].values.begin() + n);
    for (int j : moving) {
      Value* t = results[i].tangents[static_cast<size_t>(j)];
      outputs.push_back(t ? t : zeros_like(inner, outputs[static_cast<size_t>(j)]));
    }
    regions[i]->set_outputs(outputs);
  }
  const Node* made = ctx.b.make_n<If>({ctx.copy(node.operand(0))}, {}, n + static_cast<int>(moving.size()),
                                      region_list(std::move(regions[0]), std::move(regions[1])));
  JvpContext::Results out;
  out.tangents.resize(static_cast<size_t>(n));
  for (int j = 0; j < n; ++j) out.values.push_back(made->result(j));
  for (size_t i = 0; i < moving.size(); ++i)
    out.tangents[static_cast<size_t>(moving[i])] = made->result(n + static_cast<int>(i));
  ctx.set(std::move(out));
}

}  // namespace tc
