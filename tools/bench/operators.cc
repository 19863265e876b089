#include "tc/tools/bench/operators.h"

#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "tc/tools/common/inputs.h"

namespace tc::bench {
namespace {

template <class T>
bool read_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// What a line's first word says: domain.Name:outputs.
struct Operator {
  std::string domain, name;
  int outputs = 1;
};

Operator operator_of(const std::string& word) {
  Operator op{"", word, 1};
  if (const size_t at = op.name.find(':'); at != op.name.npos) {
    if (!read_number(std::string_view(op.name).substr(at + 1), op.outputs) || op.outputs < 1)
      fail(ErrorCode::bad_argument, "'", word, "': expected a number of outputs after the colon");
    op.name.resize(at);
  }
  if (const size_t at = op.name.rfind('.'); at != op.name.npos) {
    op.domain = op.name.substr(0, at);
    op.name.erase(0, at + 1);
  }
  return op;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

constexpr int kOpset = 21, kIrVersion = 10;

// Fields of protobuf's wire format, by number: https://protobuf.dev/programming-guides/encoding.
std::string varint(uint64_t v) {
  std::string out;
  for (; v >= 128; v >>= 7) out += static_cast<char>(v | 128);
  return out + static_cast<char>(v);
}
std::string field(uint64_t number, std::string_view bytes) {
  return cat(varint(number << 3 | 2), varint(bytes.size()), bytes);
}
std::string scalar(uint64_t number, int64_t v) {
  return varint(number << 3) + varint(static_cast<uint64_t>(v));
}
std::string scalar(uint64_t number, float v) {
  std::string bytes(sizeof v, '\0');
  std::memcpy(bytes.data(), &v, sizeof v);
  return varint(number << 3 | 5) + bytes;
}

// The messages of ONNX, with the numbers of onnx.proto. NAME=VALUE becomes an AttributeProto.
std::string attribute(const std::string& word) {
  enum Type : int64_t { kFloat = 1, kInt = 2, kString = 3, kFloats = 6, kInts = 7 };
  const auto made = [](const std::string& name, Type type, const std::string& value) {
    return field(1, name) + value + scalar(20, static_cast<int64_t>(type));
  };
  const size_t at = word.find('=');
  if (at == word.npos || at == 0) fail(ErrorCode::bad_argument, "'", word, "': expected NAME=VALUE");
  const std::string name = word.substr(0, at), value = word.substr(at + 1);
  const bool list = value.find(',') != value.npos;
  std::string integers, numbers;
  bool whole = true;
  std::istringstream parts(value);
  for (std::string part; std::getline(parts, part, ',');) {
    int64_t i = 0;
    float f = 0;
    if (!read_number(part, f)) return made(name, kString, field(4, value));
    whole &= read_number(part, i);
    integers += scalar(list ? 8 : 3, i);
    numbers += scalar(list ? 7 : 2, f);
  }
  if (numbers.empty()) fail(ErrorCode::bad_argument, "'", word, "' has no value");
  return whole ? made(name, list ? kInts : kInt, integers) : made(name, list ? kFloats : kFloat, numbers);
}

std::string tensor(const std::string& name, const Tensor& value) {
  if (value.dtype() == DType::str || info(value.dtype()).bits < 8)
    fail(ErrorCode::unsupported, "constants of type ", value.type());
  std::string dims;
  for (const int64_t extent : value.extents()) dims += scalar(1, extent);
  const std::string_view raw(static_cast<const char*>(value.data()), value.bytes());
  return dims + scalar(2, static_cast<int64_t>(info(value.dtype()).onnx)) + field(8, name) + field(9, raw);
}

std::string value_info(const std::string& name, const Tensor& value) {
  std::string shape;
  for (const int64_t extent : value.extents()) shape += field(1, scalar(1, extent));
  const std::string type = scalar(1, static_cast<int64_t>(info(value.dtype()).onnx)) + field(2, shape);
  return field(1, name) + field(2, field(1, type));
}

}  // namespace

OperatorModel operator_model(const std::string& line) {
  const size_t end = line.find(';');
  std::vector<std::string> operands = words(line.substr(0, end));
  if (operands.empty()) fail(ErrorCode::bad_argument, "'", line, "' names no operator");
  const Operator op = operator_of(operands.front());
  operands.erase(operands.begin());

  OperatorModel result;
  std::string node, constants, inputs, outputs;
  uint64_t seed = 1;
  for (std::string operand : operands) {
    const std::string name = cat("x", seed - 1);
    node += field(1, operand == "_" ? "" : name);
    const uint64_t own = seed++;
    if (operand == "_") continue;
    const bool constant = operand.front() == '=';
    if (constant) operand.erase(0, 1);
    if (operand.find_first_of("=@") == operand.npos) operand += "@random";
    const Tensor value = parse_literal(operand, own);
    if (constant) {
      constants += field(5, tensor(name, value));
    } else {
      inputs += field(11, value_info(name, value));
      result.inputs.emplace_back(name, value);
    }
  }
  for (int i = 0; i < op.outputs; ++i) {
    node += field(2, cat("y", i));
    outputs += field(12, field(1, cat("y", i)));
  }
  node += field(4, op.name) + field(7, op.domain);
  if (end != line.npos)
    for (const auto& word : words(line.substr(end + 1))) node += field(5, attribute(word));
  const auto opset = [](const std::string& domain, int64_t version) {
    return field(8, field(1, domain) + scalar(2, version));
  };
  result.bytes = scalar(1, int64_t{kIrVersion}) +
                 field(7, field(1, node) + field(2, op.name) + constants + inputs + outputs) + opset("", kOpset);
  if (!op.domain.empty()) result.bytes += opset(op.domain, op.domain.starts_with("ai.onnx.ml") ? 3 : 1);
  return result;
}

std::vector<std::string> operator_lines(const std::string& file, const std::string& name) {
  std::ifstream in(file);
  if (!in) fail(ErrorCode::bad_file, "cannot read ", file);
  std::vector<std::string> lines;
  std::set<std::string> names;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::string of = operator_of(words(line).front()).name;
    names.insert(of);
    if (name == "all" || name == of) lines.push_back(line);
  }
  if (!lines.empty()) return lines;
  const std::string near = nearest(name, {names.begin(), names.end()});
  throw Error({ErrorCode::bad_argument,
               cat("there is no operator '", name, "' in ", file),
               {},
               {},
               {near.empty() ? "write one as op:'Relu 1000x1000xf32'" : "did you mean '" + near + "'?"}});
}

}  // namespace tc::bench
