// The table that programs get, and the symbols that they link.
#include "tc/doors/onnxruntime/api.h"
#include "tc/doors/onnxruntime/release.h"

namespace tc::dropin {
namespace {

using Slot = void (*)();

constexpr uint32_t kNewestApi = 30;

struct ApiBase {
  const Slot* (*get_api)(uint32_t version);
  const char* (*version)();
};

// One function each, that knows its name.
#define TC_SLOT_OWN(name)
#define TC_SLOT_STATUS(name)                                                                               \
  OrtStatus* absent_##name() {                                                                             \
    return guard([] { throw Fault(Code::not_implemented, "tc has no function " #name " of the C API"); }); \
  }
#define TC_SLOT_NOTHING(name)
#include "tc/doors/onnxruntime/slots.def"
#undef TC_SLOT_OWN
#undef TC_SLOT_STATUS
#undef TC_SLOT_NOTHING

void* nothing() {
  return nullptr;
}

template <class F>
Slot slot(F* f) {
  return reinterpret_cast<Slot>(f);
}

// Callers of any version get the same table: their functions are those at its beginning.
const Slot* get_api(uint32_t version) {
  static const Slot table[] = {
#define TC_SLOT_OWN(name) slot(api::name),
#define TC_SLOT_STATUS(name) slot(absent_##name),
#define TC_SLOT_NOTHING(name) slot(nothing),
#include "tc/doors/onnxruntime/slots.def"
#undef TC_SLOT_OWN
#undef TC_SLOT_STATUS
#undef TC_SLOT_NOTHING
  };
  return version >= 1 && version <= kNewestApi ? table : nullptr;
}

const char* version() {
  return TC_ORT_NEWEST;
}

constexpr ApiBase kBase = {get_api, version};

}  // namespace

const void* api_base() {
  return &kBase;
}

namespace api {

const char* GetBuildInfoString() {
  return "ORT Build Info: tc in place of ONNX Runtime " TC_ORT_NEWEST;
}

}  // namespace api
}  // namespace tc::dropin

// Programs that were linked with a release ask for its version of these symbols: each is an alias of one function.
extern "C" {
__attribute__((visibility("default"))) const void* tc_OrtGetApiBase() {
  return tc::dropin::api_base();
}
__attribute__((visibility("default"))) tc::dropin::OrtStatus* tc_OrtSessionOptionsAppendExecutionProvider_CPU(
    tc::dropin::OrtSessionOptions* options, int) {
  return tc::dropin::guard([&] { tc::dropin::checked(options); });
}
}
TC_ORT_SYMBOL_VERSIONS
