// Regions as sub-plans: branches, loops and scans that capture values, nest, change extents, and give scanned outputs.
#include <gtest/gtest.h>

#include "compare.h"
#include "tc/ir/builder.h"

namespace tc {
namespace {

using Body = std::function<std::vector<Value*>(Builder&, std::vector<Value*>)>;

const Type kCount = Type::tensor(DType::i64, Shape(Dims())), kFlag = Type::tensor(DType::boolean, Shape(Dims()));

std::unique_ptr<Graph> region(Module& m, const std::vector<Type>& inputs, const Body& body) {
  auto graph = std::make_unique<Graph>(m);
  for (const Type& t : inputs) graph->add_input(t);
  Builder b(*graph);
  graph->set_outputs(body(b, graph->inputs()));
  return graph;
}

template <class... Regions>
std::vector<std::unique_ptr<Graph>> regions(Regions... r) {
  std::vector<std::unique_ptr<Graph>> list;
  (list.push_back(std::move(r)), ...);
  return list;
}

Tensor ramp(Extents e, float first = 0) {
  Tensor t(DType::f32, std::move(e));
  for (float& x : t.mutable_span<float>()) x = first, first += 0.25f;
  return t;
}

Type image(Dims d) {
  return Type::tensor(DType::f32, Shape(std::move(d)));
}

TEST(Regions, BranchesCaptureAndChooseExtents) {
  Module m;
  Builder b(m.main());
  Value *cond = m.main().add_input(kFlag, "cond"), *x = m.main().add_input(image({Dim::symbol("N"), 4}), "x");
  Value* y = b.make<Tanh>({x});
  Node* n = b.make_n<If>({cond}, {}, 2,
                         regions(region(m, {},
                                        [&](Builder& r, auto) {
                                          return std::vector{r.make<Concat>({y, x}, {0}), r.make<Add>({y, y})};
                                        }),
                                 region(m, {}, [&](Builder& r, auto) {
                                   return std::vector<Value*>{y, r.make<Mul>({x, r.scalar(3.0f)})};
                                 })));
  m.main().set_outputs(std::vector{b.make<Relu>({n->result(0)}), b.make<Sub>({n->result(1), y})});
  std::vector<std::vector<Datum>> runs;
  for (int64_t rows : {2, 5, 5, 1})
    for (bool c : {true, false, true}) runs.push_back({Tensor::scalar(Bool(c)), ramp({rows, 4}, -1)});
  expect_agreement(m, runs);
}

TEST(Regions, BranchesNestAndCaptureFromEveryLevel) {
  Module m;
  Builder b(m.main());
  Value *p = m.main().add_input(kFlag, "p"), *q = m.main().add_input(kFlag, "q"),
        *x = m.main().add_input(image({Dim::symbol("N"), 3}), "x");
  Value* shared = b.make<Sigmoid>({x});
  auto outer = region(m, {}, [&](Builder& r, auto) {
    Value* local = r.make<Add>({shared, x});
    Node* inner = r.make_n<If>({q}, {}, 1,
                               regions(region(m, {},
                                              [&](Builder& i, auto) {
                                                return std::vector{i.make<Mul>({local, shared})};
                                              }),
                                       region(m, {}, [&](Builder& i, auto) {
                                         return std::vector{i.make<Sub>({x, i.make<Exp>({local})})};
                                       })));
    return std::vector{r.make<Neg>({inner->result(0)})};
  });
  Node* n = b.make_n<If>(
      {p}, {}, 1,
      regions(std::move(outer), region(m, {}, [&](Builder&, auto) { return std::vector<Value*>{shared}; })));
  m.main().set_outputs(std::vector{n->result(0), shared});
  std::vector<std::vector<Datum>> runs;
  for (int64_t rows : {3, 1, 6})
    for (int bits = 0; bits < 4; ++bits)
      runs.push_back(
          {Tensor::scalar(Bool((bits & 1) != 0)), Tensor::scalar(Bool((bits & 2) != 0)), ramp({rows, 3}, -2)});
  expect_agreement(m, runs);
}

TEST(Regions, LoopsWithTripCountsThatDependOnData) {
  Module m;
  Builder b(m.main());
  Value *trips = m.main().add_input(kCount, "trips"), *x = m.main().add_input(image({Dim::symbol("N")}), "x");
  Value* scale = b.make<Cos>({x});
  // sum += x * scale + i until the count is up or the first element exceeds 10; every sum is scanned.
  auto body = region(m, {kCount, kFlag, x->type()}, [&](Builder& r, std::vector<Value*> in) {
    Value* next = r.make<Add>({in[2], r.make<Add>({r.make<Mul>({x, scale}), r.make<Cast>({in[0]}, {DType::f32})})});
    Value* first = r.make<Gather>({next, r.scalar<int64_t>(0)});
    return std::vector{r.make<Less>({first, r.scalar(10.0f)}), next, next};
  });
  Node* n = b.make_n<Loop>({trips, b.scalar(Bool(true)), x}, {}, 2, regions(std::move(body)));
  m.main().set_outputs(std::vector{n->result(0), b.make<ReduceSum>({n->result(1), b.ints({0})})});
  std::vector<std::vector<Datum>> runs;
  for (int64_t count : {3, 1, 100, 6})
    for (int64_t extent : {4, 1, 9}) runs.push_back({Tensor::scalar<int64_t>(count), ramp({extent}, 0.5f)});
  expect_agreement(m, runs);
}

TEST(Regions, CarriedExtentsGrow) {
  Module m;
  Builder b(m.main());
  Value *trips = m.main().add_input(kCount, "trips"), *x = m.main().add_input(image({Dim::symbol("N"), 2}), "x");
  auto body = region(m, {kCount, kFlag, image({Dim::symbol("R"), 2})}, [&](Builder& r, std::vector<Value*> in) {
    Value* grown = r.make<Concat>({in[2], r.make<Tanh>({x})}, {0});
    return std::vector{in[1], grown, r.make<ReduceMean>({grown, r.ints({0})})};
  });
  Node* n = b.make_n<Loop>({trips, nullptr, x}, {}, 2, regions(std::move(body)));
  m.main().set_outputs(std::vector{b.make<Relu>({n->result(0)}), n->result(1)});
  std::vector<std::vector<Datum>> runs;
  for (int64_t count : {4, 1, 7, 2})
    for (int64_t rows : {1, 3}) runs.push_back({Tensor::scalar<int64_t>(count), ramp({rows, 2})});
  expect_agreement(m, runs);
}

TEST(Regions, LoopsInLoopsWithBranches) {
  Module m;
  Builder b(m.main());
  Value *trips = m.main().add_input(kCount, "trips"), *x = m.main().add_input(image({Dim::symbol("N")}), "x");
  auto outer = region(m, {kCount, kFlag, x->type()}, [&](Builder& r, std::vector<Value*> in) {
    Value* odd = r.make<Equal>({r.make<Mod>({in[0], r.scalar<int64_t>(2)}), r.scalar<int64_t>(1)});
    auto inner = region(m, {kCount, kFlag, x->type()}, [&](Builder& i, std::vector<Value*> arg) {
      Node* chosen = i.make_n<If>({odd}, {}, 1,
                                  regions(region(m, {},
                                                 [&](Builder& t, auto) {
                                                   return std::vector{t.make<Add>({arg[2], x})};
                                                 }),
                                          region(m, {}, [&](Builder& t, auto) {
                                            return std::vector{t.make<Sub>({in[2], t.make<Sin>({arg[2]})})};
                                          })));
      return std::vector{arg[1], chosen->result(0)};
    });
    Node* loop = r.make_n<Loop>({in[0], nullptr, in[2]}, {}, 1, regions(std::move(inner)));
    return std::vector{in[1], loop->result(0)};
  });
  Node* n = b.make_n<Loop>({trips, nullptr, x}, {}, 1, regions(std::move(outer)));
  m.main().set_outputs(std::vector{n->result(0)});
  std::vector<std::vector<Datum>> runs;
  for (int64_t count : {5, 0, 3})
    for (int64_t extent : {3, 8}) runs.push_back({Tensor::scalar<int64_t>(count), ramp({extent}, -0.5f)});
  expect_agreement(m, runs);
}

TEST(Regions, ScansForwardAndBackward) {
  Module m;
  Builder b(m.main());
  const Dim t = Dim::symbol("T"), f = Dim::symbol("F");
  Value *state = m.main().add_input(image({f}), "state"), *x = m.main().add_input(image({t, f}), "x"),
        *y = m.main().add_input(image({f, t}), "y");
  Value* gain = b.make<Sigmoid>({state});
  auto body = region(m, {state->type(), image({f}), image({f})}, [&](Builder& r, std::vector<Value*> in) {
    Value* next = r.make<Tanh>({r.make<Add>({r.make<Mul>({in[0], gain}), r.make<Add>({in[1], in[2]})})});
    return std::vector{next, r.make<Neg>({next})};
  });
  Node* n = b.make_n<Scan>({state, x, y}, {2, {0, 1}, {0, 1}, {1}, {1}}, 2, regions(std::move(body)));
  m.main().set_outputs(std::vector{n->result(0), n->result(1)});
  std::vector<std::vector<Datum>> runs;
  for (int64_t steps : {4, 1, 11})
    for (int64_t width : {3, 16}) runs.push_back({ramp({width}), ramp({steps, width}, -1), ramp({width, steps}, 1)});
  expect_agreement(m, runs);
}

// A captured value may lie in blocks of channels; regions see it plain.
TEST(Regions, CapturedConvolutionsArePlain) {
  Module m;
  Builder b(m.main());
  Value *cond = m.main().add_input(kFlag, "cond"),
        *x = m.main().add_input(image({Dim::symbol("N"), 16, Dim::symbol("H"), 5}), "x");
  Value* w = b.constant(ramp({20, 16, 3, 3}, -300));
  Value* y = b.make<Relu>({b.make<Conv>({x, b.make<Mul>({w, b.scalar(1e-3f)})}, {.pads = {1, 1, 1, 1}})});
  Node* n = b.make_n<If>({cond}, {}, 1,
                         regions(region(m, {},
                                        [&](Builder& r, auto) {
                                          return std::vector{r.make<Transpose>({y}, {{0, 2, 3, 1}})};
                                        }),
                                 region(m, {}, [&](Builder& r, auto) {
                                   return std::vector{r.make<MaxPool>({y}, {.kernel_shape = {2, 2}})};
                                 })));
  m.main().set_outputs(std::vector{n->result(0), b.make<Sigmoid>({y})});
  std::vector<std::vector<Datum>> runs;
  for (int64_t h : {4, 9})
    for (bool c : {true, false}) runs.push_back({Tensor::scalar(Bool(c)), ramp({2, 16, h, 5}, -3)});
  for (int64_t i = 0; i < 4; ++i) {
    auto small = runs[static_cast<size_t>(i)][1].tensor().clone();
    for (float& v : small.mutable_span<float>()) v = std::sin(v);
    runs[static_cast<size_t>(i)][1] = small;
  }
  expect_agreement(m, runs);
}

}  // namespace
}  // namespace tc
