// Files in WebAssembly, where there are none: models come as bytes.
#include "tc/frontend/onnx/file.h"

namespace tc::onnx {

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  fail(ErrorCode::bad_file, path, ": cannot open: this build reads no files; load the model from its bytes");
}

MappedFile::~MappedFile() = default;
void MappedFile::fetch(const void*, size_t) const {}
void MappedFile::drop(Bytes) const {}

ExternalData::~ExternalData() = default;

std::shared_ptr<const MappedFile> ExternalData::file(std::string_view location) {
  fail(ErrorCode::bad_external_data, "external data \"", location,
       "\" of a model in a build that reads no files; give its bytes under this name");
}

}  // namespace tc::onnx
