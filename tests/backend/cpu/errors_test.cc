// Bad inputs, data that only a run can refuse, budgets; and contexts that stay usable after a failure.
#include <gtest/gtest.h>

#include "compare.h"
#include "tc/ir/builder.h"

namespace tc {
namespace {

struct Case {
  Module m;
  Builder b{m.main()};
  std::shared_ptr<const Executable> executable;
  std::unique_ptr<Context> context;

  Value* input(Dims d, const std::string& name, DType t = DType::f32) {
    return m.main().add_input(Type::tensor(t, Shape(std::move(d))), name);
  }
  void compile_outputs(std::vector<Value*> values, CompileOptions options = {}) {
    m.main().set_outputs(values);
    executable = compiled(m, options);
    context = executable->make_context(1);
  }
  // The code and text of the error of a run; code internal and no text when it succeeds.
  std::pair<ErrorCode, std::string> failure(std::vector<Datum> inputs) {
    try {
      executable->run(std::move(inputs), *context);
    } catch (const Error& e) {
      return {e.diagnostic().code, e.what()};
    }
    return {ErrorCode::internal, ""};
  }
  void expect_works(const std::vector<Datum>& inputs) {
    std::string text;
    EXPECT_EQ(
        text = error_of([&] { EXPECT_EQ(differences(executable->run(inputs, *context), widened(m, inputs)), ""); }),
        "");
  }
};

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Errors, InputsThatDoNotFitTheirTypes) {
  Case c;
  Value *x = c.input({Dim::symbol("N"), 3}, "left"), *y = c.input({Dim::symbol("N"), Dim::symbol("M")}, "right");
  c.compile_outputs({c.b.make<Relu>({x}), c.b.make<Tanh>({y})});
  const std::vector<Datum> good{Tensor(DType::f32, {2, 3}), Tensor(DType::f32, {2, 7})};
  c.expect_works(good);
  const std::pair<std::vector<Datum>, const char*> bad[] = {
      {{Tensor(DType::f64, {2, 3}), Tensor(DType::f32, {2, 7})}, "left"},
      {{Tensor(DType::f32, {2, 3, 1}), Tensor(DType::f32, {2, 7})}, "left"},
      {{Tensor(DType::f32, {2, 4}), Tensor(DType::f32, {2, 7})}, "left"},
      {{Tensor(DType::f32, {2, 3}), Tensor(DType::f32, {5, 7})}, "right"},
      {{Tensor(DType::f32, {2, 3}), Datum()}, "right"},
      {{Tensor(DType::f32, {2, 3}), Sequence{}}, "right"},
      {{Tensor(DType::f32, {2, 3})}, "2"},
      {{Tensor(DType::f32, {2, 3}), Tensor(DType::f32, {2, 7}), Tensor(DType::f32, {1})}, "2"},
  };
  for (const auto& [inputs, part] : bad) {
    const auto [code, text] = c.failure(inputs);
    EXPECT_EQ(code, ErrorCode::bad_input) << text;
    EXPECT_TRUE(mentions(text, part)) << text;
    c.expect_works(good);
  }
}

TEST(Errors, SearchesThatCannotBe) {
  Case c;
  Value *x = c.input({Dim::symbol("N")}, "x"), *k = c.input({Dim::symbol("K")}, "k", DType::i64);
  Value *boxes = c.input({1, Dim::symbol("B"), 4}, "boxes"), *scores = c.input({1, 1, Dim::symbol("S")}, "scores");
  Value *from = c.input({}, "from", DType::i64), *step = c.input({}, "step", DType::i64);
  c.b.set_location("searches");
  Node* best = c.b.make_n<TopK>({x, k}, {}, 2);
  c.compile_outputs({best->result(0), best->result(1), c.b.make<NonMaxSuppression>({boxes, scores, k}),
                     c.b.make<Range>({from, c.b.constant(Tensor::of<int64_t>({}, {9})), step}),
                     c.b.make<OneHot>({k, from, x})});
  const auto inputs = [](int64_t n, Tensor count, int64_t b, int64_t s, int64_t start, int64_t delta) {
    return std::vector<Datum>{Tensor(DType::f32, {n}),          std::move(count),
                              Tensor(DType::f32, {1, b, 4}),    Tensor(DType::f32, {1, 1, s}),
                              Tensor::of<int64_t>({}, {start}), Tensor::of<int64_t>({}, {delta})};
  };
  const Tensor two = Tensor::of<int64_t>({1}, {2});
  const auto good = inputs(2, two, 5, 5, 3, 2);
  const std::tuple<std::vector<Datum>, ErrorCode, const char*> bad[] = {
      {inputs(2, Tensor::of<int64_t>({1}, {3}), 5, 5, 3, 2), ErrorCode::bad_value, "the 3 largest of 2"},
      {inputs(2, Tensor::of<int64_t>({1}, {-1}), 5, 5, 3, 2), ErrorCode::bad_value, "the -1 largest of 2"},
      {inputs(2, Tensor::of<int64_t>({2}, {1, 1}), 5, 5, 3, 2), ErrorCode::bad_shape, "one element"},
      {inputs(2, two, 5, 4, 3, 2), ErrorCode::bad_shape, "do not fit"},
      {inputs(2, two, 5, 5, 3, 0), ErrorCode::bad_value, "delta 0"},
      {inputs(2, two, 5, 5, INT64_MIN, 1), ErrorCode::limit_size, "range of"},
      {inputs(2, two, 5, 5, -1, 1), ErrorCode::bad_value, "depth -1"},
      {inputs(3, two, 5, 5, 3, 2), ErrorCode::bad_shape, "2 elements, got 3"},
  };
  for (const auto& [given, expected, part] : bad) {
    c.expect_works(good);
    const auto [code, text] = c.failure(given);
    EXPECT_EQ(code, expected) << text;
    EXPECT_TRUE(mentions(text, "searches")) << text;
    EXPECT_TRUE(mentions(text, part)) << text;
  }
}

TEST(Errors, ConditionsThatAreTooLong) {
  Case c;
  Value *x = c.input({Dim::symbol("N"), 3}, "x"), *y = c.input({Dim::symbol("K")}, "y");
  c.b.set_location("compress here");
  c.compile_outputs({c.b.make<Compress>({x, c.b.make<Greater>({y, c.b.scalar(0.0F)})}, {0})});
  c.expect_works({Tensor(DType::f32, {4, 3}), Tensor(DType::f32, {4})});
  const auto [code, text] = c.failure({Tensor(DType::f32, {4, 3}), Tensor(DType::f32, {5})});
  EXPECT_EQ(code, ErrorCode::bad_shape) << text;
  EXPECT_TRUE(mentions(text, "compress here") && mentions(text, "a condition of 5 elements for 4")) << text;
}

TEST(Errors, IndicesOutOfRange) {
  Case c;
  Value *x = c.input({Dim::symbol("N"), 3}, "x"), *i = c.input({Dim::symbol("K")}, "i", DType::i64);
  c.b.set_location("lookup");
  Value* y = c.b.make<Gather>({c.b.make<Exp>({x}), i});
  c.b.set_location("after");
  c.compile_outputs({c.b.make<Neg>({y})});
  const std::vector<Datum> good{Tensor(DType::f32, {4, 3}), Tensor::of<int64_t>({3}, {0, -4, 3})};
  for (int64_t index : {4L, -5L, INT64_MAX, INT64_MIN}) {
    c.expect_works(good);
    const auto [code, text] = c.failure({Tensor(DType::f32, {4, 3}), Tensor::of<int64_t>({2}, {0, index})});
    EXPECT_EQ(code, ErrorCode::bad_value) << text;
    EXPECT_TRUE(mentions(text, "lookup")) << text;
  }
  EXPECT_EQ(c.failure({Tensor(DType::f32, {0, 3}), Tensor::of<int64_t>({1}, {0})}).first, ErrorCode::bad_value);
  c.expect_works(good);
}

TEST(Errors, DivisionsByZero) {
  Case c;
  Value *x = c.input({Dim::symbol("N")}, "x", DType::i32), *y = c.input({Dim::symbol("N")}, "y", DType::i32);
  c.compile_outputs({c.b.make<Div>({x, y})});
  const std::vector<Datum> good{Tensor::of<int32_t>({2}, {7, INT32_MIN}), Tensor::of<int32_t>({2}, {2, -1})};
  const auto [code, text] = c.failure({Tensor::of<int32_t>({2}, {7, 1}), Tensor::of<int32_t>({2}, {2, 0})});
  EXPECT_EQ(code, ErrorCode::bad_value) << text;
  EXPECT_EQ(error_of([&] { c.executable->run(good, *c.context); }), "");
}

TEST(Errors, ExtentsThatDoNotCombine) {
  Case c;
  Value *x = c.input({Dim::symbol("N"), Dim::symbol("K")}, "x"),
        *y = c.input({Dim::symbol("L"), Dim::symbol("M")}, "y");
  c.compile_outputs({c.b.make<MatMul>({c.b.make<Relu>({x}), y}), c.b.make<Reshape>({x, c.b.ints({-1, 4})})});
  c.expect_works({Tensor(DType::f32, {2, 6}), Tensor(DType::f32, {6, 5})});
  EXPECT_NE(c.failure({Tensor(DType::f32, {2, 6}), Tensor(DType::f32, {4, 5})}).second, "");
  EXPECT_NE(c.failure({Tensor(DType::f32, {1, 6}), Tensor(DType::f32, {6, 5})}).second, "");  // 6 elements in rows of 4
  c.expect_works({Tensor(DType::f32, {4, 6}), Tensor(DType::f32, {6, 1})});
}

TEST(Errors, BroadcastsThatDoNotFit) {
  Case c;
  Value *x = c.input({Dim::symbol("N"), 3}, "x"), *y = c.input({Dim::symbol("M"), 3}, "y");
  c.compile_outputs({c.b.make<Add>({x, y})});
  c.expect_works({Tensor(DType::f32, {4, 3}), Tensor(DType::f32, {1, 3})});
  c.expect_works({Tensor(DType::f32, {1, 3}), Tensor(DType::f32, {5, 3})});
  EXPECT_NE(c.failure({Tensor(DType::f32, {4, 3}), Tensor(DType::f32, {5, 3})}).second, "");
  c.expect_works({Tensor(DType::f32, {0, 3}), Tensor(DType::f32, {1, 3})});
}

TEST(Errors, WindowsThatDoNotFit) {
  Case c;
  Value* x = c.input({1, 4, Dim::symbol("H"), 8}, "x");
  c.compile_outputs({c.b.make<MaxPool>({x}, {.kernel_shape = {5, 5}})});
  c.expect_works({Tensor(DType::f32, {1, 4, 6, 8})});
  EXPECT_EQ(c.failure({Tensor(DType::f32, {1, 4, 3, 8})}).first, ErrorCode::bad_shape);
  c.expect_works({Tensor(DType::f32, {1, 4, 5, 8})});
}

TEST(Errors, MemoryBudget) {
  Case c;
  Value* x = c.input({Dim::symbol("N")}, "x");
  CompileOptions options;
  options.max_memory = 1 << 20;
  c.compile_outputs({c.b.make<Softmax>({c.b.make<CumSum>({c.b.make<Tanh>({x}), c.b.scalar<int64_t>(0)})})}, options);
  c.expect_works({Tensor(DType::f32, {1000})});
  EXPECT_EQ(c.failure({Tensor(DType::f32, {1 << 20})}).first, ErrorCode::limit_memory);
  c.expect_works({Tensor(DType::f32, {2000})});
}

TEST(Errors, MemoryBudgetCountsWhatIsAlive) {
  // A thousand iterations of 40 KB each need no more than a few of them at once.
  Case c;
  Value* x = c.input({Dim::symbol("N")}, "x");
  auto body = std::make_unique<Graph>(c.m);
  body->add_input(Type::tensor(DType::i64, Shape(Dims())));
  body->add_input(Type::tensor(DType::boolean, Shape(Dims())));
  body->add_input(x->type());
  Builder r(*body);
  // NonZero runs on its reference body; extents after it are known only afterwards.
  Value* next = r.make<Tanh>({r.make<Add>({body->input(2), r.scalar(0.5f)})});
  Value* all = r.make<Gather>({next, r.make<Squeeze>({r.make<NonZero>({next}), r.ints({0})})});
  body->set_outputs(std::vector{body->input(1), next, r.make<ReduceSum>({all, r.ints({0})})});
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(body));
  Node* loop = c.b.make_n<Loop>({c.b.scalar<int64_t>(300), nullptr, x}, {}, 2, std::move(regions));
  CompileOptions options;
  options.max_memory = 4 << 20;
  c.compile_outputs({loop->result(0), loop->result(1)}, options);
  c.expect_works({Tensor(DType::f32, {10000})});
  c.expect_works({Tensor(DType::f32, {10000})});
}

