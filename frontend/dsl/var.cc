#include "tc/frontend/dsl/var.h"

#include <utility>

#include "tc/frontend/dsl/tracer.h"

namespace tc {
namespace {

const Value& defined_value(const Var& v) {
  if (!v.defined()) dsl::refuse(ErrorCode::bad_argument, "the Var is undefined");
  return *v.value();
}

const Shape& known_shape(const Var& v) {
  const Type& t = v.type();
  if (!t.is_tensor()) dsl::refuse(ErrorCode::bad_type, cat("a value of type ", t, " has no shape"));
  if (!t.shape().ranked())
    dsl::refuse(ErrorCode::bad_shape, cat("the rank of a value of type ", t, " is unknown"),
                {"state its shape: assume_shape(x, {...})"});
  return t.shape();
}

}  // namespace

const Type& Var::type() const {
  return defined_value(*this).type();
}
DType Var::dtype() const {
  const Type& t = type();
  if (!t.is_tensor()) dsl::refuse(ErrorCode::bad_type, cat("a value of type ", t, " is not a tensor"));
  return t.dtype();
}
int Var::rank() const {
  return known_shape(*this).rank();
}
const Dims& Var::shape() const {
  return known_shape(*this).dims();
}
Dim Var::dim(int axis) const {
  return known_shape(*this)[dsl::axis_of(axis, rank())];
}
Dim Var::size() const {
  return known_shape(*this).count();
}
const Tensor& Var::tensor(Location at) const {
  const dsl::Site site("tensor", at);
  const Value& v = defined_value(*this);
  if (!tracer_->is_array())
    dsl::refuse(ErrorCode::bad_argument, cat("a value of type ", v.type(), " has no elements before its program runs"),
                {cat("it belongs to '", tracer_->name(), "', which is traced; tc::Eager computes at once")});
  return *v.constant();
}
const Var& Var::named(std::string name) const& {
  dsl::Tracer::current().use(*this)->set_name(std::move(name));
  return *this;
}
Var Var::named(std::string name) && {
  return std::as_const(*this).named(std::move(name));
}

std::ostream& operator<<(std::ostream& out, const Var& v) {
  if (!v.defined()) return out << "undefined";
  if (v.tracer()->is_array()) return out << *v.value()->constant();
  return out << v.type() << " of '" << v.tracer()->name() << "'";
}

void Arg::too_large(const Location& at) {
  const dsl::Site site("number", at);
  dsl::refuse(ErrorCode::limit_size, "an unsigned number beyond the range of i64");
}

}  // namespace tc
