/* The C interface from a C program: what it gives, and that every mistake is an error with a message. */
#include "tc/doors/c/tc_c.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void check(int ok, const char* what, int line) {
  if (ok) return;
  ++failures;
  fprintf(stderr, "c_test.c:%d: %s\n  last message: %s\n", line, what, tc_last_message());
}
#define CHECK(condition) check((condition), #condition, __LINE__)
#define OK(call) check((call) == TC_OK, #call, __LINE__)

/* `call` fails with the status of this name, and the message has the text. */
static void check_refused(tc_status status, const char* name, const char* text, const char* call, int line) {
  check(strcmp(tc_status_name(status), name) == 0, call, line);
  check(strstr(tc_last_message(), text) != NULL, text, line);
}
#define REFUSED(call, name, text) check_refused((call), name, text, #call, __LINE__)

static const char* const kProgram =
    "graph @main(%x: f32[N,2]) {\n"
    "  %0 = relu %x : f32[N,2]\n"
    "  %1 = add %0, %x : f32[N,2]\n"
    "  return %0, %1\n"
    "}\n";

static void count_release(void* context) { ++*(int*)context; }

static tc_tensor* matrix(int64_t rows, const float* values) {
  const int64_t extents[2] = {rows, 2};
  tc_tensor* t = NULL;
  OK(tc_tensor_create(TC_F32, 2, extents, values, &t));
  return t;
}

static void statuses(void) {
  /* The numbers of a published interface stay. */
  static const char* const kNames[] = {
      "ok", "internal", "bad-argument", "bad-file", "bad-external-data", "bad-text", "bad-graph", "bad-type",
      "bad-shape", "bad-attribute", "bad-value", "bad-input", "unsupported", "no-gradient", "unknown-op",
      "limit-memory", "limit-steps", "limit-rank", "limit-nesting", "limit-size", "limit-rewrites", "check-failed"};
  for (int i = 0; i < (int)(sizeof kNames / sizeof *kNames); ++i) CHECK(strcmp(tc_status_name(i), kNames[i]) == 0);
  CHECK(strcmp(tc_status_name(-1), "unknown") == 0 && strcmp(tc_status_name(1000), "unknown") == 0);
  /* So does the layout of what callers have on their stacks. */
  CHECK(offsetof(tc_value_info, dtype) == 2 * sizeof(void*) && offsetof(tc_value_info, extents) == 2 * sizeof(void*) + 8);
  CHECK(tc_c_version() == TC_C_VERSION && strchr(tc_version(), '.') != NULL);
  CHECK(strcmp(tc_dtype_name(TC_F32), "f32") == 0 && strcmp(tc_dtype_name(TC_BF16), "bf16") == 0);
  CHECK(tc_dtype_size(TC_F64) == 8 && tc_dtype_size(TC_STRING) == 0);
  CHECK(tc_dtype_name(0) == NULL && tc_dtype_name(99) == NULL && tc_dtype_size(-1) == 0);
}

static void tensors(void) {
  static const float kValues[4] = {1, -2, 3, -4};
  tc_tensor* t = matrix(2, kValues);
  CHECK(tc_tensor_dtype(t) == TC_F32 && tc_tensor_rank(t) == 2 && tc_tensor_count(t) == 4);
  CHECK(tc_tensor_extents(t)[0] == 2 && memcmp(tc_tensor_data(t), kValues, sizeof kValues) == 0);
  void* data = NULL;
  OK(tc_tensor_mutable_data(t, &data));
  ((float*)data)[0] = 7;
  CHECK(((const float*)tc_tensor_data(t))[0] == 7);

  float own[4] = {1, 2, 3, 4};
  int released = 0;
  const int64_t extents[2] = {2, 2}, huge[2] = {INT64_MAX, 4}, negative[1] = {-1};
  tc_tensor* lent = NULL;
  OK(tc_tensor_borrow(TC_F32, 2, extents, own, sizeof own, count_release, &released, &lent));
  CHECK(tc_tensor_data(lent) == (const void*)own && released == 0);
  tc_tensor_release(lent);
  CHECK(released == 1);
  tc_tensor* none = NULL;
  REFUSED(tc_tensor_borrow(TC_F32, 2, extents, own, 15, count_release, &released, &none), "bad-argument", "15 bytes");
  CHECK(released == 2); /* the lender is told whether or not it worked */
  REFUSED(tc_tensor_borrow(TC_F32, 1, extents, (char*)own + 1, 8, NULL, NULL, &none), "bad-argument", "aligned");
  REFUSED(tc_tensor_create(TC_F32, 2, huge, NULL, &none), "limit-size", "");
  REFUSED(tc_tensor_create(TC_F32, 1, negative, NULL, &none), "bad-shape", "-1");
  REFUSED(tc_tensor_create(TC_F32, -1, extents, NULL, &none), "bad-argument", "rank -1");
  REFUSED(tc_tensor_create(77, 2, extents, NULL, &none), "bad-argument", "77");
  REFUSED(tc_tensor_create(TC_F32, 2, NULL, NULL, &none), "bad-argument", "'extents' is null");
  CHECK(none == NULL);

  static const char* const kWords[2] = {"one", "two"};
  const int64_t two[1] = {2};
  tc_tensor* words = NULL;
  const char* text = NULL;
  size_t length = 0;
  OK(tc_tensor_create_strings(1, two, kWords, &words));
  OK(tc_tensor_string(words, 1, &text, &length));
  CHECK(length == 3 && strcmp(text, "two") == 0 && tc_tensor_data(words) == NULL);
  REFUSED(tc_tensor_string(words, 2, &text, &length), "bad-argument", "element 2");
  REFUSED(tc_tensor_string(t, 0, &text, &length), "bad-type", "f32");
  REFUSED(tc_tensor_mutable_data(words, &data), "bad-type", "strings");
  tc_tensor_release(words);
  tc_tensor_release(t);
}

