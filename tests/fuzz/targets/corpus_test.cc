// The fuzzers' corpora, one run each; and that each target has one.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "../guard.h"
#include "target.h"

namespace tc::fuzz {
namespace {

namespace fs = std::filesystem;

// Files of the folders that seeds.txt lists for the target.
std::vector<fs::path> seeds_of(std::string_view target) {
  std::ifstream list(TC_SOURCE_DIR "/tests/fuzz/seeds.txt");
  std::vector<fs::path> files;
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || word != target) continue;
    while (words >> word)
      for (const auto& entry : fs::recursive_directory_iterator(fs::path(TC_SOURCE_DIR) / word))
        if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

TEST(Corpora, RunThrough) {
  for (const Target& target : targets()) {
    const std::vector<fs::path> seeds = seeds_of(target.name);
    EXPECT_GT(seeds.size(), 5U) << target.name;
    for (const fs::path& seed : seeds) {
      std::ifstream in(seed, std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(in), {});
      watch(seed, kSanitized ? 120 : 20);
      target.run(bytes);
      unwatch();
    }
  }
}

TEST(Targets, TellBrokenPromises) {
  EXPECT_DEATH(guarded([] { fail(ErrorCode::internal, "a broken promise"); }), "a broken promise");
  EXPECT_DEATH(guarded([] { throw std::runtime_error("another kind"); }), "no tc::Error: another kind");
  guarded([] { fail(ErrorCode::bad_file, "refused"); });
}

}  // namespace
}  // namespace tc::fuzz
