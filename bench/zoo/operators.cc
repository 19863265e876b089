#include "tc/bench/zoo/operators.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "tc/frontend/onnx/import.h"
#include "tc/frontend/onnx/typed_writer.h"
#include "tc/tools/common/inputs.h"
#include "tc/tools/common/installed.h"

namespace tc::zoo {
namespace {

using namespace model_writer;

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

std::string lines_file() {
  return data_path("bench/zoo/operators.txt");
}

// Of models, but for operators that came later.
constexpr int64_t kOpset = 21;
constexpr uint64_t kIrVersion = 10;

int64_t opset_of(const std::string& name) {
  int64_t oldest = 0;
  for (const onnx::KnownOperator& known : onnx::known_operators())
    if (known.domain.empty() && known.name == name && (oldest == 0 || known.since < oldest)) oldest = known.since;
  return std::max(kOpset, oldest);
}

// NAME=VALUE as an AttributeProto.
std::string attribute(const std::string& word) {
  const size_t at = word.find('=');
  if (at == word.npos || at == 0) fail(ErrorCode::bad_argument, "'", word, "': expected NAME=VALUE");
  const std::string name = word.substr(0, at), value = word.substr(at + 1);
  std::vector<int64_t> integers;
  std::vector<float> numbers;
  std::istringstream parts(value);
  for (std::string part; std::getline(parts, part, ',');) {
    int64_t i = 0;
    float f = 0;
    if (!read_number(part, f)) return attr_s(name, value);
    if (read_number(part, i)) integers.push_back(i);
    numbers.push_back(f);
  }
  if (numbers.empty()) fail(ErrorCode::bad_argument, "'", word, "' has no value");
  const bool list = value.find(',') != value.npos;
  if (integers.size() == numbers.size()) return list ? attr_ints(name, integers) : attr_i(name, integers[0]);
  return list ? attr_floats(name, numbers) : attr_f(name, numbers[0]);
}

}  // namespace

OperatorModel operator_model(const std::string& line) {
  const size_t end = line.find(';');
  std::vector<std::string> operands = words(line.substr(0, end));
  if (operands.empty()) fail(ErrorCode::bad_argument, "'", line, "' names no operator");
  const Operator op = operator_of(operands.front());
  operands.erase(operands.begin());

  OperatorModel result;
  Names read, written;
  Messages constants, inputs, outputs, attributes;
  for (std::string operand : operands) {
    const uint64_t seed = read.size() + 1;
    const std::string name = operand == "_" ? "" : cat("x", read.size());
    read.push_back(name);
    if (name.empty()) continue;
    const bool constant = operand.front() == '=';
    if (constant) operand.erase(0, 1);
    if (operand.find_first_of("=@") == operand.npos) operand += "@random";
    const Tensor value = parse_literal(operand, seed);
    if (constant) {
      constants.push_back(tensor(name, value));
    } else {
      inputs.push_back(value_info(name, value.type()));
      result.inputs.emplace_back(name, value);
    }
  }
  for (int i = 0; i < op.outputs; ++i) {
    written.push_back(cat("y", i));
    outputs.push_back(value_info(written.back()));
  }
  if (end != line.npos)
    for (const auto& word : words(line.substr(end + 1))) attributes.push_back(attribute(word));
  const std::string one = node(op.name, read, written, attributes, {.domain = op.domain});
  Opsets opsets{{"", op.domain.empty() ? opset_of(op.name) : kOpset}};
  if (!op.domain.empty()) opsets.emplace_back(op.domain, op.domain.starts_with("ai.onnx.ml") ? 3 : 1);
  result.bytes = model(graph({one}, inputs, outputs, constants, op.name), {.opsets = opsets, .ir_version = kIrVersion});
  return result;
}

std::vector<std::string> operator_lines(const std::string& name) {
  std::ifstream in(lines_file());
  if (!in) fail(ErrorCode::bad_file, "cannot read ", lines_file());
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
               cat("there is no operator '", name, "' in ", lines_file()),
               {},
               {},
               {near.empty() ? "write one as op:'Relu 1000x1000xf32'" : "did you mean '" + near + "'?"}});
}

}  // namespace tc::zoo
