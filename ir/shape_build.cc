#include "tc/ir/shape_build.h"

namespace tc {

Value* extent_of(Builder& b, Value* v, int axis) {
  if (const Dim& d = v->shape()[axis]; d.is_const()) return b.ints({d.value()});
  return b.make<ShapeOf>({v}, {.start = axis, .end = axis + 1});
}

Value* join_extents(Builder& b, std::vector<Value*> parts) {
  return b.make<Concat>(std::move(parts), {.axis = 0});
}

Value* iota(Builder& b, Value* count) {
  return b.make<Range>({b.scalar(int64_t{0}), b.make<Squeeze>({count}), b.scalar(int64_t{1})});
}

Value* cast_to(Builder& b, Value* v, DType t) {
  return v->dtype() == t ? v : b.make<Cast>({v}, {.to = t});
}

int64_t known_or_inferred(const Dim& d) {
  return d.is_const() ? d.value() : -1;
}

Value* split_heads(Builder& b, Value* v, int64_t heads, const Dim& size) {
  Value* apart = b.make<Reshape>({v, b.ints({0, 0, heads, known_or_inferred(size)})});
  return b.make<Transpose>({apart}, {{0, 2, 1, 3}});
}

Value* merge_heads(Builder& b, Value* v, const Dim& width) {
  Value* rows = b.make<Transpose>({v}, {{0, 2, 1, 3}});
  return b.make<Reshape>({rows, b.ints({0, 0, known_or_inferred(width)})});
}

}  // namespace tc
