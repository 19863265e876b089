// The ONNX project's test data, where the system has it, and the folders that TC_ONNX_CASES names (separated by
// colons).
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace test_data {

inline const std::string kFolder = "/usr/share/libonnx-testdata/data";

inline std::vector<std::string> files_below(const std::string& folder, const std::string& extension) {
  std::vector<std::string> found;
  std::error_code missing;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, missing)) {
    if (entry.is_regular_file() && entry.path().extension() == extension) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

inline std::vector<std::string> files(const std::string& extension) {
  std::vector<std::string> found = files_below(kFolder, extension);
  const char* more = std::getenv("TC_ONNX_CASES");
  std::istringstream folders(more ? more : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::vector<std::string> below = files_below(folder, extension);
    found.insert(found.end(), below.begin(), below.end());
  }
  return found;
}

inline std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace test_data
