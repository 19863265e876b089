// Arguments of DSL functions as Vars: numbers beside tensors, element types in common.
#include <algorithm>

#include "tc/frontend/dsl/promote.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/core.h"
#include "tc/ir/ops/elementwise.h"
#include "tc/ir/ops/movement.h"

namespace tc::dsl {
namespace {

std::string spelled(const Arg& number) {
  if (const auto* b = std::get_if<bool>(&number.content())) return *b ? "true" : "false";
  if (const auto* i = std::get_if<int64_t>(&number.content())) return cat(*i);
  if (const auto* x = std::get_if<double>(&number.content())) return cat(*x);
  return "a tensor";
}

// The number as a rank-0 tensor. Integers are exact, numbers for floats are rounded once.
Tensor exact_scalar(DType t, const Arg& number) {
  Tensor result(t, {});
  const auto* b = std::get_if<bool>(&number.content());
  const auto* i = std::get_if<int64_t>(&number.content());
  const auto* x = std::get_if<double>(&number.content());
  const auto mismatch = [&](std::string_view what, std::string advice) {
    refuse(ErrorCode::bad_type, cat(what, " ", spelled(number), " does not go with a tensor of ", t),
           {std::move(advice)});
  };
  if (b && t != DType::boolean) mismatch("the boolean", "write 0 or 1, or convert the tensor: astype(x, tc::bool_)");
  if (!b && t == DType::boolean)
    mismatch("the number", "write true or false, or convert the tensor: astype(x, tc::i32)");
  if (x && dtypes::ints.has(t)) mismatch("the fraction", "convert the tensor: astype(x, tc::f32)");
  visit_dtype(t, [&]<class T>() {
    auto& out = result.mutable_span<T>()[0];
    if constexpr (std::is_same_v<T, Bool>) {
      out = Bool(*b);
    } else if constexpr (std::is_integral_v<T>) {
      if (!std::in_range<T>(*i))
        refuse(ErrorCode::bad_value, cat(*i, " does not fit the tensor's element type ", t),
               {"convert the tensor to a wider type with astype"});
      out = static_cast<T>(*i);
    } else if constexpr (std::is_floating_point_v<T>) {
      out = x ? static_cast<T>(*x) : static_cast<T>(*i);
    } else if constexpr (requires(T v) { T(1.0).bits; }) {
      out = T(x ? *x : static_cast<double>(*i));
    } else if constexpr (requires { typename T::value_type; } && !std::is_same_v<T, std::string>) {
      out = T(static_cast<typename T::value_type>(x ? *x : static_cast<double>(*i)));
    } else {
      mismatch("the number", "");
    }
  });
  return result;
}

DType default_type(const Arg& number) {
  if (std::holds_alternative<bool>(number.content())) return DType::boolean;
  return std::holds_alternative<double>(number.content()) ? DType::f32 : DType::i64;
}

}  // namespace

Var cast_to(const Var& v, DType t) {
  return v.dtype() == t ? v : make<Cast>({v}, {.to = t});
}

Var Tracer::scalar(DType t, const Arg& number) {
  if (const auto* d = std::get_if<Dim>(&number.content()); d && !d->is_const()) {
    const Var value = make<Squeeze>({extent(*d), ints({0})});
    return cast_to(value, t);
  }
  const Tensor value = std::holds_alternative<Dim>(number.content())
                           ? exact_scalar(t, Arg(std::get<Dim>(number.content()).value()))
                           : exact_scalar(t, number);
  if (eager()) return constant(value);
  std::string key = cat(info(t).name, " ");
  key.append(static_cast<const char*>(value.data()), value.bytes());
  Value*& made = frames_.back().scalars[key];
  if (!made) made = constant(value).value();
  return var(made);
}

Var Tracer::weakened(const Var& v) {
  if (dtypes::numeric.has(v.dtype())) v.tracer()->weak_.try_emplace(v.value());
  return v;
}

Var Tracer::weak_number(const Arg& number) {
  const Var v = constant(exact_scalar(default_type(number), number));
  v.tracer()->weak_.insert_or_assign(v.value(), number);
  return v;
}

namespace {

struct DomainInfo {
  DTypeSet types;
  std::string_view words, advice;
};
const DomainInfo& domain_info(Domain d) {
  static const DomainInfo kRows[] = {
      {dtypes::all, "elements of any type", ""},
      {dtypes::boolean, "booleans", "compare first: x != 0"},
      {dtypes::ints, "integers", "convert it: astype(x, tc::i64)"},
      {dtypes::ints | dtypes::boolean, "integers or booleans", "convert it: astype(x, tc::i64)"},
      {dtypes::numeric, "real numbers", "convert it: astype(x, tc::f32)"},
      {dtypes::floats, "floating-point numbers", "convert it: astype(x, tc::f32)"},
      {dtypes::numeric | dtypes::complex, "numbers", "convert it: astype(x, tc::f32)"},
  };
  return kRows[static_cast<size_t>(d)];
}

void expect_domain(const Var& v, Domain domain) {
  if (domain == Domain::any) return;
  const DomainInfo& d = domain_info(domain);
  if (!v.type().is_tensor()) refuse(ErrorCode::bad_type, cat("an operand is ", v.type(), ", expected a tensor"));
  if (!d.types.has(v.dtype()))
    refuse(ErrorCode::bad_type, cat("an operand is ", v.type(), ", expected ", d.words), {std::string(d.advice)});
}

Var strong_operand(const Arg& a) {
  if (const auto* t = std::get_if<Tensor>(&a.content())) return Tracer::current().constant(*t);
  return Tracer::current().here(std::get<Var>(a.content()));
}

}  // namespace

Var operand(const Arg& a, Domain domain) {
  const Var v = a.weak() ? Tracer::current().scalar(default_type(a), a) : strong_operand(a);
  expect_domain(v, domain);
  return v;
}

Var operand_like(const Arg& a, DType like) {
  return a.weak() ? Tracer::current().scalar(like, a) : strong_operand(a);
}

Var optional_operand(const Arg& a) {
  const auto* v = std::get_if<Var>(&a.content());
  return v && !v->defined() ? Var() : operand(a);
}

namespace {

const Var* weak_var(const Arg& a) {
  const auto* v = std::get_if<Var>(&a.content());
  return v && v->defined() && v->tracer()->is_weak(v->value()) ? v : nullptr;
}

bool is_fraction(const Arg& a) {
  const Var* v = weak_var(a);
  return std::holds_alternative<double>(a.content()) || (v && dtypes::floats.has(v->dtype()));
}

// The common type of numbers and of what comes of numbers alone.
std::optional<DType> weak_type(const Args& args) {
  std::optional<DType> common;
  for (const Arg& a : args) {
    const Var* v = weak_var(a);
    const DType t = v ? v->dtype() : default_type(a);
    if (!common || dtypes::floats.has(t) || *common == DType::boolean) common = t;
  }
  return common;
}

// A value that comes of numbers alone, in the type of the tensor beside it.
Var weak_operand_like(const Var& v, DType like) {
  const DType own = v.dtype();
  if (own != like &&
      (!(dtypes::numeric | dtypes::complex).has(like) || (dtypes::floats.has(own) && dtypes::ints.has(like))))
    refuse(ErrorCode::bad_type, cat(v.type(), " does not go with a tensor of ", like),
           {cat("convert one of them: astype(x, tc::", own, ")")});
  const auto number = v.tracer()->number_of(v);
  return number ? Tracer::current().scalar(like, *number) : cast_to(Tracer::current().here(v), like);
}

}  // namespace

bool of_numbers(const Arg& a) {
  return a.weak() || weak_var(a);
}

Var like_numbers(Var result, const Arg& a, const Arg& b) {
  return of_numbers(a) && of_numbers(b) ? Tracer::weakened(result) : result;
}

std::vector<Var> promoted(const Args& args, Domain domain) {
  std::vector<Var> result(args.size());
  std::optional<DType> common;
  for (size_t i = 0; i < args.size(); ++i) {
    if (of_numbers(args[i])) continue;
    result[i] = strong_operand(args[i]);
    expect_domain(result[i], domain);
    if (!result[i].type().is_tensor())
      refuse(ErrorCode::bad_type, cat("an operand is ", result[i].type(), ", expected a tensor"));
    const DType t = result[i].dtype();
    if (common && !promote(*common, t)) {
      std::string types;
      for (size_t k = 0; k <= i; ++k)
        if (result[k].defined()) types += cat(types.empty() ? "" : " and ", result[k].type());
      refuse(
          ErrorCode::bad_type, cat(types, " have no common element type"),
          {cat("convert one of them, for example: astype(x, tc::", kind(t) == DTypeKind::floating ? t : *common, ")")});
    }
    common = common ? promote(*common, t) : t;
  }
  if (!common) common = weak_type(args);
  // As in NumPy and JAX: integers beside a fraction become floating-point numbers.
  if (dtypes::ints.has(*common) && domain_info(domain).types.has(DType::f32) &&
      std::any_of(args.begin(), args.end(), is_fraction))
    common = DType::f32;
  for (size_t i = 0; i < args.size(); ++i) {
    const Var* weak = weak_var(args[i]);
    result[i] = result[i].defined() ? cast_to(result[i], *common)
                : weak              ? weak_operand_like(*weak, *common)
                                    : Tracer::current().scalar(*common, args[i]);
  }
  if (!result.empty()) expect_domain(result[0], domain);
  return result;
}

std::pair<Var, Var> promoted(const Arg& a, const Arg& b, Domain domain) {
  std::vector<Var> both = promoted(Args{a, b}, domain);
  return {std::move(both[0]), std::move(both[1])};
}

}  // namespace tc::dsl
