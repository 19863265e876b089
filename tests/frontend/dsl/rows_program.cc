#include "tc/frontend/dsl/op.h"
#include "vocabulary.h"

namespace tc::vocabulary {

Group program_rows() {
  Group g{"Statements, gradients of one's own, any op", {}};
  g.add(
      "assume_shape", {"f32[2,3]"},
      [](Var x) {
        return assume_shape(x, {2, "columns"}) + 1;
      },
      "a + 1");
  g.add(
      "assume_shape", {"f32[6]", "i64[2]=2,3"},
      [](Var x, Var shape) {
        return assume_shape(reshape(x, shape), {2, shape[1]}) * 2;
      },
      "a.reshape(2, 3) * 2");
  g.add(
      "check", {"f32[3,4]"},
      [](Var x) {
        check(abs(x) < 100, "small numbers");
        return abs(x);
      },
      "np.abs(a)");
  g.add(
      "custom_jvp", {"f32[4]"},
      [](Var x) { return custom_jvp([](Var v) { return exp(v); }, [](Var v, Var t) { return exp(v) * t; })(x); },
      "np.exp(a)");
  g.add(
      "custom_vjp", {"f32[4]"},
      [](Var x) { return custom_vjp([](Var v) { return exp(v); }, [](Var, Var y, Var s) { return y * s; })(x); },
      "np.exp(a)");
  g.add(
      "op", {"f32[3,4]"},
      [](Var x) {
        return op("hardmax", {x}, {{"axis", int64_t{0}}});
      },
      "(a == a.max(0)).astype('f4')");
  g.add(
      "op_n", {"f32[5]"},
      [](Var x) {
        return op_n("scan", 1, {x}, {{"num_scan_inputs", int64_t{1}}},
                    {region({"f32[]"}, [](Var v) { return v * v; })});
      },
      "a * a");
  g.add(
      "stop_gradient", {"f32[3,4]"}, [](Var x) { return stop_gradient(x) + x; }, "a + a");
  return g;
}

}  // namespace tc::vocabulary
