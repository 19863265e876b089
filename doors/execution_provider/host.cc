#include "tc/doors/execution_provider/host.h"

#include "tc/frontend/onnx/tensor_proto.h"

namespace tc::provider {
namespace {

enum HostCode : int { kFail = 1, kInvalidArgument = 2, kNotImplementedCode = 9, kEpFail = 11 };
constexpr int kTensorKind = 1, kStringCode = 8;

HostCode code_of(ErrorCode e) {
  switch (e) {
    case ErrorCode::bad_input:
    case ErrorCode::bad_argument:
      return kInvalidArgument;
    case ErrorCode::unsupported:
    case ErrorCode::unknown_op:
      return kNotImplementedCode;
    case ErrorCode::internal:
      return kEpFail;
    default:
      return kFail;
  }
}

Status* make_status(HostCode code, const char* text) {
  return call<Status*>(kCreateStatus, static_cast<int>(code), text);
}

}  // namespace

void check(Status* status) {
  if (!status) return;
  const std::string text = call<const char*>(kGetErrorMessage, status);
  call<void>(kReleaseStatus, status);
  fail(ErrorCode::internal, "ONNX Runtime: ", text);
}

Status* status_of_exception() noexcept {
  try {
    throw;
  } catch (const Error& e) {
    return make_status(code_of(e.code()), e.what());
  } catch (const std::exception& e) {
    return make_status(kEpFail, e.what());
  } catch (...) {
    return make_status(kEpFail, "an unknown error");
  }
}

bool is_tensor(const void* type_info) {
  return get<int>(kGetOnnxTypeFromTypeInfo, type_info) == kTensorKind;
}

namespace {

// Element type and extents of a tensor.
std::pair<int, Extents> described(const void* value) {
  if (host_gives_shapes) {
    int code = 0;
    const int64_t* dims = nullptr;
    size_t rank = 0;
    ok(kGetTensorElementTypeAndShapeDataReference, value, &code, &dims, &rank);
    return {code, Extents(dims, dims + rank)};
  }
  void* info = get<void*>(kGetTensorTypeAndShape, value);
  Extents extents(get<size_t>(kGetDimensionsCount, info));
  ok(kGetDimensions, info, extents.data(), extents.size());
  const int code = get<int>(kGetTensorElementType, info);
  call<void>(kReleaseTensorTypeAndShapeInfo, info);
  return {code, std::move(extents)};
}

}  // namespace

Tensor view_of(const void* value) {
  if (!get<int>(kIsTensor, value)) fail(ErrorCode::unsupported, "a value that is no tensor");
  auto [code, extents] = described(value);
  const auto dtype = dtype_from_onnx(code);  // the numbers are ONNX's
  if (!dtype) fail(ErrorCode::unsupported, "element type ", code, " of ONNX Runtime");
  if (code == kStringCode) {
    Tensor t(DType::str, extents);
    auto all = t.mutable_span<std::string>();
    for (size_t i = 0; i < all.size(); ++i) {
      all[i].resize(get<size_t>(kGetStringTensorElementLength, value, i));
      ok(kGetStringTensorElement, value, all[i].size(), i, static_cast<void*>(all[i].data()));
    }
    return t;
  }
  alignas(64) static const std::byte nowhere[64] = {};
  const void* data = get<void*>(kGetTensorMutableData, const_cast<void*>(value));
  if (!data) data = nowhere;
  if (!dtypes::sub_byte.has(*dtype)) return Tensor::view(*dtype, std::move(extents), data, nullptr);
  Tensor t(*dtype, extents);
  const int bits = tc::info(*dtype).bits;
  const auto packed = (static_cast<size_t>(t.size()) * static_cast<size_t>(bits) + 7) / 8;
  onnx::unpack_bits({static_cast<const uint8_t*>(data), packed}, bits, kind(*dtype) == DTypeKind::signed_int,
                    {static_cast<uint8_t*>(t.mutable_data()), static_cast<size_t>(t.size())});
  return t;
}

}  // namespace tc::provider
