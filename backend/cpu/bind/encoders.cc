#include "tc/backend/cpu/bind/encoders.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <unordered_map>

#include "tc/backend/cpu/bind/bind.h"
#include "tc/ir/eval/wide.h"

namespace tc::cpu {
namespace {

// The places of keys; where these lie close together, in a table.
class Places {
 public:
  Places(const std::vector<int64_t>& keys, bool last_counts) {
    if (keys.empty()) return;
    const auto [least, most] = std::minmax_element(keys.begin(), keys.end());
    first_ = *least;
    const uint64_t range = static_cast<uint64_t>(*most) - static_cast<uint64_t>(*least);
    if (range < kMostDense) dense_.assign(static_cast<size_t>(range) + 1, -1);
    for (size_t i = 0; i < keys.size(); ++i) {
      const auto place = static_cast<int64_t>(i);
      if (dense_.empty()) {
        const auto [it, fresh] = sparse_.try_emplace(keys[i], place);
        if (!fresh && last_counts) it->second = place;
      } else if (int64_t& at = dense_[static_cast<size_t>(keys[i] - first_)]; at < 0 || last_counts) {
        at = place;
      }
    }
  }
  // -1: none.
  int64_t operator()(int64_t key) const {
    if (!dense_.empty()) {
      const uint64_t i = static_cast<uint64_t>(key) - static_cast<uint64_t>(first_);
      return i < dense_.size() ? dense_[i] : -1;
    }
    const auto it = sparse_.find(key);
    return it == sparse_.end() ? -1 : it->second;
  }

 private:
  static constexpr uint64_t kMostDense = 1 << 16;
  int64_t first_ = 0;
  std::vector<int64_t> dense_;
  std::unordered_map<int64_t, int64_t> sparse_;
};

// Numbers as keys: NaN is one like any other, and zeros are equal.
int64_t key_of(double v) {
  return std::bit_cast<int64_t>(std::isnan(v) ? std::numeric_limits<double>::quiet_NaN() : v == 0 ? 0.0 : v);
}
int64_t key_of(int64_t v) {
  return v;
}

template <class F>
void for_type(DType t, F&& f) {
  if (t == DType::f32) return f(float(), double());
  if (t == DType::f64) return f(double(), double());
  if (t == DType::i16) return f(int16_t(), int64_t());
  if (t == DType::i32) return f(int32_t(), int64_t());
  f(int64_t(), int64_t());
}

struct None {};

}  // namespace

bool bind_label_encoder(Binder& b) {
  const auto& a = b.attrs<LabelEncoder>();
  const Tensor keys = a.keys(), values = a.values();
  const DType type = b.dtype(0), to = b.result_dtype(0);
  if (type == DType::str || to == DType::str) return b.refuse("keys or values are strings");
  const int size = elem_size(to);
  // The values, and the default behind them, as they are written.
  auto list = std::make_shared<std::vector<std::byte>>(static_cast<size_t>((values.size() + 1) * size));
  std::vector<int64_t> numbers;
  for_type(type, [&](auto, auto wide) {
    using K = decltype(wide);
    for (const K k : widen<K>(keys)) numbers.push_back(key_of(k));
  });
  for_type(to, [&](auto narrow, auto wide) {
    using T = decltype(narrow);
    using W = decltype(wide);
    auto all = widen<W>(values);
    if (a.default_tensor)
      all.push_back(widen<W>(*a.default_tensor)[0]);
    else
      all.push_back(std::is_same_v<W, double> ? static_cast<W>(a.default_float) : static_cast<W>(a.default_int64));
    for (size_t i = 0; i < all.size(); ++i) {
      const T v = static_cast<T>(all[i]);
      std::memcpy(list->data() + i * sizeof v, &v, sizeof v);
    }
  });
  const Slot x = b.in(0), y = b.out(0);
  const int64_t fallback = values.size();
  b.step<None>(
      "label_encoder", [](Frame&, None&) {},
      [=, places = std::make_shared<const Places>(numbers, false)](Frame& f, None&) {
        const int64_t count = f.count(x);
        for_type(type, [&](auto narrow, auto wide) {
          using T = decltype(narrow);
          const T* in = f.ptr<const T>(x);
          for_type(to, [&](auto element, auto) {
            using V = decltype(element);
            const V* from = reinterpret_cast<const V*>(list->data());
            V* out = f.ptr<V>(y);
            for (int64_t i = 0; i < count; ++i) {
              const int64_t place = (*places)(key_of(static_cast<decltype(wide)>(in[i])));
              out[i] = from[place < 0 ? fallback : place];
            }
          });
        });
      });
  return true;
}

bool bind_one_hot_encoder(Binder& b) {
  const auto& a = b.attrs<OneHotEncoder>();
  const DType type = b.dtype(0);
  if (type != DType::i64 && type != DType::i32) return b.refuse(cat("elements are ", type));
  const auto width = std::ssize(a.cats_int64s);
  const Slot x = b.in(0), y = b.out(0);
  const Node* node = &b.node();
  b.step<None>(
      "one_hot_encoder", [](Frame&, None&) {},
      [=, zeros = a.zeros, places = std::make_shared<const Places>(a.cats_int64s, true)](Frame& f, None&) {
        auto* out = f.ptr<float>(y);
        const int64_t count = f.count(x);
        std::fill_n(out, count * width, 0.0F);
        const auto encode = [&](const auto* in) {
          for (int64_t i = 0; i < count; ++i) {
            const int64_t place = (*places)(in[i]);
            if (place >= 0)
              out[i * width + place] = 1;
            else if (!zeros)
              f.fail(*node, ErrorCode::bad_value, cat("'", in[i], "' is none of the categories"));
          }
        };
        if (type == DType::i64)
          encode(f.ptr<const int64_t>(x));
        else
          encode(f.ptr<const int32_t>(x));
      });
  return true;
}

}  // namespace tc::cpu
