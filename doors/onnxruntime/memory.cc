// Memory of the CPU, the only kind there is, and allocators.
#include <cstdlib>
#include <cstring>

#include "tc/doors/onnxruntime/api.h"

namespace tc::dropin {
namespace {

constexpr size_t kAlignment = 64;  // what the kernels like best
constexpr uint32_t kAllocatorVersion = 30;

void* own_alloc(OrtAllocator*, size_t bytes) {
  if (bytes > PTRDIFF_MAX) return nullptr;
  return std::aligned_alloc(kAlignment, (bytes / kAlignment + 1) * kAlignment);
}
void own_free(OrtAllocator*, void* p) {
  std::free(p);
}
const OrtMemoryInfo* own_info(const OrtAllocator*) {
  return cpu_memory();
}
OrtStatus* own_stats(const OrtAllocator*, OrtKeyValuePairs** out) {
  return guard([&] { make(out, [&] { return new OrtKeyValuePairs; }); });
}
OrtStatus* own_shrink(OrtAllocator*) {
  return nullptr;
}

constexpr OrtAllocator kOwn = {kAllocatorVersion, own_alloc, own_free, own_info,
                               own_alloc,         own_stats, nullptr,  own_shrink};

bool same(const OrtMemoryInfo& a, const OrtMemoryInfo& b) {
  return a.name == b.name && a.id == b.id && a.memory_type == b.memory_type && a.allocator_type == b.allocator_type;
}

// Programs ask about memory of devices that they may meet. It can be named; no value is ever made there.
constexpr int kCpu = 0, kGpu = 1, kNpu = 3;
struct NamedMemory {
  const char* name;
  int device_type;
};
constexpr NamedMemory kNames[] = {
    {"Cpu", kCpu},          {"Cuda", kGpu},          {"CudaPinned", kCpu},  {"Hip", kGpu},
    {"HipPinned", kCpu},    {"HIP", kGpu},           {"DML", kGpu},         {"Dml", kGpu},
    {"OpenVINO_CPU", kCpu}, {"OpenVINO_GPU", kGpu},  {"OpenVINO_RT", kCpu}, {"OpenVINO_RT_NPU", kNpu},
    {"QnnHtpShared", kCpu}, {"WebGPU_Buffer", kGpu}, {"WebGPU_Buf", kGpu},  {"WebNN_Tensor", kGpu},
    {"WebNN_Ten", kGpu},    {"Cann", kNpu},          {"CannPinned", kCpu}};

OrtMemoryInfo* make_memory_info(const char* name, int id, int memory_type, int allocator_type) {
  const std::string_view wanted = text(name, "name");
  const auto known = std::ranges::find_if(kNames, [&](const NamedMemory& m) { return m.name == wanted; });
  if (known == std::end(kNames)) throw Fault(Code::invalid_argument, "memory '", name, "' is not known");
  auto* m = new OrtMemoryInfo;
  m->name = name;
  m->id = id;
  m->memory_type = memory_type;
  m->allocator_type = allocator_type;
  m->device_type = known->device_type;
  return m;
}
}  // namespace

const OrtMemoryInfo& of_the_cpu(const OrtMemoryInfo* m) {
  if (checked(m).device_type != kCpu)
    throw Fault(Code::invalid_argument, "memory '", m->name, "': this library has that of the CPU only");
  return *m;
}

const OrtMemoryInfo* cpu_memory() {
  static const OrtMemoryInfo memory;
  return &memory;
}

const OrtAllocator& checked(const OrtAllocator* a) {
  if (!a) throw Fault(Code::invalid_argument, "the OrtAllocator is null");
  if (!a->alloc || !a->free || !a->info) throw Fault(Code::invalid_argument, "an OrtAllocator that lacks functions");
  return *a;
}
OrtAllocator& checked(OrtAllocator* a) {
  return const_cast<OrtAllocator&>(checked(static_cast<const OrtAllocator*>(a)));
}

OrtAllocator* default_allocator() {
  static OrtAllocator allocator = kOwn;
  return &allocator;
}

bool is_own(const OrtAllocator& a) {
  return a.alloc == own_alloc;
}

void* allocate(OrtAllocator& a, size_t bytes) {
  void* p = a.alloc(&a, bytes);
  if (!p && bytes) throw Fault(Code::failed, "the allocator has no ", bytes, " bytes");
  return p;
}

char* copy_text(OrtAllocator& a, std::string_view s) {
  char* p = static_cast<char*>(allocate(a, s.size() + 1));
  std::memcpy(p, s.data(), s.size());
  p[s.size()] = 0;
  return p;
}

namespace api {

OrtStatus* CreateMemoryInfo(const char* name, int allocator_type, int id, int memory_type, OrtMemoryInfo** out) {
  return guard([&] { make(out, [&] { return make_memory_info(name, id, memory_type, allocator_type); }); });
}
OrtStatus* CreateCpuMemoryInfo(int allocator_type, int memory_type, OrtMemoryInfo** out) {
  return guard([&] { make(out, [&] { return make_memory_info("Cpu", 0, memory_type, allocator_type); }); });
}
OrtStatus* CreateMemoryInfo_V2(const char* name, int device_type, uint32_t, int32_t device_id, int memory_type, size_t,
                               int allocator_type, OrtMemoryInfo** out) {
  return guard([&] {
    if (device_type != 0) throw Fault(Code::invalid_argument, "this library has memory of the CPU only");
    make(out, [&] { return make_memory_info(name, device_id, 0, allocator_type); });
    static_cast<void>(memory_type);  // what the host can reach is all there is
  });
}
void ReleaseMemoryInfo(OrtMemoryInfo* m) {
  if (m != cpu_memory()) release(m);
}
OrtStatus* CompareMemoryInfo(const OrtMemoryInfo* a, const OrtMemoryInfo* b, int* out) {
  return guard([&] { result(out) = same(checked(a), checked(b)) ? 0 : -1; });
}
OrtStatus* MemoryInfoGetName(const OrtMemoryInfo* m, const char** out) {
  return guard([&] { result(out) = checked(m).name.c_str(); });
}
OrtStatus* MemoryInfoGetId(const OrtMemoryInfo* m, int* out) {
  return guard([&] { result(out) = checked(m).id; });
}
OrtStatus* MemoryInfoGetMemType(const OrtMemoryInfo* m, int* out) {
  return guard([&] { result(out) = checked(m).memory_type; });
}
OrtStatus* MemoryInfoGetType(const OrtMemoryInfo* m, int* out) {
  return guard([&] { result(out) = checked(m).allocator_type; });
}
void MemoryInfoGetDeviceType(const OrtMemoryInfo* m, int* out) {
  if (out) *out = m && m->genuine() ? m->device_type : kCpu;
}
int MemoryInfoGetDeviceMemType(const OrtMemoryInfo*) {
  return 0;
}
uint32_t MemoryInfoGetVendorId(const OrtMemoryInfo*) {
  return 0;
}

OrtStatus* GetAllocatorWithDefaultOptions(OrtAllocator** out) {
  return guard([&] { result(out) = default_allocator(); });
}
OrtStatus* CreateAllocator(const OrtSession* session, const OrtMemoryInfo* m, OrtAllocator** out) {
  return guard([&] {
    checked(session);
    of_the_cpu(m);
    make(out, [&] { return new OrtAllocator(kOwn); });
  });
}
void ReleaseAllocator(OrtAllocator* a) {
  if (a && a != default_allocator() && is_own(*a)) delete a;
}
OrtStatus* AllocatorAlloc(OrtAllocator* a, size_t bytes, void** out) {
  return guard([&] { result(out) = allocate(checked(a), bytes); });
}
OrtStatus* AllocatorFree(OrtAllocator* a, void* p) {
  return guard([&] {
    checked(a);
    if (p) a->free(a, p);
  });
}
OrtStatus* AllocatorGetInfo(const OrtAllocator* a, const OrtMemoryInfo** out) {
  return guard([&] { result(out) = checked(a).info(a); });
}
OrtStatus* AllocatorGetStats(const OrtAllocator* a, OrtKeyValuePairs** out) {
  if (OrtStatus* s = guard([&] {
        checked(a);
        result(out) = nullptr;
        if (a->version < 23 || !a->stats) throw Fault(Code::not_implemented, "the allocator keeps no statistics");
      }))
    return s;
  return a->stats(a, out);
}

// Sessions have arenas of their own, which need no allocator from outside: registered ones are known and not used.
OrtStatus* CreateAndRegisterAllocator(OrtEnv* env, const OrtMemoryInfo* m, const OrtArenaCfg* config) {
  return guard([&] {
    checked(env);
    checked(m);
    if (config) checked(config);
  });
}
OrtStatus* CreateAndRegisterAllocatorV2(OrtEnv* env, const char*, const OrtMemoryInfo* m, const OrtArenaCfg* config,
                                        const char* const*, const char* const*, size_t) {
  return CreateAndRegisterAllocator(env, m, config);
}
OrtStatus* RegisterAllocator(OrtEnv* env, OrtAllocator* a) {
  return guard([&] {
    checked(env);
    checked(a);
  });
}
OrtStatus* UnregisterAllocator(OrtEnv* env, const OrtMemoryInfo* m) {
  return guard([&] {
    checked(env);
    checked(m);
  });
}
OrtStatus* CreateSharedAllocator(OrtEnv* env, const OrtEpDevice* device, int, int, const OrtKeyValuePairs*,
                                 OrtAllocator** out) {
  return guard([&] {
    checked(env);
    checked(device);
    if (out) *out = default_allocator();
  });
}
OrtStatus* GetSharedAllocator(OrtEnv* env, const OrtMemoryInfo* m, OrtAllocator** out) {
  return guard([&] {
    checked(env);
    of_the_cpu(m);
    result(out) = default_allocator();
  });
}
OrtStatus* ReleaseSharedAllocator(OrtEnv* env, const OrtEpDevice* device, int) {
  return guard([&] {
    checked(env);
    checked(device);
  });
}
OrtStatus* CreateArenaCfg(size_t, int, int, int, OrtArenaCfg** out) {
  return guard([&] { make(out, [&] { return new OrtArenaCfg; }); });
}
OrtStatus* CreateArenaCfgV2(const char* const* keys, const size_t* values, size_t n, OrtArenaCfg** out) {
  return guard([&] {
    list(keys, n, "arena_config_keys");
    list(values, n, "arena_config_values");
    make(out, [&] { return new OrtArenaCfg; });
  });
}
void ReleaseArenaCfg(OrtArenaCfg* c) {
  release(c);
}

}  // namespace api
}  // namespace tc::dropin
