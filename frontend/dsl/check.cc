#include "tc/frontend/dsl/check.h"

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/core.h"

namespace tc {

using namespace dsl;

void check(Arg condition, std::string message) {
  const Site site("check", condition.at());
  const Var c = operand(condition, Domain::boolean);
  if (const Tensor* known = c.value()->constant()) {
    bool holds = true;
    for (const Bool b : known->span<Bool>()) holds = holds && b;
    if (!holds) refuse(ErrorCode::check_failed, std::move(message));
    return;
  }
  make_n<Check>({c}, {std::move(message)}, 0);
}

namespace {

std::string spelled(const std::vector<Extent>& extents) {
  std::string text;
  for (const Extent& e : extents) text += cat(text.empty() ? "" : ",", e.dynamic() ? std::string("?") : e.dim().str());
  return cat("[", text, "]");
}

}  // namespace

Var assume_shape(Arg x, ShapeArg shape, std::string message) {
  const Site site("assume_shape", x.at());
  Tracer& tracer = Tracer::current();
  const Var v = operand(x);
  const Type& type = v.type();
  if (!type.is_tensor()) refuse(ErrorCode::bad_type, cat("a value of type ", type, " has no shape"));
  if (shape.dynamic() && message.empty()) message = "a value has another shape than was stated";
  std::vector<Extent> stated = shape.extents();
  if (shape.dynamic()) {
    const Var given = shape_tensor(shape);
    if (!given.dim(0).is_const()) refuse(ErrorCode::bad_shape, "the number of extents that are stated is not known");
    for (int64_t i = 0; i < given.dim(0).value(); ++i) stated.emplace_back(given[i]);
  }
  if (message.empty()) message = cat("a value has another shape than was stated: ", spelled(stated));
  const auto contradiction = [&] {
    refuse(ErrorCode::bad_shape, cat("a value of type ", type, " is stated to have the shape ", spelled(stated)));
  };
  const bool ranked = type.shape().ranked();
  const Var extents = ranked ? Var() : shape_of(v);
  if (!ranked)
    check(shape_of(extents) == static_cast<int64_t>(stated.size()), message);
  else if (static_cast<size_t>(v.rank()) != stated.size())
    contradiction();
  std::vector<Extent> own;
  std::vector<std::pair<int, Dim>> news;
  for (size_t i = 0; i < stated.size(); ++i) {
    const int axis = static_cast<int>(i);
    own.push_back(ranked ? Extent(v.dim(axis)) : Extent(extents[axis]));
    const Extent& e = stated[i];
    if (!e.dynamic() && !tracer.knows(e.dim())) continue;
    if (!e.dynamic() && ranked) {
      if (e.dim() == v.dim(axis)) continue;
      if (e.dim().is_const() && v.dim(axis).is_const()) contradiction();
    }
    check(shape_tensor({own.back()}) == shape_tensor({e}), message);
    if (!e.dynamic()) news.emplace_back(axis, e.dim());
  }
  // A reshape would say the same, but its extents are compared before anything runs, and so before the checks.
  Var y = ranked ? v : reshape(v, ShapeArg(own));
  for (const auto& [axis, dim] : news) y = take(y, arange(dim), {.axis = axis});
  return y;
}

}  // namespace tc
