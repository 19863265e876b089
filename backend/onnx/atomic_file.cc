#include "tc/backend/onnx/atomic_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <utility>

#include "tc/ir/diag.h"

namespace tc::onnx {

namespace {

// Names of files that are not committed, where a signal's handler can read them.
constexpr int kListed = 16;
constexpr size_t kNameBytes = 4096;
struct Listed {
  std::atomic<bool> taken{false}, readable{false};
  char name[kNameBytes];
};
Listed listed[kListed];

int enlist(const std::string& name) {
  if (name.size() >= kNameBytes) return -1;
  for (int i = 0; i < kListed; ++i) {
    if (listed[i].taken.exchange(true)) continue;
    std::memcpy(listed[i].name, name.c_str(), name.size() + 1);
    listed[i].readable = true;
    return i;
  }
  return -1;
}

void strike(int place) {
  if (place < 0) return;
  listed[place].readable = false;
  listed[place].taken = false;
}

void end_by_signal(int number) {
  AtomicFile::remove_uncommitted();
  signal(number, SIG_DFL);
  raise(number);
}

}  // namespace

void AtomicFile::remove_uncommitted() noexcept {
  for (const Listed& file : listed)
    if (file.readable) unlink(file.name);
}

void AtomicFile::remove_on_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    // What ignores a signal, as nohup has it, goes on to.
    if (signal(number, end_by_signal) == SIG_IGN) signal(number, SIG_IGN);
  }
}

void AtomicFile::fail_with(const char* what, int error) const {
  fail(ErrorCode::bad_file, "cannot write ", path_, ": ", what, std::strerror(error));
}

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
  if (path.empty()) fail(ErrorCode::bad_file, "cannot write a file without a name");
  struct stat there {};
  if (stat(path.c_str(), &there) == 0) {
    if (!S_ISREG(there.st_mode)) fail(ErrorCode::bad_file, "cannot write ", path, ": it is not a regular file");
    // What a link leads to is replaced, not the link.
    const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr), &std::free);
    if (real) path_ = real.get();
    if (access(path_.c_str(), W_OK) != 0) fail_with("", errno);
  }
  static std::atomic<unsigned> counter{0};
  for (int attempt = 0; fd_ < 0; ++attempt) {
    temporary_ = cat(path_, ".", getpid(), "-", counter++, ".tmp");
    fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0 && (errno != EEXIST || attempt == 100)) {
      const int error = errno;
      temporary_.clear();
      fail_with("", error);
    }
  }
  place_ = enlist(temporary_);
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
  strike(place_);
}

void AtomicFile::write(const void* data, size_t size) {
  const char* p = static_cast<const char*>(data);
  size_ += size;
  while (size) {
    const ssize_t n = ::write(fd_, p, std::min<size_t>(size, size_t{1} << 30));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_with("", errno);
    p += n, size -= static_cast<size_t>(n);
  }
}

void AtomicFile::finish() {
  if (fd_ < 0) return;
  if (fsync(fd_) != 0 && errno != EINVAL) fail_with("", errno);
  if (close(std::exchange(fd_, -1)) != 0) fail_with("", errno);
}

void AtomicFile::commit() {
  finish();
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail_with("", errno);
  temporary_.clear();
  strike(std::exchange(place_, -1));
}

void write_file(const std::string& path, std::string_view bytes) {
  struct stat there {};
  if (stat(path.c_str(), &there) == 0 && (S_ISCHR(there.st_mode) || S_ISFIFO(there.st_mode))) {
    std::ofstream file(path, std::ios::binary);
    file << bytes << std::flush;
    if (!file) fail(ErrorCode::bad_file, "cannot write ", path, ": ", std::strerror(errno));
    return;
  }
  AtomicFile file(path);
  file.write(bytes.data(), bytes.size());
  file.finish();
  file.commit();
}

}  // namespace tc::onnx
