// The Open Inference Protocol, version 2, over REST, with the extension for binary tensors: requests and answers
// between bytes and tensors. What a client sends is hostile: no more is allocated than the bytes that are there can
// fill.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tc/frontend/api/tc.h"

namespace tc::serve {

// Ends a request with this status of HTTP.
struct Refusal : std::runtime_error {
  Refusal(int code, const std::string& message) : std::runtime_error(message), status(code) {}
  int status;
};
template <class... Parts>
[[noreturn]] void refuse(int status, const Parts&... parts) {
  throw Refusal(status, cat(parts...));
}

// The protocol's name of an element type; empty where it has none.
std::string_view datatype_of(DType t);

struct Request {
  std::string id;
  std::vector<Tensor> inputs;         // in the order of the model's
  std::vector<size_t> outputs;        // which of the model's are asked for
  std::vector<bool> binary;           // of those, which as bytes
  std::optional<int64_t> timeout_us;  // of the parameter `timeout`
};

// `json_size`: of the header Inference-Header-Content-Length, the bytes of the body that are JSON; the tensors follow.
// Error Refusal (400) that names the input or the key.
Request parse_request(std::string_view body, std::optional<size_t> json_size, const std::vector<ValueInfo>& inputs,
                      const std::vector<ValueInfo>& outputs);

struct Answer {
  std::string body;
  std::optional<size_t> json_size;  // where tensors follow
};
Answer format_answer(const Request& request, const std::vector<Tensor>& results, const std::vector<ValueInfo>& outputs,
                     const std::string& model, const std::string& version);

std::string format_error(const std::string& message);
// The metadata of a model.
std::string format_metadata(const std::string& model, const std::vector<std::string>& versions,
                            const std::vector<ValueInfo>& inputs, const std::vector<ValueInfo>& outputs);

}  // namespace tc::serve
