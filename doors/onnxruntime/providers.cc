// Execution providers and devices: there is one of each, the CPU.
#include <cstring>

#include "tc/doors/onnxruntime/api.h"
#include "tc/doors/onnxruntime/session.h"

namespace tc::dropin {
namespace {

constexpr const char* kProvider = "CPUExecutionProvider";
constexpr const char* kVendor = "tc";

void append(OrtSessionOptions& o, const char* name) {
  static_cast<void>(o);
  for (const char* own : {kProvider, "CPU", "cpu"})
    if (std::strcmp(text(name, "provider_name"), own) == 0) return;
  throw Fault(Code::invalid_argument, "execution provider '", name, "' is not here: this library runs everything by ",
              kProvider);
}

void fill(const OrtEpDevice** out, size_t n, size_t count, const char* name) {
  list(out, n, name);
  if (n != count) throw Fault(Code::invalid_argument, n, " places for ", count, " devices");
  std::fill_n(out, n, cpu_device());
}
void fill(const OrtMemoryInfo** out, size_t n, size_t count, const char* name) {
  list(out, n, name);
  if (n != count) throw Fault(Code::invalid_argument, n, " places for ", count, " values");
  std::fill_n(out, n, cpu_memory());
}

}  // namespace

const OrtEpDevice* cpu_device() {
  static const OrtEpDevice device;
  return &device;
}

namespace api {

OrtStatus* GetAvailableProviders(char*** out, int* n) {
  return guard([&] {
    static char* const names[] = {const_cast<char*>(kProvider)};
    result(out) = nullptr;
    needed(n, "provider_length") = 1;
    *out = const_cast<char**>(names);
  });
}
// The list is the library's.
OrtStatus* ReleaseAvailableProviders(char**, int) {
  return nullptr;
}
OrtStatus* SessionOptionsAppendExecutionProvider(OrtSessionOptions* o, const char* name, const char* const*,
                                                 const char* const*, size_t) {
  return guard([&] { append(checked(o), name); });
}
OrtStatus* SessionOptionsAppendExecutionProvider_V2(OrtSessionOptions* o, OrtEnv* env,
                                                    const OrtEpDevice* const* devices, size_t n, const char* const*,
                                                    const char* const*, size_t) {
  return guard([&] {
    checked(o);
    checked(env);
    list(devices, n, "ep_devices");
    if (n == 0) throw Fault(Code::invalid_argument, "an execution provider of no devices");
    for (size_t i = 0; i < n; ++i) checked(devices[i]);
  });
}
OrtStatus* SessionOptionsSetEpSelectionPolicy(OrtSessionOptions* o, int) {
  return guard([&] { checked(o); });
}
OrtStatus* SetEpDynamicOptions(OrtSession* s, const char* const* keys, const char* const* values, size_t n) {
  return guard([&] {
    checked(s);
    list(keys, n, "keys");
    list(values, n, "values");
  });
}

OrtStatus* GetEpDevices(const OrtEnv* env, const OrtEpDevice* const** out, size_t* n) {
  return guard([&] {
    static const OrtEpDevice* const devices[] = {cpu_device()};
    checked(env);
    result(out) = devices;
    needed(n, "num_ep_devices") = 1;
  });
}
OrtStatus* GetNumHardwareDevices(const OrtEnv* env, size_t* n) {
  return guard([&] {
    checked(env);
    needed(n, "num_devices") = 1;
  });
}
OrtStatus* GetHardwareDevices(const OrtEnv* env, const OrtHardwareDevice** out, size_t n) {
  return guard([&] {
    checked(env);
    list(out, n, "devices");
    if (n > 0) out[0] = &cpu_device()->device;
  });
}
OrtStatus* SessionGetEpDeviceForInputs(const OrtSession* s, const OrtEpDevice** out, size_t n) {
  return guard([&] { fill(out, n, checked(s).core->program.inputs.size(), "inputs_ep_devices"); });
}
OrtStatus* SessionGetEpDeviceForOutputs(const OrtSession* s, const OrtEpDevice** out, size_t n) {
  return guard([&] { fill(out, n, checked(s).core->program.outputs.size(), "outputs_ep_devices"); });
}
OrtStatus* SessionGetMemoryInfoForInputs(const OrtSession* s, const OrtMemoryInfo** out, size_t n) {
  return guard([&] { fill(out, n, checked(s).core->program.inputs.size(), "inputs_memory_info"); });
}
OrtStatus* SessionGetMemoryInfoForOutputs(const OrtSession* s, const OrtMemoryInfo** out, size_t n) {
  return guard([&] { fill(out, n, checked(s).core->program.outputs.size(), "outputs_memory_info"); });
}

int HardwareDevice_Type(const OrtHardwareDevice*) {
  return 0;  // a CPU
}
uint32_t HardwareDevice_VendorId(const OrtHardwareDevice*) {
  return 0;
}
const char* HardwareDevice_Vendor(const OrtHardwareDevice* d) {
  return d && d->genuine() ? d->vendor.c_str() : nullptr;
}
uint32_t HardwareDevice_DeviceId(const OrtHardwareDevice*) {
  return 0;
}
const OrtKeyValuePairs* HardwareDevice_Metadata(const OrtHardwareDevice* d) {
  return d && d->genuine() ? &d->metadata : nullptr;
}
const char* EpDevice_EpName(const OrtEpDevice* d) {
  return d && d->genuine() ? kProvider : nullptr;
}
const char* EpDevice_EpVendor(const OrtEpDevice* d) {
  return d && d->genuine() ? kVendor : nullptr;
}
const OrtKeyValuePairs* EpDevice_EpMetadata(const OrtEpDevice* d) {
  return d && d->genuine() ? &d->metadata : nullptr;
}
const OrtKeyValuePairs* EpDevice_EpOptions(const OrtEpDevice* d) {
  return d && d->genuine() ? &d->options : nullptr;
}
const OrtHardwareDevice* EpDevice_Device(const OrtEpDevice* d) {
  return d && d->genuine() ? &d->device : nullptr;
}
const OrtMemoryInfo* EpDevice_MemoryInfo(const OrtEpDevice* d, int) {
  return d && d->genuine() ? cpu_memory() : nullptr;
}

}  // namespace api
}  // namespace tc::dropin
