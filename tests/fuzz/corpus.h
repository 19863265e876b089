// What is mutated: real networks, where the npm packages are installed, ONNX backend cases, where the system has them,
// and programs of this tree's tests.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "proto_tree.h"

namespace tc::fuzz {

struct Seed {
  std::string name;
  std::string bytes;
  bool text;                                 // textual IR, else an ONNX file
  std::map<std::string, int64_t> dims = {};  // of symbols, with which the program runs
  std::vector<Field> fields = {};            // of an ONNX file
};

// In groups from which mutations are drawn in turn, so that few large networks count as much as many small cases.
std::vector<std::vector<Seed>> corpus();

}  // namespace tc::fuzz
