// What a model says about itself.
#include "tc/doors/onnxruntime/api.h"

namespace tc::dropin {
namespace {

OrtStatus* give(const OrtModelMetadata* m, OrtAllocator* a, char** out, std::string OrtModelMetadata::*member) {
  return guard([&] { make(out, [&] { return copy_text(checked(a), checked(m).*member); }); });
}

}  // namespace

namespace api {

void ReleaseModelMetadata(OrtModelMetadata* m) {
  release(m);
}
OrtStatus* ModelMetadataGetProducerName(const OrtModelMetadata* m, OrtAllocator* a, char** out) {
  return give(m, a, out, &OrtModelMetadata::producer);
}
OrtStatus* ModelMetadataGetGraphName(const OrtModelMetadata* m, OrtAllocator* a, char** out) {
  return give(m, a, out, &OrtModelMetadata::graph_name);
}
OrtStatus* ModelMetadataGetDomain(const OrtModelMetadata* m, OrtAllocator* a, char** out) {
  return give(m, a, out, &OrtModelMetadata::domain);
}
OrtStatus* ModelMetadataGetDescription(const OrtModelMetadata* m, OrtAllocator* a, char** out) {
  return give(m, a, out, &OrtModelMetadata::description);
}
OrtStatus* ModelMetadataGetGraphDescription(const OrtModelMetadata* m, OrtAllocator* a, char** out) {
  return give(m, a, out, &OrtModelMetadata::graph_description);
}
OrtStatus* ModelMetadataGetVersion(const OrtModelMetadata* m, int64_t* out) {
  return guard([&] { result(out) = checked(m).version; });
}
OrtStatus* ModelMetadataLookupCustomMetadataMap(const OrtModelMetadata* m, OrtAllocator* a, const char* key,
                                                char** out) {
  return guard([&] {
    checked(a);
    const auto it = checked(m).custom.find(text(key, "key"));
    make(out, [&] { return it == m->custom.end() ? nullptr : copy_text(*a, it->second); });
  });
}
OrtStatus* ModelMetadataGetCustomMetadataMapKeys(const OrtModelMetadata* m, OrtAllocator* a, char*** out, int64_t* n) {
  return guard([&] {
    checked(a);
    result(out) = nullptr;
    needed(n, "num_keys") = static_cast<int64_t>(checked(m).custom.size());
    if (m->custom.empty()) return;
    *out = static_cast<char**>(allocate(*a, m->custom.size() * sizeof(char*)));
    char** next = *out;
    for (const auto& [key, value] : m->custom) *next++ = copy_text(*a, key);
  });
}

}  // namespace api
}  // namespace tc::dropin
