// Scans that say something simpler. A body of elementwise arithmetic runs on all slices at once, and a state that only
// grows by what the slices give is a running sum or product, or a reduction where nobody looks at it on the way. Short
// scans of other bodies are written out.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "tc/ir/library.h"
#include "tc/ir/shape_build.h"
#include "tc/passes/normalize/normalize.h"

namespace tc {
namespace {

constexpr std::string_view kElementwise = "scan-of-elementwise-is-elementwise",
                           kCumulative = "scan-of-sums-is-cumulative", kShort = "short-scan-is-unrolled";

// Iterations, and nodes in all of them. A frame of the native executor costs as much as a handful of small steps.
constexpr int64_t kMaxTrips = 8, kMaxUnrolledNodes = 64;

int64_t entry(const std::vector<int64_t>& list, size_t k) {
  return k < list.size() ? list[k] : 0;
}

// Why a scan stays.
struct Declined {
  const char* why;
};

// A value of the body in all iterations: stacked along a new first axis, or the same in each.
struct Stacked {
  Value* value = nullptr;
  bool varies = false;
  int rank() const {  // in one iteration
    if (!value->type().is_tensor() || !value->shape().ranked()) throw Declined{"a rank is unknown"};
    return value->shape().rank() - varies;
  }
};

// The op whose running form a state's update is.
struct Update {
  OpId running, reduction;
  double neutral;
};
std::optional<Update> update_of(const Node& n) {
  switch (n.op()) {
    case OpId::Add:
      return Update{OpId::CumSum, OpId::ReduceSum, 0};
    case OpId::Mul:
      return Update{OpId::CumProd, OpId::ReduceProd, 1};
    case OpId::Max:
      return Update{OpId::Max, OpId::ReduceMax, 0};
    case OpId::Min:
      return Update{OpId::Min, OpId::ReduceMin, 0};
    default:
      return std::nullopt;
  }
}

class Vectorizer {
 public:
  explicit Vectorizer(Node& scan)
      : scan_(scan), body_(scan.region(0)), b_(*scan.graph(), &scan), attrs_(scan.attrs<Scan>()) {
    b_.set_location(scan.location());
    inputs_ = static_cast<size_t>(attrs_.num_scan_inputs);
    states_ = static_cast<size_t>(scan.num_operands()) - inputs_;
  }

  // A value for each result of the scan, null where it is unused.
  std::vector<Value*> run() {
    find_direction();
    for (size_t k = 0; k < inputs_; ++k) {
      Value* x = scan_.operand(static_cast<int>(states_ + k));
      Value* stacked = first_axis(x, entry(attrs_.scan_input_axes, k));
      known_[body_.input(static_cast<int>(states_ + k))] = {stacked, true};
      if (k == 0)
        trips_ = stacked->shape()[0];
      else if (!(stacked->shape()[0] == trips_))
        throw Declined{"the operands may have different numbers of slices"};
    }
    std::vector<Node*> waiting;
    for (const auto& n : body_.nodes())
      if (!n->is<Return>()) waiting.push_back(n.get());
    for (size_t i = 0; i < states_; ++i) {
      Value* before = body_.input(static_cast<int>(i));
      if (body_.output(static_cast<int>(i)) == before) known_[before] = {scan_.operand(static_cast<int>(i)), false};
    }
    // States become known when what they grow by is.
    while (!waiting.empty()) {
      const size_t left = waiting.size();
      std::erase_if(waiting, [&](Node* n) { return ready(*n) && (place(*n), true); });
      for (size_t i = 0; i < states_; ++i) resolve(i, waiting);
      if (waiting.size() == left && !progress_) throw Declined{"a state is neither a running sum nor a product"};
      progress_ = false;
    }
    return results();
  }

  bool exact_result() const { return exact_; }
  bool has_states() const { return cumulative_; }

