// A module in which every node can be written → protobuf.
#pragma once

#include <onnx/onnx_pb.h>

#include "tc/backend/onnx/atomic_file.h"
#include "tc/backend/onnx/dialect.h"

namespace tc::onnx {

// Where large weights go instead of the model.
struct ExternalSink {
  AtomicFile& file;
  std::string location;  // its name, as the model says it
  int64_t threshold;     // bytes of the least tensor that goes there
};

// `external` may be null.
::onnx::ModelProto write_model(const Module& module, const Dialect& dialect, const ExportOptions& options,
                               ExternalSink* external);

// Bytes that the tensor takes in a file.
uint64_t packed_bytes(const Tensor& t);

// Names of inputs and outputs of the model that say no rank, as the standard asks them to. Runtimes do not mind.
std::vector<std::string> values_without_rank(const ::onnx::ModelProto& model);

// Names are defined once and before their use, operators, their inputs, outputs and attributes are those of the opset,
// tensors have the bytes that they need. Error internal with the first violation. Then libonnx's checker, where it
// knows opset and IR version; it is told some rank where there is none.
void check_model(const ::onnx::ModelProto& model);

}  // namespace tc::onnx
