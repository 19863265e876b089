#include "tc/tools/common/installed.h"

#include <filesystem>

namespace tc {
namespace {

namespace fs = std::filesystem;

// Empty where the program has no such folder.
const fs::path& installed_data() {
  static const fs::path folder = [] {
    std::error_code unknown;
    const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
    const fs::path data = (program.parent_path() / TC_DATA_FROM_BIN).lexically_normal();
    return !unknown && fs::is_directory(data, unknown) ? data : fs::path();
  }();
  return folder;
}

}  // namespace

std::string version() {
  return TC_VERSION;
}

bool is_installed() {
  return !installed_data().empty();
}

std::string data_path(const std::string& file) {
  return (is_installed() ? installed_data() : fs::path(TC_SOURCE_DIR)) / file;
}

}  // namespace tc
