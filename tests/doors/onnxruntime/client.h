// A program that uses ONNX Runtime's C API, as far as it knows slots by number: runs on our library and on ONNX
// Runtime's own, which shows that numbers and arguments are right.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace tc::client {

enum Slot : int {
#define TC_SLOT_OWN(name) k##name,
#define TC_SLOT_STATUS(name) k##name,
#define TC_SLOT_NOTHING(name) k##name,
#include "tc/doors/onnxruntime/slots.def"
#undef TC_SLOT_OWN
#undef TC_SLOT_STATUS
#undef TC_SLOT_NOTHING
  kNumSlots
};

using Handle = void*;
enum Code : int {
  kOk = 0,
  kFail = 1,
  kInvalidArgument = 2,
  kNoSuchFile = 3,
  kInvalidProtobuf = 7,
  kNotImplemented = 9
};
enum Type : int { kFloat = 1, kUint8 = 2, kInt64 = 7, kString = 8, kUint4 = 21 };

class Library {
 public:
  explicit Library(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(dlerror());
    struct Base {
      void* const* (*get_api)(uint32_t);
      const char* (*version)();
    };
    const auto get = reinterpret_cast<const Base* (*)()>(dlsym(library, "OrtGetApiBase"));
    if (!get) throw std::runtime_error(path + " has no OrtGetApiBase");
    base_ = get();
    table_ = get()->get_api(23);
    api_of_ = get()->get_api;
    version_ = get()->version();
  }
  template <class R, class... A>
  R call(Slot slot, A... a) const {
    return reinterpret_cast<R (*)(A...)>(table_[slot])(a...);
  }
  const void* base() const { return base_; }
  void* const* table() const { return table_; }
  void* const* api(uint32_t version) const { return api_of_(version); }
  const std::string& version() const { return version_; }

 private:
  const void* base_;
  void* const* table_;
  void* const* (*api_of_)(uint32_t);
  std::string version_;
};

struct Failure {
  int code = kOk;
  std::string message;
};

// One library and what every program makes first.
class Client {
 public:
  explicit Client(const std::string& path) : library(path) {
    ok(kCreateEnv, 4, "test", &env);
    ok(kGetAllocatorWithDefaultOptions, &allocator);
    ok(kCreateCpuMemoryInfo, 0, 0, &memory);
  }
  ~Client() {
    release(kReleaseMemoryInfo, memory);
    release(kReleaseEnv, env);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  template <class... A>
  Failure status(Slot slot, A... a) const {
    const Handle s = library.call<Handle>(slot, a...);
    if (!s) return {};
    Failure f{library.call<int>(kGetErrorCode, s), library.call<const char*>(kGetErrorMessage, s)};
    library.call<void>(kReleaseStatus, s);
    return f;
  }
  template <class... A>
  void ok(Slot slot, A... a) const {
    const Failure f = status(slot, a...);
    EXPECT_EQ(f.code, kOk) << "slot " << slot << ": " << f.message;
  }
  template <class T, class... A>
  T get(Slot slot, A... a) const {
    T result{};
    ok(slot, a..., &result);
    return result;
  }
  void release(Slot slot, Handle h) const { library.call<void>(slot, h); }

  Handle options() const { return get<Handle>(kCreateSessionOptions); }
  // From memory; takes the options over.
  Handle session(const std::string& model, Handle o = nullptr) const {
    if (!o) o = options();
    Handle s = nullptr;
    ok(kCreateSessionFromArray, env, static_cast<const void*>(model.data()), model.size(), o, &s);
    release(kReleaseSessionOptions, o);
    return s;
  }
  // Over the vector's memory.
  template <class T>
  Handle tensor(std::vector<T>& values, const std::vector<int64_t>& dims, int type) const {
    Handle v = nullptr;
    ok(kCreateTensorWithDataAsOrtValue, memory, static_cast<void*>(values.data()), values.size() * sizeof(T),
       dims.data(), dims.size(), type, &v);
    return v;
  }
  Handle floats(std::vector<float>& values, const std::vector<int64_t>& dims) const {
    return tensor(values, dims, kFloat);
  }
  Handle strings(const std::vector<const char*>& values) const {
    const int64_t n = static_cast<int64_t>(values.size());
    Handle v = nullptr;
    ok(kCreateTensorAsOrtValue, allocator, &n, size_t{1}, int{kString}, &v);
    ok(kFillStringTensor, v, values.data(), values.size());
    return v;
  }
  std::vector<int64_t> dims(Handle value) const {
    const Handle info = get<Handle>(kGetTensorTypeAndShape, value);
    std::vector<int64_t> d(get<size_t>(kGetDimensionsCount, info));
    ok(kGetDimensions, info, d.data(), d.size());
    release(kReleaseTensorTypeAndShapeInfo, info);
    return d;
  }
  template <class T>
  std::vector<T> elements(Handle value) const {
    int64_t n = 1;
    for (const int64_t d : dims(value)) n *= d;
    const T* data = get<T*>(kGetTensorMutableData, value);
    return std::vector<T>(data, data + n);
  }
  std::string text(char* p) const {
    std::string s = p ? p : "(null)";
    if (p) ok(kAllocatorFree, allocator, static_cast<void*>(p));
    return s;
  }

  using Feeds = std::vector<std::pair<const char*, Handle>>;
  Failure try_run(Handle session, Handle run_options, const Feeds& feeds, const std::vector<const char*>& names,
                  std::vector<Handle>& outputs) const {
    std::vector<const char*> in;
    std::vector<Handle> values;
    for (const auto& [name, value] : feeds) {
      in.push_back(name);
      values.push_back(value);
    }
    return status(kRun, session, run_options, in.data(), values.data(), in.size(), names.data(), names.size(),
                  outputs.data());
  }
  std::vector<Handle> run(Handle session, const Feeds& feeds, const std::vector<const char*>& names) const {
    std::vector<Handle> outputs(names.size());
    const Failure f = try_run(session, nullptr, feeds, names, outputs);
    EXPECT_EQ(f.code, kOk) << f.message;
    return outputs;
  }

  Library library;
  Handle env = nullptr, allocator = nullptr, memory = nullptr;
};

inline const std::string kOurs = TC_ORT_OURS;
// Of npm's onnxruntime-node; empty when it is not there.
inline std::string theirs() {
  const char* folder = std::getenv("TC_NODE_MODULES");
  const std::string path = std::string(folder ? folder : TC_SOURCE_DIR "/node_modules") +
                           "/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1";
  return std::filesystem::exists(path) ? path : "";
}

}  // namespace tc::client
