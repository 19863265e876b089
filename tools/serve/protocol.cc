#include "tc/tools/serve/protocol.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "tc/ir/scalar.h"

namespace tc::serve {
namespace {

using Json = nlohmann::json;

constexpr std::pair<DType, std::string_view> kDatatypes[] = {
    {DType::boolean, "BOOL"}, {DType::u8, "UINT8"}, {DType::u16, "UINT16"}, {DType::u32, "UINT32"},
    {DType::u64, "UINT64"},   {DType::i8, "INT8"},  {DType::i16, "INT16"},  {DType::i32, "INT32"},
    {DType::i64, "INT64"},    {DType::f16, "FP16"}, {DType::f32, "FP32"},   {DType::f64, "FP64"},
    {DType::bf16, "BF16"},    {DType::str, "BYTES"}};

// A member of an object; null where there is none.
const Json* member(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

std::string text_of(const Json& object, const char* key, const std::string& where) {
  const Json* value = member(object, key);
  if (!value || !value->is_string()) refuse(400, where, ": '", key, "' should be a string");
  return value->get<std::string>();
}

// A parameter of a request, an input or an output.
const Json* parameter(const Json& object, const char* key) {
  const Json* parameters = member(object, "parameters");
  if (!parameters) return nullptr;
  if (!parameters->is_object()) refuse(400, "'parameters' should be an object");
  return member(*parameters, key);
}

bool flag(const Json& object, const char* key, bool otherwise) {
  const Json* value = parameter(object, key);
  if (!value) return otherwise;
  if (!value->is_boolean()) refuse(400, "parameter '", key, "' should be true or false");
  return value->get<bool>();
}

Extents shape_of(const Json& input, const std::string& where) {
  const Json* shape = member(input, "shape");
  if (!shape || !shape->is_array()) refuse(400, where, ": 'shape' should be a list of extents");
  if (shape->size() > 32) refuse(400, where, ": a tensor of ", shape->size(), " dimensions");
  Extents extents;
  for (const Json& e : *shape) {
    if (!e.is_number_integer() || (e.is_number_unsigned() ? e.get<uint64_t>() > INT64_MAX : e.get<int64_t>() < 0))
      refuse(400, where, ": ", e.dump(), " is no extent");
    extents.push_back(e.get<int64_t>());
  }
  return extents;
}

uint64_t count_of(const Extents& extents, const std::string& where) {
  try {
    return static_cast<uint64_t>(element_count(extents));
  } catch (const Error& e) {
    refuse(400, where, ": ", e.diagnostic().message);
  }
}

// The elements of lists in lists, in order.
void flatten(const Json& data, std::vector<const Json*>& out, size_t depth, const std::string& where) {
  if (depth > 33) refuse(400, where, ": 'data' is nested too deeply");
  for (const Json& e : data) {
    if (e.is_array())
      flatten(e, out, depth + 1, where);
    else
      out.push_back(&e);
  }
}

template <class T>
T element_of(const Json& e, const std::string& where) {
  const auto wrong = [&]() { refuse(400, where, ": ", e.dump().substr(0, 40), " is no element of its type"); };
  if constexpr (std::is_same_v<T, std::string>) {
    if (!e.is_string()) wrong();
    return e.get<std::string>();
  } else if constexpr (std::is_same_v<T, Bool>) {
    if (e.is_boolean()) return static_cast<T>(e.get<bool>());
    if (!e.is_number_integer() || (e.get<int64_t>() != 0 && e.get<int64_t>() != 1)) wrong();
    return static_cast<T>(e.get<int64_t>() == 1);
  } else if constexpr (std::is_integral_v<T>) {
    if (!e.is_number_integer()) wrong();
    const bool fits = e.is_number_unsigned() ? std::in_range<T>(e.get<uint64_t>()) : std::in_range<T>(e.get<int64_t>());
    if (!fits) wrong();
    return e.is_number_unsigned() ? static_cast<T>(e.get<uint64_t>()) : static_cast<T>(e.get<int64_t>());
  } else {
    if (!e.is_number()) wrong();
    return static_cast<T>(e.get<double>());
  }
}

template <class T>
Tensor tensor_of_list(DType t, const Extents& extents, const std::vector<const Json*>& elements,
                      const std::string& where) {
  Tensor tensor(t, extents);
  auto out = tensor.mutable_span<T>();
  for (size_t i = 0; i < out.size(); ++i) out[i] = element_of<T>(*elements[i], where);
  return tensor;
}

// f(std::type_identity<T>()) for the storage T of an element type that the protocol has.
template <class F>
auto with_storage(DType t, F&& f) {
  switch (t) {
#define TC_SERVED(id, storage) \
  case DType::id:              \
    return f(std::type_identity<storage>());
    TC_SERVED(boolean, Bool)
    TC_SERVED(u8, uint8_t)
    TC_SERVED(u16, uint16_t)
    TC_SERVED(u32, uint32_t)
    TC_SERVED(u64, uint64_t)
    TC_SERVED(i8, int8_t)
    TC_SERVED(i16, int16_t)
    TC_SERVED(i32, int32_t)
    TC_SERVED(i64, int64_t)
    TC_SERVED(f16, Float16)
    TC_SERVED(f32, float)
    TC_SERVED(f64, double)
    TC_SERVED(bf16, BFloat16)
    TC_SERVED(str, std::string)
#undef TC_SERVED
    default:
      refuse(400, "elements of ", name(t), " are not in the protocol");
  }
}

Tensor tensor_of_bytes(DType t, const Extents& extents, std::string_view bytes, const std::string& where) {
  const uint64_t count = count_of(extents, where);
  if (t != DType::str) {
    if (bytes.size() % size_of(t) || count != bytes.size() / size_of(t))
      refuse(400, where, ": ", bytes.size(), " bytes for ", count, " elements of ", datatype_of(t));
    Tensor tensor(t, extents);
    if (!bytes.empty()) std::memcpy(tensor.mutable_data(), bytes.data(), bytes.size());
    if (t == DType::boolean)
      for (Bool& b : tensor.mutable_span<Bool>()) b = static_cast<Bool>(static_cast<bool>(b));
    return tensor;
  }
  // Each string behind its length, four bytes.
  if (count > bytes.size() / 4) refuse(400, where, ": ", bytes.size(), " bytes for ", count, " strings");
  Tensor tensor(t, extents);
  for (std::string& s : tensor.mutable_span<std::string>()) {
    uint32_t length = 0;
    if (bytes.size() < 4) refuse(400, where, ": the strings end early");
    std::memcpy(&length, bytes.data(), 4);
    bytes.remove_prefix(4);
    if (length > bytes.size()) refuse(400, where, ": a string of ", length, " bytes is beyond the end");
    s = bytes.substr(0, length);
    bytes.remove_prefix(length);
  }
  if (!bytes.empty()) refuse(400, where, ": ", bytes.size(), " bytes too many");
  return tensor;
}

Tensor parse_input(const Json& input, const ValueInfo& declared, std::string_view& binary) {
  const std::string where = cat("input '", declared.name, "'");
  const std::string datatype = text_of(input, "datatype", where);
  const DType wanted = declared.type.dtype();
  if (datatype != datatype_of(wanted))
    refuse(400, where, " is ", datatype_of(wanted), ", not ", datatype.substr(0, 40));
  const Extents extents = shape_of(input, where);
  if (const Json* size = parameter(input, "binary_data_size")) {
    if (!size->is_number_unsigned() || size->get<uint64_t>() > binary.size())
      refuse(400, where, ": binary_data_size is ", size->dump().substr(0, 40), ", and ", binary.size(),
             " bytes follow the JSON");
    const auto bytes = binary.substr(0, size->get<size_t>());
    binary.remove_prefix(bytes.size());
    return tensor_of_bytes(wanted, extents, bytes, where);
  }
  const Json* data = member(input, "data");
  if (!data || !data->is_array()) refuse(400, where, ": 'data' should be a list, or binary_data_size a parameter");
  std::vector<const Json*> elements;
  flatten(*data, elements, 1, where);
  if (count_of(extents, where) != elements.size())
    refuse(400, where, ": ", elements.size(), " elements in 'data', the shape has ", count_of(extents, where));
  return with_storage(wanted, [&](auto storage) {
    return tensor_of_list<typename decltype(storage)::type>(wanted, extents, elements, where);
  });
}

size_t index_of(const std::vector<ValueInfo>& infos, const std::string& name, const char* what) {
  for (size_t i = 0; i < infos.size(); ++i)
    if (infos[i].name == name) return i;
  std::string known;
  for (const ValueInfo& v : infos) known += (known.empty() ? "" : ", ") + v.name;
  refuse(400, "the model has no ", what, " '", name.substr(0, 80), "'; it has: ", known);
}

void parse_outputs(const Json& root, const std::vector<ValueInfo>& outputs, Request& request) {
  const bool binary = flag(root, "binary_data_output", false);
  const Json* asked = member(root, "outputs");
  if (!asked || asked->empty()) {
    for (size_t i = 0; i < outputs.size(); ++i) request.outputs.push_back(i), request.binary.push_back(binary);
    return;
  }
  if (!asked->is_array()) refuse(400, "'outputs' should be a list");
  for (const Json& o : *asked) {
    if (!o.is_object()) refuse(400, "an output should be an object");
    const size_t index = index_of(outputs, text_of(o, "name", "an output"), "output");
    if (std::count(request.outputs.begin(), request.outputs.end(), index))
      refuse(400, "output '", outputs[index].name, "' is asked for twice");
    request.outputs.push_back(index);
    request.binary.push_back(flag(o, "binary_data", binary));
  }
}

template <class T>
void append_elements(std::string& out, const Tensor& tensor) {
  char buffer[32];
  const char* separator = "";
  for (const T& v : tensor.span<T>()) {
    out += separator, separator = ",";
    if constexpr (std::is_same_v<T, std::string>) {
      out += Json(v).dump(-1, ' ', false, Json::error_handler_t::replace);
    } else if constexpr (std::is_same_v<T, Bool>) {
      out += static_cast<bool>(v) ? "true" : "false";
    } else if constexpr (std::is_integral_v<T>) {
      out.append(buffer, std::to_chars(buffer, std::end(buffer), v).ptr);
    } else if constexpr (std::is_same_v<T, double>) {
      if (std::isfinite(v))
        out.append(buffer, std::to_chars(buffer, std::end(buffer), v).ptr);
      else
        out += "null";  // JSON has no other word; binary tensors have them
    } else {
      const auto f = static_cast<float>(static_cast<double>(v));
      if (std::isfinite(f))
        out.append(buffer, std::to_chars(buffer, std::end(buffer), f).ptr);
      else
        out += "null";
    }
  }
}

void append_bytes(std::string& out, const Tensor& tensor) {
  if (tensor.dtype() != DType::str) {
    out.append(static_cast<const char*>(tensor.data()), tensor.bytes());
    return;
  }
  for (const std::string& s : tensor.span<std::string>()) {
    const auto length = static_cast<uint32_t>(s.size());
    out.append(reinterpret_cast<const char*>(&length), 4);
    out += s;
  }
}

size_t bytes_of(const Tensor& tensor) {
  if (tensor.dtype() != DType::str) return tensor.bytes();
  size_t bytes = 0;
  for (const std::string& s : tensor.span<std::string>()) bytes += 4 + s.size();
  return bytes;
}

Json described(const std::vector<ValueInfo>& infos) {
  Json list = Json::array();
  for (const ValueInfo& v : infos) {
    Json shape = Json::array();
    if (v.type.shape().ranked())
      for (const Dim& d : v.type.shape().dims()) shape.push_back(d.is_const() ? d.value() : -1);
    list.push_back({{"name", v.name}, {"datatype", datatype_of(v.type.dtype())}, {"shape", std::move(shape)}});
  }
  return list;
}

}  // namespace

std::string_view datatype_of(DType t) {
  for (const auto& [dtype, name] : kDatatypes)
    if (dtype == t) return name;
  return {};
}

Request parse_request(std::string_view body, std::optional<size_t> json_size, const std::vector<ValueInfo>& inputs,
                      const std::vector<ValueInfo>& outputs) {
  if (json_size && *json_size > body.size())
    refuse(400, "Inference-Header-Content-Length is ", *json_size, ", the body has ", body.size(), " bytes");
  const std::string_view text = body.substr(0, json_size.value_or(body.size()));
  std::string_view binary = body.substr(text.size());
  const Json root = Json::parse(text, nullptr, false);
  if (root.is_discarded() || !root.is_object()) refuse(400, "the request is no JSON object");
  Request request;
  if (member(root, "id")) request.id = text_of(root, "id", "the request");
  if (const Json* timeout = parameter(root, "timeout")) {
    if (!timeout->is_number_unsigned() || timeout->get<uint64_t>() > INT64_MAX / 1000)
      refuse(400, "parameter 'timeout' should be a number of microseconds");
    request.timeout_us = timeout->get<int64_t>();
  }
  const Json* given = member(root, "inputs");
  if (!given || !given->is_array()) refuse(400, "'inputs' should be a list");
  std::vector<bool> seen(inputs.size(), false);
  request.inputs.resize(inputs.size());
  for (const Json& input : *given) {
    if (!input.is_object()) refuse(400, "an input should be an object");
    const size_t index = index_of(inputs, text_of(input, "name", "an input"), "input");
    if (seen[index]) refuse(400, "input '", inputs[index].name, "' is given twice");
    seen[index] = true;
    request.inputs[index] = parse_input(input, inputs[index], binary);
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!seen[i]) refuse(400, "input '", inputs[i].name, "' is missing");
  if (!binary.empty()) refuse(400, binary.size(), " bytes behind the JSON belong to no input");
  parse_outputs(root, outputs, request);
  return request;
}

Answer format_answer(const Request& request, const std::vector<Tensor>& results, const std::vector<ValueInfo>& outputs,
                     const std::string& model, const std::string& version) {
  Answer answer;
  std::string& body = answer.body;
  body = cat(R"({"model_name":)", Json(model).dump(), R"(,"model_version":)", Json(version).dump());
  if (!request.id.empty())
    body += cat(R"(,"id":)", Json(request.id).dump(-1, ' ', false, Json::error_handler_t::replace));
  body += R"(,"outputs":[)";
  bool binary = false;
  for (size_t k = 0; k < request.outputs.size(); ++k) {
    const Tensor& t = results[request.outputs[k]];
    body += cat(k ? "," : "", R"({"name":)", Json(outputs[request.outputs[k]].name).dump(), R"(,"datatype":")",
                datatype_of(t.dtype()), R"(","shape":)", Json(t.extents()).dump());
    if (request.binary[k]) {
      binary = true;
      body += cat(R"(,"parameters":{"binary_data_size":)", bytes_of(t), "}}");
      continue;
    }
    body += R"(,"data":[)";
    with_storage(t.dtype(), [&](auto storage) { append_elements<typename decltype(storage)::type>(body, t); });
    body += "]}";
  }
  body += "]}";
  if (!binary) return answer;
  answer.json_size = body.size();
  for (size_t k = 0; k < request.outputs.size(); ++k)
    if (request.binary[k]) append_bytes(body, results[request.outputs[k]]);
  return answer;
}

std::string format_error(const std::string& message) {
  return Json{{"error", message}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string format_metadata(const std::string& model, const std::vector<std::string>& versions,
                            const std::vector<ValueInfo>& inputs, const std::vector<ValueInfo>& outputs) {
  return Json{{"name", model},
              {"versions", versions},
              {"platform", "onnx_tc"},
              {"inputs", described(inputs)},
              {"outputs", described(outputs)}}
      .dump();
}

}  // namespace tc::serve
