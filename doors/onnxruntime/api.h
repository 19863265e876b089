// The functions of the C API that this library has; slots.def says where each one stands in the table. Their arguments,
// in order, are those of ONNX Runtime's, with enumerators as int.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "tc/doors/onnxruntime/types.h"

namespace tc::dropin {

// ONNXTensorElementDataType and element types. Error not_implemented for a code that is not known.
int code_of(DType t);
DType dtype_of_code(int code);

// Of a tensor. Error invalid_argument for other values.
DType dtype_of(const OrtValue& v);
const Extents& extents_of(const OrtValue& v);
size_t stored_bytes(const OrtValue& v);
Type type_of(const Datum& d);
Type type_of(const OrtValue& v);
// Between values of the API and of programs.
Datum datum_of(const OrtValue& v);
OrtValue value_of(Datum&& d);
inline OrtValue value_of(const Datum& d) {
  return value_of(Datum(d));
}
// Error invalid_argument when the type or the extents differ.
void write_into(const OrtValue& target, const Datum& d);

// What OrtGetApiBase returns.
const void* api_base();

// As much of ONNX Runtime's struct as is read.
struct OrtCustomOp {
  uint32_t version;
  void* (*create_kernel)(const OrtCustomOp*, const void* api, const void* info);
  const char* (*get_name)(const OrtCustomOp*);
};
using RunAsyncCallback = void (*)(void* user_data, OrtValue** outputs, size_t n, OrtStatus* status);

namespace api {

// Statuses.
OrtStatus* CreateStatus(int code, const char* message);
int GetErrorCode(const OrtStatus* status);
const char* GetErrorMessage(const OrtStatus* status);
void ReleaseStatus(OrtStatus* status);

// Environments, threads, lists of keys and values.
OrtStatus* CreateEnv(int level, const char* id, OrtEnv** out);
OrtStatus* CreateEnvWithCustomLogger(LogFunction function, void* param, int level, const char* id, OrtEnv** out);
OrtStatus* CreateEnvWithGlobalThreadPools(int level, const char* id, const OrtThreadingOptions* o, OrtEnv** out);
OrtStatus* CreateEnvWithCustomLoggerAndGlobalThreadPools(LogFunction function, void* param, int level, const char* id,
                                                         const OrtThreadingOptions* o, OrtEnv** out);
OrtStatus* CreateEnvWithOptions(const void* given, OrtEnv** out);
void ReleaseEnv(OrtEnv* env);
OrtStatus* UpdateEnvWithCustomLogLevel(OrtEnv* env, int level);
OrtStatus* EnableTelemetryEvents(const OrtEnv* env);
OrtStatus* DisableTelemetryEvents(const OrtEnv* env);
OrtStatus* SetLanguageProjection(const OrtEnv* env, int);
OrtStatus* CreateThreadingOptions(OrtThreadingOptions** out);
void ReleaseThreadingOptions(OrtThreadingOptions* o);
OrtStatus* SetGlobalIntraOpNumThreads(OrtThreadingOptions* o, int n);
OrtStatus* SetGlobalInterOpNumThreads(OrtThreadingOptions* o, int n);
OrtStatus* SetGlobalSpinControl(OrtThreadingOptions* o, int);
OrtStatus* SetGlobalDenormalAsZero(OrtThreadingOptions* o);
void CreateKeyValuePairs(OrtKeyValuePairs** out);
void AddKeyValuePair(OrtKeyValuePairs* pairs, const char* key, const char* value);
const char* GetKeyValue(const OrtKeyValuePairs* pairs, const char* key);
void GetKeyValuePairs(const OrtKeyValuePairs* pairs, const char* const** keys, const char* const** values, size_t* n);
void RemoveKeyValuePair(OrtKeyValuePairs* pairs, const char* key);
void ReleaseKeyValuePairs(OrtKeyValuePairs* pairs);

// Options of sessions and runs, custom operators.
OrtStatus* CreateSessionOptions(OrtSessionOptions** out);
OrtStatus* CloneSessionOptions(const OrtSessionOptions* o, OrtSessionOptions** out);
void ReleaseSessionOptions(OrtSessionOptions* o);
OrtStatus* SetIntraOpNumThreads(OrtSessionOptions* o, int n);
OrtStatus* SetInterOpNumThreads(OrtSessionOptions* o, int n);
OrtStatus* SetSessionGraphOptimizationLevel(OrtSessionOptions* o, int level);
OrtStatus* SetSessionExecutionMode(OrtSessionOptions* o, int mode);
OrtStatus* GetSessionExecutionMode(const OrtSessionOptions* o, int* out);
OrtStatus* EnableMemPattern(OrtSessionOptions* o);
OrtStatus* DisableMemPattern(OrtSessionOptions* o);
OrtStatus* GetMemPatternEnabled(const OrtSessionOptions* o, int* out);
OrtStatus* EnableCpuMemArena(OrtSessionOptions* o);
OrtStatus* DisableCpuMemArena(OrtSessionOptions* o);
OrtStatus* SetDeterministicCompute(OrtSessionOptions* o, bool);
OrtStatus* DisablePerSessionThreads(OrtSessionOptions* o);
OrtStatus* SetOptimizedModelFilePath(OrtSessionOptions* o, const char* path);
OrtStatus* EnableProfiling(OrtSessionOptions* o, const char* prefix);
OrtStatus* DisableProfiling(OrtSessionOptions* o);
OrtStatus* SetSessionLogId(OrtSessionOptions* o, const char* id);
OrtStatus* SetSessionLogVerbosityLevel(OrtSessionOptions* o, int);
OrtStatus* SetSessionLogSeverityLevel(OrtSessionOptions* o, int level);
OrtStatus* SetUserLoggingFunction(OrtSessionOptions* o, LogFunction function, void* param);
OrtStatus* SessionOptionsSetLoadCancellationFlag(OrtSessionOptions* o, bool cancel);
OrtStatus* AddFreeDimensionOverride(OrtSessionOptions* o, const char* denotation, int64_t extent);
OrtStatus* AddFreeDimensionOverrideByName(OrtSessionOptions* o, const char* name, int64_t extent);
OrtStatus* AddInitializer(OrtSessionOptions* o, const char* name, const OrtValue* value);
OrtStatus* AddExternalInitializers(OrtSessionOptions* o, const char* const* names, const OrtValue* const* values,
                                   size_t n);
OrtStatus* AddExternalInitializersFromFilesInMemory(OrtSessionOptions* o, const char* const* names,
                                                    char* const* contents, const size_t* sizes, size_t n);
OrtStatus* AddSessionConfigEntry(OrtSessionOptions* o, const char* key, const char* value);
OrtStatus* HasSessionConfigEntry(const OrtSessionOptions* o, const char* key, int* out);
OrtStatus* GetSessionConfigEntry(const OrtSessionOptions* o, const char* key, char* value, size_t* size);
OrtStatus* GetSessionOptionsConfigEntries(const OrtSessionOptions* o, OrtKeyValuePairs** out);
OrtStatus* CreateCustomOpDomain(const char* domain, OrtCustomOpDomain** out);
OrtStatus* CustomOpDomain_Add(OrtCustomOpDomain* domain, const OrtCustomOp* op);
void ReleaseCustomOpDomain(OrtCustomOpDomain* domain);
OrtStatus* AddCustomOpDomain(OrtSessionOptions* o, OrtCustomOpDomain* domain);
OrtStatus* RegisterCustomOpsLibrary(OrtSessionOptions* o, const char* path, void** handle);
OrtStatus* RegisterCustomOpsLibrary_V2(OrtSessionOptions* o, const char* path);
OrtStatus* RegisterCustomOpsUsingFunction(OrtSessionOptions* o, const char* name);
OrtStatus* CreateRunOptions(OrtRunOptions** out);
void ReleaseRunOptions(OrtRunOptions* o);
OrtStatus* RunOptionsSetRunLogVerbosityLevel(OrtRunOptions* o, int level);
OrtStatus* RunOptionsSetRunLogSeverityLevel(OrtRunOptions* o, int level);
OrtStatus* RunOptionsSetRunTag(OrtRunOptions* o, const char* tag);
OrtStatus* RunOptionsGetRunLogVerbosityLevel(const OrtRunOptions* o, int* out);
OrtStatus* RunOptionsGetRunLogSeverityLevel(const OrtRunOptions* o, int* out);
OrtStatus* RunOptionsGetRunTag(const OrtRunOptions* o, const char** out);
OrtStatus* RunOptionsSetTerminate(OrtRunOptions* o);
OrtStatus* RunOptionsUnsetTerminate(OrtRunOptions* o);
OrtStatus* AddRunConfigEntry(OrtRunOptions* o, const char* key, const char* value);
const char* GetRunConfigEntry(const OrtRunOptions* o, const char* key);
OrtStatus* RunOptionsEnableProfiling(OrtRunOptions* o, const char* prefix);
OrtStatus* RunOptionsDisableProfiling(OrtRunOptions* o);

// Sessions.
OrtStatus* CreateSession(const OrtEnv* env, const char* path, const OrtSessionOptions* o, OrtSession** out);
OrtStatus* CreateSessionFromArray(const OrtEnv* env, const void* data, size_t size, const OrtSessionOptions* o,
                                  OrtSession** out);
OrtStatus* CreatePrepackedWeightsContainer(OrtPrepackedWeightsContainer** out);
void ReleasePrepackedWeightsContainer(OrtPrepackedWeightsContainer* c);
OrtStatus* CreateSessionWithPrepackedWeightsContainer(const OrtEnv* env, const char* path, const OrtSessionOptions* o,
                                                      OrtPrepackedWeightsContainer* c, OrtSession** out);
OrtStatus* CreateSessionFromArrayWithPrepackedWeightsContainer(const OrtEnv* env, const void* data, size_t size,
                                                               const OrtSessionOptions* o,
                                                               OrtPrepackedWeightsContainer* c, OrtSession** out);
void ReleaseSession(OrtSession* s);
OrtStatus* SessionGetInputCount(const OrtSession* s, size_t* out);
OrtStatus* SessionGetOutputCount(const OrtSession* s, size_t* out);
OrtStatus* SessionGetOverridableInitializerCount(const OrtSession* s, size_t* out);
OrtStatus* SessionGetInputName(const OrtSession* s, size_t i, OrtAllocator* a, char** out);
OrtStatus* SessionGetOutputName(const OrtSession* s, size_t i, OrtAllocator* a, char** out);
OrtStatus* SessionGetOverridableInitializerName(const OrtSession* s, size_t i, OrtAllocator* a, char** out);
OrtStatus* SessionGetInputTypeInfo(const OrtSession* s, size_t i, OrtTypeInfo** out);
OrtStatus* SessionGetOutputTypeInfo(const OrtSession* s, size_t i, OrtTypeInfo** out);
OrtStatus* SessionGetOverridableInitializerTypeInfo(const OrtSession* s, size_t i, OrtTypeInfo** out);
OrtStatus* SessionGetModelMetadata(const OrtSession* s, OrtModelMetadata** out);

// Runs.
OrtStatus* Run(OrtSession* s, const OrtRunOptions* o, const char* const* input_names, const OrtValue* const* inputs,
               size_t num_inputs, const char* const* output_names, size_t num_outputs, OrtValue** outputs);
OrtStatus* RunAsync(OrtSession* s, const OrtRunOptions* o, const char* const* input_names,
                    const OrtValue* const* inputs, size_t num_inputs, const char* const* output_names,
                    size_t num_outputs, OrtValue** outputs, RunAsyncCallback callback, void* user_data);
OrtStatus* CreateIoBinding(OrtSession* s, OrtIoBinding** out);
void ReleaseIoBinding(OrtIoBinding* b);
OrtStatus* BindInput(OrtIoBinding* b, const char* name, const OrtValue* v);
OrtStatus* BindOutput(OrtIoBinding* b, const char* name, const OrtValue* v);
OrtStatus* BindOutputToDevice(OrtIoBinding* b, const char* name, const OrtMemoryInfo* m);
OrtStatus* RunWithBinding(OrtSession* s, const OrtRunOptions* o, const OrtIoBinding* binding);
OrtStatus* GetBoundOutputNames(const OrtIoBinding* b, OrtAllocator* a, char** buffer, size_t** lengths, size_t* n);
OrtStatus* GetBoundOutputValues(const OrtIoBinding* b, OrtAllocator* a, OrtValue*** out, size_t* n);
void ClearBoundInputs(OrtIoBinding* b);
void ClearBoundOutputs(OrtIoBinding* b);
OrtStatus* SynchronizeBoundInputs(OrtIoBinding* b);
OrtStatus* SynchronizeBoundOutputs(OrtIoBinding* b);

// Profiles.
OrtStatus* SessionEndProfiling(OrtSession* s, OrtAllocator* a, char** out);
OrtStatus* SessionGetProfilingStartTimeNs(const OrtSession* s, uint64_t* out);

// Types.
void ReleaseTypeInfo(OrtTypeInfo* i);
void ReleaseTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo* i);
void ReleaseMapTypeInfo(OrtMapTypeInfo*);
void ReleaseSequenceTypeInfo(OrtSequenceTypeInfo*);
OrtStatus* GetOnnxTypeFromTypeInfo(const OrtTypeInfo* i, int* out);
OrtStatus* GetDenotationFromTypeInfo(const OrtTypeInfo* i, const char** out, size_t* length);
OrtStatus* CastTypeInfoToTensorInfo(const OrtTypeInfo* i, const OrtTensorTypeAndShapeInfo** out);
OrtStatus* CastTypeInfoToMapTypeInfo(const OrtTypeInfo* i, const OrtMapTypeInfo** out);
OrtStatus* CastTypeInfoToSequenceTypeInfo(const OrtTypeInfo* i, const OrtSequenceTypeInfo** out);
OrtStatus* CastTypeInfoToOptionalTypeInfo(const OrtTypeInfo* i, const OrtOptionalTypeInfo** out);
OrtStatus* GetMapKeyType(const OrtMapTypeInfo* i, int* out);
OrtStatus* GetMapValueType(const OrtMapTypeInfo* i, OrtTypeInfo** out);
OrtStatus* GetSequenceElementType(const OrtSequenceTypeInfo* i, OrtTypeInfo** out);
OrtStatus* GetOptionalContainedTypeInfo(const OrtOptionalTypeInfo* i, OrtTypeInfo** out);
OrtStatus* CreateTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo** out);
OrtStatus* SetTensorElementType(OrtTensorTypeAndShapeInfo* i, int type);
OrtStatus* SetDimensions(OrtTensorTypeAndShapeInfo* i, const int64_t* dims, size_t n);
OrtStatus* SetSymbolicDimensions(OrtTensorTypeAndShapeInfo* i, const char** names, size_t n);
OrtStatus* GetTensorElementType(const OrtTensorTypeAndShapeInfo* i, int* out);
OrtStatus* GetDimensionsCount(const OrtTensorTypeAndShapeInfo* i, size_t* out);
OrtStatus* GetDimensions(const OrtTensorTypeAndShapeInfo* i, int64_t* dims, size_t n);
OrtStatus* GetSymbolicDimensions(const OrtTensorTypeAndShapeInfo* i, const char** names, size_t n);
OrtStatus* GetTensorShapeElementCount(const OrtTensorTypeAndShapeInfo* i, size_t* out);
bool TensorTypeAndShape_HasShape(const OrtTensorTypeAndShapeInfo* i);
OrtStatus* GetTensorTypeAndShape(const OrtValue* v, OrtTensorTypeAndShapeInfo** out);
OrtStatus* GetTypeInfo(const OrtValue* v, OrtTypeInfo** out);
OrtStatus* GetValueType(const OrtValue* v, int* out);
OrtStatus* GetTensorElementTypeAndShapeDataReference(const OrtValue* v, int* type, const int64_t** dims, size_t* rank);

