#include "tc/tools/bench/operators.h"

#include <charconv>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "tc/tools/common/inputs.h"

#ifdef TC_WITH_ONNX
#include <onnx/onnx_pb.h>
#endif

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

#ifdef TC_WITH_ONNX

constexpr int kOpset = 21, kIrVersion = 10;

using ::onnx::AttributeProto;

// NAME=VALUE
void add_attribute(const std::string& word, ::onnx::NodeProto& node) {
  const size_t at = word.find('=');
  if (at == word.npos || at == 0) fail(ErrorCode::bad_argument, "'", word, "': expected NAME=VALUE");
  AttributeProto& a = *node.add_attribute();
  a.set_name(word.substr(0, at));
  const std::string value = word.substr(at + 1);
  const bool list = value.find(',') != value.npos;
  std::vector<int64_t> integers;
  std::vector<float> numbers;
  std::istringstream parts(value);
  for (std::string part; std::getline(parts, part, ',');) {
    int64_t i = 0;
    float f = 0;
    if (!read_number(part, f)) {
      a.set_type(AttributeProto::STRING);
      a.set_s(value);
      return;
    }
    numbers.push_back(f);
    if (read_number(part, i)) integers.push_back(i);
  }
  const bool whole = integers.size() == numbers.size();
  if (numbers.empty()) fail(ErrorCode::bad_argument, "'", word, "' has no value");
  if (list && whole) {
    a.set_type(AttributeProto::INTS);
    a.mutable_ints()->Add(integers.begin(), integers.end());
  } else if (list) {
    a.set_type(AttributeProto::FLOATS);
    a.mutable_floats()->Add(numbers.begin(), numbers.end());
  } else if (whole) {
    a.set_type(AttributeProto::INT);
    a.set_i(integers[0]);
  } else {
    a.set_type(AttributeProto::FLOAT);
    a.set_f(numbers[0]);
  }
}

void add_constant(const std::string& name, const Tensor& value, ::onnx::GraphProto& graph) {
  if (value.dtype() == DType::str || info(value.dtype()).bits < 8)
    fail(ErrorCode::unsupported, "constants of type ", value.type());
  ::onnx::TensorProto& t = *graph.add_initializer();
  t.set_name(name);
  t.set_data_type(info(value.dtype()).onnx);
  for (const int64_t extent : value.extents()) t.add_dims(extent);
  t.set_raw_data(value.data(), value.bytes());
}

void add_input(const std::string& name, const Tensor& value, ::onnx::GraphProto& graph) {
  ::onnx::ValueInfoProto& v = *graph.add_input();
  v.set_name(name);
  auto& type = *v.mutable_type()->mutable_tensor_type();
  type.set_elem_type(info(value.dtype()).onnx);
  type.mutable_shape();
  for (const int64_t extent : value.extents()) type.mutable_shape()->add_dim()->set_dim_value(extent);
}

#endif

}  // namespace

OperatorModel operator_model(const std::string& line) {
#ifdef TC_WITH_ONNX
  const size_t end = line.find(';');
  std::vector<std::string> operands = words(line.substr(0, end));
  if (operands.empty()) fail(ErrorCode::bad_argument, "'", line, "' names no operator");
  const Operator op = operator_of(operands.front());
  operands.erase(operands.begin());

  OperatorModel result;
  ::onnx::ModelProto model;
  model.set_ir_version(kIrVersion);
  ::onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name(op.name);
  ::onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(op.name);
  node.set_domain(op.domain);
  uint64_t seed = 1;
  for (std::string operand : operands) {
    const std::string name = cat("x", node.input_size());
    node.add_input(operand == "_" ? "" : name);
    if (operand == "_") continue;
    const bool constant = operand.front() == '=';
    if (constant) operand.erase(0, 1);
    if (operand.find_first_of("=@") == operand.npos) operand += "@random";
    const Tensor value = parse_literal(operand, seed++);
    if (constant) {
      add_constant(name, value, graph);
    } else {
      add_input(name, value, graph);
      result.inputs.emplace_back(name, value);
    }
  }
  if (end != line.npos)
    for (const auto& word : words(line.substr(end + 1))) add_attribute(word, node);
  for (int i = 0; i < op.outputs; ++i) {
    node.add_output(cat("y", i));
    graph.add_output()->set_name(cat("y", i));
  }
  const auto import = [&](const std::string& domain, int version) {
    auto& opset = *model.add_opset_import();
    opset.set_domain(domain);
    opset.set_version(version);
  };
  import("", kOpset);
  if (!op.domain.empty()) import(op.domain, op.domain.starts_with("ai.onnx.ml") ? 3 : 1);
  result.bytes = model.SerializeAsString();
  return result;
#else
  fail(ErrorCode::unsupported, "op:", line, ": this build has no libonnx to write models with");
#endif
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
