// Tests that run on our library and, where it is there, on ONNX Runtime's own.
#pragma once

#include "client.h"
#include "models.h"

namespace tc::client {

inline std::vector<std::string> libraries() {
  std::vector<std::string> all = {kOurs};
  if (!theirs().empty()) all.push_back(theirs());
  return all;
}

class Calls : public testing::TestWithParam<std::string> {
 protected:
  bool ours() const { return GetParam() == kOurs; }
  const Client c{GetParam()};
};

inline std::string library_name(const testing::TestParamInfo<std::string>& p) {
  return p.param == kOurs ? "tc" : "onnxruntime";
}

}  // namespace tc::client
