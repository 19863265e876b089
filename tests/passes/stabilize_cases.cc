#include "tests/passes/rule_case.h"

namespace tc {

std::vector<RuleCase> stabilize_cases() {
  return {
      {"exp-over-sum-is-softmax",
       "(%x: f32[3,5]) { %a = constant dense<[1]> : i64[1] \n %0 = exp %x \n %1 = reduce_sum %0, %a \n %2 = div %0, %1 "
       "\n return %2 }",
       "softmax %x", "exp"},
      {"exp-over-sum-is-softmax",
       "(%x: f32[5,5]) { %a = constant dense<[1]> : i64[1] \n %0 = exp %x \n %1 = reduce_sum %0, %a {keepdims = false} "
       "\n %2 = div %0, %1 \n return %2 }",
       "the reduction drops its axis", nullptr},
      {"exp-over-sum-is-softmax",
       "(%x: f32[3,5]) { %a = constant dense<[0, 1]> : i64[2] \n %0 = exp %x \n %1 = reduce_sum %0, %a \n %2 = div %0, "
       "%1 \n return %2 }",
       "not one known axis", nullptr},
      {"softmax-shifts-by-itself",
       "(%x: f32[3,5]) { %a = constant dense<[1]> : i64[1] \n %0 = reduce_max %x, %a \n %1 = sub %x, %0 \n %2 = "
       "softmax %1 {axis = 1} \n return %2 }",
       "softmax %x", "reduce_max"},
      {"softmax-shifts-by-itself",
       "(%x: f32[3,5]) { %a = constant dense<[0]> : i64[1] \n %0 = reduce_max %x, %a \n %1 = sub %x, %0 \n %2 = "
       "softmax %1 {axis = 1} \n return %2 }",
       "the maximum runs along another axis", nullptr},
      {"log-of-softmax", "(%x: f32[3,5]) { %0 = softmax %x {axis = 0} \n %1 = log %0 \n return %1 }",
       "log_softmax %x {axis = 0}", "= log %"},
      {"log-of-sum-of-exp",
       "(%x: f32[3,5]) { %a = constant dense<[1]> : i64[1] \n %0 = exp %x \n %1 = reduce_sum %0, %a \n %2 = log %1 \n "
       "return %2 }",
       "reduce_log_sum_exp %x", "exp %x\n"},
      {"log-of-sum-of-exp",
       "(%x: f32[3,5], %a: i64[1]) { %0 = exp %x \n %1 = reduce_sum %0, %a \n %2 = log %1 \n return %2 }",
       "unknown axes", nullptr},
      {"log-sum-exp-shifts-by-itself",
       "(%x: f32[3,5]) { %a = constant dense<[1]> : i64[1] \n %m = reduce_max %x, %a \n %0 = sub %x, %m \n %1 = "
       "reduce_log_sum_exp %0, %a \n %2 = add %1, %m \n return %2 }",
       "reduce_log_sum_exp %x", "reduce_max"},
      {"less-log-sum-exp-is-log-softmax",
       "(%x: f32[3,5]) { %a = constant dense<[-1]> : i64[1] \n %0 = reduce_log_sum_exp %x, %a \n %1 = sub %x, %0 \n "
       "return %1 }",
       "log_softmax %x", "sub"},

      {"x-times-sigmoid-is-swish", "(%x: f32[7]) { %0 = sigmoid %x \n %1 = mul %0, %x \n return %1 }", "swish %x",
       "sigmoid"},
      {"x-times-scaled-sigmoid-is-swish",
       "(%x: f32[7]) { %k = constant dense<1.702> : f32[] \n %a = mul %x, %k \n %0 = sigmoid %a \n %1 = mul %0, %x \n "
       "return %1 }",
       "swish %x", "sigmoid"},
      {"x-times-hard-sigmoid-is-hard-swish",
       "(%x: f32[7]) { %0 = hard_sigmoid %x {alpha = 0.16666667, beta = 0.5} \n %1 = mul %x, %0 \n return %1 }",
       "hard_swish %x", "hard_sigmoid"},
      {"x-times-hard-sigmoid-is-hard-swish", "(%x: f32[7]) { %0 = hard_sigmoid %x \n %1 = mul %x, %0 \n return %1 }",
       "other parameters", nullptr},
      {"x-times-shifted-clip-is-hard-swish",
       "(%x: f32[7]) { %a = constant dense<3> : f32[] \n %b = constant dense<0> : f32[] \n %c = constant dense<6> : "
       "f32[] \n %0 = add %x, %a \n %1 = clip %0, %b, %c \n %2 = mul %x, %1 "
       "\n %3 = div %2, %c \n return %3 }",
       "hard_swish %x", "clip"},
      {"shifted-clip-is-hard-sigmoid",
       "(%x: f32[7]) { %a = constant dense<3> : f32[] \n %b = constant dense<0> : f32[] \n %c = constant dense<6> : "
       "f32[] \n %0 = add %x, %a \n %1 = clip %0, %b, %c \n %2 = div %1, %c \n "
       "return %2 }",
       "hard_sigmoid %x", "clip"},
      {"x-times-tanh-of-softplus-is-mish",
       "(%x: f32[7]) { %0 = softplus %x \n %1 = tanh %0 \n %2 = mul %1, %x \n return %2 }", "mish %x", "tanh"},
      {"one-over-one-plus-exp-is-sigmoid",
       "(%x: f32[7]) { %a = constant dense<1> : f32[] \n %0 = neg %x \n %1 = exp %0 \n %2 = add %1, %a \n %3 = div %a, "
       "%2 \n return %3 }",
       "sigmoid %x", "exp"},
      {"log-of-one-plus-exp-is-softplus",
       "(%x: f32[7]) { %a = constant dense<1> : f32[] \n %0 = exp %x \n %1 = add %0, %a \n %2 = log %1 \n return %2 }",
       "softplus %x", "exp"},
      {"log-of-sigmoid-is-minus-softplus", "(%x: f32[7]) { %0 = sigmoid %x \n %1 = log %0 \n return %1 }", "softplus",
       "log"},
      {"positive-part-is-relu",
       "(%x: f32[7]) { %z = constant dense<0> : f32[] \n %0 = greater %x, %z \n %1 = where %0, %x, %z \n return %1 }",
       "relu %x", "where"},
      {"positive-part-is-relu",
       "(%x: f32[7]) { %z = constant dense<0> : f32[] \n %0 = greater %x, %z \n %1 = cast %0 {to = f32} \n "
       "%2 = mul %x, %1 \n return %2 }",
       "relu %x", "mul"},
      {"positive-part-is-relu",
       "(%x: f32[7]) { %h = constant dense<0.5> : f32[] \n %0 = abs %x \n %1 = add %x, %0 \n %2 = mul %1, %h \n "
       "return %2 }",
       "relu %x", "abs"},
      {"positive-part-is-relu",
       "(%x: f32[7]) { %t = constant dense<2> : f32[] \n %0 = abs %x \n %1 = add %x, %0 \n %2 = div %1, %t \n "
       "return %2 }",
       "relu %x", "abs"},
      {"erf-chain-is-gelu",
       "(%x: f32[7]) { %s = constant dense<1.41421356> : f32[] \n %h = constant dense<0.5> : f32[] \n %a = constant "
       "dense<1> : f32[] \n %0 = div %x, %s \n %1 = erf %0 \n %2 = add %1, %a \n "
       "%3 = mul %x, %2 \n %4 = mul %3, %h \n return %4 }",
       "gelu %x", "erf"},
      {"erf-chain-is-gelu",
       "(%x: f32[7]) { %s = constant dense<0.70710678> : f32[] \n %h = constant dense<0.5> : f32[] \n %a = constant "
       "dense<1> : f32[] \n %0 = mul %x, %s \n %1 = erf %0 \n %2 = add %a, %1 \n "
       "%3 = mul %h, %x \n %4 = mul %3, %2 \n return %4 }",
       "gelu %x", "erf"},
      {"tanh-chain-is-gelu",
       "(%x: f32[7]) { %k = constant dense<0.044715> : f32[] \n %s = constant dense<0.79788456> : f32[] \n %h = "
       "constant dense<0.5> : f32[] \n %a = constant dense<1> : f32[] \n "
       "%3 = constant dense<3> : f32[] \n %c = pow %x, %3 \n %0 = mul %c, %k \n %1 = add %x, %0 \n %2 = mul %1, %s \n "
       "%t = tanh %2 \n %4 = add %t, %a \n %5 = mul %x, %h \n %6 = mul %5, %4 "
       "\n return %6 }",
       "gelu %x", "tanh %"},
      {"rms-norm-of-centred-is-layer-norm",
       "(%x: f32[3,8], %g: f32[8]) { %a = constant dense<[-1]> : i64[1] \n %m = reduce_mean %x, %a \n %d = sub %x, %m "
       "\n %0 = rms_normalization %d, %g \n return %0 }",
       "layer_normalization %x", "reduce_mean"},
      {"rms-norm-of-centred-is-layer-norm",
       "(%x: f32[8,8], %g: f32[8]) { %a = constant dense<[0]> : i64[1] \n %m = reduce_mean %x, %a \n %d = sub %x, %m "
       "\n %0 = rms_normalization %d, %g \n return %0 }",
       "the mean does not run along the last axis alone", nullptr},
      {"add-into-layer-norm-bias",
       "(%x: f32[3,8], %g: f32[8], %b: f32[8]) { %0 = layer_normalization %x, %g \n %1 = add %0, %b \n return %1 }",
       "layer_normalization %x, %g, %b", "= add"},
      // A whole layer norm as exporters spell it.
      {"instance-norm-of-groups-is-group-norm",
       "(%x: f32[2,6,5]) { %a = constant dense<[0, 3, -1]> : i64[3] \n %s = constant dense<[1, 2, 3]> : f32[3] \n %o = "
       "constant dense<[0.5, 0, 1]> : f32[3] \n %0 = reshape %x, %a \n %1 = instance_normalization %0, %s, %o \n %b = "
       "constant dense<[2, 6, 5]> : i64[3] \n %2 = reshape %1, %b \n return %2 }",
       "group_normalization %x", "instance_normalization"},
      {"instance-norm-of-groups-is-group-norm",
       "(%x: f32[2,6,10]) { %a = constant dense<[0, 4, -1]> : i64[3] \n %s = constant dense<[1, 2, 3, 4]> : f32[4] \n "
       "%o "
       "= constant dense<[0, 0, 0, 0]> : f32[4] \n %0 = reshape %x, %a \n %1 = instance_normalization %0, %s, %o \n %b "
       "= constant dense<[2, 6, 10]> : i64[3] \n %2 = reshape %1, %b \n return %2 }",
       "a group has no whole number of channels", nullptr},
      {"instance-norm-of-groups-is-group-norm",
       "(%x: f32[2,6,5]) { %a = constant dense<[0, 3, -1]> : i64[3] \n %s = constant dense<[1, 2, 3]> : f32[3] \n %o = "
       "constant dense<[0.5, 0, 1]> : f32[3] \n %0 = reshape %x, %a \n %1 = instance_normalization %0, %s, %o \n %b = "
       "constant dense<[2, 30]> : i64[2] \n %2 = reshape %1, %b \n return %2 }",
       "the shape changes", nullptr},
      {"instance-norm-of-groups-is-group-norm",
       "(%x: f32[2,6,5]) { %a = constant dense<[1, 3, 20]> : i64[3] \n %s = constant dense<[1, 2, 3]> : f32[3] \n %o = "
       "constant dense<[0.5, 0, 1]> : f32[3] \n %0 = reshape %x, %a \n %1 = instance_normalization %0, %s, %o \n %b = "
       "constant dense<[2, 6, 5]> : i64[3] \n %2 = reshape %1, %b \n return %2 }",
       "unknown groups", nullptr},
      {"scale-by-root-mean-square-is-rms-norm",
       "(%x: f32[3,8], %g: f32[8], %b: f32[8]) { %a = constant dense<[-1]> : i64[1] \n %2 = constant dense<2> : f32[] "
       "\n %e = constant dense<0.00001> : f32[] \n %m = reduce_mean %x, %a \n "
       "%d = sub %x, %m \n %p = pow %d, %2 \n %v = reduce_mean %p, %a \n %w = add %v, %e \n %s = sqrt %w \n %n = div "
       "%d, %s \n %o = mul %n, %g \n %q = add %o, %b \n return %q }",
       "rms_normalization", "sqrt"},
      {"scale-by-root-mean-square-is-rms-norm",
       "(%x: f32[3,8], %g: f32[8]) { %a = constant dense<[-1]> : i64[1] \n %e = constant dense<0.00001> : f32[] \n %p "
       "= mul %x, %x \n %v = reduce_mean %p, %a \n %w = add %v, %e \n "
       "%s = sqrt %w \n %r = reciprocal %s \n %n = mul %x, %r \n %o = mul %g, %n \n return %o }",
       "rms_normalization %x", "reduce_mean"},
  };
}

}  // namespace tc
