// The ONNX project's backend cases: the installed ones, and those in the folders that TC_ONNX_CASES names.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tc/tc.h"

namespace tc {

inline std::vector<std::string> case_roots() {
  std::vector<std::string> result = {TC_ONNX_TESTDATA};
  const char* more = std::getenv("TC_ONNX_CASES");
  std::istringstream folders(more ? more : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty()) result.push_back(folder);
  return result;
}

inline std::vector<std::filesystem::path> case_folders(const std::string& root) {
  std::vector<std::filesystem::path> folders;
  if (!std::filesystem::is_directory(root)) return folders;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
    if (entry.path().filename() == "model.onnx") folders.push_back(entry.path().parent_path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

// The opset of a model, as near as export comes to it.
inline int own_opset(const Module& m) {
  const auto it = m.metadata.find("opset.ai.onnx");
  const int opset = it == m.metadata.end() ? kMinExportOpset : std::atoi(it->second.c_str());
  return std::clamp(opset, kMinExportOpset, kMaxExportOpset);
}

// Of the folder, for test names and lists.
inline std::string name_of_root(const std::string& root) {
  if (root == TC_ONNX_TESTDATA) return "installed";
  std::string name = std::filesystem::path(root).filename().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

}  // namespace tc
