/* tc for C, and for whatever calls C: load a model, compile it, run it, train it, export it, see what a run did.
 *
 *   tc_function* f = NULL;
 *   tc_compiled* network = NULL;
 *   tc_tensor* y = NULL;
 *   if (tc_load("model.onnx", NULL, &f) || tc_compile(f, NULL, &network) || tc_run(network, NULL, &x, 1, &y, 1))
 *     puts(tc_last_message());
 *
 * Every function that can fail returns a status, TC_OK or what went wrong; tc_last_message() of the same thread then
 * names the place and the cause, and results are left as they were. Null handles are errors, not crashes; releasing a
 * null handle does nothing. What a function creates is released by the caller. A handle may be released as soon as it
 * is no argument of a running call: programs, tensors and runs keep what they need alive.
 * Functions, compiled programs and tensors that are only read may be used from several threads at once.
 *
 * Versions: functions and codes are only added; TC_C_VERSION counts, and tc_c_version() is that of the library. */
#ifndef TC_C_H
#define TC_C_H

#include <stddef.h>
#include <stdint.h>

#define TC_C_VERSION 1

#if defined(__GNUC__)
#define TC_C_API __attribute__((visibility("default")))
#else
#define TC_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* 0 is success; the others have the names and meanings of ir/diag.def. */
typedef int tc_status;
enum { TC_OK = 0 };
/* Element types, by the codes of ONNX's TensorProto.DataType. Elements below 8 bits take a byte each. */
typedef int tc_dtype;
enum {
  TC_F32 = 1,
  TC_U8 = 2,
  TC_I8 = 3,
  TC_U16 = 4,
  TC_I16 = 5,
  TC_I32 = 6,
  TC_I64 = 7,
  TC_STRING = 8,
  TC_BOOL = 9,
  TC_F16 = 10,
  TC_F64 = 11,
  TC_U32 = 12,
  TC_U64 = 13,
  TC_C64 = 14,
  TC_C128 = 15,
  TC_BF16 = 16
};

typedef struct tc_options tc_options;   /* names and values */
typedef struct tc_tensor tc_tensor;     /* a tensor of the host */
typedef struct tc_tensors tc_tensors;   /* named tensors: weights, states of trainings */
typedef struct tc_function tc_function; /* a program */
typedef struct tc_compiled tc_compiled; /* a program that runs */
typedef struct tc_run_options tc_run_options;
typedef struct tc_trainer tc_trainer;

/* Called once with `context`, when memory that was lent is no longer used. */
typedef void (*tc_release)(void* context);

/* --- Versions and errors ------------------------------------------------------------------------------------------ */

TC_C_API const char* tc_version(void); /* of tc, as 0.1.0 */
TC_C_API int tc_c_version(void);
TC_C_API const char* tc_status_name(tc_status status); /* as bad-file; "ok" */
/* What went wrong in the last call of this thread that failed; until its next one. Never null. */
TC_C_API const char* tc_last_message(void);
/* Frees text and bytes that a function made. */
TC_C_API void tc_free(void* memory);

/* --- Options ------------------------------------------------------------------------------------------------------ */

/* What a function takes beside its arguments, as names and values; null means that all are as usual. A name that the
 * function does not know, or a value that is none, is an error there.
 *
 *   tc_load...      dim:NAME (the extent of a named dimension), external_data_folder, shared_symbols (0, 1)
 *   tc_compile      level (0 to 2), threads, isa, max_memory, max_steps, seed, stop_at_nonfinite (0, 1), idle_contexts
 *   tc_export...    opset, target (standard, ort), functions (inlined, local), checks (dropped, refused, trap),
 *                   random (generator, keys, inputs, onnx), level (0, 1), dim:NAME,
 *                   external_data (automatic, never, always)
 *   tc_trainer...   optimizer (sgd, adam, adamw, rmsprop), rate, momentum, weight_decay, clip_norm, and those of
 *                   tc_compile */
TC_C_API tc_status tc_options_create(tc_options** out);
TC_C_API tc_status tc_options_set(tc_options* options, const char* name, const char* value);
TC_C_API void tc_options_release(tc_options* options);

/* --- Tensors ------------------------------------------------------------------------------------------------------ */

TC_C_API const char* tc_dtype_name(tc_dtype dtype); /* as f32; null for a code that is none */
TC_C_API size_t tc_dtype_size(tc_dtype dtype);      /* bytes of an element in memory; 0 for strings and no type */

/* Row-major. `data` is copied; null makes zeros. Strings have functions of their own. */
TC_C_API tc_status tc_tensor_create(tc_dtype dtype, int rank, const int64_t* extents, const void* data,
                                    tc_tensor** out);
/* Uses `data` itself, of `bytes` bytes, until `release` is called (null: it outlives all use). */
TC_C_API tc_status tc_tensor_borrow(tc_dtype dtype, int rank, const int64_t* extents, void* data, size_t bytes,
                                    tc_release release, void* context, tc_tensor** out);
TC_C_API tc_status tc_tensor_create_strings(int rank, const int64_t* extents, const char* const* strings,
                                            tc_tensor** out);
TC_C_API tc_dtype tc_tensor_dtype(const tc_tensor* tensor); /* 0 of null, as below */
TC_C_API int tc_tensor_rank(const tc_tensor* tensor);
TC_C_API const int64_t* tc_tensor_extents(const tc_tensor* tensor); /* the tensor's, as the following are */
TC_C_API int64_t tc_tensor_count(const tc_tensor* tensor);          /* elements */
TC_C_API const void* tc_tensor_data(const tc_tensor* tensor);       /* null of strings */
/* For writing: the tensor gets memory of its own first, where it shares it. */
TC_C_API tc_status tc_tensor_mutable_data(tc_tensor* tensor, void** out);
TC_C_API tc_status tc_tensor_string(const tc_tensor* tensor, int64_t index, const char** text, size_t* length);
TC_C_API void tc_tensor_release(tc_tensor* tensor);