// Values.
OrtStatus* CreateTensorAsOrtValue(OrtAllocator* a, const int64_t* dims, size_t rank, int type, OrtValue** out);
OrtStatus* CreateTensorWithDataAsOrtValue(const OrtMemoryInfo* m, void* data, size_t bytes, const int64_t* dims,
                                          size_t rank, int type, OrtValue** out);
OrtStatus* CreateTensorWithDataAndDeleterAsOrtValue(OrtAllocator* deleter, void* data, size_t bytes,
                                                    const int64_t* dims, size_t rank, int type, OrtValue** out);
void ReleaseValue(OrtValue* v);
OrtStatus* IsTensor(const OrtValue* v, int* out);
OrtStatus* IsSparseTensor(const OrtValue* v, int* out);
OrtStatus* HasValue(const OrtValue* v, int* out);
OrtStatus* GetTensorMutableData(OrtValue* v, void** out);
OrtStatus* GetTensorData(const OrtValue* v, const void** out);
OrtStatus* GetTensorSizeInBytes(const OrtValue* v, size_t* out);
OrtStatus* GetTensorMemoryInfo(const OrtValue* v, const OrtMemoryInfo** out);
OrtStatus* TensorAt(OrtValue* v, const int64_t* at, size_t n, void** out);
OrtStatus* CopyTensors(const OrtEnv* env, const OrtValue* const* from, OrtValue* const* to, void*, size_t n);
OrtStatus* CreateValue(const OrtValue* const* in, size_t n, int kind, OrtValue** out);
OrtStatus* GetValueCount(const OrtValue* v, size_t* out);
OrtStatus* GetValue(const OrtValue* v, int index, OrtAllocator* a, OrtValue** out);

