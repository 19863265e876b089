#include "tc/ir/builder.h"

namespace tc {

Tensor scalar_tensor(DType t, double value) {
  Tensor s(t, {});
  visit_dtype(t, [&]<class T>() {
    if constexpr (std::is_same_v<T, std::string>)
      fail(ErrorCode::bad_type, "a number cannot become a string");
    else if constexpr (std::is_same_v<T, Bool>)
      s.mutable_span<T>()[0] = Bool(value != 0);
    else if constexpr (std::is_integral_v<T>)
      s.mutable_span<T>()[0] = static_cast<T>(value);
    else if constexpr (requires(T v) { v.value; })
      s.mutable_span<T>()[0] = T(static_cast<int64_t>(value));
    else if constexpr (requires { typename T::value_type; })
      s.mutable_span<T>()[0] = T(static_cast<typename T::value_type>(value));
    else
      s.mutable_span<T>()[0] = static_cast<T>(value);
  });
  return s;
}

Node* Builder::node(OpId op, std::span<Value* const> operands, std::shared_ptr<const void> attrs, int num_results,
                    std::vector<std::unique_ptr<Graph>> regions) {
  return graph_->insert(make_node(module(), op, operands, std::move(attrs), num_results, std::move(regions), location_),
                        before_);
}

Value* Builder::only(OpId op, std::span<Value* const> operands, std::shared_ptr<const void> attrs) {
  return node(op, operands, std::move(attrs), 1)->result(0);
}

Value* Builder::constant(Tensor t, std::string name) {
  Value* v = make<Constant>({}, {std::move(t)});
  v->set_name(std::move(name));
  return v;
}

Value* Builder::ints(const std::vector<int64_t>& values) {
  return constant(Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values));
}

}  // namespace tc
