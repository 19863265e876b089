#include "tests/samples/sample.h"

namespace tc {
namespace {

template <DType T>
void dft(SampleGraph& g, Extents extents, int64_t axis, DFT::Attrs attrs, Value* length = nullptr) {
  g.outputs({g.b.make<DFT>({g.input(T, std::move(extents)), length, g.b.scalar<int64_t>(axis)}, attrs)});
}

template <class Op>
void window_samples(std::vector<Sample>& samples) {
  const auto add = [&](std::string_view variant, void (*build)(SampleGraph&)) {
    samples.push_back({cat(Op::facts.name, "/", variant), build});
  };
  add("periodic", [](SampleGraph& g) { g.outputs({g.b.make<Op>({g.b.scalar<int64_t>(12)})}); });
  add("symmetric", [](SampleGraph& g) {
    g.outputs({g.b.make<Op>({g.b.scalar<int32_t>(9)}, {DType::f64, false}),
               g.b.make<Op>({g.b.scalar<int64_t>(1)}, {DType::f32, false}),
               g.b.make<Op>({g.b.scalar<int64_t>(0)}, {DType::f32, false})});
  });
  add("types", [](SampleGraph& g) {
    Value* n = g.input(Tensor::scalar<int64_t>(7));
    g.outputs({g.b.make<Op>({n}, {DType::f16, true}), g.b.make<Op>({n}, {DType::bf16, false}),
               g.b.make<Op>({n}, {DType::i8, false})});
  });
}

}  // namespace

void samples_signal(std::vector<Sample>& samples) {
  const auto add = [&](const char* name, void (*build)(SampleGraph&)) { samples.push_back({name, build}); };
  add("dft", [](SampleGraph& g) { g.outputs({g.b.make<DFT>({g.input(DType::f32, {2, 16, 1})})}); });
  add("dft/composite", [](SampleGraph& g) { dft<DType::f32>(g, {3, 60, 2, 2}, 1, {}); });
  add("dft/prime", [](SampleGraph& g) { dft<DType::f64>(g, {37, 3, 2}, 0, {}); });
  add("dft/inverse", [](SampleGraph& g) { dft<DType::f32>(g, {2, 22, 2}, -2, {true, false}); });
  add("dft/onesided", [](SampleGraph& g) { dft<DType::f32>(g, {2, 9, 1}, 1, {false, true}); });
  add("dft/onesided_padded", [](SampleGraph& g) {
    dft<DType::f32>(g, {2, 9, 1}, 1, {false, true}, g.b.scalar<int64_t>(14));
  });
  add("dft/onesided_inverse", [](SampleGraph& g) { dft<DType::f32>(g, {2, 9, 2}, 1, {true, true}); });
  add("dft/onesided_inverse_odd", [](SampleGraph& g) {
    dft<DType::f64>(g, {2, 9, 2}, 1, {true, true}, g.input(Tensor::of<int32_t>({1}, {15})));
  });
  add("dft/cut", [](SampleGraph& g) { dft<DType::f16>(g, {5, 11, 2}, 0, {}, g.input(Tensor::scalar<int64_t>(3))); });
  add("dft/bf16", [](SampleGraph& g) { dft<DType::bf16>(g, {1, 7, 1}, 1, {}); });
  add("dft/axis_at_run_time", [](SampleGraph& g) {
    Value* axis = g.input(Tensor::scalar<int64_t>(-3));
    g.outputs({g.b.make<DFT>({g.input(DType::f32, {6, 4, 1}), nullptr, axis})});
  });
  add("dft/empty", [](SampleGraph& g) { dft<DType::f32>(g, {0, 8, 1}, 1, {}); });
  add("stft", [](SampleGraph& g) {
    Value *x = g.input(DType::f32, {2, 50, 1}), *window = g.input(DType::f32, {16}, 0, 1);
    g.outputs({g.b.make<STFT>({x, g.b.scalar<int64_t>(5), window})});
  });
  add("stft/complex", [](SampleGraph& g) {
    Value* x = g.input(DType::f64, {1, 31, 2});
    g.outputs({g.b.make<STFT>({x, g.b.scalar<int32_t>(4), nullptr, g.b.scalar<int64_t>(11)}, {false})});
  });
  add("stft/short_window", [](SampleGraph& g) {
    Value *x = g.input(DType::f16, {1, 24, 1}), *window = g.input(DType::f16, {6}, 0, 1);
    g.outputs({g.b.make<STFT>({x, g.b.scalar<int64_t>(8), window, g.b.scalar<int64_t>(8)})});
  });
  add("stft/one_frame", [](SampleGraph& g) {
    Value* x = g.input(DType::bf16, {1, 10, 1});
    g.outputs({g.b.make<STFT>({x, g.b.scalar<int64_t>(3)}),
               g.b.make<STFT>({x, g.b.scalar<int64_t>(3), nullptr, g.b.scalar<int64_t>(12)})});
  });
  add("stft/at_run_time", [](SampleGraph& g) {
    Value* x = g.input(g.random(DType::f32, {2, 40, 1}), {Dim::symbol("batch"), Dim::symbol("time"), 1});
    Value *step = g.input(Tensor::scalar<int64_t>(7)), *length = g.input(Tensor::scalar<int64_t>(12));
    g.outputs({g.b.make<STFT>({x, step, nullptr, length}),
               g.b.make<STFT>({x, g.b.scalar<int64_t>(4), nullptr, g.b.scalar<int64_t>(8)})});
  });
  window_samples<HannWindow>(samples);
  window_samples<HammingWindow>(samples);
  window_samples<BlackmanWindow>(samples);
  add("mel_weight_matrix", [](SampleGraph& g) {
    g.outputs({g.b.make<MelWeightMatrix>({g.b.scalar<int64_t>(8), g.b.scalar<int64_t>(32), g.b.scalar<int64_t>(8192),
                                          g.b.scalar<float>(0), g.b.scalar<float>(4096)})});
  });
  add("mel_weight_matrix/at_run_time", [](SampleGraph& g) {
    Value *bins = g.input(Tensor::scalar<int32_t>(5)), *length = g.input(Tensor::scalar<int32_t>(100));
    g.outputs({g.b.make<MelWeightMatrix>(
        {bins, length, g.b.scalar<int32_t>(16000), g.b.scalar<double>(20), g.b.scalar<double>(7600)}, {DType::f64})});
  });
}

}  // namespace tc