// Strings.
OrtStatus* FillStringTensor(OrtValue* v, const char* const* s, size_t n);
OrtStatus* FillStringTensorElement(OrtValue* v, const char* s, size_t index);
OrtStatus* GetResizedStringTensorElementBuffer(OrtValue* v, size_t index, size_t length, char** out);
OrtStatus* GetStringTensorDataLength(const OrtValue* v, size_t* out);
OrtStatus* GetStringTensorContent(const OrtValue* v, void* s, size_t bytes, size_t* offsets, size_t n);
OrtStatus* GetStringTensorElementLength(const OrtValue* v, size_t index, size_t* out);
OrtStatus* GetStringTensorElement(const OrtValue* v, size_t bytes, size_t index, void* out);

// Memory and allocators.
OrtStatus* CreateMemoryInfo(const char* name, int allocator_type, int id, int memory_type, OrtMemoryInfo** out);
OrtStatus* CreateCpuMemoryInfo(int allocator_type, int memory_type, OrtMemoryInfo** out);
OrtStatus* CreateMemoryInfo_V2(const char* name, int device_type, uint32_t, int32_t device_id, int memory_type, size_t,
                               int allocator_type, OrtMemoryInfo** out);
void ReleaseMemoryInfo(OrtMemoryInfo* m);
OrtStatus* CompareMemoryInfo(const OrtMemoryInfo* a, const OrtMemoryInfo* b, int* out);
OrtStatus* MemoryInfoGetName(const OrtMemoryInfo* m, const char** out);
OrtStatus* MemoryInfoGetId(const OrtMemoryInfo* m, int* out);
OrtStatus* MemoryInfoGetMemType(const OrtMemoryInfo* m, int* out);
OrtStatus* MemoryInfoGetType(const OrtMemoryInfo* m, int* out);
void MemoryInfoGetDeviceType(const OrtMemoryInfo*, int* out);
int MemoryInfoGetDeviceMemType(const OrtMemoryInfo*);
uint32_t MemoryInfoGetVendorId(const OrtMemoryInfo*);
OrtStatus* GetAllocatorWithDefaultOptions(OrtAllocator** out);
OrtStatus* CreateAllocator(const OrtSession* session, const OrtMemoryInfo* m, OrtAllocator** out);
void ReleaseAllocator(OrtAllocator* a);
OrtStatus* AllocatorAlloc(OrtAllocator* a, size_t bytes, void** out);
OrtStatus* AllocatorFree(OrtAllocator* a, void* p);
OrtStatus* AllocatorGetInfo(const OrtAllocator* a, const OrtMemoryInfo** out);
OrtStatus* AllocatorGetStats(const OrtAllocator* a, OrtKeyValuePairs** out);
OrtStatus* CreateAndRegisterAllocator(OrtEnv* env, const OrtMemoryInfo* m, const OrtArenaCfg* config);
OrtStatus* CreateAndRegisterAllocatorV2(OrtEnv* env, const char*, const OrtMemoryInfo* m, const OrtArenaCfg* config,
                                        const char* const*, const char* const*, size_t);