 private:
  // All slices in order, or all in the opposite one.
  void find_direction() {
    bool any = false, all = true;
    const auto note = [&](bool backwards) {
      any = any || backwards;
      all = all && backwards;
    };
    for (size_t k = 0; k < inputs_; ++k) note(entry(attrs_.scan_input_directions, k) != 0);
    const size_t outputs = static_cast<size_t>(body_.num_outputs()) - states_;
    for (size_t k = 0; k < outputs; ++k) note(entry(attrs_.scan_output_directions, k) != 0);
    if (any && !all) throw Declined{"slices are taken and stacked in different directions"};
    backwards_ = any;
  }

  Value* moved(Value* v, int from, int to) {
    if (from == to) return v;
    std::vector<int64_t> perm;
    for (int i = 0; i < v->shape().rank(); ++i)
      if (i != from) perm.push_back(i);
    perm.insert(perm.begin() + to, from);
    return b_.make<Transpose>({v}, {std::move(perm)});
  }

  Value* first_axis(Value* x, int64_t axis) {
    if (!x->type().is_tensor() || !x->shape().ranked()) throw Declined{"a rank is unknown"};
    return moved(x, static_cast<int>(axis < 0 ? axis + x->shape().rank() : axis), 0);
  }

  // Values from outside of the body are the same in each iteration.
  std::optional<Stacked> find(Value* v) const {
    if (const auto it = known_.find(v); it != known_.end()) return it->second;
    if (v->graph() != &body_) return Stacked{v, false};
    return std::nullopt;
  }

  bool ready(const Node& n) const {
    for (Value* v : n.operands())
      if (v && !find(v)) return false;
    return true;
  }

  // The value against others of `rank` dimensions in one iteration.
  Value* aligned(const Stacked& s, int rank) {
    if (!s.varies || s.rank() >= rank) return s.value;
    std::vector<int64_t> axes;
    for (int i = s.rank(); i < rank; ++i) axes.push_back(1 + i - s.rank());
    return b_.make<Unsqueeze>({s.value, b_.ints(axes)});
  }

  void place(const Node& n) {
    const OpInfo& op = n.info();
    const bool plain = op.traits.elementwise && !op.traits.nondeterministic && !has_effects(n);
    if (n.is<Constant>() || n.is<Parameter>()) {
      known_[n.result(0)] = {b_.node(n.op(), {}, n.raw_attrs(), 1)->result(0), false};
      return;
    }
    if (n.is<Identity>()) {
      known_[n.result(0)] = *find(n.operand(0));
      return;
    }
    const bool is_library = !library_function(n).empty();
    if (!is_library && (!plain || n.num_results() != 1 || n.num_regions()))
      throw Declined{"the body is more than elementwise"};
    // Without a slice it would not have run, and a zero divisor is an error.
    if ((n.is<Div>() || n.is<Mod>()) && !dtypes::floats.has(n.result(0)->dtype()))
      throw Declined{"the body divides integers"};
    int rank = 0;
    bool varies = false;
    std::vector<Stacked> operands;
    for (Value* v : n.operands()) {
      operands.push_back(v ? *find(v) : Stacked());
      if (!v) continue;
      rank = std::max(rank, operands.back().rank());
      varies = varies || operands.back().varies;
    }
    std::vector<Value*> values;
    for (const Stacked& s : operands) values.push_back(s.value ? aligned(s, rank) : nullptr);
    std::vector<std::unique_ptr<Graph>> regions;
    if (is_library) regions.push_back(clone(n.region(0), b_.module()));
    known_[n.result(0)] = {b_.node(n.op(), values, n.raw_attrs(), 1, std::move(regions))->result(0), varies};
  }

  bool other_uses(const Value* v, const Node* user) const {
    for (Use* u = v->first_use(); u; u = u->next())
      if (u->user() != user) return true;
    return false;
  }

