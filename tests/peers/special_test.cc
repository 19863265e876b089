// Exported special functions: ONNX Runtime computes what mpmath says.
#include <gtest/gtest.h>

#include <algorithm>

#include "../frontend/dsl/special_grids.h"
#include "peer.h"

namespace tc::peers {
namespace {

// Some runtimes' exp, log and sin are off by 3 units of the last place, where ours are by 1.
double bound(const Grid& grid, DType t) {
  if (t == f32) return grid.units_f32;
  return grid.scale == GridScale::exponential ? grid.units : std::max(grid.units, 8.);
}

void compare_grids(Runtime runtime, DType t) {
  if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  const std::vector<Grid> grids = special_grids();
  std::vector<GridRows> rows;
  std::vector<Job> jobs;
  for (const Grid& grid : grids) {
    const Function f = grid_function(grid, t);
    rows.push_back(grid_rows(grid, t));
    const std::vector<Tensor> inputs = grid_inputs(rows.back(), t);
    NamedTensors named;
    for (size_t i = 0; i < inputs.size(); ++i) named.emplace_back(f.inputs()[i].name, inputs[i]);
    jobs.push_back({.model = {}, .inputs = named, .bytes = export_onnx_bytes(f, {.opset = 18, .target = ort})});
  }
  const std::vector<Outcome> outcomes = onnx_runtime(jobs, runtime);
  for (size_t i = 0; i < grids.size(); ++i) {
    EXPECT_EQ(outcomes[i].error, "") << grids[i].name;
    if (!outcomes[i].error.empty()) continue;
    const auto [worst, at] = worst_error(grids[i], rows[i], outcomes[i].outputs[0].second);
    EXPECT_LE(worst, bound(grids[i], t)) << grids[i].name << " at " << rows[i].at(at);
    testing::Test::RecordProperty(grids[i].name, std::to_string(worst));
  }
}

TEST(SpecialPeer, GridsAreNearTheTruthInF64) {
  compare_grids(Runtime::node, f64);
}
TEST(SpecialPeer, GridsAreNearTheTruthInF32) {
  compare_grids(Runtime::node, f32);
}
TEST(SpecialPeer, GridsAreNearTheTruthInWebAssembly) {
  compare_grids(Runtime::web, f64);
}

}  // namespace
}  // namespace tc::peers
