// The part of ONNX Runtime's C API that tc-bench calls. The library hands out a table of functions that only ever grows
// at its end, so a slot's number and signature are all that a caller needs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tc::bench::ort {

struct Status;
struct Env;
struct Session;
struct SessionOptions;
struct Value;
struct MemoryInfo;
struct Allocator;
struct TensorInfo;

struct ApiBase {
  const void* const* (*get_api)(uint32_t version);
  const char* (*version)();
};

// A function of the table.
template <int Slot, class Signature>
struct Call;
template <int Slot, class R, class... Args>
struct Call<Slot, R(Args...)> {
  const void* const* table = nullptr;
  R operator()(Args... args) const { return reinterpret_cast<R (*)(Args...)>(const_cast<void*>(table[Slot]))(args...); }
};

struct Api {
  explicit Api(const void* const* t) : table(t) {}
  const void* const* table;

#define TC_ORT(slot, name, ...)  \
  Call<slot, __VA_ARGS__> name { \
    table                        \
  }
  TC_ORT(2, message, const char*(const Status*));
  TC_ORT(3, create_env, Status*(int log_level, const char* id, Env**));
  TC_ORT(6, disable_telemetry, Status*(const Env*));
  TC_ORT(7, create_session, Status*(const Env*, const char* path, const SessionOptions*, Session**));
  TC_ORT(9, run,
         Status*(Session*, const void* run_options, const char* const* input_names, const Value* const* inputs,
                 size_t num_inputs, const char* const* output_names, size_t num_outputs, Value** outputs));
  TC_ORT(10, create_session_options, Status*(SessionOptions**));
  TC_ORT(23, set_optimization_level, Status*(SessionOptions*, int level));
  TC_ORT(24, set_intra_op_threads, Status*(SessionOptions*, int));
  TC_ORT(25, set_inter_op_threads, Status*(SessionOptions*, int));
  TC_ORT(30, input_count, Status*(const Session*, size_t*));
  TC_ORT(31, output_count, Status*(const Session*, size_t*));
  TC_ORT(36, input_name, Status*(const Session*, size_t, Allocator*, char**));
  TC_ORT(37, output_name, Status*(const Session*, size_t, Allocator*, char**));
  TC_ORT(49, tensor_with_data,
         Status*(const MemoryInfo*, void* data, size_t bytes, const int64_t* dims, size_t rank, int dtype, Value**));
  TC_ORT(50, is_tensor, Status*(const Value*, int*));
  TC_ORT(51, tensor_data, Status*(Value*, void**));
  TC_ORT(60, element_type, Status*(const TensorInfo*, int*));
  TC_ORT(61, rank, Status*(const TensorInfo*, size_t*));
  TC_ORT(62, dims, Status*(const TensorInfo*, int64_t*, size_t));
  TC_ORT(65, tensor_info, Status*(const Value*, TensorInfo**));
  TC_ORT(69, cpu_memory, Status*(int allocator, int memory, MemoryInfo**));
  TC_ORT(76, allocator_free, Status*(Allocator*, void*));
  TC_ORT(78, default_allocator, Status*(Allocator**));
  TC_ORT(92, release_env, void(Env*));
  TC_ORT(93, release_status, void(Status*));
  TC_ORT(94, release_memory, void(MemoryInfo*));
  TC_ORT(95, release_session, void(Session*));
  TC_ORT(96, release_value, void(Value*));
  TC_ORT(99, release_tensor_info, void(TensorInfo*));
  TC_ORT(100, release_session_options, void(SessionOptions*));
  TC_ORT(130, add_session_entry, Status*(SessionOptions*, const char* key, const char* value));
#undef TC_ORT
};

constexpr uint32_t kApiVersion = 16;  // has all of the above
constexpr int kLogErrors = 3, kOptimizeAll = 99, kDeviceAllocator = 0, kDefaultMemory = 0;

}  // namespace tc::bench::ort