  // State i when its next value is it and something known: every value that it has, if anybody asks.
  void resolve(size_t i, std::vector<Node*>& waiting) {
    Value *before = body_.input(static_cast<int>(i)), *after = body_.output(static_cast<int>(i));
    const auto node = std::find(waiting.begin(), waiting.end(), after->def());
    if (known_.count(before) || node == waiting.end()) return;
    const Node& n = **node;
    const auto update = update_of(n);
    if (!update || n.num_operands() != 2 || (n.operand(0) == before) == (n.operand(1) == before)) return;
    const auto step = find(n.operand(n.operand(0) == before ? 1 : 0));
    if (!step) return;
    Value* initial = scan_.operand(static_cast<int>(i));
    const int rank = Stacked{initial, false}.rank();
    if (step->rank() > rank) throw Declined{"a state grows in rank"};
    if (!(initial->type() == before->type()) || !(before->type() == after->type()))
      throw Declined{"a state changes its shape, or may"};
    const Growth g{*update, initial, step->varies ? step->value : repeated(*step), rank};
    const bool seen_before = other_uses(before, &n),
               seen_after = other_uses(after, body_.terminator()) || used_twice(after);
    const bool running = update->running != n.op();
    if ((seen_before || seen_after) && !running) throw Declined{"a running maximum is looked at on the way"};
    known_[before] = {seen_before ? grown(g, true) : initial, seen_before};
    known_[after] = {seen_after ? grown(g, false) : initial, seen_after};
    growth_[i] = g;
    cumulative_ = true;
    if (dtypes::floats.has(initial->dtype()) && running) exact_ = false;
    waiting.erase(node);
    progress_ = true;
  }

  // Is the value also a stacked output, or another state?
  bool used_twice(const Value* v) const {
    int count = 0;
    for (const Value* o : body_.outputs()) count += o == v;
    return count > 1;
  }

  struct Growth {
    Update update;
    Value *initial, *steps;
    int rank;
  };

  Value* combined(const Update& u, Value* a, Value* b) {
    switch (u.reduction) {
      case OpId::ReduceSum:
        return b_.make<Add>({a, b});
      case OpId::ReduceProd:
        return b_.make<Mul>({a, b});
      case OpId::ReduceMax:
        return b_.make<Max>({a, b});
      default:
        return b_.make<Min>({a, b});
    }
  }

  Value* grown(const Growth& g, bool exclusive) {
    const RunningOp::Attrs attrs{.exclusive = exclusive, .reverse = backwards_};
    Value* zero = b_.scalar(int64_t{0});
    Value* run = g.update.running == OpId::CumSum ? b_.make<CumSum>({g.steps, zero}, attrs)
                                                  : b_.make<CumProd>({g.steps, zero}, attrs);
    return combined(g.update, g.initial, aligned({run, true}, g.rank));
  }

  // How many slices there are: i64[1].
  Value* trips() {
    Value* x = known_.at(body_.input(static_cast<int>(states_))).value;
    return extent_of(b_, x, 0);
  }

  Value* repeated(const Stacked& s) {
    Value* shape = s.rank() ? join_extents(b_, {trips(), b_.make<ShapeOf>({s.value})}) : trips();
    return b_.make<Expand>({b_.make<Unsqueeze>({s.value, b_.ints({0})}), shape});
  }

  template <class Op>
  Value* reduced(Value* v) {
    return b_.make<Op>({v, b_.ints({0})}, {.keepdims = false});
  }

  std::vector<Value*> results() {
    std::vector<Value*> list(static_cast<size_t>(scan_.num_results()));
    for (size_t j = 0; j < list.size(); ++j) {
      if (scan_.result(static_cast<int>(j))->unused()) continue;
      Value* out = body_.output(static_cast<int>(j));
      if (j < states_) {
        const auto g = growth_.find(j);
        list[j] = g == growth_.end() ? last(*find(out), j) : final_state(g->second);
        continue;
      }
      const auto s = find(out);
      const int64_t axis = entry(attrs_.scan_output_axes, j - states_);
      const int rank = s->rank() + 1;
      list[j] = moved(s->varies ? s->value : repeated(*s), 0, static_cast<int>(axis < 0 ? axis + rank : axis));
    }
    return list;
  }

