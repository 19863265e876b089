// Damaged files: truncated and bit-flipped copies of real models must parse or throw tc::Error, nothing else.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <random>

#include "tc/frontend/onnx/tensor_proto.h"
#include "test_data.h"

namespace tc::onnx {
namespace {

// A copy that ends where the readable memory ends, so that one byte too far is a fault.
class Guarded {
 public:
  explicit Guarded(const std::string& bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t data = (bytes.size() + page - 1) / page * page;
    size_ = data + page;
    base_ = static_cast<uint8_t*>(mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base_ + data, page, PROT_NONE);
    bytes_ = {base_ + data - bytes.size(), bytes.size()};
    std::copy(bytes.begin(), bytes.end(), bytes_.begin());
  }
  ~Guarded() { munmap(base_, size_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  std::span<uint8_t> bytes() { return bytes_; }

 private:
  uint8_t* base_;
  size_t size_;
  std::span<uint8_t> bytes_;
};

// True when the bytes parse, and every view of the graph's tensors then lies inside them.
template <class Parse>
bool parses(Bytes bytes, Parse&& parse_it) {
  try {
    parse_it(bytes);
    return true;
  } catch (const Error& e) {
    EXPECT_NE(e.diagnostic().message.find("mutant"), std::string::npos) << e.what();
    return false;
  }
}

// Reads every element: a view that reaches too far faults.
template <class Message>
void load(const Message& message, Bytes bytes) {
  try {
    const Tensor t = to_tensor(message, {std::shared_ptr<const void>(std::shared_ptr<void>(), bytes.data()), nullptr});
    t.clone();
  } catch (const Error&) {
  }
}

void model(Bytes bytes) {
  const ModelProto m = parse_model(bytes, "mutant");
  const auto inside = [&](const void* data, size_t size) {
    const auto* p = static_cast<const uint8_t*>(data);
    return size == 0 || (p >= bytes.data() && p + size <= bytes.data() + bytes.size());
  };
  for (const TensorProto& t : m.graph->initializer) {
    EXPECT_TRUE(inside(t.name.data(), t.name.size()));
    const Bytes raw = t.raw_data.value_or(Bytes());
    EXPECT_TRUE(inside(raw.data(), raw.size()));
    for (uint32_t field : {kFloatData, kInt32Data, kInt64Data, kDoubleData, kUint64Data}) {
      uint64_t n = 0;
      t.typed_data.for_each(field, [&](uint64_t) { ++n; });
      EXPECT_EQ(n, t.typed_data.count(field));
    }
    load(t, bytes);
  }
  for (const NodeProto& node : m.graph->node) {
    for (const AttributeProto& a : node.attribute) {
      if (a.t) load(*a.t, bytes);
      if (a.sparse_tensor) load(*a.sparse_tensor, bytes);
    }
  }
}

std::vector<std::string> samples() {
  std::vector<std::string> found;
  for (const char* name : {"node/test_if_seq", "node/test_loop11", "node/test_range_float_type_positive_delta_expanded",
                           "node/test_constant", "simple/test_sequence_model3", "simple/test_single_relu_model",
                           "pytorch-converted/test_Conv2d_groups", "pytorch-converted/test_PReLU_1d"}) {
    const std::string bytes = test_data::read(test_data::kFolder + "/" + name + "/model.onnx");
    if (!bytes.empty()) found.push_back(bytes);
  }
  return found;
}

TEST(Mutation, EveryTruncation) {
  const auto models = samples();
  if (models.empty()) GTEST_SKIP() << "no test data";
  for (const std::string& bytes : models) {
    const size_t step = std::max<size_t>(1, bytes.size() / 3000);
    for (size_t n = 0; n < bytes.size(); n += step) {
      Guarded copy(bytes.substr(0, n));
      parses(copy.bytes(), model);
    }
  }
}

TEST(Mutation, FlippedBitsAndChangedBytes) {
  const auto models = samples();
  if (models.empty()) GTEST_SKIP() << "no test data";
  std::mt19937 random(20240607);
  size_t accepted = 0, refused = 0;
  for (const std::string& bytes : models) {
    Guarded copy(bytes);
    for (int round = 0; round < 3000; ++round) {
      const auto pick = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
      std::vector<std::pair<size_t, uint8_t>> undo;
      const size_t changes = 1 + pick(4);
      for (size_t i = 0; i < changes; ++i) {
        const size_t at = pick(bytes.size());
        uint8_t& byte = copy.bytes()[at];
        undo.emplace_back(at, byte);
        byte = round % 2 ? static_cast<uint8_t>(byte ^ 1u << pick(8)) : static_cast<uint8_t>(pick(256));
      }
      ++(parses(copy.bytes(), model) ? accepted : refused);
      for (auto it = undo.rbegin(); it != undo.rend(); ++it) copy.bytes()[it->first] = it->second;
    }
  }
  EXPECT_GT(accepted, 1000u);
  EXPECT_GT(refused, 1000u);
}

TEST(Mutation, Tensors) {
  const auto files = test_data::files(".pb");
  if (files.empty()) GTEST_SKIP() << "no test data";
  std::mt19937 random(11);
  for (size_t i = 0; i < files.size(); i += 7) {
    const std::string bytes = test_data::read(files[i]);
    if (bytes.empty() || bytes.size() > 100'000) continue;
    for (int round = 0; round < 40; ++round) {
      Guarded copy(bytes);
      // Mostly the header, where dims and types are.
      const size_t at = std::uniform_int_distribution<size_t>(0, std::min<size_t>(bytes.size(), 24) - 1)(random);
      copy.bytes()[at] = static_cast<uint8_t>(random());
      parses(copy.bytes(), [](Bytes b) { load(parse_tensor(b, "mutant"), b); });
    }
  }
}

TEST(Mutation, RandomBytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes(std::uniform_int_distribution<size_t>(0, 40)(random), '\0');
    // Small values make plausible tags and lengths.
    for (char& c : bytes) c = static_cast<char>(std::uniform_int_distribution<int>(0, round % 2 ? 255 : 60)(random));
    Guarded copy(bytes);
    parses(copy.bytes(), model);
    parses(copy.bytes(), [](Bytes b) { load(parse_tensor(b, "mutant"), b); });
    parses(copy.bytes(), [](Bytes b) { load(parse_sparse_tensor(b, "mutant"), b); });
    parses(copy.bytes(), [](Bytes b) { parse_sequence(b, "mutant"); });
    parses(copy.bytes(), [](Bytes b) { parse_optional(b, "mutant"); });
    parses(copy.bytes(), [](Bytes b) { parse_map(b, "mutant"); });
    parses(copy.bytes(), [](Bytes b) { parse_type(b, "mutant"); });
  }
}

}  // namespace
}  // namespace tc::onnx
