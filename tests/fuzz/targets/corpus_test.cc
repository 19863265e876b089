// The fuzzers' corpora, one run each; and that each target has one.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "../guard.h"
#include "target.h"

namespace tc::fuzz {
namespace {

namespace fs = std::filesystem;

TEST(Corpora, RunThrough) {
  for (const Target& target : targets()) {
    const fs::path folder = fs::path(TC_SOURCE_DIR "/tests/fuzz/corpora") / target.name;
    ASSERT_TRUE(fs::is_directory(folder)) << folder;
    size_t files = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(in), {});
      watch(entry.path(), kSanitized ? 120 : 20);
      target.run(bytes);
      unwatch();
      ++files;
    }
    EXPECT_GT(files, 5U) << folder;
  }
}

TEST(Targets, TellBrokenPromises) {
  EXPECT_DEATH(guarded([] { fail(ErrorCode::internal, "a broken promise"); }), "a broken promise");
  EXPECT_DEATH(guarded([] { throw std::runtime_error("another kind"); }), "no tc::Error: another kind");
  guarded([] { fail(ErrorCode::bad_file, "refused"); });
}

}  // namespace
}  // namespace tc::fuzz
