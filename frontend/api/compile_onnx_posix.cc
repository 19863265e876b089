#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "tc/frontend/api/compile_onnx.h"
#include "tc/ir/dtype.h"

namespace tc {
namespace {

// Slots of the library's table of functions, which never move; a test compares them with the list of the drop-in.
enum OrtSlot : int {
  kGetErrorMessage = 2,
  kCreateEnv = 3,
  kCreateSessionFromArray = 8,
  kRun = 9,
  kCreateSessionOptions = 10,
  kSetSessionGraphOptimizationLevel = 23,
  kSetIntraOpNumThreads = 24,
  kCreateTensorAsOrtValue = 48,
  kCreateTensorWithDataAsOrtValue = 49,
  kIsTensor = 50,
  kGetTensorMutableData = 51,
  kFillStringTensor = 52,
  kGetTensorElementType = 60,
  kGetDimensionsCount = 61,
  kGetDimensions = 62,
  kGetTensorTypeAndShape = 65,
  kCreateCpuMemoryInfo = 69,
  kGetAllocatorWithDefaultOptions = 78,
  kReleaseEnv = 92,
  kReleaseStatus = 93,
  kReleaseMemoryInfo = 94,
  kReleaseSession = 95,
  kReleaseValue = 96,
  kReleaseTensorTypeAndShapeInfo = 99,
  kReleaseSessionOptions = 100,
  kGetStringTensorElementLength = 127,
  kGetStringTensorElement = 128,
};
// Functions of this version are enough, and every release since has them.
constexpr uint32_t kApiVersion = 8;
constexpr int kOnlyErrors = 3, kDeviceAllocator = 0, kDefaultMemory = 0, kNoOptimisation = 0, kAllOptimisations = 99;

struct ApiBase {
  void* const* (*api)(uint32_t version);
  const char* (*version)();
};

class Library {
 public:
  explicit Library(const std::string& path) {
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) fail(ErrorCode::bad_file, "ONNX Runtime's library: ", dlerror());
    const auto base = reinterpret_cast<const ApiBase* (*)()>(dlsym(handle, "OrtGetApiBase"));
    if (!base) fail(ErrorCode::bad_file, path, " is not ONNX Runtime's library: it has no OrtGetApiBase");
    api_ = base()->api(kApiVersion);
    version = base()->version();
    if (!api_) fail(ErrorCode::bad_file, path, ": ONNX Runtime ", version, " has no API of version ", kApiVersion);
  }

  template <class... A>
  void release(OrtSlot slot, A... a) const {
    reinterpret_cast<void (*)(A...)>(api_[slot])(a...);
  }
  template <class... A>
  void ok(OrtSlot slot, A... a) const {
    void* const status = reinterpret_cast<void* (*)(A...)>(api_[slot])(a...);
    if (!status) return;
    const std::string text = reinterpret_cast<const char* (*)(void*)>(api_[kGetErrorMessage])(status);
    release(kReleaseStatus, status);
    fail(ErrorCode::internal, "ONNX Runtime: ", text);
  }
  // What a function writes to its last argument.
  template <class T, class... A>
  T get(OrtSlot slot, A... a) const {
    T result{};
    ok(slot, a..., &result);
    return result;
  }

  std::string version;

 private:
  void* const* api_;
};

// One of the library's objects.
class Owned {
 public:
  Owned(const Library& library, OrtSlot release, void* object = nullptr)
      : library_(&library), release_(release), object_(object) {}
  ~Owned() {
    if (object_) library_->release(release_, object_);
  }
  Owned(Owned&& o) noexcept : library_(o.library_), release_(o.release_), object_(std::exchange(o.object_, nullptr)) {}
  Owned& operator=(Owned&&) = delete;
  void* get() const { return object_; }

