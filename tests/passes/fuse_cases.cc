#include "tests/passes/rule_case.h"

namespace tc {

namespace {

// A convolution of 4 to 6 channels under each body.
#define CONV                                                                                                           \
  "(%x: f32[N,4,7,8]) { %w = constant random(1, 0.3) : f32[6,4,3,3] \n %b = constant random(2, 0.3) : f32[6] \n %0 = " \
  "conv %x, %w, %b \n"
#define CHANNELS "%c = constant random(3) : f32[6,1,1] \n"
// Queries and keys of 2 heads and their products, each element of which is divided by 2.
#define HEADS "(%q: f32[B,2,S,4], %k: f32[B,2,T,4], %v: f32[B,2,T,5]) { "
#define SCORES                                                                                                       \
  "%kt = transpose %k {perm = [0, 1, 3, 2]} \n %p = matmul %q, %kt \n %two = constant dense<2> : f32[] \n %s = div " \
  "%p, %two \n "

// Three parts of 2 heads each, which one product has made; attention to its parts.
#define PARTS                                                                                                      \
  "%five = constant dense<[0, 0, 3, 2, 4]> : i64[5] \n %all = constant dense<[0, 0, 8]> : i64[3] \n %h = reshape " \
  "%x, %five \n %t = transpose %h {perm = [2, 0, 3, 1, 4]} \n "
#define MERGED                                                                                                    \
  "%a = attention %q, %w, %v \n %at = transpose %a {perm = [0, 2, 1, 3]} \n %y = reshape %at, %all \n return %y " \
  "}"

}  // namespace

std::vector<RuleCase> fuse_cases() {
  return {
      {"batch-norm-into-conv",
       CONV "%s = constant random(3) : f32[6] \n %m = constant random(4) : f32[6] \n %v = constant dense<[1, 2, 3, 4, "
            "5, 6]> : f32[6] \n %1 = batch_normalization %0, %s, %b, %m, %v \n return %1 }",
       "conv %x", "batch_normalization"},
      {"batch-norm-into-conv",
       "(%x: f32[2,4,5,5]) { %w = constant random(1, 0.3) : f32[4,3,2,2] \n %s = constant random(3) : f32[6] \n %b = "
       "constant random(2) : f32[6] \n %m = constant random(4) : f32[6] \n "
       "%v = constant dense<[1, 2, 3, 4, 5, 6]> : f32[6] \n %0 = conv_transpose %x, %w {group = 2} \n %1 = "
       "batch_normalization %0, %s, %b, %m, %v \n return %1 }",
       "conv_transpose %x", "batch_normalization"},
      {"batch-norm-into-conv",
       CONV "%s = constant random(3) : f32[6] \n %m = constant random(4) : f32[6] \n %v = constant dense<1> : f32[6] "
            "\n %1 = batch_normalization %0, %s, %b, %m, %v \n return %1, %0 }",
       "the convolution has other users", nullptr},
      {"batch-norm-into-conv",
       "(%x: f32[2,4,5,5], %s: f32[6]) { %w = constant random(1, 0.3) : f32[6,4,2,2] \n %v = constant dense<1> : "
       "f32[6] \n %0 = conv %x, %w \n %1 = batch_normalization %0, %s, %v, %v, %v \n return %1 }",
       "a parameter is no constant", nullptr},
      {"batch-norm-is-multiply-add",
       "(%x: f32[2,3,5]) { %s = constant random(3) : f32[3] \n %b = constant random(2) : f32[3] \n %m = constant "
       "random(4) : f32[3] \n %v = constant dense<[1, 2, 3]> : f32[3] \n "
       "%1 = batch_normalization %x, %s, %b, %m, %v \n return %1 }",
       "mul %x", "batch_normalization"},
      {"add-into-conv-bias", CONV CHANNELS "%1 = add %c, %0 \n return %1 }", "conv %x", "= add"},
      {"add-into-conv-bias", CONV "%c = constant random(3) : f32[6] \n %1 = add %0, %c \n return %1 }",
       "not one addend per channel", nullptr},
      {"subtract-into-conv-bias", CONV CHANNELS "%1 = sub %0, %c \n return %1 }", "conv %x", "sub"},
      {"multiply-into-conv-weights", CONV CHANNELS "%1 = mul %0, %c \n return %1 }", "conv %x", "mul"},
      {"divide-into-conv-weights", CONV "%c = constant dense<3> : f32[] \n %1 = div %0, %c \n return %1 }", "conv %x",
       "= div"},

      {"multiply-into-norm-scale",
       "(%x: f32[2,4,5]) { %s = constant dense<[1, 2, 3, 4]> : f32[4] \n %o = constant dense<[0.5, 0, 1, 2]> : f32[4] "
       "\n "
       "%0 = group_normalization %x, %s, %o {num_groups = 2} \n %c = constant dense<[[[2], [3], [0.5], [1]]]> : "
       "f32[1,4,1] \n %1 = mul %0, %c \n return %1 }",
       "group_normalization %x", "mul"},
      {"multiply-into-norm-scale",
       "(%x: f32[2,2,3]) { %s = constant dense<[1, 2]> : f32[2] \n %o = constant dense<[0.5, 0]> : f32[2] \n %0 = "
       "instance_normalization %x, %s, %o \n %c = constant dense<[2, 3, 4]> : f32[3] \n %1 = mul %0, %c \n return %1 }",
       "not one number per channel", nullptr},
      {"add-into-norm-bias",
       "(%x: f32[2,2,3]) { %s = constant dense<[1, 2]> : f32[2] \n %o = constant dense<[0.5, 0]> : f32[2] \n %0 = "
       "instance_normalization %x, %s, %o \n %c = constant dense<[[2], [3]]> : f32[2,1] \n %1 = add %0, %c \n return "
       "%1 "
       "}",
       "instance_normalization %x", "= add"},
      {"add-into-norm-bias",
       "(%x: f32[2,2,3]) { %s = constant dense<[1, 2]> : f32[2] \n %o = constant dense<[0.5, 0]> : f32[2] \n %0 = "
       "instance_normalization %x, %s, %o \n %c = constant dense<[[2], [3]]> : f32[2,1] \n %1 = add %0, %c \n %2 = mul "
       "%1, %0 \n return %2 }",
       "the norm has other users", nullptr},

      {"gemm-is-matmul-with-bias",
       "(%x: f32[3,4], %w: f32[5,4], %c: f32[5]) { %0 = gemm %x, %w, %c {alpha = 0.5, trans_b} \n return %0 }",
       "fused_matmul", "gemm"},
      {"gemm-is-matmul-with-bias",
       "(%x: f32[3,4], %w: f32[4,5], %c: f32[3,5]) { %0 = gemm %x, %w, %c {beta = 2.0} \n return %0 }", "fused_matmul",
       "gemm"},
      {"transpose-into-matmul",
       "(%x: f32[2,3,4], %y: f32[2,5,4]) { %0 = transpose %y {perm = [0, 2, 1]} \n %1 = matmul %x, %0 \n return %1 }",
       "trans_b", "transpose"},
      {"multiply-into-matmul-scale",
       "(%x: f32[3,4], %y: f32[4,5]) { %c = constant dense<0.125> : f32[] \n %0 = matmul %x, %y \n %1 = mul %0, %c \n "
       "return %1 }",
       "scale = 0.125", "= mul"},
      {"divide-into-matmul-scale",
       "(%x: f32[3,4], %y: f32[4,5]) { %c = constant dense<8> : f32[] \n %0 = matmul %x, %y \n %1 = div %0, %c \n "
       "return %1 }",
       "scale = 0.125", "= div"},
      {"add-into-matmul-bias",
       "(%x: f32[3,4], %y: f32[4,5], %b: f32[5]) { %0 = matmul %x, %y \n %1 = add %b, %0 \n return %1 }",
       "fused_matmul %x, %y, %b", "= add"},
      {"add-into-matmul-bias",
       "(%x: f32[4], %y: f32[4,5], %b: f32[5]) { %0 = matmul %x, %y \n %1 = add %b, %0 \n return %1 }",
       "an operand is a vector", nullptr},
      {"add-into-matmul-bias",
       "(%x: f32[1,4], %y: f32[4,5], %b: f32[3,5]) { %0 = matmul %x, %y \n %1 = add %b, %0 \n return %1 }",
       "the addend is no vector along the last axis", nullptr},

#define SUMS "%p = matmul_integer %x, %y \n %c = cast %p {to = f32} \n "
      {"scale-into-integer-product", "(%x: u8[N,4], %y: i8[4,5], %s: f32[]) { " SUMS "%0 = mul %c, %s \n return %0 }",
       "fused_matmul_integer %x, %y, _, _, %s", "cast"},
      {"scale-into-integer-product",
       "(%x: u8[2,3,4], %y: i8[4,5], %s: f32[5]) { " SUMS "%0 = mul %s, %c \n return %0 }", "fused_matmul_integer",
       "cast"},
      {"scale-into-integer-product",
       "(%x: u8[3,4], %y: i8[4,5], %s: f32[3,1]) { " SUMS "%0 = mul %c, %s \n return %0 }",
       "the scale is no number, and no vector along the last axis", nullptr},
      {"scale-into-integer-product",
       "(%x: u8[3,4], %y: i8[4,5], %s: f32[]) { " SUMS "%0 = mul %c, %s \n return %0, %p }",
       "the product has other users", nullptr},
      {"scale-into-integer-product",
       "(%x: u8[3,4], %y: i8[4,5], %s: f64[]) { %p = matmul_integer %x, %y \n %c = cast %p {to = f64} \n %0 = mul %c, "
       "%s \n return %0 }",
       "kernels scale in f32", nullptr},
#undef SUMS
#define SUMS "(%x: u8[3,4], %y: i8[4,5], %s: f32[], %b: f32[5]) { %p = fused_matmul_integer %x, %y, _, _, %s"
      {"add-into-integer-product", SUMS " \n %0 = add %b, %p \n return %0 }",
       "fused_matmul_integer %x, %y, _, _, %s, %b", "= add"},
      {"add-into-integer-product", SUMS ", %b \n %0 = add %b, %p \n return %0 }", "the product has an epilogue",
       nullptr},
      {"relu-into-integer-product", SUMS ", %b \n %0 = relu %p \n return %0 }", "activation = relu", "= relu %"},
      {"relu-into-integer-product", SUMS ", %b \n %0 = relu %p \n return %0, %p }", "the product has other users",
       nullptr},
#undef SUMS
#define SUMS                                                                                           \
  "(%x: u8[N,3,8,8], %w: i8[5,3,3,3], %s: f32[], %b: f32[1,5,1,1], %i: i32[5,1,1], %r: f32[1,1,6,1], " \
  "%o: i32[], %h: f16[]) { %p = "                                                                      \
  "conv_integer %x, %w \n "
      {"scale-into-integer-convolution", SUMS "%c = cast %p {to = f32} \n %0 = mul %c, %s \n return %0 }",
       "fused_conv_integer %x, %w, _, _, %s", "cast"},
      {"scale-into-integer-convolution",
       SUMS "%q = add %i, %p \n %c = cast %q {to = f32} \n %0 = mul %b, %c \n return %0 }",
       "fused_conv_integer %x, %w, _, _, %b, _, %i", "cast"},
      {"scale-into-integer-convolution",
       SUMS "%q = add %p, %o \n %c = cast %q {to = f32} \n %0 = mul %c, %s \n return %0 }",
       "the scale or addend is not one per channel", nullptr},
      {"scale-into-integer-convolution", SUMS "%c = cast %p {to = f16} \n %0 = mul %c, %h \n return %0 }",
       "kernels scale in f32", nullptr},
      {"scale-into-integer-convolution", SUMS "%c = cast %p {to = f32} \n %0 = mul %c, %r \n return %0 }",
       "the scale or addend is not one per channel", nullptr},
      {"scale-into-integer-convolution", SUMS "%c = cast %p {to = f32} \n %0 = mul %c, %s \n return %0, %p }",
       "the product has other users", nullptr},
#undef SUMS
#define SUMS                                                                                \
  "(%x: u8[N,3,8,8], %w: i8[5,3,3,3], %s: f32[], %b: f32[1,5,1,1], %i: i32[5,1,1]) { %p = " \
  "fused_conv_integer %x, %w, _, _, %s, _, %i \n "
      {"add-into-integer-product", SUMS "%0 = add %p, %b \n return %0 }", "fused_conv_integer %x, %w, _, _, %s, %b, %i",
       "= add"},
      {"relu-into-integer-product", SUMS "%0 = relu %p \n return %0 }", "activation = relu", "= relu %"},
#undef SUMS

      // The one that has no other users takes the other one in, on whichever side it is.
      {"residual-into-epilogue",
       "(%x: f32[3,4], %y: f32[4,5], %z: f32[4,5]) { %0 = matmul %x, %y \n %1 = matmul %x, %z \n %2 = add %0, %1 \n "
       "return %2, %0 }",
       "fused_matmul %x, %z, _, %0", "= add"},
      {"residual-into-epilogue",
       CONV "%p = constant random(5) : f32[6,4,3,3] \n %1 = conv %x, %p \n %2 = add %0, %1 \n return %2 }",
       "fused_conv", "= add"},
      {"activation-into-epilogue", CONV "%1 = relu %0 \n return %1 }", "activation = relu", "= relu %"},
      {"activation-into-epilogue", CONV "%1 = relu %0 \n return %1, %0 }", "the product or convolution has other users",
       nullptr},

      {"products-and-softmax-are-attention", HEADS SCORES "%w = softmax %s \n %y = matmul %w, %v \n return %y }",
       "attention %q, %k, %v {scale = 0.5", "softmax"},
      // Queries and keys are scaled on their own, as exporters of scaled_dot_product_attention do it.
      {"products-and-softmax-are-attention",
       HEADS
       "%c = constant dense<0.7> : f32[] \n %qs = mul %q, %c \n %kt = transpose %k {perm = [0, 1, 3, 2]} \n %ks = "
       "mul %kt, %c \n %s = matmul %qs, %ks \n %w = softmax %s {axis = 3} \n %y = matmul %w, %v \n return %y }",
       "attention %q, %k, %v", "mul"},
      {"products-and-softmax-are-attention",
       "(%q: f32[B,2,S,4], %k: f32[B,2,T,4], %v: f32[B,2,T,5], %m: f32[B,1,S,T]) { " SCORES
       "%m2 = add %m, %two \n %a = add %m2, %s \n %w = softmax %a \n %y = matmul %w, %v \n return %y }",
       "attention %q, %k, %v, %m2", "softmax"},
      {"products-and-softmax-are-attention",
       "(%q: f32[B,2,S,4], %k: f32[B,2,T,4], %v: f32[B,2,T,5], %m: f32[B,1,S,T]) { %two = constant dense<2> : f32[] \n "
       "%kt = transpose %k {perm = [0, 1, 3, 2]} \n %p = matmul %q, %kt \n %a = add %p, %m \n %s = div %a, %two \n %w "
       "= softmax %s \n %y = matmul %w, %v \n return %y }",
       "scores and mask are scaled together", nullptr},
      // Where a mask replaces a score by a number that swallows it.
      {"products-and-softmax-are-attention",
       "(%q: f32[B,2,S,4], %k: f32[B,2,T,4], %v: f32[B,2,T,5], %m: bool[S,T]) { " SCORES
       "%low = constant dense<-3.4e38> : f32[] \n %a = where %m, %s, %low \n %w = softmax %a \n %y = matmul %w, %v \n "
       "return %y }",
       "attention %q, %k, %v, %", "softmax"},
      {"products-and-softmax-are-attention",
       "(%q: f32[B,2,S,4], %k: f32[B,2,T,4], %v: f32[B,2,T,5], %m: bool[S,T]) { " SCORES
       "%low = constant dense<-10> : f32[] \n %a = where %m, %s, %low \n %w = softmax %a \n %y = matmul %w, %v \n "
       "return %y }",
       "what hides a score is too large a number", nullptr},
      // One axis for batch and heads.
      {"products-and-softmax-are-attention",
       "(%q: f32[N,S,4], %k: f32[N,T,4], %v: f32[N,T,5], %m: f32[N,S,T]) { %kt = transpose %k {perm = [0, 2, 1]} \n %p "
       "= matmul %q, %kt \n %a = add %p, %m \n %w = softmax %a \n %y = matmul %w, %v \n return %y }",
       "q_num_heads = 1", "softmax"},
      {"products-and-softmax-are-attention", HEADS SCORES "%w = softmax %s \n %y = matmul %w, %v \n return %y, %w }",
       "the softmax has other users", nullptr},
      {"products-and-softmax-are-attention", HEADS SCORES "%w = softmax %s \n %y = matmul %w, %v \n return %y, %s }",
       "the scores have other users", nullptr},
      {"products-and-softmax-are-attention",
       HEADS SCORES "%w = softmax %s {axis = 1} \n %y = matmul %w, %v \n return %y }",
       "the softmax is not over the keys", nullptr},
      {"products-and-softmax-are-attention",
       "(%q: f32[B,2,S,4], %k: f32[B,2,4,T], %v: f32[B,2,T,5]) { %s = matmul %q, %k \n %w = softmax %s \n %y = matmul "
       "%w, %v \n return %y }",
       "the keys are not transposed", nullptr},
      {"products-and-softmax-are-attention",
       "(%q: f32[B,2,S,4], %k: f32[2,T,4], %v: f32[B,2,T,5]) { %kt = transpose %k {perm = [0, 2, 1]} \n %s = matmul "
       "%q, "
       "%kt \n %w = softmax %s \n %y = matmul %w, %v \n return %y }",
       "an operand broadcasts", nullptr},
      {"products-and-softmax-are-attention",
       "(%x: f32[B,2,S,T], %v: f32[B,2,T,5]) { %w = softmax %x \n %y = matmul %w, %v \n return %y }",
       "the scores are no product of queries and keys", nullptr},
      {"products-and-softmax-are-attention",
       "(%q: f16[B,2,S,4], %k: f16[B,2,T,4], %v: f16[B,2,T,5]) { %kt = transpose %k {perm = [0, 1, 3, 2]} \n %s = "
       "matmul "
       "%q, %kt \n %w = softmax %s \n %y = matmul %w, %v \n return %y }",
       "the element type has no kernel", nullptr},
      {"heads-stay-side-by-side",
       "(%x: f32[B,S,8], %k: f32[B,T,8], %v: f32[B,T,10]) { %hq = constant dense<[0, 0, 2, 4]> : i64[4] \n %hv = "
       "constant "
       "dense<[0, 0, 2, 5]> : i64[4] \n %all = constant dense<[0, 0, 10]> : i64[3] \n %0 = reshape %x, %hq \n %1 = "
       "transpose %0 {perm = [0, 2, 1, 3]} \n %2 = reshape %k, %hq \n %3 = transpose %2 {perm = [0, 2, 1, 3]} \n %4 = "
       "reshape %v, %hv \n %5 = transpose %4 {perm = [0, 2, 1, 3]} \n %6 = attention %1, %3, %5 \n %7 = transpose %6 "
       "{perm = [0, 2, 1, 3]} \n %8 = reshape %7, %all \n return %8 }",
       "attention %x, %k, %v", "transpose"},
      {"heads-stay-side-by-side",
       "(%q: f32[B,2,S,4], %k: f32[B,2,T,4], %v: f32[B,2,T,5]) { %all = constant dense<[0, 0, 10]> : i64[3] \n %6 = "
       "attention %q, %k, %v \n %7 = transpose %6 {perm = [0, 2, 1, 3]} \n %8 = reshape %7, %all \n return %8 }",
       "an operand's heads do not come side by side", nullptr},
      // Queries, keys and values of one product.
      {"heads-stay-side-by-side",
       "(%x: f32[B,S,24]) { " PARTS
       "%i = constant dense<0> : i64[] \n %j = constant dense<1> : i64[] \n %k = constant dense<2> : i64[] \n %q = "
       "gather %t, %j \n %w = gather %t, %i \n %v = gather %t, %k \n " MERGED,
       "= slice %x", "transpose"},
      {"heads-stay-side-by-side",
       "(%x: f32[B,S,24]) { " PARTS
       "%o = constant dense<[0]> : i64[1] \n %i = constant dense<[1]> : i64[1] \n %j = constant dense<[2]> : i64[1] \n "
       "%k = constant dense<[3]> : i64[1] \n %0 = slice %t, %o, %i, %o \n %q = squeeze %0, %o \n %1 = slice %t, %i, "
       "%j, %o \n %w = squeeze %1, %o \n %2 = slice %t, %j, %k, %o, %i \n %v = squeeze %2, %o \n " MERGED,
       "= slice %x", "transpose"},
      {"heads-stay-side-by-side",
       "(%x: f32[B,S,24]) { " PARTS
       "%o = constant dense<[0]> : i64[1] \n %0, %1, %2 = split %t \n %q = squeeze %0, %o \n %w = squeeze %1, %o \n "
       "%v = squeeze %2, %o \n " MERGED,
       "= slice %x", "transpose"},
      // Parts of another axis.
      {"heads-stay-side-by-side",
       "(%x: f32[B,S,24]) { " PARTS
       "%i = constant dense<0> : i64[] \n %q = gather %t, %i \n %w = gather %t, %i \n %u = transpose %h {perm = [2, 0, "
       "1, 3, 4]} \n %0 = gather %u, %i \n %v = transpose %0 {perm = [0, 2, 1, 3]} \n " MERGED,
       "an operand's heads do not come side by side", nullptr},
#define REPEATED                                                                                                      \
  "(%q: f32[B,6,S,4], %k: f32[B,2,T,4], %v: f32[B,2,T,5]) { %many = constant dense<[1, 1, 3, 1, 1]> : i64[5] \n "     \
  "%axis = constant dense<[2]> : i64[1] \n %hk = constant dense<[0, 6, -1, 4]> : i64[4] \n %hv = constant dense<[0, " \
  "6, -1, 5]> : i64[4] \n %k1 = unsqueeze %k, %axis \n %k3 = expand %k1, %many \n %kk = reshape %k3, %hk \n %v1 = "   \
  "unsqueeze %v, %axis \n %v3 = expand %v1, %many \n %vv = reshape %v3, %hv \n "
      {"repeated-heads-are-shared", REPEATED "%0 = attention %q, %kk, %vv \n return %0 }", "attention %q, %k, %v",
       "expand"},
      {"repeated-heads-are-shared",
       "(%q: f32[B,6,S,4], %k: f32[B,6,T,4], %v: f32[B,6,T,5]) { %0 = attention %q, %k, %v \n return %0 }",
       "keys or values are not repeated", nullptr},
#undef REPEATED
      {"activation-into-epilogue",
       CONV "%l = constant dense<0> : f32[] \n %h = constant dense<6> : f32[] \n %1 = clip %0, %l, %h \n return %1 }",
       "activation = clip", "= clip %"},
      {"activation-into-epilogue", CONV "%1 = leaky_relu %0 {alpha = 0.2} \n return %1 }",
       "activation = leaky_relu, alpha = 0.2", "= leaky_relu %"},
      {"activation-into-epilogue", CONV "%1 = sigmoid %0 \n return %1 }", "activation = sigmoid", "= sigmoid %"},
      {"activation-into-epilogue", CONV "%1 = tanh %0 \n return %1 }", "activation = tanh", "= tanh %"},
      {"activation-into-epilogue", CONV "%1 = swish %0 \n return %1 }", "activation = swish", "= swish %"},
      {"activation-into-epilogue", CONV "%1 = hard_swish %0 \n return %1 }", "activation = hard_swish",
       "= hard_swish %"},
      {"activation-into-epilogue", CONV "%1 = hard_sigmoid %0 \n return %1 }", "activation = hard_sigmoid",
       "= hard_sigmoid %"},
      {"activation-into-epilogue", "(%x: f32[3,4], %y: f32[4,5]) { %0 = matmul %x, %y \n %1 = gelu %0 \n return %1 }",
       "activation = gelu", "= gelu %"},
      {"activation-into-epilogue",
       "(%x: f32[3,4], %y: f32[4,5]) { %0 = matmul %x, %y \n %1 = gelu %0 {approximate = tanh} \n return %1 }",
       "activation = gelu_tanh", "= gelu %"},

      {"elementwise-into-cluster",
       "(%x: f32[N,4], %y: f32[4]) { %0 = mul %x, %y \n %1 = exp %0 \n %2 = add %1, %x \n return %2 }",
       "cluster %x, %y", ""},
      // In doubles as well, but not partly in floats.
      {"elementwise-into-cluster",
       "(%x: f64[N,4], %y: f64[4]) { %s = constant dense<0.5> : f64[] \n %0 = mul %x, %s \n %1 = less %0, %y \n %2 = "
       "where %1, %x, %0 \n return %2 }",
       "cluster %x, %y", ""},
      {"elementwise-into-cluster",
       "(%x: f32[N,4], %y: f64[N,4]) { %0 = exp %x \n %1 = less %0, %x \n %2 = neg %y \n %3 = where %1, %2, %y \n "
       "return %3 }",
       "%3 = cluster %y, %0", ""},
      // A value that others use too is a second result.
      {"elementwise-into-cluster",
       "(%x: f32[N,4]) { %0 = exp %x \n %1 = tanh %0 \n %2 = transpose %0 \n return %1, %2 }", "%0, %1 = cluster", ""},
      // Bytes at the edges, with the rounding between them inside.
      {"elementwise-into-cluster",
       "(%x: u8[N,4], %y: i32[N,4]) { %s = constant dense<0.05> : f32[] \n %z = constant dense<-3> : i8[] \n %0 = "
       "dequantize_linear %x, %s \n %1 = cast %y {to = f32} \n %2 = add %0, %1 \n %3 = quantize_linear %2, %s, %z \n "
       "return %3 }",
       "cluster %x, %y", ""},
      // A byte that is rounded in the middle is stored where others want it.
      {"elementwise-into-cluster",
       "(%x: f32[N,4]) { %s = constant dense<0.05> : f32[] \n %0 = exp %x \n %1 = quantize_linear %0, %s \n %2 = "
       "dequantize_linear %1, %s \n %3 = neg %2 \n return %3 }",
       "%0 = cluster %x", ""},
      {"elementwise-into-cluster",
       "(%x: f32[N,4]) { %s = constant dense<0.05> : f32[] \n %0 = exp %x \n %1 = quantize_linear %0, %s \n %2 = "
       "dequantize_linear %1, %s \n %3 = neg %2 \n return %3, %1 }",
       "%4 = cluster %0", ""},
      // Each cluster reads the bytes; what others want dequantised stays.
      {"elementwise-into-cluster",
       "(%x: u8[N,4]) { %s = constant dense<0.05> : f32[] \n %0 = dequantize_linear %x, %s \n %1 = exp %0 \n %2 = "
       "transpose %0 \n return %1, %2 }",
       "cluster %x", ""},
  };
}

}  // namespace tc
