// The passes that leave a program of ONNX's operators: constants move into weights, nothing is fused beyond them.
#pragma once

namespace tc {

struct PipelineOptions;
PipelineOptions portable_passes();

}  // namespace tc
