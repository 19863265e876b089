// A program run by ONNX Runtime's library, where one is installed: for comparisons.
//
//   const tc::CompiledOnnx peer = tc::compile_onnx(f);
//   const std::vector<tc::Tensor> expected = peer({x});
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tc/frontend/api/export.h"
#include "tc/frontend/dsl/function.h"

namespace tc {

struct CompileOnnxOptions {
  std::string library = {};  // a path; by default $TC_ORT_LIBRARY, else libonnxruntime.so.1 as the system finds it
  int threads = 1;
  bool optimize = true;                                    // by ONNX Runtime
  ExportOptions exported = {.target = ExportTarget::ort};  // the file that it reads
};

// Copyable; calls may come from several threads.
class CompiledOnnx {
 public:
  // Outputs in order. Errors: bad_input for another number of tensors, unsupported for element types that are packed,
  // internal with ONNX Runtime's message.
  std::vector<Tensor> operator()(const std::vector<Tensor>& inputs) const;
  const std::string& version() const;  // of the library

 private:
  friend CompiledOnnx compile_onnx(const Function& f, const CompileOnnxOptions& options);
  struct Session;
  std::shared_ptr<const Session> session_;
};

// Errors: bad_file where there is no library, and those of export_onnx.
CompiledOnnx compile_onnx(const Function& f, const CompileOnnxOptions& options = {});

}  // namespace tc