  Value* last(const Stacked& s, size_t state) {
    if (s.varies || s.value != scan_.operand(static_cast<int>(state)))
      throw Declined{"a state is neither a running sum nor a product"};
    return s.value;
  }

  Value* final_state(const Growth& g) {
    Value* total;
    switch (g.update.reduction) {
      case OpId::ReduceSum:
        total = reduced<ReduceSum>(g.steps);
        break;
      case OpId::ReduceProd:
        total = reduced<ReduceProd>(g.steps);
        break;
      case OpId::ReduceMax:
        total = reduced<ReduceMax>(g.steps);
        break;
      default:
        total = reduced<ReduceMin>(g.steps);
        break;
    }
    return combined(g.update, g.initial, total);
  }

  Node& scan_;
  Graph& body_;
  Builder b_;
  const Scan::Attrs& attrs_;
  size_t inputs_, states_;
  Dim trips_;
  bool backwards_ = false, exact_ = true, cumulative_ = false, progress_ = false;
  std::unordered_map<const Value*, Stacked> known_;
  std::unordered_map<size_t, Growth> growth_;
};

// Slices, copies of the body, stacked outputs.
std::vector<Value*> unrolled(Node& scan) {
  const auto& a = scan.attrs<Scan>();
  const Graph& body = scan.region(0);
  const auto inputs = static_cast<size_t>(a.num_scan_inputs),
             states = static_cast<size_t>(scan.num_operands()) - inputs;
  Builder b(*scan.graph(), &scan);
  b.set_location(scan.location());
  const auto scanned = [&](size_t k) { return scan.operand(static_cast<int>(states + k)); };
  const auto axis_of = [&](size_t k) {
    const int64_t axis = entry(a.scan_input_axes, k);
    return axis < 0 ? axis + scanned(k)->shape().rank() : axis;
  };
  for (size_t k = 0; k < inputs; ++k)
    if (!scanned(k)->type().is_tensor() || !scanned(k)->shape().ranked()) throw Declined{"a rank is unknown"};
  const Dim extent = scanned(0)->shape()[static_cast<int>(axis_of(0))];
  if (!extent.is_const()) throw Declined{"the number of slices is not known"};
  const int64_t trips = extent.value();
  int64_t nodes = 0;
  walk(body, [&](const Node&) { ++nodes; });
  if (trips < 1 || trips > kMaxTrips || trips * nodes > kMaxUnrolledNodes)
    throw Declined{"the scan is too long to be written out"};
  std::vector<Value*> carried(static_cast<size_t>(body.num_outputs()));
  for (size_t i = 0; i < states; ++i) carried[i] = scan.operand(static_cast<int>(i));
  std::vector<std::vector<Value*>> history(static_cast<size_t>(body.num_outputs()));
  for (int64_t t = 0; t < trips; ++t) {
    std::vector<std::pair<Value*, Value*>> map;
    for (size_t i = 0; i < states; ++i) map.emplace_back(body.input(static_cast<int>(i)), carried[i]);
    for (size_t k = 0; k < inputs; ++k) {
      const int64_t at = entry(a.scan_input_directions, k) ? trips - 1 - t : t;
      map.emplace_back(body.input(static_cast<int>(states + k)),
                       b.make<Gather>({scanned(k), b.scalar(at)}, {.axis = axis_of(k)}));
    }
    carried = clone_into(body, *scan.graph(), &scan, std::move(map));
    for (size_t j = states; j < history.size(); ++j) history[j].push_back(carried[j]);
  }
  std::vector<Value*> results(carried.begin(), carried.begin() + static_cast<std::ptrdiff_t>(states));
  for (size_t j = states; j < history.size(); ++j) {
    auto& slices = history[j];
    if (!slices[0]->type().is_tensor() || !slices[0]->shape().ranked()) throw Declined{"a rank is unknown"};
    if (entry(a.scan_output_directions, j - states)) std::reverse(slices.begin(), slices.end());
    const int64_t rank = slices[0]->shape().rank() + 1, given = entry(a.scan_output_axes, j - states),
                  axis = given < 0 ? given + rank : given;
    for (Value*& v : slices) v = b.make<Unsqueeze>({v, b.ints({axis})});
    results.push_back(slices.size() == 1 ? slices[0] : b.make<Concat>(slices, {.axis = axis}));
  }
  results.resize(static_cast<size_t>(scan.num_results()));
  for (size_t j = 0; j < results.size(); ++j)
    if (scan.result(static_cast<int>(j))->unused()) results[j] = nullptr;
  return results;
}

class Simplifier {
 public:
  Simplifier(Editor& editor, Node& scan) : editor_(editor), scan_(scan), before_(scan.prev()) {}

