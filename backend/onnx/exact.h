// f64 functions that ONNX Runtime's CPU kernels have for f32 alone, said by operators that they have for f64: Exp, Log,
// Sqrt, Sin, Cos and arithmetic. Errors are those of a few roundings and of the kernels that they use.
#pragma once

#include <vector>

#include "tc/backend/onnx/export_rows.h"

namespace tc::onnx {

// Results of a node on f64; Refusal for other element types.
std::vector<Value*> exact_tan(Lowering& l);
std::vector<Value*> exact_asin(Lowering& l);
std::vector<Value*> exact_acos(Lowering& l);
std::vector<Value*> exact_atan(Lowering& l);
std::vector<Value*> exact_sinh(Lowering& l);
std::vector<Value*> exact_cosh(Lowering& l);
std::vector<Value*> exact_asinh(Lowering& l);
std::vector<Value*> exact_acosh(Lowering& l);
std::vector<Value*> exact_atanh(Lowering& l);
std::vector<Value*> exact_erf(Lowering& l);
std::vector<Value*> exact_softplus(Lowering& l);
std::vector<Value*> exact_elu(Lowering& l);

}  // namespace tc::onnx