 private:
  const Library* library_;
  OrtSlot release_;
  void* object_;
};

std::string library_path(const CompileOnnxOptions& options) {
  if (!options.library.empty()) return options.library;
  const char* given = std::getenv("TC_ORT_LIBRARY");
  return given ? given : "libonnxruntime.so.1";
}

Owned value_of(const Library& library, const void* memory, const Tensor& t) {
  const int code = info(t.dtype()).onnx;
  const Extents& e = t.extents();
  if (t.dtype() == DType::str) {
    void* allocator = library.get<void*>(kGetAllocatorWithDefaultOptions);
    Owned value(library, kReleaseValue,
                library.get<void*>(kCreateTensorAsOrtValue, allocator, e.data(), e.size(), code));
    std::vector<const char*> strings;
    for (const std::string& s : t.span<std::string>()) strings.push_back(s.c_str());
    library.ok(kFillStringTensor, value.get(), strings.data(), strings.size());
    return value;
  }
  if (info(t.dtype()).bits < 8) fail(ErrorCode::unsupported, "an input of ", t.dtype());
  return {library, kReleaseValue,
          library.get<void*>(kCreateTensorWithDataAsOrtValue, memory, const_cast<void*>(t.data()), t.bytes(), e.data(),
                             e.size(), code)};
}

Tensor tensor_of(const Library& library, void* value) {
  if (!library.get<int>(kIsTensor, value)) fail(ErrorCode::unsupported, "a result that is no tensor");
  const Owned described(library, kReleaseTensorTypeAndShapeInfo, library.get<void*>(kGetTensorTypeAndShape, value));
  const auto dtype = dtype_from_onnx(library.get<int>(kGetTensorElementType, described.get()));
  if (!dtype || (*dtype != DType::str && info(*dtype).bits < 8))
    fail(ErrorCode::unsupported, "a result of an element type that is packed");
  Extents extents(library.get<size_t>(kGetDimensionsCount, described.get()));
  library.ok(kGetDimensions, described.get(), extents.data(), extents.size());
  Tensor t(*dtype, extents);
  if (*dtype == DType::str) {
    auto strings = t.mutable_span<std::string>();
    for (size_t i = 0; i < strings.size(); ++i) {
      strings[i].resize(library.get<size_t>(kGetStringTensorElementLength, value, i));
      library.ok(kGetStringTensorElement, value, strings[i].size(), i, static_cast<void*>(strings[i].data()));
    }
    return t;
  }
  if (t.bytes()) std::memcpy(t.mutable_data(), library.get<void*>(kGetTensorMutableData, value), t.bytes());
  return t;
}

}  // namespace

struct CompiledOnnx::Session {
  Session(const Function& f, const CompileOnnxOptions& options)
      : library(library_path(options)),
        env(library, kReleaseEnv, library.get<void*>(kCreateEnv, kOnlyErrors, "tc")),
        memory(library, kReleaseMemoryInfo, library.get<void*>(kCreateCpuMemoryInfo, kDeviceAllocator, kDefaultMemory)),
        settings(library, kReleaseSessionOptions, library.get<void*>(kCreateSessionOptions)),
        session(library, kReleaseSession, open(f, options)) {}

  void* open(const Function& f, const CompileOnnxOptions& options) const {
    library.ok(kSetIntraOpNumThreads, settings.get(), options.threads);
    library.ok(kSetSessionGraphOptimizationLevel, settings.get(),
               options.optimize ? kAllOptimisations : kNoOptimisation);
    const std::string bytes = export_onnx_bytes(f, options.exported);
    return library.get<void*>(kCreateSessionFromArray, env.get(), static_cast<const void*>(bytes.data()), bytes.size(),
                              static_cast<const void*>(settings.get()));
  }

  Library library;
  Owned env, memory, settings, session;
  std::vector<std::string> inputs, outputs;
};

CompiledOnnx compile_onnx(const Function& f, const CompileOnnxOptions& options) {
  const auto session = std::make_shared<CompiledOnnx::Session>(f, options);
  for (const ValueInfo& v : f.inputs()) session->inputs.push_back(v.name);
  for (const ValueInfo& v : f.outputs()) session->outputs.push_back(v.name);
  CompiledOnnx compiled;
  compiled.session_ = session;
  return compiled;
}

std::vector<Tensor> CompiledOnnx::operator()(const std::vector<Tensor>& inputs) const {
  if (!session_) fail(ErrorCode::bad_argument, "an undefined program");
  const Session& s = *session_;
  const Library& library = s.library;
  if (inputs.size() != s.inputs.size())
    fail(ErrorCode::bad_input, inputs.size(), " inputs, the program takes ", s.inputs.size());
  std::vector<Owned> given, made;
  std::vector<void*> in, out(s.outputs.size());
  std::vector<const char*> in_names, out_names;
  for (size_t i = 0; i < inputs.size(); ++i) {
    given.push_back(value_of(library, s.memory.get(), inputs[i]));
    in.push_back(given.back().get());
    in_names.push_back(s.inputs[i].c_str());
  }
  for (const std::string& name : s.outputs) out_names.push_back(name.c_str());
  library.ok(kRun, s.session.get(), static_cast<const void*>(nullptr), in_names.data(), in.data(), in.size(),
             out_names.data(), out_names.size(), out.data());
  for (void* v : out) made.emplace_back(library, kReleaseValue, v);
  std::vector<Tensor> results;
  for (void* v : out) results.push_back(tensor_of(library, v));
  return results;
}

const std::string& CompiledOnnx::version() const {
  if (!session_) fail(ErrorCode::bad_argument, "an undefined program");
  return session_->library.version;
}

}  // namespace tc