/* Lists of named tensors; in files by the ending, .safetensors or .npz. */
TC_C_API tc_status tc_tensors_create(tc_tensors** out);
TC_C_API tc_status tc_tensors_load(const char* path, tc_tensors** out);
TC_C_API tc_status tc_tensors_save(const tc_tensors* tensors, const char* path);
TC_C_API tc_status tc_tensors_add(tc_tensors* tensors, const char* name, const tc_tensor* tensor);
TC_C_API size_t tc_tensors_count(const tc_tensors* tensors);
TC_C_API const char* tc_tensors_name(const tc_tensors* tensors, size_t index); /* the list's; null beyond its end */
TC_C_API tc_status tc_tensors_get(const tc_tensors* tensors, size_t index, tc_tensor** out);
TC_C_API void tc_tensors_release(tc_tensors* tensors);

/* --- Programs ----------------------------------------------------------------------------------------------------- */

/* An input or output. The texts are the program's. */
typedef struct tc_value_info {
  const char* name;
  const char* type;       /* as f32[batch,3] */
  tc_dtype dtype;         /* 0 of what is no tensor */
  int rank;               /* -1: not known, or no tensor */
  const int64_t* extents; /* -1 where one is not fixed */
} tc_value_info;

TC_C_API tc_status tc_load(const char* path, const tc_options* options, tc_function** out); /* .onnx, or .tc (text) */
/* An ONNX model. The memory is used until `release` is called (null: it outlives all use). */
TC_C_API tc_status tc_load_memory(const void* data, size_t size, tc_release release, void* context,
                                  const tc_options* options, tc_function** out);
TC_C_API tc_status tc_parse(const char* text, tc_function** out);
TC_C_API size_t tc_function_input_count(const tc_function* f);
TC_C_API size_t tc_function_output_count(const tc_function* f);
TC_C_API tc_status tc_function_input(const tc_function* f, size_t index, tc_value_info* info);
TC_C_API tc_status tc_function_output(const tc_function* f, size_t index, tc_value_info* info);
TC_C_API tc_status tc_function_text(const tc_function* f, char** out); /* weights elided; tc_free */
TC_C_API tc_status tc_function_parameters(const tc_function* f, tc_tensors** out);
TC_C_API tc_status tc_function_with_parameters(const tc_function* f, const tc_tensors* parameters, tc_function** out);
/* (inputs...) -> (outputs..., gradients of output 0 with respect to the inputs and parameters of these names). */
TC_C_API tc_status tc_function_value_and_grad(const tc_function* f, const char* const* names, size_t count,
                                              tc_function** out);
TC_C_API tc_status tc_export(const tc_function* f, const char* path, const tc_options* options);
TC_C_API tc_status tc_export_memory(const tc_function* f, const tc_options* options, void** data, size_t* size);
TC_C_API void tc_function_release(tc_function* f);

/* --- Runs --------------------------------------------------------------------------------------------------------- */

TC_C_API tc_status tc_compile(const tc_function* f, const tc_options* options, tc_compiled** out);
/* Inputs and outputs in the order of the program; all are tensors. outputs[i] may hold a tensor, which then gets the
 * result: its memory is written into, and type and extents must be those of the result. */
TC_C_API tc_status tc_run(const tc_compiled* compiled, tc_run_options* options, const tc_tensor* const* inputs,
                          size_t input_count, tc_tensor** outputs, size_t output_count);
TC_C_API void tc_compiled_trim(const tc_compiled* compiled); /* gives back memory and threads that idle */
TC_C_API void tc_compiled_release(tc_compiled* compiled);

/* For one run at a time. */
TC_C_API tc_status tc_run_options_create(tc_run_options** out);
/* Ends the run, and later ones, with limit-steps; from any thread. */
TC_C_API void tc_run_options_cancel(tc_run_options* options);
/* Runs end with limit-steps when they take longer; 0: no limit. */
TC_C_API tc_status tc_run_options_set_timeout(tc_run_options* options, int64_t milliseconds);
TC_C_API tc_status tc_run_options_set_profile(tc_run_options* options, int on);
/* What the last run did, a JSON list with an object per step: op, node, kernel, depth, begin_ns, end_ns, flops, bytes.
 */
TC_C_API tc_status tc_run_options_profile(const tc_run_options* options, char** json); /* tc_free */
TC_C_API void tc_run_options_release(tc_run_options* options);

/* --- Training ----------------------------------------------------------------------------------------------------- */

/* Of a program whose output 0 is the loss, one number, with respect to its parameters. */
TC_C_API tc_status tc_trainer_create(const tc_function* loss, const tc_options* options, tc_trainer** out);
/* One update. outputs: those of the loss before it, as many as are asked for. */
TC_C_API tc_status tc_trainer_step(tc_trainer* trainer, const tc_tensor* const* inputs, size_t input_count,
                                   tc_tensor** outputs, size_t output_count);
TC_C_API tc_status tc_trainer_parameters(const tc_trainer* trainer, tc_tensors** out);
TC_C_API tc_status tc_trainer_state(const tc_trainer* trainer, tc_tensors** out); /* all that training goes on from */
TC_C_API tc_status tc_trainer_set_state(tc_trainer* trainer, const tc_tensors* state);
TC_C_API void tc_trainer_release(tc_trainer* trainer);

#ifdef __cplusplus
}
#endif

#endif
