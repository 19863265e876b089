#include "tc/frontend/api/compile_onnx.h"

namespace tc {

struct CompiledOnnx::Session {};

CompiledOnnx compile_onnx(const Function&, const CompileOnnxOptions&) {
  fail(ErrorCode::unsupported, "ONNX Runtime's library cannot be loaded in WebAssembly");
}
std::vector<Tensor> CompiledOnnx::operator()(const std::vector<Tensor>&) const {
  fail(ErrorCode::bad_argument, "an undefined program");
}
const std::string& CompiledOnnx::version() const {
  fail(ErrorCode::bad_argument, "an undefined program");
}

}  // namespace tc