  bool vectorize() {
    if (!editor_.allows(kElementwise, exact) && !editor_.allows(kCumulative, reassociates)) return false;
    Vectorizer v(scan_);
    return attempt([&] { return v.run(); }, kElementwise,
                   [&](Edit& edit) {
                     if (v.has_states()) edit.rule = kCumulative;
                     if (!v.exact_result()) edit.exactness = reassociates;
                   });
  }

  bool unroll() {
    if (!editor_.allows(kShort, exact)) return false;
    return attempt([&] { return unrolled(scan_); }, kShort, [&](Edit& edit) { edit.taken_over = &scan_; });
  }

 private:
  template <class Make, class Adjust>
  bool attempt(Make make, std::string_view rule, Adjust adjust) {
    const char* why = nullptr;
    Edit edit{rule, exact, {}, &scan_, {}, {&scan_}, true};
    try {
      const auto values = make();
      adjust(edit);
      if (!editor_.allows(edit.rule, edit.exactness)) throw Declined{""};
      for (size_t j = 0; j < values.size(); ++j)
        if (values[j]) edit.replaced.emplace_back(scan_.result(static_cast<int>(j)), values[j]);
      if (edit.replaced.empty()) throw Declined{"nobody uses the results"};
      const std::string_view fired = edit.rule;
      for (const auto& [from, to] : edit.replaced)
        if (!compatible(from->type(), to->type())) throw Declined{"the type cannot be proven to stay"};
      why = editor_.commit(std::move(edit));
      if (!why) return true;
      rule = fired;
    } catch (const Declined& d) {
      why = d.why;
    } catch (const Error&) {
      why = "an op of the body does not take stacked operands";
    }
    drop();
    if (*why) editor_.note_miss(rule, why, scan_);
    return false;
  }

  // What was made in front of the scan so far.
  void drop() {
    Graph& g = *scan_.graph();
    while (scan_.prev() != before_) g.erase(scan_.prev());
  }

  Editor& editor_;
  Node& scan_;
  Node* before_;
};

}  // namespace

void simplify_scans(PassContext& ctx) {
  // Inner ones first: what comes of them may make the outer one simple.
  const auto scans = find_nodes(ctx.module, [](const Node& n) { return n.is<Scan>() && n.num_operands() > 0; });
  std::unordered_set<const Node*> gone;
  ctx.editor.on_erase = [&](Node& n) { gone.insert(&n); };
  for (auto scan = scans.rbegin(); scan != scans.rend(); ++scan) {
    if (gone.count(*scan)) continue;
    Simplifier s(ctx.editor, **scan);
    if (!s.vectorize()) s.unroll();
  }
  ctx.editor.on_erase = nullptr;
}

std::span<const Rule> scan_rules() {
  static const Rule kRules[] = {{kElementwise, exact, any_node(), nullptr},
                                {kCumulative, reassociates, any_node(), nullptr},
                                {kShort, exact, any_node(), nullptr}};
  return kRules;
}

}  // namespace tc
