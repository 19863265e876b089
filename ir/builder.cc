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

}  // namespace tc