static void lists(const char* folder) {
  static const float kValues[2] = {1.5f, -2};
  tc_tensors* list = NULL;
  tc_tensor* t = matrix(1, kValues);
  OK(tc_tensors_create(&list));
  OK(tc_tensors_add(list, "w", t));
  char path[4096];
  snprintf(path, sizeof path, "%s/c_test.safetensors", folder);
  OK(tc_tensors_save(list, path));
  tc_tensors* read = NULL;
  tc_tensor* back = NULL;
  OK(tc_tensors_load(path, &read));
  CHECK(tc_tensors_count(read) == 1 && strcmp(tc_tensors_name(read, 0), "w") == 0 && !tc_tensors_name(read, 1));
  OK(tc_tensors_get(read, 0, &back));
  CHECK(back && memcmp(tc_tensor_data(back), kValues, sizeof kValues) == 0);
  tc_tensor* none = NULL;
  REFUSED(tc_tensors_get(read, 1, &none), "bad-argument", "tensor 1");
  tc_tensors* missing = NULL;
  REFUSED(tc_tensors_load("/nowhere/a.safetensors", &missing), "bad-file", "/nowhere");
  REFUSED(tc_tensors_save(list, "a.txt"), "bad-argument", "a.txt");
  tc_tensors_release(list);
  tc_tensors_release(read);
  tc_tensor_release(back);
  tc_tensor_release(t);
  remove(path);
}

static void options_of_all(tc_function* f) {
  tc_options* o = NULL;
  tc_compiled* none = NULL;
  OK(tc_options_create(&o));
  OK(tc_options_set(o, "opset", "21"));
  REFUSED(tc_compile(f, o, &none), "bad-argument", "tc_compile has no option 'opset'");
  tc_options_release(o);
  OK(tc_options_create(&o));
  OK(tc_options_set(o, "threads", "two"));
  REFUSED(tc_compile(f, o, &none), "bad-argument", "threads=two");
  OK(tc_options_set(o, "threads", "2"));
  OK(tc_options_set(o, "level", "9"));
  REFUSED(tc_compile(f, o, &none), "bad-argument", "level 9");
  REFUSED(tc_options_set(o, NULL, "1"), "bad-argument", "'name' is null");
  CHECK(none == NULL);
  tc_options_release(o);
}

