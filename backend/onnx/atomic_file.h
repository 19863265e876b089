// A file that appears whole or not at all: written beside its place, then renamed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tc::onnx {

class AtomicFile {
 public:
  // Error bad_file when nothing can be written there.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();  // without commit() nothing remains
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, size_t size);  // Error bad_file
  uint64_t size() const { return size_; }
  // Everything is on disk, under a name of its own.
  void finish();
  void commit();

  // From now on SIGINT, SIGTERM and SIGHUP remove what is not committed before they end the process. For programs; a
  // library leaves the handlers of its process alone.
  static void remove_on_signals();
  static void remove_uncommitted() noexcept;  // as a handler may

 private:
  [[noreturn]] void fail_with(const char* what, int error) const;
  std::string path_, temporary_;
  int fd_ = -1;
  uint64_t size_ = 0;
  int place_ = -1;  // in the list of files that signals remove
};

// Writes a file whole or not at all; a device or a pipe as it is. Error bad_file.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace tc::onnx
