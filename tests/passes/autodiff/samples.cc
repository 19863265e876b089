#include "tests/passes/autodiff/samples.h"

namespace tc {
namespace {

Dim sym(const char* name) {
  return Dim::symbol(name);
}

// An f32 input of symbolic extents.
Value* symbolic(SampleGraph& g, Extents extents, const char* prefix, double low = -2, double high = 2) {
  Dims dims;
  for (size_t k = 0; k < extents.size(); ++k) dims.push_back(sym((prefix + std::to_string(k)).c_str()));
  return g.input(g.random(DType::f32, extents, low, high), std::move(dims));
}

template <class Op>
void outer(SampleGraph& g) {
  g.outputs({g.b.make<Op>({g.input(DType::f32, {3, 1}, 0.5, 2), g.input(DType::f32, {1, 4}, 0.5, 2)}),
             g.b.make<Op>({g.input(DType::f32, {}, 0.5, 2), g.input(DType::f32, {2, 1, 3}, 0.5, 2)})});
}
template <class Op>
void outer_symbolic(SampleGraph& g) {
  g.outputs({g.b.make<Op>({symbolic(g, {3, 1}, "a", 0.5, 2), symbolic(g, {1, 4}, "b", 0.5, 2)}),
             g.b.make<Op>({symbolic(g, {2, 3}, "c", 0.5, 2), symbolic(g, {3}, "d", 0.5, 2)})});
}
template <class Op>
void empties(SampleGraph& g) {
  g.outputs({g.b.make<Op>({g.input(DType::f32, {0, 4}, 0.5, 2), g.input(DType::f32, {4}, 0.5, 2)}),
             g.b.make<Op>({symbolic(g, {2, 0}, "e", 0.5, 2), symbolic(g, {2, 1}, "f", 0.5, 2)})});
}

void elementwise(std::vector<Sample>& s) {
  s.push_back({"add/outer", outer<Add>});
  s.push_back({"mul/outer_symbolic", outer_symbolic<Mul>});
  s.push_back({"div/outer_symbolic", outer_symbolic<Div>});
  s.push_back({"mul/empty", empties<Mul>});
  s.push_back({"pow/outer", outer<Pow>});
  s.push_back({"max/outer", outer<Max>});
  s.push_back({"prelu/channels", [](SampleGraph& g) {
                 g.outputs({g.b.make<PRelu>({g.input(DType::f32, {2, 3, 4}), g.input(DType::f32, {3, 1})})});
               }});
  s.push_back({"pow/constant_exponents", [](SampleGraph& g) {
                 Value *x = g.input(DType::f32, {7}), *p = g.input(DType::f32, {7}, 0.1, 3);
                 g.outputs({g.b.make<Pow>({x, g.b.scalar(2.0f)}), g.b.make<Pow>({x, g.b.scalar<int64_t>(3)}),
                            g.b.make<Pow>({p, g.b.scalar(-0.5f)}), g.b.make<Pow>({x, g.b.scalar(0.0f)})});
               }});
  s.push_back({"mod/floored", [](SampleGraph& g) {
                 g.outputs({g.b.make<Mod>({g.input(DType::f32, {37}, -9, 9), g.input(DType::f32, {37}, 1, 3)})});
               }});
  s.push_back({"clip/learned_bounds", [](SampleGraph& g) {
                 Value* x = g.input(DType::f32, {5, 7}, -3, 3);
                 Value *low = g.input(Tensor::scalar(-1.0f)), *high = g.input(Tensor::scalar(1.5f));
                 g.outputs({g.b.make<Clip>({x, low, high}), g.b.make<Clip>({x, high, low}), g.b.make<Clip>({x, low}),
                            g.b.make<Clip>({x, nullptr, high})});
               }});
  s.push_back({"where/outer_symbolic", [](SampleGraph& g) {
                 Value* c = g.input(DType::boolean, {3, 1});
                 g.outputs({g.b.make<Where>({c, symbolic(g, {4}, "a"), symbolic(g, {1, 1}, "b")})});
               }});
  s.push_back({"cast/through_f64", [](SampleGraph& g) {
                 Value* x = g.input(DType::f32, {5});
                 Value* wide = g.b.make<Cast>({x}, {.to = DType::f64});
                 g.outputs({g.b.make<Cast>({g.b.make<Mul>({wide, wide})}, {.to = DType::f32}),
                            g.b.make<Cast>({g.b.make<Cast>({x}, {.to = DType::i32})}, {.to = DType::f32})});
               }});
  s.push_back({"identity/chain", [](SampleGraph& g) {
                 Value* x = g.input(DType::f32, {2, 3});
                 Value* y = g.b.make<Tanh>({g.b.make<Identity>({x})});
                 g.outputs({g.b.make<Mul>({y, y}), x, y});
               }});
}

void matmuls(std::vector<Sample>& s) {
  s.push_back({"matmul/ranks", [](SampleGraph& g) {
                 auto f = [&](Extents a, Extents b) {
                   return g.b.make<MatMul>({g.input(DType::f32, std::move(a)), g.input(DType::f32, std::move(b))});
                 };
                 g.outputs({f({3}, {3}), f({3}, {3, 4}), f({2, 3}, {3}), f({3}, {2, 3, 4}), f({2, 4, 3}, {3}),
                            f({2, 4, 3}, {3, 5}), f({4, 3}, {2, 3, 5}), f({2, 1, 4, 3}, {5, 3, 2})});
               }});
  s.push_back({"matmul/symbolic", [](SampleGraph& g) {
                 g.outputs({g.b.make<MatMul>({symbolic(g, {2, 1, 4, 3}, "a"), symbolic(g, {5, 3, 2}, "b")}),
                            g.b.make<MatMul>({symbolic(g, {2, 4, 3}, "c"), symbolic(g, {3, 2}, "d")})});
               }});
  s.push_back({"matmul/empty", [](SampleGraph& g) {
                 g.outputs({g.b.make<MatMul>({g.input(DType::f32, {2, 0}), g.input(DType::f32, {0, 3})}),
                            g.b.make<MatMul>({g.input(DType::f32, {2, 0, 3}), g.input(DType::f32, {3, 4})})});
               }});
  s.push_back({"gemm/all_transposes", [](SampleGraph& g) {
                 std::vector<Value*> y;
                 for (int k = 0; k < 4; ++k) {
                   const bool ta = k & 1, tb = k & 2;
                   y.push_back(
                       g.b.make<Gemm>({g.input(DType::f32, ta ? Extents{3, 2} : Extents{2, 3}),
                                       g.input(DType::f32, tb ? Extents{4, 3} : Extents{3, 4}),
                                       g.input(DType::f32, k % 2 ? Extents{4} : Extents{2, 1})},
                                      {.alpha = 0.5, .beta = k < 2 ? 1.0 : -2.0, .trans_a = ta, .trans_b = tb}));
                 }
                 g.outputs(y);
               }});
  s.push_back({"einsum/forms", [](SampleGraph& g) {
                 auto f = [&](std::string equation, std::vector<Extents> extents) {
                   std::vector<Value*> x;
                   for (auto& e : extents) x.push_back(g.input(DType::f32, e));
                   return g.b.make<Einsum>(x, {std::move(equation)});
                 };
                 g.outputs({f("ij,jk->ik", {{2, 3}, {3, 4}}), f("ij->ji", {{2, 3}}), f("ii->i", {{3, 3}}),
                            f("ii", {{3, 3}}), f("ij->i", {{2, 3}}), f("i,j->ij", {{2}, {3}}),
                            f("...ij,...jk->...ik", {{5, 2, 3}, {1, 3, 4}}), f("b...,b...->b...", {{2, 3}, {2, 1}}),
                            f("bij,bjk,bkl->bil", {{2, 2, 3}, {2, 3, 2}, {2, 2, 4}}), f("iij->j", {{2, 2, 3}}),
                            f("...->...", {{2, 3}}), f("ij,j->", {{2, 3}, {3}})});
               }});
  s.push_back({"eye_like/float", [](SampleGraph& g) {
                 g.outputs({g.b.make<EyeLike>({g.input(DType::f32, {3, 4})}, {DType::f32, 1})});
               }});
  s.push_back({"einsum/symbolic", [](SampleGraph& g) {
                 g.outputs(
                     {g.b.make<Einsum>({symbolic(g, {2, 3, 4}, "a"), symbolic(g, {2, 4, 2}, "b")}, {"bij,bjk->bik"}),
                      g.b.make<Einsum>({symbolic(g, {3, 3}, "c")}, {"ii->i"})});
               }});
}

template <class Op>
void reduction(SampleGraph& g) {
  Value* x = g.input(DType::f32, {2, 3, 4}, 0.2, 2);
  Value* y = symbolic(g, {2, 3, 4}, "r", 0.2, 2);
  std::vector<Value*> out;
  for (Value* v : {x, y}) {
    out.push_back(g.b.make<Op>({v}));
    out.push_back(g.b.make<Op>({v}, {.keepdims = false}));
    out.push_back(g.b.make<Op>({v, g.b.ints({1})}));
    out.push_back(g.b.make<Op>({v, g.b.ints({-1, 0})}, {.keepdims = false}));
    out.push_back(g.b.make<Op>({v, g.b.ints({})}, {.noop_with_empty_axes = true}));
  }
  g.outputs(out);
}
template <class Op>
void empty_reduction(SampleGraph& g) {
  g.outputs({g.b.make<Op>({g.input(DType::f32, {3, 0})}), g.b.make<Op>({g.input(DType::f32, {0, 3}), g.b.ints({1})})});
}
template <class Op>
void run_time_axes(SampleGraph& g) {
  Value* axes = g.input(Tensor::of<int64_t>({1}, {1}));
  g.outputs({g.b.make<Op>({g.input(DType::f32, {2, 3, 4}, 0.2, 2), axes}),
             g.b.make<Op>({g.input(DType::f32, {2, 3, 4}, 0.2, 2), axes}, {.keepdims = false})});
}

template <class Op>
void reductions(std::vector<Sample>& s) {
  s.push_back({cat(Op::facts.name, "/all_axes"), reduction<Op>});
  if (id_of<Op> != OpId::ReduceMax && id_of<Op> != OpId::ReduceMin && id_of<Op> != OpId::ReduceLogSum &&
      id_of<Op> != OpId::ReduceLogSumExp)
    s.push_back({cat(Op::facts.name, "/empty"), empty_reduction<Op>});
  if (id_of<Op> != OpId::ReduceProd) s.push_back({cat(Op::facts.name, "/run_time_axes"), run_time_axes<Op>});
}

void running(std::vector<Sample>& s) {
  s.push_back({"cum_sum/forms", [](SampleGraph& g) {
                 Value* x = g.input(DType::f32, {3, 4});
                 g.outputs({g.b.make<CumSum>({x, g.b.scalar<int64_t>(1)}),
                            g.b.make<CumSum>({x, g.b.scalar<int64_t>(0)}, {.exclusive = true}),
                            g.b.make<CumSum>({x, g.b.scalar<int64_t>(-1)}, {.exclusive = true, .reverse = true})});
               }});
  s.push_back({"reduce_prod/zeros", [](SampleGraph& g) {
                 Value* x = g.input(Tensor::of<float>({3, 3}, {0, 2, 3, 0, 0, 5, 1, 2, 4}));
                 g.outputs({g.b.make<ReduceProd>({x, g.b.ints({1})}), g.b.make<ReduceProd>({x, g.b.ints({0})})});
               }});
}

void movement(std::vector<Sample>& s) {
  s.push_back({"reshape/symbolic", [](SampleGraph& g) {
                 Value* x = symbolic(g, {2, 3, 4}, "a");
                 g.outputs({g.b.make<Reshape>({x, g.b.ints({0, -1})}), g.b.make<Flatten>({x}, {.axis = 2}),
                            g.b.make<Unsqueeze>({x, g.b.ints({-1, 1})}),
                            g.b.make<Squeeze>({g.b.make<Unsqueeze>({x, g.b.ints({0})}), g.b.ints({0})})});
               }});
  s.push_back({"reshape/empty", [](SampleGraph& g) {
                 g.outputs({g.b.make<Reshape>({g.input(DType::f32, {0, 3}), g.b.ints({3, 0})}, {.allow_zero = true})});
               }});
  s.push_back({"concat/symbolic", [](SampleGraph& g) {
                 Value *x = symbolic(g, {2, 3}, "a"), *y = g.input(g.random(DType::f32, {2, 2}), {sym("a0"), Dim(2)});
                 g.outputs({g.b.make<Concat>({x, y, x}, {1}), g.b.make<Concat>({y, g.input(DType::f32, {0, 2})}, {0})});
               }});
  s.push_back({"split/parts", [](SampleGraph& g) {
                 Value* x = g.input(DType::f32, {7, 2});
                 Node* three = g.b.make_n<Split>({x}, {0, 3}, 3);
                 Node* some = g.b.make_n<Split>({x, g.b.ints({1, 4, 2})}, {-2, std::nullopt}, 3);
                 g.outputs({three->result(0), three->result(2), some->result(1)});
               }});
  s.push_back({"slice/forms", [](SampleGraph& g) {
                 Value *x = g.input(DType::f32, {5, 7}), *y = symbolic(g, {5, 7}, "s");
                 std::vector<Value*> out;
                 auto ints = [&](std::vector<int64_t> v) { return g.b.ints(v); };
                 for (Value* v : {x, y}) {
                   out.push_back(g.b.make<Slice>({v, ints({1}), ints({4})}));
                   out.push_back(g.b.make<Slice>({v, ints({1, -3}), ints({1000, -1}), ints({0, 1})}));
                   out.push_back(g.b.make<Slice>({v, ints({-1}), ints({-1000}), ints({1}), ints({-1})}));
                   out.push_back(g.b.make<Slice>({v, ints({5}), ints({1}), ints({1}), ints({-1})}));
                   out.push_back(g.b.make<Slice>({v, ints({0, 6}), ints({5, 0}), ints({0, 1}), ints({2, -3})}));
                   out.push_back(g.b.make<Slice>({v, ints({3}), ints({2})}));
                 }
                 g.outputs(out);
               }});
  s.push_back({"slice/run_time_bounds", [](SampleGraph& g) {
                 Value *start = g.input(Tensor::of<int64_t>({1}, {2})), *end = g.input(Tensor::of<int64_t>({1}, {-1}));
                 g.outputs({g.b.make<Slice>({g.input(DType::f32, {3, 6}), start, end, g.b.ints({1})})});
               }});
  s.push_back({"pad/modes", [](SampleGraph& g) {
                 Value *x = g.input(DType::f32, {3, 4}), *fill = g.input(Tensor::scalar(0.5f));
                 std::vector<Value*> out{g.b.make<Pad>({x, g.b.ints({1, 0, 2, 3}), fill}),
                                         g.b.make<Pad>({x, g.b.ints({1, -1, -1, 2}), fill}),
                                         g.b.make<Pad>({x, g.b.ints({2, 1}), fill, g.b.ints({-1})})};
                 for (PadMode mode : {PadMode::reflect, PadMode::edge, PadMode::wrap}) {
                   out.push_back(g.b.make<Pad>({x, g.b.ints({1, 2, 2, 1})}, {mode}));
                   out.push_back(g.b.make<Pad>({symbolic(g, {3, 4}, "p"), g.b.ints({0, 3, 0, 2})}, {mode}));
                 }
                 g.outputs(out);
               }});
  s.push_back({"pad/run_time", [](SampleGraph& g) {
                 Value* pads = g.input(Tensor::of<int64_t>({4}, {1, 0, 2, 1}));
                 g.outputs({g.b.make<Pad>({g.input(DType::f32, {3, 4}), pads}),
                            g.b.make<Pad>({g.input(DType::f32, {3, 4}), pads}, {PadMode::edge})});
               }});
  s.push_back({"expand/symbolic", [](SampleGraph& g) {
                 Value* x = symbolic(g, {1, 3, 1}, "a");
                 g.outputs(
                     {g.b.make<Expand>({x, g.b.ints({2, 1, 3, 4})}),
                      g.b.make<Expand>({g.input(DType::f32, {3, 1}), g.input(Tensor::of<int64_t>({3}, {2, 3, 2}))})});
               }});
  s.push_back({"tile/symbolic", [](SampleGraph& g) {
                 g.outputs({g.b.make<Tile>({symbolic(g, {2, 3}, "a"), g.b.ints({2, 3})}),
                            g.b.make<Tile>({g.input(DType::f32, {2, 3}), g.input(Tensor::of<int64_t>({2}, {3, 1}))})});
               }});
  s.push_back({"transpose/perms", [](SampleGraph& g) {
                 Value* x = symbolic(g, {2, 3, 4}, "a");
                 g.outputs({g.b.make<Transpose>({x}), g.b.make<Transpose>({x}, {{2, 0, 1}})});
               }});
  s.push_back({"depth_to_space/crd", [](SampleGraph& g) {
                 g.outputs({g.b.make<DepthToSpace>({g.input(DType::f32, {2, 8, 2, 3})}, {2, DepthToSpaceMode::crd}),
                            g.b.make<DepthToSpace>({symbolic(g, {2, 8, 2, 3}, "d")}, {2, DepthToSpaceMode::crd})});
               }});
  s.push_back({"center_crop_pad/both", [](SampleGraph& g) {
                 g.outputs({g.b.make<CenterCropPad>({g.input(DType::f32, {5, 4}), g.b.ints({2, 7})}),
                            g.b.make<CenterCropPad>({g.input(DType::f32, {5, 4}), g.b.ints({7})}, {{{0}}})});
               }});
  s.push_back({"range/f32", [](SampleGraph& g) {
                 g.outputs({g.b.make<Range>(
                     {g.input(Tensor::scalar(0.25f)), g.input(Tensor::scalar(2.9f)), g.input(Tensor::scalar(0.5f))})});
               }});
}

template <ScatterReduction R>
void scatters(SampleGraph& g) {
  const bool distinct = R == ScatterReduction::none;
  Value* i = g.input(distinct ? Tensor::of<int64_t>({2, 3}, {0, 3, 1, 2, 1, 0})
                              : Tensor::of<int64_t>({2, 3}, {0, 0, 1, -1, 1, 1}));
  Value* tuples = g.input(distinct ? Tensor::of<int64_t>({2, 1}, {2, 0}) : Tensor::of<int64_t>({3, 1}, {2, 0, 2}));
  g.outputs(
      {g.b.make<ScatterElements>({g.input(DType::f32, {2, 4}), i, g.input(DType::f32, {2, 3})}, {1, R}),
       g.b.make<ScatterND>({g.input(DType::f32, {3, 4}), tuples, g.input(DType::f32, {distinct ? 2 : 3, 4})}, {R})});
}

void gathers(std::vector<Sample>& s) {
  s.push_back({"gather/axes", [](SampleGraph& g) {
                 Value* x = g.input(DType::f32, {3, 4, 5});
                 Value *i = g.input(DType::i64, {2, 3}, -3, 2), *one = g.input(Tensor::scalar<int32_t>(1));
                 g.outputs({g.b.make<Gather>({x, i}, {0}), g.b.make<Gather>({x, i}, {-1}),
                            g.b.make<Gather>({x, i}, {1}), g.b.make<Gather>({x, one}, {1}),
                            g.b.make<Gather>({symbolic(g, {3, 4}, "a"), i}, {1}),
                            g.b.make<Gather>({x, g.input(DType::i64, {0})}, {1})});
               }});
  s.push_back({"gather_nd/batches", [](SampleGraph& g) {
                 Value* x = g.input(DType::f32, {2, 3, 4, 5});
                 g.outputs(
                     {g.b.make<GatherND>({x, g.input(DType::i64, {6, 2}, 0, 1)}),
                      g.b.make<GatherND>({x, g.input(DType::i64, {2, 7, 1}, -3, 2)}, {1}),
                      g.b.make<GatherND>({x, g.input(DType::i64, {2, 3, 4, 2}, 0, 3)}, {2}),
                      g.b.make<GatherND>({symbolic(g, {2, 3, 4}, "a"), g.input(DType::i64, {2, 7, 1}, -3, 2)}, {1})});
               }});
  s.push_back({"scatter_elements/none", scatters<ScatterReduction::none>});
  s.push_back({"scatter_elements/add", scatters<ScatterReduction::add>});
  s.push_back({"scatter_elements/mul", scatters<ScatterReduction::mul>});
  s.push_back({"scatter_elements/max", scatters<ScatterReduction::max>});
  s.push_back({"scatter_elements/min", scatters<ScatterReduction::min>});
  s.push_back(
      {"scatter_nd/mul_zeros", [](SampleGraph& g) {
         Value* i = g.input(Tensor::of<int64_t>({5, 1}, {0, 0, 1, 1, 1}));
         g.outputs({g.b.make<ScatterND>({g.input(DType::f32, {3}), i, g.input(Tensor::of<float>({5}, {0, 2, 0, 0, 3}))},
                                        {ScatterReduction::mul})});
       }});
  s.push_back(
      {"compress/forms", [](SampleGraph& g) {
         Value *x = g.input(DType::f32, {3, 4}), *c = g.input(Tensor::of<Bool>({3}, {Bool(1), Bool(0), Bool(1)}));
         g.outputs({g.b.make<Compress>({x, c}, {1}), g.b.make<Compress>({x, c}, {0}), g.b.make<Compress>({x, c})});
       }});
}

}  // namespace

std::vector<Sample> gradient_samples() {
  std::vector<Sample> s;
  elementwise(s);
  matmuls(s);
  reductions<ReduceSum>(s);
  reductions<ReduceMean>(s);
  reductions<ReduceProd>(s);
  reductions<ReduceMax>(s);
  reductions<ReduceMin>(s);
  reductions<ReduceSumSquare>(s);
  reductions<ReduceL1>(s);
  reductions<ReduceL2>(s);
  reductions<ReduceLogSum>(s);
  reductions<ReduceLogSumExp>(s);
  running(s);
  movement(s);
  gathers(s);
  window_samples(s);
  control_samples(s);
  return s;
}

}  // namespace tc
