#include "tc/frontend/onnx/file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace tc::onnx {
namespace {

// Non-blocking, so that opening a fifo returns.
constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) {
      const int saved = errno;
      close(fd_);
      errno = saved;
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

uint64_t page_size() {
  static const auto size = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return size;
}

void check_inside(Bytes range, Bytes file) {
  const bool inside = range.data() >= file.data() && range.data() + range.size() <= file.data() + file.size();
  TC_CHECK(range.empty() || inside, "a range outside the mapped file");
}

// The components of a relative path, without "." and empty ones. Throws for what cannot lie below a folder.
std::vector<std::string> components(std::string_view location) {
  const auto refuse = [&](std::string_view why) {
    fail(ErrorCode::bad_external_data, "external data location \"", location, "\" ", why,
         "; it must be a path relative to the model's folder, and below it");
  };
  if (location.empty()) refuse("is empty");
  if (location.find('\0') != location.npos) refuse("contains a zero byte");
  if (location.front() == '/') refuse("is absolute");
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= location.size();) {
    const size_t end = std::min(location.find('/', begin), location.size());
    const std::string_view part = location.substr(begin, end - begin);
    if (part == "..") refuse("leaves the folder by \"..\"");
    if (!part.empty() && part != ".") parts.emplace_back(part);
    begin = end + 1;
  }
  if (parts.empty()) refuse("names no file");
  return parts;
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  const int fd = path.find('\0') == path.npos ? ::open(path.c_str(), kOpenFlags) : (errno = ENOENT, -1);
  if (fd < 0) fail(ErrorCode::bad_file, path, ": cannot open: ", std::strerror(errno));
  return map(fd, path, ErrorCode::bad_file);
}

std::shared_ptr<const MappedFile> MappedFile::map(int descriptor, std::string name, ErrorCode code) {
  const Descriptor fd(descriptor);
  struct stat info {};
  if (fstat(fd.get(), &info) != 0) fail(code, name, ": cannot stat: ", std::strerror(errno));
  if (S_ISDIR(info.st_mode)) fail(code, name, ": a folder, expected a file");
  if (!S_ISREG(info.st_mode)) fail(code, name, ": not a regular file");
  const auto size = static_cast<size_t>(info.st_size);
  Bytes bytes;
  if (size != 0) {
    void* p = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, fd.get(), 0);
    if (p == MAP_FAILED) fail(code, name, ": cannot map ", size, " bytes: ", std::strerror(errno));
    bytes = {static_cast<const uint8_t*>(p), size};
  }
  return std::shared_ptr<const MappedFile>(new MappedFile(std::move(name), bytes));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<uint8_t*>(bytes_.data()), bytes_.size());
}

void MappedFile::fetch(const void* data, size_t bytes) const {
  check_inside(Bytes(static_cast<const uint8_t*>(data), bytes), bytes_);
  const auto at = reinterpret_cast<uintptr_t>(data), begin = at / page_size() * page_size();
  // Kernels before 5.14 do not know it: pages come as they are touched.
  madvise(reinterpret_cast<void*>(begin), at + bytes - begin, MADV_POPULATE_READ);
}

void MappedFile::drop(Bytes range) const {
  check_inside(range, bytes_);
  const auto begin = (reinterpret_cast<uintptr_t>(range.data()) + page_size() - 1) / page_size() * page_size();
  auto end = reinterpret_cast<uintptr_t>(range.data()) + range.size();
  // The last page of the file is all ours, however little of it the file fills.
  if (range.data() + range.size() != bytes_.data() + bytes_.size()) end = end / page_size() * page_size();
  if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

int open_beneath(int folder_descriptor, const std::string& path, bool use_openat2) {
  if (use_openat2) {
    open_how how{};
    how.flags = kOpenFlags;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
    const long fd = syscall(SYS_openat2, folder_descriptor, path.c_str(), &how, sizeof how);
    // Older kernels do not know the call, and sandboxes of older systems answer EPERM to it.
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) return static_cast<int>(fd);
  }
  const std::vector<std::string> parts = components(path);
  int current = folder_descriptor;
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    const Descriptor previous(i == 0 ? -1 : current);
    current = openat(current, parts[i].c_str(), O_NOFOLLOW | (last ? kOpenFlags : O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (current < 0) return -1;
  }
  return current;
}

ExternalData::~ExternalData() {
  if (folder_descriptor_ >= 0) close(folder_descriptor_);
}

std::shared_ptr<const MappedFile> ExternalData::file(std::string_view location) {
  std::string path;
  for (const std::string& part : components(location)) path += path.empty() ? part : "/" + part;
  std::shared_ptr<const MappedFile>& file = files_[path];
  if (file) return file;
  if (folder_descriptor_ < 0) {
    folder_descriptor_ = ::open(folder_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder_descriptor_ < 0) {
      fail(ErrorCode::bad_external_data, folder_, ": cannot open the model's folder: ", std::strerror(errno));
    }
  }
  const std::string name = folder_ + "/" + path;
  const int fd = open_beneath(folder_descriptor_, path);
  if (fd < 0) {
    const bool link = errno == ELOOP || errno == EXDEV;
    fail(ErrorCode::bad_external_data, name, ": cannot open external data: ",
         link ? "it is, or lies behind, a symbolic link, which is refused; put the file itself there"
              : std::strerror(errno));
  }
  return file = MappedFile::map(fd, name, ErrorCode::bad_external_data);
}

}  // namespace tc::onnx
