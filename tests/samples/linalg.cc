#include "tests/samples/sample.h"

namespace tc {

void samples_linalg(std::vector<Sample>& samples) {
  const auto add = [&](const char* name, void (*build)(SampleGraph&)) { samples.push_back({name, build}); };
  add("det", [](SampleGraph& g) { g.outputs({g.b.make<Det>({g.input(DType::f32, {4, 4})})}); });
  add("det/batch", [](SampleGraph& g) { g.outputs({g.b.make<Det>({g.input(DType::f64, {2, 3, 5, 5})})}); });
  add("det/types", [](SampleGraph& g) {
    g.outputs({g.b.make<Det>({g.input(DType::f16, {2, 3, 3})}), g.b.make<Det>({g.input(DType::bf16, {2, 2})})});
  });
  add("det/empty", [](SampleGraph& g) {
    g.outputs({g.b.make<Det>({g.input(DType::f32, {3, 0, 0})}), g.b.make<Det>({g.input(DType::f32, {0, 2, 2})})});
  });
}

}  // namespace tc
