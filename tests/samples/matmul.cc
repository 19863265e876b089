#include <limits>

#include "tests/samples/sample.h"

namespace tc {
namespace {

template <DType T>
void matmul(SampleGraph& g) {
  g.outputs({g.b.make<MatMul>({g.input(T, {5, 19}), g.input(T, {19, 35})})});
}

void einsum(SampleGraph& g, const char* equation, std::vector<Extents> operands) {
  std::vector<Value*> values;
  for (auto& e : operands) values.push_back(g.input(DType::f32, e));
  g.outputs({g.b.make<Einsum>(values, {equation})});
}

// 2.5 MB of constant weights, which few rows read as 22-bit integers where the caches do not hold them; a column that
// this does not hold.
void few_rows(SampleGraph& g) {
  Tensor wide = g.random(DType::f32, {600, 520}), odd = wide;
  odd.mutable_span<float>()[1234] = std::numeric_limits<float>::infinity();
  Value *w = g.b.constant(wide), *bias = g.input(DType::f32, {520});
  Value* x = g.input(DType::f32, {1, 1, 600}, 0, 1);
  g.outputs({g.b.make<MatMul>({x, w}), g.b.make<MatMul>({g.input(DType::f32, {2, 1, 600}), w}),
             g.b.make<Relu>({g.b.make<Add>({g.b.make<MatMul>({g.input(DType::f32, {600}), w}), bias})}),
             g.b.make<Gemm>({g.input(DType::f32, {520, 1}), w}, {.trans_a = true, .trans_b = true}),
             g.b.make<MatMul>({g.input(DType::f32, {5, 600}), w}), g.b.make<MatMul>({x, g.b.constant(odd)})});
}

}  // namespace

void samples_matmul(std::vector<Sample>& samples) {
  samples.push_back({"matmul/f32", matmul<DType::f32>});
  samples.push_back({"matmul/f64", matmul<DType::f64>});
  samples.push_back({"matmul/f16", matmul<DType::f16>});
  samples.push_back({"matmul/bf16", matmul<DType::bf16>});
  samples.push_back({"matmul/i32", matmul<DType::i32>});
  samples.push_back({"matmul/u64", matmul<DType::u64>});
  samples.push_back({"matmul/batch", [](SampleGraph& g) {
                       g.outputs({g.b.make<MatMul>({g.input(DType::f32, {2, 1, 3, 7}), g.input(DType::f32, {4, 7, 5})}),
                                  g.b.make<MatMul>({g.input(DType::f32, {2, 3, 7}), g.input(DType::f32, {7, 5})})});
                     }});
  samples.push_back(
      {"matmul/vectors", [](SampleGraph& g) {
         Value *v = g.input(DType::f32, {7}), *m = g.input(DType::f32, {2, 7, 5}), *w = g.input(DType::f32, {5});
         g.outputs({g.b.make<MatMul>({v, v}), g.b.make<MatMul>({v, m}), g.b.make<MatMul>({m, w})});
       }});
  samples.push_back({"matmul/empty", [](SampleGraph& g) {
                       g.outputs({g.b.make<MatMul>({g.input(DType::f32, {3, 0}), g.input(DType::f32, {0, 5})}),
                                  g.b.make<MatMul>({g.input(DType::f32, {0, 4}), g.input(DType::f32, {4, 5})})});
                     }});
  samples.push_back({"matmul/few_rows", few_rows, 1e-4, 5e-5, 5e-4});
  samples.push_back({"matmul/symbolic", [](SampleGraph& g) {
                       Value* x = g.input(g.random(DType::f32, {6, 4}), {Dim::symbol("N"), Dim(4)});
                       g.outputs({g.b.make<MatMul>({x, g.b.constant(g.random(DType::f32, {4, 33}))})});
                     }});
  samples.push_back({"matmul/f64_shapes", [](SampleGraph& g) {
                       // Batches that broadcast, vectors, thin and tall ones, and one of several blocks.
                       Value *v = g.input(DType::f64, {70}), *m = g.input(DType::f64, {2, 70, 33});
                       g.outputs(
                           {g.b.make<MatMul>({g.input(DType::f64, {2, 1, 9, 70}), g.input(DType::f64, {3, 70, 33})}),
                            g.b.make<MatMul>({v, m}), g.b.make<MatMul>({g.input(DType::f64, {2, 3, 70}), m}),
                            g.b.make<MatMul>({g.input(DType::f64, {40, 300}), g.input(DType::f64, {300, 2})}),
                            g.b.make<MatMul>({g.input(DType::f64, {150, 300}), g.input(DType::f64, {300, 270})})});
                     }});
  samples.push_back({"matmul/f64_epilogues", [](SampleGraph& g) {
                       auto x = [&] {
                         return g.b.make<MatMul>({g.input(DType::f64, {6, 20}), g.input(DType::f64, {20, 37})});
                       };
                       Value* added = g.b.make<Add>({x(), g.input(DType::f64, {37})});
                       g.outputs({g.b.make<Relu>({added}), g.b.make<Gelu>({x()}),
                                  g.b.make<Add>({x(), g.input(DType::f64, {6, 37})}), g.b.make<Tanh>({x()})});
                     }});
  samples.push_back({"matmul/integers", [](SampleGraph& g) {
                       // Sums of 64 bits that overflow wrap around; narrower ones do not meet their bounds here, for
                       // the widened interpreter has none.
                       constexpr double kLarge = 5000;
                       g.outputs({g.b.make<MatMul>({g.input(DType::i32, {9, 40}, -kLarge, kLarge),
                                                    g.input(DType::i32, {40, 70}, -kLarge, kLarge)}),
                                  g.b.make<MatMul>({g.input(DType::i64, {2, 9, 40}, -9e18, 9e18),
                                                    g.input(DType::i64, {40, 35}, -9e18, 9e18)}),
                                  g.b.make<MatMul>({g.input(DType::u32, {9, 40}, 0, kLarge),
                                                    g.input(DType::u32, {40, 3}, 0, kLarge)})});
                     }});
  samples.push_back({"gemm/f64", [](SampleGraph& g) {
                       g.outputs({g.b.make<Gemm>(
                           {g.input(DType::f64, {19, 5}), g.input(DType::f64, {33, 19}), g.input(DType::f64, {5, 1})},
                           {.alpha = 0.5, .beta = 2, .trans_a = true, .trans_b = true})});
                     }});
  samples.push_back({"gemm/i64", [](SampleGraph& g) {
                       g.outputs({g.b.make<Gemm>(
                           {g.input(DType::i64, {5, 19}), g.input(DType::i64, {33, 19}), g.input(DType::i64, {33})},
                           {.trans_b = true})});
                     }});
  samples.push_back({"gemm/plain", [](SampleGraph& g) {
                       g.outputs({g.b.make<Gemm>({g.input(DType::f32, {5, 19}), g.input(DType::f32, {19, 33}),
                                                  g.input(DType::f32, {33})}),
                                  g.b.make<Gemm>({g.input(DType::f32, {5, 19}), g.input(DType::f32, {19, 33})})});
                     }});
  samples.push_back({"gemm/transposed", [](SampleGraph& g) {
                       g.outputs({g.b.make<Gemm>(
                           {g.input(DType::f32, {19, 5}), g.input(DType::f32, {33, 19}), g.input(DType::f32, {5, 1})},
                           {.alpha = 0.5, .beta = 2, .trans_a = true, .trans_b = true})});
                     }});
  samples.push_back(
      {"gemm/i32", [](SampleGraph& g) {
         g.outputs({g.b.make<Gemm>({g.input(DType::i32, {5, 7}), g.input(DType::i32, {7, 3}), g.input(DType::i32, {})},
                                   {.alpha = 3, .beta = 2})});
       }});
  samples.push_back(
      {"matmul_integer/zero_points", [](SampleGraph& g) {
         g.outputs(
             {g.b.make<MatMulInteger>({g.input(DType::u8, {4, 9}, 0, 255), g.input(DType::i8, {9, 5}, -128, 127),
                                       g.b.constant(Tensor::of<uint8_t>({4}, {1, 2, 3, 128})),
                                       g.b.constant(Tensor::of<int8_t>({}, {-3}))}),
              g.b.make<MatMulInteger>({g.input(DType::u8, {2, 4, 9}, 0, 255), g.input(DType::u8, {9, 5}, 0, 255)})});
       }});
  samples.push_back({"einsum/matmul", [](SampleGraph& g) { einsum(g, "bij, bjk -> bik", {{2, 3, 5}, {2, 5, 4}}); }});
  samples.push_back({"einsum/implicit", [](SampleGraph& g) { einsum(g, "ij,jk", {{3, 5}, {5, 4}}); }});
  samples.push_back({"einsum/diagonal", [](SampleGraph& g) { einsum(g, "...ii->...i", {{2, 3, 3}}); }});
  samples.push_back({"einsum/trace", [](SampleGraph& g) { einsum(g, "ii", {{3, 3}}); }});
  samples.push_back({"einsum/elementwise", [](SampleGraph& g) { einsum(g, "ij,j->ij", {{3, 5}, {5}}); }});
  samples.push_back({"einsum/elementwise_turned", [](SampleGraph& g) { einsum(g, "ij,kj->jki", {{3, 5}, {4, 5}}); }});
  samples.push_back({"einsum/diagonals", [](SampleGraph& g) { einsum(g, "iajbi,ja->ab", {{3, 2, 4, 5, 3}, {4, 2}}); }});
  samples.push_back({"einsum/cube", [](SampleGraph& g) { einsum(g, "iii,i->i", {{4, 4, 4}, {4}}); }});
  samples.push_back({"einsum/ellipsis", [](SampleGraph& g) {
                       einsum(g, "...ij,...jk->...ik", {{2, 1, 3, 5}, {4, 5, 2}});
                     }});
  samples.push_back({"einsum/three", [](SampleGraph& g) { einsum(g, "ab,bc,cd->da", {{2, 3}, {3, 4}, {4, 5}}); }});
  samples.push_back({"einsum/heads", [](SampleGraph& g) {
                       einsum(g, "bthd,bshd->bhts", {{2, 5, 3, 4}, {2, 6, 3, 4}});
                       Value *p = g.input(DType::f64, {2, 3, 5, 6}), *v = g.input(DType::f64, {2, 6, 3, 4});
                       g.outputs({g.module->main().output(0), g.b.make<Einsum>({p, v}, {"bhts,bshd->bthd"})});
                     }});
  samples.push_back({"einsum/outer_and_alone", [](SampleGraph& g) {
                       Value *a = g.input(DType::f32, {3, 4}), *b = g.input(DType::f32, {5, 2});
                       g.outputs({g.b.make<Einsum>({a, b}, {"ij,kl->ilk"}), g.b.make<Einsum>({a, b}, {"ij,kl->k"}),
                                  g.b.make<Einsum>({a}, {"ij->ji"}), g.b.make<Einsum>({a, a}, {"ij,ij->ij"})});
                     }});
  samples.push_back(
      {"einsum/symbolic", [](SampleGraph& g) {
         const Dim n = Dim::symbol("N"), t = Dim::symbol("T");
         Value *x = g.input(g.random(DType::f32, {2, 5, 6}), {n, t, Dim(6)}), *w = g.input(DType::f32, {6, 3, 2});
         g.outputs({g.b.make<Einsum>({x, w}, {"btd,dhk->bthk"}), g.b.make<Einsum>({x, x}, {"bid,bjd->bij"})});
       }});
  samples.push_back({"einsum/sum", [](SampleGraph& g) { einsum(g, "ij->", {{3, 5}}); }});
}

}  // namespace tc
