#include "tc/backend/cpu/bind/strip_builder.h"

#include <algorithm>
#include <cmath>

#include "tc/ir/library.h"
#include "tc/ir/ops.h"
#include "tc/kernels/inverts.h"

namespace tc::cpu {

using kernels::Elem;
using kernels::MicroOp;

std::optional<Elem> elem_of(DType t) {
  switch (t) {
    case DType::f32:
      return Elem::f32;
    case DType::f64:
      return Elem::f64;
    case DType::i32:
      return Elem::i32;
    case DType::i64:
      return Elem::i64;
    case DType::boolean:
      return Elem::boolean;
    case DType::u8:
      return Elem::u8;
    case DType::i8:
      return Elem::i8;
    case DType::u16:
      return Elem::u16;
    case DType::i16:
      return Elem::i16;
    case DType::u32:
      return Elem::u32;
    case DType::u64:
      return Elem::u64;
    case DType::f16:
      return Elem::f16;
    case DType::bf16:
      return Elem::bf16;
    default:
      return std::nullopt;
  }
}

std::optional<Elem> elem_of(DType t, Elem compute) {
  if ((t == DType::u32 && compute == Elem::i32) || (t == DType::u64 && compute == Elem::i64)) return compute;
  return elem_of(t);
}

std::optional<Elem> compute_type(const std::vector<const Value*>& values, bool single, std::string& reason) {
  std::optional<Elem> type;
  for (const Value* v : values) {
    Elem t;
    switch (v->dtype()) {
      case DType::boolean:
        continue;
      case DType::f32:
      case DType::f16:
      case DType::bf16:
        t = Elem::f32;
        break;
      case DType::f64:
        t = Elem::f64;
        break;
      case DType::i64:
        t = Elem::i64;
        break;
      case DType::i32:
        t = Elem::i32;
        break;
      case DType::u8:
      case DType::i8:
      case DType::u16:
      case DType::i16:
        if (!single) {
          reason = cat("narrow integers (", v->dtype(), ") in a chain");
          return std::nullopt;
        }
        t = Elem::i32;
        break;
      case DType::u32:
      case DType::u64:
        if (!single) {
          reason = cat("unsigned integers (", v->dtype(), ") in a chain");
          return std::nullopt;
        }
        t = v->dtype() == DType::u32 ? Elem::i32 : Elem::i64;
        break;
      default:
        reason = cat("no strip kernel for ", v->dtype());
        return std::nullopt;
    }
    if (type && *type != t) {
      reason = cat("mixed element types ", kernels::elem_name(*type), " and ", kernels::elem_name(t));
      return std::nullopt;
    }
    type = t;
  }
  return type ? type : Elem::i32;
}

int StripBuilder::input() {
  items_.push_back({Kind::input, inputs_++, {}});
  return static_cast<int>(items_.size()) - 1;
}

int StripBuilder::immediate(double v) {
  for (size_t i = 0; i < items_.size(); ++i)
    if (items_[i].kind == Kind::immediate && items_[i].value.real == v) return static_cast<int>(i);
  constexpr double kLargest = 9.2e18;
  const double whole = std::isnan(v) ? 0 : std::clamp(v, -kLargest, kLargest);  // what strips of integers read
  items_.push_back({Kind::immediate, 0, {v, static_cast<int64_t>(whole)}});
  return static_cast<int>(items_.size()) - 1;
}

int StripBuilder::op(MicroOp o, int a, int b, int c) {
  if (!kernels::micro_op_supports(o, compute_)) return -1;
  items_.push_back({Kind::result, 0, {}, o, a, b, c});
  return static_cast<int>(items_.size()) - 1;
}

namespace {

// Ops that are one micro-op on their operands, of another name; see `named_like` for the others.
struct Direct {
  OpId op;
  MicroOp micro;
};
constexpr Direct kDirect[] = {
    {OpId::Less, MicroOp::lt},
    {OpId::LessOrEqual, MicroOp::le},
    {OpId::Greater, MicroOp::gt},
    {OpId::GreaterOrEqual, MicroOp::ge},
    {OpId::Equal, MicroOp::eq},
    {OpId::And, MicroOp::logical_and},
    {OpId::Or, MicroOp::logical_or},
    {OpId::Xor, MicroOp::logical_xor},
    {OpId::Not, MicroOp::logical_not},
    {OpId::PRelu, MicroOp::leaky_relu},
    {OpId::BitwiseAnd, MicroOp::bit_and},
    {OpId::BitwiseOr, MicroOp::bit_or},
    {OpId::BitwiseXor, MicroOp::bit_xor},
    {OpId::BitwiseNot, MicroOp::bit_not},
    {OpId::Identity, MicroOp::copy},
};

std::optional<MicroOp> micro_op_named(std::string_view name) {
  static const auto table = [] {
    std::unordered_map<std::string_view, MicroOp> ops;
    for (int i = 0; i < kernels::kMicroOpCount; ++i)
      ops[kernels::micro_op_name(static_cast<MicroOp>(i))] = static_cast<MicroOp>(i);
    return ops;
  }();
  const auto it = table.find(name);
  return it == table.end() ? std::nullopt : std::optional(it->second);
}

// The micro-op with an elementwise op's name, which computes it of as many operands.
std::optional<MicroOp> named_like(const Node& n) {
  if (!n.info().traits.elementwise || n.info().attrs.fields.size()) return std::nullopt;
  const auto micro = micro_op_named(n.info().name());
  return micro && kernels::micro_op_arity(*micro) == n.num_operands() ? micro : std::nullopt;
}

// Ops that fold a binary micro-op over any number of operands.
constexpr Direct kFolds[] = {
    {OpId::Add, MicroOp::add},  {OpId::Mul, MicroOp::mul}, {OpId::Sum, MicroOp::add},
    {OpId::Mean, MicroOp::add}, {OpId::Min, MicroOp::min}, {OpId::Max, MicroOp::max},
};

// Ops on unsigned words, which strips take for signed ones of as many bits, where that is something else.
struct Unsigned {
  OpId op;
  MicroOp micro;
  bool swaps = false;
};
constexpr Unsigned kUnsigned[] = {
    {OpId::Div, MicroOp::unsigned_div},          {OpId::Mod, MicroOp::unsigned_mod},
    {OpId::Min, MicroOp::unsigned_min},          {OpId::Max, MicroOp::unsigned_max},
    {OpId::Less, MicroOp::unsigned_lt},          {OpId::LessOrEqual, MicroOp::unsigned_le},
    {OpId::Greater, MicroOp::unsigned_lt, true}, {OpId::GreaterOrEqual, MicroOp::unsigned_le, true}};

bool is_unsigned_word(const Value* v) {
  return v->dtype() == DType::u32 || v->dtype() == DType::u64;
}

}  // namespace

int StripBuilder::fold(MicroOp o, const std::vector<int>& x) {
  int acc = x[0];
  for (size_t i = 1; i < x.size() && acc >= 0; ++i) acc = op(o, acc, x[i]);
  return acc;
}

int StripBuilder::node(const Node& n, const std::vector<int>& x) {
  for (int id : x)
    if (id < 0 && !n.is<Clip>() && !n.is<QuantizeLinear>() && !n.is<DequantizeLinear>()) return -1;
  const bool is_unsigned = n.num_operands() > 0 && is_unsigned_word(n.operand(0));
  for (const Unsigned& u : kUnsigned) {
    if (u.op != n.op() || !is_unsigned) continue;
    const int result = u.swaps ? op(u.micro, x[1], x[0]) : fold(u.micro, x);
    return result == x[0] ? op(MicroOp::copy, result) : result;
  }
  if (is_unsigned && n.is<Abs>()) return op(MicroOp::copy, x[0]);
  if (is_unsigned && n.is<Sign>()) return op(MicroOp::ne, x[0], immediate(0));
  for (const Direct& d : kDirect)
    if (d.op == n.op()) return op(d.micro, x[0], x.size() > 1 ? x[1] : -1, x.size() > 2 ? x[2] : -1);
  if (const std::string_view function = library_function(n); !function.empty()) return library(function, x[0]);
  for (const Direct& d : kFolds) {
    if (d.op != n.op()) continue;
    int acc = fold(d.micro, x);
    if (n.is<Mean>() && acc >= 0) acc = op(MicroOp::div, acc, immediate(static_cast<double>(x.size())));
    return acc == x[0] ? op(MicroOp::copy, acc) : acc;
  }
  const bool real = compute_ == Elem::f32 || compute_ == Elem::f64;
  switch (n.op()) {
    case OpId::Pow:
      return real ? op(MicroOp::pow, x[0], x[1]) : -1;
    case OpId::Mod:
      return op(n.attrs<Mod>().fmod ? MicroOp::fmod : MicroOp::mod, x[0], x[1]);
    case OpId::BitShift:
      return op(n.attrs<BitShift>().direction == ShiftDirection::left ? MicroOp::shift_left : MicroOp::shift_right,
                x[0], x[1]);
    case OpId::IsNaN:
      return op(MicroOp::ne, x[0], x[0]);
    case OpId::IsInf:
      if (n.attrs<IsInf>().detect_negative && n.attrs<IsInf>().detect_positive) return op(MicroOp::is_inf, x[0]);
      if (n.attrs<IsInf>().detect_positive) return op(MicroOp::eq, x[0], immediate(INFINITY));
      // Nothing is below itself.
      return n.attrs<IsInf>().detect_negative ? op(MicroOp::eq, x[0], immediate(-INFINITY))
                                              : op(MicroOp::lt, x[0], x[0]);
    case OpId::Clip: {
      const int low = x.size() > 1 ? x[1] : -1, high = x.size() > 2 ? x[2] : -1;
      if (low >= 0 && high >= 0) return op(is_unsigned ? MicroOp::unsigned_clip : MicroOp::clip, x[0], low, high);
      if (low >= 0) return op(is_unsigned ? MicroOp::unsigned_max : MicroOp::max, x[0], low);
      if (high >= 0) return op(is_unsigned ? MicroOp::unsigned_min : MicroOp::min, x[0], high);
      return op(MicroOp::copy, x[0]);
    }
    case OpId::DequantizeLinear:
      return x.size() > 2 && x[2] >= 0 ? op(MicroOp::dequantise, x[0], x[2], x[1]) : op(MicroOp::mul, x[0], x[1]);
    case OpId::QuantizeLinear: {
      // Clamped to what the type holds, then stored as it.
      const Item& scale = items_[static_cast<size_t>(x[1])];
      const auto by = static_cast<float>(scale.value.real);
      const bool inverts = scale.kind == Kind::immediate && compute_ == Elem::f32 && kernels::inverts(by);
      const int quotient =
          inverts ? op(MicroOp::quotient, x[0], x[1], immediate(1 / by)) : op(MicroOp::div, x[0], x[1]);
      const DType t = n.result(0)->dtype();
      const MicroOp to = t == DType::i8    ? MicroOp::to_i8
                         : t == DType::i16 ? MicroOp::to_i16
                         : t == DType::u16 ? MicroOp::to_u16
                                           : MicroOp::to_u8;
      return op(to, quotient, x.size() > 2 && x[2] >= 0 ? x[2] : immediate(0));
    }
    case OpId::LeakyRelu:
      return op(MicroOp::leaky_relu, x[0], immediate(n.attrs<LeakyRelu>().alpha));
    case OpId::ThresholdedRelu:
      return op(MicroOp::thresholded_relu, x[0], immediate(n.attrs<ThresholdedRelu>().alpha));
    case OpId::Elu:
      return op(MicroOp::elu, x[0], immediate(n.attrs<Elu>().alpha));
    case OpId::Celu:
      return op(MicroOp::celu, x[0], immediate(n.attrs<Celu>().alpha));
    case OpId::Selu:
      return op(MicroOp::selu, x[0], immediate(n.attrs<Selu>().alpha), immediate(n.attrs<Selu>().gamma));
    case OpId::HardSigmoid:
      return op(MicroOp::hard_sigmoid, x[0], immediate(n.attrs<HardSigmoid>().alpha),
                immediate(n.attrs<HardSigmoid>().beta));
    case OpId::Gelu:
      return op(n.attrs<Gelu>().approximate == GeluApproximation::tanh ? MicroOp::gelu_tanh : MicroOp::gelu, x[0]);
    case OpId::Shrink: {
      const auto& a = n.attrs<Shrink>();
      const auto whole = [](double v) { return v == std::trunc(v) && std::fabs(v) < 0x1p31; };
      const bool exact = n.result(0)->dtype() == DType::i32 || n.result(0)->dtype() == DType::i64;
      if (!real && !(exact && whole(a.lambd) && whole(a.bias))) return -1;
      // The first rule goes first: where lambd is negative both hold.
      const int otherwise = op(MicroOp::where, op(MicroOp::gt, x[0], immediate(a.lambd)),
                               op(MicroOp::sub, x[0], immediate(a.bias)), immediate(0));
      return op(MicroOp::where, op(MicroOp::lt, x[0], immediate(-a.lambd)), op(MicroOp::add, x[0], immediate(a.bias)),
                otherwise);
    }
    case OpId::SwiGLU: {
      const double alpha = n.attrs<SwiGLU>().alpha;
      if (!real) return -1;
      if (alpha == 1) return op(MicroOp::mul, op(MicroOp::silu, x[0]), x[1]);
      const int scaled = op(MicroOp::mul, x[0], immediate(alpha));
      return op(MicroOp::mul, op(MicroOp::mul, x[0], op(MicroOp::sigmoid, scaled)), x[1]);
    }
    case OpId::Swish: {
      const double alpha = n.attrs<Swish>().alpha;
      if (alpha == 1) return op(MicroOp::silu, x[0]);
      if (!real) return -1;
      const int scaled = op(MicroOp::mul, x[0], immediate(alpha));
      return op(MicroOp::mul, x[0], op(MicroOp::sigmoid, scaled));
    }
    default:
      if (const auto micro = named_like(n)) return op(*micro, x[0], x.size() > 1 ? x[1] : -1, x.size() > 2 ? x[2] : -1);
      return -1;
  }
}

bool has_library_kernel(std::string_view function) {
  StripBuilder strip(Elem::f32);
  return strip.library(function, strip.input()) >= 0;
}

int StripBuilder::library(std::string_view function, int x) {
  const auto micro = micro_op_named(function);
  return micro && kernels::micro_op_arity(*micro) == 1 ? op(*micro, x) : -1;
}

// A product that nothing but a sum or a difference uses is rounded once, with it. Not where a factor was converted:
// sums of bytes that are scaled, get a bias and are quantised again, layer after layer, fall on other bytes from one
// rounding less, and a network of a hundred such layers drifts by per cents from what others make of it.
void StripBuilder::contract(std::vector<Item>& items, const std::vector<int>& output) {
  std::vector<int> uses(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    uses[i] += output[i] >= 0;
    for (int operand : {items[i].a, items[i].b, items[i].c})
      if (operand >= 0) ++uses[static_cast<size_t>(operand)];
  }
  const auto is = [&](int id, MicroOp o) {
    return id >= 0 && items[static_cast<size_t>(id)].op == o && items[static_cast<size_t>(id)].kind == Kind::result;
  };
  const auto product = [&](int id) {
    if (!is(id, MicroOp::mul) || uses[static_cast<size_t>(id)] != 1) return false;
    const Item& it = items[static_cast<size_t>(id)];
    return !is(it.a, MicroOp::copy) && !is(it.b, MicroOp::copy);
  };
  for (Item& it : items) {
    if (it.kind != Kind::result || (it.op != MicroOp::add && it.op != MicroOp::sub)) continue;
    if (it.op == MicroOp::add && !product(it.b)) std::swap(it.a, it.b);
    if (!product(it.b)) continue;
    Item& factors = items[static_cast<size_t>(it.b)];
    it = {Kind::result, 0, {}, it.op == MicroOp::add ? MicroOp::fma : MicroOp::fnma, factors.a, factors.b, it.a};
    factors.a = factors.b = -1;  // nothing uses it
  }
}

std::shared_ptr<const CompiledStrip> StripBuilder::finish(const std::vector<int>& ids) {
  auto strip = std::make_shared<CompiledStrip>();
  auto& p = strip->program;
  p.type = compute_;
  p.inputs = inputs_;
  p.outputs = static_cast<int>(ids.size());
  std::vector<int> last_use(items_.size(), -1), output(items_.size(), -1), slot(items_.size(), -1);
  std::vector<Item> items = items_;
  // An output that is an input, an immediate or another output's value is a copy.
  std::vector<int> outputs = ids;
  for (size_t o = 0; o < outputs.size(); ++o) {
    auto id = static_cast<size_t>(outputs[o]);
    if (items[id].kind != Kind::result || output[id] >= 0) {
      items.push_back({Kind::result, 0, {}, MicroOp::copy, outputs[o]});
      id = items.size() - 1;
      output.push_back(-1), last_use.push_back(-1), slot.push_back(-1);
    }
    output[id] = static_cast<int>(o);
  }
  contract(items, output);
  for (size_t i = 0; i < items.size(); ++i)
    for (int operand : {items[i].a, items[i].b, items[i].c})
      if (operand >= 0) last_use[static_cast<size_t>(operand)] = static_cast<int>(i);
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].kind == Kind::input) slot[i] = items[i].number;
    if (items[i].kind != Kind::immediate || last_use[i] < 0) continue;
    slot[i] = p.inputs + p.outputs + static_cast<int>(strip->immediates.size());
    strip->immediates.push_back(items[i].value);
  }
  const int first_register = p.inputs + p.outputs + static_cast<int>(strip->immediates.size());
  std::vector<int> free;
  for (size_t i = 0; i < items.size(); ++i) {
    const Item& it = items[i];
    if (it.kind != Kind::result || (last_use[i] < 0 && output[i] < 0)) continue;
    // Registers of operands that die here may be the result's: micro-ops read before they write.
    for (int operand : {it.a, it.b, it.c}) {
      if (operand < 0) continue;
      const auto k = static_cast<size_t>(operand);
      if (last_use[k] == static_cast<int>(i) && slot[k] >= first_register &&
          std::find(free.begin(), free.end(), slot[k]) == free.end())
        free.push_back(slot[k]);
    }
    if (output[i] >= 0) {
      slot[i] = p.inputs + output[i];
    } else if (!free.empty()) {
      slot[i] = free.back();
      free.pop_back();
    } else {
      slot[i] = first_register + p.registers++;
    }
    auto at = [&](int operand) { return static_cast<uint8_t>(operand < 0 ? 0 : slot[static_cast<size_t>(operand)]); };
    if (slot[i] >= kernels::kMaxStripSlots) return nullptr;
    strip->code.push_back({it.op, static_cast<uint8_t>(slot[i]), at(it.a), at(it.b), at(it.c)});
  }
  p.immediates = strip->immediates;
  p.code = strip->code;
  if (p.slots() > kernels::kMaxStripSlots) return nullptr;
  const char* error = kernels::strip_program_error(p);
  TC_CHECK(!error, "strip program: ", error ? error : "");
  return strip;
}

}  // namespace tc::cpu
