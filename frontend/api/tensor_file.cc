#include "tc/frontend/api/tensor_file.h"

#include "tc/backend/onnx/atomic_file.h"
#include "tc/frontend/api/files/npy.h"
#include "tc/frontend/api/files/safetensors.h"
#include "tc/frontend/onnx/file.h"

namespace tc {
namespace {

[[noreturn]] void unknown_ending(const std::string& path) {
  fail(ErrorCode::bad_argument, path, ": files of tensors end in .npz or .safetensors");
}

}  // namespace

void save_tensors(const std::string& path, const NamedTensors& tensors) {
  for (const auto& [name, tensor] : tensors)
    if (!tensor.defined()) fail(ErrorCode::bad_argument, "tensor '", name, "' is undefined");
  if (path.ends_with(".npz")) return write_npz(path, tensors);
  if (!path.ends_with(".safetensors")) unknown_ending(path);
  const std::string header = safetensors_header(tensors);
  onnx::AtomicFile file(path);
  file.write(header.data(), header.size());
  for (const auto& [name, tensor] : tensors) file.write(tensor.data(), tensor.bytes());
  file.finish();
  file.commit();
}

NamedTensors load_tensors(const std::string& path) {
  if (path.ends_with(".npz")) return read_npz(path);
  if (!path.ends_with(".safetensors")) unknown_ending(path);
  const auto file = onnx::MappedFile::open(path);
  const auto bytes = file->bytes();
  return parse_safetensors({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path, file);
}

}  // namespace tc
