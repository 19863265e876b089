#include "tc/ir/eval/wide.h"

#include <limits>

#include "tc/ir/tensor_budget.h"

namespace tc {
namespace {

template <class To>
To from_double(double v) {
  if (std::isnan(v)) return 0;
  constexpr double low = static_cast<double>(std::numeric_limits<To>::min());
  constexpr double high = static_cast<double>(std::numeric_limits<To>::max());
  if (v <= low) return std::numeric_limits<To>::min();
  if (v >= high) return std::numeric_limits<To>::max();
  return static_cast<To>(v);
}

template <class W, class S>
W widen_one(const S& s) {
  if constexpr (std::is_same_v<W, std::string> || std::is_same_v<S, std::string>) {
    if constexpr (std::is_same_v<W, S>)
      return s;
    else
      fail(ErrorCode::bad_type, "strings and numbers do not convert");
  } else if constexpr (requires { typename S::value_type; }) {
    if constexpr (requires { typename W::value_type; })
      return W(s);
    else
      fail(ErrorCode::bad_type, "expected real numbers, got complex ones");
  } else if constexpr (requires { typename W::value_type; }) {
    return W(widen_one<double>(s));
  } else if constexpr (std::is_same_v<S, Bool>) {
    return static_cast<W>(static_cast<bool>(s));
  } else if constexpr (std::is_integral_v<S>) {
    return static_cast<W>(s);
  } else if constexpr (requires { s.value; }) {
    return static_cast<W>(s.value);
  } else if constexpr (std::is_integral_v<W>) {
    return from_double<W>(static_cast<double>(s));
  } else {
    return static_cast<W>(static_cast<double>(s));
  }
}

template <class S, class W>
S narrow_one(const W& w) {
  if constexpr (std::is_same_v<W, std::string> || std::is_same_v<S, std::string>) {
    if constexpr (std::is_same_v<W, S>)
      return w;
    else
      fail(ErrorCode::bad_type, "strings and numbers do not convert");
  } else if constexpr (requires { typename S::value_type; }) {
    if constexpr (requires { typename W::value_type; })
      return S(static_cast<typename S::value_type>(w.real()), static_cast<typename S::value_type>(w.imag()));
    else
      return S(static_cast<typename S::value_type>(w));
  } else if constexpr (requires { typename W::value_type; }) {
    fail(ErrorCode::bad_type, "expected real numbers, got complex ones");
  } else if constexpr (std::is_same_v<S, Bool>) {
    return Bool(w != W(0));
  } else if constexpr (std::is_integral_v<S>) {
    if constexpr (std::is_integral_v<W>)
      return static_cast<S>(w);
    else
      return static_cast<S>(from_double<int64_t>(w));
  } else if constexpr (requires(S s) { s.value; }) {
    if constexpr (std::is_integral_v<W>)
      return S(w);
    else
      return S(from_double<int64_t>(w));
  } else if constexpr (std::is_floating_point_v<S>) {
    return static_cast<S>(w);
  } else {
    return S(static_cast<double>(w));
  }
}

template <class W>
uint64_t bytes_of(std::span<const W> values) {
  uint64_t bytes = values.size_bytes();
  if constexpr (std::is_same_v<W, std::string>)
    for (const std::string& s : values) bytes += s.size();
  return bytes;
}

}  // namespace

template <class W>
void widen(const Tensor& t, int64_t first, std::span<W> to) {
  visit_dtype(t.dtype(), [&]<class S>() {
    const auto in = t.span<S>().subspan(static_cast<size_t>(first), to.size());
    for (size_t i = 0; i < to.size(); ++i) to[i] = widen_one<W>(in[i]);
  });
}

template <class W>
std::vector<W> widen(const Tensor& tensor) {
  const Tensor t = tensor.aligned_copy();
  if constexpr (std::is_same_v<W, std::string>) {
    if (t.dtype() == DType::str) Budget::Scratch::add(bytes_of(t.span<std::string>()));
  } else {
    Budget::Scratch::add(static_cast<uint64_t>(t.size()) * sizeof(W));
  }
  std::vector<W> result(static_cast<size_t>(t.size()));
  widen<W>(t, 0, result);
  return result;
}

template <class W>
void narrow(std::span<const W> values, Tensor& out, int64_t first) {
  visit_dtype(out.dtype(), [&]<class S>() {
    const auto to = out.mutable_span<S>().subspan(static_cast<size_t>(first), values.size());
    for (size_t i = 0; i < values.size(); ++i) to[i] = narrow_one<S>(values[i]);
  });
}

template <class W>
void narrow(const std::vector<W>& values, Tensor& out) {
  TC_CHECK(static_cast<int64_t>(values.size()) == out.size(), "element count");
  Budget::Scratch::add(bytes_of(std::span<const W>(values)));
  narrow<W>(values, out, 0);
}

#define TC_WIDE(W)                                              \
  template std::vector<W> widen<W>(const Tensor&);              \
  template void widen<W>(const Tensor&, int64_t, std::span<W>); \
  template void narrow<W>(const std::vector<W>&, Tensor&);      \
  template void narrow<W>(std::span<const W>, Tensor&, int64_t);
TC_WIDE(double)
TC_WIDE(int64_t)
TC_WIDE(uint64_t)
TC_WIDE(std::complex<double>)
TC_WIDE(std::string)
#undef TC_WIDE

}  // namespace tc
