// The JavaScript beside a file whose draws became inputs: the generator of tc::random, and numbers made of its words
// with the same roundings.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "tc/backend/onnx/draws.h"
#include "tc/ir/draws.h"
#include "tc/ir/ops.h"

namespace tc::onnx {

std::string script_string(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string script_of_extent(const Dim& extent, const Graph& main) {
  if (extent.is_const()) return std::to_string(extent.value());
  const auto input_with = [&](const Dim& symbol) -> std::string {
    for (const Value* v : main.inputs()) {
      if (!v->type().is_tensor() || !v->shape().ranked()) continue;
      for (int axis = 0; axis < v->shape().rank(); ++axis)
        if (v->shape()[axis] == symbol) return cat("given[", script_string(v->name()), "].dims[", axis, "]");
    }
    return {};
  };
  std::string sum;
  for (const Dim::Term& term : extent.poly()->terms) {
    std::string product = std::to_string(term.coefficient);
    for (const auto& atom : term.atoms) {
      const std::string factor = atom->op == Dim::Op::symbol ? input_with(Dim::symbol(atom->name)) : "";
      if (factor.empty()) return {};
      product += cat(" * ", factor);
    }
    sum += cat(sum.empty() ? "" : " + ", product);
  }
  return sum;
}

namespace {

std::string number(const Tensor& t) {
  const double x = t.dtype() == DType::f32   ? static_cast<double>(t.span<float>()[0])
                   : t.dtype() == DType::f64 ? t.span<double>()[0]
                                             : static_cast<double>(to_i64(t)[0]);
  if (std::isnan(x)) return "NaN";
  if (std::isinf(x)) return x < 0 ? "-Infinity" : "Infinity";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text[0] == '-' ? cat("(", text, ")") : text;
}

// Of operands a, b, c; empty for other ops.
std::string expression(const Node& n, const std::vector<std::string>& x) {
  const auto between = [&](const char* op) { return cat(x[0], " ", op, " ", x[1]); };
  switch (n.op()) {
    case OpId::Add:
      return between("+");
    case OpId::Sub:
      return between("-");
    case OpId::Mul:
      return between("*");
    case OpId::Div:
      return between("/");
    case OpId::Less:
      return between("<");
    case OpId::LessOrEqual:
      return between("<=");
    case OpId::Greater:
      return between(">");
    case OpId::GreaterOrEqual:
      return between(">=");
    case OpId::And:
      return between("&&");
    case OpId::Or:
      return between("||");
    case OpId::Not:
      return "!" + x[0];
    case OpId::Neg:
      return "-" + x[0];
    case OpId::Abs:
      return cat("Math.abs(", x[0], ")");
    case OpId::Sqrt:
      return cat("Math.sqrt(", x[0], ")");
    case OpId::Where:
      return cat(x[0], " ? ", x[1], " : ", x[2]);
    case OpId::Cast:
      return cat("Number(", x[0], ")");
    default:
      return {};
  }
}

}  // namespace

std::string script_of_function(const std::string& name, const Value* of, const Value* argument) {
  std::unordered_set<const Node*> needed;
  std::vector<const Value*> open = {of};
  while (!open.empty()) {
    const Value* v = open.back();
    open.pop_back();
    if (v == argument) continue;
    if (!v->def() || v->graph() != of->graph() || v->type().is_none()) return {};
    if (!needed.insert(v->def()).second) continue;
    for (const Value* o : v->def()->operands())
      if (o) open.push_back(o);
  }
  std::unordered_map<const Value*, std::string> names = {{argument, "u"}};
  std::string out = cat("function ", name, "(u) {\n");
  for (const auto& n : of->graph()->nodes()) {
    if (!needed.count(n.get())) continue;
    const Value* v = n->result();
    if (const Tensor* t = v->constant()) {
      if (t->size() != 1) return {};
      names[v] = number(*t);
      continue;
    }
    std::vector<std::string> operands;
    for (const Value* o : n->operands()) operands.push_back(o ? names[o] : "");
    const std::string value = expression(*n, operands);
    if (value.empty() || (v->dtype() != DType::f32 && v->dtype() != DType::f64 && v->dtype() != DType::boolean))
      return {};
    names[v] = cat("v", names.size());
    out += cat("  const ", names[v], " = ", v->dtype() == DType::f32 ? cat("Math.fround(", value, ")") : value, ";\n");
  }
  return out + cat("  return ", names[of], ";\n}\n");
}

namespace {

constexpr const char* kGenerator = R"(// Threefry2x32 of 20 rounds: two words of the key and a counter.
function block(key, high, low) {
  const parity = 0x1bd11bda;
  const schedule = [key[0] >>> 0, key[1] >>> 0, (key[0] ^ key[1] ^ parity) >>> 0];
  const rotations = [[13, 15, 26, 6], [17, 29, 16, 24]];
  let a = (high + schedule[0]) >>> 0, b = (low + schedule[1]) >>> 0;
  for (let group = 0; group < 5; ++group) {
    for (const by of rotations[group % 2]) {
      a = (a + b) >>> 0;
      b = (((b << by) | (b >>> (32 - by))) ^ a) >>> 0;
    }
    a = (a + schedule[(group + 1) % 3]) >>> 0;
    b = (b + schedule[(group + 2) % 3] + group + 1) >>> 0;
  }
  return [a, b];
}

const low = (x) => Number(BigInt(x) & 0xffffffffn);
const narrowKey = (seed) => [0, low(seed)];
const wideKey = (seed) => [Number((BigInt(seed) >> 32n) & 0xffffffffn), low(seed)];

const uniform = {
  float32: ([a, b]) => ((a ^ b) >>> 9) * 2 ** -23,
  float64: ([a, b]) => a * 2 ** -32 + (b >>> 12) * 2 ** -52,
};
const half = { float32: 2 ** -24, float64: 2 ** -53 };
const bits = {
  uint32: ([a, b]) => (a ^ b) >>> 0,
  uint64: ([a, b]) => (BigInt(a) << 32n) | BigInt(b),
};
const arrays = { float32: Float32Array, float64: Float64Array, uint32: Uint32Array, uint64: BigUint64Array };

function tensor(type, dims, key, make) {
  const data = new arrays[type](dims.reduce((a, b) => a * b, 1));
  for (let i = 0; i < data.length; ++i) data[i] = make(block(key, Math.floor(i / 2 ** 32), i >>> 0));
  return { type, dims, data };
}
)";

std::string array_type(DType t) {
  switch (t) {
    case DType::f32:
      return "float32";
    case DType::f64:
      return "float64";
    case DType::u32:
      return "uint32";
    default:
      return "uint64";
  }
}

}  // namespace

std::string draws_script(const std::vector<LiftedDraw>& draws) {
  std::string out =
      "// Makes the inputs of a model that stand for the random numbers that its program draws, with the program's "
      "bits.\n"
      "//\n"
      "//   draws(given) returns {name: {type, dims, data}}; `given` has the program's inputs by name, as {dims, "
      "data},\n"
      "//   among them keys and seeds that the model itself no longer has.\n\n";
  out += kGenerator;
  std::set<std::string> defined;
  for (const LiftedDraw& d : draws)
    if (!d.definition.empty() && defined.insert(d.function).second) out += "\n" + d.definition;
  out += "\nexport function draws(given = {}) {\n  return {\n";
  for (const LiftedDraw& d : draws) {
    const std::string type = array_type(d.dtype);
    std::string dims, make;
    for (const std::string& e : d.extents) dims += cat(dims.empty() ? "" : ", ", e);
    const std::string open = cat("uniform.", type, "(w) + half.", type);
    if (d.sampler == draws::kBits)
      make = cat("bits.", type);
    else if (d.sampler == draws::kUniform)
      make = cat("uniform.", type);
    else if (d.function.empty())
      make = cat("(w) => ", open);
    else
      make = cat("(w) => ", d.function, "(", open, ")");
    out += cat("    ", script_string(d.input), ": tensor('", type, "', [", dims, "], ", d.key, ", ", make, "),\n");
  }
  return out + "  };\n}\n";
}

}  // namespace tc::onnx
