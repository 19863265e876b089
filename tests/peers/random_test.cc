// Samplers of tc::random in ONNX Runtime: the same bits.
#include <gtest/gtest.h>

#include "../frontend/dsl/random_cases.h"
#include "peer.h"

namespace tc::peers {
namespace {

using namespace random_cases;

TEST(RandomPeer, DrawsTheSameBits) {
  if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  struct Drawn {
    std::string what;
    Tensor here;
  };
  std::vector<Drawn> drawn;
  std::vector<Job> jobs;
  for (const Case& c : cases())
    for (const DType t : {f32, f64}) {
      const Function f = program(c, t, 3000);
      drawn.push_back({cat(c.name, " ", t), compile(f)({key_of(kKey)})[0]});
      jobs.push_back({.model = {}, .inputs = {{"key", key_of(kKey)}}, .bytes = export_onnx_bytes(f, {.target = ort})});
    }
  for (const WholeCase& c : whole_cases()) {
    const Function f =
        trace("f", {{"key", u32, {2}}}, [&](Var k) { return c.draw({k}, {.shape = {3000}, .dtype = f64}); });
    drawn.push_back({c.name, compile(f)({key_of(kKey)})[0]});
    jobs.push_back({.model = {}, .inputs = {{"key", key_of(kKey)}}, .bytes = export_onnx_bytes(f, {.target = ort})});
  }
  const auto outcomes = onnx_runtime(jobs);
  for (size_t i = 0; i < jobs.size(); ++i) {
    EXPECT_EQ(outcomes[i].error, "") << drawn[i].what;
    if (outcomes[i].error.empty()) {
      EXPECT_EQ(differing(outcomes[i].outputs.at(0).second, drawn[i].here), 0) << drawn[i].what;
    }
  }
}

TEST(RandomPeer, DrawsTheSameIntegers) {
  if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  const Function f = trace("f", {{"key", u32, {2}}, {"seed", i64, {}}}, [](Var k, Var seed) {
    const random::Key key = random::fold_in(random::wrap_key_data(std::move(k)), seed);
    const auto keys = random::split(key, 5);
    return std::vector<Var>{astype(random::bits(keys[0], {1000}), i64),
                            random::randint(keys[1], -5, 1000000, {.shape = {1000}}),
                            random::permutation(keys[2], 1000),
                            astype(random::bernoulli(keys[3], 0.3, {.shape = {1000}}), i64),
                            astype(random::rademacher(keys[4], {.shape = {1000}}), i64),
                            astype(random::key(seed).data, i64)};
  });
  const std::vector<Tensor> in = {key_of(kKey), Tensor::of<int64_t>({}, {0x123456789abcdef})};
  const auto here = compile(f)(in);
  const auto there = onnx_runtime(
      {Job{.model = {}, .inputs = {{"key", in[0]}, {"seed", in[1]}}, .bytes = export_onnx_bytes(f, {.target = ort})}});
  ASSERT_EQ(there[0].error, "");
  for (size_t i = 0; i < here.size(); ++i) {
    const auto a = here[i].span<int64_t>(), b = there[0].outputs.at(i).second.span<int64_t>();
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << "output " << i;
  }
}

}  // namespace
}  // namespace tc::peers
