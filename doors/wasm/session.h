// The functions of the WebAssembly module, C calls over bytes of its memory: what tc.mjs is written on.
//
// Those that can fail return 0 or null then, and tc_error() says why; a session stays usable. Memory that is handed
// over comes from tc_allocate. Texts end with a zero byte and are good until the next call that gives a text. Element
// types are ONNX's TensorProto codes; types of less than 8 bits take a byte per element.
#pragma once
#include <cstddef>
#include <cstdint>

struct TcSession;
struct TcValue;  // a tensor, a sequence, a map, or nothing

#define TC_EXPORT(name) __attribute__((export_name(#name))) name

extern "C" {

void* TC_EXPORT(tc_allocate)(size_t bytes);
void TC_EXPORT(tc_free)(void* data);
const char* TC_EXPORT(tc_error)();
const char* TC_EXPORT(tc_error_code)();

TcSession* TC_EXPORT(tc_create)();
void TC_EXPORT(tc_release)(TcSession* session);
// Before tc_load: level (0 to 2), seed, max_memory (bytes), max_steps, nonfinite (1: stop at), dim:NAME (its extent).
int TC_EXPORT(tc_set)(TcSession* session, const char* key, const char* value);
// External data of that location, handed over.
int TC_EXPORT(tc_add_file)(TcSession* session, const char* location, void* data, size_t bytes);
// An ONNX model, handed over.
int TC_EXPORT(tc_load)(TcSession* session, void* data, size_t bytes);
// JSON: {"inputs": [{"name", "kind", "type", "shape"}], "outputs": [...]}; shape is null or has numbers and names.
const char* TC_EXPORT(tc_describe)(const TcSession* session);

// Inputs are built on a stack: a tensor to fill in, nothing, or a sequence of the last `count` values. tc_set_input
// takes the topmost. tc_input_data is where the tensor that input has already can be filled in anew; null where it has
// another type or other extents.
void* TC_EXPORT(tc_input_data)(TcSession* session, int input, int type, int rank, const double* extents);
void* TC_EXPORT(tc_push_tensor)(TcSession* session, int type, int rank, const double* extents);
int TC_EXPORT(tc_set_text)(TcSession* session, size_t element, const char* text, size_t bytes);
int TC_EXPORT(tc_push_none)(TcSession* session);
int TC_EXPORT(tc_push_sequence)(TcSession* session, int count);
int TC_EXPORT(tc_set_input)(TcSession* session, int input);
// The input is what an output of the last run is, without a copy.
int TC_EXPORT(tc_feed_back)(TcSession* session, int input, int output);

int TC_EXPORT(tc_run)(TcSession* session);
const TcValue* TC_EXPORT(tc_output)(const TcSession* session, int output);
int TC_EXPORT(tc_kind)(const TcValue* value);  // 0: nothing, 1: tensor, 2: sequence, 3: map
int TC_EXPORT(tc_count)(const TcValue* value);
const TcValue* TC_EXPORT(tc_item)(const TcValue* value, int place);
const char* TC_EXPORT(tc_key)(const TcValue* map, int place);
int TC_EXPORT(tc_key_is_text)(const TcValue* map, int place);
int TC_EXPORT(tc_type)(const TcValue* tensor);
int TC_EXPORT(tc_rank)(const TcValue* tensor);
double TC_EXPORT(tc_extent)(const TcValue* tensor, int axis);
const void* TC_EXPORT(tc_data)(const TcValue* tensor);
const char* TC_EXPORT(tc_text)(const TcValue* tensor, size_t element);
size_t TC_EXPORT(tc_text_bytes)(const TcValue* tensor, size_t element);

// From now on each run notes what its steps took, or no more.
void TC_EXPORT(tc_profile)(TcSession* session, int on);
// JSON: [{"op", "node", "kernel", "depth", "ms", "flops", "bytes"}] of the last run.
const char* TC_EXPORT(tc_profiled)(const TcSession* session);

}  // extern "C"
