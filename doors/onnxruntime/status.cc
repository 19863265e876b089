#include <new>

#include "tc/doors/onnxruntime/api.h"

namespace tc::dropin {
namespace {

Code code_of(ErrorCode e, During during) {
  switch (e) {
    case ErrorCode::bad_argument:
    case ErrorCode::bad_input:
    case ErrorCode::limit_size:
    case ErrorCode::limit_rank:
      return Code::invalid_argument;
    case ErrorCode::bad_file:
      return Code::invalid_protobuf;
    case ErrorCode::bad_external_data:
      return Code::no_such_file;
    case ErrorCode::unsupported:
    case ErrorCode::unknown_op:
    case ErrorCode::no_gradient:
      return Code::not_implemented;
    case ErrorCode::bad_graph:
    case ErrorCode::bad_text:
    case ErrorCode::bad_type:
    case ErrorCode::bad_shape:
    case ErrorCode::bad_attribute:
    case ErrorCode::bad_value:
      return during == During::load ? Code::invalid_graph : Code::failed;
    case ErrorCode::internal:
      return Code::runtime_exception;
    case ErrorCode::limit_memory:
    case ErrorCode::limit_steps:
    case ErrorCode::limit_nesting:
    case ErrorCode::limit_rewrites:
    case ErrorCode::check_failed:
      return Code::failed;
  }
  return Code::failed;
}

// For when not even a status can be allocated; nobody deletes it.
OrtStatus& out_of_memory() {
  static OrtStatus status(Code::failed, "out of memory");
  return status;
}

}  // namespace

OrtStatus* status_of_exception(During during) noexcept {
  try {
    try {
      throw;
    } catch (const Fault& f) {
      return new OrtStatus(f.code(), f.what());
    } catch (const Error& e) {
      return new OrtStatus(code_of(e.code(), during), e.what());
    } catch (const std::bad_alloc&) {
      return &out_of_memory();
    } catch (const std::exception& e) {
      return new OrtStatus(Code::runtime_exception, e.what());
    }
  } catch (...) {
    return &out_of_memory();
  }
}

namespace api {

OrtStatus* CreateStatus(int code, const char* message) {
  return quietly(&out_of_memory(), [&] { return new OrtStatus(static_cast<Code>(code), message ? message : ""); });
}

int GetErrorCode(const OrtStatus* status) {
  if (!status) return static_cast<int>(Code::ok);
  return static_cast<int>(status->genuine() ? status->code : Code::invalid_argument);
}

const char* GetErrorMessage(const OrtStatus* status) {
  if (!status) return "";
  return status->genuine() ? status->message.c_str() : "a handle that is no OrtStatus";
}

void ReleaseStatus(OrtStatus* status) {
  if (status != &out_of_memory()) release(status);
}

}  // namespace api
}  // namespace tc::dropin
