// Branches and loops to differentiate: captured values, trip counts that data decides, states of integers, scans in
// both directions and along any axis, loops in loops.
#include "tests/passes/autodiff/samples.h"

namespace tc {
namespace {

using Values = std::vector<Value*>;

std::unique_ptr<Graph> region(SampleGraph& g, const std::vector<Type>& inputs,
                              const std::function<Values(Builder&, Values)>& body) {
  auto graph = std::make_unique<Graph>(*g.module);
  for (const Type& t : inputs) graph->add_input(t);
  Builder b(*graph);
  graph->set_outputs(body(b, graph->inputs()));
  return graph;
}

std::vector<std::unique_ptr<Graph>> list(std::unique_ptr<Graph> a, std::unique_ptr<Graph> b = nullptr) {
  std::vector<std::unique_ptr<Graph>> l;
  l.push_back(std::move(a));
  if (b) l.push_back(std::move(b));
  return l;
}

const Type kCount = Type::tensor(DType::i64, Shape(Dims())), kFlag = Type::tensor(DType::boolean, Shape(Dims()));

// Both values of the condition, a value captured by one branch only, and one by both.
void branches(SampleGraph& g, bool taken) {
  Value *cond = g.input(Tensor::scalar(Bool(taken))), *x = g.input(DType::f32, {2, 3}), *w = g.input(DType::f32, {3});
  auto yes = region(g, {}, [&](Builder& b, Values) {
    Value* y = b.make<Mul>({x, w});
    return Values{b.make<Tanh>({y}), y};
  });
  auto no = region(g, {}, [&](Builder& b, Values) { return Values{b.make<Exp>({x}), x}; });
  Node* n = g.b.make_n<If>({cond}, {}, 2, list(std::move(yes), std::move(no)));
  g.outputs({n->result(0), g.b.make<Mul>({n->result(1), w})});
}

// h = tanh(h w + b), as long as its sum stays below a limit; the number of steps depends on data.
void while_loop(SampleGraph& g) {
  Value *h = g.input(DType::f32, {2, 3}, 0.1, 1), *w = g.input(DType::f32, {3, 3}, 0.1, 1);
  Value* bias = g.input(DType::f32, {3}, 0.1, 0.3);
  auto body = region(g, {kCount, kFlag, h->type()}, [&](Builder& b, Values in) {
    Value* next = b.make<Mul>({b.make<Softsign>({b.make<MatMul>({in[2], w})}), b.make<Exp>({bias})});
    Value* total = b.make<ReduceSum>({next}, {.keepdims = false});
    return Values{b.make<Less>({total, b.scalar(4.0f)}), next, b.make<Mul>({next, bias})};
  });
  Node* n = g.b.make_n<Loop>({g.b.scalar<int64_t>(20), nullptr, h}, {}, 2, list(std::move(body)));
  g.outputs({n->result(0), n->result(1)});
}

// A trip count that is an input, the iteration number in the body, an integer state, a result that nobody asks for.
void counted(SampleGraph& g, int64_t trips) {
  Value *m = g.input(Tensor::scalar<int64_t>(trips)), *x = g.input(DType::f32, {3}, 0.5, 1.5);
  auto body = region(g, {kCount, kFlag, x->type(), kCount}, [&](Builder& b, Values in) {
    Value* factor = b.make<Cast>({b.make<Add>({in[0], in[3]})}, {.to = DType::f32});
    Value* next = b.make<Sin>({b.make<Mul>({in[2], b.make<Add>({factor, x})})});
    return Values{in[1], next, b.make<Add>({in[3], b.scalar<int64_t>(2)}), in[2], b.make<Mul>({next, next})};
  });
  Node* n = g.b.make_n<Loop>({m, nullptr, x, g.b.scalar<int64_t>(1)}, {}, 3, list(std::move(body)));
  g.outputs({n->result(0), n->result(2)});
}

// States exchange places, so that the gradient of one becomes that of the other.
void exchange(SampleGraph& g) {
  Value *a = g.input(DType::f32, {2}), *c = g.input(DType::f32, {2});
  auto body = region(g, {kCount, kFlag, a->type(), c->type()}, [&](Builder& b, Values in) {
    return Values{in[1], in[3], b.make<Sin>({in[2]})};
  });
  Node* n = g.b.make_n<Loop>({g.b.scalar<int64_t>(3), nullptr, a, c}, {}, 2, list(std::move(body)));
  g.outputs({n->result(0), n->result(1)});
}

// Slices along any axis in either direction, results likewise.
void scan(SampleGraph& g, int64_t in_direction, int64_t out_direction) {
  Value *state = g.input(DType::f32, {2}), *w = g.input(DType::f32, {2});
  Value* xs = g.input(g.random(DType::f32, {2, 4}), {Dim(2), Dim::symbol("T")});
  Value* ys = g.input(g.random(DType::f32, {4, 2}), {Dim::symbol("T"), Dim(2)});
  const Type t = state->type();
  auto body = region(g, {t, t, t}, [&](Builder& b, Values in) {
    Value* next = b.make<Tanh>({b.make<Add>({b.make<Mul>({in[0], w}), in[1]})});
    return Values{next, b.make<Mul>({next, in[2]}), b.make<Exp>({in[1]})};
  });
  Node* n = g.b.make_n<Scan>({state, xs, ys}, {2, {-1, 0}, {in_direction, 0}, {1, 0}, {out_direction, 0}}, 3,
                             list(std::move(body)));
  g.outputs({n->result(0), n->result(1), n->result(2)});
}

// A loop whose body holds a branch and a scan, all of which use a value from outside.
void nested(SampleGraph& g) {
  Value *x = g.input(DType::f32, {4, 2}), *w = g.input(DType::f32, {2}), *h = g.input(DType::f32, {2});
  auto body = region(g, {kCount, kFlag, h->type()}, [&](Builder& b, Values in) {
    auto inner = region(g, {h->type(), h->type()}, [&](Builder& bi, Values i) {
      Value* next = bi.make<Tanh>({bi.make<Add>({bi.make<Mul>({i[0], w}), bi.make<Mul>({i[1], in[2]})})});
      return Values{next, next};
    });
    Node* s = b.make_n<Scan>({in[2], x}, {1, {}, {}, {}, {}}, 2, list(std::move(inner)));
    Value* odd = b.make<Equal>({b.make<Mod>({in[0], b.scalar<int64_t>(2)}), b.scalar<int64_t>(1)});
    auto yes = region(g, {}, [&](Builder& bi, Values) { return Values{bi.make<Mul>({s->result(0), w})}; });
    auto no = region(g, {}, [&](Builder& bi, Values) { return Values{bi.make<Sin>({in[2]})}; });
    Node* c = b.make_n<If>({odd}, {}, 1, list(std::move(yes), std::move(no)));
    return Values{in[1], c->result(0), b.make<ReduceSum>({s->result(1), b.ints({0})}, {.keepdims = false})};
  });
  Node* n = g.b.make_n<Loop>({g.b.scalar<int64_t>(3), nullptr, h}, {}, 2, list(std::move(body)));
  g.outputs({n->result(0), n->result(1)});
}

// Random numbers in a body are drawn once, not again for the gradient.
void dropout_in_loop(SampleGraph& g) {
  Value* x = g.input(DType::f32, {4});
  auto body = region(g, {kCount, kFlag, x->type()}, [&](Builder& b, Values in) {
    Value* y =
        b.make_n<Dropout>({in[2], b.scalar(0.5f), b.constant(Tensor::scalar(Bool(true)))}, {.seed = 3}, 1)->result(0);
    return Values{in[1], b.make<Sin>({y})};
  });
  Node* n = g.b.make_n<Loop>({g.b.scalar<int64_t>(2), nullptr, x}, {}, 1, list(std::move(body)));
  g.outputs({n->result(0)});
}

void sequences(SampleGraph& g) {
  Value *x = g.input(DType::f32, {5, 2}), *y = g.input(DType::f32, {3, 2}), *w = g.input(DType::f32, {2});
  Builder& b = g.b;
  Value* s = b.make<SequenceConstruct>({x, y, b.make<Mul>({x, x})});
  s = b.make<SequenceInsert>({s, b.make<Sin>({y}), b.scalar<int64_t>(-1)});
  s = b.make<SequenceErase>({s, b.scalar<int64_t>(1)});
  auto body = region(g, {s->type().element(), w->type()}, [&](Builder& bi, Values in) {
    return Values{bi.make<Mul>({bi.make<Tanh>({in[0]}), in[1]}), bi.make<Mul>({in[0], w})};
  });
  Node* mapped = b.make_n<SequenceMap>({s, w}, {}, 2, list(std::move(body)));
  Value* joined = b.make<ConcatFromSequence>({mapped->result(0)}, {0});
  Value* parts = b.make<SplitToSequence>({joined, b.ints({4, 4, 5})}, {0});
  g.outputs({joined, b.make<SequenceAt>({mapped->result(1), b.scalar<int64_t>(-2)}),
             b.make<Mul>({b.make<SequenceAt>({parts, b.scalar<int64_t>(1)}), w}),
             b.make<OptionalGetElement>({b.make<Optional>({b.make<Exp>({w})})}),
             b.make<ConcatFromSequence>({b.make<SplitToSequence>({y}, {1, false})}, {0, true})});
}

}  // namespace

void control_samples(std::vector<Sample>& s) {
  s.push_back({"if/taken", [](SampleGraph& g) { branches(g, true); }});
  s.push_back({"if/not_taken", [](SampleGraph& g) { branches(g, false); }});
  s.push_back({"loop/while", while_loop});
  s.push_back({"loop/counted", [](SampleGraph& g) { counted(g, 4); }});
  s.push_back({"loop/no_iterations", [](SampleGraph& g) { counted(g, 0); }});
  s.push_back({"loop/exchange", exchange});
  s.push_back({"loop/nested", nested});
  s.push_back({"loop/dropout", dropout_in_loop});
  s.push_back({"scan/forward", [](SampleGraph& g) { scan(g, 0, 0); }});
  s.push_back({"scan/backward", [](SampleGraph& g) { scan(g, 1, 0); }});
  s.push_back({"scan/backward_results", [](SampleGraph& g) { scan(g, 0, 1); }});
  for (const char* name :
       {"sequence_construct", "sequence_at", "sequence_insert", "sequence_erase", "split_to_sequence",
        "concat_from_sequence", "optional", "optional_get_element", "sequence_map"})
    s.push_back({cat(name, "/chain"), sequences});
}

}  // namespace tc
