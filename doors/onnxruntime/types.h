// The handles of the C API.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tc/doors/onnxruntime/handles.h"
#include "tc/frontend/api/tc.h"

namespace tc::dropin {

using Entries = std::map<std::string, std::string>;

using LogFunction = void (*)(void* param, int severity, const char* category, const char* id, const char* location,
                             const char* message);
enum Severity : int { kVerbose = 0, kInfo = 1, kWarning = 2, kError = 3, kFatal = 4 };

struct Logger {
  LogFunction function = nullptr;  // null: lines on stderr
  void* param = nullptr;
  int least = kWarning;
  std::string id;
  void log(int severity, const std::string& message) const;
};

struct OrtThreadingOptions : Tagged<OrtThreadingOptions> {
  static constexpr const char* kName = "OrtThreadingOptions";
  int threads = 0;
};

struct OrtEnv : Tagged<OrtEnv> {
  static constexpr const char* kName = "OrtEnv";
  Logger logger;
  std::shared_ptr<kernels::Team> team;  // null: sessions have threads of their own
};

struct OrtKeyValuePairs : Tagged<OrtKeyValuePairs> {
  static constexpr const char* kName = "OrtKeyValuePairs";
  Entries entries;
  std::vector<const char*> keys, values;  // of `entries`, for those who ask for arrays
  void index();
};

// Domains and operators that a program registers; they have names, their kernels are not run.
struct OrtCustomOpDomain : Tagged<OrtCustomOpDomain> {
  static constexpr const char* kName = "OrtCustomOpDomain";
  std::string name;
  std::vector<std::string> ops;
};

struct OrtArenaCfg : Tagged<OrtArenaCfg> {
  static constexpr const char* kName = "OrtArenaCfg";
};
struct OrtPrepackedWeightsContainer : Tagged<OrtPrepackedWeightsContainer> {
  static constexpr const char* kName = "OrtPrepackedWeightsContainer";
};

struct OrtMemoryInfo : Tagged<OrtMemoryInfo> {
  static constexpr const char* kName = "OrtMemoryInfo";
  std::string name = "Cpu";
  int id = 0, memory_type = 0, allocator_type = 0, device_type = 0;
};
const OrtMemoryInfo* cpu_memory();
// Error invalid_argument for memory of another device.
const OrtMemoryInfo& of_the_cpu(const OrtMemoryInfo* m);

// The one struct whose layout callers know, and may make themselves.
struct OrtAllocator {
  uint32_t version;
  void* (*alloc)(OrtAllocator*, size_t);
  void (*free)(OrtAllocator*, void*);
  const OrtMemoryInfo* (*info)(const OrtAllocator*);
  void* (*reserve)(OrtAllocator*, size_t);
  OrtStatus* (*stats)(const OrtAllocator*, OrtKeyValuePairs**);
  void* (*alloc_on_stream)(OrtAllocator*, size_t, void*);
  OrtStatus* (*shrink)(OrtAllocator*);
};
OrtAllocator& checked(OrtAllocator* a);
const OrtAllocator& checked(const OrtAllocator* a);
OrtAllocator* default_allocator();
bool is_own(const OrtAllocator& a);
void* allocate(OrtAllocator& a, size_t bytes);
char* copy_text(OrtAllocator& a, std::string_view s);

struct OrtValue : Tagged<OrtValue> {
  static constexpr const char* kName = "OrtValue";
  OrtValue() = default;
  explicit OrtValue(Datum&& d) : datum(std::move(d)) {}
  Datum datum;
  // Elements of 2 and 4 bits are packed here and bytes in the rest of the program: `datum` are the packed bytes (u8) of
  // a tensor of this type and these extents.
  struct Packed {
    DType dtype;
    Extents extents;
  };
  std::optional<Packed> packed;
};

struct OrtTensorTypeAndShapeInfo : Tagged<OrtTensorTypeAndShapeInfo> {
  static constexpr const char* kName = "OrtTensorTypeAndShapeInfo";
  int type = 0;  // ONNXTensorElementDataType
  bool has_shape = true;
  std::vector<int64_t> dims;         // -1: not known
  std::vector<std::string> symbols;  // as many; empty where an extent has no name
};
// Of a map, a sequence or an optional: what is in it.
template <class H>
struct ContainerInfo : Tagged<H> {
  Type key_or_element, value;
};
struct OrtMapTypeInfo : ContainerInfo<OrtMapTypeInfo> {
  static constexpr const char* kName = "OrtMapTypeInfo";
};
struct OrtSequenceTypeInfo : ContainerInfo<OrtSequenceTypeInfo> {
  static constexpr const char* kName = "OrtSequenceTypeInfo";
};
struct OrtOptionalTypeInfo : ContainerInfo<OrtOptionalTypeInfo> {
  static constexpr const char* kName = "OrtOptionalTypeInfo";
};
enum OnnxType : int { kUnknown = 0, kTensor = 1, kSequence = 2, kMap = 3, kOptional = 6 };
struct OrtTypeInfo : Tagged<OrtTypeInfo> {
  static constexpr const char* kName = "OrtTypeInfo";
  explicit OrtTypeInfo(const Type& t);
  int kind = kUnknown;
  OrtTensorTypeAndShapeInfo tensor;
  OrtMapTypeInfo map;
  OrtSequenceTypeInfo sequence;
  OrtOptionalTypeInfo optional;
};

struct OrtSessionOptions : Tagged<OrtSessionOptions> {
  static constexpr const char* kName = "OrtSessionOptions";
  int level = 2, threads = 0, execution_mode = 0;
  bool own_threads = true, memory_patterns = true;
  Entries entries;
  LoadOptions load;
  std::optional<std::string> profile_prefix;
  std::string optimized_path, log_id;
  int log_severity = -1;  // the environment's
  LogFunction log_function = nullptr;
  void* log_param = nullptr;
  std::shared_ptr<std::atomic<bool>> cancel_load = std::make_shared<std::atomic<bool>>(false);
  std::vector<std::string> custom_ops;  // "domain.Name"
};

struct OrtRunOptions : Tagged<OrtRunOptions> {
  static constexpr const char* kName = "OrtRunOptions";
  std::atomic<bool> terminate{false};
  int verbosity = 0, severity = 2;
  std::string tag;
  Entries entries;
  std::optional<std::string> profile_prefix;
};

// What a model says about itself.
struct OrtModelMetadata : Tagged<OrtModelMetadata> {
  static constexpr const char* kName = "OrtModelMetadata";
  std::string producer, graph_name, domain, description, graph_description;
  int64_t version = 0;
  Entries custom;
};

struct Session;
struct OrtSession : Tagged<OrtSession> {
  static constexpr const char* kName = "OrtSession";
  std::shared_ptr<Session> core;
};

struct OrtIoBinding : Tagged<OrtIoBinding> {
  static constexpr const char* kName = "OrtIoBinding";
  struct Output {
    std::string name;
    std::optional<OrtValue> value;
    bool given;  // by the caller, to be written into
  };
  std::shared_ptr<Session> core;
  std::vector<std::pair<std::string, OrtValue>> inputs;
  std::vector<Output> outputs;
};

struct OrtHardwareDevice : Tagged<OrtHardwareDevice> {
  static constexpr const char* kName = "OrtHardwareDevice";
  std::string vendor = "cpu";
  OrtKeyValuePairs metadata;
};
struct OrtEpDevice : Tagged<OrtEpDevice> {
  static constexpr const char* kName = "OrtEpDevice";
  OrtHardwareDevice device;
  OrtKeyValuePairs metadata, options;
};
const OrtEpDevice* cpu_device();

}  // namespace tc::dropin
