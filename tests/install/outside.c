/* Knows tc only as an installed package for C. */
#include <stdio.h>
#include <tc/tc_c.h>

int main(void) {
  static const float kValues[2] = {-3, 4};
  const int64_t extents[2] = {1, 2};
  tc_function* f = NULL;
  tc_compiled* network = NULL;
  tc_tensor *x = NULL, *y = NULL;
  if (tc_parse("graph @main(%x: f32[N,2]) {\n  %0 = relu %x : f32[N,2]\n  return %0\n}\n", &f) ||
      tc_compile(f, NULL, &network) || tc_tensor_create(TC_F32, 2, extents, kValues, &x) ||
      tc_run(network, NULL, (const tc_tensor* const*)&x, 1, &y, 1)) {
    puts(tc_last_message());
    return 1;
  }
  const float* values = tc_tensor_data(y);
  return !(values[0] == 0 && values[1] == 4);
}
