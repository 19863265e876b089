#include <algorithm>
#include <cstring>

#include "tc/kernels/cpu.h"
#include "tc/kernels/parallel.h"
#include "tc/tools/bench/engine.h"

namespace tc::bench {
namespace {

// The largest tensor's part of a piece, which stays in L1.
constexpr int64_t kPieceBytes = 16 << 10;
constexpr int64_t kVector = 64;

typedef uint64_t Vector __attribute__((vector_size(kVector), aligned(1), may_alias));

// In registers as wide as the machine's: with narrower ones the loop itself took twice as long as its streams on Zen 5.
struct Loops {
  void (*add)(Vector* sum, const Vector* from, int64_t count, bool first);
  void (*put)(Vector* to, const Vector* sum, int64_t count);
};
#define TC_STREAM_LOOPS(name, isa)                                                      \
  [[isa]] void add_##name(Vector* sum, const Vector* from, int64_t count, bool first) { \
    for (int64_t i = 0; i < count; ++i) sum[i] = first ? from[i] : sum[i] ^ from[i];    \
  }                                                                                     \
  [[isa]] void put_##name(Vector* to, const Vector* sum, int64_t count) {               \
    for (int64_t i = 0; i < count; ++i) to[i] = sum[i];                                 \
  }
#if defined(__x86_64__)
TC_STREAM_LOOPS(sse42, gnu::target("sse4.2"))
TC_STREAM_LOOPS(avx2, gnu::target("avx2"))
TC_STREAM_LOOPS(avx512, gnu::target("avx512f"))

Loops loops() {
  const kernels::Tier tier = kernels::active_tier();
  if (tier >= kernels::Tier::avx512) return {add_avx512, put_avx512};
  if (tier == kernels::Tier::avx2) return {add_avx2, put_avx2};
  return {add_sse42, put_sse42};
}
#else
TC_STREAM_LOOPS(any, gnu::noinline)

Loops loops() {
  return {add_any, put_any};
}
#endif
#undef TC_STREAM_LOOPS

class StreamsEngine : public Engine {
 public:
  explicit StreamsEngine(const EngineOptions& o) : team_(o.threads) {
    const auto tc = make_tc_engine(o);  // knows what there is to write
    tc->run();
    for (const auto& [name, t] : tc->outputs()) outputs_.emplace_back(name, Tensor(t.dtype(), t.extents()));
    for (const auto& [name, t] : o.inputs) inputs_.emplace_back(name, t);
    for (auto& [name, t] : inputs_)
      if (t.dtype() != DType::str) read_.push_back({static_cast<std::byte*>(t.mutable_data()), bytes(t)});
    for (auto& [name, t] : outputs_)
      if (t.dtype() != DType::str) written_.push_back({static_cast<std::byte*>(t.mutable_data()), bytes(t)});
    for (const auto& list : {read_, written_})
      for (const Stream& s : list) pieces_ = std::max(pieces_, (s.bytes + kPieceBytes - 1) / kPieceBytes);
  }
  std::string version() const override { return "a loop over inputs and outputs"; }
  void run() override {
    kernels::parallel_for(team_, pieces_, [&](int64_t piece, int) {
      alignas(kVector) Vector sum[kPieceBytes / kVector];
      if (read_.empty() || part_of(read_[0], piece).vectors < kPieceBytes / kVector) std::memset(sum, 0, sizeof sum);
      for (const Stream& s : read_) {
        const Part part = part_of(s, piece);
        loops_.add(sum, reinterpret_cast<const Vector*>(part.first), part.vectors, &s == &read_[0]);
      }
      for (const Stream& s : written_) {
        const Part part = part_of(s, piece);
        loops_.put(reinterpret_cast<Vector*>(part.first), sum, part.vectors);
      }
    });
  }
  NamedTensors outputs() override { return outputs_; }

 private:
  struct Stream {
    std::byte* first;
    int64_t bytes;
  };
  struct Part {
    std::byte* first;
    int64_t vectors;
  };
  static int64_t bytes(const Tensor& t) { return static_cast<int64_t>(t.bytes()); }
  // Whole vectors: what is left at the end does not show.
  Part part_of(const Stream& s, int64_t piece) const {
    const int64_t vectors = s.bytes / kVector, begin = vectors * piece / pieces_;
    return {s.first + begin * kVector, vectors * (piece + 1) / pieces_ - begin};
  }

  const Loops loops_ = loops();
  kernels::Team team_;
  NamedTensors inputs_, outputs_;
  std::vector<Stream> read_, written_;
  int64_t pieces_ = 0;
};

}  // namespace

std::unique_ptr<Engine> make_streams_engine(const EngineOptions& options) {
  return std::make_unique<StreamsEngine>(options);
}

}  // namespace tc::bench
