#include "tests/passes/rule_case.h"

namespace tc {

std::vector<RuleCase> normalize_cases() {
  return {
#define QUANTISED_CONV                                                                                              \
  "%s = constant dense<0.05> : f32[] \n %z = constant dense<3> : u8[] \n %w = constant dense<[[[[7]], [[-9]]], "    \
  "[[[100]], [[-128]]]]> : i8[2,2,1,1] \n %ws = constant dense<[0.01, 0.02]> : f32[2] \n %b = constant dense<[1, "  \
  "-2]> : f32[2] \n %dx = dequantize_linear %x, %s, %z \n %dw = dequantize_linear %w, %ws {axis = 0} \n %c = conv " \
  "%dx, %dw, %b \n "
      {"quantised-conv-is-integer",
       "(%x: u8[1,2,3,4]) { " QUANTISED_CONV "%0 = quantize_linear %c, %s, %z \n return %0 }", "qlinear_conv %x",
       " conv"},
      {"quantised-conv-is-integer",
       "(%x: u8[1,2,3,4]) { " QUANTISED_CONV "%r = relu %c \n %zero = constant dense<0> : u8[] \n %0 = quantize_linear "
       "%r, %s, %zero \n return %0 }",
       "qlinear_conv %x", "relu"},
      {"quantised-conv-is-integer",
       "(%x: u8[1,2,3,4]) { " QUANTISED_CONV "%r = relu %c \n %0 = quantize_linear %r, %s, %z \n return %0 }",
       "fused_qlinear_conv %x", "relu %"},
      {"quantised-conv-is-integer",
       "(%x: u8[1,2,3,4]) { " QUANTISED_CONV
       "%lo = constant dense<0.0> : f32[] \n %hi = constant dense<6.0> : f32[] \n %r = clip %c, %lo, %hi \n %t = "
       "constant dense<0.02> : f32[] \n %zero = constant dense<0> : u8[] \n %0 = quantize_linear %r, %t, %zero \n "
       "return %0 }",
       "qlinear_conv %x", "clip"},
      {"quantised-conv-is-integer",
       "(%x: u8[1,2,3,4]) { " QUANTISED_CONV
       "%lo = constant dense<0.0> : f32[] \n %hi = constant dense<6.0> : f32[] \n %r = clip %c, %lo, %hi \n %0 = "
       "quantize_linear %r, %s, %z \n return %0 }",
       "what is quantised is no convolution", nullptr},
      {"quantised-conv-is-integer",
       "(%x: u8[1,2,3,4]) { " QUANTISED_CONV "%0 = quantize_linear %c, %s, %z \n return %0, %c }",
       "the convolution has other users", nullptr},
      {"quantised-conv-is-integer",
       "(%x: f32[4]) { %s = constant dense<0.05> : f32[] \n %0 = quantize_linear %x, %s \n return %0 }",
       "what is quantised is no convolution", nullptr},
#undef QUANTISED_CONV
#define QUANTISED_SUM                                                                                                \
  "%s = constant dense<0.05> : f32[] \n %z = constant dense<3> : u8[] \n %w = constant dense<[[[[7]], [[-9]]], "     \
  "[[[100]], [[-128]]]]> : i8[2,2,1,1] \n %ws = constant dense<[0.01, 0.02]> : f32[2] \n %wz = constant dense<0> : " \
  "i8[] \n %q = qlinear_conv %x, %s, %z, %w, %ws, %wz, %s, %z \n %dq = dequantize_linear %q, %s, %z \n %dr = "       \
  "dequantize_linear %r, %s, %z \n "
      {"sum-with-quantised-conv-is-integer",
       "(%x: u8[1,2,3,4], %r: u8[1,2,3,4]) { " QUANTISED_SUM "%a = add %dr, %dq \n %0 = quantize_linear %a, %s, %z \n "
       "return %0 }",
       "fused_qlinear_conv %x", "add"},
      {"sum-with-quantised-conv-is-integer",
       "(%x: u8[1,2,3,4], %r: u8[1,2,3,4]) { " QUANTISED_SUM
       "%a = add %dq, %dr \n %y = relu %a \n %0 = quantize_linear "
       "%y, %s, %z \n return %0 }",
       "relu}", "add"},
      {"sum-with-quantised-conv-is-integer",
       "(%x: u8[1,2,3,4], %r: u8[1,2,3,4]) { " QUANTISED_SUM "%a = add %dq, %dr \n %0 = quantize_linear %a, %s, %z \n "
       "return %0, %q }",
       "no addend is a quantised convolution of its own and the other one dequantised bytes of its shape", nullptr},
      {"sum-with-quantised-conv-is-integer",
       "(%x: u8[1,2,3,4], %r: u8[2,1,1]) { " QUANTISED_SUM "%a = add %dq, %dr \n %0 = quantize_linear %a, %s, %z \n "
       "return %0 }",
       "no addend is a quantised convolution of its own and the other one dequantised bytes of its shape", nullptr},
#undef QUANTISED_SUM
      {"product-of-dequantised-is-integer",
       "(%x: i8[N,2]) { %s = constant dense<0.05> : f32[] \n %z = constant dense<-3> : i8[] \n %w = constant "
       "dense<[[1, "
       "2, 255], [4, 5, 6]]> : u8[2,3] \n %ws = constant dense<[0.1, 0.2, 0.3]> : f32[3] \n %wz = constant dense<[9, "
       "9, "
       "9]> : u8[3] \n %a = dequantize_linear %x, %s, %z \n %b = dequantize_linear %w, %ws, %wz {axis = 1} \n %0 = "
       "matmul %a, %b \n return %0 }",
       "matmul_integer %x", "dequantize"},
      {"product-of-dequantised-is-integer",
       "(%x: i8[N,2]) { %s = constant dense<0.05> : f32[] \n %w = constant dense<[[1, 2, 3], [4, 5, 6]]> : i8[2,3] \n "
       "%ws = constant dense<[0.1, 0.2]> : f32[2] \n %a = dequantize_linear %x, %s \n %b = dequantize_linear %w, %ws "
       "{axis = 0} \n %0 = matmul %a, %b \n return %0 }",
       "scales of another axis", nullptr},
#define WEIGHTS                                                                                              \
  "%w = constant dense<7> : u8[256,256] \n %z = constant dense<3> : u8[8,256] \n %s = constant dense<0.05> " \
  ": f32[8,256] \n %d = dequantize_linear %w, %s, %z {axis = 0, block_size = 32} \n "
      {"product-with-dequantised-weights", "(%x: f32[N,256]) { " WEIGHTS "%0 = matmul %x, %d \n return %0 }",
       "fused_dequantize_matmul %x", " matmul"},
      {"product-with-dequantised-weights",
       "(%x: f16[N,256]) { %w = constant dense<-7> : i4[256,256] \n %s = constant dense<0.5> : f16[256] \n %d = "
       "dequantize_linear %w, %s {axis = 0} \n %t = transpose %d \n %0 = matmul %x, %t \n return %0 }",
       "{trans_b", " matmul"},
      {"product-with-dequantised-weights",
       "(%x: f32[N,256]) { %w = constant dense<7> : u8[512,256] \n %s = constant dense<0.5> : f32[512] \n %t = "
       "transpose %w \n %d = dequantize_linear %t, %s \n %0 = matmul %x, %d \n return %0 }",
       "{trans_b, axis = 0}", " matmul"},
      {"product-with-dequantised-weights",
       "(%x: f32[N,256]) { %w = constant dense<7> : u4[256,512] \n %s = constant dense<0.5> : f16[512] \n %d = "
       "dequantize_linear %w, %s \n %f = cast %d {to = f32} \n %0 = matmul %x, %f \n return %0 }",
       "fused_dequantize_matmul %x", " matmul"},
      {"product-with-dequantised-weights", "(%x: f32[256]) { " WEIGHTS "%0 = matmul %x, %d \n return %0 }",
       "the left operand is no matrix", nullptr},
      {"product-with-dequantised-weights",
       "(%x: f32[N,256], %s: f32[8,256]) { %w = constant dense<7> : u8[256,256] \n %d = dequantize_linear %w, %s "
       "{axis = 0, block_size = 32} \n %0 = matmul %x, %d \n return %0 }",
       "the scale is not constant, or no float", nullptr},
      {"product-with-dequantised-weights",
       "(%x: f32[N,256]) { %w = constant dense<7> : u8[256,256] \n %s = constant dense<0.5> : f32[256] \n %d = "
       "dequantize_linear %w, %s {axis = 0} \n %0 = matmul %x, %d \n return %0 }",
       "scales of another axis", nullptr},
      {"product-with-dequantised-weights",
       "(%x: f32[N,256]) { %w = constant dense<7> : u8[256,256] \n %s = constant dense<0.5> : f32[32,256] \n %d = "
       "dequantize_linear %w, %s {axis = 0, block_size = 8} \n %0 = matmul %x, %d \n return %0 }",
       "blocks that are not multiples of 16", nullptr},
      {"product-with-dequantised-weights",
       "(%x: f32[N,16]) { %w = constant dense<7> : u8[16,256] \n %s = constant dense<0.5> : f32[] \n %d = "
       "dequantize_linear %w, %s \n %0 = matmul %x, %d \n return %0 }",
       "the weights are few", nullptr},
      {"gemm-with-dequantised-weights",
       "(%x: f32[N,256], %c: f32[256]) { " WEIGHTS "%0 = gemm %x, %d, %c \n return %0 }", "fused_dequantize_matmul %x",
       "gemm"},
      {"gemm-with-dequantised-weights",
       "(%x: f32[N,256], %c: f32[256]) { " WEIGHTS "%0 = gemm %x, %d, %c {beta = 2} \n return %0 }",
       "a factor, or the left operand transposed", nullptr},
#undef WEIGHTS
#define DEQUANTISED "(%x: u8[1,2,5,5]) { %s = constant dense<0.05> : f32[] \n %d = dequantize_linear %x, %s \n "
#define BYTES \
  "%s = constant dense<0.05> : f32[] \n %z = constant dense<3> : u8[] \n %d = dequantize_linear %x, %s, %z \n "
      {"move-of-dequantised-is-of-bytes",
       "(%x: u8[2,3,4]) { " BYTES "%0 = transpose %d {perm = [2, 0, 1]} \n return %0 }", "transpose %x",
       "transpose %d"},
      {"move-of-dequantised-is-of-bytes",
       "(%x: u8[2,3,4]) { " BYTES "%c = constant dense<[6, 4]> : i64[2] \n %0 = reshape %d, %c \n return %0 }",
       "reshape %x, %c", "reshape %d"},
      {"move-of-dequantised-is-of-bytes",
       "(%x: u8[2,3]) { %s = constant dense<[0.1, 0.2, 0.3]> : f32[3] \n %d = dequantize_linear %x, %s {axis = 1} \n "
       "%0 = "
       "transpose %d {perm = [1, 0]} \n return %0 }",
       "what is moved is not dequantised bytes with one scale", nullptr},
      {"quantised-concat-is-of-bytes",
       "(%x: u8[2,3], %y: i8[2,4]) { " BYTES
       "%t = constant dense<0.07> : f32[] \n %e = dequantize_linear %y, %t \n %c = concat %d, %e {axis = 1} \n %0 = "
       "quantize_linear %c, %s, %z \n return %0 }",
       "quantize_linear %e", "quantize_linear %c"},
      {"quantised-concat-is-of-bytes",
       "(%x: u8[2,3], %y: f32[2,4]) { " BYTES
       "%c = concat %d, %y {axis = 1} \n %0 = quantize_linear %c, %s, %z \n return %0 }",
       "a part is not dequantised bytes with one scale", nullptr},
      {"quantised-concat-is-of-bytes",
       "(%x: u8[2,3]) { " BYTES "%c = concat %d, %d {axis = 1} \n %0 = quantize_linear %c, %s, %z \n return %0, %c }",
       "the concatenation has other users", nullptr},
      {"quantised-concat-is-of-bytes", "(%x: u8[2,3]) { " BYTES "%0 = quantize_linear %d, %s, %z \n return %0 }",
       "what is quantised is no concatenation", nullptr},
      {"quantised-again-is-bytes", "(%x: u8[2,3]) { " BYTES "%0 = quantize_linear %d, %s, %z \n return %0 }",
       "return %x", "quantize"},
      {"quantised-again-is-bytes",
       "(%x: u8[2,3]) { " BYTES "%t = constant dense<0.06> : f32[] \n %0 = quantize_linear %d, %t, %z \n return %0 }",
       "quantised in another way", nullptr},
      {"quantised-again-is-bytes", "(%x: u8[2,3]) { " BYTES "%0 = quantize_linear %d, %s \n return %0 }",
       "quantised in another way", nullptr},
#undef BYTES
#define FACTORS                                                                                                        \
  "%s = constant dense<0.05> : f32[] \n %z = constant dense<-3> : i8[] \n %w = constant dense<[[1, 200], [4, 5], [7, " \
  "9]]> : u8[3,2] \n %ws = constant dense<[0.1, 0.2, 0.3]> : f32[3] \n %wz = constant dense<9> : u8[3] \n %a = "       \
  "dequantize_linear %x, %s, %z \n %b = dequantize_linear %w, %ws, %wz {axis = 0} \n "
      {"gemm-of-dequantised-is-integer",
       "(%x: i8[N,2], %c: f32[3]) { " FACTORS "%0 = gemm %a, %b, %c {trans_b} \n return %0 }", "matmul_integer %x",
       "dequantize"},
      {"gemm-of-dequantised-is-integer", "(%x: i8[N,2]) { " FACTORS "%0 = gemm %a, %b {trans_b} \n return %0 }",
       "matmul_integer %x", "add"},
      {"gemm-of-dequantised-is-integer", "(%x: i8[N,3]) { " FACTORS "%0 = gemm %a, %b \n return %0 }",
       "scales of another axis", nullptr},
      {"gemm-of-dequantised-is-integer",
       "(%x: i8[N,2], %c: f32[3]) { " FACTORS "%0 = gemm %a, %b, %c {trans_b, beta = 2} \n return %0 }",
       "a factor, or the left operand transposed", nullptr},
#undef FACTORS
      {"pool-of-dequantised-is-of-bytes",
       DEQUANTISED "%0 = max_pool %d {kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]} \n return %0 }",
       "max_pool %x", "dequantize_linear %x"},
      {"pool-of-dequantised-is-of-bytes",
       DEQUANTISED "%0 = max_pool %d {kernel_shape = [2, 2], dilations = [3, 3], pads = [1, 1, 1, 1]} \n return %0 }",
       "a window may lie in padding", nullptr},
      {"pool-of-dequantised-is-of-bytes",
       DEQUANTISED "%0 = max_pool %d {kernel_shape = [3, 3], strides = [2, 2], ceil_mode = true} \n return %0 }",
       "max_pool %x", "dequantize_linear %x"},
      {"pool-of-dequantised-is-of-bytes",
       DEQUANTISED
       "%0 = max_pool %d {kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 1, 1], ceil_mode = true} \n return %0 "
       "}",
       "a window may lie in padding", nullptr},
      {"pool-of-dequantised-is-of-bytes",
       "(%x: u8[1,2,5,5]) { %s = constant dense<-0.05> : f32[] \n %d = dequantize_linear %x, %s \n %0 = max_pool %d "
       "{kernel_shape = [3, 3]} \n return %0 }",
       "what is pooled is not dequantised bytes with one scale", nullptr},
#undef DEQUANTISED
      // Weights are transformed beyond the budget of other folds, tables that only grow are not.
      {"fold-constants",
       "(%x: f32[600,1000]) { %w = constant random(5) : f32[600,1000] \n %s = constant random(6) : f32[600,1] \n %0 = "
       "mul %w, %s \n %1 = add %x, %0 \n return %1 }",
       "= add", "= mul"},
      {"fold-constants",
       "(%x: f32[600,1000]) { %w = constant random(5) : f32[1,1000] \n %s = constant random(6) : f32[600,1] \n %0 = "
       "mul "
       "%w, %s \n %1 = add %x, %0 \n return %1 }",
       "the result exceeds the folding budget", nullptr},
      {"identity-is-its-operand", "(%x: f32[4]) { %0 = identity %x \n return %0 }", "return %x", "identity"},
      {"cast-to-same-type", "(%x: f32[4]) { %0 = cast %x {to = f32} \n return %0 }", "return %x", "cast"},
      {"cast-to-same-type", "(%x: f32[4]) { %0 = cast %x {to = f64} \n return %0 }", "the type changes, or may",
       nullptr},
      {"cast-there-and-back", "(%x: f16[4]) { %0 = cast %x {to = f32} \n %1 = cast %0 {to = f16} \n return %1 }",
       "return %x", "cast"},
      {"cast-there-and-back", "(%x: f32[4]) { %0 = cast %x {to = f16} \n %1 = cast %0 {to = f32} \n return %1 }",
       "the type between may lose values", nullptr},
      {"cast-there-and-back", "(%x: i64[4]) { %0 = cast %x {to = f64} \n %1 = cast %0 {to = i64} \n return %1 }",
       "the type between may lose values", nullptr},
      {"reshape-to-same-shape",
       "(%x: f32[N,4]) { %s = constant dense<[-1, 4]> : i64[2] \n %0 = reshape %x, %s \n return %0 }", "return %x",
       "reshape"},
      {"reshape-to-same-shape",
       "(%x: f32[2,4]) { %s = constant dense<[4, 2]> : i64[2] \n %0 = reshape %x, %s \n return %0 }",
       "the type changes, or may", nullptr},
      {"flatten-of-matrix", "(%x: f32[2,4]) { %0 = flatten %x \n return %0 }", "return %x", "flatten"},
      {"squeeze-of-nothing", "(%x: f32[2,4]) { %0 = squeeze %x \n return %0 }", "return %x", "squeeze"},
      {"unsqueeze-of-nothing",
       "(%x: f32[2,4]) { %a = constant dense<[]> : i64[0] \n %0 = unsqueeze %x, %a \n return %0 }", "return %x",
       "unsqueeze"},
      {"expand-to-same-shape",
       "(%x: f32[2,4]) { %s = constant dense<[1, 4]> : i64[2] \n %0 = expand %x, %s \n return %0 }", "return %x",
       "expand"},
      {"expand-to-same-shape",
       "(%x: f32[1,4]) { %s = constant dense<[3, 4]> : i64[2] \n %0 = expand %x, %s \n return %0 }",
       "the type changes, or may", nullptr},
      {"add-of-expanded",
       "(%x: f32[2,4], %a: f32[4]) { %s = constant dense<[2, 4]> : i64[2] \n %e = expand %a, %s \n %0 = add %e, %x "
       "\n return %0 }",
       "add %a, %x", "expand"},
      {"multiply-by-expanded",
       "(%x: f32[2,4], %a: f32[4]) { %s = constant dense<[2, 4]> : i64[2] \n %e = expand %a, %s \n %0 = mul %e, %x "
       "\n return %0 }",
       "mul %a, %x", "expand"},
      {"subtract-from-expanded",
       "(%x: f32[2,4], %a: f32[4]) { %s = constant dense<[2, 4]> : i64[2] \n %e = expand %a, %s \n %0 = sub %e, %x "
       "\n return %0 }",
       "sub %a, %x", "expand"},
      {"subtract-expanded",
       "(%x: f32[2,4], %a: f32[4]) { %s = constant dense<[2, 4]> : i64[2] \n %e = expand %a, %s \n %0 = sub %x, %e "
       "\n return %0 }",
       "sub %x, %a", "expand"},
      {"multiply-by-expanded",
       "(%x: f32[1,4], %a: f32[4]) { %s = constant dense<[2, 4]> : i64[2] \n %e = expand %a, %s \n %0 = mul %x, %e \n "
       "return %0 }",
       "the other operand is repeated, too, or may be", nullptr},
      {"tile-once", "(%x: f32[2,4]) { %s = constant dense<1> : i64[2] \n %0 = tile %x, %s \n return %0 }", "return %x",
       "tile"},
      {"slice-of-everything",
       "(%x: f32[2,4]) { %a = constant dense<[0]> : i64[1] \n %b = constant dense<[9]> : i64[1] \n %c = constant "
       "dense<[1]> : i64[1] \n %0 = slice %x, %a, %b, %c \n return %0 }",
       "return %x", "slice"},
      {"slice-of-everything",
       "(%x: f32[4]) { %a = constant dense<[-1]> : i64[1] \n %b = constant dense<[-9]> : i64[1] \n %c = constant "
       "dense<[0]> : i64[1] \n %0 = slice %x, %a, %b, %c, %a \n return %0 }",
       "steps may not be 1", nullptr},
      {"pad-by-nothing", "(%x: f32[2,4]) { %p = constant dense<0> : i64[4] \n %0 = pad %x, %p \n return %0 }",
       "return %x", "pad"},
      {"pad-by-nothing",
       "(%x: f32[2,4]) { %p = constant dense<[0, 1, 0, 0]> : i64[4] \n %0 = pad %x, %p \n return %0 }",
       "something is padded", nullptr},
      {"transpose-in-order", "(%x: f32[2,4]) { %0 = transpose %x {perm = [0, 1]} \n return %0 }", "return %x",
       "transpose"},
      {"transpose-in-order", "(%x: f32[2,4]) { %0 = transpose %x \n return %0 }", "the axes are reversed", nullptr},
      {"merge-transposes",
       "(%x: f32[2,3,4]) { %0 = transpose %x {perm = [1, 2, 0]} \n %1 = transpose %0 {perm = [0, 2, 1]} \n return %1 }",
       "perm = [1, 0, 2]", "perm = [1, 2, 0]"},
      {"merge-reshapes",
       "(%x: f32[2,6]) { %a = constant dense<[3, 4]> : i64[2] \n %b = constant dense<[-1]> : i64[1] \n %0 = reshape "
       "%x, %a \n %1 = reshape %0, %b \n return %1 }",
       "reshape %x, %b", "f32[3,4]"},
      {"merge-reshapes",
       "(%x: f32[2,6]) { %a = constant dense<[3, 4]> : i64[2] \n %b = constant dense<[0, 2, 2]> : i64[3] \n %0 = "
       "reshape %x, %a \n %1 = reshape %0, %b \n return %1 }",
       "the shape may copy an extent", nullptr},
      {"reshape-there-and-back",
       "(%x: f32[2,4]) { %a = constant dense<[1]> : i64[1] \n %0 = unsqueeze %x, %a \n %1 = squeeze %0, %a \n return "
       "%1 }",
       "return %x", "squeeze"},
      {"dropout-outside-training", "(%x: f32[4]) { %0 = dropout %x \n return %0 }", "return %x", "dropout"},
      {"dropout-outside-training", "(%x: f32[4]) { %0, %1 = dropout %x \n return %0, %1 }", "the mask is used",
       nullptr},
      {"one-operand-is-itself", "(%x: f32[4]) { %0 = concat %x {axis = 0} \n return %0 }", "return %x", "concat"},
      {"add-zero", "(%x: f32[4]) { %c = constant dense<-0> : f32[4] \n %0 = add %c, %x \n return %0 }", "return %x",
       "add"},
      {"add-zero", "(%x: i32[4]) { %c = constant dense<0> : i32[] \n %0 = add %x, %c \n return %0 }", "return %x",
       "add"},
      {"subtract-zero", "(%x: f32[4]) { %c = constant dense<0> : f32[] \n %0 = sub %x, %c \n return %0 }", "return %x",
       "sub"},
      {"multiply-by-one", "(%x: f32[4]) { %c = constant dense<1> : f32[] \n %0 = mul %x, %c \n return %0 }",
       "return %x", "mul"},
      {"divide-by-one", "(%x: i32[4]) { %c = constant dense<1> : i32[] \n %0 = div %x, %c \n return %0 }", "return %x",
       "div"},
      {"power-of-one", "(%x: f32[4]) { %c = constant dense<1> : f32[] \n %0 = pow %x, %c \n return %0 }", "return %x",
       "pow"},
      {"clip-without-bounds", "(%x: f32[4]) { %0 = clip %x \n return %0 }", "return %x", "clip"},

      {"max-zero-is-relu", "(%x: f32[4]) { %c = constant dense<0> : f32[] \n %0 = max %c, %x \n return %0 }", "relu %x",
       "max"},
      {"max-zero-is-relu", "(%x: u8[4]) { %c = constant dense<0> : u8[] \n %0 = max %x, %c \n return %0 }",
       "relu takes floats and signed integers", nullptr},
      {"min-of-max-is-clip",
       "(%x: f32[4]) { %a = constant dense<-1> : f32[] \n %b = constant dense<[0.5]> : f32[1] \n %0 = max %x, %a \n %1 "
       "= min %0, %b \n return %1 }",
       "clip %x", "min"},
      {"min-of-max-is-clip",
       "(%x: f32[4]) { %a = constant dense<1> : f32[] \n %b = constant dense<0.5> : f32[] \n %0 = max %x, %a \n %1 = "
       "min %0, %b \n return %1 }",
       "the bounds cross", nullptr},
      {"min-of-max-is-clip",
       "(%x: f32[]) { %a = constant dense<0> : f32[] \n %b = constant dense<0.5> : f32[1] \n %0 = max %x, %a \n %1 = "
       "min %0, %b \n return %1 }",
       "a bound widens the shape", nullptr},
      {"max-of-min-is-clip",
       "(%x: f32[4]) { %a = constant dense<-1> : f32[] \n %b = constant dense<0.5> : f32[] \n %0 = min %x, %b \n %1 = "
       "max %0, %a \n return %1 }",
       "clip %x", "max"},
      {"clip-at-zero-is-relu", "(%x: f32[4]) { %a = constant dense<0> : f32[] \n %0 = clip %x, %a \n return %0 }",
       "relu %x", "clip"},
      {"clip-at-zero-is-relu",
       "(%x: f32[4]) { %a = constant dense<0> : f32[] \n %b = constant dense<6> : f32[] \n %0 = clip %x, %a, %b \n "
       "return %0 }",
       "other bounds", nullptr},
      {"merge-clips",
       "(%x: f32[9]) { %a = constant dense<-1> : f32[] \n %b = constant dense<1> : f32[] \n %c = constant dense<0.5> : "
       "f32[] \n %0 = clip %x, %a, %b \n %1 = clip %0, %a, %c \n return %1 }",
       "clip %x", "clip %0"},
      {"merge-clips", "(%x: f32[9], %a: f32[]) { %0 = clip %x, %a \n %1 = clip %0, _, %a \n return %1 }",
       "bounds are not constants", nullptr},
      {"clip-of-relu",
       "(%x: f32[9]) { %a = constant dense<-1> : f32[] \n %b = constant dense<1> : f32[] \n %0 = relu %x \n %1 = clip "
       "%0, %a, %b \n return %1 }",
       "clip %x", "relu"},
      {"relu-of-clip",
       "(%x: f32[9]) { %a = constant dense<-1> : f32[] \n %b = constant dense<1> : f32[] \n %0 = clip %x, %a, %b \n %1 "
       "= relu %0 \n return %1 }",
       "clip %x", "relu"},
      {"relu-of-relu", "(%x: f32[9]) { %0 = relu %x \n %1 = relu %0 \n return %1 }", "relu %x", "relu %0"},
      {"sum-of-two-is-add", "(%x: f32[9], %y: f32[9]) { %0 = sum %x, %y \n return %0 }", "add %x, %y", "sum"},
      {"square-is-a-product", "(%x: f32[9]) { %c = constant dense<2> : f32[] \n %0 = pow %x, %c \n return %0 }",
       "mul %x, %x", "pow"},
      {"square-is-a-product", "(%x: f16[9]) { %c = constant dense<2> : i64[] \n %0 = pow %x, %c \n return %0 }",
       "mul %x, %x", "pow"},
      {"cube-is-a-product", "(%x: f32[9]) { %c = constant dense<3> : f32[] \n %0 = pow %x, %c \n return %0 }",
       "mul %0, %x", "pow"},
      {"power-of-minus-one-is-reciprocal",
       "(%x: f32[9]) { %c = constant dense<-1> : f32[] \n %0 = pow %x, %c \n return %0 }", "reciprocal %x", "pow"},
      {"power-of-half-is-square-root",
       "(%x: f32[9]) { %c = constant dense<0.5> : f32[] \n %0 = pow %x, %c \n return %0 }", "where", "pow"},
      {"power-of-half-is-square-root",
       "(%x: f16[2,9]) { %a = constant dense<[1]> : i64[1] \n %e = constant dense<0.001> : f16[] \n %c = constant "
       "dense<0.5> : f16[] \n %0 = mul %x, %x \n %1 = reduce_mean %0, %a \n %2 = add %1, %e \n %3 = pow %2, %c \n "
       "return %3 }",
       "sqrt %2", "where"},
      {"power-of-half-is-square-root",
       "(%x: f16[9]) { %c = constant dense<0.5> : f16[] \n %0 = pow %x, %c \n return %0 }",
       "no test for infinities of this type", nullptr},
      {"power-of-half-is-square-root",
       "(%x: i32[9]) { %c = constant dense<0.5> : f32[] \n %0 = abs %x \n %1 = pow %0, %c \n return %1 }", "integers",
       nullptr},
      {"power-of-minus-half-is-reciprocal-of-root",
       "(%x: f32[9]) { %c = constant dense<-0.5> : f32[] \n %0 = abs %x \n %1 = pow %0, %c \n return %1 }", "sqrt %0",
       "pow"},
      {"multiply-by-minus-one", "(%x: f32[9]) { %c = constant dense<-1> : f32[] \n %0 = mul %x, %c \n return %0 }",
       "neg %x", "mul"},
      {"subtract-from-zero", "(%x: f32[9]) { %c = constant dense<-0> : f32[] \n %0 = sub %c, %x \n return %0 }",
       "neg %x", "sub"},
      {"neg-of-neg", "(%x: f32[9]) { %0 = neg %x \n %1 = neg %0 \n return %1 }", "return %x", "neg"},

      {"fold-known-contents", "(%x: f32[2,3]) { %0 = shape %x \n return %0 }", "dense<[2, 3]>", "shape"},
      {"fold-constants",
       "(%x: f32[3]) { %a = constant dense<[1, 2, 3]> : f32[3] \n %0 = exp %a \n %1 = add %x, %0 \n return %1 }",
       "constant", "exp"},
      {"fold-dequantised",
       "(%x: f32[2]) { %q = constant dense<[1, 2]> : u8[2] \n %s = constant dense<0.5> : f32[] \n %0 = "
       "dequantize_linear %q, "
       "%s \n %1 = add %x, %0 \n return %1 }",
       "dense<[0.5, 1]>", "dequantize_linear"},
      {"transpose-after-elementwise",
       "(%x: f32[2,3,4]) { %c = constant random(1) : f32[4,2] \n %0 = transpose %x {perm = [1, 2, 0]} \n %1 = mul %c, "
       "%0 \n return %1 }",
       "mul %", ""},
      {"transpose-after-elementwise",
       "(%x: f32[2,3], %y: f32[3,2]) { %0 = transpose %x {perm = [1, 0]} \n %1 = mul %y, %0 \n return %1 }",
       "an operand is not transposed", nullptr},
      {"transpose-after-elementwise",
       "(%x: f32[2,3]) { %0 = transpose %x {perm = [1, 0]} \n %1 = exp %0 \n return %1, %0 }",
       "the transpose has other users", nullptr},
      {"transpose-after-softmax",
       "(%x: f32[2,3,4]) { %0 = transpose %x {perm = [1, 2, 0]} \n %1 = softmax %0 \n return %1 }",
       "softmax %x {axis = 0}", ""},
      {"transpose-after-log-softmax",
       "(%x: f32[2,3,4]) { %0 = transpose %x {perm = [1, 2, 0]} \n %1 = log_softmax %0 {axis = 0} \n return %1 }",
       "log_softmax %x {axis = 1}", ""},
      {"transpose-after-concat",
       "(%x: f32[2,3], %y: f32[2,5]) { %0 = transpose %x {perm = [1, 0]} \n %1 = transpose %y {perm = [1, 0]} \n %2 = "
       "concat %0, %1 {axis = 0} \n return %2 }",
       "concat %x, %y {axis = 1}", ""},
      {"inline-call",
       "(%x: f32[3]) { %0 = call @twice %x : f32[3] \n return %0 }\nfunc @twice(%y: f32[3]) { %0 = add %y, %y \n "
       "return %0 }",
       "add %x, %x", "call"},
      {"scan-of-elementwise-is-elementwise",
       "(%x: f32[N,3], %y: f32[N], %w: f32[2,3]) { %0, %1 = scan %x, %y {num_scan_inputs = 2} (@body (%a: f32[3], %b: "
       "f32[]) { %c = mul %a, %b \n %d = add %w, %c \n %e = exp %w \n return %d, %e }) \n return %0, %1 }",
       "expand", "scan"},
      {"scan-of-elementwise-is-elementwise",
       "(%x: f32[3,4]) { %0 = scan %x {num_scan_inputs = 1, scan_input_axes = [1], scan_input_directions = [1], "
       "scan_output_axes = [-1], scan_output_directions = [1]} (@body (%a: f32[3]) { %c = tanh %a \n return %c }) \n "
       "return %0 }",
       "tanh", "scan"},
      {"scan-of-elementwise-is-elementwise",
       "(%x: f32[N,3]) { %0 = scan %x {num_scan_inputs = 1} (@body (%a: f32[3]) { %c = softmax %a \n return %c }) \n "
       "return %0 }",
       "the body is more than elementwise", nullptr},
      {"scan-of-elementwise-is-elementwise",
       "(%x: f32[N]) { %0 = scan %x {num_scan_inputs = 1, scan_output_directions = [1]} (@body (%a: f32[]) { %c = exp "
       "%a \n return %c }) \n return %0 }",
       "slices are taken and stacked in different directions", nullptr},
      {"scan-of-elementwise-is-elementwise",
       "(%s: f32[], %x: f32[N]) { %0, %1 = scan %s, %x {num_scan_inputs = 1} (@body (%c: f32[], %a: f32[]) { %h = mul "
       "%c, %a \n %d = add %h, %a \n return %d, %h }) \n return %0, %1 }",
       "a state is neither a running sum nor a product", nullptr},
      {"scan-of-elementwise-is-elementwise",
       "(%x: i32[N], %y: i32[N]) { %0 = scan %x, %y {num_scan_inputs = 2} (@body (%a: i32[], %b: i32[]) { %one = "
       "constant dense<1> : i32[] \n %c = div %a, %one \n return %c }) \n return %0 }",
       "the body divides integers", nullptr},
      {"scan-of-sums-is-cumulative",
       "(%s: f32[3], %x: f32[N,3]) { %0, %1, %2 = scan %s, %x {num_scan_inputs = 1} (@body (%c: f32[3], %a: f32[3]) { "
       "%g = exp %a \n %d = add %c, %g \n %e = mul %c, %a \n return %d, %d, %e }) \n return %0, %1, %2 }",
       "cum_sum", "scan"},
      {"scan-of-sums-is-cumulative",
       "(%s: f32[3], %x: f32[N]) { %0 = scan %s, %x {num_scan_inputs = 1} (@body (%c: f32[3], %a: f32[]) { "
       "%d = add %a, %c \n return %d }) \n return %0 }",
       "reduce_sum", "scan"},
      {"scan-of-sums-is-cumulative",
       "(%s: f32[], %t: i32[2], %x: f32[4,N], %k: i32[N,2]) { %0, %1, %2 = scan %s, %t, %x, %k {num_scan_inputs = 2, "
       "scan_input_axes = [1, 0], scan_input_directions = [1, 1], scan_output_directions = [1]} (@body (%c: f32[], %m: "
       "i32[2], %a: f32[4], %b: i32[2]) { %two = constant dense<2> : f32[] \n %d = mul %c, %two \n %e = max %m, %b \n "
       "%f = mul %a, %d \n return %d, %e, %f }) \n return %0, %1, %2 }",
       "cum_prod", "scan"},
      {"scan-of-elementwise-is-elementwise",
       "(%s: f32[], %x: f32[N]) { %0, %1 = scan %s, %x {num_scan_inputs = 1} (@body (%c: f32[], %a: f32[]) { %d = max "
       "%c, %a \n return %d, %d }) \n return %0, %1 }",
       "a running maximum is looked at on the way", nullptr},
      {"short-scan-is-unrolled",
       "(%s: f32[2], %x: f32[2,3]) { %0, %1 = scan %s, %x {num_scan_inputs = 1, scan_input_axes = [1], "
       "scan_output_axes = [1], scan_output_directions = [1]} (@body (%c: f32[2], %a: f32[2]) { %h = mul %c, %a \n %d "
       "= "
       "sub %h, %a \n return %d, %h }) \n return %0, %1 }",
       "concat", "scan"},
      {"short-scan-is-unrolled",
       "(%s: f32[2], %x: f32[9,2]) { %0 = scan %s, %x {num_scan_inputs = 1} (@body (%c: f32[2], %a: f32[2]) { %h = mul "
       "%c, %a \n %d = sub %h, %a \n return %d }) \n return %0 }",
       "the scan is too long to be written out", nullptr},
      {"short-scan-is-unrolled",
       "(%s: f32[2], %x: f32[N,2]) { %0 = scan %s, %x {num_scan_inputs = 1} (@body (%c: f32[2], %a: f32[2]) { %h = mul "
       "%c, %a \n %d = sub %h, %a \n return %d }) \n return %0 }",
       "the number of slices is not known", nullptr},
#define ROWS "%i = arg_max %k {axis = 1} \n %s = constant dense<[3, 5]> : i64[2] \n %e = expand %i, %s \n "
      {"scatter-whole-slices",
       "(%k: f32[3,4], %d: f32[4,5], %u: f32[3,5]) { " ROWS "%0 = scatter_elements %d, %e, %u {reduction = add} \n "
       "return %0 }",
       "scatter_nd %d", "expand"},
      {"scatter-whole-slices",
       "(%k: f32[3,4], %d: f32[4,6], %u: f32[3,5]) { " ROWS "%0 = scatter_elements %d, %e, %u \n return %0 }",
       "not all of a slice is meant, or may not be", nullptr},
      {"scatter-whole-slices",
       "(%k: f32[3,4], %d: f32[3,5], %u: f32[3,5]) { " ROWS
       "%0 = scatter_elements %d, %e, %u {axis = 1} \n return %0 }",
       "the indices are expanded along the axis", nullptr},
      {"gather-whole-slices", "(%k: f32[3,4], %d: f32[4,5]) { " ROWS "%0 = gather_elements %d, %e \n return %0 }",
       "gather %d", "gather_elements"},
      {"gather-slices-of-batches",
       "(%k: f32[2,3,4], %d: f32[2,4,5]) { %i = arg_max %k {axis = 2} \n %s = constant dense<[2, 3, 5]> : i64[3] \n "
       "%e = expand %i, %s \n %0 = gather_elements %d, %e {axis = 1} \n return %0 }",
       "gather_nd %d", "gather_elements"},
      {"gather-slices-of-batches", "(%k: f32[3,4], %d: f32[4,5]) { " ROWS "%0 = gather_elements %d, %e \n return %0 }",
       "the same indices for all batches", nullptr},
#undef ROWS
      {"inline-constant-branch",
       "(%x: f32[3]) { %c = constant dense<true> : bool[] \n %0 = if %c ((){ %1 = exp %x \n return %1 }, () { %2 = "
       "tanh %x \n return %2 }) : f32[3] \n return %0 }",
       "exp %x", "tanh"},
      {"merge-equal-constants",
       "(%x: f32[3]) { %a = constant dense<2> : f32[] \n %b = constant dense<2> : f32[] \n %0 = mul %x, %a \n %1 = mul "
       "%0, %b "
       "\n return %1 }",
       "mul %0, %a", "mul %0, %b"},
      {"merge-equal-nodes", "(%x: f32[3]) { %0 = exp %x \n %1 = exp %x \n %2 = add %0, %1 \n return %2 }", "add %0, %0",
       "%1 = exp"},
  };
}

}  // namespace tc