OrtStatus* RegisterAllocator(OrtEnv* env, OrtAllocator* a);
OrtStatus* UnregisterAllocator(OrtEnv* env, const OrtMemoryInfo* m);
OrtStatus* CreateSharedAllocator(OrtEnv* env, const OrtEpDevice* device, int, int, const OrtKeyValuePairs*,
                                 OrtAllocator** out);
OrtStatus* GetSharedAllocator(OrtEnv* env, const OrtMemoryInfo* m, OrtAllocator** out);
OrtStatus* ReleaseSharedAllocator(OrtEnv* env, const OrtEpDevice* device, int);
OrtStatus* CreateArenaCfg(size_t, int, int, int, OrtArenaCfg** out);
OrtStatus* CreateArenaCfgV2(const char* const* keys, const size_t* values, size_t n, OrtArenaCfg** out);
void ReleaseArenaCfg(OrtArenaCfg* c);

// Metadata.
void ReleaseModelMetadata(OrtModelMetadata* m);
OrtStatus* ModelMetadataGetProducerName(const OrtModelMetadata* m, OrtAllocator* a, char** out);
OrtStatus* ModelMetadataGetGraphName(const OrtModelMetadata* m, OrtAllocator* a, char** out);
OrtStatus* ModelMetadataGetDomain(const OrtModelMetadata* m, OrtAllocator* a, char** out);
OrtStatus* ModelMetadataGetDescription(const OrtModelMetadata* m, OrtAllocator* a, char** out);
OrtStatus* ModelMetadataGetGraphDescription(const OrtModelMetadata* m, OrtAllocator* a, char** out);
OrtStatus* ModelMetadataGetVersion(const OrtModelMetadata* m, int64_t* out);
OrtStatus* ModelMetadataLookupCustomMetadataMap(const OrtModelMetadata* m, OrtAllocator* a, const char* key,
                                                char** out);
