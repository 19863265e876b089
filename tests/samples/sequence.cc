#include "tests/samples/sample.h"

namespace tc {
namespace {

Value* three(SampleGraph& g) {
  return g.b.make<SequenceConstruct>(
      {g.input(DType::f32, {2, 3}), g.input(DType::f32, {2, 1}), g.input(DType::f32, {2, 2})});
}

}  // namespace

void samples_sequence(std::vector<Sample>& samples) {
  const auto add = [&](const char* name, void (*build)(SampleGraph&)) { samples.push_back({name, build}); };
  add("sequence_construct", [](SampleGraph& g) { g.outputs({three(g)}); });
  add("sequence_empty", [](SampleGraph& g) { g.outputs({g.b.make<SequenceEmpty>({}, {DType::i64})}); });
  add("sequence_at", [](SampleGraph& g) {
    Value* s = three(g);
    g.outputs({g.b.make<SequenceAt>({s, g.b.scalar<int64_t>(-1)}),
               g.b.make<SequenceAt>({s, g.input(Tensor::scalar<int32_t>(1))})});
  });
  add("sequence_insert", [](SampleGraph& g) {
    Value *x = g.input(DType::f32, {2, 5}), *empty = g.b.make<SequenceEmpty>({});
    g.outputs({g.b.make<SequenceInsert>({three(g), x, g.b.scalar<int64_t>(-1)}), g.b.make<SequenceInsert>({empty, x})});
  });
  add("sequence_erase", [](SampleGraph& g) {
    Value* s = three(g);
    g.outputs({g.b.make<SequenceErase>({s, g.b.scalar<int64_t>(0)}), g.b.make<SequenceErase>({s})});
  });
  add("sequence_length", [](SampleGraph& g) { g.outputs({g.b.make<SequenceLength>({three(g)})}); });
  add("split_to_sequence", [](SampleGraph& g) {
    Value* x = g.input(DType::f32, {2, 5});
    g.outputs({g.b.make<SplitToSequence>({x}, {1, false}),
               g.b.make<SplitToSequence>({x, g.b.scalar<int64_t>(2)}, {1, true}),
               g.b.make<SplitToSequence>({x, g.b.ints({4, 1})}, {-1, true})});
  });
  add("concat_from_sequence", [](SampleGraph& g) {
    Value *a = g.input(DType::f32, {2, 3}), *b = g.input(DType::f32, {2, 3});
    g.outputs({g.b.make<ConcatFromSequence>({three(g)}, {1, false}),
               g.b.make<ConcatFromSequence>({g.b.make<SequenceConstruct>({a, b})}, {-1, true})});
  });
  add("optional", [](SampleGraph& g) {
    g.outputs(
        {g.b.make<Optional>({g.input(DType::f32, {2})}), g.b.make<Optional>({}, {Type::tensor(DType::f32, Shape())})});
  });
  add("optional_get_element", [](SampleGraph& g) {
    Value* x = g.input(DType::f32, {2});
    g.outputs({g.b.make<OptionalGetElement>({g.b.make<Optional>({x})}), g.b.make<OptionalGetElement>({x})});
  });
  add("optional_has_element", [](SampleGraph& g) {
    Value* none = g.b.make<Optional>({}, {Type::tensor(DType::f32, Shape())});
    g.outputs({g.b.make<OptionalHasElement>({none}), g.b.make<OptionalHasElement>({g.input(DType::f32, {2})}),
               g.b.make<OptionalHasElement>({})});
  });
}

}  // namespace tc
