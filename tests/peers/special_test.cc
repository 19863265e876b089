// Exported special functions: ONNX Runtime computes what mpmath says.
#include <gtest/gtest.h>

#include "../frontend/dsl/special_cases.h"
#include "../frontend/dsl/special_grids.h"
#include "peer.h"

namespace tc::peers {
namespace {

template <class T>
void compare(Runtime runtime, double ulps) {
  if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  const auto cases = special_cases();
  std::vector<Job> jobs;
  for (const SpecialCase& c : cases) {
    const DType t = std::is_same_v<T, float> ? f32 : f64;
    const Function f = trace("f", {{"x", t, {"n"}}}, [&](Var x) { return Outputs{{"y", c.f(x)}}; });
    std::vector<T> x;
    for (const SpecialRow& r : c.rows) x.push_back(static_cast<T>(r.x));
    const std::string name = f.inputs()[0].name;
    jobs.push_back({.model = {},
                    .inputs = {{name, Tensor::of<T>({static_cast<int64_t>(x.size())}, x)}},
                    .bytes = export_onnx_bytes(f, {.opset = 18, .target = ort})});
  }
  const std::vector<Outcome> outcomes = onnx_runtime(jobs, runtime);
  for (size_t i = 0; i < cases.size(); ++i) {
    ASSERT_EQ(outcomes[i].error, "") << cases[i].name;
    const auto [worst, at] = worst_error<T>(cases[i].rows, find(outcomes[i].outputs, "y").span<T>());
    EXPECT_LE(worst, ulps) << cases[i].name << " at " << at;
    testing::Test::RecordProperty(cases[i].name, std::to_string(worst));
  }
}

template <class T>
void compare_pairs() {
  if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  const auto cases = pair_cases();
  std::vector<Job> jobs;
  for (const PairCase& c : cases) {
    const DType t = std::is_same_v<T, float> ? f32 : f64;
    const Function f = trace("f", {{"a", t, {"n"}}, {"b", t, {"n"}}}, [&](Var a, Var b) {
      return Outputs{{"y", c.f(a, b)}};
    });
    std::vector<T> a, b;
    for (const SpecialPair& r : c.rows) a.push_back(static_cast<T>(r.a)), b.push_back(static_cast<T>(r.b));
    const auto n = static_cast<int64_t>(a.size());
    jobs.push_back({.model = {},
                    .inputs = {{"a", Tensor::of<T>({n}, a)}, {"b", Tensor::of<T>({n}, b)}},
                    .bytes = export_onnx_bytes(f, {.opset = 18, .target = ort})});
  }
  const std::vector<Outcome> outcomes = onnx_runtime(jobs);
  for (size_t i = 0; i < cases.size(); ++i) {
    ASSERT_EQ(outcomes[i].error, "") << cases[i].name;
    const auto [worst, at] = worst_error<T>(cases[i], find(outcomes[i].outputs, "y").span<T>());
    const SpecialPair& r = cases[i].rows[at];
    EXPECT_LE(worst, (std::is_same_v<T, float> ? 1 : cases[i].units)) << cases[i].name << " at " << r.a << ", " << r.b;
    testing::Test::RecordProperty(cases[i].name, std::to_string(worst));
  }
}

// Some runtimes' exp, log and sin are off by 3 units of the last place, where ours are by 1.
double bound(const Grid& grid, DType t) {
  if (t == f32) return grid.units_f32;
  return grid.scale == GridScale::exponential ? grid.units : 8;
}

// ONNX Runtime gives NaN at some points of these, where tc and its interpreter do not.
bool open_grid(const Grid& grid) {
  return grid.name == std::string_view("jv") || grid.name == std::string_view("jn");
}

void compare_grids(Runtime runtime, DType t, bool open = false) {
  if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  std::vector<Grid> grids = special_grids();
  std::erase_if(grids, [&](const Grid& grid) { return open_grid(grid) != open; });
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

TEST(SpecialPeer, BesselJOfRealOrderIsNearTheTruth) {
  compare_grids(Runtime::node, f64, true);
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

TEST(SpecialPeer, PairsAreNearTheTruth) {
  compare_pairs<double>();
  compare_pairs<float>();
}

TEST(SpecialPeer, F64IsNearTheTruth) {
  compare<double>(Runtime::node, 8);
}
TEST(SpecialPeer, F32IsNearTheTruth) {
  compare<float>(Runtime::node, 1);
}
TEST(SpecialPeer, F64IsNearTheTruthInWebAssembly) {
  compare<double>(Runtime::web, 8);
}

}  // namespace
}  // namespace tc::peers
