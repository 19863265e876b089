// Prints a dictionary for libFuzzer: what the operator tables, their attributes and the element types are called.
#include <cstdio>
#include <set>
#include <string>

#include "tc/frontend/onnx/import.h"
#include "tc/ir/op.h"

int main() {
  std::set<std::string> words = {"module",      "graph",           "func",       "return",        "call",
                                 "dense<",      "zeros",           "ai.onnx.ml", "com.microsoft", "ai.onnx.training",
                                 "'descr'",     "'fortran_order'", "'shape'",    "data_offsets",  "dtype",
                                 "__metadata__"};
  for (const tc::OpInfo& op : tc::all_ops()) {
    words.emplace(op.name());
    for (const auto& field : op.attrs.fields) words.emplace(field.name);
  }
  for (const auto& known : tc::onnx::known_operators()) words.insert(known.name);
#define TC_DTYPE(id, spelling, storage, bits, kind, onnx, numpy) words.emplace(spelling);
#include "tc/ir/dtype.def"
#undef TC_DTYPE
  for (const std::string& word : words) std::printf("\"%s\"\n", word.c_str());
}
