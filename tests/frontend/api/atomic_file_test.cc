// Files that programs write: whole or not at all, the old one kept, whatever goes wrong.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "tc/backend/onnx/atomic_file.h"
#include "tc/frontend/api/files/npy.h"
#include "tc/tc.h"

namespace tc {
namespace {

namespace fs = std::filesystem;
using onnx::AtomicFile;

class AtomicFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tc-files-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ / name; }
  std::string content(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

ErrorCode code_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& e) {
    return e.code();
  }
  return ErrorCode::internal;
}

TEST_F(AtomicFiles, AppearWhenTheyAreWhole) {
  onnx::write_file(path("a"), "old");
  {
    AtomicFile file(path("a"));
    file.write("new", 3);
    EXPECT_EQ(content("a"), "old");
  }
  EXPECT_EQ(content("a"), "old");
  onnx::write_file(path("a"), "new");
  EXPECT_EQ(content("a"), "new");
  EXPECT_EQ(files(), 1U);
}

TEST_F(AtomicFiles, SignalsLeaveTheOldFile) {
  onnx::write_file(path("a"), "old");
  for (const int number : {SIGINT, SIGTERM}) {
    const pid_t child = fork();
    if (child == 0) {
      ::signal(number, SIG_DFL);  // what starts tests in the background has them ignore SIGINT
      AtomicFile::remove_on_signals();
      AtomicFile file(path("a"));
      file.write("ne", 2);
      raise(number);
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == number) << status;
    EXPECT_EQ(content("a"), "old");
    EXPECT_EQ(files(), 1U);
  }
}

TEST_F(AtomicFiles, LinksLeadToWhatIsReplaced) {
  onnx::write_file(path("there"), "old");
  fs::create_symlink("there", path("link"));
  write_npz(path("link"), {{"x", Tensor::scalar(1.0f)}});
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read_npz(path("there")).at(0).first, "x");
  EXPECT_EQ(files(), 2U);
}

TEST_F(AtomicFiles, WhatCannotBeWrittenIsOneError) {
  const NamedTensors tensors = {{"x", Tensor::scalar(1.0f)}};
  const Function f = trace("f", {{"x", f32, {2}}}, [](Var x) { return x + 1; });
  const std::function<void(const std::string&)> writers[] = {
      [](const std::string& to) { onnx::write_file(to, "text"); },
      [&](const std::string& to) { write_npz(to, tensors); },
      [&](const std::string& to) { export_onnx(f, to); },
      [&](const std::string& to) { write_npy(to, tensors[0].second); },
  };
  fs::create_directory(path("folder"));
  onnx::write_file(path("kept"), "old");
  chmod(path("kept").c_str(), 0400);
  for (const auto& write : writers) {
    EXPECT_EQ(code_of([&] { write("/dev/full"); }), ErrorCode::bad_file);
    EXPECT_EQ(code_of([&] { write(path("no/folder")); }), ErrorCode::bad_file);
    EXPECT_EQ(code_of([&] { write(path("folder")); }), ErrorCode::bad_file);
    EXPECT_EQ(code_of([&] { write(""); }), ErrorCode::bad_file);
    if (geteuid() != 0) {  // whom no mode keeps out
      EXPECT_EQ(code_of([&] { write(path("kept")); }), ErrorCode::bad_file);
    }
  }
  EXPECT_EQ(content("kept"), "old");
  EXPECT_EQ(files(), 2U);
}

TEST_F(AtomicFiles, ArchivesOfNothingAreArchives) {
  write_npz(path("none.npz"), {});
  EXPECT_TRUE(read_npz(path("none.npz")).empty());
}

}  // namespace
}  // namespace tc
