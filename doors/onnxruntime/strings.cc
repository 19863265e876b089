// Tensors of strings.
#include <cstring>

#include "tc/doors/onnxruntime/api.h"

namespace tc::dropin {
namespace {

std::span<std::string> strings(const OrtValue* v) {
  if (dtype_of(checked(v)) != DType::str) throw Fault(Code::invalid_argument, "the value is no tensor of strings");
  const Tensor& t = v->datum.tensor();
  // In place, so that whoever shares the tensor sees it: only values that the caller made have strings to be written.
  return {static_cast<std::string*>(const_cast<void*>(t.data())), static_cast<size_t>(t.size())};
}

std::string& string_at(const OrtValue* v, size_t index) {
  const auto all = strings(v);
  if (index >= all.size()) throw Fault(Code::invalid_argument, "there is no string ", index, " among ", all.size());
  return all[index];
}

size_t total(std::span<std::string> all) {
  size_t n = 0;
  for (const auto& s : all) n += s.size();
  return n;
}

}  // namespace

namespace api {

OrtStatus* FillStringTensor(OrtValue* v, const char* const* s, size_t n) {
  return guard([&] {
    const auto all = strings(v);
    if (n != all.size()) throw Fault(Code::invalid_argument, n, " strings for a tensor of ", all.size());
    list(s, n, "s");
    for (size_t i = 0; i < n; ++i) all[i] = text(s[i], "s");
  });
}
OrtStatus* FillStringTensorElement(OrtValue* v, const char* s, size_t index) {
  return guard([&] { string_at(v, index) = text(s, "s"); });
}
OrtStatus* GetResizedStringTensorElementBuffer(OrtValue* v, size_t index, size_t length, char** out) {
  return guard([&] {
    std::string& s = string_at(v, index);
    s.resize(length);
    needed(out, "buffer") = s.data();
  });
}
OrtStatus* GetStringTensorDataLength(const OrtValue* v, size_t* out) {
  return guard([&] { result(out) = total(strings(v)); });
}
OrtStatus* GetStringTensorContent(const OrtValue* v, void* s, size_t bytes, size_t* offsets, size_t n) {
  return guard([&] {
    const auto all = strings(v);
    if (n < all.size()) throw Fault(Code::failed, n, " offsets for ", all.size(), " strings");
    if (bytes < total(all)) throw Fault(Code::failed, "the strings have ", total(all), " bytes, the buffer ", bytes);
    list(offsets, all.size(), "offsets");
    auto* out = static_cast<char*>(list(s, total(all), "s"));
    size_t at = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      offsets[i] = at;
      if (!all[i].empty()) std::memcpy(out + at, all[i].data(), all[i].size());
      at += all[i].size();
    }
  });
}
OrtStatus* GetStringTensorElementLength(const OrtValue* v, size_t index, size_t* out) {
  return guard([&] { result(out) = string_at(v, index).size(); });
}
OrtStatus* GetStringTensorElement(const OrtValue* v, size_t bytes, size_t index, void* out) {
  return guard([&] {
    const std::string& s = string_at(v, index);
    if (bytes < s.size()) throw Fault(Code::failed, "the string has ", s.size(), " bytes, the buffer ", bytes);
    if (!s.empty()) std::memcpy(&needed(static_cast<char*>(out), "s"), s.data(), s.size());
  });
}

}  // namespace api
}  // namespace tc::dropin
