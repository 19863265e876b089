#include "tc/ir/dtype.h"

#include <ostream>

namespace tc {
namespace {
constexpr DTypeInfo kInfo[] = {
#define TC_DTYPE(id, spelling, storage, bits, kind, onnx, numpy) \
  {spelling, sizeof(storage), bits, DTypeKind::kind, onnx, numpy},
#include "tc/ir/dtype.def"
#undef TC_DTYPE
};
}  // namespace

const DTypeInfo& info(DType t) {
  return kInfo[static_cast<int>(t)];
}

std::optional<DType> dtype_from_name(std::string_view name) {
  for (int i = 0; i < kNumDTypes; ++i)
    if (kInfo[i].name == name) return static_cast<DType>(i);
  return std::nullopt;
}

std::optional<DType> dtype_from_onnx(int64_t code) {
  for (int i = 0; i < kNumDTypes; ++i)
    if (kInfo[i].onnx == code) return static_cast<DType>(i);
  return std::nullopt;
}

std::ostream& operator<<(std::ostream& out, DType t) {
  return out << name(t);
}

std::ostream& operator<<(std::ostream& out, DTypeSet s) {
  const char* separator = "";
  for (int i = 0; i < kNumDTypes; ++i)
    if (s.has(static_cast<DType>(i))) out << separator << kInfo[i].name, separator = " ";
  return out;
}
}  // namespace tc
