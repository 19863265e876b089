// Mapped files and external data: what must be found, and every way out of the model's folder.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tc/frontend/onnx/file.h"

namespace tc::onnx {
namespace {

namespace fs = std::filesystem;

std::string text_of(Bytes b) {
  return {b.begin(), b.end()};
}

class Files : public ::testing::Test {
 protected:
  Files() {
    std::string pattern = (fs::temp_directory_path() / "tc_file_test_XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    folder_ = root_ + "/model";
    fs::create_directories(folder_ + "/sub");
    write(root_ + "/outside.bin", "secret");
    write(folder_ + "/w.bin", "0123456789");
    write(folder_ + "/sub/deep.bin", "deep");
  }
  ~Files() override { fs::remove_all(root_); }

  static void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

  std::string error(const KeyValues& entries) {
    try {
      ExternalData(folder_).resolve(entries);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::bad_external_data) << e.what();
      return e.diagnostic().message;
    }
    ADD_FAILURE() << "no error";
    return {};
  }

  std::string root_, folder_;
};

TEST_F(Files, MapsAndOutlives) {
  SharedBytes part;
  {
    ExternalData external(folder_);
    part = external.resolve({{"location", "w.bin"}, {"offset", "3"}, {"length", "4"}, {"checksum", "abc"}});
    const SharedBytes rest = external.resolve({{"location", "./w.bin"}, {"offset", "7"}});
    EXPECT_EQ(text_of(rest.bytes), "789");
    EXPECT_EQ(rest.owner, part.owner);  // mapped once
    EXPECT_EQ(text_of(external.resolve({{"location", "sub//deep.bin"}}).bytes), "deep");
    EXPECT_EQ(external.resolve({{"location", "w.bin"}, {"offset", "10"}}).bytes.size(), 0u);
  }
  EXPECT_EQ(text_of(part.bytes), "3456");
}

TEST_F(Files, RefusesWhatIsNoRegularFile) {
  const auto error_of = [](const std::string& path) {
    try {
      MappedFile::open(path);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::bad_file);
      return e.diagnostic().message;
    }
    return std::string("no error");
  };
  ASSERT_EQ(mkfifo((folder_ + "/fifo").c_str(), 0600), 0);
  EXPECT_NE(error_of(folder_).find("a folder"), std::string::npos);
  EXPECT_NE(error_of(folder_ + "/fifo").find("not a regular file"), std::string::npos);
  EXPECT_NE(error_of("/dev/zero").find("not a regular file"), std::string::npos);
  EXPECT_NE(error_of(folder_ + "/none").find("No such file"), std::string::npos);
  EXPECT_NE(error_of(folder_ + std::string("/w.bin\0x", 8)).find("cannot open"), std::string::npos);
  write(folder_ + "/empty", "");
  EXPECT_TRUE(MappedFile::open(folder_ + "/empty")->bytes().empty());
  EXPECT_NE(error({{"location", "fifo"}}).find("not a regular file"), std::string::npos);
  EXPECT_NE(error({{"location", "sub"}}).find("a folder"), std::string::npos);
}

TEST_F(Files, NothingOutsideTheFolder) {
  for (const char* way : {"../outside.bin", "sub/../../outside.bin", "sub/../w.bin", "..", ""}) {
    error({{"location", way}});
  }
  EXPECT_NE(error({{"location", root_ + "/outside.bin"}}).find("is absolute"), std::string::npos);
  const std::string absolute = folder_ + "/w.bin";
  error({{"location", absolute}});
  error({{"location", "."}});
  error({{"location", std::string_view("w.bin\0../../x", 13)}});
}

TEST_F(Files, NoLinksByEitherWay) {
  fs::create_symlink("../outside.bin", folder_ + "/link.bin");
  fs::create_symlink("w.bin", folder_ + "/inner.bin");
  fs::create_directory_symlink("..", folder_ + "/up");
  fs::create_directory_symlink("sub", folder_ + "/alias");
  for (const char* way : {"link.bin", "inner.bin", "up/outside.bin", "alias/deep.bin", "sub/../w.bin"})
    error({{"location", way}});
  EXPECT_NE(error({{"location", "link.bin"}}).find("symbolic link"), std::string::npos);

  const int folder = open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  ASSERT_GE(folder, 0);
  for (const bool openat2 : {true, false}) {
    for (const char* way : {"link.bin", "inner.bin", "up/outside.bin", "alias/deep.bin", "none.bin", "sub/none/x"}) {
      EXPECT_EQ(open_beneath(folder, way, openat2), -1) << way << openat2;
    }
    for (const char* way : {"w.bin", "sub/deep.bin"}) {
      const int fd = open_beneath(folder, way, openat2);
      EXPECT_GE(fd, 0) << way << openat2;
      close(fd);
    }
  }
  close(folder);
}

TEST_F(Files, RangesAreCheckedFirst) {
  EXPECT_NE(error({{"location", "w.bin"}, {"offset", "11"}}).find("in a file of 10 bytes"), std::string::npos);
  for (const auto& [offset, length] : std::vector<std::pair<const char*, const char*>>{{"8", "3"},
                                                                                       {"0", "11"},
                                                                                       {"18446744073709551615", "2"},
                                                                                       {"1", "18446744073709551615"},
                                                                                       {"-1", "2"},
                                                                                       {"0x1", "2"},
                                                                                       {"", "2"},
                                                                                       {"1 ", "2"},
                                                                                       {"99999999999999999999", "1"},
                                                                                       {"1", "2.0"}}) {
    error({{"location", "w.bin"}, {"offset", offset}, {"length", length}});
  }
  error({{"location", "none.bin"}});
  error({{"offset", "1"}});
  error({{"location", "w.bin"}, {"location", "sub/deep.bin"}});
}

TEST_F(Files, WithoutAFolder) {
  EXPECT_THROW(ExternalData().resolve({{"location", "w.bin"}}), Error);
  EXPECT_EQ(ExternalData::folder_of("a/b/c.onnx"), "a/b");
  EXPECT_EQ(ExternalData::folder_of("c.onnx"), ".");
  EXPECT_EQ(ExternalData::folder_of("/c.onnx"), "/");
  EXPECT_THROW(ExternalData(root_ + "/none").resolve({{"location", "w.bin"}}), Error);
}

long resident_pages() {
  long total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident;
}

TEST_F(Files, ThreeGigabytesMapAtOnceAndCanBeDropped) {
  const std::string path = folder_ + "/big.bin";
  write(path, "");
  constexpr off_t kSize = off_t{3} << 30;
  ASSERT_EQ(truncate(path.c_str(), kSize), 0);
  const long at_first = resident_pages();
  ExternalData external(folder_);
  const SharedBytes all = external.resolve({{"location", "big.bin"}});
  const SharedBytes end = external.resolve({{"location", "big.bin"}, {"offset", "3221225471"}, {"length", "1"}});
  EXPECT_LT(resident_pages() - at_first, 2000);  // of 786432: nothing is read ahead of need
  EXPECT_EQ(all.bytes.size(), static_cast<size_t>(kSize));
  EXPECT_EQ(end.bytes[0], 0);

  const auto* file = static_cast<const MappedFile*>(all.owner.get());
  const Bytes part = all.bytes.subspan(100, 64 << 20);
  const long before = resident_pages();
  unsigned sum = 0;
  for (size_t i = 0; i < part.size(); i += 4096) sum += part[i];
  EXPECT_EQ(sum, 0u);
  EXPECT_GT(resident_pages() - before, 10000);
  file->drop(part);
  EXPECT_LT(resident_pages() - before, 2000);
  EXPECT_EQ(part[5000], 0);
  file->drop({});
  file->fetch(part.data(), part.size());
}

}  // namespace
}  // namespace tc::onnx
