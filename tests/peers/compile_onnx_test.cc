// Programs run by ONNX Runtime's library in this process.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "peer.h"
#include "tc/tc.h"

namespace tc::peers {
namespace {

// That of the npm package; empty without one.
std::string library() {
  if (node_modules().empty()) return {};
  std::error_code ignored;
  for (const auto& e : std::filesystem::recursive_directory_iterator(node_modules() + "/onnxruntime-node/bin", ignored))
    if (e.path().filename() == "libonnxruntime.so.1" && e.path().string().find("linux/x64") != std::string::npos)
      return e.path();
  return {};
}

TEST(CompileOnnx, RunsWhatTcRuns) {
  if (library().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  const Function f = trace("f", {{"x", f32, {"n", 3}}, {"k", i64, {}}}, [](Var x, Var k) {
    return Outputs{{"y", softmax(tanh(x) * astype(k, f32))}, {"count", k + 1}, {"large", x > 0}};
  });
  const CompiledOnnx there = compile_onnx(f, {.library = library()});
  EXPECT_TRUE(there.version().starts_with("1.")) << there.version();
  const Compiled here = compile(f);
  for (const int64_t n : {1, 4}) {
    const std::vector<Tensor> in = {random_f32({n, 3}, 5), Tensor::scalar<int64_t>(2)};
    const std::vector<Tensor> a = here(in), b = there(in);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(difference(a[i], b[i], {.rtol = 1e-5, .atol = 1e-6}), "");
  }
  EXPECT_THROW(there({random_f32({1, 3}, 5)}), Error);
  try {
    there({random_f32({1, 2}, 5), Tensor::scalar<int64_t>(2)});
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("ONNX Runtime: "), std::string::npos) << e.what();
  }
}

TEST(CompileOnnx, PassesStrings) {
  if (library().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  const Function f = trace("f", {{"s", DType::str, {"n"}}}, [](Var s) { return s[slice(1, 3)]; });
  const auto y =
      compile_onnx(f, {.library = library()})({Tensor::of<std::string>({3}, {"a", "", "long enough not to be short"})});
  EXPECT_EQ(y[0].to_vector<std::string>(), (std::vector<std::string>{"", "long enough not to be short"}));
}

TEST(CompileOnnx, SaysThatThereIsNoLibrary) {
  const Function f = trace("f", {{"x", f32, {2}}}, [](Var x) { return x; });
  try {
    compile_onnx(f, {.library = "/nowhere/libonnxruntime.so.1"});
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_file);
    EXPECT_NE(std::string(e.what()).find("/nowhere/libonnxruntime.so.1"), std::string::npos) << e.what();
  }
}

// The numbers of the slots are those of the drop-in's table.
TEST(CompileOnnx, NumbersSlotsAsTheDropIn) {
  std::vector<std::string> table;
  std::ifstream slots(TC_SOURCE_DIR "/doors/onnxruntime/slots.def"),
      source(TC_SOURCE_DIR "/frontend/api/compile_onnx_posix.cc");
  for (std::string line; std::getline(slots, line);)
    if (line.starts_with("TC_SLOT_"))
      table.push_back(line.substr(line.find('(') + 1, line.find(')') - line.find('(') - 1));
  int used = 0;
  for (std::string line; std::getline(source, line);) {
    const size_t equals = line.find(" = ");
    if (!line.starts_with("  k") || equals == line.npos) continue;
    ++used;
    EXPECT_EQ(table.at(std::stoul(line.substr(equals + 3))), line.substr(3, equals - 3));
  }
  EXPECT_GT(used, 20);
}

}  // namespace
}  // namespace tc::peers
