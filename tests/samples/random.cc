#include "tests/samples/sample.h"

namespace tc {

void samples_random(std::vector<Sample>& samples) {
  const auto add = [&](const char* name, void (*build)(SampleGraph&)) { samples.push_back({name, build}); };
  add("random_normal", [](SampleGraph& g) {
    RandomNormal::Attrs a;
    a.mean = 3, a.scale = 0.5, a.shape = {3, 7};
    Value* x = g.b.make<RandomNormal>({}, a);
    a.seed = 7.5, a.dtype = DType::f16;
    g.outputs({x, g.b.make<RandomNormal>({}, a)});
  });
  add("random_normal_like", [](SampleGraph& g) {
    RandomNormalLike::Attrs a;
    Value* x = g.b.make<RandomNormalLike>({g.input(DType::f32, {2, 3})}, a);
    a.dtype = DType::f64, a.seed = 1.0;
    g.outputs({x, g.b.make<RandomNormalLike>({g.input(DType::str, {5})}, a)});
  });
  add("random_uniform", [](SampleGraph& g) {
    RandomUniform::Attrs a;
    a.low = -1, a.high = 4, a.shape = {11};
    Value* x = g.b.make<RandomUniform>({}, a);
    a.seed = 0.0, a.dtype = DType::f64, a.shape = {};
    g.outputs({x, g.b.make<RandomUniform>({}, a)});
  });
  add("random_uniform_like", [](SampleGraph& g) {
    RandomUniformLike::Attrs a;
    Value* x = g.b.make<RandomUniformLike>({g.input(DType::f32, {4, 0})}, a);
    a.dtype = DType::bf16, a.seed = -2.0;
    g.outputs({x, g.b.make<RandomUniformLike>({g.input(DType::i32, {4, 3})}, a)});
  });
  add("bernoulli", [](SampleGraph& g) {
    Value* p = g.input(DType::f32, {5, 4}, 0, 1);
    g.outputs({g.b.make<Bernoulli>({p}), g.b.make<Bernoulli>({p}, {DType::boolean, 3.0})});
  });
  add("bernoulli/types", [](SampleGraph& g) {
    Value* p = g.input(DType::f64, {9}, 0, 1);
    g.outputs({g.b.make<Bernoulli>({p}, {DType::u8, {}}), g.b.make<Bernoulli>({p}, {DType::bf16, 5.0})});
  });
  add("multinomial", [](SampleGraph& g) {
    Value* x = g.input(DType::f32, {3, 4});
    g.outputs({g.b.make<Multinomial>({x}, {DType::i32, 5, {}}), g.b.make<Multinomial>({x}, {DType::i64, 2, 9.0})});
  });
  add("multinomial/empty", [](SampleGraph& g) {
    g.outputs({g.b.make<Multinomial>({g.input(DType::f16, {0, 4})}, {DType::i32, 5, {}})});
  });
}

}  // namespace tc
