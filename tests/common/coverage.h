// Notes of what a test has run, for docs/coverage.md: a line each, such as "eval add f32". A test that passed as a
// whole leaves them in <build>/coverage/<test>.txt.
#pragma once

#include <gtest/gtest.h>
#include <cerrno>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "tc/ir/diag.h"

namespace coverage {

class Notes : public testing::Environment {
 public:
  static Notes& all() {
    static auto* const notes = static_cast<Notes*>(testing::AddGlobalTestEnvironment(new Notes));  // gtest owns it
    return *notes;
  }
  void add(std::string line) { lines_.insert(std::move(line)); }

  void TearDown() override {
    const auto& test = *testing::UnitTest::GetInstance();
    if (!test.Passed() || testing::GTEST_FLAG(filter) != "*") return;
    const std::filesystem::path folder = TC_BINARY_DIR "/coverage";
    std::filesystem::create_directories(folder);
    std::ofstream file(folder / (std::string(program_invocation_short_name) + ".txt"));
    for (const auto& line : lines_) file << line << "\n";
  }

 private:
  std::set<std::string> lines_;
};

template <class... Parts>
void note(const Parts&... parts) {
  Notes::all().add(tc::cat(parts...));
}

}  // namespace coverage
