// Stands in for npz.cc in a build without libzip.
#include "tc/frontend/api/files/npy.h"
#include "tc/ir/diag.h"

namespace tc {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  fail(ErrorCode::unsupported, path,
       ": this build of tc has no .npz files (TC_WITH_ZIP=OFF); .npy and .safetensors remain");
}

}  // namespace

NamedTensors read_npz(const std::string& path) {
  refuse(path);
}

Tensor read_npz_member(const std::string& path, std::string_view) {
  refuse(path);
}

void write_npz(const std::string& path, const NamedTensors&) {
  refuse(path);
}

}  // namespace tc
