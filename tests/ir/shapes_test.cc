// Symbolic shapes through shape arithmetic and through regions.
#include <gtest/gtest.h>

#include <algorithm>

#include "tc/ir/builder.h"

namespace tc {
namespace {

class Shapes : public testing::Test {
 protected:
  Value* input(DType t, Shape s) { return module.main().add_input(Type::tensor(t, std::move(s))); }
  Value* image() { return input(DType::f32, {Dim::symbol("N"), Dim(3), Dim::symbol("H"), Dim::symbol("W")}); }
  Value* extent(Value* x, int64_t axis) { return b.make<Gather>({b.make<ShapeOf>({x}), b.ints({axis})}); }
  Value* concat(std::vector<Value*> values) { return b.make<Concat>(std::move(values), {0}); }
  std::unique_ptr<Graph> region(const std::vector<Type>& inputs) {
    auto g = std::make_unique<Graph>(module);
    for (const Type& t : inputs) g->add_input(t);
    return g;
  }
  static std::vector<std::unique_ptr<Graph>> list(std::unique_ptr<Graph> g) {
    std::vector<std::unique_ptr<Graph>> l;
    l.push_back(std::move(g));
    return l;
  }
  static std::string shape(const Value* v) { return cat(v->shape()); }

  Module module;
  Builder b{module.main()};
  const Type count = Type::tensor(DType::i64, Shape(Dims())), flag = Type::tensor(DType::boolean, Shape(Dims()));
};

TEST_F(Shapes, ReshapeFollowsAComputedTarget) {
  Value* x = image();
  EXPECT_EQ(shape(b.make<Reshape>({x, concat({extent(x, 0), b.ints({-1})})})), "[N,3*H*W]");
  EXPECT_EQ(shape(b.make<Reshape>({x, concat({extent(x, 0), b.ints({3, -1})})})), "[N,3,H*W]");
  EXPECT_EQ(shape(b.make<Reshape>({x, b.ints({0, -1})})), "[N,3*H*W]");
  EXPECT_EQ(shape(b.make<Reshape>({x, concat({b.ints({-1}), extent(x, 3)})})), "[3*H*N,W]");
}

TEST_F(Shapes, ReshapeCancelsSumsOfSymbols) {
  Value* x = b.make<Pad>({image(), b.ints({0, 0, 1, 1, 0, 0, 1, 1})});
  EXPECT_EQ(shape(x), "[N,3,H+2,W+2]");
  EXPECT_EQ(shape(b.make<Reshape>({x, concat({extent(x, 2), b.ints({-1}), extent(x, 3)})})), "[H+2,3*N,W+2]");
}

TEST_F(Shapes, ContentsPassThroughShapeArithmetic) {
  Value* x = image();
  Value* s = b.make<ShapeOf>({x});
  Value* scalar = b.make<Gather>({s, b.scalar<int64_t>(-1)});
  EXPECT_EQ(shape(b.make<ConstantOfShape>({b.make<Unsqueeze>({scalar, b.ints({0})})})), "[W]");
  EXPECT_EQ(shape(b.make<ConstantOfShape>({b.make<Slice>({s, b.ints({3}), b.ints({-5}), b.ints({0}), b.ints({-2})})})),
            "[W,3]");
  EXPECT_EQ(shape(b.make<Range>({b.scalar<int64_t>(0), scalar, b.scalar<int64_t>(2)})), "[floordiv(W+1,2)]");
  Node* parts = b.make_n<Split>({s, b.ints({1, 3})}, {0, {}}, 2);
  EXPECT_EQ(shape(b.make<ConstantOfShape>({concat({parts->result(1), parts->result(0)})})), "[3,H,W,N]");
  EXPECT_EQ(shape(b.make<Expand>(
                {b.scalar<float>(1), concat({b.make<Reshape>({b.make<Size>({x}), b.ints({1})}), b.ints({2})})})),
            "[3*H*N*W,2]");
}

TEST_F(Shapes, SliceOfASymbolicAxis) {
  Value* x = input(DType::f32, {Dim::symbol("N")});
  const auto slice = [&](int64_t from, int64_t to, int64_t step) {
    return shape(b.make<Slice>({x, b.ints({from}), b.ints({to}), b.ints({0}), b.ints({step})}));
  };
  EXPECT_EQ(slice(0, INT64_MAX, 1), "[N]");
  EXPECT_EQ(slice(-1, INT64_MIN, -1), "[N]");
  EXPECT_EQ(slice(INT64_MAX, INT64_MIN, -1), "[N]");
  EXPECT_EQ(slice(1, INT64_MAX, 1), "[max(0,N-1)]");
  EXPECT_EQ(slice(0, -1, 1), "[max(0,N-1)]");
  EXPECT_EQ(slice(0, INT64_MAX, 2), "[floordiv(N+1,2)]");
}

// NumPy's slices where the clamps of ONNX agree with them, by walking; and the symbolic length agrees with the fixed
// one.
TEST_F(Shapes, SliceLengthsByCounting) {
  Value* x = input(DType::f32, {Dim::symbol("N")});
  for (int64_t n = 0; n <= 4; ++n)
    for (int64_t from = -5; from <= 5; ++from)
      for (int64_t to = -6; to <= 5; ++to)
        for (int64_t step : {-3, -2, -1, 1, 2, 3}) {
          const int64_t start = from < 0 ? from + n : from, end = to < 0 ? to + n : to;
          int64_t walked = 0;
          if (step > 0)
            for (int64_t i = std::max<int64_t>(start, 0); i < std::min(end, n); i += step) ++walked;
          else
            for (int64_t i = std::min(std::max<int64_t>(start, 0), n - 1); i > std::max<int64_t>(end, -1); i += step)
              ++walked;
          const std::vector<Value*> bounds{b.ints({from}), b.ints({to}), b.ints({0}), b.ints({step})};
          const auto sliced = [&](Value* v) {
            return b.make<Slice>({v, bounds[0], bounds[1], bounds[2], bounds[3]})->shape()[0];
          };
          ASSERT_EQ(sliced(input(DType::f32, {Dim(n)})), Dim(walked)) << n << ": " << from << ":" << to << ":" << step;
          ASSERT_EQ(sliced(x).eval([&](const std::string&) { return std::optional(n); }), walked)
              << n << ": " << from << ":" << to << ":" << step;
        }
}

TEST_F(Shapes, LoopWidensWhatGrows) {
  Value *x = input(DType::f32, {Dim(1), Dim::symbol("C")}), *trips = input(DType::i64, Shape(Dims()));
  auto body = region({count, flag, x->type(), x->type()});
  Builder in(*body);
  body->set_outputs(std::vector<Value*>{body->input(1), in.make<Concat>({body->input(2), x}, {0}), body->input(3),
                                        in.make<ShapeOf>({x})});
  Node* loop = b.make_n<Loop>({trips, nullptr, x, x}, {}, 3, list(std::move(body)));
  EXPECT_TRUE(loop->result(0)->shape()[0].is_symbol());
  EXPECT_EQ(loop->result(0)->shape()[1], Dim::symbol("C"));
  EXPECT_EQ(shape(loop->result(1)), "[1,C]");
  EXPECT_NE(loop->result(0)->shape()[0], loop->region(0).input(2)->shape()[0])
      << "the last extent is not that of some iteration";
  const std::vector<Type> before{loop->result(0)->type(), loop->result(2)->type(), loop->region(0).input(2)->type()};
  infer_types(*loop);
  EXPECT_EQ(before,
            (std::vector<Type>{loop->result(0)->type(), loop->result(2)->type(), loop->region(0).input(2)->type()}));
}

TEST_F(Shapes, LoopKnowsItsTripCount) {
  Value* x = image();
  auto body = region({count, flag});
  Builder in(*body);
  body->set_outputs(std::vector<Value*>{body->input(1), in.make<ConstantOfShape>({in.ints({2, 0})})});
  Value* trips = b.make<Squeeze>({extent(x, 0)});
  EXPECT_EQ(shape(b.make_n<Loop>({trips}, {}, 1, list(std::move(body)))->result(0)), "[N,2,0]");
}

TEST_F(Shapes, ScanLeavesNoInnerSymbolOutside) {
  Value* x = input(DType::f32, {Dim::symbol("T"), Dim::symbol("C")});
  auto body = region({Type::tensor(DType::f32, {Dim::symbol("C")})});
  Builder in(*body);
  Value* found = in.make<NonZero>({body->input(0)});
  body->set_outputs(std::vector<Value*>{body->input(0), found});
  Node* scan = b.make_n<Scan>({x}, {1, {}, {}, {1, 0}, {}}, 2, list(std::move(body)));
  EXPECT_EQ(shape(scan->result(0)), "[C,T]");
  EXPECT_NE(scan->result(1)->shape()[2], scan->region(0).output(1)->shape()[1]);
}

TEST_F(Shapes, IfJoinsItsBranches) {
  Value *x = image(), *cond = input(DType::boolean, Shape(Dims()));
  auto branch = [&](const std::vector<int64_t>& perm) {
    auto g = region({});
    g->set_outputs(std::vector<Value*>{Builder(*g).make<Transpose>({x}, {perm})});
    return g;
  };
  auto regions = list(branch({0, 1, 3, 2}));
  regions.push_back(branch({0, 1, 2, 3}));
  const Shape s = b.make_n<If>({cond}, {}, 1, std::move(regions))->result(0)->shape();
  EXPECT_EQ(s[0], Dim::symbol("N"));
  EXPECT_EQ(s[1], Dim(3));
  EXPECT_TRUE(fresh_number(s[2].symbol_name()) && fresh_number(s[3].symbol_name()));
  EXPECT_NE(s[2], s[3]);
}

TEST_F(Shapes, ResizeScalesSymbols) {
  Value* scales = b.constant(Tensor::of<float>({4}, {1, 1, 2, 0.25F}));
  EXPECT_EQ(shape(b.make<Resize>({image(), nullptr, scales})), "[N,3,2*H,floordiv(W,4)]");
}

TEST_F(Shapes, ErrorsNameWhatDoesNotFit) {
  const auto code = [&](auto&& f) {
    try {
      f();
    } catch (const Error& e) {
      EXPECT_FALSE(e.diagnostic().location.empty());
      return e.code();
    }
    return ErrorCode::internal;
  };
  Value* x = input(DType::f32, {Dim(2), Dim(3)});
  EXPECT_EQ(code([&] { b.make<Reshape>({x, b.ints({4, 2})}); }), ErrorCode::bad_shape);
  EXPECT_EQ(code([&] { b.make<Reshape>({x, b.ints({-1, -1})}); }), ErrorCode::bad_shape);
  EXPECT_EQ(code([&] { b.make<Squeeze>({x, b.ints({0})}); }), ErrorCode::bad_shape);
  EXPECT_EQ(code([&] { b.make<Transpose>({x}, {{0, 0}}); }), ErrorCode::bad_attribute);
  EXPECT_EQ(code([&] { b.make<Concat>({x, input(DType::f32, {Dim(3), Dim(3)})}, {1}); }), ErrorCode::bad_shape);
  EXPECT_EQ(code([&] {
              b.make<Slice>({x, b.ints({0}), b.ints({1}), b.ints({0}), b.ints({0})});
            }),
            ErrorCode::bad_value);
}

}  // namespace
}  // namespace tc
