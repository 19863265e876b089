// Bad input through the front door: tc-run says one clear error, which names the place and the cause, and exits with 1.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "bad_models.h"
#include "tc/frontend/api/files/npy.h"

namespace tc {
namespace {

namespace fs = std::filesystem;

class BadModels : public testing::TestWithParam<BadModel> {
 protected:
  BadModels() : folder_(fs::temp_directory_path() / cat("tc_bad_", getpid(), "_", GetParam().name)) {
    fs::create_directories(folder_);
  }
  ~BadModels() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_P(BadModels, AreRefused) {
  const BadModel& c = GetParam();
  if (c.prepare) c.prepare(folder_);
  std::ofstream(folder_ / "model.onnx", std::ios::binary) << c.model;
  std::string command = cat("cd '", folder_.string(), "' && '", TC_RUN, "' model.onnx --threads 1 --max-memory 256mb",
                            " --max-steps 1000 --dim N=2");
  if (c.inputs.empty()) command += " --random";
  for (const auto& [name, value] : c.inputs) {
    write_npy(folder_ / (name + ".npy"), value);
    command += cat(" --input ", name, "=", name, ".npy");
  }
  const int status = std::system((command + " >out 2>err").c_str());
  std::ifstream file(folder_ / "err");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  ASSERT_TRUE(WIFEXITED(status)) << text;
  EXPECT_EQ(WEXITSTATUS(status), 1) << text;
  EXPECT_EQ(text.rfind(cat("tc-run: ", to_string(c.code), ": "), 0), 0u) << text;
  for (const auto& words : c.says) EXPECT_NE(text.find(words), std::string::npos) << "lacks: " << words << "\n" << text;
  // One error: every further line is context, indented.
  for (size_t at = text.find('\n'); at != text.npos && at + 1 < text.size(); at = text.find('\n', at + 1))
    EXPECT_EQ(text.compare(at + 1, 2, "  "), 0) << text;
  EXPECT_LT(text.size(), 4000u) << text;
}

INSTANTIATE_TEST_SUITE_P(All, BadModels, testing::ValuesIn(bad_models()), [](const auto& c) { return c.param.name; });

TEST(BadModelsTable, HasUniqueNames) {
  std::set<std::string> names;
  for (const auto& c : bad_models()) EXPECT_TRUE(names.insert(c.name).second) << c.name;
}

}  // namespace
}  // namespace tc
