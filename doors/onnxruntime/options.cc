// Options of sessions and runs.
#include <dlfcn.h>

#include <cstring>

#include "tc/doors/onnxruntime/api.h"

namespace tc::dropin {
namespace {

// A key and its value; values over this size are refused, keys too.
constexpr size_t kMaxKey = 1024, kMaxValue = 4096;

void add_entry(Entries& entries, const char* key, const char* value) {
  const std::string k = text(key, "config_key"), v = text(value, "config_value");
  if (k.empty() || k.size() > kMaxKey || v.size() > kMaxValue)
    throw Fault(Code::invalid_argument, "a configuration key has 1 to ", kMaxKey, " characters, its value at most ",
                kMaxValue);
  entries[k] = v;
}

Tensor tensor_of(const OrtValue* v) {
  const Datum d = datum_of(checked(v));
  if (!d.is_tensor()) throw Fault(Code::invalid_argument, "an initialiser is a tensor");
  return d.tensor();
}

OrtStatus* accept(OrtSessionOptions* o) {
  return guard([&] { checked(o); });
}

using RegisterFunction = OrtStatus* (*)(OrtSessionOptions*, const void* api_base);

// What the function registers, or its error.
void register_by(void* function, OrtSessionOptions& o) {
  if (OrtStatus* s = reinterpret_cast<RegisterFunction>(function)(&o, api_base())) {
    const Fault fault(s->code, s->message);
    api::ReleaseStatus(s);
    throw fault;
  }
}

void* load_library(const char* path) {
  void* library = dlopen(text(path, "library_path"), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw Fault(Code::no_such_file, dlerror());
  return library;
}
void register_library(void* library, const char* path, OrtSessionOptions& o) {
  void* function = dlsym(library, "RegisterCustomOps");
  if (!function) throw Fault(Code::invalid_argument, path, ": has no function RegisterCustomOps");
  register_by(function, o);
}

}  // namespace

namespace api {

OrtStatus* CreateSessionOptions(OrtSessionOptions** out) {
  return guard([&] { make(out, [&] { return new OrtSessionOptions; }); });
}
OrtStatus* CloneSessionOptions(const OrtSessionOptions* o, OrtSessionOptions** out) {
  return guard([&] {
    auto copy = std::make_unique<OrtSessionOptions>(checked(o));
    copy->cancel_load = std::make_shared<std::atomic<bool>>(o->cancel_load->load());
    make(out, [&] { return copy.release(); });
  });
}
void ReleaseSessionOptions(OrtSessionOptions* o) {
  release(o);
}
OrtStatus* SetIntraOpNumThreads(OrtSessionOptions* o, int n) {
  return guard([&] {
    checked(o);
    if (n < 0) throw Fault(Code::invalid_argument, "a session cannot have ", n, " threads");
    o->threads = n;
  });
}
// Steps run one after the other: a number is accepted, and changes nothing.
OrtStatus* SetInterOpNumThreads(OrtSessionOptions* o, int n) {
  return guard([&] {
    checked(o);
    if (n < 0) throw Fault(Code::invalid_argument, "a session cannot have ", n, " threads");
  });
}
OrtStatus* SetSessionGraphOptimizationLevel(OrtSessionOptions* o, int level) {
  return guard([&] {
    checked(o);
    if (level != 0 && level != 1 && level != 2 && level != 3 && level != 99)
      throw Fault(Code::invalid_argument, "optimisation level ", level, " is none of 0, 1, 2, 3 and 99");
    o->level = std::min(level, 2);
  });
}
OrtStatus* SetSessionExecutionMode(OrtSessionOptions* o, int mode) {
  return guard([&] {
    checked(o);
    if (mode != 0 && mode != 1) throw Fault(Code::invalid_argument, "execution mode ", mode, " is neither 0 nor 1");
    o->execution_mode = mode;
  });
}
OrtStatus* GetSessionExecutionMode(const OrtSessionOptions* o, int* out) {
  return guard([&] { result(out) = checked(o).execution_mode; });
}
OrtStatus* EnableMemPattern(OrtSessionOptions* o) {
  return guard([&] { checked(o).memory_patterns = true; });
}
OrtStatus* DisableMemPattern(OrtSessionOptions* o) {
  return guard([&] { checked(o).memory_patterns = false; });
}
OrtStatus* GetMemPatternEnabled(const OrtSessionOptions* o, int* out) {
  return guard([&] { result(out) = checked(o).memory_patterns; });
}
// Memory is planned ahead, whatever is said here.
OrtStatus* EnableCpuMemArena(OrtSessionOptions* o) {
  return accept(o);
}
OrtStatus* DisableCpuMemArena(OrtSessionOptions* o) {
  return accept(o);
}
// Results are the same on each run and for any number of threads.
OrtStatus* SetDeterministicCompute(OrtSessionOptions* o, bool) {
  return accept(o);
}
OrtStatus* DisablePerSessionThreads(OrtSessionOptions* o) {
  return guard([&] { checked(o).own_threads = false; });
}
OrtStatus* SetOptimizedModelFilePath(OrtSessionOptions* o, const char* path) {
  return guard([&] { checked(o).optimized_path = text(path, "optimized_model_filepath"); });
}
OrtStatus* EnableProfiling(OrtSessionOptions* o, const char* prefix) {
  return guard([&] { checked(o).profile_prefix = text(prefix, "profile_file_prefix"); });
}
OrtStatus* DisableProfiling(OrtSessionOptions* o) {
  return guard([&] { checked(o).profile_prefix.reset(); });
}
OrtStatus* SetSessionLogId(OrtSessionOptions* o, const char* id) {
  return guard([&] { checked(o).log_id = text(id, "logid"); });
}
OrtStatus* SetSessionLogVerbosityLevel(OrtSessionOptions* o, int) {
  return accept(o);
}
OrtStatus* SetSessionLogSeverityLevel(OrtSessionOptions* o, int level) {
  return guard([&] {
    checked(o);
    if (level < -1 || level > kFatal) throw Fault(Code::invalid_argument, "log severity ", level, " is none of 0 to 4");
    o->log_severity = level;
  });
}
OrtStatus* SetUserLoggingFunction(OrtSessionOptions* o, LogFunction function, void* param) {
  return guard([&] {
    checked(o).log_function = function;
    o->log_param = param;
  });
}
OrtStatus* SessionOptionsSetLoadCancellationFlag(OrtSessionOptions* o, bool cancel) {
  return guard([&] { checked(o).cancel_load->store(cancel); });
}
OrtStatus* AddFreeDimensionOverride(OrtSessionOptions* o, const char* denotation, int64_t extent) {
  return guard([&] {
    checked(o);
    if (extent < 0) throw Fault(Code::invalid_argument, "a dimension of extent ", extent);
    o->load.denoted_dims[text(denotation, "dim_denotation")] = extent;
  });
}
OrtStatus* AddFreeDimensionOverrideByName(OrtSessionOptions* o, const char* name, int64_t extent) {
  return guard([&] {
    checked(o);
    if (extent < 0) throw Fault(Code::invalid_argument, "a dimension of extent ", extent);
    o->load.dims[text(name, "dim_name")] = extent;
  });
}
OrtStatus* AddInitializer(OrtSessionOptions* o, const char* name, const OrtValue* value) {
  return guard([&] { checked(o).load.initializers[text(name, "name")] = tensor_of(value); });
}
OrtStatus* AddExternalInitializers(OrtSessionOptions* o, const char* const* names, const OrtValue* const* values,
                                   size_t n) {
  return guard([&] {
    checked(o);
    list(names, n, "initializer_names");
    list(values, n, "initializers");
    for (size_t i = 0; i < n; ++i) o->load.initializers[text(names[i], "initializer_names")] = tensor_of(values[i]);
  });
}
OrtStatus* AddExternalInitializersFromFilesInMemory(OrtSessionOptions* o, const char* const* names,
                                                    char* const* contents, const size_t* sizes, size_t n) {
  return guard([&] {
    checked(o);
    list(names, n, "external_initializer_file_names");
    list(contents, n, "external_initializer_file_buffer_array");
    list(sizes, n, "external_initializer_file_lengths");
    for (size_t i = 0; i < n; ++i) {
      // The caller keeps them until the session is made, which copies what it needs.
      const char* data = sizes[i] ? &needed(contents[i], "external_initializer_file_buffer_array") : "";
      o->load.external_files[text(names[i], "external_initializer_file_names")] =
          Tensor::view(DType::u8, {static_cast<int64_t>(sizes[i])}, data, nullptr);
    }
  });
}

OrtStatus* AddSessionConfigEntry(OrtSessionOptions* o, const char* key, const char* value) {
  return guard([&] { add_entry(checked(o).entries, key, value); });
}
OrtStatus* HasSessionConfigEntry(const OrtSessionOptions* o, const char* key, int* out) {
  return guard([&] { result(out) = checked(o).entries.count(text(key, "config_key")) != 0; });
}
OrtStatus* GetSessionConfigEntry(const OrtSessionOptions* o, const char* key, char* value, size_t* size) {
  return guard([&] {
    const auto it = checked(o).entries.find(text(key, "config_key"));
    if (it == o->entries.end()) throw Fault(Code::failed, "there is no configuration entry '", key, "'");
    const size_t room = needed(size, "size"), need = it->second.size() + 1;
    *size = need;
    if (!value) return;
    if (room < need) throw Fault(Code::invalid_argument, "the value has ", need, " bytes, the buffer ", room);
    std::memcpy(value, it->second.c_str(), need);
  });
}
OrtStatus* GetSessionOptionsConfigEntries(const OrtSessionOptions* o, OrtKeyValuePairs** out) {
  return guard([&] {
    checked(o);
    auto pairs = std::make_unique<OrtKeyValuePairs>();
    pairs->entries = o->entries;
    pairs->index();
    make(out, [&] { return pairs.release(); });
  });
}

OrtStatus* CreateCustomOpDomain(const char* domain, OrtCustomOpDomain** out) {
  return guard([&] {
    auto d = std::make_unique<OrtCustomOpDomain>();
    d->name = text(domain, "domain");
    make(out, [&] { return d.release(); });
  });
}
OrtStatus* CustomOpDomain_Add(OrtCustomOpDomain* domain, const OrtCustomOp* op) {
  return guard([&] {
    checked(domain);
    needed(op, "op");
    if (!op->get_name) throw Fault(Code::invalid_argument, "a custom operator that has no name");
    domain->ops.emplace_back(text(op->get_name(op), "name of the operator"));
  });
}
void ReleaseCustomOpDomain(OrtCustomOpDomain* domain) {
  release(domain);
}
OrtStatus* AddCustomOpDomain(OrtSessionOptions* o, OrtCustomOpDomain* domain) {
  return guard([&] {
    checked(o);
    for (const auto& op : checked(domain).ops) o->custom_ops.push_back(domain->name + "." + op);
  });
}
OrtStatus* RegisterCustomOpsLibrary(OrtSessionOptions* o, const char* path, void** handle) {
  return guard([&] {
    checked(o);
    result(handle) = load_library(path);
    register_library(*handle, path, *o);
  });
}
OrtStatus* RegisterCustomOpsLibrary_V2(OrtSessionOptions* o, const char* path) {
  return guard([&] {
    checked(o);
    register_library(load_library(path), path, *o);
  });
}
OrtStatus* RegisterCustomOpsUsingFunction(OrtSessionOptions* o, const char* name) {
  return guard([&] {
    checked(o);
    void* function = dlsym(RTLD_DEFAULT, text(name, "registration_func_name"));
    if (!function) throw Fault(Code::invalid_argument, "the program has no function ", name);
    register_by(function, *o);
  });
}

OrtStatus* CreateRunOptions(OrtRunOptions** out) {
  return guard([&] { make(out, [&] { return new OrtRunOptions; }); });
}
void ReleaseRunOptions(OrtRunOptions* o) {
  release(o);
}
OrtStatus* RunOptionsSetRunLogVerbosityLevel(OrtRunOptions* o, int level) {
  return guard([&] { checked(o).verbosity = level; });
}
OrtStatus* RunOptionsSetRunLogSeverityLevel(OrtRunOptions* o, int level) {
  return guard([&] { checked(o).severity = level; });
}
OrtStatus* RunOptionsSetRunTag(OrtRunOptions* o, const char* tag) {
  return guard([&] { checked(o).tag = tag ? tag : ""; });
}
OrtStatus* RunOptionsGetRunLogVerbosityLevel(const OrtRunOptions* o, int* out) {
  return guard([&] { result(out) = checked(o).verbosity; });
}
OrtStatus* RunOptionsGetRunLogSeverityLevel(const OrtRunOptions* o, int* out) {
  return guard([&] { result(out) = checked(o).severity; });
}
OrtStatus* RunOptionsGetRunTag(const OrtRunOptions* o, const char** out) {
  return guard([&] { result(out) = checked(o).tag.c_str(); });
}
OrtStatus* RunOptionsSetTerminate(OrtRunOptions* o) {
  return guard([&] { checked(o).terminate = true; });
}
OrtStatus* RunOptionsUnsetTerminate(OrtRunOptions* o) {
  return guard([&] { checked(o).terminate = false; });
}
OrtStatus* AddRunConfigEntry(OrtRunOptions* o, const char* key, const char* value) {
  return guard([&] { add_entry(checked(o).entries, key, value); });
}
const char* GetRunConfigEntry(const OrtRunOptions* o, const char* key) {
  return quietly(static_cast<const char*>(nullptr), [&]() -> const char* {
    const auto it = checked(o).entries.find(text(key, "config_key"));
    return it == o->entries.end() ? nullptr : it->second.c_str();
  });
}
OrtStatus* RunOptionsEnableProfiling(OrtRunOptions* o, const char* prefix) {
  return guard([&] { checked(o).profile_prefix = text(prefix, "profile_file_prefix"); });
}
OrtStatus* RunOptionsDisableProfiling(OrtRunOptions* o) {
  return guard([&] { checked(o).profile_prefix.reset(); });
}

}  // namespace api
}  // namespace tc::dropin
