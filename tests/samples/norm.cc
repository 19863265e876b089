#include "tests/samples/sample.h"

namespace tc {
namespace {

template <DType T>
void batch_norm(SampleGraph& g) {
  g.outputs({g.b.make<BatchNormalization>(
      {g.input(T, {2, 5, 3, 7}), g.input(T, {5}), g.input(T, {5}), g.input(T, {5}), g.input(T, {5}, 0.1, 2)})});
}
// By the batch's own statistics; their running averages are results, too.
void batch_norm_in_training(SampleGraph& g, DType t, const Extents& extents) {
  const Extents channels{extents[1]};
  Node* n = g.b.make_n<BatchNormalization>({g.input(t, extents), g.input(t, channels), g.input(t, channels),
                                            g.input(t, channels), g.input(t, channels, 0.1, 2)},
                                           {.training_mode = true}, 3);
  g.outputs({n->result(0), n->result(1), n->result(2)});
}
template <DType T>
void layer_norm(SampleGraph& g) {
  Node* n = g.b.make_n<LayerNormalization>({g.input(T, {3, 37}), g.input(T, {37}), g.input(T, {37})}, {}, 3);
  g.outputs({n->result(0), n->result(1), n->result(2)});
}
template <DType T>
void rms_norm(SampleGraph& g) {
  g.outputs({g.b.make<RMSNormalization>({g.input(T, {3, 37}), g.input(T, {37})})});
}
template <DType T>
void instance_norm(SampleGraph& g) {
  g.outputs({g.b.make<InstanceNormalization>({g.input(T, {2, 5, 3, 7}), g.input(T, {5}), g.input(T, {5})})});
}

}  // namespace

void samples_norm(std::vector<Sample>& samples) {
  samples.push_back({"batch_normalization/f32", batch_norm<DType::f32>});
  samples.push_back({"batch_normalization/f64", batch_norm<DType::f64>});
  samples.push_back({"batch_normalization/f16", batch_norm<DType::f16>});
  samples.push_back({"batch_normalization/vector", [](SampleGraph& g) {
                       g.outputs({g.b.make<BatchNormalization>({g.input(DType::f32, {4, 5}), g.input(DType::f32, {5}),
                                                                g.input(DType::f32, {5}), g.input(DType::f32, {5}),
                                                                g.input(DType::f32, {5}, 0.1, 2)})});
                     }});
  samples.push_back({"batch_normalization/training", [](SampleGraph& g) {
                       batch_norm_in_training(g, DType::f32, {4, 5, 6});
                     }});
  samples.push_back({"batch_normalization/training_f64", [](SampleGraph& g) {
                       batch_norm_in_training(g, DType::f64, {4, 5, 6});
                     }});
  samples.push_back({"batch_normalization/training_vectors", [](SampleGraph& g) {
                       batch_norm_in_training(g, DType::f32, {6, 5});
                     }});
  samples.push_back({"batch_normalization/training_planes", [](SampleGraph& g) {
                       batch_norm_in_training(g, DType::f32, {2, 3, 103, 90});
                     }});
  samples.push_back({"instance_normalization/f32", instance_norm<DType::f32>});
  samples.push_back({"instance_normalization/f64", instance_norm<DType::f64>});
  samples.push_back({"instance_normalization/f16", instance_norm<DType::f16>});
  samples.push_back({"layer_normalization/f32", layer_norm<DType::f32>});
  samples.push_back({"layer_normalization/f64", [](SampleGraph& g) {
                       g.outputs({g.b.make<LayerNormalization>(
                           {g.input(DType::f64, {3, 37}), g.input(DType::f64, {37}), g.input(DType::f64, {37})})});
                     }});
  samples.push_back({"layer_normalization/f16", layer_norm<DType::f16>});
  samples.push_back({"layer_normalization/bf16", layer_norm<DType::bf16>});
  samples.push_back({"layer_normalization/axis", [](SampleGraph& g) {
                       g.outputs({g.b.make<LayerNormalization>(
                           {g.input(DType::f32, {2, 3, 5, 7}), g.input(DType::f32, {5, 7})}, {.axis = 2})});
                     }});
  samples.push_back({"rms_normalization/f32", rms_norm<DType::f32>});
  samples.push_back({"rms_normalization/f64", rms_norm<DType::f64>});
  samples.push_back({"rms_normalization/bf16", rms_norm<DType::bf16>});
  samples.push_back({"group_normalization", [](SampleGraph& g) {
                       g.outputs({g.b.make<GroupNormalization>(
                           {g.input(DType::f32, {2, 6, 3, 5}), g.input(DType::f32, {6}), g.input(DType::f32, {6})},
                           {.num_groups = 3})});
                     }});
  samples.push_back({"lp_normalization/l2", [](SampleGraph& g) {
                       g.outputs({g.b.make<LpNormalization>({g.input(DType::f32, {3, 17})})});
                     }});
  samples.push_back({"lp_normalization/l1", [](SampleGraph& g) {
                       g.outputs({g.b.make<LpNormalization>({g.input(DType::f32, {3, 5, 7})}, {.axis = 1, .p = 1})});
                     }});
  samples.push_back(
      {"lrn", [](SampleGraph& g) {
         g.outputs({g.b.make<LRN>({g.input(DType::f32, {2, 7, 3, 5})}, {.size = 4, .alpha = 0.5, .bias = 2})});
       }});
  samples.push_back({"mean_variance_normalization", [](SampleGraph& g) {
                       g.outputs({g.b.make<MeanVarianceNormalization>({g.input(DType::f32, {3, 4, 5, 6})})});
                     }});
}

}  // namespace tc