static void runs(tc_function* f) {
  static const float kValues[4] = {1, -2, -3, 4}, kRelu[4] = {1, 0, 0, 4}, kSum[4] = {2, -2, -3, 8};
  tc_compiled* network = NULL;
  OK(tc_compile(f, NULL, &network));
  tc_tensor* x = matrix(2, kValues);
  const tc_tensor* inputs[1] = {x};
  tc_tensor* y[2] = {NULL, NULL};
  OK(tc_run(network, NULL, inputs, 1, y, 2));
  CHECK(y[0] && y[1] && memcmp(tc_tensor_data(y[0]), kRelu, sizeof kRelu) == 0);
  CHECK(memcmp(tc_tensor_data(y[1]), kSum, sizeof kSum) == 0);

  /* Results into memory of the caller. */
  float own[4] = {9, 9, 9, 9};
  const int64_t extents[2] = {2, 2};
  tc_tensor* into[1] = {NULL};
  OK(tc_tensor_borrow(TC_F32, 2, extents, own, sizeof own, NULL, NULL, &into[0]));
  OK(tc_run(network, NULL, inputs, 1, into, 1));
  CHECK(memcmp(own, kRelu, sizeof kRelu) == 0);
  tc_tensor* small[1] = {matrix(1, kValues)};
  REFUSED(tc_run(network, NULL, inputs, 1, small, 1), "bad-argument", "f32[1,2]");
  REFUSED(tc_run(network, NULL, inputs, 1, y, 3), "bad-argument", "3 outputs");
  REFUSED(tc_run(network, NULL, NULL, 1, y, 1), "bad-argument", "'inputs' is null");
  REFUSED(tc_run(network, NULL, inputs, 0, y, 1), "bad-input", "");
  REFUSED(tc_run(NULL, NULL, inputs, 1, y, 1), "bad-argument", "'compiled' is null");

  tc_run_options* o = NULL;
  char* json = NULL;
  OK(tc_run_options_create(&o));
  OK(tc_run_options_set_profile(o, 1));
  OK(tc_run_options_set_timeout(o, 60000));
  OK(tc_run(network, o, inputs, 1, y, 1));
  OK(tc_run_options_profile(o, &json));
  CHECK(json && json[0] == '[' && strstr(json, "\"kernel\": ") != NULL && strstr(json, "\"end_ns\": ") != NULL);
  tc_free(json);
  tc_run_options_cancel(o);
  REFUSED(tc_run(network, o, inputs, 1, y, 1), "limit-steps", "");
  REFUSED(tc_run_options_set_timeout(o, -1), "bad-argument", "-1");
  tc_run_options_release(o);
  tc_compiled_trim(network);
  tc_compiled_release(network);
  OK(tc_tensor_mutable_data(y[0], &(void*){NULL})); /* results outlive the program */
  tc_tensor_release(x);
  tc_tensor_release(y[0]);
  tc_tensor_release(y[1]);
  tc_tensor_release(into[0]);
  tc_tensor_release(small[0]);
}

static void files(tc_function* f) {
  tc_options* o = NULL;
  void* bytes = NULL;
  size_t size = 0;
  OK(tc_options_create(&o));
  OK(tc_options_set(o, "opset", "17"));
  OK(tc_options_set(o, "target", "ort"));
  OK(tc_export_memory(f, o, &bytes, &size));
  CHECK(bytes && size > 50);
  OK(tc_options_set(o, "target", "gpu"));
  REFUSED(tc_export_memory(f, o, &bytes, &size), "bad-argument", "standard, ort");
  tc_options_release(o);

  int released = 0;
  tc_function* g = NULL;
  OK(tc_load_memory(bytes, size, count_release, &released, NULL, &g));
  tc_value_info info;
  OK(tc_function_input(g, 0, &info));
  CHECK(strcmp(info.name, "x") == 0 && info.dtype == TC_F32 && info.rank == 2);
  CHECK(info.extents[0] == -1 && info.extents[1] == 2 && strcmp(info.type, "f32[N,2]") == 0);
  CHECK(tc_function_input_count(g) == 1 && tc_function_output_count(g) == 2);
  REFUSED(tc_function_output(g, 2, &info), "bad-argument", "output 2");
  char* text = NULL;
  OK(tc_function_text(g, &text));
  CHECK(text && strstr(text, "relu") != NULL);
  tc_free(text);
  tc_function_release(g);
  CHECK(released == 1);
  tc_function* none = NULL;
  REFUSED(tc_load_memory(bytes, size / 2, count_release, &released, NULL, &none), "bad-file", "");
  CHECK(released == 2 && none == NULL);
  tc_free(bytes);
  REFUSED(tc_load("/nowhere/m.onnx", NULL, &none), "bad-file", "/nowhere/m.onnx");
  REFUSED(tc_parse("graph @main(", &none), "bad-text", "");
  REFUSED(tc_load(NULL, NULL, &none), "bad-argument", "'path' is null");
}