OrtStatus* ModelMetadataGetCustomMetadataMapKeys(const OrtModelMetadata* m, OrtAllocator* a, char*** out, int64_t* n);

// Execution providers and devices.
OrtStatus* GetAvailableProviders(char*** out, int* n);
OrtStatus* ReleaseAvailableProviders(char** names, int n);
OrtStatus* SessionOptionsAppendExecutionProvider(OrtSessionOptions* o, const char* name, const char* const*,
                                                 const char* const*, size_t);
OrtStatus* SessionOptionsAppendExecutionProvider_V2(OrtSessionOptions* o, OrtEnv* env,
                                                    const OrtEpDevice* const* devices, size_t n, const char* const*,
                                                    const char* const*, size_t);
OrtStatus* SessionOptionsSetEpSelectionPolicy(OrtSessionOptions* o, int);
OrtStatus* SetEpDynamicOptions(OrtSession* s, const char* const* keys, const char* const* values, size_t n);
OrtStatus* GetEpDevices(const OrtEnv* env, const OrtEpDevice* const** out, size_t* n);
OrtStatus* GetNumHardwareDevices(const OrtEnv* env, size_t* n);
OrtStatus* GetHardwareDevices(const OrtEnv* env, const OrtHardwareDevice** out, size_t n);
OrtStatus* SessionGetEpDeviceForInputs(const OrtSession* s, const OrtEpDevice** out, size_t n);
OrtStatus* SessionGetEpDeviceForOutputs(const OrtSession* s, const OrtEpDevice** out, size_t n);
OrtStatus* SessionGetMemoryInfoForInputs(const OrtSession* s, const OrtMemoryInfo** out, size_t n);
OrtStatus* SessionGetMemoryInfoForOutputs(const OrtSession* s, const OrtMemoryInfo** out, size_t n);
int HardwareDevice_Type(const OrtHardwareDevice*);
uint32_t HardwareDevice_VendorId(const OrtHardwareDevice*);
const char* HardwareDevice_Vendor(const OrtHardwareDevice* d);
uint32_t HardwareDevice_DeviceId(const OrtHardwareDevice*);
const OrtKeyValuePairs* HardwareDevice_Metadata(const OrtHardwareDevice* d);
const char* EpDevice_EpName(const OrtEpDevice* d);
const char* EpDevice_EpVendor(const OrtEpDevice* d);
const OrtKeyValuePairs* EpDevice_EpMetadata(const OrtEpDevice* d);
const OrtKeyValuePairs* EpDevice_EpOptions(const OrtEpDevice* d);
const OrtHardwareDevice* EpDevice_Device(const OrtEpDevice* d);
const OrtMemoryInfo* EpDevice_MemoryInfo(const OrtEpDevice* d, int);

// The library.
const char* GetBuildInfoString();

}  // namespace api
}  // namespace tc::dropin
