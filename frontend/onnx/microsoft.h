// Operators of ONNX Runtime's own domain that exported and optimised models use. Each is a row that lowers it onto ops;
// the families' rows_import functions add the rows of their realm. Private to frontend/onnx.
#pragma once

#include "tc/frontend/onnx/import_rows.h"

namespace tc::onnx {

inline constexpr std::string_view kMicrosoft = "com.microsoft";

void rows_microsoft_attention(ImportRows& rows);
void rows_microsoft_norm(ImportRows& rows);
void rows_microsoft_fused(ImportRows& rows);
void rows_microsoft_quant(ImportRows& rows);

// Errors unsupported when attribute `name` has another value than the default one.
void expect_int_attr(NodeImport& n, std::string_view name, int64_t value);
// Error unsupported when input i is there.
void expect_absent(NodeImport& n, int i, std::string_view name);

}  // namespace tc::onnx
