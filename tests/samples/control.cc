#include "tests/samples/sample.h"

namespace tc {
namespace {

std::unique_ptr<Graph> region(SampleGraph& g, const std::vector<Type>& inputs,
                              const std::function<std::vector<Value*>(Builder&, std::vector<Value*>)>& body) {
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

}  // namespace

void samples_control(std::vector<Sample>& samples) {
  samples.push_back({"if", [](SampleGraph& g) {
                       Value *cond = g.input(Tensor::scalar(Bool(true))), *x = g.input(DType::f32, {2, 3});
                       Node* n = g.b.make_n<If>(
                           {cond}, {}, 1,
                           list(region(g, {}, [&](Builder& b, auto) { return std::vector{b.make<Transpose>({x})}; }),
                                region(g, {}, [&](Builder& b, auto) { return std::vector{b.make<Identity>({x})}; })));
                       g.outputs({n->result(0)});
                     }});
  // A carried value that grows, one that stays, and a scanned output.
  samples.push_back(
      {"loop", [](SampleGraph& g) {
         Value *x = g.input(DType::f32, {1, 3}), *y = g.input(DType::f32, {2});
         auto body = region(g, {kCount, kFlag, x->type(), y->type()}, [&](Builder& b, std::vector<Value*> in) {
           return std::vector{in[1], b.make<Concat>({in[2], x}, {0}), in[3], b.make<ConstantOfShape>({b.ints({2})})};
         });
         Node* n = g.b.make_n<Loop>({g.b.scalar<int64_t>(4), nullptr, x, y}, {}, 3, list(std::move(body)));
         TC_CHECK(n->result(2)->shape() == Shape({Dim(4), Dim(2)}), "the trip count is known: ", n->result(2)->type());
         g.outputs({n->result(0), n->result(1), n->result(2)});
       }});
  samples.push_back(
      {"loop/never", [](SampleGraph& g) {
         Value* x = g.input(DType::f32, {3});
         auto body = region(g, {kCount, kFlag, x->type()}, [&](Builder&, std::vector<Value*> in) {
           return std::vector{in[1], in[2], in[2]};
         });
         Node* n = g.b.make_n<Loop>({nullptr, g.input(Tensor::scalar(Bool(false))), x}, {}, 2, list(std::move(body)));
         g.outputs({n->result(0), n->result(1)});
       }});
  samples.push_back({"scan", [](SampleGraph& g) {
                       Value *state = g.input(DType::f32, {2}),
                             *x = g.input(g.random(DType::f32, {2, 5}), {Dim(2), Dim::symbol("T")});
                       auto body = region(g, {state->type(), state->type()}, [&](Builder& b, std::vector<Value*> in) {
                         return std::vector{in[1], b.make<Concat>({in[0], in[1]}, {0})};
                       });
                       Scan::Attrs attrs{1, {-1}, {1}, {0}, {1}};
                       Node* n = g.b.make_n<Scan>({state, x}, attrs, 2, list(std::move(body)));
                       g.outputs({n->result(0), n->result(1)});
                     }});
  samples.push_back(
      {"sequence_map", [](SampleGraph& g) {
         Sequence s;
         for (int64_t n = 1; n < 4; ++n) s.items.push_back(g.random(DType::f32, {n, 2}));
         Value* x = g.input(std::move(s), Type::sequence(Type::tensor(DType::f32, {Dim::symbol("n"), Dim(2)})));
         auto body = region(g, {x->type().element()}, [&](Builder& b, std::vector<Value*> in) {
           return std::vector{b.make<Transpose>({in[0]})};
         });
         g.outputs({g.b.make_n<SequenceMap>({x}, {}, 1, list(std::move(body)))->result(0)});
       }});
}

}  // namespace tc
