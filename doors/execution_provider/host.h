// ONNX Runtime as the host of the plug-in: its functions by slot, and its statuses as exceptions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tc/frontend/api/tc.h"

namespace tc::provider {

// Slots of the host's table; the list is that of the drop-in library, which stands in for the same table.
enum Slot : int {
#define TC_SLOT_OWN(name) k##name,
#define TC_SLOT_STATUS(name) k##name,
#define TC_SLOT_NOTHING(name) k##name,
#include "tc/doors/onnxruntime/slots.def"
#undef TC_SLOT_OWN
#undef TC_SLOT_STATUS
#undef TC_SLOT_NOTHING
};
// Slots of the host's table for providers that are used here.
enum EpSlot : int { kCreateEpDevice = 0, kAddNodesToFuse = 2 };

// The oldest release whose functions are enough (1.23: graphs can be read), as the host is told.
inline constexpr uint32_t kApiVersion = 23;

struct Status;  // the host's
struct HostApiBase {
  void* const* (*api)(uint32_t version);
  const char* (*version)();
};

// Set once, when the plug-in is registered.
inline void* const* host_api = nullptr;
inline void* const* host_ep_api = nullptr;
inline bool host_gives_shapes = false;  // in one call: from 1.24 on

template <class R, class... A>
R call(Slot slot, A... a) {
  return reinterpret_cast<R (*)(A...)>(host_api[slot])(a...);
}
template <class R, class... A>
R call_ep(EpSlot slot, A... a) {
  return reinterpret_cast<R (*)(A...)>(host_ep_api[slot])(a...);
}

// Error internal with the host's message where the status is one; releases it.
void check(Status* status);
// The status of the exception that is being handled.
Status* status_of_exception() noexcept;
template <class F>
Status* guard(F&& f) noexcept {
  try {
    f();
    return nullptr;
  } catch (...) {
    return status_of_exception();
  }
}

template <class... A>
void ok(Slot slot, A... a) {
  check(call<Status*>(slot, a...));
}
// The result that a function writes to its last argument.
template <class T, class... A>
T get(Slot slot, A... a) {
  T result{};
  ok(slot, a..., &result);
  return result;
}
// A list in two calls: how many, then each.
template <class T = const void*>
std::vector<T> list(Slot count, Slot items, const void* of) {
  std::vector<T> result(get<size_t>(count, of));
  if (!result.empty()) ok(items, of, result.data(), result.size());
  return result;
}

// A tensor of the host's as a view of its memory; strings, and elements of few bits, which lie packed there, are
// copied. Error unsupported for other values.
Tensor view_of(const void* value);
bool is_tensor(const void* type_info);

}  // namespace tc::provider