TEST(Errors, StepBudget) {
  Case c;
  Value *n = c.input({}, "n", DType::i64), *x = c.input({2}, "x");
  auto body = std::make_unique<Graph>(c.m);
  body->add_input(n->type());
  body->add_input(Type::tensor(DType::boolean, Shape(Dims())));
  body->add_input(x->type());
  Builder r(*body);
  body->set_outputs(std::vector{body->input(1), r.make<Add>({body->input(2), x})});
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(body));
  Node* loop = c.b.make_n<Loop>({n, nullptr, x}, {}, 1, std::move(regions));
  CompileOptions options;
  options.max_steps = 50;
  c.compile_outputs({loop->result(0)}, options);
  for (int round = 0; round < 3; ++round) {
    c.expect_works({Tensor::scalar<int64_t>(50), Tensor(DType::f32, {2})});
    EXPECT_EQ(c.failure({Tensor::scalar<int64_t>(51), Tensor(DType::f32, {2})}).first, ErrorCode::limit_steps);
  }
}

TEST(Errors, HugeExtentsAreRefusedBeforeAnythingIsAllocated) {
  Case c;
  Value* shape = c.input({3}, "shape", DType::i64);
  c.compile_outputs({c.b.make<ConstantOfShape>({shape})});
  EXPECT_NE(c.failure({Tensor::of<int64_t>({3}, {INT64_MAX, INT64_MAX, 2})}).second, "");
  EXPECT_NE(c.failure({Tensor::of<int64_t>({3}, {1 << 30, 1 << 30, 1 << 10})}).second, "");
  EXPECT_NE(c.failure({Tensor::of<int64_t>({3}, {-1, 2, 3})}).second, "");
  c.expect_works({Tensor::of<int64_t>({3}, {1, 2, 3})});
}

}  // namespace
}  // namespace tc
