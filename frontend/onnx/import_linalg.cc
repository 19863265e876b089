#include "tc/frontend/onnx/microsoft.h"
#include "tc/ir/shape_build.h"

namespace tc::onnx {
namespace {

// Gauss and Jordan's elimination with the greatest element of each column as pivot. Every iteration makes a column of
// [x, 1] one of the unit matrix, for all matrices of the batch at once; what x was becomes 1, and 1 its inverse.
std::vector<Value*> inverse(NodeImport& n) {
  Builder& b = n.b();
  Value* given = n.required(0);
  const Shape& s = given->shape();
  if (s.ranked() && s.rank() < 2) n.fail(ErrorCode::bad_shape, "the input must be matrices, got ", given->type());
  const DType wide = given->dtype() == DType::f64 ? DType::f64 : DType::f32;
  Value* extents = b.make<ShapeOf>({given});
  Value* size = b.make<ShapeOf>({given}, {.start = -1, .end = {}});
  Value* x = b.make<Reshape>({cast_to(b, given, wide), b.make<Concat>({b.ints({-1}), size, size}, {.axis = 0})});
  Value *index = iota(b, size), *column = b.make<Unsqueeze>({index, b.ints({1})});
  Value* unit = b.make<Cast>({b.make<Equal>({index, column})}, {.to = wide});
  Value* units = b.make<Expand>({unit, b.make<ShapeOf>({x})});
  Value* joined = b.make<Concat>({x, units}, {.axis = 2});

  auto body = std::make_unique<Graph>(n.module(), "column");
  Value* k = body->add_input(Type::tensor(DType::i64, Shape(Dims())), "k");
  Value* go_on = body->add_input(Type::tensor(DType::boolean, Shape(Dims())), "go_on");
  Value* m = body->add_input(joined->type(), "m");
  Builder in(*body);
  in.set_location(b.location());
  Value* size_of_column = in.make<Abs>({in.make<Gather>({m, k}, {.axis = 2})});
  Value* below = in.make<GreaterOrEqual>({index, k});
  Value* eligible = in.make<Where>({below, size_of_column, in.scalar_like(wide, -1)});
  Value* pivot = in.make<ArgMax>({eligible}, {.axis = 1, .keepdims = true});
  Value *is_k = in.make<Equal>({index, k}), *is_pivot = in.make<Equal>({index, pivot});
  Value* from = in.make<Where>({is_k, pivot, in.make<Where>({is_pivot, k, index})});
  Value* places = in.make<Expand>({in.make<Unsqueeze>({from, in.ints({2})}), in.make<ShapeOf>({m})});
  Value* swapped = in.make<GatherElements>({m, places}, {.axis = 1});
  Value* row = in.make<Gather>({swapped, in.make<Unsqueeze>({k, in.ints({0})})}, {.axis = 1});
  Value* at_k = in.make<Unsqueeze>({k, in.ints({0})});
  row = in.make<Div>({row, in.make<Gather>({row, at_k}, {.axis = 2})});
  Value* factors = in.make<Gather>({swapped, at_k}, {.axis = 2});
  Value* reduced = in.make<Sub>({swapped, in.make<Mul>({factors, row})});
  Value* next = in.make<Where>({in.make<Equal>({column, k}), row, reduced});
  body->set_outputs(std::vector<Value*>{go_on, next});
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(body));
  Value* trips = b.make<Reshape>({size, b.ints({})});
  Value* done = b.make_n<Loop>({trips, nullptr, joined}, {}, 1, std::move(regions))->result(0);
  Value* y = b.make<Slice>({done, size, b.make<Add>({size, size}), b.ints({2})});
  return {cast_to(b, b.make<Reshape>({y, extents}, {.allow_zero = true}), given->dtype())};
}

}  // namespace

void rows_import_linalg(ImportRows& rows) {
  rows.push_back({"Inverse", 1, inverse, kMicrosoft});
}

}  // namespace tc::onnx