static void training(void) {
  /* A line through points: loss = sum((w x - y)^2) by a parameter that starts at 0. */
  static const char* const kLoss =
      "graph @main(%x: f32[4], %y: f32[4]) {\n"
      "  %w = parameter @w dense<0> : f32[]\n"
      "  %0 = mul %w, %x : f32[4]\n"
      "  %1 = sub %0, %y : f32[4]\n"
      "  %2 = mul %1, %1 : f32[4]\n"
      "  %3 = reduce_sum %2 {keepdims = false} : f32[]\n"
      "  return %3\n"
      "}\n";
  static const float kX[4] = {1, 2, 3, 4}, kY[4] = {3, 6, 9, 12};
  const int64_t extents[1] = {4};
  tc_function* loss = NULL;
  OK(tc_parse(kLoss, &loss));
  tc_options* o = NULL;
  OK(tc_options_create(&o));
  OK(tc_options_set(o, "optimizer", "sgd"));
  OK(tc_options_set(o, "rate", "0.01"));
  tc_trainer* trainer = NULL;
  OK(tc_trainer_create(loss, o, &trainer));
  tc_tensor *x = NULL, *y = NULL;
  OK(tc_tensor_create(TC_F32, 1, extents, kX, &x));
  OK(tc_tensor_create(TC_F32, 1, extents, kY, &y));
  const tc_tensor* inputs[2] = {x, y};
  tc_tensor* value = NULL;
  double first = 0, last = 0;
  for (int i = 0; i < 20; ++i) {
    OK(tc_trainer_step(trainer, inputs, 2, &value, 1));
    last = value ? (double)*(const float*)tc_tensor_data(value) : NAN;
    if (i == 0) first = last;
  }
  CHECK(first == 270 && last < 1e-3);
  tc_tensors *weights = NULL, *state = NULL;
  tc_tensor* w = NULL;
  OK(tc_trainer_parameters(trainer, &weights));
  OK(tc_tensors_get(weights, 0, &w));
  CHECK(w && fabs((double)*(const float*)tc_tensor_data(w) - 3) < 1e-2);
  OK(tc_trainer_state(trainer, &state));
  CHECK(tc_tensors_count(state) > 1);
  OK(tc_trainer_set_state(trainer, state));
  REFUSED(tc_trainer_set_state(trainer, weights), "bad-argument", "");
  REFUSED(tc_trainer_step(trainer, inputs, 2, &value, 2), "bad-argument", "2 outputs");

  tc_function *trained = NULL, *slope = NULL, *none = NULL;
  OK(tc_function_with_parameters(loss, weights, &trained));
  static const char *const kNames[1] = {"w"}, *const kWrong[1] = {"v"};
  OK(tc_function_value_and_grad(trained, kNames, 1, &slope));
  CHECK(tc_function_output_count(slope) == 2);
  REFUSED(tc_function_value_and_grad(loss, kWrong, 1, &none), "bad-argument", "v");
  OK(tc_options_set(o, "momentum", "0.9"));
  OK(tc_options_set(o, "optimizer", "adam"));
  tc_trainer* refused = NULL;
  REFUSED(tc_trainer_create(loss, o, &refused), "bad-argument", "momentum");
  tc_options_release(o);
  tc_function_release(trained);
  tc_function_release(slope);
  tc_function_release(loss);
  tc_tensors_release(weights);
  tc_tensors_release(state);
  tc_tensor_release(w);
  tc_tensor_release(value);
  tc_tensor_release(x);
  tc_tensor_release(y);
  tc_trainer_release(trainer);
}

static void nothing(void) {
  tc_options_release(NULL);
  tc_tensor_release(NULL);
  tc_tensors_release(NULL);
  tc_function_release(NULL);
  tc_compiled_release(NULL);
  tc_run_options_release(NULL);
  tc_trainer_release(NULL);
  tc_run_options_cancel(NULL);
  tc_compiled_trim(NULL);
  tc_free(NULL);
  CHECK(tc_tensor_dtype(NULL) == 0 && tc_tensor_rank(NULL) == 0 && tc_tensor_data(NULL) == NULL);
  CHECK(tc_tensor_extents(NULL) == NULL && tc_tensor_count(NULL) == 0 && tc_tensors_count(NULL) == 0);
  CHECK(tc_function_input_count(NULL) == 0 && tc_tensors_name(NULL, 0) == NULL);
  REFUSED(tc_options_create(NULL), "bad-argument", "'out' is null");
  REFUSED(tc_parse(kProgram, NULL), "bad-argument", "'out' is null");
  REFUSED(tc_export(NULL, "a.onnx", NULL), "bad-argument", "'f' is null");
  REFUSED(tc_trainer_step(NULL, NULL, 0, NULL, 0), "bad-argument", "'trainer' is null");
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  tc_function* f = NULL;
  OK(tc_parse(kProgram, &f));
  statuses();
  tensors();
  lists(argv[1]);
  options_of_all(f);
  runs(f);
  files(f);
  training();
  nothing();
  tc_function_release(f);
  if (failures) fprintf(stderr, "%d checks failed\n", failures);
  return failures != 0;
}
