// Files as read-only memory: the model, and the external data its tensors point to.
//
// Invariants: only regular files are opened. External data lies below the model's folder and is reached through no
// symbolic link; offset and length are checked against the file's size before a byte is touched. Views keep their file
// mapped. Mapping reads nothing; a file that another process truncates while it is mapped raises SIGBUS on access.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tc/frontend/onnx/proto.h"
#include "tc/ir/tensor.h"

namespace tc::onnx {

class MappedFile : public MappedMemory {
 public:
  // `path` may be a symbolic link. Throws bad_file when there is no readable regular file.
  static std::shared_ptr<const MappedFile> open(const std::string& path);

  // Takes the descriptor over. `name` is for messages.
  static std::shared_ptr<const MappedFile> map(int descriptor, std::string name, ErrorCode code);

  ~MappedFile() override;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::string& name() const { return name_; }
  Bytes bytes() const { return bytes_; }

  // Gives the whole pages inside `range`, a part of bytes(), back to the system: they are read again when touched.
  void drop(Bytes range) const;
  void give_back(const void* data, size_t bytes) const override {
    drop(Bytes(static_cast<const uint8_t*>(data), bytes));
  }
  void fetch(const void* data, size_t bytes) const override;

 private:
  MappedFile(std::string name, Bytes bytes) : name_(std::move(name)), bytes_(bytes) {}

  std::string name_;
  Bytes bytes_;
};

// Bytes, and what keeps them alive.
struct SharedBytes {
  Bytes bytes;
  std::shared_ptr<const void> owner;
  const MappedMemory* mapped = nullptr;  // the owner, when it is a file
};

// Resolves the external data of one model. Each file is mapped once. Not thread-safe.
class ExternalData {
 public:
  // No folder: every lookup fails, as for a model that was given as bytes.
  ExternalData() = default;
  explicit ExternalData(std::string folder) : folder_(std::move(folder)) {}
  ~ExternalData();
  ExternalData(const ExternalData&) = delete;
  ExternalData& operator=(const ExternalData&) = delete;

  // A file that is in memory already, as bytes (u8); its location is compared as it is spelled.
  void add(const std::string& location, Tensor contents) { in_memory_[location] = std::move(contents); }

  // The folder that holds the model file `path`.
  static std::string folder_of(const std::string& path);

  // The bytes that TensorProto.external_data points to: its keys "location", "offset" (default 0) and "length"
  // (default: `size`, or without it to the end of the file); others are ignored. A length that is not `size` is an
  // error. Throws bad_external_data.
  SharedBytes resolve(const KeyValues& external_data, std::optional<uint64_t> size = {});

 private:
  std::shared_ptr<const MappedFile> file(std::string_view location);

  std::string folder_;
  int folder_descriptor_ = -1;
  std::map<std::string, std::shared_ptr<const MappedFile>> files_;
  std::map<std::string, Tensor, std::less<>> in_memory_;
};

// Opens `path`, relative and without "..", below the folder, following no link: by openat2 where the kernel has it and
// `use_openat2` says so, else component by component. Returns a descriptor, or -1 with errno.
int open_beneath(int folder_descriptor, const std::string& path, bool use_openat2 = true);

}  // namespace tc::onnx
