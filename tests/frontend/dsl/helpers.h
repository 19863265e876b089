// What tests of the DSL share.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tc/tc.h"

namespace tc {

inline Tensor row(const std::vector<float>& values) {
  return Tensor::of<float>({static_cast<int64_t>(values.size())}, values);
}

// Code and text of the Error that f throws.
template <class F>
std::string what(F f) {
  try {
    static_cast<void>(f());
  } catch (const Error& e) {
    return cat(to_string(e.code()), ": ", e.what());
  }
  return "no error";
}

inline testing::AssertionResult contains(const std::string& text, std::string_view words) {
  if (text.find(words) != text.npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << words << "' is not in: " << text;
}

}  // namespace tc
