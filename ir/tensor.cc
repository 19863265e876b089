#include "tc/ir/tensor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <ostream>

#include "tc/ir/pages.h"
#include "tc/ir/tensor_budget.h"

namespace tc {
namespace {

constexpr size_t kAlignment = 64;

constexpr uint64_t kMostBytes = std::min(uint64_t{1} << 47, uint64_t{PTRDIFF_MAX});

// What a block counts for in the budget of the work that made it, for as long as it lives.
class Counted {
 public:
  explicit Counted(uint64_t bytes) : budget_(Budget::shared()) { add(bytes); }
  Counted(Counted&&) = default;
  Counted& operator=(Counted&&) = delete;
  ~Counted() {
    if (budget_) budget_->give_back(bytes_);
  }
  void add(uint64_t bytes) {
    if (budget_) budget_->take(bytes);
    bytes_ += bytes;
  }
  const Budget* budget() const { return budget_.get(); }

 private:
  std::shared_ptr<Budget> budget_;
  uint64_t bytes_ = 0;
};

struct DeleteStrings {
  std::unique_ptr<std::vector<std::string>> strings;
  Counted counted;
  bool with_characters = false;
  void operator()(void*) { strings.reset(); }
};

std::shared_ptr<void> allocate(DType dtype, int64_t count) {
  uint64_t wanted;
  if (__builtin_mul_overflow(static_cast<uint64_t>(count), uint64_t{size_of(dtype)}, &wanted) || wanted > kMostBytes)
    fail(ErrorCode::limit_size, "a tensor of ", count, " elements does not fit the address space");
  auto bytes = static_cast<size_t>(wanted);
  Counted counted(bytes + kTensorOverhead);
  if (dtype == DType::str) try {
      auto strings = std::make_unique<std::vector<std::string>>(static_cast<size_t>(std::max<int64_t>(count, 1)));
      void* const first = strings->data();
      return {first, DeleteStrings{std::move(strings), std::move(counted)}};
    } catch (const std::bad_alloc&) {
      fail(ErrorCode::limit_memory, "out of memory: a tensor of ", count, " strings");
    }
  if (bytes >= kLeastMapped) {
    void* const pages = map_pages(bytes);
    return {pages, [bytes, kept = std::move(counted)](void* p) { unmap_pages(p, bytes); }};
  }
  bytes = (std::max<size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  void* const p = std::aligned_alloc(kAlignment, bytes);
  if (!p) fail(ErrorCode::limit_memory, "out of memory: ", bytes, " bytes for a tensor");
  std::memset(p, 0, bytes);
  return {p, [kept = std::move(counted)](void* block) { std::free(block); }};
}

}  // namespace

void count_characters(const Tensor& tensor) {
  if (tensor.dtype() != DType::str || !Budget::current()) return;
  auto* storage = std::get_deleter<DeleteStrings>(tensor.owner());
  if (!storage || storage->with_characters || storage->counted.budget() != Budget::current()) return;
  uint64_t characters = 0;
  for (const std::string& s : tensor.span<std::string>()) characters += s.capacity();
  storage->counted.add(characters);
  storage->with_characters = true;
}

int64_t element_count(const Extents& extents) {
  int64_t count = 1;
  for (int64_t e : extents) {
    if (e < 0) fail(ErrorCode::bad_shape, "negative extent ", e);
    if (e == 0) return 0;
  }
  for (int64_t e : extents)
    if (__builtin_mul_overflow(count, e, &count))
      fail(ErrorCode::limit_size, "the element count of a tensor overflows");
  return count;
}

Extents row_major_strides(const Extents& extents) {
  Extents strides(extents.size());
  int64_t stride = 1;
  for (size_t i = extents.size(); i-- > 0;) strides[i] = stride, stride *= extents[i];
  return strides;
}

Tensor::Tensor(DType dtype, Extents extents) : dtype_(dtype), extents_(std::move(extents)), writable_(true) {
  if (extents_.size() > kMaxRank)
    fail(ErrorCode::limit_rank, "rank ", extents_.size(), " exceeds the limit of ", kMaxRank);
  size_ = element_count(extents_);
  owner_ = allocate(dtype_, size_);
  data_ = owner_.get();
}

Tensor Tensor::view(DType dtype, Extents extents, const void* data, std::shared_ptr<const void> owner,
                    const MappedMemory* mapped) {
  TC_CHECK(dtype != DType::str, "strings cannot be viewed");
  if (extents.size() > kMaxRank)
    fail(ErrorCode::limit_rank, "rank ", extents.size(), " exceeds the limit of ", kMaxRank);
  static const char nothing[kAlignment] = {};
  Tensor t;
  t.dtype_ = dtype;
  t.size_ = element_count(extents);
  t.extents_ = std::move(extents);
  t.data_ = t.size_ ? data : nothing;
  t.owner_ = std::move(owner);
  t.mapped_ = mapped;
  return t;
}

Tensor Tensor::borrow(DType dtype, Extents extents, void* data, std::shared_ptr<void> owner) {
  Tensor t = view(dtype, std::move(extents), data, std::move(owner));
  t.writable_ = true;
  return t;
}

void* Tensor::mutable_data() {
  if (!exclusive()) *this = clone();
  return const_cast<void*>(data_);
}

bool Tensor::aligned() const {
  const size_t alignment = dtype_ == DType::str ? alignof(std::string) : std::min<size_t>(size_of(dtype_), 8);
  return reinterpret_cast<uintptr_t>(data_) % alignment == 0;
}

Tensor Tensor::without_data() const {
  Tensor t;
  t.dtype_ = dtype_;
  t.extents_ = extents_;
  t.size_ = size_;
  return t;
}

Tensor Tensor::reshaped(Extents extents) const {
  if (element_count(extents) != size_)
    fail(ErrorCode::bad_shape, "cannot view ", Shape::of(extents_), " as ", Shape::of(extents));
  if (extents.size() > kMaxRank)
    fail(ErrorCode::limit_rank, "rank ", extents.size(), " exceeds the limit of ", kMaxRank);
  Tensor t = *this;
  t.extents_ = std::move(extents);
  return t;
}

Tensor Tensor::aligned_copy() const {
  return aligned() ? *this : clone();
}

Tensor Tensor::clone() const {
  Tensor t(dtype_, extents_);
  void* out = const_cast<void*>(t.data_);
  if (dtype_ == DType::str) {
    const auto* from = static_cast<const std::string*>(data_);
    std::copy(from, from + size_, static_cast<std::string*>(out));
  } else if (size_) {
    std::memcpy(out, data_, bytes());
  }
  return t;
}

bool Tensor::identical(const Tensor& o) const {
  if (defined() != o.defined() || dtype_ != o.dtype_ || extents_ != o.extents_) return false;
  if (dtype_ == DType::str) {
    const auto a = span<std::string>(), b = o.span<std::string>();
    return std::equal(a.begin(), a.end(), b.begin());
  }
  return size_ == 0 || std::memcmp(data_, o.data_, bytes()) == 0;
}

std::vector<int64_t> to_i64(const Tensor& tensor) {
  const Tensor t = tensor.aligned_copy();
  std::vector<int64_t> result(static_cast<size_t>(t.size()));
  visit_dtype(t.dtype(), [&]<class T>() {
    if constexpr (std::is_same_v<T, Bool>) {
      const auto in = t.span<T>();
      for (size_t i = 0; i < result.size(); ++i) result[i] = static_cast<bool>(in[i]);
    } else if constexpr (std::is_integral_v<T> || std::is_same_v<T, Int4> || std::is_same_v<T, UInt4> ||
                         std::is_same_v<T, Int2> || std::is_same_v<T, UInt2>) {
      const auto in = t.span<T>();
      for (size_t i = 0; i < result.size(); ++i) result[i] = static_cast<int64_t>(in[i]);
    } else {
      fail(ErrorCode::bad_type, "expected integers, got ", t.dtype());
    }
  });
  return result;
}

namespace {

double number_at(const Tensor& tensor, int64_t place) {
  const Tensor t = tensor.aligned_copy();
  const auto i = static_cast<size_t>(place);
  return visit_dtype(t.dtype(), [&]<class T>() -> double {
    if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::complex<float>> ||
                  std::is_same_v<T, std::complex<double>>) {
      fail(ErrorCode::bad_type, "expected a real number, got ", t.dtype());
    } else if constexpr (std::is_arithmetic_v<T>) {
      return static_cast<double>(t.span<T>()[i]);
    } else if constexpr (std::is_same_v<T, Bool>) {
      return static_cast<bool>(t.span<T>()[i]);
    } else if constexpr (requires(T v) { v.value; }) {
      return t.span<T>()[i].value;
    } else {
      return static_cast<double>(t.span<T>()[i]);
    }
  });
}

}  // namespace

double scalar_f64(const Tensor& t) {
  if (t.size() != 1) fail(ErrorCode::bad_shape, "expected one element, got ", Shape::of(t.extents()));
  return number_at(t, 0);
}

double Tensor::number(const Extents& indices) const {
  if (indices.size() != extents_.size())
    fail(ErrorCode::bad_argument, indices.size(), " indices of an element of ", type());
  int64_t place = 0;
  for (size_t i = 0; i < indices.size(); ++i) {
    const int64_t n = extents_[i], index = indices[i] < 0 ? indices[i] + n : indices[i];
    if (index < 0 || index >= n)
      fail(ErrorCode::bad_argument, "index ", indices[i], " is out of range for axis ", i, " of ", type());
    place = place * n + index;
  }
  if (aligned()) return number_at(*this, place);
  const auto* bytes = static_cast<const std::byte*>(data_) + static_cast<size_t>(place) * size_of(dtype_);
  return number_at(view(dtype_, {}, bytes, owner_), 0);  // copies this one alone
}

void Tensor::expect_type(DType t) const {
  if (t != dtype_) fail(ErrorCode::bad_type, "the elements are ", dtype_, ", asked for as ", t);
}

Tensor Tensor::joined(const std::vector<Tensor>& parts) {
  Extents extents = parts[0].extents();
  extents.insert(extents.begin(), static_cast<int64_t>(parts.size()));
  Tensor t(parts[0].dtype(), std::move(extents));
  auto* to = static_cast<std::byte*>(t.mutable_data());
  for (const Tensor& part : parts) {
    if (part.extents() != parts[0].extents())
      fail(ErrorCode::bad_shape, "rows of a tensor are ", parts[0].type(), " and ", part.type());
    if (part.bytes()) std::memcpy(to, part.data(), part.bytes());
    to += part.bytes();
  }
  return t;
}

namespace {

void write_element(std::ostream& out, const Tensor& t, size_t i) {
  visit_dtype(t.dtype(), [&]<class T>() {
    const T& x = t.span<T>()[i];
    if constexpr (std::is_same_v<T, Bool>)
      out << (x ? "true" : "false");
    else if constexpr (std::is_same_v<T, std::string>)
      out << '"' << x << '"';
    else if constexpr (requires { x.value; })
      out << int{x.value};
    else if constexpr (std::is_integral_v<T> && sizeof(T) == 1)
      out << int{x};
    else if constexpr (requires { T(1.0), x.bits; })
      out << static_cast<double>(x);
    else
      out << x;
  });
}

// The elements below `axis`, the first of which is at `place`.
void write_axis(std::ostream& out, const Tensor& t, int axis, size_t place, size_t elements) {
  if (axis == t.rank()) return write_element(out, t, place);
  constexpr int64_t kMost = 8, kEnds = 3;
  const int64_t n = t.extent(axis);
  const size_t step = n ? elements / static_cast<size_t>(n) : 0;
  out << '{';
  for (int64_t i = 0; i < n; ++i) {
    out << (i ? ", " : "");
    if (n > kMost && i == kEnds) {
      out << "..., ";
      i = n - kEnds;
    }
    write_axis(out, t, axis + 1, place + static_cast<size_t>(i) * step, step);
  }
  out << '}';
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  if (!tensor.defined()) return out << "undefined";
  const Tensor t = tensor.aligned_copy();
  out << t.type() << ' ';
  write_axis(out, t, 0, 0, static_cast<size_t>(t.size()));
  return out;
}

}  // namespace tc
